/* Impacts: velocities jump where contacts that touch approach each other, with all other constraints of the mechanism,
 *
 *     M (v+ - v-) + G^T Lambda = W^T P,   G v+ = b,   u = W v
 *
 *     Newton    u_N+ >= -e u_N-,  Coulomb's law for the impulses with the speeds after the impact
 *     Poisson   compression until u_N = 0, then expansion with at least e times the normal impulse of compression, Coulomb's law in each
 *
 * Newton's law may gain energy where there is friction; Poisson's does not (Pfeiffer and Glocker 1996). The change of energy is
 * P . (u+ + u-) / 2, less the work of drivers, Lambda . b. */
#include "study/contacts.h"

#include "study/simulation.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* b of the problem: speeds before it, that of closed contacts raised to the rebound by Newton's law */
static void begin(bl_simulation *sim, const double *speed, bool newton) {
    bl_contacts *c = &sim->contacts;
    bl_coulomb *p = c->problem;
    memcpy(p->b, speed, (size_t)p->m * sizeof *p->b);
    p->rounded = bl_contacts_rounded(c, sim->state.v);
    for (bl_index i = 0; i < c->ntouching; i++) {
        const bl_contact *of = &sim->sys->contact[c->touching[i]];
        bl_coulomb_contact *k = &p->contact[i];
        double e = c->soft[c->touching[i]] ? 0 : of->restitution;
        k->sliding = false;
        k->friction = k->sticking = of->friction;
        k->least = 0;
        k->group = c->group[c->touching[i]];
        k->side[0] = k->side[1] = 0;
        if (of->normal < 0) /* friction in joints is a finite force */
            p->b[k->first] = 1;
        if (newton && speed[k->first] < 0)
            p->b[k->first] *= 1 + e;
    }
}

/* Impulses p and speeds u after the impact, by the law; *rebound: some contact would leave with a speed that is rest. */
static bl_status by_newton(bl_simulation *sim, const double *speed) {
    bl_contacts *c = &sim->contacts;
    bl_coulomb *p = c->problem;
    begin(sim, speed, true);
    BL_TRY(bl_coulomb_solve(p));
    for (bl_index i = 0; i < c->ntouching; i++) /* from the speed that was raised back to the true one */
        p->u[p->contact[i].first] += speed[p->contact[i].first] - p->b[p->contact[i].first];
    return BL_OK;
}

static bl_status by_poisson(bl_simulation *sim, const double *speed) {
    bl_contacts *c = &sim->contacts;
    bl_coulomb *p = c->problem;
    bool unique, expands = false;
    begin(sim, speed, false);
    BL_TRY(bl_coulomb_solve(p));
    unique = p->solutions < 2;
    memcpy(c->compressed, p->p, (size_t)p->m * sizeof *p->p);
    for (bl_index i = 0; i < c->ntouching; i++) {
        bl_coulomb_contact *k = &p->contact[i];
        double e = c->soft[c->touching[i]] ? 0 : sim->sys->contact[c->touching[i]].restitution;
        k->least = e * c->compressed[k->first];
        k->side[0] = k->side[1] = 0;
        expands = expands || k->least > 0;
    }
    if (!expands)
        return BL_OK;
    memcpy(p->b, p->u, (size_t)p->m * sizeof *p->b);
    BL_TRY(bl_coulomb_solve(p));
    for (bl_index r = 0; r < p->m; r++)
        p->p[r] += c->compressed[r];
    p->solutions = unique ? p->solutions : 2;
    return BL_OK;
}

/* Rebounds slower than rest: these contacts are solved again without restitution. */
static bool soften(bl_simulation *sim, const double *speed) {
    bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    bool more = false;
    for (bl_index i = 0; i < c->ntouching; i++) {
        bl_index which = c->touching[i], first = p->contact[i].first;
        double u = p->u[first];
        bool slow = p->p[first] > 0 && speed[first] < 0 && u > 0 && u <= c->slow;
        if (!slow || c->soft[which] || !(sim->sys->contact[which].restitution > 0))
            continue;
        c->soft[which] = more = true;
        c->accumulations++;
    }
    return more;
}

static bool has_friction(const bl_simulation *sim) {
    for (bl_index i = 0; i < sim->contacts.ntouching; i++)
        if (sim->sys->contact[sim->contacts.touching[i]].friction > 0 && sim->sys->contact[sim->contacts.touching[i]].normal >= 0)
            return true;
    return false;
}

/* Impulses in the joints: as reactions, with changes of velocity for accelerations and impulses for multipliers, at rest. */
static bl_status find_joint_impulses(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    const bl_system *sys = c->inner;
    for (bl_index i = 0; i < c->ntouching; i++) {
        const bl_contact *of = &sys->contact[c->touching[i]];
        for (int k = 0; k <= p->contact[i].nslip; k++)
            c->impulse[k == 0 ? of->normal : of->slip[k - 1]] = -p->p[p->contact[i].first + k];
    }
    memset(c->all.v, 0, (size_t)sys->nv * sizeof(double));
    bl_eval_at(&c->impulses, &c->all);
    c->impulses.a = c->x;
    c->impulses.lambda = c->impulse;
    c->impulses.impulsive = true;
    BL_TRY(bl_system_eval(sys, &c->impulses, BL_WRENCH));
    memcpy(c->joint_impulse + (size_t)(++c->struck % BL_CONTACT_HAPPENINGS) * (size_t)sys->njoint, c->impulses.wrench,
           (size_t)sys->njoint * sizeof *c->joint_impulse);
    return BL_OK;
}

const bl_wrench *bl_contacts_joint_impulse(const bl_simulation *sim, const bl_contact_happening *of) {
    const bl_contacts *c = &sim->contacts;
    if (!of->impact || of->struck <= c->struck - BL_CONTACT_HAPPENINGS)
        return NULL;
    return c->joint_impulse + (size_t)(of->struck % BL_CONTACT_HAPPENINGS) * (size_t)c->inner->njoint;
}

static double kinetic_energy(const bl_simulation *sim) {
    const bl_contacts *c = &sim->contacts;
    const bl_pattern *pattern = &c->inner->pat_M;
    const double *v = sim->state.v;
    double sum = 0;
    for (bl_index j = 0; j < c->inner->nv; j++)
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++)
            sum += 0.5 * v[pattern->idx[k]] * c->mass.M[k] * v[j];
    return sum;
}

/* P . (u+ + u-) / 2 of one contact with the sign of a loss; differences within rounding of its terms are none */
double bl_contacts_lost(const bl_simulation *sim, bl_index i, const double *speed) {
    const bl_coulomb *p = sim->contacts.problem;
    double lost = 0, size = 0;
    for (bl_index r = p->contact[i].first; r <= p->contact[i].first + p->contact[i].nslip; r++) {
        lost -= 0.5 * p->p[r] * (p->u[r] + speed[r]);
        size += 0.5 * fabs(p->p[r]) * (fabs(p->u[r]) + fabs(speed[r]));
    }
    return fabs(lost) > study_contact_exchange * size ? lost : 0;
}

bl_strike bl_contacts_strike_of(const bl_simulation *sim, bl_index i, const double *speed) {
    const bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    bl_index first = p->contact[i].first;
    bl_strike strike = {
        .speed = {speed[first], p->u[first]}, .lost = bl_contacts_lost(sim, i, speed), .kinetic = {c->kinetic[0], c->kinetic[1]}};
    for (int k = 0; k <= p->contact[i].nslip; k++)
        strike.impulse[k] = p->p[first + k];
    return strike;
}

bl_status bl_contacts_apply(bl_simulation *sim, const double *speed, double *gain) {
    bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    const bl_system *sys = c->inner;
    double driven = 0;
    c->kinetic[0] = kinetic_energy(sim);
    memset(c->x, 0, (size_t)sys->nv * sizeof *c->x);
    for (bl_index r = 0; r < p->m; r++)
        for (bl_index j = 0; j < sys->nv; j++)
            c->x[j] += c->W[(size_t)r * (size_t)sys->nv + (size_t)j] * p->p[r];
    BL_TRY(bl_kkt_solve(c->kkt, c->x, NULL, c->x, c->impulse));
    if (sys->facts & BL_RHEONOMIC) {
        BL_TRY(bl_system_eval(sys, &c->mass, BL_B));
        for (bl_index r = 0; r < sys->np; r++)
            driven -= c->impulse[r] * c->mass.b[r];
    }
    for (bl_index j = 0; j < sys->nv; j++)
        sim->state.v[j] += c->x[j];
    c->kinetic[1] = kinetic_energy(sim);
    *gain = 0;
    for (bl_index r = 0; r < p->m; r++)
        *gain += 0.5 * p->p[r] * (p->u[r] + speed[r]);
    *sim->state.work += *gain + driven;
    for (bl_index i = 0; i < c->ntouching; i++)
        c->lost += bl_contacts_lost(sim, i, speed);
    return find_joint_impulses(sim);
}

/* a closed contact that takes part in the impact of another one; least: an impulse within rounding */
static void report_closed(bl_simulation *sim, bl_index i, const double *speed, double least) {
    bl_contacts *c = &sim->contacts;
    bl_index which = c->touching[i];
    bl_strike strike = bl_contacts_strike_of(sim, i, speed);
    if (sim->sys->contact[which].normal >= 0 && strike.impulse[0] > least)
        bl_contacts_note(sim, which, &strike, "%s: closed, passes on an impulse of %.6g %s, %.4g J %s", bl_contacts_name_of(sim, which),
                         strike.impulse[0], sim->sys->contact[which].is_angle ? "N m s" : "N s", fabs(strike.lost),
                         strike.lost < 0 ? "gained" : "lost");
}

/* Flights that shrink like e, e^2, ...: the time to which their impacts accumulate. */
static void say_rest(const bl_simulation *sim, bl_index which, char *text, size_t room) {
    double e = sim->sys->contact[which].restitution, since = *sim->state.t - sim->contacts.hit[which];
    snprintf(text, room, "; impacts accumulate: it comes to rest");
    size_t used = strlen(text);
    if (since > 0 && e < 1)
        snprintf(text + used, room - used, " at t = %.11g", *sim->state.t + since * e / (1 - e));
}

static void report(bl_simulation *sim, const double *speed, double gain) {
    bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    double largest = 0;
    for (bl_index i = 0; i < c->ntouching; i++)
        largest = fmax(largest, p->p[p->contact[i].first]);
    for (bl_index i = 0; i < c->ntouching; i++) {
        bl_index first = p->contact[i].first, which = c->touching[i];
        if (!(speed[first] < -c->rest) && !(p->p[first] > 0 && p->u[first] > c->rest)) {
            report_closed(sim, i, speed, study_contact_exchange * largest);
            continue;
        }
        c->impacts++;
        bl_strike strike = bl_contacts_strike_of(sim, i, speed);
        bool angle = sim->sys->contact[which].is_angle;
        char rest[80] = "";
        if (c->soft[which])
            say_rest(sim, which, rest, sizeof rest);
        c->hit[which] = *sim->state.t;
        bl_contacts_note(sim, which, &strike, "%s: impact at %.6g %s, impulse %.6g %s, %.4g J %s%s", bl_contacts_name_of(sim, which),
                         -speed[first], angle ? "rad/s" : "m/s", p->p[first], angle ? "N m s" : "N s", fabs(strike.lost),
                         strike.lost < 0 ? "gained" : "lost", rest);
    }
    double kinetic = 0;
    for (bl_index r = 0; r < p->m; r++)
        kinetic = fmax(kinetic, fabs(p->p[r] * speed[r]));
    if (gain > study_contact_gain * kinetic && !c->warned_gain) {
        bl_warn(sim->ctx, *sim->state.t, bl_contacts_name_of(sim, c->touching[0]),
                "Newton's restitution gains %.3g J at t = %.6g (%s): use impact: poisson", gain, *sim->state.t,
                bl_contacts_name_of(sim, c->touching[0]));
        c->warned_gain = true;
    }
    if (p->solutions > 1 && !c->warned_unique) {
        bl_warn(sim->ctx, *sim->state.t, bl_contacts_name_of(sim, c->touching[0]),
                "the impact at t = %.6g (%s) has several solutions: friction allows different velocities after it; the one nearest to "
                "sliding is used",
                *sim->state.t, bl_contacts_name_of(sim, c->touching[0]));
        c->warned_unique = true;
    }
}

static bl_status refuse(bl_simulation *sim, bl_status status) {
    bl_contacts *c = &sim->contacts;
    if (status != BL_NO_CONVERGENCE)
        return status;
    const char *name = bl_contacts_name_of(sim, c->touching[0]);
    bl_fail(sim->ctx, BL_E_NUMERIC, NULL, "no impulses satisfy the impact law at t = %.9g (%s and %d more)", *sim->state.t, name,
            (int)c->ntouching - 1);
    bl_advise(sim->ctx, "use a smaller friction coefficient, or impact: newton");
    bl_blame(sim->ctx, name, "impact", *sim->state.t);
    return BL_E_NUMERIC;
}

/* Velocities nearest to those of the run that satisfy the constraints of the mechanism to rounding: speeds of contacts that depend on each
 * other by these would contradict each other. */
static bl_status settle_velocities(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    const bl_system *sys = c->inner;
    bool moved = sys->facts & BL_RHEONOMIC;
    if (sys->np == 0)
        return BL_OK;
    if (moved)
        BL_TRY(bl_system_eval(sys, &c->mass, BL_B));
    memset(c->x, 0, (size_t)sys->nv * sizeof *c->x);
    bl_csc_multiply(&sys->pat_M, c->mass.M, sim->state.v, c->x);
    return bl_kkt_solve(c->kkt, c->x, moved ? c->mass.b : NULL, sim->state.v, NULL);
}

bl_status bl_contacts_impact(bl_simulation *sim, bool *any) {
    bl_contacts *c = &sim->contacts;
    const bl_coulomb *p = c->problem;
    double *speed = c->speed, gain;
    *any = false;
    bl_contacts_speeds(c, sim->state.v, speed);
    memset(c->soft, 0, (size_t)c->n * sizeof *c->soft);
    if (c->unresolved) {
        c->soft[c->unresolved - 1] = true;
        c->accumulations++;
    }
    for (bl_index i = 0; i < c->ntouching; i++)
        *any = *any || speed[p->contact[i].first] < -study_contact_approach * c->rest;
    if (!*any)
        return BL_OK;
    BL_TRY(settle_velocities(sim));
    bl_contacts_speeds(c, sim->state.v, speed);
    BL_TRY(bl_contacts_free(sim));
    bl_contacts_slow(sim);
    bool newton = c->law == BL_IMPACT_NEWTON || (c->law == BL_IMPACT_DEFAULT && !has_friction(sim));
    do {
        BL_TRY(refuse(sim, newton ? by_newton(sim, speed) : by_poisson(sim, speed)));
    } while (soften(sim, speed));
    BL_TRY(bl_contacts_apply(sim, speed, &gain));
    report(sim, speed, gain);
    return BL_OK;
}

/* Painleve: where a contact slides although its normal force would have to pull, it halts at once (Lecornu 1905): an impact without
 * collision, u_N = 0 before and after it, whose friction stops sliding. It is the impact of a contact that approaches at a speed which
 * tends to zero: impulses depend on that linearly, so that two of them lead there. limit: the coefficient at which this begins. */
bl_status bl_contacts_halt(bl_simulation *sim, bl_index which, double limit, bool *done) {
    bl_contacts *c = &sim->contacts;
    bl_coulomb *p = c->problem;
    double gain, fast = 0, *once = c->compressed;
    *done = false;
    BL_TRY(bl_contacts_gather(sim));
    bl_contacts_speeds(c, sim->state.v, c->speed);
    for (bl_index r = 0; r < p->m; r++)
        fast = fmax(fast, fabs(c->speed[r]));
    for (int k = 1; k <= 2; k++) {
        begin(sim, c->speed, false);
        bl_coulomb_contact *own = &p->contact[which];
        own->friction = own->sticking = fmax(own->friction, limit * (1 + study_contact_halt));
        p->b[own->first] -= k * study_contact_halt * fast;
        bl_status status = bl_coulomb_solve(p);
        if (status == BL_NO_CONVERGENCE || (status == BL_OK && p->contact[which].mode != BL_COULOMB_STICK))
            return BL_OK;
        BL_TRY(status);
        for (bl_index r = 0; r < p->m && k == 1; r++)
            once[r] = p->p[r];
    }
    for (bl_index r = 0; r < p->m; r++)
        p->p[r] = 2 * once[r] - p->p[r];
    for (bl_index r = 0; r < p->m; r++) {
        p->u[r] = c->speed[r];
        for (bl_index s = 0; s < p->m; s++)
            p->u[r] += p->D[(size_t)s * (size_t)p->m + (size_t)r] * p->p[s];
    }
    if (!(p->p[p->contact[which].first] > 0))
        return BL_OK;
    BL_TRY(bl_contacts_apply(sim, c->speed, &gain));
    c->impacts++;
    bl_strike strike = bl_contacts_strike_of(sim, which, c->speed);
    bl_contacts_note(sim, c->touching[which], &strike, "%s: impact without collision (Painleve), impulse %.6g N s, %.4g J lost",
                     bl_contacts_name_of(sim, c->touching[which]), p->p[p->contact[which].first], -gain);
    *done = true;
    return BL_OK;
}
