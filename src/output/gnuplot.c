/* Runs gnuplot on a script: without a shell or user settings, with its messages captured. */
#include "output/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* reads gnuplot's standard error, at most size - 1 characters, without the last newline */
static void read_messages(int fd, char *text, size_t size) {
    size_t length = 0;
    char rest[256];
    for (;;) {
        bool full = length + 1 >= size;
        ssize_t n = read(fd, full ? rest : text + length, full ? sizeof rest : size - 1 - length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        length += full ? 0 : (size_t)n;
    }
    while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
        length--;
    text[length] = '\0';
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 0x20)
            *c = ' ';
}

/* the gnuplot command cd 'folder'; "./" keeps a leading ~ from meaning a home folder */
static char *change_folder(bl_arena *arena, const char *folder) {
    size_t quotes = 0;
    for (const char *c = folder; *c; c++)
        quotes += *c == '\'';
    char *text = bl_arena_alloc(arena, strlen(folder) + quotes + 8, 1), *at = text;
    if (!text)
        return NULL;
    const char *begin = folder[0] == '/' ? "cd '" : "cd './";
    memcpy(at, begin, strlen(begin));
    at += strlen(begin);
    for (const char *c = folder; *c; c++) {
        if (*c == '\'')
            *at++ = '\'';
        *at++ = *c;
    }
    *at = '\'';
    return text;
}

/* starts it with its standard error on pipe_ends; 0, or errno */
static int start(char *cd_command, char *script, const int pipe_ends[2], pid_t *child) {
    char name[] = "gnuplot", plain[] = "--default-settings", execute[] = "-e";
    char *const arguments[] = {name, plain, execute, cd_command, script, NULL};
    posix_spawn_file_actions_t actions;
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    if (!(failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)) &&
        !(failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)) &&
        !(failed = posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO)) &&
        !(failed = posix_spawn_file_actions_addclose(&actions, pipe_ends[0])) &&
        !(failed = posix_spawn_file_actions_addclose(&actions, pipe_ends[1])))
        failed = posix_spawnp(child, "gnuplot", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static bl_status run(bl_context *ctx, char *cd_command, char *script, const char *figure) {
    char message[200] = "";
    int pipe_ends[2], code = 0;
    pid_t child = 0;
    if (pipe(pipe_ends) != 0)
        return bl_fail(ctx, BL_E_FILE, NULL, "cannot open a pipe to gnuplot: %s", strerror(errno));
    int failed = start(cd_command, script, pipe_ends, &child);
    close(pipe_ends[1]);
    if (!failed) {
        read_messages(pipe_ends[0], message, sizeof message);
        while (waitpid(child, &code, 0) < 0 && errno == EINTR) {
        }
    }
    close(pipe_ends[0]);
    if (failed == ENOENT || failed == EACCES || (!failed && WIFEXITED(code) && WEXITSTATUS(code) == 127))
        return bl_fail(ctx, BL_E_ABILITY, NULL, "cannot draw '%s': gnuplot is not installed", figure);
    if (failed)
        return bl_fail(ctx, BL_E_FILE, NULL, "cannot start gnuplot: %s", strerror(failed));
    if (!WIFEXITED(code) || WEXITSTATUS(code) != 0)
        return bl_fail(ctx, BL_E_FILE, NULL, "gnuplot could not draw '%s': %s", figure, message);
    return BL_OK;
}

bl_status bl_gnuplot_run(bl_context *ctx, const char *folder, const char *script, const char *figure) {
    bl_arena arena = {.ctx = ctx};
    char *cd_command = change_folder(&arena, folder),
         *path = bl_arena_printf(&arena, "./%s", script); /* "./", so that a leading minus is not an option */
    bl_status status = cd_command && path ? run(ctx, cd_command, path, figure) : BL_E_MEMORY;
    bl_arena_destroy(&arena);
    return status;
}
