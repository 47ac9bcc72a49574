/* Direct integration by central differences (Urkullu, Fernandez de Bustos, Garcia-Marina, Uriarte 2019): equilibrium at the start of a
 * step, rows multiplied by h^2, constraints at its end, both linearized about the iterate until positions no longer change. The step is
 * that of central; here the iteration is the published one: tangents at every iterate, judged by the last change of positions alone. */
#include "integrate/central.h"

enum { TOLERANCE, ITERATIONS };

static const bl_param params[] = {
    {.name = "tolerance",
     .type = BL_P_NUMBER,
     .flags = BL_POSITIVE,
     .fallback = 1e-13,
     .help = "largest relative change of a coordinate at which the iteration ends"},
    {.name = "iterations", .type = BL_P_INTEGER, .flags = BL_POSITIVE, .fallback = 20, .help = "iteration limit"},
    {0}};

static bl_status dimcd_create(bl_integrator *integ) {
    BL_TRY(bl_second_create(integ, sizeof(bl_central)));
    bl_central *own = integ->own;
    bl_newton_options *options = &own->second.implicit.newton.options;
    options->tolerance = integ->value[TOLERANCE].number;
    options->most = (int)integ->value[ITERATIONS].number;
    options->full = options->by_update = true;
    options->chosen = false;
    own->by_position = own->alone = true;
    return BL_OK;
}

const bl_integrator_kind bl_integrator_dimcd = {
    .kind = {.name = "dimcd",
             .help = "central differences with the constraints at the end of the step, both linearized until positions converge, order 2",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_DENSE | BL_SECOND_ORDER | BL_AT_POSITIONS},
    .create = dimcd_create,
    BL_CENTRAL_SLOTS,
};
