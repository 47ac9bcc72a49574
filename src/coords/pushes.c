/* Forces as they are reported: the load of each element on every body it acts on, referred to a point; springs by length and tension.
 *
 * A force g on a point mark r is that force at r; on a vector mark d it is the moment d x g. A force f on a variable is the load with
 * the power f x rate: for an angle with the rate u . (w_b - w_a) the moments f u and -f u; for a distance |b - a| the forces f and -f
 * along b - a at its ends; for a travel (b - a) . c, with c fixed in the first body, f c on the second at b and -f c on the first, also
 * at b. */
#include "base/vector3.h"
#include "coords/mechanism.h"

#include <math.h>
#include <string.h>

/* ---- set-up */

/* adds an entry for a body unless the load has one already; it is referred to the given point, NULL: to the mass center */
static void add_entry(bl_mechanism *m, bl_index load, bl_index body, const bl_mark *point) {
    bl_index i = m->push_first[load];
    while (i < m->npush && m->push[i].body != body)
        i++;
    if (body <= 0 || i < m->npush)
        return;
    m->push[m->npush] = (bl_push_def){.owner = load, .body = body};
    m->push_point[m->npush++] = point ? *point : (bl_mark){.body = body};
}

static void add_mark_entries(bl_mechanism *m, bl_index l) {
    const bl_record *r = &m->load[l].record;
    for (int vectors = 0; vectors < 2; vectors++) /* referred to a point of the force, if it has one */
        for (bl_index k = 0; k < r->nmark; k++)
            if (m->load[l].mark_out[k] >= 0 && r->mark[k].is_vector == (vectors == 1))
                add_entry(m, l, r->mark[k].body, vectors ? NULL : &r->mark[k]);
}

static void add_variable_entries(bl_mechanism *m, bl_index l, const bl_gauge *gauge) {
    const bl_prim *prim = gauge->prim;
    const bl_mark *at = bl_joint_point(&m->model->joint[gauge->joint]), *second = at, *first = at;
    if (prim->what == BL_DISTANCE) {
        second = &prim->b;
        first = &prim->a;
    } else if (prim->what == BL_TRAVEL) { /* the point that does not carry the axis: both forces then act along one line */
        second = first = prim->c.body == prim->a.body ? &prim->b : &prim->a;
    }
    add_entry(m, l, prim->b.body, second);
    add_entry(m, l, prim->a.body, first);
}

bl_status bl_pushes_build(bl_mechanism *m, bl_system *sys) {
    size_t most = 0, springs = 0;
    for (bl_index l = 0; l < m->nload; l++) {
        most += (size_t)m->load[l].record.nmark + 2 * (size_t)m->load[l].record.nvar;
        springs += (size_t)m->load[l].record.nshown;
    }
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(m->push_first, (size_t)m->nload + 1), BL_ARRAY(m->push, most), BL_ARRAY(m->push_point, most),
                           BL_ARRAY(m->spring, springs), BL_ARRAY(m->shown, springs)));
    for (bl_index l = 0; l < m->nload; l++) {
        const bl_record *r = &m->load[l].record;
        m->push_first[l] = m->npush;
        if (l >= m->model->nforce)
            continue; /* an additional actuator: no force of the model */
        add_mark_entries(m, l);
        for (bl_index k = 0; k < r->nvar; k++)
            add_variable_entries(m, l, &m->gauge[r->var[k]]);
        for (bl_index k = 0; k < r->nshown; k++) {
            m->spring[m->nspring] = (bl_spring_def){.owner = l, .variable = r->shown[k].variable};
            m->shown[m->nspring++] = r->shown[k];
        }
    }
    m->push_first[m->nload] = m->npush;
    sys->npush = m->npush;
    sys->push = m->push;
    sys->nspring = m->nspring;
    sys->spring = m->spring;
    return BL_OK;
}

/* ---- evaluation */

typedef struct load_now {
    const bl_mechanism *m;
    bl_eval *e;
    bl_index first, end; /* its entries in push */
} load_now;

/* NULL: ground */
static bl_push *push_on(const load_now *now, bl_index body) {
    for (bl_index i = now->first; i < now->end; i++)
        if (now->m->push[i].body == body)
            return &now->e->push[i];
    return NULL;
}

static void add_moment(const load_now *now, bl_index body, double sign, const double *moment) {
    bl_push *on = push_on(now, body);
    for (int k = 0; on && k < 3; k++)
        on->moment[k] += sign * moment[k];
}

static void add_force(const load_now *now, bl_index body, double sign, const double *at, const double *force) {
    bl_push *on = push_on(now, body);
    double arm[3], moment[3];
    if (!on)
        return;
    for (int k = 0; k < 3; k++) {
        on->force[k] += sign * force[k];
        arm[k] = at[k] - on->point[k];
    }
    cross3(arm, force, moment);
    add_moment(now, body, sign, moment);
}

static void push_marks(const load_now *now, const bl_load *load) {
    const bl_mechanism *m = now->m;
    const bl_mech_work *w = now->e->own;
    for (bl_index i = 0; i < load->record.nmark; i++) {
        const bl_mark *mark = &load->record.mark[i];
        double at[3] = {0, 0, 0}, force[3] = {0, 0, 0}, moment[3];
        if (load->mark_out[i] < 0)
            continue;
        for (int k = 0; k < m->dim; k++) {
            at[k] = w->D[load->mark_dir[i] * m->dim + k];
            force[k] = w->tape_out[load->mark_out[i] + k];
        }
        cross3(at, force, moment);
        if (mark->is_vector)
            add_moment(now, mark->body, 1, moment);
        else
            add_force(now, mark->body, 1, at, force);
    }
}

/* the load with the power f x rate of the variable */
static void push_variable(const load_now *now, const bl_gauge *gauge, double f) {
    bl_prim_motion at = {0};
    bl_prim_push pushes[BL_PRIM_PUSHES];
    bl_prim_reading reading;
    bl_pose_read(now->e, gauge->prim, gauge->part, &at, &reading);
    for (int i = 0, n = bl_prim_pushes(gauge->prim, &reading, pushes); i < n; i++) {
        if (pushes[i].force)
            add_force(now, pushes[i].body, f * pushes[i].weight, at.mark[pushes[i].mark].r, pushes[i].force);
        else
            add_moment(now, pushes[i].body, f * pushes[i].weight, pushes[i].moment);
    }
}

static void push_load(const load_now *now, const bl_load *load) {
    const bl_mech_work *w = now->e->own;
    for (bl_index i = now->first; i < now->end; i++) {
        double skip[3];
        now->e->push[i] = (bl_push){{0}, {0}, {0}};
        bl_pose_mark(now->e, &now->m->push_point[i], now->e->push[i].point, skip);
    }
    push_marks(now, load);
    for (bl_index i = 0; i < load->record.nvar; i++)
        if (load->var_out[i] >= 0)
            push_variable(now, &now->m->gauge[load->record.var[i]], w->tape_out[load->var_out[i]]);
}

/* restoring force on a variable */
static double tension_of_variable(const bl_load *load, const bl_mech_work *w, bl_index variable) {
    double force = 0;
    for (bl_index i = 0; i < load->record.nvar; i++)
        if (load->record.var[i] == variable && load->var_out[i] >= 0)
            force += w->tape_out[load->var_out[i]];
    return -force;
}

/* tension of a span, from the force on an end that is not ground */
static double tension_of_span(const load_now *now, const bl_mark end[2], double *length) {
    double at[2][3], d[3], skip[3];
    for (int i = 0; i < 2; i++)
        bl_pose_mark(now->e, &end[i], at[i], skip);
    for (int k = 0; k < 3; k++)
        d[k] = at[1][k] - at[0][k];
    *length = sqrt(dot3(d, d));
    const bl_push *on = push_on(now, end[0].body);
    double sign = on ? 1 : -1;
    on = on ? on : push_on(now, end[1].body);
    return on && *length > 0 ? sign * dot3(on->force, d) / *length : 0;
}

void bl_pushes(const bl_system *sys, bl_eval *e) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = e->own;
    bl_index s = 0;
    for (bl_index l = 0; l < m->nload; l++) {
        const bl_load *load = &m->load[l];
        load_now now = {m, e, m->push_first[l], m->push_first[l + 1]};
        bl_loads_forces(m, load, e->t, w);
        push_load(&now, load);
        for (; s < m->nspring && m->spring[s].owner == l; s++) {
            bl_index variable = m->spring[s].variable;
            if (variable >= 0) {
                e->spring_length[s] = w->x[m->gauge[variable].entry];
                e->spring_tension[s] = tension_of_variable(load, w, variable);
            } else {
                e->spring_tension[s] = tension_of_span(&now, m->shown[s].end, &e->spring_length[s]);
            }
        }
    }
}
