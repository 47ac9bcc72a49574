/* Orientations: tables of products, or function slots. */
#include "coords/orientation.h"

#include <math.h>
#include <string.h>

const bl_orientation *bl_orientation_named(const char *name) {
    static const bl_orientation *const list[] = {
#define BL_KIND(name) &bl_orientation_##name,
#include "coords/orientation_list.h"
#undef BL_KIND
    };
    for (size_t i = 0; name && i < sizeof list / sizeof *list; i++)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    return list[0];
}

void bl_orientation_axes(const bl_orientation *kind, const double *o, double *r) {
    if (!kind->axes) {
        kind->axes_of(kind, o, r);
        return;
    }
    memset(r, 0, (size_t)kind->naxis * sizeof *r);
    for (const bl_bilinear *t = kind->axes; t->coef != 0; t++)
        r[t->k] += t->coef * o[t->a] * (t->b < 0 ? 1 : o[t->b]);
}

void bl_orientation_slope(const bl_orientation *kind, const double *o, double *X) {
    if (!kind->axes) {
        kind->axes_slope(kind, o, X);
        return;
    }
    memset(X, 0, (size_t)(kind->naxis * kind->n) * sizeof *X);
    for (const bl_bilinear *t = kind->axes; t->coef != 0; t++) {
        X[t->k * kind->n + t->a] += t->coef * (t->b < 0 ? 1 : o[t->b]);
        if (t->b >= 0)
            X[t->k * kind->n + t->b] += t->coef * o[t->a];
    }
}

void bl_orientation_slope_along(const bl_orientation *kind, const double *o, const double *a, double *V) {
    if (!kind->axes) {
        kind->axes_slope_along(kind, o, a, V);
        return;
    }
    memset(V, 0, (size_t)(kind->naxis * kind->n) * sizeof *V);
    for (const bl_bilinear *t = kind->axes; t->coef != 0; t++)
        if (t->b >= 0) {
            V[t->k * kind->n + t->a] += t->coef * a[t->b];
            V[t->k * kind->n + t->b] += t->coef * a[t->a];
        }
}

void bl_orientation_curvature(const bl_orientation *kind, const double *o, const double *w, double *B) {
    int n = kind->n;
    for (const bl_bilinear *t = kind->axes; t && t->coef != 0; t++)
        if (t->b >= 0) {
            B[t->a * n + t->b] += t->coef * w[t->k];
            B[t->b * n + t->a] += t->coef * w[t->k];
        }
    for (int j = 0; !kind->axes && j < n; j++) {
        double unit[BL_MOST_PARAMETERS] = {0}, V[BL_MOST_AXES * BL_MOST_PARAMETERS];
        unit[j] = 1;
        kind->axes_slope_along(kind, o, unit, V);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < kind->naxis; k++)
                B[j * n + i] += w[k] * V[k * n + i];
    }
}

/* ---- spin: bilinear in o and o', or E(o) */

enum { MOST_SPIN = 3 * BL_MOST_PARAMETERS, MOST_SLOPE = BL_MOST_PARAMETERS * MOST_SPIN };

void bl_orientation_spin(const bl_orientation *kind, const double *o, double *E) {
    if (!kind->spin) {
        kind->spin_of(kind, o, E);
        return;
    }
    memset(E, 0, (size_t)(kind->nspin * kind->n) * sizeof *E);
    for (const bl_bilinear *t = kind->spin; t->coef != 0; t++)
        E[t->k * kind->n + t->b] += t->coef * (t->a < 0 ? 1 : o[t->a]);
}

/* S[k][j] = sum_i D[j][k][i] a_i */
static void along_rate(const bl_orientation *kind, const double *D, const double *a, double *S) {
    int n = kind->n, ns = kind->nspin;
    for (int k = 0; k < ns; k++)
        for (int j = 0; j < n; j++) {
            S[k * n + j] = 0;
            for (int i = 0; i < n; i++)
                S[k * n + j] += D[(j * ns + k) * n + i] * a[i];
        }
}

void bl_orientation_spin_slope(const bl_orientation *kind, const double *o, const double *a, double *S) {
    if (!kind->spin) {
        double D[MOST_SLOPE];
        kind->spin_rate(kind, o, D);
        along_rate(kind, D, a, S);
        return;
    }
    memset(S, 0, (size_t)(kind->nspin * kind->n) * sizeof *S);
    for (const bl_bilinear *t = kind->spin; t->coef != 0; t++)
        if (t->a >= 0)
            S[t->k * kind->n + t->a] += t->coef * a[t->b];
}

void bl_orientation_spin_curvature(const bl_orientation *kind, const double *o, const double *w, double *B) {
    int n = kind->n, ns = kind->nspin;
    for (const bl_bilinear *t = kind->spin; t && t->coef != 0; t++)
        if (t->a >= 0)
            B[t->b * n + t->a] += t->coef * w[t->k];
    if (kind->spin)
        return;
    double D[MOST_SLOPE];
    kind->spin_rate(kind, o, D);
    for (int j = 0; j < n; j++)
        for (int k = 0; k < ns; k++)
            for (int i = 0; i < n; i++)
                B[i * n + j] += D[(j * ns + k) * n + i] * w[k];
}

void bl_orientation_spin_bias(const bl_orientation *kind, const double *o, const double *v, double *s, double *s_o, double *s_v) {
    int n = kind->n, ns = kind->nspin;
    size_t size = (size_t)(n * ns);
    memset(s, 0, (size_t)ns * sizeof *s);
    if (kind->spin) { /* o' o' with an antisymmetric table */
        if (s_o)
            memset(s_o, 0, size * sizeof *s_o);
        if (s_v)
            memset(s_v, 0, size * sizeof *s_v);
        return;
    }
    double D[MOST_SLOPE], S[MOST_SPIN];
    kind->spin_rate(kind, o, D);
    along_rate(kind, D, v, S);
    for (int k = 0; k < ns; k++)
        for (int j = 0; j < n; j++)
            s[k] += S[k * n + j] * v[j];
    if (s_v) { /* s = sum_ij E_ki,j v_i v_j */
        memcpy(s_v, S, size * sizeof *S);
        for (int j = 0; j < n; j++)
            for (size_t i = 0; i < size; i++)
                s_v[i] += D[(size_t)j * size + i] * v[j];
    }
    if (s_o) {
        kind->spin_rate_along(kind, o, v, D);
        along_rate(kind, D, v, s_o);
    }
}

/* ---- kept rotations */

void bl_orientation_rotate(const double *C, int columns, double *r) {
    for (int j = 0; j < columns; j++, r += 3) {
        double x = r[0], y = r[1], z = r[2];
        for (int c = 0; c < 3; c++)
            r[c] = C[c] * x + C[3 + c] * y + C[6 + c] * z;
    }
}

void bl_orientation_orthonormalize(double *C) {
    for (int j = 0; j < 2; j++) {
        double *a = C + 3 * j, size = 0, along = 0;
        for (int c = 0; c < 3; c++)
            along += j ? C[c] * a[c] : 0;
        for (int c = 0; c < 3; c++)
            a[c] -= along * C[c], size += a[c] * a[c];
        for (int c = 0; c < 3; c++)
            a[c] /= sqrt(size);
    }
    for (int c = 0; c < 3; c++) {
        int a = (c + 1) % 3, b = (c + 2) % 3;
        C[6 + c] = C[a] * C[3 + b] - C[b] * C[3 + a];
    }
}

/* ---- rows */

void bl_orientation_rows(const bl_orientation *kind, const double *o, double *h) {
    for (int k = 0; k < kind->nrow; k++)
        h[k] = -kind->row_value[k];
    for (const bl_bilinear *t = kind->rows; t && t->coef != 0; t++)
        h[t->k] += t->coef * o[t->a] * o[t->b];
}

void bl_orientation_row_slope(const bl_orientation *kind, const double *o, double *H) {
    memset(H, 0, (size_t)(kind->nrow * kind->n) * sizeof *H);
    for (const bl_bilinear *t = kind->rows; t && t->coef != 0; t++) {
        H[t->k * kind->n + t->a] += t->coef * o[t->b];
        H[t->k * kind->n + t->b] += t->coef * o[t->a];
    }
}

void bl_orientation_row_curvature(const bl_orientation *kind, const double *lambda, double *B) {
    for (const bl_bilinear *t = kind->rows; t && t->coef != 0; t++) {
        B[t->a * kind->n + t->b] += t->coef * lambda[t->k];
        B[t->b * kind->n + t->a] += t->coef * lambda[t->k];
    }
}
