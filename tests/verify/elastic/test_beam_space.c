/* Beams in space that interpolate rotations: errors of the 45-degree bend and of the Princeton beam beside those of directors, rods bent
 * by a moment to a circle and to helices, lateral buckling, a rod that flies and tumbles, in all coordinates; messages. */
#include "study/run.h"
#include "study/simulation.h"
#include "support/beam_answers.h"
#include "support/every_way.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const char *const words[2] = {"directors", "rotations"};

static double order(double coarse, double fine) { return log2(coarse / fine); }

/* ---- exact rods: figures of the scenes bend_45 and princeton_beam */

static double bend_error(int rotations, int degree, int elements) {
    static const double exact[3] = {47.15044, 15.68480, 53.47486};
    beam_answer a;
    beam_equilibrium(beam_text("dimension: 3\n"
                               "points: {root: [0, 0, 0], end: [=100*sin(pi/4), =100*(1-cos(pi/4)), 0]}\n"
                               "bodies:\n"
                               "  - name: arc\n"
                               "    beam: {arc: {from: root, to: end, center: [0, 100, 0]}, elements: %d, degree: %d, up: [0, 0, 1],\n"
                               "           interpolation: %s}\n"
                               "    stiffness: {EA: 1e7, GA: 5e6, GJ: =5e6/6, EI: =1e7/12}\n"
                               "    mass_per_length: {rhoA: 1, rhoI: =1/12}\n"
                               "joints: [{name: clamp, type: fixed, bodies: [ground, arc], at: root}]\n"
                               "forces: [{type: force, body: arc, at: end, force: [0, 0, 600]}]\n"
                               "probes: {tip: {body: arc, at: end}}\n",
                               elements, degree, words[rotations]),
                     NULL, 0, NULL, &a);
    double off[3] = {a.probe[0][0] - exact[0], a.probe[0][1] - exact[1], a.probe[0][2] - exact[2]};
    return test_norm(off);
}

/* in mm, at 8.896 N and 45 degrees */
static double princeton_error(int rotations, int degree, int elements) {
    beam_answer a;
    beam_equilibrium(
        beam_text("dimension: 3\n"
                  "bodies:\n"
                  "  - name: beam\n"
                  "    beam: {from: [0, 0, 0], to: [0.508, 0, 0], elements: %d, degree: %d, up: [0, 1, 1], interpolation: %s,\n"
                  "           section: {rectangle: [12.7e-3, 3.175e-3]}}\n"
                  "    material: {E: 71.7e9, nu: 0.31, density: 2700}\n"
                  "joints: [{name: clamp, type: fixed, bodies: [ground, beam], at: [0, 0, 0]}]\n"
                  "forces: [{type: force, body: beam, at: [0.508, 0, 0], force: [0, 0, -8.896]}]\n"
                  "probes: {tip: {body: beam, at: [0.508, 0, 0]}}\n",
                  elements, degree, words[rotations]),
        NULL, 0, NULL, &a);
    double off[3] = {508 - 1e3 * a.probe[0][0] - 14.38428, 1e3 * fabs(a.probe[0][1]) - 71.17405, -1e3 * a.probe[0][2] - 83.06068};
    return test_norm(off);
}

/* In the bend by a factor of 9 to 20, with half as many elements as accurate as directors or more. In the Princeton beam, which turns less,
 * by a factor of 3 to 4 for degrees 2 and 3; with degree 1 the error of the line dominates, to which that of directors is opposite. */
static void rotations__need_fewer_elements(void **unused) {
    (void)unused;
    static const int elements[4] = {0, 8, 4, 2};
    for (int degree = 1; degree <= 3; degree++) {
        double error[2][2];
        for (int r = 0; r < 2; r++)
            for (int half = 0; half < 2; half++)
                error[r][half] = bend_error(r, degree, elements[degree] << half);
        for (int half = 0; half < 2; half++)
            assert_true(error[1][half] < error[0][half] / 8);
        assert_true(error[1][0] < 5 * error[0][1]);
        assert_near(order(error[0][0], error[0][1]), 2 * degree, 0.4);
        assert_near(order(error[1][0], error[1][1]), 2 * degree, 0.4);
    }
    for (int degree = 1; degree <= 3; degree++) {
        double coarse = princeton_error(1, degree, elements[degree]), fine = princeton_error(1, degree, elements[degree] / 2);
        assert_near(order(fine, coarse), 2 * degree, 0.3);
        if (degree > 1)
            assert_true(coarse < princeton_error(0, degree, elements[degree]) / 3);
    }
}

/* ---- moments at the end: constant in space, so not conservative; followed from none */

static void bend_by_moment(const char *text, beam_answer *a) {
    bl_equilibrium_options path = {.parameter = "turn", .from = 0, .until = 1};
    beam_equilibrium(text, (bl_override[]){{"turn", 0}}, 1, &path, a);
}

/* A straight rod in a skew plane, whose end is turned by a full turn about the normal of the plane, (0.8, 0, -0.6). */
static void circle__closes_in_a_skew_plane(void **unused) {
    (void)unused;
    for (int degree = 1; degree <= 3; degree++)
        for (int elements = 4; elements <= 5; elements++) {
            beam_answer a;
            bend_by_moment(beam_text("dimension: 3\n"
                                     "parameters: {turn: 1}\n"
                                     "bodies:\n"
                                     "  - {name: rod, beam: {from: [0, 0, 0], to: [0.48, 0.6, 0.64], elements: %d, degree: %d},\n"
                                     "     stiffness: {EA: 1e4, GA: 5e3, EI: 2, GJ: 3}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                                     "joints: [{name: clamp, type: fixed, bodies: [ground, rod], at: [0, 0, 0]}]\n"
                                     "forces: [{type: torque, body: rod.to, torque: [=0.8*4*pi*turn, 0, =-0.6*4*pi*turn]}]\n"
                                     "probes: {tip: {body: rod.to, at: [0.48, 0.6, 0.64]}}\n",
                                     elements, degree),
                           &a);
            assert_near(test_norm(a.probe[0]), 0, 1e-12);
            const double moment[3] = {-0.8 * 4 * PI, 0, 0.6 * 4 * PI};
            for (int k = 0; k < 3; k++)
                assert_near(a.reaction[0].moment[k], moment[k], 1e-8);
        }
}

/* The moment M = 4 pi (0.6, 0, 0.8) bends and twists. Sections turn about it at the rate M/EI and about their own axis by the difference of
 * the twists M_1/GJ and M_1/EI: a helix about M whose end, after a full turn, lies on M, at 0.6 of the length. With GJ = EI the curvature
 * of the sections is constant and elements are exact; else of order 2p. */
static double helix_error(double GJ, int degree, int elements) {
    beam_answer a;
    bend_by_moment(beam_text("dimension: 3\n"
                             "parameters: {turn: 1}\n"
                             "bodies:\n"
                             "  - {name: rod, beam: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, degree: %d},\n"
                             "     stiffness: {EA: 1e9, GA: 1e9, EI: 2, GJ: %g}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                             "joints: [{name: clamp, type: fixed, bodies: [ground, rod], at: [0, 0, 0]}]\n"
                             "forces: [{type: torque, body: rod.to, torque: [=0.6*4*pi*turn, 0, =0.8*4*pi*turn]}]\n"
                             "probes: {tip: {body: rod.to, at: [1, 0, 0]}}\n",
                             elements, degree, GJ),
                   &a);
    double off[3] = {a.probe[0][0] - 0.36, a.probe[0][1], a.probe[0][2] - 0.48};
    return test_norm(off);
}

static void helices__are_those_of_a_moment(void **unused) {
    (void)unused;
    for (int degree = 1; degree <= 3; degree++)
        assert_near(helix_error(2, degree, 4), 0, 1e-11);
    for (int degree = 1; degree <= 3; degree++) {
        int elements = degree == 1 ? 8 : 4;
        double coarse = helix_error(1.5, degree, elements), fine = helix_error(1.5, degree, 2 * elements);
        assert_true(coarse < 0.02);
        assert_near(order(coarse, fine), 2 * degree, 0.3);
    }
}

/* A cantilever that is stiff against bending down: it falls over to the side, twisting, under a load of 4.0126 sqrt(EI GJ)/L^2 at its end
 * (Prandtl 1899, Michell 1899: the first zero of a Bessel function of order -1/4). */
static void narrow_cantilever__buckles_sideways(void **unused) {
    (void)unused;
    bl_equilibrium_options path = {.parameter = "P", .from = 0.1, .until = 12, .any = true};
    double load[2];
    for (int half = 0; half < 2; half++) {
        beam_answer a;
        beam_equilibrium(beam_text("dimension: 3\n"
                                   "parameters: {P: 0.1}\n"
                                   "bodies:\n"
                                   "  - {name: rod, beam: {from: [0, 0, 0], to: [1, 0, 0], elements: %d, degree: 2, up: [0, 0, 1]},\n"
                                   "     stiffness: {EA: 1e9, GA: 1e9, EI: [2, 1e6], GJ: 3}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                                   "joints: [{name: clamp, type: fixed, bodies: [ground, rod], at: [0, 0, 0]}]\n"
                                   "forces: [{type: force, body: rod, at: [1, 0, 0], force: [0, 0, =-P]}]\n"
                                   "probes: {tip: {body: rod, at: [1, 0, 0]}}\n",
                                   4 << half),
                         (bl_override[]){{"P", 0.1}}, 1, &path, &a);
        assert_int_equal(a.ncritical, 1);
        load[half] = a.critical_load[0] / sqrt(6);
    }
    assert_near(load[1], 4.0126, 4e-4);
    assert_near((16 * load[1] - load[0]) / 15, 4.0126, 2e-4); /* order 4; the place of the branch is found to 1e-5 */
}

/* ---- motions: a slack rod, pushed and turned at one end */

#define FLYING                                                                                                                      \
    "dimension: 3\nbodies:\n  - {name: rod, beam: {from: [6, 0, 0], to: [0, 8, 0], elements: %d, degree: %d, interpolation: %s},\n" \
    "     stiffness: {EA: 1e4, GA: 1e4, EI: 100, GJ: 80}, mass_per_length: {rhoA: 1, rhoI: 10}}\n"                                  \
    "forces:\n  - {type: force, body: rod, at: [6, 0, 0], force: [8, 0, 0]}\n"                                                      \
    "  - {type: torque, body: rod.from, torque: [0, -40, -80]}\n"                                                                   \
    "probes: {low: {body: rod, at: [6, 0, 0]}, high: {body: rod, at: [0, 8, 0]}}\n"

static void keep_probes(const bl_sample *s, const test_ending *run, void *user) {
    (void)run;
    memcpy(user, s->probe, 6 * sizeof(double));
}

static void fly(int elements, int degree, int rotations, const bl_run_options *options, double probe[6], test_ending *end) {
    char text[1200];
    snprintf(text, sizeof text, FLYING, elements, degree, words[rotations]);
    test_one_way(text, options, keep_probes, end, probe);
}

static double between(const double a[6], const double b[6]) {
    double square = 0;
    for (int k = 0; k < 6; k++)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    return sqrt(square);
}

static void flying_rod__is_that_of_directors_on_finer_meshes(void **unused) {
    (void)unused;
    const bl_run_options options = {.until = 2, .every = 2, .coordinates = "natural", .integrator = "genalpha", .step = 0.01};
    double reference[6], fine[6], probe[2][6];
    test_ending end;
    fly(16, 3, 0, &options, reference, &end);
    fly(8, 3, 1, &options, fine, &end);
    assert_true(between(fine, reference) < 0.01); /* of a length of 10 */
    for (int r = 0; r < 2; r++)
        fly(8, 2, r, &options, probe[r], &end);
    assert_true(between(probe[1], reference) < between(probe[0], reference) / 3);
    assert_true(between(probe[1], reference) < 0.03);
    fly(4, 2, 1, &options, probe[1], &end);
    assert_true(between(probe[1], reference) < 0.3);
}

static void flying_rod__is_the_same_in_all_coordinates(void **unused) {
    (void)unused;
    static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};
    double first[6], probe[6];
    for (int i = 0; i < 4; i++) {
        const bl_run_options options = {.until = 1, .every = 1, .coordinates = coordinates[i], .integrator = "trbdf2", .tolerance = 1e-5};
        test_ending end;
        fly(4, 2, 1, &options, i ? probe : first, &end);
        test_no_warning(&end);
        test_close(&end, "the energy error", end.energy_error, 0, 1e-3); /* of 60 J */
        if (i)
            assert_true(between(probe, first) < 1e-3);
    }
}

/* Frames in natural coordinates have a point and two vectors where nothing needs a third direction: not at corners, hinges and torques. */
static void corners_and_joints__are_the_same_in_all_coordinates(void **unused) {
    (void)unused;
    static const char text[] =
        "dimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  - {name: frame, beam: {along: [[0, 0, 0], [1, 0, 0], [1, 0.6, 0.2], [1.3, 0.6, 0.9]], elements: [2, 1, 1], up: [0, 0, 1]},\n"
        "     stiffness: {EA: 1e5, GA: 4e4, EI: [10, 15], GJ: 7}, mass_per_length: {rhoA: 1, rhoI: [1e-3, 2e-3]},\n"
        "     damping: {stiffness: 1e-3, mass: 0.1}, masses: [{at: [1, 0.6, 0.2], mass: 0.3, inertia: [1e-3, 2e-3, 2e-3]}]}\n"
        "  - {name: block, mass: 0.5, center: [1.45, 0.6, 0.9], inertia: [1e-3, 4e-3, 3e-3]}\n"
        "joints:\n"
        "  - {name: hinge, type: revolute, bodies: [ground, frame], at: [0, 0, 0], axis: [0.3, 1, 0]}\n"
        "  - {name: slide, type: cylindrical, bodies: [frame, block], at: [1.3, 0.6, 0.9], axis: [1, 2, -1]}\n"
        "forces:\n"
        "  - {type: torque, body: frame.1, torque: [0, \"=0.5*sin(3*t)\", 0.2]}\n"
        "  - {type: spring, bodies: [ground, frame.3], at: [0.7, 0.3, 0.3], to: [0.75, 0.1, 0.1], stiffness: 50, length: 0.1}\n"
        "probes: {corner: {body: frame, at: [1, 0.6, 0.2]}, end: {body: block, at: [1.6, 0.6, 0.9]}}\n";
    static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};
    test_ending first, end;
    for (int i = 0; i < 4; i++) {
        const bl_run_options options = {
            .until = 0.2, .every = 0.2, .coordinates = coordinates[i], .integrator = "trbdf2", .tolerance = 1e-7};
        test_one_way(text, &options, NULL, i ? &end : &first, NULL);
        for (int k = 0; k < 6 && i; k++)
            test_close(&end, "a probe", end.probe[k / 3][k % 3], first.probe[k / 3][k % 3], 1e-6);
        for (int k = 0; k < 6 && i; k++) {
            test_close(&end, "a force", end.reaction[k / 3].force[k % 3], first.reaction[k / 3].force[k % 3], 1e-3); /* of 20 N */
            test_close(&end, "a moment", end.reaction[k / 3].moment[k % 3], first.reaction[k / 3].moment[k % 3], 1e-3);
        }
    }
}

/* ---- what cannot be done */

/* One element of degree 2, bent to a circle: its ends turn by half a turn from its middle. */
static void elements__that_turn_too_far_are_refused(void **unused) {
    (void)unused;
    static const char text[] = "dimension: 3\nparameters: {turn: 1}\nbodies:\n"
                               "  - {name: rod, beam: {from: [0, 0, 0], to: [1, 0, 0], elements: 1, degree: 2},\n"
                               "     stiffness: {EA: 1e4, GA: 5e3, EI: 2, GJ: 3}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                               "joints: [{name: clamp, type: fixed, bodies: [ground, rod], at: [0, 0, 0]}]\n"
                               "forces: [{type: torque, body: rod.to, torque: [0, 0, =4*pi*turn]}]\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_equilibrium_summary found = {0};
    bl_equilibrium_options path = {.parameter = "turn", .from = 0, .until = 1};
    assert_int_equal(bl_model_read_text(ctx, "rod", text, sizeof text - 1, (bl_override[]){{"turn", 0}}, 1, &model), BL_OK);
    assert_true(bl_equilibrium(ctx, model, &path, NULL, 0, NULL, &found) != BL_OK);
    assert_near(found.t, 17.0 / 18, 1e-3); /* 170 of 180 degrees */
    assert_non_null(strstr(bl_context_error(ctx)->what, "beam 'rod', element 1: its nodes are turned by 170"));
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void methods__that_need_directors_say_so(void **unused) {
    (void)unused;
    static const char *const integrators[] = {"energy_momentum", "edmc1", "series"};
    char text[1200];
    snprintf(text, sizeof text, FLYING, 2, 1, words[1]);
    for (int i = 0; i < 3; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_run_options options = {.until = 0.01, .integrator = integrators[i]};
        assert_int_equal(bl_model_read_text(ctx, "rod", text, strlen(text), NULL, 0, &model), BL_OK);
        assert_true(bl_simulate(ctx, model, &options, NULL, 0, NULL) < 0);
        assert_non_null(strstr(bl_context_error(ctx)->what, "beam 'rod' interpolates rotations"));
        assert_non_null(strstr(bl_context_error(ctx)->advice, "`interpolation: directors`"));
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations__need_fewer_elements),
        cmocka_unit_test(circle__closes_in_a_skew_plane),
        cmocka_unit_test(helices__are_those_of_a_moment),
        cmocka_unit_test(narrow_cantilever__buckles_sideways),
        cmocka_unit_test(flying_rod__is_that_of_directors_on_finer_meshes),
        cmocka_unit_test(flying_rod__is_the_same_in_all_coordinates),
        cmocka_unit_test(corners_and_joints__are_the_same_in_all_coordinates),
        cmocka_unit_test(elements__that_turn_too_far_are_refused),
        cmocka_unit_test(methods__that_need_directors_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
