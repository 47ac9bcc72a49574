/* Nearly special geometry. A mechanism that moves only because of its dimensions (Bricard, a door on two hinges) is locked when one of them
 * is given with a digit too few. Then a constraint is implied by the others except for a small residual, at the start and along the motion
 * that it locks. At a singular configuration the residual is small too, but only there.
 *
 * Residuals are computed on twists of bodies (topology), joint after joint in the order of the file, so that they do not depend on the
 * coordinates. There must be a clear gap between the small ones and all others. Then the mechanism is moved without drivers as if the small
 * ones were zero, and both the residuals and the position errors must stay small along this walk. */
#include "study/closure.h"

#include "base/vector3.h"
#include "kkt/row_choice.h"
#include "study/check.h"
#include "study/study_limits.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 6 };

typedef struct nearness {
    bl_context *ctx;
    bl_system *sys;
    const bl_model *model;
    bl_state state; /* current configuration of the walk */
    bl_eval eval;
    double length, fine;
    double cut, rest; /* residuals below the cut are at most `rest`; none is between rest and cut */
    bl_index ndependent;
    double *direction, *along, *before; /* [nv], [nv], [nq] */
    bl_index *undriven;                 /* [np] -1: driver row */
    void *block;
} nearness;

/* Whether its mark a is a point that it holds. */
static bool holds_point(const bl_prim *prim) {
    return (prim->what == BL_COINCIDE || prim->what == BL_PLANE || prim->what == BL_DISTANCE) && !prim->a.is_vector;
}

/* Largest distance of the joint points from their center: the same in all coordinates. joint[n]: of these joints; NULL: the first n. */
static double size_of_joints(const bl_model *model, const bl_pose *pose, bl_index n, const bl_index *joint) {
    double middle[3] = {0, 0, 0}, size = 0;
    long count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (bl_index i = 0; i < n; i++) {
            const bl_joint_def *def = &model->joint[joint ? joint[i] : i];
            for (bl_index p = 0; def->body[0] >= 0 && p < def->nprim; p++) {
                double at[3];
                if (!holds_point(&def->prim[p]))
                    continue;
                bl_mark_now(pose, &def->prim[p].a, at);
                for (int k = 0; k < 3; k++)
                    at[k] -= pass ? middle[k] : 0;
                for (int k = 0; k < 3 && !pass; k++)
                    middle[k] += at[k];
                count += !pass;
                size = pass ? fmax(size, sqrt(dot3(at, at))) : 0;
            }
        }
        for (int k = 0; k < 3 && !pass && count; k++)
            middle[k] /= (double)count;
    }
    return size > 0 ? size : 1;
}

/* ---- residuals of dependent constraints */

static bl_status dependencies_at(nearness *n, const bl_state *state, double tolerance, bl_dependencies *found) {
    bl_index *order;
    bl_twists twists;
    bl_eval_at(&n->eval, state);
    BL_TRY(bl_system_eval(n->sys, &n->eval, BL_POSE));
    if (!(n->length > 0))
        n->length = size_of_joints(n->model, n->eval.pose, n->model->njoint, NULL);
    BL_TRY(BL_NEW(n->ctx, order, n->model->njoint));
    for (bl_index j = 0; j < n->model->njoint; j++)
        order[j] = j;
    bl_status status = bl_twists_build(n->ctx, n->model, n->eval.pose, n->length, &twists);
    if (status == BL_OK)
        status = bl_dependencies_find_ordered(&twists, n->model->njoint, order, tolerance, found);
    bl_twists_destroy(&twists);
    bl_free(n->ctx, order);
    return status;
}

static double largest_rest(const bl_dependencies *found) {
    double largest = 0;
    for (bl_index i = 0; i < found->n; i++)
        largest = fmax(largest, found->dependency[i].rest);
    return largest;
}

/* The largest cut with a clear gap below it and residuals above rounding below the gap; cut = 0: none. The caller destroys found. */
static bl_status find_gap(nearness *n, const bl_state *state, bl_dependencies *found) {
    double cut = system_nearly;
    n->cut = 0;
    for (int trial = 0; trial < study_closure_trials && cut > system_nearly_gap * n->fine; trial++) {
        bl_dependencies_destroy(found);
        BL_TRY(dependencies_at(n, state, cut, found));
        n->rest = largest_rest(found);
        if (n->rest <= n->fine)
            return BL_OK;
        if (n->rest <= cut / system_nearly_gap) {
            n->cut = cut;
            n->ndependent = found->ndependent;
            return BL_OK;
        }
        cut = 0.999 * n->rest; /* the largest one counts as an independent constraint */
    }
    return BL_OK;
}

/* ---- the walk */

/* rows in the current configuration, without drivers */
static bl_status rows_here(nearness *n, double tolerance, bl_elimination *e) {
    const bl_system *sys = n->sys;
    bl_eval_at(&n->eval, &n->state);
    BL_TRY(bl_system_eval(sys, &n->eval, BL_G));
    /* not `loose`: only large pivots show a rank that is about to change */
    bl_rows_ask ask = {.sys = sys, .G = n->eval.G, .tolerance = tolerance, .slot = n->undriven};
    return bl_rows_eliminate(&ask, e);
}

/* Whether formulations would find more degrees of freedom here if the small residuals counted as zero. */
static bl_status find_locked(nearness *n, double closure, bool *locked) {
    bl_index rank[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        bl_elimination e = {0};
        bl_status status = rows_here(n, bl_rank_tolerance(k ? closure : n->sys->closure), &e);
        rank[k] = e.rank;
        bl_elimination_free(&e);
        BL_TRY(status);
    }
    *locked = rank[1] < rank[0];
    return BL_OK;
}

/* n->direction: the admissible motion that continues the last one in its free columns, the largest component 1 in scaled coordinates;
 * *any false: there is none */
static bl_status continue_direction(nearness *n, bool *any) {
    size_t nv = (size_t)n->sys->nv;
    double largest = 0;
    bl_elimination e = {0};
    bl_status status = rows_here(n, bl_rank_tolerance(n->sys->closure), &e);
    if (status == BL_OK)
        bl_elimination_motion(&e, n->direction);
    bl_elimination_free(&e);
    for (size_t j = 0; j < nv; j++)
        largest = fmax(largest, fabs(n->direction[j]));
    for (size_t j = 0; largest > 0 && j < nv; j++)
        n->direction[j] /= largest;
    *any = largest > 0;
    return status;
}

/* one step; BL_NO_CONVERGENCE: it cannot be taken. *moved: its length, *gap: position error that remains */
static bl_status take_step(nearness *n, double *moved, double *gap) {
    const bl_system *sys = n->sys;
    bool any = false;
    BL_TRY(continue_direction(n, &any));
    if (!any)
        return BL_NO_CONVERGENCE;
    for (bl_index j = 0; j < sys->nv; j++)
        n->along[j] = study_closure_pace * n->direction[j] * sys->col[j].scale;
    memcpy(n->before, n->state.q, (size_t)sys->nq * sizeof(double));
    BL_TRY(bl_system_retract(sys, n->state.q, n->along, n->state.q));
    bl_status status = bl_assemble_undriven(sys, &n->state);
    if (status != BL_OK)
        return status;
    BL_TRY(bl_system_local(sys, n->before, n->state.q, n->along));
    *moved = 0;
    for (bl_index j = 0; j < sys->nv; j++)
        *moved = fmax(*moved, fabs(n->along[j]) / sys->col[j].scale);
    bl_eval_at(&n->eval, &n->state);
    BL_TRY(bl_system_eval(sys, &n->eval, BL_PHI));
    *gap = 0;
    for (bl_index i = 0; i < sys->np; i++)
        if (sys->row[i].what != BL_ROW_DRIVER)
            *gap = fmax(*gap, fabs(n->eval.phi[i]) / sys->row[i].scale);
    return BL_OK;
}

/* far: the walk went far enough; lasts: all dependencies remained. The walk ends where one does not. */
static bl_status walk(nearness *n, const bl_state *start, uint64_t seed, bool *far, bool *lasts) {
    const bl_system *sys = n->sys;
    double length = 0;
    *far = false;
    *lasts = true;
    bl_state_copy(sys, &n->state, start);
    for (bl_index j = 0; j < sys->nv; j++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        n->direction[j] = (double)(seed >> 11) * 0x1p-52 - 1;
    }
    for (int k = 0; k < study_closure_steps && *lasts && length < study_closure_reach; k++) {
        double moved = 0, gap = 0;
        bl_status status = take_step(n, &moved, &gap);
        if (status > 0) {
            bl_context_clear_error(n->ctx);
            break;
        }
        BL_TRY(status);
        bl_dependencies found = {0};
        status = dependencies_at(n, &n->state, system_nearly_grows * n->rest, &found);
        *lasts = found.ndependent >= n->ndependent && gap <= system_nearly_grows * n->rest;
        bl_dependencies_destroy(&found);
        BL_TRY(status);
        length += moved;
    }
    *far = length >= study_closure_reach;
    return BL_OK;
}

/* whether a motion is locked by the small residuals alone */
static bl_status lasts_along(nearness *n, const bl_state *start, bool *answer) {
    double kept = n->sys->closure, middle = sqrt(n->rest * n->cut) / system_closure_sum; /* of the gap */
    bool locks = false;                                                                  /* else they count as redundant already */
    *answer = false;
    bl_state_copy(n->sys, &n->state, start);
    bl_status status = find_locked(n, middle, &locks);
    n->sys->closure = middle;
    for (uint64_t seed = 1; (double)seed <= study_closure_walks && status == BL_OK && locks && !*answer; seed++) {
        bool far = false, lasts = false;
        status = walk(n, start, seed, &far, &lasts);
        if (status == BL_OK && !lasts)
            break; /* a singular configuration */
        *answer = status == BL_OK && far;
    }
    n->sys->closure = kept;
    return status;
}

/* ---- messages */

static size_t append(char *text, size_t size, size_t used, const char *format, ...) BL_PRINTF(4, 5);
static size_t append(char *text, size_t size, size_t used, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int wrote = vsnprintf(text + used, size - used, format, args);
    va_end(args);
    used += wrote > 0 ? (size_t)wrote : 0;
    return used < size ? used : size - 1;
}

/* the closure tolerance that accepts a residual; 0: none does */
static double closure_for(double rest) {
    double power = pow(10, ceil(log10(rest) - 0.1));
    if (power <= system_closure_most)
        return power;
    return 1.5 * rest < system_closure_sum * system_closure_most ? system_closure_most : 0;
}

static bool moves(const bl_dependency *d) {
    for (bl_index i = 0; i < d->count; i++)
        if (dot3(d->direction[i], d->direction[i]) > 0)
            return true;
    return false; /* only directions disagree */
}

/* Residuals of displacements are relative to the size of the mechanism. A loop that is small compared with it (at the tip of a long chain)
 * has only small ones: here they are compared with the size of the joints involved. */
static bl_status is_small_there(const nearness *n, const bl_dependency *d, bool *small) {
    bl_index *joint, count = 0;
    *small = true;
    if (!moves(d))
        return BL_OK;
    BL_TRY(BL_NEW(n->ctx, joint, d->nother + 1));
    for (bl_index i = 0; i < d->nother; i++)
        joint[count++] = d->other[i];
    joint[count++] = d->owner;
    *small = d->rest * n->length <= system_nearly * size_of_joints(n->model, n->eval.pose, count, joint);
    bl_free(n->ctx, joint);
    return BL_OK;
}

static bl_status report_one(const nearness *n, const bl_dependency *d, bl_closure_report report, void *user) {
    const bl_model *model = n->model;
    char part[96], text[256], directions[96] = "";
    size_t used = 0, size = sizeof text;
    snprintf(part, sizeof part, "%s '%s'", model->joint[d->owner].kind->kind.name, model->joint[d->owner].name);
    bool named = bl_check_directions(d, model->dim, directions, sizeof directions);
    used =
        append(text, size, used, "%s is redundant but for %.2g %s", part, moves(d) ? d->rest * n->length : d->rest, moves(d) ? "m" : "rad");
    used = append(text, size, used, named ? " (%s) and thereby locks a motion that " : "%s and thereby locks a motion that ", directions);
    bl_index shown = d->nother > MOST_NAMES + 1 ? MOST_NAMES : d->nother;
    for (bl_index i = 0; i < shown; i++)
        used = append(text, size, used, "%s%s", i == 0 ? "" : i + 1 == d->nother ? " and " : ", ", model->joint[d->other[i]].name);
    if (shown < d->nother)
        used = append(text, size, used, " and %d more", (int)(d->nother - shown));
    double take = closure_for(n->rest);
    used = append(text, size, used, " allow; ");
    if (take > 0)
        append(text, size, used, "give dimensions with all digits, or set closure: %g", take);
    else
        append(text, size, used, "check the dimensions");
    return report(user, part, text);
}

/* ---- the parts together */

static bl_status has_loops(bl_context *ctx, const bl_model *model, bool *loops) {
    bl_index *piece, npiece = 0;
    BL_TRY(BL_NEW(ctx, piece, model->nbody));
    bl_status status = bl_topology_pieces(ctx, model, piece, &npiece);
    bl_free(ctx, piece);
    *loops = model->njoint > model->nbody - npiece;
    return status;
}

/* small[found->n]: which of them would be reported; *any: whether a walk is needed */
static bl_status find_small(const nearness *n, const bl_dependencies *found, bool *small, bool *any) {
    for (bl_index i = 0; i < found->n; i++) {
        if (found->dependency[i].rest > n->fine)
            BL_TRY(is_small_there(n, &found->dependency[i], &small[i]));
        *any = *any || small[i];
    }
    return BL_OK;
}

static bl_status examine(nearness *n, const bl_state *state, bl_closure_report report, void *user) {
    const bl_system *sys = n->sys;
    size_t np = (size_t)sys->np, nv = (size_t)sys->nv, nq = (size_t)sys->nq;
    bl_dependencies found = {0};
    bl_status status = find_gap(n, state, &found);
    bool lasts = false, any = false, *small = NULL;
    if (status == BL_OK && n->cut > 0) {
        status = BL_NEW(n->ctx, small, found.n);
        if (status == BL_OK)
            status = find_small(n, &found, small, &any);
    }
    if (status == BL_OK && any) {
        status = bl_state_create(sys, 0, &n->state);
        if (status == BL_OK)
            status = BL_NEW_ARRAYS(n->ctx, n->block, BL_ARRAY(n->direction, nv), BL_ARRAY(n->along, nv), BL_ARRAY(n->before, nq),
                                   BL_ARRAY(n->undriven, np));
        if (status == BL_OK) {
            for (size_t i = 0; i < np; i++)
                n->undriven[i] = sys->row[i].what == BL_ROW_DRIVER ? -1 : 0;
            status = lasts_along(n, state, &lasts);
        }
    }
    for (bl_index i = 0; i < found.n && status == BL_OK && lasts; i++)
        if (small[i])
            status = report_one(n, &found.dependency[i], report, user);
    bl_free(n->ctx, small);
    bl_dependencies_destroy(&found);
    return status;
}

bl_status bl_closure_examine(bl_system *sys, const bl_model *model, const bl_state *state, bl_closure_report report, void *user) {
    bool loops = false;
    if (sys->np == 0 || model->nbody == 0 || model->njoint == 0)
        return BL_OK;
    BL_TRY(has_loops(sys->ctx, model, &loops));
    if (!loops)
        return BL_OK;
    nearness n = {.ctx = sys->ctx, .sys = sys, .model = model, .fine = bl_rank_tolerance(sys->closure) * system_rank_kept};
    bl_status status = bl_eval_create(sys, BL_G | BL_SEEN, &n.eval);
    if (status == BL_OK)
        status = examine(&n, state, report, user);
    bl_eval_destroy(sys, &n.eval);
    bl_state_destroy(sys, &n.state);
    bl_free(n.ctx, n.block);
    return status;
}

static bl_status warn(void *user, const char *part, const char *text) {
    bl_warn(user, NAN, part, "%s", text);
    return BL_OK;
}

bl_status bl_closure_warn(bl_system *sys, const bl_model *model, const bl_state *state) {
    return bl_closure_examine(sys, model, state, warn, sys->ctx);
}

/* ---- remaining gaps */

/* largest gap of a joint between poses: in m, and in rad */
static void joint_gap(const bl_joint_def *joint, const bl_pose *pose, double *length, double *angle) {
    *length = *angle = 0;
    for (bl_index p = 0; p < joint->nprim; p++) {
        bl_prim_motion at;
        bool is_length;
        bl_prim_now(pose, &joint->prim[p], &at);
        double gap = bl_prim_gap(&joint->prim[p], &at, &is_length), *most = is_length ? length : angle;
        *most = fmax(*most, gap);
    }
}

bl_status bl_closure_misfit(bl_system *sys, const bl_model *model, const bl_state *state) {
    bl_eval e = {0};
    int shown = 0;
    if (!(sys->closure > 0) || sys->np == 0 || sys->misfit)
        return BL_OK;
    BL_TRY(BL_NEW(sys->ctx, sys->misfit, sys->np));
    bl_status status = bl_eval_create(sys, BL_G | BL_SEEN, &e);
    if (status == BL_OK) {
        bl_eval_at(&e, state);
        status = bl_system_eval(sys, &e, BL_PHI | BL_POSE);
    }
    double gap = status == BL_OK ? bl_system_drift(sys, e.phi, NULL) : 0, length = size_of_joints(model, e.pose, model->njoint, NULL);
    bool open = gap > system_rank;
    if (open) {
        memcpy(sys->misfit, e.phi, (size_t)sys->np * sizeof *e.phi);
        bl_warn(sys->ctx, NAN, NULL, "the dimensions agree only within closure %g: a gap of %.2g is spread over the joints", sys->closure,
                gap);
    }
    for (bl_index j = 0; open && status == BL_OK && j < model->njoint; j++) {
        double apart, tilted;
        const char *name = model->joint[j].name;
        joint_gap(&model->joint[j], e.pose, &apart, &tilted);
        if (fmax(apart / length, tilted) > system_rank && shown++ < 2 * MOST_NAMES)
            bl_warn(sys->ctx, NAN, name, "joint '%s' keeps a gap of %.2g m and %.2g rad", name, apart, tilted);
    }
    bl_eval_destroy(sys, &e);
    return status;
}
