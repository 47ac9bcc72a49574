/* See contacts.h: memory, the matrices of touching contacts, events. */
#include "study/contacts.h"

#include "signal/signal.h"
#include "study/simulation.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- memory */

static bl_status make(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_system *sys = sim->sys, *inner = bl_signal_inner(sys);
    size_t n = (size_t)sys->ncontact, m = 3 * n, nv = (size_t)sys->nv, np = (size_t)sys->np;
    c->inner = inner;
    BL_TRY(bl_state_create(inner, 0, &c->open));
    BL_TRY(bl_state_create(inner, 0, &c->all));
    BL_TRY(bl_state_create(sys, 0, &c->trial));
    BL_TRY(bl_eval_create(inner, BL_M | BL_G | BL_C | BL_B | BL_KC, &c->mass));
    BL_TRY(bl_eval_create(inner, BL_G | BL_C | (sys->nload ? BL_Q | BL_LOADS : 0), &c->rows));
    BL_TRY(bl_eval_create(inner, BL_WRENCH | BL_SEEN, &c->impulses));
    BL_TRY(bl_coulomb_create(sim->ctx, sys->ncontact, &c->problem));
    BL_TRY(BL_NEW_ARRAYS(sim->ctx, c->block, BL_ARRAY(c->touching, n), BL_ARRAY(c->group, n), BL_ARRAY(c->gap, n), BL_ARRAY(c->hit, n),
                         BL_ARRAY(c->W, m * nv), BL_ARRAY(c->answer, m * nv), BL_ARRAY(c->free, nv), BL_ARRAY(c->x, nv),
                         BL_ARRAY(c->Q, nv + (size_t)sys->nz), BL_ARRAY(c->impulse, np), BL_ARRAY(c->row_c, np), BL_ARRAY(c->a, nv),
                         BL_ARRAY(c->lambda, np), BL_ARRAY(c->speed, m), BL_ARRAY(c->compressed, m), BL_ARRAY(c->soft, n),
                         BL_ARRAY(c->place, np), BL_ARRAY(c->offset, n), BL_ARRAY(c->slack, n), BL_ARRAY(c->blow, n),
                         BL_ARRAY(c->joint_impulse, BL_CONTACT_HAPPENINGS * (size_t)sys->njoint), BL_ARRAY(c->load, sys->nload),
                         BL_ARRAY(c->from.f, n), BL_ARRAY(c->from.rate, n), BL_ARRAY(c->to.f, n), BL_ARRAY(c->to.rate, n),
                         BL_ARRAY(c->opened, n), BL_ARRAY(c->twin, n), BL_ARRAY(c->inner_force, np),
                         BL_ARRAY(c->shift, nv + (size_t)sys->nz), BL_ARRAY(c->zero, inner->pat_K.ptr[inner->nv])));
    for (size_t i = 0; i < n; i++)
        c->hit[i] = NAN;
    return bl_kkt_create(inner, &(bl_kkt_setup){.mass = &inner->pat_M}, &c->kkt);
}

void bl_contacts_destroy(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    if (!c->inner)
        return;
    bl_contacts_method_destroy(sim);
    bl_kkt_destroy(c->kkt);
    bl_coulomb_destroy(c->problem);
    bl_eval_destroy(c->inner, &c->mass);
    bl_eval_destroy(c->inner, &c->rows);
    bl_eval_destroy(c->inner, &c->impulses);
    bl_state_destroy(c->inner, &c->open);
    bl_state_destroy(c->inner, &c->all);
    bl_state_destroy(sim->sys, &c->trial);
    bl_free(sim->ctx, c->block);
}

/* ---- names */

const char *bl_contacts_name_of(const bl_simulation *sim, bl_index contact) {
    bl_contacts *c = (bl_contacts *)(uintptr_t)&sim->contacts;
    const bl_contact *of = &sim->sys->contact[contact];
    char equation[64];
    bl_system_row_name(sim->sys, of->normal >= 0 ? of->normal : of->slip[0], c->name, sizeof c->name, equation, sizeof equation);
    return c->name;
}

bl_index bl_contact_of(const bl_simulation *sim, bl_index event) { return (event - sim->sys->contact_event) / BL_CONTACT_EVENTS; }

int bl_contact_event_of(const bl_simulation *sim, bl_index event) { return (int)((event - sim->sys->contact_event) % BL_CONTACT_EVENTS); }

const char *bl_contacts_name(const bl_simulation *sim, bl_index event) { return bl_contacts_name_of(sim, bl_contact_of(sim, event)); }

void bl_contacts_note(bl_simulation *sim, bl_index contact, const bl_strike *impact, const char *format, ...) {
    bl_contacts *c = &sim->contacts;
    bl_contact_happening *now = &c->happening[c->happened++ % BL_CONTACT_HAPPENINGS];
    va_list args;
    *now = (bl_contact_happening){.t = *sim->state.t, .impact = impact, .contact = contact, .struck = c->struck};
    if (impact)
        now->strike = *impact;
    va_start(args, format);
    vsnprintf(now->text, sizeof now->text, format, args);
    va_end(args);
    bl_log(sim->ctx, BL_LOG_INFO, "%s at t = %.9g", now->text, now->t);
}

/* ---- matrices of the touching contacts */

static void set_modes(const bl_system *sys, bl_state *state, bl_contact_mode mode) {
    bl_contact_state *of = bl_contact_states(sys, state->history);
    for (bl_index i = 0; i < sys->ncontact; i++)
        of[i].mode = mode;
}

static void inner_state(const bl_simulation *sim, const bl_state *from, bl_state *to) {
    if (bl_signal_has(sim->sys))
        bl_signal_inner_state(sim->sys, from, to);
    else
        bl_state_copy(sim->sys, to, from);
}

bl_status bl_contacts_rows_at(bl_simulation *sim, const bl_state *state, uint32_t want) {
    bl_contacts *c = &sim->contacts;
    inner_state(sim, state, &c->all);
    set_modes(c->inner, &c->all, BL_CONTACT_STICK);
    bl_eval_at(&c->rows, &c->all);
    return bl_system_eval(c->inner, &c->rows, want);
}

/* row `component` of a contact: 0 the gap, -1 where there is none, then sliding */
static bl_index row_of(const bl_contact *of, int component) { return component == 0 ? of->normal : of->slip[component - 1]; }

/* W from G, row by row */
static void take_rows(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_system *sys = c->inner;
    size_t nv = (size_t)sys->nv;
    memset(c->W, 0, (size_t)c->problem->m * nv * sizeof *c->W);
    for (bl_index r = 0; r < sys->np; r++)
        c->place[r] = -1;
    for (bl_index i = 0; i < c->ntouching; i++)
        for (int k = sys->contact[c->touching[i]].normal < 0; k <= c->problem->contact[i].nslip; k++)
            c->place[row_of(&sys->contact[c->touching[i]], k)] = c->problem->contact[i].first + k;
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
            if (c->place[sys->pat_G.idx[p]] >= 0)
                c->W[(size_t)c->place[sys->pat_G.idx[p]] * nv + (size_t)j] = c->rows.G[p];
}

/* In the plane contacts of two shapes on one line have the same speed of sliding: then their rows w are equal in all motions,
 * (w_a - w_b) A (w_a - w_b)^T = 0. */
static bool slide_alike(const bl_coulomb *p, bl_index a, bl_index b) {
    size_t m = (size_t)p->m, i = (size_t)p->contact[a].first + 1, j = (size_t)p->contact[b].first + 1;
    return p->D[i * m + i] - 2 * p->D[i * m + j] + p->D[j * m + j] <= study_contact_alike * study_contact_alike * p->D[i * m + i];
}

static void find_groups(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_contact *of = sim->sys->contact;
    for (bl_index i = 0; i < c->ntouching; i++) {
        bl_index which = c->touching[i], j = 0;
        c->group[which] = of[which].group >= 0 && of[which].nslip == 1 ? which : -1;
        while (c->group[which] >= 0 && j < i && !(of[c->touching[j]].group == of[which].group && slide_alike(c->problem, i, j)))
            j++;
        if (c->group[which] >= 0 && j < i)
            c->group[which] = c->group[c->touching[j]];
    }
}

static double row_times(const bl_contacts *c, bl_index row, const double *x) {
    const double *w = c->W + (size_t)row * (size_t)c->inner->nv;
    double sum = 0;
    for (bl_index j = 0; j < c->inner->nv; j++)
        sum += w[j] * x[j];
    return sum;
}

void bl_contacts_speeds(const bl_contacts *c, const double *x, double *u) {
    for (bl_index r = 0; r < c->problem->m; r++)
        u[r] = row_times(c, r, x);
}

double bl_contacts_rounded(const bl_contacts *c, const double *x) {
    double most = 0;
    for (size_t k = 0, nv = (size_t)c->inner->nv; k < (size_t)c->problem->m * nv; k++)
        most = fmax(most, fabs(c->W[k] * x[k % nv]));
    return most;
}

bl_status bl_contacts_mass(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    inner_state(sim, &sim->state, &c->open);
    set_modes(c->inner, &c->open, BL_CONTACT_OPEN);
    bl_eval_at(&c->mass, &c->open);
    BL_TRY(bl_system_eval(c->inner, &c->mass, BL_M | BL_G));
    BL_TRY(bl_kkt_move_to(c->kkt, &c->mass));
    return bl_kkt_factor(c->kkt, c->zero, -1, c->mass.M, 0);
}

bl_status bl_contacts_second_rates(bl_simulation *sim, const bl_state *state) {
    bl_contacts *c = &sim->contacts;
    memcpy(c->open.v, state->v, (size_t)c->inner->nv * sizeof(double));
    bl_eval_at(&c->mass, &c->open);
    BL_TRY(bl_system_eval(c->inner, &c->mass, BL_M | BL_G | BL_C)); /* M and G as before: the factors read them */
    return bl_contacts_rows_at(sim, state, BL_G | BL_C);
}

bl_status bl_contacts_gather(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    bl_coulomb *p = c->problem;
    size_t nv = (size_t)c->inner->nv;
    for (bl_index i = 0; i < c->ntouching; i++)
        p->contact[i] = (bl_coulomb_contact){.nslip = sim->sys->contact[c->touching[i]].nslip};
    bl_coulomb_place(p, c->ntouching);
    BL_TRY(bl_contacts_rows_at(sim, &sim->state, BL_G | BL_C));
    BL_TRY(bl_contacts_mass(sim));
    take_rows(sim);
    for (bl_index r = 0; r < p->m; r++) {
        memcpy(c->x, c->W + (size_t)r * nv, nv * sizeof *c->x);
        BL_TRY(bl_kkt_solve(c->kkt, c->x, NULL, c->answer + (size_t)r * nv, NULL));
    }
    for (bl_index r = 0; r < p->m; r++)
        for (bl_index s = 0; s <= r; s++) {
            double entry = row_times(c, s, c->answer + (size_t)r * nv);
            p->D[(size_t)r * (size_t)p->m + (size_t)s] = p->D[(size_t)s * (size_t)p->m + (size_t)r] = entry;
        }
    for (bl_index i = 0; i < c->ntouching; i++) /* without a gap: b is minus the normal force, which moves nothing */
        if (sim->sys->contact[c->touching[i]].normal < 0)
            p->D[(size_t)p->contact[i].first * (size_t)(p->m + 1)] = 1;
    find_groups(sim);
    return BL_OK;
}

/* ---- events */

/* from the last accelerations */
double bl_contacts_multiplier(const bl_contacts *c, bl_index row) { return c->lambda[row] + c->inner_force[row]; }

void bl_contacts_complete(const bl_contacts *c, double *lambda) {
    for (bl_index r = 0; c->n && r < c->inner->np; r++)
        lambda[r] += c->inner_force[r];
}

static double normal_force(const bl_contacts *c, const bl_contact *of) {
    return of->normal >= 0 ? -bl_contacts_multiplier(c, of->normal) : c->load[of->load];
}

/* what joints and other constraints carry of them */
static bl_status spread_inner_forces(bl_contacts *c) {
    size_t nv = (size_t)c->inner->nv;
    memset(c->x, 0, nv * sizeof *c->x);
    for (bl_index r = 0; r < c->inner->np; r++) {
        double force = c->place[r] >= 0 ? -c->inner_force[r] : 0;
        for (size_t j = 0; j < nv && force != 0; j++)
            c->x[j] += c->W[(size_t)c->place[r] * nv + j] * force;
    }
    BL_TRY(bl_kkt_solve(c->kkt, c->x, NULL, c->a, c->impulse));
    for (bl_index r = 0; r < c->inner->np; r++)
        if (c->place[r] < 0)
            c->inner_force[r] = c->impulse[r];
    return BL_OK;
}

/* The difference of the forces of the last problem and those of the formulation, at the same state: where forces are not unique, as of
 * bodies wedged between others, those of least norm may break Coulomb's law while others satisfy it. These stay until the next event. */
static bl_status keep_inner_forces(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_contact_state *now = bl_contact_states_of(sim->sys, sim->state.history);
    const bl_coulomb *p = c->problem;
    c->inner_due = false;
    for (bl_index i = 0; i < c->ntouching; i++) {
        const bl_contact *of = &sim->sys->contact[c->touching[i]];
        const double *force = p->p + p->contact[i].first;
        double mode = now[c->touching[i]].mode;
        if (of->normal < 0 || mode == BL_CONTACT_OPEN)
            continue;
        c->inner_force[of->normal] = -force[0] - c->lambda[of->normal];
        for (int k = 0; k < of->nslip && mode == BL_CONTACT_STICK; k++)
            c->inner_force[of->slip[k]] = -force[1 + k] - c->lambda[of->slip[k]];
    }
    return spread_inner_forces(c);
}

/* what friction can still hold at rest, together with the group of the contact */
static double friction_left(const bl_simulation *sim, const bl_state *state, bl_index i) {
    const bl_contacts *c = &sim->contacts;
    const bl_contact_state *now = bl_contact_states_of(sim->sys, state->history);
    const bl_contact *of = &sim->sys->contact[i];
    double rub[2] = {0, 0}, most = 0;
    for (bl_index j = 0; j < c->n; j++) {
        const bl_contact *other = &sim->sys->contact[j];
        if (j != i && (c->group[i] < 0 || c->group[j] != c->group[i] || now[j].mode != BL_CONTACT_STICK))
            continue;
        for (int k = 0; k < of->nslip; k++)
            rub[k] += bl_contacts_multiplier(c, other->slip[k]);
        most += other->sticking * normal_force(c, other);
    }
    return most - hypot(rub[0], rub[1]);
}

/* row of `rows`, evaluated at the state, times its velocities */
static double row_speed(const bl_contacts *c, const bl_state *state, bl_index row) {
    const bl_pattern *G = &c->inner->pat_G;
    double speed = 0;
    for (bl_index j = 0; j < c->inner->nv; j++)
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++)
            if (G->idx[p] == row)
                speed += c->rows.G[p] * state->v[j];
    return speed;
}

bl_status bl_contacts_gap_speed(bl_simulation *sim, const bl_state *state, bl_index i, double *speed) {
    BL_TRY(bl_contacts_rows_at(sim, state, BL_G));
    *speed = row_speed(&sim->contacts, state, sim->sys->contact[i].normal);
    return BL_OK;
}

/* normal force, and what friction still holds or the speed along which the contact slides, from `rows` at the state */
static void read_contact(bl_simulation *sim, const bl_state *state, bl_index i, double *event) {
    bl_contacts *c = &sim->contacts;
    const bl_contact *of = &sim->sys->contact[i];
    const bl_contact_state *now = &bl_contact_states_of(sim->sys, state->history)[i];
    double along = -study_contact_reversed * c->rest;
    event[BL_CONTACT_FIRST] = of->normal >= 0 ? normal_force(c, of) + c->slack[i] : 1;
    if (of->nslip == 0)
        return;
    if (now->mode == BL_CONTACT_STICK) {
        event[BL_CONTACT_SIDEWAYS] = friction_left(sim, state, i) + c->slack[i];
        return;
    }
    double size = 0;
    for (int k = 0; k < of->nslip; k++) {
        double speed = row_speed(c, state, of->slip[k]);
        along -= speed * now->side[k];
        size = hypot(size, speed);
    }
    event[BL_CONTACT_SIDEWAYS] = bl_contacts_moves(now) ? -along : 2 * c->rest - size;
}

/* a rounded surface holds with one of its parts at a time */
static bool neighbor_holds(const bl_simulation *sim, const bl_contact_state *now, bl_index i) {
    const bl_index *near = sim->sys->contact[i].near;
    for (size_t k = 0; k < sizeof sim->sys->contact->near / sizeof *near; k++)
        if (near[k] >= 0 && now[near[k]].mode > BL_CONTACT_OPEN)
            return true;
    return false;
}

void bl_contacts_open_functions(const bl_simulation *sim, const bl_state *state, const double *event, double *f) {
    const bl_contacts *c = &sim->contacts;
    const bl_contact_state *now = bl_contact_states_of(sim->sys, state->history);
    for (bl_index i = 0; i < c->n; i++) {
        bool counts = now[i].mode == BL_CONTACT_OPEN && !neighbor_holds(sim, now, i);
        f[i] = counts ? event[BL_CONTACT_EVENTS * i + BL_CONTACT_FIRST] - c->offset[i] : 1;
    }
}

double bl_contacts_lower(bl_simulation *sim, bl_index i) {
    bl_contacts *c = &sim->contacts;
    c->offset[i] = fmin(c->gap[i], 0) - c->height;
    return c->gap[i] - c->offset[i];
}

/* accelerations, multipliers and normal loads at a state */
static bl_status find_forces(bl_simulation *sim, const bl_state *state) {
    bl_contacts *c = &sim->contacts;
    bl_formulation *kept;
    BL_TRY(bl_simulation_view_begin(sim, &kept));
    bl_formulation_stats counted = sim->form->stats;
    sim->form->history = state->history;
    bl_status status = sim->form->kind->accelerations(sim->form, state, c->a, c->lambda);
    if (sim->sys->nload && status == BL_OK)
        memcpy(c->load, sim->form->at_e.load, (size_t)sim->sys->nload * sizeof *c->load);
    bl_simulation_count_samples(sim, sim->form, &counted);
    bl_simulation_view_end(sim, kept);
    return status;
}

/* what read_contact needs: forces; speeds of sliding */
static void find_needs(const bl_simulation *sim, const bl_contact_state *now, bl_index only, bool *forces, bool *speeds) {
    bl_index which = only < sim->sys->contact_event ? -1 : bl_contact_of(sim, only);
    *forces = *speeds = false;
    for (bl_index i = 0; i < sim->contacts.n; i++) {
        if (now[i].mode == BL_CONTACT_OPEN || (only >= 0 && i != which))
            continue;
        bool slides = sim->sys->contact[i].nslip > 0 && now[i].mode != BL_CONTACT_STICK;
        int what = only < 0 ? -1 : bl_contact_event_of(sim, only);
        *forces = *forces || what < 0 || what == BL_CONTACT_FIRST || (what == BL_CONTACT_SIDEWAYS && !slides);
        *speeds = *speeds || (slides && what != BL_CONTACT_REACH);
    }
}

bl_status bl_contacts_events(bl_simulation *sim, const bl_state *state, double *event, bl_index only) {
    bl_contacts *c = &sim->contacts;
    const bl_contact_state *now = bl_contact_states_of(sim->sys, state->history);
    double *first = event + sim->sys->contact_event;
    bool forces, speeds;
    bl_contacts_open_functions(sim, state, first, c->opened);
    for (bl_index i = 0; i < c->n; i++)
        if (now[i].mode == BL_CONTACT_OPEN)
            first[BL_CONTACT_EVENTS * i] = c->opened[i];
    find_needs(sim, now, only, &forces, &speeds);
    if (forces)
        BL_TRY(find_forces(sim, state));
    if (forces && c->inner_due && state == &sim->state)
        BL_TRY(keep_inner_forces(sim));
    if (speeds)
        BL_TRY(bl_contacts_rows_at(sim, state, BL_G));
    for (bl_index i = 0; i < c->n && (forces || speeds); i++)
        if (now[i].mode > BL_CONTACT_OPEN)
            read_contact(sim, state, i, first + BL_CONTACT_EVENTS * i);
    return BL_OK;
}

/* ---- at an event */

static bool are_near(const bl_contact *a, bl_index b) {
    for (size_t k = 0; k < sizeof a->near / sizeof *a->near; k++)
        if (a->near[k] == b)
            return true;
    return false;
}

static bool neighbor_touches(const bl_contacts *c, bl_index i) {
    for (bl_index j = 0; j < c->ntouching; j++)
        if (are_near(&c->inner->contact[i], c->touching[j]))
            return true;
    return false;
}

double bl_contacts_size(const bl_simulation *sim, bl_index i) {
    const bl_system *sys = sim->contacts.inner;
    return sys->contact[i].normal >= 0 ? sys->row[sys->contact[i].normal].scale * bl_system_smallest(sys) : 1;
}

bool bl_contacts_behind(const bl_simulation *sim, bl_index i, double gap) {
    return sim->sys->contact[i].ends && gap < -study_contact_behind * bl_contacts_size(sim, i);
}

/* The gap at which an open contact counts as closed: the contact of the event is, even if projections have opened it again; a part of a
 * rounded surface takes over at the gap of the part that has just ended. */
static double closed_at(const bl_simulation *sim, bl_index i, bl_index event) {
    const bl_contacts *c = &sim->contacts;
    double closed = study_contact_closed * bl_contacts_size(sim, i);
    bl_index hit = event < 0 ? -1 : bl_contact_of(sim, event);
    if (hit == i)
        return INFINITY;
    if (hit >= 0 && bl_contact_event_of(sim, event) == BL_CONTACT_REACH && are_near(&c->inner->contact[hit], i))
        return fmax(c->gap[hit], 0) + closed;
    return closed;
}

static bool meets(const bl_simulation *sim, const bl_contact_state *now, bl_index i, bl_index event) {
    const bl_contacts *c = &sim->contacts;
    if (!(c->gap[i] <= closed_at(sim, i, event)))
        return false;
    if (!c->inner->contact[i].ends)
        return true;
    return !bl_contacts_behind(sim, i, c->gap[i]) &&
           c->rows.event[c->inner->contact_event + BL_CONTACT_EVENTS * i + BL_CONTACT_REACH] > 0 && !neighbor_holds(sim, now, i) &&
           !neighbor_touches(c, i);
}

/* those that are closed, or whose gap is, but not one that has just come to the end of its surface */
static bl_status find_touching(bl_simulation *sim, bl_index event) {
    bl_contacts *c = &sim->contacts;
    const bl_contact *contact = c->inner->contact;
    const bl_contact_state *now = bl_contact_states_of(sim->sys, sim->state.history);
    bool ends = event >= 0 && bl_contact_event_of(sim, event) == BL_CONTACT_REACH;
    c->ntouching = 0;
    BL_TRY(bl_contacts_rows_at(sim, &sim->state, BL_PHI | (c->ends ? BL_EVENTS : 0)));
    for (bl_index i = 0; i < c->n; i++)
        c->gap[i] = contact[i].normal >= 0 ? c->rows.phi[contact[i].normal] : 0;
    for (bl_index i = 0; i < c->n; i++) {
        if (contact[i].normal >= 0 && (sim->sys->contact[i].percussion || (ends && i == bl_contact_of(sim, event))))
            continue;
        if (contact[i].normal < 0 || now[i].mode > BL_CONTACT_OPEN || meets(sim, now, i, event))
            c->touching[c->ntouching++] = i;
    }
    return BL_OK;
}

/* row `component` of two touching contacts is the same in all motions */
static bool move_alike(const bl_coulomb *p, bl_index a, bl_index b, int component) {
    size_t m = (size_t)p->m, i = (size_t)p->contact[a].first + (size_t)component, j = (size_t)p->contact[b].first + (size_t)component;
    double own = p->D[i * m + i];
    return own > 0 && own - 2 * p->D[i * m + j] + p->D[j * m + j] <= study_contact_alike * study_contact_alike * own;
}

/* the touching contact that does what touching contact k does, as two rods with a common end on one floor; -1: none */
static bl_index twin_of(const bl_simulation *sim, bl_index k) {
    const bl_contacts *c = &sim->contacts;
    const bl_contact_state *now = bl_contact_states_of(sim->sys, sim->state.history);
    bl_index own = c->touching[k];
    for (bl_index i = 0; i < c->ntouching && c->inner->contact[own].normal >= 0; i++) {
        bl_index other = c->touching[i];
        bool closed = now[other].mode > BL_CONTACT_OPEN, keeps = now[own].mode > BL_CONTACT_OPEN;
        int slips = c->problem->contact[i].nslip, alike = -1;
        if (i == k || c->inner->contact[other].normal < 0 || closed < keeps || slips < c->problem->contact[k].nslip ||
            (closed == keeps && slips == c->problem->contact[k].nslip && i > k))
            continue;
        while (alike < c->problem->contact[k].nslip && move_alike(c->problem, k, i, alike + 1))
            alike++;
        if (alike == c->problem->contact[k].nslip)
            return i;
    }
    return -1;
}

/* Of contacts whose forces are the same only one acts: their shares are not determined, and a formulation chooses others than an impact.
 * True: some were left out. */
static bool leave_twins(bl_simulation *sim, bool *changed) {
    bl_contacts *c = &sim->contacts;
    bl_contact_state *now = bl_contact_states(sim->sys, sim->state.history);
    bl_index n = 0, had = c->ntouching;
    for (bl_index k = 0; k < had; k++)
        c->twin[k] = twin_of(sim, k) >= 0;
    for (bl_index k = 0; k < had; k++) {
        bl_index which = c->touching[k];
        if (!c->twin[k]) {
            c->touching[n++] = which;
        } else if (now[which].mode > BL_CONTACT_OPEN) {
            now[which] = (bl_contact_state){.mode = BL_CONTACT_OPEN};
            *changed = true;
        }
    }
    c->ntouching = n;
    return n < had;
}

static bl_status solve(bl_simulation *sim, bl_index event, bool *impact, bool *changed) {
    bool opened = false;
    BL_TRY(find_touching(sim, event));
    *impact = *changed = false;
    if (sim->contacts.ntouching == 0)
        return BL_OK;
    BL_TRY(bl_contacts_gather(sim));
    if (leave_twins(sim, &opened))
        BL_TRY(bl_contacts_gather(sim));
    BL_TRY(bl_contacts_impact(sim, impact));
    BL_TRY(bl_contacts_decide(sim, event, *impact, changed));
    *changed = *changed || opened;
    return BL_OK;
}

/* at the end of its surface a contact opens */
static bool leave(bl_simulation *sim, bl_index event) {
    bl_contact_state *now = bl_contact_states(sim->sys, sim->state.history);
    if (event < 0 || bl_contact_event_of(sim, event) != BL_CONTACT_REACH)
        return false;
    bl_index which = bl_contact_of(sim, event);
    now[which] = (bl_contact_state){.mode = BL_CONTACT_OPEN};
    bl_contacts_note(sim, which, NULL, "%s leaves its surface", bl_contacts_name_of(sim, which));
    return true;
}

static bl_status refuse(bl_simulation *sim, bl_status status) {
    bl_contacts *c = &sim->contacts;
    double t = *sim->state.t;
    if (status <= 0)
        return status;
    const char *name = bl_contacts_name_of(sim, c->touching[0]);
    bl_fail(sim->ctx, BL_E_NUMERIC, NULL, "no velocities after the contact of %s at t = %.9g: a motion that it allows moves no mass", name,
            t);
    bl_advise(sim->ctx, "give mass and moment of inertia to everything that moves");
    bl_blame(sim->ctx, name, "contact", t);
    return BL_E_NUMERIC;
}

bl_status bl_contacts_cross(bl_simulation *sim, bl_index event) {
    bl_contacts *c = &sim->contacts;
    bool impact, changed;
    c->changed = false;
    bool left = leave(sim, event);
    BL_TRY(refuse(sim, solve(sim, event, &impact, &changed)));
    changed = changed || left;
    if (!impact && !changed) /* offsets stay: contacts that lie beside each other would fire in turn */
        return BL_AGAIN;
    for (bl_index i = 0; i < c->ntouching; i++) /* an open contact has to close again, wherever rounding and projections left it */
        c->offset[c->touching[i]] = fmin(c->gap[c->touching[i]], 0);
    c->changed = changed;
    memcpy(sim->step_history, sim->state.history, sim->sys->history_bytes);
    if (!changed || !sim->form)
        return BL_OK;
    sim->residual.form = NULL; /* y may mean something else */
    BL_TRY(bl_contacts_method_choose(sim));
    return bl_formulation_setup(sim->form, &sim->state);
}

/* Gap of a contact at the start. Behind a face of a convex shape a point is inside if it is behind all of them; behind a face of
 * another surface that ends it may be outside. */
static double depth(const bl_simulation *sim, bl_index i) {
    const bl_contacts *c = &sim->contacts;
    const bl_contact *contact = c->inner->contact;
    double gap = c->rows.phi[contact[i].normal];
    if (contact[i].ends && contact[i].solid < 0)
        return INFINITY;
    for (bl_index j = 0; j < c->n && contact[i].solid >= 0; j++)
        if (contact[j].solid == contact[i].solid)
            gap = fmax(gap, c->rows.phi[contact[j].normal]);
    return gap;
}

bl_status bl_contacts_strike(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_system *sys = sim->sys;
    bl_index n = 0;
    const bl_blow *blow = sys->kind->blows ? sys->kind->blows(sys, &sim->eval, &n) : NULL;
    double gain;
    if (n == 0)
        return BL_AGAIN;
    memcpy(c->blow, blow, (size_t)n * sizeof *blow);
    for (bl_index k = 0; k < n; k++)
        c->touching[k] = blow[k].contact;
    c->ntouching = n;
    BL_TRY(refuse(sim, bl_contacts_gather(sim)));
    bl_coulomb *p = c->problem;
    bl_contacts_speeds(c, sim->state.v, c->speed);
    for (bl_index k = 0; k < n; k++)
        memcpy(p->p + p->contact[k].first, c->blow[k].impulse, (size_t)(1 + p->contact[k].nslip) * sizeof *p->p);
    for (bl_index r = 0; r < p->m; r++) {
        p->u[r] = c->speed[r];
        for (bl_index s = 0; s < p->m; s++)
            p->u[r] += p->D[(size_t)s * (size_t)p->m + (size_t)r] * p->p[s];
    }
    double lost = c->lost;
    BL_TRY(bl_contacts_apply(sim, c->speed, &gain));
    c->lost = lost; /* percussions put energy in */
    c->percussions++;
    for (bl_index k = 0; k < n; k++) {
        const double *f = c->blow[k].impulse;
        bl_strike strike = bl_contacts_strike_of(sim, k, c->speed);
        strike.speed[0] = strike.speed[1] = NAN;
        bl_contacts_note(sim, c->blow[k].contact, &strike, "percussion of %.6g N s", sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]));
    }
    bl_status status = bl_contacts_cross(sim, -1);
    return status == BL_AGAIN ? BL_OK : status;
}

static const char *unit_of(const bl_contact *contact) { return !contact->has_unit ? "" : contact->is_angle ? " rad" : " m"; }

static bl_status check_start(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_system *sys = c->inner;
    BL_TRY(bl_contacts_rows_at(sim, &sim->state, BL_PHI));
    for (bl_index i = 0; i < c->n; i++) {
        if (sys->contact[i].percussion || sys->contact[i].normal < 0)
            continue;
        const bl_row *row = &sys->row[sys->contact[i].normal];
        double gap = depth(sim, i);
        if (gap >= -study_contact_inside * row->scale * bl_system_smallest(sys))
            continue;
        const char *name = bl_contacts_name_of(sim, i);
        bl_fail(sim->ctx, BL_E_MODEL, sys->contact[i].place, "%s starts inside by %.3g%s", name, -gap, unit_of(&sys->contact[i]));
        bl_advise(sim->ctx, "move the bodies apart in the file or by `initial:`, or change the stop");
        bl_blame(sim->ctx, name, "contact", *sim->state.t);
        return BL_E_MODEL;
    }
    return BL_OK;
}

static bl_status refuse_many(bl_simulation *sim) {
    const bl_contact *first = &sim->sys->contact[(bl_index)study_contact_most]; /* that is too many */
    bl_fail(sim->ctx, BL_E_MODEL, first->place, "%d contacts are more than the %.0f that can be followed from event to event",
            (int)sim->sys->ncontact, study_contact_most);
    bl_advise(sim->ctx, "use fewer pairs or simpler shapes, or `simulate: {contact: stepping}`");
    return BL_E_MODEL;
}

bl_status bl_contacts_create(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    if (sim->sys->ncontact == 0)
        return BL_OK;
    if (sim->sys->ncontact > study_contact_most)
        return refuse_many(sim);
    BL_TRY(make(sim));
    BL_TRY(bl_eval_room(sim->sys, BL_Q, &sim->eval));
    c->n = sim->sys->ncontact;
    for (bl_index i = 0; i < c->n; i++)
        c->ends = c->ends || sim->sys->contact[i].ends;
    BL_TRY(bl_eval_room(c->inner, c->ends ? BL_EVENTS : 0, &c->rows));
    BL_TRY(check_start(sim));
    bl_status status = bl_contacts_cross(sim, -1);
    return status == BL_AGAIN ? BL_OK : status;
}
