/* Small vibrations of beams against the exact differential equations: thin rings, cantilevers with rotary inertia and shear, columns under
 * load up to and past buckling, a beam with a mass in its middle. */
#include "support/beam_answers.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- Timoshenko's beam of length 1: y = [w, angle, M, Q], y' = A y with w' = angle + Q/GA, angle' = M/EI, M' = -Q - rhoI omega^2 angle,
 * Q' = -rhoA omega^2 w */

typedef struct timoshenko {
    double EI, GA, rhoA, rhoI, mass; /* mass: in the middle */
} timoshenko;

/* Y[4][4] <- e^(A length) Y by the exponential series in parts */
static void along(const timoshenko *b, double omega, double length, double Y[4][4]) {
    enum { PARTS = 16, TERMS = 24 };
    const double h = length / PARTS, s = omega * omega;
    const double A[4][4] = {{0, h, 0, h / b->GA}, {0, 0, h / b->EI, 0}, {0, -h * b->rhoI * s, 0, -h}, {-h * b->rhoA * s, 0, 0, 0}};
    for (int part = 0; part < PARTS; part++) {
        double term[4][4], next[4][4];
        memcpy(term, Y, sizeof term);
        for (int n = 1; n <= TERMS; n++) {
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) {
                    next[i][j] = 0;
                    for (int k = 0; k < 4; k++)
                        next[i][j] += A[i][k] * term[k][j] / n;
                }
            memcpy(term, next, sizeof term);
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    Y[i][j] += term[i][j];
        }
    }
}

/* zero at the frequencies: two of y vanish at the beginning (so columns c are free), rows r vanish at the end */
static double characteristic(const timoshenko *b, double omega, const int c[2], const int r[2]) {
    double Y[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    along(b, omega, 0.5, Y);
    for (int j = 0; j < 4; j++)
        Y[3][j] -= b->mass * omega * omega * Y[0][j];
    along(b, omega, 0.5, Y);
    return Y[r[0]][c[0]] * Y[r[1]][c[1]] - Y[r[0]][c[1]] * Y[r[1]][c[0]];
}

static void exact_frequencies(const timoshenko *b, bool clamped, int count, double *omega) {
    static const int cantilever[2] = {2, 3}, hinged_columns[2] = {1, 3}, hinged_rows[2] = {0, 2};
    const int *c = clamped ? cantilever : hinged_columns, *r = clamped ? cantilever : hinged_rows;
    double last = characteristic(b, 0.01, c, r);
    int n = 0;
    for (double at = 0.01; n < count; at += 0.1) {
        double value = characteristic(b, at + 0.1, c, r), low = at, high = at + 0.1;
        if ((value > 0) != (last > 0)) {
            for (int k = 0; k < 60; k++) {
                double middle = (low + high) / 2;
                if ((characteristic(b, middle, c, r) > 0) == (last > 0))
                    low = middle;
                else
                    high = middle;
            }
            omega[n++] = low;
        }
        last = value;
    }
}

static const char *rod(int n, const timoshenko *b, const char *end, double load) {
    return beam_text("dimension: 2\n"
                     "bodies:\n"
                     "  - {name: rod, beam: {from: [0, 0], to: [1, 0], elements: %d, degree: 2},\n"
                     "     stiffness: {EA: 1e7, GA: %.17g, EI: %.17g}, mass_per_length: {rhoA: %.17g, rhoI: %.17g},\n"
                     "     masses: [{at: [0.5, 0], mass: %.17g}]}\n"
                     "joints:\n"
                     "  - {name: left, type: %s, bodies: [ground, rod], at: [0, 0]}\n"
                     "  %s\n"
                     "forces: [{type: force, body: rod, at: [1, 0], force: [%.17g, 0]}]\n",
                     n, b->GA, b->EI, b->rhoA, b->rhoI, b->mass, end ? "revolute" : "fixed", end ? end : "", -load);
}

static void cantilever__has_the_frequencies_of_its_equations(void **unused) {
    (void)unused;
    static const timoshenko beams[] = {
        {1, 1e7, 1, 0, 0}, {1, 1e7, 1, 1e-5, 0}, {1, 1e7, 1, 1e-3, 0}, {1, 1e3, 1, 0, 0}, {1, 400, 1, 2e-3, 0}};
    static const double bernoulli[] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
    double omega[5][4];
    for (int i = 0; i < 5; i++) {
        double error[2][3];
        exact_frequencies(&beams[i], true, 3, omega[i]);
        for (int m = 0; m < 2; m++) {
            double found[BEAM_MODES];
            assert_true(beam_modes(rod(10 << m, &beams[i], NULL, 0), NULL, 0, &(bl_modes_options){.count = 4}, found) >= 3);
            for (int k = 0; k < 3; k++)
                error[m][k] = sqrt(found[k]) / omega[i][k] - 1;
        }
        for (int k = 0; k < 3; k++) {
            assert_near((16 * error[1][k] - error[0][k]) / 15, 0, 3e-6); /* order 4: what is left at finer meshes */
            assert_near(error[1][k], 0, 1e-4);
            if (fabs(error[0][k]) > 1e-5)
                assert_near(log2(fabs(error[0][k] / error[1][k])), 4, 0.3);
        }
    }
    for (int k = 0; k < 3; k++) {
        assert_near(omega[0][k] / (bernoulli[k] * bernoulli[k]), 1, 1e-5);
        for (int i = 1; i < 5; i++) /* rotary inertia and shear lower them, higher ones more */
            assert_true(omega[i][k] < omega[0][k] && (k == 0 || omega[i][k] / omega[0][k] < omega[i][k - 1] / omega[0][k - 1]));
        assert_true(omega[2][k] < omega[1][k]);
    }
}

/* Wires with length over diameter up to 1e4, where the shear of a cross section is up to 1e16 times faster than the bending of the wire,
 * squared. Clamped, hinged and free at the left; the right end is free. Errors are those of 20 elements, and of stiffnesses that are up to
 * 16 (length / diameter)^2 20^2 / 12 times that of bending: 1e-16 x 5e10. */
static void wires__bend_however_thin_they_are(void **unused) {
    (void)unused;
    static const struct {
        const char *joint;
        double kL[2];
    } cases[] = {{"fixed", {1.875104068711961, 4.694091132974175}},
                 {"revolute", {3.926602312047919, 7.068582745628732}},
                 {NULL, {4.730040744862704, 7.853204624095838}}};
    for (int i = 0; i < 3; i++)
        for (double d = 1e-2; d > 5e-5; d /= 10) {
            char joint[100] = "";
            double found[BEAM_MODES];
            if (cases[i].joint)
                snprintf(joint, sizeof joint, "joints: [{name: left, type: %s, bodies: [ground, wire], at: [0, 0]}]\n", cases[i].joint);
            const char *text = beam_text("dimension: 2\nbodies:\n  - {name: wire, beam: {from: [0, 0], to: [1, 0], elements: 20, section: "
                                         "{circle: %.17g}},\n     material: {E: 2e11, nu: 0.3, density: 8000}}\n%s",
                                         d, joint);
            assert_true(beam_modes(text, NULL, 0, &(bl_modes_options){.count = 6}, found) >= 2);
            for (int k = 0; k < 2; k++) {
                double exact = cases[i].kL[k] * cases[i].kL[k] * d / 4 * sqrt(2e11 / 8000);
                /* (7.9 / 20)^4 / 180 of the elements; Bernoulli's beam neglects rotary inertia and shear, (k d)^2 / 2 */
                assert_near(sqrt(found[k]) / exact, 1, 1.4e-4 + pow(cases[i].kL[k] * d, 2) / 2 + 5e-6);
            }
        }
}

static void mass_in_the_middle__lowers_the_frequency(void **unused) {
    (void)unused;
    for (double mass = 0.5; mass < 1000; mass *= 20) {
        timoshenko b = {1, 1e7, 1, 0, mass};
        double omega[3], found[BEAM_MODES];
        exact_frequencies(&b, false, 3, omega);
        assert_true(beam_modes(rod(20, &b, "- {name: right, type: revolute, bodies: [ground, rod], at: [1, 0]}", 0), NULL, 0,
                               &(bl_modes_options){.count = 3}, found) == 3);
        for (int k = 0; k < 3; k++)
            assert_near(sqrt(found[k]) / omega[k], 1, 2e-4);
        assert_near(found[0] * (mass + 17.0 / 35) / 48, 1, 0.02 / mass); /* by Rayleigh's quotient with the static line */
    }
}

/* ---- a column under the load P: EI w'''' + P w'' = omega^2 w, with w''' + P w' = 0 at the free end, whose load keeps its direction */

static double column_characteristic(double P, double square) {
    double root = sqrt(P * P / 4 + square), a = sqrt(root + P / 2), b = sqrt(root - P / 2);
    double M1 = -a * a * cos(a) - b * b * cosh(b), M2 = -a * a * sin(a) - a * b * sinh(b);
    double V1 = a * a * a * sin(a) - b * b * b * sinh(b) + P * (-a * sin(a) - b * sinh(b));
    double V2 = -a * a * a * cos(a) - a * b * b * cosh(b) + P * (a * cos(a) - a * cosh(b));
    return M1 * V2 - M2 * V1;
}

static void column__loses_its_stiffness_at_the_load_of_euler(void **unused) {
    (void)unused;
    const timoshenko b = {1, 1e7, 1, 0, 0};
    const double euler = PI * PI / 4;
    double found[BEAM_MODES];
    for (double share = -0.8; share < 1; share += 0.2) {
        double low = 1e-9, high = 30; /* of the square of the first frequency */
        for (int k = 0; k < 60; k++) {
            double middle = (low + high) / 2;
            if ((column_characteristic(share * euler, middle) > 0) == (column_characteristic(share * euler, 1e-9) > 0))
                low = middle;
            else
                high = middle;
        }
        assert_true(beam_modes(rod(20, &b, NULL, share * euler), NULL, 0, &(bl_modes_options){.count = 1}, found) == 1);
        assert_near(found[0], low, 2e-4);
    }
    double square[2];
    bl_equilibrium_options any = {.any = true};
    for (int k = 0; k < 2; k++) {
        assert_true(beam_modes(rod(20, &b, NULL, euler * (k ? 1.01 : 0.99)), NULL, 0, &(bl_modes_options){.count = 1, .equilibrium = &any},
                               found) == 1);
        square[k] = found[0];
    }
    assert_true(square[0] > 0 && square[1] < 0);
    assert_near(0.99 + 0.02 * square[0] / (square[0] - square[1]), 1, 2e-5); /* where the line between them is zero */
}

/* ---- a thin ring of radius 1, of two halves: in its plane and without extension n (n^2 - 1) / sqrt(n^2 + 1), twice each */

static void ring__has_the_frequencies_of_a_line_that_does_not_stretch(void **unused) {
    (void)unused;
    double found[2][BEAM_MODES];
    for (int m = 0; m < 2; m++) {
        const char *text =
            beam_text("dimension: 2\n"
                      "bodies:\n"
                      "  - {name: upper, beam: {arc: {from: [1, 0], to: [-1, 0], through: [0, 1]}, elements: %d, degree: 2},\n"
                      "     stiffness: {EA: 1e7, GA: 1e7, EI: 1}, mass_per_length: {rhoA: 1, rhoI: 0}}\n"
                      "  - {name: lower, beam: {arc: {from: [-1, 0], to: [1, 0], through: [0, -1]}, elements: %d, degree: 2},\n"
                      "     stiffness: {EA: 1e7, GA: 1e7, EI: 1}, mass_per_length: {rhoA: 1, rhoI: 0}}\n"
                      "joints:\n"
                      "  - {name: left, type: fixed, bodies: [upper, lower], at: [-1, 0]}\n"
                      "  - {name: right, type: fixed, bodies: [upper, lower], at: [1, 0]}\n",
                      8 << m, 8 << m);
        assert_int_equal(beam_modes(text, NULL, 0, &(bl_modes_options){.count = 11}, found[m]), 8); /* and three rigid ones */
    }
    for (int n = 2; n <= 5; n++)
        for (int k = 0; k < 2; k++) {
            double exact = n * (n * n - 1) / sqrt(n * n + 1.0), error[2];
            for (int m = 0; m < 2; m++)
                error[m] = sqrt(found[m][2 * (n - 2) + k]) / exact - 1;
            assert_near(log2(error[0] / error[1]), 4, 0.2);
            assert_near((16 * error[1] - error[0]) / 15, 0, 1e-5 * n * n);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilever__has_the_frequencies_of_its_equations),
        cmocka_unit_test(wires__bend_however_thin_they_are),
        cmocka_unit_test(mass_in_the_middle__lowers_the_frequency),
        cmocka_unit_test(column__loses_its_stiffness_at_the_load_of_euler),
        cmocka_unit_test(ring__has_the_frequencies_of_a_line_that_does_not_stretch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
