/* Beams at rest: the elastica, a circle, the 45-degree bend, Lee's frame and the Princeton beam against exact rods (elliptic integrals,
 * shooting) with the order of convergence; reactions against statics by hand; strain energy against the work of a load that grows slowly;
 * equilibria of thin rods found from far away. */
#include "support/beam_answers.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

#define SOLVE(scene, answer, ...)                                                                                                       \
    beam_equilibrium(scene, (const bl_override[]){__VA_ARGS__}, sizeof((const bl_override[]){__VA_ARGS__}) / sizeof(bl_override), NULL, \
                     answer)

/* observed order from errors on meshes with elements half as long */
static double order(double coarse, double fine) { return log2(fabs(coarse) / fabs(fine)); }

/* ---- elastica */

static void elastica__converges_to_elliptic_integrals(void **unused) {
    (void)unused;
    static const double exact[][3] = {
        {1, 0.301720774, 0.056433236}, {2, 0.493457480, 0.160641721}, {5, 0.713791524, 0.387628361}, {10, 0.810609025, 0.554995598}};
    beam_answer a;
    for (int i = 0; i < 4; i++) {
        SOLVE("cantilever_elastica", &a, {"P", exact[i][0]}, {"n", 16}, {"stiff", 1e8});
        assert_int_equal(a.found.unstable, 0);
        assert_near(-a.probe[0][1], exact[i][1], 2e-6);
        assert_near(1 - a.probe[0][0], exact[i][2], 2e-6);
    }
    /* errors of u by beams that interpolate rotations, found by another program */
    static const double known[2][3] = {{1.56e-3, 3.96e-4, 9.93e-5}, {2.35e-4, 1.48e-5, 9e-7}};
    for (int p = 1; p <= 2; p++) {
        double error[3];
        for (int k = 0; k < 3; k++) {
            SOLVE("cantilever_elastica", &a, {"p", p}, {"n", (p == 1 ? 8 : 4) << k}, {"stiff", 1e8});
            assert_int_equal(a.found.unstable, 0);
            error[k] = 1 - a.probe[0][0] - exact[3][2];
            assert_near(fabs(error[k]), known[p - 1][k], 0.01 * known[p - 1][k] + 5e-8);
        }
        assert_near(order(error[1], error[2]), 2 * p, p == 1 ? 0.2 : 0.6);
        assert_true(order(error[0], error[1]) > 2 * p - 0.2);
    }
}

/* A rod that is long for its load hangs down: x = int cos(angle) ds and 1 - w = int (1 - sin(angle)) ds with angle' = sqrt(2 P (1 - sin)),
 * longer by P/EA. */
static void elastica__hangs_under_heavy_loads(void **unused) {
    (void)unused;
    beam_answer a;
    double side = sqrt(2.0 / 1000);
    SOLVE("cantilever_elastica", &a, {"P", 1000}, {"n", 200}, {"stiff", 1e8});
    assert_near(a.probe[0][0], side, 2e-6);
    assert_near(-a.probe[0][1], 1 - side * (sqrt(2.0) - 1) + 1e-5, 2e-6);
}

static void thin_rods__rest_where_they_should(void **unused) {
    (void)unused;
    beam_answer a, b;
    SOLVE("cantilever_elastica", &a, {"stiff", 1e6});
    for (double stiff = 1e7; stiff < 2e10; stiff *= 10) {
        SOLVE("cantilever_elastica", &b, {"stiff", stiff});
        assert_int_equal(b.found.unstable, 0);
        assert_int_equal(b.found.neutral, 0);
        assert_near(b.probe[0][0], a.probe[0][0], 1e-6);
        assert_near(b.probe[0][1], a.probe[0][1], 1.1e-5); /* P/EA shorter */
        assert_true(b.found.iterations < 80);
    }
}

/* ---- circle */

/* Rotations that grow linearly are represented exactly. */
static void circle__closes(void **unused) {
    (void)unused;
    beam_answer a;
    for (int p = 1; p <= 2; p++)
        for (int k = 0; k < 2; k++) {
            SOLVE("closed_circle", &a, {"p", p}, {"n", 10 << k});
            assert_true(a.found.unstable <= 0);
            assert_true(hypot(a.probe[0][0], a.probe[0][1]) < 1e-10);
        }
    /* half of it: a semicircle, whose ends are a diameter 2/pi apart; chords of elements, whose points lie on it */
    SOLVE("closed_circle", &a, {"turn", 0.5}, {"n", 40});
    assert_near(a.probe[0][0], 0, 1e-6);
    assert_near(a.probe[0][1], 2 / PI, 1e-5);
}

/* ---- 45-degree bend */

static void bend__has_its_end_where_shooting_says(void **unused) {
    (void)unused;
    static const double exact[][5] = {{1.0 / 6, 300, 58.77912, 22.24478, 40.19189},
                                      {1.0 / 6, 600, 47.15044, 15.68480, 53.47486},
                                      {0.1405770, 300, 58.53593, 22.11261, 40.48026},
                                      {0.1405770, 600, 46.89192, 15.55779, 53.60737}};
    for (int i = 0; i < 4; i++) {
        beam_answer a;
        SOLVE("bend_45", &a, {"J", exact[i][0]}, {"P", exact[i][1]}, {"n", 32});
        for (int k = 0; k < 3; k++)
            assert_near(a.probe[0][k], exact[i][2 + k], 3e-5);
    }
    double error[2];
    for (int p = 1; p <= 2; p++) {
        for (int k = 0; k < 2; k++) {
            beam_answer a;
            SOLVE("bend_45", &a, {"p", p}, {"P", 600}, {"n", 8 << k});
            double off[3] = {a.probe[0][0] - exact[1][2], a.probe[0][1] - exact[1][3], a.probe[0][2] - exact[1][4]};
            error[k] = test_norm(off);
        }
        assert_near(order(error[0], error[1]), 2 * p, 0.3);
    }
}

/* ---- Lee's frame */

/* The loads of the limit points are exact to the square of the error of their displacements, which are therefore compared less closely. */
static void lee_frame__snaps_through_and_back(void **unused) {
    (void)unused;
    bl_equilibrium_options path = {.parameter = "P", .from = 0, .until = 19000};
    double load[2][2];
    for (int k = 0; k < 2; k++) {
        beam_answer a;
        bl_override set[] = {{"n", 8 << k}, {"P", 0}};
        beam_equilibrium("lee_frame", set, 2, &path, &a);
        assert_int_equal(a.ncritical, 2);
        assert_near(a.critical_load[0], 18544.53, 0.02);
        assert_near(a.critical_probe[0][0], 24 + 26.8807, 3e-3);
        assert_near(a.critical_probe[0][1], 120 - 48.756, 3e-3);
        assert_near(a.critical_load[1], -9392.45, 0.05);
        assert_near(a.critical_probe[1][0], 24 + 90.1848, 0.012);
        assert_near(a.critical_probe[1][1], 120 - 58.236, 0.012);
        for (int i = 0; i < 2; i++)
            load[k][i] = a.critical_load[i];
    }
    assert_near((16 * load[1][0] - load[0][0]) / 15, 18544.53, 5e-3);
}

/* Full matrices (80 unknowns), sparse ones with full ones beside them for eigenvalues (160), and sparse ones alone, which do not judge
 * stability. Errors of the elements are of order 4. */
static void lee_frame__has_one_unstable_part_by_all_matrices(void **unused) {
    (void)unused;
    for (int n = 1; n <= 2; n++) {
        beam_answer judged, sparse;
        bl_override set[] = {{"n", n}, {"P", 0}};
        bl_equilibrium_options path = {.parameter = "P", .from = 0, .until = 19000};
        beam_equilibrium("lee_frame", set, 2, &path, &judged);
        path.linsol = "klu";
        beam_equilibrium("lee_frame", set, 2, &path, &sparse);
        assert_int_equal(judged.ncritical, 2);
        assert_int_equal(sparse.ncritical, 2);
        for (int i = 0; i < 2; i++)
            assert_near(judged.critical_load[i], sparse.critical_load[i], 1e-5);
        assert_near(judged.critical_load[0], 18544.53, 12 / pow(n, 4));
        for (int part = 0; part < 3; part++) {
            assert_true((part == 1 ? judged.unstable : judged.stable)[part] > 3);
            assert_int_equal((part == 1 ? judged.stable : judged.unstable)[part], 0);
        }
        assert_int_equal(judged.found.unstable, 0);
    }
}

/* ---- Princeton beam */

static void princeton_beam__bends_and_twists(void **unused) {
    (void)unused;
    static const double exact[][5] = {/* load, turn; shortening, sideways, down in mm */
                                      {4.448, 0, 0.02956, 0, 5.00394},
                                      {4.448, 30, 1.91376, 32.37766, 23.82542},
                                      {8.896, 0, 0.11819, 0, 10.00488},
                                      {8.896, 30, 7.65069, 64.05718, 48.00401},
                                      {8.896, 45, 14.38428, 71.17405, 83.06068},
                                      {8.896, 90, 26.02496, 0, 146.26190},
                                      {13.345, 30, 17.14775, 94.21334, 72.75306},
                                      {13.345, 45, 30.35652, 100.40200, 121.12130},
                                      {13.345, 90, 50.40692, 0, 200.69520}};
    for (int i = 0; i < 9; i++) {
        beam_answer a;
        SOLVE("princeton_beam", &a, {"P", exact[i][0]}, {"turn", exact[i][1]}, {"n", 16});
        assert_near((0.508 - a.probe[0][0]) * 1e3, exact[i][2], 3e-4);
        assert_near(fabs(a.probe[0][1]) * 1e3, exact[i][3], 3e-4);
        assert_near(-a.probe[0][2] * 1e3, exact[i][4], 3e-4);
    }
}

/* ---- reactions, energy */

static void reactions__balance_the_loads(void **unused) {
    (void)unused;
    beam_answer a;
    SOLVE("cantilever_elastica", &a, {"stiff", 1e6});
    double force[3] = {0, 10, 0};
    for (int k = 0; k < 3; k++)
        assert_near(a.reaction[0].force[k], force[k], 1e-7);
    assert_near(a.reaction[0].moment[2], 10 * a.probe[0][0], 1e-7);

    SOLVE("closed_circle", &a, {"n", 10});
    assert_near(a.reaction[0].moment[2], -2 * PI, 1e-9);
    assert_near(hypot(a.reaction[0].force[0], a.reaction[0].force[1]), 0, 1e-9);

    static const char *const spatial[] = {"bend_45", "princeton_beam"};
    for (int i = 0; i < 2; i++) {
        double load[3] = {0, 0, i ? -8.896 : 300}, moment[3];
        SOLVE(spatial[i], &a, {"P", i ? 8.896 : 300});
        test_cross(a.probe[0], load, moment);
        for (int k = 0; k < 3; k++) {
            assert_near(a.reaction[0].force[k], -load[k], 1e-8 * test_norm(load));
            assert_near(a.reaction[0].moment[k], -moment[k], 1e-8 * test_norm(moment));
        }
    }

    SOLVE("lee_frame", &a, {"P", 10000}); /* the second hinge acts upon ground */
    const double *A = a.reaction[0].force, *B = a.reaction[1].force;
    assert_near(A[0] - B[0], 0, 1e-6);
    assert_near(A[1] - B[1], 10000, 1e-6);
    assert_near(120 * B[0] - 120 * B[1] - 10000 * a.probe[0][0], 0, 1e-3);
    assert_near(a.reaction[0].moment[2], 0, 1e-6);
    assert_near(a.reaction[1].moment[2], 0, 1e-6);
}

/* int P dw = P w - int w dP */
static void energy__is_the_work_of_a_load_that_grows(void **unused) {
    (void)unused;
    static const struct {
        const char *scene;
        double load;
        int along;
    } cases[] = {{"cantilever_elastica", 10, 1}, {"bend_45", 300, 2}, {"lee_frame", 10000, 1}, {"princeton_beam", 8.896, 2}};
    static const double ends[] = {0, 0.1, 0.4, 1};
    for (int i = 0; i < 4; i++) {
        beam_answer a;
        double P = cases[i].load, sum = 0, start[3] = {0, 0, 0};
        start[1] = i == 2 ? 120 : 0;
        for (int g = 0; g < 24; g++) {
            double from = ends[g / 8] * P, span = ends[g / 8 + 1] * P - from;
            SOLVE(cases[i].scene, &a, {"P", from + span * beam_gauss[g % 8][0]}, {"n", i == 2 ? 1 : 6});
            sum += span * beam_gauss[g % 8][1] * fabs(a.probe[0][cases[i].along] - start[cases[i].along]);
        }
        SOLVE(cases[i].scene, &a, {"P", P}, {"n", i == 2 ? 1 : 6});
        double work = P * fabs(a.probe[0][cases[i].along] - start[cases[i].along]) - sum;
        assert_near(a.potential / work, 1, 1e-7);
    }
}

/* ---- far away */

/* two hinged elastic rods, released horizontally, hang; a column that is too heavily loaded buckles and bends on; a rod held at both ends
 * whose distance is shortened bows out to one side */
static void equilibria__are_found_from_far_away(void **unused) {
    (void)unused;
    beam_answer a;
    for (int n = 4; n <= 60; n *= 15) {
        beam_equilibrium(
            beam_text("dimension: 2\n"
                      "gravity: [0, -9.81]\n"
                      "bodies:\n"
                      "  - {name: upper, beam: {from: [0, 0], to: [1, 0], elements: %d}, stiffness: {EA: 1e5, GA: 4e4, EI: 10},\n"
                      "     mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                      "  - {name: lower, beam: {from: [1, 0], to: [2, 0], elements: %d}, stiffness: {EA: 1e5, GA: 4e4, EI: 10},\n"
                      "     mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                      "joints:\n"
                      "  - {name: A, type: revolute, bodies: [ground, upper], at: [0, 0]}\n"
                      "  - {name: B, type: revolute, bodies: [upper, lower], at: [1, 0]}\n"
                      "probes: {tip: {body: lower, at: [2, 0]}}\n",
                      n, n),
            NULL, 0, NULL, &a);
        assert_near(a.probe[0][0], 0, 1e-6);
        assert_near(a.probe[0][1], -2 - 9.81 * 2 / 1e5, 1e-8); /* stretched by its weight: g (1/2 + 1 + 1/2) / EA */
    }
    const char *column = beam_text("dimension: 2\n"
                                   "parameters: {P: 2.8}\n"
                                   "bodies:\n"
                                   "  - {name: rod, beam: {from: [0, 0], to: [0, 1], elements: 20}, stiffness: {EA: 1e8, GA: 1e8, EI: 1},\n"
                                   "     mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                                   "joints: [{name: clamp, type: fixed, bodies: [ground, rod], at: [0, 0]}]\n"
                                   "forces: [{type: force, body: rod, at: [0, 1], force: [0, =-P]}]\n"
                                   "probes: {tip: {body: rod, at: [0, 1]}}\n");
    /* with the end turned by `angle`, k = sin(angle/2): P = K(k)^2, height 2 E(k)/K(k) - 1, side 2 k / K(k) */
    double angle = 80 * PI / 180, k = sin(angle / 2), K = 0, E = 0;
    for (int i = 0; i < 2000; i++) { /* the midpoint rule is exact for periodic functions */
        double root = sqrt(1 - k * k * pow(sin((i + 0.5) * PI / 4000), 2));
        K += PI / 4000 / root;
        E += PI / 4000 * root;
    }
    beam_equilibrium(column, (bl_override[]){{"P", K * K}}, 1, NULL, &a);
    assert_int_equal(a.found.unstable, 0);
    assert_near(a.probe[0][1], 2 * E / K - 1, 1e-4);
    assert_near(fabs(a.probe[0][0]), 2 * k / K, 1e-4);
    beam_equilibrium(column, (bl_override[]){{"P", K * K}}, 1, &(bl_equilibrium_options){.any = true}, &a);
    assert_int_equal(a.found.unstable, 1);
    assert_near(a.probe[0][0], 0, 1e-9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elastica__converges_to_elliptic_integrals),
        cmocka_unit_test(elastica__hangs_under_heavy_loads),
        cmocka_unit_test(thin_rods__rest_where_they_should),
        cmocka_unit_test(circle__closes),
        cmocka_unit_test(bend__has_its_end_where_shooting_says),
        cmocka_unit_test(lee_frame__snaps_through_and_back),
        cmocka_unit_test(lee_frame__has_one_unstable_part_by_all_matrices),
        cmocka_unit_test(princeton_beam__bends_and_twists),
        cmocka_unit_test(reactions__balance_the_loads),
        cmocka_unit_test(energy__is_the_work_of_a_load_that_grows),
        cmocka_unit_test(equilibria__are_found_from_far_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
