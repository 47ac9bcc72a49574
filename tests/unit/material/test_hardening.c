/* Hardening by tables, and plasticity of large strains: shear against closed forms, tension against scalars and against another program. */
#include "support/materials.h"

#include <math.h>
#include <string.h>

static const double rows[4][2] = {{200, 0}, {300, 0.01}, {320, 0.03}, {400, 0.05}};

static double curve(double a) {
    for (int k = 0; k < 3; k++)
        if (a < rows[k + 1][1])
            return rows[k][0] + (rows[k + 1][0] - rows[k][0]) * (a - rows[k][1]) / (rows[k + 1][1] - rows[k][1]);
    return 400;
}

/* in shear sqrt(3) s12 = yield stress at a = (gamma - s12/mu)/sqrt(3); in one increment or in ten */
static void table__shear_follows_it_from_row_to_row(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_material m = test_material("plastic", "E=2.6e5,nu=0.3,yield=1", BL_PLANE_NONE);
    double mu = 1e5;
    assert_int_equal(bl_material_harden(ctx, &m, 4, rows, NULL), BL_OK);
    for (int parts = 1; parts <= 10; parts += 9)
        for (double gamma = 0.001; gamma < 0.2; gamma *= 1.3) {
            double history[BL_MATERIAL_HISTORY_MOST] = {0}, stress[6], trial[BL_MATERIAL_HISTORY_MOST], energy, lost;
            for (int n = 1; n <= parts; n++) {
                bl_material_point p = {.strain = {0, 0, 0, gamma * n / parts},
                                       .history = history,
                                       .stress = stress,
                                       .trial = trial,
                                       .energy = &energy,
                                       .dissipated = &lost};
                assert_int_equal(bl_material_at(&m, &p), BL_OK);
                memcpy(history, trial, sizeof trial);
            }
            double a = trial[6];
            if (gamma < 200 / sqrt(3) / mu) {
                assert_near(stress[BL_12], mu * gamma, 1e-10);
                continue;
            }
            assert_near(sqrt(3) * stress[BL_12], curve(a), 1e-10);
            assert_near(a, (gamma - stress[BL_12] / mu) / sqrt(3), 1e-15);
            assert_near(lost, 200 * a, 1e-12 * lost); /* what hardening takes is stored */
            double stored = 0, steps = 1e4;
            for (int k = 0; k < steps; k++)
                stored += (curve(a * (k + 0.5) / steps) - 200) * a / steps;
            assert_near(energy, 0.5 * stress[BL_12] * stress[BL_12] / mu + stored, 1e-6 * energy);
        }
    test_context_end(ctx);
}

static void table__refuses_what_makes_no_sense(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_material m = test_material("plastic", "E=2.6e5,nu=0.3,yield=1", BL_PLANE_NONE), moves = m;
    static const double late[1][2] = {{200, 0.1}}, falls[2][2] = {{200, 0}, {100, 0.1}}, back[2][2] = {{200, 0}, {300, 0}};
    moves = test_material("plastic", "E=2.6e5,nu=0.3,yield=1,hardening=5,kinematic=0.5", BL_PLANE_NONE);
    assert_int_equal(bl_material_harden(ctx, &m, 1, late, NULL), BL_E_MODEL);
    assert_int_equal(bl_material_harden(ctx, &m, 2, falls, NULL), BL_E_MODEL);
    assert_int_equal(bl_material_harden(ctx, &m, 2, back, NULL), BL_E_MODEL);
    assert_int_equal(bl_material_harden(ctx, &moves, 4, rows, NULL), BL_E_MODEL);
    test_context_end(ctx);
}

/* ---- large strains */

static void stretch(const bl_material *m, double axial, double lateral, const double *history, test_response *at) {
    const double F[9] = {lateral, 0, 0, 0, lateral, 0, 0, 0, axial};
    assert_int_equal(test_respond(m, test_strain("left"), F, 0, history, at), BL_OK);
}

/* E = 210000, nu = 0.3, yield stress 800 + 8000 a, a bar drawn in one increment by 964 of nominal stress: CalculiX 2.20 with residuals of
 * 1e-9 prints these stretches (seven digits of the displacements 0.2275399 of 8 and 0.01299515 of 1) and this stress */
static void tension__is_that_of_another_program(void **unused) {
    (void)unused;
    bl_material m = test_material("multiplicative_plastic", "E=210000,nu=0.3,yield=800,hardening=8000", BL_PLANE_NONE);
    test_response at;
    stretch(&m, 1 + 0.2275399 / 8, 1 - 0.01299515, NULL, &at);
    double J = det3((const double[9]){1 - 0.01299515, 0, 0, 0, 1 - 0.01299515, 0, 0, 0, 1 + 0.2275399 / 8});
    assert_near(at.tau[BL_33] / J, 989.5516, 5e-3); /* half a unit of the last digit is 6e-9 of stretch, 2e-3 of stress */
    assert_near(at.tau[BL_11] / J, 0, 5e-3);
    assert_near(at.tau[BL_33] / J * (1 - 0.01299515) * (1 - 0.01299515), 964, 5e-3);
}

/* unloaded it is free of shear stress where the plastic part has led it */
static void unloading__leaves_the_plastic_part(void **unused) {
    (void)unused;
    bl_material m = test_material("multiplicative_plastic", "E=1000,nu=0.3,yield=2,hardening=0", BL_PLANE_NONE);
    test_response at, after;
    double history[BL_MATERIAL_HISTORY_MOST] = {0};
    for (int n = 1; n <= 1000; n++) {
        double l = 1 + 0.5 * n / 1000;
        stretch(&m, l, 1 / sqrt(l), history, &at);
        memcpy(history, at.trial, sizeof at.trial);
    }
    double cp = 1 + at.trial[2], ct = 1 + at.trial[0];
    /* Cp^-1 = Fp^-1 Fp^-T, Fp = diag(1/sqrt(ct), ., 1/sqrt(cp)): go there, with J = 1 of the elastic part */
    double axial = 1 / sqrt(cp), lateral = 1 / sqrt(ct);
    stretch(&m, axial, lateral, at.trial, &after);
    double J = axial * lateral * lateral;
    assert_near(J, 1,
                5e-3); /* the trace of be is kept, not its determinant, which drifts by the elastic strain, 3e-3, times the plastic one */
    for (int k = 0; k < 6; k++)
        assert_near(after.tau[k], k < 3 ? m.bulk / 2 * (J * J - 1) : 0, 1e-11);
    assert_near(after.trial[6], at.trial[6], 0); /* no further flow */
}

/* many small increments of the large law and of the small one agree while strains are small: within the strain */
static void small_strains__are_those_of_the_small_law(void **unused) {
    (void)unused;
    bl_material large = test_material("multiplicative_plastic", "E=1000,nu=0.3,yield=1,hardening=50", BL_PLANE_NONE),
                small = test_material("plastic", "E=1000,nu=0.3,yield=1,hardening=50", BL_PLANE_NONE);
    double histories[2][BL_MATERIAL_HISTORY_MOST] = {{0}}, size = 1e-5;
    for (int n = 0; n <= 40; n++) {
        double e = size * 100 * (n <= 20 ? n : 40 - n) / 10, F[9] = {1 + e, 2 * e, 0, 0, 1 - 0.4 * e, -e, 0, 0, 1 - 0.3 * e};
        test_response a, b;
        assert_int_equal(test_respond(&large, test_strain("left"), F, 0, histories[0], &a), BL_OK);
        assert_int_equal(test_respond(&small, test_strain("linear"), F, 0, histories[1], &b), BL_OK);
        for (int k = 0; k < 6; k++)
            assert_near(a.tau[k], b.tau[k], 10 * 0.004); /* 10 e of stresses of 1 to 3 */
        memcpy(histories[0], a.trial, sizeof a.trial);
        memcpy(histories[1], b.trial, sizeof b.trial);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table__shear_follows_it_from_row_to_row),   cmocka_unit_test(table__refuses_what_makes_no_sense),
        cmocka_unit_test(tension__is_that_of_another_program),       cmocka_unit_test(unloading__leaves_the_plastic_part),
        cmocka_unit_test(small_strains__are_those_of_the_small_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
