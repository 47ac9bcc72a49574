/* Terminal: progress bar with the remaining time, and log lines that do not collide with it. Only if standard error is a terminal. */
#include "cli/cli.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* global, since the program has one terminal */
static bool bar_shown;
static const char clear[] = "\r\033[K"; /* clears the current line */

void cli_progress_clear(void) {
    if (bar_shown)
        fputs(clear, stderr);
    bar_shown = false;
}

void cli_progress_line(const char *text) {
    if (!isatty(STDERR_FILENO))
        return;
    fputs(clear, stderr);
    cli_err("%s", text);
    fflush(stderr);
    bar_shown = true;
}

void cli_log(void *user, bl_log_level level, const char *message) {
    (void)user;
    cli_progress_clear();
    cli_err("biela: %s%s\n", level == BL_LOG_WARNING ? "warning: " : "", message);
}

static void progress(void *user, double t, double until, double wall_seconds) {
    (void)user;
    enum { WIDTH = 30 };
    double done = until > 0 ? fmin(fmax(t / until, 0), 1) : 0;
    int full = (int)(done * WIDTH);
    char bar[WIDTH + 1], left[64] = "";
    memset(bar, '#', (size_t)full);
    memset(bar + full, '.', (size_t)(WIDTH - full));
    bar[WIDTH] = '\0';
    if (done > 0.01 && wall_seconds > 0.5) {
        double seconds = wall_seconds * (1 - done) / done;
        if (seconds < 90)
            snprintf(left, sizeof left, ", %.0f s left", seconds);
        else
            snprintf(left, sizeof left, ", %.0f min left", seconds / 60);
    }
    fputs(clear, stderr);
    cli_err("[%s] %3.0f %%  t = %.4g s%s", bar, 100 * done, t, left);
    fflush(stderr);
    bar_shown = true;
}

static bl_status end(void *user, const bl_run_summary *summary) {
    (void)user, (void)summary;
    cli_progress_clear();
    return BL_OK;
}

bl_sink cli_progress_sink(void) {
    bl_sink sink = {.size = sizeof sink};
    if (isatty(STDERR_FILENO)) {
        sink.progress = progress;
        sink.end = end;
    }
    return sink;
}
