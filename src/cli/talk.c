/* Talking: errors in words and as JSON, exit classes, standard output. */
#include "cli/cli.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static bool wrote; /* something stands on standard output */

void cli_write(void *user, const char *text, size_t length) {
    (void)user;
    wrote = true;
    fwrite(text, 1, length, stdout);
}

bool cli_wrote(void) { return wrote; }

/* Wrong words on the command line are usage; the same words in a model file are a bad model, and so is a model file that cannot be
 * read. Files without a place in a model are results. */
static int exit_class(bl_status status, const bl_error *error) {
    switch (status) {
    case BL_OK:
    case BL_EVENT:
    case BL_STOPPED: return EXIT_DONE;
    case BL_E_ARG:
    case BL_E_ABILITY: return error->file[0] ? EXIT_MODEL : EXIT_USAGE;
    case BL_E_MODEL: return EXIT_MODEL;
    case BL_E_FILE: return error->file[0] ? EXIT_MODEL : EXIT_SYSTEM;
    case BL_E_MEMORY: return EXIT_SYSTEM;
    default: return EXIT_NUMERIC;
    }
}

static void tell(const bl_error *error) {
    cli_progress_clear();
    if (!error->file[0])
        fprintf(stderr, "biela: ");
    else if (error->line > 0)
        fprintf(stderr, "%s:%d:%d: ", error->file, error->line, error->column);
    else
        fprintf(stderr, "%s: ", error->file);
    fprintf(stderr, "%s\n", error->what[0] ? error->what : bl_status_text(error->status));
    if (error->advice[0])
        fprintf(stderr, "  hint: %s\n", error->advice);
    if (error->part[0])
        fprintf(stderr, "  part: %s\n", error->part);
    if (error->equation[0])
        fprintf(stderr, "  equation: %s\n", error->equation);
    if (!isnan(error->time))
        fprintf(stderr, "  time: %.9g s\n", error->time);
}

int cli_print_json(bl_context *ctx, bl_json *json) {
    bl_status status = json->status;
    if (status == BL_OK) {
        cli_write(NULL, json->text, json->length);
        cli_write(NULL, "\n", 1);
    }
    bl_json_destroy(json);
    return exit_class(status, bl_context_error(ctx));
}

/* {"status": ..., "error": {...}} */
static void tell_json(bl_context *ctx, const char *status, const bl_error *error) {
    bl_json json = {.ctx = ctx};
    bl_json_open(&json, NULL, '{');
    bl_json_text(&json, "status", status);
    bl_json_error(&json, "error", error);
    bl_json_close(&json, '}');
    cli_print_json(ctx, &json);
}

int cli_fail(bl_context *ctx, const cli_args *args, bl_status status) {
    bl_error error = *bl_context_error(ctx);
    if (error.status == BL_OK) { /* nobody said more */
        memset(&error, 0, sizeof error);
        error.status = status;
        error.time = NAN;
    }
    tell(&error);
    if (args->json && !wrote)
        tell_json(ctx, bl_status_text(status), &error);
    return exit_class(status, &error);
}

int cli_fail_usage(const cli_args *args, const cli_mistake *mistake) {
    bl_error error = {.status = BL_E_ARG, .time = NAN};
    snprintf(error.what, sizeof error.what, "%s", mistake->what);
    snprintf(error.advice, sizeof error.advice, "%s", mistake->advice);
    tell(&error);
    bl_context *ctx = NULL;
    if (args->json && bl_context_create(NULL, &ctx) == BL_OK)
        tell_json(ctx, bl_status_text(BL_E_ARG), &error);
    bl_context_destroy(ctx);
    return EXIT_USAGE;
}

/* ---- stop requests */

static bl_context *volatile running; /* a signal handler has no other way to it */

static void on_signal(int number) {
    (void)number;
    if (running)
        bl_context_stop(running);
}

void cli_catch_stop(bl_context *ctx) {
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    action.sa_flags = (int)SA_RESETHAND; /* the second one acts as usual */
    running = ctx;
    if (!ctx)
        action.sa_handler = SIG_DFL;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

void cli_print_table(const char *cells, size_t cell, int columns, bl_index rows, int left) {
    int *width = calloc((size_t)columns, sizeof *width);
    for (bl_index k = 0; width && k < rows * columns; k++) {
        int length = (int)strlen(cells + (size_t)k * cell), c = (int)(k % columns);
        width[c] = length > width[c] ? length : width[c];
    }
    for (bl_index k = 0; k < rows; k++) {
        for (int c = 0; c < columns; c++)
            printf(c < left ? "  %-*s" : "  %*s", width && (c >= left || c + 1 < columns) ? width[c] : 0,
                   cells + ((size_t)k * (size_t)columns + (size_t)c) * cell);
        printf("\n");
    }
    free(width);
}
