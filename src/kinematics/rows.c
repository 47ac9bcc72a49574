/* Joints as scalar equations between marks of bodies, with derivatives. r = p + R s is a point, u = R s a vector, w angular velocities:
 *
 *     along e       e . (r_b - r_a)                    dot        u_a . u_b - value
 *     plane         (r_b - r_a) . u_c - value          distance   |r_b - r_a| - value
 *     relation      sum coef x variable - value - driver(t)
 *
 * The derivative by a twist (v, w) uses r' = v + w x (r - p), u' = w x u; the centripetal part is the second rate without accelerations,
 * r'' = w x (w x (r - p)), u'' = w x (w x u). */
#include "kinematics/kinematics.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

/* ---- equations of joints */

static bl_joint_row *add(bl_joint_row *out, bl_index *n, bl_joint_row_what what, const bl_prim *prim, bl_index joint) {
    bl_joint_row *row = &out[(*n)++];
    *row = (bl_joint_row){.what = what, .a = prim->a, .b = prim->b, .c = prim->c, .value = prim->value, .given = -1, .joint = joint};
    row->var[0] = row->var[1] = row->var[2] = -1;
    row->says = prim->says;
    return row;
}

/* vectors a and b are equal: b is perpendicular to the directions across a, one in the plane and two in space */
static void add_same(const bl_kinematics *k, bl_joint_row *out, bl_index *n, const bl_prim *prim, bl_index joint) {
    const double *u = prim->a.s;
    double across[2][3] = {{-u[1], u[0], 0}, {0, 0, 0}};
    if (k->model->dim == 3) {
        int least = 0;
        for (int i = 1; i < 3; i++)
            if (fabs(u[i]) < fabs(u[least]))
                least = i;
        double e[3] = {least == 0, least == 1, least == 2};
        cross3(u, e, across[0]);
        cross3(u, across[0], across[1]);
    }
    for (int i = 0; i < k->model->dim - 1; i++) {
        bl_joint_row *row = add(out, n, BL_ROW_DOT, prim, joint);
        double length = sqrt(dot3(across[i], across[i]));
        for (int j = 0; j < 3; j++)
            row->a.s[j] = across[i][j] / length;
        row->value = 0;
    }
}

static void add_primitive(const bl_kinematics *k, bl_joint_row *out, bl_index *n, const bl_prim *prim, bl_index joint) {
    switch (prim->what) {
    case BL_COINCIDE:
        for (int i = 0; i < k->model->dim; i++)
            add(out, n, BL_ROW_ALONG, prim, joint)->axis[i] = 1;
        break;
    case BL_SAME: add_same(k, out, n, prim, joint); break;
    case BL_DOT: add(out, n, BL_ROW_DOT, prim, joint); break;
    case BL_PLANE: add(out, n, BL_ROW_PLANE, prim, joint); break;
    case BL_DISTANCE:
        if (prim->var[0] < 0)
            add(out, n, BL_ROW_DISTANCE, prim, joint);
        break;
    case BL_LINEAR: {
        bl_joint_row *row = add(out, n, BL_ROW_RELATION, prim, joint);
        memcpy(row->var, prim->var, sizeof row->var);
        memcpy(row->coef, prim->coef, sizeof row->coef);
        break;
    }
    case BL_TRAVEL:
    case BL_ANGLE:
    case BL_ANGLES: break; /* they only define variables */
    }
}

bl_status bl_rows_of_joint(const bl_kinematics *k, bl_index joint, bl_joint_row *out, bl_index *n) {
    const bl_model *model = k->model;
    *n = 0;
    if (joint >= model->njoint) {
        bl_index driver = joint - model->njoint;
        bl_joint_row *row = add(out, n, BL_ROW_RELATION, &(bl_prim){.says = "driven value"}, joint);
        row->var[0] = model->driver[driver].variable;
        row->coef[0] = 1;
        row->given = driver;
        return BL_OK;
    }
    bl_prim prim[BL_MAX_PRIMS];
    bl_index nprim = 0;
    BL_TRY(model->joint[joint].kind->primitives(model, &model->joint[joint], prim, &nprim));
    for (bl_index i = 0; i < nprim; i++)
        add_primitive(k, out, n, &prim[i], joint);
    return BL_OK;
}

/* ---- values and derivatives */

typedef struct point {
    double r[3], arm[3]; /* where it is, from the mass centre */
    double rate[3], centripetal[3];
} point;

static void point_at(const bl_kinematics *k, const bl_mark *mark, point *out) {
    const bl_body_motion *body = &k->body[mark->body];
    bl_turn(body->rotation, mark->s, out->arm);
    for (int i = 0; i < 3; i++)
        out->r[i] = mark->is_vector ? out->arm[i] : body->position[i] + out->arm[i];
    if (k->still) {
        memset(out->rate, 0, sizeof out->rate);
        memset(out->centripetal, 0, sizeof out->centripetal);
        return;
    }
    cross3(body->angular_velocity, out->arm, out->rate);
    cross3(body->angular_velocity, out->rate, out->centripetal);
    for (int i = 0; i < 3; i++)
        out->rate[i] += mark->is_vector ? 0 : body->velocity[i];
}

static double *slot_of(bl_gradient *g, bl_index body) {
    for (bl_index i = 0; i < g->n; i++)
        if (g->body[i] == body)
            return g->by[i];
    if (g->n == BL_ROW_BODIES)
        return NULL; /* three variables touch six bodies at most */
    g->body[g->n] = body;
    memset(g->by[g->n], 0, sizeof g->by[0]);
    return g->by[g->n++];
}

/* += weight (force . velocity of a point at `arm` + moment . angular velocity) */
static void push(bl_gradient *g, bl_index body, double weight, const double *force, const double *arm, const double *moment) {
    if (body == 0)
        return; /* ground stands */
    double *by = slot_of(g, body), m[3] = {0, 0, 0};
    if (!by)
        return;
    if (force)
        cross3(arm, force, m);
    for (int i = 0; i < 3; i++) {
        by[i] += force ? weight * force[i] : 0;
        by[3 + i] += weight * (m[i] + (moment ? moment[i] : 0));
    }
}

static void along(bl_gradient *g, double weight, const bl_mark *a, const bl_mark *b, const point *pa, const point *pb, const double e[3]) {
    push(g, b->body, weight, e, pb->arm, NULL);
    push(g, a->body, -weight, e, pa->arm, NULL);
    for (int i = 0; i < 3; i++)
        g->centripetal += weight * e[i] * (pb->centripetal[i] - pa->centripetal[i]);
}

static void add_plane(const bl_kinematics *k, bl_gradient *g, double weight, const bl_mark *a, const bl_mark *b, const bl_mark *c) {
    point pa, pb, u;
    double d[3], rate[3], m[3];
    point_at(k, a, &pa);
    point_at(k, b, &pb);
    point_at(k, c, &u);
    for (int i = 0; i < 3; i++) {
        d[i] = pb.r[i] - pa.r[i];
        rate[i] = pb.rate[i] - pa.rate[i];
    }
    g->value += weight * dot3(d, u.r);
    along(g, weight, a, b, &pa, &pb, u.r);
    cross3(u.r, d, m);
    push(g, c->body, weight, NULL, NULL, m);
    g->centripetal += weight * (2 * dot3(rate, u.rate) + dot3(d, u.centripetal));
}

static void add_distance(const bl_kinematics *k, bl_gradient *g, double weight, const bl_mark *a, const bl_mark *b) {
    point pa, pb;
    double e[3], rate[3];
    point_at(k, a, &pa);
    point_at(k, b, &pb);
    for (int i = 0; i < 3; i++) {
        e[i] = pb.r[i] - pa.r[i];
        rate[i] = pb.rate[i] - pa.rate[i];
    }
    double length = sqrt(dot3(e, e));
    g->value += weight * length;
    if (length == 0)
        return;
    for (int i = 0; i < 3; i++)
        e[i] /= length;
    along(g, weight, a, b, &pa, &pb, e);
    double toward = dot3(e, rate);
    g->centripetal += weight * (dot3(rate, rate) - toward * toward) / length;
}

static void add_dot(const bl_kinematics *k, bl_gradient *g, const bl_mark *a, const bl_mark *b) {
    point ua, ub;
    double m[3];
    point_at(k, a, &ua);
    point_at(k, b, &ub);
    g->value += dot3(ua.r, ub.r);
    cross3(ub.r, ua.r, m);
    push(g, b->body, 1, NULL, NULL, m);
    push(g, a->body, -1, NULL, NULL, m);
    g->centripetal += dot3(ua.centripetal, ub.r) + 2 * dot3(ua.rate, ub.rate) + dot3(ua.r, ub.centripetal);
}

static void relative_turning(const bl_kinematics *k, const bl_prim *prim, double w[3]) {
    for (int i = 0; i < 3; i++)
        w[i] = k->body[prim->b.body].angular_velocity[i] - k->body[prim->a.body].angular_velocity[i];
}

/* from a to b about c, all perpendicular to it when assembled */
static void add_angle(const bl_kinematics *k, bl_gradient *g, double weight, const bl_prim *prim, double *value) {
    point a, b, c;
    double m[3], w[3];
    point_at(k, &prim->a, &a);
    point_at(k, &prim->b, &b);
    point_at(k, &prim->c, &c);
    cross3(a.r, b.r, m);
    *value = atan2(dot3(m, c.r), dot3(a.r, b.r)) - prim->zero;
    push(g, prim->b.body, weight, NULL, NULL, c.r);
    push(g, prim->a.body, -weight, NULL, NULL, c.r);
    relative_turning(k, prim, w);
    g->centripetal += weight * dot3(c.rate, w);
}

/* Three successive angles: w = alpha' v - beta' u1 + gamma' rB, so each rate is m . w; its own rate is m' . w with
 *     m_beta = -u1,  m_alpha = (v - s rB) / (1 - s^2),  m_gamma = (rB - s v) / (1 - s^2),  s = v . rB = sin(beta). */
static void add_angles(const bl_kinematics *k, bl_gradient *g, double weight, const bl_prim *prim, int part, double *value) {
    point v, r, vB, rB;
    double u[3], u1[3], v2[3], m[3], dm[3], w[3];
    point_at(k, &prim->a, &v);
    point_at(k, &prim->c, &r);
    point_at(k, &prim->b, &vB);
    point_at(k, &prim->d, &rB);
    cross3(v.r, r.r, u);
    double along_u = dot3(rB.r, u), along_r = dot3(rB.r, r.r), s = dot3(rB.r, v.r);
    double alpha = atan2(along_u, along_r), beta = atan2(s, hypot(along_u, along_r)), det = fmax(1 - s * s, 1e-300);
    double ca = cos(alpha), sa = sin(alpha), ds = dot3(rB.rate, v.r) + dot3(rB.r, v.rate);
    for (int i = 0; i < 3; i++) {
        u1[i] = -sa * r.r[i] + ca * u[i];
        v2[i] = -sin(beta) * (ca * r.r[i] + sa * u[i]) + cos(beta) * v.r[i];
    }
    relative_turning(k, prim, w);
    const double *first = part == 0 ? v.r : rB.r, *other = part == 0 ? rB.r : v.r;
    const double *first_rate = part == 0 ? v.rate : rB.rate, *other_rate = part == 0 ? rB.rate : v.rate;
    if (part == 1) { /* u1 turns with the first body and about v by alpha' */
        double with_first[3], alpha_rate = (dot3(w, v.r) - s * dot3(w, rB.r)) / det;
        cross3(k->body[prim->a.body].angular_velocity, u1, with_first);
        cross3(v.r, u1, dm);
        for (int i = 0; i < 3; i++) {
            m[i] = -u1[i];
            dm[i] = -(with_first[i] + alpha_rate * dm[i]);
        }
        *value = beta;
    } else {
        for (int i = 0; i < 3; i++) {
            m[i] = (first[i] - s * other[i]) / det;
            dm[i] = (first_rate[i] - ds * other[i] - s * other_rate[i] + 2 * s * ds * m[i]) / det;
        }
        *value = part == 0 ? alpha : atan2(-dot3(vB.r, u1), dot3(vB.r, v2));
    }
    push(g, prim->b.body, weight, NULL, NULL, m);
    push(g, prim->a.body, -weight, NULL, NULL, m);
    g->centripetal += weight * dot3(dm, w);
}

static void add_measure(const bl_kinematics *k, bl_gradient *g, double weight, const bl_measure *measure) {
    const bl_prim *prim = &measure->prim;
    double value = 0;
    switch (prim->what) {
    case BL_TRAVEL: add_plane(k, g, weight, &prim->a, &prim->b, &prim->c); return;
    case BL_DISTANCE: add_distance(k, g, weight, &prim->a, &prim->b); return;
    case BL_ANGLE: add_angle(k, g, weight, prim, &value); break;
    case BL_ANGLES: add_angles(k, g, weight, prim, measure->part, &value); break;
    default: return;
    }
    double turn = 2 * acos(-1);
    g->value += weight * (value + turn * round((measure->last - value) / turn));
}

void bl_measure_at(const bl_kinematics *k, bl_index variable, bl_gradient *out) {
    out->value = out->centripetal = 0;
    out->n = 0;
    add_measure(k, out, 1, &k->measure[variable]);
}

void bl_row_at(const bl_kinematics *k, const bl_joint_row *row, bl_gradient *out) {
    point a, b;
    out->value = -row->value;
    out->centripetal = 0;
    out->n = 0;
    switch (row->what) {
    case BL_ROW_ALONG:
        point_at(k, &row->a, &a);
        point_at(k, &row->b, &b);
        for (int i = 0; i < 3; i++)
            out->value += row->axis[i] * (b.r[i] - a.r[i]);
        along(out, 1, &row->a, &row->b, &a, &b, row->axis);
        break;
    case BL_ROW_DOT: add_dot(k, out, &row->a, &row->b); break;
    case BL_ROW_PLANE: add_plane(k, out, 1, &row->a, &row->b, &row->c); break;
    case BL_ROW_DISTANCE: add_distance(k, out, 1, &row->a, &row->b); break;
    case BL_ROW_RELATION:
        for (int i = 0; i < 3; i++)
            if (row->var[i] >= 0 && row->coef[i] != 0)
                add_measure(k, out, row->coef[i], &k->measure[row->var[i]]);
        out->value -= bl_row_given(k, row, 0);
        break;
    }
}

double bl_row_scale(const bl_kinematics *k, const bl_joint_row *row) {
    double scale = row->what == BL_ROW_DOT ? 1 : row->what == BL_ROW_RELATION ? 0 : k->size;
    for (int i = 0; row->what == BL_ROW_RELATION && i < 3; i++)
        if (row->var[i] >= 0)
            scale = fmax(scale, fabs(row->coef[i]) * (k->measure[row->var[i]].is_angle ? 1 : k->size));
    return scale > 0 ? scale : 1;
}
