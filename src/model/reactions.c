/* Reactions that laws may read (`reactions: [B.fx, B.mz]`): found together with the accelerations, as the normal loads of dry friction are.
 * Declared, because every one is an unknown of that problem. In laws its name is reaction.B.fx. */
#include "model/reader.h"

#include <string.h>

static const char *const parts[] = {"fx", "fy", "fz", "mx", "my", "mz"};

/* the joint and the part of "B.fx"; false: there is none */
static bool find(const bl_reader *r, const char *name, bl_index *joint, int *part) {
    const char *dot = strrchr(name, '.');
    char owner[256];
    if (!dot || (size_t)(dot - name) >= sizeof owner)
        return false;
    memcpy(owner, name, (size_t)(dot - name));
    owner[dot - name] = '\0';
    *joint = bl_names_find(&r->joints, owner);
    for (*part = 0; *part < 6; ++*part)
        if (strcmp(parts[*part], dot + 1) == 0)
            return *joint >= 0 && (r->model->dim == 3 || *part < 2 || *part == 5);
    return false;
}

static bl_status add_reaction(bl_reader *r, const bl_item *entry, void *user) {
    bl_model *model = r->model;
    bl_reaction_def *reaction = &model->reaction[model->nreaction];
    const char *name;
    (void)user;
    BL_TRY(bl_item_text(r, entry, "reactions", &name));
    if (!find(r, name, &reaction->joint, &reaction->part)) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "reactions: there is no reaction '%s'", name);
        bl_advise(r->ctx, model->dim == 2 ? "write the name of a joint and fx, fy or mz: B.fx"
                                          : "write the name of a joint and fx, fy, fz, mx, my or mz: B.fx");
        return BL_E_MODEL;
    }
    if (model->joint[reaction->joint].body[0] < 0) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "reactions: '%s' relates variables and has no reaction of its own",
                model->joint[reaction->joint].name);
        bl_advise(r->ctx, "use the reactions of the joints of its variables");
        return BL_E_MODEL;
    }
    for (bl_index i = 0; i < model->nreaction; i++)
        if (model->reaction[i].joint == reaction->joint && model->reaction[i].part == reaction->part)
            return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "reactions: '%s' is listed twice", name);
    reaction->place = entry->place;
    model->nreaction++;
    return BL_OK;
}

bl_status bl_read_reactions(bl_reader *r) {
    const bl_item *list = bl_section_last(r, "reactions");
    bl_index count = 0;
    if (!list)
        return BL_OK;
    BL_TRY(bl_each_count(r, list, NULL, &count));
    BL_TRY(BL_ARENA_NEW(&r->model->arena, r->model->reaction, count));
    return bl_each(r, list, NULL, add_reaction, NULL);
}

bl_status bl_reaction_symbol(bl_reader *r, const char *name, const bl_place *place, bl_symbol *symbol) {
    const bl_model *model = r->model;
    bl_index joint;
    int part;
    if (!find(r, name + strlen("reaction."), &joint, &part)) {
        bl_fail(r->ctx, BL_E_MODEL, place, "there is no reaction '%s'", name);
        bl_advise(r->ctx, "write the name of a joint and fx, fy, fz, mx, my or mz: reaction.B.fx");
        return BL_E_MODEL;
    }
    for (bl_index i = 0; i < model->nreaction; i++)
        if (model->reaction[i].joint == joint && model->reaction[i].part == part) {
            *symbol = (bl_symbol){BL_SYM_REACTION, i, 0};
            return BL_OK;
        }
    bl_fail(r->ctx, BL_E_MODEL, place, "the law reads '%s', which is not declared", name);
    bl_advise(r->ctx, "add `reactions: [%s.%s]`: it is then found together with the accelerations", model->joint[joint].name, parts[part]);
    return BL_E_MODEL;
}

bl_status bl_model_refuse_reactions(bl_context *ctx, const bl_model *model, const char *study) {
    if (model->nreaction == 0)
        return BL_OK;
    const bl_reaction_def *first = &model->reaction[0];
    bl_fail(ctx, BL_E_ABILITY, &first->place, "%s not available: laws may read reaction.%s.%s, which is found together with accelerations",
            study, model->joint[first->joint].name, parts[first->part]);
    bl_advise(ctx, "use `biela run`, or leave out `reactions:` and the laws that read them");
    return BL_E_ABILITY;
}
