/* Ranks: one run in several processes started by mpirun (biela/ranks.h). All do the same; only the first prints and writes. Messages of the
 * others are kept and printed only when a process ends differently from the first. */
#include "cli/cli.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds to wait for the others after a failure: they fail too, unless this one failed alone. The first may still be writing its files,
 * and a failure there concerns it alone. */
enum { PATIENCE_OF_FIRST = 10, PATIENCE_WITH_FILES = 1, PATIENCE_OF_OTHERS = 60 };

static bl_ranks ranks = {0, 1};
static int shown = -1; /* original standard error of a silenced rank */
static FILE *kept;     /* its messages */

bool cli_first_rank(void) { return ranks.rank == 0; }
int cli_rank_count(void) { return ranks.count; }

static void silence(void) {
    int nothing = open("/dev/null", O_WRONLY);
    if (nothing >= 0 && dup2(nothing, STDOUT_FILENO) >= 0 && nothing != STDOUT_FILENO)
        close(nothing);
    if ((kept = tmpfile()) && (shown = dup(STDERR_FILENO)) >= 0)
        dup2(fileno(kept), STDERR_FILENO);
}

static void print_kept(void) {
    char text[1024];
    ssize_t length;
    int from = kept ? fileno(kept) : -1;
    if (shown < 0 || lseek(from, 0, SEEK_SET) != 0)
        return;
    dprintf(shown, "biela: process %d of the run failed on its own:\n", ranks.rank);
    while ((length = read(from, text, sizeof text)) > 0 && write(shown, text, (size_t)length) == length) {
    }
}

/* detected by the variables that Open MPI, MPICH and others set, without loading MPI */
static bool launched(void) { return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMI_SIZE") || getenv("PMIX_RANK"); }

bool cli_ranks_begin(void) {
    bl_context *ctx = NULL;
    if (!launched() || bl_context_create(NULL, &ctx) != BL_OK)
        return true;
    bl_status status = bl_ranks_begin(ctx, &ranks);
    bool absent = status == BL_E_ABILITY && !bl_ranks_supported(); /* then every process is a separate run */
    if (status != BL_OK && !absent)
        cli_err("biela: %s\n  hint: %s\n", bl_context_error(ctx)->what, bl_context_error(ctx)->advice);
    bl_context_destroy(ctx);
    if (ranks.rank > 0)
        silence();
    return status == BL_OK || absent;
}

bool cli_ranks_check(const cli_command *command, const cli_args *args, cli_mistake *mistake) {
    if (ranks.count == 1)
        return true;
    if (!command->parallel)
        return cli_mistaken(mistake, "start it without mpirun", "'biela %s' runs in a single process, but mpirun started %d", command->name,
                            ranks.count);
    if (args->word && strcmp(args->word, "-") == 0)
        return cli_mistaken(mistake, "save the model in a file that all of them can read",
                            "%d processes cannot read a model from standard input", ranks.count);
    return true;
}

/* Only the first rank writes results, but all compute the samples: the solutions are found jointly. */
static bl_status pass_by(void *user, const bl_sample *sample) {
    (void)user, (void)sample;
    return BL_OK;
}

void cli_first_alone(bl_sink *sink) {
    if (cli_first_rank())
        return;
    uint32_t want = sink->want;
    bl_sink_destroy(sink);
    *sink = (bl_sink){.size = sizeof *sink, .sample = pass_by, .want = want};
}

int cli_ranks_end(int code, bool stopped) {
    if (ranks.count == 1)
        return code;
    bool same = true, failed = code != EXIT_DONE;
    double patience = stopped               ? 0
                      : !failed             ? -1
                      : !cli_first_rank()   ? PATIENCE_OF_OTHERS
                      : code == EXIT_SYSTEM ? PATIENCE_WITH_FILES
                                            : PATIENCE_OF_FIRST;
    fflush(stderr);
    if (stopped)
        signal(SIGALRM, SIG_IGN); /* everything is written; ending the others may take longer than the timer */
    bool met = bl_ranks_meet(code, patience, &same);
    if ((!met || !same) && failed)
        print_kept();
    if (!met)
        bl_ranks_abort(code);
    return code;
}
