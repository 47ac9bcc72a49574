/* Many redundant rows: N four-bar loops in space, side by side, with parallel axes. The multipliers of all rows are those of minimum norm
 * that cause the forces of the motion, computed a second time by orthogonal factors of the complete matrix (LAPACK). */
#include "dense/dense.h"
#include "formulation/formulation.h"
#include "study/run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const text =
    "model: loops in space\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {N: 2}\n"
    "points:\n"
    "  - repeat: {count: =N+1, index: i, do: [{name: A$i, at: [=i, 0, 0]}, {name: B$i, at: [=i, 1, 0]}]}\n"
    "bodies:\n"
    "  - repeat: {count: =N+1, index: i, do: [{name: crank$i, rod: {from: A$i, to: B$i, axial: 1e-3}, mass: 1}]}\n"
    "  - repeat: {count: =N, index: i, do: [{name: coupler$i, rod: {from: B$i, to: B$(i+1), axial: 1e-3}, mass: 1}]}\n"
    "joints:\n"
    "  - repeat: {count: =N+1, index: i, do: [{name: A$i, type: revolute, bodies: [ground, crank$i], at: A$i, axis: [0, 0, 1]}]}\n"
    "  - repeat:\n"
    "      count: =N\n"
    "      index: i\n"
    "      do:\n"
    "        - {name: B$i, type: revolute, bodies: [crank$i, coupler$i], at: B$i, axis: [0, 0, 1]}\n"
    "        - {name: C$(i+1), type: revolute, bodies: [coupler$i, crank$(i+1)], at: B$(i+1), axis: [0, 0, 1]}\n"
    "initial: {A0.angle: 0.3, A0.rate: 1}\n";

typedef struct bench {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_eval e;
} bench;

static void expect(const bench *b, bl_status status) {
    if (status != BL_OK)
        fail_msg("%s (%s)", bl_context_error(b->ctx)->what, bl_context_error(b->ctx)->advice);
}

static bench prepare(double N, const char *kind) {
    bench b = {.ctx = test_context(NULL)};
    const bl_override set = {.name = "N", .value = N};
    expect(&b, bl_model_read_text(b.ctx, "loops", text, strlen(text), &set, 1, &b.model));
    expect(&b, bl_run_prepare(b.ctx, b.model, kind, &b.sys, &b.state));
    expect(&b, bl_eval_create(b.sys, BL_G | BL_M | BL_Q | BL_SEEN, &b.e));
    return b;
}

static void finish(bench *b) {
    bl_eval_destroy(b->sys, &b->e);
    bl_state_destroy(b->sys, &b->state);
    bl_system_destroy(b->sys);
    bl_model_destroy(b->model);
    test_context_end(b->ctx);
}

/* (Q - M a) of least-norm multipliers, scaled rows: mu[np] with (G / scale)^T mu = Q - M a */
static void least_norm(bench *b, const double *a, double *mu) {
    const bl_system *sys = b->sys;
    size_t m = (size_t)sys->nv, n = (size_t)sys->np, big = m > n ? m : n;
    double *A = calloc(m * n, sizeof *A), *x = calloc(big, sizeof *x), *work = malloc(bl_least_norm_work(sys->nv, sys->np) * sizeof *work);
    bl_index rank = 0;
    bl_eval_at(&b->e, &b->state);
    expect(b, bl_system_eval(sys, &b->e, BL_G | BL_M | BL_Q));
    for (bl_index j = 0; j < sys->nv; j++) {
        x[j] += b->e.Q[j];
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++)
            x[sys->pat_M.idx[k]] -= b->e.M[k] * a[j];
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++)
            A[(size_t)sys->pat_G.idx[k] * m + (size_t)j] = b->e.G[k] / sys->row[sys->pat_G.idx[k]].scale;
    }
    expect(b, bl_least_norm(b->ctx, sys->nv, sys->np, A, 1e-10, x, &rank, work));
    memcpy(mu, x, n * sizeof *mu);
    free(A);
    free(x);
    free(work);
}

static void multipliers__are_those_of_least_norm(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"natural", "reference:angles", "relative"};
    static const double loops[] = {3, 38}; /* L available; by products only if there are enough equations */
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t l = 0; l < sizeof loops / sizeof *loops; l++)
            for (int f = 0; f < 2; f++) {
                bench b = prepare(k == 0 ? 4 * loops[l] : loops[l], kinds[k]);
                size_t nv = (size_t)b.sys->nv, np = (size_t)b.sys->np;
                double *a = calloc(nv + 2 * np, sizeof *a), *lambda = a + nv, *mu = lambda + np, largest = 0, error = 0;
                bl_formulation *form = NULL;
                expect(&b, bl_formulation_create(b.sys, f ? "lagrange" : "partition", NULL, NULL, &form));
                expect(&b, bl_formulation_setup(form, &b.state));
                assert_int_equal(form->dof, 1);
                assert_true(form->redundant >= (bl_index)loops[l]);
                expect(&b, form->kind->accelerations(form, &b.state, a, lambda));
                least_norm(&b, a, mu);
                for (size_t i = 0; i < np; i++) {
                    largest = fmax(largest, fabs(mu[i]));
                    error = fmax(error, fabs(lambda[i] * b.sys->row[i].scale - mu[i]));
                }
                if (!(error <= 1e-9 * largest)) /* condition of the chain: its length squared */
                    fail_msg("%s, %g loops, %s: off by %g of %g", kinds[k], loops[l], form->spec, error, largest);
                bl_formulation_destroy(form);
                free(a);
                finish(&b);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(multipliers__are_those_of_least_norm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
