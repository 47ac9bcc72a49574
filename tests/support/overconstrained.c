/* Mechanisms that move only because of their dimensions. Bricard 1897, Bennett 1903, Sarrus 1853; the others are in every workshop. All are
 * closed in the given configuration, whatever the error: it shows when they move. */
#include "support/overconstrained.h"

#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct text {
    char *at;
    size_t size, used;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->at + t->used, t->size - t->used, format, args);
    va_end(args);
    assert_true(t->used < t->size);
}

/* n - 1 bodies b1, b2, ... between n revolute joints j1, j2, ...; the probe is where body `probe` meets the next */
static void put_loop(text *t, int n, double (*at)[3], double (*axis)[3], int probe) {
    put(t, "gravity: [1.3, -9.81, 2.1]\nbodies:\n");
    for (int i = 1; i < n; i++)
        put(t, "  - {name: b%d, mass: %g, center: [%.17g, %.17g, %.17g], inertia: [0.1, 0.12, 0.15]}\n", i, 1 + 0.1 * i,
            (at[i - 1][0] + at[i][0]) / 2, (at[i - 1][1] + at[i][1]) / 2, (at[i - 1][2] + at[i][2]) / 2);
    put(t, "joints:\n");
    for (int i = 1; i <= n; i++) {
        char first[24] = "ground", second[24] = "ground";
        const double *p = at[i - 1], *u = axis[i - 1];
        if (i > 1)
            snprintf(first, sizeof first, "b%d", i - 1);
        if (i < n)
            snprintf(second, sizeof second, "b%d", i);
        put(t, "  - {name: j%d, type: revolute, bodies: [%s, %s], at: [%.17g, %.17g, %.17g], axis: [%.17g, %.17g, %.17g]}\n", i, first,
            second, p[0], p[1], p[2], u[0], u[1], u[2]);
    }
    const double *p = at[probe];
    put(t, "probes: {P: {body: b%d, at: [%.17g, %.17g, %.17g]}}\n", probe, p[0], p[1], p[2]);
}

static void bricard(double off, char *out, size_t size) {
    text t = {out, size, 0};
    double at[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1 + off}, {0, -1, 1}, {0, 0, 1}};
    double axis[6][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    put_loop(&t, 6, at, axis, 2);
}

/* Denavit-Hartenberg frames around the loop: lengths a, b, twists with a / sin alpha = b / sin beta, and
 * tan(theta / 2) tan(phi / 2) = sin((alpha + beta) / 2) / sin((beta - alpha) / 2) */
static void bennett(double off, char *out, size_t size) {
    text t = {out, size, 0};
    double a = 2.5, b = 1.7, alpha = 0.6, theta = 0.9, beta = asin(b * sin(alpha) / a), pi = acos(-1), at[4][3], axis[4][3];
    double phi = 2 * atan(sin((alpha + beta) / 2) / sin((beta - alpha) / 2) / tan(theta / 2));
    double length[4] = {a, b, a, b}, twist[4] = {alpha, beta, alpha, beta}, angle[4] = {theta, phi, 2 * pi - theta, 2 * pi - phi};
    double T[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    for (int i = 0; i < 4; i++) {
        double c = cos(angle[i]), s = sin(angle[i]), ca = cos(twist[i]), sa = sin(twist[i]), next[3][4];
        double D[4][4] = {{c, -s * ca, s * sa, length[i] * c}, {s, c * ca, -c * sa, length[i] * s}, {0, sa, ca, 0}, {0, 0, 0, 1}};
        for (int k = 0; k < 3; k++) {
            at[i][k] = T[k][3];
            axis[i][k] = T[k][2];
            for (int j = 0; j < 4; j++)
                next[k][j] = T[k][0] * D[0][j] + T[k][1] * D[1][j] + T[k][2] * D[2][j] + T[k][3] * D[3][j];
        }
        memcpy(T, next, sizeof T);
    }
    at[2][0] += off;
    put_loop(&t, 4, at, axis, 2);
}

static void sarrus(double off, char *out, size_t size) {
    text t = {out, size, 0};
    double at[6][3] = {{0, -1, 0}, {0, -1.5, 0.6}, {0, -1, 1.2}, {1, 0, 1.2}, {1.5, 0, 0.6}, {1, 0, 0}}, axis[6][3];
    for (int i = 0; i < 6; i++)
        memcpy(axis[i], (double[3]){i < 3, i >= 3, 0}, sizeof axis[i]);
    axis[4][2] = off; /* a hinge that is not quite parallel */
    put_loop(&t, 6, at, axis, 2);
}

/* a plane four-bar in space, one hinge tilted */
static void four_bar(double off, char *out, size_t size) {
    text t = {out, size, 0};
    double at[4][3] = {{0, 0, 0}, {0.3, 0.9, 0.2}, {2, 1.5, -0.1}, {2.5, 0, 0.3}}, axis[4][3];
    for (int i = 0; i < 4; i++)
        memcpy(axis[i], (double[3]){0, 0, 1}, sizeof axis[i]);
    axis[2][0] = off;
    put_loop(&t, 4, at, axis, 2);
}

/* axes through one point, but one */
static void spherical(double off, char *out, size_t size) {
    text t = {out, size, 0};
    double axis[4][3] = {{1, 0, 0.3}, {0.2, 1, 0.5}, {-0.7, 0.4, 1}, {-0.2, -0.9, 0.6}}, at[4][3];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            at[i][k] = (0.7 + 0.1 * i) * axis[i][k];
    at[1][0] += off;
    put_loop(&t, 4, at, axis, 2);
}

static void door(double off, char *out, size_t size) {
    text t = {out, size, 0};
    put(&t,
        "gravity: [1, 2, -9.81]\n"
        "bodies: [{name: door, mass: 20, center: [0.4, 0, 1], inertia: [7, 8, 1.1]}]\n"
        "joints:\n"
        "  - {name: low, type: revolute, bodies: [ground, door], at: [0, 0, 0.3], axis: [0, 0, 1]}\n"
        "  - {name: high, type: revolute, bodies: [ground, door], at: [%.17g, 0, 1.7], axis: [0, 0, 1]}\n"
        "probes: {P: {body: door, at: [0.8, 0, 1]}}\n",
        off);
}

static void three_cranks(double off, char *out, size_t size) {
    text t = {out, size, 0};
    put(&t,
        "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  - {name: c1, mass: 1, center: [0.1, 0.2], inertia: 0.02}\n"
        "  - {name: c2, mass: 1, center: [1.1, 0.2], inertia: 0.02}\n"
        "  - {name: c3, mass: 1, center: [2.1, 0.2], inertia: 0.02}\n"
        "  - {name: coupler, mass: 2, center: [1.2, 0.4], inertia: 0.7}\n"
        "joints:\n"
        "  - {name: A1, type: revolute, bodies: [ground, c1], at: [0, 0]}\n"
        "  - {name: A2, type: revolute, bodies: [ground, c2], at: [1, 0]}\n"
        "  - {name: A3, type: revolute, bodies: [ground, c3], at: [2, 0]}\n"
        "  - {name: B1, type: revolute, bodies: [c1, coupler], at: [0.2, 0.4]}\n"
        "  - {name: B2, type: revolute, bodies: [c2, coupler], at: [1.2, 0.4]}\n"
        "  - {name: B3, type: revolute, bodies: [c3, coupler], at: [%.17g, 0.4]}\n"
        "probes: {P: {body: coupler, at: [1.2, 0.4]}}\n",
        2.2 + off);
}

/* two sliders side by side on a carriage, not quite parallel */
static void two_rails(double off, char *out, size_t size) {
    text t = {out, size, 0};
    put(&t,
        "gravity: [3, 0, -9.81]\n"
        "bodies: [{name: carriage, mass: 4, center: [0, 0, 0.1], inertia: [0.1, 0.1, 0.2]}]\n"
        "joints:\n"
        "  - {name: left, type: prismatic, bodies: [ground, carriage], at: [0, -0.5, 0], axis: [1, 0, 0]}\n"
        "  - {name: right, type: prismatic, bodies: [ground, carriage], at: [0, 0.5, 0], axis: [1, %.17g, 0]}\n"
        "probes: {P: {body: carriage, at: [0.2, 0, 0.1]}}\n",
        off);
}

const test_overconstrained test_overconstrained_list[] = {
    {"bricard", "j6", 0.9, 0.6, bricard},           {"bennett", "j4", 1.2, 0.6, bennett},        {"sarrus", "j6", 1.3, 0.3, sarrus},
    {"four_bar", "j4", 1.7, 0.6, four_bar},         {"spherical", "j4", 1, 0.3, spherical},      {"door", "high", 0.7, 0.6, door},
    {"three_cranks", "B3", 1.1, 0.3, three_cranks}, {"two_rails", "right", 0.5, 0.5, two_rails},
};
const int test_noverconstrained = sizeof test_overconstrained_list / sizeof *test_overconstrained_list;

void test_overconstrained_write(const test_overconstrained *mechanism, double off, char out[TEST_OVERCONSTRAINED_TEXT]) {
    mechanism->write(off, out, TEST_OVERCONSTRAINED_TEXT);
}
