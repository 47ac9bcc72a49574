/* Spring chain: ten beads of 0.1 kg on stiff springs (1e7 N/m, 0.1 m) hang from a support that moves sideways, 0.05 sin^3(4 t) m, from
 * equilibrium, 2 s. No damping: the axial vibrations, up to 2e4 rad/s, are hardly excited but every method has to be stable for them.
 * End value: reference.c. */
#include "problem.h"

#include <math.h>
#include <string.h>

enum { N = 10 };
static const double m = 0.1, length = 0.1, stiffness = 1e7, g = 9.81;

static double support(double t) {
    double s = sin(4 * t);
    return 0.05 * s * s * s;
}

static void start(double *y) {
    double at = 0;
    memset(y, 0, 4 * N * sizeof *y);
    for (int i = 0; i < N; i++) {
        at -= length + (N - i) * m * g / stiffness;
        y[2 * i + 1] = at;
    }
}

static void end_value(double *y) {
    memcpy(y,
           (const double[]){
#include "spring_chain_wanted.inc"
           },
           4 * N * sizeof *y);
}

static void force(double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)v, (void)z, (void)f;
    double x = support(t), y = 0, fx = 0, fy = 0; /* of the bead above; of the spring above */
    for (int i = 0; i < N; i++) {
        double dx = q[2 * i] - x, dy = q[2 * i + 1] - y, l = sqrt(dx * dx + dy * dy), pull = stiffness / m * (l - length) / l;
        if (i)
            Q[2 * i - 2] = pull * dx - fx, Q[2 * i - 1] = pull * dy - fy - g;
        fx = pull * dx, fy = pull * dy;
        x = q[2 * i], y = q[2 * i + 1];
    }
    Q[2 * N - 2] = -fx, Q[2 * N - 1] = -fy - g;
}

static void tangent(double t, const double *q, const double *v, const double *z, ivp_matrix *J, ivp_matrix *dv) {
    (void)v, (void)z, (void)dv;
    double x = support(t), y = 0;
    for (int i = 0; i < N; i++) {
        double dx = q[2 * i] - x, dy = q[2 * i + 1] - y, l2 = dx * dx + dy * dy, l = sqrt(l2), k = stiffness / m,
               turn = k * length / (l2 * l);
        double block[2][2] = {{k * (1 - length / l) + turn * dx * dx, turn * dx * dy},
                              {turn * dx * dy, k * (1 - length / l) + turn * dy * dy}};
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++) {
                int r = 2 * i + a, c = 2 * i + b;
                ivp_add(J, r, c, -block[a][b]);
                if (i)
                    ivp_add(J, r - 2, c - 2, -block[a][b]), ivp_add(J, r, c - 2, block[a][b]), ivp_add(J, r - 2, c, block[a][b]);
            }
        x = q[2 * i], y = q[2 * i + 1];
    }
}

static const double size[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

const ivp ivp_spring_chain = {.name = "spring_chain",
                              .what = "beads on stiff springs, stiff and oscillatory",
                              .nq = 2 * N,
                              .t_end = 2,
                              .size = size,
                              .least = 0.05,
                              .start = start,
                              .end_value = end_value,
                              .force = force,
                              .tangent = tangent};
