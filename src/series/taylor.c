/* Coefficient k of y = f(u) from u_0..u_k and y_0..y_{k-1}. Most recurrences come from y' = f'(u) u', that is
 * k y_k = sum_{j=1..k} j u_j f'(u)_{k-j}. Griewank, Walther: Evaluating Derivatives, 2nd ed. (2008), chapter 13. */
#include "series/taylor.h"

#include <math.h>

enum { LARGEST_WHOLE = 1024 };

/* ---- sums of products; four at a time, to break the dependency chain of additions */

/* sum of a_i b_{-i}, i = 0..n-1 */
static inline double cross(const double *a, const double *b, int n) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += a[i] * b[-i];
        s1 += a[i + 1] * b[-i - 1];
        s2 += a[i + 2] * b[-i - 2];
        s3 += a[i + 3] * b[-i - 3];
    }
    if (n & 2) {
        s0 += a[i] * b[-i];
        s1 += a[i + 1] * b[-i - 1];
        i += 2;
    }
    if (n & 1)
        s2 += a[i] * b[-i];
    return (s0 + s2) + (s1 + s3);
}

/* sum of a_j b_{k-j}, j = first..last */
static inline double convolve(const double *a, const double *b, int first, int last, int k) {
    return last < first ? 0 : cross(a + first, b + (k - first), last - first + 1);
}

double bl_taylor_convolve(const double *a, const double *b, int first, int last, int k) { return convolve(a, b, first, last, k); }

/* sum of a_j a_{k-j}, j = first..k-first */
static inline double square(const double *a, int first, int k) {
    double sum = 2 * convolve(a, a, first, (k + 1) / 2 - 1, k);
    return k % 2 || k < 2 * first ? sum : sum + a[k / 2] * a[k / 2];
}

/* sum of j u_j w_{k-j}, j = 1..last */
static inline double rate(const double *u, const double *w, int last, int k) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, r = 1; /* r = j: avoids a conversion per term */
    int j = 1;
    for (; j + 3 <= last; j += 4, r += 4) {
        s0 += r * u[j] * w[k - j];
        s1 += (r + 1) * u[j + 1] * w[k - j - 1];
        s2 += (r + 2) * u[j + 2] * w[k - j - 2];
        s3 += (r + 3) * u[j + 3] * w[k - j - 3];
    }
    if (last & 2) {
        s0 += r * u[j] * w[k - j];
        s1 += (r + 1) * u[j + 1] * w[k - j - 1];
        j += 2;
        r += 2;
    }
    if (last & 1)
        s2 += r * u[j] * w[k - j];
    return (s0 + s2) + (s1 + s3);
}

int bl_taylor_leading(const double *u, int k) {
    int j = 0;
    while (j <= k && u[j] == 0)
        j++;
    return j;
}

/* ---- arithmetic */

static inline double product(const double *a, const double *b, int k) { return a == b ? square(a, 0, k) : convolve(a, b, 0, k, k); }

void bl_taylor_mul_next(const double *a, const double *b, double *y, int k) { y[k] = product(a, b, k); }

void bl_taylor_div_next(const double *a, const double *b, double *y, int k) { y[k] = (a[k] - convolve(b, y, 1, k, k)) / b[0]; }

static inline double sqrt_next(const double *u, const double *y, int k) {
    if (k == 0)
        return sqrt(u[0]);
    double rest = u[k] - square(y, 1, k);
    return rest == 0 ? 0 : rest / (2 * y[0]); /* a series that is zero up to k has the root zero */
}

void bl_taylor_sqrt_next(const double *u, double *y, int k) { y[k] = sqrt_next(u, y, k); }

/* ---- powers */

void bl_taylor_pow_next(const double *u, double p, double *y, int k) {
    int m = bl_taylor_leading(u, k);
    if (k == 0) {
        y[0] = pow(u[0], p);
        return;
    }
    double start = m > 0 ? m * p : 0; /* where the result starts */
    y[k] = 0;
    if (m > 0 && (p == 0 || (p > 0 && m > k) || (p > 1 && k < start)))
        return;
    if (m > k || (m > 0 && (!(p >= 1) || start != floor(start)))) {
        y[k] = NAN;
        return;
    }
    const double *w = u + m, *z = y + (int)start;
    int n = k - (int)start;
    if (n == 0) {
        y[k] = pow(w[0], p);
        return;
    }
    double s0 = 0, s1 = 0, r = 1; /* r = j */
    int j = 1;
    for (; j + 1 <= n; j += 2, r += 2) {
        s0 += (p * r - (n - r)) * w[j] * z[n - j];
        s1 += (p * (r + 1) - (n - (r + 1))) * w[j + 1] * z[n - j - 1];
    }
    if (n & 1)
        s0 += p * r * w[n] * z[0];
    y[k] = (s0 + s1) / (n * w[0]);
}

int bl_taylor_integer_power(double p) { return p >= 1 && p <= LARGEST_WHOLE && p == floor(p) ? (int)p : 0; }

int bl_taylor_integer_power_extra(int n) {
    int count = 0;
    for (; n > 1; n /= 2)
        count += 1 + n % 2;
    return count;
}

void bl_taylor_integer_power_next(const double *u, int n, double *y, double *powers, int stride, int k) {
    int top = 1;
    while (n / top > 1)
        top *= 2;
    const double *power = u;
    for (int bit = top / 2; bit > 0; bit /= 2) {
        powers[k] = square(power, 0, k);
        power = powers;
        powers += stride;
        if (n & bit) {
            powers[k] = convolve(power, u, 0, k, k);
            power = powers;
            powers += stride;
        }
    }
    y[k] = k == 0 ? pow(u[0], n) : power[k];
}

void bl_taylor_power_next(const double *u, const double *b, double *y, double *logarithm, double *times, int k) {
    bl_taylor_log_next(u, logarithm, k);
    times[k] = product(b, logarithm, k);
    if (k == 0 || bl_taylor_leading(b + 1, k - 1) > k - 1) /* constant up to k */
        bl_taylor_pow_next(u, b[0], y, k);
    else
        y[k] = rate(times, y, k, k) / k;
}

/* ---- exponential and logarithm */

void bl_taylor_exp_next(const double *u, double *y, int k) { y[k] = k == 0 ? exp(u[0]) : rate(u, y, k, k) / k; }

void bl_taylor_log_next(const double *u, double *y, int k) { y[k] = k == 0 ? log(u[0]) : (u[k] - rate(y, u, k - 1, k) / k) / u[0]; }

/* ---- circular and hyperbolic functions */

/* s' = u' c, c' = sign u' s; k > 0. One loop, since both share j u_j. */
static inline void pair(int sign, const double *u, double *s, double *c, int k) {
    double s0 = 0, s1 = 0, c0 = 0, c1 = 0, r = 1;
    int j = 1;
    for (; j + 1 <= k; j += 2, r += 2) {
        double r0 = r * u[j], r1 = (r + 1) * u[j + 1];
        s0 += r0 * c[k - j];
        c0 += r0 * s[k - j];
        s1 += r1 * c[k - j - 1];
        c1 += r1 * s[k - j - 1];
    }
    if (j == k) {
        double r0 = k * u[k];
        s0 += r0 * c[0];
        c0 += r0 * s[0];
    }
    s[k] = (s0 + s1) / k;
    c[k] = sign * (c0 + c1) / k;
}

void bl_taylor_sincos_next(const double *u, double *s, double *c, int k) {
    if (k == 0) {
        s[0] = sin(u[0]);
        c[0] = cos(u[0]);
    } else
        pair(-1, u, s, c, k);
}

void bl_taylor_sinhcosh_next(const double *u, double *s, double *c, int k) {
    if (k == 0) {
        s[0] = sinh(u[0]);
        c[0] = cosh(u[0]);
    } else
        pair(1, u, s, c, k);
}

/* y' = u' w, w = 1 + y^2 */
void bl_taylor_tan_next(const double *u, double *y, double *w, int k) {
    y[k] = k > 0 ? rate(u, w, k, k) / k : tan(u[0]);
    w[k] = square(y, 0, k) + (k == 0);
}

/* y' = u' w, w = 1 - y^2 */
void bl_taylor_tanh_next(const double *u, double *y, double *w, int k) {
    y[k] = k > 0 ? rate(u, w, k, k) / k : tanh(u[0]);
    w[k] = k > 0 ? -square(y, 0, k) : 1 / (cosh(u[0]) * cosh(u[0]));
}

/* y' w = u', w = 1 + u^2 */
void bl_taylor_atan_next(const double *u, double *y, double *w, int k) {
    w[k] = square(u, 0, k) + (k == 0);
    y[k] = k == 0 ? atan(u[0]) : (k * u[k] - rate(y, w, k - 1, k)) / (k * w[0]);
}

/* angle of (x, y): (x^2 + y^2) angle' = x y' - y x' */
void bl_taylor_atan2_next(const double *y, const double *x, double *angle, double *w, int k) {
    w[k] = square(x, 0, k) + square(y, 0, k);
    if (k == 0) {
        angle[0] = atan2(y[0], x[0]);
        return;
    }
    double rest = rate(y, x, k, k) - rate(x, y, k, k) - rate(angle, w, k - 1, k);
    angle[k] = rest == 0 ? 0 : rest / (k * w[0]);
}

/* y' r = sign u', r = sqrt(1 - u^2); k > 0 gives y_k */
static inline double arc(int sign, const double *u, const double *y, double *root, double *rest_of_one, int k) {
    rest_of_one[k] = k > 0 ? -square(u, 0, k) : (1 - u[0]) * (1 + u[0]);
    root[k] = sqrt_next(rest_of_one, root, k);
    if (k == 0)
        return sign > 0 ? asin(u[0]) : acos(u[0]);
    double rest = sign * k * u[k] - rate(y, root, k - 1, k);
    return rest == 0 ? 0 : rest / (k * root[0]);
}

void bl_taylor_asin_next(const double *u, double *y, double *root, double *other, int k) { y[k] = arc(1, u, y, root, other, k); }
void bl_taylor_acos_next(const double *u, double *y, double *root, double *other, int k) { y[k] = arc(-1, u, y, root, other, k); }
