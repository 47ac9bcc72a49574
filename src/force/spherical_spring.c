/* Springs and dampers on the three successive angles of a spherical joint: generalized forces -k_i a_i - c_i a_i'.
 * Potential sum k_i a_i^2 / 2, so k must be constant. */
#include "force/ops.h"

#include <math.h>

static const bl_param params[] = {
    {"joint", BL_P_JOINT, BL_REQUIRED, 0, NULL, NULL, "a joint with three angles (spherical with `angles: true`)"},
    {"stiffness", BL_P_LAW3, 0, 0, NULL, "N m/rad", "one number for each angle"},
    {"damping", BL_P_LAW3, 0, 0, NULL, "N m s/rad", "one number for each angle"},
    {0},
};
enum { JOINT, STIFFNESS, DAMPING };

/* the joint's three angles */
static bl_status find_angles(const bl_record *r, bl_index angle[3]) {
    bl_index n = 0;
    for (bl_index i = 0; i < r->model->nvariable; i++)
        if (r->model->variable[i].joint == r->def->value[JOINT].ref && r->model->variable[i].is_angle) {
            if (n < 3)
                angle[n] = i;
            n++;
        }
    if (n != 3)
        return bl_record_refuse(r, &r->def->value[JOINT], "the joint does not have three angles",
                                "use a spherical joint with angles: true");
    return BL_OK;
}

static bl_status check_constant(const bl_record *r, const bl_value *value) {
    for (int k = 0; k < 3 && value->given; k++)
        for (bl_index i = 0; value->law[k] >= 0 && i < r->model->law[value->law[k]].ninput; i++)
            if (r->model->law[value->law[k]].input[i].what != BL_SYM_PARAMETER)
                return bl_record_refuse(r, value, "stiffness and damping must be constants",
                                        "use a rotational_spring with a torque law on each angle");
    return BL_OK;
}

static bl_status spherical_spring_record(bl_record *r) {
    const bl_value *value = r->def->value;
    bl_index angle[3], stiffness[3], damping[3];
    BL_TRY(find_angles(r, angle));
    BL_TRY(check_constant(r, &value[STIFFNESS]));
    BL_TRY(check_constant(r, &value[DAMPING]));
    bl_node_law3(r, &value[STIFFNESS], false, stiffness);
    bl_node_law3(r, &value[DAMPING], false, damping);
    for (int k = 0; k < 3; k++) {
        bl_index x = bl_record_variable(r, angle[k]), spring = bl_node_mul(r, stiffness[k], x), sum = spring;
        if (value[DAMPING].given)
            sum = bl_node_add(r, spring, bl_node_mul(r, damping[k], bl_record_rate(r, angle[k])));
        bl_record_shows_variable(r, angle[k]);
        bl_record_push_variable(r, angle[k], bl_node_neg(r, sum));
        bl_record_potential(r, bl_node_scale(r, 0.5, bl_node_mul(r, spring, x)));
    }
    return BL_OK;
}

/* about the axis of the first angle; unloaded where all three are 0 */
static bl_status spherical_spring_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    const bl_joint_def *joint = &model->joint[def->value[JOINT].ref];
    if (joint->first_var < 0)
        return BL_E_MODEL;
    BL_TRY(bl_draw_variable(model, joint->first_var, out));
    out->drawn = BL_DRAWN_TURNING;
    if (def->value[STIFFNESS].given)
        out->free = 0;
    out->damped = def->value[DAMPING].given;
    return BL_OK;
}

const bl_force_kind bl_force_spherical_spring = {
    .kind = {"spherical_spring", "springs and dampers on the three angles of a spherical joint", params, 0, 0},
    .record = spherical_spring_record,
    .picture = spherical_spring_picture,
};
