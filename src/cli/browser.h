/* browser: headless Chromium driven through a pipe (--remote-debugging-pipe: descriptor 3 in, 4 out, JSON terminated by a zero byte), and
 * the programs and temporary folders that films need. */
#ifndef BIELA_CLI_BROWSER_H
#define BIELA_CLI_BROWSER_H

#include "cli/cli.h"

#include <sys/types.h>

/* ---- programs */

/* The program named by the environment variable, else the first of names[] (NULL-terminated) in PATH; false: not found. */
bool cli_find_program(const char *variable, const char *const *names, char *path, size_t size);

/* A program in a process group of its own. Zeroed: none. */
typedef struct cli_program {
    pid_t pid;   /* 0: not running */
    int in, out; /* our ends of its input (descriptor 3, or 0 without `pipe`) and its output (4; -1: none) */
    int code;    /* status from waitpid, once it has ended */
} cli_program;

void cli_program_adopt(void); /* children orphaned by a dying program become our children (Linux) */
void cli_program_reap(void);  /* waits for them, once all programs have ended; one second at most */
/* words: NULL-terminated; pipe: we hold its descriptors 3 and 4, else its standard input. Its output goes to the file `log`. 0, or errno.
 * */
int cli_program_start(cli_program *program, char *const *words, bool pipe, const char *log);
/* Waits until it has ended; false: not within the given seconds, or the user asked to stop. */
bool cli_program_wait(bl_context *ctx, cli_program *program, double seconds);
/* Kills the process group if it still runs, and waits for all of it. */
void cli_program_end(cli_program *program);
/* Writes all bytes to its input; false: not accepted within the given seconds, or the user asked to stop. */
bool cli_program_write(bl_context *ctx, const cli_program *program, const char *bytes, size_t length, double seconds);

/* A new temporary folder; false: cannot be created. */
bool cli_folder_make(char *path, size_t size);
void cli_folder_remove(const char *path); /* with all that is in it */

double cli_seconds(void); /* monotonic clock */

/* ---- browser */

typedef struct cli_browser {
    bl_context *ctx;
    cli_program program;
    char *text;                     /* received bytes */
    size_t length, capacity, taken; /* taken: bytes of the message that was returned last */
    long id;
    char session[128];
    char problem[400]; /* why the last call failed */
} cli_browser;

/* Starts it with its data in `folder` and opens a page of that size. All calls return false on failure, with the reason in `problem`. */
bool cli_browser_open(cli_browser *browser, bl_context *ctx, const char *program, const char *folder, int width, int height);
bool cli_browser_go(cli_browser *browser, const char *url);
/* The value of a JavaScript expression as JSON text, truncated to size; promises are awaited. */
bool cli_browser_evaluate(cli_browser *browser, const char *expression, double seconds, char *value, size_t size);
/* The page as PNG; the caller frees it. */
bool cli_browser_picture(cli_browser *browser, char **png, size_t *bytes);
void cli_browser_close(cli_browser *browser);

/* file:///..., with reserved characters percent-encoded; false: no such file, or it does not fit. */
bool cli_file_url(const char *path, char *url, size_t size);

#endif
