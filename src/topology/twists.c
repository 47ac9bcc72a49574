/* Joints as linear equations on the twists of their bodies. The rate of every primitive is a sum over bodies of
 * force . (velocity of a point) + moment . (angular velocity):
 *
 *     points coincide    e_k . (v_b - v_a)                      same vector u     p . (w_b - w_a), p perpendicular to u
 *     dot product a.b    (b x a) . (w_b - w_a)                  point in a plane  c . (v_b - v_a) + (c x d) . w_c, d = r_b - r_a
 *     distance |d|       d . (v_b - v_a) / |d|                  angle about u     u . (w_b - w_a)
 *
 * The gap of a row is what its primitive lacks in the configuration: of the same vector the angle that parts the two, so that opposite
 * ones are as far apart as can be; of a dot product behind it, which stops the turn about that vector, the angle of this turn. */
#include "topology/topology.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

/* s turned by the unit quaternion q: s + 2 w (u x s) + 2 u x (u x s) */
static void turn(const double q[4], const double s[3], double out[3]) {
    double first[3], second[3];
    cross3(q + 1, s, first);
    cross3(q + 1, first, second);
    for (int k = 0; k < 3; k++)
        out[k] = s[k] + 2 * (q[0] * first[k] + second[k]);
}

void bl_mark_now(const bl_pose *pose, const bl_mark *mark, double out[3]) {
    turn(pose[mark->body].quaternion, mark->s, out);
    for (int k = 0; !mark->is_vector && k < 3; k++)
        out[k] += pose[mark->body].position[k];
}

typedef struct builder {
    bl_twists *t;
    const bl_pose *pose;
    const double *variable; /* NULL: relations have no gap */
    int per_body;
    double *row;                 /* [width] scratch */
    bl_index ntouched, *touched; /* bodies, each once */
    bool grounded;               /* and the ground */
} builder;

static void mark_now(const builder *b, const bl_mark *mark, double out[3]) { bl_mark_now(b->pose, mark, out); }

static void touch(builder *b, bl_index body) {
    for (bl_index i = 0; i < b->ntouched; i++)
        if (b->touched[i] == body)
            return;
    b->touched[b->ntouched++] = body;
}

/* row += weight (force . velocity of the body's point at r + moment . angular velocity) */
static void push(builder *b, bl_index body, double weight, const double *force, const double *r, const double *moment) {
    if (body <= 0) {
        b->grounded = true;
        return;
    }
    double m[3] = {0, 0, 0}, arm[3], length = b->t->length;
    touch(b, body);
    double *x = b->row + (size_t)(body - 1) * (size_t)b->per_body;
    if (force) {
        for (int k = 0; k < 3; k++)
            arm[k] = r[k] - b->pose[body].position[k];
        cross3(arm, force, m);
    }
    for (int k = 0; moment && k < 3; k++)
        m[k] += moment[k];
    if (b->per_body == 3) {
        x[0] += force ? weight * length * force[0] : 0;
        x[1] += force ? weight * length * force[1] : 0;
        x[2] += weight * m[2];
        return;
    }
    for (int k = 0; k < 3; k++) {
        x[k] += force ? weight * length * force[k] : 0;
        x[3 + k] += weight * m[k];
    }
}

static void push_between(builder *b, const bl_prim *prim, double weight, const double *force, const double *ra, const double *rb,
                         const double *moment) {
    push(b, prim->b.body, weight, force, rb, moment);
    push(b, prim->a.body, -weight, force, ra, moment);
}

/* the row collected so far becomes an equation; scale: its typical size; open: what it lacks */
static bl_status keep(builder *b, bl_index owner, double scale, const double *force, const double *moment, double open, const char *says) {
    bl_twists *t = b->t;
    BL_TRY(BL_RESERVE(t->arena.ctx, t->row, t->room, t->nrow + 1));
    bl_twist_row *row = &t->row[t->nrow];
    bl_index most = b->ntouched * b->per_body;
    if (t->nrow >= t->nmade || row->most < most) {
        row->col = bl_arena_alloc(&t->arena, (size_t)most, sizeof *row->col);
        row->coef = bl_arena_alloc(&t->arena, (size_t)most, sizeof *row->coef);
        row->most = row->col && row->coef ? most : 0;
        t->nmade = t->nrow >= t->nmade ? t->nrow + 1 : t->nmade;
        if (!row->col || !row->coef)
            return BL_E_MEMORY;
    }
    *row = (bl_twist_row){.owner = owner,
                          .gap = open / scale,
                          .grounded = b->grounded,
                          .is_length = force != NULL,
                          .says = says,
                          .col = row->col,
                          .coef = row->coef,
                          .most = row->most};
    for (bl_index i = 0; i < b->ntouched; i++)
        for (int k = 0; k < b->per_body; k++) {
            bl_index col = (b->touched[i] - 1) * b->per_body + k;
            if (b->row[col] != 0) {
                row->col[row->n] = col;
                row->coef[row->n++] = b->row[col] / scale;
            }
            b->row[col] = 0;
        }
    for (int k = 0; k < 3; k++) {
        row->force[k] = force ? force[k] * t->length / scale : 0;
        row->moment[k] = moment ? moment[k] / scale : 0;
    }
    b->ntouched = 0;
    b->grounded = false;
    t->nrow++;
    return BL_OK;
}

/* ---- variables: row += weight times the rate; *size: typical size of it */

static const bl_prim *definition(const bl_twists *t, bl_index variable, int *part) {
    bl_index joint = t->model->variable[variable].joint;
    for (bl_index p = t->prim_ptr[joint]; p < t->prim_ptr[joint + 1]; p++)
        for (int k = 0; t->prim[p].what != BL_LINEAR && k < 3; k++)
            if (t->prim[p].var[k] == variable) {
                *part = k;
                return &t->prim[p];
            }
    return NULL;
}

static void push_along(builder *b, const bl_prim *prim, double weight) {
    double ra[3], rb[3], c[3], d[3], m[3];
    mark_now(b, &prim->a, ra);
    mark_now(b, &prim->b, rb);
    mark_now(b, &prim->c, c);
    for (int k = 0; k < 3; k++)
        d[k] = rb[k] - ra[k];
    cross3(c, d, m);
    push_between(b, prim, weight, c, ra, rb, NULL);
    push(b, prim->c.body, weight, NULL, NULL, m);
}

static void push_distance(builder *b, const bl_prim *prim, double weight, double force[3]) {
    double ra[3], rb[3];
    mark_now(b, &prim->a, ra);
    mark_now(b, &prim->b, rb);
    for (int k = 0; k < 3; k++)
        force[k] = rb[k] - ra[k];
    double length = sqrt(dot3(force, force));
    for (int k = 0; k < 3; k++)
        force[k] = length > 0 ? force[k] / length : 0;
    push_between(b, prim, weight, force, ra, rb, NULL);
}

/* w = rate1 v - rate2 u1 + rate3 rB, solved for one of the rates: v about the first body, then the carried second axis, then rB */
static void successive_axis(const builder *b, const bl_prim *prim, int part, double m[3]) {
    double r[3], v[3], rB[3], u[3];
    mark_now(b, &prim->c, r);
    mark_now(b, &prim->a, v);
    mark_now(b, &prim->d, rB);
    cross3(v, r, u);
    double alpha = atan2(dot3(rB, u), dot3(rB, r)), vr = dot3(v, rB), det = fmax(1 - vr * vr, 1e-12);
    for (int k = 0; k < 3; k++)
        m[k] = part == 1 ? sin(alpha) * r[k] - cos(alpha) * u[k] : part == 0 ? (v[k] - vr * rB[k]) / det : (rB[k] - vr * v[k]) / det;
}

static void push_rate(builder *b, bl_index variable, double weight, double *size) {
    int part = 0;
    const bl_prim *prim = definition(b->t, variable, &part);
    double m[3];
    *size = b->t->model->variable[variable].is_angle ? 1 : b->t->length;
    if (!prim)
        return;
    switch (prim->what) {
    case BL_ANGLE:
        mark_now(b, &prim->c, m);
        push_between(b, prim, weight, NULL, NULL, NULL, m);
        break;
    case BL_ANGLES:
        successive_axis(b, prim, part, m);
        push_between(b, prim, weight, NULL, NULL, NULL, m);
        break;
    case BL_DISTANCE: push_distance(b, prim, weight, m); break;
    case BL_TRAVEL: push_along(b, prim, weight); break;
    default: break;
    }
}

/* ---- what primitives and variables read */

static void difference(const builder *b, const bl_prim *prim, double d[3]) {
    double ra[3];
    mark_now(b, &prim->a, ra);
    mark_now(b, &prim->b, d);
    for (int k = 0; k < 3; k++)
        d[k] -= ra[k];
}

static double length_along(const builder *b, const bl_prim *prim) {
    double d[3], c[3];
    difference(b, prim, d);
    mark_now(b, &prim->c, c);
    return dot3(d, c);
}

static double distance_now(const builder *b, const bl_prim *prim) {
    double d[3];
    difference(b, prim, d);
    return sqrt(dot3(d, d));
}

static double angle_now(const builder *b, const bl_prim *prim) {
    double from[3], to[3], about[3], across[3];
    mark_now(b, &prim->a, from);
    mark_now(b, &prim->b, to);
    mark_now(b, &prim->c, about);
    cross3(from, to, across);
    return atan2(dot3(across, about), dot3(from, to)) - prim->zero;
}

/* three successive angles: about v, about -u', about the carried r */
static double successive_angle(const builder *b, const bl_prim *prim, int part) {
    double r[3], v[3], vB[3], rB[3], u[3], u1[3], v2[3];
    mark_now(b, &prim->c, r);
    mark_now(b, &prim->a, v);
    mark_now(b, &prim->b, vB);
    mark_now(b, &prim->d, rB);
    cross3(v, r, u);
    double ru = dot3(rB, u), rr = dot3(rB, r), alpha = atan2(ru, rr), beta = atan2(dot3(rB, v), hypot(ru, rr));
    for (int k = 0; k < 3; k++) {
        u1[k] = -sin(alpha) * r[k] + cos(alpha) * u[k];
        v2[k] = -sin(beta) * (cos(alpha) * r[k] + sin(alpha) * u[k]) + cos(beta) * v[k];
    }
    return part == 0 ? alpha : part == 1 ? beta : atan2(-dot3(vB, u1), dot3(vB, v2));
}

void bl_twists_variables(const bl_twists *t, const bl_pose *pose, const double *near, double *value) {
    static const double turn = 6.28318530717958647692;
    builder b = {.pose = pose};
    for (bl_index i = 0; i < t->model->nvariable; i++) {
        int part = 0;
        const bl_prim *prim = definition(t, i, &part);
        double last = near ? near[i] : 0, now = 0;
        if (prim)
            now = prim->what == BL_ANGLE    ? angle_now(&b, prim)
                  : prim->what == BL_ANGLES ? successive_angle(&b, prim, part)
                  : prim->what == BL_TRAVEL ? length_along(&b, prim)
                                            : distance_now(&b, prim);
        value[i] = t->model->variable[i].is_angle ? now + turn * round((last - now) / turn) : now;
    }
}

/* ---- primitives */

static bl_status coincide_rows(builder *b, bl_index owner, const bl_prim *prim) {
    double ra[3], rb[3];
    mark_now(b, &prim->a, ra);
    mark_now(b, &prim->b, rb);
    for (int k = 0; k < b->t->model->dim; k++) {
        double e[3] = {k == 0, k == 1, k == 2};
        push_between(b, prim, 1, e, ra, rb, NULL);
        BL_TRY(keep(b, owner, b->t->length, e, NULL, rb[k] - ra[k], prim->says));
    }
    return BL_OK;
}

static bl_status same_rows(builder *b, bl_index owner, const bl_prim *prim) {
    double u[3], other[3], apart[3], p[2][3] = {{0, 0, 1}, {0, 0, 0}};
    int n = b->t->model->dim - 1;
    mark_now(b, &prim->a, u);
    mark_now(b, &prim->b, other);
    cross3(u, other, apart);
    double sine = sqrt(dot3(apart, apart)), angle = atan2(sine, dot3(u, other));
    if (n == 2) {
        /* perpendicular to u and to the global axis farthest from it: along a global axis when u is */
        int least = 0;
        for (int k = 1; k < 3; k++)
            if (fabs(u[k]) < fabs(u[least]))
                least = k;
        double e[3] = {least == 0, least == 1, least == 2};
        cross3(u, e, p[1]);
        cross3(p[1], u, p[0]);
    }
    for (int i = 0; i < n; i++) {
        double size = sqrt(dot3(p[i], p[i]));
        for (int k = 0; k < 3; k++)
            p[i][k] /= size;
        push_between(b, prim, 1, NULL, NULL, NULL, p[i]);
        double open = sine > 0 ? angle / sine * dot3(p[i], apart) : i == 0 ? angle : 0; /* opposite ones turn back any way */
        BL_TRY(keep(b, owner, 1, NULL, p[i], open, prim->says));
    }
    return BL_OK;
}

/* The dot product of w of the first body and n = u x w of the second, beside the same vector u: it vanishes half a turn away, too. The gap
 * is the angle of the turn about u, and far from closed the row is that of this angle. */
static bl_status turn_row(builder *b, bl_index owner, const bl_prim *same, const bl_prim *prim) {
    double u[3], w[3], n[3], w_b[3], row[3];
    mark_now(b, &same->b, u);
    mark_now(b, &prim->a, w);
    mark_now(b, &prim->b, n);
    cross3(n, u, w_b);
    cross3(n, w, row);
    double sine = dot3(w, n), cosine = dot3(w, w_b), open = copysign(atan2(fabs(sine), cosine), sine);
    for (int k = 0; cosine < 0.5 && k < 3; k++)
        row[k] = -u[k];
    push_between(b, prim, 1, NULL, NULL, NULL, row);
    return keep(b, owner, 1, NULL, row, open, prim->says);
}

static bl_status primitive_rows(builder *b, bl_index owner, const bl_prim *prim, bool behind_same) {
    double a[3], c[3], force[3], size, scale = 0, open = 0;
    switch (prim->what) {
    case BL_COINCIDE: return coincide_rows(b, owner, prim);
    case BL_SAME: return same_rows(b, owner, prim);
    case BL_DOT:
        if (behind_same)
            return turn_row(b, owner, prim - 1, prim);
        mark_now(b, &prim->a, a);
        mark_now(b, &prim->b, c);
        scale = sqrt(dot3(a, a) * dot3(c, c));
        cross3(c, a, force);
        push_between(b, prim, 1, NULL, NULL, NULL, force);
        return keep(b, owner, scale, NULL, force, dot3(a, c) - prim->value, prim->says);
    case BL_PLANE:
        mark_now(b, &prim->c, c);
        push_along(b, prim, 1);
        return keep(b, owner, b->t->length, c, NULL, length_along(b, prim) - prim->value, prim->says);
    case BL_DISTANCE:
        if (prim->var[0] >= 0)
            return BL_OK;
        push_distance(b, prim, 1, force);
        return keep(b, owner, b->t->length, force, NULL, distance_now(b, prim) - prim->value, prim->says);
    case BL_LINEAR:
        for (int k = 0; k < 3; k++)
            if (prim->var[k] >= 0 && prim->coef[k] != 0) {
                push_rate(b, prim->var[k], prim->coef[k], &size);
                scale = fmax(scale, fabs(prim->coef[k]) * size);
                open += b->variable ? prim->coef[k] * b->variable[prim->var[k]] : 0;
            }
        return keep(b, owner, scale > 0 ? scale : 1, NULL, NULL, b->variable ? open - prim->value : 0, prim->says);
    case BL_TRAVEL:
    case BL_ANGLE:
    case BL_ANGLES: break; /* they only define variables */
    }
    return BL_OK;
}

bl_status bl_twists_create(const bl_model *model, double length, bl_twists *t) {
    *t = (bl_twists){.model = model, .arena = {.ctx = model->ctx}, .length = length > 0 ? length : 1};
    t->width = (model->nbody - 1) * (model->dim == 3 ? 6 : 3);
    t->scratch = bl_arena_alloc(&t->arena, (size_t)t->width + 1, sizeof *t->scratch);
    t->touched = bl_arena_alloc(&t->arena, (size_t)model->nbody, sizeof *t->touched);
    t->prim = bl_arena_alloc(&t->arena, (size_t)model->njoint * BL_MAX_PRIMS, sizeof *t->prim);
    t->prim_ptr = bl_arena_alloc(&t->arena, (size_t)model->njoint + 1, sizeof *t->prim_ptr);
    if (!t->scratch || !t->touched || !t->prim || !t->prim_ptr)
        return BL_E_MEMORY;
    for (bl_index j = 0; j < model->njoint; j++) {
        bl_index n = 0;
        BL_TRY(model->joint[j].kind->primitives(model, &model->joint[j], t->prim + t->prim_ptr[j], &n));
        t->prim_ptr[j + 1] = t->prim_ptr[j] + n;
    }
    return BL_OK;
}

static builder builder_of(bl_twists *t, const bl_pose *pose, const double *variable) {
    return (builder){
        .t = t, .pose = pose, .variable = variable, .per_body = t->model->dim == 3 ? 6 : 3, .row = t->scratch, .touched = t->touched};
}

bl_status bl_twists_add_variable(bl_twists *t, const bl_pose *pose, bl_index variable, bl_index owner) {
    builder b = builder_of(t, pose, NULL);
    double size;
    push_rate(&b, variable, 1, &size);
    return keep(&b, owner, size, NULL, NULL, 0, "driven value");
}

bl_status bl_twists_at(bl_twists *t, const bl_pose *pose, const double *variable) {
    const bl_model *model = t->model;
    builder b = builder_of(t, pose, variable);
    t->nrow = 0;
    for (bl_index j = 0; j < model->njoint; j++)
        for (bl_index p = t->prim_ptr[j]; p < t->prim_ptr[j + 1]; p++)
            BL_TRY(primitive_rows(&b, j, &t->prim[p], p > t->prim_ptr[j] && t->prim[p - 1].what == BL_SAME));
    for (bl_index d = 0; d < model->ndriver; d++)
        BL_TRY(bl_twists_add_variable(t, pose, model->driver[d].variable, model->njoint + d));
    return BL_OK;
}

bl_status bl_twists_build(const bl_model *model, const bl_pose *pose, double length, bl_twists *twists) {
    BL_TRY(bl_twists_create(model, length, twists));
    return bl_twists_at(twists, pose, NULL);
}

void bl_twists_destroy(bl_twists *twists) {
    if (!twists->arena.ctx)
        return;
    bl_free(twists->arena.ctx, twists->row);
    bl_arena_destroy(&twists->arena);
    memset(twists, 0, sizeof *twists);
}

double bl_twists_resist_turning(const bl_twists *twists, bl_index body, const double axis[3]) {
    int per_body = twists->model->dim == 3 ? 6 : 3, first = per_body == 6 ? 3 : 2;
    bl_index base = (body - 1) * per_body;
    double largest = 0;
    for (bl_index i = 0; i < twists->nrow; i++) {
        double sum = 0;
        for (bl_index k = 0; k < twists->row[i].n; k++) {
            bl_index part = twists->row[i].col[k] - base - first;
            if (part >= 0 && part < per_body - first)
                sum += twists->row[i].coef[k] * axis[per_body == 6 ? part : 2];
        }
        largest = fmax(largest, fabs(sum));
    }
    return largest;
}
