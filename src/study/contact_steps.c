/* One step: what acts on free bodies, the response of the mechanism, impulses, results (contact_steps.h). */
#include "study/contact_steps_private.h"

#include "base/vector3.h"
#include "signal/signal.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

static void set_modes(const bl_system *sys, bl_state *state, bl_contact_mode mode) {
    bl_contact_state *of = bl_contact_states(sys, state->history);
    for (bl_index i = 0; i < sys->ncontact; i++)
        of[i].mode = mode;
}

static void inner_state(const bl_contact_steps *s, const bl_state *from, bl_state *to, bl_contact_mode mode) {
    if (bl_signal_has(s->sys))
        bl_signal_inner_state(s->sys, from, to);
    else
        bl_state_copy(s->inner, to, from);
    set_modes(s->inner, to, mode);
}

/* poses, and forces where there are any, with the positions of one state and the velocities of another */
static bl_status look_at(bl_contact_steps *s, const bl_state *state, const double *v, uint32_t want) {
    inner_state(s, state, &s->seen, BL_CONTACT_OPEN);
    memcpy(s->seen.v, v, (size_t)s->inner->nv * sizeof *v);
    bl_eval_at(&s->look, &s->seen);
    return bl_system_eval(s->inner, &s->look, want);
}

/* rotation in the plane, with as many revolutions as brings it nearest to the last one */
static double angle_near(const double quaternion[4], double last) {
    double turned = 2 * atan2(quaternion[3], quaternion[0]), round = 4 * acos(0);
    return last + remainder(turned - last, round);
}

/* forces other than gravity on free bodies, at the mid point */
static bl_status take_forces(bl_contact_steps *s, const bl_state *middle) {
    BL_TRY(look_at(s, middle, middle->v, BL_POSE | BL_FORCES));
    memset(s->core.force, 0, (size_t)s->model->nbody * sizeof *s->core.force);
    memset(s->core.moment, 0, (size_t)s->model->nbody * sizeof *s->core.moment);
    for (bl_index k = 0; k < s->inner->npush; k++) {
        bl_index b = s->inner->push[k].body;
        const bl_push *push = &s->look.push[k];
        double arm[3], moment[3];
        for (int i = 0; i < 3; i++)
            arm[i] = push->point[i] - s->look.pose[b].position[i];
        cross3(arm, push->force, moment);
        for (int i = 0; i < 3; i++) {
            s->core.force[b][i] += push->force[i];
            s->core.moment[b][i] += push->moment[i] + moment[i];
        }
    }
    return BL_OK;
}

/* free bodies at the start of a step */
static bl_status take_bodies(bl_contact_steps *s, const bl_state *start) {
    BL_TRY(look_at(s, start, start->v, BL_POSE));
    for (bl_index b = 1; b < s->model->nbody; b++) {
        const bl_pose *at = &s->look.pose[b];
        if (!s->own[b])
            continue;
        bl_stepping_set_body(&s->core, b, at->position, at->quaternion, at->velocity, at->angular_velocity);
        if (s->angle_at[b] >= 0)
            s->angle[b] = s->seen.q[s->angle_at[b]];
    }
    return BL_OK;
}

/* rows of a handle: velocities of one of its points */
static bl_index row_of(const bl_contact *of, int k) { return k == 0 ? of->normal : of->slip[k - 1]; }

static void add_row(const bl_contact_steps *s, bl_index row, double by, double *to) {
    for (bl_index p = s->row_ptr[row]; p < s->row_ptr[row + 1]; p++)
        to[s->part.index[s->row_col[p]]] += by * s->rows.G[s->row_slot[p]];
}

/* B of a body: v of the mass center, w = sum_k r_k x (v_k - v) / (2 l^2) of points at r_k = l e_k; in the plane w = e_1 x (v_1 - v) / l */
static void body_rows(const bl_contact_steps *s, const bl_contact_block *b, double *B) {
    const bl_contact *handle = s->inner->contact + b->contact;
    size_t nv = (size_t)s->part.n;
    int dim = s->model->dim;
    double axes[9];
    for (int k = 0; k < dim; k++)
        add_row(s, row_of(handle, k), 1, B + (size_t)k * nv);
    for (int k = 0; k < 3; k++) {
        double unit[3] = {k == 0, k == 1, k == 2};
        turn3(s->look.pose[b->body].quaternion, unit, axes + 3 * k);
    }
    for (int k = 0; k < (dim == 3 ? 3 : 1); k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < dim; j++) { /* w_i += (e_k x (v_k - v))_i: the entry of v_j */
                double unit[3] = {j == 0, j == 1, j == 2}, across[3];
                cross3(axes + 3 * k, unit, across);
                double by = across[i] / (b->lever * (dim == 3 ? 2 : 1));
                if (by == 0 || (dim == 2 && i < 2))
                    continue;
                add_row(s, row_of(handle + 1 + k, j), by, B + (size_t)(3 + i) * nv);
                add_row(s, row_of(handle, j), -by, B + (size_t)(3 + i) * nv);
            }
}

static double times(const double *row, const double *x, bl_index n) {
    double sum = 0;
    for (bl_index j = 0; j < n; j++)
        sum += row[j] * x[j];
    return sum;
}

/* values of M and G of the mechanism, which other bodies do not influence */
static bl_status move_part(bl_contact_steps *s) {
    bl_mechanism_part *part = &s->part;
    for (bl_index k = 0; k < part->of.pat_M.ptr[part->n]; k++)
        part->M[k] = s->mass.M[part->slot_M[k]];
    for (bl_index k = 0; k < part->of.pat_G.ptr[part->n]; k++)
        part->G[k] = s->mass.G[part->slot_G[k]];
    part->at = (bl_eval){.have = BL_G, .G = part->G};
    BL_TRY(bl_kkt_move_to(s->kkt, &part->at));
    return bl_kkt_factor(s->kkt, part->M, 0, NULL, 0);
}

/* B, A B^T and D = B A B^T of the groups at the mid point */
static bl_status find_response(bl_contact_steps *s, const bl_state *middle) {
    const bl_system *sys = s->inner;
    size_t n = (size_t)s->part.n;
    inner_state(s, middle, &s->all, BL_CONTACT_STICK);
    bl_eval_at(&s->rows, &s->all);
    BL_TRY(bl_system_eval(sys, &s->rows, BL_G | BL_PHI));
    inner_state(s, middle, &s->open, BL_CONTACT_OPEN);
    bl_eval_at(&s->mass, &s->open);
    BL_TRY(bl_system_eval(sys, &s->mass, BL_M | BL_G));
    BL_TRY(move_part(s));
    memset(s->B, 0, (size_t)s->nrow * n * sizeof *s->B);
    for (const bl_contact_block *b = s->block; b < s->block + s->nblock; b++)
        if (b->n == 6)
            body_rows(s, b, s->B + (size_t)b->first * n);
        else
            add_row(s, sys->contact[b->contact].normal, 1, s->B + (size_t)b->first * n);
    for (bl_index r = 0; r < s->nrow; r++) {
        memcpy(s->x, s->B + (size_t)r * n, n * sizeof *s->x);
        BL_TRY(bl_kkt_solve(s->kkt, s->x, NULL, s->answer + (size_t)r * n, NULL));
    }
    for (const bl_contact_block *b = s->block; b < s->block + s->nblock; b++)
        for (const bl_contact_block *c = s->block; c < s->block + s->nblock; c++) {
            const bl_cone_group *g = &s->groups.group[b->group];
            if (c->group != b->group)
                continue;
            for (int j = 0; j < b->n; j++)
                for (int i = 0; i < c->n; i++)
                    g->D[(size_t)(b->first_in_group + j) * (size_t)g->n + (size_t)(c->first_in_group + i)] =
                        times(s->B + (size_t)(c->first + i) * n, s->answer + (size_t)(b->first + j) * n, s->part.n);
        }
    return BL_OK;
}

/* (v, w) of touched bodies, rates of stops */
static void speeds(const bl_contact_steps *s, const double *v, double *y) {
    for (bl_index j = 0; j < s->part.n; j++)
        s->x[j] = v[s->part.column[j]];
    for (bl_index r = 0; r < s->nrow; r++)
        y[r] = times(s->B + (size_t)r * (size_t)s->part.n, s->x, s->part.n);
}

static bl_status join_mechanism(bl_contact_steps *s, const bl_state *start, const bl_state *middle, const double *v) {
    static const double origin[3] = {0}, upright[4] = {1};
    if (s->nblock == 0)
        return BL_OK;
    BL_TRY(look_at(s, middle, start->v, BL_POSE));
    BL_TRY(find_response(s, middle));
    speeds(s, start->v, s->before);
    speeds(s, v, s->after);
    for (const bl_contact_block *b = s->block; b < s->block + s->nblock; b++) {
        double before[6] = {0}, after[6] = {0};
        memcpy(before, s->before + b->first, (size_t)b->n * sizeof *before);
        memcpy(after, s->after + b->first, (size_t)b->n * sizeof *after);
        const bl_pose *at = b->n == 6 ? &s->look.pose[b->body] : NULL;
        bl_stepping_join(&s->core, b->body, at ? at->position : origin, at ? at->quaternion : upright, before, after);
        if (!at)
            s->core.bound[b->contact].gap = s->rows.phi[s->inner->contact[b->contact].normal];
    }
    s->core.groups = &s->groups;
    return BL_OK;
}

/* forces of contacts over a step on the rows of stops and handles, with the sign of multipliers; a wrench as forces at the points */
static void rows_of_push(const bl_contact_steps *s, double h) {
    int dim = s->model->dim, npoint = dim == 3 ? 3 : 1;
    for (const bl_contact_block *b = s->block; b < s->block + s->nblock; b++) {
        const bl_contact *at = s->inner->contact + b->contact;
        const double *push = s->core.push[b->body], *q = s->look.pose[b->n == 6 ? b->body : 0].quaternion;
        if (b->n == 1) {
            s->step_lambda[at->normal] = -push[0] / h;
            continue;
        }
        double center[3] = {push[0], push[1], push[2]}, arm[3], force[3];
        for (int k = 0; k < npoint; k++) {
            turn3(q, (const double[3]){k == 0, k == 1, k == 2}, arm);
            cross3(push + 3, arm, force);
            for (int i = 0; i < dim; i++) {
                force[i] /= b->lever * (dim == 3 ? 2 : 1);
                center[i] -= force[i];
                s->step_lambda[row_of(at + 1 + k, i)] = -force[i] / h;
            }
        }
        for (int i = 0; i < dim; i++)
            s->step_lambda[row_of(at, i)] = -center[i] / h;
    }
}

/* sum over k of w_k of touched bodies and stops times a row of B, or of A B^T */
static void combine(const bl_contact_steps *s, const double *rows, double (*wrench)[6], double *to) {
    memset(to, 0, (size_t)s->part.n * sizeof *to);
    for (const bl_contact_block *b = s->block; b < s->block + s->nblock; b++)
        for (int k = 0; k < b->n; k++) {
            const double *row = rows + (size_t)(b->first + k) * (size_t)s->part.n, P = wrench[b->body][k];
            for (bl_index j = 0; j < s->part.n && P != 0; j++)
                to[j] += P * row[j];
        }
}

/* velocities, work of drivers, and for results accelerations and multipliers, from the impulses of contacts */
static bl_status apply_impulses(bl_contact_steps *s, double h, double *v, double *work) {
    const bl_system *sys = s->inner;
    const bl_mechanism_part *part = &s->part;
    if (s->nblock == 0)
        return BL_OK;
    combine(s, s->B, s->core.push, s->x);
    BL_TRY(bl_kkt_solve(s->kkt, s->x, NULL, s->x, part->lambda));
    if (sys->facts & BL_RHEONOMIC) {
        BL_TRY(bl_system_eval(sys, &s->mass, BL_B));
        for (bl_index r = 0; r < part->of.np; r++)
            *work -= part->lambda[r] * s->mass.b[part->row[r]];
    }
    for (bl_index j = 0; j < part->n; j++) {
        v[part->column[j]] += s->x[j];
        s->step_a[part->column[j]] = s->x[j] / h;
    }
    for (bl_index r = 0; r < part->of.np; r++)
        s->step_lambda[part->row[r]] = part->lambda[r] / h;
    rows_of_push(s, h);
    return BL_OK;
}

/* contacts of results: the smallest gap, sums of the forces of the step, the largest speed, over the points of each contact of the file */
static void note(bl_contact_steps *s, double h) {
    const bl_stepping *core = &s->core;
    bl_index nstop = s->nshown - s->model->surfaces->nlaw;
    for (bl_index k = 0; k < s->nshown; k++) {
        s->sample[k] = (bl_contact_sample){.gap = k < nstop ? core->bound[k].gap : NAN};
        s->weight[k] = s->rub[k][0] = s->rub[k][1] = s->rub[k][2] = 0;
    }
    for (bl_index i = 0; i < core->ncontact; i++) {
        const bl_stepping_touch *touch = &core->touch[i];
        const bl_cone_contact *c = &core->contact[i];
        bl_index k = touch->pair < 0 ? -1 - touch->pair : nstop + core->sweep.pair[touch->pair].law;
        bl_contact_sample *to = &s->sample[k];
        const double *P = core->P[i];
        double u[3], impulse[3], rub = hypot(P[1], P[2]);
        bl_cone_contact_velocity(core->body, c, u);
        double gap = touch->gap + 0.5 * h * dot3(c->n, u), slip = hypot(dot3(c->t[0], u), dot3(c->t[1], u));
        to->gap = isnan(to->gap) || gap < to->gap || touch->pair < 0 ? gap : to->gap;
        if (!(P[0] > 0))
            continue;
        to->force[0] += P[0] / h;
        bl_cone_contact_impulse(c, P, impulse);
        s->weight[k] += P[0];
        for (int j = 0; j < 3; j++) {
            s->rub[k][j] += (impulse[j] - P[0] * c->n[j]) / h;
            to->total[j] += impulse[j] / h;
            to->point[j] += (core->at[c->body[1]][j] + c->r[1][j] - to->point[j]) * P[0] / s->weight[k];
        }
        bool sticks = rub < c->mu * P[0] * (1 - study_contact_sticks);
        to->sliding[0] = fmax(to->sliding[0], sticks ? 0 : slip);
        to->state = fmax(to->state, sticks && c->mu > 0 ? 2 : 1);
    }
    for (bl_index k = nstop; k < s->nshown; k++)
        s->sample[k].force[1] = norm3(s->rub[k]);
}

bl_status bl_contact_steps_begin(void *user) {
    bl_contact_steps *s = user;
    bl_stepping_forget(&s->core);
    return BL_OK;
}

/* some contact has both: then Newton's law itself may gain energy */
static bool rebounds_with_friction(const bl_stepping *core) {
    for (bl_index i = 0; i < core->scene.nlaw; i++)
        if (core->law[i].restitution > 0 && core->law[i].friction > 0)
            return true;
    return false;
}

/* all contacts together; single steps gain what the sweeps leave */
static void warn_of_gain(bl_contact_steps *s, double t) {
    s->contact_work += s->core.contact_work;
    s->contact_scale += s->core.contact_scale;
    if (s->warned || !(s->contact_work > study_steps_gain * s->contact_scale))
        return;
    s->warned = true;
    bl_warn(s->ctx, t, NULL, "contacts have gained %.3g J by t = %.6g: %s", s->contact_work, t,
            rebounds_with_friction(&s->core) ? "restitution with friction may, by Newton's law of impact"
                                             : "surfaces turn during a step; with shorter ones less");
}

/* what starts inside something else is a mistake in the model, unless it is little */
static bl_status check_start(bl_contact_steps *s, double h) {
    const bl_model *model = s->model;
    const bl_stepping *core = &s->core;
    double share, depth;
    bl_index i = bl_stepping_deepest(core, h, &share, &depth);
    s->started = true;
    if (i < 0 || !(share > study_contact_overlap))
        return BL_OK;
    const bl_stepping_touch *touch = &core->touch[i];
    const bl_cone_contact *c = &core->contact[i];
    if (touch->pair < 0) {
        const bl_contact_def *stop = &model->contact[-1 - touch->pair];
        bl_fail(s->ctx, BL_E_MODEL, &stop->place, "the start is %.3g beyond the stop %s", depth, stop->name);
        bl_advise(s->ctx, "move the start or the stop");
        return BL_E_MODEL;
    }
    const bl_surface_law *law = &model->surfaces->law[core->sweep.pair[touch->pair].law];
    double at[3];
    for (int k = 0; k < 3; k++)
        at[k] = core->at[c->body[1]][k] + c->r[1][k];
    bl_fail(s->ctx, BL_E_MODEL, &law->place, "contact '%s': '%s' and '%s' start inside each other by %.3g m at (%.6g, %.6g, %.6g)",
            law->name, model->body[c->body[0]].name, model->body[c->body[1]].name, depth, at[0], at[1], at[2]);
    bl_advise(s->ctx, "move them apart, or leave out one of them by `except` (up to %.3g m would be removed)",
              depth * study_contact_overlap / share);
    return BL_E_MODEL;
}

bl_status bl_contact_steps_strike(void *user, double h, const bl_state *start, const bl_state *middle, double *v, double *work) {
    bl_contact_steps *s = user;
    if (s->pushed)
        BL_TRY(take_forces(s, middle));
    BL_TRY(take_bodies(s, start));
    bl_stepping_begin(&s->core, h);
    if (middle)
        BL_TRY(join_mechanism(s, start, middle, v));
    BL_TRY(bl_stepping_impulses(&s->core, h));
    if (!s->started)
        BL_TRY(check_start(s, h));
    if (middle)
        BL_TRY(apply_impulses(s, h, v, work));
    note(s, h);
    bl_stepping_end(&s->core, h);
    *work += s->core.contact_work + s->core.lift_work;
    warn_of_gain(s, *start->t + h);
    return BL_OK;
}

bl_status bl_contact_steps_finish(void *user, double h, bl_state *end) {
    bl_contact_steps *s = user;
    (void)h;
    for (bl_index b = 1; b < s->model->nbody; b++) {
        bl_pose *to = &s->pose[b];
        if (!s->own[b])
            continue;
        memcpy(to->position, s->core.at[b], sizeof to->position);
        memcpy(to->quaternion, s->core.turn[b], sizeof to->quaternion);
        memcpy(to->velocity, s->core.v[b], sizeof to->velocity);
        memcpy(to->angular_velocity, s->core.w[b], sizeof to->angular_velocity);
        s->angle[b] = angle_near(to->quaternion, s->angle[b]);
    }
    if (s->core.shifted && s->nblock) {
        combine(s, s->answer, s->core.shift, s->x);
        memset(s->sum_a, 0, (size_t)s->inner->nv * sizeof *s->sum_a);
        for (bl_index j = 0; j < s->part.n; j++)
            s->sum_a[s->part.column[j]] = s->x[j];
        BL_TRY(bl_system_retract(s->inner, end->q, s->sum_a, end->q));
    }
    if (s->nown)
        bl_coords_write(s->inner, s->own, s->pose, s->angle, end->q, end->v);
    return BL_OK;
}

bl_status bl_contact_steps_reactions(bl_contact_steps *s, const bl_state *state, const double *a, const double *lambda, bl_sample *sample) {
    const bl_system *sys = s->inner;
    bl_eval *e = &s->reactions;
    if (s->nblock == 0 || !a)
        return BL_OK;
    for (bl_index j = 0; j < sys->nv; j++)
        s->sum_a[j] = a[j] + s->step_a[j];
    for (bl_index r = 0; r < sys->np; r++)
        s->sum_lambda[r] = lambda[r] + s->step_lambda[r];
    inner_state(s, state, &s->all, BL_CONTACT_STICK);
    bl_eval_at(e, &s->all);
    e->a = s->sum_a;
    e->lambda = s->sum_lambda;
    BL_TRY(bl_system_eval(sys, e, BL_WRENCH));
    sample->reaction = e->wrench;
    sample->driver_force = e->driver_force;
    sample->relation_force = e->relation_force;
    return BL_OK;
}
