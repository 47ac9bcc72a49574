/* One-sided rows: contacts and stops. Their gap, and the speeds of sliding, are rows like others, which hold only in some modes (system.h);
 * where one does not hold, all its values are zero. Dry friction of a contact that slides along d is a force on the rows of sliding,
 *
 *     Q -= sum_k mu N d_k G_k^T,     N = -lambda of the gap
 *
 * N is a normal load, which the formulation finds together with the accelerations. */
#include "coords/coords_limits.h"
#include "coords/mechanism.h"
#include "joint/touch.h"

#include <math.h>
#include <string.h>

/* ---- building */

static const bl_prim *prim_of(const bl_model *model, bl_index contact) { return model->joint[model->njoint + contact].prim; }

static void one_sided(bl_mechanism *m, bl_index row, bl_index component, bl_row_law law) {
    m->contact_of_row[row] = component;
    m->row[row].law = (uint8_t)law;
}

bl_status bl_contact_rows_number(bl_mechanism *m, bl_system *sys) {
    const bl_model *model = m->model;
    bl_index n = model->ncontact;
    if (n == 0)
        return BL_OK;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(m->contact, n), BL_ARRAY(m->contact_of_row, m->nrow), BL_ARRAY(m->contact_product, n)));
    bl_contact_find_rows(m->row, m->nrow, model->njoint, n, m->contact);
    for (bl_index r = 0; r < m->nrow; r++)
        m->contact_of_row[r] = -1;
    for (bl_index c = 0; c < n; c++) {
        const bl_contact_def *def = &model->contact[c];
        bl_contact *contact = &m->contact[c];
        const bl_prim *gap = model->joint[model->njoint + c].prim;
        contact->name = def->name;
        contact->place = &def->place;
        contact->owner = c;
        contact->has_unit = def->nform == 0;
        contact->is_angle = !def->touch && !def->nform && gap->var[0] >= 0 && model->variable[gap->var[0]].is_angle;
        contact->friction = def->friction;
        contact->sticking = def->sticking;
        contact->restitution = def->restitution;
        contact->group = def->group;
        contact->solid = def->solid;
        contact->ends = def->touch && bl_touch_ends(prim_of(model, c));
        memcpy(contact->near, def->near, sizeof contact->near);
        contact->percussion = def->percussion;
        bool rubs = contact->nslip > 0 && !def->percussion;
        m->ncontact_rub += rubs;
        contact->load = -1;
        if (def->force >= 0) /* that of the joint */
            contact->load = m->load[def->force].normal;
        else if (rubs)
            contact->load = m->first_contact_load + m->ncontact_load++;
        if (contact->normal >= 0)
            one_sided(m, contact->normal, 3 * c, BL_LAW_UNILATERAL);
        for (int k = 0; k < contact->nslip; k++)
            one_sided(m, contact->slip[k], 3 * c + 1 + k, BL_LAW_FRICTION);
    }
    for (bl_index c = 0; c < n; c++)
        m->contact_product[c] = -1;
    for (bl_index i = 0; i < m->nproduct; i++)
        if (m->product[i].row >= 0 && m->contact_of_row[m->product[i].row] >= 0 && m->contact_of_row[m->product[i].row] % 3 == 0)
            m->contact_product[m->contact_of_row[m->product[i].row] / 3] = i;
    sys->ncontact = n;
    sys->contact = m->contact;
    return BL_OK;
}

bl_status bl_contact_rows_build(bl_mechanism *m, bl_system *sys) {
    bl_index n = 0, row = 0, *next;
    const bl_pattern *G = &sys->pat_G;
    if (sys->ncontact == 0)
        return BL_OK;
    for (bl_index r = 0; r < m->nrow; r++)
        m->ncontact_row += m->contact_of_row[r] >= 0;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(m->contact_row, m->ncontact_row), BL_ARRAY(m->contact_ptr, m->ncontact_row + 1),
                           BL_ARRAY(next, m->nrow)));
    for (bl_index p = 0; p < G->ptr[G->ncol]; p++)
        next[G->idx[p]]++;
    for (bl_index r = 0; r < m->nrow; r++) {
        bl_index count = next[r];
        next[r] = -1;
        if (m->contact_of_row[r] < 0)
            continue;
        m->contact_row[row] = r;
        m->contact_ptr[row++] = next[r] = n;
        n += count;
    }
    m->contact_ptr[row] = n;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(m->contact_slot, n), BL_ARRAY(m->contact_col, n)));
    for (bl_index j = 0; j < G->ncol; j++)
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++)
            if (next[G->idx[p]] >= 0) {
                m->contact_slot[next[G->idx[p]]] = p;
                m->contact_col[next[G->idx[p]]++] = j;
            }
    return BL_OK;
}

/* ---- rows that do not hold */

static const bl_contact_state *state_of(const bl_mechanism *m, const bl_eval *e, bl_index contact) {
    return (const bl_contact_state *)(const void *)(e->history + m->contact_at) + contact;
}

/* without a history all rows count, as for their scales */
static bool holds(const bl_mechanism *m, const bl_eval *e, bl_index row) {
    bl_index c = m->contact_of_row[row];
    if (c < 0 || !e->history)
        return true;
    double mode = state_of(m, e, c / 3)->mode;
    return c % 3 == 0 ? mode > BL_CONTACT_OPEN : mode == BL_CONTACT_STICK;
}

bool bl_contact_row_idle(const bl_mechanism *m, const bl_eval *e, bl_index row, bool friction) {
    if (!m->contact || row < 0 || holds(m, e, row)) /* rows that only measure have no number */
        return false;
    bl_index c = m->contact_of_row[row];
    return !(friction && c % 3 > 0 && state_of(m, e, c / 3)->mode == BL_CONTACT_SLIDE);
}

void bl_contact_rows_leave(const bl_mechanism *m, const bl_eval *e, double *rows) {
    for (bl_index i = 0; i < m->ncontact_row; i++)
        if (!holds(m, e, m->contact_row[i]))
            rows[m->contact_row[i]] = 0;
}

void bl_contact_rows_store_gaps(const bl_mechanism *m, bl_eval *e) {
    bl_mech_work *w = e->own;
    for (bl_index c = 0; c < m->model->ncontact; c++) {
        const bl_contact *contact = &m->contact[c];
        w->gap[c] = contact->normal >= 0 ? e->phi[contact->normal] : 0;
        for (int k = 0; k < contact->nslip; k++) /* only velocities are restricted */
            e->phi[contact->slip[k]] = 0;
    }
}

void bl_contact_rows_leave_G(const bl_mechanism *m, bl_eval *e, double *G, bool store) {
    bl_mech_work *w = e->own;
    for (bl_index i = 0; i < m->ncontact_row; i++) {
        bool kept = holds(m, e, m->contact_row[i]);
        for (bl_index p = m->contact_ptr[i]; p < m->contact_ptr[i + 1]; p++) {
            if (store)
                w->contact_G[p] = G[m->contact_slot[p]];
            if (!kept)
                G[m->contact_slot[p]] = 0;
        }
    }
}

/* ---- events: gaps; what depends on multipliers is completed by the run loop, which finds these functions positive.
 *
 * A surface that ends is met where the gap g is zero within its reach r. The function of an open contact is positive elsewhere, and
 * continuous as long as g is positive: out of reach max(g, 0) - r. A point is outside a convex shape by the largest of its gaps with the
 * faces, G; another face than that of G is not met, its function is 2 G - g. */

static double reach_of(const bl_mechanism *m, const bl_eval *e, bl_index contact) {
    bl_prim_motion at = {0};
    const bl_prim *prim = prim_of(m->model, contact);
    if (!m->contact[contact].ends)
        return INFINITY;
    bl_pose_marks(e, prim, &at);
    bool sharp = m->contact[contact].near[0] < 0; /* nothing takes over at its end */
    return bl_touch_reach(prim, &at) + (sharp ? coords_contact_reach : coords_contact_handover) * m->length;
}

static double gap_of(const bl_mechanism *m, const bl_eval *e, bl_index contact) {
    const bl_mech_work *w = e->own;
    bl_index i = m->contact_product[contact];
    double value;
    if (i < 0)
        return w->gap[contact];
    bl_product_eval(m, &m->product[i], w->D, w->x, w->trig[i], &value, NULL, NULL);
    return m->row_constant[m->product[i].row] + value;
}

static bool is_open(const bl_mechanism *m, const bl_eval *e, bl_index c) {
    const bl_contact *contact = &m->contact[c];
    return e->history && contact->normal >= 0 && !contact->percussion && state_of(m, e, c)->mode == BL_CONTACT_OPEN;
}

static void find_gaps(const bl_mechanism *m, bl_eval *e) {
    bl_mech_work *w = e->own;
    for (bl_index c = 0; c < m->model->ncontact; c++) {
        bl_index solid = m->contact[c].solid; /* the first of them comes first */
        if (solid >= 0 || is_open(m, e, c))
            w->gap[c] = gap_of(m, e, c);
        if (solid >= 0)
            w->outside[solid] = solid == c ? w->gap[c] : fmax(w->outside[solid], w->gap[c]);
    }
}

static double open_function(const bl_mechanism *m, const bl_eval *e, bl_index c) {
    const bl_mech_work *w = e->own;
    double gap = w->gap[c], reach = reach_of(m, e, c);
    if (m->contact[c].solid >= 0)
        return 2 * w->outside[m->contact[c].solid] - gap - fmin(reach, 0);
    return reach > 0 ? gap : fmax(gap, 0) - reach;
}

void bl_contact_rows_events(const bl_system *sys, bl_eval *e) {
    const bl_mechanism *m = bl_mech(sys);
    if (m->model->surfaces) /* bounds of time steps */
        return;
    find_gaps(m, e);
    for (bl_index c = 0; c < sys->ncontact; c++) {
        double *event = e->event + sys->contact_event + BL_CONTACT_EVENTS * c;
        bool open = is_open(m, e, c);
        event[BL_CONTACT_FIRST] = open ? open_function(m, e, c) : 1;
        event[BL_CONTACT_SIDEWAYS] = 1;
        event[BL_CONTACT_REACH] = open || !m->contact[c].ends ? 1 : reach_of(m, e, c);
    }
}

/* ---- friction of contacts that slide */

static bl_index row_number(const bl_mechanism *m, bl_index row) {
    bl_index low = 0, high = m->ncontact_row;
    while (low < high) {
        bl_index middle = low + (high - low) / 2;
        if (m->contact_row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* speed of sliding: a row of G times v */
static double speed_of(const bl_mechanism *m, const bl_eval *e, bl_index row) {
    const bl_mech_work *w = e->own;
    bl_index i = row_number(m, row);
    double sum = 0;
    for (bl_index p = m->contact_ptr[i]; p < m->contact_ptr[i + 1]; p++)
        sum += w->contact_G[p] * e->v[m->contact_col[p]];
    return sum;
}

/* In space the direction follows the speed s; the side at the beginning decides until that is known: d = (s + small side) / |...|. */
typedef struct sliding {
    double speed[2], side[2], size; /* |s + small side|; 0: constant side */
} sliding;

static sliding find_sliding(const bl_mechanism *m, const bl_eval *e, bl_index c) {
    const bl_contact *contact = &m->contact[c];
    const bl_contact_state *state = state_of(m, e, c);
    sliding s = {.side = {state->side[0], state->side[1]}};
    for (int k = 0; k < contact->nslip; k++)
        s.speed[k] = speed_of(m, e, contact->slip[k]);
    if (contact->nslip < 2)
        return s;
    double along[2], small = coords_sliding_begins * m->length;
    for (int k = 0; k < 2; k++)
        along[k] = s.speed[k] + small * state->side[k];
    s.size = hypot(along[0], along[1]);
    for (int k = 0; k < 2 && s.size > 0; k++)
        s.side[k] = along[k] / s.size;
    return s;
}

/* K of the force -force_k G_k^T: second derivatives of the rows, as in d(G^T lambda)/dx */
static void add_bend(const bl_mechanism *m, bl_eval *e, bl_index row, double force) {
    bl_mech_work *w = e->own;
    for (bl_index i = 0; i < m->nproduct; i++)
        if (m->product[i].row == row)
            bl_product_add_bend(m, &m->product[i], w, force, e->K);
}

/* C[slots of both rows] += factor a^T b for the rows a, b of sliding; C has the pattern of K */
static void add_damping(const bl_mechanism *m, const bl_system *sys, bl_eval *e, bl_index a, bl_index b, double factor) {
    const bl_mech_work *w = e->own;
    const bl_pattern *K = &sys->pat_K;
    bl_index i = row_number(m, a), j = row_number(m, b);
    for (bl_index q = m->contact_ptr[j]; q < m->contact_ptr[j + 1]; q++)
        for (bl_index p = m->contact_ptr[i]; p < m->contact_ptr[i + 1]; p++)
            for (bl_index k = K->ptr[m->contact_col[q]]; k < K->ptr[m->contact_col[q] + 1]; k++)
                if (K->idx[k] == m->contact_col[p])
                    e->C[k] += factor * w->contact_G[p] * w->contact_G[q];
}

void bl_contact_friction(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_mechanism *m = bl_mech(sys);
    const bl_mech_work *w = e->own;
    for (bl_index c = 0; c < sys->ncontact && e->history && w->normal; c++) {
        const bl_contact *contact = &m->contact[c];
        if (contact->load < 0 || state_of(m, e, c)->mode != BL_CONTACT_SLIDE)
            continue;
        sliding s = find_sliding(m, e, c);
        double force = contact->friction * w->normal[contact->load];
        for (int k = 0; k < contact->nslip && (want & BL_Q); k++) {
            bl_index i = row_number(m, contact->slip[k]);
            for (bl_index p = m->contact_ptr[i]; p < m->contact_ptr[i + 1]; p++)
                e->Q[m->contact_col[p]] -= force * s.side[k] * w->contact_G[p];
            e->power -= force * s.side[k] * s.speed[k];
        }
        for (int k = 0; k < contact->nslip && (want & BL_KC); k++) {
            add_bend(m, e, contact->slip[k], force * s.side[k]);
            for (int l = 0; l < contact->nslip && s.size > 0; l++)
                add_damping(m, sys, e, contact->slip[k], contact->slip[l], force * ((k == l) - s.side[k] * s.side[l]) / s.size);
        }
    }
}

const double *bl_contact_multipliers(const bl_mechanism *m, const bl_eval *e) {
    bl_mech_work *w = e->own;
    if (!m->ncontact_rub || !e->history || e->impulsive)
        return e->lambda;
    memcpy(w->contact_lambda, e->lambda, (size_t)m->nrow * sizeof *w->contact_lambda);
    for (bl_index c = 0; c < m->model->ncontact; c++) {
        const bl_contact *contact = &m->contact[c];
        if (contact->load < 0 || contact->normal < 0 || state_of(m, e, c)->mode != BL_CONTACT_SLIDE)
            continue;
        sliding s = find_sliding(m, e, c);
        for (int k = 0; k < contact->nslip; k++)
            w->contact_lambda[contact->slip[k]] = -contact->friction * e->lambda[contact->normal] * s.side[k];
    }
    return w->contact_lambda;
}

void bl_contact_loads(const bl_mechanism *m, const bl_eval *e, double *load_now) {
    for (bl_index c = 0; c < m->model->ncontact; c++) {
        const bl_contact *contact = &m->contact[c];
        if (contact->load >= 0 && contact->normal >= 0)
            load_now[contact->load] = !e->history || state_of(m, e, c)->mode > BL_CONTACT_OPEN ? -e->lambda[contact->normal] : 0;
    }
}
