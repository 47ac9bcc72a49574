/* Named coordinates of a linearized system: f quantities whose rates are independent on the admissible motions (null space of G). The rates
 * of a candidate along an orthonormal basis of these motions are a row of length f; a candidate is chosen when enough of its row is
 * independent of the rows chosen before. */
#include "base/vectors.h"
#include "study/linear_limits.h"
#include "study/linearize.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* independent share that a row must have, in successive passes over the candidates: first the clear ones in the order of the file */
static const double NEW[] = {0.3, 0.03, 1e-3, 1e-6};
enum { PASSES = sizeof NEW / sizeof *NEW };

typedef struct candidate {
    bl_chart_item item;
    double scale; /* unit of its rate */
} candidate;

typedef struct choice {
    bl_linearize *l;
    candidate *list;
    bl_index count;
    double *row;   /* [count][f] */
    double *basis; /* [f][f] rows chosen, orthonormalized */
    double *rest;  /* [f] */
    bl_index taken;
} choice;

static bool has_bodies(const bl_linearize *l) { return l->model && l->sys->nbody > 1; }

static double rate_of(const bl_linearize *l, const bl_chart_item *item, const bl_eval *e, const double *v) {
    switch (item->what) {
    case BL_CHART_VARIABLE: return e->variable_rate[item->ref];
    case BL_CHART_POSITION: return e->pose[item->ref].velocity[item->part];
    case BL_CHART_TURN: return e->pose[item->ref].angular_velocity[item->part];
    default: (void)l; return v[item->ref];
    }
}

bl_status bl_linearize_rates(bl_linearize *l, const double *q, const double *v, double *rate) {
    bl_eval *e = &l->beside;
    bl_eval_at(e, &l->state);
    e->q = q;
    e->v = v;
    BL_TRY(bl_system_eval(l->sys, e, l->wants));
    for (bl_index k = 0; k < l->f; k++)
        rate[k] = rate_of(l, &l->item[k], e, v);
    return BL_OK;
}

bl_status bl_linearize_values(bl_linearize *l, double *value) {
    bl_eval *e = &l->beside;
    bl_eval_at(e, &l->state);
    BL_TRY(bl_system_eval(l->sys, e, l->wants));
    for (bl_index k = 0; k < l->f; k++) {
        const bl_chart_item *item = &l->item[k];
        value[k] = item->what == BL_CHART_VARIABLE   ? e->variable[item->ref]
                   : item->what == BL_CHART_POSITION ? e->pose[item->ref].position[item->part]
                                                     : 0;
        if (item->what == BL_CHART_COLUMN && (l->sys->facts & BL_FLAT))
            value[k] = l->state.q[item->ref];
    }
    return BL_OK;
}

void bl_linearize_name(const bl_linearize *l, bl_index k, bool rate, char *name, size_t size) {
    static const char *const turn[] = {"roll", "pitch", "yaw"};
    const bl_chart_item *item = &l->item[k];
    const char *after = rate ? "_rate" : "";
    char column[96];
    switch (item->what) {
    case BL_CHART_VARIABLE: snprintf(name, size, "%s%s", l->model->variable[item->ref].name, after); break;
    case BL_CHART_POSITION: snprintf(name, size, "%s.%s%c", l->model->body[item->ref].name, rate ? "v" : "", "xyz"[item->part]); break;
    case BL_CHART_TURN:
        snprintf(name, size, "%s.%s%s", l->model->body[item->ref].name, l->model->dim == 2 ? "angle" : turn[item->part], after);
        break;
    default: bl_system_col_name(l->sys, item->ref, column, sizeof column); snprintf(name, size, "%s%s", column, after);
    }
}

/* ---- candidates */

static void add(choice *c, bl_chart_what what, bl_index ref, int part, double scale) {
    c->list[c->count++] = (candidate){.item = {what, ref, part}, .scale = scale > 0 ? scale : 1};
}

static bool listed(const choice *c, bl_index variable) {
    for (bl_index i = 0; i < c->count; i++)
        if (c->list[i].item.what == BL_CHART_VARIABLE && c->list[i].item.ref == variable)
            return true;
    return false;
}

static void add_variable(choice *c, bl_index v, double length) {
    if (!listed(c, v))
        add(c, BL_CHART_VARIABLE, v, 0, c->l->model->variable[v].is_angle ? 1 : length);
}

/* in motion, angular velocities about global axes are rates of coordinates only for bodies that do not rotate, and in the plane */
static bool turn_counts(const bl_linearize *l, bl_index body, double fastest) {
    const double *w = l->beside.pose[body].angular_velocity;
    return l->rest || l->model->dim == 2 || fmax(fabs(w[0]), fmax(fabs(w[1]), fabs(w[2]))) <= study_chart_turning * fastest;
}

static double typical_length(const bl_linearize *l) {
    for (bl_index j = 0; l->sys->col && j < l->n; j++)
        if (l->sys->col[j].what == BL_COL_POINT || l->sys->col[j].what == BL_COL_DISTANCE)
            return l->sys->col[j].scale;
    return 1;
}

static bl_status gather(choice *c, const bl_index *first, bl_index nfirst) {
    bl_linearize *l = c->l;
    const bl_model *model = l->model;
    double length = typical_length(l), fastest = 0;
    bool bodies = has_bodies(l), named = model && l->sys->nvariable == model->nvariable;
    for (bl_index i = 0; named && i < nfirst; i++)
        add_variable(c, first[i], length);
    for (bl_index i = 0; named && i < l->nindependent; i++)
        add_variable(c, l->independent[i], length);
    for (bl_index v = 0; named && bodies && v < model->nvariable; v++)
        add_variable(c, v, length);
    if (bodies) {
        bl_eval_at(&l->beside, &l->state);
        BL_TRY(bl_system_eval(l->sys, &l->beside, BL_POSE));
        for (bl_index b = 1; b < l->sys->nbody; b++)
            for (int k = 0; k < 3; k++)
                fastest = fmax(fastest, fabs(l->beside.pose[b].angular_velocity[k]));
    }
    for (bl_index b = 1; bodies && b < l->sys->nbody; b++)
        for (int k = 0; k < model->dim; k++)
            add(c, BL_CHART_POSITION, b, k, length);
    for (bl_index b = 1; bodies && b < l->sys->nbody; b++)
        for (int k = model->dim == 2 ? 2 : 0; k < 3; k++)
            if (turn_counts(l, b, fastest))
                add(c, BL_CHART_TURN, b, k, 1);
    for (bl_index j = 0; j < l->n && (l->sys->facts & BL_FLAT); j++)
        add(c, BL_CHART_COLUMN, j, 0, l->kkt->scale[j]);
    return BL_OK;
}

/* rates of all candidates along every admissible motion */
static bl_status measure(choice *c) {
    bl_linearize *l = c->l;
    size_t f = (size_t)l->f;
    uint32_t all = 0;
    for (bl_index i = 0; i < c->count; i++)
        all |= c->list[i].item.what == BL_CHART_VARIABLE ? BL_VARIABLES : c->list[i].item.what == BL_CHART_COLUMN ? 0 : BL_POSE;
    for (size_t k = 0; k < f; k++) {
        const double *x = l->motion + k * (size_t)l->n;
        BL_TRY(bl_go_on(l->ctx));
        bl_eval_at(&l->beside, &l->state);
        l->beside.v = x;
        BL_TRY(bl_system_eval(l->sys, &l->beside, all));
        for (bl_index i = 0; i < c->count; i++)
            c->row[(size_t)i * f + k] = rate_of(l, &c->list[i].item, &l->beside, x) / c->list[i].scale;
    }
    return BL_OK;
}

/* ---- choosing */

/* part of a row orthogonal to those chosen, in c->rest; returns its length */
static double independent_part(choice *c, const double *row) {
    size_t f = (size_t)c->l->f;
    memcpy(c->rest, row, f * sizeof *row);
    for (int twice = 0; twice < 2; twice++)
        for (bl_index i = 0; i < c->taken; i++) {
            const double *b = c->basis + (size_t)i * f;
            double along = 0;
            for (size_t k = 0; k < f; k++)
                along += b[k] * c->rest[k];
            for (size_t k = 0; k < f; k++)
                c->rest[k] -= along * b[k];
        }
    return bl_norm(f, c->rest);
}

static void choose(choice *c) {
    bl_linearize *l = c->l;
    size_t f = (size_t)l->f;
    double most = 0;
    for (bl_index i = 0; i < c->count; i++)
        most = fmax(most, bl_norm(f, c->row + (size_t)i * f));
    for (int pass = 0; pass < PASSES; pass++)
        for (bl_index i = 0; i < c->count && c->taken < l->f; i++) {
            const double *row = c->row + (size_t)i * f;
            double size = bl_norm(f, row);
            if (!(size > study_chart_slight * most))
                continue;
            double left = independent_part(c, row);
            if (!(left > NEW[pass] * size))
                continue;
            for (size_t k = 0; k < f; k++)
                c->basis[(size_t)c->taken * f + k] = c->rest[k] / left;
            for (size_t k = 0; k < f; k++)
                l->W[k * f + (size_t)c->taken] = row[k] * c->list[i].scale;
            l->item[c->taken++] = c->list[i].item;
        }
}

static bl_status make_room(bl_linearize *l) {
    size_t f = (size_t)l->f, n = (size_t)l->n, each = 3 * n + (size_t)l->np + f + (size_t)l->nz;
    double *at; /* all arrays of a direction in one block */
    BL_TRY(BL_NEW_ARRAYS(l->ctx, l->chart_block, BL_ARRAY(l->motion, f * n), BL_ARRAY(l->W, f * f), BL_ARRAY(l->stiff, f * f),
                         BL_ARRAY(l->damp, f * f), BL_ARRAY(l->rate, f), BL_ARRAY(l->second, f), BL_ARRAY(l->chart_work, 6 * f),
                         BL_ARRAY(l->item, f), BL_ARRAY(l->pivot, f), BL_ARRAY(l->direction, 2 * f), BL_ARRAY(at, 2 * f * each)));
    for (size_t k = 0; k < 2 * f; k++, at += each) {
        l->direction[k] =
            (bl_direction){.x = at, .dv = at + n, .da = at + 2 * n, .dl = at + 3 * n, .second = at + 3 * n + l->np, .held = -1};
        l->direction[k].state_rate = l->direction[k].second + f;
    }
    return BL_OK;
}

static bl_status refuse(bl_linearize *l, bl_index taken) {
    bl_fail(l->ctx, BL_E_ABILITY, NULL, "the motion cannot be linearized: only %d of %d degrees of freedom have suitable coordinates",
            (int)taken, (int)l->f);
    bl_advise(l->ctx, "describe rotating bodies by joint variables: a body that spins on a spherical joint has no angles of its own");
    return BL_E_ABILITY;
}

static void take_motions(bl_linearize *l) {
    double *z = l->chart_work;
    memset(z, 0, (size_t)l->f * sizeof *z);
    for (bl_index k = 0; k < l->f; k++) {
        z[k] = 1;
        bl_kkt_motion(l->kkt, z, l->motion + (size_t)k * (size_t)l->n);
        z[k] = 0;
    }
}

bl_status bl_linearize_keep_chart(bl_linearize *l) {
    double *rate = l->chart_work;
    size_t f = (size_t)l->f;
    if (l->kkt->f != l->f)
        return bl_fail(l->ctx, BL_E_NUMERIC, NULL, "the number of degrees of freedom changes from %d to %d: the configuration is singular",
                       (int)l->f, (int)l->kkt->f);
    take_motions(l);
    for (size_t k = 0; k < f; k++) {
        BL_TRY(bl_linearize_rates(l, l->state.q, l->motion + k * (size_t)l->n, rate));
        memcpy(l->W + k * f, rate, f * sizeof *rate);
    }
    if (f > 0 && !bl_dense_lu(l->f, l->W, l->pivot))
        return bl_fail(l->ctx, BL_E_NUMERIC, NULL, "the chosen coordinates do not determine the motion");
    return BL_OK;
}

bl_status bl_linearize_chart(bl_linearize *l, const bl_index *first, bl_index nfirst) {
    choice c = {.l = l};
    l->f = l->kkt->f;
    size_t f = (size_t)l->f, n = (size_t)l->n;
    BL_TRY(make_room(l));
    take_motions(l);
    size_t most = (size_t)nfirst + (size_t)l->nindependent + (size_t)l->sys->nvariable + 6 * (size_t)l->sys->nbody + n + 1;
    bl_status status = BL_NEW(l->ctx, c.list, most);
    if (status == BL_OK)
        status = gather(&c, first, nfirst);
    if (status == BL_OK)
        status = BL_NEW(l->ctx, c.row, ((size_t)c.count + f + 1) * f);
    if (status == BL_OK) {
        c.basis = c.row + (size_t)c.count * f;
        c.rest = c.basis + f * f;
        status = measure(&c);
    }
    if (status == BL_OK)
        choose(&c);
    l->wants = 0;
    for (bl_index k = 0; status == BL_OK && k < c.taken; k++)
        l->wants |= l->item[k].what == BL_CHART_VARIABLE ? BL_VARIABLES : l->item[k].what == BL_CHART_COLUMN ? 0 : BL_POSE;
    if (status == BL_OK && c.taken < l->f)
        status = refuse(l, c.taken);
    if (status == BL_OK && f > 0 && !bl_dense_lu(l->f, l->W, l->pivot))
        status = bl_fail(l->ctx, BL_E_NUMERIC, NULL, "the chosen coordinates do not determine the motion");
    bl_free(l->ctx, c.list);
    bl_free(l->ctx, c.row);
    return status;
}
