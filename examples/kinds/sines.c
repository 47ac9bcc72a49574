/* Sines: natural coordinates whose angles are defined by the sine or cosine of the angle, whichever is better conditioned (C14), instead of
 * one smooth equation. The system is the mechanism itself, so that most slots are those of natural coordinates. */
#include "coords/choice.h"
#include "coords/mechanism.h"

static bl_status sines_choose(bl_context *ctx, const bl_value *value, bl_coords_choice *choice, bl_body_choice *body) {
    (void)ctx, (void)value, (void)body;
    choice->switching = true;
    return BL_OK;
}

const bl_coords_kind bl_coords_sines = {
    .kind = {"sines", "natural, angles by sine or cosine rows", NULL, 0, BL_CAN_MASS | BL_CAN_TANGENT | BL_CAN_ENERGY},
    .bodies = BL_COORDS_NATURAL,
    .choose = sines_choose,
    .build = bl_mech_build,
    .price = bl_natural_price,
};
