/* Modes of contacts after an event: accelerations and forces of those that touch and do not separate,
 *
 *     M a + G^T lambda = Q + W^T F,   G a = c,   W a = u' + c_W
 *
 * with F and u' complementary, Coulomb's law for contacts that do not slide yet, known friction for those that do (coulomb.h). */
#include "study/contacts.h"

#include "dense/dense.h"
#include "study/simulation.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* the forces Q on the mechanism without contacts; those of dry friction in joints as last known */
bl_status bl_contacts_free(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_system *sys = sim->sys;
    bl_state_copy(sys, &c->trial, &sim->state);
    bl_contact_state *states = bl_contact_states(sys, c->trial.history);
    for (bl_index i = 0; i < c->n; i++)
        states[i].mode = BL_CONTACT_OPEN;
    const double *load = sim->eval.load;
    if (sim->form)
        sim->eval.load = sim->form->at_e.load;
    bl_eval_at(&sim->eval, &c->trial);
    bl_status status = bl_system_eval(sys, &sim->eval, BL_Q);
    memcpy(c->Q, sim->eval.Q, (size_t)sys->nv * sizeof *c->Q);
    sim->eval.load = load;
    BL_TRY(status);
    BL_TRY(bl_contacts_second_rates(sim, &sim->state));
    return bl_kkt_solve(c->kkt, c->Q, c->mass.c, c->free, NULL);
}

/* Speeds after which a contact does not rise above c->height: the largest of the accelerations between touching bodies stands for the one
 * that brings it back, which other contacts may cause. */
void bl_contacts_slow(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    double most = 0;
    bl_contacts_speeds(c, c->free, p->u);
    for (bl_index i = 0; i < c->ntouching; i++) {
        bl_index normal = c->inner->contact[c->touching[i]].normal;
        if (normal >= 0)
            most = fmax(most, fabs(p->u[p->contact[i].first] - c->rows.c[normal]));
    }
    c->slow = fmax(c->rest, sqrt(2 * c->height * most));
}

/* whether a contact slips with the one of the event */
static bool slips(const bl_simulation *sim, bl_index hit, bl_index which) {
    const bl_index *group = sim->contacts.group;
    return which == hit || (hit >= 0 && group[hit] >= 0 && group[which] == group[hit]);
}

/* the direction against which a contact, or its group, was held: there it slides; false: there was no friction */
static bool last_friction(const bl_simulation *sim, bl_index which, double side[2]) {
    const bl_contacts *c = &sim->contacts;
    const bl_contact *of = &sim->sys->contact[which];
    const bl_contact_state *now = bl_contact_states_of(sim->sys, sim->state.history);
    double rub[2] = {0, 0};
    for (bl_index j = 0; j < c->n; j++)
        for (int k = 0; k < of->nslip; k++)
            if (j == which || (slips(sim, which, j) && now[j].mode == BL_CONTACT_STICK))
                rub[k] += bl_contacts_multiplier(c, sim->sys->contact[j].slip[k]);
    double size = hypot(rub[0], rub[1]);
    for (int k = 0; k < of->nslip && size > 0; k++)
        side[k] = rub[k] / size;
    return size > 0;
}

/* The problem of accelerations in the contacts that stay closed; others are left out by a large separating acceleration. */
static void pose(bl_simulation *sim, bl_index event, bool impact, const double *speed) {
    bl_contacts *c = &sim->contacts;
    bl_coulomb *p = c->problem;
    const bl_system *sys = c->inner;
    const bl_contact_state *now = bl_contact_states_of(sim->sys, sim->state.history);
    bl_index hit = event < 0 || bl_contact_event_of(sim, event) == BL_CONTACT_REACH ? -1 : bl_contact_of(sim, event);
    bool tangential = hit >= 0 && bl_contact_event_of(sim, event) == BL_CONTACT_SIDEWAYS,
         halts = tangential && now[hit].mode == BL_CONTACT_SLIDE;
    bl_contacts_speeds(c, c->free, p->b);
    p->rounded = bl_contacts_rounded(c, c->free);
    for (bl_index i = 0; i < c->ntouching; i++) {
        bl_index which = c->touching[i];
        const bl_contact *of = &sys->contact[which];
        bl_coulomb_contact *k = &p->contact[i];
        double *b = p->b + k->first, slip = 0;
        const double *u = speed + k->first;
        if (of->normal >= 0)
            b[0] -= c->rows.c[of->normal];
        for (int t = 0; t < of->nslip; t++) {
            b[1 + t] -= c->rows.c[of->slip[t]];
            slip = hypot(slip, u[1 + t]);
        }
        bool was_sliding = bl_contacts_moves(&now[which]) && !halts && !impact; /* several may halt together */
        k->friction = of->friction;
        k->sticking = of->sticking;
        k->least = 0;
        k->group = c->group[which];
        /* what halts at this event may have a speed of the size of the tolerance: of projections */
        bool halted = halts && slips(sim, hit, which) && of->nslip == 1;
        k->sliding = of->nslip > 0 && !halted && (slip > c->rest || was_sliding);
        for (int t = 0; t < of->nslip && k->sliding; t++)
            k->side[t] = slip > c->rest ? u[1 + t] / slip : now[which].side[t];
        if (slips(sim, hit, which) && tangential && now[which].mode == BL_CONTACT_STICK && !k->sliding)
            k->sliding = last_friction(sim, which, k->side);
        /* a contact that separates, or has just lifted */
        if (of->normal < 0)
            continue;
        if (u[0] > c->slow || (which == hit && !tangential && now[which].mode > BL_CONTACT_OPEN))
            b[0] = INFINITY;
    }
}

/* contacts whose b is infinite are taken out of the problem: their rows and columns vanish */
static void leave_out(bl_coulomb *p) {
    double size = p->rounded; /* of the others: they are judged relative to it */
    for (bl_index r = 0; r < p->m; r++)
        size = isfinite(p->b[r]) ? fmax(size, fabs(p->b[r])) : size;
    for (bl_index i = 0; i < p->n; i++) {
        const bl_coulomb_contact *k = &p->contact[i];
        if (p->b[k->first] < INFINITY)
            continue;
        for (int t = 0; t <= k->nslip; t++) {
            bl_index r = k->first + t;
            for (bl_index s = 0; s < p->m; s++)
                p->D[(size_t)r * (size_t)p->m + (size_t)s] = p->D[(size_t)s * (size_t)p->m + (size_t)r] = 0;
            p->b[r] = t > 0 ? 0 : size > 0 ? size : 1;
        }
    }
}

/* a friction coefficient beyond which contact `which` of the problem, which slides, has no normal force: bl_coulomb_sliding_entry 0 */
static double painleve_limit(const bl_coulomb *p, bl_index which) {
    const bl_coulomb_contact *k = &p->contact[which];
    double entry = bl_coulomb_sliding_entry(p, which), own = p->D[(size_t)k->first * (size_t)(p->m + 1)];
    return k->friction * own / (own - entry);
}

/* of those that slide, the one whose entry is the smallest part of the diagonal; -1: none */
static bl_index worst_sliding(const bl_coulomb *p, double *least) {
    bl_index worst = -1;
    *least = INFINITY;
    for (bl_index i = 0; i < p->n; i++) {
        const bl_coulomb_contact *k = &p->contact[i];
        double own = p->D[(size_t)k->first * (size_t)(p->m + 1)];
        if (!k->sliding || !(own > 0) || !(bl_coulomb_sliding_entry(p, i) / own < *least))
            continue;
        *least = bl_coulomb_sliding_entry(p, i) / own;
        worst = i;
    }
    return worst;
}

static bl_status refuse(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    bl_coulomb *p = c->problem;
    double least, t = *sim->state.t;
    bl_index worst = worst_sliding(p, &least);
    const char *name = bl_contacts_name_of(sim, c->touching[worst < 0 ? 0 : worst]);
    if (!(least <= study_contact_painleve)) {
        bl_fail(sim->ctx, BL_E_NUMERIC, NULL, "no accelerations satisfy the contacts at t = %.9g (%s and %d more)", t, name,
                (int)c->ntouching - 1);
    } else {
        const bl_coulomb_contact *k = &p->contact[worst];
        double limit = painleve_limit(p, worst);
        bl_fail(sim->ctx, BL_E_NUMERIC, NULL,
                "%s slides with a friction coefficient of %.4g, %s %.4g: no acceleration (Painleve) at t = %.6g", name, k->friction,
                least <= 0 ? "more than" : "nearly", limit, t);
    }
    bl_advise(sim->ctx, c->painleve ? "use a smaller friction coefficient, or a compliant contact"
                                    : "use a smaller friction coefficient, a compliant contact, or `painleve: impact`");
    bl_blame(sim->ctx, name, "contact", t);
    return BL_E_NUMERIC;
}

/* the problem of the contacts that are closed, as they slide now */
static bl_status pose_sliding(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_contact_state *now = bl_contact_states_of(sim->sys, sim->state.history);
    c->ntouching = 0;
    for (bl_index i = 0; i < c->n; i++)
        if (now[i].mode > BL_CONTACT_OPEN)
            c->touching[c->ntouching++] = i;
    if (c->ntouching == 0)
        return BL_OK;
    BL_TRY(bl_contacts_gather(sim));
    for (bl_index i = 0; i < c->ntouching; i++) {
        bl_coulomb_contact *k = &c->problem->contact[i];
        k->friction = sim->sys->contact[c->touching[i]].friction;
        k->sliding = now[c->touching[i]].mode == BL_CONTACT_SLIDE && k->nslip > 0;
        memcpy(k->side, now[c->touching[i]].side, sizeof k->side);
    }
    return BL_OK;
}

/* the contacts that are closed, as they slide now, have no forces */
bl_status bl_contacts_explain(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    bool slides = false;
    BL_TRY(pose_sliding(sim));
    for (bl_index i = 0; i < c->ntouching; i++)
        slides = slides || c->problem->contact[i].sliding;
    return slides ? refuse(sim) : BL_OK;
}

/* several solutions while sliding: the entry of D decides, not the signs */
static void warn_several(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    if (c->problem->solutions < 2 || c->warned_unique)
        return;
    bl_warn(sim->ctx, *sim->state.t, bl_contacts_name_of(sim, c->touching[0]),
            "contact forces have several solutions at t = %.6g (%s): friction allows different accelerations", *sim->state.t,
            bl_contacts_name_of(sim, c->touching[0]));
    c->warned_unique = true;
}

static const char *const words[] = {"opens", "slides", "sticks"};

/* without a normal force nothing is held: it slides where it is accelerated */
static void slide_without_load(const bl_coulomb *p, bl_coulomb_contact *k) {
    const double *u = p->u + k->first + 1;
    double size = k->nslip == 2 ? hypot(u[0], u[1]) : fabs(u[0]);
    k->mode = size > 0 ? BL_COULOMB_SLIDE : BL_COULOMB_STICK;
    for (int t = 0; t < k->nslip && size > 0; t++)
        k->side[t] = u[t] / size;
}

/* In the plane the direction stays; in space it may turn, by less than a right angle: halting is known by the component along the first. */
static bool slides_on(const bl_coulomb_contact *k, const bl_contact_state *was, const bl_contact_state *next) {
    double along = was->side[0] * next->side[0] + was->side[1] * next->side[1];
    if (k->nslip < 2)
        return k->nslip == 0 || next->side[0] == was->side[0];
    return along > 0 || (!bl_contacts_moves(was) && !bl_contacts_moves(next));
}

/* it slides as before, only its direction is known anew */
static bool turns(const bl_simulation *sim, const bl_coulomb_contact *k, const bl_contact_state *was, const bl_contact_state *next,
                  const double *speed) {
    const double *u = speed + k->first;
    return k->nslip == 2 && bl_contacts_moves(was) && bl_contacts_moves(next) && hypot(u[1], u[2]) > sim->contacts.rest;
}

static bool take_modes(bl_simulation *sim, const double *speed) {
    bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    bl_contact_state *now = bl_contact_states(sim->sys, sim->state.history);
    bool changed = false;
    for (bl_index i = 0; i < c->ntouching; i++) {
        bl_coulomb_contact *k = &p->contact[i];
        bl_index which = c->touching[i];
        c->slack[which] = k->slack;
        if (sim->sys->contact[which].normal < 0 && k->mode == BL_COULOMB_OPEN && !k->sliding)
            slide_without_load(p, k);
        bool closed = k->mode != BL_COULOMB_OPEN || p->p[k->first] > 0 || sim->sys->contact[which].normal < 0;
        bl_contact_state next = {.mode = !closed                       ? BL_CONTACT_OPEN
                                         : k->nslip == 0               ? BL_CONTACT_SLIDE
                                         : k->mode == BL_COULOMB_STICK ? BL_CONTACT_STICK
                                                                       : BL_CONTACT_SLIDE};
        if (next.mode == BL_CONTACT_SLIDE)
            memcpy(next.side, k->side, sizeof next.side);
        if (next.mode == now[which].mode && (next.mode != BL_CONTACT_SLIDE || slides_on(k, &now[which], &next)))
            continue;
        bool frictionless = k->nslip == 0, rests = next.mode == BL_CONTACT_SLIDE && !frictionless && !bl_contacts_moves(&next);
        bool rested = now[which].mode > BL_CONTACT_OPEN && !bl_contacts_moves(&now[which]);
        if (!(rests && rested) && !turns(sim, k, &now[which], &next, speed))
            bl_contacts_note(sim, which, NULL, "%s %s", bl_contacts_name_of(sim, which),
                             frictionless && closed ? "closes" : words[rests ? BL_CONTACT_STICK : (int)next.mode]);
        now[which] = next;
        changed = true;
    }
    return changed;
}

/* ---- rest */

/* rows whose speeds are zero from now on: gaps of closed contacts, sliding of those that stick */
static bl_index held_rows(const bl_simulation *sim, bl_index *row) {
    const bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    const bl_contact_state *now = bl_contact_states_of(sim->sys, sim->state.history);
    bl_index n = 0;
    for (bl_index i = 0; i < c->ntouching; i++) {
        const bl_contact *of = &c->inner->contact[c->touching[i]];
        double mode = now[c->touching[i]].mode;
        if (mode > BL_CONTACT_OPEN && of->normal >= 0)
            row[n++] = p->contact[i].first;
        for (int t = 0; t < of->nslip && mode == BL_CONTACT_STICK; t++)
            row[n++] = p->contact[i].first + 1 + t;
    }
    return n;
}

/* The least impulses p->x that take away the speeds of rows p->unknown[n]: v -= A W^T D^-1 W v. */
static bl_status find_halting(bl_simulation *sim, const double *speed, bl_index n) {
    bl_coulomb *p = sim->contacts.problem;
    bl_index rank;
    for (bl_index a = 0; a < n; a++) {
        p->x[a] = -speed[p->unknown[a]];
        for (bl_index b = 0; b < n; b++)
            p->A[(size_t)a * (size_t)n + (size_t)b] = p->D[(size_t)p->unknown[a] * (size_t)p->m + (size_t)p->unknown[b]];
    }
    return bl_least_norm(sim->ctx, n, n, p->A, study_contact_rank, p->x, &rank, p->work);
}

static void add_halting(const bl_simulation *sim, bl_index n, double *v) {
    const bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    size_t nv = (size_t)c->inner->nv;
    for (bl_index a = 0; a < n; a++)
        for (size_t j = 0; j < nv; j++)
            v[j] += c->answer[(size_t)p->unknown[a] * nv + j] * p->x[a];
}

/* What is left of the speeds of held rows, less than that of rest, is taken away. */
static bl_status halt(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    bl_index n = held_rows(sim, c->problem->unknown);
    if (n == 0)
        return BL_OK;
    bl_contacts_speeds(c, sim->state.v, c->speed);
    BL_TRY(find_halting(sim, c->speed, n));
    double gain = 0;
    for (bl_index a = 0; a < n; a++)
        gain += 0.5 * p->x[a] * c->speed[p->unknown[a]];
    *sim->state.work += gain;
    c->lost -= gain;
    add_halting(sim, n, sim->state.v);
    return BL_OK;
}

/* rows that the accelerations may hold: gaps of contacts in the problem, sliding of those that do not slide; their fastest speed */
static bl_index resting_rows(const bl_simulation *sim, const double *speed, bl_index *row, double *fastest) {
    const bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    bl_index n = 0;
    *fastest = 0;
    for (bl_index i = 0; i < c->ntouching; i++) {
        const bl_coulomb_contact *k = &p->contact[i];
        bool gap = c->inner->contact[c->touching[i]].normal >= 0;
        if (gap && p->b[k->first] == INFINITY)
            continue;
        for (int t = !gap; t <= (k->sliding ? 0 : k->nslip); t++) {
            row[n++] = k->first + t;
            *fastest = fmax(*fastest, fabs(speed[k->first + t]));
        }
    }
    return n;
}

/* Contacts at rest may still have speeds, up to that of rest, which halt() takes away once it is known which of them stay closed. Their
 * centripetal accelerations are none of the motion after that: those of rows that depend on each other, as of two corners of a block on a
 * floor, would contradict each other. *changed: c->free is without them, and so are c of the rows. */
static bl_status leave_rest(bl_simulation *sim, const double *speed, bool *changed) {
    bl_contacts *c = &sim->contacts;
    double fastest;
    bl_index n = resting_rows(sim, speed, c->problem->unknown, &fastest);
    *changed = fastest > c->rest;
    if (!*changed)
        return BL_OK;
    BL_TRY(find_halting(sim, speed, n));
    bl_state_copy(sim->sys, &c->trial, &sim->state);
    add_halting(sim, n, c->trial.v);
    BL_TRY(bl_contacts_second_rates(sim, &c->trial));
    return bl_kkt_solve(c->kkt, c->Q, c->mass.c, c->free, NULL);
}

/* ---- joints that stick although others already hold them */

/* D after the rows in `row` have been held: what is left of the diagonal says whether a further row is independent */
static void eliminate(bl_coulomb *p, bl_index row) {
    size_t m = (size_t)p->m, r = (size_t)row;
    double pivot = p->A[r * m + r];
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m && i != r; j++)
            if (j != r)
                p->A[i * m + j] -= p->A[i * m + r] * p->A[r * m + j] / pivot;
    for (size_t i = 0; i < m; i++)
        p->A[i * m + r] = p->A[r * m + i] = 0;
}

/* holds a row if it is independent */
static bool hold(bl_coulomb *p, bl_index row) {
    size_t at = (size_t)row * (size_t)(p->m + 1);
    if (!(p->A[at] > study_contact_rank * p->D[at]))
        return false;
    eliminate(p, row);
    return true;
}

/* Multipliers of dependent rows are not unique, and those of a formulation know no limits of friction. A joint whose rows depend on others
 * slides in name only: it keeps the share of friction that the solution has, at rest. */
static void share_friction(bl_coulomb_contact *k, const double *force) {
    double most = k->friction * force[0];
    k->mode = BL_COULOMB_SLIDE;
    for (int t = 0; t < k->nslip; t++)
        k->side[t] = most > 0 ? -force[1 + t] / most : 0;
}

static void free_dependent(const bl_simulation *sim) {
    const bl_contacts *c = &sim->contacts;
    bl_coulomb *p = c->problem;
    memcpy(p->A, p->D, (size_t)p->m * (size_t)p->m * sizeof *p->A);
    for (int pass = 0; pass < 3; pass++) /* gaps, contacts that stick, joints that stick */
        for (bl_index i = 0; i < p->n; i++) {
            bl_coulomb_contact *k = &p->contact[i];
            bool joint = c->inner->contact[c->touching[i]].normal < 0, sticks = k->mode == BL_COULOMB_STICK && !k->sliding, held = true;
            if (pass == 0 && !joint && k->mode != BL_COULOMB_OPEN)
                hold(p, k->first);
            for (int t = 0; pass == 1 + joint && t < k->nslip && sticks; t++)
                held = hold(p, k->first + 1 + t) && held;
            if (!held && joint)
                share_friction(k, p->p + k->first);
        }
}

/* ---- friction in joints: its normal force is a normal load of the mechanism, which depends on the reactions and thereby on all forces of
 * contacts. They are repeated until both agree. */

static bool any_rubs(const bl_contacts *c) {
    for (bl_index i = 0; i < c->ntouching; i++)
        if (c->inner->contact[c->touching[i]].normal < 0)
            return true;
    return false;
}

/* accelerations and multipliers of the last solution, and the normal loads in them */
static bl_status find_loads(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    bl_eval *e = &c->rows;
    size_t nv = (size_t)c->inner->nv;
    memcpy(c->x, c->Q, nv * sizeof *c->x);
    for (bl_index r = 0; r < p->m; r++)
        for (size_t j = 0; j < nv; j++)
            c->x[j] += c->W[(size_t)r * nv + j] * p->p[r];
    BL_TRY(bl_kkt_solve(c->kkt, c->x, c->mass.c, c->a, c->impulse));
    for (bl_index i = 0; i < c->ntouching; i++) {
        const bl_contact *of = &c->inner->contact[c->touching[i]];
        if (of->normal >= 0)
            c->impulse[of->normal] = -p->p[p->contact[i].first];
        for (int t = 0; t < of->nslip; t++)
            c->impulse[of->slip[t]] = -p->p[p->contact[i].first + 1 + t];
    }
    const double *a = e->a, *lambda = e->lambda;
    e->load = sim->form ? sim->form->at_e.load : NULL;
    e->a = c->a;
    e->lambda = c->impulse;
    e->have &= ~(uint32_t)(BL_LOADS | BL_WRENCH);
    bl_status status = bl_system_eval(c->inner, e, BL_LOADS);
    e->a = a;
    e->lambda = lambda;
    return status;
}

/* sets the normal forces; true: they are those of the last solution */
static bool take_loads(bl_contacts *c) {
    bl_coulomb *p = c->problem;
    double most = 0, moved = 0;
    for (bl_index i = 0; i < c->ntouching; i++) {
        const bl_contact *of = &c->inner->contact[c->touching[i]];
        if (of->normal >= 0)
            continue;
        double *b = &p->b[p->contact[i].first], load = c->rows.load_now[of->load];
        most = fmax(most, load);
        moved = fmax(moved, fabs(load + *b));
        *b = -load;
    }
    return moved <= study_contact_load * most;
}

static bl_status solve(bl_simulation *sim) {
    enum { ITERATIONS = 100 };
    bl_contacts *c = &sim->contacts;
    BL_TRY(bl_coulomb_solve(c->problem));
    for (int k = 0; any_rubs(c) && k < ITERATIONS; k++) { /* where they do not settle, the joint jams: the formulation reports that */
        BL_TRY(find_loads(sim));
        if (take_loads(c))
            break;
        BL_TRY(bl_coulomb_solve(c->problem));
    }
    return BL_OK;
}

/* *none: no accelerations satisfy the contacts, or those of a contact that cannot slide like this. exact: contacts that part slowly do. */
static bl_status accelerate(bl_simulation *sim, bl_index event, bool impact, bool exact, bool *none) {
    bl_contacts *c = &sim->contacts;
    bool changed;
    BL_TRY(bl_contacts_free(sim));
    bl_contacts_slow(sim);
    c->slow = exact ? c->rest : c->slow;
    bl_contacts_speeds(c, sim->state.v, c->speed);
    pose(sim, event, impact, c->speed);
    BL_TRY(leave_rest(sim, c->speed, &changed));
    if (changed)
        pose(sim, event, impact, c->speed);
    leave_out(c->problem);
    bl_status status = solve(sim);
    *none = status == BL_NO_CONVERGENCE;
    if (status < 0 || (status > 0 && !*none))
        return status;
    for (bl_index i = 0; i < c->ntouching && !*none; i++)
        *none = c->problem->contact[i].sliding && c->problem->contact[i].mode != BL_COULOMB_OPEN &&
                bl_coulomb_sliding_entry(c->problem, i) <= 0;
    return BL_OK;
}

/* An impact without collision of the contact that slides beyond the limit, or within `near` of it. */
static bl_status halt_suddenly(bl_simulation *sim, double near, bool *done) {
    double least;
    bl_index worst = worst_sliding(sim->contacts.problem, &least);
    *done = false;
    if (worst < 0 || !(least <= near))
        return BL_OK;
    return bl_contacts_halt(sim, worst, painleve_limit(sim->contacts.problem, worst), done);
}

bl_status bl_contacts_rescue(bl_simulation *sim, bool *done) {
    bl_contacts *c = &sim->contacts;
    bool changed;
    *done = false;
    if (!c->n || !c->painleve)
        return BL_OK;
    BL_TRY(pose_sliding(sim));
    if (c->ntouching == 0)
        return BL_OK;
    BL_TRY(halt_suddenly(sim, study_contact_painleve, done));
    if (!*done)
        return BL_OK;
    return bl_contacts_decide(sim, -1, true, &changed);
}

bl_status bl_contacts_decide(bl_simulation *sim, bl_index event, bool impact, bool *changed) {
    bl_contacts *c = &sim->contacts;
    bool none, halted = false;
    BL_TRY(accelerate(sim, event, impact, false, &none));
    if (none) /* a bounce too low to matter may end friction that would jam at rest */
        BL_TRY(accelerate(sim, event, impact, true, &none));
    if (none && c->painleve)
        BL_TRY(halt_suddenly(sim, 0, &halted));
    if (none && c->painleve) {
        impact = impact || halted;
        BL_TRY(accelerate(sim, halted ? -1 : event, impact, false, &none));
    }
    if (none)
        return refuse(sim);
    warn_several(sim);
    free_dependent(sim);
    *changed = take_modes(sim, c->speed);
    memset(c->inner_force, 0, (size_t)c->inner->np * sizeof *c->inner_force);
    c->inner_due = c->problem->redundant;
    return *changed || impact ? halt(sim) : BL_OK; /* an impact may leave closed contacts with a speed that is rest */
}
