/* Quadratic parts of the strains of a floating frame's shapes: the stored energy is that of q = eta + K^-1 r, r_j = eta^T B_j eta / 2, as
 * if K applied to it,
 *
 *     U = q^T K q / 2 = eta^T K eta / 2 + eta^T r + r^T K^-1 r / 2,
 *
 * the second term exactly the cubic part of the energy of the mesh, the third its quartic part as far as the shapes resolve its
 * stresses (docs/theory/floating_frame.md, section 4). */
#include "dense/dense.h"
#include "elastic/floating.h"

#include <string.h>

typedef struct stretch { /* in scratch memory */
    double *R, *FR;      /* [n][room] R_jm = sum B_jmp eta_p, K^-1 R */
    double *r, *q, *row; /* [room] */
} stretch;

static size_t columns(const bl_floating *f) { return ((size_t)f->n + BL_DENSE_COLUMNS - 1) / BL_DENSE_COLUMNS * BL_DENSE_COLUMNS; }

size_t bl_floating_stretch_work(const bl_floating *f) {
    return f->stiffening ? 2 * columns(f) * f->room + 3 * (f->room + BL_DENSE_COLUMNS) : 0;
}

static double dot(bl_index n, const double *a, const double *b) {
    double sum = 0;
    for (bl_index i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static stretch stretched(const bl_floating *f, const double *eta, double *work) {
    size_t n = (size_t)f->n, most = columns(f) * f->room;
    stretch s = {.R = work, .FR = work + most, .r = work + 2 * most};
    s.q = s.r + f->room + BL_DENSE_COLUMNS;
    s.row = s.q + f->room + BL_DENSE_COLUMNS;
    memset(s.R, 0, most * sizeof *s.R);
    bl_dense_multiply(f->ctx, n, n * f->room, f->stiffening, eta, s.R);
    bl_dense_multiply_transposed(f->ctx, n, f->room, s.R, eta, s.r);
    for (size_t j = 0; j < n; j++)
        s.r[j] *= 0.5;
    bl_dense_multiply(f->ctx, n, f->room, f->flexibility, s.r, s.q);
    for (size_t j = 0; j < n; j++)
        s.q[j] += eta[j];
    return s;
}

/* r + R^T q */
void bl_floating_stretch_force(const bl_floating *f, const double *eta, double *out, double *work) {
    stretch s = stretched(f, eta, work);
    bl_dense_multiply(f->ctx, (size_t)f->n, f->room, s.R, s.q, s.row);
    for (bl_index j = 0; j < f->n; j++)
        out[j] += s.r[j] + s.row[j];
}

/* R + R^T + R^T K^-1 R + sum q_j B_j */
void bl_floating_stretch_stiffness(const bl_floating *f, const double *eta, double *K, double *work) {
    bl_index first = f->local - f->n;
    size_t n = (size_t)f->n;
    stretch s = stretched(f, eta, work);
    for (size_t j = 0; j < n; j++)
        bl_dense_multiply(f->ctx, n, f->room, s.R, f->def->flexibility + j * n, s.FR + j * f->room);
    for (size_t m = 0; m < n; m++) {
        double *to = K + (size_t)(first + (bl_index)m) * (size_t)f->local + first, *column = s.r;
        bl_dense_multiply(f->ctx, n, f->room, f->stiffening + m * n * f->room, s.q, s.row);
        for (size_t j = 0; j < n; j++) {
            column[j] = s.R[j * f->room + m];
            to[j] += s.row[j] + column[j] + s.R[m * f->room + j];
        }
        bl_dense_multiply(f->ctx, n, f->room, s.FR, column, s.row);
        for (size_t p = 0; p < n; p++)
            to[p] += s.row[p];
    }
}

double bl_floating_stretch_energy(const bl_floating *f, const double *eta, double *work) {
    stretch s = stretched(f, eta, work);
    return 0.5 * (dot(f->n, s.q, s.r) + dot(f->n, eta, s.r));
}
