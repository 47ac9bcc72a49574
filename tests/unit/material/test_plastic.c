/* J2 plasticity against hand calculations: the plane-stress path of known numbers, tension tests, cycles, dissipation, tangents. */
#include "support/materials.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { A = 6 }; /* equivalent plastic strain in the history */

/* strain in six components to F for the linear measure */
static void small_F(const double e[6], double F[9]) {
    const double f[9] = {1 + e[0], e[3], e[5], 0, 1 + e[1], e[4], 0, 0, 1 + e[2]};
    memcpy(F, f, sizeof f);
}

static void point(const bl_material *m, const double e[6], const double *history, test_response *at) {
    double tangent[36];
    bl_material_point p = {.history = history,
                           .stress = at->tau,
                           .tangent = tangent,
                           .trial = at->trial,
                           .energy = &at->energy,
                           .dissipated = &at->dissipated};
    memcpy(p.strain, e, 6 * sizeof *e);
    assert_int_equal(bl_material_at(m, &p), BL_OK);
    memcpy(at->c, tangent, sizeof tangent);
}

/* Reference: iteration on e33 and the projected quadratic form, equal to 1e-13; printed with eleven digits. */
static void plane_stress__follows_the_known_path(void **unused) {
    (void)unused;
    static const double path[3][6] = {{0.002, 0, NAN, 0}, {0.004, 0.001, NAN, 0.002}, {0.004, 0.001, NAN, -0.003}};
    static const double stress[3][3] = {
        {294.17255401, 109.85117114, 0}, {310.91553956, 208.62384828, 46.53664697}, {169.70880858, 124.07077115, -150.83580973}};
    static const double strain[3] = {0.0007467613, 0.0036050634, 0.0052312847};
    bl_material m = test_material("plastic", "E=2e5,nu=0.3,yield=250,hardening=1e4", BL_PLANE_STRESS);
    double history[BL_MATERIAL_HISTORY_MOST] = {0};
    for (int n = 0; n < 3; n++) {
        test_response at;
        point(&m, path[n], history, &at);
        assert_near(at.tau[BL_11], stress[n][0], 0.6e-8);
        assert_near(at.tau[BL_22], stress[n][1], 0.6e-8);
        assert_near(at.tau[BL_12], stress[n][2], 0.6e-8);
        assert_near(at.trial[A], strain[n], 0.6e-10);
        memcpy(history, at.trial, sizeof at.trial);
    }
}

/* ---- tension tests: lateral strain such that the lateral stress is zero */

static double tension(const bl_material *m, double axial, double history[], test_response *at) {
    double lateral = -0.3 * axial;
    for (int n = 0; n < 100; n++) {
        const double e[6] = {axial, lateral, lateral};
        point(m, e, history, at);
        double slope = at->c[7] + at->c[8];
        if (fabs(at->tau[BL_22]) < 1e-12 * 2e5)
            break;
        lateral -= at->tau[BL_22] / slope;
    }
    assert_near(at->tau[BL_22], 0, 1e-12 * 2e5);
    return at->tau[BL_11];
}

static const double E = 2e5, sy = 250, H = 1e4;

static void slope__of_a_tension_test_is_EH_over_E_plus_H(void **unused) {
    (void)unused;
    static const char *const kinematic[] = {"0", "0.4", "1"};
    for (int n = 0; n < 3; n++) {
        char options[128];
        snprintf(options, sizeof options, "E=2e5,nu=0.3,yield=250,hardening=1e4,kinematic=%s", kinematic[n]);
        bl_material m = test_material("plastic", options, BL_PLANE_NONE);
        double history[BL_MATERIAL_HISTORY_MOST] = {0}, ey = sy / E, slope = E * H / (E + H);
        for (double e = 0.5 * ey; e < 10 * ey; e += 0.7 * ey) {
            test_response at;
            double s = tension(&m, e, history, &at), expected = e < ey ? E * e : sy + slope * (e - ey);
            assert_near(s, expected, 1e-11 * E * e);
            if (e > ey)
                assert_near(s, sy + H * at.trial[A], 1e-11 * E * e);
            memcpy(history, at.trial, sizeof at.trial);
        }
    }
}

/* between +e0 and -e0 the stress of a kinematically hardening bar runs round a parallelogram, from the first cycle on */
static void kinematic_hardening__closes_its_loop(void **unused) {
    (void)unused;
    enum { QUARTERS = 5, STEPS = 64 };
    bl_material m = test_material("plastic", "E=2e5,nu=0.3,yield=250,hardening=1e4,kinematic=1", BL_PLANE_NONE);
    double history[BL_MATERIAL_HISTORY_MOST] = {0}, ey = sy / E, e0 = 4 * ey, slope = E * H / (E + H), e = 0;
    double top = sy + slope * (e0 - ey), work = 0, before = 0, dissipated = 0, energy = 0;
    static const double target[QUARTERS] = {1, -1, 1, -1, 1};
    for (int quarter = 0; quarter < QUARTERS; quarter++) {
        double from = e;
        for (int n = 1; n <= STEPS; n++) {
            test_response at;
            double next = from + n * (target[quarter] * e0 - from) / STEPS, s = tension(&m, next, history, &at);
            work += 0.5 * (s + before) * (next - e);
            before = s;
            e = next;
            memcpy(history, at.trial, sizeof at.trial);
            if (quarter == 1) { /* back: elastic over 2 sy, then the same slope as before */
                double expected = fmax(top - E * (e0 - e), top - 2 * sy - slope * (e0 - e - 2 * ey));
                assert_near(s, expected, 1e-10 * sy);
            }
            if (n == STEPS) {
                assert_near(s, target[quarter] * top, 1e-10 * sy);
                if (quarter == 2) {
                    work = 0;
                    dissipated = at.dissipated;
                    energy = at.energy;
                }
                if (quarter == 4) { /* a whole loop: its area, by hand, is twice sy times the range of the plastic strain */
                    double range = (2 * e0 - 2 * ey) * E / (E + H), area = 2 * sy * range;
                    assert_near(at.dissipated - dissipated, area, 1e-11 * area);
                    assert_near(at.energy, energy, 1e-11 * area);
                    /* trapezoids cut two corners of the loop, each by at most (change of slope) de^2 / 8 */
                    double de = 2 * e0 / STEPS;
                    assert_near(work, area, 2 * 0.125 * (E - slope) * de * de * 1.0001);
                }
            }
        }
    }
}

/* isotropic and mixed hardening: the other side yields at the top less twice the radius grown */
static void reversed_loading__yields_where_the_radius_says(void **unused) {
    (void)unused;
    static const double shares[] = {0, 0.25, 0.5, 1};
    for (int n = 0; n < 4; n++) {
        char options[128];
        snprintf(options, sizeof options, "E=2e5,nu=0.3,yield=250,hardening=1e4,kinematic=%g", shares[n]);
        bl_material m = test_material("plastic", options, BL_PLANE_NONE);
        double history[BL_MATERIAL_HISTORY_MOST] = {0}, ey = sy / E, slope = E * H / (E + H);
        test_response at;
        double top = tension(&m, 6 * ey, history, &at), a = at.trial[A], radius = sy + (1 - shares[n]) * H * a;
        memcpy(history, at.trial, sizeof at.trial);
        double yield_at = 6 * ey - 2 * radius / E;
        assert_near(tension(&m, yield_at + 1e-3 * ey, history, &at), top - 2 * radius + 1e-3 * sy, 1e-10 * sy);
        assert_true(at.trial[A] == a);
        assert_near(tension(&m, yield_at - ey, history, &at), top - 2 * radius - slope * ey, 1e-10 * sy);
        assert_true(at.trial[A] > a);
    }
}

/* ---- work = stored + dissipated, over closed paths that are not proportional */

/* the error of the balance over one period with n increments; the dissipated work never falls */
static double balance(const bl_material *m, bl_plane plane, int n, double *dissipated) {
    double history[BL_MATERIAL_HISTORY_MOST] = {0}, work = 0, before[6] = {0}, stress[6] = {0}, old = 0;
    test_response at = {0};
    for (int k = 1; k <= n; k++) {
        double t = 6.283185307179586 * k / n, amplitude = 0.01;
        double e[6] = {amplitude * sin(t), amplitude * (1 - cos(t)), 0.4 * amplitude * sin(2 * t), amplitude * sin(3 * t), 0, 0};
        if (plane == BL_PLANE_NONE) {
            e[4] = amplitude * sin(2 * t);
            e[5] = amplitude * (1 - cos(3 * t));
        }
        point(m, e, history, &at);
        for (int i = 0; i < 6; i++)
            work += 0.5 * (at.tau[i] + stress[i]) * (e[i] - before[i]);
        assert_true(at.dissipated >= old);
        old = at.dissipated;
        memcpy(before, e, sizeof before);
        memcpy(stress, at.tau, sizeof stress);
        memcpy(history, at.trial, sizeof at.trial);
    }
    *dissipated = at.dissipated;
    return fabs(work - at.energy - at.dissipated);
}

/* trapezoids of the work are of second order in the increment: a factor of 16, less what the corners at yield points cost */
static void work__is_stored_or_dissipated(void **unused) {
    (void)unused;
    static const char *const options[] = {"E=1000,nu=0.3,yield=2", "E=1000,nu=0.3,yield=2,hardening=100",
                                          "E=1000,nu=0.3,yield=2,hardening=100,kinematic=0.5",
                                          "E=1000,nu=0.3,yield=2,hardening=300,kinematic=1"};
    for (int k = 0; k < 4; k++)
        for (bl_plane plane = BL_PLANE_NONE; plane <= BL_PLANE_STRESS; plane += BL_PLANE_STRESS) {
            bl_material m = test_material("plastic", options[k], plane);
            double dissipated, coarse = balance(&m, plane, 250, &dissipated), fine = balance(&m, plane, 1000, &dissipated);
            printf("    250 and 1000 increments: %.3g and %.3g of %.3g dissipated\n", coarse, fine, dissipated);
            assert_true(dissipated > 0);
            assert_true(fine < coarse / 12);
            assert_true(fine < 2e-4 * dissipated);
        }
}

/* ---- tangents */

static void tangents__are_three_and_agree_where_nothing_flows(void **unused) {
    (void)unused;
    static const char *const choice[] = {"consistent", "continuum", "elastic"};
    const double far[6] = {0.004, -0.001, 0.0005, 0.003, 0.001, -0.002}, small[6] = {0.0004, 0, 0, 0.0002, 0, 0};
    bl_material elastic = test_material("elastic", "E=1000,nu=0.3", BL_PLANE_NONE), m[3];
    test_response law, at[3];
    for (int k = 0; k < 3; k++) {
        char options[128];
        snprintf(options, sizeof options, "E=1000,nu=0.3,yield=1,hardening=100,kinematic=0.4,tangent=%s", choice[k]);
        m[k] = test_material("plastic", options, BL_PLANE_NONE);
    }
    point(&elastic, small, NULL, &law);
    for (int k = 0; k < 3; k++) {
        point(&m[k], small, NULL, &at[k]);
        for (int i = 0; i < 36; i++)
            assert_near(at[k].c[i], law.c[i], 1e-12 * 1000);
        point(&m[k], far, NULL, &at[k]);
        assert_memory_equal(at[k].tau, at[0].tau, sizeof at[0].tau); /* the stress is the same */
    }
    for (int i = 0; i < 36; i++)
        assert_near(at[2].c[i], law.c[i], 1e-12 * 1000);
    /* the continuum tangent is the limit of the consistent one for short increments from a flowing state */
    double e[6], history[BL_MATERIAL_HISTORY_MOST];
    test_response end;
    memcpy(history, at[0].trial, sizeof at[0].trial);
    for (int n = 1; n < 4; n++) {
        double h = 1e-3 * pow(0.1, n), difference = 0;
        for (int i = 0; i < 6; i++)
            e[i] = (1 + h) * far[i];
        point(&m[0], e, history, &end);
        point(&m[1], e, history, &at[1]);
        for (int i = 0; i < 36; i++)
            difference = fmax(difference, fabs(end.c[i] - at[1].c[i]));
        assert_true(difference > 0 && difference < 1000 * 10 * h); /* 2 mu theta: 1 - theta = 2 mu dg/norm, of the size of h e/ey */
    }
}

static void plane_stress__iterates_with_any_tangent(void **unused) {
    (void)unused;
    static const char *const choice[] = {"consistent", "continuum", "elastic"};
    const double e[6] = {0.02, 0.005, NAN, -0.01};
    test_response at[3];
    for (int k = 0; k < 3; k++) {
        char options[128];
        snprintf(options, sizeof options, "E=1000,nu=0.3,yield=1,tangent=%s", choice[k]);
        bl_material m = test_material("plastic", options, BL_PLANE_STRESS);
        point(&m, e, NULL, &at[k]);
        for (int i = 0; i < 6; i++)
            assert_near(at[k].tau[i], at[0].tau[i], 1e-12 * 1000 * 0.02);
    }
    bl_material elastic = test_material("elastic", "E=1000,nu=0.3", BL_PLANE_STRESS);
    test_response law;
    point(&elastic, e, NULL, &law);
    for (int i = 0; i < 36; i++)
        assert_near(at[2].c[i], law.c[i], 1e-12 * 1000);
}

/* pressure does not make it flow; large strains come back finite */
static void pressure__stays_elastic(void **unused) {
    (void)unused;
    bl_material m = test_material("plastic", "E=1000,nu=0.3,yield=1", BL_PLANE_NONE);
    const double e[6] = {0.5, 0.5, 0.5};
    test_response at;
    point(&m, e, NULL, &at);
    assert_true(at.trial[A] == 0);
    assert_near(at.tau[0], 1000 / (1 - 0.6) * 0.5, 1e-12 * 1250);
    double F[9];
    small_F((const double[6]){NAN}, F);
    assert_int_equal(test_respond(&m, test_strain("linear"), F, 0, NULL, &at), BL_NOT_FINITE);
}

static void values__are_refused_with_their_position(void **unused) {
    (void)unused;
    static const struct {
        int which;
        double value;
        const char *what;
    } wrong[] = {
        {1, 0.5, "material plastic: nu = 0.5 must be below 0.5"},
        {5, 0, "material plastic: yield = 0 must be positive"},
        {5, NAN, "material plastic: yield = nan must be positive"},
        {6, -1, "material plastic: hardening = -1 must be zero or positive"},
        {7, 1.5, "material plastic: kinematic = 1.5 must be from 0 to 1"},
        {7, -0.1, "material plastic: kinematic = -0.1 must be from 0 to 1"},
    };
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bl_value value[BL_MAX_PARAMS] = {{.number = 1}, {.number = 0.3}, [5] = {.number = 1}};
        bl_material m;
        value[wrong[i].which].number = wrong[i].value;
        value[wrong[i].which].place = (bl_place){"plate.yaml", 3, 7};
        assert_int_equal(bl_material_prepare(ctx, &bl_material_plastic, value, BL_PLANE_NONE, &m), BL_E_MODEL);
        assert_string_equal(bl_context_error(ctx)->what, wrong[i].what);
        assert_int_equal(bl_context_error(ctx)->column, 7);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_stress__follows_the_known_path),    cmocka_unit_test(slope__of_a_tension_test_is_EH_over_E_plus_H),
        cmocka_unit_test(kinematic_hardening__closes_its_loop),    cmocka_unit_test(reversed_loading__yields_where_the_radius_says),
        cmocka_unit_test(work__is_stored_or_dissipated),           cmocka_unit_test(tangents__are_three_and_agree_where_nothing_flows),
        cmocka_unit_test(plane_stress__iterates_with_any_tangent), cmocka_unit_test(pressure__stays_elastic),
        cmocka_unit_test(values__are_refused_with_their_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
