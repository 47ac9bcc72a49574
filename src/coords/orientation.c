/* Orientations whose axes, spin and rows are tables of products. */
#include "coords/orientation.h"

#include <string.h>

void bl_orientation_axes(const bl_orientation *kind, const double *o, double *r) {
    if (!kind->axes) {
        kind->axes_of(o, r);
        return;
    }
    memset(r, 0, (size_t)kind->naxis * sizeof *r);
    for (const bl_bilinear *t = kind->axes; t->coef != 0; t++)
        r[t->k] += t->coef * o[t->a] * (t->b < 0 ? 1 : o[t->b]);
}

void bl_orientation_slope(const bl_orientation *kind, const double *o, double *X) {
    if (!kind->axes) {
        kind->axes_slope(o, X);
        return;
    }
    memset(X, 0, (size_t)(kind->naxis * kind->n) * sizeof *X);
    for (const bl_bilinear *t = kind->axes; t->coef != 0; t++) {
        X[t->k * kind->n + t->a] += t->coef * (t->b < 0 ? 1 : o[t->b]);
        if (t->b >= 0)
            X[t->k * kind->n + t->b] += t->coef * o[t->a];
    }
}

void bl_orientation_turn(const bl_orientation *kind, const double *o, const double *a, double *V) {
    if (!kind->axes) {
        kind->axes_turn(o, a, V);
        return;
    }
    memset(V, 0, (size_t)(kind->naxis * kind->n) * sizeof *V);
    for (const bl_bilinear *t = kind->axes; t->coef != 0; t++)
        if (t->b >= 0) {
            V[t->k * kind->n + t->a] += t->coef * a[t->b];
            V[t->k * kind->n + t->b] += t->coef * a[t->a];
        }
}

void bl_orientation_bend(const bl_orientation *kind, const double *o, const double *w, double *B) {
    int n = kind->n;
    for (const bl_bilinear *t = kind->axes; t && t->coef != 0; t++)
        if (t->b >= 0) {
            B[t->a * n + t->b] += t->coef * w[t->k];
            B[t->b * n + t->a] += t->coef * w[t->k];
        }
    for (int j = 0; !kind->axes && j < n; j++) {
        double unit[BL_MOST_PARAMETERS] = {0}, V[BL_MOST_AXES * BL_MOST_PARAMETERS];
        unit[j] = 1;
        kind->axes_turn(o, unit, V);
        for (int i = 0; i < n; i++)
            for (int k = 0; k < kind->naxis; k++)
                B[i * n + j] += w[k] * V[k * n + i];
    }
}

void bl_orientation_spin(const bl_orientation *kind, const double *o, double *E) {
    memset(E, 0, (size_t)(kind->nspin * kind->n) * sizeof *E);
    for (const bl_bilinear *t = kind->spin; t->coef != 0; t++)
        E[t->k * kind->n + t->b] += t->coef * (t->a < 0 ? 1 : o[t->a]);
}

void bl_orientation_spin_slope(const bl_orientation *kind, const double *a, double *S) {
    memset(S, 0, (size_t)(kind->nspin * kind->n) * sizeof *S);
    for (const bl_bilinear *t = kind->spin; t->coef != 0; t++)
        if (t->a >= 0)
            S[t->k * kind->n + t->a] += t->coef * a[t->b];
}

void bl_orientation_spin_bend(const bl_orientation *kind, const double *w, double *B) {
    for (const bl_bilinear *t = kind->spin; t->coef != 0; t++)
        if (t->a >= 0)
            B[t->b * kind->n + t->a] += t->coef * w[t->k];
}

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

void bl_orientation_row_bend(const bl_orientation *kind, const double *lambda, double *B) {
    for (const bl_bilinear *t = kind->rows; t && t->coef != 0; t++) {
        B[t->a * kind->n + t->b] += t->coef * lambda[t->k];
        B[t->b * kind->n + t->a] += t->coef * lambda[t->k];
    }
}
