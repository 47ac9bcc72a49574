/* A mechanism as bodies and joints alone: configurations, equations on small motions, names of motions. Equations are those of the room
 * kinematics (docs/theory/kinematics.md, K1 and K2), masses those of a start (docs/theory/start.md). */
#include "study/linkage.h"

#include "base/vector3.h"
#include "dense/dense.h"
#include "study/defaults.h"
#include "study/displacement_limits.h"
#include "study/run.h"
#include "study/study_limits.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double turn = 6.28318530717958647692;

/* ---- creation */

static bl_status refuse_models(bl_context *ctx, const bl_model *model) {
    if (model->matrices || model->equations || bl_model_of_meshes(model) || model->nbody < 2) {
        bl_fail(ctx, BL_E_ABILITY, NULL, "'%s' is not a mechanism: it has no bodies and joints that could move",
                model->name ? model->name : model->file);
        bl_advise(ctx, "displacements and rates need a model with `bodies:` and `joints:`");
        return BL_E_ABILITY;
    }
    bl_index columns = (model->nbody - 1) * (model->dim == 3 ? 6 : 3);
    if (columns > study_way_coordinates) {
        bl_fail(ctx, BL_E_ABILITY, NULL, "the mechanism is too large: its %d bodies have %d coordinates, the limit is %.0f",
                (int)model->nbody - 1, (int)columns, study_way_coordinates);
        bl_advise(ctx, "add drivers that move it over time and use `biela kinematics` or `biela run`");
        return BL_E_ABILITY;
    }
    return BL_OK;
}

static bl_status take_rows(bl_linkage *l) {
    bl_joint_row rows[BL_JOINT_ROWS];
    for (int pass = 0; pass < 2; pass++) {
        bl_index count = 0;
        for (bl_index j = 0; j < l->model->njoint; j++) {
            bl_index n = bl_rows_of_joint(&l->k, j, rows);
            for (bl_index i = 0; i < n && pass == 1; i++) {
                l->row[count + i] = rows[i];
                l->scale[count + i] = bl_row_scale(&l->k, &rows[i]);
            }
            count += n;
        }
        if (pass == 1)
            break;
        l->nrow = count;
        BL_TRY(BL_ARENA_ARRAYS(&l->arena, BL_ARRAY(l->row, count + 1), BL_ARRAY(l->scale, count + 1), BL_ARRAY(l->gradient, count + 1),
                               BL_ARRAY(l->order, (size_t)(count + l->n) + 1)));
        l->columns = l->order + count;
    }
    return BL_OK;
}

static bl_status set_start(bl_linkage *l, double closure) {
    const bl_model *model = l->model;
    size_t nbody = (size_t)model->nbody;
    bl_pose *pose = bl_arena_alloc(&l->arena, nbody, sizeof *pose);
    l->size = 8 * nbody + (size_t)model->nvariable;
    l->at = bl_arena_alloc(&l->arena, l->size + 1, sizeof *l->at);
    l->factor = bl_arena_alloc(&l->arena, nbody, sizeof *l->factor);
    if (!pose || !l->at || !l->factor)
        return BL_E_MEMORY;
    if (model->rests) /* found in natural coordinates */
        BL_TRY(bl_run_start(l->ctx, model, BL_DEFAULT_COORDINATES_LOOPS, closure, pose, bl_linkage_variables(l, l->at)));
    else
        BL_TRY(bl_start_positions(l->ctx, model, 0, closure, pose, bl_linkage_angles(l, l->at), bl_linkage_variables(l, l->at)));
    BL_TRY(bl_kinematics_set_poses(&l->k, pose));
    pose[0] = (bl_pose){.quaternion = {1, 0, 0, 0}};
    for (size_t b = 0; b < nbody; b++) {
        memcpy(l->at + 7 * b, pose[b].position, 3 * sizeof(double));
        memcpy(l->at + 7 * b + 3, pose[b].quaternion, 4 * sizeof(double));
    }
    return BL_OK;
}

bl_status bl_linkage_create(bl_context *ctx, const bl_model *model, double closure, bl_linkage *l) {
    *l = (bl_linkage){.ctx = ctx, .model = model, .arena.ctx = ctx};
    BL_TRY(refuse_models(ctx, model));
    bl_model_without_contacts(ctx, model, "this study");
    BL_TRY(bl_model_refuse_following(ctx, model, "finite displacements and rates are"));
    BL_TRY(bl_joints_refuse_slip(ctx, model, "the study of displacements and rates"));
    closure = closure > 0 ? closure : model->settings.closure;
    l->closure = closure;
    l->tolerance = bl_rank_tolerance(closure);
    l->open_most = bl_misfit_most(closure);
    l->k = (bl_kinematics){.ctx = ctx, .model = model, .arena.ctx = ctx, .skip_centripetal = true};
    l->per = model->dim == 3 ? 6 : 3;
    l->n = (model->nbody - 1) * l->per;
    BL_TRY(bl_start_create(ctx, model, 0, closure, &l->measures));
    l->length = l->measures.length;
    BL_TRY(set_start(l, closure));
    bl_index bad = bl_kinematics_eval_drivers(&l->k, 0, BL_ACCELERATIONS);
    if (bad >= 0) {
        const char *name = model->variable[model->driver[bad].variable].name;
        bl_fail(ctx, BL_E_NUMERIC, &model->driver[bad].place, "driver of %s: its value, rate or second rate is not finite at t = 0", name);
        bl_advise(ctx, "use a law with finite rate and second rate at t = 0");
        bl_blame(ctx, name, NULL, 0);
        return BL_E_NUMERIC;
    }
    l->k.size = l->length;
    BL_TRY(take_rows(l));
    bl_linkage_go(l, l->at);
    return BL_OK;
}

void bl_linkage_destroy(bl_linkage *l) {
    bl_start_destroy(&l->measures);
    bl_arena_destroy(&l->k.arena);
    bl_arena_destroy(&l->arena);
}

/* ---- names of quantities */

static void nearest_name(const bl_linkage *l, const char *name) {
    const bl_model *model = l->model;
    const char *names[64];
    size_t n = 0;
    for (bl_index v = 0; v < model->nvariable && n < 64; v++)
        names[n++] = model->variable[v].name;
    const char *near = bl_nearest(name, names, n);
    if (near)
        bl_advise(l->ctx, "did you mean '%s'?", near);
    else if (n > 0)
        bl_advise(l->ctx, "variables are named like '%s', coordinates of probes like P.x; `biela assemble MODEL` lists them", names[0]);
    else
        bl_advise(l->ctx, "the model has no variables; coordinates of probes are named like P.x");
}

bl_status bl_linkage_name(const bl_linkage *l, const char *name, bl_reading *q) {
    const bl_model *model = l->model;
    *q = (bl_reading){.variable = bl_model_variable(model, name), .probe = -1};
    snprintf(q->name, sizeof q->name, "%s", name);
    if (q->variable >= 0) {
        q->is_angle = model->variable[q->variable].is_angle;
        return BL_OK;
    }
    const char *dot = strrchr(name, '.');
    if (dot && dot[1] >= 'x' && dot[1] < 'x' + model->dim && dot[2] == '\0' && (size_t)(dot - name) < sizeof q->name) {
        char probe[sizeof q->name];
        snprintf(probe, sizeof probe, "%.*s", (int)(dot - name), name);
        q->probe = bl_model_probe(model, probe);
        q->part = dot[1] - 'x';
        if (q->probe >= 0)
            return BL_OK;
    }
    bl_fail(l->ctx, BL_E_ARG, NULL, "unknown variable or probe coordinate '%s'", name);
    nearest_name(l, name);
    return BL_E_ARG;
}

/* ---- the configuration */

static void to_matrix(const double q[4], double R[9]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),    1 - 2 * (x * x + z * z),
                   2 * (y * z - w * x),     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)};
    memcpy(R, m, sizeof m);
}

/* Cholesky factor of R I R^T, whose eigenvalues the start keeps positive */
static void factor_inertia(bl_linkage *l, bl_index b) {
    const double(*I)[3] = l->measures.inertia[b];
    const double *R = l->k.body[b].rotation;
    double half[3][3], A[3][3], *L = l->factor[b];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            half[i][j] = R[3 * i] * I[0][j] + R[3 * i + 1] * I[1][j] + R[3 * i + 2] * I[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[i][j] = half[i][0] * R[3 * j] + half[i][1] * R[3 * j + 1] + half[i][2] * R[3 * j + 2];
    if (l->per == 3) {
        L[5] = sqrt(A[2][2]);
        return;
    }
    const double least = 0.1 * study_start_least_mass; /* rounding of the product must not make it negative */
    L[0] = sqrt(A[0][0]);
    L[1] = A[1][0] / L[0];
    L[2] = sqrt(fmax(A[1][1] - L[1] * L[1], least));
    L[3] = A[2][0] / L[0];
    L[4] = (A[2][1] - L[3] * L[1]) / L[2];
    L[5] = sqrt(fmax(A[2][2] - L[3] * L[3] - L[4] * L[4], least));
}

static void update_rows(bl_linkage *l) {
    for (bl_index i = 0; i < l->nrow; i++)
        bl_row_at(&l->k, &l->row[i], &l->gradient[i]);
}

void bl_linkage_go(bl_linkage *l, const double *config) {
    const bl_model *model = l->model;
    if (config != l->at)
        memcpy(l->at, config, l->size * sizeof *config);
    double *angle = bl_linkage_angles(l, l->at), *variable = bl_linkage_variables(l, l->at);
    for (bl_index b = 1; b < model->nbody; b++) {
        bl_body_motion *body = &l->k.body[b];
        double *q = l->at + 7 * b + 3, size = sqrt(q[0] * q[0] + dot3(q + 1, q + 1));
        for (int i = 0; i < 4; i++)
            q[i] /= size;
        memcpy(body->position, l->at + 7 * b, sizeof body->position);
        to_matrix(q, body->rotation);
        if (l->per == 3) {
            double now = 2 * atan2(q[3], q[0]);
            angle[b] = now + turn * round((angle[b] - now) / turn);
        }
        factor_inertia(l, b);
    }
    for (bl_index v = 0; v < model->nvariable; v++) {
        bl_gradient g;
        l->k.measure[v].last = variable[v];
        bl_measure_at(&l->k, v, &g);
        l->k.measure[v].last = variable[v] = g.value;
    }
    update_rows(l);
}

static const double *twist_of(const bl_linkage *l, const double *x, bl_index b, double v[3], double w[3]) {
    const double *by = x + (size_t)(b - 1) * (size_t)l->per;
    bool plane = l->per == 3;
    for (int i = 0; i < 3; i++) {
        v[i] = plane && i == 2 ? 0 : l->length * by[i];
        w[i] = plane ? (i == 2 ? by[2] : 0) : by[3 + i];
    }
    return by;
}

void bl_linkage_shift(const bl_linkage *l, const double *config, const double *x, double *out) {
    if (out != config)
        memcpy(out, config, l->size * sizeof *out);
    for (bl_index b = 1; b < l->model->nbody; b++) {
        double v[3], w[3], c[3], q[4];
        twist_of(l, x, b, v, w);
        double angle = sqrt(dot3(w, w)), half = angle > 1e-8 ? sin(angle / 2) / angle : 0.5, first = cos(angle / 2);
        for (int i = 0; i < 3; i++) {
            out[7 * b + i] += v[i];
            w[i] *= half;
        }
        memcpy(q, out + 7 * b + 3, sizeof q);
        cross3(w, q + 1, c);
        out[7 * b + 3] = first * q[0] - dot3(w, q + 1);
        for (int i = 0; i < 3; i++)
            out[7 * b + 4 + i] = first * q[i + 1] + q[0] * w[i] + c[i];
    }
}

void bl_linkage_rate(const bl_linkage *l, const double *x, double *rate) {
    memset(rate, 0, l->size * sizeof *rate);
    for (bl_index b = 1; b < l->model->nbody; b++) {
        const double *q = l->at + 7 * b + 3;
        double w[3], c[3];
        twist_of(l, x, b, rate + 7 * b, w);
        cross3(w, q + 1, c);
        rate[7 * b + 3] = -dot3(w, q + 1) / 2;
        for (int i = 0; i < 3; i++)
            rate[7 * b + 4 + i] = (q[0] * w[i] + c[i]) / 2;
    }
}

void bl_linkage_poses(const bl_linkage *l, const double *x, bl_pose *pose) {
    for (bl_index b = 0; b < l->model->nbody; b++) {
        pose[b] = (bl_pose){0};
        memcpy(pose[b].position, l->at + 7 * b, sizeof pose[b].position);
        memcpy(pose[b].quaternion, l->at + 7 * b + 3, sizeof pose[b].quaternion);
        double sign = pose[b].quaternion[0] < 0 ? -1 : 1;
        for (int i = 0; i < 4; i++)
            pose[b].quaternion[i] *= sign;
        if (x && b > 0)
            twist_of(l, x, b, pose[b].velocity, pose[b].angular_velocity);
    }
}

/* ---- equations */

void bl_linkage_set_rates(bl_linkage *l, const double *x) {
    l->k.skip_centripetal = x == NULL;
    for (bl_index b = 1; b < l->model->nbody; b++) {
        bl_body_motion *body = &l->k.body[b];
        memset(body->velocity, 0, sizeof body->velocity);
        memset(body->angular_velocity, 0, sizeof body->angular_velocity);
        if (x)
            twist_of(l, x, b, body->velocity, body->angular_velocity);
    }
    update_rows(l);
}

void bl_linkage_quantity(bl_linkage *l, const bl_reading *q, bl_gradient *g) {
    if (q->variable >= 0) {
        bl_measure_at(&l->k, q->variable, g);
        return;
    }
    const bl_mark *mark = &l->model->probe[q->probe].mark;
    const bl_body_motion *body = &l->k.body[mark->body];
    double arm[3], m[3], e[3] = {q->part == 0, q->part == 1, q->part == 2}, speed[3], inward[3];
    *g = (bl_gradient){0};
    bl_turn(body->rotation, mark->s, arm);
    g->value = body->position[q->part] + arm[q->part];
    if (mark->body == 0)
        return;
    cross3(arm, e, m);
    g->n = 1;
    g->body[0] = mark->body;
    memcpy(g->by[0], e, sizeof e);
    memcpy(g->by[0] + 3, m, sizeof m);
    if (l->k.skip_centripetal)
        return;
    cross3(body->angular_velocity, arm, speed);
    cross3(body->angular_velocity, speed, inward);
    g->centripetal = inward[q->part];
}

void bl_linkage_put(const bl_linkage *l, const bl_gradient *g, double scale, bool masses, double *a, bl_index m, bl_index i) {
    for (bl_index j = 0; j < l->n; j++)
        a[(size_t)j * (size_t)m + (size_t)i] = 0;
    for (bl_index k = 0; k < g->n; k++) {
        bl_index b = g->body[k];
        double x[6];
        for (int c = 0; c < 6; c++)
            x[c] = g->by[k][c] * (c < 3 ? l->length : 1) / scale;
        const double *C = l->factor[b];
        double heavy = sqrt(l->measures.body_mass[b]);
        for (int c = 0; masses && c < 3; c++)
            x[c] /= heavy;
        if (masses && l->per == 6) { /* C^-1 of the rotational part */
            x[3] /= C[0];
            x[4] = (x[4] - C[1] * x[3]) / C[2];
            x[5] = (x[5] - C[3] * x[3] - C[4] * x[4]) / C[5];
        } else if (masses)
            x[5] /= C[5];
        for (int c = 0; c < l->per; c++)
            a[((size_t)(b - 1) * (size_t)l->per + (size_t)c) * (size_t)m + (size_t)i] += x[l->per == 3 && c == 2 ? 5 : c];
    }
}

void bl_linkage_from_masses(const bl_linkage *l, double *y) {
    for (bl_index b = 1; b < l->model->nbody; b++) {
        double *x = y + (size_t)(b - 1) * (size_t)l->per, heavy = sqrt(l->measures.body_mass[b]);
        const double *C = l->factor[b];
        for (int c = 0; c < l->model->dim; c++)
            x[c] /= heavy;
        if (l->per == 3) {
            x[2] /= C[5];
            continue;
        }
        x[5] /= C[5];
        x[4] = (x[4] - C[4] * x[5]) / C[2];
        x[3] = (x[3] - C[1] * x[4] - C[3] * x[5]) / C[0];
    }
}

double bl_linkage_apply(const bl_linkage *l, const bl_gradient *g, const double *x) {
    double sum = 0;
    for (bl_index k = 0; k < g->n; k++) {
        double v[3], w[3];
        twist_of(l, x, g->body[k], v, w);
        sum += dot3(g->by[k], v) + dot3(g->by[k] + 3, w);
    }
    return sum;
}

bl_status bl_linkage_choose(bl_linkage *l, bl_index *chosen, bl_index *rank) {
    double *a = NULL;
    *rank = 0;
    BL_TRY(BL_NEW(l->ctx, a, (size_t)l->nrow * (size_t)l->n + 1));
    for (bl_index i = 0; i < l->nrow; i++)
        bl_linkage_put(l, &l->gradient[i], l->scale[i], false, a, l->nrow, i);
    bl_rank_reveal(l->nrow, l->n, a, NULL, NULL, NULL, l->tolerance, l->order, l->columns, rank, NULL);
    bl_free(l->ctx, a);
    for (bl_index i = 0; i < *rank; i++) { /* ascending */
        bl_index row = l->order[i], k = i;
        for (; k > 0 && chosen[k - 1] > row; k--)
            chosen[k] = chosen[k - 1];
        chosen[k] = row;
    }
    return BL_OK;
}

double bl_linkage_gap(const bl_linkage *l, bl_index *worst) {
    double most = 0;
    for (bl_index i = 0; i < l->nrow; i++) {
        double gap = fabs(l->gradient[i].value) / l->scale[i];
        if (!(gap <= most)) {
            most = gap;
            *worst = i;
        }
    }
    return most;
}

/* ---- names of motions */

/* How far x moves each body, relative to the largest: at[nbody]; relative rotations of joints: of[njoint]. */
static void find_moved(const bl_linkage *l, const double *x, double *at, double *of) {
    double most = 0;
    at[0] = 0;
    for (bl_index b = 1; b < l->model->nbody; b++) {
        double v[3], w[3];
        twist_of(l, x, b, v, w);
        at[b] = sqrt(dot3(v, v) / (l->length * l->length) + dot3(w, w));
        most = fmax(most, at[b]);
    }
    for (bl_index b = 1; b < l->model->nbody; b++)
        at[b] = most > 0 ? at[b] / most : 0;
    for (bl_index j = 0; j < l->model->njoint; j++) {
        const bl_index *body = l->model->joint[j].body;
        double v[2][3] = {{0}}, w[2][3] = {{0}}, d[3];
        of[j] = 0;
        if (l->model->joint[j].kind->nbody != 2)
            continue;
        for (int side = 0; side < 2; side++)
            if (body[side] > 0)
                twist_of(l, x, body[side], v[side], w[side]);
        for (int i = 0; i < 3; i++)
            d[i] = w[1][i] - w[0][i];
        of[j] = sqrt(dot3(d, d));
    }
}

bl_index bl_linkage_hinge(const bl_linkage *l, const double *x, double *work) {
    double *at = work, *of = work + l->model->nbody;
    bl_index best = -1;
    find_moved(l, x, at, of);
    for (int inner = 1; inner >= 0 && best < 0; inner--)
        for (bl_index j = 0; j < l->model->njoint; j++) {
            const bl_index *body = l->model->joint[j].body;
            if (l->model->joint[j].kind->nbody != 2 || (inner && (at[body[0]] < study_way_at_rest || at[body[1]] < study_way_at_rest)))
                continue;
            if (of[j] > study_way_at_rest && (best < 0 || of[j] > of[best] * (1 + 1e-6)))
                best = j;
        }
    return best;
}

void bl_linkage_motion(bl_linkage *l, const double *x, char *text, size_t size) {
    enum { MOST = 4 };
    const bl_model *model = l->model;
    double last = INFINITY, most = 0;
    size_t used = 0;
    text[0] = '\0';
    for (int count = 0; count < MOST && used < size; count++) {
        double best = 0;
        bl_index which = -1;
        for (bl_index v = 0; v < model->nvariable; v++) {
            bl_gradient g;
            bl_measure_at(&l->k, v, &g);
            double rate = fabs(bl_linkage_apply(l, &g, x)) / (model->variable[v].is_angle ? 1 : l->length);
            if (rate > best && rate < last * (1 - 1e-9)) {
                best = rate;
                which = v;
            }
        }
        most = fmax(most, best);
        if (which < 0 || best < study_way_named * most)
            break;
        used += (size_t)snprintf(text + used, size - used, "%s%s", count ? ", " : "", model->variable[which].name);
        last = best;
    }
    if (text[0])
        return;
    bl_index which = 1;
    double far = 0;
    for (bl_index b = 1; b < model->nbody; b++) {
        double v[3], w[3];
        twist_of(l, x, b, v, w);
        double now = dot3(v, v) / (l->length * l->length) + dot3(w, w);
        if (now > far) {
            far = now;
            which = b;
        }
    }
    snprintf(text, size, "body %s", model->body[which].name);
}
