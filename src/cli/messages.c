/* Messages: errors as text and as JSON, the end of every command, exit classes, standard output, stop requests. */
#include "cli/cli.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool wrote; /* something was written to standard output */

void cli_write(void *user, const char *text, size_t length) {
    (void)user;
    wrote = true;
    fwrite(text, 1, length, stdout);
}

bool cli_wrote(void) { return wrote; }

static void print(FILE *to, const char *format, va_list args) {
    char fixed[512], *text = fixed;
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(fixed, sizeof fixed, format, args);
    if (length >= (int)sizeof fixed && (text = malloc((size_t)length + 1)))
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    text = text ? text : fixed; /* out of memory: the beginning only */
    bl_text_clean(text, "\n");
    fputs(text, to);
    if (text != fixed)
        free(text);
}

void cli_out(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print(stdout, format, args);
    va_end(args);
}

void cli_line(const char *name, const char *format, ...) {
    va_list args;
    cli_out("  %-16s ", name);
    va_start(args, format);
    print(stdout, format, args);
    va_end(args);
    cli_out("\n");
}

const char *cli_s(bl_index n) { return n == 1 ? "" : "s"; }

void cli_err(const char *format, ...) {
    va_list args;
    va_start(args, format);
    print(stderr, format, args);
    va_end(args);
}

/* A wrong word on the command line is a usage error; the same word in a model file is a bad model, and so is a model file that cannot be
 * read. A file error without a model file concerns a result. */
static int exit_class(bl_status status, const bl_error *error) {
    switch (status) {
    case BL_OK:
    case BL_EVENT: return EXIT_DONE;
    case BL_STOPPED: return EXIT_SYSTEM; /* before there was a result */
    case BL_E_ARG:
    case BL_E_ABILITY: return error->file[0] ? EXIT_MODEL : EXIT_USAGE;
    case BL_E_MODEL: return EXIT_MODEL;
    case BL_E_FILE: return error->file[0] ? EXIT_MODEL : EXIT_SYSTEM;
    case BL_E_MEMORY: return EXIT_SYSTEM;
    default: return EXIT_NUMERIC;
    }
}

static void print_error(const bl_error *error) {
    cli_progress_clear();
    if (!error->file[0])
        cli_err("biela: ");
    else if (error->line > 0)
        cli_err("%s:%d:%d: ", error->file, error->line, error->column);
    else
        cli_err("%s: ", error->file);
    cli_err("%s\n", error->what[0] ? error->what : bl_status_text(error->status));
    if (error->advice[0])
        cli_err("  hint: %s\n", error->advice);
    if (error->part[0])
        cli_err("  part: %s\n", error->part);
    if (error->equation[0])
        cli_err("  equation: %s\n", error->equation);
    if (!isnan(error->time))
        cli_err("  time: %.9g s\n", error->time);
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

int cli_show(bl_context *ctx, const cli_args *args, bl_status status, cli_show_text *text, cli_show_json *json, const void *found) {
    if (status != BL_OK)
        return cli_fail(ctx, args, status);
    if (args->json) {
        bl_json object = {.ctx = ctx};
        bl_json_open(&object, NULL, '{');
        json(&object, found);
        bl_json_close(&object, '}');
        return cli_print_json(ctx, &object);
    }
    if (!args->quiet)
        text(found);
    return EXIT_DONE;
}

typedef struct file_made {
    const char *what, *path;
} file_made;

static void print_file(const void *found) {
    const file_made *file = found;
    cli_line(file->what, "%s", file->path);
}

static void json_file(bl_json *json, const void *found) {
    const file_made *file = found;
    bl_json_text(json, "status", "done");
    bl_json_text(json, file->what, file->path);
}

int cli_show_file(bl_context *ctx, const cli_args *args, bl_status status, const char *what, const char *path) {
    return cli_show(ctx, args, status, print_file, json_file, &(file_made){what, path});
}

/* {"status": ..., "error": {...}} */
static void print_error_json(bl_context *ctx, const char *status, const bl_error *error) {
    bl_json json = {.ctx = ctx};
    bl_json_open(&json, NULL, '{');
    bl_json_text(&json, "status", status);
    bl_json_error(&json, "error", error);
    bl_json_close(&json, '}');
    cli_print_json(ctx, &json);
}

int cli_fail(bl_context *ctx, const cli_args *args, bl_status status) {
    bl_error error = *bl_context_error(ctx);
    if (bl_context_stopped(ctx))
        status = BL_STOPPED;                             /* an interrupted set-up may have returned another status */
    if (error.status == BL_OK || status == BL_STOPPED) { /* no error recorded, or one caused by the interruption */
        memset(&error, 0, sizeof error);
        error.status = status;
        error.time = NAN;
    }
    print_error(&error);
    if (args->json && !wrote)
        print_error_json(ctx, bl_status_text(status), &error);
    return exit_class(status, &error);
}

/* an error found by the command itself, before there is a context */
static int fail_by_itself(const cli_args *args, const cli_mistake *mistake, bl_status status, int code) {
    bl_error error = {.status = status, .time = NAN};
    snprintf(error.what, sizeof error.what, "%s", mistake->what);
    snprintf(error.advice, sizeof error.advice, "%s", mistake->advice);
    print_error(&error);
    bl_context *ctx = NULL;
    if (args->json && bl_context_create(NULL, &ctx) == BL_OK)
        print_error_json(ctx, bl_status_text(status), &error);
    bl_context_destroy(ctx);
    return code;
}

int cli_fail_usage(const cli_args *args, const cli_mistake *mistake) { return fail_by_itself(args, mistake, BL_E_ARG, EXIT_USAGE); }
int cli_fail_system(const cli_args *args, const cli_mistake *mistake) { return fail_by_itself(args, mistake, BL_E_FILE, EXIT_SYSTEM); }

/* ---- stop requests */

static bl_context *volatile running; /* for the signal handler, which takes no user data */
static timer_t patience;
static volatile sig_atomic_t timed, asked; /* the timer exists; the signal that requested the stop */

/* Only the first rank stops; it ends the others, which wait for it inside their solvers. */
static void on_signal(int number) {
    if (!cli_first_rank())
        return;
    if (running)
        bl_context_stop(running);
    asked = number;
    if (timed && number == SIGTERM) {
        const struct itimerspec until = {.it_value = {.tv_nsec = (long)(1e9 * CLI_PATIENCE)}};
        timer_settime(patience, 0, &until, NULL);
    }
}

/* Inside a library call that cannot be interrupted, or waiting for a disk: end as if the signal had not been caught. */
static void on_alarm(int number) {
    (void)number;
    static const char text[] = "biela: stopped on request during a long computation; an unfinished result remains as FILE~partial\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) {
        /* standard error is closed */
    }
    signal((int)asked, SIG_DFL);
    raise((int)asked);
}

bool cli_was_stopped(void) { return asked != 0; }

void cli_catch_stop(bl_context *ctx) {
    struct sigaction action = {.sa_handler = on_signal}, alarm_action = {.sa_handler = on_alarm};
    sigemptyset(&action.sa_mask);
    sigemptyset(&alarm_action.sa_mask);
    action.sa_flags = (int)SA_RESETHAND | SA_RESTART; /* a second signal has its default effect; a blocked write continues */
    running = ctx;
    if (!ctx) {
        action.sa_handler = SIG_DFL;
        if (timed && !asked) { /* after a request the timer stays, in case the final output blocks (a pipe without a reader) */
            timer_delete(patience);
            timed = 0;
        }
    } else if (!timed) {
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
        sigaction(SIGALRM, &alarm_action, NULL);
        timed = timer_create(CLOCK_MONOTONIC, &event, &patience) == 0;
    }
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
