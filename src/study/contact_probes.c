/* Where a step needs more probes for events of open contacts. The function f of each (contacts.h) and its rate f' are known at two probes
 * a < b. A further one is needed
 *
 *     between    f > 0 at both, f'_a < 0 < f'_b: a corner grazes a floor, an edge is passed fast. Where f is convex it lies above its
 *                tangents, which meet at  t = a + (f_b - f_a - f'_b h) / (f'_a - f'_b),  h = b - a;  not if they meet above zero. Beside
 *                a surface that ends f is neither convex nor continuous: then not if they meet above a share of (f'_b - f'_a) h
 *     after a    f'_a > 0, f_b < 0, f_a near 0: it has just left and is back. At the top of the parabola through these,
 *                t = a + f'_a h^2 / 2 (f_a + f'_a h - f_b), f is distinctly positive, or a is the last time it rises
 *
 * Kinks, as of thin bodies that are passed, have their bottom where the tangents meet. */
#include "study/contacts.h"
#include "study/simulation.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

/* rates of gaps at a state, from rows with all contacts closed */
static void find_gap_rates(const bl_simulation *sim, const bl_state *state) {
    const bl_contacts *c = &sim->contacts;
    const bl_pattern *G = &c->inner->pat_G;
    memset(c->row_c, 0, (size_t)c->inner->np * sizeof *c->row_c);
    for (bl_index j = 0; j < c->inner->nv; j++)
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++)
            c->row_c[G->idx[p]] += c->rows.G[p] * state->v[j];
}

static void read_functions(bl_simulation *sim, const bl_state *state, double *f) {
    bl_contacts_open_functions(sim, state, sim->eval.event + sim->sys->contact_event, f);
}

/* the functions slightly later, along the velocities */
static bl_status look_ahead(bl_simulation *sim, const bl_state *state, double time, double *f) {
    bl_contacts *c = &sim->contacts;
    const bl_system *sys = sim->sys;
    bl_state_copy(sys, &c->trial, state);
    for (bl_index j = 0; j < sys->nv; j++)
        c->shift[j] = time * state->v[j];
    BL_TRY(bl_system_retract(sys, state->q, c->shift, c->trial.q));
    *c->trial.t += time;
    bl_eval_at(&sim->eval, &c->trial);
    BL_TRY(bl_system_eval(sys, &sim->eval, BL_EVENTS));
    read_functions(sim, state, f);
    return BL_OK;
}

/* Functions and their rates at a state. Near a surface f is the gap, and the rate follows from velocities; beside one it is found by a
 * difference. */
static bl_status look(bl_simulation *sim, const bl_state *state, bl_contact_probe *at) {
    bl_contacts *c = &sim->contacts;
    const bl_contact *contact = sim->sys->contact;
    double ahead = study_contact_ahead * (sim->integ->t - sim->integ->t_old);
    bl_eval_at(&sim->eval, state);
    BL_TRY(bl_system_eval(sim->sys, &sim->eval, BL_EVENTS));
    read_functions(sim, state, at->f);
    if (c->ends)
        BL_TRY(look_ahead(sim, state, ahead, at->rate));
    BL_TRY(bl_contacts_rows_at(sim, state, BL_PHI | BL_G));
    find_gap_rates(sim, state);
    for (bl_index i = 0; i < c->n; i++) {
        double gap = contact[i].normal >= 0 ? c->rows.phi[contact[i].normal] - c->offset[i] : 1;
        bool smooth = !contact[i].ends || fabs(at->f[i] - gap) <= study_contact_closed * bl_contacts_size(sim, i);
        if (at->f[i] == 1)
            at->rate[i] = 0;
        else
            at->rate[i] = smooth ? c->row_c[contact[i].normal] : (at->rate[i] - at->f[i]) / ahead;
    }
    return BL_OK;
}

bl_status bl_contacts_turning(bl_simulation *sim, const bl_state *state, double *fastest) {
    const bl_system *sys = sim->sys;
    bl_eval_at(&sim->eval, state);
    BL_TRY(bl_system_eval(sys, &sim->eval, BL_POSE));
    for (bl_index b = 0; b < sys->nbody; b++) {
        const double *w = sim->eval.pose[b].angular_velocity;
        *fastest = fmax(*fastest, sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    }
    return BL_OK;
}

bl_status bl_contacts_probe_begin(bl_simulation *sim, double t) {
    BL_TRY(bl_simulation_dense(sim, t, &sim->at));
    return look(sim, &sim->at, &sim->contacts.from);
}

/* a point is beside a body, far behind the face of this contact */
static bool counts(const bl_simulation *sim, bl_index i, double f) { return !bl_contacts_behind(sim, i, f); }

/* time after a of the next probe for contact i; 0: none. Flights and depths below c->height are not told from rest. */
static double suggest(const bl_simulation *sim, bl_index i, double h) {
    const bl_contacts *c = &sim->contacts;
    double f = c->from.f[i], rate = c->from.rate[i], f_end = c->to.f[i], rate_end = c->to.rate[i];
    if (f > 0 && f_end > 0 && rate < 0 && rate_end > 0) {
        double s = (f_end - f - rate_end * h) / (rate - rate_end),
               bent = sim->sys->contact[i].ends ? study_contact_bent * (rate_end - rate) * h : 0;
        return f + rate * s > bent - c->height ? 0 : fmin(fmax(s, 0.05 * h), 0.95 * h);
    }
    if (rate > 0 && f_end < 0 && counts(sim, i, f)) {
        double s = 0.5 * rate * h * h / (f + rate * h - f_end), top = 0.5 * rate * s;
        return top > c->height && f < 0.2 * top ? fmin(fmax(s, 0.01 * h), 0.9 * h) : 0;
    }
    return 0;
}

bl_status bl_contacts_probe(bl_simulation *sim, double a, double b, const bl_state *end, double *between) {
    bl_contacts *c = &sim->contacts;
    double h = b - a;
    *between = INFINITY;
    BL_TRY(look(sim, end, &c->to));
    if (!(h > 4 * study_event_located * fmax(fabs(b), sim->integ->t - sim->integ->t_old)))
        return BL_OK;
    for (bl_index i = 0; i < c->n; i++) {
        double s = suggest(sim, i, h);
        if (s > 0 && a + s > a && a + s < b)
            *between = fmin(*between, a + s);
    }
    return BL_OK;
}

void bl_contacts_probe_keep(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    bl_contact_probe was = c->from;
    c->from = c->to;
    c->to = was;
}

/* deeper, or faster, than a method may be wrong */
static bool is_certain(const bl_contacts *c, double f, double rate) { return f < -c->error || rate < -c->error; }

bool bl_contacts_approaches(const bl_simulation *sim, bl_index i) {
    const bl_contacts *c = &sim->contacts;
    double f = c->to.f[i], rate = c->to.rate[i];
    if (c->from.f[i] <= c->height)
        return is_certain(c, f, rate);
    return f < -c->height || rate < -study_contact_approach * c->rest;
}

bool bl_contacts_enters(const bl_simulation *sim, bl_index i) {
    const bl_contacts *c = &sim->contacts;
    double was = c->from.f[i], f = c->to.f[i], rate = c->to.rate[i];
    return was <= 0 && f < 0 && rate < -study_contact_approach * c->rest && is_certain(c, f, rate) && (c->from.rate[i] <= 0 || f < was) &&
           counts(sim, i, f) && counts(sim, i, was);
}

bool bl_contacts_entered(const bl_simulation *sim, bl_index i, double f, double rate) {
    const bl_contacts *c = &sim->contacts;
    return f < 0 && rate < -study_contact_approach * c->rest && is_certain(c, f, rate) && counts(sim, i, f);
}
