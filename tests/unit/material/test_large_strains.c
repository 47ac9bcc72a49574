/* Elastic laws of large strains by hand: tension, shear, incompressible forms, mean dilatation, equal and nearly equal stretches. */
#include "support/materials.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char soft[] = "E=1000,nu=0.3";
static const double E = 1000, nu = 0.3;

static void respond(const char *kind, const char *options, const char *strain, bl_plane plane, const double F[9], test_response *at) {
    bl_material m = test_material(kind, options, plane);
    assert_int_equal(test_respond(&m, test_strain(strain), F, 0, NULL, at), BL_OK);
}

static void expect(const double s[6], const double expected[6], double tolerance) {
    for (int k = 0; k < 6; k++)
        assert_near(s[k], expected[k], tolerance);
}

/* ---- St. Venant-Kirchhoff */

static void st_venant_kirchhoff__in_tension_and_shear(void **unused) {
    (void)unused;
    double a = 1.3, e = 0.5 * (a * a - 1), lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = 0.5 * E / (1 + nu), g = 0.4;
    test_response at;
    const double stretched[9] = {a, 0, 0, 0, 1, 0, 0, 0, 1};
    respond("st_venant_kirchhoff", soft, "green", BL_PLANE_STRAIN, stretched, &at);
    expect(at.tau, (const double[6]){a * a * (lambda + 2 * mu) * e, lambda * e, lambda * e}, 1e-12 * E);
    /* tension in the plane: E11 = e, E22 = -nu e, S11 = E e */
    const double narrowed[9] = {a, 0, 0, 0, sqrt(1 - 2 * nu * e), 0, 0, 0, NAN};
    respond("st_venant_kirchhoff", soft, "green", BL_PLANE_STRESS, narrowed, &at);
    expect(at.tau, (const double[6]){a * a * E * e}, 1e-12 * E);
    assert_near(at.energy, 0.5 * E * e * e, 1e-12 * E);
    /* simple shear: E12 = g/2, E22 = g^2/2 */
    const double sheared[9] = {1, g, 0, 0, 1, 0, 0, 0, 1};
    respond("st_venant_kirchhoff", soft, "green", BL_PLANE_STRAIN, sheared, &at);
    double S11 = lambda * g * g / 2, S22 = (lambda + 2 * mu) * g * g / 2, S12 = mu * g;
    expect(at.tau, (const double[6]){S11 + 2 * g * S12 + g * g * S22, S22, S11, S12 + g * S22}, 1e-12 * E);
}

/* ---- neo-Hookean */

/* Tension with lateral stretch t: mu (t^2 - 1) + lambda ln J = 0 gives J, then the stretch J/t^2 and tau = mu (stretch^2 - t^2). */
static void neo_hookean__in_tension(void **unused) {
    (void)unused;
    double lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = 0.5 * E / (1 + nu);
    for (double t = 0.6; t < 1.3; t += 0.1) {
        double J = exp(-mu * (t * t - 1) / lambda), a = J / (t * t), tau = mu * (a * a - t * t);
        const double solid[9] = {a, 0, 0, 0, t, 0, 0, 0, t}, flat[9] = {a, 0, 0, 0, t, 0, 0, 0, NAN};
        test_response at;
        respond("neo_hookean", soft, "left", BL_PLANE_NONE, solid, &at);
        expect(at.tau, (const double[6]){tau}, 1e-13 * E * a * a);
        respond("neo_hookean", soft, "left", BL_PLANE_STRESS, flat, &at);
        expect(at.tau, (const double[6]){tau}, 1e-13 * E * a * a);
    }
}

static void neo_hookean__in_shear(void **unused) {
    (void)unused;
    double mu = 0.5 * E / (1 + nu), g = 0.7;
    const double F[9] = {1, g, 0, 0, 1, 0, 0, 0, 1};
    test_response at;
    respond("neo_hookean", soft, "left", BL_PLANE_STRAIN, F, &at);
    expect(at.tau, (const double[6]){mu * g * g, 0, 0, mu * g}, 1e-13 * E);
    respond("nearly_incompressible", soft, "left", BL_PLANE_STRAIN, F, &at);
    expect(at.tau, (const double[6]){mu * g * g * 2 / 3, -mu * g * g / 3, -mu * g * g / 3, mu * g}, 1e-13 * E);
}

/* ---- nearly incompressible */

/* rubber: tension mu (a^2 - 1/a), equibiaxial tension mu (a^2 - a^-4), shear mu (a^2 - 1) with the other side kept */
static void nearly_incompressible__is_incompressible_in_plane_stress(void **unused) {
    (void)unused;
    double mu = 0.5 * E / (1 + nu), a = 1.6;
    test_response at;
    respond("nearly_incompressible", soft, "left", BL_PLANE_STRESS, (const double[9]){a, 0, 0, 0, 1 / sqrt(a), 0, 0, 0, NAN}, &at);
    expect(at.tau, (const double[6]){mu * (a * a - 1 / a)}, 1e-13 * E);
    respond("nearly_incompressible", soft, "left", BL_PLANE_STRESS, (const double[9]){a, 0, 0, 0, a, 0, 0, 0, NAN}, &at);
    double both = mu * (a * a - pow(a, -4));
    expect(at.tau, (const double[6]){both, both}, 1e-13 * E);
    respond("nearly_incompressible", soft, "left", BL_PLANE_STRESS, (const double[9]){a, 0, 0, 0, 1, 0, 0, 0, NAN}, &at);
    expect(at.tau, (const double[6]){mu * (a * a - 1 / (a * a)), mu * (1 - 1 / (a * a))}, 1e-13 * E);
}

/* the compressible law goes there as nu goes to 1/2, with the difference in proportion to 1 - 2 nu */
static void nearly_incompressible__is_the_limit_of_the_law_in_space(void **unused) {
    (void)unused;
    double a = 1.3, before = 0;
    for (int n = 3; n < 7; n++) {
        char options[64];
        snprintf(options, sizeof options, "E=1000,nu=%.10g", 0.5 - pow(10, -n));
        bl_material m = test_material("nearly_incompressible", options, BL_PLANE_NONE);
        test_response flat, at;
        const double thermal[6] = {0};
        respond("nearly_incompressible", options, "left", BL_PLANE_STRESS, (const double[9]){a, 0.2, 0, 0, 1.1, 0, 0, 0, NAN}, &flat);
        /* F33 with stress 33 = 0 by bisection */
        double low = 0.5, high = 1;
        double F[9] = {a, 0.2, 0, 0, 1.1, 0, 0, 0, 1};
        for (int k = 0; k < 60; k++) {
            F[8] = 0.5 * (low + high);
            assert_int_equal(test_strain("left")->at(&m, F, thermal, 0, NULL, NULL, at.tau, NULL, NULL, NULL), BL_OK);
            if (at.tau[BL_33] > 0)
                high = F[8];
            else
                low = F[8];
        }
        double difference = fabs(at.tau[BL_11] - flat.tau[BL_11]);
        if (n > 3)
            assert_near(before / difference, 10, 0.2);
        before = difference;
    }
}

/* with the element's dilatation: the pressure is that of the mean, the shape part that of the point, and the tangent is the derivative at a
 * given mean */
static void dilatation__is_taken_from_outside(void **unused) {
    (void)unused;
    bl_material m = test_material("nearly_incompressible", "E=1000,nu=0.4999", BL_PLANE_STRAIN);
    const bl_strain_kind *left = test_strain("left");
    double F[9] = {1.1, 0.2, 0, -0.1, 0.97, 0, 0, 0, 1};
    const double thermal[6] = {0};
    double J = det3(F), mean = 0.995, own[6], given[6], same[6], c[36], c_own[36], energy, energy_own;
    assert_true(m.gives & BL_MATERIAL_DILATATION);
    assert_near(m.bulk, 1000 / (3 * (1 - 2 * 0.4999)), 1e-6);
    assert_int_equal(left->at(&m, F, thermal, 0, NULL, NULL, own, c_own, &energy_own, NULL), BL_OK);
    assert_int_equal(left->at(&m, F, thermal, J, NULL, NULL, same, c, &energy, NULL), BL_OK);
    double largest = test_largest(c_own, 36);
    for (int k = 0; k < 6; k++)
        assert_near(own[k], same[k], 1e-12 * largest);
    assert_near(energy, energy_own, 1e-12 * largest);
    for (int k = 0; k < 36; k++) /* kappa J^2 1 (x) 1 is left to the element */
        assert_near(c_own[k] - c[k], k / 6 < 3 && k % 6 < 3 ? m.bulk * J * J : 0, 1e-12 * largest);
    assert_int_equal(left->at(&m, F, thermal, mean, NULL, NULL, given, c, &energy, NULL), BL_OK);
    for (int k = 0; k < 6; k++)
        assert_near(given[k] - own[k], k < 3 ? J * m.bulk * (mean - J) : 0, 1e-12 * largest);
    assert_near(energy - energy_own, 0.5 * m.bulk * ((mean - 1) * (mean - 1) - (J - 1) * (J - 1)), 1e-12 * largest);
    /* differences of sixth order at the given mean */
    static const double weight[4] = {0, 45, -9, 1};
    for (int k = 0; k < 9; k++) {
        double l[9] = {0}, slope[6] = {0}, S[9], lS[9], h = 1e-3;
        if (k == 2 || k > 4)
            continue;
        l[k] = 1;
        for (int n = -3; n <= 3; n++) {
            double step[9], moved[9], tau[6];
            for (int i = 0; i < 9; i++)
                step[i] = (i % 4 == 0) + n * h * l[i];
            multiply3(step, F, moved);
            assert_int_equal(left->at(&m, moved, thermal, mean, NULL, NULL, tau, NULL, NULL, NULL), BL_OK);
            for (int i = 0; i < 6; i++)
                slope[i] += (n < 0 ? -1 : 1) * weight[n < 0 ? -n : n] * tau[i] / (60 * h);
        }
        stress_matrix(given, S);
        multiply3(l, S, lS);
        for (int i = 0; i < 6; i++) {
            int p = bl_first[i], q = bl_second[i], column = bl_pair[k / 3][k % 3];
            assert_near(slope[i], c[6 * i + column] + lS[3 * p + q] + lS[3 * q + p], 1e-9 * test_largest(c, 36));
        }
    }
}

/* ---- Hencky */

/* The tangent of Cauchy stress in principal axes as textbooks write it, with its own limit for equal stretches. */
static void textbook_tangent(const double stretch[3], const double N[9], double out[36]) {
    double lambda = E * nu / ((1 + nu) * (1 - 2 * nu)), mu = 0.5 * E / (1 + nu), c[36] = {0}, T[36], tau[3];
    double logs = log(stretch[0] * stretch[1] * stretch[2]);
    for (int a = 0; a < 3; a++)
        tau[a] = 2 * mu * log(stretch[a]) + lambda * logs;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            c[6 * a + b] = lambda + (a == b ? 2 * mu - 2 * tau[a] : 0);
    for (int k = 3; k < 6; k++) {
        int a = bl_first[k], b = bl_second[k];
        double la = stretch[a] * stretch[a], lb = stretch[b] * stretch[b];
        c[7 * k] = la == lb ? mu - tau[a] : (tau[a] * lb - tau[b] * la) / (la - lb);
    }
    congruence6(N, T);
    push6(T, c, 1, out);
}

static void hencky__is_continuous_across_equal_stretches(void **unused) {
    (void)unused;
    test_random random = {test_seed(31)};
    static const double gaps[] = {0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5, 1e-3, 0.1};
    for (int n = 0; n < 200; n++) {
        double Q[9], R[9], V[9], F[9], base = 1 + 0.4 * test_random_symmetric(&random), other = 1 + 0.4 * test_random_symmetric(&random);
        test_response first = {0};
        test_random_rotation(&random, BL_PLANE_NONE, Q);
        test_random_rotation(&random, BL_PLANE_NONE, R);
        for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++)
            for (int triple = 0; triple < 2; triple++) {
                double stretch[3] = {base, base + gaps[i], triple ? base - gaps[i] : other}, expected[36], D[9] = {0}, Qt[9];
                test_response at;
                for (int k = 0; k < 3; k++)
                    D[4 * k] = stretch[k];
                transpose3(Q, Qt);
                multiply3(Q, D, V);
                multiply3(V, Qt, D); /* V = Q diag Q^T */
                multiply3(D, R, F);
                respond("hencky", soft, "logarithmic", BL_PLANE_NONE, F, &at);
                textbook_tangent(stretch, Q, expected);
                /* the quotient of the textbook loses digits as the gap closes */
                double lost = gaps[i] == 0 ? 1e-13 : fmin(10, 1e-13 + 1e-15 / gaps[i]);
                for (int k = 0; k < 36; k++)
                    assert_near(at.c[k], expected[k], lost * 10 * E);
                if (triple)
                    continue;
                if (i == 0)
                    first = at;
                for (int k = 0; k < 36; k++)
                    assert_near(at.c[k], first.c[k], 20 * E * gaps[i] + 1e-12 * E); /* 1e-8 E at a gap of 1e-9 and below */
                for (int k = 0; k < 6; k++)
                    assert_near(at.tau[k], first.tau[k], 20 * E * gaps[i] + 1e-12 * E);
            }
    }
}

/* all laws are linear elasticity for small strains: within e^2 */
static void every_law__is_linear_for_small_strains(void **unused) {
    (void)unused;
    static const char *const pairs[][2] = {{"st_venant_kirchhoff", "green"}, {"neo_hookean", "left"},     {"nearly_incompressible", "left"},
                                           {"hencky", "logarithmic"},        {"hypoelastic", "midpoint"}, {"hypoelastic", "polar"}};
    test_random random = {test_seed(37)};
    for (int i = 0; i < 6; i++)
        for (bl_plane plane = BL_PLANE_NONE; plane <= BL_PLANE_AXISYMMETRIC; plane++) {
            double F[9], size = 1e-6;
            test_response small, at;
            if (i == 2 && plane == BL_PLANE_STRESS)
                continue;
            test_random_F(&random, plane, size, F);
            respond("elastic", soft, "linear", plane, F, &small);
            respond(pairs[i][0], soft, pairs[i][1], plane, F, &at);
            expect(at.tau, small.tau, 20 * E * size * size + 4e-16 * 4 * E);
            for (int k = 0; k < 36; k++)
                assert_near(at.c[k], small.c[k], 20 * E * size);
        }
}

/* thermal strain alone: a body that has grown by it is free of stress */
static void heat__leaves_a_free_body_without_stress(void **unused) {
    (void)unused;
    const double theta = 0.03;
    static const struct {
        const char *kind, *strain;
        double stretch;
    } laws[] = {{"st_venant_kirchhoff", "green", 1.0295630140987001}, /* sqrt(1 + 2 theta) */
                {"neo_hookean", "left", 1.03},
                {"nearly_incompressible", "left", 1.03},
                {"hencky", "logarithmic", 1.0304545339535169}, /* exp(theta) */
                {"hypoelastic", "polar", 1.0304545339535169}};
    for (int i = 0; i < 5; i++)
        for (bl_plane plane = BL_PLANE_NONE; plane <= BL_PLANE_STRESS; plane += BL_PLANE_STRESS) {
            double a = laws[i].stretch, F[9] = {a, 0, 0, 0, a, 0, 0, 0, plane == BL_PLANE_STRESS ? NAN : a};
            bl_material m = test_material(laws[i].kind, soft, plane);
            test_response at;
            assert_int_equal(test_respond(&m, test_strain(laws[i].strain), F, theta, NULL, &at), BL_OK);
            expect(at.tau, (const double[6]){0}, 1e-12 * E);
        }
}

/* at large compression and tension plane stress finds the thickness, or reports that it cannot */
static void plane_stress__ends(void **unused) {
    (void)unused;
    static const char *const options[] = {"E=1000,nu=0.3", "E=1000,nu=0.4999", "E=1000,nu=0", "E=1000,nu=-0.9"};
    for (int i = 0; i < 4; i++)
        for (double a = 1e-3; a < 2e3; a *= 10) {
            bl_material m = test_material("neo_hookean", options[i], BL_PLANE_STRESS);
            const double F[9] = {a, 0, 0, 0, a, 0, 0, 0, NAN};
            test_response at;
            bl_status status = test_respond(&m, test_strain("left"), F, 0, NULL, &at);
            if (i < 3)
                assert_int_equal(status, BL_OK);
            else
                assert_true(status == BL_OK || status == BL_NO_CONVERGENCE || status == BL_NOT_FINITE);
        }
}

/* heated in a box: as if swollen freely and pushed back, F_e = 1/(1 + theta), Cauchy's stress tau(F_e)/det F_e */
static void heat__stresses_are_those_of_the_swollen_body(void **unused) {
    (void)unused;
    const double theta = 0.1, one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double mu = 1000 / 2.6, lambda = 300 / (1.3 * 0.4), s = 1 / (1 + theta);
    bl_material m = test_material("neo_hookean", "E=1000,nu=0.3", BL_PLANE_NONE);
    test_response at;
    assert_int_equal(test_respond(&m, test_strain("left"), one, theta, NULL, &at), BL_OK);
    for (int k = 0; k < 3; k++)
        assert_near(at.tau[k], (mu * (s * s - 1) + 3 * lambda * log(s)) / (s * s * s), 1e-11);
    /* a bar between walls: perfectly plastic, Cauchy's stress is the yield stress */
    m = test_material("multiplicative_plastic", "E=1000,nu=0.3,yield=2", BL_PLANE_BAR);
    assert_int_equal(test_respond(&m, test_strain("left"), one, theta, NULL, &at), BL_OK);
    assert_near(at.tau[0] / (at.F[0] * at.F[4] * at.F[8]), -2, 1e-11);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heat__stresses_are_those_of_the_swollen_body),
        cmocka_unit_test(st_venant_kirchhoff__in_tension_and_shear),
        cmocka_unit_test(neo_hookean__in_tension),
        cmocka_unit_test(neo_hookean__in_shear),
        cmocka_unit_test(nearly_incompressible__is_incompressible_in_plane_stress),
        cmocka_unit_test(nearly_incompressible__is_the_limit_of_the_law_in_space),
        cmocka_unit_test(dilatation__is_taken_from_outside),
        cmocka_unit_test(hencky__is_continuous_across_equal_stretches),
        cmocka_unit_test(every_law__is_linear_for_small_strains),
        cmocka_unit_test(heat__leaves_a_free_body_without_stress),
        cmocka_unit_test(plane_stress__ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
