/* Index 1: accelerations and multipliers together. Positions and velocities drift; the run loop projects them with the same matrix (mass
 * weighted). Where the system provides M^-1 x and few loop equations couple long chains, M is not formed (recursion.c). */
#include "formulation/index1.h"

static bl_status lagrange_setup(bl_formulation *form, const bl_state *state) {
    return bl_index1_setup(
        form, state, &(bl_index1_options){.drifts = true, .solver = &bl_index1_recursion, .masses = (bl_masses)(int)form->value[0].number});
}

static double lagrange_cost(const bl_size *size, int order) {
    double couples = size->full ? (double)size->dof * size->bodies : 0;
    /* by recursion: a body costs about 16 entries, a pair of loop equations a sixth of one; they couple along the chains, so that their
     * matrix is full, and its factors cost with the cube */
    double rows = size->loop_equations;
    if (size->full && size->loops > 0)
        couples = 16.0 * size->bodies + 0.16 * rows * rows + 0.004 * rows * rows * rows;
    return order ? size->expand[0] * bl_size_order_share(order) : size->rate[0] + size->entry[0] * couples;
}

static const bl_param lagrange_params[] = {
    {.name = "mass",
     .type = BL_P_CHOICE,
     .choices = "auto|matrix|recursion",
     .help = "how masses enter: as a matrix, or, in relative coordinates, by recursion along the chains with a matrix "
             "of the constraint equations only"},
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_lagrange = {
    .kind = {.name = "lagrange",
             .help = "index 1: accelerations and multipliers from one augmented system",
             .params = lagrange_params,
             .needs = BL_CAN_MASS,
             .gives = BL_INDEX1_GIVES | BL_CAN_COEFFICIENT | BL_REFUSES_SINGULAR},
    .uses = BL_T | BL_G, /* M where it is formed */
    .index = 1,
    .redundant = BL_INDEX1_REDUNDANT,
    .singular = BL_INDEX1_SINGULAR,
    .setup = lagrange_setup,
    .cost = lagrange_cost,
    .expand = bl_index1_expand,
    .review = bl_index1_review,
    BL_INDEX1_SLOTS,
};
