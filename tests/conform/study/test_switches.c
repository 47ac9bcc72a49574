/* Laws with jumps or kinks, in time and in the state, compared with closed forms: equations by every integrator, loads of matrices. */
#include "study/run.h"
#include "study/simulation.h"
#include "support/switching.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static void equations_of_second_order(void **state) {
    (void)state;
    switching_adaptive_methods(SECOND, NULL);
}

static void equations_of_first_order(void **state) {
    (void)state;
    switching_adaptive_methods(FIRST, NULL);
}

/* ---- methods with a fixed step: jumps between grid times are located, so errors decrease with the step */

static void fixed_steps__converge(void **state) {
    (void)state;
    const switching list[] = {{"t <= 1.0371 ? 5 : 0", 0, 2, 0.5 * 5 * 1.0371 * 1.0371 + 5 * 1.0371 * (2 - 1.0371)},
                              {"x > 0 ? -4*x : -x", 1, 1.5 * pi + 0.3, cos(0.6)}};
    char why[512];
    for (size_t k = 0; k < bl_integrator_kind_count; k++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[k];
        if ((kind->kind.gives & BL_ADAPTIVE) || kind == &bl_integrator_multistep)
            continue;
        for (int i = 0; i < 2; i++) {
            double error[2];
            for (int h = 0; h < 2; h++)
                error[h] =
                    switching_error(SECOND, &list[i], (bl_run_options){.integrator = kind->kind.name, .step = h ? 0.005 : 0.01}, why);
            if (strstr(why, "linear system"))
                continue;
            if (!(error[1] < 0.6 * error[0] || error[1] < 1e-9))
                fail_msg("%s, x'' = %s: errors %.3g, then %.3g %s", kind->kind.name, list[i].law, error[0], error[1], why);
        }
    }
}

/* ---- tables, loads of matrices */

static void matrices__meet_jumps_of_their_loads(void **state) {
    (void)state;
    char why[512];
    /* x'' + 4 x = 8 until t = 2, then 0: x = 2 - 2 cos 2t, then the free motion that follows */
    double x2 = 2 - 2 * cos(4), v2 = 4 * sin(4), exact = x2 * cos(6) + v2 / 2 * sin(6);
    const char *text = "matrices:\n  M: [[1]]\n  K: [[4]]\n  load: [\"=t < 2 ? 8 : 0\"]\n";
    for (int i = 0; i < switching_adaptive_count; i++)
        for (double tolerance = 1e-6; tolerance > 5e-13; tolerance *= 1e-3) {
            bl_run_options o = {.integrator = switching_adaptive[i], .tolerance = tolerance, .until = 5, .every = 5};
            double x = switching_run(text, &o, NULL, why);
            if (!(fabs(x - exact) < 3000 * tolerance)) /* error of backward differences for oscillations */
                fail_msg("%s at %g: %.15g, not %.15g %s", switching_adaptive[i], tolerance, x, exact, why);
        }
}

/* ---- laws without switches */

static void smooth_models__have_no_events(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state start = {0};
    const switching t = {"-4*x + 0.1*sin(t)", 1, 1, 0};
    for (switching_as form = SECOND; form <= DISC; form++) {
        char text[1200];
        switching_model(form, &t, text, sizeof text);
        assert_int_equal(bl_model_read_text(ctx, "smooth", text, strlen(text), NULL, 0, &model), BL_OK);
        assert_int_equal(bl_run_prepare(ctx, model, NULL, &sys, &start), BL_OK);
        double next;
        assert_int_equal(sys->nevent, 0);
        assert_int_equal(sys->kind->next_time(sys, &start, &next), BL_OK);
        assert_true(next == INFINITY);
        bl_state_destroy(sys, &start);
        bl_system_destroy(sys);
        bl_model_destroy(model);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equations_of_second_order),     cmocka_unit_test(equations_of_first_order),
        cmocka_unit_test(fixed_steps__converge),         cmocka_unit_test(matrices__meet_jumps_of_their_loads),
        cmocka_unit_test(smooth_models__have_no_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
