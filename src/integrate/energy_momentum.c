/* The energy-momentum method (Simo and Tarnow 1992; Gonzalez 1996): the engine of edmc1 without dissipation. Order 2. The balance of energy
 * holds to rounding for every step; so do linear and angular momentum where forces depend on distances. */
#include "integrate/edmc1.h"

static const bl_param params[] = {BL_SECOND_PARAMS(1e-14), {0}};

static bl_status energy_momentum_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula) {
    (void)kind;
    (void)ctx;
    (void)value;
    return bl_edmc1_formula(0, 0, formula);
}

const bl_integrator_kind bl_integrator_energy_momentum = {
    .kind = {.name = "energy_momentum",
             .help =
                 "conserves energy and momenta to rounding, order 2; linear systems, and mechanisms in natural coordinates with springs",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER | BL_BETWEEN | BL_AT_POSITIONS},
    .order = 2,
    .formula = energy_momentum_formula,
    BL_EDMC1_SLOTS,
};
