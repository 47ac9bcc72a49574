/* One link of the plane attached to links already solved: pinned or sliding, with the variable of that joint given by a driver or by a
 * relation to known variables; or fixed. */
#include "kinematics/plane.h"

#include <math.h>
#include <string.h>

/* ---- joints as plane pairs */

static vec2 unit(vec2 a) { return mul2(1 / sqrt(dot2(a, a)), a); }

/* rotation of b relative to a if their vectors agree: angle of a's vector minus that of b's */
static vec2 turn_between(const bl_prim *same) {
    vec2 a = unit(of_mark(&same->a)), b = unit(of_mark(&same->b));
    return back2(b, a);
}

/* seen from the other body: n . (r_x - r_y) = -offset, with n and the line in the axes of the other */
static void reverse(plane_pair *p) {
    vec2 n = back2(p->turn, p->n), keep = p->px;
    p->px = p->py;
    p->py = keep;
    p->n = n;
    p->offset = -p->offset;
    p->turn.y = -p->turn.y;
}

bool bl_plane_pair(const bl_kinematics *k, bl_index joint, bl_index x, plane_pair *out) {
    const bl_joint_def *def = &k->model->joint[joint];
    char letter = def->kind->letter;
    const bl_prim *points = bl_joint_prim(def, letter == 'P' ? BL_PLANE : BL_COINCIDE), *same = bl_joint_prim(def, BL_SAME);
    if (!points || (letter != 'R' && letter != 'P' && letter != 'F'))
        return false;
    *out = (plane_pair){.letter = letter, .joint = joint, .x = def->body[0], .y = def->body[1], .turn = {1, 0}};
    if (same)
        out->turn = turn_between(same);
    out->px = of_mark(&points->a);
    out->py = of_mark(&points->b);
    if (letter == 'P') { /* the points keep their offset */
        out->n = of_mark(&points->c);
        out->offset = points->value;
    }
    if (x == out->x)
        return true;
    out->y = out->x;
    out->x = x;
    if (out->letter == 'P')
        reverse(out);
    else {
        vec2 keep = out->px;
        out->px = out->py;
        out->py = keep;
        out->turn.y = -out->turn.y;
    }
    return true;
}

/* ---- the link */

typedef struct link_form {
    plane_pair pair; /* x: the body it is attached to */
    double sign;     /* +1: the link is the joint's second body */
    vec2 zero;       /* R: rotation relative to x where the variable is 0 */
    double start;    /* P: distance along the line where the variable is 0 */
    double slope;    /* P: change of `along` per unit of the variable, +1 or -1 */
    const bl_joint_row *relation;
    bl_index variable;
    double coef;
} link_form;

/* the variable of the link's joint, or its rates, from the relation */
static void known_variable(const bl_kinematics *k, const link_form *f, int level, double *out) {
    const bl_prim *row = &f->relation->prim;
    double sum = bl_row_driven(k, f->relation, level) + (level == 0 ? row->value : 0);
    for (int i = 0; i < 3; i++) {
        if (row->var[i] < 0 || row->var[i] == f->variable)
            continue;
        bl_gradient g;
        bl_measure_at(k, row->var[i], &g);
        double x = level == 0 ? g.value : level == 2 ? g.centripetal : 0;
        for (bl_index b = 0; level > 0 && b < g.n; b++) {
            const bl_body_motion *body = &k->body[g.body[b]];
            for (int c = 0; c < 3; c++)
                x += level == 1 ? g.by[b][c] * body->velocity[c] + g.by[b][3 + c] * body->angular_velocity[c]
                                : g.by[b][c] * body->acceleration[c] + g.by[b][3 + c] * body->angular_acceleration[c];
        }
        sum -= row->coef[i] * x;
    }
    *out = sum / f->coef;
}

static void set_turned(bl_kinematics *k, const link_form *f, vec2 turn) {
    const plane_pair *p = &f->pair;
    vec2 now = turn2(turn_of(&k->body[p->x]), turn);
    put_body(&k->body[p->y], sub2(point_of(&k->body[p->x], p->px), turn2(now, p->py)), now);
}

static bl_status position(bl_kinematics *k, bl_link_group *group, double ahead) {
    const link_form *f = group->form;
    const plane_pair *p = &f->pair;
    double x = 0;
    (void)ahead;
    if (f->relation)
        known_variable(k, f, 0, &x);
    if (p->letter == 'P') {
        vec2 start, direction, turn = turn2(turn_of(&k->body[p->x]), p->turn);
        slide_line(k, p, &start, &direction);
        vec2 at = add2(start, mul2(f->start + f->slope * x, direction));
        put_body(&k->body[p->y], sub2(at, turn2(turn, p->py)), turn);
    } else if (p->letter == 'R')
        set_turned(k, f, turn2(f->zero, (vec2){cos(x), f->sign * sin(x)}));
    else
        set_turned(k, f, p->turn);
    return isfinite(x) ? BL_OK : BL_NOT_FINITE;
}

static bl_status velocity(bl_kinematics *k, bl_link_group *group) {
    const link_form *f = group->form;
    const plane_pair *p = &f->pair;
    const bl_body_motion *x = &k->body[p->x];
    bl_body_motion *y = &k->body[p->y];
    double rate = 0, w = x->angular_velocity[2];
    if (f->relation)
        known_variable(k, f, 1, &rate);
    vec2 at = point_of(y, p->py), start, direction, v = velocity_at(x, at);
    if (p->letter == 'P') {
        slide_line(k, p, &start, &direction);
        v = add2(v, mul2(f->slope * rate, direction));
    } else
        w += f->sign * rate;
    put_velocity(y, at, v, w);
    return BL_OK;
}

static bl_status acceleration(bl_kinematics *k, bl_link_group *group) {
    const link_form *f = group->form;
    const plane_pair *p = &f->pair;
    const bl_body_motion *x = &k->body[p->x];
    bl_body_motion *y = &k->body[p->y];
    double rate = 0, rate2 = 0, dw = x->angular_acceleration[2];
    if (f->relation) {
        known_variable(k, f, 1, &rate);
        known_variable(k, f, 2, &rate2);
    }
    vec2 at = point_of(y, p->py), start, direction, a = acceleration_at(x, at);
    if (p->letter == 'P') {
        slide_line(k, p, &start, &direction);
        a = add2(a, mul2(f->slope * rate2, direction));
        a = add2(a, mul2(2 * x->angular_velocity[2] * f->slope * rate, left2(direction)));
    } else
        dw += f->sign * rate2;
    put_acceleration(y, at, a, dw);
    return BL_OK;
}

/* zero of the variable from the present position of the link, where the variable is x */
static void find_zero(const bl_kinematics *k, link_form *f) {
    bl_gradient g;
    bl_measure_at(k, f->variable, &g);
    const bl_body_motion *x = &k->body[f->pair.x], *y = &k->body[f->pair.y];
    if (f->pair.letter == 'R') {
        vec2 turn = back2(turn_of(x), turn_of(y));
        f->zero = turn2(turn, (vec2){cos(g.value), -f->sign * sin(g.value)});
        return;
    }
    vec2 start, direction;
    slide_line(k, &f->pair, &start, &direction);
    const bl_prim *travel = k->model->variable[f->variable].prim;
    vec2 axis = turn2(turn_of(&k->body[travel->c.body]), of_mark(&travel->c));
    f->slope = f->sign * (dot2(axis, direction) > 0 ? 1 : -1);
    f->start = dot2(sub2(point_of(y, f->pair.py), start), direction) - f->slope * g.value;
}

/* does the relation measure the motion of this body by a variable other than its joint's? */
static bool measures(const bl_kinematics *k, bl_index variable, bl_index body) {
    const bl_index *ends = k->model->joint[k->model->variable[variable].joint].body;
    return ends[0] == body || ends[1] == body;
}

static bool find_relation(const bl_kinematics *k, const bl_link_group *group, link_form *f) {
    const bl_joint_def *joint = &k->model->joint[f->pair.joint];
    f->variable = joint->first_var;
    for (bl_index i = 0; i < group->nrow; i++) {
        const bl_prim *row = &group->row[i].prim;
        if (row->what != BL_LINEAR)
            continue;
        f->relation = &group->row[i];
        for (int j = 0; j < 3; j++) {
            if (row->var[j] == f->variable)
                f->coef += row->coef[j];
            else if (row->var[j] >= 0 && measures(k, row->var[j], group->body[0]))
                return false;
        }
    }
    return f->relation && f->coef != 0;
}

static bl_status fit(bl_kinematics *k, bl_link_group *group, bool *fits) {
    link_form f = {.sign = 1};
    *fits = false;
    if (k->model->dim != 2 || group->nbody != 1 || group->nrow != 3)
        return BL_OK;
    bl_index body = group->body[0], joint = -1;
    for (bl_index i = 0; i < group->nrow; i++)
        if (group->row[i].prim.what == BL_FUNCTION)
            return BL_OK; /* its coefficients vary */
    for (bl_index i = 0; i < group->nrow; i++)
        if (group->row[i].prim.what != BL_LINEAR) {
            if (joint >= 0 && group->row[i].joint != joint)
                return BL_OK;
            joint = group->row[i].joint;
        }
    if (joint < 0)
        return BL_OK;
    const bl_index *ends = k->model->joint[joint].body;
    if (!bl_plane_pair(k, joint, ends[0] == body ? ends[1] : ends[0], &f.pair))
        return BL_OK;
    *fits = true;
    f.sign = ends[1] == body ? 1 : -1;
    if (f.pair.letter != 'F') {
        *fits = find_relation(k, group, &f);
        if (!*fits)
            return BL_OK;
        find_zero(k, &f);
    }
    link_form *own;
    BL_TRY(BL_ARENA_NEW(&k->arena, own, 1));
    *own = f;
    group->form = own;
    return BL_OK;
}

const bl_group_solver bl_group_plane_link = {
    .name = "driven link", .fit = fit, .position = position, .velocity = velocity, .acceleration = acceleration};
