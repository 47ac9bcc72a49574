/* Coordinates from the structural analysis: the variables of those joints that, as inputs, divide the mechanism into the smallest
 * structural groups (biela/structure.h) become coordinates and are requested as independent. Existing drivers are kept. */
#include "coords/mechanism.h"

#include "topology/groups.h"

#include <math.h>
#include <string.h>

/* a driver removes the degree of freedom it prescribes: inputs are chosen among the others */
static bl_status undriven(bl_context *ctx, const bl_chain *chain, bl_chain_pair **pair) {
    BL_TRY(BL_NEW(ctx, *pair, chain->npair));
    for (bl_index p = 0; p < chain->npair; p++) {
        (*pair)[p] = chain->pair[p];
        (*pair)[p].dof -= chain->pair[p].inputs;
        (*pair)[p].inputs = 0;
        if ((*pair)[p].dof < 0)
            (*pair)[p].dof = 0;
    }
    return BL_OK;
}

/* the variable of the n-th input of the joint; -1: it has none left. Driven ones are skipped. */
static bl_index variable_of(const bl_model *model, bl_index joint, bl_index n) {
    for (bl_index v = 0; v < model->nvariable; v++) {
        bool driven = false;
        for (bl_index d = 0; d < model->ndriver; d++)
            driven = driven || model->driver[d].variable == v;
        if (model->variable[v].joint == joint && !driven && n-- == 0)
            return v;
    }
    return -1;
}

static bool take(bl_mechanism *m, const bl_structure_choice *choice) {
    for (bl_index i = 0; i < choice->ninput; i++) {
        bl_index before = 0;
        while (before < i && choice->pair[i - 1 - before] == choice->pair[i])
            before++;
        m->input[i] = variable_of(m->model, choice->pair[i], before);
        if (m->input[i] < 0)
            return false;
    }
    m->ninput = choice->ninput;
    return true;
}

static bl_status choose(bl_mechanism *m, const bl_structure_choices *choices) {
    m->ninput = 0;
    if (choices->nchoice == 0)
        return BL_OK;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->input, choices->choice[0].ninput));
    for (bl_index c = 0; c < choices->nchoice && choices->choice[c].complete; c++) {
        if (!take(m, &choices->choice[c]))
            continue;
        for (bl_index i = 0; i < m->ninput; i++)
            bl_log(m->ctx, BL_LOG_INFO, "independent: %s (%d structural groups, the largest has %d links)",
                   m->model->variable[m->input[i]].name, choices->choice[c].ngroup, choices->choice[c].largest);
        return BL_OK;
    }
    return BL_OK;
}

bl_status bl_mech_find_inputs(bl_mechanism *m) {
    bl_chain chain = {.size = sizeof chain};
    bl_chain_pair *pair = NULL;
    bl_structure_choices choices = {.size = sizeof choices};
    bl_status status = bl_chain_of_model(m->ctx, m->model, &chain);
    if (status == BL_OK)
        status = undriven(m->ctx, &chain, &pair);
    if (status == BL_OK) {
        bl_chain open = chain;
        open.pair = pair;
        open.own = NULL;
        status = bl_structure_inputs(m->ctx, &open, &choices);
    }
    if (status == BL_OK)
        status = choose(m, &choices);
    if (status == BL_OK && m->ninput == 0)
        bl_warn(m->ctx, NAN, NULL, "no joint variables found that would drive the mechanism; independent coordinates are chosen by rank");
    bl_structure_choices_destroy(m->ctx, &choices);
    bl_free(m->ctx, pair);
    bl_chain_destroy(m->ctx, &chain);
    return status;
}
