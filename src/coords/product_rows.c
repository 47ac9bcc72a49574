/* Product rows: sums of products of factors (dot, triple product, value, sine, cosine) over a few directions.
 *
 * The angle psi from a to b about u is the root of  sin psi (a.b) - cos psi (a x b).u = 0 , smooth everywhere
 * with derivative |a||b| by psi. Option `switching`: a.b - cos psi or (a x b).u - sin psi, whichever is better
 * conditioned. Three successive angles: see docs/theory/coordinates.md. */
#include "base/vector3.h"
#include "coords/coords_limits.h"
#include "coords/mechanism.h"
#include "joint/touch.h"

#include <math.h>
#include <string.h>

static double angle_about(const double *a, const double *b, const double *u) {
    double c[3];
    cross3(a, b, c);
    return atan2(dot3(c, u), dot3(a, b));
}

/* A direction of the body perpendicular to the axis, as sparse as its basis allows; s receives it in body axes, unit length. axis: in
 * this body's axes, NULL: not fixed in it, so that only the given direction remains perpendicular; axis_form: the axis. The direction is
 * `own`, which belongs to the body alone, minus `axial` times the axis. */
static bl_status choose_reference(const bl_mechanism *m, const bl_mark *given, const double axis[3], const bl_form *axis_form, bl_form *f,
                                  double s[3], bl_form *own, double *axial) {
    *axial = 0;
    const bl_basis *basis = given->body ? &m->basis[given->body] : NULL;
    for (int pass = 0; basis && axis && pass < 2; pass++)
        for (bl_index k = 0; k < basis->n; k++) {
            if (basis->seat[k] < 0 && m->dim == 3)
                continue;
            const double *d = basis->d[k];
            double length = sqrt(dot3(d, d)), along = dot3(d, axis), p[3];
            for (int c = 0; c < 3; c++)
                p[c] = d[c] - along * axis[c];
            double rest = sqrt(dot3(p, p));
            if (pass == 0 ? fabs(along) > coords_across * length : rest < coords_clear_direction * length)
                continue;
            BL_TRY(bl_form_basis(m, basis, k, f));
            *own = *f;
            bl_form_scale(own, 1 / rest);
            *axial = pass == 1 ? along / rest : 0;
            if (pass == 1)
                BL_TRY(bl_form_add(m->ctx, f, -along, axis_form));
            bl_form_scale(f, 1 / rest);
            for (int c = 0; c < 3; c++)
                s[c] = p[c] / rest;
            return BL_OK;
        }
    memcpy(s, given->s, 3 * sizeof *s);
    bl_form_clear(f);
    return bl_form_mark(m, given, f);
}

static bl_term term2(double coef, bl_factor f, bl_factor g) { return (bl_term){.coef = coef, .nfactor = 2, .factor = {f, g}}; }
static bl_term term1(double coef, bl_factor f) { return (bl_term){.coef = coef, .nfactor = 1, .factor = {f}}; }

static bl_factor dot_of(bl_index a, bl_index b) { return (bl_factor){.what = BL_F_DOT, .slot = {a, b}}; }
static bl_factor triple_of(bl_index a, bl_index b, bl_index c) { return (bl_factor){.what = BL_F_TRIPLE, .slot = {a, b, c}}; }
static bl_factor sine(bl_index scalar) { return (bl_factor){.what = BL_F_SIN, .slot = {scalar}}; }
static bl_factor cosine(bl_index scalar) { return (bl_factor){.what = BL_F_COS, .slot = {scalar}}; }

const double *bl_angle_axis(const bl_mechanism *m, bl_index joint, const bl_prim *prim, bl_index body) {
    const bl_mark *axis = &prim->c;
    if (m->dim == 2 || body == axis->body)
        return axis->s;
    for (bl_index i = 0; i < m->model->joint[joint].nprim; i++) {
        const bl_prim *same = &m->model->joint[joint].prim[i];
        if (same->what == BL_SAME && same->a.body == axis->body && same->b.body == body && dot3(same->a.s, axis->s) > 1 - coords_same)
            return same->b.s;
    }
    return NULL;
}

/* The direction f of a body that contains a multiple of the axis: for reactions each body gets the load on its own part. */
static bl_status direction_off_axis(bl_mechanism *m, const bl_prim *prim, bl_index body, const bl_form *f, const bl_form *own,
                                    double *axial, bl_index *dir) {
    bl_part part[2] = {{body, true, 1, -1}, {prim->c.body, true, -*axial, -1}};
    if (m->dim == 2 || body == prim->c.body)
        *axial = 0;
    if (*axial == 0)
        return bl_direction_of(m, f, body, true, dir);
    BL_TRY(bl_direction_of(m, own, body, true, &part[0].form));
    BL_TRY(bl_direction_mark(m, &prim->c, &part[1].form));
    return bl_direction(m, f, part, dir);
}

bl_status bl_product_angle(bl_mechanism *m, bl_index joint, const bl_prim *prim, const bl_gauge *gauge, bl_product *p) {
    const double *axis_a = bl_angle_axis(m, joint, prim, prim->a.body), *axis_b = bl_angle_axis(m, joint, prim, prim->b.body);
    bl_form axis, fa, fb, own_a, own_b;
    double a[3], b[3];
    bl_form_clear(&axis);
    if (m->dim == 3)
        BL_TRY(bl_form_mark(m, &prim->c, &axis));
    BL_TRY(choose_reference(m, &prim->a, axis_a, &axis, &fa, a, &own_a, &p->axial[0]));
    BL_TRY(choose_reference(m, &prim->b, axis_b, &axis, &fb, b, &own_b, &p->axial[1]));
    double zero = prim->zero - (axis_a ? angle_about(prim->a.s, a, axis_a) : 0) + (axis_b ? angle_about(prim->b.s, b, axis_b) : 0);

    p->ndir = 3;
    p->nscalar = 1;
    p->scalar[0] = gauge->entry;
    p->phase[0] = zero;
    BL_TRY(direction_off_axis(m, prim, prim->a.body, &fa, &own_a, &p->axial[0], &p->dir[0]));
    BL_TRY(direction_off_axis(m, prim, prim->b.body, &fb, &own_b, &p->axial[1], &p->dir[1]));
    bl_factor across;
    if (m->dim == 3) {
        BL_TRY(bl_direction_mark(m, &prim->c, &p->dir[2]));
        across = triple_of(0, 1, 2);
    } else { /* (a x b).z = (z x a).b */
        bl_form turned;
        bl_form_clear(&turned);
        for (int k = 0; k < 2; k++) {
            turned.n[k] = fa.n[1 - k];
            memcpy(turned.entry[k], fa.entry[1 - k], sizeof turned.entry[k]);
            memcpy(turned.coef[k], fa.coef[1 - k], sizeof turned.coef[k]);
        }
        for (bl_index i = 0; i < turned.n[0]; i++)
            turned.coef[0][i] = -turned.coef[0][i];
        BL_TRY(bl_direction_of(m, &turned, prim->a.body, true, &p->dir[2]));
        across = dot_of(2, 1);
    }
    if (!m->switching) {
        p->nterm[0] = 2;
        p->term[0][0] = term2(1, sine(0), dot_of(0, 1));
        p->term[0][1] = term2(-1, cosine(0), across);
        return BL_OK;
    }
    p->nterm[0] = p->nterm[1] = 2;
    p->term[0][0] = term1(1, dot_of(0, 1)); /* better conditioned where |sin| is large */
    p->term[0][1] = term1(-1, cosine(0));
    p->term[1][0] = term1(1, across);
    p->term[1][1] = term1(-1, sine(0));
    return BL_OK;
}

/* r_A, v_A, v_B, r_B are local directions 0..3; alpha, beta, gamma local scalars 0..2.
 *   0: cos(alpha) (r_A x r_B).v_A - sin(alpha) r_A.r_B = 0
 *   1: r_B.v_A - sin(beta) = 0
 *   2: v_B.(sin(gamma) v'' + cos(gamma) u') = 0 with e_u = v_A x r_A, u' = -sin(alpha) r_A + cos(alpha) e_u,
 *      v'' = -sin(beta)(cos(alpha) r_A + sin(alpha) e_u) + cos(beta) v_A */
bl_status bl_product_angles(bl_mechanism *m, const bl_prim *prim, bl_index which, bl_product *p) {
    const bl_mark *marks[4] = {&prim->c, &prim->a, &prim->b, &prim->d};
    const bl_index used[3][3] = {{0, 1, 3}, {1, 3, -1}, {0, 1, 2}};
    bl_index local[4] = {-1, -1, -1, -1};
    for (int i = 0; i < 3; i++)
        if (used[which][i] >= 0) {
            bl_index k = used[which][i];
            local[k] = p->ndir;
            BL_TRY(bl_direction_mark(m, marks[k], &p->dir[p->ndir++]));
        }
    bl_index rA = local[0], vA = local[1], vB = local[2], rB = local[3];
    bl_index nscalar = which == 2 ? 3 : 1;
    for (bl_index k = 0; k < nscalar; k++)
        p->scalar[p->nscalar++] = m->gauge[prim->var[which == 2 ? k : which]].entry;
    if (which == 0) {
        p->nterm[0] = 2;
        p->term[0][0] = term2(1, cosine(0), triple_of(rA, rB, vA));
        p->term[0][1] = term2(-1, sine(0), dot_of(rA, rB));
    } else if (which == 1) {
        p->nterm[0] = 2;
        p->term[0][0] = term1(1, dot_of(rB, vA));
        p->term[0][1] = term1(-1, sine(0));
    } else {
        bl_factor r = dot_of(vB, rA), u = triple_of(vA, rA, vB), v = dot_of(vB, vA);
        p->nterm[0] = 5;
        p->term[0][0] = (bl_term){-1, 4, {sine(2), sine(1), cosine(0), r}};
        p->term[0][1] = (bl_term){-1, 4, {sine(2), sine(1), sine(0), u}};
        p->term[0][2] = (bl_term){1, 3, {sine(2), cosine(1), v}};
        p->term[0][3] = (bl_term){-1, 3, {cosine(2), sine(0), r}};
        p->term[0][4] = (bl_term){1, 3, {cosine(2), cosine(0), u}};
    }
    return BL_OK;
}

/* ---- evaluation on local values: directions (dim each), then scalars */

static double levi_civita(int i, int j, int k) { return 0.5 * (i - j) * (j - k) * (k - i); }

typedef struct local {
    const bl_product *p;
    int dim;
    bl_index n;
    double x[BL_LOCAL];
    const double *sine, *cosine; /* of each scalar plus its phase */
} local;

static void gather(const bl_mechanism *m, const bl_product *p, const double *D, const double *x, const double *trig, local *l) {
    l->p = p;
    l->sine = trig;
    l->cosine = trig + BL_LOCAL_SCALARS;
    l->dim = m->dim;
    bl_index n = 0;
    for (bl_index d = 0; d < p->ndir; d++)
        for (int k = 0; k < m->dim; k++)
            l->x[n++] = D[p->dir[d] * m->dim + k];
    for (bl_index s = 0; s < p->nscalar; s++)
        l->x[n++] = x[p->scalar[s]];
    l->n = n;
}

static double factor_value(const local *l, const bl_factor *f) {
    const double *scalar = l->x + l->p->ndir * l->dim;
    const double *a = l->x + f->slot[0] * l->dim, *b = l->x + f->slot[1] * l->dim, *c = l->x + f->slot[2] * l->dim;
    double sum = 0, ab[3];
    switch (f->what) {
    case BL_F_DOT:
        for (int k = 0; k < l->dim; k++)
            sum += a[k] * b[k];
        return sum;
    case BL_F_TRIPLE: cross3(a, b, ab); return dot3(ab, c);
    case BL_F_VALUE: return scalar[f->slot[0]];
    case BL_F_SIN: return l->sine[f->slot[0]];
    case BL_F_COS: return l->cosine[f->slot[0]];
    }
    return 0;
}

/* g += w * gradient */
static void factor_gradient(const local *l, const bl_factor *f, double w, double *g) {
    bl_index s = l->p->ndir * l->dim + f->slot[0];
    const double *a = l->x + f->slot[0] * l->dim, *b = l->x + f->slot[1] * l->dim, *c = l->x + f->slot[2] * l->dim;
    double *ga = g + f->slot[0] * l->dim, *gb = g + f->slot[1] * l->dim, *gc = g + f->slot[2] * l->dim, v[3];
    switch (f->what) {
    case BL_F_DOT:
        for (int k = 0; k < l->dim; k++) {
            double ak = a[k], bk = b[k];
            ga[k] += w * bk;
            gb[k] += w * ak;
        }
        break;
    case BL_F_TRIPLE:
        cross3(b, c, v);
        for (int k = 0; k < 3; k++)
            ga[k] += w * v[k];
        cross3(c, a, v);
        for (int k = 0; k < 3; k++)
            gb[k] += w * v[k];
        cross3(a, b, v);
        for (int k = 0; k < 3; k++)
            gc[k] += w * v[k];
        break;
    case BL_F_VALUE: g[s] += w; break;
    case BL_F_SIN: g[s] += w * l->cosine[f->slot[0]]; break;
    case BL_F_COS: g[s] -= w * l->sine[f->slot[0]]; break;
    }
}

/* h[n][n] += w * Hessian */
static void factor_hessian(const local *l, const bl_factor *f, double w, double *h) {
    bl_index n = l->n, s = l->p->ndir * l->dim + f->slot[0];
    bl_index base[3] = {f->slot[0] * l->dim, f->slot[1] * l->dim, f->slot[2] * l->dim};
    switch (f->what) {
    case BL_F_DOT:
        for (int k = 0; k < l->dim; k++) {
            h[(base[0] + k) * n + base[1] + k] += w;
            h[(base[1] + k) * n + base[0] + k] += w;
        }
        break;
    case BL_F_TRIPLE:
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++) {
                    double e = w * levi_civita(i, j, k);
                    if (e == 0)
                        continue;
                    bl_index at[3] = {base[0] + i, base[1] + j, base[2] + k};
                    for (int r = 0; r < 3; r++) { /* the derivative by two of them is the third */
                        bl_index p = at[(r + 1) % 3], q = at[(r + 2) % 3];
                        h[p * n + q] += e * l->x[at[r]];
                        h[q * n + p] += e * l->x[at[r]];
                    }
                }
        break;
    case BL_F_VALUE: break;
    case BL_F_SIN: h[s * n + s] -= w * l->sine[f->slot[0]]; break;
    case BL_F_COS: h[s * n + s] -= w * l->cosine[f->slot[0]]; break;
    }
}

/* product of all factor values except i and j (-1: no exception) */
static double others(const double *f, bl_index n, bl_index i, bl_index j) {
    double product = 1;
    for (bl_index k = 0; k < n; k++)
        if (k != i && k != j)
            product *= f[k];
    return product;
}

static int active_form(const bl_mechanism *m, const bl_product *p, const local *l) {
    if (!m->switching || p->nterm[1] == 0)
        return 0;
    return fabs(l->sine[0]) > 0.70710678118654752 ? 0 : 1;
}

void bl_product_trig(const bl_product *p, const double *x, double *trig) {
    for (bl_index i = 0; i < p->nscalar; i++) {
        trig[i] = sin(x[p->scalar[i]] + p->phase[i]);
        trig[BL_LOCAL_SCALARS + i] = cos(x[p->scalar[i]] + p->phase[i]);
    }
}

void bl_product_eval(const bl_mechanism *m, const bl_product *p, const double *D, const double *x, const double *trig, double *value,
                     double *grad, double *hess) {
    local l;
    gather(m, p, D, x, trig, &l);
    bl_index n = l.n;
    if (p->function) {
        bl_function_row_eval(p->function, m->dim, l.x, value, grad, hess);
        return;
    }
    int form = active_form(m, p, &l);
    *value = p->constant[form];
    if (grad)
        memset(grad, 0, (size_t)n * sizeof *grad);
    if (hess)
        memset(hess, 0, (size_t)(n * n) * sizeof *hess);
    for (bl_index t = 0; t < p->nterm[form]; t++) {
        const bl_term *term = &p->term[form][t];
        double f[BL_MAX_FACTORS];
        for (bl_index i = 0; i < term->nfactor; i++)
            f[i] = factor_value(&l, &term->factor[i]);
        *value += term->coef * others(f, term->nfactor, -1, -1);
        for (bl_index i = 0; i < term->nfactor; i++) {
            double w = term->coef * others(f, term->nfactor, i, -1);
            if (grad)
                factor_gradient(&l, &term->factor[i], w, grad);
            if (!hess)
                continue;
            factor_hessian(&l, &term->factor[i], w, hess);
            double gi[BL_LOCAL] = {0};
            factor_gradient(&l, &term->factor[i], 1, gi);
            for (bl_index j = i + 1; j < term->nfactor; j++) {
                double wij = term->coef * others(f, term->nfactor, i, j), gj[BL_LOCAL] = {0};
                factor_gradient(&l, &term->factor[j], 1, gj);
                for (bl_index r = 0; r < n; r++)
                    for (bl_index c = 0; c < n; c++)
                        hess[r * n + c] += wij * (gi[r] * gj[c] + gj[r] * gi[c]);
            }
        }
    }
}

/* the directions of a factor and their rates */
static inline void directions_of(const local *l, const bl_factor *f, const double *v, const double *at[3], const double *rate[3]) {
    for (int k = 0; k < 3; k++) {
        at[k] = l->x + f->slot[k] * l->dim;
        rate[k] = v + f->slot[k] * l->dim;
    }
}

/* first derivative of a factor along v */
static double factor_rate(const local *l, const bl_factor *f, const double *v) {
    bl_index s = l->p->ndir * l->dim + f->slot[0];
    const double *at[3], *rate[3];
    directions_of(l, f, v, at, rate);
    double sum = 0, w[3];
    switch (f->what) {
    case BL_F_DOT:
        for (int k = 0; k < l->dim; k++)
            sum += rate[0][k] * at[1][k] + at[0][k] * rate[1][k];
        return sum;
    case BL_F_TRIPLE:
        for (int k = 0; k < 3; k++) {
            cross3(at[(k + 1) % 3], at[(k + 2) % 3], w);
            sum += dot3(w, rate[k]);
        }
        return sum;
    case BL_F_VALUE: return v[s];
    case BL_F_SIN: return l->cosine[f->slot[0]] * v[s];
    case BL_F_COS: return -l->sine[f->slot[0]] * v[s];
    }
    return 0;
}

/* second derivative of a factor along v */
static double factor_second_rate(const local *l, const bl_factor *f, const double *v) {
    bl_index s = l->p->ndir * l->dim + f->slot[0];
    const double *at[3], *rate[3];
    directions_of(l, f, v, at, rate);
    double sum = 0, w[3];
    switch (f->what) {
    case BL_F_DOT:
        for (int k = 0; k < l->dim; k++)
            sum += rate[0][k] * rate[1][k];
        return 2 * sum;
    case BL_F_TRIPLE:
        cross3(rate[0], rate[1], w);
        sum = dot3(w, at[2]);
        cross3(rate[0], at[1], w);
        sum += dot3(w, rate[2]);
        cross3(at[0], rate[1], w);
        sum += dot3(w, rate[2]);
        return 2 * sum;
    case BL_F_VALUE: return 0;
    case BL_F_SIN: return -l->sine[f->slot[0]] * v[s] * v[s];
    case BL_F_COS: return -l->cosine[f->slot[0]] * v[s] * v[s];
    }
    return 0;
}

double bl_product_gamma(const bl_mechanism *m, const bl_product *p, const double *D, const double *Dd, const double *x, const double *xd,
                        const double *trig) {
    local l, rate;
    gather(m, p, D, x, trig, &l);
    gather(m, p, Dd, xd, trig, &rate);
    double gamma = 0;
    if (p->function && p->function->touch)
        return bl_touch_gamma(p->function, l.x, rate.x);
    if (p->function) {
        double value, hess[BL_LOCAL * BL_LOCAL];
        bl_function_row_eval(p->function, m->dim, l.x, &value, NULL, hess);
        for (bl_index r = 0; r < l.n; r++)
            for (bl_index c = 0; c < l.n; c++)
                gamma += hess[r * l.n + c] * rate.x[r] * rate.x[c];
        return gamma;
    }
    int form = active_form(m, p, &l);
    for (bl_index t = 0; t < p->nterm[form]; t++) {
        const bl_term *term = &p->term[form][t];
        double f[BL_MAX_FACTORS], fd[BL_MAX_FACTORS];
        for (bl_index i = 0; i < term->nfactor; i++) {
            f[i] = factor_value(&l, &term->factor[i]);
            fd[i] = factor_rate(&l, &term->factor[i], rate.x);
        }
        for (bl_index i = 0; i < term->nfactor; i++) {
            gamma += term->coef * factor_second_rate(&l, &term->factor[i], rate.x) * others(f, term->nfactor, i, -1);
            for (bl_index j = i + 1; j < term->nfactor; j++)
                gamma += 2 * term->coef * fd[i] * fd[j] * others(f, term->nfactor, i, j);
        }
    }
    return gamma;
}
