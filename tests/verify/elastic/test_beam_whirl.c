/* Vibrations of elastic bodies about steady rotations: blades against the exact equation of a rotating beam (Wright, Smith, Thresher and
 * Wang 1982 tabulate it), beams, meshes and floating frames; a spinning ring; disks on shafts with equal and unequal stiffnesses. */
#include "support/beam_answers.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 16 };

typedef struct whirl {
    int count, nrigid;
    double re[MOST], im[MOST];
    bl_modes_stability stability;
    char cyclic[256];
} whirl;

/* eigenvalues about the steady motion, ascending, rigid ones left out */
static whirl find(const char *text, const char *coordinates) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_modes_report report = {0};
    bl_modes_options options = {.count = MOST, .at = BL_MODES_AT_STEADY, .coordinates = coordinates};
    whirl w = {0};
    if (bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model) != BL_OK ||
        bl_modes(ctx, model, &options, NULL, 0, &report) != BL_OK)
        fail_msg("%s\n%s", text, bl_context_error(ctx)->what);
    for (bl_index k = 0; k < report.nmode && w.count < MOST; k++) {
        if (report.mode[k].rigid) {
            w.nrigid++;
            continue;
        }
        w.re[w.count] = report.mode[k].re;
        w.im[w.count++] = report.mode[k].im;
    }
    w.stability = report.stability;
    snprintf(w.cyclic, sizeof w.cyclic, "%s", report.cyclic);
    bl_modes_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
    return w;
}

/* ---- EI w'''' - rhoA W^2 ((L^2 - x^2)/2 w')' = rhoA omega^2 w of a blade clamped at the axis, out of the plane of rotation; in the plane
 * omega^2 is less by W^2. With EI = rhoA = L = 1 its solutions are power series in x that converge everywhere. */

/* w'' and w''' at x = 1 of the solution with the coefficient 1 of x^first and w(0) = w'(0) = 0 */
static void at_end(double W, double omega, int first, double out[2]) {
    enum { TERMS = 120 };
    double a[TERMS + 4] = {0};
    a[first] = 1;
    out[0] = out[1] = 0;
    for (int m = 0; m < TERMS; m++)
        a[m + 4] = (W * W / 2 * ((m + 2) * (m + 1) * a[m + 2] - m * (m + 1) * a[m]) + omega * omega * a[m]) /
                   ((m + 4.0) * (m + 3) * (m + 2) * (m + 1));
    for (int m = 2; m < TERMS + 4; m++) {
        out[0] += m * (m - 1) * a[m];
        out[1] += m * (m - 1) * (m - 2) * a[m];
    }
}

static double blade_characteristic(double W, double omega) {
    double a[2], b[2];
    at_end(W, omega, 2, a);
    at_end(W, omega, 3, b);
    return a[0] * b[1] - a[1] * b[0];
}

static void flapping(double W, int count, double *omega) {
    int n = 0;
    for (double at = 0.1; n < count; at += 0.1) {
        double low = at, high = at + 0.1;
        bool sign = blade_characteristic(W, low) > 0;
        if ((blade_characteristic(W, high) > 0) == sign)
            continue;
        for (int k = 0; k < 60; k++) {
            double middle = (low + high) / 2;
            if ((blade_characteristic(W, middle) > 0) == sign)
                low = middle;
            else
                high = middle;
        }
        omega[n++] = low;
    }
}

static void reference__has_the_published_frequencies(void **unused) {
    (void)unused;
    static const double published[][3] = {{0, 3.5160, 22.0345}, {1, 3.6816, 22.1810}, {2, 4.1373, 22.6149}, {12, 13.1702, 37.6031}};
    for (int i = 0; i < 4; i++) {
        double omega[2];
        flapping(published[i][0], 2, omega);
        assert_near(omega[0], published[i][1], 6e-5);
        assert_near(omega[1], published[i][2], 6e-5);
    }
}

#define PLANE_BLADE                                                                                                      \
    "dimension: 2\n"                                                                                                     \
    "bodies:\n"                                                                                                          \
    "  - {name: rod, beam: {from: [0, 0], to: [1, 0], elements: %d, degree: 2}, stiffness: {EA: 1e7, GA: 1e6, EI: 1},\n" \
    "     mass_per_length: {rhoA: 1, rhoI: 1e-6}}\n"                                                                     \
    "joints: [{name: hub, type: revolute, bodies: [ground, %s], at: [%d, 0]}]\n"                                         \
    "drivers: [{variable: hub.angle, value: =%.17g*t}]\n"

/* Clamped by the driver, which may hold either end. The stretch W^2 / (3 EA) and the coupling with it, of the order of 4 W^2 / EA, are 6e-5
 * at most; the rest is the error of 10 elements, of order 4: 8e-5 of the second frequency at rest. */
static void blade__in_its_plane_is_softened_by_rotation(void **unused) {
    (void)unused;
    for (double W = 1; W <= 12; W += W < 3 ? 1 : 3)
        for (int far = 0; far < 2; far++) {
            double flap[3];
            flapping(W, 3, flap);
            if (far && W != 3)
                continue;
            whirl w = find(beam_text(far ? "dimension: 2\n"
                                           "bodies:\n"
                                           "  - {name: rod, beam: {from: [1, 0], to: [0, 0], elements: %d, degree: 2},\n"
                                           "     stiffness: {EA: 1e7, GA: 1e6, EI: 1}, mass_per_length: {rhoA: 1, rhoI: 1e-6}}\n"
                                           "joints: [{name: hub, type: revolute, bodies: [ground, %s], at: [%d, 0]}]\n"
                                           "drivers: [{variable: hub.angle, value: =%.17g*t}]\n"
                                         : PLANE_BLADE,
                                     10, far ? "rod.to" : "rod.from", 0, W),
                           NULL);
            assert_true(w.count >= 3 && w.nrigid == 0 && w.stability != BL_UNSTABLE);
            for (int k = 0; k < 3; k++)
                assert_near(w.im[k] / sqrt(flap[k] * flap[k] - W * W), 1, k == 0 ? 1e-4 : k == 1 ? 2e-4 : 1e-3);
        }
}

/* a hub that turns freely, and is heavy; directors in space have larger errors */
static void blade__in_space_flaps_and_lags_in_all_coordinates(void **unused) {
    (void)unused;
    static const char *const coordinates[] = {"natural", "reference", "relative"};
    const double W = 4;
    double flap[2];
    flapping(W, 2, flap);
    for (int c = 0; c < 3; c++) {
        whirl w = find("bodies:\n"
                       "  - {name: hub, mass: 1, center: [0, 0, 0], inertia: [1e4, 1e4, 1e4]}\n"
                       "  - {name: rod, beam: {from: [0, 0, 0], to: [1, 0, 0], elements: 6, degree: 2, up: [0, 0, 1]},\n"
                       "     stiffness: {EA: 1e5, GA: 1e5, EI: 1, GJ: 1}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                       "joints:\n"
                       "  - {name: bearing, type: revolute, bodies: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                       "  - {name: clamp, type: fixed, bodies: [hub, rod.from], at: [0, 0, 0]}\n"
                       "initial: {bearing.rate: 4}\n",
                       coordinates[c]);
        assert_true(w.count >= 4 && w.nrigid == 1 && w.stability != BL_UNSTABLE);
        assert_string_equal(w.cyclic, "bearing.angle_rate = 4");
        assert_near(w.im[0] / sqrt(flap[0] * flap[0] - W * W), 1, 1e-3);
        assert_near(w.im[1] / flap[0], 1, 1e-3);
        assert_near(w.im[2] / sqrt(flap[1] * flap[1] - W * W), 1, 3e-3);
        assert_near(w.im[3] / flap[1], 1, 3e-3);
    }
}

/* E t h^3 / 12 = 1 and rho h = 1 with h = 0.02: shear lowers the first frequencies by some 1e-4 and 4e-3 */
static const char *strip(const char *mesh, const char *rest, double W) {
    return beam_text("dimension: 2\n"
                     "materials: {m: {type: st_venant_kirchhoff, E: 1.5e6, nu: 0, density: 50}}\n"
                     "bodies:\n"
                     "  - {name: rod, mesh: {rectangle: {from: [0, -0.01], to: [1, 0.01], n: [%s, 1]}, element: quad8,\n"
                     "     sets: {a: \"abs(x - 0.25) < 1e-6\", b: \"abs(x - 0.5) < 1e-6\", c: \"abs(x - 0.75) < 1e-6\"}},\n"
                     "     material: m, plane: stress, thickness: 1, %s}\n"
                     "joints: [{name: hub, type: revolute, bodies: [ground, rod.root], at: [0, 0]}]\n"
                     "drivers: [{variable: hub.angle, value: =%.17g*t}]\n",
                     mesh, rest, W);
}

static void blade__meshed_has_the_frequencies_of_beams(void **unused) {
    (void)unused;
    const double W = 12;
    double flap[2];
    flapping(W, 2, flap);
    whirl w = find(strip("12", "interfaces: [{name: root, set: left, kind: rigid}]", W), NULL);
    assert_true(w.count >= 2 && w.stability != BL_UNSTABLE);
    assert_near(w.im[0] / sqrt(flap[0] * flap[0] - W * W), 1, 5e-3);
    assert_near(w.im[1] / sqrt(flap[1] * flap[1] - W * W), 1, 1e-2);
}

/* The centrifugal force varies along the body: its stiffening needs interfaces between the ends (docs/theory/floating_frame.md). */
static void blade__in_a_floating_frame_needs_interfaces_for_centrifugal_stiffening(void **unused) {
    (void)unused;
    static const char *const with =
        "coordinates: floating, modes: 4, stiffening: linear, interfaces: [{name: root, set: left}, {name: tip, "
        "set: right}, {name: i, set: a}, {name: j, set: b}, {name: k, set: c}]";
    static const char *const without = "coordinates: floating, modes: 8, stiffening: linear, interfaces: [{name: root, set: left}]";
    static const double speeds[] = {2, 6, 12};
    for (int i = 0; i < 3; i++) {
        double W = speeds[i], flap[2];
        flapping(W, 2, flap);
        double lag = sqrt(flap[0] * flap[0] - W * W);
        whirl fine = find(strip("32", with, W), NULL), coarse = find(strip("32", without, W), NULL);
        assert_near(fine.im[0] / lag, 1, 1e-2);
        assert_near(fine.im[1] / sqrt(flap[1] * flap[1] - W * W), 1, 2e-2);
        assert_true(coarse.im[0] < lag && (W < 6 || coarse.im[0] < 0.96 * lag)); /* bending is too soft without them */
    }
}

/* Free ring of radius 1 that does not stretch, in axes that turn with it: 2 n W/m -+ n (n^2 - 1) sqrt((1 + W^2 / m) / m),
 * m = n^2 + 1; its translations are seen as rotations with W, twice each. */
static void ring__spinning_has_the_frequencies_of_a_line_that_does_not_stretch(void **unused) {
    (void)unused;
    const double W = 1;
    whirl w = find("dimension: 2\n"
                   "bodies:\n"
                   "  - {name: upper, beam: {arc: {from: [1, 0], to: [-1, 0], through: [0, 1]}, elements: 12, degree: 2},\n"
                   "     stiffness: {EA: 1e6, GA: 1e6, EI: 1}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                   "  - {name: lower, beam: {arc: {from: [-1, 0], to: [1, 0], through: [0, -1]}, elements: 12, degree: 2},\n"
                   "     stiffness: {EA: 1e6, GA: 1e6, EI: 1}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                   "joints:\n"
                   "  - {name: left, type: fixed, bodies: [upper, lower], at: [-1, 0]}\n"
                   "  - {name: right, type: fixed, bodies: [upper, lower], at: [1, 0]}\n"
                   "initial: {upper.from: {angular_velocity: 1, velocity: [0, 1]}}\n",
                   NULL);
    assert_true(w.count >= 6 && w.nrigid == 1 && w.stability != BL_UNSTABLE);
    for (int k = 0; k < 2; k++)
        assert_near(w.im[k], W, 2e-2); /* a double eigenvalue, which is known to the root of rounding times the stiffness over the mass */
    for (int n = 2; n <= 3; n++)
        for (int k = 0; k < 2; k++) {
            double m = n * n + 1, exact = n * (n * n - 1) * sqrt((1 + W * W / m) / m) + (k ? 1 : -1) * 2 * n * W / m;
            assert_near(w.im[2 * (n - 1) + k] / exact, 1, 1e-3);
        }
}

/* ---- a disk in the middle of a shaft between bearings, whose own mass is small */

static const char *shaft(const char *EI, double W, const char *more) {
    return beam_text("bodies:\n"
                     "  - {name: shaft, beam: {from: [0, 0, 0], to: [1, 0, 0], elements: 6, degree: 2},\n"
                     "     stiffness: {EA: 1e7, GA: 1e7, EI: %s, GJ: 80}, mass_per_length: {rhoA: 1e-4, rhoI: 1e-7},\n"
                     "     masses: [{at: [0.5, 0, 0], mass: 1, inertia: [0.02, 0.01, 0.01]}]}\n"
                     "joints:\n"
                     "  - {name: left, type: spherical, bodies: [ground, shaft.from], at: [0, 0, 0]}\n"
                     "  - {name: right, type: point_on_line, bodies: [ground, shaft.to], at: [1, 0, 0], axis: [1, 0, 0]}\n"
                     "initial: {shaft.from: {angular_velocity: [%.17g, 0, 0]}}\n%s",
                     EI, W, more);
}

/* In fixed axes: displacement sqrt(48 EI/(m L^3)), not changed by rotation; tilting of the disk, I omega^2 -+ Ip W omega = 12 EI/L. The
 * errors: 1e-4 of shear (L / (4 GA) against L^3 / (48 EI)) and of the mass, and of the elements. */
static void disk__on_a_shaft_whirls_forward_and_backward(void **unused) {
    (void)unused;
    static const double speeds[] = {20, 300};
    for (int i = 0; i < 2; i++)
        for (int heavy = 0; heavy < 2; heavy++) { /* gravity bends the shaft: it turns about its bent axis */
            double W = speeds[i], half = 0.02 * W / (2 * 0.01), root = sqrt(half * half + 1200 / 0.01);
            if (heavy && i)
                continue;
            whirl w = find(shaft("100", W, heavy ? "gravity: [0, 0, -9.81]\n" : ""), NULL);
            assert_true(w.count >= 4 && w.nrigid == 1 && w.stability != BL_UNSTABLE);
            assert_near(w.im[0] / sqrt(4800), 1, 2e-3);
            assert_near(w.im[1] / sqrt(4800), 1, 2e-3);
            assert_near(w.im[2] / (root - half), 1, 2e-3);
            assert_near(w.im[3] / (root + half), 1, 2e-3);
            assert_non_null(strstr(w.cyclic, "spin_rate"));
        }
}

/* In axes that turn with the shaft: lambda^4 + (k + l + 2 W^2) lambda^2 + (k - W^2)(l - W^2) = 0, k, l = 48 EI/(m L^3): unstable
 * between the two critical speeds. */
static void flat_shaft__is_unstable_between_its_critical_speeds(void **unused) {
    (void)unused;
    const double k = 4800, l = 7200;
    for (double W = 20; W <= 100; W += 40) {
        whirl w = find(shaft("[100, 150]", W, ""), NULL);
        double b = k + l + 2 * W * W, c = (k - W * W) * (l - W * W), root = sqrt(b * b - 4 * c);
        assert_true(w.count >= 2 && w.nrigid == 1 && w.stability != BL_UNSTABLE);
        assert_near(w.im[0] / sqrt((b - root) / 2), 1, 4e-3);
        assert_near(w.im[1] / sqrt((b + root) / 2), 1, 2e-3);
    }
    const double W = 77, b = k + l + 2 * W * W, c = (k - W * W) * (l - W * W);
    whirl w = find(shaft("[100, 150]", W, ""), NULL);
    assert_int_equal(w.stability, BL_UNSTABLE);
    double grows = fmax(w.re[0], w.re[1]);
    assert_near(grows / sqrt((sqrt(b * b - 4 * c) - b) / 2), 1, 4e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference__has_the_published_frequencies),
        cmocka_unit_test(blade__in_its_plane_is_softened_by_rotation),
        cmocka_unit_test(blade__in_space_flaps_and_lags_in_all_coordinates),
        cmocka_unit_test(blade__meshed_has_the_frequencies_of_beams),
        cmocka_unit_test(blade__in_a_floating_frame_needs_interfaces_for_centrifugal_stiffening),
        cmocka_unit_test(ring__spinning_has_the_frequencies_of_a_line_that_does_not_stretch),
        cmocka_unit_test(disk__on_a_shaft_whirls_forward_and_backward),
        cmocka_unit_test(flat_shaft__is_unstable_between_its_critical_speeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
