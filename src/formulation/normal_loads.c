/* Normal loads N of joints with dry friction: Q depends on them, they on the reactions, these on Q. At one configuration, where a and
 * lambda are affine in Q, and Q is in N, the loads solve
 *
 *     F(N) = N - load_now(N) = 0,
 *
 * N of a plane slider being |w0 + w1 N|, for example. Newton's method with an inverse kept from one evaluation to the next and corrected by
 * Broyden (1965), starting from the last loads; when that fails, from zero with derivatives by differences. Where w1 >= 1 there is no
 * solution: any friction force causes more normal load than it came from, the joint jams (Painleve 1895). */
#include "formulation/formulation.h"
#include "formulation/formulation_limits.h"

#include "dense/dense.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double DIFFERENCE = 1e-4; /* step of differences relative to the largest load: F is nearly piecewise affine */

typedef struct bl_normal_loads {
    bl_index n;
    double *load, *now, *F, *trial, *s, *y; /* [n] */
    double *inverse, *slopes;               /* [n][n] inverse of dF/dN; dF/dN */
    bl_index *pivot;                        /* [n] of the latter */
    double *a, *lambda;                     /* [nv], [np] of the last solution */
    double largest;                         /* of the last loads */
    bool known;                             /* the inverse exists */
    bool refused;
    double refused_t;
    bl_index refused_at;
    void *block;
} bl_normal_loads;

bl_status bl_loads_create(bl_formulation *form) {
    const bl_system *sys = form->sys;
    size_t n = (size_t)sys->nload;
    bl_normal_loads *own;
    if (n == 0)
        return BL_OK;
    BL_TRY(BL_NEW(form->ctx, own, 1));
    form->loads = own;
    own->n = sys->nload;
    BL_TRY(BL_NEW_ARRAYS(form->ctx, own->block, BL_ARRAY(own->load, n), BL_ARRAY(own->now, n), BL_ARRAY(own->F, n), BL_ARRAY(own->trial, n),
                         BL_ARRAY(own->s, n), BL_ARRAY(own->y, n), BL_ARRAY(own->inverse, n * n), BL_ARRAY(own->slopes, n * n),
                         BL_ARRAY(own->a, sys->nv), BL_ARRAY(own->lambda, sys->np), BL_ARRAY(own->pivot, n)));
    form->at_e.load = own->load;
    return BL_OK;
}

void bl_loads_destroy(bl_formulation *form) {
    if (!form->loads)
        return;
    bl_free(form->ctx, form->loads->block);
    bl_free(form->ctx, form->loads);
    form->loads = NULL;
}

void bl_loads_take(const bl_formulation *form, double *a, double *lambda) {
    memcpy(a, form->loads->a, (size_t)form->sys->nv * sizeof *a);
    memcpy(lambda, form->loads->lambda, (size_t)form->sys->np * sizeof *lambda);
}

double bl_loads_power(const bl_formulation *form) {
    const bl_eval *e = &form->at_e;
    double power = e->power;
    for (bl_index i = 0; i < form->sys->np && (form->sys->facts & BL_RHEONOMIC); i++)
        power -= form->loads->lambda[i] * e->b[i];
    return power;
}

/* F at the loads in `load`: a, lambda and the loads that follow from them */
static bl_status find_residual(bl_formulation *form, bl_loaded_solution solve) {
    bl_normal_loads *own = form->loads;
    bl_eval *e = &form->at_e;
    e->have &= ~(uint32_t)(BL_Q | BL_LOADS | BL_WRENCH);
    BL_TRY(bl_system_eval(form->sys, e, BL_Q));
    BL_TRY(solve(form, own->a, own->lambda));
    const double *a = e->a, *lambda = e->lambda;
    e->a = own->a;
    e->lambda = own->lambda;
    bl_status status = bl_system_eval(form->sys, e, BL_LOADS);
    e->a = a;
    e->lambda = lambda;
    BL_TRY(status);
    memcpy(own->now, e->load_now, (size_t)own->n * sizeof(double));
    own->largest = 0;
    for (bl_index i = 0; i < own->n; i++) {
        own->F[i] = own->load[i] - own->now[i];
        own->largest = fmax(own->largest, fmax(fabs(own->load[i]), fabs(own->now[i])));
    }
    return BL_OK;
}

/* largest |F|, and its index; infinity when it is not a number */
static double size_of(const bl_normal_loads *own, bl_index *at) {
    double largest = 0;
    for (bl_index i = 0; i < own->n; i++)
        if (!(fabs(own->F[i]) <= largest)) {
            largest = fabs(own->F[i]);
            *at = i;
        }
    return isfinite(largest) ? largest : INFINITY;
}

/* inverse of dF/dN at the present loads by differences; F is unchanged */
static bl_status make_inverse(bl_formulation *form, bl_loaded_solution solve) {
    bl_normal_loads *own = form->loads;
    size_t n = (size_t)own->n;
    double step = own->largest > 0 ? DIFFERENCE * own->largest : DIFFERENCE;
    memcpy(own->s, own->F, n * sizeof(double));
    for (size_t j = 0; j < n; j++) {
        double kept = own->load[j];
        own->load[j] = kept + step;
        bl_status status = find_residual(form, solve);
        own->load[j] = kept;
        BL_TRY(status);
        for (size_t i = 0; i < n; i++)
            own->slopes[j * n + i] = (own->F[i] - own->s[i]) / step;
    }
    memset(own->inverse, 0, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++)
        own->inverse[i * (n + 1)] = 1;
    if (!bl_dense_lu(own->n, own->slopes, own->pivot))
        return BL_SINGULAR;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(own->slopes[i * (n + 1)]) > formulation_loads_pivot))
            return BL_SINGULAR;
    bl_dense_lu_solve(own->n, own->n, own->slopes, own->pivot, false, own->inverse);
    own->known = true;
    return find_residual(form, solve); /* restores a, lambda and F */
}

/* s = -inverse F; loads moved by it */
static void correct(bl_normal_loads *own) {
    size_t n = (size_t)own->n;
    memset(own->s, 0, n * sizeof(double));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            own->s[i] -= own->inverse[j * n + i] * own->F[j];
    for (size_t i = 0; i < n; i++)
        own->load[i] += own->s[i];
}

/* inverse += (s - B y) (s^T B) / (s^T B y), y = F - previous F, which is in `y` */
static void update_inverse(bl_normal_loads *own) {
    size_t n = (size_t)own->n;
    double *By = own->trial, bottom = 0, size = 0;
    memset(By, 0, n * sizeof(double));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            By[i] += own->inverse[j * n + i] * (own->F[j] - own->y[j]);
    for (size_t i = 0; i < n; i++) {
        bottom += own->s[i] * By[i];
        size += own->s[i] * own->s[i];
    }
    if (!(fabs(bottom) > formulation_loads_update * size)) /* it would make the inverse huge */
        return;
    for (size_t j = 0; j < n; j++) {
        double sB = 0;
        for (size_t i = 0; i < n; i++)
            sB += own->s[i] * own->inverse[j * n + i];
        for (size_t i = 0; i < n; i++)
            own->inverse[j * n + i] += (own->s[i] - By[i]) * sB / bottom;
    }
}

/* what may be rounding: of the loads, or, where they vanish, as those of a contact that is about to open, of the forces they balance */
static double rounding_of(const bl_formulation *form) {
    const bl_normal_loads *own = form->loads;
    double force = 0;
    for (bl_index i = 0; i < form->sys->np; i++)
        force = fmax(force, fabs(own->lambda[i]));
    for (bl_index j = 0; j < form->sys->nv; j++)
        force = fmax(force, fabs(form->at_e.Q[j]));
    return fmax(formulation_loads_rounding * own->largest, formulation_loads_settled * force);
}

/* BL_NO_CONVERGENCE: not converged. newton: derivatives by differences every time */
static bl_status iterate(bl_formulation *form, bl_loaded_solution solve, bool newton) {
    bl_normal_loads *own = form->loads;
    size_t n = (size_t)own->n;
    double best = INFINITY;
    for (int k = 0; k <= (newton ? formulation_loads_newton : formulation_loads_corrections); k++) {
        memcpy(own->y, own->F, n * sizeof(double));
        BL_TRY(find_residual(form, solve));
        double size = size_of(own, &own->refused_at);
        if (size <= formulation_loads_settled * own->largest || (size <= rounding_of(form) && size > 0.5 * best))
            return BL_OK;
        if (!(size < INFINITY) || (k > 3 && size > formulation_loads_diverge * best))
            break;
        best = fmin(best, size);
        if (newton || !own->known)
            BL_TRY(make_inverse(form, solve));
        else if (k > 0)
            update_inverse(own);
        correct(own);
    }
    return BL_NO_CONVERGENCE;
}

/* rates of states may read reactions, which are known now */
static bl_status rates_of_states(bl_formulation *form) {
    bl_eval *e = &form->at_e;
    if (!(e->have & BL_F))
        return BL_OK;
    e->have &= ~(uint32_t)BL_F;
    return bl_system_eval(form->sys, e, BL_F);
}

/* Whether nothing depends on the loads now: all are of contacts, and none of these slides. */
static bool are_idle(const bl_formulation *form) {
    const bl_system *sys = form->sys;
    const unsigned char *history = form->at_e.history;
    bl_index n = 0;
    for (bl_index i = 0; i < sys->ncontact && history; i++) {
        const bl_contact *contact = &sys->contact[i];
        if (contact->load < 0)
            continue;
        if (contact->normal < 0 || bl_contact_states_of(sys, history)[i].mode == BL_CONTACT_SLIDE)
            return false;
        n++;
    }
    return n == sys->nload;
}

/* one solution without friction */
static bl_status solve_once(bl_formulation *form, bl_loaded_solution solve) {
    bl_normal_loads *own = form->loads;
    memset(own->load, 0, (size_t)own->n * sizeof(double));
    own->known = false;
    BL_TRY(bl_system_eval(form->sys, &form->at_e, BL_Q));
    BL_TRY(solve(form, own->a, own->lambda));
    return form->sys->nz ? rates_of_states(form) : BL_OK;
}

bl_status bl_loads_settle(bl_formulation *form, bl_loaded_solution solve) {
    bl_normal_loads *own = form->loads;
    own->refused = false;
    if (are_idle(form))
        return solve_once(form, solve);
    bl_status status = iterate(form, solve, false);
    if (status == BL_NO_CONVERGENCE || status == BL_SINGULAR || status == BL_NOT_FINITE) {
        bl_context_clear_error(form->ctx);
        memset(own->load, 0, (size_t)own->n * sizeof(double));
        own->known = false;
        status = iterate(form, solve, true);
    }
    if (status == BL_OK)
        return form->sys->nz ? rates_of_states(form) : BL_OK;
    memset(own->load, 0, (size_t)own->n * sizeof(double));
    own->known = false;
    own->refused = status == BL_NO_CONVERGENCE || status == BL_SINGULAR;
    own->refused_t = form->at_e.t;
    return own->refused ? BL_NO_CONVERGENCE : status;
}

bool bl_loads_refused(const bl_formulation *form) { return form->loads && form->loads->refused; }

bl_status bl_loads_explain(bl_formulation *form) {
    const bl_normal_loads *own = form->loads;
    char name[96];
    bl_system_load_name(form->sys, own->refused_at, name, sizeof name);
    bl_fail(
        form->ctx, BL_E_NUMERIC, NULL,
        "%s jams at t = %.9g: friction, or a law that reads its reaction, raises the reaction, which raises the force, without limit: no "
        "acceleration satisfies the equations",
        name, own->refused_t);
    bl_advise(form->ctx, "this is self-locking: use a smaller friction coefficient, a smaller gain or another direction of the force, "
                         "or end the run before it with a stop expression");
    bl_blame(form->ctx, name, "normal load", own->refused_t);
    return BL_E_NUMERIC;
}

/* ---- loads that the constraints leave undetermined */

/* A random combination of multipliers that exerts no force: a random vector without its part in the range of G, where e is evaluated. */
static bl_status idle_multipliers(const bl_system *sys, const bl_eval *e, double *idle) {
    bl_context *ctx = sys->ctx;
    bl_index m = sys->np, n = sys->nv, big = m > n ? m : n, rank = 0;
    double *G, *x, *work;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(G, (size_t)m * (size_t)n), BL_ARRAY(x, big), BL_ARRAY(work, bl_least_norm_work(m, n))));
    uint64_t seed = 88172645463325252u; /* fixed: the same model gives the same result */
    for (bl_index i = 0; i < m; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        x[i] = idle[i] = (double)(seed >> 11) * 0x1p-52 - 1;
    }
    for (bl_index j = 0; j < n; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++) {
            bl_index row = sys->pat_G.idx[p];
            G[(size_t)j * (size_t)m + (size_t)row] = e->G[p] * sys->col[j].scale / sys->row[row].scale;
        }
    bl_status status = bl_least_norm(ctx, m, n, G, bl_rank_tolerance(sys->closure), x, &rank, work);
    for (bl_index j = 0; j < n && status == BL_OK; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++) {
            bl_index row = sys->pat_G.idx[p];
            idle[row] -= e->G[p] * sys->col[j].scale / sys->row[row].scale * x[j];
        }
    for (bl_index i = 0; i < m && status == BL_OK; i++)
        idle[i] /= sys->row[i].scale;
    bl_free(ctx, block);
    return status;
}

bl_status bl_loads_open(const bl_system *sys, bl_eval *e, uint8_t *open) {
    size_t n = (size_t)sys->nload;
    double *zero, *lambda, *idle, *before, largest = 1;
    void *block = NULL;
    BL_TRY(
        BL_NEW_ARRAYS(sys->ctx, block, BL_ARRAY(zero, sys->nv), BL_ARRAY(lambda, sys->np), BL_ARRAY(idle, sys->np), BL_ARRAY(before, n)));
    bl_status status = bl_system_eval(sys, e, BL_G);
    if (status == BL_OK)
        status = idle_multipliers(sys, e, idle);
    e->a = zero; /* reactions are affine in a and lambda: any values will do */
    e->lambda = lambda;
    for (int pass = 0; pass < 2 && status == BL_OK; pass++) {
        e->have &= ~(uint32_t)BL_LOADS;
        for (bl_index i = 0; i < sys->np; i++)
            lambda[i] = pass * largest * idle[i];
        status = bl_system_eval(sys, e, BL_LOADS);
        for (size_t i = 0; i < n && status == BL_OK && pass == 0; i++) {
            before[i] = e->load_now[i];
            largest = fmax(largest, before[i]);
        }
    }
    for (size_t i = 0; i < n && status == BL_OK; i++)
        open[i] = (sys->load_open && sys->load_open[i]) || fabs(e->load_now[i] - before[i]) > formulation_loads_open * largest;
    e->a = e->lambda = NULL;
    e->have &= ~(uint32_t)BL_LOADS;
    bl_free(sys->ctx, block);
    return status;
}

bl_status bl_loads_check(bl_formulation *form, const bl_state *state) {
    const bl_system *sys = form->sys;
    uint8_t *open = NULL;
    BL_TRY(BL_NEW(form->ctx, open, sys->nload));
    bl_formulation_move_to(form, *state->t, state->q, state->v, state->z);
    bl_status status = bl_loads_open(sys, &form->at_e, open);
    bl_index nopen = 0, first = -1;
    for (bl_index i = 0; i < sys->nload && status == BL_OK; i++)
        if (open[i]) {
            first = first < 0 ? i : first;
            nopen++;
        }
    if (nopen > 0) {
        /* a table on four feet has four: one warning */
        char name[96], others[48] = "";
        bl_system_load_name(sys, first, name, sizeof name);
        if (nopen > 1)
            snprintf(others, sizeof others, " and %td other%s", (ptrdiff_t)nopen - 1, nopen > 2 ? "s" : "");
        bl_warn(form->ctx, NAN, name,
                "%s: redundant constraints leave the normal load%s of %s%s undetermined; friction is computed from the "
                "smallest possible reactions",
                form->kind->kind.name, nopen > 1 ? "s" : "", name, others);
    }
    bl_free(form->ctx, open);
    return status;
}
