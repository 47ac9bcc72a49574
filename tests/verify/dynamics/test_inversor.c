/* Peaucellier's inversor moved by gravity: in any motion D stays on the line x = (L^2 - s^2) / (2 r). It passes configurations in which
 * constraints lose rank: B and D meet (d = |OB| = sqrt(L^2 - s^2)), with crank radius r = d/2 so that the two branches touch instead of
 * crossing, and A and C meet (d = L - s). On any other branch D leaves the line; the energy detects the rest. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double L = 5, S = 3;

typedef struct watch {
    double line, worst, energy, crank[2];
} watch;

static bl_status look(void *user, const bl_sample *sample) {
    watch *w = user;
    w->worst = fmax(w->worst, fabs(sample->probe[0] - w->line));
    w->energy = fmax(w->energy, fabs(sample->energy_error));
    memcpy(w->crank, sample->body[0].position, sizeof w->crank);
    return BL_OK;
}

/* r: radius of the crank, which is at the angle th */
static void inversor(double r, double th, char *text, size_t room) {
    double B[2] = {r + r * cos(th), r * sin(th)}, d = hypot(B[0], B[1]), u[2] = {B[0] / d, B[1] / d};
    double a = (L * L - S * S + d * d) / (2 * d), h = sqrt(L * L - a * a);
    double A[2] = {a * u[0] - h * u[1], a * u[1] + h * u[0]}, C[2] = {a * u[0] + h * u[1], a * u[1] - h * u[0]};
    int n = snprintf(
        text, room,
        "dimension: 2\ngravity: [0, -9.81]\n"
        "points: {O: [0, 0], Q: [%.17g, 0], A: [%.17g, %.17g], B: [%.17g, %.17g], C: [%.17g, %.17g], D: [%.17g, %.17g]}\nbodies:\n",
        r, A[0], A[1], B[0], B[1], C[0], C[1], 2 * a * u[0] - B[0], 2 * a * u[1] - B[1]);
    static const char *const rods[] = {"QB", "OA", "OC", "AB", "CB", "AD", "CD"};
    for (size_t k = 0; k < sizeof rods / sizeof *rods; k++)
        n += snprintf(text + n, room - (size_t)n, "  - {name: %s, rod: {from: %c, to: %c}, mass: 1}\n", rods[k], rods[k][0], rods[k][1]);
    static const struct {
        const char *a, *b;
        char at;
    } joints[] = {{"ground", "QB", 'Q'}, {"ground", "OA", 'O'}, {"ground", "OC", 'O'}, {"QB", "AB", 'B'}, {"QB", "CB", 'B'},
                  {"OA", "AB", 'A'},     {"OA", "AD", 'A'},     {"OC", "CB", 'C'},     {"OC", "CD", 'C'}, {"AD", "CD", 'D'}};
    n += snprintf(text + n, room - (size_t)n, "joints:\n");
    for (size_t k = 0; k < sizeof joints / sizeof *joints; k++)
        n += snprintf(text + n, room - (size_t)n, "  - {name: j%zu, type: revolute, bodies: [%s, %s], at: %c}\n", k, joints[k].a,
                      joints[k].b, joints[k].at);
    snprintf(text + n, room - (size_t)n, "probes: {D: {body: CD, at: D}}\n");
}

/* tolerance of the run; ends of all runs of one inversor are compared in `end` (first: set) */
static void pass(double r, double th, const char *coordinates, const char *formulation, double tolerance, double end[2], double *loosest) {
    char text[4000];
    inversor(r, th, text, sizeof text);
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "inversor", text, strlen(text), NULL, 0, &model), BL_OK);
    watch w = {.line = (L * L - S * S) / (2 * r)};
    bl_sink sink = {.user = &w, .sample = look};
    bl_run_options options = {
        .coordinates = coordinates, .formulation = formulation, .until = 10, .tolerance = tolerance, .every_step = true};
    bl_run_summary summary = {0};
    bl_status status = bl_simulate(ctx, model, &options, &sink, 1, &summary);
    double apart = *loosest > 0 ? hypot(w.crank[0] - end[0], w.crank[1] - end[1]) : 0;
    print_message("r %.2f, %s, %s, %.0e: %ld steps, off the line %.1e m, energy %.1e J, end apart %.1e m, %ld handovers\n", r, coordinates,
                  formulation ? formulation : "default", tolerance, summary.steps, w.worst, w.energy, apart, summary.handovers);
    assert_int_equal(status, BL_OK);
    /* Errors of velocities grow by two or three digits in ten seconds. Steps may end near these configurations, where velocities amplify
     * rounding errors of positions by 1 / distance, and formulations off the constraints keep them: 1e-6 m, and 3e-5 of about 100 J. */
    double most = 1e4 * tolerance;
    if (!(w.worst <= most + 1e-6) || !(w.energy <= most + 3e-5) || !(apart <= 1e4 * fmax(tolerance, *loosest) + 1e-6))
        fail_msg("r = %g, %s, %s, tolerance %g: off the line by %g m, energy by %g J, the end is %g m apart", r, coordinates,
                 formulation ? formulation : "default", tolerance, w.worst, w.energy, apart);
    assert_true(summary.steps < 5000);
    if (*loosest == 0 || tolerance < *loosest) {
        *loosest = tolerance;
        memcpy(end, w.crank, sizeof w.crank);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void inversors__draw_a_line_through_their_singular_positions(void **state) {
    (void)state;
    /* The last: branches touch, and only power series step over the configuration. There a displacement x violates the constraints by x^2,
     * so that rounding leaves 1e-8 of x open, and the way out of it cannot be told from the other at tolerances below 1e-10. */
    static const double crank[][2] = {{2.2, 1.5}, {1.8, 0.5}, {2, 0.5}};
    static const char *const coordinates[] = {"natural", "reference", "relative"};
    for (size_t k = 0; k < sizeof crank / sizeof *crank; k++)
        for (size_t c = 0; c < (k < 2 ? sizeof coordinates / sizeof *coordinates : 1); c++) {
            double end[2], loosest = 0;
            for (double tolerance = 1e-8; tolerance > (k < 2 ? 0.5e-12 : 0.5e-10); tolerance *= 0.1)
                pass(crank[k][0], crank[k][1], coordinates[c], NULL, tolerance, end, &loosest);
        }
}

static void formulations_off_the_constraints__are_led_past_them(void **state) {
    (void)state;
    static const char *const formulations[] = {"lagrange", "projection", "null_space", "partition:index=2"};
    for (size_t f = 0; f < sizeof formulations / sizeof *formulations; f++) {
        double end[2], loosest = 0;
        for (double tolerance = 1e-7; tolerance > 0.5e-11; tolerance *= 0.01)
            pass(2.2, 1.5, "natural", formulations[f], tolerance, end, &loosest);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inversors__draw_a_line_through_their_singular_positions),
        cmocka_unit_test(formulations_off_the_constraints__are_led_past_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
