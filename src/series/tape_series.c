/* A tape over truncated power series. Every operation y = f(u) has a recurrence that gives y_k from u_0..u_k and y_0..y_{k-1},
 * most of them from k y_k = sum j u_j f'(u)_{k-j} (Griewank, Walther: Evaluating Derivatives, 2008, ch. 13). Series that a
 * recurrence needs besides its own (cos beside sin) stand behind the nodes' series. */
#include "series/tape_inner.h"

/* sum of a_j b_{k-j}, j = 0..k */
static double convolve(const double *a, const double *b, int k) {
    double sum = 0;
    if (a == b) {
        for (int j = 0; 2 * j < k; j++)
            sum += a[j] * a[k - j];
        return k % 2 ? 2 * sum : 2 * sum + a[k / 2] * a[k / 2];
    }
    for (int j = 0; j <= k; j++)
        sum += a[j] * b[k - j];
    return sum;
}

/* sum of j u_j w_{k-j}, j = 1..last */
static double convolve_rate(const double *u, const double *w, int last, int k) {
    double sum = 0;
    for (int j = 1; j <= last; j++)
        sum += j * u[j] * w[k - j];
    return sum;
}

/* sum of a_j b_{k-j}, j = 1..last */
static double convolve_part(const double *a, const double *b, int last, int k) {
    double sum = 0;
    for (int j = 1; j <= last; j++)
        sum += a[j] * b[k - j];
    return sum;
}

/* index of the first coefficient up to k that is not zero; k + 1 when there is none */
static int leading(const double *u, int k) {
    int j = 0;
    while (j <= k && u[j] == 0)
        j++;
    return j;
}

static double log_next(const double *u, const double *y, int k) {
    return k == 0 ? log(u[0]) : (u[k] - convolve_rate(y, u, k - 1, k) / k) / u[0];
}

static double sqrt_next(const double *u, const double *y, int k) {
    if (k == 0)
        return sqrt(u[0]);
    double rest = u[k] - convolve_part(y, y, k - 1, k);
    return rest == 0 ? 0 : rest / (2 * y[0]); /* a series that is zero so far has the root zero */
}

/* y = u^p. A base t^m w(t) with w(0) != 0 and m > 0 gives t^(mp) w^p as far as that is a series and u_0..u_k tell it. */
static double power_next(const double *u, double p, const double *y, int k) {
    int m = leading(u, k);
    if (k == 0)
        return pow(u[0], p);
    if (m > 0 && p == 0)
        return 0;
    if (m > k)
        return p > 0 ? 0 : NAN;
    double start = m > 0 ? m * p : 0;
    if (m > 0 && p > 1 && k < start)
        return 0;
    if (m > 0 && (p < 1 || start != floor(start)))
        return NAN;
    const double *w = u + m, *z = y + (int)start;
    int n = k - (int)start;
    if (n == 0)
        return pow(w[0], p);
    double sum = 0;
    for (int j = 1; j <= n; j++)
        sum += (p * j - (n - j)) * w[j] * z[n - j];
    return sum / (n * w[0]);
}

/* y = u^n for a whole n > 1 by squaring and multiplying, so that a base near zero divides nothing */
static double chain_next(int n, const double *u, double *extra, int stride, int k) {
    int top = 1;
    while (n / top > 1)
        top *= 2;
    const double *power = u;
    for (int bit = top / 2; bit > 0; bit /= 2) {
        extra[k] = convolve(power, power, k);
        power = extra;
        extra += stride;
        if (n & bit) {
            extra[k] = convolve(power, u, k);
            power = extra;
            extra += stride;
        }
    }
    return k == 0 ? pow(u[0], n) : power[k];
}

static double power_any_next(const double *u, const double *b, double *extra, int stride, const double *y, int k) {
    double *logarithm = extra, *product = extra + stride;
    logarithm[k] = log_next(u, logarithm, k);
    product[k] = convolve(b, logarithm, k);
    if (k == 0 || leading(b + 1, k - 1) > k - 1)
        return power_next(u, b[0], y, k);
    return convolve_rate(product, y, k, k) / k;
}

/* sine and cosine (sign -1) or their hyperbolic sisters (sign 1): s' = u' c, c' = sign u' s */
static void pair_next(bool hyperbolic, const double *u, double *s, double *c, int k) {
    if (k == 0) {
        s[0] = hyperbolic ? sinh(u[0]) : sin(u[0]);
        c[0] = hyperbolic ? cosh(u[0]) : cos(u[0]);
        return;
    }
    s[k] = convolve_rate(u, c, k, k) / k;
    c[k] = (hyperbolic ? 1 : -1) * convolve_rate(u, s, k, k) / k;
}

/* tan (sign 1) and tanh (sign -1): y' = u' w, w = 1 + sign y^2 */
static double tangent_next(bool hyperbolic, const double *u, double *w, double *y, int k) {
    y[k] = k > 0 ? convolve_rate(u, w, k, k) / k : hyperbolic ? tanh(u[0]) : tan(u[0]);
    w[k] = (hyperbolic ? -1 : 1) * convolve(y, y, k) + (k == 0);
    if (hyperbolic && k == 0)
        w[0] = 1 / (cosh(u[0]) * cosh(u[0]));
    return y[k];
}

/* asin (sign 1) and acos (sign -1): y' r = sign u', r = sqrt(1 - u^2) */
static double arc_next(int sign, const double *u, double *root, double *square, const double *y, int k) {
    square[k] = (k == 0) - convolve(u, u, k);
    if (k == 0)
        square[0] = (1 - u[0]) * (1 + u[0]);
    root[k] = sqrt_next(square, root, k);
    if (k == 0)
        return sign > 0 ? asin(u[0]) : acos(u[0]);
    double rest = sign * k * u[k] - convolve_rate(y, root, k - 1, k);
    return rest == 0 ? 0 : rest / (k * root[0]);
}

static double atan_next(const double *u, double *w, const double *y, int k) {
    w[k] = convolve(u, u, k) + (k == 0);
    return k == 0 ? atan(u[0]) : (k * u[k] - convolve_rate(y, w, k - 1, k)) / (k * w[0]);
}

/* angle of (x, y): (x^2 + y^2) angle' = x y' - y x' */
static double atan2_next(const double *y, const double *x, double *w, const double *angle, int k) {
    w[k] = convolve(x, x, k) + convolve(y, y, k);
    if (k == 0)
        return atan2(y[0], x[0]);
    double rest = convolve_rate(y, x, k, k) - convolve_rate(x, y, k, k) - convolve_rate(angle, w, k - 1, k);
    return rest == 0 ? 0 : rest / (k * w[0]);
}

/* y + s (m + s (c2 + s c3)), s = u - x; extra holds the outer parenthesis */
static double table_next(const bl_tape_lut *table, const double *u, double *extra, int k) {
    bl_tape_piece p = bl_tape_piece_at(table, u[0]);
    double s = u[0] - p.x;
    if (p.m == 0 && p.c2 == 0 && p.c3 == 0)
        return k == 0 ? p.y : 0;
    if (k == 0) {
        extra[0] = p.m + s * (p.c2 + s * p.c3);
        return bl_tape_piece_value(&p, u[0]);
    }
    extra[k] = u[k] * (p.c2 + 2 * s * p.c3) + p.c3 * convolve_part(u, u, k - 1, k);
    return s * extra[k] + convolve_part(u, extra, k, k);
}

/* min and max take the side that wins first; sides equal so far have equal coefficients */
static double extreme_next(bool largest, const double *a, const double *b, int k) {
    int j = 0;
    while (j < k && a[j] == b[j])
        j++;
    bool first = largest ? a[j] >= b[j] : a[j] <= b[j];
    return first || a[j] != a[j] ? a[k] : b[k];
}

static double abs_next(const double *u, int k) {
    int j = leading(u, k);
    return j > k ? 0 : bl_tape_scalar(BL_TAPE_SIGN, u[j], 0) * u[k];
}

static void next(const bl_tape *tape, bl_index i, int k, int stride, const double *in, double *work) {
    const bl_tape_node *node = &tape->node[i];
    double *y = work + (size_t)i * (size_t)stride;
    double *extra = work + (size_t)(tape->nnode + tape->extra[i]) * (size_t)stride;
    const double *a = work, *b = work;
    if (i >= tape->nconst + tape->nused) {
        a = work + (size_t)node->a * (size_t)stride;
        b = work + (size_t)node->b * (size_t)stride;
    }
    switch (node->op) {
    case BL_TAPE_CONST: y[k] = k == 0 ? tape->value[node->a] : 0; break;
    case BL_TAPE_INPUT: y[k] = in[(size_t)node->a * (size_t)stride + (size_t)k]; break;
    case BL_TAPE_ADD: y[k] = a[k] + b[k]; break;
    case BL_TAPE_SUB: y[k] = a[k] - b[k]; break;
    case BL_TAPE_MUL: y[k] = node->a < tape->nconst ? a[0] * b[k] : node->b < tape->nconst ? a[k] * b[0] : convolve(a, b, k); break;
    case BL_TAPE_DIV: y[k] = node->b < tape->nconst ? a[k] / b[0] : (a[k] - convolve_part(b, y, k, k)) / b[0]; break;
    case BL_TAPE_POW: {
        int n = bl_tape_chain(tape, node);
        if (n)
            y[k] = chain_next(n, a, extra, stride, k);
        else
            y[k] = node->c ? power_next(a, b[0], y, k) : power_any_next(a, b, extra, stride, y, k);
        break;
    }
    case BL_TAPE_NEG: y[k] = -a[k]; break;
    case BL_TAPE_SQRT: y[k] = sqrt_next(a, y, k); break;
    case BL_TAPE_EXP: y[k] = k == 0 ? exp(a[0]) : convolve_rate(a, y, k, k) / k; break;
    case BL_TAPE_LOG: y[k] = log_next(a, y, k); break;
    case BL_TAPE_SIN: pair_next(false, a, y, extra, k); break;
    case BL_TAPE_COS: pair_next(false, a, extra, y, k); break;
    case BL_TAPE_TAN: tangent_next(false, a, extra, y, k); break;
    case BL_TAPE_ASIN: y[k] = arc_next(1, a, extra, extra + stride, y, k); break;
    case BL_TAPE_ACOS: y[k] = arc_next(-1, a, extra, extra + stride, y, k); break;
    case BL_TAPE_ATAN: y[k] = atan_next(a, extra, y, k); break;
    case BL_TAPE_ATAN2: y[k] = atan2_next(a, b, extra, y, k); break;
    case BL_TAPE_SINH: pair_next(true, a, y, extra, k); break;
    case BL_TAPE_COSH: pair_next(true, a, extra, y, k); break;
    case BL_TAPE_TANH: tangent_next(true, a, extra, y, k); break;
    case BL_TAPE_ABS: y[k] = abs_next(a, k); break;
    case BL_TAPE_MIN: y[k] = extreme_next(false, a, b, k); break;
    case BL_TAPE_MAX: y[k] = extreme_next(true, a, b, k); break;
    case BL_TAPE_SIGN:
    case BL_TAPE_FLOOR:
    case BL_TAPE_LESS:
    case BL_TAPE_LESS_EQUAL:
    case BL_TAPE_EQUAL:
    case BL_TAPE_AND:
    case BL_TAPE_OR:
    case BL_TAPE_NOT: y[k] = k == 0 ? bl_tape_scalar(node->op, a[0], b[0]) : 0; break;
    case BL_TAPE_IF: y[k] = a[0] != 0 ? b[k] : work[(size_t)node->c * (size_t)stride + (size_t)k]; break;
    case BL_TAPE_TABLE: y[k] = table_next(&tape->table[node->c], a, extra, k); break;
    }
}

void bl_tape_series_next(const bl_tape *tape, int order, int k, const double *in, double *out, double *work) {
    int stride = order + 1;
    for (bl_index i = 0; tape->finished && i < tape->nnode; i++)
        next(tape, i, k, stride, in, work);
    for (bl_index m = 0; m < tape->noutput; m++)
        out[(size_t)m * (size_t)stride + (size_t)k] = tape->finished ? work[(size_t)tape->output[m] * (size_t)stride + (size_t)k] : NAN;
}

void bl_tape_series(const bl_tape *tape, int order, const double *in, double *out, double *work) {
    int stride = order + 1;
    for (bl_index i = 0; tape->finished && i < tape->nnode; i++)
        for (int k = 0; k <= order; k++)
            next(tape, i, k, stride, in, work);
    for (bl_index m = 0; m < tape->noutput; m++)
        for (int k = 0; k <= order; k++)
            out[(size_t)m * (size_t)stride + (size_t)k] = tape->finished ? work[(size_t)tape->output[m] * (size_t)stride + (size_t)k] : NAN;
}
