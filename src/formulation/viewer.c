/* Samplers. A formulation keeps results of one configuration for the next: pivots, choices of coordinates, first guesses. Output between
 * steps must not change them, or it would change the steps. So samples are computed by a second formulation of the same kind, which copies
 * the choices of the first. */
#include "formulation/formulation.h"

enum { SEARCH_PAYS = 500 }; /* evaluations that cost about as much as the search for the best linear solver */

/* no results are kept from one evaluation to the next: one constant matrix, or none */
static bool keeps_nothing(const bl_formulation *form) {
    const bl_system *sys = form->sys;
    bool constant = form->kind == &bl_formulation_plain && (sys->facts & BL_M_CONST);
    return sys->np == 0 && sys->nload == 0 && (constant || form->kind == &bl_formulation_direct);
}

static bl_status set_up(bl_formulation *form, const bl_state *state) {
    bl_context *ctx = form->ctx;
    bl_formulation *sampler = form->sampler;
    bl_log_pause(ctx, true); /* the formulation itself has logged it */
    bl_status status = BL_OK;
    if (form->kind->follow) /* copy its choices, which may have changed since set-up */
        status = form->kind->follow(sampler, form, state);
    else if (!sampler->own)
        status = form->kind->setup(sampler, state);
    else if (form->kind->review)
        status = form->kind->review(sampler, state);
    status = status == BL_RESTART ? BL_OK : status;
    bl_log_pause(ctx, false);
    sampler->followed = form->stats.repartitions;
    return status;
}

static bl_status make(bl_formulation *form, const bl_state *state) {
    bl_formulation *sampler;
    BL_TRY(bl_formulation_create(form->sys, form->spec, form->linsol_spec, form->ordering_spec, &sampler));
    form->sampler = sampler;
    sampler->sampler_of = form;
    sampler->many = 0; /* no power series are requested from it */
    sampler->rank_tolerance = form->rank_tolerance;
    sampler->rank_most = form->rank_most;
    if (form->near_off > 0)
        BL_TRY(bl_near_singular_begin(sampler, form->near_off));
    return set_up(form, state);
}

bl_status bl_formulation_sampler(bl_formulation *form, const bl_state *state, bl_formulation **out) {
    *out = form;
    if (keeps_nothing(form))
        return BL_OK;
    bl_status status = BL_OK;
    if (!form->sampler)
        status = make(form, state);
    else if (form->sampler->followed != form->stats.repartitions)
        status = set_up(form, state);
    if (status == BL_E_MEMORY || (status != BL_OK && bl_context_error(form->ctx)->status == BL_E_MEMORY))
        return BL_E_MEMORY;
    if (status != BL_OK) { /* this state is refused as a start: use the formulation itself, which has reached it */
        bl_context_clear_error(form->ctx);
        bl_formulation_drop_sampler(form);
        return BL_OK;
    }
    bl_formulation *sampler = form->sampler;
    sampler->near_best = form->near_best;
    sampler->near_count = form->near_count;
    *out = sampler;
    return BL_OK;
}

void bl_formulation_drop_sampler(bl_formulation *form) {
    bl_formulation_destroy(form->sampler);
    form->sampler = NULL;
}

bl_status bl_formulation_setup(bl_formulation *form, const bl_state *state) {
    bl_formulation_drop_sampler(form);
    if (form->own && (form->sys->facts & BL_INEQUALITIES)) { /* other rows may be active now: with them best values and ranks change */
        form->repeated = true;
        form->rank_most = 0;
        form->near_best = 0;
        form->near_count = 0;
        form->brief = form->stats.evaluations - form->set_up_at < SEARCH_PAYS;
    }
    form->set_up_at = form->stats.evaluations;
    return form->kind->setup(form, state);
}
