/* All joint kinds, in list order, and how many freedoms a primitive takes away. */
#include "joint/joint.h"

const bl_joint_kind *const bl_joint_kinds[] = {
#define BL_KIND(name) &bl_joint_##name,
#include "joint/joint_list.h"
#undef BL_KIND
};

const size_t bl_joint_kind_count = sizeof bl_joint_kinds / sizeof bl_joint_kinds[0];

bl_index bl_prim_forbids(const bl_prim *prim, int dim) {
    switch (prim->what) {
    case BL_COINCIDE: return dim;
    case BL_SAME: /* three equations between unit vectors, one of them follows from the others */ return dim - 1;
    case BL_DOT:
    case BL_PLANE:
    case BL_LINEAR: return 1;
    case BL_DISTANCE: return prim->var[0] < 0;
    case BL_TRAVEL:
    case BL_ANGLE:
    case BL_ANGLES: break;
    }
    return 0;
}

bl_status bl_joint_forbids(const bl_model *model, const bl_joint_def *def, bl_index *count) {
    bl_prim prim[BL_MAX_PRIMS];
    bl_index n = 0;
    *count = 0;
    BL_TRY(def->kind->primitives(model, def, prim, &n));
    for (bl_index i = 0; i < n; i++)
        *count += bl_prim_forbids(&prim[i], model->dim);
    return BL_OK;
}

bl_status bl_joint_draw(const bl_model *model, const bl_joint_def *def, bl_joint_picture *picture) {
    *picture = (bl_joint_picture){.variable = {-1, -1}};
    return def->kind->picture(model, def, picture);
}
