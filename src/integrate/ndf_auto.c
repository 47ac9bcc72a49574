/* Numerical and backward differentiation formulas of orders 1 to 5 with variable step and order, ode15s:
 *
 *     sum_{m=1..k} (1/m) nabla^m y_{n+1} - kappa_k gamma_k nabla^{k+1} y_{n+1} = h f(t_{n+1}, y_{n+1}),  gamma_k = 1 + 1/2 + ... + 1/k
 *
 * With y_{n+1} = pred + d and d = nabla^{k+1} y_{n+1} it reads (1 - kappa_k) gamma_k d + sum gamma_j nabla^j y_n = h f. kappa = 0 is BDF.
 * Shampine and Reichelt, SIAM J. Sci. Comput. 18 (1997) 1-22; Klopfenstein 1971. */
#include "integrate/backward.h"

enum { HIGHEST = 5, ORDER = 0, NEWTON = 1, ITERATIONS = 4 };

static const double GAMMA[HIGHEST + 1] = {0, 1, 3.0 / 2, 11.0 / 6, 25.0 / 12, 137.0 / 60};
static const double KAPPA[HIGHEST + 1] = {0, -37.0 / 200, -1.0 / 9, -0.0823, -0.0415, 0};

typedef struct ndf_auto {
    bl_backward backward; /* first */
    double kappa[HIGHEST + 1], error_constant[HIGHEST + 2];
} ndf_auto;

/* y = psi + c y' with c = h / ((1 - kappa) gamma_k) */
static bl_status ndf_solve(bl_backward *backward, double h) {
    const ndf_auto *own = (const ndf_auto *)backward;
    bl_integrator *integ = backward->integ;
    int k = backward->order;
    double part = 1 / (GAMMA[k] * (1 - own->kappa[k])), share[HIGHEST + 1];
    for (int j = 1; j <= k; j++)
        share[j] = 1 - GAMMA[j] * part;
    for (bl_index i = 0; i < backward->ny; i++) {
        double sum = share[1] * backward->dif[1][i];
        for (int j = 2; j <= k; j++)
            sum += share[j] * backward->dif[j][i];
        backward->psi[i] = integ->y[i] + sum;
        integ->y_new[i] = backward->pred[i];
    }
    bl_backward_guess(backward, backward->pred + backward->ny);
    return bl_implicit_first(&backward->implicit, integ->t_new, h * part, backward->psi, integ->y_new, backward->rate);
}

static bl_status create(bl_integrator *integ, const double *kappa) {
    int highest = (int)integ->value[ORDER].number;
    if (highest < 1 || highest > HIGHEST)
        return bl_fail(integ->ctx, BL_E_ARG, NULL, "integrator %s: order must be from 1 to %d, not %d", integ->kind->kind.name, HIGHEST,
                       highest);
    ndf_auto *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    for (int k = 1; k <= HIGHEST; k++) {
        own->kappa[k] = kappa ? kappa[k] : 0;
        own->error_constant[k] = own->kappa[k] * GAMMA[k] + 1.0 / (k + 1);
    }
    own->backward.highest = highest;
    own->backward.deepest = 1;
    own->backward.error_constant = own->error_constant;
    own->backward.solve = ndf_solve;
    own->backward.slack = 0.5;
    return bl_backward_create(&own->backward, integ, integ->value + NEWTON);
}

static bl_status ndf_auto_create(bl_integrator *integ) { return create(integ, KAPPA); }
static bl_status bdf_auto_create(bl_integrator *integ) { return create(integ, NULL); }

static const bl_param params[] = {
    {.name = "order", .type = BL_P_INTEGER, .flags = BL_POSITIVE, .fallback = HIGHEST, .help = "highest order, 1 to 5"},
    BL_NEWTON_PARAMS_MOST(ITERATIONS),
    {0}};

const bl_integrator_kind bl_integrator_ndf_auto = {
    .kind = {.name = "ndf_auto",
             .help = "numerical differentiation formulas of orders 1 to 5, adaptive step and order (ode15s)",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_ADAPTIVE | BL_DENSE | BL_VARIABLE_ORDER},
    .create = ndf_auto_create,
    BL_BACKWARD_SLOTS(HIGHEST),
};

const bl_integrator_kind bl_integrator_bdf_auto = {
    .kind = {.name = "bdf_auto",
             .help = "backward differentiation formulas of orders 1 to 5, adaptive step and order",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_ADAPTIVE | BL_DENSE | BL_VARIABLE_ORDER},
    .create = bdf_auto_create,
    BL_BACKWARD_SLOTS(HIGHEST),
};
