/* Joints and drivers as scalar equations between marks of bodies: values of primitives (joint/primitive.h) minus their targets, and sums
 * of variables. The derivative by a twist (v, w) uses r' = v + w x (r - p), u' = w x u for a point r and a vector u of a body with its
 * mass center at p; the centripetal term is the second rate without accelerations, r'' = w x (w x (r - p)), u'' = w x (w x u). */
#include "kinematics/kinematics_private.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

/* ---- equations of joints */

static void add(const bl_prim *prim, int part, bl_index joint, bl_joint_row *out, bl_index *n) {
    out[(*n)++] = (bl_joint_row){.prim = *prim, .part = part, .driver = -1, .joint = joint};
}

bl_index bl_rows_of_joint(const bl_kinematics *k, bl_index joint, bl_joint_row *out) {
    const bl_model *model = k->model;
    bl_index n = 0;
    if (joint >= model->njoint) {
        bl_index driver = joint - model->njoint;
        bl_prim drive = {.what = BL_LINEAR, .coef = {1}, .var = {model->driver[driver].variable, -1, -1}, .meaning = "driven value"};
        out[n++] = (bl_joint_row){.prim = drive, .driver = driver, .joint = joint};
        return n;
    }
    for (bl_index i = 0; i < model->joint[joint].nprim; i++) {
        const bl_prim *prim = &model->joint[joint].prim[i];
        bl_prim dot[2];
        bl_index forbids = bl_prim_forbids(prim, model->dim);
        if (prim->what == BL_SAME)
            bl_prim_same_as_dots(prim, model->dim, dot);
        for (int part = 0; part < forbids; part++)
            add(prim->what == BL_SAME ? &dot[part] : prim, part, joint, out, &n);
    }
    return n;
}

/* ---- values and derivatives */

static void point_at(const bl_kinematics *k, const bl_mark *mark, double arm[3], bl_mark_motion *out) {
    const bl_body_motion *body = &k->body[mark->body];
    bl_turn(body->rotation, mark->s, arm);
    for (int i = 0; i < 3; i++)
        out->r[i] = mark->is_vector ? arm[i] : body->position[i] + arm[i];
    if (k->skip_centripetal)
        return;
    cross3(body->angular_velocity, arm, out->rate);
    cross3(body->angular_velocity, out->rate, out->centripetal);
    for (int i = 0; i < 3; i++)
        out->rate[i] += mark->is_vector ? 0 : body->velocity[i];
}

static double *slot_of(bl_gradient *g, bl_index body) {
    for (bl_index i = 0; i < g->n; i++)
        if (g->body[i] == body)
            return g->by[i];
    if (g->n == BL_ROW_BODIES)
        return NULL; /* three variables involve six bodies at most */
    g->body[g->n] = body;
    memset(g->by[g->n], 0, sizeof g->by[0]);
    return g->by[g->n++];
}

/* += weight (force . velocity of a point at `arm` + moment . angular velocity) */
static void add_terms(bl_gradient *g, bl_index body, double weight, const double *force, const double *arm, const double *moment) {
    if (body == 0)
        return; /* ground does not move */
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

/* += weight times the value of the primitive, whose rate is returned; angles near *near unless near is NULL */
static double add_reading(const bl_kinematics *k, bl_gradient *g, double weight, const bl_prim *prim, int part, const double *near) {
    bl_prim_motion at;
    bl_prim_push pushes[BL_PRIM_PUSHES];
    bl_prim_reading reading;
    double arm[BL_PRIM_MARKS][3];
    for (int m = 0; m < bl_prim_marks(prim); m++)
        point_at(k, &prim->mark[m], arm[m], &at.mark[m]);
    at.turning[0] = k->skip_centripetal ? NULL : k->body[prim->a.body].angular_velocity;
    at.turning[1] = k->skip_centripetal ? NULL : k->body[prim->b.body].angular_velocity;
    bl_prim_read(prim, part, &at, &reading);
    g->value += weight * (near ? bl_nearest_turn(reading.value, *near) : reading.value);
    g->centripetal += weight * reading.centripetal;
    for (int i = 0, n = bl_prim_pushes(prim, &reading, pushes); i < n; i++)
        add_terms(g, pushes[i].body, weight * pushes[i].weight, pushes[i].force, arm[pushes[i].mark], pushes[i].moment);
    return reading.rate;
}

static double add_measure(const bl_kinematics *k, bl_gradient *g, double weight, bl_index variable) {
    const bl_variable *v = &k->model->variable[variable];
    return add_reading(k, g, weight, v->prim, v->part, v->is_angle ? &k->measure[variable].last : NULL);
}

void bl_measure_at(const bl_kinematics *k, bl_index variable, bl_gradient *out) {
    out->value = out->centripetal = 0;
    out->n = 0;
    add_measure(k, out, 1, variable);
}

/* the coefficients of a relation depend on the values of its variables */
static void relation_at(const bl_kinematics *k, const bl_prim *prim, bl_gradient *out) {
    bl_prim_relation at;
    double value[3] = {0, 0, 0}, rate = 0;
    for (int i = 0; prim->what == BL_FUNCTION && i < 3; i++)
        if (prim->var[i] >= 0) {
            bl_measure_at(k, prim->var[i], out);
            value[i] = out->value;
        }
    out->value = -prim->value;
    out->centripetal = 0;
    out->n = 0;
    bl_prim_relate(prim, value, &at);
    for (int i = 0; i < 3; i++)
        if (prim->var[i] >= 0 && at.coef[i] != 0) {
            double found = add_measure(k, out, at.coef[i], prim->var[i]);
            rate = i == 0 ? found : rate;
        }
    if (prim->what == BL_FUNCTION)
        out->value = at.gap;
    out->centripetal += k->skip_centripetal ? 0 : at.bend * rate * rate;
}

void bl_row_at(const bl_kinematics *k, const bl_joint_row *row, bl_gradient *out) {
    const bl_prim *prim = &row->prim;
    out->value = -prim->value;
    out->centripetal = 0;
    out->n = 0;
    if (!bl_prim_is_relation(prim)) {
        add_reading(k, out, 1, prim, row->part, NULL);
        return;
    }
    relation_at(k, prim, out);
    out->value -= bl_row_driven(k, row, 0);
}

double bl_row_scale(const bl_kinematics *k, const bl_joint_row *row) {
    const bl_prim *prim = &row->prim;
    bool relation = bl_prim_is_relation(prim);
    double scale = relation ? 0 : bl_prim_is_length(prim) ? k->size : 1;
    for (int i = prim->what == BL_FUNCTION; relation && i < 3; i++) /* of a function: its output */
        if (prim->var[i] >= 0)
            scale = fmax(scale, fabs(prim->coef[i]) * (k->model->variable[prim->var[i]].is_angle ? 1 : k->size));
    return scale > 0 ? scale : 1;
}
