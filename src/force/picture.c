/* Pictures of forces: a force on a variable is drawn at its joint. */
#include "force/force.h"
#include "joint/joint.h"

#include <math.h>
#include <string.h>

bl_status bl_force_draw(const bl_model *model, const bl_force_def *def, bl_force_picture *picture) {
    *picture = (bl_force_picture){.joint = -1, .variable = -1, .free = NAN};
    return def->kind->picture(model, def, picture);
}

bl_status bl_draw_variable(const bl_model *model, bl_index variable, bl_force_picture *out) {
    const bl_joint_def *joint = &model->joint[model->variable[variable].joint];
    bl_joint_parts parts;
    BL_TRY(bl_joint_make(model, joint, &parts));
    out->variable = variable;
    out->joint = model->variable[variable].joint;
    memcpy(out->body, joint->body, sizeof out->body);
    memcpy(out->at, parts.picture.at, sizeof out->at);
    for (bl_index i = 0; i < parts.ndof; i++)
        if (parts.dof[i].var == variable) {
            out->has_axis = true;
            memcpy(out->axis, parts.dof[i].axis, sizeof out->axis);
        }
    return BL_OK;
}
