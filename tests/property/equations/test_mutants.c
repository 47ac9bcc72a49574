/* A system read from a damaged file of equations can be evaluated: it gives numbers, or an error that they are not finite. If everything is
 * finite, K agrees with a difference along a random direction. */
#include "equations/equations.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 8192, NFILE = 6, NTRIAL = 1500 };
static const char *const files[NFILE] = {"hires", "car_axis", "andrews_equations", "pleiades", "extended_2", "rotating_spring"};
static const char *const pieces[] = {"+", "-", "*",   "/",      "^2",   "sqrt(",   ")",        "(",   "t",
                                     "x", "0", "1e9", "sin(t)", "abs(", "min(1, ", "1 > t ? ", "[1]", "_rate"};

static size_t load(const char *name, char *text) {
    char path[512];
    snprintf(path, sizeof path, SCENES "/%s.yaml", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(text, 1, LARGEST / 2, file);
    fclose(file);
    return n;
}

/* one change after a '=': a piece inserted, or characters removed */
static void damage(test_random *random, char *text, size_t *n) {
    size_t at = (size_t)test_random_below(random, (int)*n);
    for (int tries = 0; tries < 50 && text[at] != '='; tries++)
        at = (size_t)test_random_below(random, (int)*n);
    at += 1 + (size_t)test_random_below(random, 20);
    if (at >= *n)
        return;
    const char *piece = pieces[test_random_below(random, sizeof pieces / sizeof *pieces)];
    size_t m = strlen(piece), out = (size_t)test_random_below(random, 3);
    if (*n + m >= LARGEST || at + out > *n)
        return;
    memmove(text + at + m, text + at + out, *n - at - out);
    memcpy(text + at, piece, m);
    *n = *n + m - out;
}

static double force_along(const bl_system *sys, bl_eval *e, const double *weight) {
    double sum = 0;
    for (bl_index i = 0; i < sys->nv; i++)
        sum += weight[i] * e->Q[i];
    for (bl_index i = 0; i < sys->nz; i++)
        sum += weight[sys->nv + i] * e->f[i];
    return sum;
}

/* whether weight . K direction equals a difference; points where the difference itself does not converge do not count */
static bool tangent_fits(const bl_system *sys, bl_eval *e, bl_state *state, test_random *random, bool *counted) {
    bl_index n = sys->nv + sys->nz;
    double direction[64], weight[64], product[64] = {0}, slope[2], size = 0;
    assert_true(n <= 64);
    for (bl_index j = 0; j < n; j++) {
        direction[j] = test_random_symmetric(random);
        weight[j] = test_random_symmetric(random);
    }
    bl_csc_multiply(&sys->pat_K, e->K, direction, product);
    double expected = 0;
    for (bl_index i = 0; i < n; i++)
        expected -= weight[i] * product[i];
    for (int k = 0; k < 2; k++) {
        double h = k ? 1e-5 : 2e-5, side[2];
        for (int s = 0; s < 2; s++) {
            for (bl_index j = 0; j < n; j++)
                *(j < sys->nv ? &state->q[j] : &state->z[j - sys->nv]) += (s ? -2 : 1) * h * direction[j];
            bl_eval_at(e, state);
            bl_status status = bl_system_eval(sys, e, BL_Q | BL_F);
            side[s] = status == BL_OK ? force_along(sys, e, weight) : NAN;
            for (bl_index i = 0; i < n; i++) /* reference for rounding errors */
                size = fmax(size, fabs(i < sys->nv ? e->Q[i] : e->f[i - sys->nv]));
        }
        for (bl_index j = 0; j < n; j++)
            *(j < sys->nv ? &state->q[j] : &state->z[j - sys->nv]) += h * direction[j];
        slope[k] = (side[0] - side[1]) / (2 * h);
    }
    *counted = fabs(slope[0] - slope[1]) <= 1e-6 * fabs(slope[1]) && 1e-16 * size / 1e-5 < 1e-6 * fabs(slope[1]);
    return !*counted || fabs(slope[1] - expected) <= 1e-4 * (fabs(slope[1]) + fabs(expected));
}

static void mutants__that_are_read_can_be_evaluated(void **unused) {
    (void)unused;
    uint64_t seed = test_seed(99);
    test_random random = {seed};
    static char text[LARGEST + 1];
    int built = 0, compared = 0;
    for (int trial = 0; trial < NTRIAL; trial++) {
        size_t n = load(files[test_random_below(&random, NFILE)], text);
        for (int k = 1 + test_random_below(&random, 2); k > 0; k--)
            damage(&random, text, &n);
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        bl_system *sys = NULL;
        if (bl_model_read_text(ctx, "mutant.yaml", text, n, NULL, 0, &model) == BL_OK && model->equations) {
            bl_eval e = {0};
            bl_state state;
            bl_status status = bl_equations_build(ctx, model, &sys);
            assert_int_equal(status, BL_OK);
            built++;
            assert_int_equal(bl_eval_create(sys, BL_ALL, &e), BL_OK);
            assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
            assert_int_equal(bl_equations_initial(sys, &state), BL_OK);
            for (bl_index j = 0; j < sys->nv; j++)
                state.q[j] += 0.1 * test_random_symmetric(&random);
            for (bl_index j = 0; j < sys->nz; j++)
                state.z[j] += 0.1 * test_random_symmetric(&random);
            *state.t = 0.3;
            bl_eval_at(&e, &state);
            e.a = state.v;
            status = bl_system_eval(sys, &e, BL_M | BL_Q | BL_F | BL_PHI | BL_G | BL_B | BL_C | BL_KC | BL_MA_X | BL_GTL_X | BL_GV_X);
            bool counted = false;
            if (status != BL_NOT_FINITE) {
                assert_int_equal(status, BL_OK);
                if (!tangent_fits(sys, &e, &state, &random, &counted))
                    fail_msg("seed %llu, trial %d: K is wrong\n%.*s", (unsigned long long)seed, trial, (int)n, text);
            }
            compared += counted;
            bl_eval_destroy(sys, &e);
            bl_state_destroy(sys, &state);
            bl_system_destroy(sys);
        }
        bl_model_destroy(model);
        test_context_end(ctx);
    }
    print_message("%d of %d were read, %d compared\n", built, NTRIAL, compared);
    assert_true(built > NTRIAL / 10 && compared > built / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(mutants__that_are_read_can_be_evaluated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
