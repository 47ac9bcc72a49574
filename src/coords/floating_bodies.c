/* Bodies that deform relative to a frame (elastic/floating.h) in natural coordinates: center and axes of the frame are directions like
 * those of elements, the amplitudes of the shapes coordinates of their own. Other frames of the body follow it by rows
 *
 *     (P_i - P) . d_k = X_k + u_k(eta),     d_i1 . d_2 = theta_3 and so on,
 *
 * quadratic in points and vectors and linear in eta. */
#include "coords/derived_coords.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bl_status bl_floating_plan(bl_mechanism *m) {
    bl_index count = 0;
    size_t most = 0;
    for (bl_index i = 0; i < m->model->nelastic; i++)
        count += m->model->elastic[i].floating != NULL;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->floating, count));
    for (bl_index i = 0; i < m->model->nelastic; i++) {
        const bl_elastic_def *def = &m->model->elastic[i];
        if (!def->floating)
            continue;
        bl_floating_body *b = &m->floating[m->nfloating++];
        b->elastic = i;
        if (def->floating->split)
            bl_warn(
                m->ctx, NAN, def->name,
                "%s: its last mode and the next one have the same frequency, so that the one that is kept is arbitrary: choose one mode "
                "more or less",
                def->name);
        BL_TRY(bl_floating_make(&m->arena, def->floating, m->dim, m->model->gravity, &b->f));
        size_t local = (size_t)b->f.local, work = 4 * local + 2 * local * local + bl_floating_work(&b->f);
        most = work > most ? work : most;
        b->place = m->floating_work;
        m->floating_work += bl_floating_place_room(&b->f);
    }
    for (bl_floating_body *b = m->floating; b < m->floating + m->nfloating; b++)
        b->work = m->floating_work;
    m->floating_work += most;
    return BL_OK;
}

static bl_mark mark_of(bl_index body, int axis) {
    bl_mark mark = {.body = body, .is_vector = axis >= 0};
    if (axis >= 0)
        mark.s[axis] = 1;
    return mark;
}

/* ---- rows */

/* minus the sum of shape[n] eta */
static bl_status add_shapes(bl_mechanism *m, const bl_floating_body *b, const double *shape) {
    for (bl_index k = 0; k < b->f.n; k++)
        if (shape[k] != 0)
            BL_TRY(bl_row_linear(m, b->first + k, -shape[k], 0));
    return BL_OK;
}

static bl_status follow(bl_mechanism *m, const bl_floating_body *b, bl_index body, bl_index joint, const bl_floating_end *end) {
    const bl_elastic_def *def = &m->model->elastic[b->elastic];
    const double *at = m->model->body[body].center, *from = m->model->body[def->frame].center;
    static const int turn[3][3] = {{1, 2, 0}, {2, 0, 1}, {0, 1, 2}}; /* d_i . d_j is the rotation about the third */
    bl_mark center = mark_of(def->frame, -1), other = mark_of(body, -1);
    char meaning[48];
    bl_index a, d;
    for (int k = 0; k < m->dim; k++) {
        bl_mark axis = mark_of(def->frame, k);
        snprintf(meaning, sizeof meaning, "displacement along %c", "xyz"[k]);
        BL_TRY(bl_row_add(m, BL_ROW_RIGID, body, joint, meaning, from[k] - at[k]));
        BL_TRY(bl_direction_between(m, &center, &other, &a));
        BL_TRY(bl_direction_mark(m, &axis, &d));
        BL_TRY(bl_row_quad(m, a, d, 1));
        BL_TRY(add_shapes(m, b, end->shape + k * b->f.n));
    }
    for (int r = 0; r < (m->dim == 3 ? 3 : 1); r++) {
        const int *of = turn[m->dim == 3 ? r : 2];
        bl_mark first = mark_of(body, of[0]), second = mark_of(def->frame, of[1]);
        snprintf(meaning, sizeof meaning, "rotation about %c", "xyz"[of[2]]);
        BL_TRY(bl_row_add(m, BL_ROW_RIGID, body, joint, meaning, 0));
        BL_TRY(bl_direction_mark(m, &first, &a));
        BL_TRY(bl_direction_mark(m, &second, &d));
        BL_TRY(bl_row_quad(m, a, d, 1));
        BL_TRY(add_shapes(m, b, end->shape + (m->dim + r) * b->f.n));
    }
    return BL_OK;
}

bl_status bl_floating_rows(bl_mechanism *m, bl_index body) {
    const bl_body *frame = &m->model->body[body];
    if (frame->what != BL_BODY_FRAME)
        return BL_OK;
    const bl_elastic_def *def = &m->model->elastic[frame->elastic];
    for (const bl_floating_body *b = m->floating; b < m->floating + m->nfloating; b++)
        if (b->elastic == frame->elastic && body > def->frame)
            BL_TRY(follow(m, b, body, -1, &def->floating->end[body - def->frame - 1]));
    return BL_OK;
}

/* ---- set-up */

static bl_status entries_of(bl_mechanism *m, bl_floating_body *b) {
    const bl_elastic_def *def = &m->model->elastic[b->elastic];
    bl_index total = b->f.n;
    for (int k = -1; k < m->dim; k++) {
        bl_index *dir = &b->dir[b->ndir++];
        bl_mark mark = mark_of(def->frame, k);
        BL_TRY(bl_direction_mark(m, &mark, dir));
        total += m->form_ptr[(*dir + 1) * m->dim] - m->form_ptr[*dir * m->dim];
    }
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(b->map_local, total), BL_ARRAY(b->map_entry, total), BL_ARRAY(b->map_coef, total),
                           BL_ARRAY(b->entry, total)));
    for (bl_index l = 0; l < b->f.local; l++) {
        bool shape = l >= b->ndir * m->dim;
        bl_index row = shape ? 0 : b->dir[l / m->dim] * m->dim + l % m->dim;
        for (bl_index i = shape ? 0 : m->form_ptr[row]; i < (shape ? 1 : m->form_ptr[row + 1]); i++) {
            bl_index entry = shape ? b->first + l - b->ndir * m->dim : m->form_entry[i], n = 0;
            if (entry >= m->nfree)
                continue;
            while (n < b->nentry && b->entry[n] != entry)
                n++;
            if (n == b->nentry)
                b->entry[b->nentry++] = entry;
            b->map_local[b->nmap] = l;
            b->map_entry[b->nmap] = n;
            b->map_coef[b->nmap++] = shape ? 1 : m->form_coef[i];
        }
    }
    return BL_OK;
}

bl_status bl_floating_entries(bl_mechanism *m) {
    for (bl_floating_body *b = m->floating; b < m->floating + m->nfloating; b++)
        BL_TRY(entries_of(m, b));
    return BL_OK;
}

bl_status bl_floating_collect(bl_mechanism *m, bl_pairs *p) {
    for (const bl_floating_body *b = m->floating; b < m->floating + m->nfloating; b++)
        for (bl_index r = 0; r < b->nentry; r++)
            for (bl_index c = 0; c < b->nentry; c++)
                BL_TRY(bl_pairs_add(p, b->entry[r], b->entry[c]));
    return BL_OK;
}

/* ---- evaluation */

static void gather(const bl_mechanism *m, const bl_floating_body *b, const double *D, const double *x, double *local) {
    for (bl_index d = 0; d < b->ndir; d++)
        memcpy(local + d * m->dim, D + b->dir[d] * m->dim, (size_t)m->dim * sizeof *local);
    memcpy(local + b->ndir * m->dim, x + b->first, (size_t)b->f.n * sizeof *local);
}

static void add_matrix(const bl_floating_body *b, const bl_index *slots, const double *H, double *K) {
    for (bl_index i = 0; i < b->nmap; i++) {
        const double *row = H + b->map_local[i] * b->f.local;
        const bl_index *slot = slots + b->map_entry[i] * b->nentry;
        for (bl_index j = 0; j < b->nmap; j++)
            K[slot[b->map_entry[j]]] += b->map_coef[i] * b->map_coef[j] * row[b->map_local[j]];
    }
}

typedef struct local_values { /* in w->floating */
    bl_floating_place at;
    double *x, *v, *a, *f, *K, *C, *work;
} local_values;

static local_values values_of(const bl_mech_work *w, const bl_floating_body *b) {
    local_values l = {.at = bl_floating_place_in(&b->f, w->floating + b->place), .x = w->floating + b->work};
    l.v = l.x + b->f.local;
    l.a = l.v + b->f.local;
    l.f = l.a + b->f.local;
    l.K = l.f + b->f.local;
    l.C = l.K + b->f.local * b->f.local;
    l.work = l.C + b->f.local * b->f.local;
    return l;
}

void bl_floating_positions(const bl_mechanism *m, bl_mech_work *w) {
    if (w->shapes_known)
        return;
    for (const bl_floating_body *b = m->floating; b < m->floating + m->nfloating; b++) {
        local_values l = values_of(w, b);
        gather(m, b, w->D, w->x, l.x);
        bl_floating_move(&b->f, l.x, l.at, l.work);
    }
    w->shapes_known = true;
}

/* directions of entries y; those of fixed entries vanish */
static void directions_of(const bl_floating_body *b, const double *y, double *local) {
    memset(local, 0, (size_t)b->f.local * sizeof *local);
    for (bl_index i = 0; i < b->nmap; i++)
        local[b->map_local[i]] += b->map_coef[i] * y[b->entry[b->map_entry[i]]];
}

/* f[local] -> to += factor F^T f */
static void add_forces(const bl_floating_body *b, double factor, const double *f, double *to) {
    for (bl_index i = 0; i < b->nmap; i++)
        to[b->entry[b->map_entry[i]]] += factor * b->map_coef[i] * f[b->map_local[i]];
}

void bl_floating_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = e->own;
    if (!want || m->nfloating == 0)
        return;
    bl_floating_positions(m, w);
    for (const bl_floating_body *b = m->floating; b < m->floating + m->nfloating; b++) {
        local_values l = values_of(w, b);
        gather(m, b, w->D, w->x, l.x);
        if (want & (BL_Q | BL_KC | BL_ENERGY))
            gather(m, b, w->Dd, w->xd, l.v);
        if (want & BL_M) {
            bl_floating_mass(&b->f, l.at, l.x, l.K, l.work);
            add_matrix(b, b->M_slot, l.K, e->M);
        }
        if (want & BL_MA_X) {
            directions_of(b, e->a, l.a);
            bl_floating_mass_slope(&b->f, l.at, l.x, l.a, l.K, l.work);
            add_matrix(b, b->K_slot, l.K, e->Ma_x);
        }
        if (want & BL_Q) {
            if (w->demand)
                directions_of(b, w->demand, l.a);
            e->power -= bl_floating_force(&b->f, l.at, l.x, l.v, w->demand ? l.a : NULL, l.f, l.work);
            add_forces(b, -1, l.f, e->Q);
        }
        if (want & BL_KC) {
            bl_floating_tangent(&b->f, l.at, l.x, l.v, l.K, l.C, l.work);
            add_matrix(b, b->K_slot, l.K, e->K);
            add_matrix(b, b->K_slot, l.C, e->C);
        }
        if (want & BL_ENERGY) {
            e->kinetic += bl_floating_kinetic(&b->f, l.at, l.x, l.v, l.work);
            e->potential += bl_floating_potential(&b->f, l.at, l.x, l.work);
        }
    }
}

/* of a mechanism without other losses (BL_POWER_OF_V) */
bl_status bl_floating_power(const bl_system *sys, bl_eval *e) {
    const bl_mechanism *m = bl_mech(sys);
    e->power = 0;
    for (const bl_floating_body *b = m->floating; b < m->floating + m->nfloating; b++) {
        local_values l = values_of(e->own, b);
        memcpy(l.v + b->f.local - b->f.n, e->v + b->first, (size_t)b->f.n * sizeof *l.v);
        e->power -= bl_floating_loss(&b->f, l.v, l.work);
    }
    return BL_OK;
}

bl_status bl_floating_demand(const bl_system *sys, bl_eval *e, const double *a, double *force) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = e->own;
    if (m->nfloating == 0 || (e->have & BL_Q))
        return BL_AGAIN;
    w->demand = a;
    bl_status status = bl_system_eval(sys, e, BL_Q);
    w->demand = NULL;
    e->have &= ~(uint32_t)BL_Q; /* it holds forces without inertia for the other bodies alone */
    for (bl_index i = 0; i < m->nfree; i++)
        force[i] = -e->Q[i];
    for (bl_index i = 0; i < m->nM_rest; i++)
        force[m->M_rest[i].row] += m->M_rest[i].value * a[m->M_rest[i].column];
    return status;
}

void bl_floating_balance(const bl_mechanism *m, bl_mech_work *w, bool impulsive, const void *user, bl_elastic_push push) {
    bl_floating_positions(m, w);
    for (const bl_floating_body *b = m->floating; b < m->floating + m->nfloating; b++) {
        local_values l = values_of(w, b);
        gather(m, b, w->D, w->x, l.x);
        gather(m, b, w->Dd, w->xd, l.v);
        directions_of(b, w->xdd, l.a);
        memset(l.f, 0, (size_t)b->f.local * sizeof *l.f);
        if (impulsive)
            bl_floating_inertia(&b->f, l.at, l.x, l.a, l.f, l.work);
        else
            bl_floating_force(&b->f, l.at, l.x, l.v, l.a, l.f, l.work);
        for (bl_index d = 0; d < b->ndir; d++) {
            double g[3] = {0, 0, 0};
            memcpy(g, l.f + d * m->dim, (size_t)m->dim * sizeof *g);
            push(user, m->part[b->dir[d]][0].body, b->dir[d], g);
        }
    }
}
