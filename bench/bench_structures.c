/* `bench_structures [FOLDER]`: structures given as `matrices:`, CPU time of a step compared with hand-written loops on the same matrices.
 * W6-1D: a bar of 400 elements (scenes/bar_400.yaml) by the trapezoidal rule, compared with LAPACK's dpttrf and dpttrs. W6-2D, if FOLDER
 * contains the output of bench/plate.py: a plate of plane stress, compared with CHOLMOD if it is installed, and with the linear solver ldl
 * alone. Minimum of several rounds in which the codes alternate; the time of a step is the difference of two runs, so that reading and
 * set-up do not count; `difference`: largest difference of the final displacements from those of the first loop. CSV on standard output. */
#include "biela/biela.h"
#include "linsol/linsol.h"
#include "sparse/sparse.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef BENCH_CHOLMOD
#include <cholmod.h>
#endif

enum { ROUNDS = 7, MOST_ROWS = 16 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

/* ---- the loops: (M + h^2/4 K) a1 = F - K (q + h v + h^2/4 a) */

typedef struct loop {
    bl_index n;
    double *F, *q, *v, *a, *r;
    void (*multiply)(void *, const double *q, double *r); /* r -= K q */
    void (*solve)(void *, double *r);
    void *user;
} loop;

static void start(loop *l) {
    l->q = calloc(4 * (size_t)l->n, sizeof *l->q);
    l->v = l->q + l->n;
    l->a = l->v + l->n;
    l->r = l->a + l->n;
}

/* `mass` solves for the first accelerations */
static double run_loop(loop *l, void (*mass)(void *, double *), double h, long steps) {
    bl_index n = l->n;
    double *restrict q = l->q, *restrict v = l->v, *restrict a = l->a, *restrict r = l->r;
    memset(q, 0, 2 * (size_t)n * sizeof *q);
    memcpy(a, l->F, (size_t)n * sizeof *a);
    mass(l->user, a);
    double begin = now(), quarter = h * h / 4;
    for (long k = 0; k < steps; k++) {
        for (bl_index i = 0; i < n; i++)
            q[i] += h * v[i] + quarter * a[i];
        memcpy(r, l->F, (size_t)n * sizeof *r);
        l->multiply(l->user, q, r);
        l->solve(l->user, r);
        for (bl_index i = 0; i < n; i++) {
            q[i] += quarter * r[i];
            v[i] += 0.5 * h * (a[i] + r[i]);
            a[i] = r[i];
        }
    }
    return (now() - begin) / (double)steps;
}

/* ---- the bar */

typedef struct bar {
    bl_index n;
    double k_diagonal[400], k_beside[400];   /* stiffness */
    double diagonal[2][400], beside[2][400]; /* factors: of the step, of the mass */
} bar;

static void bar_multiply(void *user, const double *q, double *r) {
    const bar *b = user;
    r[0] -= b->k_diagonal[0] * q[0] + b->k_beside[0] * q[1];
    for (bl_index i = 1; i + 1 < b->n; i++)
        r[i] -= b->k_beside[i - 1] * q[i - 1] + b->k_diagonal[i] * q[i] + b->k_beside[i] * q[i + 1];
    r[b->n - 1] -= b->k_beside[b->n - 2] * q[b->n - 2] + b->k_diagonal[b->n - 1] * q[b->n - 1];
}

static void bar_solve(void *user, double *r) {
    bar *b = user;
    LAPACKE_dpttrs_work(LAPACK_COL_MAJOR, b->n, 1, b->diagonal[0], b->beside[0], r, b->n);
}

static void bar_mass(void *user, double *r) {
    bar *b = user;
    LAPACKE_dpttrs_work(LAPACK_COL_MAJOR, b->n, 1, b->diagonal[1], b->beside[1], r, b->n);
}

static loop make_bar(bar *b, double h) {
    bl_index n = b->n = 400;
    double length = 1.0 / n;
    loop l = {.n = n, .F = calloc((size_t)n, sizeof *l.F), .multiply = bar_multiply, .solve = bar_solve, .user = b};
    for (bl_index i = 0; i < n; i++) {
        double elements_at_node = i + 1 < n ? 2 : 1;
        b->k_diagonal[i] = elements_at_node / length;
        b->k_beside[i] = -1 / length;
        for (int k = 0; k < 2; k++) {
            b->diagonal[k][i] = elements_at_node * length / 3 + (k ? 0 : h * h / 4 * b->k_diagonal[i]);
            b->beside[k][i] = length / 6 + (k ? 0 : h * h / 4 * b->k_beside[i]);
        }
    }
    for (int k = 0; k < 2; k++)
        LAPACKE_dpttrf_work(n, b->diagonal[k], b->beside[k]);
    l.F[n - 1] = 1;
    start(&l);
    return l;
}

/* ---- the plate */

typedef struct plate {
    bl_matrix M, K;
    double *S; /* M + h^2/4 K on the pattern of K */
    bl_linsol *solver[2];
#ifdef BENCH_CHOLMOD
    cholmod_common common;
    cholmod_factor *factor;
    cholmod_dense *b, *x, *y, *e;
#endif
} plate;

static void plate_multiply(void *user, const double *q, double *r) {
    const plate *p = user;
    const bl_pattern *a = &p->K.pattern;
    for (bl_index j = 0; j < a->ncol; j++) { /* symmetric: columns are rows */
        double sum = 0;
        for (bl_index k = a->ptr[j]; k < a->ptr[j + 1]; k++)
            sum += p->K.value[k] * q[a->idx[k]];
        r[j] -= sum;
    }
}

static void plate_ldl(void *user, double *r) {
    plate *p = user;
    bl_linsol_solve(p->solver[0], false, 1, r);
}

static void plate_mass(void *user, double *r) {
    plate *p = user;
    bl_linsol_solve(p->solver[1], false, 1, r);
}

static bool make_plate(bl_context *ctx, const char *folder, double h, plate *p, loop *l) {
    char path[512];
    snprintf(path, sizeof path, "%s/stiffness.mtx", folder);
    if (bl_matrix_market_read(ctx, path, &p->K) != BL_OK)
        return false;
    snprintf(path, sizeof path, "%s/mass.mtx", folder);
    if (bl_matrix_market_read(ctx, path, &p->M) != BL_OK)
        return false;
    const bl_pattern *a = &p->K.pattern;
    p->S = malloc((size_t)a->ptr[a->ncol] * sizeof *p->S);
    for (bl_index j = 0; j < a->ncol; j++)
        for (bl_index k = a->ptr[j]; k < a->ptr[j + 1]; k++) {
            bl_index at = bl_pattern_find(&p->M.pattern, a->idx[k], j);
            p->S[k] = h * h / 4 * p->K.value[k] + (at < 0 ? 0 : p->M.value[at]);
        }
    for (int k = 0; k < 2; k++)
        if (bl_linsol_create(ctx, "ldl", &p->solver[k]) != BL_OK ||
            bl_linsol_analyze(p->solver[k], k ? &p->M.pattern : a, NULL, BL_REFUSE, 1e-12) != BL_OK ||
            bl_linsol_factor(p->solver[k], k ? p->M.value : p->S) != BL_OK)
            return false;
    *l = (loop){.n = a->ncol, .F = calloc((size_t)a->ncol, sizeof *l->F), .multiply = plate_multiply, .solve = plate_ldl, .user = p};
    bl_index side = (bl_index)((sqrt(1 + 2.0 * l->n) - 1) / 2 + 0.5);
    for (bl_index y = 0; y <= side; y++) /* the right edge, as in plate.py */
        l->F[2 * ((side - 1) * (side + 1) + y)] = 0.01 / side * (y == 0 || y == side ? 0.5 : 1);
    start(l);
    return true;
}

#ifdef BENCH_CHOLMOD
static void plate_cholmod(void *user, double *r) {
    plate *p = user;
    size_t bytes = (size_t)p->K.pattern.ncol * sizeof *r;
    memcpy(p->b->x, r, bytes);
    cholmod_solve2(CHOLMOD_A, p->factor, p->b, NULL, &p->x, NULL, &p->y, &p->e, &p->common);
    memcpy(r, p->x->x, bytes);
}

static bool make_cholmod(plate *p) {
    const bl_pattern *a = &p->K.pattern;
    size_t n = (size_t)a->ncol, nnz = (size_t)a->ptr[n];
    cholmod_sparse A = {n, n, nnz, (void *)a->ptr, (void *)a->idx, NULL, p->S, NULL, -1, CHOLMOD_INT, CHOLMOD_REAL, CHOLMOD_DOUBLE, 1, 1};
    cholmod_start(&p->common);
    p->factor = cholmod_analyze(&A, &p->common);
    p->b = cholmod_allocate_dense(n, 1, n, CHOLMOD_REAL, &p->common);
    return p->factor && p->b && cholmod_factorize(&A, p->factor, &p->common);
}
#endif

/* ---- biela on the same model */

typedef struct last_sample {
    double *q;
    bl_index n;
} last_sample;

static bl_status begin_run(void *user, const bl_run_info *info) {
    last_sample *c = user;
    c->n = info->nvariable;
    return BL_OK;
}

static bl_status keep_sample(void *user, const bl_sample *sample) {
    last_sample *c = user;
    memcpy(c->q, sample->variable, (size_t)c->n * sizeof *c->q);
    return BL_OK;
}

/* CPU us of a run; q (may be NULL): displacements at its end */
static double simulate(bl_context *ctx, const bl_model *model, const char *integrator, double h, long steps, double *q) {
    double until = h * (double)steps, begin = now();
    last_sample c = {q, 0};
    bl_sink sink = {.user = &c, .begin = begin_run, .sample = keep_sample, .want = BL_WANT_VARIABLES};
    bl_run_options options = {.until = until, .step = h, .integrator = integrator, .at = &until, .nat = 1};
    if (bl_simulate(ctx, model, &options, &sink, q ? 1 : 0, NULL) != BL_OK) {
        fprintf(stderr, "%s: %s\n", integrator, bl_context_error(ctx)->what);
        return NAN;
    }
    return now() - begin;
}

/* ---- one workload */

typedef struct row {
    const char *name;
    loop *plain; /* NULL: biela by the integrator `name` */
    void (*mass)(void *, double *);
    double us, difference;
} row;

static double distance(bl_index n, const double *x, const double *y) {
    double most = 0;
    for (bl_index i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

static void measure(const char *workload, bl_context *ctx, const char *file, double h, long steps, row *rows, int nrow) {
    bl_model *model = NULL;
    bl_index n = rows[0].plain->n;
    double *q = malloc(2 * (size_t)n * sizeof *q), *end = q + n;
    if (bl_model_read(ctx, file, NULL, 0, &model) != BL_OK) {
        fprintf(stderr, "%s: %s\n", file, bl_context_error(ctx)->what);
        free(q);
        return;
    }
    for (int k = 0; k < nrow; k++)
        rows[k].us = INFINITY;
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < nrow; k++) {
            row *r = &rows[k];
            if (r->plain) {
                r->us = fmin(r->us, run_loop(r->plain, r->mass, h, steps));
                memcpy(q, r->plain->q, (size_t)n * sizeof *q);
            } else {
                if (round == 0)
                    simulate(ctx, model, r->name, h, steps, q);
                double few = simulate(ctx, model, r->name, h, 10, NULL), many = simulate(ctx, model, r->name, h, steps, NULL);
                r->us = fmin(r->us, (many - few) / (double)(steps - 10));
            }
            if (round == 0 && k == 0)
                memcpy(end, q, (size_t)n * sizeof *end);
            if (round == 0)
                r->difference = distance(n, q, end);
        }
    for (int k = 0; k < nrow; k++)
        printf("%s,%d,%s%s,%.3f,%.2f,%.1e\n", workload, n, rows[k].plain ? "" : "biela ", rows[k].name, rows[k].us, rows[k].us / rows[0].us,
               rows[k].difference);
    fflush(stdout);
    bl_model_destroy(model);
    free(q);
}

int main(int argc, char **argv) {
    bl_context *ctx = NULL;
    static bar b;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    printf("workload,n,code,us_per_step,ratio,difference\n");
    loop plain = make_bar(&b, 0.0025);
    row rows[] = {{"LAPACK", &plain, bar_mass, 0, 0}, {.name = "trapezoidal"}, {.name = "newmark"}, {.name = "hht"}, {.name = "bdf_alpha"}};
    measure("W6-1D", ctx, SCENES "/bar_400.yaml", 0.0025, 1400, rows, 5);
    free(plain.F);
    free(plain.q);
    if (argc > 1) {
        static plate p;
        loop ldl, cholmod;
        char file[512];
        snprintf(file, sizeof file, "%s/plate.yaml", argv[1]);
        if (!make_plate(ctx, argv[1], 0.01, &p, &ldl)) {
            fprintf(stderr, "%s: %s\n", argv[1], bl_context_error(ctx)->what);
            return 1;
        }
        cholmod = ldl;
        row large[MOST_ROWS] = {{"ldl", &ldl, plate_mass, 0, 0}};
        int count = 1;
#ifdef BENCH_CHOLMOD
        if (make_cholmod(&p)) {
            cholmod.solve = plate_cholmod;
            large[count++] = (row){"CHOLMOD", &cholmod, plate_mass, 0, 0};
        }
#endif
        static const char *const methods[] = {"newmark", "hht", "bdf_alpha"};
        for (int k = 0; k < 3; k++)
            large[count++] = (row){.name = methods[k]};
        (void)cholmod;
        measure("W6-2D", ctx, file, 0.01, 200, large, count);
    }
    bl_context_destroy(ctx);
    return 0;
}
