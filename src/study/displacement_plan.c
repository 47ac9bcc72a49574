/* Turns the goals of a displacement into equations: which goals are independent, which drivers are kept constant, whether it can begin. */
#include "study/displacement.h"

#include "dense/dense.h"
#include "study/displacement_limits.h"

#include <math.h>
#include <string.h>

static bl_status make_room(bl_displacement *d, bl_index ngoal) {
    bl_linkage *l = d->l;
    bl_index ndriver = l->model->ndriver, m = l->nrow + ngoal + ndriver, n = l->n + 1;
    BL_TRY(BL_ARENA_NEW(&d->arena, d->goal, ngoal + ndriver + 1));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->condition, ngoal + ndriver + 1));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->released, ndriver + 1));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->chosen, l->nrow + 1));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->order, m + 1));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->a, (size_t)m * (size_t)n + 1));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->tau, m + n));
    d->nwork = bl_dense_qr_work(n, m) + 64 * (size_t)(m + n);
    BL_TRY(BL_ARENA_NEW(&d->arena, d->work, d->nwork));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->b, 3 * (size_t)(m + n + 2)));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->base, l->size + 1));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->goal_start, l->size + 1));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->first, l->size + 1));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->trial, l->size + 1));
    for (int i = 0; i < 4; i++)
        BL_TRY(BL_ARENA_NEW(&d->arena, d->side[i], l->size + 2 + (size_t)n));
    for (int i = 0; i < 7; i++)
        BL_TRY(BL_ARENA_NEW(&d->arena, d->k[i], l->size + 1));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->direction, n));
    BL_TRY(BL_ARENA_NEW(&d->arena, d->tried, n));
    return BL_ARENA_NEW(&d->arena, d->x, n);
}

static bl_status gradient_of(bl_displacement *d, const bl_goal *goal, double *row) {
    bl_gradient g;
    bl_linkage_quantity(d->l, &goal->what, &g);
    bl_linkage_put(d->l, &g, bl_linkage_unit(d->l, &goal->what), false, row, 1, 0);
    return bl_check_finite(d->ctx, "displacement", NAN, d->l->n, row);
}

/* Fraction of the gradient of a goal that is independent of the joints and the first `count` conditions. */
static bl_status new_part(bl_displacement *d, const bl_goal *goal, bl_index count, double *share) {
    bl_index kept = d->ncondition;
    d->ncondition = count;
    bl_status status = bl_displacement_factor(d, false, false);
    if (status == BL_OK)
        status = gradient_of(d, goal, d->x);
    if (status == BL_OK)
        *share = bl_displacement_new_part(d, d->x);
    d->ncondition = kept;
    return status;
}

/* ---- admissible motions, to second order */

bl_status bl_displacement_motion(bl_displacement *d, bl_index i, double far) {
    bl_index n = d->l->n, m = d->rank + d->ncondition;
    BL_TRY(bl_displacement_factor(d, false, false));
    memset(d->tried, 0, (size_t)n * sizeof *d->tried);
    d->tried[m + i] = far;
    if (m > 0)
        bl_dense_qr_multiply(n, 1, m, d->a, d->tau, false, d->tried, d->work, d->nwork);
    return BL_OK;
}

/* d->trial: the configuration after a small motion i, assembled on the chosen rows. BL_NO_CONVERGENCE: it cannot be reached. */
static bl_status probe(bl_displacement *d, bl_index i, double far) {
    bl_index kept = d->ncondition;
    double moved, s = 0;
    d->ncondition = 0;
    bl_linkage_go(d->l, d->base);
    bl_status status = bl_displacement_motion(d, i, far);
    if (status == BL_OK) {
        bl_linkage_shift(d->l, d->base, d->tried, d->trial);
        status = bl_displacement_assemble(d, false, d->trial, &s, &moved);
    }
    d->ncondition = kept;
    return status;
}

/* *singular: rows that depend on others at the start do not depend on them nearby. */
static bl_status examine_start(bl_displacement *d, bool *singular) {
    bl_linkage *l = d->l;
    *singular = false;
    for (bl_index i = 0; i < d->mobility && d->rank < l->nrow && !*singular; i++) {
        bl_index worst = 0;
        bl_status status = probe(d, i, study_way_probe);
        if (status < 0)
            return status;
        if (status > 0)
            continue;
        double open = bl_linkage_gap(l, &worst);
        *singular = open > fmax(study_way_changes, l->closure > 0 ? l->open_most : 0);
        d->hinge = *singular ? l->row[worst].joint : -1;
    }
    bl_linkage_go(l, d->base);
    return BL_OK;
}

bl_status bl_displacement_blocked(bl_displacement *d, const bl_goal *goal) {
    bl_linkage *l = d->l;
    double unit = bl_linkage_unit(l, &goal->what), want = goal->to - goal->from;
    d->end = BL_WAY_FIXED;
    d->blocked = goal;
    for (bl_index i = 0; i < d->mobility; i++)
        for (int side = -1; side <= 1; side += 2) {
            bl_gradient g;
            bl_status status = probe(d, i, side * study_way_probe);
            if (status < 0)
                return status;
            if (status > 0)
                continue;
            bl_linkage_quantity(l, &goal->what, &g);
            double change = (g.value - goal->from) / unit;
            if (fabs(change) < study_way_changes)
                continue;
            double *room = NULL;
            BL_TRY(BL_ARENA_NEW(&d->arena, room, l->model->nbody + l->model->njoint + 1));
            d->hinge = bl_linkage_hinge(l, d->tried, room);
            d->end = change * want > 0 ? BL_WAY_BRANCHES : d->end == BL_WAY_BRANCHES ? d->end : BL_WAY_DEAD_POINT;
        }
    bl_linkage_go(l, d->base);
    return BL_OK;
}

/* ---- goals and drivers as equations */

static bl_status add_goals(bl_displacement *d) {
    for (bl_index i = 0; i < d->ngoal && d->end == BL_WAY_OPEN; i++) {
        bl_goal *goal = &d->goal[i];
        double alone = 0, share = 0;
        bool asks = fabs(goal->to - goal->from) > study_way_asks * fmax(fabs(goal->from), bl_linkage_unit(d->l, &goal->what));
        BL_TRY(new_part(d, goal, 0, &alone));
        BL_TRY(new_part(d, goal, d->ncondition, &share));
        if (asks && alone < study_way_independent)
            BL_TRY(bl_displacement_blocked(d, goal));
        goal->alone = alone;
        goal->follows = share < study_way_independent;
        if (!goal->follows)
            d->condition[d->ncondition++] = i;
    }
    return BL_OK;
}

/* driven variables are kept constant where that does not prevent the goals */
static bl_status add_drivers(bl_displacement *d) {
    const bl_model *model = d->l->model;
    bl_index at = d->ngoal;
    for (bl_index k = 0; k < model->ndriver; k++) {
        bl_index v = model->driver[k].variable;
        bl_goal *goal = &d->goal[at];
        double share = 0;
        bool asked = false;
        for (bl_index i = 0; i < d->ngoal; i++)
            asked = asked || d->goal[i].what.variable == v;
        *goal = (bl_goal){.what = {.variable = v, .probe = -1, .is_angle = model->variable[v].is_angle}, .driver = k};
        goal->from = goal->to = bl_linkage_variables(d->l, d->base)[v];
        if (!asked)
            BL_TRY(new_part(d, goal, d->ncondition, &share));
        if (!asked && share >= study_way_independent)
            d->condition[d->ncondition++] = at++;
        else if (!asked)
            d->released[d->nreleased++] = k;
    }
    return BL_OK;
}

static bl_status plan(bl_displacement *d, const bl_goal *goal) {
    bl_linkage *l = d->l;
    double most = 0, moved, s = 0;
    bool singular = false;
    memcpy(d->base, l->at, l->size * sizeof *d->base);
    BL_TRY(bl_linkage_choose(l, d->chosen, &d->rank));
    bl_status status = bl_displacement_assemble(d, false, d->base, &s, &moved); /* removes rounding of the start */
    if (status != BL_OK)
        return status < 0 ? status : bl_fail(d->ctx, BL_E_NUMERIC, NULL, "the mechanism cannot be assembled in its starting configuration");
    memcpy(d->goal_start, d->base, l->size * sizeof *d->base);
    d->mobility = l->n - d->rank;
    BL_TRY(examine_start(d, &singular));
    if (singular)
        d->end = BL_WAY_BRANCHES;
    for (bl_index i = 0; i < d->ngoal; i++) {
        bl_gradient g;
        d->goal[i] = goal[i];
        bl_linkage_quantity(l, &goal[i].what, &g);
        d->goal[i].from = g.value;
        d->goal[i].follows = false;
        d->goal[i].driver = -1;
        most = fmax(most, fabs(goal[i].to - g.value) / bl_linkage_unit(l, &goal[i].what));
    }
    d->stretch = most > 0 ? 1 / most : 1;
    if (d->end == BL_WAY_OPEN)
        BL_TRY(add_goals(d));
    if (d->end != BL_WAY_OPEN)
        return BL_OK;
    BL_TRY(add_drivers(d));
    d->free = d->mobility - d->ncondition;
    bool moves = false;
    for (bl_index i = 0; i < d->ncondition; i++)
        moves = moves || d->goal[d->condition[i]].to != d->goal[d->condition[i]].from;
    d->h = study_way_first_step;
    if (!moves) {
        d->s = 1;
        d->end = BL_WAY_DONE;
        return BL_OK;
    }
    bl_linkage_go(l, d->base);
    status = bl_displacement_direction(d, NULL);
    if (status > 0)
        return bl_fail(d->ctx, BL_E_NUMERIC, NULL, "no motion leads from the starting configuration toward the requested values");
    BL_TRY(status);
    memcpy(d->direction, d->tried, (size_t)l->n * sizeof *d->direction);
    d->slope = d->trial_slope;
    return BL_OK;
}

bl_status bl_displacement_create(bl_linkage *l, const bl_goal *goal, bl_index ngoal, bl_displacement *d) {
    *d = (bl_displacement){.ctx = l->ctx, .l = l, .arena.ctx = l->ctx, .ngoal = ngoal, .hinge = -1, .stretch = 1};
    BL_TRY(make_room(d, ngoal));
    return plan(d, goal);
}

void bl_displacement_destroy(bl_displacement *d) { bl_arena_destroy(&d->arena); }
