/* biela: the command. Finds the subcommand, reads its options, runs it, reports failures. */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const cli_command *const cli_commands[] = {
#define CLI_COMMAND(name) &cli_##name,
#include "cli/command_list.h"
#undef CLI_COMMAND
    NULL};

const cli_command *cli_find_command(const char *name, cli_mistake *mistake) {
    const char *names[sizeof cli_commands / sizeof *cli_commands];
    char hint[128] = "`biela help` shows the commands";
    size_t n = 0;
    for (; cli_commands[n]; n++) {
        if (strcmp(cli_commands[n]->name, name) == 0)
            return cli_commands[n];
        names[n] = cli_commands[n]->name;
    }
    const char *nearest = bl_nearest(name, names, n);
    if (nearest)
        snprintf(hint, sizeof hint, "did you mean 'biela %s'?", nearest);
    cli_mistaken(mistake, hint, "there is no command '%s'", name);
    return NULL;
}

/* ---- help */

/* Usage text on standard output, as text or as {"usage": text}. */
static void usage_json(bl_json *json, const void *text) { bl_json_text(json, "usage", text); }

static void usage_text(const void *text) { cli_write(NULL, text, strlen(text)); }

static int show_usage(const cli_command *command, const cli_args *args) {
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    if (!memory)
        return EXIT_SYSTEM;
    cli_usage(command, memory);
    bl_context *ctx = NULL;
    bool good = fclose(memory) == 0 && bl_context_create(NULL, &ctx) == BL_OK;
    const cli_args how = {.json = args->json};
    int code = good ? cli_show(ctx, &how, BL_OK, usage_text, usage_json, text) : EXIT_SYSTEM;
    bl_context_destroy(ctx);
    free(text);
    return code;
}

static int run_help(bl_context *ctx, cli_args *args) {
    (void)ctx;
    cli_mistake mistake = {0};
    const cli_command *command = args->word ? cli_find_command(args->word, &mistake) : NULL;
    return args->word && !command ? cli_fail_usage(args, &mistake) : show_usage(command, args);
}

static const cli_option *const help_options[] = {&cli_opt_json, &cli_opt_help, NULL};
const cli_command cli_help = {.name = "help",
                              .word = "[COMMAND]",
                              .help = "explain a command",
                              .text = "Explains a command, or lists them all.",
                              .options = help_options,
                              .run = run_help};

/* ---- version */

static void print_part(void *user, const char *name, const char *value) {
    char words[32];
    (void)user;
    snprintf(words, sizeof words, "%s", name);
    for (char *at = words; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    cli_line(words, "%s", value ? value : "no");
}

static void json_part(void *json, const char *name, const char *value) { bl_json_text(json, name, value); }

static bool has_page(void) {
    size_t bytes;
    return cli_page(&bytes) && bytes > 0;
}

static void version_text(const void *unused) {
    (void)unused;
    cli_out("biela %s\n", bl_version());
    bl_build_parts(print_part, NULL);
    cli_line("report page", "%s", has_page() ? "yes" : "no");
}

static void version_json(bl_json *json, const void *unused) {
    (void)unused;
    bl_json_text(json, "version", bl_version());
    bl_build_parts(json_part, json);
    bl_json_flag(json, "report_page", has_page());
}

static int show_version(const cli_args *args) {
    bl_context *ctx = NULL;
    const cli_args how = {.json = args->json};
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return EXIT_SYSTEM;
    int code = cli_show(ctx, &how, BL_OK, version_text, version_json, NULL);
    bl_context_destroy(ctx);
    return code;
}

/* ---- main */

static int run_command(const cli_command *command, cli_args *args) {
    bl_context *ctx;
    bl_context_options options = {
        .size = sizeof options, .log = args->quiet ? NULL : cli_log, .log_level = args->verbose ? BL_LOG_INFO : BL_LOG_WARNING};
    if (bl_context_create(&options, &ctx) != BL_OK) {
        cli_err("biela: out of memory\n");
        return EXIT_SYSTEM;
    }
    cli_catch_stop(ctx);
    int code = command->run(ctx, args);
    cli_catch_stop(NULL);
    bl_context_destroy(ctx);
    return code;
}

static int start(int argc, char **argv, const cli_command **found, cli_args *args) {
    cli_mistake mistake = {0};
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        args->json = args->json || strcmp(argv[i], "--json") == 0; /* mistakes are reported as JSON, too */
    int first = 1;
    while (first < argc && strcmp(argv[first], "--json") == 0)
        first++;
    if (first >= argc && args->json)
        return cli_refuse(args, "`biela help` shows the commands", "no command given");
    if (first >= argc) {
        cli_usage(NULL, stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[first], "--version") == 0)
        return show_version(args);
    if (strcmp(argv[first], "--help") == 0 || strcmp(argv[first], "-h") == 0)
        return show_usage(NULL, args);
    const cli_command *command = *found = cli_find_command(argv[first], &mistake);
    if (!command || !cli_parse(command, argc, argv, first + 1, args, &mistake))
        return cli_fail_usage(args, &mistake);
    if (!args->help && !cli_ranks_check(command, args, &mistake))
        return cli_fail_usage(args, &mistake);
    return args->help ? show_usage(command, args) : run_command(command, args);
}

/* OpenBLAS starts threads that spin while waiting; a run uses one thread, and results must not depend on their number. The library does
 * not change this process-wide setting, but the command owns the process. Weak, because other BLAS libraries lack the function. The
 * environment variable serves BLAS libraries that are loaded later by a solver. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

int main(int argc, char **argv) {
    cli_args args = {.run.size = sizeof args.run};
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    if (!cli_ranks_begin())
        return EXIT_SYSTEM;
    args.argc = argc;
    args.argv = argv;
    const cli_command *command = NULL;
    int code = start(argc, argv, &command, &args);
    cli_args_destroy(command, &args);
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        cli_err("biela: cannot write to standard output: %s\n", errno ? strerror(errno) : "write error");
        code = EXIT_SYSTEM;
    }
    return cli_ranks_end(code, cli_was_stopped());
}
