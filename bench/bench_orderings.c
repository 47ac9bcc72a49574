/* Factorization and solution with dependent Jacobians: dense LAPACK, the KLU library itself, SuperLU, and the block solver with several
 * orderings, in one run, on the mechanisms of the thesis, on N four-bars and on chains. CSV on standard output; ns, minimum of several
 * rounds; by_klu is the time of KLU's own refactorization and solution divided by that of the row. */
#include "linsol/linsol.h"
#include "order/order.h"
#include "sparse/sparse.h"
#include "study/ordering.h"

#include <klu.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7 };

typedef struct task {
    const char *name, *scene, *coordinates, *parameter;
    double value;
} task;

static const task tasks[] = {
    {"five-bar pendulum", "five_bar_pendulum", "mixed", NULL, 0},
    {"tether", "tether", "mixed", NULL, 0},
    {"Bricard", "bricard", "mixed", NULL, 0},
    {"Bricard, cut", "bricard_cut", "mixed", NULL, 0},
    {"Bricard, natural", "bricard", "natural", NULL, 0},
    {"vehicle", "vehicle", "natural", NULL, 0},
    {"vehicle, 192 x 192", "vehicle_jacobian.mtx", NULL, NULL, 0}, /* the thesis' entities; values invented */
    {"N-four-bar 10", "n_four_bar", "natural", "N", 10},
    {"N-four-bar 40", "n_four_bar", "natural", "N", 40},
    {"N-four-bar 160", "n_four_bar", "natural", "N", 160},
    {"N-four-bar 640", "n_four_bar", "natural", "N", 640},
    {"chain 10", "w3_chain", "mixed", "n", 10},
    {"chain 100", "w3_chain", "mixed", "n", 100},
    {"chain 1000", "w3_chain", "mixed", "n", 1000},
};

static double least(double *time) {
    double best = INFINITY;
    for (int i = 0; i < ROUNDS; i++)
        best = fmin(best, time[i]);
    return 1e9 * best;
}

static long repetitions(bl_index n) { return n < 50 ? 5000 : n < 500 ? 500 : 30; }

/* KLU's own functions: refactorization with kept pivots, solution */
static void klu_itself(const bl_pattern *p, const double *values, const double *b, double *x, double *refactor, double *solve) {
    klu_common common;
    klu_defaults(&common);
    klu_symbolic *symbolic = klu_analyze(p->ncol, (int *)p->ptr, (int *)p->idx, &common);
    klu_numeric *numeric = klu_factor((int *)p->ptr, (int *)p->idx, (double *)values, symbolic, &common);
    double tf[ROUNDS], ts[ROUNDS];
    long count = repetitions(p->ncol);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = bl_clock_seconds();
        for (long k = 0; k < count; k++)
            klu_refactor((int *)p->ptr, (int *)p->idx, (double *)values, symbolic, numeric, &common);
        double middle = bl_clock_seconds();
        for (long k = 0; k < count; k++) {
            memcpy(x, b, (size_t)p->ncol * sizeof *x);
            klu_solve(symbolic, numeric, p->ncol, 1, x, &common);
        }
        tf[round] = (middle - begin) / (double)count;
        ts[round] = (bl_clock_seconds() - middle) / (double)count;
    }
    *refactor = least(tf);
    *solve = least(ts);
    klu_free_numeric(&numeric, &common);
    klu_free_symbolic(&symbolic, &common);
}

static bl_status run_solver(bl_context *ctx, const bl_ordered_matrix *m, const double *values, const char *solver, const char *order,
                            const double *b, double *x, double *refactor, double *solve) {
    bl_linsol *s = NULL;
    bl_ordering ordering = {0};
    bl_status status = bl_linsol_create(ctx, solver, &s);
    if (status == BL_OK && order)
        status = bl_ordered_run(ctx, m, order, &ordering);
    if (status == BL_OK)
        status = bl_linsol_analyze(s, &m->pattern, order ? &ordering : NULL, BL_REFUSE, 1e-9);
    if (status == BL_OK)
        status = bl_linsol_factor(s, values);
    double tf[ROUNDS], ts[ROUNDS];
    long count = repetitions(m->pattern.ncol);
    for (int round = 0; status == BL_OK && round < ROUNDS; round++) {
        double begin = bl_clock_seconds();
        for (long k = 0; k < count && status == BL_OK; k++)
            status = bl_linsol_refactor(s, values);
        double middle = bl_clock_seconds();
        for (long k = 0; k < count && status == BL_OK; k++) {
            memcpy(x, b, (size_t)m->pattern.ncol * sizeof *x);
            status = bl_linsol_solve(s, false, 1, x);
        }
        tf[round] = (middle - begin) / (double)count;
        ts[round] = (bl_clock_seconds() - middle) / (double)count;
    }
    if (status == BL_OK) {
        *refactor = least(tf);
        *solve = least(ts);
    }
    bl_ordering_free(ctx, &ordering);
    bl_linsol_destroy(s);
    return status;
}

/* |b - A x| / (|A| |x| + |b|), maximum norm */
static double backward_error(const bl_pattern *p, const double *values, const double *b, const double *x) {
    double *r = malloc((size_t)p->ncol * 2 * sizeof *r), *size = r + p->ncol, worst = 0;
    for (bl_index i = 0; i < p->ncol; i++) {
        r[i] = b[i];
        size[i] = fabs(b[i]);
    }
    for (bl_index j = 0; j < p->ncol; j++)
        for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++) {
            r[p->idx[e]] -= values[e] * x[j];
            size[p->idx[e]] += fabs(values[e] * x[j]);
        }
    for (bl_index i = 0; i < p->ncol; i++)
        worst = fmax(worst, fabs(r[i]) / (size[i] > 0 ? size[i] : 1));
    free(r);
    return worst;
}

static void report(const task *t, const bl_pattern *p, const char *solver, const char *order, double refactor, double solve, double klu,
                   double error) {
    printf("\"%s\",%d,%d,%s,%s,%.0f,%.0f,%.0f,%.2f,%.1e\n", t->name, (int)p->ncol, (int)p->ptr[p->ncol], solver, order ? order : "-",
           refactor, solve, refactor + solve, klu / (refactor + solve), error);
    fflush(stdout);
}

/* pattern from a Matrix Market file, with pseudo-random values that are always the same */
static bl_status from_file(const char *file, bl_order_problem *problem, bl_matrix *matrix) {
    BL_TRY(bl_matrix_market_read(problem->ctx, file, matrix));
    const bl_pattern *p = &matrix->pattern;
    double *values = bl_arena_alloc(problem->arena, (size_t)p->ptr[p->ncol], sizeof *values);
    if (!values)
        return BL_E_MEMORY;
    uint64_t seed = 1;
    for (bl_index k = 0; k < p->ptr[p->ncol]; k++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        values[k] = ((seed >> 40) & 1 ? 1 : -1) * (0.5 + (double)(seed >> 11) * 0x1p-53);
    }
    problem->square = (bl_ordered_matrix){.pattern = *p, .sample = values, .nsample = 1};
    problem->value = values;
    return BL_OK;
}

static int run(const task *t) {
    static const struct {
        const char *solver, *order;
        bl_index most;
    } cases[] = {{"dense", NULL, 700},          {"klu", NULL, INT32_MAX},          {"superlu", NULL, INT32_MAX},
                 {"block", "p5", INT32_MAX},    {"block", "mechanism", INT32_MAX}, {"block", "mechanism_robust", INT32_MAX},
                 {"block", "nested", INT32_MAX}};
    bl_context *ctx;
    bl_model *model = NULL;
    char file[512];
    bool is_matrix = t->coordinates == NULL;
    snprintf(file, sizeof file, is_matrix ? "%s/%s" : "%s/%s.yaml", SCENES, t->scene);
    bl_override override = {t->parameter, t->value};
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    bl_arena arena = {.ctx = ctx};
    bl_order_problem problem = {.ctx = ctx, .arena = &arena};
    bl_order_report sizes = {0};
    bl_order_options options = {.coordinates = t->coordinates};
    bl_matrix matrix = {0};
    bl_status status = is_matrix ? from_file(file, &problem, &matrix) : bl_model_read(ctx, file, &override, t->parameter ? 1 : 0, &model);
    if (status == BL_OK && !is_matrix)
        status = bl_order_jacobian(model, &options, &problem, &sizes);
    if (status != BL_OK) {
        fprintf(stderr, "%s: %s\n", t->name, bl_context_error(ctx)->what);
        return 1;
    }
    const bl_pattern *p = &problem.square.pattern;
    double *b = malloc((size_t)p->ncol * 2 * sizeof *b), *x = b + p->ncol, refactor, solve, klu;
    for (bl_index i = 0; i < p->ncol; i++)
        b[i] = sin(i + 1.0);
    klu_itself(p, problem.value, b, x, &refactor, &solve);
    klu = refactor + solve;
    report(t, p, "KLU itself", NULL, refactor, solve, klu, backward_error(p, problem.value, b, x));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (p->ncol > cases[k].most)
            continue;
        status = run_solver(ctx, &problem.square, problem.value, cases[k].solver, cases[k].order, b, x, &refactor, &solve);
        if (status == BL_OK)
            report(t, p, cases[k].solver, cases[k].order, refactor, solve, klu, backward_error(p, problem.value, b, x));
        else
            fprintf(stderr, "%s, %s %s: %s\n", t->name, cases[k].solver, cases[k].order ? cases[k].order : "", bl_context_error(ctx)->what);
    }
    free(b);
    bl_arena_destroy(&arena);
    bl_matrix_free(ctx, &matrix);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return 0;
}

int main(void) {
    puts("mechanism,n,nnz,solver,ordering,refactor_ns,solve_ns,sum_ns,by_klu,backward_error");
    int failed = 0;
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++)
        failed |= run(&tasks[k]);
    return failed;
}
