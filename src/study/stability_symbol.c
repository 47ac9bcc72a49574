/* A method as a polynomial P(r, z): substitute y_{n+i} = r^i and z = h lambda in its equations on y' = lambda y. With r = e^z the first
 * power that does not vanish gives order and error constant; the roots r at a given z are the factors of a perturbation per step (Dahlquist
 * 1956; Hairer and Wanner, Solving ODEs II, V.1; extended methods: Cash 1980). Roots are eigenvalues of the companion matrix, refined by
 * Newton's method in long double, with a bound of the rounding error. */
#include "dense/dense.h"
#include "study/linear_limits.h"
#include "study/stability_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const long double EXACT = 2e-18L;  /* precision of coefficients in long double, after a few operations */
static const long double MATRIX = 4e-15L; /* precision of the characteristic polynomial of a matrix in double */

/* ---- from the formula to P(r, z) */

/* divides by r while the coefficients of r^0 vanish: a root that is always 0 */
static void drop_zero_root(bl_symbol *s) {
    for (;;) {
        for (int m = 0; m <= s->d; m++)
            if (s->c[0][m] != 0 || s->n <= 1)
                return;
        memmove(s->c[0], s->c[1], (size_t)s->n * sizeof s->c[0]);
        memset(s->c[s->n--], 0, sizeof s->c[0]);
    }
}

static void of_multistep(const bl_formula *f, bl_symbol *s) {
    s->n = f->k;
    s->d = 1;
    for (int j = 0; j <= f->k; j++) {
        s->c[j][0] = f->a[j];
        s->c[j][1] = -f->b[j];
    }
}

/* ybar1 = -R / (L1 - z), ybar2 = -(S + q ybar1) / (L2 - z), T = z (g r^{k+1} + g_ahead ybar2 + g_first ybar1), powers of r counted from
 * y_{n-1}, where q is what predictor 2 gives to ybar1; times (L1 - z)(L2 - z):
 * P = (T - z g r^{k+1}) (L1 - z)(L2 - z) - z g_ahead (q R - S (L1 - z)) + z g_first R (L2 - z) */
static void of_extended(const bl_formula *f, bl_symbol *s) {
    int k = f->k;
    long double L1 = f->p1[k + 1], L2 = f->p2[k + 1], q = f->p2[k];
    const long double both[3] = {L1 * L2, -(L1 + L2), 1};
    s->n = k + 1;
    s->d = 3;
    for (int m = 0; m < 3; m++) {
        for (int j = 0; j <= k; j++)
            s->c[j + 1][m] += f->a[j] * both[m];
        s->c[k + 1][m + 1] -= f->g * both[m];
    }
    for (int i = 0; i <= k; i++) { /* R */
        s->c[i][1] += f->p1[i] * (f->g_first * L2 - f->g_ahead * q);
        s->c[i][2] -= f->p1[i] * f->g_first;
    }
    for (int i = 0; i < k; i++) { /* S */
        s->c[i + 1][1] += f->g_ahead * f->p2[i] * L1;
        s->c[i + 1][2] -= f->g_ahead * f->p2[i];
    }
}

/* p *= 1 - a z; degree in, one more out */
static void times_pole(long double *p, int degree, long double a) {
    for (int m = degree + 1; m > 0; m--)
        p[m] -= a * p[m - 1];
}

/* Stages Y_i = 1 + z sum_{j<=i} a_ij Y_j and r = 1 + z sum_i w_i Y_i as polynomials over D, the product of 1 - a_ii z so far: D r - N. */
static void of_runge_kutta(const bl_formula *f, bl_symbol *s) {
    enum { MOST = BL_FORMULA_STAGES };
    long double Y[MOST][MOST + 1] = {{0}}, *D = s->c[1], *N = s->c[0];
    s->n = 1;
    D[0] = 1;
    for (int i = 0; i < f->stages; i++) {
        memcpy(Y[i], D, sizeof Y[i]);
        for (int j = 0; j < i; j++)
            for (int m = 0; m < i; m++)
                Y[i][m + 1] += f->A[i][j] * Y[j][m];
        if (f->A[i][i] == 0)
            continue;
        for (int j = 0; j < i; j++)
            times_pole(Y[j], i - 1, f->A[i][i]);
        times_pole(D, i, f->A[i][i]);
    }
    for (int m = 0; m <= f->stages; m++) {
        N[m] -= D[m];
        for (int i = 0; m > 0 && i < f->stages; i++)
            N[m] -= f->weight[i] * Y[i][m - 1];
        if (fabsl(N[m]) <= 1e-17L) /* 1/16! is 5e-14 */
            N[m] = 0;
        if (N[m] != 0 || D[m] != 0)
            s->d = m;
    }
}

bl_status bl_symbol_create(bl_context *ctx, const bl_formula *f, bl_symbol *s) {
    memset(s, 0, sizeof *s);
    s->shape = f->shape;
    bool sized = f->k >= 1 && f->k <= BL_FORMULA_STEPS;
    if (f->shape == BL_FORMULA_RUNGE_KUTTA)
        sized = f->stages >= 1 && f->stages <= BL_FORMULA_STAGES;
    else if (f->shape == BL_FORMULA_OSCILLATOR)
        sized = f->n >= 1 && f->n <= 6 && f->amplify;
    if (!sized)
        return bl_fail(ctx, BL_E_ARG, NULL, "the number of steps or stages of the formula is out of range");
    switch (f->shape) {
    case BL_FORMULA_MULTISTEP: of_multistep(f, s); break;
    case BL_FORMULA_EXTENDED: of_extended(f, s); break;
    case BL_FORMULA_RUNGE_KUTTA: of_runge_kutta(f, s); break;
    case BL_FORMULA_OSCILLATOR:
        s->oscillator = f;
        s->n = f->n;
        return BL_OK;
    }
    if (s->c[s->n][0] == 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "the formula does not determine the new value: its coefficient is 0");
    drop_zero_root(s);
    return BL_OK;
}

/* ---- roots */

/* CMPLXL, which clang's C library headers leave out: a complex number is laid out as its two parts (C17 6.2.5) */
static bl_complex complex_of(long double re, long double im) {
    union {
        long double part[2];
        bl_complex z;
    } u = {{re, im}};
    return u.z;
}

/* x * y + z without C's special treatment of infinities, which costs more than the product */
static bl_complex times_plus(bl_complex x, bl_complex y, bl_complex z) {
    long double a = creall(x), b = cimagl(x), c = creall(y), d = cimagl(y);
    return complex_of(a * c - b * d + creall(z), a * d + b * c + cimagl(z));
}

/* value, derivative and half the second derivative of p at r */
static void horner(const bl_complex *p, int degree, bl_complex r, bl_complex value[3]) {
    value[0] = value[1] = value[2] = 0;
    for (int i = degree; i >= 0; i--) {
        value[2] = times_plus(value[2], r, value[1]);
        value[1] = times_plus(value[1], r, value[0]);
        value[0] = times_plus(value[0], r, p[i]);
    }
}

/* Newton's method from the eigenvalue, and a bound of the error from inexact coefficients, for a simple or a double root */
static void polish(const bl_complex *p, const long double *magnitude, int degree, long double precision, bl_complex *r,
                   long double *error) {
    bl_complex value[3], other[3];
    horner(p, degree, *r, value);
    for (int round = 0; round < 4; round++) {
        bl_complex step = cabsl(value[1]) > 0 ? value[0] / value[1] : 0;
        long double length = cabsl(step), size = cabsl(*r);
        if (length > 0.01L * (1 + size) || length <= 1e-19L * size)
            break;
        horner(p, degree, *r - step, other);
        if (!(cabsl(other[0]) < cabsl(value[0])))
            break;
        *r -= step;
        memcpy(value, other, sizeof value);
    }
    long double size = 0, at = cabsl(*r);
    for (int i = degree; i >= 0; i--)
        size = size * at + magnitude[i];
    long double simple = precision * size / cabsl(value[1]), twice = sqrtl(precision * size / cabsl(value[2]));
    *error = 1e-3L;
    if (simple < *error)
        *error = simple;
    if (twice < *error)
        *error = twice;
}

/* eigenvalues of the companion matrix of the monic polynomial; degrees 1 and 2 in closed form */
static bool companion(const bl_complex *p, int degree, bl_complex *r) {
    if (degree <= 1) {
        r[0] = -p[0] / p[degree];
        return true;
    }
    if (degree == 2) { /* the larger one without cancellation, the other from the product */
        bl_complex half = p[1] / (2 * p[2]), root = csqrtl(half * half - p[0] / p[2]);
        r[0] = creall(conjl(half) * root) > 0 ? -half - root : -half + root;
        r[1] = r[0] == 0 ? 0 : p[0] / p[2] / r[0];
        return true;
    }
    enum { MOST = BL_SYMBOL_POWERS, WORK = 64 * MOST };
    double complex a[MOST * MOST], w[MOST], work[WORK];
    double rwork[2 * MOST];
    memset(a, 0, sizeof a);
    for (int i = 0; i + 1 < degree; i++)
        a[i * degree + i + 1] = 1;
    for (int i = 0; i < degree; i++)
        a[(degree - 1) * degree + i] = (double complex)(-p[i] / p[degree]);
    if (!bl_dense_eigenvalues_complex(degree, (double *)a, (double *)w, (double *)work, WORK, rwork))
        return false;
    for (int i = 0; i < degree; i++)
        r[i] = w[i];
    return true;
}

void bl_polynomial_roots(const bl_complex *p, int degree, long double precision, bl_roots *roots) {
    long double largest = 0, magnitude[BL_SYMBOL_POWERS + 1];
    int low = 0, high = degree;
    memset(roots, 0, sizeof *roots);
    for (int i = 0; i <= degree; i++) {
        magnitude[i] = cabsl(p[i]);
        largest = fmaxl(largest, magnitude[i]);
    }
    if (!(largest > 0) || !isfinite((double)largest)) {
        roots->lost = degree;
        return;
    }
    while (high > 0 && magnitude[high] <= 1e-22L * largest)
        high--;
    while (low < high && magnitude[low] <= 1e-22L * largest)
        low++;
    roots->lost = degree - high;
    roots->n = high;
    bl_complex *r = roots->r + low;
    int n = high - low;
    if (n > 0 && !companion(p + low, n, r)) {
        roots->lost = degree;
        roots->n = 0;
        return;
    }
    for (int i = 0; i < n; i++)
        polish(p + low, magnitude + low, n, precision, &r[i], &roots->error[low + i]);
}

/* ---- matrices of oscillators */

/* powers of two on the diagonal that make rows and columns of one size (Osborne 1960) */
static void balance(int n, double *A) {
    for (int round = 0, changed = 1; changed && round < 20; round++) {
        changed = 0;
        for (int i = 0; i < n; i++) {
            double row = 0, column = 0, scale = 1;
            for (int j = 0; j < n; j++)
                if (j != i) {
                    row += fabs(A[i * n + j]);
                    column += fabs(A[j * n + i]);
                }
            if (!(row > 0 && column > 0))
                continue;
            int power = (int)lround(log2(row / column) / 2);
            if (power == 0 || abs(power) > 500)
                continue;
            changed = 1;
            scale = ldexp(1, power);
            for (int j = 0; j < n; j++)
                if (j != i) {
                    A[j * n + i] *= scale;
                    A[i * n + j] /= scale;
                }
        }
    }
}

/* det(r I - A) by Faddeev and Le Verrier: M_k = A M_{k-1} + p_{n-k+1} I, p_{n-k} = -tr(A M_k) / k. false: not finite */
static bool characteristic(const bl_formula *f, double Omega, double xi, bl_complex *p) {
    enum { MOST = 6 };
    int n = f->n;
    double A[MOST * MOST];
    long double M[MOST * MOST] = {0}, AM[MOST * MOST] = {0}, c = 1;
    memset(A, 0, sizeof A);
    f->amplify(f, Omega, xi, A);
    for (int i = 0; i < n * n; i++)
        if (!isfinite(A[i]))
            return false;
    balance(n, A);
    p[n] = 1;
    for (int k = 1; k <= n; k++) {
        for (int i = 0; i < n * n; i++)
            M[i] = AM[i];
        for (int i = 0; i < n; i++)
            M[i * n + i] += c;
        long double trace = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                long double sum = 0;
                for (int l = 0; l < n; l++)
                    sum += A[i * n + l] * M[l * n + j];
                AM[i * n + j] = sum;
                if (i == j)
                    trace += sum;
            }
        c = -trace / k;
        p[n - k] = fabsl(c) < 1e-16L ? 0 : c;
    }
    return true;
}

/* ---- roots of a symbol */

void bl_symbol_roots(const bl_symbol *s, bl_complex z, bl_roots *roots) {
    bl_complex p[BL_SYMBOL_ROOTS + 1];
    if (s->oscillator) {
        double Omega = (double)cabsl(z), xi = Omega > 0 ? (double)(-creall(z) / cabsl(z)) : 0;
        if (fabs(xi) < 1e-17)
            xi = 0;
        memset(roots, 0, sizeof *roots);
        roots->lost = s->n;
        if (characteristic(s->oscillator, Omega, xi, p))
            bl_polynomial_roots(p, s->n, MATRIX, roots);
        return;
    }
    for (int i = 0; i <= s->n; i++) {
        p[i] = 0;
        for (int m = s->d; m >= 0; m--)
            p[i] = times_plus(p[i], z, s->c[i][m]);
    }
    bl_polynomial_roots(p, s->n, EXACT, roots);
}

/* Replaces roots that rounding has separated by their mean, which is far more accurate than the members of a cluster. */
static void join_clusters(bl_roots *roots) {
    for (int i = 0; i < roots->n; i++) {
        bl_complex sum = 0;
        int together = 0;
        for (int j = 0; j < roots->n; j++)
            if (cabsl(roots->r[j] - roots->r[i]) < study_stability_cluster) {
                sum += roots->r[j];
                together++;
            }
        for (int j = 0; j < roots->n && together > 1; j++)
            if (j != i && cabsl(roots->r[j] - roots->r[i]) < study_stability_cluster)
                roots->r[j] = sum / together;
        roots->r[i] = sum / together;
    }
}

/* p(Omega) = p_infinity + O(Omega^-2): two Richardson steps in Omega^2 */
static void oscillator_at_infinity(const bl_symbol *s, bl_roots *roots) {
    bl_complex p[3][BL_SYMBOL_ROOTS + 1] = {{0}};
    memset(roots, 0, sizeof *roots);
    roots->lost = s->n;
    for (int level = 0; level < 3; level++) {
        if (!characteristic(s->oscillator, 1000.0 * (1 << level), 0, p[level]))
            return;
        for (int i = 0; i <= s->n; i++)
            if (cabsl(p[level][i]) > 1e4L) /* grows like Omega^2 */
                return;
    }
    for (int i = 0; i <= s->n; i++) {
        bl_complex first = (4 * p[1][i] - p[0][i]) / 3, second = (4 * p[2][i] - p[1][i]) / 3;
        p[0][i] = (16 * second - first) / 15;
        if (cabsl(p[0][i]) < 1e-12L)
            p[0][i] = 0;
    }
    bl_polynomial_roots(p[0], s->n, MATRIX, roots);
    join_clusters(roots);
}

void bl_symbol_roots_at_infinity(const bl_symbol *s, bl_roots *roots) {
    if (s->oscillator) {
        oscillator_at_infinity(s, roots);
        return;
    }
    bl_complex p[BL_SYMBOL_ROOTS + 1];
    int d = s->d;
    for (int i = 0; i <= s->n; i++)
        p[i] = s->c[i][d];
    bl_polynomial_roots(p, s->n, EXACT, roots);
}

long double bl_roots_radius(const bl_roots *roots) {
    long double radius = 0;
    for (int i = 0; i < roots->n; i++)
        radius = fmaxl(radius, cabsl(roots->r[i]));
    return roots->lost ? INFINITY : radius;
}

bool bl_roots_stable(const bl_roots *roots, long double slack) {
    for (int i = 0; i < roots->n; i++)
        if (cabsl(roots->r[i]) > 1 + slack + roots->error[i])
            return false;
    return roots->lost == 0;
}

int bl_symbol_locus(const bl_symbol *s, bl_complex r, bl_complex *z) {
    bl_complex p[BL_SYMBOL_POWERS + 1];
    bl_roots roots;
    for (int m = 0; m <= s->d; m++) {
        p[m] = 0;
        for (int i = s->n; i >= 0; i--)
            p[m] = times_plus(p[m], r, s->c[i][m]);
    }
    bl_polynomial_roots(p, s->d, EXACT, &roots);
    memcpy(z, roots.r, (size_t)roots.n * sizeof *z);
    return roots.n;
}

/* ---- order and error constant */

/* the q-th coefficient of P(e^z, z), 0 if it is only rounding */
static long double residual(const bl_symbol *s, int q) {
    long double sum = 0, size = 0;
    for (int i = 0; i <= s->n; i++)
        for (int m = 0; m <= s->d && m <= q; m++) {
            long double term = s->c[i][m] * powl(i, q - m) / tgammal(q - m + 1);
            sum += term;
            size += fabsl(term);
        }
    return fabsl(sum) <= study_stability_order * size ? 0 : sum;
}

/* log(r) / (i Omega) - 1 of the root nearest to e^{i Omega} */
static bl_complex frequency_error(const bl_symbol *s, double Omega) {
    bl_roots roots;
    bl_complex exact = cexpl(I * Omega), r = 0;
    bl_symbol_roots(s, I * (bl_complex)Omega, &roots);
    for (int i = 0; i < roots.n; i++)
        if (i == 0 || cabsl(roots.r[i] - exact) < cabsl(r - exact))
            r = roots.r[i];
    return clogl(r) / (I * Omega) - 1;
}

enum { LEVELS = 4 }; /* Omega = 0.2, 0.1, 0.05, 0.025 */

/* e(Omega) = c Omega^p (1 + O(Omega^2)): p from two levels, c by Richardson extrapolation. false: only rounding. */
static bool leading_power(const long double e[LEVELS], int *p, long double *c) {
    if (!(fabsl(e[0]) > 1e-11L && fabsl(e[1]) > 1e-12L))
        return false;
    *p = (int)lroundl(log2l(fabsl(e[0] / e[1])));
    int levels = *p <= 4 ? LEVELS : 2; /* rounding grows like Omega^-p */
    long double level[LEVELS];
    for (int l = 0; l < levels; l++)
        level[l] = e[l] / powl(0.2L / (1 << l), *p);
    for (int round = 1; round < levels; round++)
        for (int l = 0; l + round < levels; l++)
            level[l] = level[l + 1] + (level[l + 1] - level[l]) / ((1 << 2 * round) - 1);
    *c = level[0];
    return true;
}

/* r = exp(i Omega (1 + c Omega^p)) leaves 2 c Omega^{p+2} = C (i Omega)^{p+2} in the difference equation with sigma(1) = 1; errors of the
 * frequency are even powers (real), of the damping odd ones (imaginary). */
static void oscillator_order(const bl_symbol *s, int *order, double *error_constant) {
    long double re[LEVELS], im[LEVELS], c_re = 0, c_im = 0;
    int even = 99, odd = 99;
    for (int l = 0; l < LEVELS; l++) {
        bl_complex e = frequency_error(s, 0.2 / (1 << l));
        re[l] = creall(e);
        im[l] = cimagl(e);
    }
    if (!leading_power(re, &even, &c_re))
        even = 99;
    if (!leading_power(im, &odd, &c_im))
        odd = 99;
    *order = even < odd ? even : odd;
    if (*order < 1 || *order == 99) {
        *error_constant = NAN;
        *order = *order == 99 ? 99 : -1;
    } else if (even < odd) {
        *error_constant = (double)(2 * c_re) * (even % 4 == 2 ? 1 : -1); /* i^(p+2) = 1 for p = 2 */
    } else {
        *error_constant = (double)(2 * c_im) * (odd % 4 == 1 ? -1 : 1); /* i^(p+2) = -i for p = 1: C = 2 c / -1 */
    }
}

void bl_symbol_order(const bl_symbol *s, int *order, double *error_constant) {
    enum { MOST = 40 };
    *error_constant = NAN;
    if (s->oscillator) {
        oscillator_order(s, order, error_constant);
        return;
    }
    int q = 0;
    long double e = 0;
    while (q < MOST && (e = residual(s, q)) == 0)
        q++;
    *order = q - 1;
    long double scale = s->c[s->n][0];
    if (s->shape == BL_FORMULA_MULTISTEP) {
        scale = 0;
        for (int i = 0; i <= s->n; i++)
            scale -= s->c[i][1];
    }
    if (*order < 1)
        *order = -1;
    else if (scale != 0)
        *error_constant = (double)(e / scale);
}
