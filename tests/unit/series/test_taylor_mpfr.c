/* Every operation on power series against 600 bits. The reference uses another method than the library: Taylor coefficients of a function
 * at u_0 in closed form, composed by Horner's rule; quotients as products with a composed inverse; arcs by integration. The bound of the
 * error is run beside each recurrence: rounding of every sum by the magnitude of its terms, and what errors of earlier coefficients become.
 * */
#include "support/testing.h"

#ifdef BIELA_MPFR

#include "support/power_series.h"

#include <math.h>
#include <mpfr.h>

enum { ORDER = 60, SIZE = ORDER + 1, BITS = 600 };
#define U 0x1p-53
#define LIBM (6 * U) /* three units in the last place; glibc promises two or less */

/* ---- series in multiple precision, order set once per trial */

typedef mpfr_t mp_series[SIZE];
static int order;
enum { POOL = 12 };
static mp_series pool[POOL];
static mpfr_t scratch, factor;

static void mp_set(mp_series y, const double *u) {
    for (int k = 0; k <= order; k++)
        mpfr_set_d(y[k], u[k], MPFR_RNDN);
}

static void mp_add(mp_series y, mp_series a, mp_series b, int sign) {
    for (int k = 0; k <= order; k++)
        (sign > 0 ? mpfr_add : mpfr_sub)(y[k], a[k], b[k], MPFR_RNDN);
}

static void mp_mul(mp_series y, mp_series a, mp_series b) { /* y is another */
    for (int k = 0; k <= order; k++) {
        mpfr_set_zero(y[k], 1);
        for (int j = 0; j <= k; j++)
            mpfr_fma(y[k], a[j], b[k - j], y[k], MPFR_RNDN);
    }
}

/* y = f(u) from the coefficients f of powers of (s - u_0) */
static void mp_compose(mp_series y, mp_series f, mp_series u) {
    for (int k = 0; k <= order; k++)
        mpfr_set_zero(y[k], 1);
    for (int j = order; j >= 0; j--) {
        for (int k = order; k > 0; k--) {
            mpfr_set_zero(scratch, 1);
            for (int i = 1; i <= k; i++)
                mpfr_fma(scratch, u[i], y[k - i], scratch, MPFR_RNDN);
            mpfr_swap(y[k], scratch);
        }
        mpfr_set(y[0], f[j], MPFR_RNDN);
    }
}

/* coefficient j + 1 of s^p at s = u_0 is that of j times (p - j) / ((j + 1) u_0) */
static void mp_power(mp_series y, mp_series u, double p) {
    mp_series *f = &pool[POOL - 1];
    mpfr_set_d(factor, p, MPFR_RNDN);
    mpfr_pow((*f)[0], u[0], factor, MPFR_RNDN);
    for (int j = 0; j < order; j++) {
        mpfr_sub_si(scratch, factor, j, MPFR_RNDN);
        mpfr_div_si(scratch, scratch, j + 1, MPFR_RNDN);
        mpfr_div(scratch, scratch, u[0], MPFR_RNDN);
        mpfr_mul((*f)[j + 1], (*f)[j], scratch, MPFR_RNDN);
    }
    mp_compose(y, *f, u);
}

static void mp_exp(mp_series y, mp_series u) {
    mp_series *f = &pool[POOL - 1];
    mpfr_exp((*f)[0], u[0], MPFR_RNDN);
    for (int j = 0; j < order; j++)
        mpfr_div_si((*f)[j + 1], (*f)[j], j + 1, MPFR_RNDN);
    mp_compose(y, *f, u);
}

static void mp_log(mp_series y, mp_series u) {
    mp_series *f = &pool[POOL - 1];
    mpfr_log((*f)[0], u[0], MPFR_RNDN);
    mpfr_set_si(factor, -1, MPFR_RNDN);
    for (int j = 1; j <= order; j++) { /* -(-1/u_0)^j / j */
        mpfr_div(factor, factor, u[0], MPFR_RNDN);
        mpfr_neg(factor, factor, MPFR_RNDN);
        mpfr_div_si((*f)[j], factor, j, MPFR_RNDN);
    }
    mp_compose(y, *f, u);
}

static void mp_sincos(mp_series s, mp_series c, mp_series u) {
    mp_series *f = &pool[POOL - 1];
    for (int which = 0; which < 2; which++) {
        mpfr_set_si(factor, 1, MPFR_RNDN);
        for (int j = 0; j <= order; j++) { /* derivatives of sin: sin, cos, -sin, -cos */
            int turn = (j + which) % 4;
            (turn % 2 ? mpfr_cos : mpfr_sin)((*f)[j], u[0], MPFR_RNDN);
            mpfr_mul((*f)[j], (*f)[j], factor, MPFR_RNDN);
            if (turn >= 2)
                mpfr_neg((*f)[j], (*f)[j], MPFR_RNDN);
            mpfr_div_si(factor, factor, j + 1, MPFR_RNDN);
        }
        mp_compose(which ? c : s, *f, u);
    }
}

static void mp_sinhcosh(mp_series s, mp_series c, mp_series u) {
    mp_series *up = &pool[POOL - 2], *down = &pool[POOL - 3];
    mp_exp(*up, u);
    for (int k = 0; k <= order; k++)
        mpfr_neg((*down)[k], u[k], MPFR_RNDN);
    mp_exp(s, *down);
    for (int k = 0; k <= order; k++) {
        mpfr_add(c[k], (*up)[k], s[k], MPFR_RNDN);
        mpfr_div_si(c[k], c[k], 2, MPFR_RNDN);
        mpfr_sub(s[k], (*up)[k], s[k], MPFR_RNDN);
        mpfr_div_si(s[k], s[k], 2, MPFR_RNDN);
    }
}

static void mp_rate(mp_series y, mp_series u) { /* the top coefficient is not needed below */
    for (int k = 0; k < order; k++)
        mpfr_mul_si(y[k], u[k + 1], k + 1, MPFR_RNDN);
    mpfr_set_zero(y[order], 1);
}

/* y = y_0 + integral of rate */
static void mp_integral(mp_series y, mp_series rate) {
    for (int k = 1; k <= order; k++)
        mpfr_div_si(y[k], rate[k - 1], k, MPFR_RNDN);
}

/* ---- bounds: `e` of a computed series y; NULL: exact */

static double err(const double *e, int k) { return e ? e[k] : 0; }

/* of the sum of a_j b_{k-j}, each term times j where rate is set, j = first..last */
static double sum_error(bool rate, const double *a, const double *ea, const double *b, const double *eb, int first, int last, int k) {
    double sum = 0, roundings = last - first + 5;
    for (int j = first; j <= last; j++) {
        double x = fabs(a[j]), y = fabs(b[k - j]), ex = err(ea, j), ey = err(eb, k - j);
        sum += (rate ? j : 1) * (x * ey + ex * y + ex * ey + roundings * U * x * y);
    }
    return sum;
}

/* of y_k = rest / d when rest is off by `rest` and the divisor d by e_d */
static double quotient_error(double rest, double y, double d, double e_d) {
    return (rest + fabs(y) * e_d) / (fabs(d) - e_d) + 4 * U * fabs(y);
}

static void sqrt_error(const double *u, const double *eu, const double *y, double *e) {
    e[0] = 2 * U * fabs(y[0]) + err(eu, 0) / fabs(y[0]);
    for (int k = 1; k <= order; k++)
        e[k] = quotient_error(sum_error(false, y, e, y, e, 1, k - 1, k) + err(eu, k) + 2 * U * fabs(u[k]), y[k], 2 * y[0], 2 * e[0]);
}

static void square_error(const double *u, const double *eu, double e[SIZE]) {
    for (int k = 0; k <= order; k++)
        e[k] = sum_error(false, u, eu, u, eu, 0, k, k);
}

static void log_error(const double *u, const double *y, double *e) {
    e[0] = LIBM * fabs(y[0]);
    for (int k = 1; k <= order; k++)
        e[k] = quotient_error(sum_error(true, y, e, u, NULL, 1, k - 1, k) / k + 2 * U * fabs(u[k]), y[k], u[0], 0);
}

/* y' = m' w */
static double rate_error(const double *m, const double *em, const double *w, const double *ew, double y, int k) {
    return sum_error(true, m, em, w, ew, 1, k, k) / k + 2 * U * fabs(y);
}

/* y' w = r with r_{k-1} known to `known`, times k */
static double arc_error(double known, const double *y, const double *e, const double *w, const double *ew, int k) {
    return quotient_error(known + sum_error(true, y, e, w, ew, 1, k - 1, k), y[k], k * w[0], k * ew[0]);
}

/* ---- the operations */

typedef enum operation {
    MUL,
    SQUARE,
    DIV,
    SQRT,
    EXP,
    LOG,
    SIN,
    COS,
    TAN,
    ASIN,
    ACOS,
    ATAN,
    ATAN2,
    SINH,
    COSH,
    TANH,
    ROOT3,
    MINUS,
    LARGE,
    CUBE,
    NINETEENTH,
    POWER,
    COMPOSE,
    OPERATIONS
} operation;

static const char *const names[OPERATIONS] = {"a b",   "u^2",    "a / b",  "sqrt", "exp",   "log",  "sin",  "cos",
                                              "tan",   "asin",   "acos",   "atan", "atan2", "sinh", "cosh", "tanh",
                                              "u^1/3", "u^-2.7", "u^8.25", "u^3",  "u^19",  "u^v",  "f(g)"};

static double exponent_of(operation op) { return op == ROOT3 ? 1.0 / 3 : op == MINUS ? -2.7 : op == LARGE ? 8.25 : op == CUBE ? 3 : 19; }

/* y and the bound e by the library, from a and b */
static void compute(operation op, const double *a, const double *b, double *y, double *e) {
    double other[SIZE], work[20 * SIZE], ew[SIZE], eo[SIZE], *w = work;
    switch (op) {
    case MUL:
    case SQUARE:
        bl_taylor_mul(order, a, op == MUL ? b : a, y);
        for (int k = 0; k <= order; k++)
            e[k] = sum_error(false, a, NULL, op == MUL ? b : a, NULL, 0, k, k);
        return;
    case DIV:
        bl_taylor_div(order, a, b, y);
        for (int k = 0; k <= order; k++)
            e[k] = quotient_error(sum_error(false, b, NULL, y, e, 1, k, k) + U * fabs(a[k]), y[k], b[0], 0);
        return;
    case SQRT:
        bl_taylor_sqrt(order, a, y);
        sqrt_error(a, NULL, y, e);
        return;
    case EXP:
        bl_taylor_exp(order, a, y);
        e[0] = LIBM * fabs(y[0]);
        for (int k = 1; k <= order; k++)
            e[k] = rate_error(a, NULL, y, e, y[k], k);
        return;
    case LOG:
        bl_taylor_log(order, a, y);
        log_error(a, y, e);
        return;
    case SIN:
    case COS:
    case SINH:
    case COSH: {
        double *s = op == SIN || op == SINH ? y : other, *c = op == SIN || op == SINH ? other : y;
        double *es = s == y ? e : eo, *ec = c == y ? e : eo;
        (op == SIN || op == COS ? bl_taylor_sincos : bl_taylor_sinhcosh)(order, a, s, c);
        es[0] = LIBM * fabs(s[0]);
        ec[0] = LIBM * fabs(c[0]);
        for (int k = 1; k <= order; k++) {
            es[k] = rate_error(a, NULL, c, ec, s[k], k);
            ec[k] = rate_error(a, NULL, s, es, c[k], k);
        }
        return;
    }
    case TAN:
    case TANH:
        (op == TAN ? bl_taylor_tan : bl_taylor_tanh)(order, a, y, w);
        e[0] = LIBM * fabs(y[0]);
        ew[0] = op == TAN ? sum_error(false, y, e, y, e, 0, 0, 0) + U * w[0] : 4 * LIBM * w[0];
        for (int k = 1; k <= order; k++) {
            e[k] = rate_error(a, NULL, w, ew, y[k], k);
            ew[k] = sum_error(false, y, e, y, e, 0, k, k);
        }
        return;
    case ASIN:
    case ACOS: {
        double *root = work, *square = work + order + 1, er[SIZE];
        (op == ASIN ? bl_taylor_asin : bl_taylor_acos)(order, a, y, work);
        square_error(a, NULL, ew);
        ew[0] = 3 * U * fabs(square[0]);
        sqrt_error(square, ew, root, er);
        e[0] = LIBM * fabs(y[0]);
        for (int k = 1; k <= order; k++)
            e[k] = arc_error(2 * U * k * fabs(a[k]), y, e, root, er, k);
        return;
    }
    case ATAN:
        bl_taylor_atan(order, a, y, w);
        square_error(a, NULL, ew);
        ew[0] += U * w[0];
        e[0] = LIBM * fabs(y[0]);
        for (int k = 1; k <= order; k++)
            e[k] = arc_error(2 * U * k * fabs(a[k]), y, e, w, ew, k);
        return;
    case ATAN2:
        bl_taylor_atan2(order, a, b, y, w);
        square_error(a, NULL, ew);
        square_error(b, NULL, eo);
        for (int k = 0; k <= order; k++)
            ew[k] += eo[k] + U * fabs(w[k]);
        e[0] = LIBM * fabs(y[0]);
        for (int k = 1; k <= order; k++)
            e[k] =
                arc_error(1.1 * (sum_error(true, a, NULL, b, NULL, 1, k, k) + sum_error(true, b, NULL, a, NULL, 1, k, k)), y, e, w, ew, k);
        return;
    case ROOT3:
    case MINUS:
    case LARGE: {
        double p = exponent_of(op);
        bl_taylor_pow(order, a, p, y, work);
        e[0] = LIBM * fabs(y[0]);
        for (int k = 1; k <= order; k++) {
            double rest = 0;
            for (int j = 1; j <= k; j++) {
                double times = fabs(p) * j + (k - j);
                rest += times * fabs(a[j]) * (e[k - j] + (k + 5) * U * fabs(y[k - j]));
            }
            e[k] = quotient_error(rest, y[k], k * a[0], 0);
        }
        return;
    }
    case CUBE:
    case NINETEENTH: { /* n - 1 products, each off by (k + 5) roundings of the product of absolute values */
        double size[SIZE], absolute[SIZE];
        int n = (int)exponent_of(op);
        bl_taylor_pow(order, a, n, y, work);
        for (int k = 0; k <= order; k++)
            absolute[k] = fabs(a[k]);
        bl_taylor_pow(order, absolute, n, size, work);
        for (int k = 0; k <= order; k++)
            e[k] = n * (k + 5) * U * size[k];
        return;
    }
    case POWER: {
        double *logarithm = work, *product = work + order + 1;
        bl_taylor_power(order, a, b, y, work);
        log_error(a, logarithm, eo);
        e[0] = LIBM * fabs(y[0]);
        for (int k = 0; k <= order; k++)
            ew[k] = sum_error(false, b, NULL, logarithm, eo, 0, k, k);
        for (int k = 1; k <= order; k++)
            e[k] = rate_error(product, ew, y, e, y[k], k);
        return;
    }
    case COMPOSE: { /* order products of K - j coefficients; as for integer powers */
        double f[SIZE], g[SIZE];
        bl_taylor_compose(order, b, a, y);
        for (int k = 0; k <= order; k++) {
            f[k] = fabs(b[k]);
            g[k] = fabs(a[k]);
        }
        bl_taylor_compose(order, f, g, e);
        for (int k = 0; k <= order; k++)
            e[k] *= (k + 1) * (k + 5) * U;
        return;
    }
    case OPERATIONS: break;
    }
}

/* the same in multiple precision, by other methods; in pool[2] */
static void reference(operation op) {
    mp_series *a = &pool[0], *b = &pool[1], *y = &pool[2], *p = &pool[3], *q = &pool[4], *r = &pool[5];
    switch (op) {
    case MUL: mp_mul(*y, *a, *b); break;
    case SQUARE: mp_mul(*y, *a, *a); break;
    case DIV:
        mp_power(*p, *b, -1);
        mp_mul(*y, *a, *p);
        break;
    case SQRT: mp_power(*y, *a, 0.5); break;
    case EXP: mp_exp(*y, *a); break;
    case LOG: mp_log(*y, *a); break;
    case SIN: mp_sincos(*y, *p, *a); break;
    case COS: mp_sincos(*p, *y, *a); break;
    case SINH: mp_sinhcosh(*y, *p, *a); break;
    case COSH: mp_sinhcosh(*p, *y, *a); break;
    case TAN:
    case TANH:
        (op == TAN ? mp_sincos : mp_sinhcosh)(*p, *q, *a);
        mp_power(*r, *q, -1);
        mp_mul(*y, *p, *r);
        break;
    case ASIN:
    case ACOS:
    case ATAN:
        mp_mul(*p, *a, *a);
        for (int k = 0; k <= order && op != ATAN; k++)
            mpfr_neg((*p)[k], (*p)[k], MPFR_RNDN);
        mpfr_add_si((*p)[0], (*p)[0], 1, MPFR_RNDN);
        mp_power(*q, *p, op == ATAN ? -1 : -0.5);
        mp_rate(*r, *a);
        mp_mul(*p, *q, *r);
        for (int k = 0; k <= order && op == ACOS; k++)
            mpfr_neg((*p)[k], (*p)[k], MPFR_RNDN);
        (op == ASIN ? mpfr_asin : op == ACOS ? mpfr_acos : mpfr_atan)((*y)[0], (*a)[0], MPFR_RNDN);
        mp_integral(*y, *p);
        break;
    case ATAN2: /* a beside b: (b a' - a b') / (a^2 + b^2) */
        mp_rate(*p, *a);
        mp_mul(*q, *p, *b);
        mp_rate(*p, *b);
        mp_mul(*r, *p, *a);
        mp_add(*q, *q, *r, -1);
        mp_mul(*p, *a, *a);
        mp_mul(*r, *b, *b);
        mp_add(*p, *p, *r, 1);
        mp_power(*r, *p, -1);
        mp_mul(*p, *q, *r);
        mpfr_atan2((*y)[0], (*a)[0], (*b)[0], MPFR_RNDN);
        mp_integral(*y, *p);
        break;
    case ROOT3:
    case MINUS:
    case LARGE:
    case CUBE:
    case NINETEENTH: mp_power(*y, *a, exponent_of(op)); break;
    case POWER:
        mp_log(*p, *a);
        mp_mul(*q, *p, *b);
        mp_exp(*y, *q);
        break;
    case COMPOSE: mp_compose(*y, *b, *a); break;
    case OPERATIONS: break;
    }
}

static void start(void) {
    mpfr_set_default_prec(BITS);
    mpfr_inits(scratch, factor, (mpfr_ptr)0);
    for (int i = 0; i < POOL; i++)
        for (int k = 0; k < SIZE; k++)
            mpfr_init(pool[i][k]);
}

static void finish(void) {
    mpfr_clears(scratch, factor, (mpfr_ptr)0);
    for (int i = 0; i < POOL; i++)
        for (int k = 0; k < SIZE; k++)
            mpfr_clear(pool[i][k]);
    mpfr_free_cache();
}

static double off(double found, mpfr_t expected) {
    mpfr_set_d(scratch, found, MPFR_RNDN);
    mpfr_sub(scratch, scratch, expected, MPFR_RNDN);
    return fabs(mpfr_get_d(scratch, MPFR_RNDU));
}

static void check(operation op, const double *a, const double *b, bool tame) {
    double y[SIZE], e[SIZE], largest = 0;
    compute(op, a, b, y, e);
    mp_set(pool[0], a);
    mp_set(pool[1], b);
    reference(op);
    for (int k = 0; k <= order; k++)
        largest = fmax(largest, fabs(y[k]));
    for (int k = 0; k <= order; k++) {
        double error = off(y[k], pool[2][k]);
        if (!(error <= 1.01 * e[k] + 1e-300))
            fail_msg("%s, order %d: coefficient %d is %.17g, off by %.3g, bound %.3g", names[op], order, k, y[k], error, e[k]);
        if (tame && !(e[k] <= 1e-9 * largest)) /* the bound is meaningful */
            fail_msg("%s, order %d: bound %.3g of coefficient %d among those up to %.3g", names[op], order, e[k], k, largest);
    }
}

static void every_operation__agrees_with_multiple_precision(void **state) {
    (void)state;
    test_random random = {test_seed(61)};
    start();
    for (int trial = 0; trial < 12; trial++) {
        order = trial == 0 ? ORDER : trial == 1 ? 0 : trial == 2 ? 1 : test_random_below(&random, SIZE);
        for (int op = 0; op < OPERATIONS; op++) {
            double a[SIZE], b[SIZE];
            bool tame = trial % 2 == 0;                                       /* coefficients fall; else they may grow */
            double fall = tame ? 0.3 : 1.4 * test_random_unit(&random) + 0.1; /* sum of |a_k| below 0.43, where a_0 is at least 0.5 */
            bool bounded = op == ASIN || op == ACOS || op == TAN;
            a[0] = bounded ? 0.4 * test_random_symmetric(&random) : 0.5 + 2 * test_random_unit(&random);
            b[0] = 0.5 + test_random_unit(&random);
            bool any_sign = op == EXP || op == SIN || op == COS || op == SINH || op == COSH || op == TANH || op == ATAN || op == ATAN2 ||
                            op == MUL || op == SQUARE || op == CUBE || op == NINETEENTH;
            if (any_sign && test_random_below(&random, 2))
                a[0] = -a[0];
            for (int k = 1; k <= order; k++) {
                a[k] = test_random_below(&random, 5) ? pow(fall, k) * test_random_symmetric(&random) : 0;
                b[k] = test_random_below(&random, 5) ? pow(fall, k) * test_random_symmetric(&random) : 0;
            }
            check((operation)op, a, b, tame);
        }
    }
    finish();
}

/* u(y(s)) = s with y by the library, the left side in multiple precision; bounded by the inverse of a majorant */
static void reversion_shift_and_value__agree_too(void **state) {
    (void)state;
    test_random random = {test_seed(62)};
    start();
    for (int trial = 0; trial < 10; trial++) {
        order = 1 + test_random_below(&random, 40);
        double u[SIZE], y[SIZE], work[SIZE], size[SIZE], absolute[SIZE], moved[SIZE], center = test_random_symmetric(&random);
        u[0] = test_random_symmetric(&random);
        u[1] = 1 + test_random_unit(&random);
        for (int k = 2; k <= order; k++)
            u[k] = pow(0.4, k) * test_random_symmetric(&random);
        bl_taylor_revert(order, u, y, work);
        /* majorant of the inverse: that of u_1 t - sum |u_k| t^k, all coefficients positive */
        absolute[0] = 0;
        absolute[1] = u[1];
        for (int k = 2; k <= order; k++)
            absolute[k] = -fabs(u[k]);
        bl_taylor_revert(order, absolute, size, work);
        mp_set(pool[0], u);
        mp_set(pool[1], y);
        mp_compose(pool[2], pool[0], pool[1]);
        for (int k = 0; k <= order; k++) {
            double expected = k == 0 ? u[0] : k == 1;
            double error = off(expected, pool[2][k]);
            if (!(error <= 40 * (k + 1) * (k + 1) * U * (k ? u[1] * size[k] : 1) + 1e-300))
                fail_msg("reversion, order %d: coefficient %d is off by %.3g, size %.3g", order, k, error, size[k]);
        }
        /* u(center + s) = sum of u_i binomial(i, k) center^(i-k) */
        bl_taylor_shift(order, u, center, moved);
        double value = bl_taylor_value(order, u, center), rate, again = bl_taylor_value_rate(order, u, center, &rate);
        for (int k = 0; k <= order; k++) {
            double magnitude = 0;
            mpfr_set_zero(pool[3][0], 1);
            for (int i = k; i <= order; i++) {
                mpfr_set_d(factor, center, MPFR_RNDN);
                mpfr_pow_si(factor, factor, i - k, MPFR_RNDN);
                for (int j = 1; j <= k; j++) {
                    mpfr_mul_si(factor, factor, i - k + j, MPFR_RNDN);
                    mpfr_div_si(factor, factor, j, MPFR_RNDN);
                }
                mpfr_mul_d(factor, factor, u[i], MPFR_RNDN);
                mpfr_add(pool[3][0], pool[3][0], factor, MPFR_RNDN);
                magnitude += fabs(mpfr_get_d(factor, MPFR_RNDN));
            }
            double bound = 2.1 * (order + 1) * U * magnitude;
            assert_true(off(moved[k], pool[3][0]) <= bound);
            assert_true(k != 0 || (off(value, pool[3][0]) <= bound && again == value));
            assert_true(k != 1 || off(rate, pool[3][0]) <= 2 * bound);
        }
    }
    finish();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation__agrees_with_multiple_precision),
        cmocka_unit_test(reversion_shift_and_value__agree_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void multiple_precision__is_not_installed(void **state) {
    (void)state;
    print_message("MPFR was not found when this was built: nothing is compared (Debian: libmpfr-dev)\n");
    skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(multiple_precision__is_not_installed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
