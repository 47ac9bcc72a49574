/* Distance to a curve c(s) from the nearest point, (c - p) . c' = 0. With the outward unit normal n, the unit tangent t and the curvature k
 * there (positive: convex), d = (p - c) . n,
 *
 *     grad d = n,     Hessian of d = k / (1 + k d) t t^T.
 *
 * Support function h(n) = max c . n, homogeneous: c' . n = 0 at the point of contact,
 *
 *     grad h = c,     Hessian of h = 1 / (k |n|) t t^T. */
#include "joint/curve.h"
#include "joint/joint_limits.h"

#include <math.h>

enum { MOST_ITERATIONS = 50, MOST_CUTS = 8, SCANNED = 256 /* points of a cam */ };
static const double turn = 6.28318530717958647692;

void bl_curve_range(const bl_curve *curve, double *from, double *to) {
    *from = curve->height ? curve->from : 0;
    *to = curve->height ? curve->to : turn;
    if (!curve->radius && !curve->height)
        bl_profile_range(curve->x, from, to);
}

void bl_curve_at(const bl_curve *curve, double s, double c[3][2]) {
    double r[3], x[3], y[3];
    if (curve->height) {
        double sign = curve->below ? 1 : -1;
        bl_profile_at(curve->height, sign * s, y);
        c[0][0] = sign * s, c[1][0] = sign, c[2][0] = 0;
        c[0][1] = y[0], c[1][1] = sign * y[1], c[2][1] = y[2];
        return;
    }
    if (!curve->radius) {
        bl_profile_at(curve->x, s, x);
        bl_profile_at(curve->y, s, y);
        for (int k = 0; k < 3; k++) {
            c[k][0] = x[k];
            c[k][1] = y[k];
        }
        return;
    }
    bl_profile_at(curve->radius, s, r);
    r[0] += curve->base;
    double cosine = cos(s), sine = sin(s);
    double along[3] = {r[0], r[1], r[2] - r[0]}, across[3] = {0, r[0], 2 * r[1]};
    for (int k = 0; k < 3; k++) {
        c[k][0] = along[k] * cosine - across[k] * sine;
        c[k][1] = along[k] * sine + across[k] * cosine;
    }
}

static double bend_of(double c[3][2]) {
    double speed = hypot(c[1][0], c[1][1]);
    return (c[1][0] * c[2][1] - c[1][1] * c[2][0]) / (speed * speed * speed);
}

double bl_curve_bend(const bl_curve *curve, double s) {
    double c[3][2];
    bl_curve_at(curve, s, c);
    return bend_of(c);
}

/* ---- the point of the curve that is nearest to p, or farthest along a direction: minimum of e(s) by Newton's method */

typedef struct search {
    const bl_curve *curve;
    const double *at;
    bool support; /* e = -c . at; otherwise |c - at|^2 / 2 */
} search;

/* e, its derivative and second derivative; positive: a lower bound of the latter for steps where it is not positive */
static double measure(const search *w, double s, double c[3][2], double *first, double *second, double *positive) {
    bl_curve_at(w->curve, s, c);
    double d[2] = {c[0][0] - w->at[0], c[0][1] - w->at[1]}, speed2 = c[1][0] * c[1][0] + c[1][1] * c[1][1];
    if (w->support) {
        *first = -(c[1][0] * w->at[0] + c[1][1] * w->at[1]);
        *second = -(c[2][0] * w->at[0] + c[2][1] * w->at[1]);
        *positive = hypot(w->at[0], w->at[1]) * sqrt(speed2);
        return -(c[0][0] * w->at[0] + c[0][1] * w->at[1]);
    }
    *first = d[0] * c[1][0] + d[1] * c[1][1];
    *second = speed2 + d[0] * c[2][0] + d[1] * c[2][1];
    *positive = speed2;
    return (d[0] * d[0] + d[1] * d[1]) / 2;
}

/* the best of equally spaced parameters, and of the knots */
static double scan(const search *w) {
    double from, to, best = INFINITY, found = 0, c[3][2], first, second, positive;
    bl_curve_range(w->curve, &from, &to);
    bl_index n = w->curve->radius ? SCANNED : w->curve->x->npiece * 4;
    for (bl_index i = 0; i <= n; i++) {
        double s = from + (to - from) * (double)i / (double)n, e = measure(w, s, c, &first, &second, &positive);
        if (e < best) {
            best = e;
            found = s;
        }
    }
    return found;
}

/* false: no minimum was reached */
static bool descend(const search *w, double *s, double c[3][2]) {
    double first, second, positive, from, to;
    bl_curve_range(w->curve, &from, &to);
    double widest = (to - from) / 16, e = measure(w, *s, c, &first, &second, &positive);
    for (int i = 0; i < MOST_ITERATIONS; i++) {
        double step = -first / (second > 0 ? second : positive), was = e, start = *s;
        step = step > widest ? widest : step < -widest ? -widest : step;
        for (int cut = 0; cut < MOST_CUTS; cut++, step /= 2) {
            *s = start + step;
            e = measure(w, *s, c, &first, &second, &positive);
            if (!(e > was + joint_curve_noise * fabs(was)))
                break;
        }
        if (fabs(step) <= joint_curve_converged * (to - from))
            return second > 0;
    }
    return false;
}

/* A cam has its point near the polar angle of what is given; if that fails, and for other curves, the curve is scanned. The height below
 * the point is where its search begins. */
static void find(const search *w, double c[3][2]) {
    if (w->curve->height) {
        double s = w->curve->below ? w->at[0] : -w->at[0];
        descend(w, &s, c);
        return;
    }
    double s = w->curve->radius ? atan2(w->at[1], w->at[0]) : scan(w);
    if (descend(w, &s, c) || !w->curve->radius)
        return;
    s = scan(w);
    descend(w, &s, c);
}

static void put(double value, double x, double y, double bend, double tx, double ty, bl_curve_value *out) {
    *out = (bl_curve_value){value, {x, y}, {bend * tx * tx, bend * tx * ty, bend * ty * ty}};
}

void bl_curve_distance(const bl_curve *curve, const double p[2], bl_curve_value *out) {
    double c[3][2];
    find(&(search){curve, p, false}, c);
    double speed = hypot(c[1][0], c[1][1]), t[2] = {c[1][0] / speed, c[1][1] / speed}, n[2] = {t[1], -t[0]};
    double d = (p[0] - c[0][0]) * n[0] + (p[1] - c[0][1]) * n[1], k = bend_of(c);
    put(d, n[0], n[1], k / (1 + k * d), t[0], t[1], out);
}

void bl_curve_support(const bl_curve *curve, const double n[2], bl_curve_value *out) {
    double c[3][2];
    find(&(search){curve, n, true}, c);
    double speed = hypot(c[1][0], c[1][1]), length = hypot(n[0], n[1]);
    put(c[0][0] * n[0] + c[0][1] * n[1], c[0][0], c[0][1], 1 / (bend_of(c) * length), c[1][0] / speed, c[1][1] / speed, out);
}

/* On a crest c' . n, from negative to positive along the parameter for outward n, is monotone: bisection between Newton's steps. */
void bl_curve_crest(const bl_curve *curve, const double n[2], bl_curve_value *out, double *within) {
    double low = curve->from, high = curve->to, c[3][2], length = hypot(n[0], n[1]), s = 0.5 * (low + high), ends[2];
    for (int end = 0; end < 2; end++) {
        bl_curve_at(curve, end ? high : low, c);
        ends[end] = (c[1][0] * n[0] + c[1][1] * n[1]) / (length * hypot(c[1][0], c[1][1]));
    }
    *within = fmin(ends[0], -ends[1]); /* the maximum of c . n: its derivative falls through zero */
    for (int i = 0; i<MOST_ITERATIONS && * within> 0; i++) {
        bl_curve_at(curve, s, c);
        double first = c[1][0] * n[0] + c[1][1] * n[1], second = c[2][0] * n[0] + c[2][1] * n[1], before = s;
        if (first > 0)
            low = s;
        else
            high = s;
        s -= second < 0 ? first / second : 0;
        if (!(s > low && s < high))
            s = 0.5 * (low + high);
        if (fabs(s - before) <= joint_curve_converged * joint_curve_converged * (curve->to - curve->from))
            break;
    }
    if (!(*within > 0))
        s = ends[0] <= 0 ? curve->from : curve->to;
    bl_curve_at(curve, s, c);
    double speed = hypot(c[1][0], c[1][1]), bend = bend_of(c);
    put(c[0][0] * n[0] + c[0][1] * n[1], c[0][0], c[0][1], *within > 0 ? 1 / (bend * length) : 0, c[1][0] / speed, c[1][1] / speed, out);
}
