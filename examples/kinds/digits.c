/* biela digits: how many digits a number has. */
#include "cli/cli.h"

struct own {
    double base;
};

static void print(const void *found) { cli_line("digits", "%d", *(const int *)found); }
static void json(bl_json *json, const void *found) { bl_json_integer(json, "digits", *(const int *)found); }

static int digits(bl_context *ctx, cli_args *args) {
    double value, base = cli_own(args)->base > 1 ? cli_own(args)->base : 10;
    if (cli_read_numbers(args->word, ',', 1, &value) != 1 || value < 1)
        return cli_refuse(args, "for example biela digits 1024", "biela digits takes a number from 1, not '%s'", args->word);
    int n = 0;
    for (; value >= 1; value /= base)
        n++;
    return cli_show(ctx, args, BL_OK, print, json, &n);
}

static const cli_option *const options[] = {CLI_OWN(base, 0, "base", "NUMBER", CLI_COUNT, "of the digits (default: 10)"), &cli_opt_json,
                                            CLI_MESSAGE_OPTIONS};

const cli_command cli_digits = {.name = "digits",
                                .word = "NUMBER",
                                .help = "counts the digits of a number",
                                .text = "Counts the digits of the integer part of a number.",
                                .options = options,
                                .own = sizeof(struct own),
                                .run = digits};
