/* One contact with friction. With P_n eliminated from u_n = 0,
 *
 *     P_n = -(b_n + D_nt p) / D_nn,   u_t = S p + c,   S = D_tt - D_tn D_nt / D_nn,   c = b_t - D_tn b_n / D_nn
 *
 * sticking is S p = -c; sliding is u_t = -alpha p with alpha > 0, so (S + alpha) p = -c, and |p| = mu P_n: one equation for alpha, in the
 * axes of S a sum of two fractions (Bonnefon and Daviet 2011 have it as a quartic). At alpha = infinity p is 0 and P_n > 0: it has a
 * root. */
#include "complement/cone.h"

#include <math.h>

/* the reduced contact in the axes of S */
typedef struct reduced {
    double axis[2], eigen[2], c[2], g[2]; /* axis: of the first eigenvalue; g = D_nt / D_nn */
    double free_n, mu;                    /* -b_n / D_nn */
} reduced;

static reduced reduce(const double D[9], const double b[3], double mu) {
    double by = 1 / D[0], g0 = D[1] * by, g1 = D[2] * by;
    double s00 = D[4] - D[1] * g0, s01 = D[5] - D[1] * g1, s11 = D[8] - D[2] * g1;
    double half = 0.5 * (s00 - s11), radius = sqrt(half * half + s01 * s01), mean = 0.5 * (s00 + s11);
    double x = radius + fabs(half), y = half < 0 ? -s01 : s01, length = sqrt(x * x + y * y);
    reduced r = {.free_n = -b[0] * by, .mu = mu, .axis = {1, 0}};
    if (length > 0)
        r.axis[0] = x / length, r.axis[1] = y / length;
    double along = half < 0 ? mean - radius : mean + radius, other = half < 0 ? mean + radius : mean - radius;
    double c0 = b[1] + D[1] * r.free_n, c1 = b[2] + D[2] * r.free_n;
    r.eigen[0] = fmax(along, 0), r.eigen[1] = fmax(other, 0);
    r.c[0] = r.axis[0] * c0 + r.axis[1] * c1, r.c[1] = r.axis[0] * c1 - r.axis[1] * c0;
    r.g[0] = r.axis[0] * g0 + r.axis[1] * g1, r.g[1] = r.axis[0] * g1 - r.axis[1] * g0;
    return r;
}

/* |p| - mu P_n, and p in the axes; infinite where S has no inverse */
static double excess(const reduced *r, double alpha, double p[2], double *normal) {
    for (int k = 0; k < 2; k++)
        p[k] = r->c[k] == 0 ? 0 : -r->c[k] / (r->eigen[k] + alpha);
    *normal = r->free_n - r->g[0] * p[0] - r->g[1] * p[1];
    return sqrt(p[0] * p[0] + p[1] * p[1]) - r->mu * *normal;
}

/* a root of the excess above 0, where it is positive: bracketed, then regula falsi (Illinois) */
static void slide(const reduced *r, double p[2], double *normal) {
    double low = 0, high = fmax(fmax(r->eigen[0], r->eigen[1]), 1e-300), at_low = excess(r, 0, p, normal), at_high;
    while ((at_high = excess(r, high, p, normal)) > 0 && high < 1e300) {
        low = high;
        at_low = at_high;
        high *= 8;
    }
    int side = 0;
    for (int k = 0; k < 100 && high - low > 2e-16 * high; k++) {
        double at = isfinite(at_low) && at_low > at_high ? (low * at_high - high * at_low) / (at_high - at_low) : 0.5 * (low + high);
        if (!(at > low && at < high))
            at = 0.5 * (low + high);
        double value = excess(r, at, p, normal);
        if (value == 0)
            return;
        if (value > 0) {
            low = at;
            at_low = value;
            at_high *= side == 1 ? 0.5 : 1;
            side = 1;
        } else {
            high = at;
            at_high = value;
            at_low *= side == -1 ? 0.5 : 1;
            side = -1;
        }
    }
    excess(r, high, p, normal); /* inside the cone */
}

void bl_cone_local(const double D[9], const double b[3], double mu, double P[3]) {
    P[0] = P[1] = P[2] = 0;
    if (b[0] >= 0 || !(D[0] > 0))
        return;
    reduced r = reduce(D, b, mu);
    double p[2], normal;
    if (mu <= 0) {
        P[0] = r.free_n;
        return;
    }
    if (!(excess(&r, 0, p, &normal) <= 0 && normal >= 0))
        slide(&r, p, &normal);
    P[0] = normal;
    P[1] = r.axis[0] * p[0] - r.axis[1] * p[1];
    P[2] = r.axis[1] * p[0] + r.axis[0] * p[1];
    bl_cone_project(mu, P); /* the last digit */
}

void bl_cone_project(double mu, double P[3]) {
    double tangential = sqrt(P[1] * P[1] + P[2] * P[2]);
    if (P[0] >= 0 && tangential <= mu * P[0])
        return;
    double normal = (P[0] + mu * tangential) / (1 + mu * mu);
    if (normal <= 0) {
        P[0] = P[1] = P[2] = 0;
        return;
    }
    double share = mu * normal / tangential;
    P[0] = normal;
    P[1] *= share;
    P[2] *= share;
}
