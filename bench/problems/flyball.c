/* Stiff flyball governor (IFToMM multibody benchmark library, A05) in minimal coordinates: height s of the slider and angle alpha of
 * the arms; the shaft's speed follows from its angular momentum. Stiff and damped. End value: reference.c, checked by the end
 * of the published curve (tests/reference/flyball_governor.json). */
#include "problem.h"

#include <math.h>
#include <string.h>

static const double K = 8e5, C = 4e4, free_length = 0.5, arm = 0.3, ball = 5, slider = 3, offset = 0.05, width = 0.01, g = 9.81;

/* moment of inertia about the shaft and its derivatives by alpha */
static void inertia(double alpha, double I[3]) {
    double c = cos(alpha), s = sin(alpha);
    double along = arm * 2 * width * width / 12, across = arm * (1 + width * width) / 12;
    double middle = offset + c / 2, tip = offset + c;
    I[0] = 0.3 * 2 * width * width / 12 + slider * 2 * 0.01 / 12 +
           2 * (along * s * s + across * c * c + arm * middle * middle + ball * tip * tip);
    I[1] = 2 * (2 * (along - across) * s * c - arm * middle * s - 2 * ball * tip * s);
    I[2] = 2 * (2 * (along - across) * (c * c - s * s) + arm * (s * s / 2 - middle * c) + 2 * ball * (s * s - tip * c));
}

static double momentum(void) {
    const double pi = 3.14159265358979323846;
    double I[3];
    inertia(pi / 6, I);
    return I[0] * 2 * pi;
}

/* of both arms about their hinges */
static double swing(void) { return 2 * (arm * (1 + width * width) / 12 + arm / 4 + ball); }

static void start(double *y) { y[0] = 0.5, y[1] = 3.14159265358979323846 / 6, y[2] = y[3] = 0; }

static void end_value(double *y) {
    const double end[] = {
#include "flyball_wanted.inc"
    };
    for (int i = 0; i < 4; i++)
        y[i] = end[i];
}

typedef struct spring {
    double l, l_s, l_a, l_ss, l_sa, l_aa, F;
} spring;

static void find_spring(const double *q, const double *v, spring *p) {
    double c = cos(q[1]) / 2, s = sin(q[1]) / 2, dz = 1 - s - q[0];
    p->l = sqrt(c * c + dz * dz);
    p->l_s = -dz / p->l;
    p->l_a = (-c * s - dz * c) / p->l;
    p->l_ss = (1 - p->l_s * p->l_s) / p->l;
    p->l_sa = (c - p->l_a * p->l_s) / p->l;
    p->l_aa = (s * s - c * c + c * c + dz * s - p->l_a * p->l_a) / p->l;
    p->F = K * (p->l - free_length) + C * (p->l_s * v[0] + p->l_a * v[1]);
}

static void force(double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)t, (void)z, (void)f;
    spring p;
    double I[3];
    find_spring(q, v, &p);
    inertia(q[1], I);
    double w = momentum() / I[0];
    Q[0] = -g - 2 * p.F * p.l_s / slider;
    Q[1] = (I[1] * w * w / 2 + (arm + 2 * ball) * g * cos(q[1]) - 2 * p.F * p.l_a) / swing();
}

static void tangent(double t, const double *q, const double *v, const double *z, ivp_matrix *dx, ivp_matrix *dv) {
    (void)t, (void)z;
    spring p;
    double I[3];
    find_spring(q, v, &p);
    inertia(q[1], I);
    double w = momentum() / I[0];
    double F_s = K * p.l_s + C * (p.l_ss * v[0] + p.l_sa * v[1]), F_a = K * p.l_a + C * (p.l_sa * v[0] + p.l_aa * v[1]);
    ivp_add(dx, 0, 0, -2 * (F_s * p.l_s + p.F * p.l_ss) / slider), ivp_add(dx, 0, 1, -2 * (F_a * p.l_s + p.F * p.l_sa) / slider);
    ivp_add(dx, 1, 0, -2 * (F_s * p.l_a + p.F * p.l_sa) / swing());
    ivp_add(dx, 1, 1,
            (I[2] * w * w / 2 - I[1] * I[1] * w * w / I[0] - (arm + 2 * ball) * g * sin(q[1]) - 2 * (F_a * p.l_a + p.F * p.l_aa)) /
                swing());
    ivp_add(dv, 0, 0, -2 * C * p.l_s * p.l_s / slider), ivp_add(dv, 0, 1, -2 * C * p.l_a * p.l_s / slider);
    ivp_add(dv, 1, 0, -2 * C * p.l_s * p.l_a / swing()), ivp_add(dv, 1, 1, -2 * C * p.l_a * p.l_a / swing());
}

/* distance along the shaft from the start */
static void read_mechanism(const char *name, double value, double rate, double *y) {
    if (strcmp(name, "slide.distance") == 0) {
        y[0] = 0.5 + value;
        y[2] = rate;
    }
}

static const double size[] = {1, 1, 1, 1};

const ivp ivp_flyball = {.name = "flyball",
                         .mechanism = "flyball_governor",
                         .read_mechanism = read_mechanism,
                         .what = "governor in minimal coordinates, stiff",
                         .nq = 2,
                         .t_end = 10,
                         .size = size,
                         .start = start,
                         .end_value = end_value,
                         .force = force,
                         .tangent = tangent};
