/* Runs of meshed models given as text: probes at chosen times. */
#ifndef TEST_SOLID_RUN_H
#define TEST_SOLID_RUN_H

#include "biela/equilibrium.h"
#include "support/testing.h"

typedef struct solid_run {
    bl_run_options options; /* zeros and NULL: the model's own */
    /* out: at output k (options.at, or all), probe p: value[(k nprobe + p) 3 + component] */
    double *value;
    long samples, room;
    bl_index nprobe;
    double *kinetic, *potential, *dissipated, *error; /* error: of the balance of energies */
    bl_run_summary summary;
    char why[512];
} solid_run;

/* Fails the test where the run fails. Free with solid_run_end. */
void solid_run_text(solid_run *run, const char *text);
/* The same, but returns the status; the message of a failure is in `why`. */
bl_status solid_run_try(solid_run *run, const char *text);
void solid_run_end(solid_run *run);
static inline double solid_run_probe(const solid_run *run, long sample, bl_index probe, int component) {
    return run->value[((size_t)sample * (size_t)run->nprobe + (size_t)probe) * 3 + (size_t)component];
}

/* Probe positions at the end of a path of equilibria, or at the equilibrium; fails the test where there is none. options may be NULL. */
enum { SOLID_PROBES = 40 };
typedef struct solid_end {
    double x[SOLID_PROBES][3];
    bl_index nprobe;
    double potential, dissipated;
} solid_end;
solid_end solid_settle(const char *text, const bl_equilibrium_options *options);

/* Angular frequencies about the start, rigid motions (0) included, into omega[SOLID_MODES]; count as for bl_modes. Returns how many; rigid
 * may be NULL. */
enum { SOLID_MODES = 80 };
bl_index solid_frequencies(const char *text, bl_index count, double *omega, bl_index *rigid);

#endif
