/* Shapes of modes to sinks. */
#include "study/modes.h"

#include "study/run.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* readers of the file know the shapes by their number alone: the frequency goes with it as an event */
static bl_status show_frequency(const bl_mode *mode, bl_index number, bool first_order, bl_sink *sinks, bl_index nsink) {
    char text[64];
    if (mode->rigid)
        snprintf(text, sizeof text, "rigid");
    else if (isfinite(mode->frequency) && !first_order)
        snprintf(text, sizeof text, "%.6g Hz", mode->frequency);
    else
        snprintf(text, sizeof text, first_order ? "rate %.6g 1/s" : "unstable, eigenvalue %.6g 1/s^2", mode->eigenvalue);
    for (bl_index i = 0; i < nsink; i++)
        if (sinks[i].event)
            BL_TRY(sinks[i].event(sinks[i].user, &(bl_event_mark){(double)number, BL_HAPPENED_MODE, text, ""}));
    return BL_OK;
}

bl_status bl_modes_show(bl_modes_own *own, const bl_modes_options *options, const bl_modes_report *report, bl_sink *sinks, bl_index nsink,
                        bl_index *nbegun) {
    const bl_system *sys = own->sys;
    bl_run_info info;
    double misfit, by = options->amplitude > 0 ? options->amplitude : sys->np || (sys->facts & BL_TURNS_ONLY) ? 0.1 : 1;
    uint32_t want = bl_sinks_want(sinks, nsink);
    own->run.formulation = "modes";
    own->run.integrator = report->method;
    own->run.until = report->nmode;
    BL_TRY(bl_run_describe(own->model, sys, NULL, &own->run, &own->arena, &info));
    BL_TRY(bl_run_fields(own->model, sys, want, &own->arena, &info));
    BL_TRY(bl_run_scene(sys->ctx, own->model, want, &own->arena, &info));
    info.freedoms = report->freedoms;
    info.samples = report->nmode;
    info.reactions = false;
    BL_TRY(bl_sinks_begin(sinks, nsink, &info, nbegun));
    for (bl_index k = 0; k < report->nmode && want; k++) {
        bl_sample sample;
        bl_state_copy(sys, &own->moved, &own->place);
        for (bl_index j = 0; j < report->unknowns; j++)
            own->d[j] = by * report->mode[k].shape[j];
        BL_TRY(bl_system_retract(sys, own->place.q, own->d, own->moved.q));
        for (bl_index i = 0; i < sys->nz; i++)
            own->moved.z[i] = own->place.z[i] + own->d[sys->nv + i];
        if (sys->np) {
            bl_status status = bl_assemble_nearby(sys, &own->moved);
            if (status < 0)
                return status;
            bl_context_clear_error(own->ctx);
        }
        BL_TRY(bl_simulation_look(sys, NULL, &own->eval, &own->moved, NULL, NULL, want, &sample, &misfit));
        sample.t = k + 1;
        BL_TRY(bl_sinks_sample(sinks, nsink, &sample));
        BL_TRY(show_frequency(&report->mode[k], k + 1, report->first_order, sinks, nsink));
    }
    return BL_OK;
}
