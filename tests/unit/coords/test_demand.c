/* Forces required for accelerations, M a - Q, M x of trees without M, and power without Q, compared with the matrices and forces, in every
 * kind of coordinates. */
#include "coords/coords.h"
#include "model/model.h"
#include "study/run.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const every_kind[] = {"natural", "mixed", "reference", "relative"};

static void compare(const char *scene, const char *kind, test_random *random, int *losses) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_eval e = {0}, other = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
    if (bl_run_prepare(ctx, model, kind, &sys, &state) != BL_OK)
        fail_msg("%s, %s: %s", scene, kind, bl_context_error(ctx)->what);
    size_t n = (size_t)sys->nv;
    double *a = calloc(4 * n, sizeof *a), *force = a + n, *Ma = force + n, *wanted = Ma + n;
    for (int k = 0; k < 3; k++) {
        for (size_t j = 0; j < n; j++) {
            a[j] = test_random_symmetric(random);
            Ma[j] = 0.1 * test_random_symmetric(random) * sys->col[j].scale;
            state.v[j] = test_random_symmetric(random) * sys->col[j].scale;
        }
        assert_int_equal(bl_system_retract(sys, state.q, Ma, state.q), BL_OK); /* off the constraints, which makes no difference */
        if (k == 0) {
            assert_int_equal(bl_eval_create(sys, BL_Q, &e), BL_OK);
            assert_int_equal(bl_eval_create(sys, BL_Q | BL_M, &other), BL_OK);
        }
        bl_eval_at(&e, &state);
        assert_int_equal(bl_system_demand(sys, &e, a, force), BL_OK);
        bl_eval_at(&other, &state);
        assert_int_equal(bl_system_eval(sys, &other, BL_Q | BL_M), BL_OK);
        memset(wanted, 0, n * sizeof *wanted);
        bl_csc_multiply(&sys->pat_M, other.M, a, wanted);
        if (sys->facts & BL_POWER_OF_V) { /* alone, as with Q */
            bl_eval_at(&e, &state);
            assert_int_equal(sys->kind->power(sys, &e), BL_OK);
            assert_near(e.power, other.power, 1e-12 * fmax(1, fabs(other.power)));
            *losses += other.power != 0;
        }
        bl_eval_at(&e, &state);
        assert_int_equal(bl_system_apply(sys, &e, BL_OP_M, 1, a, Ma), BL_OK);
        double size = 0;
        for (size_t j = 0; j < n; j++)
            size = fmax(size, fmax(fabs(wanted[j]), fabs(other.Q[j])));
        for (size_t j = 0; j < n; j++) {
            assert_near(Ma[j] / size, wanted[j] / size, 1e-12);
            assert_near(force[j] / size, (wanted[j] - other.Q[j]) / size, 1e-12);
        }
    }
    free(a);
    bl_eval_destroy(sys, &e);
    bl_eval_destroy(sys, &other);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void demands__are_those_of_the_matrices(void **unused) {
    (void)unused;
    static const char *const scenes[] = {"w3_chain", "w4_chain",  "vehicle",      "four_bar",       "bricard",
                                         "hexapod",  "heavy_top", "hanging_rods", "floating_crank", "floating_arm"};
    test_random random = {test_seed(1811)};
    int losses = 0; /* powers that are not 0 */
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++)
        for (int c = 0; c < 4; c++)
            compare(scenes[s], every_kind[c], &random, &losses);
    assert_true(losses > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(demands__are_those_of_the_matrices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
