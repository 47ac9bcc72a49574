/* compare --contacts: stiffness and damping of contacts from the impacts and forces of a rigid motion.
 *
 * Restitution of the law of Hunt and Crossley: with x = chi v0 and e = v1 / v0,
 *
 *     x - ln(1 + x) = -e x - ln(1 - e x),   0 < e x < 1
 *
 * e falls from 1 to 0 as x grows. Both unknowns are found by bisection, since both sides are monotone. */
#include "study/compare_contacts_private.h"
#include "study/study_limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* x - ln(1 + x), accurate also for small x of either sign */
static double above(double x) {
    if (fabs(x) > 1e-3)
        return x - log1p(x);
    double sum = 0, power = x * x;
    for (int k = 2; k < 9; k++, power *= -x)
        sum += power / k;
    return sum;
}

double bl_yield_restitution(double damping, double speed) {
    double x = damping * speed, low = 0, high = 1; /* bounds of e x, as shares of the least of x and 1 */
    double most = x < 1 ? x : 1;
    if (!(x > 0))
        return 1;
    for (int k = 0; k < 200 && high - low > DBL_EPSILON; k++) {
        double middle = 0.5 * (low + high);
        *(above(-middle * most) < above(x) ? &low : &high) = middle; /* -y - ln(1 - y) = above(-y) */
    }
    return 0.5 * (low + high) * most / x;
}

double bl_yield_damping(double restitution, double speed) {
    double low = 0, high = 1;
    if (!(restitution < 1))
        return 0;
    while (bl_yield_restitution(high, 1) > restitution && high < 1e12)
        high *= 2;
    for (int k = 0; k < 200 && high - low > DBL_EPSILON * high; k++) {
        double middle = 0.5 * (low + high);
        *(bl_yield_restitution(middle, 1) > restitution ? &low : &high) = middle;
    }
    return 0.5 * (low + high) / speed;
}

/* ---- springs */

static double unit_of(const bl_contact_comparison *c, bl_index i) { return c->own->spring[i].is_angle ? 1 : c->report->length; }

/* impacts of a spring: their number, fastest and slowest that counts, largest impulse */
static void find_speeds(bl_contact_comparison *c, bl_index i, double *fastest, double *chosen) {
    bl_contact_spring *s = &c->own->spring[i];
    double impulse = 0;
    *fastest = *chosen = 0;
    for (bl_index k = 0; k < c->nstrike; k++) {
        const bl_contact_strike *strike = &c->strike[k];
        if (strike->spring != i || isnan(strike->mass))
            continue;
        s->impacts++;
        *fastest = fmax(*fastest, strike->speed);
        if (*chosen == 0)
            *chosen = strike->speed;
        if (strike->impulse > impulse) {
            impulse = strike->impulse;
            s->mass = strike->mass;
        }
    }
    for (bl_index k = 0; s->restitution == 0 && k < c->nstrike; k++)
        if (c->strike[k].spring == i && !isnan(c->strike[k].mass) && c->strike[k].speed > study_yield_slow * *fastest)
            *chosen = fmin(*chosen, c->strike[k].speed);
}

static void find_spring(bl_contact_comparison *c, bl_index i, double *fastest) {
    bl_contact_spring *s = &c->own->spring[i];
    double n = c->report->exponent, depth = study_yield_depth * unit_of(c, i), speed;
    s->mass = s->speed = NAN;
    find_speeds(c, i, fastest, &speed);
    s->stiffness = c->force[i] / pow(depth, n);
    if (s->impacts > 0) {
        s->speed = speed;
        s->stiffness = fmax(s->stiffness, 0.5 * (n + 1) * s->mass * *fastest * *fastest / pow(depth, n + 1));
        s->damping = bl_yield_damping(fmax(s->restitution, study_yield_dead), speed);
    }
    if (c->asked.stiffness > 0)
        s->stiffness = c->asked.stiffness;
    if (s->stiffness > 0)
        s->damping = bl_contact_damping(c, i, 1);
}

/* Contacts that only rest: damping that lets the weight settle, with half of the speed after one oscillation of a spring under a weight F
 * on the lighter body, v = sqrt(F d / m), d = (F/k)^(1/n). */
static double settling(const bl_contact_comparison *c, bl_index i, double stiffness) {
    const bl_contact_def *contact = &c->model->contact[c->number[i]];
    double mass = INFINITY;
    for (int k = 0; k < 2 && contact->touch; k++)
        if (contact->body[k] > 0 && c->model->body[contact->body[k]].mass > 0)
            mass = fmin(mass, c->model->body[contact->body[k]].mass);
    double speed = sqrt(c->force[i] * pow(c->force[i] / stiffness, 1 / c->report->exponent) / mass);
    return speed > 0 ? bl_yield_damping(0.5, speed) : 0;
}

double bl_contact_damping(const bl_contact_comparison *c, bl_index i, double factor) {
    const bl_contact_spring *s = &c->own->spring[i];
    return s->impacts > 0 ? s->damping : settling(c, i, s->stiffness * factor);
}

double bl_contact_depth(const bl_contact_comparison *c, double factor) {
    double n = c->report->exponent, most = 0;
    for (bl_index i = 0; i < c->report->nspring; i++) {
        const bl_contact_spring *s = &c->own->spring[i];
        double k = s->stiffness * factor, depth = pow(c->force[i] / k, 1 / n);
        for (bl_index j = 0; j < c->nstrike; j++)
            if (c->strike[j].spring == i && !isnan(c->strike[j].mass))
                depth = fmax(depth, pow(0.5 * (n + 1) * s->mass * c->strike[j].speed * c->strike[j].speed / k, 1 / (n + 1)));
        most = fmax(most, depth / unit_of(c, i));
    }
    return most;
}

/* ---- how far they fit */

static bl_status note(bl_contact_comparison *c, const char *text) {
    if (!text)
        return BL_E_MEMORY;
    c->own->note[c->report->nnote++] = text;
    return BL_OK;
}

/* the first impact at whose speed the damping gives another restitution */
static void find_end(bl_contact_comparison *c) {
    bl_compare_contacts_report *r = c->report;
    for (bl_index k = 0; k < c->nstrike; k++) {
        const bl_contact_strike *strike = &c->strike[k];
        const bl_contact_spring *s = &c->own->spring[strike->spring];
        double e = bl_yield_restitution(s->damping, strike->speed);
        bool rest = isnan(strike->mass) || (s->restitution == 0 && strike->speed < s->speed);
        if (rest || fabs(e - s->restitution) <= study_yield_fit * (1 + 1e-6) || !(strike->t < r->compared))
            continue;
        r->compared = strike->t;
        snprintf(r->reason, sizeof r->reason,
                 "'%.96s' has an impact at %.3g %s, at which its damping gives a restitution of %.3g, not %.3g", s->name, strike->speed,
                 s->is_angle ? "rad/s" : "m/s", e, s->restitution);
    }
    if (c->left_out > 0 && c->nstrike > 0 && c->strike[c->nstrike - 1].t < r->compared) {
        r->compared = c->strike[c->nstrike - 1].t;
        snprintf(r->reason, sizeof r->reason, "only the first %d impacts are known", (int)c->nstrike);
    }
}

static bl_status note_together(bl_contact_comparison *c) {
    for (bl_index k = 1; k < c->nstrike; k++) {
        const bl_contact_strike *a = &c->strike[k - 1], *b = &c->strike[k];
        if (a->t != b->t || a->spring == b->spring || b->t > c->report->compared)
            continue;
        return note(
            c, bl_arena_printf(c->arena,
                               "'%s' and '%s' are struck at the same instant, %.6g s: springs that act on each other share an impact by "
                               "their stiffnesses, so the limit need not be the rigid impact",
                               c->own->spring[a->spring].name, c->own->spring[b->spring].name, b->t));
    }
    return BL_OK;
}

static bl_status note_laws(bl_contact_comparison *c) {
    const char *dead = NULL, *higher = NULL;
    for (bl_index i = 0; i < c->report->nspring; i++)
        if (c->own->spring[i].impacts > 0 && c->own->spring[i].restitution == 0)
            dead = dead ? dead : c->own->spring[i].name;
    for (bl_index i = 0; i < c->model->ncontact; i++)
        if (c->model->contact[i].force < 0 && c->model->contact[i].sticking > c->model->contact[i].friction)
            higher = higher ? higher : c->model->contact[i].name;
    if (dead)
        BL_TRY(note(c, bl_arena_printf(c->arena, "'%s': restitution 0 is replaced by %g, which the law reaches with a finite damping", dead,
                                       study_yield_dead)));
    if (higher)
        BL_TRY(note(c, bl_arena_printf(c->arena, "'%s': the friction of the law has no larger coefficient at rest", higher)));
    if (c->sticks)
        BL_TRY(note(c, bl_arena_printf(c->arena, "friction that sticks is replaced by friction that creeps, slower at every level")));
    return BL_OK;
}

bl_status bl_contact_springs(bl_contact_comparison *c) {
    bl_compare_contacts_report *r = c->report;
    double stiffest = 0, fastest;
    for (bl_index i = 0; i < r->nspring; i++) {
        find_spring(c, i, &fastest);
        stiffest = fmax(stiffest, c->own->spring[i].stiffness);
    }
    if (!(stiffest > 0)) {
        bl_fail(c->ctx, BL_E_MODEL, NULL, "no contact of the model touches until %g s: there is nothing to compare", r->until);
        bl_advise(c->ctx, "give a later --until");
        return BL_E_MODEL;
    }
    for (bl_index i = 0; i < r->nspring; i++) /* those that never touched */
        if (!(c->own->spring[i].stiffness > 0))
            c->own->spring[i].stiffness = stiffest;
    find_end(c);
    BL_TRY(note_together(c));
    return note_laws(c);
}
