/* Any group by Newton's method: unknowns are small motions of its bodies (the velocity of the mass center divided by the size of the
 * mechanism, the angular velocity), equations are those of its joints and drivers. Large square systems use a sparse solver, small ones
 * elimination with complete pivoting; redundant equations are solved by least squares. It starts from the position predicted by
 * velocities and accelerations of the last one. On one branch the determinant keeps its sign: if the sign changes, the motion has jumped
 * to another branch or passed a change point; which of them, follows from the quality of the prediction. */
#include "kinematics/kinematics_limits.h"
#include "kinematics/kinematics_private.h"

#include "base/vector3.h"
#include "dense/dense.h"
#include "linsol/linsol.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LARGEST_DENSE = 24 };

typedef struct newton_form {
    bl_index m, n; /* equations, unknowns */
    int per_body;
    double *row_scale; /* [m] */
    bl_linsol *solver; /* NULL: dense */
    bl_pattern pattern;
    bl_index *slot; /* [m][BL_ROW_BODIES][6] index of an entry in the values, -1: always zero */
    double *values;
    bl_ldu ldu;
    double *dense;   /* [m][n] by columns */
    bool has_pivots; /* from an earlier position */
    int parity;      /* of the exchanges of rows and columns, +1 or -1 */
    int now_sign;    /* of the determinant at the last factorization; that of the branch is in group->branch, 0: not known */
    double weakest,
        best; /* smallest pivot relative to the largest, and the best seen: measures the distance from a singular configuration */
    double moved, ahead; /* change from the predicted position, 0: no prediction; time since the previous position */
    double *rhs, *x;
    bl_index *seen;        /* [n] */
    bl_gradient *gradient; /* [m] at the last evaluation */
} newton_form;

static bool is_own(const bl_kinematics *k, const bl_link_group *group, bl_index body) { return k->group_of[body] == group->number; }

/* component of a twist that is the c-th unknown of a body, and its scale */
static int component(const newton_form *f, int c) { return f->per_body == 3 && c == 2 ? 5 : c; }
static double unknown_size(const bl_kinematics *k, int component) { return component < 3 ? k->size : 1; }

/* false: this component cannot change the row */
static bool can_touch(const bl_kinematics *k, const bl_joint_row *row, int component) {
    if (component >= 3)
        return true;
    const bl_prim *prim = &row->prim;
    if (prim->what == BL_COINCIDE)
        return row->part == component;
    bool length = bl_prim_is_length(prim);
    for (int i = 0; bl_prim_is_relation(prim) && !length && i < 3; i++)
        length = prim->var[i] >= 0 && !k->model->variable[prim->var[i]].is_angle;
    return length;
}

/* ---- matrix */

static void evaluate(bl_kinematics *k, const bl_link_group *group, newton_form *f) {
    bool sparse = f->solver != NULL;
    memset(sparse ? f->values : f->dense, 0, (size_t)(sparse ? f->pattern.ptr[f->n] : f->m * f->n) * sizeof(double));
    k->skip_centripetal = true;
    for (bl_index i = 0; i < f->m; i++) {
        bl_gradient *g = &f->gradient[i];
        bl_row_at(k, &group->row[i], g);
        for (bl_index b = 0; b < g->n; b++) {
            if (!is_own(k, group, g->body[b]))
                continue;
            for (int c = 0; c < f->per_body; c++) {
                int part = component(f, c);
                double entry = g->by[b][part] * unknown_size(k, part) / f->row_scale[i];
                bl_index slot = sparse ? f->slot[(i * BL_ROW_BODIES + b) * 6 + c] : 0;
                if (!sparse)
                    f->dense[i + f->m * (k->local[g->body[b]] * f->per_body + c)] = entry;
                else if (slot >= 0)
                    f->values[slot] = entry;
            }
        }
    }
    k->skip_centripetal = false;
}

/* assesses the smallest pivot; too close to a singular configuration rates are only rounding errors */
static bl_status assess_pivot(newton_form *f, double smallest) {
    f->best = fmax(f->best, smallest);
    f->weakest = smallest / f->best;
    return f->weakest > kinematics_singular ? BL_OK : BL_SINGULAR;
}

static bl_status decompose_dense(newton_form *f) {
    bl_ldu *ldu = &f->ldu;
    bool square = f->m == f->n;
    if (!(square && f->has_pivots && bl_ldu_refactor(ldu, f->dense, kinematics_growth))) {
        bl_ldu_factor(ldu, f->dense, kinematics_rank);
        f->has_pivots = ldu->rank == f->n;
        if (square && f->has_pivots)
            f->parity = bl_parity(f->n, ldu->row, f->seen) * bl_parity(f->n, ldu->col, f->seen);
    }
    if (ldu->rank != f->n)
        return BL_SINGULAR;
    f->now_sign = square ? f->parity : 0;
    double largest = 0, smallest = INFINITY;
    for (bl_index i = 0; i < f->n; i++) {
        double pivot = ldu->lu[i + f->m * i];
        if (square && pivot < 0)
            f->now_sign = -f->now_sign;
        largest = fmax(largest, fabs(pivot));
        smallest = fmin(smallest, fabs(pivot));
    }
    return assess_pivot(f, smallest / largest);
}

static bl_status decompose(bl_kinematics *k, newton_form *f) {
    k->count.factorizations++;
    if (!f->solver)
        return decompose_dense(f);
    BL_TRY(bl_linsol_update(f->solver, f->values));
    f->now_sign = bl_linsol_sign(f->solver);
    return assess_pivot(f, f->solver->stats.worst_pivot);
}

static bl_status solve(newton_form *f) {
    if (!f->solver) {
        bl_ldu_solve(&f->ldu, BL_LDU_BASIC, f->rhs, f->x);
        return BL_OK;
    }
    memcpy(f->x, f->rhs, (size_t)f->n * sizeof *f->x);
    return bl_linsol_solve(f->solver, false, 1, f->x);
}

/* ---- positions */

/* R = exp(r) R, by the unit quaternion of the rotation vector; the product is orthonormal to rounding */
static void turn_body(bl_body_motion *body, const double r[3]) {
    double angle = sqrt(dot3(r, r)), half = angle / 2, f = angle > 1e-8 ? sin(half) / angle : 0.5, w = cos(half);
    double v[3] = {f * r[0], f * r[1], f * r[2]};
    for (int c = 0; c < 3; c++) {
        double u[3] = {body->rotation[c], body->rotation[3 + c], body->rotation[6 + c]}, first[3], second[3];
        cross3(v, u, first);
        cross3(v, first, second);
        for (int i = 0; i < 3; i++)
            body->rotation[3 * i + c] = u[i] + 2 * (w * first[i] + second[i]);
    }
}

/* predicts from velocities and accelerations; returns the largest displacement */
static double predict(bl_kinematics *k, const bl_link_group *group, double ahead) {
    double displacement = 0;
    for (bl_index b = 0; b < group->nbody; b++) {
        bl_body_motion *body = &k->body[group->body[b]];
        double turn[3];
        for (int i = 0; i < 3; i++) {
            double step = ahead * (body->velocity[i] + ahead / 2 * body->acceleration[i]);
            body->position[i] += step;
            turn[i] = ahead * (body->angular_velocity[i] + ahead / 2 * body->angular_acceleration[i]);
            displacement = fmax(displacement, fmax(fabs(step) / k->size, fabs(turn[i])));
        }
        turn_body(body, turn);
    }
    return displacement;
}

/* moves the bodies by x and returns its largest component */
static double move(bl_kinematics *k, const bl_link_group *group, const newton_form *f) {
    double largest = 0;
    for (bl_index b = 0; b < group->nbody; b++) {
        bl_body_motion *body = &k->body[group->body[b]];
        double twist[6] = {0};
        for (int c = 0; c < f->per_body; c++) {
            double x = f->x[b * f->per_body + c];
            largest = fmax(largest, fabs(x));
            twist[component(f, c)] = x * unknown_size(k, component(f, c));
            if (!isfinite(x))
                return NAN;
        }
        for (int i = 0; i < 3; i++)
            body->position[i] += twist[i];
        turn_body(body, twist + 3);
    }
    return largest;
}

/* the row with the largest violation at the last evaluation */
static double worst_row(const newton_form *f, bl_index *which) {
    double worst = -1;
    *which = 0;
    for (bl_index i = 0; i < f->m; i++) {
        double gap = fabs(f->gradient[i].value) / f->row_scale[i];
        if (!(gap <= worst)) {
            worst = gap;
            *which = i;
        }
    }
    return worst;
}

/* what: format with `closes ` or `reaches the driven `, and a name */
static bl_status report_failure(bl_kinematics *k, const bl_link_group *group, const newton_form *f, const char *what) {
    bl_index at;
    worst_row(f, &at);
    const bl_joint_row *row = &group->row[at];
    bool driver = row->joint >= k->model->njoint;
    const char *name = driver ? k->model->variable[row->prim.var[0]].name : k->model->joint[row->joint].name;
    k->failed_joint = driver ? k->model->variable[row->prim.var[0]].joint : row->joint;
    snprintf(k->failure, sizeof k->failure, what, driver ? "reaches the driven " : "closes ", name);
    return BL_SINGULAR;
}

/* redundant equations have not been solved for */
static bool holds_all(bl_kinematics *k, const bl_link_group *group, newton_form *f) {
    bl_index at;
    if (f->m == f->n)
        return true;
    evaluate(k, group, f);
    double closure = k->model->settings.closure;
    return worst_row(f, &at) < (closure > 0 ? fmax(bl_misfit_most(closure), kinematics_unclosed) : kinematics_unclosed);
}

static bl_status position(bl_kinematics *k, bl_link_group *group, double ahead) {
    newton_form *f = group->form;
    double last = INFINITY, moved = 0, most = 10;
    if (ahead != 0)
        most = fmin(kinematics_farthest, fmax(kinematics_rounding, kinematics_part_of_displacement * predict(k, group, ahead)));
    for (int iteration = 0; iteration < kinematics_iterations; iteration++) {
        k->count.iterations++;
        evaluate(k, group, f);
        bl_status status = decompose(k, f);
        if (status == BL_SINGULAR || status == BL_NOT_FINITE)
            return report_failure(k, group, f, "singular configuration: no position near it %s%.60s");
        BL_TRY(status);
        for (bl_index i = 0; i < f->m; i++)
            f->rhs[i] = -f->gradient[i].value / f->row_scale[i];
        BL_TRY(solve(f));
        double step = move(k, group, f);
        moved += step;
        if (!isfinite(step) || moved > most)
            break;
        /* quadratic convergence: the next step would be about step^2 times the ratio of this one to the square of the last */
        double next = isinf(last) || last == 0 ? step * step * 1e3 : step * step * fmax(step / (last * last), 1);
        if (step < kinematics_quadratic && next < 0.1 * k->tolerance) {
            for (bl_index b = 0; b < group->nbody; b++)
                bl_orthonormalize(k->body[group->body[b]].rotation);
            f->moved = ahead != 0 ? moved : 0;
            f->ahead = ahead;
            return holds_all(k, group, f) ? BL_OK : report_failure(k, group, f, "no position near the last one %s%.60s");
        }
        last = step;
    }
    return report_failure(k, group, f, "no position near the last one %s%.60s");
}

/* ---- rates */

/* Whether the motion is still on its branch. The determinant keeps its sign unless a change point was passed: then it is close to zero
 * on both sides, which distinguishes it from a short interval without solution. There, and near any singular configuration, the prediction
 * must be much better than the distance between the solutions. */
static bool is_same_branch(const newton_form *f, const bl_link_group *group) {
    bool same = group->branch.sign == 0 || f->now_sign == 0 || f->now_sign == group->branch.sign;
    if (same && f->weakest > kinematics_weak)
        return true;
    if (!same && !(f->weakest < kinematics_crossing && group->branch.root < kinematics_crossing * kinematics_crossing))
        return false;
    return f->moved > 0 ? f->moved < kinematics_sure * f->weakest : same;
}

static bl_status rates(bl_kinematics *k, bl_link_group *group, int level) {
    newton_form *f = group->form;
    if (level == 1 && (!k->rough || f->weakest < kinematics_weak)) {
        evaluate(k, group, f);
        bl_status status = decompose(k, f);
        if (status == BL_SINGULAR || status == BL_NOT_FINITE)
            return report_failure(k, group, f, "it %s%.60s, but the position is singular and rates are not determined");
        BL_TRY(status);
    }
    if (level == 1 && !is_same_branch(f, group))
        return report_failure(k, group, f, "dead point: no further position of this branch %s%.60s");
    for (bl_index i = 0; i < f->m; i++) {
        bl_gradient *g = &f->gradient[i];
        if (level == 2)
            bl_row_at(k, &group->row[i], g); /* with the present velocities */
        double rhs = bl_row_driven(k, &group->row[i], level) - (level == 2 ? g->centripetal : 0);
        for (bl_index b = 0; b < g->n; b++) {
            if (is_own(k, group, g->body[b]))
                continue;
            const bl_body_motion *body = &k->body[g->body[b]];
            const double *v = level == 1 ? body->velocity : body->acceleration;
            const double *w = level == 1 ? body->angular_velocity : body->angular_acceleration;
            rhs -= dot3(g->by[b], v) + dot3(g->by[b] + 3, w);
        }
        f->rhs[i] = rhs / f->row_scale[i];
    }
    BL_TRY(solve(f));
    for (bl_index b = 0; b < group->nbody; b++) {
        bl_body_motion *body = &k->body[group->body[b]];
        for (int c = 0; c < f->per_body; c++) {
            int part = component(f, c);
            double x = f->x[b * f->per_body + c] * unknown_size(k, part);
            double *v = level == 1 ? body->velocity : body->acceleration;
            double *w = level == 1 ? body->angular_velocity : body->angular_acceleration;
            *(part < 3 ? &v[part] : &w[part - 3]) = x;
        }
    }
    if (level == 1) {
        bl_branch *b = &group->branch;
        double root = f->weakest * f->weakest; /* vanishes linearly with the time left before a dead point */
        b->rate = f->ahead != 0 ? (root - b->root) / f->ahead : 0;
        b->sign = f->now_sign ? f->now_sign : b->sign;
        b->root = root;
        b->scale = 1;
    }
    return BL_OK;
}

static bl_status velocity(bl_kinematics *k, bl_link_group *group) { return rates(k, group, 1); }
static bl_status acceleration(bl_kinematics *k, bl_link_group *group) { return rates(k, group, 2); }

/* ---- preparation */

static bl_status build_pattern(bl_kinematics *k, const bl_link_group *group, newton_form *f) {
    bl_index count = 0, *row, *col, *slot_of, room = f->m * BL_ROW_BODIES * 6;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(k->ctx, block, BL_ARRAY(row, room), BL_ARRAY(col, room), BL_ARRAY(slot_of, room)));
    for (bl_index i = 0; i < f->m; i++) {
        const bl_gradient *g = &f->gradient[i];
        for (bl_index b = 0; b < BL_ROW_BODIES; b++)
            for (int c = 0; c < 6; c++) {
                bl_index *slot = &f->slot[(i * BL_ROW_BODIES + b) * 6 + c];
                *slot = -1;
                if (b >= g->n || c >= f->per_body || !is_own(k, group, g->body[b]) || !can_touch(k, &group->row[i], component(f, c)))
                    continue;
                row[count] = i;
                col[count] = k->local[g->body[b]] * f->per_body + c;
                *slot = count++;
            }
    }
    bl_status status = bl_pattern_build(k->ctx, f->m, f->n, count, row, col, &f->pattern, slot_of);
    for (bl_index i = 0; status == BL_OK && i < room; i++)
        if (f->slot[i] >= 0)
            f->slot[i] = slot_of[f->slot[i]];
    bl_free(k->ctx, block);
    return status;
}

static bl_status prepare_sparse(bl_kinematics *k, bl_link_group *group, newton_form *f) {
    BL_TRY(BL_ARENA_NEW(&k->arena, f->slot, (size_t)f->m * BL_ROW_BODIES * 6));
    BL_TRY(build_pattern(k, group, f));
    BL_TRY(BL_ARENA_NEW(&k->arena, f->values, (size_t)f->pattern.ptr[f->n]));
    BL_TRY(bl_linsol_create(k->ctx, "klu", &f->solver));
    BL_TRY(bl_linsol_analyze(f->solver, &f->pattern, NULL, BL_REFUSE, kinematics_rank));
    return BL_OK;
}

static bl_status prepare_dense(bl_kinematics *k, newton_form *f) {
    double *block;
    bl_index *order;
    BL_TRY(BL_ARENA_ARRAYS(&k->arena, BL_ARRAY(block, bl_ldu_doubles(f->m, f->n)), BL_ARRAY(order, f->m + f->n),
                           BL_ARRAY(f->dense, (size_t)f->m * (size_t)f->n), BL_ARRAY(f->seen, f->n)));
    bl_ldu_place(&f->ldu, f->m, f->n, block, order);
    return BL_OK;
}

static bl_status fit(bl_kinematics *k, bl_link_group *group, bool *fits) {
    newton_form *f;
    BL_TRY(BL_ARENA_NEW(&k->arena, f, 1));
    group->form = f;
    f->per_body = k->model->dim == 3 ? 6 : 3;
    f->m = group->nrow;
    f->n = group->nbody * f->per_body;
    BL_TRY(BL_ARENA_ARRAYS(&k->arena, BL_ARRAY(f->row_scale, f->m), BL_ARRAY(f->rhs, f->m + f->n), BL_ARRAY(f->x, f->m + f->n),
                           BL_ARRAY(f->gradient, f->m)));
    for (bl_index i = 0; i < f->m; i++) {
        f->row_scale[i] = bl_row_scale(k, &group->row[i]);
        bl_row_at(k, &group->row[i], &f->gradient[i]);
    }
    *fits = true;
    return f->m == f->n && f->n > LARGEST_DENSE ? prepare_sparse(k, group, f) : prepare_dense(k, f);
}

static void release(bl_kinematics *k, bl_link_group *group) {
    newton_form *f = group->form;
    if (!f)
        return;
    bl_linsol_destroy(f->solver);
    bl_pattern_free(k->ctx, &f->pattern);
}

const bl_group_solver bl_group_newton = {.name = "newton",
                                         .follows = true,
                                         .fit = fit,
                                         .release = release,
                                         .position = position,
                                         .velocity = velocity,
                                         .acceleration = acceleration};
