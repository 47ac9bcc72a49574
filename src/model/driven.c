/* Drivers that follow signals. The mechanism needs a driver's value, rate and second rate at every state: those of inputs are known, those
 * of a state z' = f are f and f' = f_q v + f_z z' + f_u u' + f_t, which need no acceleration if f reads no velocities. Numbers that jump
 * cannot be followed. */
#include "model/law_inputs.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>

bl_index bl_model_driver_reading(const bl_model *model, bl_index from, bl_index signal) {
    for (bl_index d = from; d < model->ndriver; d++) {
        const bl_law *law = &model->law[model->driver[d].law];
        for (bl_index i = 0; i < law->ninput; i++)
            if (law->input[i].what == BL_SYM_SIGNAL && (signal < 0 || law->input[i].ref == signal))
                return d;
    }
    return -1;
}

bl_index bl_model_driver_of_state(const bl_model *model, bl_index *signal) {
    for (bl_index i = 0; i < model->nsignal; i++) {
        bl_index d = model->signal[i].what == BL_SIGNAL_STATE ? bl_model_driver_reading(model, 0, i) : -1;
        if (d >= 0 && signal)
            *signal = i;
        if (d >= 0)
            return d;
    }
    return -1;
}

bl_status bl_model_refuse_following(bl_context *ctx, const bl_model *model, const char *study) {
    bl_index state = -1, d = bl_model_driver_of_state(model, &state);
    if (d < 0)
        return BL_OK;
    const char *variable = model->variable[model->driver[d].variable].name;
    bl_fail(ctx, BL_E_ABILITY, &model->driver[d].place,
            "%s not available: the driver of %s follows state '%s', whose value follows from the "
            "motion in time",
            study, variable, model->signal[state].name);
    bl_advise(ctx, "use `biela run`, or a driver that depends on t and inputs only");
    bl_blame(ctx, variable, "driver", NAN);
    return BL_E_ABILITY;
}

/* ---- what a driver may follow */

static const char *const filter = "let it follow a filter of second order (controllers: {type: filter}), or an input that is led by cubics";

static void velocity_name(const bl_model *model, const bl_symbol *s, char *text, size_t ntext) {
    if (s->what == BL_SYM_RATE)
        snprintf(text, ntext, "%s_rate", model->variable[s->ref].name);
    else
        snprintf(text, ntext, "%s.v%c", model->probe[s->ref].name, 'x' + s->part);
}

/* the action that sets a signal; -1: none */
static bl_index action_on(const bl_model *model, bl_index signal) {
    for (bl_index a = 0; a < model->naction; a++)
        for (bl_index i = model->action[a].first; i < model->action[a].first + model->action[a].count; i++)
            if (model->assignment[i].signal == signal)
                return a;
    return -1;
}

static const bl_place *place_of(const bl_model *model, bl_index driver) { return &model->law[model->driver[driver].law].place; }
static const char *variable_of(const bl_model *model, bl_index driver) { return model->variable[model->driver[driver].variable].name; }

/* why the driver cannot follow the number; rate_of: the state whose rate reads it, -1: the driver itself */
static bl_status refuse_number(bl_reader *r, bl_index driver, bl_index rate_of, bl_index signal) {
    const bl_model *model = r->model;
    const bl_signal_def *s = &model->signal[signal];
    const char *variable = variable_of(model, driver);
    bl_index action = s->what == BL_SIGNAL_STATE ? action_on(model, signal) : -1;
    char what[160], by[240] = "";
    if (s->what == BL_SIGNAL_DELAY)
        snprintf(what, sizeof what, "a delayed value, whose second rate is not known");
    else if (s->what == BL_SIGNAL_HELD)
        snprintf(what, sizeof what, "'%.60s', which is held and jumps at events", s->name);
    else
        snprintf(what, sizeof what, "state '%.60s', which %.60s sets", s->name, model->action[action].name);
    if (rate_of >= 0)
        snprintf(by, sizeof by, "state '%.60s', whose rate depends on ", model->signal[rate_of].name);
    bl_fail(r->ctx, BL_E_MODEL, place_of(model, driver), "the driver of %s follows %s%s: no mass can follow a jump", variable, by, what);
    bl_advise(r->ctx, "%s", filter);
    return BL_E_MODEL;
}

static bool jumps(const bl_model *model, bl_index signal) {
    uint8_t what = model->signal[signal].what;
    return what == BL_SIGNAL_HELD || what == BL_SIGNAL_DELAY || (what == BL_SIGNAL_STATE && action_on(model, signal) >= 0);
}

/* z' = f(q, z, t, u) */
static bl_status check_rate(bl_reader *r, bl_index driver, bl_index state) {
    const bl_model *model = r->model;
    const bl_law *law = &model->law[model->signal[state].law];
    for (bl_index i = 0; i < law->ninput; i++) {
        const bl_symbol *s = &law->input[i];
        if (s->what == BL_SYM_SIGNAL && jumps(model, s->ref))
            return refuse_number(r, driver, state, s->ref);
        if (s->what != BL_SYM_RATE && s->what != BL_SYM_PROBE_RATE)
            continue;
        char velocity[160];
        velocity_name(model, s, velocity, sizeof velocity);
        bl_fail(r->ctx, BL_E_MODEL, place_of(model, driver),
                "the driver of %s follows state '%s', whose rate depends on the velocity %s: the second rate of the driver would need "
                "accelerations, which are not known before the driver is",
                variable_of(model, driver), model->signal[state].name, velocity);
        bl_advise(r->ctx, "%s", filter);
        return BL_E_MODEL;
    }
    return BL_OK;
}

/* Its value at the start must be known before the mechanism is assembled. */
static bl_status take_start(bl_reader *r, bl_index driver, bl_index state) {
    bl_model *model = r->model;
    bl_signal_def *signal = &model->signal[state];
    if (signal->start < 0)
        return BL_OK;
    const bl_law *law = &model->law[signal->start];
    for (bl_index i = 0; i < law->ninput; i++) {
        const bl_symbol *s = &law->input[i];
        const bl_signal_def *of = s->what == BL_SYM_SIGNAL ? &model->signal[s->ref] : NULL;
        if (s->what == BL_SYM_TIME || s->what == BL_SYM_PARAMETER ||
            (of && (of->what == BL_SIGNAL_INPUT || (of->what == BL_SIGNAL_HELD && of->start < 0))))
            continue;
        bl_fail(r->ctx, BL_E_MODEL, place_of(model, driver),
                "the driver of %s follows state '%s', whose value at the start is not known before the mechanism is assembled: %s",
                variable_of(model, driver), signal->name, law->text);
        bl_advise(r->ctx, "let it follow a state with a number as `start`");
        return BL_E_MODEL;
    }
    double *in;
    BL_TRY(BL_NEW(r->ctx, in, (size_t)law->ninput + bl_tape_work(law->tape) + 1));
    bl_law_read(model, law, &(bl_instant){.t = 0}, in);
    bl_tape_eval(law->tape, in, &signal->value, in + law->ninput);
    bl_free(r->ctx, in);
    return BL_OK;
}

bl_status bl_check_driven(bl_reader *r) {
    const bl_model *model = r->model;
    for (bl_index d = 0; d < model->ndriver; d++) {
        const bl_law *law = &model->law[model->driver[d].law];
        for (bl_index i = 0; i < law->ninput; i++) {
            const bl_symbol *s = &law->input[i];
            if (s->what == BL_SYM_TIME || s->what == BL_SYM_PARAMETER)
                continue;
            if (s->what != BL_SYM_SIGNAL) { /* by an output that stands for an expression */
                bl_fail(r->ctx, BL_E_MODEL, &law->place, "the driver of %s depends on positions or velocities by '%s'",
                        variable_of(model, d), law->text);
                bl_advise(r->ctx,
                          "a driver can use only t, parameters, inputs and states; to couple variables use a gear joint or a force");
                return BL_E_MODEL;
            }
            if (jumps(model, s->ref))
                return refuse_number(r, d, -1, s->ref);
            if (model->signal[s->ref].what != BL_SIGNAL_STATE)
                continue;
            BL_TRY(check_rate(r, d, s->ref));
            BL_TRY(take_start(r, d, s->ref));
        }
    }
    return BL_OK;
}
