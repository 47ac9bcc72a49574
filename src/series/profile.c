/* Motions of cams are written for a rise of 1 on [0, 1], with zero velocity and acceleration at both ends (but for the harmonic one):
 *
 *     3-4-5:    10 u^3 - 15 u^4 + 6 u^5             4-5-6-7:  35 u^4 - 84 u^5 + 70 u^6 - 20 u^7
 *
 * Norton, Cam Design and Manufacturing Handbook, 2009, chapter 3. Splines by slopes: continuous second derivatives at inner knots,
 *
 *     s_{i-1} / h_{i-1} + 2 (1 / h_{i-1} + 1 / h_i) s_i + s_{i+1} / h_i = 3 (d_{i-1} / h_{i-1} + d_i / h_i),
 *     d_i = (y_{i+1} - y_i) / h_i. */
#include "series/profile.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

const char *const bl_profile_motions[] = {"cycloidal", "3-4-5", "4-5-6-7", "harmonic", NULL};

void bl_profile_rise(int motion, double from, double width, double start, double rise, bl_profile_piece *piece) {
    static const double polynomial[2][BL_PROFILE_TERMS] = {{0, 0, 0, 10, -15, 6}, {0, 0, 0, 0, 35, -84, 70, -20}};
    *piece = (bl_profile_piece){.from = from, .width = width, .c = {start}};
    if (rise == 0)
        return;
    if (motion == 0 || motion == 3) {
        piece->what = motion == 0 ? BL_PROFILE_CYCLOIDAL : BL_PROFILE_HARMONIC;
        piece->c[1] = rise;
        return;
    }
    for (int k = 0; k < BL_PROFILE_TERMS; k++)
        piece->c[k] += rise * polynomial[motion - 1][k];
}

/* ---- evaluation */

static void piece_at(const bl_profile_piece *p, double x, double out[3]) {
    double u = (x - p->from) / p->width, w = p->width, value = 0, first = 0, second = 0;
    switch (p->what) {
    case BL_PROFILE_POLYNOMIAL:
        for (int k = BL_PROFILE_TERMS - 1; k >= 0; k--) {
            second = second * u + 2 * first;
            first = first * u + value;
            value = value * u + p->c[k];
        }
        break;
    case BL_PROFILE_CYCLOIDAL:
        value = p->c[0] + p->c[1] * (u - sin(2 * pi * u) / (2 * pi));
        first = p->c[1] * (1 - cos(2 * pi * u));
        second = p->c[1] * 2 * pi * sin(2 * pi * u);
        break;
    case BL_PROFILE_HARMONIC:
        value = p->c[0] + p->c[1] * (1 - cos(pi * u)) / 2;
        first = p->c[1] * pi * sin(pi * u) / 2;
        second = p->c[1] * pi * pi * cos(pi * u) / 2;
        break;
    }
    out[0] = value;
    out[1] = first / w;
    out[2] = second / (w * w);
}

void bl_profile_range(const bl_profile *f, double *from, double *to) {
    *from = -INFINITY;
    *to = INFINITY;
    if (f->tape)
        return;
    const bl_profile_piece *last = f->piece + f->npiece - 1;
    *from = f->piece[0].from;
    *to = last->from + last->width;
}

void bl_profile_at(const bl_profile *f, double x, double out[3]) {
    if (f->tape) {
        double work[BL_PROFILE_WORK], in[3] = {x, 1, 0};
        bl_tape_series(f->tape, 2, in, out, work);
        out[2] *= 2;
        return;
    }
    double from, to, turns = 0;
    bl_profile_range(f, &from, &to);
    if (f->period > 0) {
        turns = floor((x - from) / f->period);
        x -= turns * f->period;
    }
    double inside = x < from ? from : x > to ? to : x;
    bl_index low = 0, high = f->npiece - 1;
    while (low < high) {
        bl_index middle = (low + high + 1) / 2;
        if (f->piece[middle].from <= inside)
            low = middle;
        else
            high = middle - 1;
    }
    piece_at(&f->piece[low], inside, out);
    if (x != inside) {
        out[0] += out[1] * (x - inside);
        out[2] = 0;
    }
    out[0] += turns * f->gain;
}

/* ---- splines */

/* the cubic with these values and slopes at the ends */
static void hermite(double from, double width, const double y[2], const double slope[2], bl_profile_piece *piece) {
    double a = slope[0] * width, b = slope[1] * width, rise = y[1] - y[0];
    *piece = (bl_profile_piece){.from = from, .width = width, .c = {y[0], a, 3 * rise - 2 * a - b, a + b - 2 * rise}};
}

/* A tridiagonal system low, middle, high; x[n]: right-hand side, then the solution. Diagonally dominant, or nearly so. */
static void solve_tridiagonal(bl_index n, const double *low, double *middle, const double *high, double *x) {
    for (bl_index i = 1; i < n; i++) {
        double factor = low[i] / middle[i - 1];
        middle[i] -= factor * high[i - 1];
        x[i] -= factor * x[i - 1];
    }
    for (bl_index i = n - 1; i >= 0; i--)
        x[i] = (x[i] - (i + 1 < n ? high[i] * x[i + 1] : 0)) / middle[i];
}

/* Slopes of the periodic spline: s_{n-1} = s_0 is found from its own equation after the others as functions of it, s = p + q s_0. */
static void periodic_slopes(bl_index n, const double *x, const double *y, double *s, double *work) {
    bl_index inner = n - 2; /* knots 1 .. n - 2 */
    double *low = work, *middle = work + n, *high = work + 2 * n, *q = work + 3 * n;
    for (int pass = 0; pass < 2; pass++) {
        double *out = pass ? q : s + 1;
        for (bl_index i = 1; i <= inner; i++) {
            double before = x[i] - x[i - 1], after = x[i + 1] - x[i];
            low[i - 1] = 1 / before;
            high[i - 1] = 1 / after;
            middle[i - 1] = 2 / before + 2 / after;
            out[i - 1] = pass ? -(i == 1 ? 1 / before : 0) - (i == inner ? 1 / after : 0)
                              : 3 * ((y[i] - y[i - 1]) / (before * before) + (y[i + 1] - y[i]) / (after * after));
        }
        solve_tridiagonal(inner, low, middle, high, out);
    }
    double before = x[n - 1] - x[n - 2], after = x[1] - x[0];
    double right = 3 * ((y[n - 1] - y[n - 2]) / (before * before) + (y[1] - y[0]) / (after * after));
    s[0] = s[n - 1] = (right - s[inner] / before - s[1] / after) / (2 / before + 2 / after + q[inner - 1] / before + q[0] / after);
    for (bl_index i = 1; i <= inner; i++)
        s[i] += q[i - 1] * s[0];
}

/* Not-a-knot: the first two pieces are one cubic, and so are the last two. */
static void open_slopes(bl_index n, const double *x, const double *y, double *s, double *work) {
    double *low = work, *middle = work + n, *high = work + 2 * n;
    if (n == 2) {
        s[0] = s[1] = (y[1] - y[0]) / (x[1] - x[0]);
        return;
    }
    if (n == 3) { /* the parabola */
        double h0 = x[1] - x[0], h1 = x[2] - x[1], d0 = (y[1] - y[0]) / h0, d1 = (y[2] - y[1]) / h1, bend = (d1 - d0) / (h0 + h1);
        s[0] = d0 - bend * h0;
        s[1] = d0 + bend * h0;
        s[2] = d1 + bend * h1;
        return;
    }
    for (bl_index i = 1; i + 1 < n; i++) {
        double before = x[i] - x[i - 1], after = x[i + 1] - x[i];
        low[i] = 1 / before;
        high[i] = 1 / after;
        middle[i] = 2 / before + 2 / after;
        s[i] = 3 * ((y[i] - y[i - 1]) / (before * before) + (y[i + 1] - y[i]) / (after * after));
    }
    for (int end = 0; end < 2; end++) { /* s_0 h_1 + s_1 (h_0 + h_1) = ..., after elimination of s_2 (de Boor 1978) */
        bl_index a = end ? n - 1 : 0, b = end ? n - 2 : 1, c = end ? n - 3 : 2;
        double h0 = fabs(x[b] - x[a]), h1 = fabs(x[c] - x[b]), d0 = (y[b] - y[a]) / (x[b] - x[a]), d1 = (y[c] - y[b]) / (x[c] - x[b]);
        middle[a] = h1;
        *(end ? &low[a] : &high[a]) = h0 + h1;
        s[a] = ((h0 + 2 * (h0 + h1)) * h1 * d0 + h0 * h0 * d1) / (h0 + h1);
    }
    solve_tridiagonal(n, low, middle, high, s);
}

void bl_profile_spline(bl_index n, const double *x, const double *y, bool periodic, double *work, bl_profile_piece *piece) {
    double *s = work;
    (periodic ? periodic_slopes : open_slopes)(n, x, y, s, work + n);
    for (bl_index i = 0; i + 1 < n; i++)
        hermite(x[i], x[i + 1] - x[i], y + i, s + i, &piece[i]);
}
