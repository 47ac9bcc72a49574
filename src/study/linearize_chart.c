/* Named coordinates of a linearized system: quantities whose rates are independent on the admissible motions, f speeds on those of all
 * rows, fp coordinates on those of the position rows. The rates of a candidate along an orthonormal basis of these motions are a row; a
 * candidate is chosen when enough of its row is independent of the rows chosen before. */
#include "base/vectors.h"
#include "coords/coords.h"
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
    bool last;    /* only where all others do not suffice */
} candidate;

typedef struct choice {
    bl_linearize *l;
    candidate *list;
    bl_index count;
    size_t f;      /* f or fp */
    double *row;   /* [count][f] */
    double *basis; /* [f][f] rows chosen, orthonormalized */
    double *rest;  /* [f] */
    bl_index taken;
    bl_chart_item *item; /* [f] taken */
    double *W;           /* [f][f] rates of these, by columns of motions */
} choice;

static bool has_bodies(const bl_linearize *l) { return l->model && l->sys->nbody > 1; }

static uint32_t quantity(const bl_chart_item *item) {
    return item->what == BL_CHART_VARIABLE ? BL_VARIABLES : item->what == BL_CHART_COLUMN ? 0 : BL_POSE;
}

static double rate_of(const bl_linearize *l, const bl_chart_item *item, const bl_eval *e, const double *v) {
    switch (item->what) {
    case BL_CHART_VARIABLE: return e->variable_rate[item->ref];
    case BL_CHART_POSITION: return e->pose[item->ref].velocity[item->part];
    case BL_CHART_TURN: return e->pose[item->ref].angular_velocity[item->part];
    case BL_CHART_TOUCH: return bl_linearize_touch_rate(l, item, e);
    case BL_CHART_COLUMN: return v[item->ref];
    default: return bl_linearize_carried_rate(l, item, e, v);
    }
}

bl_status bl_linearize_rates(bl_linearize *l, const double *q, const double *v, double *speeds, double *rates) {
    bl_eval *e = &l->beside;
    bl_eval_at(e, &l->state);
    e->q = q;
    e->v = v;
    BL_TRY(bl_system_eval(l->sys, e, l->wants));
    for (bl_index k = 0; k < l->f && speeds; k++)
        speeds[k] = rate_of(l, &l->speed[k], e, v);
    for (bl_index k = 0; k < l->fp && rates; k++)
        rates[k] = rate_of(l, &l->item[k], e, v);
    return BL_OK;
}

/* of a column in q; -1: none */
static bl_index place_of(const bl_linearize *l, bl_index column) {
    return l->sys->facts & BL_FLAT ? column : has_bodies(l) ? bl_coords_place(l->sys, column) : -1;
}

bl_status bl_linearize_values(bl_linearize *l, double *value) {
    bl_eval *e = &l->beside;
    bl_eval_at(e, &l->state);
    BL_TRY(bl_system_eval(l->sys, e, l->wants));
    for (bl_index k = 0; k < l->fp; k++) {
        const bl_chart_item *item = &l->item[k];
        value[k] = item->what == BL_CHART_VARIABLE   ? e->variable[item->ref]
                   : item->what == BL_CHART_POSITION ? e->pose[item->ref].position[item->part]
                   : item->what == BL_CHART_TOUCH    ? bl_linearize_touch_value(l, item, e)
                   : bl_linearize_rotates(item)      ? bl_linearize_carried_value(l, item, e)
                                                     : 0;
        bl_index place = item->what == BL_CHART_COLUMN ? place_of(l, item->ref) : -1;
        if (place >= 0)
            value[k] = l->state.q[place];
    }
    return BL_OK;
}

/* "rod.3.x@rod.0": in axes that turn with rod.0 */
static void name_carried(const bl_linearize *l, const bl_chart_item *item, const char *after, char *name, size_t size) {
    static const char *const turn[] = {"roll", "pitch", "yaw"};
    const char *of = l->model->body[item->what == BL_CHART_CARRIED_POINT ? 0 : item->ref].name, *by = l->model->body[item->carrier].name;
    char point[96] = "";
    switch (item->what) {
    case BL_CHART_TILT: snprintf(name, size, "%s.axis_%c%s", of, "xyz"[item->part], after); break;
    case BL_CHART_SPIN:
        snprintf(name, size, "%s.spin%s%s%s", of, after, item->ref == item->carrier ? "" : "@", item->ref == item->carrier ? "" : by);
        break;
    case BL_CHART_AXIS: snprintf(name, size, "%s.axis_%c%s@%s", by, "xyz"[item->part], after, by); break;
    case BL_CHART_CARRIED: snprintf(name, size, "%s.%s%c@%s", of, *after ? "v" : "", "xyz"[item->part], by); break;
    case BL_CHART_CARRIED_TURN: snprintf(name, size, "%s.%s%s@%s", of, l->model->dim == 2 ? "angle" : turn[item->part], after, by); break;
    default:
        bl_system_col_name(l->sys, item->ref, point, sizeof point);
        point[strcspn(point, ".")] = '\0';
        snprintf(name, size, "%s.%s%c@%s", point, *after ? "v" : "", "xyz"[item->part], by);
    }
}

static void name_item(const bl_linearize *l, const bl_chart_item *item, bool rate, char *name, size_t size) {
    static const char *const turn[] = {"roll", "pitch", "yaw"};
    const char *after = rate ? "_rate" : "";
    char column[96];
    switch (item->what) {
    case BL_CHART_VARIABLE: snprintf(name, size, "%s%s", l->model->variable[item->ref].name, after); break;
    case BL_CHART_POSITION: snprintf(name, size, "%s.%s%c", l->model->body[item->ref].name, rate ? "v" : "", "xyz"[item->part]); break;
    case BL_CHART_TURN:
        snprintf(name, size, "%s.%s%s", l->model->body[item->ref].name, l->model->dim == 2 ? "angle" : turn[item->part], after);
        break;
    case BL_CHART_TOUCH:
        snprintf(name, size, "%s.%s%s", l->model->joint[item->ref].name, bl_linearize_touch_word(item->part),
                 item->part == BL_TOUCH_SPEED ? "" : after);
        break;
    case BL_CHART_COLUMN:
        bl_system_col_name(l->sys, item->ref, column, sizeof column);
        snprintf(name, size, "%s%s", column, after);
        break;
    default: name_carried(l, item, after, name, size);
    }
}

void bl_linearize_name(const bl_linearize *l, bl_index k, bool rate, char *name, size_t size) {
    name_item(l, &l->item[k], rate, name, size);
}

void bl_linearize_speed_name(const bl_linearize *l, bl_index k, char *name, size_t size) { name_item(l, &l->speed[k], true, name, size); }

/* ---- candidates */

static void add(choice *c, bl_chart_what what, bl_index ref, int part, double scale) {
    c->list[c->count++] = (candidate){.item = {.what = what, .ref = ref, .part = part}, .scale = scale > 0 ? scale : 1};
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

static void add_touches(choice *c, double length) {
    for (bl_index j = 0; j < c->l->model->njoint; j++) {
        int first, parts = bl_linearize_touch_parts(c->l->model, j, &first);
        for (int k = first; k < first + parts; k++)
            add(c, BL_CHART_TOUCH, j, k, k == BL_TOUCH_SPEED ? length : 1);
    }
}

static void add_positions(choice *c, double length) {
    for (bl_index b = 1; b < c->l->sys->nbody; b++)
        for (int k = 0; k < c->l->model->dim; k++)
            add(c, BL_CHART_POSITION, b, k, length);
}

static void add_item(choice *c, bl_chart_what what, bl_index ref, int part, bl_index carrier, double scale) {
    add(c, what, ref, part, scale);
    c->list[c->count - 1].item.carrier = carrier;
}

/* Of bodies that rotate, in axes that turn with them; others are described in fixed ones. The angle of a carrier is a coordinate only where
 * nothing else determines it: a driver may turn it through elastic bodies. */
static void add_carried(choice *c, double length) {
    const bl_linearize *l = c->l;
    int dim = l->model->dim, first = dim == 2 ? 2 : 0;
    for (bl_index b = 1; b < l->sys->nbody; b++) {
        bl_index by = l->carried[b].by;
        if (by && by != b && l->model->body[b].what == BL_BODY_MESH) /* its points are */
            continue;
        for (int k = 0; k < dim; k++)
            add_item(c, by ? BL_CHART_CARRIED : BL_CHART_POSITION, b, k, by, length);
        for (int k = first; k < 3 && by != b; k++)
            add_item(c, by ? BL_CHART_CARRIED_TURN : BL_CHART_TURN, b, k, by, 1);
        for (int k = 0; k < 3 && by == b && dim == 3; k++)
            add_item(c, BL_CHART_AXIS, b, k, by, 1);
        if (by && by == b) {
            add_item(c, dim == 2 ? BL_CHART_TURN : BL_CHART_SPIN, b, 2, dim == 2 ? 0 : by, 1);
            c->list[c->count - 1].last = true;
        }
    }
    for (bl_index j = 0; j < l->n; j++) {
        bl_index by = bl_linearize_carrier_of_point(l, j);
        for (int k = 0; k < dim && by; k++)
            add_item(c, BL_CHART_CARRIED_POINT, j, k, by, length);
    }
}

/* in space: directions of the axes about which bodies rotate, and angles about these */
static void add_tilts(choice *c) {
    const bl_linearize *l = c->l;
    for (bl_index b = 1; b < l->sys->nbody && l->model->dim == 3; b++) {
        bl_index by = l->carried[b].by;
        for (int k = 0; k < 3 && by; k++)
            add_item(c, BL_CHART_TILT, b, k, by, 1);
        if (by)
            add_item(c, BL_CHART_SPIN, b, 0, by, 1);
    }
}

static void add_shapes(choice *c) {
    const bl_system *sys = c->l->sys;
    for (bl_index j = 0; sys->col && j < c->l->n; j++)
        if (sys->col[j].what == BL_COL_SHAPE)
            add(c, BL_CHART_COLUMN, j, 0, sys->col[j].scale);
}

static void add_turns(choice *c, bool momentary, double fastest) {
    bl_linearize *l = c->l;
    for (bl_index b = 1; b < l->sys->nbody; b++)
        for (int k = l->model->dim == 2 ? 2 : 0; k < 3; k++)
            if (turn_counts(l, b, fastest) != momentary) {
                add(c, BL_CHART_TURN, b, k, 1);
                c->list[c->count - 1].item.momentary = momentary;
            }
}

/* rolls: quantities of contacts too, and rotations of rotating bodies, which as coordinates come last */
static bl_status gather(choice *c, const bl_index *first, bl_index nfirst, bool rolls, bool speeds) {
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
    if (bodies && rolls) {
        add_touches(c, length);
        add_turns(c, false, fastest);
        if (speeds)
            add_turns(c, true, fastest);
    }
    if (bodies && !rolls)
        BL_TRY(bl_linearize_carry(l));
    bool turning = bodies && !rolls && l->turning;
    if (bodies)
        add_shapes(c);
    if (turning)
        add_carried(c, length);
    if (bodies && !turning)
        add_positions(c, length);
    if (bodies && !rolls && !turning) {
        add_turns(c, false, fastest);
        add_tilts(c);
    }
    if (bodies && rolls && !speeds)
        add_turns(c, true, fastest);
    for (bl_index j = 0; j < l->n && (l->sys->facts & BL_FLAT) && !turning; j++)
        add(c, BL_CHART_COLUMN, j, 0, l->kkt->scale[j]);
    return BL_OK;
}

/* rates of all candidates along every motion[f][n] */
static bl_status measure(choice *c, const double *motion) {
    bl_linearize *l = c->l;
    uint32_t all = 0;
    for (bl_index i = 0; i < c->count; i++)
        all |= quantity(&c->list[i].item);
    for (size_t k = 0; k < c->f; k++) {
        const double *x = motion + k * (size_t)l->n;
        BL_TRY(bl_go_on(l->ctx));
        bl_eval_at(&l->beside, &l->state);
        l->beside.v = x;
        BL_TRY(bl_system_eval(l->sys, &l->beside, all));
        for (bl_index i = 0; i < c->count; i++)
            c->row[(size_t)i * c->f + k] = rate_of(l, &c->list[i].item, &l->beside, x) / c->list[i].scale;
    }
    return BL_OK;
}

/* ---- choosing */

/* part of a row orthogonal to those chosen, in c->rest; returns its length */
static double independent_part(choice *c, const double *row) {
    size_t f = c->f;
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
    size_t f = c->f;
    double most = 0;
    for (bl_index i = 0; i < c->count; i++)
        most = fmax(most, bl_norm(f, c->row + (size_t)i * f));
    for (int pass = 0; pass < 2 * PASSES; pass++)
        for (bl_index i = 0; i < c->count && c->taken < (bl_index)f; i++) {
            const double *row = c->row + (size_t)i * f;
            double size = bl_norm(f, row);
            if (!(size > study_chart_slight * most) || c->list[i].last != (pass >= PASSES))
                continue;
            double left = independent_part(c, row);
            if (!(left > NEW[pass % PASSES] * size))
                continue;
            for (size_t k = 0; k < f; k++)
                c->basis[(size_t)c->taken * f + k] = c->rest[k] / left;
            for (size_t k = 0; k < f; k++)
                c->W[k * f + (size_t)c->taken] = row[k] * c->list[i].scale;
            c->item[c->taken++] = c->list[i].item;
        }
}

static bl_status make_room(bl_linearize *l) {
    size_t f = (size_t)l->f, fp = (size_t)l->fp, n = (size_t)l->n, each = bl_linearize_direction_size(l);
    double *at; /* all arrays of a direction in one block */
    bl_free(l->ctx, l->chart_block);
    l->chart_block = NULL;
    BL_TRY(BL_NEW_ARRAYS(l->ctx, l->chart_block, BL_ARRAY(l->motion, f * n), BL_ARRAY(l->shift, fp * n), BL_ARRAY(l->W, f * f),
                         BL_ARRAY(l->V, fp * fp), BL_ARRAY(l->stiff, f * fp), BL_ARRAY(l->damp, f * f), BL_ARRAY(l->flow, fp * fp),
                         BL_ARRAY(l->lift, f * fp), BL_ARRAY(l->rate, f), BL_ARRAY(l->second, f), BL_ARRAY(l->coordinate_rate, fp),
                         BL_ARRAY(l->chart_work, 6 * fp), BL_ARRAY(l->item, fp), BL_ARRAY(l->speed, f), BL_ARRAY(l->pair, fp),
                         BL_ARRAY(l->pivot, f), BL_ARRAY(l->turn, fp), BL_ARRAY(l->direction, fp + f), BL_ARRAY(at, (fp + f) * each)));
    for (size_t k = 0; k < fp + f; k++, at += each)
        bl_linearize_lay_out(l, at, &l->direction[k]);
    return BL_OK;
}

static bl_status refuse(const bl_linearize *l, bl_index taken, bl_index of) {
    bl_fail(l->ctx, BL_E_ABILITY, NULL, "the motion cannot be linearized: only %d of %d degrees of freedom have suitable coordinates",
            (int)taken, (int)of);
    bl_advise(l->ctx, "describe rotating bodies by joint variables: a body that spins on a spherical joint has no angles of its own");
    return BL_E_ABILITY;
}

static bl_status undetermined(const bl_linearize *l) {
    return bl_fail(l->ctx, BL_E_NUMERIC, NULL, "the chosen coordinates do not determine the motion");
}

static void take_motions_of(const bl_linearize *l, const bl_kkt *kkt, bl_index f, double *motion) {
    double *z = l->chart_work;
    memset(z, 0, (size_t)f * sizeof *z);
    for (bl_index k = 0; k < f; k++) {
        z[k] = 1;
        bl_kkt_motion(kkt, z, motion + (size_t)k * (size_t)l->n);
        z[k] = 0;
    }
}

static void take_motions(bl_linearize *l) {
    take_motions_of(l, l->kkt, l->f, l->motion);
    take_motions_of(l, l->whole, l->fp, l->shift);
}

static bl_status factor(bl_linearize *l) {
    bool good = l->f == 0 || bl_dense_lu(l->f, l->W, l->pivot);
    good = good && (l->fp == 0 || bl_dense_lu(l->fp, l->V, l->turn));
    return good ? BL_OK : undetermined(l);
}

bl_status bl_linearize_keep_chart(bl_linearize *l) {
    double *rate = l->chart_work;
    size_t f = (size_t)l->f, fp = (size_t)l->fp;
    if (l->kkt->f != l->f || l->whole->f != l->fp)
        return bl_fail(l->ctx, BL_E_NUMERIC, NULL, "the number of degrees of freedom changes from %d to %d: the configuration is singular",
                       (int)(l->kkt->f != l->f ? l->f : l->fp), (int)(l->kkt->f != l->f ? l->kkt->f : l->whole->f));
    take_motions(l);
    for (size_t k = 0; k < f; k++) {
        BL_TRY(bl_linearize_rates(l, l->state.q, l->motion + k * (size_t)l->n, rate, NULL));
        memcpy(l->W + k * f, rate, f * sizeof *rate);
    }
    for (size_t k = 0; k < fp; k++) {
        BL_TRY(bl_linearize_rates(l, l->state.q, l->shift + k * (size_t)l->n, NULL, rate));
        memcpy(l->V + k * fp, rate, fp * sizeof *rate);
    }
    return factor(l);
}

static bool is_same(const bl_chart_item *a, const bl_chart_item *b) {
    return a->what == b->what && a->ref == b->ref && a->part == b->part && a->carrier == b->carrier;
}

static bool is_coordinate(const bl_chart_item *item) { return !(item->what == BL_CHART_TOUCH && item->part == BL_TOUCH_SPEED); }

/* puts the speeds that are rates of coordinates first, and leaves out the others */
static bl_status prefer_speeds(choice *c) {
    const bl_linearize *l = c->l;
    candidate *sorted;
    bl_index n = 0;
    BL_TRY(BL_NEW(l->ctx, sorted, c->count));
    for (int pass = 0; pass < 2; pass++)
        for (bl_index i = 0; i < c->count; i++) {
            bool speed = false;
            for (bl_index k = 0; k < l->f; k++)
                speed = speed || (is_same(&c->list[i].item, &l->speed[k]) && !c->list[i].item.momentary);
            if (speed == (pass == 0) && is_coordinate(&c->list[i].item))
                sorted[n++] = c->list[i];
        }
    memcpy(c->list, sorted, (size_t)n * sizeof *sorted);
    c->count = n;
    bl_free(l->ctx, sorted);
    return BL_OK;
}

/* one of the two lists of the chart; f > 0 */
static bl_status choose_items(bl_linearize *l, const bl_index *first, bl_index nfirst, bool speeds) {
    bool rolls = l->whole != l->kkt && !l->rest;
    choice c = {.l = l, .f = (size_t)(speeds ? l->f : l->fp), .item = speeds ? l->speed : l->item, .W = speeds ? l->W : l->V};
    size_t most = (size_t)nfirst + (size_t)l->nindependent + (size_t)l->sys->nvariable + 10 * (size_t)l->sys->nbody + 3 * (size_t)l->n + 1;
    most += l->model ? 3 * (size_t)l->model->njoint : 0;
    bl_status status = BL_NEW(l->ctx, c.list, most);
    if (status == BL_OK)
        status = gather(&c, first, nfirst, rolls, speeds);
    if (status == BL_OK && !speeds)
        status = prefer_speeds(&c);
    if (status == BL_OK)
        status = BL_NEW(l->ctx, c.row, ((size_t)c.count + c.f + 1) * c.f);
    if (status == BL_OK) {
        c.basis = c.row + (size_t)c.count * c.f;
        c.rest = c.basis + c.f * c.f;
        status = measure(&c, speeds ? l->motion : l->shift);
    }
    if (status == BL_OK)
        choose(&c);
    for (bl_index k = 0; status == BL_OK && k < c.taken; k++)
        l->wants |= quantity(&c.item[k]);
    if (status == BL_OK && c.taken < (bl_index)c.f)
        status = refuse(l, c.taken, (bl_index)c.f);
    bl_free(l->ctx, c.list);
    bl_free(l->ctx, c.row);
    return status;
}

bl_status bl_linearize_chart(bl_linearize *l, const bl_index *first, bl_index nfirst) {
    l->f = l->kkt->f;
    l->fp = l->whole->f;
    l->wants = 0;
    BL_TRY(make_room(l));
    take_motions(l);
    BL_TRY(choose_items(l, first, nfirst, true));
    if (l->whole == l->kkt) {
        memcpy(l->item, l->speed, (size_t)l->f * sizeof *l->item);
        memcpy(l->V, l->W, (size_t)l->f * (size_t)l->f * sizeof *l->V);
    } else {
        BL_TRY(choose_items(l, first, nfirst, false));
    }
    for (bl_index k = 0; k < l->fp; k++) {
        l->pair[k] = -1;
        for (bl_index i = 0; i < l->f && !l->item[k].momentary; i++)
            if (is_same(&l->item[k], &l->speed[i]))
                l->pair[k] = i;
    }
    return factor(l);
}
