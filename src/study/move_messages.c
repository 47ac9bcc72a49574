/* Why a displacement ended, with the value reached, the joint and what can be done. */
#include "study/move_private.h"
#include "study/study_limits.h"

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

/* the goal that has farthest to go, for messages */
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

/* the dependencies of joints at a place, without drivers */
static bl_status dependencies_at(bl_linkage *l, const double *place, double tolerance, bl_dependencies *found) {
    bl_pose *pose = NULL;
    bl_twists twists = {0};
    bl_model undriven = *l->model;
    undriven.ndriver = 0;
    BL_TRY(BL_NEW(l->ctx, pose, l->model->nbody));
    double *kept = NULL;
    bl_status status = BL_NEW(l->ctx, kept, l->size);
    if (status == BL_OK) {
        memcpy(kept, l->at, l->size * sizeof *kept);
        bl_linkage_go(l, place);
        bl_linkage_poses(l, NULL, pose);
        bl_linkage_go(l, kept);
        status = bl_twists_build(&undriven, pose, l->length, &twists);
    }
    if (status == BL_OK)
        status = bl_dependencies_find(&twists, tolerance, found);
    bl_twists_destroy(&twists);
    bl_free(l->ctx, pose);
    bl_free(l->ctx, kept);
    return status;
}

bl_status bl_move_dependent(bl_linkage *l, const double *other, char *part, size_t npart, char *others, size_t nothers) {
    static const double found_to = 1e-6; /* singular positions on the way are known to the root of rounding at best */
    bl_dependencies here = {0}, there = {0};
    part[0] = others[0] = '\0';
    bl_status status = dependencies_at(l, l->at, fmax(found_to, l->tolerance), &here);
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
        snprintf(where, sizeof where, ": joint '%.90s' can move there while it stands", joint);
    if (d->ncondition > 1 && d->ngoal > 1)
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "%s cannot go on with the other targets from %.9g %s toward %.9g %s (dead point)%s",
                goal->what.name, value_of(d, goal), unit, goal->to, unit, where);
    else
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "%s cannot go beyond %.9g %s, %.9g %s is out of reach (dead point)%s", goal->what.name,
                value_of(d, goal), unit, goal->to, unit, where);
    bl_advise(d->ctx, "ask for a value on this side of it, move another variable, or check the lengths of the mechanism");
    bl_blame(d->ctx, joint ? joint : goal->what.name, "dead point", NAN);
    return BL_E_NUMERIC;
}

static bl_status explain_branches(bl_displacement *d) {
    const bl_goal *goal = leading(d);
    char part[96] = "", others[256] = "";
    bool start = d->s == 0;
    if (start && d->rank == d->l->nrow) { /* joints are independent: it is the target that stands at its extreme */
        bl_fail(d->ctx, BL_E_NUMERIC, NULL,
                "%s has its extreme value %.9g %s at the start (dead point): more than one motion leads to %.9g", goal->what.name,
                goal->from, unit_of(goal), goal->to);
        bl_advise(d->ctx, "move another variable first, so that it is known which way to go");
        bl_blame(d->ctx, joint_name(d) ? joint_name(d) : goal->what.name, "dead point", NAN);
        return BL_E_NUMERIC;
    }
    BL_TRY(bl_move_dependent(d->l, start ? d->trial : d->goal_start, part, sizeof part, others, sizeof others));
    char why[420] = "";
    if (part[0])
        snprintf(why, sizeof why, "; constraints of '%s' follow from %s there only", part, others[0] ? others : "others");
    if (start)
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "the starting position is singular: more than one motion leads from it%s", why);
    else
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "branches of the motion meet at %s = %.9g %s, on the way to %.9g %s%s", goal->what.name,
                value_of(d, goal), unit_of(goal), goal->to, unit_of(goal), why);
    bl_advise(d->ctx, start
                          ? "start a little beside it (positions of the model, or `initial`)"
                          : "ask for a value on this side of it; to go on, start on the wanted branch beyond it (`initial`), or drive the "
                            "mechanism through it (`biela kinematics`)");
    bl_blame(d->ctx, part[0] ? part : joint_name(d), "singular position", NAN);
    return BL_E_NUMERIC;
}

static bl_status explain_fixed(bl_displacement *d) {
    for (bl_index i = 0; i < d->ngoal; i++) {
        const bl_goal *goal = &d->goal[i];
        if (goal != d->blocked)
            continue;
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "%s cannot move: the constraints hold it at %.9g %s, %.9g %s was asked for", goal->what.name,
                goal->from, unit_of(goal), goal->to, unit_of(goal));
        if (d->mobility == 0)
            bl_advise(d->ctx, "the mechanism has no degree of freedom: `biela check` shows its mobility and what is redundant");
        else
            bl_advise(d->ctx, "the mechanism has %d degree%s of freedom, none of them moves it: move another variable", (int)d->mobility,
                      d->mobility == 1 ? "" : "s");
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
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "%s comes nearer and nearer to a limit, %.9g %s now, that lies at infinity: %s runs away",
                goal->what.name, value_of(d, goal), unit_of(goal), names);
        bl_advise(d->ctx, "ask for a value on this side of it");
        bl_blame(d->ctx, goal->what.name, NULL, NAN);
        return BL_E_NUMERIC;
    }
    bl_fail(d->ctx, BL_E_NUMERIC, NULL, "the mechanism cannot go on from %s = %.9g %s toward %.9g %s%s%s%s", goal->what.name,
            value_of(d, goal), unit_of(goal), goal->to, unit_of(goal), joint ? ": joint '" : "", joint ? joint : "",
            joint ? "' does not close any farther" : "");
    bl_advise(d->ctx, "check the dimensions of the mechanism (`biela check`), or give the share to which they agree (--closure)");
    bl_blame(d->ctx, joint ? joint : goal->what.name, NULL, NAN);
    return BL_E_NUMERIC;
}

/* targets that follow from others must have come out by themselves */
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
        bl_fail(d->ctx, BL_E_NUMERIC, NULL, "%s = %.9g contradicts the other targets: with %s the constraints make it %.9g %s",
                goal->what.name, goal->to, given, now, unit_of(goal));
        bl_advise(d->ctx, "leave one of them out: the mechanism has %d degree%s of freedom", (int)d->mobility, d->mobility == 1 ? "" : "s");
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
    case BL_WAY_CONTRADICTS:
    case BL_WAY_OPEN: break;
    }
    return BL_OK;
}
