/* Joints as linear equations on the twists of their bodies: the rates of primitives (joint/primitive.h) as sums over bodies of force .
 * (velocity of a point) + moment . (angular velocity). The same vector u: p . (w_b - w_a), p perpendicular to u.
 *
 * The gap of a row is the violation of its primitive in the configuration: for the same vector the angle between the two, so that
 * opposite vectors have the largest gap; for a following dot product, which prevents rotation about that vector, the angle of this
 * rotation. */
#include "topology/topology.h"
#include "topology/topology_limits.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

void bl_mark_now(const bl_pose *pose, const bl_mark *mark, double out[3]) {
    turn3(pose[mark->body].quaternion, mark->s, out);
    for (int k = 0; !mark->is_vector && k < 3; k++)
        out[k] += pose[mark->body].position[k];
}

void bl_prim_now(const bl_pose *pose, const bl_prim *prim, bl_prim_motion *at) {
    for (int m = 0; m < bl_prim_marks(prim); m++)
        bl_mark_now(pose, &prim->mark[m], at->mark[m].r);
    at->turning[0] = at->turning[1] = NULL;
}

typedef struct builder {
    bl_twists *t;
    const bl_pose *pose;
    const double *variable; /* NULL: relations have no gap */
    int per_body;
    double *row;                 /* [width] scratch */
    bl_index ntouched, *touched; /* bodies, each once */
    bool grounded;               /* including the ground */
} builder;

static void touch(builder *b, bl_index body) {
    for (bl_index i = 0; i < b->ntouched; i++)
        if (b->touched[i] == body)
            return;
    b->touched[b->ntouched++] = body;
}

/* row += weight (force . velocity of the body's point at r + moment . angular velocity) */
static void add_terms(builder *b, bl_index body, double weight, const double *force, const double *r, const double *moment) {
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

static void add_moment(builder *b, const bl_prim *prim, const double *moment) {
    add_terms(b, prim->b.body, 1, NULL, NULL, moment);
    add_terms(b, prim->a.body, -1, NULL, NULL, moment);
}

static void read_primitive(const bl_pose *pose, const bl_prim *prim, int part, bl_prim_motion *at, bl_prim_reading *reading) {
    bl_prim_now(pose, prim, at);
    bl_prim_read(prim, part, at, reading);
}

/* row += weight times the rate of the primitive's value */
static void add_reading(builder *b, const bl_prim *prim, int part, double weight, bl_prim_reading *reading) {
    bl_prim_motion at;
    bl_prim_push pushes[BL_PRIM_PUSHES];
    read_primitive(b->pose, prim, part, &at, reading);
    for (int i = 0, n = bl_prim_pushes(prim, reading, pushes); i < n; i++)
        add_terms(b, pushes[i].body, weight * pushes[i].weight, pushes[i].force, at.mark[pushes[i].mark].r, pushes[i].moment);
}

/* the accumulated row becomes an equation; scale: its typical size; gap: its violation */
static bl_status add_row(builder *b, bl_index owner, double scale, const double *force, const double *moment, double gap,
                         const char *meaning) {
    bl_twists *t = b->t;
    BL_TRY(BL_RESERVE(t->arena.ctx, t->row, t->room, t->nrow + 1));
    bl_twist_row *row = &t->row[t->nrow];
    bl_index most = b->ntouched * b->per_body;
    if (t->nrow >= t->nmade || row->most < most) {
        row->most = 0;
        t->nmade = t->nrow >= t->nmade ? t->nrow + 1 : t->nmade;
        BL_TRY(BL_ARENA_ARRAYS(&t->arena, BL_ARRAY(row->col, most), BL_ARRAY(row->coef, most)));
        row->most = most;
    }
    *row = (bl_twist_row){.owner = owner,
                          .gap = gap / scale,
                          .grounded = b->grounded,
                          .is_length = force != NULL,
                          .meaning = meaning,
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

/* ---- variables: row += weight times the rate; returns its typical size */

static double add_rate(builder *b, bl_index variable, double weight) {
    const bl_variable *v = &b->t->model->variable[variable];
    bl_prim_reading reading;
    add_reading(b, v->prim, v->part, weight, &reading);
    return v->is_angle ? 1 : b->t->length;
}

static double variable_now(const bl_model *model, const bl_pose *pose, bl_index variable, double near) {
    const bl_variable *v = &model->variable[variable];
    bl_prim_motion at;
    bl_prim_reading reading;
    read_primitive(pose, v->prim, v->part, &at, &reading);
    return v->is_angle ? bl_nearest_turn(reading.value, near) : reading.value;
}

void bl_twists_variables(const bl_twists *t, const bl_pose *pose, const double *near, double *value) {
    for (bl_index i = 0; i < t->model->nvariable; i++)
        value[i] = variable_now(t->model, pose, i, near ? near[i] : 0);
}

/* ---- primitives */

static bl_status same_rows(builder *b, bl_index owner, const bl_prim *prim) {
    double u[3], other[3], apart[3], p[2][3] = {{0, 0, 1}, {0, 0, 0}};
    int n = b->t->model->dim - 1;
    bl_mark_now(b->pose, &prim->a, u);
    bl_mark_now(b->pose, &prim->b, other);
    cross3(u, other, apart);
    double sine = sqrt(dot3(apart, apart)), angle = atan2(sine, dot3(u, other));
    if (n == 2) {
        perpendicular3(u, p[1]); /* along a global axis if u is */
        cross3(p[1], u, p[0]);
    }
    for (int i = 0; i < n; i++) {
        double size = sqrt(dot3(p[i], p[i]));
        for (int k = 0; k < 3; k++)
            p[i][k] /= size;
        add_moment(b, prim, p[i]);
        double gap = sine > 0 ? angle / sine * dot3(p[i], apart) : i == 0 ? angle : 0; /* opposite vectors: any direction */
        BL_TRY(add_row(b, owner, 1, NULL, p[i], gap, prim->meaning));
    }
    return BL_OK;
}

/* The dot product of w of the first body and n = u x w of the second, following the same vector u: it also vanishes at 180 degrees. The
 * gap is the angle of rotation about u, and far from closed the row is that of this angle. */
static bl_status turn_row(builder *b, bl_index owner, const bl_prim *same, const bl_prim *prim) {
    double u[3], w[3], n[3], w_b[3], row[3];
    bl_mark_now(b->pose, &same->b, u);
    bl_mark_now(b->pose, &prim->a, w);
    bl_mark_now(b->pose, &prim->b, n);
    cross3(n, u, w_b);
    cross3(n, w, row);
    double sine = dot3(w, n), cosine = dot3(w, w_b), gap = copysign(atan2(fabs(sine), cosine), sine);
    for (int k = 0; cosine < topology_turned_far && k < 3; k++)
        row[k] = -u[k];
    add_moment(b, prim, row);
    return add_row(b, owner, 1, NULL, row, gap, prim->meaning);
}

/* a relation between variables */
static bl_status relation_row(builder *b, bl_index owner, const bl_prim *prim) {
    bl_prim_relation at;
    double scale = 0, value[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        if (prim->var[k] >= 0)
            value[k] = b->variable ? b->variable[prim->var[k]] : variable_now(b->t->model, b->pose, prim->var[k], 0);
    bl_prim_relate(prim, value, &at);
    for (int k = 0; k < 3; k++)
        if (prim->var[k] >= 0 && at.coef[k] != 0)
            scale = fmax(scale, fabs(at.coef[k]) * add_rate(b, prim->var[k], at.coef[k]));
    return add_row(b, owner, scale > 0 ? scale : 1, NULL, NULL, b->variable ? at.gap : 0, prim->meaning);
}

/* prim - 1 is another primitive of the owner if after_same is set */
static bl_status primitive_rows(builder *b, bl_index owner, const bl_prim *prim, bool after_same) {
    bl_index n = bl_prim_is_slip(prim) ? b->t->velocities && !prim->one_sided : bl_prim_forbids(prim, b->t->model->dim);
    if (prim->what == BL_SAME)
        return same_rows(b, owner, prim);
    if (bl_prim_is_relation(prim))
        return relation_row(b, owner, prim);
    if (prim->what == BL_DOT && after_same)
        return turn_row(b, owner, prim - 1, prim);
    for (int part = 0; part < n; part++) {
        bl_prim_reading reading;
        add_reading(b, prim, part, 1, &reading);
        BL_TRY(add_row(b, owner, reading.is_length ? b->t->length : 1, reading.is_length ? reading.force : NULL, reading.moment,
                       reading.value - prim->value, prim->meaning));
        b->t->row[b->t->nrow - 1].slip = bl_prim_is_slip(prim);
    }
    return BL_OK;
}

bl_status bl_twists_create(bl_context *ctx, const bl_model *model, double length, bl_twists *t) {
    *t = (bl_twists){.model = model, .arena = {.ctx = ctx}, .length = length > 0 ? length : 1};
    t->width = (model->nbody - 1) * (model->dim == 3 ? 6 : 3);
    return BL_ARENA_ARRAYS(&t->arena, BL_ARRAY(t->scratch, t->width + 1), BL_ARRAY(t->touched, model->nbody));
}

static builder builder_of(bl_twists *t, const bl_pose *pose, const double *variable) {
    return (builder){
        .t = t, .pose = pose, .variable = variable, .per_body = t->model->dim == 3 ? 6 : 3, .row = t->scratch, .touched = t->touched};
}

bl_status bl_twists_add_variable(bl_twists *t, const bl_pose *pose, bl_index variable, bl_index owner) {
    builder b = builder_of(t, pose, NULL);
    return add_row(&b, owner, add_rate(&b, variable, 1), NULL, NULL, 0, "driven value");
}

bl_status bl_twists_at(bl_twists *t, const bl_pose *pose, const double *variable) {
    const bl_model *model = t->model;
    builder b = builder_of(t, pose, variable);
    t->nrow = 0;
    for (bl_index j = 0; j < model->njoint; j++) {
        const bl_prim *prim = model->joint[j].prim;
        for (bl_index p = 0; p < model->joint[j].nprim; p++)
            BL_TRY(primitive_rows(&b, j, &prim[p], p > 0 && prim[p - 1].what == BL_SAME));
    }
    for (bl_index d = 0; d < model->ndriver; d++)
        BL_TRY(bl_twists_add_variable(t, pose, model->driver[d].variable, model->njoint + d));
    return BL_OK;
}

bl_status bl_twists_build(bl_context *ctx, const bl_model *model, const bl_pose *pose, double length, bl_twists *twists) {
    BL_TRY(bl_twists_create(ctx, model, length, twists));
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
