/* Laws that push toward their discontinuity from both sides: the motion stays on it. */
#include "study/run.h"
#include "study/simulation.h"
#include "support/switching.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* ---- chattering */

/* a block with friction comes to rest and stays: amplitudes 1, 0.74, 0.48, 0.22, then the friction holds it */
static void friction_by_sign__holds_at_rest(void **state) {
    (void)state;
    static const char *const all[] = {NULL, "dopri45", "dop853", "abm", "radau", "stiff_auto", "ndf_auto"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (switching_as form = SECOND; form <= DISC; form++) {
            const switching t = {"-x - 0.13*sign(v)", 1, 40, -0.04};
            char text[1200], why[512];
            bl_run_summary summary = {0};
            switching_model(form, &t, text, sizeof text);
            bl_run_options o = {.integrator = all[i], .until = 40, .every = 40, .tolerance = 1e-8};
            if (form >= CART && all[i])
                o.formulation = "partition";
            double x = switching_run(text, &o, &summary, why);
            if (!(fabs(x - t.exact) < 1e-4) || summary.steps > 5000)
                fail_msg("%s, form %d: %.12g, not %.12g, after %ld steps %s", all[i] ? all[i] : "default", (int)form, x, t.exact,
                         summary.steps, why);
        }
}

/* a relay that controls x' = u - sign(x), u = 0.5 sin t: x remains 0 as long as |u| < 1, i.e. always */
static void relay__slides(void **state) {
    (void)state;
    static const char *const all[] = {"series", "dopri45", "dop853", "radau"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *text = "equations:\n  states: [{name: x, start: 1, rate: \"=0.5*sin(t) - sign(x)\"}, {name: y, start: 0, rate: =x}]\n";
        char why[512];
        bl_run_summary summary = {0};
        bl_run_options o = {.integrator = all[i], .until = 20, .every = 20, .tolerance = 1e-6};
        double x = switching_run(text, &o, &summary, why);
        if (!(fabs(x) < 1e-3) || summary.steps > 20000)
            fail_msg("%s: x = %.6g after %ld steps %s", all[i], x, summary.steps, why);
    }
}

/* the warning contains what, where and what to do */
static void chattering__is_said(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    const switching t = {"-x - 0.13*sign(v)", 1, 40, -0.04};
    char text[1200];
    bl_run_summary summary = {0};
    switching_model(CART, &t, text, sizeof text);
    assert_int_equal(bl_model_read_text(ctx, "rubs", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_simulate(ctx, model, &(bl_run_options){.until = 40}, NULL, 0, &summary), BL_OK);
    const bl_warning *warning = NULL;
    bl_index more;
    bl_index count = bl_context_warnings(ctx, &warning, &more);
    assert_int_equal(count, 1);
    assert_non_null(strstr(warning[0].text, "both sides"));
    assert_non_null(strstr(warning[0].text, "'f'"));
    assert_float_equal(warning[0].time, 4 * pi, 1e-4);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_by_sign__holds_at_rest),
        cmocka_unit_test(relay__slides),
        cmocka_unit_test(chattering__is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
