/* `bench_elements [N]`: N^3 distorted hexa8 elements (default 40): assembly of K and explicit steps compared with plain loops
 * (plain_hexa8.c), with one thread and two. Complete steps of a simulation without its start, as the difference of two runs. Codes
 * alternate, and the minimum of the rounds counts; CPU time, for two threads elapsed time. `difference`: largest difference from the plain
 * loop, relative to the largest value. CSV. */
#include "base/crew.h"
#include "fem/assembly.h"
#include "plain_hexa8.h"
#include "study/simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, STEPS = 20 };
static const double E = 200e9, NU = 0.3, DENSITY = 8000, TRACTION = -1e6;

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void give_up(bl_context *ctx, const char *what) {
    fprintf(stderr, "bench_elements: %s: %s\n", what, bl_context_error(ctx)->what);
    exit(1);
}

static double difference(size_t n, const double *x, const double *y) {
    double most = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(x[i]));
    }
    return most / size;
}

typedef struct work {
    bl_context *ctx;
    bl_model *model;
    int n;
    plain_hexa8 plain;
} work;

static void open_model(work *w) {
    char text[1024];
    int length = snprintf(text, sizeof text,
                          "model: Box\ndimension: 3\nmaterials:\n  steel: {type: elastic, E: %g, nu: %g, density: %g}\n"
                          "bodies:\n  - {name: box, mesh: {box: {to: [1, 1, 1], n: [%d, %d, %d]}, element: hexa8, distort: [0.2, 7]},\n"
                          "     material: steel, mass: lumped}\nsupports:\n  - {set: left, all: 0}\n"
                          "loads:\n  - {set: right, traction: [0, %g, 0]}\n",
                          E, NU, DENSITY, w->n, w->n, w->n, TRACTION);
    if (bl_context_create(NULL, &w->ctx) != BL_OK || bl_model_read_text(w->ctx, "box", text, (size_t)length, NULL, 0, &w->model) != BL_OK ||
        !plain_create(&w->plain, &w->model->solid[0].mesh, E, NU))
        give_up(w->ctx, "model");
}

static bl_system *build(work *w, bl_crew *crew) {
    bl_system *sys;
    if (bl_fem_build(w->ctx, w->model, &sys) != BL_OK)
        give_up(w->ctx, "system");
    sys->crew = crew;
    return sys;
}

static void print_row(const work *w, const char *what, const char *code, double seconds, double plain, double error) {
    printf("%s,%d,%s,%.4g,%.3g,%.3g,%.1e\n", what, w->n * w->n * w->n, code, 1e3 * seconds, (double)w->plain.nelement / seconds,
           plain / seconds, error);
    fflush(stdout);
}

/* ---- assembly: seconds; K u in out */

static void assembly(work *w) {
    bl_crew *two;
    if (bl_crew_create(w->ctx, 2, &two) != BL_OK)
        give_up(w->ctx, "threads");
    bl_crew *crew[] = {NULL, two};
    bl_system *sys[2];
    bl_eval e[2];
    memset(e, 0, sizeof e);
    double *K = NULL, least[3] = {1e9, 1e9, 1e9};
    for (int k = 0; k < 2; k++) {
        sys[k] = build(w, crew[k]);
        if (bl_eval_create(sys[k], BL_KC, &e[k]) != BL_OK)
            give_up(w->ctx, "evaluation");
    }
    const bl_fem *fem = sys[0]->own;
    size_t nfull = (size_t)fem->nfull, nk = (size_t)fem->pattern.ptr[fem->n];
    double *u = calloc(4 * nfull, sizeof *u), *f = u + nfull, *ours = f + nfull, *q = ours + nfull;
    K = malloc(nk * sizeof *K);
    for (size_t k = 0; k < nfull; k++)
        if (fem->column[k] >= 0)
            q[fem->column[k]] = u[k] = sin((double)k);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = now(CLOCK_PROCESS_CPUTIME_ID);
        plain_stiffness(&w->plain);
        least[0] = fmin(least[0], now(CLOCK_PROCESS_CPUTIME_ID) - begin);
        for (int k = 0; k < 2; k++) {
            const bl_fem *own = sys[k]->own;
            bl_fem_eval *eval = e[k].own;
            bl_fem_energy energy;
            clockid_t clock = k ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
            begin = now(clock);
            if (bl_fem_inner(own, 0, BL_PART_FORCE | BL_PART_TANGENT, NULL, NULL, eval, f, K, &energy) != BL_OK)
                give_up(w->ctx, "assembly");
            least[1 + k] = fmin(least[1 + k], now(clock) - begin);
        }
    }
    plain_product(&w->plain, u, f);
    memset(ours, 0, nfull * sizeof *ours);
    double *Kq = calloc((size_t)fem->n, sizeof *Kq);
    bl_csc_multiply(&fem->pattern, K, q, Kq);
    for (size_t k = 0; k < nfull; k++) {
        ours[k] = fem->column[k] >= 0 ? Kq[fem->column[k]] : 0;
        f[k] = fem->column[k] >= 0 ? f[k] : 0;
    }
    double error = difference(nfull, f, ours);
    print_row(w, "assembly", "plain loop", least[0], least[0], 0);
    print_row(w, "assembly", "biela", least[1], least[0], error);
    print_row(w, "assembly", "biela, 2 threads", least[2], least[0], error);
    for (int k = 0; k < 2; k++) {
        bl_eval_destroy(sys[k], &e[k]);
        bl_system_destroy(sys[k]);
    }
    bl_crew_destroy(two);
    free(u);
    free(K);
    free(Kq);
}

/* ---- explicit steps */

/* seconds of a step; displacements after STEPS steps of size h in q[nfull] */
static double plain_steps(work *w, double h, const double *load, const double *mass, double *q) {
    const plain_hexa8 *p = &w->plain;
    size_t n = 3 * (size_t)p->nnode;
    double *v = calloc(2 * n, sizeof *v), *f = v + n;
    memset(q, 0, n * sizeof *q);
    double begin = now(CLOCK_PROCESS_CPUTIME_ID), half = 0.5 * h; /* v at the middle of steps */
    for (int step = 0; step < STEPS; step++) {
        plain_forces(p, q, f);
        for (size_t k = 0; k < n; k++) {
            double a = mass[k / 3] > 0 && p->x[k / 3][0] > 1e-12 ? (load[k] - f[k]) / mass[k / 3] : 0;
            v[k] += (step ? h : half) * a;
            q[k] += h * v[k];
        }
    }
    double seconds = (now(CLOCK_PROCESS_CPUTIME_ID) - begin) / STEPS;
    free(v);
    return seconds;
}

static double run(work *w, bl_system *sys, double h, int steps, clockid_t clock, double *q) {
    bl_state state = {0};
    bl_simulation *sim;
    bl_simulation_setup setup = {.formulation = "plain", .integrator = "central", .step = h, .t_end = h * (steps + 0.5), .unsampled = ~0u};
    if (bl_state_create(sys, 0, &state) != BL_OK || bl_fem_initial(sys, &state) != BL_OK ||
        bl_simulation_create(sys, &state, &setup, &sim) != BL_OK)
        give_up(w->ctx, "simulation");
    double begin = now(clock);
    for (int k = 0; k < steps; k++)
        if (bl_simulation_advance(sim) != BL_OK)
            give_up(w->ctx, "step");
    double seconds = now(clock) - begin;
    memcpy(q, sim->state.q, (size_t)sys->nv * sizeof *q);
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &state);
    return seconds;
}

static void explicit_steps(work *w) {
    bl_crew *two;
    if (bl_crew_create(w->ctx, 2, &two) != BL_OK)
        give_up(w->ctx, "threads");
    bl_system *sys[2] = {build(w, NULL), build(w, two)};
    const bl_fem *fem = sys[0]->own;
    size_t nfull = (size_t)fem->nfull;
    double *load = calloc(4 * nfull, sizeof *load), *mass = load + nfull, *plain = mass + nfull, *q = plain + nfull;
    double h = 0.2 / w->n / sqrt(E / DENSITY), least[3] = {1e9, 1e9, 1e9}, error = 0;
    memcpy(load, fem->dead, nfull * sizeof *load);
    plain_masses(&w->plain, DENSITY, mass);
    for (int round = 0; round < ROUNDS; round++) {
        least[0] = fmin(least[0], plain_steps(w, h, load, mass, plain));
        for (int k = 0; k < 2; k++) {
            clockid_t clock = k ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
            double once = run(w, sys[k], h, 1, clock, q);
            least[1 + k] = fmin(least[1 + k], (run(w, sys[k], h, STEPS + 1, clock, q) - once) / STEPS);
        }
    }
    run(w, sys[0], h, STEPS, CLOCK_MONOTONIC, q);
    double *full = calloc(nfull, sizeof *full);
    for (size_t k = 0; k < nfull; k++)
        full[k] = fem->column[k] >= 0 ? q[fem->column[k]] : 0;
    error = difference(nfull, plain, full);
    free(full);
    print_row(w, "explicit step", "plain loop", least[0], least[0], 0);
    print_row(w, "explicit step", "biela", least[1], least[0], error);
    print_row(w, "explicit step", "biela, 2 threads", least[2], least[0], error);
    bl_system_destroy(sys[0]);
    bl_system_destroy(sys[1]);
    bl_crew_destroy(two);
    free(load);
}

int main(int argc, char **argv) {
    work w = {.n = argc > 1 ? atoi(argv[1]) : 40};
    open_model(&w);
    printf("what,elements,code,ms,elements_per_s,times_plain,difference\n");
    assembly(&w);
    explicit_steps(&w);
    plain_destroy(&w.plain);
    bl_model_destroy(w.model);
    bl_context_destroy(w.ctx);
    return 0;
}
