/* Positions and velocities of a start, solved for its groups.
 *
 * Positions: Newton's method satisfies the equations with least moves of the groups; then steps along the admissible motions minimize the
 * change and follow the guesses, each followed by Newton's method. Equations that become redundant only near the solution would spoil both,
 * so singular values below the current gap count as zero. Velocities: one linear problem. */
#include "study/start.h"

#include "base/vector3.h"
#include "elastic/rigid.h"
#include "study/start_conflict.h"
#include "study/study_limits.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

/* allowed gap; larger, distributed by least squares, if dimensions are inexact (closure) */
static double open_most(const bl_start *s) { return s->closure > 0 ? bl_misfit_most(s->closure) : study_closed_enough; }

/* ---- the configuration */

static double longest(const bl_start *s, const double *x) {
    double most = 0;
    for (bl_index j = 0; j < (s->ngroup - 1) * s->per_body; j++)
        most = fmax(most, fabs(x[j]));
    return most;
}

/* moves every group by its x: rotation about its center, then translation */
static void move_groups(bl_start *s, const double *x) {
    int plane = s->per_body == 3, dim = s->model->dim;
    for (bl_index b = 1; b < s->model->nbody; b++) {
        bl_index g = s->group[b];
        if (g == 0)
            continue;
        const double *by = x + (size_t)(g - 1) * (size_t)s->per_body, *c = s->at[g].center;
        double w[3] = {plane ? 0 : by[3], plane ? 0 : by[4], plane ? by[2] : by[5]}, angle = sqrt(dot3(w, w));
        double half = angle > 1e-8 ? sin(angle / 2) / angle : 0.5, d[3], once[3], twice[3], now[4];
        double e[4] = {cos(angle / 2), half * w[0], half * w[1], half * w[2]}, *q = s->pose[b].quaternion;
        s->angle[b] += w[2];
        for (int k = 0; k < 3; k++)
            d[k] = s->pose[b].position[k] - c[k];
        cross3(e + 1, d, once);
        cross3(e + 1, once, twice);
        for (int k = 0; k < dim; k++)
            s->pose[b].position[k] += 2 * (e[0] * once[k] + twice[k]) + s->length * by[k];
        now[0] = e[0] * q[0] - dot3(e + 1, q + 1);
        cross3(e + 1, q + 1, now + 1);
        for (int k = 0; k < 3; k++)
            now[k + 1] += e[0] * q[k + 1] + q[0] * e[k + 1];
        double size = sqrt(now[0] * now[0] + dot3(now + 1, now + 1));
        for (int k = 0; k < 4; k++)
            q[k] = now[k] / size;
    }
    bl_twists_variables(&s->twists, s->pose, s->variable, s->variable);
}

typedef struct configuration {
    bl_pose *pose;
    double *angle, *variable;
} configuration;

static void remember(const bl_start *s, configuration *p) {
    memcpy(p->pose, s->pose, (size_t)s->model->nbody * sizeof *s->pose);
    memcpy(p->angle, s->angle, (size_t)s->model->nbody * sizeof *s->angle);
    memcpy(p->variable, s->variable, (size_t)s->model->nvariable * sizeof *s->variable);
}

static void go_back(bl_start *s, const configuration *p) {
    memcpy(s->pose, p->pose, (size_t)s->model->nbody * sizeof *s->pose);
    memcpy(s->angle, p->angle, (size_t)s->model->nbody * sizeof *s->angle);
    memcpy(s->variable, p->variable, (size_t)s->model->nvariable * sizeof *s->variable);
}

static bl_status configuration_create(bl_start *s, configuration *p) {
    p->pose = bl_arena_alloc(&s->arena, (size_t)s->model->nbody, sizeof *p->pose);
    p->angle = bl_arena_alloc(&s->arena, (size_t)s->model->nbody, sizeof *p->angle);
    p->variable = bl_arena_alloc(&s->arena, (size_t)s->model->nvariable + 1, sizeof *p->variable);
    return p->pose && p->angle && p->variable ? BL_OK : BL_E_MEMORY;
}

/* evaluates the equations; *gap: the largest violation of a hard one, *worst: which */
static bl_status evaluate(bl_start *s, double *gap, bl_index *worst) {
    BL_TRY(bl_start_rows(s));
    *gap = 0;
    for (bl_index i = 0; i < s->nrow; i++) {
        const bl_start_row *row = &s->row[i];
        if (!row->counts || row->soft)
            continue;
        if (!isfinite(row->rhs))
            return bl_start_not_finite(s, i);
        if (fabs(row->rhs) > *gap) {
            *gap = fabs(row->rhs);
            *worst = i;
        }
    }
    return BL_OK;
}

/* ---- positions */

typedef struct search {
    configuration start, kept, best;
    double *x, *g, *step, *moved; /* [columns] */
} search;

static bl_status search_create(bl_start *s, search *c) {
    size_t n = (size_t)s->model->nbody * (size_t)s->per_body;
    BL_TRY(configuration_create(s, &c->start));
    BL_TRY(configuration_create(s, &c->kept));
    BL_TRY(configuration_create(s, &c->best));
    return BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(c->x, n), BL_ARRAY(c->g, n), BL_ARRAY(c->step, n), BL_ARRAY(c->moved, n));
}

/* Exact values and drivers far away are approached in equal steps, while all other equations are satisfied in each. */
static double set_pace(bl_start *s) {
    double far = study_longest_move;
    for (bl_index i = 0; i < s->nrow; i++)
        if (s->row[i].counts && !s->row[i].soft && (s->row[i].owner < 0 || s->row[i].owner >= s->model->njoint))
            far = fmax(far, fabs(s->row[i].rhs));
    double pace = study_longest_move / far;
    for (bl_index i = 0; pace < 1 && i < s->nrow; i++)
        if (s->row[i].owner < 0 || s->row[i].owner >= s->model->njoint)
            s->row[i].rhs *= pace;
    return pace;
}

/* shortens x to a length for which the linearization is valid; returns the factor */
static double cut(const bl_start *s, double *x, double most) {
    double far = longest(s, x), part = far > most ? most / far : 1;
    for (bl_index j = 0; j < (s->ngroup - 1) * s->per_body; j++)
        x[j] *= part;
    return part;
}

static bl_status newton(bl_start *s, search *c, double *gap, bl_index *worst) {
    double before = INFINITY, least = INFINITY, part = 1, sharper = 1;
    int stuck = 0;
    for (int round = 0; round < study_assembly_rounds; round++) {
        BL_TRY(evaluate(s, gap, worst));
        if (*gap < study_gap_rounding || (study_closed > *gap && *gap > 0.1 * before)) /* only rounding is left */
            return BL_OK;
        if (*gap < least) {
            least = *gap;
            remember(s, &c->best);
        }
        if (s->ngroup == 1)
            break;
        bool progress = *gap < before * (1 - 0.1 * part);
        stuck = progress ? 0 : stuck + 1;
        if ((stuck > 0 && least < study_closed) || (stuck > 2 && least < open_most(s)) || stuck > study_assembly_stuck)
            break;
        if (!progress && round)
            sharper *= 0.03; /* small singular values may be needed */
        before = *gap;
        double pace = set_pace(s);
        BL_TRY(bl_start_solve(s, false, false, NULL, fmax(bl_rank_tolerance(s->closure), sharper * fmin(study_assembly_rank, *gap)), c->x));
        part = pace * cut(s, c->x, study_longest_move);
        move_groups(s, c->x);
    }
    return BL_NO_CONVERGENCE;
}

/* BL_NO_CONVERGENCE, without an error message: cannot be assembled; s is the best configuration found, with *gap and *worst. */
static bl_status close_gap(bl_start *s, search *c, double *gap, bl_index *worst) {
    bl_status status = newton(s, c, gap, worst);
    if (status != BL_NO_CONVERGENCE)
        return status;
    go_back(s, &c->best);
    BL_TRY(evaluate(s, gap, worst));
    return *gap < open_most(s) ? BL_OK : BL_NO_CONVERGENCE;
}

static bool has_guesses(const bl_start *s) {
    for (bl_index i = 0; i < s->nrow; i++)
        if (s->row[i].soft && s->row[i].counts && s->row[i].count > 0)
            return true;
    return false;
}

/* what is minimized: first the squared error of guesses, then the change */
static void misfit(const bl_start *s, double *missed, double *change) {
    *missed = 0;
    for (bl_index i = 0; i < s->nrow; i++)
        *missed += s->row[i].soft && s->row[i].counts ? s->row[i].rhs * s->row[i].rhs : 0;
    *change = bl_start_change(s);
}

/* Factor for the next step, from the effect of the last one (Barzilai and Borwein 1988): because of the curvature of the constraints a full
 * step is too long or too short. */
static double relaxation(const bl_start *s, const search *c) {
    double ss = 0, sy = 0;
    for (bl_index j = 0; j < (s->ngroup - 1) * s->per_body; j++) {
        ss += c->moved[j] * c->moved[j];
        sy += c->moved[j] * (c->step[j] - c->x[j]);
    }
    return sy > 0 ? fmin(fmax(ss / sy, 0.05), 5) : 1;
}

/* From an assembled configuration to the one that follows the guesses and is nearest to the configuration carried along. */
static bl_status settle(bl_start *s, search *c, double *gap, bl_index *worst) {
    size_t n = (size_t)(s->ngroup - 1) * (size_t)s->per_body;
    BL_TRY(evaluate(s, gap, worst));
    bool guesses = has_guesses(s), moved = false;
    double missed, change, most = study_longest_move, take = 1;
    misfit(s, &missed, &change);
    if (!guesses && change == 0)
        return BL_OK;
    for (int round = 0; round < study_start_rounds && most > study_settled_shortest; round++) {
        bl_start_gradient(s, c->g);
        BL_TRY(bl_start_solve(s, true, guesses, c->g, bl_rank_tolerance(s->closure), c->x));
        double length = longest(s, c->x);
        take = moved ? relaxation(s, c) : 1;
        if (length < study_start_settled)
            break;
        memcpy(c->step, c->x, n * sizeof *c->x);
        remember(s, &c->kept);
        for (size_t j = 0; j < n; j++)
            c->x[j] *= take;
        cut(s, c->x, most);
        memcpy(c->moved, c->x, n * sizeof *c->x);
        move_groups(s, c->x);
        bl_status status = close_gap(s, c, gap, worst);
        if (status != BL_OK && status != BL_NO_CONVERGENCE)
            return status;
        double now = INFINITY, changed = INFINITY;
        if (status == BL_OK)
            misfit(s, &now, &changed);
        /* assembly leaves rounding errors; guesses have priority */
        double same = 1e-14 * missed + 1e-24;
        moved = now < missed - same || (now <= missed + same && changed <= change + 1e-13 * (1e-3 + change));
        if (moved) {
            missed = now;
            change = changed;
            most = fmin(2 * most, study_longest_move);
        } else {
            most = 0.3 * fmin(most, take * length);
            go_back(s, &c->kept);
            BL_TRY(evaluate(s, gap, worst));
        }
    }
    return BL_OK;
}

/* plans, carries and assembles; BL_NO_CONVERGENCE as above */
static bl_status try_positions(bl_start *s, search *c, double *gap, bl_index *worst) {
    go_back(s, &c->start);
    BL_TRY(bl_start_plan(s));
    BL_TRY(bl_start_carry(s));
    return close_gap(s, c, gap, worst);
}

/* ---- velocities */

/* the largest rate that the equations prescribe */
static double requested_rate(const bl_start *s) {
    double most = 0;
    for (bl_index i = 0; i < s->nrow; i++)
        most = fmax(most, s->row[i].counts && (!s->row[i].soft || !s->no_guesses) ? fabs(s->row[i].rhs) : 0);
    return most;
}

/* c->step: velocities of least energy that satisfy the equations at s->pose */
static bl_status solve_velocities(bl_start *s, search *c, double *gap, bl_index *worst) {
    size_t n = (size_t)(s->ngroup - 1) * (size_t)s->per_body;
    memset(c->step, 0, n * sizeof *c->step);
    bl_start_gradient(s, c->g);
    bool guesses = !s->no_guesses && has_guesses(s), at_rest = !guesses && *gap == 0 && longest(s, c->g) == 0;
    for (int round = 0; round < 3 && !at_rest && n > 0; round++) { /* later rounds reduce rounding errors */
        BL_TRY(bl_start_solve(s, true, round == 0 && guesses, round == 0 ? c->g : NULL, bl_rank_tolerance(s->closure), c->x));
        for (size_t j = 0; j < n; j++)
            c->step[j] += c->x[j];
        *gap = 0;
        for (bl_index i = 0; i < s->nrow; i++) {
            bl_start_row *row = &s->row[i];
            for (bl_index e = row->first; e < row->first + row->count; e++)
                row->rhs -= s->entry_coef[e] * c->x[s->entry_col[e]];
            if (row->counts && !row->soft && fabs(row->rhs) > *gap) {
                *gap = fabs(row->rhs);
                *worst = i;
            }
        }
        if (*gap <= study_gap_rounding * (1 + longest(s, c->step)))
            break;
    }
    return BL_OK;
}

/* Relative change of the velocities after a small motion; c->step is not changed. */
static bl_status change_beside(bl_start *s, search *c, double size, double *change) {
    size_t n = (size_t)(s->ngroup - 1) * (size_t)s->per_body;
    double gap = 0, most = 0;
    bl_index worst = 0;
    memcpy(c->moved, c->step, n * sizeof *c->step);
    remember(s, &c->kept);
    for (size_t j = 0; j < n; j++)
        c->x[j] = study_start_beside / size * c->step[j];
    move_groups(s, c->x);
    BL_TRY(evaluate(s, &gap, &worst));
    BL_TRY(solve_velocities(s, c, &gap, &worst));
    for (size_t j = 0; j < n; j++)
        most = fmax(most, fabs(c->step[j] - c->moved[j]));
    memcpy(c->step, c->moved, n * sizeof *c->step);
    go_back(s, &c->kept);
    BL_TRY(evaluate(s, &gap, &worst));
    *change = most / size;
    return BL_OK;
}

/* velocities of the groups, and their ratio to the prescribed rates if the configuration makes it large (s->raised) */
static bl_status velocities_here(bl_start *s, search *c, double *gap, bl_index *worst) {
    BL_TRY(evaluate(s, gap, worst));
    double rate = requested_rate(s);
    BL_TRY(solve_velocities(s, c, gap, worst));
    double size = longest(s, c->step), open = *gap;
    for (bl_index b = 1; b < s->model->nbody; b++)
        for (int k = 0; k < 6; k++)
            rate = fmax(rate, fabs(s->known_twist[b][k]) / (k < 3 ? s->length : 1));
    double change = 0;
    if (size > study_start_faster * rate)
        BL_TRY(change_beside(s, c, size, &change));
    *gap = open;
    s->raised = size > study_start_fast * rate && !(change <= study_start_changes) ? size / rate : 0;
    s->near = s->raised == 0 && change > study_start_changes_some ? size / rate : 0;
    return BL_OK;
}

static bl_status try_velocities(bl_start *s, search *c, double *gap, bl_index *worst) {
    s->no_guesses = false;
    BL_TRY(bl_start_plan(s));
    BL_TRY(bl_start_carry(s));
    BL_TRY(velocities_here(s, c, gap, worst));
    s->no_guesses = s->raised > 0 && has_guesses(s);
    if (s->no_guesses)
        BL_TRY(velocities_here(s, c, gap, worst));
    double size = longest(s, c->step);
    for (bl_index b = 1; b < s->model->nbody; b++)
        for (int k = 0; k < 6; k++)
            size = fmax(size, fabs(s->known_twist[b][k]) / (k < 3 ? s->length : 1));
    return s->raised == 0 && *gap <= open_most(s) * (1 + size) ? BL_OK : BL_NO_CONVERGENCE;
}

static void take_velocities(const bl_start *s, const double *x, bl_pose *pose) {
    int plane = s->per_body == 3;
    for (bl_index b = 0; b < s->model->nbody; b++) {
        double *v = pose[b].velocity, *w = pose[b].angular_velocity, d[3], turning[3];
        memcpy(v, s->known_twist[b], 3 * sizeof *v);
        memcpy(w, s->known_twist[b] + 3, 3 * sizeof *w);
        if (s->group[b] == 0)
            continue;
        const double *by = x + (size_t)(s->group[b] - 1) * (size_t)s->per_body;
        double wg[3] = {plane ? 0 : by[3], plane ? 0 : by[4], plane ? by[2] : by[5]};
        for (int k = 0; k < 3; k++)
            d[k] = s->pose[b].position[k] - s->at[s->group[b]].center[k];
        cross3(wg, d, turning);
        for (int k = 0; k < s->model->dim; k++)
            v[k] += s->length * by[k] + turning[k];
        for (int k = 0; k < 3; k++)
            w[k] += wg[k];
    }
}

/* ---- positions and velocities */

/* converts a positive status, which has no meaning outside this file, to an error */
static bl_status final(bl_context *ctx, bl_status status) {
    if (status <= 0)
        return status;
    bl_error kept = *bl_context_error(ctx);
    return bl_fail(ctx, BL_E_NUMERIC, NULL, "%s", kept.status == status ? kept.what : bl_status_text(status));
}

static bl_status try_again(bl_start *s, void *user, double *gap, bl_index *worst) {
    search *c = user;
    return s->positions ? try_positions(s, c, gap, worst) : try_velocities(s, c, gap, worst);
}

static bl_status find_positions(bl_start *s) {
    search c;
    double gap = 0;
    bl_index worst = 0;
    s->positions = true;
    BL_TRY(search_create(s, &c));
    remember(s, &c.start);
    bl_status status = try_positions(s, &c, &gap, &worst);
    if (status == BL_OK)
        status = settle(s, &c, &gap, &worst);
    if (status == BL_OK)
        status = bl_start_locked(s);
    return status == BL_NO_CONVERGENCE ? bl_start_blame(s, try_again, &c) : status;
}

static bl_status positions_of(bl_context *ctx, const bl_model *model, double t, double closure, bl_pose *pose, double *angle,
                              double *variable) {
    bl_start s = {0};
    bl_status status = bl_start_create(ctx, model, t, closure, &s);
    if (status == BL_OK)
        status = find_positions(&s);
    if (status == BL_OK) {
        memcpy(pose, s.pose, (size_t)model->nbody * sizeof *pose);
        memcpy(angle, s.angle, (size_t)model->nbody * sizeof *angle);
        memcpy(variable, s.variable, (size_t)model->nvariable * sizeof *variable);
        for (bl_index b = 0; b < model->nbody; b++)
            for (int k = 3; k >= 0 && pose[b].quaternion[0] < 0; k--)
                pose[b].quaternion[k] = -pose[b].quaternion[k];
    }
    bl_start_destroy(&s);
    return final(ctx, status);
}

/* Elastic bodies start without deformation: as rigid ones. */
static bl_status elastic_positions(bl_context *ctx, const bl_model *model, double t, double closure, bl_pose *pose, double *angle,
                                   double *variable) {
    bl_rigid_model rigid;
    bl_pose *of_rigid = NULL;
    double *angle_of = NULL;
    void *block = NULL;
    bl_status status = bl_rigid_model_create(ctx, model, &rigid);
    if (status == BL_OK)
        status = BL_NEW_ARRAYS(ctx, block, BL_ARRAY(of_rigid, rigid.model.nbody), BL_ARRAY(angle_of, rigid.model.nbody));
    if (status == BL_OK)
        status = positions_of(ctx, &rigid.model, t, closure, of_rigid, angle_of, variable);
    if (status == BL_OK) {
        bl_rigid_model_spread(&rigid, model, of_rigid, pose);
        for (bl_index b = 0; b < model->nbody; b++)
            angle[b] = angle_of[rigid.body[b]];
    }
    bl_free(ctx, block);
    bl_rigid_model_destroy(&rigid);
    return status;
}

bl_status bl_start_positions(bl_context *ctx, const bl_model *model, double t, double closure, bl_pose *pose, double *angle,
                             double *variable) {
    return (model->nelastic ? elastic_positions : positions_of)(ctx, model, t, closure, pose, angle, variable);
}

static bl_status find_velocities(bl_start *s, bl_pose *pose, bool *nearest) {
    search c;
    double gap = 0;
    bl_index worst = 0;
    BL_TRY(search_create(s, &c));
    bl_status status = try_velocities(s, &c, &gap, &worst);
    if (status == BL_NO_CONVERGENCE && nearest && s->raised == 0)
        *nearest = true;
    else if (status == BL_NO_CONVERGENCE)
        return bl_start_blame(s, try_again, &c);
    else
        BL_TRY(status);
    if (s->no_guesses)
        bl_warn(s->ctx, s->t, NULL,
                "initial: guesses of rates are ignored: the mechanism starts at the limit of its reach, where they cannot be met");
    if (s->near > 0)
        bl_warn(s->ctx, s->t, NULL,
                "initial: the mechanism starts near the limit of its reach and moves %.2g times as fast as the given rates", s->near);
    take_velocities(s, c.step, pose);
    return BL_OK;
}

static bl_status velocities_of(bl_context *ctx, const bl_model *model, double t, double closure, bl_pose *pose, const double *variable,
                               const double *driven_rate, bool *nearest) {
    bl_start s = {0};
    bl_status status = bl_start_create(ctx, model, t, closure, &s);
    if (status == BL_OK) {
        memcpy(s.pose, pose, (size_t)model->nbody * sizeof *pose);
        memcpy(s.variable, variable, (size_t)model->nvariable * sizeof *variable);
        for (bl_index d = 0; driven_rate && d < model->ndriver; d++)
            s.driven_rate[d] = driven_rate[d];
        status = find_velocities(&s, pose, nearest);
    }
    bl_start_destroy(&s);
    return final(ctx, status);
}

static bl_status elastic_velocities(bl_context *ctx, const bl_model *model, double t, double closure, bl_pose *pose, const double *variable,
                                    const double *driven_rate, bool *nearest) {
    bl_rigid_model rigid;
    bl_pose *of_rigid = NULL;
    bl_status status = bl_rigid_model_create(ctx, model, &rigid);
    if (status == BL_OK)
        status = BL_NEW(ctx, of_rigid, rigid.model.nbody);
    if (status == BL_OK) {
        bl_rigid_model_gather(&rigid, model, pose, of_rigid);
        status = velocities_of(ctx, &rigid.model, t, closure, of_rigid, variable, driven_rate, nearest);
    }
    if (status == BL_OK)
        bl_rigid_model_move(&rigid, model, of_rigid, pose);
    bl_free(ctx, of_rigid);
    bl_rigid_model_destroy(&rigid);
    return status;
}

bl_status bl_start_velocities(bl_context *ctx, const bl_model *model, double t, double closure, bl_pose *pose, const double *variable,
                              const double *driven_rate, bool *nearest) {
    if (nearest)
        *nearest = false;
    return model->nelastic ? elastic_velocities(ctx, model, t, closure, pose, variable, driven_rate, nearest)
                           : velocities_of(ctx, model, t, closure, pose, variable, driven_rate, NULL);
}
