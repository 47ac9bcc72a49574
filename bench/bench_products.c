/* `bench_products [side...]`: products with assembled matrices of meshes, and solutions by conjugate gradients. A product is compared with
 * loops that only read memory, or read two vectors and write one: GB/s and ratios, minimum CPU time of many rounds in which the loops
 * alternate; `full_ratio`: the ratio if the complete matrix were read instead of half of it. Then solutions with every preconditioner, and
 * with a direct solver for small meshes: iterations, ms, true residual. CSV on standard output. side: elements along an edge of the box in
 * space (default 40); the other meshes have about as many unknowns. */
#include "linsol/iterative.h"
#include "support/boxes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ROUNDS = 100 };

static double tick(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double megabytes(void) {
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss / 1024;
}

/* ---- plain loops */

typedef double lanes __attribute__((vector_size(64), aligned(8)));

__attribute__((noinline)) static double read_all(size_t n, const double *x) {
    lanes a = {0}, b = {0}, c = {0}, d = {0};
    for (size_t i = 0; i + 32 <= n; i += 32) {
        a += *(const lanes *)(x + i);
        b += *(const lanes *)(x + i + 8);
        c += *(const lanes *)(x + i + 16);
        d += *(const lanes *)(x + i + 24);
    }
    a += b + c + d;
    return a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7];
}

__attribute__((noinline)) static void triad(size_t n, double *x, const double *y, const double *z) {
    for (size_t i = 0; i < n; i++)
        x[i] = y[i] + 3 * z[i];
}

/* ---- products */

static void measure_product(const char *label, bl_context *ctx, const test_box *box) {
    bl_linsol *solver = NULL;
    bl_index n = box->pattern.ncol;
    if (bl_linsol_create(ctx, "cg:preconditioner=jacobi", &solver) != BL_OK ||
        bl_linsol_analyze(solver, &box->pattern, NULL, BL_REFUSE, 0) != BL_OK || bl_linsol_factor(solver, box->values) != BL_OK) {
        fprintf(stderr, "%s: %s\n", label, bl_context_error(ctx)->what);
        bl_linsol_destroy(solver);
        return;
    }
    bl_iterative *s = solver->own;
    double dd = s->a.blocks.d * s->a.blocks.d, left = s->a.ptr[s->a.blocks.n], nodes = s->a.blocks.n;
    /* the half of the matrix with its indices; x read, y read and written */
    double bytes = left * (8 * dd + 4) + nodes * (8 * dd + 4) + 24.0 * (double)s->length, curvature, sum = 0;
    size_t many = (size_t)(left * dd), third = many / 3;
    double best[3] = {INFINITY, INFINITY, INFINITY}, *copy = malloc(many * sizeof *copy);
    memcpy(copy, s->a.left, many * sizeof *copy);
    for (bl_index i = 0; i < n; i++)
        s->vector[0][s->a.slot[i]] = sin(i);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = tick();
        sum += read_all(many, copy);
        best[0] = fmin(best[0], tick() - begin);
        begin = tick();
        triad(third, copy, copy + third, copy + 2 * third);
        best[1] = fmin(best[1], tick() - begin);
        begin = tick();
        if (bl_iterative_product(solver, s->vector[0], s->vector[2], &curvature) != BL_OK)
            break;
        best[2] = fmin(best[2], tick() - begin);
    }
    double read = 8 * (double)many / best[0] / 1e6, copied = 24 * (double)third / best[1] / 1e6, product = bytes / best[2] / 1e6;
    double full = (bytes + left * (8 * dd + 4)) / best[2] / 1e6;
    printf("product,%s,%d,%d,%.1f,%.1f,%.1f,%.2f,%.2f,%.2e,%.0f\n", label, n, s->a.blocks.d, product, read, copied, product / read,
           full / read, 1e3 * n / best[2], bytes / n);
    if (sum == 1.25)
        fprintf(stderr, "%g\n", curvature); /* uses the results, so that the compiler cannot omit their computation */
    free(copy);
    bl_linsol_destroy(solver);
}

/* ---- solutions */

static double residual(const test_box *box, const double *x, const double *b) {
    bl_index n = box->pattern.ncol;
    double *r = calloc((size_t)n, sizeof *r), left = 0, size = 0;
    bl_csc_multiply(&box->pattern, box->values, x, r);
    for (bl_index i = 0; i < n; i++) {
        left += (b[i] - r[i]) * (b[i] - r[i]);
        size += b[i] * b[i];
    }
    free(r);
    return sqrt(left / size);
}

static void measure_solver(const char *label, bl_context *ctx, const test_box *box, const char *spec) {
    bl_linsol *solver = NULL;
    bl_index n = box->pattern.ncol;
    double *b = malloc(2 * (size_t)n * sizeof *b), *x = b + n, begin = tick(), times[4];
    for (bl_index i = 0; i < n; i++)
        b[i] = sin(1.7 * i + 1);
    bl_status status = bl_linsol_create(ctx, spec, &solver);
    if (status == BL_OK)
        status = bl_linsol_analyze(solver, &box->pattern, NULL, BL_REFUSE, 1e-12);
    times[0] = tick() - begin;
    begin = tick();
    if (status == BL_OK)
        status = bl_linsol_factor(solver, box->values);
    times[1] = tick() - begin;
    begin = tick();
    if (status == BL_OK)
        status = bl_linsol_refactor(solver, box->values);
    times[2] = tick() - begin;
    memcpy(x, b, (size_t)n * sizeof *x);
    begin = tick();
    if (status == BL_OK)
        status = bl_linsol_solve(solver, false, 1, x);
    times[3] = tick() - begin;
    if (status != BL_OK)
        fprintf(stderr, "%s, %s: %s\n", label, spec, bl_context_error(ctx)->what);
    else
        printf("solution,%s,%d,%s%s%s,%ld,%.1f,%.1f,%.1f,%.1f,%.1f,%.1e,%.0f\n", label, n, spec, solver->uses ? " " : "",
               solver->uses ? solver->uses : "", solver->stats.iterations, times[0], times[1], times[2], times[3],
               1e-6 * solver->kind->cost(solver, 1), residual(box, x, b), megabytes());
    fflush(stdout);
    bl_linsol_destroy(solver);
    free(b);
}

static void measure(bl_context *ctx, const char *what, const test_box_input *ask, bool direct) {
    static const char *const specs[] = {"cg:preconditioner=none,tolerance=1e-8",
                                        "cg:preconditioner=jacobi,tolerance=1e-8",
                                        "cg:preconditioner=block_jacobi,tolerance=1e-8",
                                        "cg:preconditioner=ic,tolerance=1e-8",
                                        "cg:preconditioner=ic,ordering=natural,tolerance=1e-8",
                                        "minres:preconditioner=ic,tolerance=1e-8"};
    test_box box = test_box_make(ask);
    if (!box.values)
        return;
    measure_product(what, ctx, &box);
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
        measure_solver(what, ctx, &box, specs[k]);
    if (direct)
        measure_solver(what, ctx, &box, "ldl");
    test_box_free(&box);
}

int main(int argc, char **argv) {
    bl_context *ctx = NULL;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    printf("product,mesh,n,block,product_GB_s,read_GB_s,triad_GB_s,ratio,full_ratio,unknowns_s,bytes_per_unknown\n");
    printf("solution,mesh,n,solver,iterations,analyze_ms,factor_ms,refactor_ms,solve_ms,predicted_ms,residual,peak_MB\n");
    for (int k = 1; k < argc || (k == 1 && argc == 1); k++) {
        int side = k < argc ? atoi(argv[k]) : 40, flat = (int)sqrt(1.5 * pow(side, 3)), cube = (int)(1.44 * side);
        bool direct = side <= 20;
        measure(ctx, "elastic box", &(test_box_input){.dim = 3, .side = {side}, .elastic = true}, direct);
        measure(ctx, "elastic box with mass", &(test_box_input){.dim = 3, .side = {side}, .elastic = true, .mass = 0.1}, false);
        measure(ctx, "heat in a box", &(test_box_input){.dim = 3, .side = {cube}}, direct);
        measure(ctx, "elastic plate", &(test_box_input){.dim = 2, .side = {flat}, .elastic = true}, direct);
    }
    bl_context_destroy(ctx);
    return 0;
}
