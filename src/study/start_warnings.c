/* Special starts of a run: massless motions, and configurations in which the constraints lose rank. Found like in `check` (check.h), in the
 * coordinates of the run. */
#include "study/start_warnings.h"

#include "base/vector3.h"
#include "study/check.h"
#include "study/study_limits.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 8 };

/* A body without inertia about exactly one axis is slender: a rod, or points on a line. */
const char *bl_start_lacks(const bl_model *model, bl_index body) {
    const bl_body *b = &model->body[body];
    double trace = b->inertia[0][0] + b->inertia[1][1] + b->inertia[2][2], square = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            square += b->inertia[i][k] * b->inertia[i][k];
    /* principal moments (0, I, I) have trace^2 = 2 sum of squares */
    if (model->dim == 3 && trace > 0 && fabs(trace * trace - 2 * square) <= study_start_slender * square)
        return "give it a moment of inertia about its own axis (rod: `axial: 1e-4`, in kg m^2; otherwise `inertia`), or constrain it";
    return "give it mass or inertia, or constrain it";
}

static bl_status examine(bl_checking *c, const bl_system *sys, const bl_state *start) {
    if (c->model->nbody <= 1)
        return BL_STOPPED; /* nothing to find here */
    BL_TRY(bl_checking_borrow(c, sys, start));
    return bl_checking_rank(c);
}

void bl_start_massless(const bl_system *sys, const bl_model *model, const bl_state *start) {
    bl_context *ctx = sys->ctx;
    bl_check_report report = {0};
    bl_checking c = {.ctx = ctx, .model = model, .report = &report};
    bl_error kept = *bl_context_error(ctx);
    bl_log_pause(ctx, true);
    bl_status status = examine(&c, sys, start);
    if (status == BL_OK)
        status = bl_checking_massless(&c);
    bl_log_pause(ctx, false);
    bl_index most = -1;
    double best = 0;
    if (status == BL_OK && c.nmassless > 0) {
        bl_eval_at(&c.eval, &c.regular);
        c.eval.v = c.massless;
        status = bl_system_eval(c.sys, &c.eval, BL_POSE);
        for (bl_index b = 1; status == BL_OK && b < c.sys->nbody; b++) {
            double amount = norm3(c.eval.pose[b].velocity) / c.length + norm3(c.eval.pose[b].angular_velocity);
            if (amount > best * (1 + 1e-9)) {
                best = amount;
                most = b;
            }
        }
    }
    if (most < 0) { /* restores the original error */
        bl_fail(ctx, kept.status, kept.line > 0 ? &(bl_place){kept.file, kept.line, kept.column} : NULL, "%s", kept.what);
        bl_advise(ctx, "%s", kept.advice);
        bl_blame(ctx, kept.part, kept.equation, kept.time);
    } else {
        const bl_pose *pose = &c.eval.pose[most];
        double speed = norm3(pose->velocity) / c.length, turning = norm3(pose->angular_velocity);
        bool turns = turning >= study_rather_turns * speed;
        const double *along = turns ? pose->angular_velocity : pose->velocity;
        double size = norm3(along), axis[3];
        for (int k = 0; k < 3; k++)
            axis[k] = fabs(along[k]) > 1e-9 * size ? along[k] / size : 0; /* rounding is shown as 0 */
        bl_fail(ctx, BL_E_MODEL, &model->body[most].place,
                "body '%s' can %s (%.3g %.3g %.3g) without moving any mass: its acceleration is not determined", model->body[most].name,
                turns ? "turn about" : "move along", axis[0], axis[1], axis[2]);
        bl_advise(ctx, "%s", turns ? bl_start_lacks(model, most) : "give it mass, or constrain it");
        bl_blame(ctx, model->body[most].name, "equation of motion", 0);
    }
    bl_checking_destroy(&c);
}

static const char *owner_name(const bl_model *model, bl_index owner) {
    return owner < model->njoint ? model->joint[owner].name : model->driver[owner - model->njoint].name;
}

/* number of redundant equations of `owner` */
static bl_index count_of(const bl_dependencies *found, bl_index owner) {
    for (bl_index i = 0; i < found->n; i++)
        if (found->dependency[i].owner == owner)
            return found->dependency[i].count;
    return 0;
}

/* the owner of equations that are redundant at the start but not beside it, with the names of the others involved */
static bl_status name_joint(bl_checking *c, char *part, size_t npart, char *others, size_t nothers) {
    const bl_model *model = c->model;
    bl_twists at_start = {0};
    bl_dependencies there = {0};
    size_t used = 0;
    bl_eval_at(&c->eval, &c->regular);
    BL_TRY(bl_system_eval(c->sys, &c->eval, BL_POSE));
    BL_TRY(bl_twists_build(c->ctx, model, c->eval.pose, c->length, &c->twists));
    BL_TRY(bl_dependencies_find(&c->twists, bl_rank_tolerance(c->sys->closure), &c->dependencies));
    bl_eval_at(&c->eval, &c->start);
    BL_TRY(bl_system_eval(c->sys, &c->eval, BL_POSE));
    bl_status status = bl_twists_build(c->ctx, model, c->eval.pose, c->length, &at_start);
    if (status == BL_OK)
        status = bl_dependencies_find(&at_start, bl_rank_tolerance(c->sys->closure), &there);
    for (bl_index i = 0; status == BL_OK && i < there.n && part[0] == '\0'; i++) {
        const bl_dependency *d = &there.dependency[i];
        if (d->count <= count_of(&c->dependencies, d->owner))
            continue;
        snprintf(part, npart, "%s", owner_name(model, d->owner));
        for (bl_index k = 0; k < d->nother && k < MOST_NAMES && used < nothers; k++)
            used += (size_t)snprintf(others + used, nothers - used, "%s%s",
                                     k == 0               ? ""
                                     : k + 1 == d->nother ? " and "
                                                          : ", ",
                                     owner_name(model, d->other[k]));
        if (d->nother > MOST_NAMES && used < nothers)
            snprintf(others + used, nothers - used, " and others");
    }
    bl_dependencies_destroy(&there);
    bl_twists_destroy(&at_start);
    return status;
}

bl_status bl_singular_describe(const bl_system *sys, const bl_model *model, const bl_state *state, const char *what,
                               bl_singular_finding *found) {
    bl_context *ctx = sys->ctx;
    bl_check_report report = {0};
    bl_checking c = {.ctx = ctx, .model = model, .report = &report, .glance = true};
    char others[256] = "";
    size_t size = sizeof found->text;
    *found = (bl_singular_finding){0};
    bl_log_pause(ctx, true);
    bl_status status = examine(&c, sys, state);
    found->is = status == BL_OK && report.mobility_start > report.mobility_rank;
    if (found->is)
        status = name_joint(&c, found->part, sizeof found->part, others, sizeof others);
    bl_log_pause(ctx, false);
    bl_checking_destroy(&c);
    if (status == BL_E_MEMORY)
        return status;
    if (status != BL_OK) {
        bl_context_clear_error(ctx); /* the study itself reports errors */
        found->is = false;
    }
    if (!found->is)
        return BL_OK;
    int n = snprintf(found->text, size, "%s is singular: %d degree%s of freedom here, %d nearby", what, (int)report.mobility_start,
                     report.mobility_start == 1 ? "" : "s", (int)report.mobility_rank);
    if (found->part[0] && n > 0 && (size_t)n < size)
        snprintf(found->text + n, size - (size_t)n, "; here, and only here, constraints of '%s' are redundant with %s", found->part,
                 others[0] ? others : "others");
    return BL_OK;
}

bl_status bl_start_singular(const bl_system *sys, const bl_model *model, const bl_state *start, bl_singular_policy policy) {
    bl_context *ctx = sys->ctx;
    bl_singular_finding found;
    BL_TRY(bl_singular_describe(sys, model, start, "the starting configuration", &found));
    if (!found.is)
        return BL_OK;
    static const char what[] =
        "start slightly away from it (positions in the model, or `initial`), or give as many rates as it has degrees of "
        "freedom there, so that the branch is determined";
    if (policy == BL_REFUSE_SINGULAR) {
        bl_fail(ctx, BL_E_NUMERIC, NULL, "%s", found.text);
        bl_advise(ctx, "%s", what);
        bl_blame(ctx, found.part, NULL, 0);
        return BL_E_NUMERIC;
    }
    bl_warn(ctx, 0, found.part[0] ? found.part : NULL, "%s; the motion may leave it along more than one branch: %s", found.text, what);
    return BL_OK;
}
