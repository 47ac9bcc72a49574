/* Plane stress for laws in three dimensions: strain 33 (or F33) such that stress 33 = 0, and the tangent condensed accordingly (M6), (M7).
 * One equation that grows with its unknown: Newton's method inside a bracket. It starts from the history, so that the result depends on
 * history and strain alone. */
#include "material/increment.h"

#include <float.h>
#include <math.h>

enum { ITERATIONS = 60 };

/* ---- the root of stress(x), growing with x */

typedef struct root {
    double x, low, high;      /* high and low: stress has been positive and negative there */
    double x_old, stress_old; /* of the iteration before */
    int count;
} root;

static root root_from(double x) { return (root){.x = x, .low = -INFINITY, .high = INFINITY}; }

/* Moves on; false: x can get no better, the bracket is down to neighbors. */
static bool root_next(root *r, double stress, double slope) {
    const double longest = 1; /* of a step: strains of 1 are far */
    if (stress > 0)
        r->high = r->x;
    else
        r->low = r->x;
    /* laws may be told to give another tangent than their own: then the secant is better */
    double secant = (stress - r->stress_old) / (r->x - r->x_old);
    if (r->count > 0 && fabs(stress) > 0.1 * fabs(r->stress_old) && secant > 0)
        slope = secant;
    double step = slope > 0 ? -stress / slope : -copysign(longest, stress), next = r->x + fmax(-longest, fmin(longest, step));
    if (!(next > r->low && next < r->high) && isfinite(r->low) && isfinite(r->high))
        next = 0.5 * (r->low + r->high);
    r->x_old = r->x;
    r->stress_old = stress;
    r->x = next;
    r->count++;
    return next > r->low && next < r->high;
}

/* c_ij - c_i3 c_3j / c_33 */
static void condense(double c[36]) {
    double column[6], row[6];
    for (int i = 0; i < 6; i++) {
        column[i] = c[6 * i + BL_33] / c[7 * BL_33];
        row[i] = c[6 * BL_33 + i];
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            c[6 * i + j] -= column[i] * row[j];
    flatten6(NULL, c);
}

/* ---- laws of a strain or of F */

/* where to begin: at the history's strain 33, else at that of linear elasticity */
static double start(const bl_material *m, const bl_material_point *p, bool of_F) {
    double ratio = -m->number[BL_LAMBDA] / (m->number[BL_LAMBDA] + 2 * m->number[BL_MU]);
    if (m->kind->nhistory > 0)
        return p->history ? p->history[m->kind->nhistory - 2] : 0;
    return ratio * (of_F ? log(p->F[0] * p->F[4] - p->F[1] * p->F[3]) : p->strain[BL_11] + p->strain[BL_22]);
}

bl_status bl_material_plane_stress(const bl_material *m, bl_material_point *p) {
    bool of_F = m->kind->kind.needs & BL_OF_LEFT; /* then the unknown is ln F33 */
    double stress[6], tangent[36], size = 0;
    bl_material_point q = *p;
    q.stress = stress;
    q.tangent = tangent;
    q.strain[BL_23] = q.strain[BL_13] = 0;
    for (int k = 0; k < 5; k++)
        if (!of_F)
            size = fmax(size, k == BL_33 ? 0 : fabs(q.strain[k]));
        else if (k != 2)
            size = fmax(size, fabs(q.F[k] - (k == 0 || k == 4)));
    if (of_F && !(p->F[0] * p->F[4] - p->F[1] * p->F[3] > 0))
        return BL_NOT_FINITE;
    root r = root_from(start(m, p, of_F));
    if (!isfinite(r.x))
        return BL_NOT_FINITE;
    for (; r.count < ITERATIONS;) {
        if (of_F)
            q.F[8] = exp(r.x);
        else
            q.strain[BL_33] = r.x;
        BL_TRY(m->kind->point(m, &q));
        double s = stress[BL_33], slope = tangent[7 * BL_33] + (of_F ? 2 * s : 0);
        if (!isfinite(s))
            return BL_NOT_FINITE;
        double tolerance = fmax(1e-14 * fmax(size, fabs(r.x)), of_F ? 4 * DBL_EPSILON : 0) * tangent[7 * BL_33];
        if (fabs(s) <= tolerance || !root_next(&r, s, slope))
            break;
    }
    if (r.count >= ITERATIONS)
        return BL_NO_CONVERGENCE;
    flatten6(stress, NULL);
    p->strain[BL_33] = q.strain[BL_33];
    p->strain[BL_23] = p->strain[BL_13] = 0;
    p->F[8] = q.F[8];
    if (p->stress)
        memcpy(p->stress, stress, sizeof stress);
    if (p->tangent) {
        condense(tangent);
        memcpy(p->tangent, tangent, sizeof tangent);
    }
    return BL_OK;
}

/* ---- corotational measures: the unknown is ln F33, since the stress is J sigma */

/* also the columns by the spin, of which that about the third axis is left */
static void condense_both(double c[36], double *spin) {
    for (int i = 0; i < 6 && spin; i++) {
        bool out = i == BL_33 || i > BL_12;
        spin[3 * i] = spin[3 * i + 1] = 0;
        if (i != BL_33)
            spin[3 * i + 2] = out ? 0 : spin[3 * i + 2] - c[6 * i + BL_33] / c[7 * BL_33] * spin[3 * BL_33 + 2];
    }
    if (spin)
        spin[3 * BL_33 + 2] = 0;
    condense(c);
}

bl_status bl_increment_at(bl_increment_measure *measure, const bl_material *m, double F[9], const double thermal[6],
                          const double *history, double *trial, double tau[6], double *c, double *spin, double *energy,
                          double *dissipated) {
    if (m->plane != BL_PLANE_STRESS)
        return measure(m, F, thermal, history, trial, tau, c, spin, energy, dissipated);
    double f[9] = {F[0], F[1], 0, F[3], F[4]}, tangent[36];
    double size = fmax(fmax(fabs(F[0] - 1), fabs(F[4] - 1)), fmax(fabs(F[1]), fabs(F[3])));
    root r = root_from(history ? log1p(history[BL_INCREMENT_F + 8]) : 0);
    while (r.count < ITERATIONS) {
        f[8] = exp(r.x);
        BL_TRY(measure(m, f, thermal, history, trial, tau, tangent, spin, energy, dissipated));
        double s = tau[BL_33], tolerance = fmax(1e-14 * fmax(size, fabs(r.x)), 4 * DBL_EPSILON) * tangent[7 * BL_33];
        if (!isfinite(s))
            return BL_NOT_FINITE;
        if (fabs(s) <= tolerance || !root_next(&r, s, tangent[7 * BL_33] + 2 * s))
            break;
    }
    if (r.count >= ITERATIONS)
        return BL_NO_CONVERGENCE;
    F[8] = f[8];
    condense_both(tangent, spin);
    flatten6(tau, NULL);
    if (c)
        memcpy(c, tangent, sizeof tangent);
    return BL_OK;
}
