/* Piecewise laws of time only (`t <= 1 ? 400*t : 0`, tables): every piece is smooth; the active one is stored at the front of the history
 * and changes at times that are known in advance. */
#include "fem/assembly.h"
#include "model/law_inputs.h"

#include <math.h>
#include <string.h>

static bool of_time_alone(const bl_law *law) {
    for (bl_index k = 0; k < law->ninput; k++)
        if (law->input[k].what != BL_SYM_TIME && law->input[k].what != BL_SYM_PARAMETER)
            return false;
    return true;
}

static bl_status add_law(bl_fem *fem, bl_index l) {
    const bl_law *law = &fem->model->law[l];
    uint8_t *input_kind;
    BL_TRY(BL_NEW(fem->ctx, input_kind, (size_t)law->ninput + 1));
    for (bl_index k = 0; k < law->ninput; k++)
        input_kind[k] = law->input[k].what == BL_SYM_TIME ? BL_INPUT_TIME : BL_INPUT_CONSTANT;
    bl_status status = bl_switches_add(fem->ctx, &fem->switches, law->tape, -1, law->ninput, input_kind);
    bl_free(fem->ctx, input_kind);
    fem->switch_of[l] = fem->switches.nlaw - 1;
    fem->switching[fem->switches.nlaw - 1] = l;
    return status;
}

bl_status bl_fem_switches(bl_fem *fem) {
    const bl_model *model = fem->model;
    BL_TRY(BL_ARENA_ARRAYS(&fem->arena, BL_ARRAY(fem->switch_of, model->nlaw), BL_ARRAY(fem->switching, (size_t)model->nlaw + 1)));
    for (bl_index l = 0; l < model->nlaw; l++)
        fem->switch_of[l] = -1;
    for (bl_index s = 0; s < model->nsupport; s++) {
        bl_index l = model->support[s].value.law;
        if (l >= 0 && fem->switch_of[l] < 0 && of_time_alone(&model->law[l]))
            BL_TRY(add_law(fem, l));
    }
    for (bl_index s = 0; s < model->nsolid_load; s++)
        for (int k = 0; k < 3; k++) {
            bl_index l = model->solid_load[s].value[k].law;
            if (l >= 0 && fem->switch_of[l] < 0 && of_time_alone(&model->law[l]))
                BL_TRY(add_law(fem, l));
        }
    return BL_OK;
}

bl_index bl_fem_law_inputs(const bl_fem *fem, bl_index l, const bl_fem_eval *p, const bl_tape **tape, const double **pieces) {
    const bl_law *law = &fem->model->law[l];
    bl_index s = fem->switch_of ? fem->switch_of[l] : -1;
    const bl_pieces *law_pieces = s >= 0 ? &fem->switches.law[s] : NULL;
    *tape = law->tape;
    *pieces = NULL;
    if (!law_pieces || !law_pieces->tape || !p->pieces)
        return 0;
    *tape = law_pieces->tape;
    *pieces = p->pieces + fem->switches.first[s];
    return law_pieces->count;
}

/* ---- slots of bl_system_kind */

typedef struct moment {
    const bl_fem *fem;
    double t;
} moment;

static void inputs_at(void *user, bl_index s, double *in) {
    const moment *at = user;
    bl_law_read(at->fem->model, &at->fem->model->law[at->fem->switching[s]], &(bl_instant){.t = at->t}, in);
}

bl_status bl_fem_hold(const bl_system *sys, bl_eval *e, bl_state *state) {
    const bl_fem *fem = sys->own;
    double *kept = (double *)(void *)state->history;
    if (fem->switches.n == 0)
        return BL_OK;
    if (!e) {
        memset(kept, 0, bl_switches_kept(&fem->switches) * sizeof *kept);
        return BL_OK;
    }
    bl_switches_hold(&fem->switches, inputs_at, &(moment){fem, *state->t}, *state->t, kept, ((bl_fem_eval *)e->own)->law_work);
    return BL_OK;
}

bl_status bl_fem_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event) {
    const bl_fem *fem = sys->own;
    double *kept = (double *)(void *)state->history;
    bl_fem_eval *p = e->own;
    if (fem->switches.n == 0)
        return BL_AGAIN;
    bl_eval_at(e, state);
    bool known = fem->npair && bl_fem_spread_at(fem, e) == BL_OK;
    if (known)
        memcpy(p->f, p->u, (size_t)fem->nfull * sizeof *p->f);
    bool changed = bl_switches_jump(&fem->switches, inputs_at, &(moment){fem, *state->t}, *state->t, kept, event, p->law_work);
    bl_eval_at(e, state);
    if (changed && known && bl_fem_spread_at(fem, e) == BL_OK)
        bl_fem_warn_of_jump(fem, *state->t, p->f, p->u);
    return changed ? BL_OK : BL_AGAIN;
}

bl_status bl_fem_next_time(const bl_system *sys, const bl_state *state, double *t) {
    const bl_fem *fem = sys->own;
    *t = fem->switches.n ? bl_switches_next_time(&fem->switches, (const double *)(const void *)state->history) : INFINITY;
    return BL_OK;
}
