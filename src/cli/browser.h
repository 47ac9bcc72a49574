/* browser: Chromium without a window, driven through a pipe (--remote-debugging-pipe: file 3 in, 4 out, JSON ended by a zero byte), and
 * the other program that films need. */
#ifndef BIELA_CLI_BROWSER_H
#define BIELA_CLI_BROWSER_H

#include "cli/cli.h"

#include <sys/types.h>

/* ---- programs */

/* The first of names[] (NULL-terminated) in PATH, or what the variable says; false: there is none. */
bool cli_find_program(const char *variable, const char *const *names, char *path, size_t size);

/* A program in a process group of its own. Zeroed: none. */
typedef struct cli_program {
    pid_t pid;   /* 0: not running */
    int in, out; /* our ends of its input (3, or 0 for others) and of its output (4; -1: none) */
    int code;    /* as waitpid gives it, once it has ended */
} cli_program;

void cli_program_adopt(void); /* what a program leaves behind when it dies becomes ours to wait for (Linux) */
void cli_program_reap(void);  /* waits for those, once all programs have ended; a second at most */
/* words: NULL-terminated; pipe: its files 3 and 4 are ours, else its standard input. What it says goes to the file `log`. 0, or errno. */
int cli_program_start(cli_program *program, char *const *words, bool pipe, const char *log);
/* Waits until it ended; false: it has not within the seconds, or the user asked to stop. */
bool cli_program_wait(bl_context *ctx, cli_program *program, double seconds);
/* Kills the whole group if it still runs, waits for all of it. */
void cli_program_end(cli_program *program);
/* All bytes to its input; false: it does not take them within the seconds, or the user asked to stop. */
bool cli_program_write(bl_context *ctx, const cli_program *program, const char *bytes, size_t length, double seconds);

/* A new folder where temporary files live; false: cannot. */
bool cli_folder_make(char *path, size_t size);
void cli_folder_remove(const char *path); /* with all that is in it */

double cli_seconds(void); /* of a clock that only runs forward */

/* ---- browser */

typedef struct cli_browser {
    bl_context *ctx;
    cli_program program;
    char *text;                     /* what came in */
    size_t length, capacity, taken; /* taken: bytes of the message that was returned last */
    long id;
    char session[128];
    char problem[400]; /* why the last call failed */
} cli_browser;

/* Starts it with its data in `folder`, opens a page of that size. All calls: false when it fails, `problem` says why. */
bool cli_browser_open(cli_browser *browser, bl_context *ctx, const char *program, const char *folder, int width, int height);
bool cli_browser_go(cli_browser *browser, const char *url);
/* The value of a JavaScript expression as JSON text, cut to fit; promises are waited for. */
bool cli_browser_evaluate(cli_browser *browser, const char *expression, double seconds, char *value, size_t size);
/* The page as PNG; the caller frees it. */
bool cli_browser_picture(cli_browser *browser, char **png, size_t *bytes);
void cli_browser_close(cli_browser *browser);

/* file:///..., with everything encoded that means something in an address; false: no such file, or it does not fit. */
bool cli_file_url(const char *path, char *url, size_t size);

#endif
