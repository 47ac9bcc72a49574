/* Messages: why a displacement ended, with the value reached, the joint, and what the user can do. */
#include "study/displacement_limits.h"
#include "study/move_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 8 };

static const char *unit_of(const bl_goal *goal) { return goal->what.is_angle ? "rad" : "m"; }

static double value_of(bl_displacement *d, const bl_goal *goal) {
    bl_gradient g;
    bl_linkage_quantity(d->l, &goal->what, &g);
    return g.value;
}

/* the target with the largest distance to go, named in messages */
static const bl_goal *leading(bl_displacement *d) {
    const bl_goal *best = &d->goal[0];
    for (bl_index i = 1; i < d->ngoal; i++) {
        const bl_goal *goal = &d->goal[i];
        if (fabs(goal->to - goal->from) / bl_linkage_unit(d->l, &goal->what) >
            fabs(best->to - best->from) / bl_linkage_unit(d->l, &best->what))
            best = goal;
    }
    return best;
}

static const char *joint_name(const bl_displacement *d) { return d->hinge >= 0 ? d->l->model->joint[d->hinge].name : NULL; }

/* ---- dependent joints */

static bl_index count_of(const bl_dependencies *found, bl_index owner) {
    for (bl_index i = 0; i < found->n; i++)
        if (found->dependency[i].owner == owner)
            return found->dependency[i].count;
    return 0;
}

static void list_others(const bl_model *model, const bl_dependency *d, char *others, size_t size) {
    size_t used = 0;
    for (bl_index k = 0; k < d->nother && k < MOST_NAMES && used < size; k++)
        used += (size_t)snprintf(others + used, size - used, "%s%s",
                                 k == 0               ? ""
                                 : k + 1 == d->nother ? " and "
                                                      : ", ",
                                 model->joint[d->other[k]].name);
    if (d->nother > MOST_NAMES && used < size)
        snprintf(others + used, size - used, " and others");
}

/* redundant constraints of the joints in a configuration, without drivers */
static bl_status dependencies_at(bl_linkage *l, const double *config, double tolerance, bl_dependencies *found) {
    bl_pose *pose = NULL;
    bl_twists twists = {0};
    bl_model undriven = *l->model;
    undriven.ndriver = 0;
    BL_TRY(BL_NEW(l->ctx, pose, l->model->nbody));
    double *kept = NULL;
    bl_status status = BL_NEW(l->ctx, kept, l->size);
    if (status == BL_OK) {
        memcpy(kept, l->at, l->size * sizeof *kept);
        bl_linkage_go(l, config);
        bl_linkage_poses(l, NULL, pose);
        bl_linkage_go(l, kept);
        status = bl_twists_build(l->ctx, &undriven, pose, l->length, &twists);
    }
    if (status == BL_OK)
        status = bl_dependencies_find(&twists, tolerance, found);
    bl_twists_destroy(&twists);
    bl_free(l->ctx, pose);
    bl_free(l->ctx, kept);
    return status;
}

bl_status bl_move_dependent(bl_linkage *l, const double *other, char *part, size_t npart, char *others, size_t nothers) {
    bl_dependencies here = {0}, there = {0};
    part[0] = others[0] = '\0';
    bl_status status = dependencies_at(l, l->at, fmax(study_move_singular, l->tolerance), &here);
    if (status == BL_OK && other)
        status = dependencies_at(l, other, l->tolerance, &there);
    for (bl_index i = 0; status == BL_OK && i < here.n && part[0] == '\0'; i++) {
        const bl_dependency *d = &here.dependency[i];
        if (d->count <= count_of(&there, d->owner))
            continue;
        snprintf(part, npart, "%s", l->model->joint[d->owner].name);
        list_others(l->model, d, others, nothers);
    }
    bl_dependencies_destroy(&here);
    bl_dependencies_destroy(&there);
    return status;
}

/* ---- reasons */

static bl_status explain_dead_point(bl_displacement *d) {
    const bl_goal *goal = leading(d);
    const char *joint = joint_name(d), *unit = unit_of(goal);
    char where[160] = "";
    if (joint)
        snprintf(where, sizeof where, ": joint '%.90s' can move there while this value does not change", joint);
    if (d->ncondition > 1 && d->ngoal > 1)
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "%s cannot move from %.9g %s toward %.9g %s together with the other targets (dead point)%s",
                goal->what.name, value_of(d, goal), unit, goal->to, unit, where);
    else
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "%s cannot move beyond %.9g %s: the target %.9g %s is out of reach (dead point)%s",
                goal->what.name, value_of(d, goal), unit, goal->to, unit, where);
    bl_advise(d->ctx, "choose a target before the dead point, move another variable, or check the dimensions of the mechanism");
    bl_blame(d->ctx, joint ? joint : goal->what.name, "dead point", NAN);
    return BL_E_NUMERIC;
}

static bl_status explain_branches(bl_displacement *d) {
    const bl_goal *goal = leading(d);
    char part[96] = "", others[256] = "";
    bool start = d->s == 0;
    if (start && d->rank == d->l->nrow) { /* no joint is redundant: the target itself is at an extreme value */
        bl_fail(d->ctx, BL_E_NUMERIC, NULL,
                "%s is at its extreme value %.9g %s at the start (dead point): more than one motion leads to %.9g", goal->what.name,
                goal->from, unit_of(goal), goal->to);
        bl_advise(d->ctx, "move another variable first, so that the direction of the motion is determined");
        bl_blame(d->ctx, joint_name(d) ? joint_name(d) : goal->what.name, "dead point", NAN);
        return BL_E_NUMERIC;
    }
    BL_TRY(bl_move_dependent(d->l, start ? d->trial : d->goal_start, part, sizeof part, others, sizeof others));
    char why[420] = "";
    if (part[0])
        snprintf(why, sizeof why, "; there, and only there, constraints of '%s' are redundant with %s", part,
                 others[0] ? others : "others");
    if (start)
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "the starting configuration is singular: more than one motion leads away from it%s", why);
    else
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "branches of the motion meet at %s = %.9g %s, on the way to %.9g %s%s", goal->what.name,
                value_of(d, goal), unit_of(goal), goal->to, unit_of(goal), why);
    bl_advise(d->ctx, start ? "start slightly away from it (positions in the model, or `initial`)"
                            : "choose a target before it; to continue, start on the desired branch beyond it (`initial`), or drive the "
                              "mechanism through it (`biela kinematics`)");
    bl_blame(d->ctx, part[0] ? part : joint_name(d), "singular configuration", NAN);
    return BL_E_NUMERIC;
}

static bl_status explain_fixed(bl_displacement *d) {
    for (bl_index i = 0; i < d->ngoal; i++) {
        const bl_goal *goal = &d->goal[i];
        if (goal != d->blocked)
            continue;
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "%s cannot move: the constraints hold it at %.9g %s, but the target is %.9g %s",
                goal->what.name, goal->from, unit_of(goal), goal->to, unit_of(goal));
        if (d->mobility == 0)
            bl_advise(d->ctx, "the mechanism has no degree of freedom: `biela check` shows its mobility and redundant constraints");
        else
            bl_advise(d->ctx, "the mechanism has %d degree%s of freedom, but none of them changes this value: move another variable",
                      (int)d->mobility, d->mobility == 1 ? "" : "s");
        bl_blame(d->ctx, goal->what.name, NULL, NAN);
    }
    return BL_E_NUMERIC;
}

static bl_status explain_stuck(bl_displacement *d) {
    const bl_goal *goal = leading(d);
    const char *joint = joint_name(d);
    if (d->idle > 0) {
        char names[160];
        bl_linkage_motion(d->l, d->direction, names, sizeof names);
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "%s approaches a limit, now %.9g %s, that is reached only at infinity: %s grows without bound",
                goal->what.name, value_of(d, goal), unit_of(goal), names);
        bl_advise(d->ctx, "choose a target before this limit");
        bl_blame(d->ctx, goal->what.name, NULL, NAN);
        return BL_E_NUMERIC;
    }
    bl_fail(d->ctx, BL_E_NUMERIC, NULL, "the mechanism cannot move on from %s = %.9g %s toward %.9g %s%s%s%s", goal->what.name,
            value_of(d, goal), unit_of(goal), goal->to, unit_of(goal), joint ? ": joint '" : "", joint ? joint : "",
            joint ? "' cannot be closed any farther" : "");
    bl_advise(d->ctx,
              "check the dimensions of the mechanism (`biela check`), or allow for inexact dimensions (--closure, a relative tolerance)");
    bl_blame(d->ctx, joint ? joint : goal->what.name, NULL, NAN);
    return BL_E_NUMERIC;
}

/* targets that are determined by the others must have been reached as well */
static bl_status compare_rest(bl_displacement *d) {
    for (bl_index i = 0; i < d->ngoal; i++) {
        const bl_goal *goal = &d->goal[i];
        double now = value_of(d, goal);
        if (!goal->follows || fabs(now - goal->to) <= study_move_agrees * fmax(bl_linkage_unit(d->l, &goal->what), fabs(goal->to)))
            continue;
        char given[256] = "";
        size_t used = 0;
        for (bl_index k = 0; k < i && used < sizeof given; k++)
            if (!d->goal[k].follows)
                used += (size_t)snprintf(given + used, sizeof given - used, "%s%s = %.6g", used ? ", " : "", d->goal[k].what.name,
                                         d->goal[k].to);
        d->end = BL_WAY_CONTRADICTS;
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "%s = %.9g contradicts the other targets: with %s the constraints lead to %.9g %s",
                goal->what.name, goal->to, given, now, unit_of(goal));
        bl_advise(d->ctx, "omit one of the targets: the mechanism has %d degree%s of freedom", (int)d->mobility,
                  d->mobility == 1 ? "" : "s");
        bl_blame(d->ctx, goal->what.name, NULL, NAN);
        return BL_E_NUMERIC;
    }
    return BL_OK;
}

bl_status bl_move_explain(bl_displacement *d) {
    if (d->end == BL_WAY_DEAD_POINT && d->s > 0 && d->hinge < 0) {
        double *room = NULL;
        BL_TRY(BL_NEW(d->ctx, room, d->l->model->nbody + d->l->model->njoint + 1));
        d->hinge = bl_linkage_hinge(d->l, d->direction, room);
        bl_free(d->ctx, room);
    }
    switch (d->end) {
    case BL_WAY_DONE: return compare_rest(d);
    case BL_WAY_DEAD_POINT: return explain_dead_point(d);
    case BL_WAY_BRANCHES: return explain_branches(d);
    case BL_WAY_FIXED: return explain_fixed(d);
    case BL_WAY_STUCK: return explain_stuck(d);
    case BL_WAY_CONTRADICTS: /* reported already */
    case BL_WAY_OPEN: break;
    }
    return BL_OK;
}
