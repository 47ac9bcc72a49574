/* Radius of convergence from the last coefficients: root test; a fit of k^power R^-k if they decrease regularly (Domb, Sykes: Proc. R.
 * Soc. A 240 (1957) 214-228, in logarithms); a three-term recurrence if a complex pair of singularities makes them oscillate (Chang,
 * Corliss: J. Inst. Maths Applics 25 (1980) 349-359). docs/theory/series.md, section 3. */
#include "series/series_limits.h"
#include "series/taylor.h"

#include <math.h>

static double root_test(int order, const double *u) {
    int window = order / 8 > 5 ? order / 8 : 5, k = order;
    double largest = 0; /* of |u_k|^(1/k) */
    for (; k > order - window && k > 0; k--)
        largest = fmax(largest, pow(fabs(u[k]), 1.0 / k));
    for (; k > order / 2 && k > 0 && largest == 0; k--)
        largest = pow(fabs(u[k]), 1.0 / k);
    return 1 / largest;
}

/* u_k in units of the root test, where they neither grow nor fall much */
static double scaled(const double *u, double root, int k) { return u[k] * pow(root, k); }

/* First and last coefficient of the upper half that are not zero or rounding errors; returns the greatest common divisor of the distances
 * between such coefficients, 0 if there are fewer than two. */
static int period(int order, const double *u, double root, int *first, int *last) {
    int lowest = order / 2 > 1 ? order / 2 : 1, step = 0;
    double largest = 0;
    for (int k = lowest; k <= order; k++)
        largest = fmax(largest, fabs(scaled(u, root, k)));
    *first = *last = -1;
    for (int k = lowest; k <= order; k++)
        if (fabs(scaled(u, root, k)) > series_radius_zero * largest) {
            int distance = *last >= 0 ? k - *last : 0;
            while (distance > 0) {
                int rest = step % distance;
                step = distance;
                distance = rest;
            }
            *first = *first >= 0 ? *first : k;
            *last = k;
        }
    return step;
}

/* a fit far from the root test is rejected */
static bool accept(double fitted, double power, bl_taylor_radius *radius) {
    if (!(fitted > 0.5 * radius->root && fitted < 2 * radius->root))
        return false;
    radius->fitted = fitted;
    radius->power = power;
    return true;
}

/* ---- regular decrease */

/* k^3 |u_k|: the hull is taken of its logarithm, which is concave for every k^p R^-k with p > -3 */
static double lifted(const double *u, int k) { return log(fabs(u[k])) + 3 * log(k); }

/* The next corner of the upper hull after `from`: the point with the largest slope from there; -1: none. */
static int next_corner(int last, const double *u, int from) {
    int corner = -1;
    double steepest = -INFINITY;
    for (int k = from + 1; k <= last; k++) {
        double slope = (lifted(u, k) - lifted(u, from)) / (k - from);
        if (u[k] != 0 && slope >= steepest) {
            steepest = slope;
            corner = k;
        }
    }
    return corner;
}

/* Whether there are only zeros and rounding errors between two corners. Otherwise the coefficients oscillate. */
static bool regular(const double *u, int from, int to) {
    const double touching = 0.05, negligible = 14; /* logarithms: 5 per cent, a millionth */
    double slope = (lifted(u, to) - lifted(u, from)) / (to - from);
    for (int k = from + 1; k < to; k++) {
        double below = lifted(u, from) + slope * (k - from) - lifted(u, k);
        if (below > touching && below < negligible)
            return false;
    }
    return true;
}

/* least squares of log |u_k| = c + slope k + power log k on the corners, means subtracted; false: oscillating, or too few */
static bool fit_hull(const double *u, int first, int last, bl_taylor_radius *radius) {
    double n = 0, mean[3] = {0}, s[3][3] = {{0}};
    for (int pass = 0; pass < 2; pass++)
        for (int k = first, next; k >= 0; k = next) {
            next = next_corner(last, u, k);
            if (next > 0 && !regular(u, k, next))
                return false;
            double row[3] = {k, log(k), log(fabs(u[k]))};
            n += pass == 0;
            for (int i = 0; i < 3; i++) {
                mean[i] += pass == 0 ? row[i] : 0;
                for (int j = 0; j < 3 && pass == 1; j++)
                    s[i][j] += (row[i] - mean[i] / n) * (row[j] - mean[j] / n);
            }
        }
    double det = s[0][0] * s[1][1] - s[0][1] * s[0][1];
    if (n < 3 || !(det > 0))
        return false;
    double slope = (s[0][2] * s[1][1] - s[1][2] * s[0][1]) / det;
    return accept(exp(-slope), (s[0][0] * s[1][2] - s[0][1] * s[0][2]) / det, radius);
}

/* ---- a pair of complex singularities */

/* Gaussian elimination of a symmetric positive definite system of four; false: not positive definite */
static bool solve(double m[4][5], double x[4]) {
    for (int i = 0; i < 4; i++) {
        if (!(m[i][i] > 0))
            return false;
        for (int j = i + 1; j < 4; j++)
            for (int k = 4; k >= i; k--)
                m[j][k] -= m[j][i] / m[i][i] * m[i][k];
    }
    for (int i = 3; i >= 0; i--) {
        x[i] = m[i][4];
        for (int j = i + 1; j < 4; j++)
            x[i] -= m[i][j] * x[j];
        x[i] /= m[i][i];
    }
    return true;
}

/* Coefficients c_i of (1 - 2 x t / R + t^2 / R^2)^-s obey i c_i = 2 (i + s - 1) (x / R) c_{i-1} - (i + 2 s - 2) / R^2 c_{i-2}; linear least
 * squares for the four products. Only every `step`-th coefficient: the same in powers of t^step. */
static bool fit_pair(const double *u, int step, int last, bl_taylor_radius *radius) {
    int offset = last % step, rows = 0;
    double m[4][5] = {{0}}, x[4], squares = 0, root = radius->root;
    for (int k = last; k >= last / 3 && k >= 2 * step + offset; k -= step, rows++) {
        double i = (k - offset) / step, c0 = scaled(u, root, k), c1 = scaled(u, root, k - step), c2 = scaled(u, root, k - 2 * step);
        double row[5] = {c1, c1 / i, -c2, -c2 / i, c0};
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 5; b++)
                m[a][b] += row[a] * row[b];
        squares += c0 * c0;
    }
    double right[4] = {m[0][4], m[1][4], m[2][4], m[3][4]}, left = squares;
    if (rows < 6 || !solve(m, x) || !(x[2] > 0 && x[0] * x[0] < 4 * x[2]))
        return false;
    for (int a = 0; a < 4; a++)
        left -= right[a] * x[a]; /* residual sum of squares */
    return left <= series_radius_fit * squares && accept(root * pow(x[2], -0.5 / step), x[3] / (2 * x[2]), radius);
}

void bl_taylor_find_radius(int order, const double *u, bl_taylor_radius *radius) {
    double root = root_test(order, u);
    int first, last;
    *radius = (bl_taylor_radius){.root = root, .fitted = root, .power = NAN};
    if (!(root > 0 && root < INFINITY))
        return;
    int step = period(order, u, root, &first, &last);
    if (step > 0 && !fit_hull(u, first, last, radius))
        fit_pair(u, step, last, radius);
}
