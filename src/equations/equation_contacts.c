/* Contacts of equations: rows that hold on one side only (system.h). The program evaluates all of them; those that do not hold in the
 * present modes become zero here. Friction of a contact that slides is a force in the program, whose size and direction are inputs. */
#include "equations/equations_limits.h"
#include "equations/plain.h"

#include <math.h>
#include <string.h>

/* ---- building */

bl_status bl_plain_contacts_lay_out(bl_plain *p) {
    const bl_equations *e = p->model->equations;
    bl_system *sys = p->sys;
    bl_index n = e->ncontact;
    if (n == 0)
        return BL_OK;
    BL_TRY(BL_ARENA_ARRAYS(&p->arena, BL_ARRAY(p->contact, n), BL_ARRAY(p->contact_of_row, e->nconstraint)));
    for (bl_index i = 0; i < e->nconstraint; i++) {
        const bl_equation_row *row = &e->constraint[i];
        p->contact_of_row[i] = row->contact < 0 ? -1 : 3 * row->contact + row->component;
    }
    for (bl_index c = 0; c < n; c++) {
        const bl_equation_contact *def = &e->contact[c];
        bl_contact *contact = &p->contact[c];
        *contact = (bl_contact){.name = def->name,
                                .place = &e->constraint[def->row].place,
                                .owner = c,
                                .normal = def->row,
                                .slip = {def->row + 1, def->row + 2},
                                .nslip = (int)def->nslip,
                                .load = def->nslip ? sys->nload++ : -1,
                                .group = -1,
                                .near = {-1, -1, -1, -1, -1, -1},
                                .solid = -1,
                                .friction = def->friction,
                                .sticking = def->sticking,
                                .restitution = def->restitution};
    }
    sys->ncontact = n;
    sys->contact = p->contact;
    p->nrub = sys->nload ? 3 * n : 0;
    return BL_OK;
}

void bl_plain_contacts_events_begin(bl_plain *p) {
    bl_system *sys = p->sys;
    sys->contact_event = sys->nevent;
    for (bl_index k = 0; k < BL_CONTACT_EVENTS * sys->ncontact; k++)
        p->event[sys->nevent++] = (bl_event_def){.what = BL_EVENT_CONTACT, .direction = -1, .owner = k / BL_CONTACT_EVENTS, .scale = 1};
    sys->contact_at = sys->history_bytes;
    sys->history_bytes += (size_t)sys->ncontact * sizeof(bl_contact_state);
}

bool bl_plain_is_speed(const bl_plain *p, bl_index row) {
    return p->contact_of_row && p->contact_of_row[row] >= 0 && p->contact_of_row[row] % 3 > 0;
}

void bl_plain_contacts_laws(const bl_plain *p, bl_row *row) {
    for (bl_index i = 0; i < p->sys->np && p->contact_of_row; i++) {
        if (p->contact_of_row[i] < 0)
            continue;
        row[i].law = bl_plain_is_speed(p, i) ? BL_LAW_FRICTION : BL_LAW_UNILATERAL;
        row[i].level = bl_plain_is_speed(p, i) ? BL_AT_VELOCITY : BL_AT_POSITION;
    }
}

/* ---- modes */

static const bl_contact_state *state_of(const bl_plain *p, const bl_eval *e, bl_index contact) {
    return bl_contact_states_of(p->sys, e->history) + contact;
}

/* without a history all rows count, as for their scales */
static bool holds(const bl_plain *p, const bl_eval *e, bl_index row) {
    bl_index c = p->contact_of_row[row];
    if (c < 0 || !e->history)
        return true;
    double mode = state_of(p, e, c / 3)->mode;
    return c % 3 == 0 ? mode > BL_CONTACT_OPEN : mode == BL_CONTACT_STICK;
}

static bool slides(const bl_plain *p, const bl_eval *e, bl_index contact) {
    return p->contact[contact].nslip && e->history && state_of(p, e, contact)->mode == BL_CONTACT_SLIDE;
}

void bl_plain_contacts_inputs(const bl_plain *p, const bl_eval *e, bl_plain_contacts *w, bool multipliers) {
    for (bl_index i = 0; i < p->sys->np && multipliers; i++)
        w->lambda[i] = holds(p, e, i) ? e->lambda[i] : 0;
    for (bl_index c = 0; c < p->sys->ncontact && p->nrub; c++) {
        double *rub = w->rub + 3 * c;
        bool now = slides(p, e, c);
        rub[0] = now && e->load ? p->contact[c].friction * e->load[p->contact[c].load] : 0;
        for (int k = 0; k < 2; k++)
            rub[1 + k] = now ? state_of(p, e, c)->side[k] : 0;
    }
}

/* ---- after evaluation */

static void clear(const bl_plain *p, const bl_eval *e, double *entries) {
    const bl_pattern *G = &p->G;
    for (bl_index k = 0; k < G->ptr[G->ncol]; k++)
        if (!holds(p, e, G->idx[k]))
            entries[k] = 0;
}

void bl_plain_contacts_rows(const bl_plain *p, bl_eval *e, bl_plain_contacts *w, uint32_t done) {
    static const uint32_t each[] = {BL_PHI, BL_B, BL_C};
    double *const rows[] = {e->phi, e->b, e->c};
    for (bl_index c = 0; c < p->sys->ncontact && (done & BL_PHI); c++)
        w->gap[c] = e->phi[p->contact[c].normal];
    for (int k = 0; k < 3; k++)
        for (bl_index i = 0; i < p->sys->np && (done & each[k]); i++)
            if (!holds(p, e, i))
                rows[k][i] = 0;
    if (done & BL_G)
        clear(p, e, e->G);
    if (done & BL_GV_X)
        clear(p, e, e->Gv_x);
}

void bl_plain_contacts_events(const bl_plain *p, bl_eval *e, const bl_plain_contacts *w) {
    for (bl_index c = 0; c < p->sys->ncontact; c++) {
        double *event = e->event + p->sys->contact_event + BL_CONTACT_EVENTS * c;
        bool open = e->history && state_of(p, e, c)->mode == BL_CONTACT_OPEN;
        event[BL_CONTACT_FIRST] = open ? w->gap[c] : 1;
        event[BL_CONTACT_SIDEWAYS] = event[BL_CONTACT_REACH] = 1;
    }
}

void bl_plain_contacts_loads(const bl_plain *p, bl_eval *e) {
    for (bl_index c = 0; c < p->sys->ncontact; c++)
        if (p->contact[c].load >= 0)
            e->load_now[p->contact[c].load] =
                !e->history || state_of(p, e, c)->mode > BL_CONTACT_OPEN ? -e->lambda[p->contact[c].normal] : 0;
}

/* direction of sliding: where there are two speeds, that of these */
static void find_side(const bl_plain *p, const bl_contact_state *now, const bl_contact *contact, const double *sliding, double side[2]) {
    double size = contact->nslip == 2 ? hypot(sliding[0], sliding[1]) : 0;
    bool known = size > equations_sliding_begins * bl_system_smallest(p->sys);
    for (int k = 0; k < 2; k++)
        side[k] = known ? sliding[k] / size : now->side[k];
}

void bl_plain_contacts_show(const bl_plain *p, bl_eval *e, const bl_plain_contacts *w) {
    static const bl_contact_state open;
    for (bl_index c = 0; c < p->sys->ncontact; c++) {
        const bl_contact *contact = &p->contact[c];
        const bl_contact_state *now = e->history ? state_of(p, e, c) : &open;
        bl_contact_sample *out = &e->contact[c];
        double side[2];
        *out = (bl_contact_sample){.gap = w->gap[c], .state = now->mode};
        for (int k = 0; k < contact->nslip; k++)
            out->sliding[k] = w->speed[contact->slip[k]];
        if (now->mode == BL_CONTACT_OPEN)
            continue;
        out->force[0] = e->lambda ? -e->lambda[contact->normal] : NAN;
        find_side(p, now, contact, out->sliding, side);
        for (int k = 0; k < contact->nslip; k++)
            out->force[1 + k] = now->mode == BL_CONTACT_SLIDE ? -contact->friction * out->force[0] * side[k]
                                : e->lambda                   ? -e->lambda[contact->slip[k]]
                                                              : NAN;
    }
}
