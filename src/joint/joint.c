/* All joint kinds, in list order; the joints of a model. */
#include "joint/joint_build.h"
#include "joint/touch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const bl_joint_kind *const bl_joint_kinds[] = {
#define BL_KIND(name) &bl_joint_##name,
#include "joint/joint_list.h"
#undef BL_KIND
};

const size_t bl_joint_kind_count = sizeof bl_joint_kinds / sizeof bl_joint_kinds[0];

bl_index bl_joint_forbids(const bl_model *model, const bl_joint_def *def) {
    bl_index count = 0;
    for (bl_index i = 0; i < def->nprim; i++)
        count += bl_prim_forbids(&def->prim[i], model->dim);
    return count;
}

/* ---- creation */

bl_status bl_joint_make(const bl_model *model, const bl_joint_def *def, bl_joint_parts *parts) {
    bl_build build = {.model = model, .def = def, .parts = parts};
    *parts = (bl_joint_parts){.picture.variable = {-1, -1, -1}};
    return def->kind->build(&build);
}

bl_status bl_joint_draw(const bl_model *model, const bl_joint_def *def, bl_joint_picture *picture) {
    bl_joint_parts parts;
    BL_TRY(bl_joint_make(model, def, &parts));
    *picture = parts.picture;
    return BL_OK;
}

/* A relation may be given by radii or teeth: its parameter `ratio`, by which results report its forces, is completed. */
static void complete_ratio(bl_joint_def *def, const bl_joint_parts *parts) {
    const bl_param *table = def->kind->kind.params;
    for (bl_index i = 0; parts->picture.relation && table && table[i].type != BL_P_END; i++)
        if (strcmp(table[i].name, "ratio") == 0)
            def->value[i].number = parts->picture.ratio;
}

bl_status bl_joints_resolve(bl_model *model) {
    bl_index room = 0;
    for (bl_index j = 0; j < bl_model_joints(model); j++) {
        bl_joint_def *def = &model->joint[j];
        bl_joint_parts parts;
        bl_joint_dof *dof;
        BL_TRY(bl_joint_make(model, def, &parts));
        complete_ratio(def, &parts);
        BL_TRY(BL_RESERVE(model->ctx, model->prim, room, model->nprim + parts.nprim));
        memcpy(model->prim + model->nprim, parts.prim, (size_t)parts.nprim * sizeof *parts.prim);
        model->nprim += def->nprim = parts.nprim;
        BL_TRY(BL_ARENA_NEW(&model->arena, dof, parts.ndof));
        memcpy(dof, parts.dof, (size_t)parts.ndof * sizeof *dof);
        def->ndof = parts.ndof;
        def->dof = dof;
    }
    for (bl_prim *prim = model->prim; prim < model->prim + model->nprim; prim++)
        if (prim->touch)
            BL_TRY(bl_touch_attach(model, prim));
    const bl_prim *next = model->prim;
    for (bl_index j = 0; j < bl_model_joints(model); j++) {
        model->joint[j].prim = next;
        next += model->joint[j].nprim;
    }
    for (bl_index p = 0; p < model->nprim; p++)
        for (int k = 0; !bl_prim_is_relation(&model->prim[p]) && k < 3; k++)
            if (model->prim[p].var[k] >= 0) {
                model->variable[model->prim[p].var[k]].prim = &model->prim[p];
                model->variable[model->prim[p].var[k]].part = k;
            }
    return BL_OK;
}

/* ---- queries */

const bl_prim *bl_joint_prim(const bl_joint_def *def, bl_prim_what what) {
    for (bl_index i = 0; i < def->nprim; i++)
        if (def->prim[i].what == what)
            return &def->prim[i];
    return NULL;
}

bl_status bl_joints_refuse_slip(bl_context *ctx, const bl_model *model, const char *study) {
    for (bl_index j = 0; j < model->njoint; j++)
        for (bl_index i = 0; i < model->joint[j].nprim; i++) {
            const bl_joint_def *def = &model->joint[j];
            if (!bl_prim_is_slip(&def->prim[i]) || def->prim[i].one_sided)
                continue;
            char part[96];
            snprintf(part, sizeof part, "%s '%s'", def->kind->kind.name, def->name);
            bl_fail(ctx, BL_E_ABILITY, &def->place, "%s knows positions alone, but %s restricts velocities (%s)", study, part,
                    def->prim[i].meaning);
            bl_advise(ctx, "`biela inverse` follows driven mechanisms that roll, with velocities, accelerations and forces; `biela run` "
                           "those that move freely");
            bl_blame(ctx, part, def->prim[i].meaning, NAN);
            return BL_E_ABILITY;
        }
    return BL_OK;
}

const bl_mark *bl_joint_point(const bl_joint_def *def) {
    for (bl_index i = 0; i < def->nprim; i++)
        if (!bl_prim_is_relation(&def->prim[i]) && !def->prim[i].b.is_vector)
            return &def->prim[i].b;
    return NULL;
}
