/* Building a system: failed allocations, errors with their reasons, revolutions, rods without spin, initial conditions. */
#include "coords/coords.h"
#include "study/study.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static bl_status read_text(bl_context *ctx, const char *text, bl_model **model) {
    return bl_model_read_text(ctx, "test.yaml", text, strlen(text), NULL, 0, model);
}

typedef struct built {
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_eval e;
} built;

static bl_status assemble(bl_context *ctx, const char *text, const char *coordinates, built *b) {
    BL_TRY(read_text(ctx, text, &b->model));
    BL_TRY(bl_coords_build(ctx, b->model, coordinates, &b->sys));
    BL_TRY(bl_state_create(b->sys, 0, &b->state));
    BL_TRY(bl_coords_initial(b->sys, &b->state));
    BL_TRY(bl_assemble_positions(b->sys, b->model, &b->state));
    BL_TRY(bl_assemble_velocities(b->sys, b->model, &b->state));
    BL_TRY(bl_eval_create(b->sys, BL_ALL, &b->e));
    bl_eval_at(&b->e, &b->state);
    return bl_system_eval(b->sys, &b->e, BL_PHI | BL_G | BL_Q | BL_C | BL_KC | BL_POSE | BL_VARIABLES | BL_PROBES | BL_EVENTS | BL_ENERGY);
}

static void forget(built *b) {
    if (b->sys) {
        bl_eval_destroy(b->sys, &b->e);
        bl_state_destroy(b->sys, &b->state);
        bl_system_destroy(b->sys);
    }
    bl_model_destroy(b->model);
}

/* ---- memory */

static bl_status whole_life(bl_context *ctx, void *user) {
    built b = {0};
    bl_status status = assemble(ctx, user, NULL, &b);
    forget(&b);
    return status;
}

static void build__survives_every_failing_allocation(void **unused) {
    (void)unused;
    static char *const texts[] = {
        "dimension: 2\ngravity: [0, -9.81]\nparameters: {k: 3}\n"
        "bodies: [{name: crank, rod: {from: [0,0], to: [1,0]}, mass: 1}, {name: coupler, rod: {from: [1,0], to: [3,0]}, mass: 1}]\n"
        "joints: [{name: a, type: revolute, bodies: [ground, crank], at: [0,0]}, {name: b, type: revolute, bodies:"
        " [crank, coupler], at: [1,0]},"
        " {name: s, type: point_on_line, bodies: [ground, coupler], at: [3,0], axis: [1,0]}]\n"
        "forces: [{type: rotational_spring, variable: a.angle, stiffness: 2}, {type: force, body: coupler, force: [=k*b.angle, 0]}]\n"
        "probes: {P: {body: coupler, at: [2,0]}}\ninitial: {b.rate: 1}\nsimulate: {until: 1, stop: P.x - 1}\n",
        "gravity: [0, 0, -9.81]\nbodies: [{name: top, mass: 2, center: [0,1,0], inertia: [1,1,1]}, {name: arm, rod:"
        " {from: [0,2,0], to: [1,2,0]}, mass: 1}]\n"
        "joints: [{name: a, type: spherical, bodies: [ground, top], at: [0,0,0], angles: true, axis: [0,0,1], reference: [1,0,0]},"
        " {name: b, type: cylindrical, bodies: [top, arm], at: [0,2,0], axis: [0,1,0], cut: true}]\n"
        "drivers: [{variable: b.distance, value: =0.1*sin(t)}]\ncoordinates: mixed\nmeasure: [b.angle]\n"
        "forces: [{type: spherical_spring, joint: a, stiffness: [1,2,3]}]\ninitial: {top: {angular_velocity: [0,0,1], guess: true}}\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        long n = test_failing_allocations(whole_life, texts[i]);
        assert_true(n > 50);
    }
}

/* ---- errors */

static void expect_refusal(const char *text, const char *coordinates, bl_status status, const char *word) {
    bl_context *ctx = test_context(NULL);
    built b = {0};
    assert_int_equal(assemble(ctx, text, coordinates, &b), status);
    if (!strstr(bl_context_error(ctx)->what, word) && !strstr(bl_context_error(ctx)->advice, word))
        fail_msg("'%s' not in: %s (%s)", word, bl_context_error(ctx)->what, bl_context_error(ctx)->advice);
    forget(&b);
    test_context_end(ctx);
}

#define PENDULUM                                                                    \
    "dimension: 2\nbodies: [{name: bar, rod: {from: [0,0], to: [1,0]}, mass: 3}]\n" \
    "joints: [{name: j, type: revolute, bodies: [ground, bar], at: [0,0]}]\n"

static void build__refuses_with_the_reason(void **unused) {
    (void)unused;
    expect_refusal(PENDULUM, "natral", BL_E_ARG, "natural");
    expect_refusal(PENDULUM, "natural:angle=rough", BL_E_ARG, "smooth|switching");
    expect_refusal(PENDULUM "independent: [Q.x]\n", NULL, BL_E_MODEL, "Q.x");
    expect_refusal(PENDULUM "drivers: [{variable: j.angle, value: =2*j.rate}]\n", NULL, BL_E_MODEL, "can use only t, parameters");
    expect_refusal(PENDULUM "initial: {j.angle: 1, bar: {position: [9, 9]}}\n", NULL, BL_E_NUMERIC, "guess");
}

/* ---- revolutions: those of an angle that is not a coordinate are counted at accepted steps */

static void angle__counts_turns(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    built b = {0};
    assert_int_equal(assemble(ctx, PENDULUM "points: {E: [1, 0]}\n", "natural", &b), BL_OK);
    assert_int_equal(b.sys->nq, 2);
    for (int i = 1; i <= 100; i++) {
        double psi = 0.3 * i; /* almost five revolutions */
        double length = 0.5;  /* the mass center is a coordinate of the bar */
        b.state.q[0] = length * cos(psi);
        b.state.q[1] = length * sin(psi);
        b.state.v[0] = -length * sin(psi) * 2;
        b.state.v[1] = length * cos(psi) * 2;
        bl_eval_at(&b.e, &b.state);
        assert_int_equal(b.sys->kind->accept(b.sys, &b.e, &b.state), BL_OK);
        assert_near(b.e.variable[0], psi, 1e-12);
        assert_near(b.e.variable_rate[0], 2, 1e-12);
        assert_near(b.e.pose[1].angular_velocity[2], 2, 1e-12);
        /* half angle: its sign is continuous */
        assert_near(b.e.pose[1].quaternion[0], cos(psi / 2), 1e-12);
        assert_near(b.e.pose[1].quaternion[3], sin(psi / 2), 1e-12);
    }
    forget(&b);
    test_context_end(ctx);
}

/* a slender rod between spherical joints needs only its two end points: there is no spin, which would have no inertia */
static void rod__between_balls_is_two_points(void **unused) {
    (void)unused;
    static const char text[] =
        "bodies: [{name: a, mass: 1, center: [0,0,0], inertia: [1,1,1]}, {name: b, mass: 1, center: [3,0,0], inertia: [1,1,1]},"
        " {name: link, rod: {from: [1,0,0], to: [2,0,0]}, mass: 1}]\n"
        "joints: [{type: spherical, bodies: [a, link], at: [1,0,0]}, {type: spherical, bodies: [link, b], at: [2,0,0]}]\n";
    bl_context *ctx = test_context(NULL);
    built b = {0};
    assert_int_equal(assemble(ctx, text, "natural", &b), BL_OK);
    /* 6 + 6 degrees of freedom of the two bodies less 1 distance = 11 */
    assert_int_equal(b.sys->nq - b.sys->np, 11);
    forget(&b);
    test_context_end(ctx);
}

static double largest_mass(const built *b) {
    double largest = 0;
    for (bl_index k = 0; k < b->sys->pat_M.ptr[b->sys->nv]; k++)
        largest = fmax(largest, fabs(b->e.M[k]));
    return largest;
}

/* Four points, the fourth of which is 2 mm out of the plane of the others (the knuckle of a five-link suspension), and a long body whose
 * first points are close together. In bases of these points 1 kg would count as about (0.3 / 0.002)^2 and (2 / 0.1)^2 kg. */
static void basis__is_neither_thin_nor_small_beside_its_body(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "bodies: [{name: a, mass: 1, center: [0,0.1,0], inertia: [0.01,0.01,0.01], carry: [{point: [0,0,0.2]}, {point: [0.2,0,-0.1]},"
        " {point: [-0.2,0,-0.1]}, {point: [0,0.002,-0.1]}]}]\n",
        "bodies: [{name: a, mass: 1, center: [1,0,0], inertia: [0.1,1,1], carry: [{point: [0,0,0]}, {point: [0.1,0,0]}, {point: [0,0.1,0]},"
        " {point: [0,0,0.1]}, {point: [2,0,0]}, {point: [0,1,0]}, {point: [0,0,1]}]}]\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bl_context *ctx = test_context(NULL);
        built b = {0};
        if (assemble(ctx, texts[i], "natural", &b) != BL_OK)
            fail_msg("%s %s", bl_context_error(ctx)->what, bl_context_error(ctx)->advice);
        assert_int_equal(bl_system_eval(b.sys, &b.e, BL_M), BL_OK);
        print_message("largest mass coefficient %g\n", largest_mass(&b));
        assert_true(largest_mass(&b) < 20);
        forget(&b);
        test_context_end(ctx);
    }
}

/* ---- initial: exact values are met, guesses are followed as far as possible */

static void initial__values_and_rates_are_met(void **unused) {
    (void)unused;
    static const char four_bar[] =
        "dimension: 2\nbodies:\n  - {name: crank, rod: {from: [0,0], to: [0,1]}, mass: 1}\n  - {name: coupler, rod:"
        " {from: [0,1], to: [2,2]}, mass: 1}\n"
        "  - {name: rocker, rod: {from: [2,2], to: [3,0]}, mass: 1}\njoints:\n  - {name: a, type: revolute, bodies:"
        " [ground, crank], at: [0,0]}\n"
        "  - {name: b, type: revolute, bodies: [crank, coupler], at: [0,1]}\n  - {name: c, type: revolute, bodies:"
        " [coupler, rocker], at: [2,2]}\n"
        "  - {name: d, type: revolute, bodies: [rocker, ground], at: [3,0]}\n";
    char text[2048];
    for (int mixed = 0; mixed < 2; mixed++) {
        bl_context *ctx = test_context(NULL);
        built b = {0};
        snprintf(text, sizeof text, "%smeasure: [a.angle]\ninitial: {a.angle: %.17g, a.rate: 6}\n", four_bar, -80 * PI / 180);
        assert_int_equal(assemble(ctx, text, mixed ? "mixed" : "natural", &b), BL_OK);
        assert_near(b.e.variable[0], -80 * PI / 180, 1e-11);
        assert_near(b.e.variable_rate[0], 6, 1e-10);
        bl_index worst;
        assert_true(bl_system_drift(b.sys, b.e.phi, &worst) < 1e-11);
        double gv[16] = {0};
        bl_csc_multiply(&b.sys->pat_G, b.e.G, b.state.v, gv);
        for (bl_index i = 0; i < b.sys->np; i++)
            assert_near(gv[i], 0, 1e-11);
        forget(&b);
        test_context_end(ctx);
    }
    /* a guess that no motion can follow exactly: the nearest velocity is its projection */
    bl_context *ctx = test_context(NULL);
    built b = {0};
    assert_int_equal(assemble(ctx, PENDULUM "initial: {bar: {velocity: [1, 1], guess: true}}\n", "natural", &b), BL_OK);
    assert_near(b.e.pose[1].velocity[0], 0, 1e-9);
    assert_near(b.e.pose[1].velocity[1], 1, 1e-6); /* a guess is weighted, not enforced */
    forget(&b);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build__survives_every_failing_allocation),
        cmocka_unit_test(build__refuses_with_the_reason),
        cmocka_unit_test(angle__counts_turns),
        cmocka_unit_test(rod__between_balls_is_two_points),
        cmocka_unit_test(basis__is_neither_thin_nor_small_beside_its_body),
        cmocka_unit_test(initial__values_and_rates_are_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
