/* Numerical and backward differentiation formulas of orders 1 to 5 with variable step and order, ode15s:
 *
 *     sum_{m=1..k} (1/m) nabla^m y_{n+1} - kappa_k gamma_k nabla^{k+1} y_{n+1} = h f(t_{n+1}, y_{n+1}),  gamma_k = 1 + 1/2 + ... + 1/k
 *
 * With y_{n+1} = pred + d and d = nabla^{k+1} y_{n+1} it reads (1 - kappa_k) gamma_k d + sum gamma_j nabla^j y_n = h f. kappa = 0 is BDF.
 * Shampine and Reichelt, SIAM J. Sci. Comput. 18 (1997) 1-22; Klopfenstein 1971. */
#include "integrate/backward.h"
#include "integrate/method_coefficients.h"

enum { HIGHEST = 5, A_STABLE = 2 };

typedef struct ndf_auto {
    bl_backward backward; /* first member */
    double gamma[HIGHEST + 1], kappa[HIGHEST + 1], error_constant[HIGHEST + 2];
} ndf_auto;

/* y = psi + c y' with c = h / ((1 - kappa) gamma_k) */
static bl_status ndf_solve(bl_backward *backward, double h) {
    const ndf_auto *own = (const ndf_auto *)backward;
    bl_integrator *integ = backward->integ;
    int k = backward->order;
    double part = 1 / (own->gamma[k] * (1 - own->kappa[k])), share[HIGHEST + 1];
    for (int j = 1; j <= k; j++)
        share[j] = 1 - own->gamma[j] * part;
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

static bl_status create(bl_integrator *integ, bool ndf) {
    BL_TRY(bl_backward_create(integ, sizeof(ndf_auto), HIGHEST, A_STABLE));
    ndf_auto *own = integ->own;
    for (int k = 1; k <= HIGHEST; k++) {
        own->gamma[k] = (double)bl_formula_gamma(k);
        own->kappa[k] = ndf ? (double)bl_formula_kappa(k) : 0;
        own->error_constant[k] = own->kappa[k] * own->gamma[k] + 1.0 / (k + 1);
    }
    own->backward.deepest = 1;
    own->backward.error_constant = own->error_constant;
    own->backward.solve = ndf_solve;
    own->backward.slack = 0.5;
    return BL_OK;
}

static bl_status ndf_auto_create(bl_integrator *integ) { return create(integ, true); }
static bl_status bdf_auto_create(bl_integrator *integ) { return create(integ, false); }

static const bl_param params[] =
    BL_BACKWARD_PARAMS("1 to 5; default: 5, with elastic bodies 2, up to which the formulas damp all vibrations");

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
