/* The origin of a result: the command that repeats the run, quoted for a shell, and parameters given on the command line. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* only characters without a meaning for shells */
static bool is_plain(const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    return word[0] && word[strspn(word, plain)] == '\0';
}

/* single quotes protect everything except the quote itself, which goes outside them */
static void put_word(FILE *out, const char *word) {
    if (is_plain(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

/* the fewest digits that read back as the same number */
static void put_number(FILE *out, double value) {
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

static void put_command(FILE *out, const cli_args *args, const bl_run_options *none) {
    (void)none;
    for (int i = 0; i < args->argc; i++) {
        if (i > 0)
            fputc(' ', out);
        put_word(out, args->argv[i]);
    }
}

static void put_overrides(FILE *out, const cli_args *args, const bl_run_options *none) {
    (void)none;
    for (bl_index i = 0; i < args->nset; i++) {
        fprintf(out, "%s%s=", i > 0 ? " " : "", args->set[i].name);
        put_number(out, args->set[i].value);
    }
}

static void put_option(FILE *out, const char *name, const char *word) {
    if (!word || !word[0])
        return;
    fprintf(out, " %s ", name);
    put_word(out, word);
}

static void put_value(FILE *out, const char *name, double value) {
    if (!(value > 0))
        return;
    fprintf(out, " %s ", name);
    put_number(out, value);
}

/* `biela run` with the options of this run */
static void put_run(FILE *out, const cli_args *args, const bl_run_options *run) {
    put_word(out, args->argv[0]);
    fputs(" run ", out);
    put_word(out, args->word);
    for (bl_index i = 0; i < args->nset; i++) {
        fputs(" --set ", out);
        put_word(out, args->set[i].name);
        fputc('=', out);
        put_number(out, args->set[i].value);
    }
    if (args->confined)
        fputs(" --confined", out);
    put_value(out, "--closure", args->closure);
    put_option(out, "--contact", args->contact);
    const char *const name[] = {"--coordinates", "--formulation", "--integrator", "--linsol", "--ordering"};
    const char *const word[] = {run->coordinates, run->formulation, run->integrator, run->linsol, run->ordering};
    for (size_t k = 0; k < sizeof name / sizeof *name; k++)
        put_option(out, name[k], word[k]);
    put_value(out, "--until", run->until);
    if (run->nat > 1)
        put_value(out, "--every", run->until / (double)(run->nat - 1));
    put_value(out, "--tolerance", run->tolerance);
    put_value(out, "--absolute", run->absolute);
    put_value(out, "--step", run->step);
}

/* the text that put writes; NULL: out of memory */
static char *text_of(const cli_args *args, const bl_run_options *run, void (*put)(FILE *, const cli_args *, const bl_run_options *)) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (!out)
        return NULL;
    put(out, args, run);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

static bl_status name_origin(const cli_args *args, const bl_run_options *run, void (*put)(FILE *, const cli_args *, const bl_run_options *),
                             bl_sink *sink) {
    char *command = text_of(args, run, put), *overrides = text_of(args, NULL, put_overrides);
    bl_status status = command && overrides ? bl_sink_hdf5_origin(sink, command, overrides) : BL_E_MEMORY;
    free(command);
    free(overrides);
    return status;
}

bl_status cli_name_origin(const cli_args *args, bl_sink *sink) { return name_origin(args, NULL, put_command, sink); }

bl_status cli_name_run(const cli_args *args, const bl_run_options *run, bl_sink *sink) { return name_origin(args, run, put_run, sink); }
