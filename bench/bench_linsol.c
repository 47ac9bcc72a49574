/* `bench_linsol [scene[:NAME=VALUE]...]`: every linear solver on the matrices of the scenes in their initial configuration.
 * Partition: the dependent part of the Jacobian; lagrange: [M G^T; G 0]. Nanoseconds of a refactorization, of one and of four right-hand
 * sides, the time that the solver predicts for a refactorization and three right-hand sides, and backward error. `klu library`: KLU's own
 * functions on values that were scaled before, which is less work than `klu` does. Minimum of several rounds. CSV on standard output. */
#include "coords/coords.h"
#include "formulation/formulation.h"
#include "linsol/linsol.h"
#include "linsol/rank_decision.h"
#include "study/study.h"

#include <klu.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9, NRHS = 4 };

static double tick(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* ---- the matrix: taken from the calls of a formulation to its solver */

static struct {
    const bl_linsol_kind *kind;
    const bl_pattern *pattern;
    const struct bl_order_input *hints;
    double *values;
} taken;

static bl_status take_analyze(bl_linsol *s, const bl_pattern *p, const struct bl_ordering *o, bl_deficient d, double tolerance) {
    taken.pattern = p;
    taken.hints = s->hints;
    return taken.kind->analyze(s, p, o, d, tolerance);
}

static bl_status take_factor(bl_linsol *s, const double *values) {
    size_t bytes = (size_t)taken.pattern->ptr[taken.pattern->ncol] * sizeof *values;
    free(taken.values);
    taken.values = malloc(bytes ? bytes : 1);
    if (!taken.values)
        return BL_E_MEMORY;
    memcpy(taken.values, values, bytes);
    return taken.kind->factor(s, values);
}

/* ---- one solver */

static double backward_error(const bl_pattern *p, const double *a, const double *x, const double *b) {
    bl_index n = p->ncol;
    double *r = calloc(2 * (size_t)n, sizeof *r), *sum = r + n, norm = 0, most_x = 0, most_b = 0, most_r = 0;
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = p->ptr[j]; k < p->ptr[j + 1]; k++) {
            r[p->idx[k]] += a[k] * x[j];
            sum[p->idx[k]] += fabs(a[k]);
        }
    for (bl_index i = 0; i < n; i++) {
        norm = fmax(norm, sum[i]);
        most_x = fmax(most_x, fabs(x[i]));
        most_b = fmax(most_b, fabs(b[i]));
        most_r = fmax(most_r, fabs(r[i] - b[i]));
    }
    free(r);
    return most_r / (norm * most_x + most_b);
}

static double least(bl_linsol *solver, const double *values, double *x, const double *b, bl_index nrhs) {
    double best = INFINITY;
    size_t bytes = (size_t)solver->stats.n * (size_t)nrhs * sizeof *x;
    long count = 1;
    for (int round = -1; round < ROUNDS; round++) {
        double begin = tick();
        for (long k = 0; k < count; k++) {
            if (nrhs == 0) {
                if (bl_linsol_refactor(solver, values) != BL_OK)
                    return NAN;
            } else {
                memcpy(x, b, bytes);
                if (bl_linsol_solve(solver, false, nrhs, x) != BL_OK)
                    return NAN;
            }
        }
        double used = (tick() - begin) / (double)count;
        if (round < 0)
            count = (long)fmax(1, fmin(1e5, 1e6 / (used + 1)));
        else
            best = fmin(best, used);
    }
    return best;
}

static void measure(bl_context *ctx, const char *spec, const char *label, const char *formulation) {
    const bl_pattern *p = taken.pattern;
    bl_index n = p->ncol;
    bl_linsol *solver = NULL;
    double *b = malloc(2 * NRHS * (size_t)n * sizeof *b), *x = b + NRHS * (size_t)n;
    for (bl_index i = 0; i < NRHS * n; i++)
        b[i] = sin(1.7 * i + 1);
    bl_status status = bl_linsol_create(ctx, spec, &solver);
    if (status == BL_OK) {
        solver->hints = taken.hints;
        status = bl_linsol_analyze(solver, p, NULL, BL_REFUSE, 1e-12);
    }
    if (status == BL_OK)
        status = bl_linsol_factor(solver, taken.values);
    if (status == BL_OK) {
        double refactor = least(solver, taken.values, x, b, 0), one = least(solver, taken.values, x, b, 1);
        double error = backward_error(p, taken.values, x, b), four = least(solver, taken.values, x, b, NRHS);
        double predicted = solver->kind->cost ? solver->kind->cost(solver, 3) : NAN;
        printf("%s,%s,%d,%d,%s%s%s,%lld,%.0f,%.0f,%.0f,%.0f,%.1e\n", label, formulation, n, p->ptr[n], spec, solver->uses ? " " : "",
               solver->uses ? solver->uses : "", (long long)solver->stats.fill, refactor, one, four, predicted, error);
    } else {
        fprintf(stderr, "%s, %s: %s: %s\n", label, formulation, spec, bl_context_error(ctx)->what);
    }
    bl_linsol_destroy(solver);
    free(b);
}

/* ---- KLU itself */

typedef struct klu_library {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    int *ptr, *idx; /* KLU takes no const */
    double *values; /* scaled */
} klu_library;

static double least_of_klu(klu_library *k, double *x, const double *b, bl_index nrhs) {
    bl_pattern p = *taken.pattern;
    double best = INFINITY;
    long count = 1;
    for (int round = -1; round < ROUNDS; round++) {
        double begin = tick();
        for (long q = 0; q < count; q++) {
            if (nrhs == 0) {
                klu_refactor(k->ptr, k->idx, k->values, k->symbolic, k->numeric, &k->common);
            } else {
                memcpy(x, b, (size_t)p.ncol * (size_t)nrhs * sizeof *x);
                klu_solve(k->symbolic, k->numeric, p.ncol, nrhs, x, &k->common);
            }
        }
        double used = (tick() - begin) / (double)count;
        if (round < 0)
            count = (long)fmax(1, fmin(1e5, 1e6 / (used + 1)));
        else
            best = fmin(best, used);
    }
    return best;
}

static void measure_klu(bl_context *ctx, const char *label, const char *formulation) {
    bl_pattern p = *taken.pattern;
    bl_index n = p.ncol, nnz = p.ptr[n];
    bl_kept kept;
    klu_library k = {.values = malloc((size_t)nnz * sizeof *k.values), .ptr = malloc(((size_t)n + 1 + (size_t)nnz) * sizeof *k.ptr)};
    k.idx = k.ptr + n + 1;
    memcpy(k.ptr, p.ptr, ((size_t)n + 1) * sizeof *k.ptr);
    memcpy(k.idx, p.idx, (size_t)nnz * sizeof *k.idx);
    double *b = malloc(2 * NRHS * (size_t)n * sizeof *b), *x = b + NRHS * (size_t)n;
    for (bl_index i = 0; i < NRHS * n; i++)
        b[i] = sin(1.7 * i + 1);
    klu_defaults(&k.common);
    k.common.scale = -1;
    k.common.tol = 0.1;
    if (bl_kept_create(ctx, n, &kept) == BL_OK && bl_kept_scale(&kept, false, &p, taken.values) == BL_OK) {
        for (bl_index j = 0; j < n; j++)
            for (bl_index q = p.ptr[j]; q < p.ptr[j + 1]; q++)
                k.values[q] = taken.values[q] * kept.row_scale[p.idx[q]] * kept.col_scale[j];
        k.symbolic = klu_analyze(n, k.ptr, k.idx, &k.common);
        k.numeric = k.symbolic ? klu_factor(k.ptr, k.idx, k.values, k.symbolic, &k.common) : NULL;
        if (k.numeric) {
            double refactor = least_of_klu(&k, x, b, 0), one = least_of_klu(&k, x, b, 1);
            double error = backward_error(&p, k.values, x, b), four = least_of_klu(&k, x, b, NRHS);
            printf("%s,%s,%d,%d,klu library,%d,%.0f,%.0f,%.0f,nan,%.1e\n", label, formulation, n, nnz,
                   k.numeric->lnz + k.numeric->unz - n + k.numeric->nzoff, refactor, one, four, error);
        }
        klu_free_numeric(&k.numeric, &k.common);
        klu_free_symbolic(&k.symbolic, &k.common);
    }
    bl_kept_destroy(&kept);
    free(k.values);
    free(k.ptr);
    free(b);
}

/* ---- one scene */

static bl_status first_state(bl_system *sys, const bl_model *model, bl_state *state) {
    BL_TRY(bl_state_create(sys, 0, state));
    BL_TRY(bl_coords_initial(sys, state));
    BL_TRY(bl_assemble_positions(sys, model, state));
    return bl_assemble_velocities(sys, model, state);
}

static void scene(const char *name, const bl_override *set, bl_index nset) {
    char path[512], label[64];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, name);
    snprintf(label, sizeof label, nset ? "%s %s=%g" : "%s", name, nset ? set->name : "", nset ? set->value : 0);
    static const char *const formulations[] = {"partition", "lagrange"};
    for (int f = 0; f < 2; f++) {
        bl_context *ctx = NULL;
        bl_model *model = NULL;
        bl_system *sys = NULL;
        bl_state state = {0};
        bl_formulation *form = NULL;
        bl_status status = bl_context_create(NULL, &ctx);
        if (status == BL_OK)
            status = bl_model_read(ctx, path, set, nset, &model);
        if (status == BL_OK)
            status = bl_coords_build(ctx, model, NULL, &sys);
        if (status == BL_OK)
            status = first_state(sys, model, &state);
        if (status == BL_OK)
            status = bl_formulation_create(sys, formulations[f], "klu", NULL, &form);
        if (status == BL_OK)
            status = bl_linsol_create(ctx, "klu", &form->linsol);
        if (status == BL_OK) {
            bl_linsol_kind taking = *form->linsol->kind;
            taking.analyze = take_analyze;
            taking.factor = take_factor;
            taken.kind = form->linsol->kind;
            taken.pattern = NULL;
            form->linsol->kind = &taking;
            status = form->kind->setup(form, &state);
            form->linsol->kind = taken.kind;
        }
        if (status != BL_OK)
            fprintf(stderr, "%s, %s: %s\n", label, formulations[f], bl_context_error(ctx)->what);
        for (size_t k = 0; k < bl_linsol_kind_count && status == BL_OK && taken.pattern && taken.values; k++)
            measure(ctx, bl_linsol_kinds[k]->kind.name, label, formulations[f]);
        if (status == BL_OK && taken.pattern && taken.values)
            measure_klu(ctx, label, formulations[f]);
        bl_formulation_destroy(form);
        if (sys)
            bl_state_destroy(sys, &state);
        bl_system_destroy(sys);
        bl_model_destroy(model);
        bl_context_destroy(ctx);
    }
}

int main(int argc, char **argv) {
    printf("scene,formulation,n,nnz,solver,fill,refactor_ns,solve_ns,solve4_ns,predicted_ns,backward_error\n");
    for (int k = 1; k < argc; k++) {
        char name[64], *colon;
        snprintf(name, sizeof name, "%s", argv[k]);
        bl_override set = {0};
        if ((colon = strchr(name, ':')) && strchr(colon, '=')) { /* n_four_bar:N=2560 */
            *colon = '\0';
            char *value = strchr(colon + 1, '=');
            *value = '\0';
            set = (bl_override){colon + 1, strtod(value + 1, NULL)};
        }
        scene(name, set.name ? &set : NULL, set.name ? 1 : 0);
    }
    if (argc > 1)
        return 0;
    static const char *const names[] = {"pendulum", "four_bar",         "slider_crank", "five_bar_pendulum", "bricard",
                                        "andrews",  "flyball_governor", "tether",       "vehicle",           "spatial_slider_crank"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        scene(names[k], NULL, 0);
    static const double sizes[] = {5, 40, 200};
    for (size_t k = 0; k < 3; k++) {
        scene("n_four_bar", &(bl_override){"N", sizes[k]}, 1);
        scene("w3_chain", &(bl_override){"n", sizes[k]}, 1);
    }
    free(taken.values);
    return 0;
}
