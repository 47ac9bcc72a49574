/* First sign changes by Chebyshev interpolation. With p = sum c_k T_k on an interval,
 *
 *     |c_0| > sum_{k > 0} |c_k|             p has no root there,
 *     the same for the coefficients of p'   at most one;
 *
 * intervals where neither holds are halved. The root is refined on the function itself. Trefethen (2013), chapters 3 and 18. */
#include "study/event_roots.h"

#include "study/study_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { FIRST = 8, MOST = 32, SPLITS = 6, HALVINGS = 44, POLISH = 100 };

struct bl_event_roots {
    bl_context *ctx;
    bl_index n;
    double cosine[2 * MOST]; /* cos(pi l / MOST) */
    double *value;           /* [MOST + 1][n] at the nodes cos(pi j / MOST) of an interval */
    double *at;              /* [n] */
    int *sign;               /* [n] of each function before the interval; 0: it has not left zero yet */
};

bl_status bl_event_roots_create(bl_context *ctx, bl_index n, bl_event_roots **out) {
    bl_event_roots *roots;
    *out = NULL;
    BL_TRY(BL_NEW(ctx, roots, 1));
    roots->ctx = ctx;
    roots->n = n;
    for (int l = 0; l < 2 * MOST; l++)
        roots->cosine[l] = cos(acos(-1) * l / MOST);
    bl_status status = BL_NEW(ctx, roots->value, (MOST + 2) * n + 1);
    if (status == BL_OK)
        status = BL_NEW(ctx, roots->sign, n + 1);
    if (status != BL_OK) {
        bl_event_roots_destroy(roots);
        return status;
    }
    roots->at = roots->value + (MOST + 1) * n;
    *out = roots;
    return BL_OK;
}

void bl_event_roots_destroy(bl_event_roots *roots) {
    if (!roots)
        return;
    bl_free(roots->ctx, roots->value);
    bl_free(roots->ctx, roots->sign);
    bl_free(roots->ctx, roots);
}

static int sign_of(double x) { return (x > 0) - (x < 0); }

/* ---- one function */

enum { PATIENCE = 3 }; /* secants that do not halve the interval before it is halved; one less each time */

void bl_bracket_begin(bl_bracket *b, double lo, double at_lo, double hi, double at_hi) {
    *b = (bl_bracket){.lo = lo, .hi = hi, .weight_lo = at_lo, .weight_hi = at_hi, .patience = PATIENCE};
}

bool bl_bracket_next(const bl_bracket *b, double finest, double *x) {
    double width = b->hi - b->lo, margin = 0.5 * finest;
    if (!(width > finest) || b->weight_hi == 0)
        return false;
    *x = b->slow >= b->patience ? 0.5 * (b->lo + b->hi) : b->hi - b->weight_hi * width / (b->weight_hi - b->weight_lo);
    *x = fmin(fmax(*x, b->lo + margin), b->hi - margin); /* once the change is known the next point is on the other side of it */
    return *x > b->lo && *x < b->hi;
}

/* by how much the weight of the end that stays is reduced */
static double reduction(double value, double replaced) {
    double m = 1 - value / replaced;
    return m > 0 ? m : 0.5;
}

void bl_bracket_take(bl_bracket *b, double x, double value) {
    double width = b->hi - b->lo;
    int side = (value > 0) == (b->weight_lo > 0) && value != 0 ? -1 : 1;
    if (b->slow >= b->patience && b->patience > 1)
        b->patience--;
    if (side < 0) {
        b->weight_hi *= b->last == side ? reduction(value, b->weight_lo) : 1;
        b->lo = x;
        b->weight_lo = value;
    } else {
        b->weight_lo *= b->last == side ? reduction(value, b->weight_hi) : 1;
        b->hi = x;
        b->weight_hi = value;
    }
    b->last = side;
    b->slow = b->hi - b->lo > 0.5 * width ? b->slow + 1 : 0;
}

/* ---- one polynomial */

typedef struct polynomial {
    const double *cosine;
    int degree;
    double c[MOST + 1];
    double noise;  /* values below it are rounding */
    double blur;   /* rounding of all coefficients of an interval together */
    int direction; /* of changes that count; 0: both */
} polynomial;

/* a change from the sign `before` to the other counts */
static bool counts(int direction, int before) { return before != 0 && (direction == 0 || direction == -before); }

/* coefficients of values at cos(pi j / m), v[j stride] */
static void interpolate(const double *cosine, int m, const double *v, bl_index stride, double *c) {
    int every = MOST / m;
    for (int k = 0; k <= m; k++) {
        double sum = 0.5 * (v[0] + (k % 2 ? -1 : 1) * v[m * stride]);
        for (int j = 1; j < m; j++)
            sum += v[j * stride] * cosine[(j * k * every) % (2 * MOST)];
        c[k] = sum * (k == 0 || k == m ? 1 : 2) / m;
    }
}

static double value_at(const polynomial *p, double x) { /* Clenshaw */
    double b1 = 0, b2 = 0;
    for (int k = p->degree; k > 0; k--) {
        double b = p->c[k] + 2 * x * b1 - b2;
        b2 = b1;
        b1 = b;
    }
    return p->c[0] + x * b1 - b2;
}

static double rest(int m, const double *c) {
    double sum = 0;
    for (int k = 1; k <= m; k++)
        sum += fabs(c[k]);
    return sum;
}

static bool is_monotone(int m, const double *c) {
    double d[MOST + 2] = {0};
    for (int k = m; k > 0; k--) /* d_{k-1} = d_{k+1} + 2 k c_k, d_0 half of it */
        d[k - 1] = (k + 1 <= m - 1 ? d[k + 1] : 0) + 2 * k * c[k];
    return fabs(0.5 * d[0]) > rest(m - 1, d);
}

/* where p changes from the sign `before` between a and b; it has the other sign at b */
static double narrow(const polynomial *p, double a, double b, int before) {
    if (sign_of(value_at(p, a)) == -before)
        return a;
    for (int k = 0; k < 60 && b - a > DBL_EPSILON; k++) {
        double x = 0.5 * (a + b);
        *(sign_of(value_at(p, x)) == -before ? &b : &a) = x;
    }
    return b;
}

/* The first sign change on [a, b], where the coefficients are c. *sign: the sign before it, updated up to the change. */
static bool isolate(const polynomial *p, const double *c, double a, double b, int halvings, int *sign, double *x) {
    int m = p->degree;
    double others = rest(m, c), end = 0;
    if (fabs(c[0]) > others + p->noise) {
        int now = sign_of(c[0]);
        *x = a;
        if (now == -*sign && counts(p->direction, *sign))
            return true;
        *sign = now;
        return false;
    }
    if (fabs(c[0]) + others <= p->noise + p->blur)
        return false;
    if (halvings == 0 || is_monotone(m, c)) {
        for (int k = 0; k <= m; k++)
            end += c[k];
        int now = fabs(end) > p->noise ? sign_of(end) : 0;
        if (now != 0 && now == -*sign && counts(p->direction, *sign)) {
            *x = narrow(p, a, b, *sign);
            return true;
        }
        *sign = now != 0 ? now : *sign;
        return false;
    }
    double mid = 0.5 * (a + b);
    for (int half = 0; half < 2; half++) {
        double from = half ? mid : a, to = half ? b : mid, v[MOST + 1], part[MOST + 1];
        for (int j = 0; j <= m; j++)
            v[j] = value_at(p, 0.5 * (from + to) + 0.5 * (to - from) * p->cosine[j * (MOST / m)]);
        interpolate(p->cosine, m, v, 1, part);
        if (isolate(p, part, from, to, halvings - 1, sign, x))
            return true;
    }
    return false;
}

/* ---- subintervals */

/* whether the tail has reached rounding; sets the noise */
static bool is_resolved(polynomial *p) {
    int m = p->degree;
    double largest = 0, third = 0, fourth = 0;
    for (int k = 0; k <= m; k++)
        largest = fmax(largest, fabs(p->c[k]));
    for (int k = m / 2; k < 3 * m / 4; k++)
        third = fmax(third, fabs(p->c[k]));
    for (int k = 3 * m / 4; k <= m; k++)
        fourth = fmax(fourth, fabs(p->c[k]));
    p->blur = 4 * (m + 1) * DBL_EPSILON * (fabs(p->c[0]) + rest(m, p->c));
    p->noise = 4 * fourth + 4 * DBL_EPSILON * largest;
    return fourth <= study_event_resolved * largest ||
           (m > FIRST && fmax(third, fourth) <= study_event_plateau * largest && fourth > 0.05 * third);
}

/* far from zero all over the interval: its kinks do not matter */
static bool is_away(const polynomial *p) { return fabs(p->c[0]) > 2 * rest(p->degree, p->c) + p->noise; }

typedef struct search {
    bl_event_roots *roots;
    bl_event_functions f;
    void *user;
    const signed char *direction; /* [n]; NULL: both */
    double finest, x;
    bl_index which;
} search;

/* values at the nodes that are not in the coarser grid */
static bl_status sample(search *s, double a, double b, int m) {
    bl_event_roots *roots = s->roots;
    int every = MOST / m;
    for (int j = 0; j <= m; j++) {
        if (m > FIRST && j % 2 == 0)
            continue;
        double x = j == 0 ? b : j == m ? a : 0.5 * (a + b) + 0.5 * (b - a) * roots->cosine[j * every];
        BL_TRY(s->f(s->user, x, roots->value + j * every * roots->n));
    }
    return BL_OK;
}

/* refines x, where function i changes from the sign `before`, on the function itself */
static bl_status polish(search *s, bl_index i, int before, double a, double b, double x, double *out) {
    double lo = x, hi = x, glo = 0, ghi = 0, width = fmax(study_event_width, 2 * s->finest);
    double *g = s->roots->at;
    bool left = false, right = false;
    for (; !(left && right); width *= 16) {
        if (!left) {
            lo = fmax(x - width, -1);
            BL_TRY(s->f(s->user, lo, g));
            glo = g[i];
            left = sign_of(glo) == before;
        }
        if (!right) {
            hi = fmin(x + width, 1);
            BL_TRY(s->f(s->user, hi, g));
            ghi = g[i];
            right = sign_of(ghi) != before;
        }
        if (width > b - a)
            break;
    }
    *out = hi;
    if (!right)
        *out = x;
    if (!left || !right)
        return BL_OK;
    bl_bracket bracket;
    bl_bracket_begin(&bracket, lo, glo, hi, ghi);
    for (int k = 0; k < POLISH && bl_bracket_next(&bracket, s->finest, &x); k++) {
        BL_TRY(s->f(s->user, x, g));
        bl_bracket_take(&bracket, x, g[i]);
    }
    *out = bracket.hi;
    return BL_OK;
}

/* the first change on [a, b] */
static bl_status find_first(search *s, double a, double b, int splits) {
    bl_event_roots *roots = s->roots;
    polynomial p = {.cosine = roots->cosine};
    bool resolved = false;
    int m = FIRST / 2;
    while (!resolved && m < MOST) {
        m *= 2;
        BL_TRY(sample(s, a, b, m));
        resolved = true;
        for (bl_index i = 0; i < roots->n && resolved; i++) {
            p.degree = m;
            interpolate(roots->cosine, m, roots->value + i, roots->n * (MOST / m), p.c);
            resolved = is_resolved(&p) || is_away(&p);
        }
    }
    if (!resolved && splits > 0) {
        double mid = 0.5 * (a + b);
        BL_TRY(find_first(s, a, mid, splits - 1));
        return s->which >= 0 ? BL_OK : find_first(s, mid, b, splits - 1);
    }
    double first = INFINITY;
    for (bl_index i = 0; i < roots->n; i++) {
        double x;
        p.degree = m;
        p.direction = s->direction ? s->direction[i] : 0;
        interpolate(roots->cosine, m, roots->value + i, roots->n * (MOST / m), p.c);
        is_resolved(&p);
        if (!isolate(&p, p.c, -1, 1, HALVINGS, &roots->sign[i], &x) || !(x < first))
            continue;
        first = x;
        s->which = i;
    }
    if (s->which < 0)
        return BL_OK;
    return polish(s, s->which, roots->sign[s->which], a, b, 0.5 * (a + b) + 0.5 * (b - a) * first, &s->x);
}

bl_status bl_event_roots_first(bl_event_roots *roots, bl_event_functions f, void *user, const double *start, const signed char *direction,
                               double finest, double *x, bl_index *which) {
    search s = {.roots = roots, .f = f, .user = user, .direction = direction, .finest = fmax(finest, DBL_EPSILON), .x = 1, .which = -1};
    for (bl_index i = 0; i < roots->n; i++)
        roots->sign[i] = sign_of(start[i]);
    bl_status status = find_first(&s, -1, 1, SPLITS);
    if (status == BL_OK && s.which < 0) { /* a change within rounding of the end */
        status = f(user, 1, roots->at);
        for (bl_index i = 0; status == BL_OK && i < roots->n && s.which < 0; i++)
            if (counts(direction ? direction[i] : 0, roots->sign[i]) && sign_of(roots->at[i]) != roots->sign[i])
                s.which = i;
    }
    *x = s.x;
    *which = s.which;
    return status;
}
