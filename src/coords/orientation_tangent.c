/* The tangent view of redundant parameters: increments are rotations x about the body's axes, R -> R exp(sk(x)), velocities are the spin w
 * in body axes, R' = R sk(w), so E = 1 and there are no equations. With R -> R exp(sk(x)) the axes r_k = R e_k change by
 *
 *     dr_k = R (x x e_k),        d(R (a x e_k)) = R (x x (a x e_k)) = R (a x_k - e_k (x.a)).
 *
 * Integration causes a small error of the parameters: a quaternion not of unit length, a matrix P R with P symmetric. o' = o w/2 and (P
 * R)' = P R sk(w) keep |o| and P, so only R is used, everything above holds exactly, and P = 1 is restored between steps. */
#include "coords/orientation.h"

#include "coords/turn.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const names[] = {"w1", "w2", "w3"};

/* ---- common part, from the rotation */

static void slope_of(const double *R, double *X) {
    memset(X, 0, 27 * sizeof *X);
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        for (int c = 0; c < 3; c++) {
            X[(3 * k + c) * 3 + b] = R[3 * a + c];
            X[(3 * k + c) * 3 + a] = -R[3 * b + c];
        }
    }
}

static void turn_of(const double *R, const double *a, double *V) {
    double Ra[3];
    bl_turn_times(R, a, Ra);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            for (int j = 0; j < 3; j++)
                V[(3 * k + c) * 3 + j] = (j == k ? Ra[c] : 0) - R[3 * k + c] * a[j];
}

/* E = 1 in every position */
static void spin_of(const bl_orientation *kind, const double *o, double *E) {
    (void)kind, (void)o;
    for (int k = 0; k < 9; k++)
        E[k] = k % 4 == 0;
}

static void spin_rate(const bl_orientation *kind, const double *o, double *D) {
    (void)kind, (void)o;
    memset(D, 0, 27 * sizeof *D);
}

static void spin_rate_along(const bl_orientation *kind, const double *o, const double *u, double *D) {
    (void)u;
    spin_rate(kind, o, D);
}

/* p = exp(x/2) as a unit quaternion */
static void quaternion_of(const double *x, double *p) {
    double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    double half = 0.5 * size, by = half > 1e-4 ? sin(half) / size : 0.5 - half * half / 12;
    p[0] = cos(half);
    for (int k = 0; k < 3; k++)
        p[k + 1] = by * x[k];
}

/* its inverse, for any length; the shorter of the two rotations */
static void turn_by(const double *p, double *x) {
    double sine = sqrt(p[1] * p[1] + p[2] * p[2] + p[3] * p[3]), sign = p[0] < 0 ? -1 : 1;
    double by = sine > 1e-4 * fabs(p[0]) ? 2 * atan2(sine, fabs(p[0])) / sine : 2 / fabs(p[0]) * (1 - sine * sine / (3 * p[0] * p[0]));
    for (int k = 0; k < 3; k++)
        x[k] = sign * by * p[k + 1];
}

/* ---- quaternions: o -> o exp(x/2), o' = o (0, w)/2 */

static void multiply(const double *a, const double *b, double *out) {
    double e0 = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], e1 = a[0] * b[1] + b[0] * a[1] + a[2] * b[3] - a[3] * b[2];
    double e2 = a[0] * b[2] + b[0] * a[2] + a[3] * b[1] - a[1] * b[3], e3 = a[0] * b[3] + b[0] * a[3] + a[1] * b[2] - a[2] * b[1];
    out[0] = e0, out[1] = e1, out[2] = e2, out[3] = e3;
}

static void axes_slope(const bl_orientation *kind, const double *o, double *X) {
    double R[9];
    kind->axes_of(kind, o, R);
    slope_of(R, X);
}

static void axes_slope_along(const bl_orientation *kind, const double *o, const double *a, double *V) {
    double R[9];
    kind->axes_of(kind, o, R);
    turn_of(R, a, V);
}

static void quaternion_axes(const bl_orientation *kind, const double *o, double *R) {
    double by = 1 / (o[0] * o[0] + o[1] * o[1] + o[2] * o[2] + o[3] * o[3]);
    (void)kind;
    bl_orientation_axes(&bl_orientation_quaternion, o, R);
    for (int k = 0; k < 9; k++)
        R[k] *= by;
}

static void quaternion_rate(const double *o, double *T) {
    for (int k = 0; k < 3; k++) {
        double unit[4] = {0}, column[4];
        unit[k + 1] = 0.5;
        multiply(o, unit, column);
        for (int i = 0; i < 4; i++)
            T[i * 3 + k] = column[i];
    }
}

static void quaternion_retract(const double *o, const double *x, double *o_new) {
    double p[4];
    quaternion_of(x, p);
    multiply(o, p, o_new);
}

static void quaternion_local(const double *o, const double *o_new, double *x) {
    double back[4] = {o[0], -o[1], -o[2], -o[3]}, p[4];
    multiply(back, o_new, p);
    turn_by(p, x);
}

static void quaternion_normalize(double *o) {
    double size = sqrt(o[0] * o[0] + o[1] * o[1] + o[2] * o[2] + o[3] * o[3]);
    for (int k = 0; k < 4 && size > 0; k++)
        o[k] /= size;
}

/* ---- matrices: o = P R, the rotation nearest to it is R */

static void matrix_axes(const bl_orientation *kind, const double *o, double *R) {
    enum { MOST = 20 };
    (void)kind;
    memmove(R, o, 9 * sizeof *R);
    for (int count = 0; count < MOST; count++) { /* R <- (R + R^-T)/2 converges to the orthogonal factor */
        double N[9], off = 0;
        for (int k = 0; k < 3; k++) {
            const double *a = R + 3 * ((k + 1) % 3), *b = R + 3 * ((k + 2) % 3);
            for (int c = 0; c < 3; c++)
                N[3 * k + c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
        }
        double det = R[0] * N[0] + R[1] * N[1] + R[2] * N[2];
        for (int k = 0; k < 9; k++) {
            N[k] /= det;
            off = fmax(off, fabs(N[k] - R[k]));
        }
        if (!(off > 4 * DBL_EPSILON)) /* a further step would change only the last digits */
            return;
        for (int k = 0; k < 9; k++)
            R[k] = 0.5 * (R[k] + N[k]);
        if (off < 1e-8) /* the remaining error is its square */
            return;
    }
}

static void matrix_rate(const double *o, double *T) { slope_of(o, T); }

static void matrix_retract(const double *o, const double *x, double *o_new) {
    double p[4], C[9];
    quaternion_of(x, p);
    bl_orientation_axes(&bl_orientation_quaternion, p, C);
    double was[9];
    memcpy(was, o, sizeof was);
    bl_turn_times_matrix(was, C, o_new);
}

/* the quaternion of a rotation, from the largest of its four components */
static void quaternion_from(const double *R, double *p) {
    double trace = R[0] + R[4] + R[8], square[4] = {1 + trace, 1 + 2 * R[0] - trace, 1 + 2 * R[4] - trace, 1 + 2 * R[8] - trace};
    int most = 0;
    for (int k = 1; k < 4; k++)
        most = square[k] > square[most] ? k : most;
    double odd[3] = {R[5] - R[7], R[6] - R[2], R[1] - R[3]};
    for (int k = 0; k < 3; k++)
        p[k + 1] = most == 0 ? odd[k] : most == k + 1 ? square[most] : R[3 * (most - 1) + k] + R[3 * k + most - 1];
    p[0] = most == 0 ? square[0] : odd[most - 1];
}

static void matrix_local(const double *o, const double *o_new, double *x) {
    double A[9], B[9], C[9], p[4];
    matrix_axes(NULL, o, A);
    matrix_axes(NULL, o_new, B);
    for (int k = 0; k < 3; k++) /* A^T B */
        for (int c = 0; c < 3; c++)
            C[3 * k + c] = A[3 * c] * B[3 * k] + A[3 * c + 1] * B[3 * k + 1] + A[3 * c + 2] * B[3 * k + 2];
    quaternion_from(C, p);
    turn_by(p, x);
}

static void matrix_normalize(double *o) { matrix_axes(NULL, o, o); }

static const double unit_quaternion[] = {1, 0, 0, 0}, unit_matrix[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

const bl_orientation bl_orientation_quaternion_tangent = {.name = "quaternion",
                                                          .help = "unit quaternions with rotations as increments",
                                                          .names = names,
                                                          .n = 3,
                                                          .naxis = 9,
                                                          .nspin = 3,
                                                          .stored = 4,
                                                          .start = unit_quaternion,
                                                          .axes_of = quaternion_axes,
                                                          .axes_slope = axes_slope,
                                                          .axes_slope_along = axes_slope_along,
                                                          .spin_of = spin_of,
                                                          .spin_rate = spin_rate,
                                                          .spin_rate_along = spin_rate_along,
                                                          .rate = quaternion_rate,
                                                          .retract = quaternion_retract,
                                                          .local = quaternion_local,
                                                          .normalize = quaternion_normalize};

const bl_orientation bl_orientation_matrix_tangent = {.name = "matrix",
                                                      .help = "rotation matrices with rotations as increments",
                                                      .names = names,
                                                      .n = 3,
                                                      .naxis = 9,
                                                      .nspin = 3,
                                                      .stored = 9,
                                                      .start = unit_matrix,
                                                      .axes_of = matrix_axes,
                                                      .axes_slope = axes_slope,
                                                      .axes_slope_along = axes_slope_along,
                                                      .spin_of = spin_of,
                                                      .spin_rate = spin_rate,
                                                      .spin_rate_along = spin_rate_along,
                                                      .rate = matrix_rate,
                                                      .retract = matrix_retract,
                                                      .local = matrix_local,
                                                      .normalize = matrix_normalize};
