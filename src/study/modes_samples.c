/* Passes mode shapes to sinks. */
#include "study/modes_private.h"

#include "study/run.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586;
static const double REACH = 0.15; /* of scales: largest displacement of an animated mode */
enum { USUAL_FRAMES = 60 };

static double period_of(const bl_mode *m) { return m->im > 0 ? TWO_PI / m->im : 1; }

/* a reader of the result knows only the number of a shape: its frequency is added as an event */
static bl_status show_frequency(const bl_mode *mode, bl_index number, bool first_order, bl_run *run) {
    char text[64];
    if (mode->rigid)
        snprintf(text, sizeof text, "rigid");
    else if (mode->shape_im && mode->im == 0)
        snprintf(text, sizeof text, "%s, eigenvalue %.6g 1/s", mode->re > 0 ? "unstable" : "decays", mode->re);
    else if (isfinite(mode->frequency) && !first_order)
        snprintf(text, sizeof text, "%.6g Hz", mode->frequency);
    else
        snprintf(text, sizeof text, first_order ? "rate %.6g 1/s" : "unstable, eigenvalue %.6g 1/s^2", mode->eigenvalue);
    for (bl_index i = 0; i < run->nsink; i++)
        if (run->sink[i].event)
            BL_TRY(run->sink[i].event(run->sink[i].user,
                                      &(bl_event_mark){.t = (double)number, .kind = BL_HAPPENED_MODE, .text = text, .part = ""}));
    return BL_OK;
}

/* the reference state moved by own->d and assembled, as a sample */
static bl_status show_moved(bl_modes_own *own, double t, bl_run *run) {
    const bl_system *sys = own->sys;
    bl_sample sample;
    double misfit;
    bl_state_copy(sys, &own->moved, &own->reference);
    BL_TRY(bl_system_retract(sys, own->reference.q, own->d, own->moved.q));
    for (bl_index i = 0; i < sys->nz; i++)
        own->moved.z[i] = own->reference.z[i] + own->d[sys->nv + i];
    if (sys->np) {
        bl_status status = bl_assemble_nearby(sys, &own->moved);
        if (status < 0)
            return status;
        bl_context_clear_error(own->ctx);
    }
    BL_TRY(bl_simulation_fill_sample(sys, NULL, &own->eval, &own->moved, NULL, NULL, run->want, &sample, &misfit));
    sample.t = t;
    return bl_run_sample(run, &sample);
}

/* Re(phi e^(i im t)) over a period, without decay or growth, so that it can be played in a loop; a mode without oscillation gets a period
 * of 1 s */
static bl_status animate(bl_modes_own *own, const bl_mode *m, bl_index n, double by, bl_index frames, bl_run *run) {
    double period = period_of(m);
    for (bl_index k = 0; k <= frames; k++) {
        double phase = TWO_PI * k / frames, c = by * cos(phase), s = by * sin(phase);
        BL_TRY(bl_go_on(own->ctx));
        for (bl_index j = 0; j < n; j++)
            own->d[j] = c * m->shape[j] - (m->shape_im ? s * m->shape_im[j] : 0);
        BL_TRY(show_moved(own, period * k / frames, run));
    }
    return BL_OK;
}

/* amplitude of a visible motion: the largest entry, in the scale of its column, becomes REACH */
static double visible(const bl_modes_own *own, const bl_mode *m, bl_index n) {
    double most = 0;
    for (bl_index j = 0; j < n; j++) {
        double scale = own->sys->col && own->sys->col[j].scale > 0 ? own->sys->col[j].scale : 1;
        most = fmax(most, hypot(m->shape[j], m->shape_im ? m->shape_im[j] : 0) / scale);
    }
    return most > 0 ? REACH / most : 1;
}

bl_status bl_modes_show(bl_modes_own *own, const bl_modes_options *options, const bl_modes_report *report, bl_run *run) {
    const bl_system *sys = own->sys;
    double by = options->amplitude > 0 ? options->amplitude : sys->np || (sys->facts & BL_REVOLUTIONS_ONLY) ? 0.1 : 1;
    bl_index frames = options->frames > 0 ? options->frames : USUAL_FRAMES;
    const bl_mode *one = options->animate > 0 && options->animate <= report->nmode ? &report->mode[options->animate - 1] : NULL;
    if (options->animate != 0 && !one) {
        bl_fail(own->ctx, BL_E_ARG, NULL, "cannot show mode %d: %d modes were computed", (int)options->animate, (int)report->nmode);
        bl_advise(own->ctx, "modes are numbered from 1; --count requests more");
        return BL_E_ARG;
    }
    run->options = own->run;
    run->options.formulation = "modes";
    run->options.integrator = report->method;
    run->options.until = one ? period_of(one) : report->nmode;
    BL_TRY(bl_run_describe(run, sys, NULL));
    run->info.dof = report->dof;
    run->info.samples = one ? frames + 1 : report->nmode;
    run->info.reactions = false;
    BL_TRY(bl_run_begin(run));
    if (one && run->want)
        return animate(own, one, report->unknowns, options->amplitude > 0 ? by : visible(own, one, report->unknowns), frames, run);
    for (bl_index k = 0; k < report->nmode && run->want; k++) {
        for (bl_index j = 0; j < report->unknowns; j++)
            own->d[j] = by * report->mode[k].shape[j];
        BL_TRY(show_moved(own, k + 1, run));
        BL_TRY(show_frequency(&report->mode[k], k + 1, report->first_order, run));
    }
    return BL_OK;
}
