/* A model as a chain: bodies become links and joints pairs, in their order; drivers become inputs of the joint whose variable they
 * prescribe. */
#include "base/sized.h"
#include "joint/joint.h"
#include "topology/topology.h"

#include "biela/structure.h"

#include <string.h>

/* bodies whose motion a relation couples; those measured by only one of its variables are its links, the others are in between */
static void relation_links(const bl_model *model, const bl_prim *prim, bl_chain_pair *pair) {
    bl_index body[6], times[6], n = 0, found = 0, via = 0;
    for (int k = 0; k < 3; k++) {
        if (prim->var[k] < 0)
            continue;
        const bl_index *ends = model->joint[model->variable[prim->var[k]].joint].body;
        for (int side = 1; side >= 0; side--) { /* the second body moves relative to the first */
            bl_index i = 0;
            while (i < n && body[i] != ends[side])
                i++;
            if (i == n) {
                body[n] = ends[side];
                times[n++] = 0;
            }
            times[i]++;
        }
    }
    for (bl_index wanted = 1; wanted <= 3; wanted++)
        for (bl_index i = 0; i < n; i++) {
            if (times[i] != wanted)
                continue;
            if (found < 2)
                pair->link[found++] = body[i];
            else if (via < BL_PAIR_VIA)
                pair->via[via++] = body[i];
        }
    if (found == 1) /* both variables between the same bodies, one of them the frame or the same link */
        pair->link[1] = pair->link[0];
}

static void write_pair(const bl_model *model, const bl_joint_def *joint, bl_chain_pair *pair) {
    const bl_prim *relation = joint->nprim > 0 && bl_prim_is_relation(joint->prim) ? joint->prim : NULL;
    *pair = (bl_chain_pair){.dof = (model->dim == 3 ? 6 : 3) - (int)bl_joint_forbids(model, joint), .letter = joint->kind->letter};
    pair->name = joint->name;
    pair->type = joint->kind->kind.name;
    for (int k = 0; k < BL_PAIR_VIA; k++)
        pair->via[k] = -1;
    memcpy(pair->link, joint->body, sizeof pair->link);
    if (joint->kind->nbody == 0 && relation)
        relation_links(model, relation, pair);
}

static bl_status write_chain(const bl_model *model, bl_arena *arena, bl_chain *chain) {
    bl_chain_pair *pair;
    const char **link;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(pair, model->njoint), BL_ARRAY(link, model->nbody)));
    *chain = (bl_chain){
        .size = sizeof *chain, .dim = model->dim, .nlink = model->nbody, .link = link, .npair = model->njoint, .pair = pair, .own = arena};
    chain->name = model->name;
    chain->file = model->file;
    for (bl_index i = 0; i < model->nbody; i++)
        link[i] = model->body[i].name;
    for (bl_index j = 0; j < model->njoint; j++)
        write_pair(model, &model->joint[j], &pair[j]);
    for (bl_index d = 0; d < model->ndriver; d++)
        pair[model->variable[model->driver[d].variable].joint].inputs++;
    return BL_OK;
}

bl_status bl_chain_of_model(bl_context *ctx, const bl_model *model, bl_chain *chain) {
    bl_chain made = {.size = sizeof made};
    BL_TRY(BL_FITS(ctx, bl_chain, chain));
    BL_GIVE(bl_chain, chain, &made);
    if (model->nbody < 1) {
        bl_fail(ctx, BL_E_ABILITY, NULL, "the model has no bodies");
        bl_advise(ctx, "structural groups consist of bodies and joints: add bodies to the model");
        return BL_E_ABILITY;
    }
    bl_arena *arena = NULL;
    BL_TRY(BL_NEW(ctx, arena, 1));
    arena->ctx = ctx;
    bl_status status = write_chain(model, arena, &made);
    if (status != BL_OK) {
        made.own = arena;
        bl_chain_destroy(ctx, &made);
    }
    BL_GIVE(bl_chain, chain, &made);
    return status;
}

void bl_chain_destroy(bl_context *ctx, bl_chain *chain) {
    if (chain && chain->own) {
        bl_arena_destroy(chain->own);
        bl_free(ctx, chain->own);
    }
    BL_CLEAR(bl_chain, chain);
}
