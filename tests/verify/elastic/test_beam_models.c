/* Models with beams whose answer is known from small displacements: frames, guided ends, quarter rings, a coil spring, beams in odd
 * directions with both bending planes and torsion, chains of beams of one element each. */
#include "support/beam_answers.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static void solve(const char *text, beam_answer *a) { beam_equilibrium(text, NULL, 0, NULL, a); }

/* ---- in the plane */

/* side sway of a portal frame, with k the stiffness of the girder EI/b over that of a column EI/h */
static void portal_frame__sways(void **unused) {
    (void)unused;
    const double h = 3, b = 4, EI = 100, H = 1e-3, k = h / b;
    for (int clamped = 0; clamped < 2; clamped++)
        for (int n = 1; n <= 4; n *= 2) {
            beam_answer a;
            const char *type = clamped ? "fixed" : "revolute";
            solve(beam_text("dimension: 2\n"
                            "bodies:\n"
                            "  - {name: frame, beam: {along: [[0, 0], [0, 3], [4, 3], [4, 0]], elements: [%d, %d, %d], degree: 2},\n"
                            "     stiffness: {EA: 1e6, GA: 1e6, EI: 100}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                            "joints:\n"
                            "  - {name: left, type: %s, bodies: [ground, frame], at: [0, 0]}\n"
                            "  - {name: right, type: %s, bodies: [ground, frame], at: [4, 0]}\n"
                            "forces: [{type: force, body: frame, at: [0, 3], force: [1e-3, 0]}]\n"
                            "probes: {corner: {body: frame, at: [0, 3]}}\n",
                            n, n, n, type, type),
                  &a);
            double sway = clamped ? (2 + 3 * k) / (1 + 6 * k) : (1 + 2 * k) / k, foot = clamped ? H * h / 2 * (1 + 3 * k) / (1 + 6 * k) : 0;
            assert_near(a.probe[0][0] / (sway * H * h * h * h / (12 * EI)), 1, 1e-3); /* EA, GA: EI/(EA h^2) = 1e-5 */
            for (int i = 0; i < 2; i++) {
                assert_near(a.reaction[i].force[0] / H, -0.5, 1e-3);
                assert_near(a.reaction[i].moment[2] / (H * h), foot / (H * h), 1e-4);
            }
            assert_near(a.reaction[0].force[1] * b, -(H * h - 2 * foot), 1e-3 * H * h);
        }
}

/* an end that slides across the beam without turning: 12 EI/L^3, moments P L/2; one that slides along it: the beam stays straight */
static void guided_ends__keep_their_direction(void **unused) {
    (void)unused;
    beam_answer a;
    const char *format = "dimension: 2\n"
                         "bodies:\n"
                         "  - {name: rod, beam: {from: [0, 0], to: [2, 0], elements: %d}, stiffness: {EA: 1e4, GA: 1e8, EI: 3},\n"
                         "     mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                         "joints:\n"
                         "  - {name: clamp, type: fixed, bodies: [ground, rod], at: [0, 0]}\n"
                         "  - {name: guide, type: prismatic, bodies: [ground, rod], at: [2, 0], axis: [%g, %g]}\n"
                         "forces: [{type: force, body: rod, at: [2, 0], force: [%g, %g]}]\n"
                         "probes: {end: {body: rod, at: [2, 0]}}\n";
    for (int n = 1; n <= 4; n++) {
        solve(beam_text(format, n, 0.0, 1.0, 0.0, -1e-4), &a);
        assert_near(a.variable[0] / (-1e-4 * 8 / (12 * 3)), 1, 1e-5);
        assert_near(a.reaction[0].moment[2] / 1e-4, 1, 1e-5);
        assert_near(a.reaction[1].moment[2] / 1e-4, 1, 1e-5);
        solve(beam_text(format, n, 1.0, 0.0, 50.0, 0.0), &a);
        assert_near(a.variable[0], 50 * 2 / 1e4, 1e-12);
        assert_near(a.reaction[0].force[0], -50, 1e-10);
    }
}

/* a quarter of a circle: under P along the end's tangent or across it, pi/4 and 1/2 of P R^3/EI, and (3 pi/4 - 2) along the other */
static void quarter_ring__bends(void **unused) {
    (void)unused;
    beam_answer a;
    const double P = 1e-5, scale = P * 8 / 5;
    for (int across = 0; across < 2; across++) {
        solve(beam_text("dimension: 2\n"
                        "bodies:\n"
                        "  - {name: hook, beam: {arc: {from: [2, 0], to: [0, 2], center: [0, 0]}, elements: 12},\n"
                        "     stiffness: {EA: 1e8, GA: 1e8, EI: 5}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                        "joints: [{name: clamp, type: fixed, bodies: [ground, hook], at: [2, 0]}]\n"
                        "forces: [{type: force, body: hook, at: [0, 2], force: [%g, %g]}]\n"
                        "probes: {end: {body: hook, at: [0, 2]}}\n",
                        across ? 0.0 : P, across ? P : 0.0),
              &a);
        double x = a.probe[0][0] / scale, y = (a.probe[0][1] - 2) / scale;
        /* the moment at the angle t from x is R (1 - sin t) of the load along x, R cos t of the load along y */
        assert_near(across ? y : x, across ? PI / 4 : 3 * PI / 4 - 2, 1e-4);
        assert_near(fabs(across ? x : y), 0.5, 1e-4);
    }
}

/* beams of one element each, joined by fixed joints or, where they meet, by the same frame, are one beam */
static void chain__is_one_beam(void **unused) {
    (void)unused;
    enum { PARTS = 6 };
    beam_answer one, chain;
    char text[4000];
    size_t used = 0;
    solve("dimension: 2\n"
          "bodies:\n"
          "  - {name: rod, beam: {from: [0, 0], to: [3, 1.5], elements: 6}, stiffness: {EA: 1e5, GA: 1e4, EI: 2},\n"
          "     mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
          "joints: [{name: clamp, type: fixed, bodies: [ground, rod], at: [0, 0]}]\n"
          "forces: [{type: force, body: rod, at: [3, 1.5], force: [0.3, -0.5]}]\n"
          "probes: {end: {body: rod, at: [3, 1.5]}}\n",
          &one);
    used += (size_t)snprintf(text + used, sizeof text - used, "dimension: 2\nbodies:\n");
    for (int i = 0; i < PARTS; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used,
                             "  - {name: b%d, beam: {from: [%g, %g], to: [%g, %g], elements: 1}, stiffness: {EA: 1e5, GA: 1e4, EI: 2},\n"
                             "     mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n",
                             i, 0.5 * i, 0.25 * i, 0.5 * (i + 1), 0.25 * (i + 1));
    used += (size_t)snprintf(text + used, sizeof text - used, "joints:\n  - {name: j0, type: fixed, bodies: [ground, b0], at: [0, 0]}\n");
    for (int i = 1; i < PARTS; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "  - {name: j%d, type: fixed, bodies: [b%d, b%d], at: [%g, %g]}\n", i,
                                 i - 1, i, 0.5 * i, 0.25 * i);
    snprintf(text + used, sizeof text - used,
             "forces: [{type: force, body: b%d, at: [3, 1.5], force: [0.3, -0.5]}]\n"
             "probes: {end: {body: b%d, at: [3, 1.5]}}\n",
             PARTS - 1, PARTS - 1);
    solve(text, &chain);
    for (int k = 0; k < 2; k++)
        assert_near(chain.probe[0][k], one.probe[0][k], 1e-9);
    assert_near(chain.reaction[0].moment[2], one.reaction[0].moment[2], 1e-8);
    assert_near(chain.potential, one.potential, 1e-9);
    for (int i = 0; i < BEAM_JOINTS; i++) { /* the load passes through every joint */
        assert_near(chain.reaction[i].force[0], -0.3, 1e-8);
        assert_near(chain.reaction[i].force[1], 0.5, 1e-8);
    }
}

/* ---- in space */

static const double E = 2e6, G = 8e5, HEIGHT = 0.06, WIDTH = 0.03;

/* a cantilever along a with its height along u, loaded at its end by a force and a moment */
static void cantilever(const double a[3], const double u[3], double length, const double F[3], const double M[3], int n,
                       beam_answer *answer) {
    solve(beam_text("dimension: 3\n"
                    "bodies:\n"
                    "  - {name: rod, beam: {from: [0.1, 0.2, 0.3], to: [%.17g, %.17g, %.17g], elements: %d, up: [%.17g, %.17g, %.17g],\n"
                    "     section: {rectangle: [%g, %g]}}, material: {E: %g, G: %g, density: 1}}\n"
                    "joints: [{name: clamp, type: fixed, bodies: [ground, rod], at: [0.1, 0.2, 0.3]}]\n"
                    "forces:\n"
                    "  - {type: force, body: rod.to, at: [%.17g, %.17g, %.17g], force: [%.17g, %.17g, %.17g]}\n"
                    "  - {type: torque, body: rod.to, torque: [%.17g, %.17g, %.17g]}\n"
                    "probes: {end: {body: rod.to, at: [%.17g, %.17g, %.17g]}, side: {body: rod.to, at: [%.17g, %.17g, %.17g]}}\n",
                    0.1 + length * a[0], 0.2 + length * a[1], 0.3 + length * a[2], n, u[0], u[1], u[2], HEIGHT, WIDTH, E, G,
                    0.1 + length * a[0], 0.2 + length * a[1], 0.3 + length * a[2], F[0], F[1], F[2], M[0], M[1], M[2], 0.1 + length * a[0],
                    0.2 + length * a[1], 0.3 + length * a[2], 0.1 + length * a[0] + u[0], 0.2 + length * a[1] + u[1],
                    0.3 + length * a[2] + u[2]),
          answer);
}

/* P L^3/(3 EI) + P L/(k GA) along the height and the width, M L/(GJ) about the axis, N L/(EA) along it, in any direction of space */
static void cantilevers__bend_twist_and_stretch_in_any_direction(void **unused) {
    (void)unused;
    test_random random = {test_seed(7)};
    const double area = HEIGHT * WIDTH, L = 1.3, P = 1e-6;
    for (int i = 0; i < 12; i++) {
        double axis[3], other[3], d[3][3], zero[3] = {0, 0, 0};
        test_random_direction(&random, 3, axis);
        test_random_direction(&random, 3, other);
        if (i < 3) /* along the axes */
            for (int k = 0; k < 3; k++) {
                axis[k] = k == i ? -1 : 0;
                other[k] = k == (i + 1) % 3;
            }
        double along = test_dot(axis, other);
        memcpy(d[0], axis, sizeof axis);
        for (int k = 0; k < 3; k++)
            d[1][k] = other[k] - along * axis[k];
        double norm = test_norm(d[1]);
        if (norm < 0.2)
            continue;
        for (int k = 0; k < 3; k++)
            d[1][k] /= norm;
        test_cross(d[0], d[1], d[2]);
        const double I[2] = {HEIGHT * HEIGHT * HEIGHT * WIDTH / 12, WIDTH * WIDTH * WIDTH * HEIGHT / 12};
        for (int load = 0; load < 3; load++) {
            beam_answer a;
            double F[3], moved[3];
            for (int k = 0; k < 3; k++)
                F[k] = P * d[load][k];
            cantilever(d[0], d[1], L, F, zero, 1 + i % 5, &a);
            for (int k = 0; k < 3; k++)
                moved[k] = a.probe[0][k] - (0.1 * (k + 1) + L * d[0][k]);
            double exact = load == 0 ? P * L / (E * area) : P * L * L * L / (3 * E * I[load - 1]) + P * L / (5.0 / 6 * G * area);
            for (int k = 0; k < 3; k++)
                assert_near(moved[k] / exact, d[load][k], 2e-5);
        }
        beam_answer a;
        double M[3], moved[3], torsion = HEIGHT * WIDTH * WIDTH * WIDTH * 0.22868; /* 0.229 in tables for 2 : 1 */
        for (int k = 0; k < 3; k++)
            M[k] = P * d[0][k];
        cantilever(d[0], d[1], L, zero, M, 1 + i % 5, &a);
        for (int k = 0; k < 3; k++)
            moved[k] = a.probe[1][k] - (0.1 * (k + 1) + L * d[0][k] + d[1][k]);
        for (int k = 0; k < 3; k++)
            assert_near(moved[k] / (P * L / (G * torsion)), d[2][k], 2e-4);
    }
}

/* a quarter ring under a load across its plane: P R^3 (pi/(4 EI) + (3 pi - 8)/(4 GJ)) */
static void quarter_ring__bends_and_twists_out_of_its_plane(void **unused) {
    (void)unused;
    beam_answer a;
    solve("dimension: 3\n"
          "bodies:\n"
          "  - {name: hook, beam: {arc: {from: [2, 0, 0], to: [0, 2, 0], center: [0, 0, 0]}, elements: 12, up: [0, 0, 1]},\n"
          "     stiffness: {EA: 1e6, GA: 1e6, EI: 5, GJ: 3}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
          "joints: [{name: clamp, type: fixed, bodies: [ground, hook], at: [2, 0, 0]}]\n"
          "forces: [{type: force, body: hook, at: [0, 2, 0], force: [0, 0, 1e-5]}]\n"
          "probes: {end: {body: hook, at: [0, 2, 0]}}\n",
          &a);
    assert_near(a.probe[0][2] / (1e-5 * 8 * (PI / 4 / 5 + (3 * PI - 8) / 4 / 3)), 1, 1e-4);
    assert_near(a.reaction[0].moment[0], -2e-5, 1e-9); /* twist at the clamp is bending of the lever y = 2, and the other way round */
    assert_near(a.reaction[0].moment[1], -2e-5, 1e-9);
}

/* a close coil: G J / (2 pi R^3) per turn */
static void coil_spring__has_its_stiffness(void **unused) {
    (void)unused;
    enum { SIDES = 24, TURNS = 3 };
    const double R = 1, pitch = 0.05, side = R / cos(PI / SIDES); /* about the mean of polygon and circle: the same area */
    char text[9000];
    size_t used = 0;
    used += (size_t)snprintf(text + used, sizeof text - used, "dimension: 3\nbodies:\n  - name: coil\n    beam: {along: [");
    for (int i = 0; i <= SIDES * TURNS; i++) {
        double t = 2 * PI * i / SIDES, r = sqrt(R * side);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s[%.9f, %.9f, %.9f]", i ? ", " : "", r * cos(t), r * sin(t),
                                 pitch * i / SIDES);
    }
    snprintf(text + used, sizeof text - used,
             "], elements: %d, degree: 2}\n"
             "    stiffness: {EA: 1e6, GA: 1e6, EI: 5, GJ: 4}\n"
             "    mass_per_length: {rhoA: 1, rhoI: 1e-4}\n"
             "joints:\n"
             "  - {name: clamp, type: fixed, bodies: [ground, coil], at: [%.9f, 0, 0]}\n"
             "  - {name: hook, type: cylindrical, bodies: [ground, coil.to], at: [0, 0, %.9f], axis: [0, 0, 1]}\n"
             "forces: [{type: force, body: coil.to, at: [0, 0, %.9f], force: [0, 0, 1e-3]}]\n"
             "probes: {hook: {body: coil.to, at: [0, 0, %.9f]}}\n",
             SIDES * TURNS, sqrt(R * side), pitch * TURNS, pitch * TURNS, pitch * TURNS);
    beam_answer a;
    solve(text, &a);
    double stiffness = 4 / (2 * PI * R * R * R * TURNS);
    assert_near((a.probe[0][2] - pitch * TURNS) * stiffness / 1e-3, 1, 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portal_frame__sways),
        cmocka_unit_test(guided_ends__keep_their_direction),
        cmocka_unit_test(quarter_ring__bends),
        cmocka_unit_test(chain__is_one_beam),
        cmocka_unit_test(cantilevers__bend_twist_and_stretch_in_any_direction),
        cmocka_unit_test(quarter_ring__bends_and_twists_out_of_its_plane),
        cmocka_unit_test(coil_spring__has_its_stiffness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
