/* Car axis: two wheels on springs over a bumpy road, index 3. IVP test set; end value recomputed in extended precision.
 * Explicit form: accelerations from the twice differentiated constraints (drifts). Implicit form: Gear, Gupta and Leimkuhler,
 * x = (q, v, lambda, mu). */
#include "problem.h"

#include <math.h>
#include <string.h>

static const double L = 1, L0 = 0.5, r = 0.1, omega = 10, g = 1, k = 10 * 0.01 * 0.01 / 2;

typedef struct road {
    double x, y, xd, yd, xdd, ydd; /* of the right wheel's ground */
} road;

static road road_at(double t) {
    road b = {.y = r * sin(omega * t), .yd = r * omega * cos(omega * t)};
    b.ydd = -omega * omega * b.y;
    b.x = sqrt(L * L - b.y * b.y);
    b.xd = -b.y * b.yd / b.x;
    b.xdd = -(b.yd * b.yd + b.y * b.ydd + b.xd * b.xd) / b.x;
    return b;
}

static void start(double *y) { memcpy(y, (const double[]){0, 0.5, 1, 0.5, -0.5, 0, -0.5, 0}, 8 * sizeof *y); }

static void end_value(double *y) {
    memcpy(y,
           (const double[]){0.049345578427524045, 0.4969894602300081, 1.0417425248854262, 0.37391102726536585, -0.07705836840359215,
                            0.007446866592068532, 0.017556815753541996, 0.7703410437796027},
           8 * sizeof *y);
}

static void force(double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)v, (void)z, (void)f;
    road b = road_at(t);
    double dx = q[2] - b.x, dy = q[3] - b.y;
    double left = L0 / sqrt(q[0] * q[0] + q[1] * q[1]) - 1, right = L0 / sqrt(dx * dx + dy * dy) - 1;
    Q[0] = left * q[0], Q[1] = left * q[1] - k * g;
    Q[2] = right * dx, Q[3] = right * dy - k * g;
}

static void spring(double x, double y, double block[3]) { /* derivatives of (L0 / l - 1) (x, y) */
    double l2 = x * x + y * y, s = L0 / sqrt(l2), c = s / l2;
    block[0] = s - 1 - c * x * x, block[1] = -c * x * y, block[2] = s - 1 - c * y * y;
}

static void tangent(double t, const double *q, const double *v, const double *z, ivp_matrix *J, ivp_matrix *dv) {
    (void)v, (void)z, (void)dv;
    road b = road_at(t);
    double left[3], right[3];
    spring(q[0], q[1], left);
    spring(q[2] - b.x, q[3] - b.y, right);
    ivp_add(J, 0, 0, left[0]), ivp_add(J, 0, 1, left[1]), ivp_add(J, 1, 0, left[1]), ivp_add(J, 1, 1, left[2]);
    ivp_add(J, 2, 2, right[0]), ivp_add(J, 2, 3, right[1]), ivp_add(J, 3, 2, right[1]), ivp_add(J, 3, 3, right[2]);
}

static void mass(const double *q, ivp_matrix *M) {
    (void)q;
    for (int i = 0; i < 4; i++)
        ivp_add(M, i, i, k);
}

static void constraint(double t, const double *q, double *phi) {
    road b = road_at(t);
    double dx = q[0] - q[2], dy = q[1] - q[3];
    phi[0] = q[0] * b.x + q[1] * b.y;
    phi[1] = dx * dx + dy * dy - L * L;
}

static void G_at(const road *b, const double *q, double G[2][4]) {
    double dx = 2 * (q[0] - q[2]), dy = 2 * (q[1] - q[3]);
    G[0][0] = b->x, G[0][1] = b->y, G[0][2] = G[0][3] = 0;
    G[1][0] = dx, G[1][1] = dy, G[1][2] = -dx, G[1][3] = -dy;
}

static void gradient(double t, const double *q, ivp_matrix *m) {
    double G[2][4];
    road b = road_at(t);
    G_at(&b, q, G);
    ivp_add(m, 0, 0, G[0][0]), ivp_add(m, 0, 1, G[0][1]);
    for (int j = 0; j < 4; j++)
        ivp_add(m, 1, j, G[1][j]);
}

static void rate(double t, const double *q, double *phi_t) {
    road b = road_at(t);
    phi_t[0] = q[0] * b.xd + q[1] * b.yd, phi_t[1] = 0;
}

static void curvature_at(const road *b, const double *q, const double *v, double *c) {
    double dx = v[0] - v[2], dy = v[1] - v[3];
    c[0] = -(2 * (v[0] * b->xd + v[1] * b->yd) + q[0] * b->xdd + q[1] * b->ydd);
    c[1] = -2 * (dx * dx + dy * dy);
}

static void curvature(double t, const double *q, const double *v, double *c) {
    road b = road_at(t);
    curvature_at(&b, q, v, c);
}

static void explicit_rate(double t, const double *y, double *yd) {
    const double *q = y, *v = y + 4;
    double Q[4], G[2][4], c[2], S[3] = {0}, lambda[2];
    road b = road_at(t);
    double dx = q[2] - b.x, dy = q[3] - b.y;
    double left = L0 / sqrt(q[0] * q[0] + q[1] * q[1]) - 1, right = L0 / sqrt(dx * dx + dy * dy) - 1;
    Q[0] = left * q[0], Q[1] = left * q[1] - k * g;
    Q[2] = right * dx, Q[3] = right * dy - k * g;
    G_at(&b, q, G);
    curvature_at(&b, q, v, c);
    for (int j = 0; j < 4; j++) {
        S[0] += G[0][j] * G[0][j], S[1] += G[0][j] * G[1][j], S[2] += G[1][j] * G[1][j];
        c[0] -= G[0][j] * Q[j] / k, c[1] -= G[1][j] * Q[j] / k;
    }
    double det = S[0] * S[2] - S[1] * S[1];
    lambda[0] = (S[2] * c[0] - S[1] * c[1]) / det, lambda[1] = (S[0] * c[1] - S[1] * c[0]) / det;
    for (int j = 0; j < 4; j++) {
        yd[j] = v[j];
        yd[4 + j] = Q[j] / k + G[0][j] * lambda[0] + G[1][j] * lambda[1];
    }
}

static void implicit_start(double *x, double *xd) {
    memset(x, 0, 12 * sizeof *x);
    memset(xd, 0, 12 * sizeof *xd);
    start(x);
    explicit_rate(0, x, xd); /* the springs are free at the start: lambda = 0 */
}

static void residual(double t, const double *x, const double *xd, double *res) {
    const double *q = x, *v = x + 4, *lambda = x + 8, *mu = x + 10;
    double G[2][4], Q[4];
    road b = road_at(t);
    G_at(&b, q, G);
    force(t, q, v, NULL, Q, NULL);
    constraint(t, q, res + 8);
    rate(t, q, res + 10);
    for (int j = 0; j < 4; j++) {
        res[j] = xd[j] - v[j] - G[0][j] * mu[0] - G[1][j] * mu[1];
        res[4 + j] = k * xd[4 + j] - Q[j] - G[0][j] * lambda[0] - G[1][j] * lambda[1];
        res[10] += G[0][j] * v[j], res[11] += G[1][j] * v[j];
    }
}

static void residual_jacobian(double t, const double *x, const double *xd, double c, ivp_matrix *J) {
    (void)xd;
    const double *q = x, *v = x + 4, *lambda = x + 8, *mu = x + 10;
    double G[2][4], left[3], right[3];
    road b = road_at(t);
    G_at(&b, q, G);
    spring(q[0], q[1], left);
    spring(q[2] - b.x, q[3] - b.y, right);
    for (int j = 0; j < 4; j++) {
        ivp_add(J, j, j, c), ivp_add(J, j, 4 + j, -1), ivp_add(J, 4 + j, 4 + j, k * c);
        for (int i = 0; i < 2; i++) {
            ivp_add(J, j, 10 + i, -G[i][j]), ivp_add(J, 4 + j, 8 + i, -G[i][j]);
            ivp_add(J, 8 + i, j, G[i][j]), ivp_add(J, 10 + i, 4 + j, G[i][j]);
        }
        int o = (j + 2) % 4; /* the same direction of the other wheel */
        ivp_add(J, j, j, -2 * mu[1]), ivp_add(J, j, o, 2 * mu[1]);
        ivp_add(J, 4 + j, j, -2 * lambda[1]), ivp_add(J, 4 + j, o, 2 * lambda[1]);
    }
    for (int s = 0; s < 2; s++) {
        const double *block = s == 0 ? left : right;
        int i = 4 + 2 * s, j = 2 * s;
        ivp_add(J, i, j, -block[0]), ivp_add(J, i, j + 1, -block[1]), ivp_add(J, i + 1, j, -block[1]), ivp_add(J, i + 1, j + 1, -block[2]);
    }
    ivp_add(J, 10, 0, b.xd), ivp_add(J, 10, 1, b.yd);
    double dx = 2 * (v[0] - v[2]), dy = 2 * (v[1] - v[3]);
    ivp_add(J, 11, 0, dx), ivp_add(J, 11, 1, dy), ivp_add(J, 11, 2, -dx), ivp_add(J, 11, 3, -dy);
}

static const double size[] = {1, 1, 1, 1, 1, 1, 1, 1};

const ivp ivp_car_axis = {.name = "car_axis",
                          .scene = "car_axis",
                          .what = "constrained, index 3",
                          .nq = 4,
                          .np = 2,
                          .t_end = 3,
                          .size = size,
                          .start = start,
                          .end_value = end_value,
                          .force = force,
                          .tangent = tangent,
                          .mass = mass,
                          .mass_constant = true,
                          .constraint = constraint,
                          .gradient = gradient,
                          .rate = rate,
                          .curvature = curvature,
                          .explicit_rate = explicit_rate,
                          .nx = 12,
                          .implicit_start = implicit_start,
                          .residual = residual,
                          .residual_jacobian = residual_jacobian,
                          .nalgebraic = 4};
