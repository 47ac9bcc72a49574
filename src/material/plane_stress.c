/* Plane stress for laws in three dimensions: strain 33 (or F33) such that stress 33 = 0, and the tangent condensed accordingly (M6),
 * (M7). Bars likewise: strain 22 equals 33, since the laws are isotropic (M46). The stress increases with the unknown: Newton's method
 * within a bracket. It starts from the history, so that the result depends only on history and strain. */
#include "material/increment.h"
#include "material/material_limits.h"

#include <float.h>
#include <math.h>

/* ---- the root of stress(x), which increases with x */

typedef struct root {
    double x, low, high;      /* bracket: stress is negative at low and positive at high */
    double x_old, stress_old; /* of the previous iteration */
    int count;
} root;

static root root_from(double x) { return (root){.x = x, .low = -INFINITY, .high = INFINITY}; }

/* Next iterate; false: the bracket contains no other number, x cannot be improved. */
static bool root_next(root *r, double stress, double slope) {
    if (stress > 0)
        r->high = r->x;
    else
        r->low = r->x;
    /* the user may choose a tangent that is not the derivative: then the secant is better */
    double secant = (stress - r->stress_old) / (r->x - r->x_old);
    if (r->count > 0 && fabs(stress) > material_plane_secant * fabs(r->stress_old) && secant > 0)
        slope = secant;
    double step = slope > 0 ? -stress / slope : -copysign(material_plane_step, stress),
           next = r->x + fmax(-material_plane_step, fmin(material_plane_step, step));
    if (!(next > r->low && next < r->high) && isfinite(r->low) && isfinite(r->high))
        next = 0.5 * (r->low + r->high);
    r->x_old = r->x;
    r->stress_old = stress;
    r->x = next;
    r->count++;
    return next > r->low && next < r->high;
}

/* Error of strain 33 at which the iteration ends: close to rounding errors of the strains, or of F = 1 + strain. */
static double negligible(double size, double x, bool of_F) {
    return fmax(material_plane_negligible * fmax(size, fabs(x)), of_F ? 4 * DBL_EPSILON : 0);
}

static bool is_bar(const bl_material *m) { return m->plane == BL_PLANE_BAR; }

/* derivative of stress i by the unknown: by strain 33, in bars by 22 and 33 together */
static double by_unknown(const bl_material *m, const double c[36], int i) { return c[6 * i + BL_33] + (is_bar(m) ? c[6 * i + BL_22] : 0); }

/* sets the vanishing components of a stress and a tangent to zero; either may be NULL */
static void clear_lateral(const bl_material *m, double *s, double *c) {
    if (is_bar(m))
        axial6(s, c);
    else
        flatten6(s, c);
}

/* c_ij - c_ix c_3j / c_3x, x the unknown */
static void condense(const bl_material *m, double c[36]) {
    double column[6], row[6], slope = by_unknown(m, c, BL_33);
    for (int i = 0; i < 6; i++) {
        column[i] = by_unknown(m, c, i) / slope;
        row[i] = c[6 * BL_33 + i];
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            c[6 * i + j] -= column[i] * row[j];
    clear_lateral(m, NULL, c);
}

/* ---- laws of a strain or of F */

/* initial value: strain 33 of the history, or that of linear elasticity */
static double start(const bl_material *m, const bl_material_point *p, bool of_F) {
    double lambda = m->number[BL_LAMBDA], ratio = -lambda / (lambda + 2 * m->number[BL_MU]);
    if (m->kind->nhistory > 0)
        return p->history ? p->history[m->kind->nhistory - 2] : 0;
    if (is_bar(m))
        return -0.5 * lambda / (lambda + m->number[BL_MU]) * (of_F ? log(p->F[0]) : p->strain[BL_11]);
    return ratio * (of_F ? log(p->F[0] * p->F[4] - p->F[1] * p->F[3]) : p->strain[BL_11] + p->strain[BL_22]);
}

static double size_in_plane(const bl_material_point *p, bool of_F) {
    if (of_F)
        return fmax(fmax(fabs(p->F[0] - 1), fabs(p->F[4] - 1)), fmax(fabs(p->F[1]), fabs(p->F[3])));
    return fmax(fmax(fabs(p->strain[BL_11]), fabs(p->strain[BL_22])), fabs(p->strain[BL_12]));
}

bl_status bl_material_plane_stress(const bl_material *m, bl_material_point *p) {
    bool of_F = m->kind->kind.needs & BL_OF_LEFT; /* true: the unknown is ln F33 */
    double stress[6], tangent[36], size = size_in_plane(p, of_F);
    bl_material_point q = *p;
    q.stress = stress;
    q.tangent = tangent;
    q.strain[BL_23] = q.strain[BL_13] = q.F[2] = q.F[5] = q.F[6] = q.F[7] = 0;
    if (is_bar(m))
        q.strain[BL_12] = q.F[1] = q.F[3] = 0;
    if (of_F && !((is_bar(m) ? p->F[0] : p->F[0] * p->F[4] - p->F[1] * p->F[3]) > 0))
        return BL_NOT_FINITE;
    root r = root_from(start(m, p, of_F));
    while (r.count < material_plane_iterations) {
        if (of_F)
            q.F[8] = exp(r.x);
        else
            q.strain[BL_33] = r.x;
        if (is_bar(m)) {
            q.F[4] = q.F[8];
            q.strain[BL_22] = q.strain[BL_33];
        }
        BL_TRY(m->kind->point(m, &q));
        double s = stress[BL_33], slope = by_unknown(m, tangent, BL_33);
        if (!isfinite(s))
            return BL_NOT_FINITE;
        if (fabs(s) <= negligible(size, r.x, of_F) * slope || !root_next(&r, s, slope + (of_F ? 2 * s : 0)))
            break;
    }
    if (r.count >= material_plane_iterations)
        return BL_NO_CONVERGENCE;
    clear_lateral(m, stress, NULL);
    memcpy(p->strain, q.strain, sizeof p->strain);
    memcpy(p->F, q.F, sizeof p->F);
    if (p->stress)
        memcpy(p->stress, stress, sizeof stress);
    if (p->tangent) {
        condense(m, tangent);
        memcpy(p->tangent, tangent, sizeof tangent);
    }
    return BL_OK;
}

/* ---- corotational measures: the unknown is ln F33, since the stress is J sigma */

/* condenses the columns of the spin, before c; only that about the third axis remains */
static void condense_spin(const double c[36], double spin[18]) {
    double third = spin[3 * BL_33 + 2] / c[7 * BL_33], condensed[6];
    for (int i = 0; i < 6; i++)
        condensed[i] = spin[3 * i + 2] - c[6 * i + BL_33] * third;
    memset(spin, 0, 18 * sizeof *spin);
    spin[3 * BL_11 + 2] = condensed[BL_11];
    spin[3 * BL_22 + 2] = condensed[BL_22];
    spin[3 * BL_12 + 2] = condensed[BL_12];
}

bl_status bl_increment_at(bl_increment_measure *measure, const bl_material *m, double F[9], const double thermal[6], const double *history,
                          double *trial, double tau[6], double *c, double *spin, double *energy, double *dissipated) {
    bool bar = is_bar(m);
    if (m->plane != BL_PLANE_STRESS && !bar)
        return measure(m, F, thermal, history, trial, tau, c, spin, energy, dissipated);
    double f[9] = {F[0], bar ? 0 : F[1], 0, bar ? 0 : F[3], F[4]}, tangent[36];
    double size = bar ? fabs(F[0] - 1) : fmax(fmax(fabs(F[0] - 1), fabs(F[4] - 1)), fmax(fabs(F[1]), fabs(F[3])));
    root r = root_from(history ? log1p(history[BL_INCREMENT_F + 8]) : 0);
    while (r.count < material_plane_iterations) {
        f[8] = exp(r.x);
        if (bar)
            f[4] = f[8];
        BL_TRY(measure(m, f, thermal, history, trial, tau, tangent, spin, energy, dissipated));
        double s = tau[BL_33], slope = by_unknown(m, tangent, BL_33);
        if (!isfinite(s))
            return BL_NOT_FINITE;
        if (fabs(s) <= negligible(size, r.x, true) * slope || !root_next(&r, s, slope + 2 * s))
            break;
    }
    if (r.count >= material_plane_iterations)
        return BL_NO_CONVERGENCE;
    F[8] = f[8];
    if (bar)
        F[4] = f[4];
    clear_lateral(m, tau, NULL);
    if (spin && bar)
        memset(spin, 0, 18 * sizeof *spin); /* the stress rotates with the bar */
    else if (spin)
        condense_spin(tangent, spin);
    if (c) {
        condense(m, tangent);
        memcpy(c, tangent, sizeof tangent);
    }
    return BL_OK;
}
