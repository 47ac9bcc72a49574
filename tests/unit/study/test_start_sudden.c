/* Starts that bend or stretch elastic bodies from the first instant: velocities known by hand, least change in the norm of masses, the same
 * in all coordinates; what remains an error. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 40 };

typedef struct start {
    double body[MOST][6]; /* velocity, angular velocity */
    double probe[MOST][3], variable[MOST], kinetic, drift;
    bl_index nbody, nprobe, nvariable;
} start;

static bl_status begin(void *user, const bl_run_info *info) {
    start *s = user;
    s->nbody = info->nbody;
    s->nprobe = info->nprobe;
    s->nvariable = info->nvariable;
    assert_true(s->nbody <= MOST && s->nprobe <= MOST && s->nvariable <= MOST);
    return BL_OK;
}

static bl_status keep(void *user, const bl_sample *sample) {
    start *s = user;
    for (bl_index i = 0; i < s->nbody; i++) {
        memcpy(s->body[i], sample->body[i].velocity, 3 * sizeof(double));
        memcpy(s->body[i] + 3, sample->body[i].angular_velocity, 3 * sizeof(double));
    }
    if (s->nprobe)
        memcpy(s->probe, sample->probe_rate, 3 * (size_t)s->nprobe * sizeof(double));
    if (s->nvariable)
        memcpy(s->variable, sample->variable_rate, (size_t)s->nvariable * sizeof(double));
    s->kinetic = sample->kinetic;
    s->drift = sample->velocity_drift;
    return BL_OK;
}

static bl_status assemble(bl_context *ctx, const bl_model *model, const char *coordinates, start *s) {
    bl_sink sink = {.user = s, .begin = begin, .sample = keep};
    return bl_assemble(ctx, model, &(bl_run_options){.coordinates = coordinates}, &sink, 1, NULL);
}

static void start_of(const char *text, const char *coordinates, start *s) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    if (bl_model_read_text(ctx, "start", text, strlen(text), NULL, 0, &model) != BL_OK || assemble(ctx, model, coordinates, s) != BL_OK)
        fail_msg("%s: %s", coordinates, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void expect(const char *what, double value, double exact, double tolerance) {
    if (!(fabs(value - exact) <= tolerance))
        fail_msg("%s: %.12g instead of %.12g", what, value, exact);
}

static const char *const kinds[] = {"natural", "mixed", "reference", "reference:angles", "relative"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* A rod pinned at its left end, whose right end is driven along the rod at v = 1; joints are equations, so that rigid velocities that
 * violate them can be represented. A rigid rod moves at v/2: it misses both by the same. The difference from that is d = -v/2 and v/2 at
 * the ends. Of 4 elements of degree 1 with the mass matrix h/6 [2 1; 1 2] the least change has d_0 + 4 d_1 + d_2 = 0 and so on, with
 * d_2 = 0 by symmetry: d_1 = v/8, d_3 = -v/8. */
static void stretched_rod__starts_with_velocities_known_by_hand(void **state) {
    (void)state;
    static const char *const rod = "dimension: 2\nbodies:\n"
                                   "  - {name: rod, beam: {from: [0, 0], to: [4, 0], elements: 4, degree: 1, interpolation: directors}, "
                                   "stiffness: {EA: 100, GA: 100, EI: 100}, mass_per_length: {rhoA: 3, rhoI: 0.1}}\n"
                                   "joints:\n  - {name: pin, type: revolute, cut: true, bodies: [ground, rod.from], at: [0, 0]}\n"
                                   "  - {name: push, type: prismatic, cut: true, bodies: [ground, rod.to], at: [4, 0], axis: [1, 0]}\n"
                                   "drivers: [{variable: push.distance, value: =t}]\nsimulate: {until: 1}\n";
    static const double exact[] = {0, 0.625, 0.5, 0.375, 1};
    for (int k = 0; k < KINDS; k++) {
        start s = {.kinetic = NAN};
        start_of(rod, kinds[k], &s);
        assert_int_equal(s.nbody, 5);
        for (int i = 0; i < 5; i++) {
            expect(kinds[k], s.body[i][0], exact[i], 1e-9);
            expect(kinds[k], s.body[i][1], 0, 1e-9);
            expect(kinds[k], s.body[i][5], 0, 1e-9);
        }
        expect("constraints", s.drift, 0, 1e-9);
        /* m h/6 sum of v^T [2 1; 1 2] v over 4 elements, halved; m = 3, h = 1 */
        double T = 0;
        for (int e = 0; e < 4; e++)
            T += 0.5 * 3 / 6 * (2 * exact[e] * exact[e] + 2 * exact[e] * exact[e + 1] + 2 * exact[e + 1] * exact[e + 1]);
        expect("kinetic energy", s.kinetic, T, 1e-9);
    }
}

/* The same with the rate in `initial:` in place of the driver: another impulse gives it, and the velocities are the same. Given twice, as
 * the velocity of the end too, it counts twice in the velocity of the rigid rod. */
static void rates_of_initial__are_given_by_impulses(void **state) {
    (void)state;
    static const char *const rod = "dimension: 2\nbodies:\n"
                                   "  - {name: rod, beam: {from: [0, 0], to: [4, 0], elements: 4, degree: 1, interpolation: directors}, "
                                   "stiffness: {EA: 100, GA: 100, EI: 100}, mass_per_length: {rhoA: 3, rhoI: 0.1}}\n"
                                   "joints:\n  - {name: pin, type: revolute, cut: true, bodies: [ground, rod.from], at: [0, 0]}\n"
                                   "  - {name: push, type: prismatic, cut: true, bodies: [ground, rod.to], at: [4, 0], axis: [1, 0]}\n"
                                   "probes: {end: {body: rod.to, at: [4, 0]}}\ninitial: {push.distance_rate: 1%s}\n";
    for (int twice = 0; twice < 2; twice++) {
        char text[1000];
        start s = {.kinetic = NAN};
        snprintf(text, sizeof text, rod, twice ? ", end: {velocity: [1, 0]}" : "");
        start_of(text, "natural", &s);
        expect("right end", s.body[4][0], 1, 1e-9);
        expect("left end", s.body[0][0], 0, 1e-9);
        if (twice) /* two of three equations want 1: the rigid rod moves at 2/3, so d = -2/3 and 1/3 */
            expect("next to the left end", s.body[1][0], 2.0 / 3 + (15 * 2.0 / 3 - 1.0 / 3) / 56, 1e-9);
        else
            expect("next to the left end", s.body[1][0], 0.625, 1e-9);
        expect("constraints", s.drift, 0, 1e-9);
    }
}

/* the scene with a tilted hinge at constant speed: the driver is followed exactly, and the rods move almost as those of the mechanism
 * without tilt, a parallelogram whose rocker turns at the rate of its crank; the differences are first order in the tilt of 0.087 rad */
static void tilted_four_bar__follows_its_driver(void **state) {
    (void)state;
    start first = {.kinetic = NAN};
    for (int k = 0; k < KINDS; k++) {
        char file[512];
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        start s = {.kinetic = NAN};
        snprintf(file, sizeof file, "%s/elastic_four_bar.yaml", SCENES);
        assert_int_equal(bl_model_read(ctx, file, NULL, 0, &model), BL_OK);
        if (assemble(ctx, model, kinds[k], &s) != BL_OK)
            fail_msg("%s: %s", kinds[k], bl_context_error(ctx)->what);
        bl_model_destroy(model);
        test_context_end(ctx);
        expect("driver", s.variable[0], -0.6, 1e-12);
        expect("constraints", s.drift, 0, 1e-9);
        expect("rocker", s.variable[3], 0.6, 0.6 * 0.087);
        expect("hinge B along x", s.probe[0][0], 0.6 * 0.12, 0.6 * 0.12 * 0.087);
        if (k == 0)
            first = s;
        /* the frames of beams have natural coordinates in all of them */
        expect(kinds[k], s.kinetic, first.kinetic, 1e-9 * first.kinetic);
        for (int i = 0; i < 3; i++)
            expect(kinds[k], s.probe[1][i], first.probe[1][i], 1e-9);
    }
}

/* without tilt the rigid mechanism can follow: nothing bends at the start, and the energy is that of rigid rods */
static void possible_rigid_motions__start_without_bending(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    char file[512];
    start s = {.kinetic = NAN};
    snprintf(file, sizeof file, "%s/elastic_four_bar.yaml", SCENES);
    assert_int_equal(bl_model_read(ctx, file, (const bl_override[]){{"tilt", 0}}, 1, &model), BL_OK);
    assert_int_equal(assemble(ctx, model, NULL, &s), BL_OK);
    double square = 0.016 * 0.016, thin = 0.008 * 0.008, w = 0.6, l = 0.12, rho = 7800;
    double crank = rho * square * l * (l * l / 3 + square / 12) * w * w / 2, rocker = rho * thin * l * (l * l / 3 + thin / 12) * w * w / 2,
           coupler = rho * square * 2 * l * (w * l) * (w * l) / 2; /* it translates */
    expect("kinetic energy", s.kinetic, crank + rocker + coupler, 1e-9 * s.kinetic);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void refuse(const char *text, const char *message) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    start s;
    assert_int_equal(bl_model_read_text(ctx, "start", text, strlen(text), NULL, 0, &model), BL_OK);
    bl_status status = assemble(ctx, model, NULL, &s);
    if (status != BL_E_NUMERIC || !strstr(bl_context_error(ctx)->what, message))
        fail_msg("status %d: %s, not '%s'", (int)status, bl_context_error(ctx)->what, message);
    bl_model_destroy(model);
    test_context_end(ctx);
}

#define BEAM                                                                                                  \
    "  - {name: rod, beam: {from: [0, 0], to: [4, 0], elements: 2}, stiffness: {EA: 100, GA: 100, EI: 100}, " \
    "mass_per_length: {rhoA: 3, rhoI: 0.1}}\n"

/* no bending helps where rigid bodies, or entries and drivers, contradict each other */
static void impossible_starts__remain_errors(void **state) {
    (void)state;
    refuse("dimension: 2\nbodies:\n" BEAM "  - {name: cart, mass: 1, center: [0, 1], inertia: 1}\njoints:\n"
           "  - {name: one, type: prismatic, bodies: [ground, cart], at: [0, 1], axis: [1, 0]}\n"
           "  - {name: two, type: prismatic, bodies: [ground, cart], at: [0, 1], axis: [1, 0]}\n"
           "drivers: [{variable: one.distance, value: =t}, {variable: two.distance, value: =2*t}]\n",
           "driver of two.distance: its rate contradicts an earlier driver");
    refuse("dimension: 2\nbodies:\n" BEAM "joints:\n  - {name: pin, type: revolute, bodies: [ground, rod.from], at: [0, 0]}\n"
           "  - {name: push, type: prismatic, bodies: [ground, rod.to], at: [4, 0], axis: [1, 0]}\n"
           "drivers: [{variable: push.distance, value: =t}]\ninitial: {push.distance_rate: 2}\n",
           "initial: this velocity contradicts drivers, joints or an earlier exact value");
}

static bl_status stretched(bl_context *ctx, void *user) {
    start s;
    return assemble(ctx, user, "natural", &s);
}

static void failing_allocations__leave_nothing_behind(void **state) {
    (void)state;
    static const char *const text =
        "dimension: 2\nbodies:\n" BEAM "joints:\n  - {name: pin, type: revolute, bodies: [ground, rod.from], at: [0, 0]}\n"
        "  - {name: push, type: prismatic, bodies: [ground, rod.to], at: [4, 0], axis: [1, 0]}\ndrivers: [{variable: push.distance, value: "
        "=t}]\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "start", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_true(test_failing_allocations(stretched, model) > 100);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stretched_rod__starts_with_velocities_known_by_hand),
        cmocka_unit_test(rates_of_initial__are_given_by_impulses),
        cmocka_unit_test(tilted_four_bar__follows_its_driver),
        cmocka_unit_test(possible_rigid_motions__start_without_bending),
        cmocka_unit_test(impossible_starts__remain_errors),
        cmocka_unit_test(failing_allocations__leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
