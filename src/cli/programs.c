/* Helper programs: found in PATH, started in a process group of their own, fed through pipes with time limits, always ended and reaped;
 * temporary folders. */
#include "cli/browser.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

double cli_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void nap(void) { nanosleep(&(const struct timespec){.tv_nsec = 10000000}, NULL); }

/* ---- which program */

static bool can_run(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

static bool in_path(const char *name, char *path, size_t size) {
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t n = strcspn(at, ":");
        int length = snprintf(path, size, "%.*s/%s", (int)n, at, name);
        if (n > 0 && length > 0 && (size_t)length < size && can_run(path))
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

bool cli_find_program(const char *variable, const char *const *names, char *path, size_t size) {
    const char *given = getenv(variable);
    if (given && *given) {
        if (!strchr(given, '/'))
            return in_path(given, path, size);
        return (size_t)snprintf(path, size, "%s", given) < size && can_run(path);
    }
    for (; *names; names++)
        if (in_path(*names, path, size))
            return true;
    return false;
}

/* ---- starting */

/* both ends are close-on-exec, with numbers above those that have a meaning in the child */
static int make_pipe(int ends[2]) {
    int low[2];
    if (pipe(low) != 0)
        return errno;
    int failed = 0;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 10);
        failed = ends[i] < 0 && !failed ? errno : failed;
        close(low[i]);
    }
    return failed;
}

static void close_both(const int ends[2]) {
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

static int spawn(cli_program *p, char *const *words, const int *files, int nfile, const char *log) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t how;
    sigset_t plain, none;
    sigemptyset(&none);
    sigemptyset(&plain);
    sigaddset(&plain, SIGPIPE);
    sigaddset(&plain, SIGINT);
    sigaddset(&plain, SIGTERM);
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    if ((failed = posix_spawnattr_init(&how))) {
        posix_spawn_file_actions_destroy(&actions);
        return failed;
    }
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigdefault(&how, &plain);
    posix_spawnattr_setsigmask(&how, &none);
    failed = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < nfile && !failed; i++)
        failed = posix_spawn_file_actions_adddup2(&actions, files[2 * i], files[2 * i + 1]);
    if (!failed)
        failed = posix_spawn(&p->pid, words[0], &actions, &how, words, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

int cli_program_start(cli_program *p, char *const *words, bool pipe_of_two, const char *log) {
    int to[2] = {-1, -1}, from[2] = {-1, -1};
    *p = (cli_program){.in = -1, .out = -1};
    int failed = make_pipe(to);
    if (!failed && pipe_of_two)
        failed = make_pipe(from);
    const int files[4] = {to[0], pipe_of_two ? 3 : STDIN_FILENO, from[1], 4};
    if (!failed)
        failed = spawn(p, words, files, pipe_of_two ? 2 : 1, log);
    if (failed) {
        p->pid = 0;
        close_both(to);
        close_both(from);
        return failed;
    }
    close(to[0]);
    if (from[1] >= 0)
        close(from[1]);
    p->in = to[1];
    p->out = from[0];
    fcntl(p->in, F_SETFL, O_NONBLOCK); /* cli_program_write waits with poll, for a limited time */
    return 0;
}

bool cli_program_write(bl_context *ctx, const cli_program *p, const char *bytes, size_t length, double seconds) {
    double until = cli_seconds() + seconds;
    while (length > 0) {
        ssize_t n = write(p->in, bytes, length);
        if (n > 0) {
            bytes += n;
            length -= (size_t)n;
            continue;
        }
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        struct pollfd wait = {.fd = p->in, .events = POLLOUT};
        poll(&wait, 1, 50);
        if (bl_context_stopped(ctx) || cli_seconds() > until)
            return false;
    }
    return true;
}

/* ---- ending */

/* Kills the rest of the group and waits for it: orphaned processes become our children (cli_program_adopt). */
static void end_group(pid_t group) {
    double until = cli_seconds() + 2;
    int code;
    kill(-group, SIGKILL);
    for (pid_t ended; cli_seconds() < until && ((ended = waitpid(-group, &code, WNOHANG)) >= 0 || errno == EINTR);)
        if (ended == 0)
            nap();
}

void cli_program_adopt(void) {
#ifdef __linux__
    prctl(PR_SET_CHILD_SUBREAPER, 1L, 0L, 0L, 0L);
#endif
}

void cli_program_reap(void) {
    double until = cli_seconds() + 1;
    for (pid_t ended; cli_seconds() < until && ((ended = waitpid(-1, NULL, WNOHANG)) >= 0 || errno == EINTR);)
        if (ended == 0)
            nap();
}

bool cli_program_wait(bl_context *ctx, cli_program *p, double seconds) {
    double until = cli_seconds() + seconds;
    while (p->pid > 0) {
        pid_t ended = waitpid(p->pid, &p->code, WNOHANG);
        if (ended == p->pid || (ended < 0 && errno == ECHILD)) {
            end_group(p->pid);
            p->pid = 0;
            break;
        }
        if ((ctx && bl_context_stopped(ctx)) || cli_seconds() > until)
            return false;
        nap();
    }
    return true;
}

void cli_program_end(cli_program *p) {
    if (p->in > STDERR_FILENO)
        close(p->in);
    if (p->out > STDERR_FILENO)
        close(p->out);
    p->in = p->out = -1;
    if (p->pid <= 0)
        return;
    kill(-p->pid, SIGKILL);
    while (waitpid(p->pid, &p->code, 0) < 0 && errno == EINTR) {
    }
    end_group(p->pid);
    p->pid = 0;
}

/* ---- folders */

bool cli_folder_make(char *path, size_t size) {
    const char *in = getenv("TMPDIR");
    return (size_t)snprintf(path, size, "%s/biela-XXXXXX", in && *in ? in : "/tmp") < size && mkdtemp(path);
}

/* removes the entries of a folder without following links; closes fd */
static void empty_folder(int fd, int depth) {
    DIR *dir = fdopendir(fd);
    if (!dir) {
        close(fd);
        return;
    }
    for (const struct dirent *e; (e = readdir(dir));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || unlinkat(fd, e->d_name, 0) == 0)
            continue;
        int inner = depth < 64 ? openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (inner >= 0)
            empty_folder(inner, depth + 1);
        unlinkat(fd, e->d_name, AT_REMOVEDIR);
    }
    closedir(dir);
}

void cli_folder_remove(const char *path) {
    for (int tries = 0; tries < 20; tries++) { /* processes killed a moment ago may still create files */
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            return;
        empty_folder(fd, 0);
        if (rmdir(path) == 0)
            return;
        nap();
    }
}
