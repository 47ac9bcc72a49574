/* Viewers. What a formulation finds at one configuration it keeps for the next: pivots, choices of coordinates, first guesses. Whoever
 * looks at the motion between steps must not leave anything there, or the output would change the steps. So samples are made by a second
 * formulation of the same kind, which takes over the choices of the first. */
#include "formulation/formulation.h"

/* nothing is kept from place to place: one constant matrix, or none */
static bool keeps_nothing(const bl_formulation *form) {
    const bl_system *sys = form->sys;
    bool constant = form->kind == &bl_formulation_plain && (sys->facts & BL_M_CONST);
    return sys->np == 0 && sys->nload == 0 && (constant || form->kind == &bl_formulation_direct);
}

static bl_status set_up(bl_formulation *form, const bl_state *state) {
    bl_context *ctx = form->ctx;
    bl_formulation *viewer = form->viewer;
    bl_log_pause(ctx, true); /* the first one reported it */
    bl_status status = BL_OK;
    if (form->kind->follow) /* its choices, which it may have made anew since it was set up */
        status = form->kind->follow(viewer, form, state);
    else if (!viewer->own)
        status = form->kind->setup(viewer, state);
    else if (form->kind->review)
        status = form->kind->review(viewer, state);
    status = status == BL_RESTART ? BL_OK : status;
    bl_log_pause(ctx, false);
    viewer->followed = form->stats.repartitions;
    return status;
}

static bl_status make(bl_formulation *form, const bl_state *state) {
    bl_formulation *viewer;
    BL_TRY(bl_formulation_create(form->sys, form->spec, form->linsol_spec, form->ordering_spec, &viewer));
    form->viewer = viewer;
    viewer->viewer_of = form;
    viewer->many = 0; /* no power series are asked of it */
    viewer->rank_tolerance = form->rank_tolerance;
    viewer->rank_most = form->rank_most;
    if (form->near_off > 0)
        BL_TRY(bl_near_singular_begin(viewer, form->near_off));
    return set_up(form, state);
}

bl_status bl_formulation_viewer(bl_formulation *form, const bl_state *state, bl_formulation **out) {
    *out = form;
    if (keeps_nothing(form))
        return BL_OK;
    bl_status status = BL_OK;
    if (!form->viewer)
        status = make(form, state);
    else if (form->viewer->followed != form->stats.repartitions)
        status = set_up(form, state);
    if (status == BL_E_MEMORY || (status != BL_OK && bl_context_error(form->ctx)->status == BL_E_MEMORY))
        return BL_E_MEMORY;
    if (status != BL_OK) { /* the place is refused as a start: the first one, which has come here, must do */
        bl_context_clear_error(form->ctx);
        bl_formulation_drop_viewer(form);
        return BL_OK;
    }
    bl_formulation *viewer = form->viewer;
    viewer->near_best = form->near_best;
    viewer->near_count = form->near_count;
    *out = viewer;
    return BL_OK;
}

void bl_formulation_drop_viewer(bl_formulation *form) {
    bl_formulation_destroy(form->viewer);
    form->viewer = NULL;
}

bl_status bl_formulation_setup(bl_formulation *form, const bl_state *state) {
    bl_formulation_drop_viewer(form);
    return form->kind->setup(form, state);
}
