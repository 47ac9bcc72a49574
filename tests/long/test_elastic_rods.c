/* Rods of the references for beams, built as solids. The double pendulum: 1 % of its deflections. The flying rod: its rotary inertia
 * rhoI = 10 per length with rhoA = 1, EI = 500, EA = 1e4 is that of no section of a solid. EI/EA gives a height of 0.775, whose
 * inertia is at most rhoA h^2 / 4 = 0.15. Cross arms give the rest: bodies with inertia on interfaces that follow the mean motion of
 * the section. */
#include "support/every_way.h"
#include "support/rod_texts.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static char text[40000];

static void double_pendulum__by_solids_deflects_as_by_beams(void **unused) {
    (void)unused;
    rod_record beams = {0}, solids = {0};
    test_ending end;
    bl_run_options options = {.until = 1, .every = 0.05, .tolerance = 1e-5};
    rod_pendulum_of_beams(16, text, sizeof text);
    test_one_way(text, &options, rod_take_pendulum, &end, &beams);
    rod_pendulum_of_solids(32, text, sizeof text);
    options.tolerance = 1e-4;
    test_one_way(text, &options, rod_take_pendulum, &end, &solids);
    test_close(&end, "deflections, of the largest", rod_difference(&solids, &beams), 0, 0.01);
}

/* ---- flying rod, along x from the origin: force (8, 0) and moment -80 on its lower end, in axes turned by the direction (-0.6, 0.8) */

enum { STATIONS = 33 };
#define LOADS                                                                                                       \
    "forces:\n  - {type: force, body: %s, at: [0, 0], force: [\"=t < 2.5 ? -4.8 : 0\", \"=t < 2.5 ? -6.4 : 0\"]}\n" \
    "  - {type: torque, body: %s, torque: \"=t < 2.5 ? -80 : 0\"}\n"

static size_t print(size_t used, const char *part, double a, double b, int i) {
    int n = i >= 0 ? snprintf(text + used, sizeof text - used, part, i, a, b) : snprintf(text + used, sizeof text - used, part, a, b);
    assert_true(n >= 0 && used + (size_t)n < sizeof text);
    return used + (size_t)n;
}

static void write_rod(void) {
    const double h = sqrt(12 * 500 / 1e4), piece = 10.0 / (STATIONS - 1);
    size_t n = 0;
    /* 5/6 E / (2 (1 + nu)) = E, since GA = EA */
    n = print(n, "dimension: 2\nmaterials: {m: {type: hencky, E: %.15g, nu: =5/12 - 1, density: %.15g}}\nbodies:\n", 1e4 / h, 1 / h, -1);
    n = print(n, "  - {name: rod, mesh: {rectangle: {from: [0, %.15g], to: [10, %.15g], n: [32, 1]}, element: quad8, sets: {", -h / 2,
              h / 2, -1);
    for (int i = 0; i < STATIONS; i++)
        n = print(n, i ? ", c%d: \"abs(x - %.15g) < 1e-6\"" : "c%d: \"abs(x - %.15g) < 1e-6\"", i * piece, 0, i);
    n = print(n, "}}, material: m, plane: stress, interfaces: [", 0, 0, -1);
    for (int i = 0; i < STATIONS; i++) {
        int k = snprintf(text + n, sizeof text - n, "%s{name: i%d, set: c%d, kind: average}", i ? ", " : "", i, i);
        n += (size_t)k;
    }
    n = print(n, "]}\n", 0, 0, -1);
    for (int i = 0; i < STATIONS; i++)
        n = print(n, "  - {name: w%d, mass: 1e-6, center: [%.15g, 0], inertia: %.15g}\n", i * piece,
                  (10 - h * h / 12) * piece * (i == 0 || i == STATIONS - 1 ? 0.5 : 1), i);
    n = print(n, "joints:\n", 0, 0, -1);
    for (int i = 0; i < STATIONS; i++) {
        int k = snprintf(text + n, sizeof text - n, "  - {type: fixed, bodies: [rod.i%d, w%d], at: [%.15g, 0]}\n", i, i, i * piece);
        n += (size_t)k;
    }
    snprintf(text + n, sizeof text - n,
             LOADS "probes: {low: {body: rod.i0, at: [0, 0]}, middle: {body: rod.i16, at: [5, 0]}, high: {body: rod.i32, at: [10, 0]}}\n",
             "rod.i0", "rod.i0");
}

typedef struct flight {
    int count;
    double across[16], end[16][4];
} flight;

static void take_flight(const bl_sample *s, const test_ending *run, void *user) {
    flight *f = user;
    const double *p = s->probe;
    int k = (int)lround(2 * s->t);
    (void)run;
    if (fabs(s->t - 0.5 * k) > 1e-9 || k >= 16)
        return;
    f->across[k] = rod_deflection(p, p + 3, p + 6);
    for (int i = 0; i < 2; i++) {
        f->end[k][2 * i] = 6 - 0.6 * p[6 * i] - 0.8 * p[6 * i + 1];
        f->end[k][2 * i + 1] = 0.8 * p[6 * i] - 0.6 * p[6 * i + 1];
    }
    f->count = k + 1;
}

static void flying_rod__with_cross_arms_deflects_as_by_beams(void **unused) {
    (void)unused;
    static const double at[2][4] = {{4.4302, -0.7850, 5.9453, 8.9704}, {5.6206, 4.7638, 15.4081, 4.2649}};
    flight beam = {0}, solid = {0};
    test_ending end;
    bl_run_options options = {.until = 5, .every = 0.5, .tolerance = 1e-5};
    snprintf(
        text, sizeof text,
        "dimension: 2\nbodies:\n  - {name: rod, beam: {from: [0, 0], to: [10, 0], elements: 20}, stiffness: {EA: 1e4, GA: 1e4, EI: 500},"
        " mass_per_length: {rhoA: 1, rhoI: 10}}\n" LOADS
        "probes: {low: {body: rod, at: [0, 0]}, middle: {body: rod, at: [5, 0]}, high: {body: rod, at: [10, 0]}}\n",
        "rod.from", "rod.from");
    test_one_way(text, &options, take_flight, &end, &beam);
    for (int k = 0; k < 4; k++) {
        test_close(&end, "beam at 2.5 s", beam.end[5][k], at[0][k], 1e-3);
        test_close(&end, "beam at 5 s", beam.end[10][k], at[1][k], 1e-3);
    }
    write_rod();
    options.tolerance = 1e-4;
    test_one_way(text, &options, take_flight, &end, &solid);
    double most = 0, off = 0;
    assert_int_equal(solid.count, 11);
    for (int k = 0; k < 11; k++) {
        most = fmax(most, fabs(beam.across[k]));
        off = fmax(off, fabs(solid.across[k] - beam.across[k]));
        for (int i = 0; i < 4; i++)
            test_close(&end, "ends", solid.end[k][i], beam.end[k][i], 2e-2);
    }
    test_close(&end, "deflection, of the largest", off / most, 0, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(double_pendulum__by_solids_deflects_as_by_beams),
        cmocka_unit_test(flying_rod__with_cross_arms_deflects_as_by_beams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
