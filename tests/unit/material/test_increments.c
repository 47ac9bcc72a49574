/* Corotational increments: simple shear against the exact Jaumann law and known numbers, order of convergence, closed forms without
 * rotation, plastic points that turn, what a spin changes. */
#include "support/materials.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char soft[] = "E=1000,nu=0.25"; /* lambda = mu = 400 */

/* F(t), t from 0 to 1, in n equal increments from rest */
typedef void motion(double t, double F[9]);

static void move(const bl_material *m, const bl_strain_kind *strain, motion *path, int n, test_response *at) {
    double history[BL_MATERIAL_HISTORY_MOST] = {0}, F[9];
    for (int k = 1; k <= n; k++) {
        path((double)k / n, F);
        assert_int_equal(test_respond(m, strain, F, 0, history, at), BL_OK);
        memcpy(history, at->trial, sizeof at->trial);
    }
}

static void shear(double t, double F[9]) {
    const double f[9] = {1, 2 * t, 0, 0, 1, 0, 0, 0, 1};
    memcpy(F, f, sizeof f);
}

/* To gamma = 2: s12 = mu sin 2, s11 = mu (1 - cos 2) of the rate of Jaumann; s12 with 20, 80, 320 increments. Each turns
 * a plane stress by an angle, which is a product of complex numbers: recomputed so. */
static void shear__converges_to_jaumanns_law_with_second_order(void **unused) {
    (void)unused;
    static const struct {
        const char *strain;
        double s12[3];
    } known[] = {{"midpoint", {364.015638657, 363.737513310, 363.720129645}}, {"polar", {364.298509440, 363.755249999, 363.721238412}}};
    const double s12 = 400 * sin(2), s11 = 400 * (1 - cos(2));
    assert_near(s12, 363.718971, 0.6e-6);
    assert_near(s11, 566.458735, 0.6e-6);
    for (int i = 0; i < 2; i++) {
        double error[3][2];
        for (int n = 0; n < 3; n++) {
            bl_material m = test_material("hypoelastic", soft, n % 2 ? BL_PLANE_STRAIN : BL_PLANE_NONE);
            test_response at;
            move(&m, test_strain(known[i].strain), shear, 20 << (2 * n), &at);
            assert_near(at.tau[BL_12], known[i].s12[n], 0.6e-9);
            assert_near(at.tau[BL_22], -at.tau[BL_11], 1e-10);
            error[n][0] = at.tau[BL_12] - s12;
            error[n][1] = at.tau[BL_11] - s11;
        }
        for (int n = 0; n < 2; n++)
            for (int k = 0; k < 2; k++)
                assert_near(error[n][k] / error[n + 1][k], 16, 0.4); /* h^2: 16, and h^4 behind it */
    }
}

/* ---- without rotation: closed forms */

static void stretch_in_space(double t, double F[9]) {
    const double f[9] = {1 + t, 0, 0, 0, 1 - 0.2 * t, 0, 0, 0, 1 + 0.1 * t};
    memcpy(F, f, sizeof f);
}

static void polar__sums_up_logarithms(void **unused) {
    (void)unused;
    bl_material m = test_material("hypoelastic", soft, BL_PLANE_NONE);
    double e[3] = {log(2), log(0.8), log(1.1)}, J = 2 * 0.8 * 1.1;
    for (int n = 1; n < 10; n += 4) {
        test_response at;
        move(&m, test_strain("polar"), stretch_in_space, n, &at);
        for (int k = 0; k < 3; k++)
            assert_near(at.tau[k], J * (400 * (e[0] + e[1] + e[2]) + 800 * e[k]), 1e-12 * 2000 * n);
    }
}

static void midpoint__sums_up_its_quotients(void **unused) {
    (void)unused;
    bl_material m = test_material("hypoelastic", soft, BL_PLANE_NONE);
    double e[3] = {2 * 1.0 / 3.0, -2 * 0.2 / 1.8, 2 * 0.1 / 2.1}, J = 2 * 0.8 * 1.1; /* 2 (f - 1)/(f + 1), one increment */
    test_response at;
    move(&m, test_strain("midpoint"), stretch_in_space, 1, &at);
    for (int k = 0; k < 3; k++)
        assert_near(at.tau[k], J * (400 * (e[0] + e[1] + e[2]) + 800 * e[k]), 1e-12 * 2000);
}

/* tension: the width follows the law, the thickness is found */
static void stretch_in_the_plane(double t, double F[9]) {
    const double f[9] = {1 + t, 0, 0, 0, pow(1 + t, -0.25), 0, 0, 0, NAN};
    memcpy(F, f, sizeof f);
}

static void plane_stress__finds_the_thickness(void **unused) {
    (void)unused;
    bl_material m = test_material("hypoelastic", soft, BL_PLANE_STRESS);
    test_response at;
    move(&m, test_strain("polar"), stretch_in_the_plane, 5, &at);
    double J = pow(2, 1 - 2 * 0.25); /* sigma = E ln 2, both other stretches 2^-nu */
    assert_near(at.tau[BL_11], J * 1000 * log(2), 1e-12 * 1000);
    assert_near(at.tau[BL_22], 0, 1e-12 * 1000);
    assert_near(at.trial[8], pow(2, -0.25) - 1, 1e-14);
}

/* ---- plastic points */

static const double angle = 1.7;

/* stretched, then turned while nothing deforms, then stretched on in the turned direction */
static void stretch_and_turn(double t, double F[9]) {
    double grow = 0.05 * fmin(t, 0.5) + (t > 0.75 ? 0.05 * (t - 0.75) : 0), turn = t > 0.75 ? angle : t > 0.5 ? angle * (t - 0.5) * 4 : 0;
    double c = cos(turn), s = sin(turn);
    const double f[9] = {c * (1 + grow), -s, 0, s * (1 + grow), c, 0, 0, 0, 1};
    memcpy(F, f, sizeof f);
}

static void stretch_alone(double t, double F[9]) {
    double grow = 0.05 * fmin(t, 0.5) + (t > 0.75 ? 0.05 * (t - 0.75) : 0);
    const double f[9] = {1 + grow, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(F, f, sizeof f);
}

/* plastic strain and back stress turn with the point */
static void plastic_points__harden_on_in_turned_axes(void **unused) {
    (void)unused;
    static const char *const strains[] = {"midpoint", "polar"};
    for (int i = 0; i < 2; i++) {
        bl_material m = test_material("plastic", "E=1000,nu=0.3,yield=2,hardening=100,kinematic=0.6", BL_PLANE_STRAIN);
        double c = cos(angle), s = sin(angle), R[9] = {c, -s, 0, s, c, 0, 0, 0, 1}, expected[6];
        test_response turned, alone;
        move(&m, test_strain(strains[i]), stretch_and_turn, 40, &turned);
        move(&m, test_strain(strains[i]), stretch_alone, 40, &alone);
        assert_true(alone.dissipated > 0);
        assert_near(turned.dissipated, alone.dissipated, 1e-13);
        assert_near(turned.energy, alone.energy, 1e-13);
        test_rotate(R, alone.tau, expected);
        for (int k = 0; k < 6; k++)
            assert_near(turned.tau[k], expected[k], 1e-11);
    }
}

/* for strains of size h increments differ from small strains by h^2 */
static void small_increments__are_small_strains(void **unused) {
    (void)unused;
    static const char *const strains[] = {"midpoint", "polar"};
    test_random random = {test_seed(23)};
    for (bl_plane plane = BL_PLANE_NONE; plane <= BL_PLANE_STRESS; plane++)
        for (int i = 0; i < 2; i++) {
            bl_material m = test_material("plastic", "E=1000,nu=0.3,yield=1e-5,hardening=100,kinematic=0.6", plane);
            double F[9];
            test_response small, at;
            test_random_F(&random, plane, 1e-7, F);
            assert_int_equal(test_respond(&m, test_strain(strains[i]), F, 0, NULL, &at), BL_OK);
            assert_int_equal(test_respond(&m, test_strain("linear"), F, 0, NULL, &small), BL_OK);
            assert_true(small.dissipated > 0);
            for (int k = 0; k < 6; k++)
                assert_near(at.tau[k], small.tau[k], 1000 * 1e-13 + 1e-12); /* E h^2, and the rounding of F */
            for (int k = 0; k < 36; k++)
                assert_near(at.c[k], small.c[k], 1000 * 1e-4); /* h over the strain at which it yields, 1e-8: flow turns by h^2/1e-8 */
        }
}

/* ---- rotations of one increment while it deforms */

/* polar: the stress turns exactly. midpoint: to third order in the increment; the columns `spin` show how much */
static void spin__is_what_midpoint_lacks(void **unused) {
    (void)unused;
    bl_material m = test_material("hypoelastic", soft, BL_PLANE_NONE);
    const bl_strain_kind *midpoint = test_strain("midpoint");
    double lack[3];
    assert_null(test_strain("polar")->spin);
    for (int n = 0; n < 3; n++) {
        double h = 0.2 / (1 << n), F[9] = {1 + h, 0.5 * h, -0.2 * h, 0.1 * h, 1 - 0.3 * h, 0.4 * h, 0.3 * h, -h, 1 + 0.2 * h};
        test_response at;
        assert_int_equal(test_respond(&m, midpoint, F, 0, NULL, &at), BL_OK);
        lack[n] = test_largest(at.spin, 18);
        assert_true(lack[n] > 0 && lack[n] < 1000 * h * h);
    }
    for (int n = 0; n < 2; n++) /* stress h times h w of the increment */
        assert_near(lack[n] / lack[n + 1], 4, 1);
}

static void half_a_turn__is_too_much_for_the_middle(void **unused) {
    (void)unused;
    bl_material m = test_material("hypoelastic", soft, BL_PLANE_NONE);
    const double F[9] = {-1, 0, 0, 0, -1, 0, 0, 0, 1};
    test_response at;
    assert_int_equal(test_respond(&m, test_strain("midpoint"), F, 0, NULL, &at), BL_NOT_FINITE);
    assert_int_equal(test_respond(&m, test_strain("polar"), F, 0, NULL, &at), BL_OK);
    assert_near(test_largest(at.tau, 6), 0, 1e-12);
}

/* a point that turns on and on keeps its stress, and its axes stay orthonormal */
static void many_turns__leave_the_stress(void **unused) {
    (void)unused;
    static const char *const strains[] = {"midpoint", "polar"};
    for (int i = 0; i < 2; i++) {
        bl_material m = test_material("hypoelastic", soft, BL_PLANE_NONE);
        double history[BL_MATERIAL_HISTORY_MOST] = {0}, U[9] = {1.2, 0.1, 0, 0.1, 0.9, 0.05, 0, 0.05, 1.1}, F[9], R[9], turn[3][3],
               expected[6];
        const double axis[3] = {0.6, 0, 0.8};
        test_response first, at;
        enum { TURNS = 2000 };
        assert_int_equal(test_respond(&m, test_strain(strains[i]), U, 0, NULL, &first), BL_OK);
        memcpy(history, first.trial, sizeof first.trial);
        for (int n = 1; n <= TURNS; n++) {
            test_turn(axis, 0.7 * n, turn);
            memcpy(R, turn, sizeof R);
            multiply3(R, U, F);
            assert_int_equal(test_respond(&m, test_strain(strains[i]), F, 0, history, &at), BL_OK);
            memcpy(history, at.trial, sizeof at.trial);
        }
        test_rotate(R, first.tau, expected);
        for (int k = 0; k < 6; k++)
            assert_near(at.tau[k], expected[k], TURNS * 1e-15 * 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shear__converges_to_jaumanns_law_with_second_order),
        cmocka_unit_test(polar__sums_up_logarithms),
        cmocka_unit_test(midpoint__sums_up_its_quotients),
        cmocka_unit_test(plane_stress__finds_the_thickness),
        cmocka_unit_test(plastic_points__harden_on_in_turned_axes),
        cmocka_unit_test(small_increments__are_small_strains),
        cmocka_unit_test(spin__is_what_midpoint_lacks),
        cmocka_unit_test(half_a_turn__is_too_much_for_the_middle),
        cmocka_unit_test(many_turns__leave_the_stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
