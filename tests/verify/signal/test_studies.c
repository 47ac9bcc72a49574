/* Studies that are not in time, of models with states: equilibria with z' = 0, eigenvalues of mechanism and states together, state-space
 * matrices with the states as states; what has no answer is refused. */
#include "biela/equilibrium.h"
#include "biela/inverse.h"
#include "biela/modes.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};
enum { NCOORDINATES = 4 };

/* m g l/2 sin a = k V / R holds the rod up; l = m = 1, J = 1/3 */
#define MOTOR                                                                                               \
    "model: motor\ndimension: 2\ngravity: [0, -9.81]\nparameters: {R: 1, L: 0.1, k: 0.5}\ninputs: {V: 3}\n" \
    "states: [{name: i, start: 0, rate: '=(V - R*i - k*A.rate)/L'}]\n"                                      \
    "bodies: [{name: rod, rod: {from: [0, 0], to: [0, -1]}, mass: 1}]\n"                                    \
    "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"                              \
    "forces: [{type: torque, body: rod, torque: '=k*i - 0.2*A.rate'}]\n"
#define MASS                                                                   \
    "dimension: 2\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n" \
    "joints: [{name: j, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}]\n"

static bl_model *read_model(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    if (bl_model_read_text(ctx, "studies", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

static void near(double got, double want, double tolerance, const char *what) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%s is %.12g, expected %.12g", what, got, want);
}

typedef struct kept {
    double angle, current;
    char stability[192];
    bl_index unstable;
} kept;

static bl_status keep(void *user, const bl_sample *sample) {
    kept *k = user;
    k->angle = sample->variable[0];
    k->current = sample->signal[1];
    k->unstable = sample->equilibrium->unstable;
    return BL_OK;
}

static void equilibria__hold_states_at_rest(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, MOTOR);
    for (int c = 0; c < NCOORDINATES; c++) {
        kept found = {0};
        bl_sink sink = {.user = &found, .sample = keep};
        bl_equilibrium_options o = {.coordinates = coordinates[c]};
        if (bl_equilibrium(ctx, model, &o, &sink, 1, NULL, NULL) != BL_OK)
            fail_msg("%s: %s", coordinates[c], bl_context_error(ctx)->what);
        near(found.angle, asin(0.5 * 3 / (9.81 / 2)), 1e-9, "angle");
        near(found.current, 3, 1e-9, "current");
        assert_int_equal(found.unstable, 0);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* s^3 + kd s^2 + kp s + ki: unstable if kp kd < ki (Routh) */
static void stability__is_that_of_the_closed_loop(void **unused) {
    (void)unused;
    static const struct { double kp, ki, kd; } cases[] = {{2, 3, 1.6}, {2, 3, 1.4}, {100, 50, 0.6}, {100, 50, 0.4}};
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < NCOORDINATES; c++) {
            char text[700];
            snprintf(text, sizeof text,
                     "inputs: {dummy: 0}\n" MASS
                     "controllers: [{name: pid, type: pid, of: j.distance, target: 1, kp: %g, ki: %g, kd: %g}]\n"
                     "forces: [{type: force, body: c, at: [0, 0], force: [=pid, 0]}]\n",
                     cases[i].kp, cases[i].ki, cases[i].kd);
            bl_context *ctx = test_context(NULL);
            bl_model *model = read_model(ctx, text);
            kept found = {0};
            bl_sink sink = {.user = &found, .sample = keep};
            bl_equilibrium_options o = {.coordinates = coordinates[c]};
            if (bl_equilibrium(ctx, model, &o, &sink, 1, NULL, NULL) != BL_OK)
                fail_msg("%s: %s", coordinates[c], bl_context_error(ctx)->what);
            assert_int_equal(found.unstable > 0, cases[i].kp * cases[i].kd < cases[i].ki);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

/* K2: poles of s^3 + 10 s^2 + 100 s + 50 */
static void modes__include_states(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, MASS "controllers: [{name: pid, type: pid, of: j.distance, target: 1, kp: 100, ki: 50, kd: 10}]\n"
                                           "forces: [{type: force, body: c, at: [0, 0], force: [=pid + 5, 0]}]\n");
    for (int c = 0; c < NCOORDINATES; c++) {
        bl_modes_report modes = {0};
        bl_modes_options o = {.coordinates = coordinates[c], .count = -1};
        if (bl_modes(ctx, model, &o, NULL, 0, &modes) != BL_OK)
            fail_msg("%s: %s", coordinates[c], bl_context_error(ctx)->what);
        assert_int_equal(modes.nmode, 2);
        assert_int_equal(modes.nmassless, 0);
        assert_int_equal(modes.dof, 1);
        near(modes.mode[0].re, -0.5262350668, 1e-9, "first pole");
        near(modes.mode[1].re, -4.7368824666, 1e-9, "second pole");
        near(modes.mode[1].im, 8.5191852413, 1e-9, "second pole");
        assert_int_equal(modes.stability, BL_STABLE);
        bl_modes_report_destroy(ctx, &modes);
        o.damping = BL_MODES_UNDAMPED;
        assert_int_equal(bl_modes(ctx, model, &o, NULL, 0, &modes), BL_E_ABILITY);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* K5: poles of the cart and pendulum with state feedback */
static void modes__of_feedback_loops(void **unused) {
    (void)unused;
    static const char text[] =
        "dimension: 2\ngravity: [0, -9.81]\n"
        "bodies: [{name: cart, mass: 1, center: [0, 0], inertia: 1}, {name: rod, rod: {from: [0, 0], to: [0, 1]}, mass: 0.3}]\n"
        "joints:\n"
        "  - {name: rail, type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}\n"
        "  - {name: hinge, type: revolute, bodies: [cart, rod], at: [0, 0]}\n"
        "controllers:\n"
        "  - {name: u, type: feedback, gains: {rail.distance: -3.1622776602, hinge.angle: 47.3942507760, rail.rate: -4.8304642639,\n"
        "     hinge.rate: 11.9010048676}}\n"
        "forces: [{type: force, body: cart, at: [0, 0], force: [=u, 0]}]\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, text);
    for (int c = 0; c < NCOORDINATES; c++) {
        bl_modes_report modes = {0};
        bl_modes_options o = {.coordinates = coordinates[c], .count = -1};
        if (bl_modes(ctx, model, &o, NULL, 0, &modes) != BL_OK)
            fail_msg("%s: %s", coordinates[c], bl_context_error(ctx)->what);
        assert_int_equal(modes.nmode, 3);
        near(modes.mode[0].re, -1.0341200880, 1e-8, "pole");
        near(modes.mode[0].im, 0.9144449530, 1e-8, "pole");
        near(modes.mode[1].re, -3.4388075235, 1e-8, "pole");
        near(modes.mode[2].re, -6.6055504750, 1e-8, "pole");
        bl_modes_report_destroy(ctx, &modes);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* J a'' = k i - c a' - m g l/2 cos a0 a,  L i' = V - R i - k a' */
static void state_space__has_the_states_of_the_model(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, MOTOR "controllers: [{name: power, output: '=k*i*A.rate + 2*A.angle'}]\n");
    const char *input[] = {"V"}, *output[] = {"i", "A.angle", "power"};
    double a0 = asin(0.5 * 3 / (9.81 / 2)), J = 1.0 / 3;
    const double A[3][3] = {{0, 1, 0}, {-9.81 / 2 * cos(a0) / J, -0.2 / J, 0.5 / J}, {0, -5, -10}};
    const double C[3][3] = {{0, 0, 1}, {1, 0, 0}, {2, 0.5 * 3, 0}};
    for (int c = 0; c < NCOORDINATES; c++) {
        bl_modes_report modes = {0};
        bl_modes_options o = {.coordinates = coordinates[c], .input = input, .ninput = 1, .output = output, .noutput = 3};
        if (bl_modes(ctx, model, &o, NULL, 0, &modes) != BL_OK)
            fail_msg("%s: %s", coordinates[c], bl_context_error(ctx)->what);
        const bl_linear_model *l = modes.linear;
        assert_non_null(l);
        assert_int_equal(l->nstate, 3);
        assert_string_equal(l->state[2], "i");
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                near(l->A[i + 3 * j], A[i][j], 1e-9, "A");
                near(l->C[i + 3 * j], C[i][j], 1e-9, "C");
            }
        near(l->B[0], 0, 1e-12, "B");
        near(l->B[1], 0, 1e-12, "B");
        near(l->B[2], 10, 1e-12, "B");
        bl_modes_report_destroy(ctx, &modes);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void questions_without_an_answer__are_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, MOTOR "drivers: [{variable: A.angle, value: =t}]\nsimulate: {until: 1}\n");
    bl_inverse_summary found = {0};
    bl_modes_report modes = {0};
    assert_int_equal(bl_inverse(ctx, model, NULL, NULL, 0, NULL, &found), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(ctx)->what, "states, sampled controllers and events"));
    assert_int_equal(bl_modes(ctx, model, &(bl_modes_options){.at = BL_MODES_AT_STEADY}, NULL, 0, &modes), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(ctx)->what, "not available with states"));
    bl_model_destroy(model);
    model = read_model(ctx, MASS "forces: [{type: force, body: c, at: [0, 0], force: ['=-delay(j.distance, 0.1)', 0]}]\n");
    assert_int_equal(bl_equilibrium(ctx, model, NULL, NULL, 0, NULL, NULL), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(ctx)->what, "equilibria are not available with delays"));
    assert_int_equal(bl_modes(ctx, model, NULL, NULL, 0, &modes), BL_E_ABILITY);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equilibria__hold_states_at_rest),
        cmocka_unit_test(stability__is_that_of_the_closed_loop),
        cmocka_unit_test(modes__include_states),
        cmocka_unit_test(modes__of_feedback_loops),
        cmocka_unit_test(state_space__has_the_states_of_the_model),
        cmocka_unit_test(questions_without_an_answer__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
