/* SIGTERM ends the command within a second, in every phase: reading, building, assembly, rank decisions, stepping, studies. A run that has
 * results keeps them; before that it reports it and fails; inside a computation that cannot be interrupted the signal terminates it. */
#include "support/testing.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int silent_pipe[2] = {-1, -1}; /* if open: standard output of the command, which is not read */

static pid_t start(const char *folder, const char *const *words) {
    const char *argv[16] = {"biela"};
    for (int i = 0; words[i] && i < 14; i++)
        argv[i + 1] = words[i];
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR), out = silent_pipe[1] >= 0 ? silent_pipe[1] : nothing;
        if (chdir(folder) != 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(nothing, STDERR_FILENO) < 0)
            _exit(126);
        execv(BIELA_COMMAND, (char *const *)argv);
        _exit(127);
    }
    return child;
}

/* seconds from the signal to the end, -1 if it had ended before; *status as of waitpid */
static double terminate_after(const char *folder, const char *const *words, double wait, int *status) {
    pid_t child = start(folder, words);
    nanosleep(&(struct timespec){.tv_sec = (time_t)wait, .tv_nsec = (long)(1e9 * (wait - (double)(time_t)wait))}, NULL);
    if (waitpid(child, status, WNOHANG) == child)
        return -1;
    double asked = now();
    kill(child, SIGTERM);
    assert_int_equal(waitpid(child, status, 0), child);
    return now() - asked;
}

/* A busy machine may cause delays: the best of three is used. */
static void expect_end(const char *folder, const char *const *words, double wait) {
    double best = 1e9;
    int status = 0;
    for (int i = 0; i < 3 && best > 1; i++) {
        double took = terminate_after(folder, words, wait, &status);
        if (took < 0)
            return;
        best = took < best ? took : best;
    }
    if (best > 1)
        fail_msg("biela %s %s: %.2f s after SIGTERM", words[0], words[1], best);
    bool clean = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 5);
    bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
    if (!clean && !killed)
        fail_msg("biela %s %s: status %d", words[0], words[1], status);
}

static char folder[64];

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/biela_terminated_XXXXXX");
    assert_non_null(mkdtemp(folder));
    char path[96];
    snprintf(path, sizeof path, "%s/pairs.txt", folder);
    FILE *f = fopen(path, "w"); /* 5000 four-bars side by side: 10000 links */
    assert_non_null(f);
    for (int i = 0; i < 5000; i++) {
        fprintf(f, "1 %d 3\n", 2 + 2 * i);
        if (i < 4999)
            fprintf(f, "%d %d 3\n%d %d 3\n", 2 + 2 * i, 3 + 2 * i, 3 + 2 * i, 4 + 2 * i);
    }
    assert_int_equal(fclose(f), 0);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

#define FOUR_BARS SCENES "/n_four_bar.yaml", "--set", "N=2560"
#define CHAIN SCENES "/w3_chain.yaml", "--set", "n=20000"

static void large_models__end_within_a_second(void **state) {
    (void)state;
    static const struct {
        const char *words[12];
        double wait[2];
    } cases[] = {
        {{"run", FOUR_BARS, "--quiet"}, {0.2, 1}},
        {{"check", FOUR_BARS}, {0.8}},
        {{"run", CHAIN, "--quiet"}, {0.4}},
        {{"run", CHAIN, "--coordinates", "natural", "--quiet"}, {0.6}},
        {{"assemble", CHAIN, "--quiet"}, {0.5}},
        {{"order", FOUR_BARS}, {0.6}},
        {{"structure", FOUR_BARS, "--all-inputs"}, {0.6}},
        {{"structure", "--pairs", "pairs.txt", "--all-inputs"}, {0.5}},
        {{"compare", SCENES "/n_four_bar.yaml", "--set", "N=200", "--quiet"}, {0.4}},
        {{"stability", "bdf:5", "bdf:6", "-o", "figure.svg", "--quiet"}, {0.2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 2 && cases[i].wait[k] > 0; k++)
            expect_end(folder, cases[i].words, cases[i].wait[k]);
}

static void pipe_that_nobody_writes__does_not_hold_it(void **state) {
    (void)state;
    char path[96];
    snprintf(path, sizeof path, "%s/pipe.yaml", folder);
    char command[160];
    snprintf(command, sizeof command, "mkfifo '%s'", path);
    assert_int_equal(system(command), 0);
    expect_end(folder, (const char *const[]){"check", "pipe.yaml", NULL}, 0.3);
}

static void output_that_nobody_reads__does_not_hold_it(void **state) {
    (void)state;
    assert_int_equal(pipe(silent_pipe), 0);
    expect_end(folder, (const char *const[]){"run", SCENES "/pendulum.yaml", "--until", "20", "--every", "0.001", "--json", NULL}, 1.5);
    close(silent_pipe[0]);
    close(silent_pipe[1]);
    silent_pipe[0] = silent_pipe[1] = -1;
}

static void run_with_results__keeps_them(void **state) {
    (void)state;
    int status;
    char path[96];
    double took =
        terminate_after(folder, (const char *const[]){"run", SCENES "/pendulum.yaml", "--until", "1e7", "--every", "1", NULL}, 1, &status);
    assert_true(took >= 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    snprintf(path, sizeof path, "%s/pendulum.h5", folder);
    assert_int_equal(access(path, R_OK), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_models__end_within_a_second),
        cmocka_unit_test(pipe_that_nobody_writes__does_not_hold_it),
        cmocka_unit_test(output_that_nobody_reads__does_not_hold_it),
        cmocka_unit_test(run_with_results__keeps_them),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
