/* Difference of two motions: bodies with their velocities, variables and probes at common times, relative to their size; reactions relative
 * to the largest ones, in the directions that the constraints determine.
 *
 * A state of self-stress is a set of multipliers s of the joints' equations J on twists that loads no body, J^T s = 0. Any multiple of it
 * may be added to the reactions, so its directions at a joint (at most six) are not determined and are left out. J does not depend on the
 * coordinates: joints that some coordinates realize by shared points have their equations there too (topology/twists.c). */
#include "base/vector3.h"
#include "dense/dense.h"
#include "sparse/sparse.h"
#include "study/compare_private.h"
#include "study/study_limits.h"
#include "topology/topology.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VELOCITY = 7, POSE = 13, WRENCH = 6 };

void bl_measure_layout(bl_context *ctx, const bl_model *model, const double *time, bl_index ntime, double until, bl_measure *m) {
    *m = (bl_measure){.model = model, .arena = {.ctx = ctx}, .time = time, .ntime = ntime, .until = until};
    m->nbody = model->nbody > 0 ? model->nbody - 1 : 0;
    m->nvariable = model->nvariable;
    m->nprobe = model->nprobe;
    m->njoint = model->njoint;
    m->width = POSE * m->nbody + m->nvariable + 3 * m->nprobe + WRENCH * m->njoint;
}

void bl_measure_destroy(bl_measure *m) {
    if (m->arena.ctx)
        bl_arena_destroy(&m->arena);
}

/* ---- records */

static double *body_of(const bl_measure *m, const bl_record *r, bl_index k) { return r->row + (size_t)k * (size_t)m->width; }
static double *variable_of(const bl_measure *m, const bl_record *r, bl_index k) { return body_of(m, r, k) + POSE * m->nbody; }
static double *probe_of(const bl_measure *m, const bl_record *r, bl_index k) { return variable_of(m, r, k) + m->nvariable; }
static double *wrench_of(const bl_measure *m, const bl_record *r, bl_index k) { return probe_of(m, r, k) + 3 * m->nprobe; }

bl_status bl_record_create(bl_context *ctx, const bl_measure *m, bl_record *record) {
    return BL_NEW(ctx, record->row, (size_t)m->ntime * (size_t)m->width);
}

void bl_record_destroy(bl_context *ctx, bl_record *record) {
    bl_free(ctx, record->row);
    *record = (bl_record){0};
}

void bl_record_take(const bl_measure *m, const bl_sample *sample, bl_record *r) {
    if (r->n >= m->ntime || sample->t != m->time[r->n])
        return;
    for (bl_index i = 0; i < m->nbody; i++) {
        memcpy(body_of(m, r, r->n) + POSE * i, sample->body[i].position, 3 * sizeof(double));
        memcpy(body_of(m, r, r->n) + POSE * i + 3, sample->body[i].quaternion, 4 * sizeof(double));
        memcpy(body_of(m, r, r->n) + POSE * i + VELOCITY, sample->body[i].velocity, 3 * sizeof(double));
        memcpy(body_of(m, r, r->n) + POSE * i + VELOCITY + 3, sample->body[i].angular_velocity, 3 * sizeof(double));
    }
    if (m->nvariable)
        memcpy(variable_of(m, r, r->n), sample->variable, (size_t)m->nvariable * sizeof(double));
    if (m->nprobe)
        memcpy(probe_of(m, r, r->n), sample->probe, 3 * (size_t)m->nprobe * sizeof(double));
    for (bl_index j = 0; j < m->njoint; j++) {
        memcpy(wrench_of(m, r, r->n) + WRENCH * j, sample->reaction[j].force, 3 * sizeof(double));
        memcpy(wrench_of(m, r, r->n) + WRENCH * j + 3, sample->reaction[j].moment, 3 * sizeof(double));
    }
    r->n++;
}

/* ---- scales */

static void widen(double box[2][3], const double *point) {
    for (int k = 0; k < 3; k++) {
        box[0][k] = fmin(box[0][k], point[k]);
        box[1][k] = fmax(box[1][k], point[k]);
    }
}

/* diagonal of the box around all bodies and probes at all times */
static double extent(const bl_measure *m, const bl_record *r) {
    double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, diagonal[3];
    for (bl_index k = 0; k < r->n; k++) {
        for (bl_index i = 0; i < m->nbody; i++)
            widen(box, body_of(m, r, k) + POSE * i);
        for (bl_index i = 0; i < m->nprobe; i++)
            widen(box, probe_of(m, r, k) + 3 * i);
    }
    for (int k = 0; k < 3; k++)
        diagonal[k] = fmax(box[1][k] - box[0][k], 0);
    double size = norm3(diagonal);
    return size > 0 && isfinite(size) ? size : 1;
}

/* the largest speed and angular velocity, each at least what the other implies for the extent; 0: nothing moves */
static void find_speeds(bl_measure *m, const bl_record *r) {
    double speed = 0, spin = 0;
    for (bl_index k = 0; k < r->n; k++)
        for (bl_index i = 0; i < m->nbody; i++) {
            const double *v = body_of(m, r, k) + POSE * i + VELOCITY;
            speed = fmax(speed, norm3(v));
            spin = fmax(spin, norm3(v + 3));
        }
    m->speed = fmax(speed, spin * m->length);
    m->spin = fmax(spin, speed / m->length);
}

bl_status bl_measure_scales(bl_measure *m, const bl_record *r, const double *least) {
    m->length = extent(m, r);
    find_speeds(m, r);
    BL_TRY(BL_ARENA_NEW(&m->arena, m->variable, m->nvariable));
    for (bl_index i = 0; i < m->nvariable; i++) {
        m->variable[i] = least ? least[i] : m->model->variable[i].is_angle ? 1 : m->length;
        for (bl_index k = 0; k < r->n; k++)
            m->variable[i] = fmax(m->variable[i], fabs(variable_of(m, r, k)[i]));
    }
    m->force = m->moment = 0;
    bool known = r->n > 0;
    for (bl_index k = 0; k < r->n; k++)
        for (bl_index j = 0; j < m->njoint; j++) {
            const double *w = wrench_of(m, r, k) + WRENCH * j;
            double force = norm3(w), moment = norm3(w + 3);
            known = known && isfinite(force) && isfinite(moment);
            m->force = fmax(m->force, force);
            m->moment = fmax(m->moment, moment);
        }
    m->moment = fmax(m->moment, m->force * m->length);
    m->force = fmax(m->force, m->moment / m->length);
    m->reactions = known && m->moment > 0;
    return BL_OK;
}

/* ---- directions of self-stress */

/* Adds d to the orthonormal rows q[*n][6] unless it is nearly in their span (Gram-Schmidt, twice). size: of the largest one. */
static void add_direction(double (*q)[6], uint8_t *n, double d[6], double size) {
    for (int pass = 0; pass < 2; pass++)
        for (uint8_t i = 0; i < *n; i++) {
            double along = 0;
            for (int k = 0; k < 6; k++)
                along += q[i][k] * d[k];
            for (int k = 0; k < 6; k++)
                d[k] -= along * q[i][k];
        }
    double left = 0;
    for (int k = 0; k < 6; k++)
        left += d[k] * d[k];
    left = sqrt(left);
    if (!(left > study_compare_dependent * size) || *n >= 6)
        return;
    for (int k = 0; k < 6; k++)
        q[*n][k] = d[k] / left;
    ++*n;
}

static void leave_out_all(double (*q)[6], uint8_t *n) {
    memset(q, 0, 36 * sizeof(double));
    for (int k = 0; k < 6; k++)
        q[k][k] = 1;
    *n = 6;
}

/* false for relations of variables and drivers, which act through other joints: a joint that shares a self-stress with them is not
 * determined at all */
static bool acts_directly(const bl_measure *m, const bl_twist_row *row) {
    return row->owner < m->njoint && (dot3(row->force, row->force) > 0 || dot3(row->moment, row->moment) > 0);
}

/* one state of self-stress s[nrow] */
static void take_stress(const bl_measure *m, const bl_twists *twists, const double *s, double (*q)[6][6], uint8_t *n) {
    double largest = 0;
    bool all = false;
    for (bl_index i = 0; i < twists->nrow; i++)
        largest = fmax(largest, fabs(s[i]));
    for (bl_index i = 0; i < twists->nrow; i++)
        all = all || (fabs(s[i]) > study_compare_dependent * largest && !acts_directly(m, &twists->row[i]));
    for (bl_index i = 0, next; i < twists->nrow; i = next) {
        bl_index owner = twists->row[i].owner;
        double d[6] = {0}, part = 0;
        for (next = i; next < twists->nrow && twists->row[next].owner == owner; next++) {
            const bl_twist_row *row = &twists->row[next];
            part = fmax(part, fabs(s[next]));
            for (int k = 0; k < 3; k++) {
                /* rows hold force x length: to units of `force` and `moment` */
                d[k] += s[next] * row->force[k] / twists->length * (m->moment / m->force);
                d[3 + k] += s[next] * row->moment[k];
            }
        }
        if (owner >= m->njoint || part <= study_compare_dependent * largest)
            continue;
        if (all)
            leave_out_all(q[owner], &n[owner]);
        else
            add_direction(q[owner], &n[owner], d, largest);
    }
}

/* many rows: no basis of self-stress is computed; joints involved in one are left out completely */
static void leave_out_owners(const bl_measure *m, const bl_dependencies *found, double (*q)[6][6], uint8_t *n) {
    for (bl_index i = 0; i < found->n; i++) {
        const bl_dependency *d = &found->dependency[i];
        if (d->owner < m->njoint)
            leave_out_all(q[d->owner], &n[d->owner]);
        for (bl_index k = 0; k < d->nother; k++)
            if (d->other[k] < m->njoint)
                leave_out_all(q[d->other[k]], &n[d->other[k]]);
    }
}

static bl_status stress_basis(const bl_measure *m, const bl_twists *twists, bl_arena *arena, double (*q)[6][6], uint8_t *n) {
    size_t rows = (size_t)twists->nrow, width = (size_t)twists->width;
    double *a = bl_arena_alloc(arena, rows * width, sizeof *a), *basis = bl_arena_alloc(arena, rows * rows, sizeof *basis);
    bl_index rank;
    if (!a || !basis)
        return BL_E_MEMORY;
    for (size_t i = 0; i < rows; i++)
        for (bl_index k = 0; k < twists->row[i].n; k++)
            a[i * width + (size_t)twists->row[i].col[k]] += twists->row[i].coef[k]; /* J^T by columns */
    BL_TRY(bl_null_space(m->arena.ctx, twists->width, twists->nrow, a, study_compare_dependent, basis, &rank));
    for (bl_index s = 0; s < twists->nrow - rank; s++)
        take_stress(m, twists, basis + (size_t)s * rows, q, n);
    return BL_OK;
}

bl_status bl_measure_stress(const bl_measure *m, const bl_pose *pose, double (*q)[6][6], uint8_t *n) {
    bl_arena arena = {.ctx = m->arena.ctx};
    bl_twists twists = {0};
    bl_dependencies found = {0};
    bl_status status = bl_twists_create(m->arena.ctx, m->model, m->length, &twists);
    twists.velocities = true; /* they have reactions, too */
    if (status == BL_OK)
        status = bl_twists_at(&twists, pose, NULL);
    if (status == BL_OK)
        status = bl_dependencies_find(&twists, study_compare_dependent, &found);
    if (status == BL_OK && found.n > 0 && twists.nrow > study_compare_dense)
        leave_out_owners(m, &found, q, n);
    else if (status == BL_OK && found.n > 0)
        status = stress_basis(m, &twists, &arena, q, n);
    bl_dependencies_destroy(&found);
    bl_twists_destroy(&twists);
    bl_arena_destroy(&arena);
    return status;
}

static bl_status stress_at(const bl_measure *m, const bl_record *r, bl_index k, bl_pose *pose, double (*q)[6][6], uint8_t *n) {
    for (bl_index i = 0; i < m->nbody; i++) {
        memcpy(pose[i + 1].position, body_of(m, r, k) + POSE * i, sizeof pose[0].position);
        memcpy(pose[i + 1].quaternion, body_of(m, r, k) + POSE * i + 3, sizeof pose[0].quaternion);
    }
    return bl_measure_stress(m, pose, q, n);
}

bl_status bl_measure_determined(bl_measure *m, const bl_record *r) {
    if (!m->reactions)
        return BL_OK;
    size_t n = (size_t)m->ntime * (size_t)m->njoint;
    bl_pose *pose = bl_arena_alloc(&m->arena, (size_t)m->model->nbody, sizeof *pose);
    m->left_out = bl_arena_alloc(&m->arena, n, sizeof *m->left_out);
    m->direction = bl_arena_alloc(&m->arena, n, 36 * sizeof *m->direction);
    if (!pose || !m->left_out || !m->direction)
        return BL_E_MEMORY;
    pose[0].quaternion[0] = 1;
    for (bl_index k = 0; k < r->n; k++)
        BL_TRY(stress_at(m, r, k, pose, (double(*)[6][6])(void *)(m->direction + (size_t)k * (size_t)m->njoint * 36),
                         m->left_out + (size_t)k * (size_t)m->njoint));
    for (bl_index j = 0; j < m->njoint; j++) {
        uint8_t most = 0;
        for (bl_index k = 0; k < r->n; k++) {
            uint8_t directions = m->left_out[(size_t)k * (size_t)m->njoint + (size_t)j];
            most = directions > most ? directions : most;
        }
        m->undetermined += most == 6;
        m->partial += most > 0 && most < 6;
    }
    return BL_OK;
}

/* ---- differences */

static void worse(double difference, double t, const char *name, double *largest, char worst[96], double *worst_time) {
    if (!(difference <= *largest)) { /* NaN counts as largest */
        *largest = isnan(difference) ? INFINITY : difference;
        *worst_time = t;
        snprintf(worst, 96, "%s", name ? name : "");
    }
}

static double apart3(const double *a, const double *b) {
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return norm3(d);
}

/* 2 atan2(|vector part|, |scalar part|) of conj(a) b */
double bl_rotation_between(const double *a, const double *b) {
    double c[3], v[3];
    cross3(a + 1, b + 1, c);
    for (int k = 0; k < 3; k++)
        v[k] = a[0] * b[1 + k] - b[0] * a[1 + k] - c[k];
    return 2 * atan2(norm3(v), fabs(a[0] * b[0] + dot3(a + 1, b + 1)));
}

static double reaction_apart(const bl_measure *m, bl_index k, bl_index j, const double *a, const double *b) {
    size_t at = (size_t)k * (size_t)m->njoint + (size_t)j;
    const double(*q)[6] = (const double(*)[6])(const void *)(m->direction + at * 36);
    double d[6], sum = 0;
    for (int i = 0; i < 3; i++) {
        d[i] = (a[i] - b[i]) / m->force;
        d[3 + i] = (a[3 + i] - b[3 + i]) / m->moment;
    }
    for (uint8_t i = 0; i < m->left_out[at]; i++) {
        double along = 0;
        for (int c = 0; c < 6; c++)
            along += q[i][c] * d[c];
        for (int c = 0; c < 6; c++)
            d[c] -= along * q[i][c];
    }
    for (int i = 0; i < 6; i++)
        sum += d[i] * d[i];
    return m->left_out[at] == 6 ? 0 : sqrt(sum);
}

static void compare_at(const bl_measure *m, bl_index k, const bl_record *a, const bl_record *b, bl_difference *d) {
    double t = m->time[k];
    for (bl_index i = 0; i < m->nbody; i++) {
        const double *x = body_of(m, a, k) + POSE * i, *y = body_of(m, b, k) + POSE * i;
        worse(apart3(x, y) / m->length, t, m->model->body[i + 1].name, &d->trajectory, d->worst, &d->worst_time);
        worse(bl_rotation_between(x + 3, y + 3), t, m->model->body[i + 1].name, &d->trajectory, d->worst, &d->worst_time);
        if (m->speed > 0) {
            double off = fmax(apart3(x + VELOCITY, y + VELOCITY) / m->speed, apart3(x + VELOCITY + 3, y + VELOCITY + 3) / m->spin);
            worse(off, t, m->model->body[i + 1].name, &d->trajectory, d->worst, &d->worst_time);
        }
    }
    for (bl_index i = 0; i < m->nvariable; i++) {
        double apart = variable_of(m, a, k)[i] - variable_of(m, b, k)[i];
        worse(fabs(apart) / m->variable[i], t, m->model->variable[i].name, &d->trajectory, d->worst, &d->worst_time);
    }
    for (bl_index i = 0; i < m->nprobe; i++)
        worse(apart3(probe_of(m, a, k) + 3 * i, probe_of(m, b, k) + 3 * i) / m->length, t, m->model->probe[i].name, &d->trajectory,
              d->worst, &d->worst_time);
    for (bl_index j = 0; m->reactions && j < m->njoint; j++)
        worse(reaction_apart(m, k, j, wrench_of(m, a, k) + WRENCH * j, wrench_of(m, b, k) + WRENCH * j), t, m->model->joint[j].name,
              &d->reactions, d->worst_joint, &d->worst_joint_time);
}

void bl_record_compare(const bl_measure *m, const bl_record *a, const bl_record *b, bl_difference *d) {
    *d = (bl_difference){0};
    bl_index n = a->n < b->n ? a->n : b->n;
    for (bl_index k = 0; k < n; k++)
        compare_at(m, k, a, b, d);
    /* events end both at the same time, unless one of them missed an event */
    worse(fabs(a->summary.t - b->summary.t) / m->until, fmin(a->summary.t, b->summary.t), "time of the end", &d->trajectory, d->worst,
          &d->worst_time);
}
