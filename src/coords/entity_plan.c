/* Plan: which points and vectors become coordinates.
 *
 * Joints are processed in order. A joint whose bodies have a common point or vector shares it: both bodies get a seat on the same entity
 * and no equation is needed. Then every body gets an affine basis: the entities it already carries, its mass center, a direction rotated
 * about a fixed axis, or new unit vectors, until its mass and all its marks are in the span. */
#include "base/vector3.h"
#include "coords/coords_limits.h"
#include "coords/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bl_index merged_into(const bl_mechanism *m, bl_index e) {
    while (m->entity[e].into >= 0)
        e = m->entity[e].into;
    return e;
}

static uint64_t seats_of(bl_index body, bool is_vector) { return 2 * (uint64_t)body + is_vector; }

/* Seat of a body at s; vectors also match reversed (*sign = -1). */
bl_index bl_plan_find_seat(const bl_mechanism *m, bl_index body, bool is_vector, const double s[3], double *sign) {
    double tolerance = coords_same * (is_vector ? 1 : m->size), back[3] = {-s[0], -s[1], -s[2]};
    bl_index found = -1;
    uint64_t key[2 * BL_SPATIAL_HASH_CELLS];
    int n = bl_spatial_hash_keys(&m->seats, seats_of(body, is_vector), s, tolerance, key);
    if (is_vector)
        n += bl_spatial_hash_keys(&m->seats, seats_of(body, is_vector), back, tolerance, key + n);
    for (int c = 0; c < n; c++)
        for (bl_index i = bl_hash_find(&m->seats.table, key[c]); i >= 0; i = bl_hash_next(&m->seats.table, i)) {
            const bl_seat *seat = &m->seat[i];
            if (seat->body != body || m->entity[seat->entity].is_vector != is_vector || (found >= 0 && i > found))
                continue;
            double plus = 0, minus = 0;
            for (int k = 0; k < 3; k++) {
                plus = fmax(plus, fabs(seat->s[k] - s[k]));
                minus = fmax(minus, fabs(seat->s[k] + s[k]));
            }
            if (plus < tolerance || (is_vector && minus < tolerance)) {
                if (sign)
                    *sign = plus < tolerance ? 1 : -1;
                found = i; /* the one with the lowest index */
            }
        }
    return found;
}

static bl_status add_seat(bl_mechanism *m, bl_index body, bl_index entity, const double s[3], bl_index *out) {
    BL_TRY(BL_RESERVE(m->ctx, m->seat, m->seat_room, m->nseat + 1));
    bl_seat *seat = &m->seat[m->nseat];
    seat->body = body;
    seat->entity = entity;
    memcpy(seat->s, s, sizeof seat->s);
    seat->next = seat->mate = -1;
    BL_TRY(bl_spatial_hash_put(m->ctx, &m->seats, seats_of(body, m->entity[entity].is_vector), s));
    bl_entity *e = &m->entity[entity];
    *(e->last_seat < 0 ? &e->first_seat : &m->seat[e->last_seat].mate) = m->nseat;
    e->last_seat = m->nseat;
    e->nseat++;
    *(m->last_seat[body] < 0 ? &m->first_seat[body] : &m->seat[m->last_seat[body]].next) = m->nseat;
    m->last_seat[body] = m->nseat;
    if (out)
        *out = m->nseat;
    m->nseat++;
    return BL_OK;
}

/* the first named point at s, -1: none */
static bl_index point_at(const bl_mechanism *m, const double s[3]) {
    uint64_t key[BL_SPATIAL_HASH_CELLS];
    bl_index found = -1;
    int n = bl_spatial_hash_keys(&m->points, 0, s, coords_same * m->size, key);
    for (int c = 0; c < n; c++)
        for (bl_index i = bl_hash_find(&m->points.table, key[c]); i >= 0; i = bl_hash_next(&m->points.table, i)) {
            const double *at = m->model->point[i].at;
            bool there = fabs(at[0] - s[0]) + fabs(at[1] - s[1]) + fabs(at[2] - s[2]) < coords_same * m->size;
            found = there && (found < 0 || i < found) ? i : found;
        }
    return found;
}

/* A new entity with its first seat. It is named after the named point there; otherwise `name` is used. */
static bl_status add_entity(bl_mechanism *m, const bl_mark *mark, bl_index owner, const char *name, bl_index *seat) {
    BL_TRY(BL_RESERVE(m->ctx, m->entity, m->entity_room, m->nentity + 1));
    bl_entity *e = &m->entity[m->nentity];
    memset(e, 0, sizeof *e);
    e->is_vector = mark->is_vector;
    e->owner = owner;
    e->norm_written = owner == 0;
    e->fixed = mark->body == 0;
    e->into = e->first_seat = e->last_seat = -1;
    const double *center = m->model->body[mark->body].center;
    for (int k = 0; k < 3; k++)
        e->start[k] = mark->s[k] + (mark->is_vector ? 0 : center[k]);
    snprintf(e->name, sizeof e->name, "%s", name);
    bl_index named = mark->is_vector ? -1 : point_at(m, e->start);
    if (named >= 0)
        snprintf(e->name, sizeof e->name, "%s", m->model->point[named].name);
    return add_seat(m, mark->body, m->nentity++, mark->s, seat);
}

bl_status bl_plan_point(bl_mechanism *m, const bl_mark *mark, const char *name, bl_index *seat) {
    return add_entity(m, mark, mark->body, name, seat);
}

static void merge(bl_mechanism *m, bl_index keep, bl_index drop, double sign) {
    if (m->entity[drop].fixed && !m->entity[keep].fixed) { /* a fixed entity has a known position */
        bl_index swap = keep;
        keep = drop;
        drop = swap;
    }
    bl_entity *k = &m->entity[keep], *d = &m->entity[drop];
    d->into = keep;
    k->norm_written = k->norm_written || d->norm_written;
    for (bl_index i = d->first_seat; i >= 0; i = m->seat[i].mate) {
        m->seat[i].entity = keep;
        for (int c = 0; c < 3; c++)
            m->seat[i].s[c] *= sign; /* remains findable: vectors match in both senses */
    }
    m->seat[k->last_seat].mate = d->first_seat;
    k->last_seat = d->last_seat;
    k->nseat += d->nseat;
    d->first_seat = d->last_seat = -1;
}

static bl_status record_share(bl_mechanism *m, bl_index joint, bl_index seat_a, bl_index seat_b) {
    BL_TRY(BL_RESERVE(m->ctx, m->share, m->share_room, m->nshare + 1));
    m->share[m->nshare++] = (struct bl_share){joint, seat_a, seat_b};
    return BL_OK;
}

/* whether a body has a seat on the entity */
static bool has_seat(const bl_mechanism *m, bl_index body, bl_index entity) {
    for (bl_index i = body > 0 ? m->first_seat[body] : -1; i >= 0; i = m->seat[i].next)
        if (m->seat[i].entity == entity)
            return true;
    return body == 0 && m->entity[entity].fixed;
}

/* Whether merging a and b would merge two points, or two directions, of one body, which would lose its shape. The joint is then
 * represented by equations, which are either redundant or inconsistent; in that case they are reported. */
static bool would_collapse(const bl_mechanism *m, const bl_mark *a, const bl_mark *b) {
    double sign_a = 1, sign_b = 1;
    bl_index seat_a = bl_plan_find_seat(m, a->body, a->is_vector, a->s, &sign_a);
    bl_index seat_b = bl_plan_find_seat(m, b->body, b->is_vector, b->s, &sign_b);
    if (seat_a < 0 && seat_b < 0)
        return a->body == b->body;
    if (seat_a < 0 || seat_b < 0)
        return has_seat(m, seat_a < 0 ? a->body : b->body, m->seat[seat_a < 0 ? seat_b : seat_a].entity);
    bl_index keep = m->seat[seat_a].entity, drop = m->seat[seat_b].entity;
    if (keep == drop)
        return sign_a * sign_b < 0;
    if (m->entity[keep].nseat < m->entity[drop].nseat) { /* search the shorter list */
        bl_index swap = keep;
        keep = drop;
        drop = swap;
    }
    for (bl_index i = m->entity[drop].first_seat; i >= 0; i = m->seat[i].mate)
        if (has_seat(m, m->seat[i].body, keep))
            return true;
    return false;
}

/* a and b become the same entity */
static bl_status share(bl_mechanism *m, bl_index joint, const bl_mark *a, const bl_mark *b) {
    char name[48];
    snprintf(name, sizeof name, "%.36s.%s", m->model->joint[joint].name, a->is_vector ? "axis" : "point");
    double sign_a = 1, sign_b = 1;
    bl_index seat_a = bl_plan_find_seat(m, a->body, a->is_vector, a->s, &sign_a);
    bl_index seat_b = bl_plan_find_seat(m, b->body, b->is_vector, b->s, &sign_b);
    if (seat_a < 0 && seat_b < 0) {
        BL_TRY(add_entity(m, a, a->body, name, &seat_a));
        sign_a = 1;
    }
    if (seat_a >= 0 && seat_b >= 0) {
        bl_index ea = m->seat[seat_a].entity, eb = m->seat[seat_b].entity;
        if (ea != eb)
            merge(m, ea, eb, sign_a * sign_b);
    } else {
        /* one body has the entity: the other gets a seat on it */
        const bl_mark *other = seat_a >= 0 ? b : a;
        bl_index have = seat_a >= 0 ? seat_a : seat_b, fresh = -1;
        double sign = seat_a >= 0 ? sign_a : sign_b, s[3];
        for (int k = 0; k < 3; k++)
            s[k] = sign * other->s[k];
        bl_entity *e = &m->entity[m->seat[have].entity];
        if (other->body == 0 && !e->fixed) {
            e->fixed = true;
            for (int k = 0; k < 3; k++)
                e->start[k] = s[k];
        }
        BL_TRY(add_seat(m, other->body, m->seat[have].entity, s, &fresh));
        if (seat_a >= 0)
            seat_b = fresh;
        else
            seat_a = fresh;
    }
    return record_share(m, joint, seat_a, seat_b);
}

/* the body carries this mark as a coordinate of its own */
static bl_status carry(bl_mechanism *m, const bl_mark *mark, const char *what) {
    if (mark->body == 0 || bl_mesh_of(m, mark->body) || bl_plan_find_seat(m, mark->body, mark->is_vector, mark->s, NULL) >= 0)
        return BL_OK;
    char name[48];
    snprintf(name, sizeof name, "%.36s.%s", m->model->body[mark->body].name, what);
    return add_entity(m, mark, mark->body, name, NULL);
}

/* ---- bases */

static double normalize(double a[3]) {
    double length = sqrt(dot3(a, a));
    for (int k = 0; length > 0 && k < 3; k++)
        a[k] /= length;
    return length;
}

/* residual of s after removing its component in the span of the basis directions */
static double residual(const bl_basis *basis, const double s[3]) {
    double r[3] = {s[0], s[1], s[2]};
    for (bl_index k = 0; k < basis->n; k++) {
        double xi = dot3(basis->dual[k], s);
        for (int c = 0; c < 3; c++)
            r[c] -= xi * basis->d[k][c];
    }
    return sqrt(dot3(r, r));
}

/* dual = (D D^T)^-1 D for the n directions in the rows of D */
static void make_dual(bl_basis *basis) {
    bl_index n = basis->n;
    double g[3][6] = {{0}};
    for (bl_index i = 0; i < n; i++) {
        for (bl_index j = 0; j < n; j++)
            g[i][j] = dot3(basis->d[i], basis->d[j]);
        g[i][n + i] = 1;
    }
    for (bl_index p = 0; p < n; p++) { /* Gauss-Jordan; the Gram matrix is positive definite */
        double pivot = g[p][p];
        for (bl_index j = 0; j < 2 * n; j++)
            g[p][j] /= pivot;
        for (bl_index i = 0; i < n; i++) {
            double f = g[i][p];
            for (bl_index j = 0; i != p && j < 2 * n; j++)
                g[i][j] -= f * g[p][j];
        }
    }
    memset(basis->dual, 0, sizeof basis->dual);
    for (bl_index k = 0; k < n; k++)
        for (bl_index l = 0; l < n; l++)
            for (int c = 0; c < 3; c++)
                basis->dual[k][c] += g[k][n + l] * basis->d[l][c];
}

static void push_direction(bl_basis *basis, const double d[3], bl_index seat, bl_index cross_of) {
    bl_index k = basis->n++;
    memcpy(basis->d[k], d, 3 * sizeof *d);
    basis->seat[k] = seat;
    basis->cross_of[k] = cross_of;
    make_dual(basis);
}

/* distance of a seat from the present span; 0: too small, or not a candidate */
static double distance_outside(const bl_mechanism *m, const bl_basis *basis, bl_index i, bool vectors, double least_sine, double d[3]) {
    const bl_seat *seat = &m->seat[i];
    if (m->entity[seat->entity].is_vector != vectors || i == basis->origin)
        return 0;
    for (int c = 0; c < 3; c++)
        d[c] = seat->s[c] - (vectors ? 0 : m->seat[basis->origin].s[c]);
    double length = sqrt(dot3(d, d)), off = residual(basis, d);
    return length > coords_same * m->size && off > least_sine * length ? off : 0;
}

/* Adds seats of the body to the basis, points first, in order: those clearly outside the present span, but none whose distance is less
 * than a third of another's. A basis that is thin, or small compared with its body, has very large mass moments and multipliers. */
static void collect_directions(const bl_mechanism *m, bl_index body, double least_sine, bl_basis *basis) {
    bl_index full = m->dim == 2 ? 1 : 3;
    for (int vectors = 0; vectors < 2; vectors++)
        for (bl_index added = 0; added >= 0 && basis->n < full;) {
            double d[3], most = 0;
            for (bl_index i = m->first_seat[body]; i >= 0; i = m->seat[i].next)
                most = fmax(most, distance_outside(m, basis, i, vectors == 1, least_sine, d));
            added = -1;
            for (bl_index i = m->first_seat[body]; i >= 0 && most > 0 && added < 0; i = m->seat[i].next)
                if (distance_outside(m, basis, i, vectors == 1, least_sine, d) >= most / 3)
                    push_direction(basis, d, added = i, -1);
        }
}

/* the second direction is the first rotated about the normal of the plane; in space about a fixed axis */
static void add_crossed(const bl_mechanism *m, bl_basis *basis) {
    double d[3], axis[3] = {0, 0, 1};
    bl_index of = 0;
    if (m->dim == 3) {
        for (bl_index k = 0; k < basis->n; k++) {
            bl_index seat = basis->seat[k];
            if (seat >= 0 && m->entity[m->seat[seat].entity].is_vector && m->entity[m->seat[seat].entity].fixed) {
                memcpy(axis, m->entity[m->seat[seat].entity].start, sizeof axis);
                double s[3];
                memcpy(s, m->seat[seat].s, sizeof s);
                of = 1 - k;
                memcpy(basis->cross_axis, axis, sizeof axis);
                cross3(s, basis->d[of], d);
                push_direction(basis, d, -1, of);
                return;
            }
        }
        return;
    }
    memcpy(basis->cross_axis, axis, sizeof axis);
    cross3(axis, basis->d[of], d);
    push_direction(basis, d, -1, of);
}

static void second_moments(const bl_model *model, const bl_body *body, double K[3][3]) {
    memset(K, 0, 9 * sizeof(double));
    if (model->dim == 2) { /* in the plane only the sum of the two matters */
        K[0][0] = K[1][1] = body->inertia[2][2] / 2;
        return;
    }
    double half = (body->inertia[0][0] + body->inertia[1][1] + body->inertia[2][2]) / 2;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[i][j] = (i == j ? half : 0) - body->inertia[i][j];
}

typedef struct needs {
    bl_index n, room;
    bl_mark *mark;
    bl_index *first; /* [nbody + 1] first of each body, after sorting */
} needs;

static bl_status add_need(bl_mechanism *m, needs *list, const bl_mark *mark) {
    if (mark->body <= 0 || bl_mesh_of(m, mark->body))
        return BL_OK;
    BL_TRY(BL_RESERVE(m->ctx, list->mark, list->room, list->n + 1));
    list->mark[list->n++] = *mark;
    return BL_OK;
}

/* the angle equation may use any direction of the body not parallel to the axis, if the axis is fixed in it; only otherwise it needs its
 * own reference direction */
static bl_status add_reference_need(bl_mechanism *m, needs *list, bl_index joint, const bl_prim *prim, const bl_mark *reference) {
    const double *axis = bl_angle_axis(m, joint, prim, reference->body);
    if (!axis || bl_mesh_of(m, reference->body))
        return add_need(m, list, reference);
    for (bl_index i = m->first_seat[reference->body]; i >= 0; i = m->seat[i].next) {
        const bl_seat *seat = &m->seat[i];
        for (bl_index j = m->first_seat[reference->body]; j >= 0; j = m->seat[j].next) {
            const bl_seat *other = &m->seat[j];
            bool vector = m->entity[seat->entity].is_vector;
            if (vector ? j != i : (j <= i || m->entity[other->entity].is_vector))
                continue;
            double d[3], c[3];
            for (int k = 0; k < 3; k++)
                d[k] = vector ? seat->s[k] : other->s[k] - seat->s[k];
            double length = sqrt(dot3(d, d));
            cross3(d, axis, c);
            if (length > coords_same * m->size && sqrt(dot3(c, c)) > coords_clear_direction * length)
                return BL_OK;
        }
    }
    return add_need(m, list, reference);
}

static bl_status add_axes(bl_mechanism *m, needs *list, bl_index frame) {
    for (int k = 0; k < m->dim; k++) {
        bl_mark axis = {frame, true, {k == 0, k == 1, k == 2}};
        BL_TRY(add_need(m, list, &axis));
    }
    return BL_OK;
}

/* nodes of rigid interfaces; axes of all interfaces, and the centers of those of bodies with shapes */
static bl_status add_interface_needs(bl_mechanism *m, needs *list) {
    const bl_model *model = m->model;
    for (const bl_elastic_def *def = model->elastic; def < model->elastic + model->nelastic; def++) {
        for (bl_index i = 0; def->floating && i < def->nframe; i++) {
            bl_mark center = {.body = def->frame + i};
            BL_TRY(add_need(m, list, &center));
            BL_TRY(add_axes(m, list, def->frame + i));
        }
        for (bl_index i = 0; def->interface && i < def->nframe; i++) {
            const bl_interface_def *interface = &def->interface[i];
            for (bl_index k = 0; interface->rigid && k < interface->set->count; k++) {
                bl_mark mark = bl_model_mark_point(model, def->frame + i, model->solid[def->solid].mesh.x[interface->set->item[k]]);
                BL_TRY(add_need(m, list, &mark));
            }
            BL_TRY(add_axes(m, list, def->frame + i));
        }
    }
    return BL_OK;
}

/* d2 and d3 of all elements at frames that may carry no third vector: at corners elements have different ones */
static bl_status add_beam_needs(bl_mechanism *m, needs *list) {
    for (const bl_elastic_def *def = m->model->elastic; def < m->model->elastic + m->model->nelastic; def++) {
        const bl_beam_def *beam = def->beam;
        for (bl_index i = 0; beam && beam->rotations && m->dim == 3 && i < beam->nelement * (beam->degree + 1); i++)
            for (int k = 1; k < 3; k++) {
                bl_index frame = def->frame + i / (beam->degree + 1) * beam->degree + i % (beam->degree + 1);
                bl_mark mark = bl_model_mark_vector(m->model, frame, beam->node[i].axes[k]);
                BL_TRY(add_need(m, list, &mark));
            }
    }
    return BL_OK;
}

static bl_status collect_needs(bl_mechanism *m, needs *list) {
    const bl_model *model = m->model;
    BL_TRY(add_beam_needs(m, list));
    BL_TRY(add_interface_needs(m, list));
    for (bl_index j = 0; j < bl_model_joints(model); j++)
        for (bl_index p = 0; p < model->joint[j].nprim; p++) {
            const bl_prim *prim = &model->joint[j].prim[p];
            bool shared = prim->what == BL_COINCIDE || prim->what == BL_SAME, angle = prim->what == BL_ANGLE;
            if (!bl_prim_is_relation(prim) && prim->var[0] >= 0 && !m->wanted[prim->var[0]])
                continue; /* it defines a variable that is not a coordinate */
            for (int k = 0; k < bl_prim_marks(prim); k++) {
                const bl_mark *mark = &prim->mark[k];
                if ((shared && !m->unshared[mark->body]) || (angle && k == 2 && m->dim == 2))
                    continue;
                BL_TRY(angle && k < 2 ? add_reference_need(m, list, j, prim, mark) : add_need(m, list, mark));
            }
        }
    for (bl_index i = 0; i < m->nload; i++)
        for (bl_index k = 0; k < m->load[i].record.nmark; k++)
            BL_TRY(add_need(m, list, &m->load[i].record.mark[k]));
    for (bl_index i = 0; i < m->nsignal; i++)
        for (bl_index k = 0; k < m->signal[i].load.record.nmark; k++)
            BL_TRY(add_need(m, list, &m->signal[i].load.record.mark[k]));
    for (bl_index i = 0; i < model->nprobe; i++)
        BL_TRY(add_need(m, list, &model->probe[i].mark));
    for (bl_index i = 0; i < model->ninitial; i++)
        if (model->initial[i].what == BL_INITIAL_POSITION || model->initial[i].what == BL_INITIAL_VELOCITY)
            BL_TRY(add_need(m, list, &model->initial[i].mark));
    return BL_OK;
}

/* by body, stable */
static bl_status sort_needs(bl_mechanism *m, needs *list) {
    bl_index nbody = m->model->nbody;
    bl_mark *sorted;
    BL_TRY(BL_NEW(m->ctx, list->first, (size_t)nbody + 2));
    BL_TRY(BL_NEW(m->ctx, sorted, (size_t)list->n + 1));
    for (bl_index i = 0; i < list->n; i++)
        list->first[list->mark[i].body + 2]++;
    for (bl_index b = 0; b < nbody; b++)
        list->first[b + 2] += list->first[b + 1];
    for (bl_index i = 0; i < list->n; i++)
        sorted[list->first[list->mark[i].body + 1]++] = list->mark[i];
    bl_free(m->ctx, list->mark);
    list->mark = sorted;
    return BL_OK;
}

/* Are the mass and all marks of the body in the span of its basis? */
static bool is_spanned(const bl_mechanism *m, bl_index body, const bl_basis *basis, const needs *list, bool *center_outside) {
    const bl_body *b = &m->model->body[body];
    const double *s0 = m->seat[basis->origin].s;
    double tolerance = coords_same * m->size, to_center[3] = {-s0[0], -s0[1], -s0[2]};
    *center_outside = b->mass > 0 && residual(basis, to_center) > tolerance;
    bool spanned = !*center_outside;
    double K[3][3], largest = 0;
    second_moments(m->model, b, K);
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, fabs(K[i][i]));
    for (int i = 0; i < 3; i++)
        if (residual(basis, K[i]) > coords_same * largest)
            spanned = false;
    for (bl_index i = list->first[body]; i < list->first[body + 1]; i++) {
        const bl_mark *mark = &list->mark[i];
        double d[3];
        for (int c = 0; c < 3; c++)
            d[c] = mark->s[c] - (mark->is_vector ? 0 : s0[c]);
        if (residual(basis, d) > tolerance)
            spanned = false;
    }
    return spanned;
}

/* a unit vector as far from the span as possible */
static void perpendicular(const bl_basis *basis, double e[3]) {
    double best = -1;
    for (int axis = 0; axis < 3; axis++) {
        double unit[3] = {axis == 0, axis == 1, axis == 2}, r[3];
        memcpy(r, unit, sizeof r);
        for (bl_index k = 0; k < basis->n; k++)
            for (int c = 0; c < 3; c++)
                r[c] -= dot3(basis->dual[k], unit) * basis->d[k][c];
        double length = sqrt(dot3(r, r));
        if (length > best * (1 + 1e-9)) {
            best = length;
            for (int c = 0; c < 3; c++)
                e[c] = r[c] / length;
        }
    }
}

static void moments(const bl_mechanism *m, bl_index body, bl_basis *basis) {
    const bl_body *b = &m->model->body[body];
    const double *s0 = m->seat[basis->origin].s;
    double K[3][3], xi[4] = {1, 0, 0, 0};
    second_moments(m->model, b, K);
    for (bl_index k = 0; k < basis->n; k++)
        xi[k + 1] = -dot3(basis->dual[k], s0);
    for (bl_index j = 0; j <= basis->n; j++)
        for (bl_index i = 0; i <= j; i++) {
            double central = 0;
            for (int r = 0; i && j && r < 3; r++)
                central += basis->dual[i - 1][r] * dot3(K[r], basis->dual[j - 1]);
            basis->moment[i][j] = basis->moment[j][i] = central + b->mass * xi[i] * xi[j];
        }
    /* rounding errors are set to zero so that M stays sparse */
    for (bl_index j = 0; j <= basis->n; j++)
        for (bl_index i = 0; i < j; i++)
            if (fabs(basis->moment[i][j]) < coords_canceled * sqrt(basis->moment[i][i] * basis->moment[j][j]))
                basis->moment[i][j] = basis->moment[j][i] = 0;
}

static bl_status make_basis(bl_mechanism *m, bl_index body, const needs *list) {
    bl_basis *basis = &m->basis[body];
    const bl_body *b = &m->model->body[body];
    bl_mark center = {body, false, {0, 0, 0}};
    char name[48];
    for (int attempt = 0; attempt < 8; attempt++) {
        memset(basis, 0, sizeof *basis);
        basis->origin = -1;
        for (bl_index i = m->first_seat[body]; i >= 0 && basis->origin < 0; i = m->seat[i].next)
            if (!m->entity[m->seat[i].entity].is_vector)
                basis->origin = i;
        if (basis->origin < 0) {
            snprintf(name, sizeof name, "%.36s.center", b->name);
            BL_TRY(add_entity(m, &center, body, name, &basis->origin));
        }
        collect_directions(m, body, coords_clear_direction, basis);
        collect_directions(m, body, coords_thin_basis, basis);
        if (m->dim == 2 && basis->n == 1)
            add_crossed(m, basis);
        bool center_outside;
        if (is_spanned(m, body, basis, list, &center_outside)) {
            moments(m, body, basis);
            return BL_OK;
        }
        const double *s0 = m->seat[basis->origin].s; /* s is measured from the mass center */
        if (center_outside && residual(basis, s0) > coords_thin_basis * sqrt(dot3(s0, s0))) {
            snprintf(name, sizeof name, "%.36s.center", b->name);
            BL_TRY(add_entity(m, &center, body, name, NULL));
            continue;
        }
        if (m->dim == 3 && basis->n == 2) {
            add_crossed(m, basis);
            if (basis->n == 3) {
                moments(m, body, basis);
                return BL_OK;
            }
        }
        bl_mark fresh = {body, true, {1, 0, 0}};
        if (m->dim == 3)
            perpendicular(basis, fresh.s);
        snprintf(name, sizeof name, "%.36s.e%c", b->name, (char)('1' + basis->n));
        BL_TRY(add_entity(m, &fresh, body, name, NULL));
    }
    return bl_fail(m->ctx, BL_E_MODEL, &b->place,
                   "body '%s': cannot choose points and vectors that describe its mass and all points of its joints and forces", b->name);
}

/* ---- the complete plan */

/* largest radius of gyration: of rigid bodies about their centers, of bodies with shapes about their frames */
static double largest_radius(const bl_model *model, bool with_shapes) {
    double most = 0;
    for (bl_index i = 1; i < model->nbody && !with_shapes; i++) {
        const bl_body *b = &model->body[i];
        if (b->mass > 0)
            most = fmax(most, sqrt((b->inertia[0][0] + b->inertia[1][1] + b->inertia[2][2]) / b->mass));
    }
    for (bl_index i = 0; i < model->nelastic; i++) {
        const bl_floating_def *def = model->elastic[i].floating;
        double sum = 0;
        for (bl_index k = 1; def && k <= model->dim; k++)
            sum += def->mass[k * (1 + model->dim * (1 + def->n)) + k];
        most = def ? fmax(most, sqrt(sum / def->mass[0])) : most;
    }
    return most;
}

static void measure_size(bl_mechanism *m) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (bl_index p = 0; p < m->model->nprim; p++)
        for (int side = 0; side < 2; side++) {
            const bl_mark *mark = &m->model->prim[p].mark[side];
            if (mark->is_vector || bl_prim_is_relation(&m->model->prim[p]))
                continue;
            for (int k = 0; k < 3; k++) {
                double at = mark->s[k] + m->model->body[mark->body].center[k];
                low[k] = fmin(low[k], at), high[k] = fmax(high[k], at);
            }
        }
    for (bl_index i = 1; i < m->model->nbody; i++)
        for (int k = 0; k < 3; k++) {
            double at = m->model->body[i].center[k];
            low[k] = fmin(low[k], at), high[k] = fmax(high[k], at);
        }
    double size = 0;
    for (int k = 0; k < 3; k++)
        size = fmax(size, high[k] - low[k]);
    if (size <= coords_same * largest_radius(m->model, false)) /* all in one point, up to rounding */
        size = largest_radius(m->model, true);
    m->size = isfinite(size) && size > 0 ? size : 1;
}

static void number_entries(bl_mechanism *m) {
    bl_index next = 0;
    for (int fixed = 0; fixed < 2; fixed++) {
        for (int vectors = 0; vectors < 2; vectors++)
            for (bl_index i = 0; i < m->nentity; i++) {
                bl_entity *e = &m->entity[i];
                if (e->into >= 0 || e->fixed != (fixed == 1) || e->is_vector != (vectors == 1))
                    continue;
                e->base = next;
                next += m->dim;
            }
        if (!fixed) {
            for (bl_index v = 0; v < m->model->nvariable; v++)
                m->gauge[v].entry = m->wanted[v] ? next++ : -1;
            for (bl_floating_body *b = m->floating; b < m->floating + m->nfloating; next += b->f.n, b++)
                b->first = next;
            m->nfree = next;
        }
    }
    m->one = next++;
    m->nx = next;
}

/* Rotation of a slender rod about its own line moves no mass. If it is held only at points on that line, it has no axes but two points:
 * *ends. */
static bool is_slender(const bl_mechanism *m, bl_index body, const needs *list, bl_mark ends[2]) {
    double K[3][3], line[3] = {0, 0, 0}, most = 0, low = INFINITY, high = -INFINITY;
    second_moments(m->model, &m->model->body[body], K);
    for (int i = 0; i < 3; i++)
        if (K[i][i] > most) {
            most = K[i][i];
            memcpy(line, K[i], sizeof line);
        }
    if (m->dim == 2 || most == 0 || normalize(line) == 0)
        return false;
    bl_basis along = {0};
    push_direction(&along, line, -1, -1);
    for (int i = 0; i < 3; i++)
        if (residual(&along, K[i]) > coords_same * most)
            return false;
    for (bl_index i = list->first[body]; i < list->first[body + 1]; i++) {
        const bl_mark *mark = &list->mark[i];
        double at = dot3(line, mark->s);
        if (mark->is_vector || residual(&along, mark->s) > coords_same * m->size)
            return false;
        if (at < low)
            ends[0] = *mark;
        if (at > high)
            ends[1] = *mark;
        low = fmin(low, at), high = fmax(high, at);
    }
    return high - low > coords_rod * m->size;
}

static bl_status refuse_slender(const bl_mechanism *m, bl_index body, bool point) {
    const bl_body *b = &m->model->body[body];
    bl_fail(m->ctx, BL_E_MODEL, &b->coordinates_at, "body '%s' cannot have an orientation: it has no inertia%s", b->name,
            point ? ", and its joints and forces act at its mass center only"
                  : " about its own line, and its joints and forces act on that line only");
    bl_advise(m->ctx, "set coordinates: natural for it, or give it an inertia%s", point ? "" : " about the line (axial of a rod)");
    return BL_E_MODEL;
}

/* No inertia, and held at its mass center only: one point, without axes. */
static bool is_particle(const bl_mechanism *m, bl_index body, const needs *list) {
    const bl_body *b = &m->model->body[body];
    bool rotates = false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            rotates = rotates || b->inertia[i][j] != 0;
    for (bl_index i = list->first[body]; i < list->first[body + 1] && !rotates; i++) {
        const bl_mark *mark = &list->mark[i];
        rotates = mark->is_vector || sqrt(dot3(mark->s, mark->s)) > coords_same * m->size;
    }
    return !rotates;
}

/* bodies that share nothing: mass center and axes */
static bl_status plan_unshared(bl_mechanism *m, const needs *list) {
    for (bl_index b = 1; b < m->model->nbody; b++) {
        bl_mark mark = {.body = b}, ends[2];
        if (!m->unshared[b])
            continue;
        if (is_particle(m, b, list)) {
            BL_TRY(m->choice->body[b].from_body ? refuse_slender(m, b, true) : carry(m, &mark, "center"));
            continue;
        }
        m->framed[b] = !is_slender(m, b, list, ends);
        if (!m->framed[b] && m->choice->body[b].from_body)
            return refuse_slender(m, b, false);
        for (int k = 0; k < 2 && !m->framed[b]; k++)
            BL_TRY(carry(m, &ends[k], k ? "to" : "from"));
        if (!m->framed[b])
            continue;
        BL_TRY(carry(m, &mark, "center"));
        mark.is_vector = true;
        for (int k = 0; k < (m->dim == 2 ? 1 : 3); k++) {
            const char name[] = {'e', (char)('1' + k), '\0'};
            memset(mark.s, 0, sizeof mark.s);
            mark.s[k] = 1;
            BL_TRY(carry(m, &mark, name));
        }
    }
    return BL_OK;
}

bool bl_plan_shares(const bl_mechanism *m, bl_index joint, const bl_prim *prim) {
    return (prim->what == BL_COINCIDE || prim->what == BL_SAME) && !m->model->joint[joint].cut && !m->unshared[prim->a.body] &&
           !m->unshared[prim->b.body] && !m->needs_equations[prim - m->model->prim];
}

/* a point of a mesh that is not a free node of it */
static bool between_nodes(const bl_mechanism *m, const bl_mark *mark) {
    return bl_mesh_of(m, mark->body) && bl_plan_find_seat(m, mark->body, false, mark->s, NULL) < 0;
}

bl_status bl_plan_entities(bl_mechanism *m) {
    const bl_model *model = m->model;
    measure_size(m);
    m->seats.cell = m->points.cell = 8 * coords_same * fmax(m->size, 1); /* a few times the tolerance of comparisons */
    for (bl_index i = 0; i < model->npoint; i++)
        BL_TRY(bl_spatial_hash_put(m->ctx, &m->points, 0, model->point[i].at));
    BL_TRY(bl_mesh_plan(m));
    BL_TRY(bl_mesh_check_marks(m));
    for (bl_index j = 0; j < bl_model_joints(model); j++) {
        BL_TRY(bl_go_on(m->ctx));
        for (bl_index p = 0; p < model->joint[j].nprim; p++) {
            const bl_prim *prim = &model->joint[j].prim[p];
            if (prim->what != BL_COINCIDE && prim->what != BL_SAME)
                continue;
            m->needs_equations[prim - model->prim] =
                bl_plan_shares(m, j, prim) &&
                (between_nodes(m, &prim->a) || between_nodes(m, &prim->b) || would_collapse(m, &prim->a, &prim->b));
            if (bl_plan_shares(m, j, prim)) {
                BL_TRY(share(m, j, &prim->a, &prim->b));
                continue;
            }
            if (!m->unshared[prim->a.body])
                BL_TRY(carry(m, &prim->a, model->joint[j].name));
            if (!m->unshared[prim->b.body])
                BL_TRY(carry(m, &prim->b, model->joint[j].name));
        }
    }
    for (bl_index i = 1; i < model->nbody; i++)
        for (bl_index k = 0; !m->unshared[i] && k < model->body[i].ncarry; k++)
            BL_TRY(carry(m, &model->body[i].carry[k], model->body[i].carry[k].is_vector ? "vector" : "point"));
    needs list = {0};
    bl_status status = collect_needs(m, &list);
    if (status == BL_OK)
        status = sort_needs(m, &list);
    if (status == BL_OK)
        status = plan_unshared(m, &list);
    for (bl_index i = 1; status == BL_OK && i < model->nbody; i++)
        if ((status = bl_go_on(m->ctx)) == BL_OK)
            status = bl_mesh_of(m, i) ? BL_OK : make_basis(m, i, &list);
    bl_free(m->ctx, list.mark);
    bl_free(m->ctx, list.first);
    BL_TRY(status);
    for (bl_index i = 0; i < m->nseat; i++)
        m->seat[i].entity = merged_into(m, m->seat[i].entity);
    number_entries(m);
    BL_TRY(BL_ARENA_NEW(&m->arena, m->x_start, m->nx));
    for (bl_index i = 0; i < m->nentity; i++)
        for (int k = 0; m->entity[i].into < 0 && k < m->dim; k++)
            m->x_start[m->entity[i].base + k] = m->entity[i].start[k];
    m->x_start[m->one] = 1;
    return BL_OK;
}
