/* The geometry of primitives: a table with one entry each. To add one: a name in primitive.h and an entry here. Only an equation that is
 * not a scalar product of marks needs a function of its own in coords/constraint_rows.c.
 *
 *     points coincide    b_k - a_k            force e_k            dot product    a . b          moment b x a
 *     plane, travel      (b - a) . c          force c, carried c x (b - a)        (c rotates with its body)
 *     distance           |b - a|              force (b - a) / |b - a|             angle about c  moment c
 *     twist              (c . b - a . d) / 2  moment (b x c - d x a) / 2
 *     on a curve         distance of (x, y), x = (b - a) . c, y = (b - a) . d:  force n = x-slope c + y-slope d, carried n x (b - a)
 *     on a face          (b - a) . c - h(c . d, c . e), h the support function:  force c, carried c x (b - a), moment p x c, p the
 *                        vector from a to the point of contact
 *     touch, slip        gap, speed of slip (touch.c):  force n, t;  carried n x (b - a), moment p_b x n
 *
 * Three successive angles: w_b - w_a = alpha' v - beta' u1 + gamma' rB, u1 the rotated second axis, so each rate is m . (w_b - w_a) with
 *
 *     m_alpha = (v - s rB) / (1 - s^2),  m_beta = -u1,  m_gamma = (rB - s v) / (1 - s^2),  s = v . rB = sin(beta). */
#include "joint/touch.h"

#include "joint/joint_limits.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

static void difference(const double a[3], const double b[3], double d[3]) {
    for (int k = 0; k < 3; k++)
        d[k] = b[k] - a[k];
}

static void read_component(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out) {
    const bl_mark_motion *a = &at->mark[0], *b = &at->mark[1];
    (void)prim;
    out->value = b->r[part] - a->r[part];
    out->force[part] = 1;
    if (at->turning[0]) {
        out->rate = b->rate[part] - a->rate[part];
        out->centripetal = b->centripetal[part] - a->centripetal[part];
    }
}

static void read_dot(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out) {
    const bl_mark_motion *a = &at->mark[0], *b = &at->mark[1];
    (void)prim;
    (void)part;
    out->value = dot3(a->r, b->r);
    cross3(b->r, a->r, out->moment);
    if (at->turning[0]) {
        out->rate = dot3(a->rate, b->r) + dot3(a->r, b->rate);
        out->centripetal = dot3(a->centripetal, b->r) + 2 * dot3(a->rate, b->rate) + dot3(a->r, b->centripetal);
    }
}

static void read_twist(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out) {
    const bl_mark_motion *mark = at->mark;
    static const int of[2][2] = {{2, 1}, {0, 3}}; /* c . b less a . d */
    (void)prim;
    (void)part;
    for (int i = 0; i < 2; i++) {
        const bl_mark_motion *x = &mark[of[i][0]], *y = &mark[of[i][1]];
        double weight = i ? -0.5 : 0.5, moment[3];
        out->value += weight * dot3(x->r, y->r);
        cross3(y->r, x->r, moment);
        for (int k = 0; k < 3; k++)
            out->moment[k] += weight * moment[k];
        if (at->turning[0]) {
            out->rate += weight * (dot3(x->rate, y->r) + dot3(x->r, y->rate));
            out->centripetal += weight * (dot3(x->centripetal, y->r) + 2 * dot3(x->rate, y->rate) + dot3(x->r, y->centripetal));
        }
    }
}

static void read_along(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out) {
    const bl_mark_motion *a = &at->mark[0], *b = &at->mark[1], *c = &at->mark[2];
    double d[3], rate[3], centripetal[3];
    (void)prim;
    (void)part;
    difference(a->r, b->r, d);
    out->value = dot3(d, c->r);
    memcpy(out->force, c->r, sizeof out->force);
    cross3(c->r, d, out->carried);
    if (at->turning[0]) {
        difference(a->rate, b->rate, rate);
        difference(a->centripetal, b->centripetal, centripetal);
        out->rate = dot3(rate, c->r) + dot3(d, c->rate);
        out->centripetal = dot3(centripetal, c->r) + 2 * dot3(rate, c->rate) + dot3(d, c->centripetal);
    }
}

static void read_distance(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out) {
    const bl_mark_motion *a = &at->mark[0], *b = &at->mark[1];
    double *e = out->force, rate[3], centripetal[3];
    (void)prim;
    (void)part;
    difference(a->r, b->r, e);
    out->value = sqrt(dot3(e, e));
    for (int k = 0; k < 3; k++)
        e[k] = out->value > 0 ? e[k] / out->value : 0;
    if (at->turning[0] && out->value > 0) {
        difference(a->rate, b->rate, rate);
        difference(a->centripetal, b->centripetal, centripetal);
        out->rate = dot3(e, rate);
        out->centripetal = dot3(e, centripetal) + (dot3(rate, rate) - out->rate * out->rate) / out->value;
    }
}

/* from a to b about c, both perpendicular to it when assembled */
static void read_angle(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out) {
    const bl_mark_motion *a = &at->mark[0], *b = &at->mark[1], *c = &at->mark[2];
    double across[3], w[3];
    (void)part;
    cross3(a->r, b->r, across);
    out->value = atan2(dot3(across, c->r), dot3(a->r, b->r)) - prim->zero;
    memcpy(out->moment, c->r, sizeof out->moment);
    if (at->turning[0]) {
        difference(at->turning[0], at->turning[1], w);
        out->rate = dot3(w, c->r);
        out->centripetal = dot3(c->rate, w);
    }
}

static void read_angles(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out) {
    const bl_mark_motion *v = &at->mark[0], *vB = &at->mark[1], *r = &at->mark[2], *rB = &at->mark[3];
    const bl_mark_motion *first = part == 0 ? v : rB, *other = part == 0 ? rB : v;
    double u[3], u1[3], v2[3], w[3], dm[3], *m = out->moment;
    (void)prim;
    cross3(v->r, r->r, u);
    double along_u = dot3(rB->r, u), along_r = dot3(rB->r, r->r), s = dot3(rB->r, v->r);
    double alpha = atan2(along_u, along_r), beta = atan2(s, hypot(along_u, along_r)), det = fmax(1 - s * s, joint_gimbal_lock);
    double ca = cos(alpha), sa = sin(alpha), cb = cos(beta), sb = sin(beta);
    for (int k = 0; k < 3; k++) {
        u1[k] = -sa * r->r[k] + ca * u[k];
        v2[k] = -sb * (ca * r->r[k] + sa * u[k]) + cb * v->r[k];
        m[k] = part == 1 ? -u1[k] : (first->r[k] - s * other->r[k]) / det;
    }
    out->value = part == 0 ? alpha : part == 1 ? beta : atan2(-dot3(vB->r, u1), dot3(vB->r, v2));
    if (!at->turning[0])
        return;
    difference(at->turning[0], at->turning[1], w);
    out->rate = dot3(w, m);
    if (part == 1) { /* u1 rotates with the first body and about v by alpha' */
        double with_first[3], alpha_rate = (dot3(w, v->r) - s * dot3(w, rB->r)) / det;
        cross3(at->turning[0], u1, with_first);
        cross3(v->r, u1, dm);
        for (int k = 0; k < 3; k++)
            dm[k] = -(with_first[k] + alpha_rate * dm[k]);
    } else {
        double ds = dot3(rB->rate, v->r) + dot3(rB->r, v->rate);
        for (int k = 0; k < 3; k++)
            dm[k] = (first->rate[k] - ds * other->r[k] - s * other->rate[k] + 2 * s * ds * m[k]) / det;
    }
    out->centripetal = dot3(dm, w);
}

/* ---- contact with a curve: functions of the vectors r = b - a, then c, d (, e) */

/* The numbers on which the curve depends, as scalar products of two of the vectors. */
static const int products_of[2][2][2] = {{{0, 1}, {0, 2}}, {{1, 2}, {1, 3}}};

/* value, slopes and second derivatives of the curve's function; the scalar product r . c is added for a face */
static void contact_at(const bl_prim *prim, const double product[2], bl_curve_value *out) {
    if (prim->what == BL_ON_CURVE) {
        bl_curve_distance(&prim->curve, product, out);
        return;
    }
    bl_curve_support(&prim->curve, product, out);
    out->value = -out->value;
    for (int i = 0; i < 2; i++)
        out->slope[i] = -out->slope[i];
    for (int i = 0; i < 3; i++)
        out->bend[i] = -out->bend[i];
}

static double dot_n(int dim, const double *a, const double *b) {
    double sum = 0;
    for (int k = 0; k < dim; k++)
        sum += a[k] * b[k];
    return sum;
}

/* += weight times the second derivative of the scalar product of vectors i and j */
static void add_product_bend(int dim, int n, int i, int j, double weight, double *hess) {
    for (int k = 0; k < dim; k++) {
        hess[(i * dim + k) * n + j * dim + k] += weight;
        hess[(j * dim + k) * n + i * dim + k] += weight;
    }
}

void bl_prim_contact(const bl_prim *prim, int dim, const double *x, double *value, double *grad, double *hess) {
    bool face = prim->what == BL_ON_FACE;
    int n = dim * (face ? 4 : 3);
    const int(*of)[2] = products_of[face];
    double product[2], slope[2][4 * 3] = {{0}};
    bl_curve_value at;
    for (int i = 0; i < 2; i++) {
        product[i] = dot_n(dim, x + of[i][0] * dim, x + of[i][1] * dim);
        for (int k = 0; k < dim; k++) {
            slope[i][of[i][0] * dim + k] = x[of[i][1] * dim + k];
            slope[i][of[i][1] * dim + k] = x[of[i][0] * dim + k];
        }
    }
    contact_at(prim, product, &at);
    *value = at.value + (face ? dot_n(dim, x, x + dim) : 0);
    for (int r = 0; grad && r < n; r++) {
        grad[r] = at.slope[0] * slope[0][r] + at.slope[1] * slope[1][r];
        if (face && r < 2 * dim)
            grad[r] += x[r < dim ? r + dim : r - dim];
    }
    if (!hess)
        return;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++)
            hess[r * n + c] = at.bend[0] * slope[0][r] * slope[0][c] + at.bend[2] * slope[1][r] * slope[1][c] +
                              at.bend[1] * (slope[0][r] * slope[1][c] + slope[1][r] * slope[0][c]);
    for (int i = 0; i < 2; i++)
        add_product_bend(dim, n, of[i][0], of[i][1], at.slope[i], hess);
    if (face)
        add_product_bend(dim, n, 0, 1, 1, hess);
}

/* rates of a scalar product of two vectors: first, and second without accelerations of the bodies */
static void product_rates(const bl_mark_motion *a, const bl_mark_motion *b, double rate[2]) {
    rate[0] = dot3(a->rate, b->r) + dot3(a->r, b->rate);
    rate[1] = dot3(a->centripetal, b->r) + 2 * dot3(a->rate, b->rate) + dot3(a->r, b->centripetal);
}

static void read_contact(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out) {
    bool face = prim->what == BL_ON_FACE;
    const int(*of)[2] = products_of[face];
    bl_mark_motion vector[4];
    double product[2], arm[3] = {0, 0, 0};
    bl_curve_value curve;
    (void)part;
    memset(vector, 0, sizeof vector);
    difference(at->mark[0].r, at->mark[1].r, vector[0].r);
    for (int i = 1; i < (face ? 4 : 3); i++)
        vector[i] = at->mark[i + 1];
    if (at->turning[0]) {
        difference(at->mark[0].rate, at->mark[1].rate, vector[0].rate);
        difference(at->mark[0].centripetal, at->mark[1].centripetal, vector[0].centripetal);
    }
    for (int i = 0; i < 2; i++)
        product[i] = dot3(vector[of[i][0]].r, vector[of[i][1]].r);
    contact_at(prim, product, &curve);
    out->value = curve.value + (face ? dot3(vector[0].r, vector[1].r) : 0);
    for (int k = 0; k < 3; k++) {
        out->force[k] = face ? vector[1].r[k] : curve.slope[0] * vector[1].r[k] + curve.slope[1] * vector[2].r[k];
        arm[k] = face ? -curve.slope[0] * vector[2].r[k] - curve.slope[1] * vector[3].r[k] : 0;
    }
    cross3(out->force, vector[0].r, out->carried);
    cross3(arm, out->force, out->moment);
    if (!at->turning[0])
        return;
    double rates[3][2] = {{0}};
    for (int i = 0; i < 2; i++)
        product_rates(&vector[of[i][0]], &vector[of[i][1]], rates[i]);
    if (face)
        product_rates(&vector[0], &vector[1], rates[2]);
    out->rate = curve.slope[0] * rates[0][0] + curve.slope[1] * rates[1][0] + rates[2][0];
    out->centripetal = curve.slope[0] * rates[0][1] + curve.slope[1] * rates[1][1] + rates[2][1] +
                       curve.bend[0] * rates[0][0] * rates[0][0] + 2 * curve.bend[1] * rates[0][0] * rates[1][0] +
                       curve.bend[2] * rates[1][0] * rates[1][0];
}

/* ---- the table */

typedef struct primitive {
    int marks;      /* besides the axes of a contact */
    int forbids;    /* degrees of freedom removed */
    bool per_axis;  /* and one more for every axis of space or plane */
    bool is_length; /* value in m */
    void (*read)(const bl_prim *, int part, const bl_prim_motion *, bl_prim_reading *out); /* *out is cleared, except for is_length */
    bl_prim_product product;                                                               /* degree 0: its equation is no scalar product */
} primitive;

static const primitive primitives[] = {
    [BL_COINCIDE] = {2, 0, true, true, read_component, {.degree = 0}},
    [BL_SAME] = {2, -1, true, false, NULL, {.degree = 0}}, /* one equation between components of unit vectors follows from the others */
    [BL_DOT] = {2, 1, false, false, read_dot, {1, 1, {{{{-1, 0}, {-1, 1}}, 1}}}},
    [BL_PLANE] = {3, 1, false, true, read_along, {1, 1, {{{{0, 1}, {-1, 2}}, 1}}}},
    [BL_DISTANCE] = {2, 1, false, true, read_distance, {2, 1, {{{{0, 1}, {0, 1}}, 1}}}},
    [BL_TRAVEL] = {3, 0, false, true, read_along, {1, 1, {{{{0, 1}, {-1, 2}}, 1}}}},
    [BL_ANGLE] = {3, 0, false, false, read_angle, {.degree = 0}},
    [BL_ANGLES] = {4, 0, false, false, read_angles, {.degree = 0}},
    [BL_TWIST] = {4, 1, false, false, read_twist, {1, 2, {{{{-1, 2}, {-1, 1}}, 0.5}, {{{-1, 0}, {-1, 3}}, -0.5}}}},
    [BL_ON_CURVE] = {4, 1, false, true, read_contact, {.degree = 0}},
    [BL_ON_FACE] = {5, 1, false, true, read_contact, {.degree = 0}},
    [BL_TOUCH] = {2, 1, false, true, bl_touch_read, {.degree = 0}},
    [BL_SLIP] = {2, 0, false, true, bl_touch_read, {.degree = 0}},
    [BL_LINEAR] = {0, 1, false, false, NULL, {.degree = 0}},
    [BL_RATE] = {0, 0, false, false, NULL, {.degree = 0}},
    [BL_FUNCTION] = {0, 1, false, false, NULL, {.degree = 0}},
};

int bl_prim_marks(const bl_prim *prim) { return primitives[prim->what].marks + 2 * prim->axes; }

bool bl_prim_is_relation(const bl_prim *prim) { return primitives[prim->what].marks == 0; }

void bl_prim_relate(const bl_prim *prim, const double value[3], bl_prim_relation *out) {
    double f[3];
    *out = (bl_prim_relation){.gap = -prim->value};
    if (prim->what == BL_FUNCTION) {
        bl_profile_at(prim->profile, value[0], f);
        *out = (bl_prim_relation){.gap = value[1] - f[0], .coef = {-f[1], 1, 0}, .bend = -f[2]};
        return;
    }
    for (int k = 0; k < 3; k++)
        if (prim->var[k] >= 0) {
            out->coef[k] = prim->coef[k];
            out->gap += prim->coef[k] * value[k];
        }
}

bool bl_prim_is_length(const bl_prim *prim) { return primitives[prim->what].is_length; }

const bl_prim_product *bl_prim_product_of(const bl_prim *prim) {
    const bl_prim_product *product = &primitives[prim->what].product;
    return product->degree > 0 ? product : NULL;
}

bl_index bl_prim_forbids(const bl_prim *prim, int dim) {
    const primitive *p = &primitives[prim->what];
    bool measures = p->marks > 0 && prim->var[0] >= 0;
    return measures || prim->one_sided ? 0 : p->forbids + (p->per_axis ? dim : 0);
}

void bl_prim_read(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out) {
    const primitive *p = &primitives[prim->what];
    *out = (bl_prim_reading){.is_length = p->is_length};
    if (p->read)
        p->read(prim, part, at, out);
}

double bl_prim_gap(const bl_prim *prim, const bl_prim_motion *at, bool *is_length) {
    bl_prim_reading reading;
    *is_length = false;
    if (bl_prim_is_relation(prim) || bl_prim_forbids(prim, 3) == 0)
        return 0;
    if (primitives[prim->what].per_axis) {
        double d[3];
        difference(at->mark[0].r, at->mark[1].r, d);
        *is_length = bl_prim_is_length(prim);
        return sqrt(dot3(d, d));
    }
    bl_prim_read(prim, 0, at, &reading);
    *is_length = reading.is_length;
    return fabs(reading.value - prim->value);
}

int bl_prim_pushes(const bl_prim *prim, const bl_prim_reading *reading, bl_prim_push out[BL_PRIM_PUSHES]) {
    const double *force = reading->is_length ? reading->force : NULL, *moment = reading->is_length ? NULL : reading->moment;
    out[0] = (bl_prim_push){prim->b.body, 1, 1, force, moment};
    out[1] = (bl_prim_push){prim->a.body, 0, -1, force, moment};
    if (!force || bl_prim_marks(prim) < 3)
        return 2;
    out[2] = (bl_prim_push){prim->c.body, 0, 1, NULL, reading->carried};
    if (prim->what != BL_ON_FACE && prim->what != BL_TOUCH && prim->what != BL_SLIP)
        return 3;
    out[3] = (bl_prim_push){prim->b.body, 1, 1, NULL, reading->moment};
    out[4] = (bl_prim_push){prim->a.body, 0, -1, NULL, reading->moment};
    return 5;
}

void bl_prim_same_as_dots(const bl_prim *prim, int dim, bl_prim *out) {
    const double *u = prim->a.s;
    double across[2][3] = {{-u[1], u[0], 0}, {0, 0, 0}};
    if (dim == 3) {
        perpendicular3(u, across[0]);
        cross3(u, across[0], across[1]);
    }
    for (int i = 0; i < dim - 1; i++) {
        double length = sqrt(dot3(across[i], across[i]));
        out[i] = *prim;
        out[i].what = BL_DOT;
        out[i].value = 0;
        for (int k = 0; k < 3; k++)
            out[i].a.s[k] = across[i][k] / length;
    }
}

double bl_nearest_turn(double angle, double near) {
    static const double turn = 6.28318530717958647692;
    return angle + turn * round((near - angle) / turn);
}
