/* Trees in relative coordinates: the mass matrix and its inverse are computed by different recursions, accelerations by a third one; resets
 * of spherical joints do not affect the motion. */
#include "base/isa.h"
#include "coords/coords.h"
#include "study/study.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 88172645463325252u;
static double uniform(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

/* a tree with branches; all bodies have full inertia tensors, joints have either orientation */
static const char *const branches = "model: branches\n"
                                    "gravity: [1, -3, -9]\n"
                                    "bodies:\n"
                                    "  - {name: a, center: [1, 0, 0.2], mass: 2, inertia: [1, 1.2, 1.5, 0.1, 0.2, -0.1]}\n"
                                    "  - {name: b, center: [2, 0.5, 0], mass: 1, inertia: [0.5, 0.7, 0.6, 0.05, -0.1, 0.02]}\n"
                                    "  - {name: c, center: [2, -1, 0.3], mass: 3, inertia: [2, 1.4, 1.8, 0, 0.3, 0]}\n"
                                    "  - {name: d, center: [3, -1, 1], mass: 0.5, inertia: [0.3, 0.2, 0.3, 0, 0, 0]}\n"
                                    "joints:\n"
                                    "  - {name: j1, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 1, 2]}\n"
                                    "  - {name: j2, type: spherical, bodies: [b, a], at: [1.5, 0.2, 0]}\n"
                                    "  - {name: j3, type: revolute, bodies: [c, a], at: [1.4, -0.3, 0.1], axis: [1, 1, 0]}\n"
                                    "  - {name: j4, type: spherical, bodies: [c, d], at: [2.5, -1, 0.5]}\n";

static void check_tree_by(bl_isa isa, const char *scene, const char *text) {
    char file[512];
    bl_context *ctx;
    bl_model *model = NULL;
    bl_system *sys = NULL;
    bl_state state = {0};
    bl_eval e = {0}, f = {0};
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_context_create(NULL, &ctx), BL_OK);
    assert_true(bl_context_use_isa(ctx, isa));
    bl_status status =
        text ? bl_model_read_text(ctx, scene, text, strlen(text), NULL, 0, &model) : bl_model_read(ctx, file, NULL, 0, &model);
    if (status != BL_OK)
        fail_msg("%s: %s", scene, bl_context_error(ctx)->what);
    assert_int_equal(bl_coords_build(ctx, model, "relative", &sys), BL_OK);
    assert_true(sys->can & BL_CAN_MSOLVE);
    assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
    assert_int_equal(bl_coords_initial(sys, &state), BL_OK);
    assert_int_equal(bl_eval_create(sys, BL_ALL, &e), BL_OK);
    assert_int_equal(bl_eval_create(sys, BL_ALL, &f), BL_OK);
    size_t nv = (size_t)sys->nv;
    double *x = malloc(3 * nv * sizeof *x), *y = x + nv, *z = y + nv;
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < nv; i++) {
            state.q[i] += 0.6 * uniform();
            state.v[i] = 3 * uniform();
            x[i] = uniform();
        }
        bl_eval_at(&e, &state);
        bl_eval_at(&f, &state);
        assert_int_equal(bl_system_apply(sys, &e, BL_OP_MINV, 1, x, y), BL_OK);
        assert_int_equal(bl_system_apply(sys, &f, BL_OP_M, 1, y, z), BL_OK);
        double most = 0;
        for (size_t i = 0; i < nv; i++)
            most = fmax(most, fabs(y[i]));
        for (size_t i = 0; i < nv; i++) /* rounding: condition number of M times 1e-16 */
            if (!(fabs(z[i] - x[i]) <= 1e-11 * (1 + most)))
                fail_msg("%s: M M^-1 x [%d] is %.15g instead of %.15g", scene, (int)i, z[i], x[i]);
        bl_eval_at(&e, &state);
        assert_int_equal(bl_system_eval(sys, &e, BL_FREE_ACC), BL_OK);
        bl_eval_at(&f, &state);
        assert_int_equal(bl_system_eval(sys, &f, BL_Q), BL_OK);
        assert_int_equal(bl_system_apply(sys, &f, BL_OP_M, 1, e.a_free, z), BL_OK);
        most = 0;
        for (size_t i = 0; i < nv; i++)
            most = fmax(most, fabs(f.Q[i]));
        for (size_t i = 0; i < nv; i++)
            if (!(fabs(z[i] - f.Q[i]) <= 1e-10 * most))
                fail_msg("%s: M a [%d] is %.15g, Q %.15g", scene, (int)i, z[i], f.Q[i]);
    }
    free(x);
    bl_eval_destroy(sys, &e);
    bl_eval_destroy(sys, &f);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
}

/* kernels of all instruction sets of this machine */
static void check_tree(const char *scene, const char *text) {
    for (bl_isa isa = BL_ISA_PLAIN; isa < BL_ISA_COUNT; isa++)
        if (bl_isa_available(isa))
            check_tree_by(isa, scene, text);
}

static void relative__mass_times_its_inverse_is_one(void **unused) {
    (void)unused;
    static const char *const scenes[] = {"pendulum", "double_pendulum", "heavy_top", "five_bar_pendulum", "tether", "w3_chain", "w4_chain"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        check_tree(scenes[i], NULL);
    check_tree("branches", branches);
}

enum { SAMPLES = 60 };
typedef struct tips {
    double at[SAMPLES][3];
    int n;
} tips;

static bl_status keep_tip(void *user, const bl_sample *s) {
    tips *t = user;
    if (t->n < SAMPLES)
        memcpy(t->at[t->n++], s->probe, 3 * sizeof(double));
    return BL_OK;
}

/* The chain of spherical joints rotates far within 3 s; some samples are inside steps at whose end joints were reset. */
static void relative__balls_taken_in_leave_the_motion_alone(void **unused) {
    (void)unused;
    char file[512];
    bl_context *ctx;
    bl_model *model;
    tips got[3] = {0};
    double at[SAMPLES];
    for (int k = 0; k < SAMPLES; k++)
        at[k] = 0.05 * (k + 1);
    snprintf(file, sizeof file, "%s/w4_chain.yaml", SCENES);
    assert_int_equal(bl_context_create(NULL, &ctx), BL_OK);
    assert_int_equal(bl_model_read(ctx, file, NULL, 0, &model), BL_OK);
    static const char *const coordinates[] = {"natural", "relative", "relative"}, *const integrator[] = {"dop853", "dop853", "abm"};
    for (int i = 0; i < 3; i++) {
        bl_run_options options = {
            .coordinates = coordinates[i], .integrator = integrator[i], .tolerance = 1e-9, .until = 3, .at = at, .nat = SAMPLES};
        bl_sink sink = {.user = &got[i], .sample = keep_tip};
        bl_run_summary summary = {0};
        assert_int_equal(bl_simulate(ctx, model, &options, &sink, 1, &summary), BL_OK);
        assert_int_equal(got[i].n, SAMPLES);
        if (i > 0)
            assert_true(summary.restarts > 0);
        for (int k = 0; k < SAMPLES; k++)
            for (int c = 0; c < 3; c++)
                if (!(fabs(got[i].at[k][c] - got[0].at[k][c]) <= 1e-5)) /* the motion magnifies 1e-9 about a thousand times in 3 s */
                    fail_msg("%s: tip at %g s is %.9g, in natural coordinates %.9g", integrator[i], at[k], got[i].at[k][c],
                             got[0].at[k][c]);
    }
    bl_model_destroy(model);
    bl_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(relative__mass_times_its_inverse_is_one),
                                       cmocka_unit_test(relative__balls_taken_in_leave_the_motion_alone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
