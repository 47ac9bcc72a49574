/* Driven mechanisms: the driven variable follows its law, the rest follows from the geometry, and the work of the driver equals the gain of
 * energy. Without any degree of freedom there is nothing else to control the step size. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

/* slider-crank, crank 0.2, rod 0.5, driven with 4 t + sin(3 t) / 2 from the stretched position */
static const char slider_crank[] =
    "dimension: 2\ngravity: [0, -9.81]\nbodies:\n  - {name: crank, rod: {from: [0,0], to: [0.2,0]}, mass: 1}\n"
    "  - {name: rod, rod: {from: [0.2,0], to: [0.7,0]}, mass: 2}\n  - {name: slider, mass: 3, center: [0.7,0], inertia: 0.1}\njoints:\n"
    "  - {name: a, type: revolute, bodies: [ground, crank], at: [0,0]}\n  - {name: b, type: revolute, bodies: [crank, rod], at: [0.2,0]}\n"
    "  - {name: c, type: revolute, bodies: [rod, slider], at: [0.7,0]}\n"
    "  - {name: s, type: prismatic, bodies: [ground, slider], at: [0.7,0], axis: [1,0]}\n"
    "drivers: [{variable: a.angle, value: =4*t + sin(3*t)/2}]\nprobes: {P: {body: slider, at: [0.7,0]}}\n";

typedef struct seen {
    double angle, position, energy_error, energy;
} seen;

static bl_status look(void *user, const bl_sample *s) {
    seen *run = user;
    double psi = 4 * s->t + sin(3 * s->t) / 2;
    /* the variables are in the order of the joints */
    run->angle = fmax(run->angle, fabs(s->variable[0] - psi));
    run->position = fmax(run->position, fabs(s->probe[0] - (0.2 * cos(psi) + sqrt(0.25 - 0.04 * sin(psi) * sin(psi)))));
    run->energy_error = fmax(run->energy_error, fabs(s->energy_error));
    run->energy = fmax(run->energy, s->kinetic);
    return BL_OK;
}

static void driven__motion_is_exact_and_work_balances(void **unused) {
    (void)unused;
    static const char *const formulations[] = {"partition", "partition:index=2", "lagrange"};
    for (int f = 0; f < 3; f++)
        for (int k = 5; k <= 9; k += 2) {
            bl_context *ctx = test_context(NULL);
            bl_model *model = NULL;
            assert_int_equal(bl_model_read_text(ctx, "driven", slider_crank, strlen(slider_crank), NULL, 0, &model), BL_OK);
            seen run = {0};
            bl_sink sink = {.user = &run, .sample = look};
            double tolerance = pow(10, -k);
            bl_run_options options = {.formulation = formulations[f], .tolerance = tolerance, .until = 4};
            assert_int_equal(bl_simulate(ctx, model, &options, &sink, 1, NULL), BL_OK);
            double limit = f == 0 ? 1e-12 : 100 * tolerance; /* index 3 closes positions to rounding; the others integrate them */
            if (!(run.angle < limit) || !(run.position < limit) || !(run.energy_error < 200 * tolerance * run.energy))
                fail_msg("%s at %g: angle off by %g, position by %g, energy by %g of %g", formulations[f], tolerance, run.angle,
                         run.position, run.energy_error, run.energy);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

/* Both angles of a universal joint held: a point is rotated about the arm of the body, then about the arm of the ground. The body's points
 * are far from perpendicular to the arms. */
static bl_status look_at_cross(void *user, const bl_sample *s) {
    memcpy(user, s->probe, 3 * sizeof(double));
    return BL_OK;
}

static void universal__driven_angles_are_turns_about_its_arms(void **unused) {
    (void)unused;
    static const char cross[] =
        "bodies:\n  - {name: one, mass: 1, center: [0.3, 0.1, 0.4], inertia: [0.1, 0.2, 0.15]}\njoints:\n"
        "  - {name: u, type: universal, bodies: [ground, one], at: [0, 0, 0.2], axis: [0, 0, 1], axis_b: [0.6, 0.8, 0]}\n"
        "drivers: [{variable: u.angle1, value: 0.3}, {variable: u.angle2, value: 0.2}]\nprobes: {P: {body: one, at: [0, 1, 0.2]}}\n";
    static const char *const coordinates[] = {"natural", "mixed", "reference", "reference:matrix", "relative"};
    double c2 = cos(0.2), s2 = sin(0.2), x = 0.48 * (1 - c2), y = c2 + 0.64 * (1 - c2); /* about (0.6, 0.8, 0) */
    const double exact[3] = {x * cos(0.3) - y * sin(0.3), x * sin(0.3) + y * cos(0.3), 0.2 + 0.6 * s2};
    for (int k = 0; k < 5; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        double found[3] = {0};
        bl_sink sink = {.user = found, .sample = look_at_cross};
        assert_int_equal(bl_model_read_text(ctx, "cross", cross, strlen(cross), NULL, 0, &model), BL_OK);
        assert_int_equal(bl_assemble(ctx, model, &(bl_run_options){.coordinates = coordinates[k]}, &sink, 1, NULL), BL_OK);
        for (int c = 0; c < 3; c++)
            if (!(fabs(found[c] - exact[c]) < 1e-10))
                fail_msg("%s: component %d is %.12g instead of %.12g", coordinates[k], c, found[c], exact[c]);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(driven__motion_is_exact_and_work_balances),
                                       cmocka_unit_test(universal__driven_angles_are_turns_about_its_arms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
