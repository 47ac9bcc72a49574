/* Dynamic relaxation, used where Newton's method fails (docs/theory/equilibrium.md, section 3): the system moves with fictitious masses and
 * is stopped whenever its kinetic energy has passed a peak (kinetic damping; Cundall 1976), until Newton's method can take over.
 *
 *     v <- v + S rho / m,   x = S v,   m = largest row sum of |S H S| / 2
 *
 * S rho is the force on the free motions in scaled columns; with this mass a step of one second is stable. */
#include "study/equilibrium_private.h"
#include "study/statics_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { AFRESH = 25 }; /* steps between updates of the mass */

/* largest row sum of |S H S| at the state */
static bl_status find_mass(bl_statics *s, double *mass) {
    const bl_pattern *K = &s->sys->pat_K;
    double most = 0;
    BL_TRY(bl_kkt_tangent(s->sys, &s->eval, s->state.lambda, s->H));
    s->tangents++;
    s->factored = false;
    memset(s->y, 0, (size_t)s->n * sizeof *s->y);
    for (bl_index j = 0; j < s->n; j++)
        for (bl_index k = K->ptr[j]; k < K->ptr[j + 1]; k++)
            s->y[K->idx[k]] += fabs(s->H[k]) * s->kkt->scale[j] * s->kkt->scale[K->idx[k]];
    for (bl_index j = 0; j < s->n; j++)
        most = fmax(most, s->y[j]);
    *mass = fmax(most / 2, fmax(s->merit, DBL_MIN));
    return BL_OK;
}

/* updates v by the force acting for a second; returns twice the kinetic energy per mass */
static double push(const bl_statics *s, double mass, double *v) {
    double energy = 0;
    for (bl_index j = 0; j < s->n; j++) {
        v[j] += s->rho[j] * s->kkt->scale[j] / mass;
        energy += v[j] * v[j];
    }
    return energy;
}

static bl_status fall(bl_statics *s, double *v) {
    double began = s->merit, mass = 0, energy = 0;
    for (int k = 0; k < study_relax_steps && s->merit > study_relax_near * began; k++) {
        BL_TRY(bl_go_on(s->ctx));
        if (k % AFRESH == 0)
            BL_TRY(find_mass(s, &mass));
        double before = energy;
        energy = push(s, mass, v);
        if (energy < before) { /* a peak: continue from rest */
            memset(v, 0, (size_t)s->n * sizeof *v);
            energy = push(s, mass, v);
        }
        for (bl_index j = 0; j < s->n; j++)
            s->x[j] = v[j] * s->kkt->scale[j];
        bl_status status = bl_statics_move(s, s->x, 1);
        if (status == BL_OK)
            status = bl_statics_evaluate(s);
        if (status < 0 || status == BL_STOPPED)
            return status;
        if (status != BL_OK) { /* the step was too long: continue with larger mass, from rest */
            bl_context_clear_error(s->ctx);
            bl_state_copy(s->sys, &s->state, &s->best);
            BL_TRY(bl_statics_evaluate(s));
            memset(v, 0, (size_t)s->n * sizeof *v);
            energy = 0;
            mass *= 4;
            continue;
        }
        bl_state_copy(s->sys, &s->best, &s->state);
        if (s->traveled > study_statics_far)
            return BL_NO_CONVERGENCE;
    }
    return s->merit <= study_relax_near * began ? BL_OK : BL_NO_CONVERGENCE;
}

bl_status bl_statics_relax(bl_statics *s) {
    double *v;
    BL_TRY(BL_NEW(s->ctx, v, s->n));
    bool fit = s->fit;
    s->fit = true;
    bl_status status = bl_statics_evaluate(s);
    bl_state_copy(s->sys, &s->best, &s->state);
    memcpy(s->lambda, s->state.lambda, (size_t)s->np * sizeof *s->lambda);
    if (status == BL_OK)
        status = fall(s, v);
    s->fit = fit;
    bl_free(s->ctx, v);
    return status;
}
