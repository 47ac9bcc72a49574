/* Profiles: motions of cams at their ends, splines against the functions they interpolate, derivatives against differences. */
#include "series/profile.h"
#include "support/testing.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

/* first and second derivative against central differences of the value and of the first derivative */
static void check_derivatives(const bl_profile *f, double x, double size) {
    double at[3], high[3], low[3], h = 1e-6;
    bl_profile_at(f, x, at);
    bl_profile_at(f, x + h, high);
    bl_profile_at(f, x - h, low);
    assert_true(fabs((high[0] - low[0]) / (2 * h) - at[1]) < 1e-8 * size);
    assert_true(fabs((high[1] - low[1]) / (2 * h) - at[2]) < 1e-7 * size);
}

static void motions__rise_and_rest_at_both_ends(void **unused) {
    (void)unused;
    for (int k = 0; bl_profile_motions[k]; k++) {
        bl_profile_piece piece;
        bl_profile f = {.npiece = 1, .piece = &piece};
        double start[3], end[3], middle[3];
        bl_profile_rise(k, 0.3, 1.7, 0.2, 0.5, &piece);
        bl_profile_at(&f, 0.3, start);
        bl_profile_at(&f, 2.0, end);
        bl_profile_at(&f, 1.15, middle);
        assert_true(fabs(start[0] - 0.2) < 1e-15 && fabs(end[0] - 0.7) < 1e-14);
        assert_true(fabs(middle[0] - 0.45) < 1e-14);           /* all are symmetric */
        for (int order = 1; order < (k == 3 ? 2 : 3); order++) /* the harmonic one begins with an acceleration */
            assert_true(fabs(start[order]) < 1e-13 && fabs(end[order]) < 1e-12);
        for (double x = 0.35; x < 1.95; x += 0.1)
            check_derivatives(&f, x, 1);
    }
}

static void segments__repeat_with_their_gain(void **unused) {
    (void)unused;
    bl_profile_piece piece[2];
    bl_profile f = {.npiece = 2, .piece = piece, .period = 3, .gain = 0.4};
    bl_profile_rise(1, 0, 1, 0, 0.4, &piece[0]);
    bl_profile_rise(0, 1, 2, 0.4, 0, &piece[1]);
    for (double x = -4.95; x < 5; x += 0.1) {
        double at[3], later[3];
        bl_profile_at(&f, x, at);
        bl_profile_at(&f, x + 3, later);
        assert_true(fabs(later[0] - at[0] - 0.4) < 1e-13 && fabs(later[1] - at[1]) < 1e-12 && fabs(later[2] - at[2]) < 1e-11);
    }
}

/* not-a-knot reproduces a cubic, with unequal intervals; beyond the ends it continues straight */
static void open_spline__reproduces_a_cubic(void **unused) {
    (void)unused;
    static const double x[] = {-1, -0.7, 0.1, 0.5, 1.4, 2};
    double y[6], work[30], end[3], beyond[3];
    bl_profile_piece piece[5];
    bl_profile f = {.npiece = 5, .piece = piece};
    for (int i = 0; i < 6; i++)
        y[i] = 2 - x[i] + 0.5 * x[i] * x[i] + 0.3 * x[i] * x[i] * x[i];
    bl_profile_spline(6, x, y, false, work, piece);
    for (double s = -1; s <= 2; s += 0.03) {
        double at[3];
        bl_profile_at(&f, s, at);
        assert_true(fabs(at[0] - (2 - s + 0.5 * s * s + 0.3 * s * s * s)) < 1e-13);
        assert_true(fabs(at[1] - (-1 + s + 0.9 * s * s)) < 1e-12);
        assert_true(fabs(at[2] - (1 + 1.8 * s)) < 1e-11);
    }
    bl_profile_at(&f, 2, end);
    bl_profile_at(&f, 2.5, beyond);
    assert_true(fabs(beyond[0] - end[0] - 0.5 * end[1]) < 1e-13 && fabs(beyond[1] - end[1]) < 1e-14 && beyond[2] == 0);
}

static void short_splines__are_a_line_and_a_parabola(void **unused) {
    (void)unused;
    static const double x[] = {0, 1, 3};
    double work[15], at[3];
    bl_profile_piece piece[2];
    bl_profile_spline(2, x, (double[]){1, 3}, false, work, piece);
    bl_profile_at(&(bl_profile){.npiece = 1, .piece = piece}, 0.25, at);
    assert_true(fabs(at[0] - 1.5) < 1e-15 && fabs(at[1] - 2) < 1e-15);
    bl_profile_spline(3, x, (double[]){0, 1, 9}, false, work, piece);
    bl_profile_at(&(bl_profile){.npiece = 2, .piece = piece}, 2, at);
    assert_true(fabs(at[0] - 4) < 1e-14 && fabs(at[1] - 4) < 1e-14 && fabs(at[2] - 2) < 1e-13);
}

/* a periodic spline converges with order 4, and its second derivative with order 2; nothing jumps where it closes */
static void periodic_spline__converges(void **unused) {
    (void)unused;
    enum { MOST = 65 };
    double x[MOST], y[MOST], work[5 * MOST], error[3][2] = {{0}};
    bl_profile_piece piece[MOST - 1];
    for (int level = 0; level < 3; level++) {
        int n = 16 << level;
        for (int i = 0; i <= n; i++) {
            x[i] = 2 * pi * i / n;
            y[i] = sin(x[i]) + 0.3 * cos(2 * x[i]) + 0.1 * i / n; /* with a gain */
        }
        bl_profile_spline(n + 1, x, y, true, work, piece);
        bl_profile f = {.npiece = n, .piece = piece, .period = 2 * pi, .gain = 0.1};
        for (double s = -3; s < 9; s += 0.0137) {
            double at[3];
            bl_profile_at(&f, s, at);
            error[level][0] = fmax(error[level][0], fabs(at[0] - (sin(s) + 0.3 * cos(2 * s) + 0.1 * s / (2 * pi))));
            error[level][1] = fmax(error[level][1], fabs(at[2] - (-sin(s) - 1.2 * cos(2 * s))));
        }
    }
    for (int level = 1; level < 3; level++) {
        assert_in_range((int)(error[level - 1][0] / error[level][0]), 13, 19);
        assert_in_range((int)(10 * error[level - 1][1] / error[level][1]), 35, 45);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions__rise_and_rest_at_both_ends), cmocka_unit_test(segments__repeat_with_their_gain),
        cmocka_unit_test(open_spline__reproduces_a_cubic),     cmocka_unit_test(short_splines__are_a_line_and_a_parabola),
        cmocka_unit_test(periodic_spline__converges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
