/* Times of steps with and without the reduction of redundant orientation parameters, compared with tables 1 to 4 of the paper that
 * published it (seconds of another machine and language: only the ratio can be compared), and on long chains of loops.
 * CSV on standard output: system, parameters, solver, steps, unknowns full and reduced, ms of the steps alone (the minimum of the rounds,
 * in which both alternate), reduced / full, the published ratio, difference of the final positions. */
#include "biela/biela.h"

#include "study/run.h"
#include "study/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char pendulum[] = "model: Simple pendulum\n"
                               "gravity: [0, -9.81, 0]\n"
                               "bodies: [{name: bob, mass: 1, center: [-1, 0, 0], inertia: [0, 0, 0]}]\n"
                               "joints: [{name: pivot, type: revolute, bodies: [ground, bob], at: [0, 0, 0], axis: [0, 0, 1]}]\n";

/* scene n_four_bar in space: a spherical joint at one end of a coupler and a universal joint at the other, so that no row is redundant */
static const char four_bars[] =
    "model: N four-bar mechanism in space\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {N: 40, across: =1/12, along: 0.001}\n"
    "bodies:\n"
    "  - repeat: {count: =N+1, index: i, do: [{name: crank$i, mass: 1, center: [=i, 0.5, 0], inertia: [=across, =along, =across]}]}\n"
    "  - repeat: {count: =N, index: i, do: [{name: coupler$i, mass: 1, center: [=i+0.5, 1, 0], inertia: [=along, =across, =across]}]}\n"
    "joints:\n"
    "  - repeat: {count: =N+1, index: i, do: [{name: A$i, type: revolute, bodies: [ground, crank$i], at: [=i, 0, 0], axis: [0, 0, 1]}]}\n"
    "  - repeat: {count: =N, index: i, do: [{name: B$i, type: spherical, bodies: [crank$i, coupler$i], at: [=i, 1, 0]},\n"
    "      {name: C$(i+1), type: universal, bodies: [crank$(i+1), coupler$i], at: [=i+1, 1, 0], axis: [0, 0, 1], axis_b: [0, 1, 0]}]}\n"
    "probes: {B0: {body: crank0, at: [0, 1, 0]}}\n"
    "initial: {B0: {velocity: [1, 0, 0]}}\n";

typedef struct task {
    const char *name, *text; /* text NULL: the scene bricard */
    double loops, until, step;
    int rounds;
    double printed[2][2]; /* quaternion, rotation matrix: full, reduced; 0: not printed */
} task;

static const task tasks[] = {
    {"pendulum (tables 1 and 2)", pendulum, 0, 10, 0.01, 9, {{0.1160, 0.1344}, {0.4019, 0.3701}}},
    {"Bricard (tables 3 and 4)", NULL, 0, 10, 0.01, 5, {{0.4667, 0.3947}, {21.9593, 4.2322}}},
    {"40 four-bars in space", four_bars, 40, 0.5, 0.01, 5, {{0}}},
    {"160 four-bars in space", four_bars, 160, 0.2, 0.01, 3, {{0}}},
};
static const char *const coordinates[] = {"reference", "reference:matrix"}, *const orientation[] = {"quaternion", "matrix"};
static const char *const formulations[] = {"index3:reduce=none", "index3:reduce=nullspace"};
static const char *const solvers[] = {"dense", "klu"};
enum { MOST_DENSE = 300 }; /* unknowns of a full system: with more, a dense matrix takes minutes */

static double cpu_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

typedef struct measured {
    double ms;
    long steps;
    bl_index unknowns;
} measured;

/* the steps of one run; q[nq]: final positions */
static bl_status run_once(const bl_system *sys, const bl_state *state, const task *t, const char *formulation, const char *solver,
                          measured *out, double *q) {
    bl_simulation *sim;
    bl_simulation_setup setup = {
        .formulation = formulation, .integrator = "dimcd", .linsol = solver, .t_end = t->until, .tolerance = 1e-6, .step = t->step};
    bl_status status = bl_simulation_create(sys, state, &setup, &sim);
    double begin = cpu_ms();
    long steps = 0;
    for (; status == BL_OK && *sim->state.t < t->until; steps++)
        status = bl_simulation_advance(sim);
    double ms = cpu_ms() - begin;
    if (status == BL_OK) {
        out->ms = out->steps == 0 || ms < out->ms ? ms : out->ms;
        out->steps = steps;
        out->unknowns = sim->form->linsol->stats.n;
        memcpy(q, sim->state.q, (size_t)sys->nq * sizeof *q);
    }
    bl_simulation_destroy(sim);
    return status;
}

static bl_status measure(bl_context *ctx, const bl_system *sys, const bl_state *state, const task *t, int p, const char *solver) {
    measured got[2] = {{0}};
    double *q[2] = {NULL, NULL}, difference = 0;
    bl_status status = BL_NEW(ctx, q[0], 2 * (size_t)sys->nq);
    q[1] = status == BL_OK ? q[0] + sys->nq : NULL;
    for (int r = 0; r < 2 * t->rounds && status == BL_OK; r++)
        status = run_once(sys, state, t, formulations[r % 2], solver, &got[r % 2], q[r % 2]);
    for (bl_index i = 0; i < sys->nq && status == BL_OK; i++)
        difference = fmax(difference, fabs(q[0][i] - q[1][i]));
    if (status == BL_OK) {
        printf("%s,%s,%s,%ld,%d,%d,%.3f,%.3f,%.3f,", t->name, orientation[p], solver, got[1].steps, (int)got[0].unknowns,
               (int)got[1].unknowns, got[0].ms, got[1].ms, got[1].ms / got[0].ms);
        if (t->printed[p][0] > 0)
            printf("%.3f", t->printed[p][1] / t->printed[p][0]);
        printf(",%.1e\n", difference);
        fflush(stdout);
    }
    bl_free(ctx, q[0]);
    return status;
}

int main(void) {
    puts("system,parameters,solver,steps,unknowns,reduced,full_ms,reduced_ms,ratio,printed_ratio,difference");
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++)
        for (int p = 0; p < 2; p++) {
            const task *t = &tasks[k];
            bl_context *ctx;
            bl_model *model = NULL;
            bl_system *sys = NULL;
            bl_state state = {0};
            bl_override loops = {.name = "N", .value = t->loops};
            if (bl_context_create(NULL, &ctx) != BL_OK)
                return 1;
            bl_status status = t->text ? bl_model_read_text(ctx, t->name, t->text, strlen(t->text), &loops, t->loops > 0, &model)
                                       : bl_model_read(ctx, SCENES "/bricard.yaml", NULL, 0, &model);
            if (status == BL_OK)
                status = bl_run_prepare(ctx, model, coordinates[p], &sys, &state);
            for (int s = 0; s < 2 && status == BL_OK; s++)
                if (s > 0 || sys->nv + sys->np <= MOST_DENSE)
                    status = measure(ctx, sys, &state, t, p, solvers[s]);
            if (status != BL_OK)
                fprintf(stderr, "%s, %s: %s\n", t->name, orientation[p], bl_context_error(ctx)->what);
            bl_state_destroy(sys, &state);
            bl_system_destroy(sys);
            bl_model_destroy(model);
            bl_context_destroy(ctx);
            if (status != BL_OK)
                return 1;
        }
    return 0;
}
