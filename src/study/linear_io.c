/* Inputs and outputs of a linearized mechanism: names found in the model, and the matrices (linear_io.h). */
#include "study/linear_io.h"

#include "joint/joint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- names */

/* whether the name is WHOSE.part; *whose: the text before the dot, in the arena */
static bool splits(bl_arena *arena, const char *name, const char *part, const char **whose) {
    size_t n = strlen(name), m = strlen(part);
    if (n <= m + 1 || name[n - m - 1] != '.' || strcmp(name + n - m, part) != 0)
        return false;
    *whose = bl_arena_text(arena, name, n - m - 1);
    return *whose != NULL;
}

/* the variable of a joint that has exactly one; -1: not so */
static bl_index only_variable(const bl_model *model, const char *joint) {
    bl_index j = bl_model_joint(model, joint);
    if (j < 0 || model->joint[j].first_var < 0)
        return -1;
    const char *const *part = model->joint[j].kind->variables;
    return part[0] && !part[1] ? model->joint[j].first_var : -1;
}

/* a variable, or the only one of a joint, with or without ".force" or ".torque" */
static bl_index pushed(bl_arena *arena, const bl_model *model, const char *name) {
    static const char *const behind[] = {"force", "torque"};
    const char *whose;
    bl_index v = bl_model_variable(model, name);
    for (int k = 0; k < 2 && v < 0; k++)
        if (splits(arena, name, behind[k], &whose)) {
            v = bl_model_variable(model, whose);
            v = v < 0 ? only_variable(model, whose) : v;
        }
    return v;
}

static bl_index driver_of(const bl_model *model, const char *name) {
    for (bl_index d = 0; d < model->ndriver; d++)
        if (model->driver[d].name && strcmp(model->driver[d].name, name) == 0)
            return d;
    return -1;
}

static bl_index force_of(const bl_model *model, const char *name) {
    for (bl_index i = 0; i < model->nforce; i++)
        if (model->force[i].name && strcmp(model->force[i].name, name) == 0)
            return i;
    return -1;
}

static bl_index parameter_of(const bl_model *model, const char *name) {
    for (bl_index i = 0; i < model->nparameter; i++)
        if (strcmp(model->parameter[i].name, name) == 0)
            return i;
    return -1;
}

typedef struct words {
    bl_arena *arena;
    const char **word;
    size_t count, room;
} words;

static void offer(words *w, const char *format, const char *a, const char *b) {
    if (w->count >= w->room)
        return;
    const char *text = bl_arena_printf(w->arena, format, a, b);
    if (text)
        w->word[w->count++] = text;
}

static bl_status refuse(bl_context *ctx, const bl_model *model, bl_arena *arena, const char *name, bool input, const bl_place *place) {
    static const char *const part[] = {"x", "y", "z", "vx", "vy", "vz"}, *const load[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    words w = {
        .arena = arena,
        .room = 12 * (size_t)(model->nvariable + model->nprobe + model->njoint + model->nparameter + model->nforce + model->nsignal) + 64};
    BL_TRY(BL_ARENA_NEW(arena, w.word, w.room));
    for (bl_index v = 0; v < model->nvariable; v++) {
        offer(&w, "%s%s", model->variable[v].name, "");
        offer(&w, "%s%s", model->variable[v].name, input ? ".force" : "_rate");
    }
    for (bl_index i = 0; input && i < model->nforce; i++)
        if (model->force[i].name)
            offer(&w, "%s%s", model->force[i].name, "");
    for (bl_index i = 0; input && i < model->nparameter; i++)
        offer(&w, "%s%s", model->parameter[i].name, "");
    for (bl_index i = 0; i < model->nsignal; i++)
        if (!model->signal[i].hidden && input == (model->signal[i].what == BL_SIGNAL_INPUT || model->signal[i].what == BL_SIGNAL_HELD))
            offer(&w, "%s%s", model->signal[i].name, "");
    for (int k = 0; k < 6 && !input; k++) {
        for (bl_index i = 0; i < model->nprobe; i++)
            offer(&w, "%s.%s", model->probe[i].name, part[k]);
        for (bl_index j = 0; j < model->njoint; j++)
            offer(&w, "reaction.%s.%s", model->joint[j].name, load[k]);
    }
    const char *nearest = bl_nearest(name, w.word, w.count);
    bl_fail(ctx, place ? BL_E_MODEL : BL_E_ARG, place, "unknown %s '%s'", input ? "input" : "output", name);
    if (nearest)
        bl_advise(ctx, "did you mean '%s'?", nearest);
    else if (input)
        bl_advise(
            ctx,
            "an input is one of `inputs:`, a variable (a force acting on it), a driver, a force element, or a parameter used only in laws "
            "of forces");
    else
        bl_advise(ctx,
                  "outputs are A.angle, A.rate, PROBE.x, PROBE.vx, BODY.x, reaction.JOINT.fx ... mz, DRIVER.force, states, controllers");
    return place ? BL_E_MODEL : BL_E_ARG;
}

/* ---- inputs */

static bl_status hold(bl_linear_io *io, bl_linear_input *in, bl_held held) {
    in->held = io->nheld;
    io->held[io->nheld++] = held;
    return BL_OK;
}

static bl_status resolve_input(bl_context *ctx, const bl_model *model, bl_arena *arena, const char *name, const bl_place *place,
                               bl_linear_io *io) {
    bl_linear_input *in = &io->input[io->ninput++];
    bl_index k;
    *in = (bl_linear_input){.name = name, .held = -1, .driver = -1};
    if ((k = driver_of(model, name)) >= 0) {
        in->driver = k;
        return BL_OK;
    }
    if ((k = pushed(arena, model, name)) >= 0) {
        io->first[io->nfirst++] = k;
        return hold(io, in, (bl_held){.what = BL_HELD_VARIABLE, .ref = k});
    }
    if ((k = force_of(model, name)) >= 0)
        return hold(io, in, (bl_held){.what = BL_HELD_FORCE, .ref = k});
    k = bl_model_signal(model, name);
    if (k >= 0 && bl_model_driver_reading(model, 0, k) >= 0) {
        const bl_driver *driver = &model->driver[bl_model_driver_reading(model, 0, k)];
        bl_fail(ctx, place ? BL_E_MODEL : BL_E_ARG, place,
                "'%s' cannot be an input of the linearized mechanism: the driver of %s follows it", name,
                model->variable[driver->variable].name);
        bl_advise(ctx, "use the driver as input: %s", driver->name);
        return place ? BL_E_MODEL : BL_E_ARG;
    }
    if (k >= 0 && (model->signal[k].what == BL_SIGNAL_INPUT || model->signal[k].what == BL_SIGNAL_HELD))
        return hold(io, in, (bl_held){.what = BL_HELD_SIGNAL, .ref = k, .value = model->signal[k].value});
    if ((k = parameter_of(model, name)) < 0)
        return refuse(ctx, model, arena, name, true, place);
    if (model->parameter[k].use != BL_PARAMETER_IN_LAWS) {
        bl_status status = place ? BL_E_MODEL : BL_E_ARG;
        bl_fail(ctx, status, place, "parameter '%s' cannot be an input: %s", name,
                model->parameter[k].use & BL_PARAMETER_IN_LAWS ? "geometry, masses or other numbers of the model also depend on it"
                                                               : "no law of a force uses it");
        bl_advise(ctx, "an input must be used only in laws of forces; to vary other parameters use --path");
        return status;
    }
    return hold(io, in, (bl_held){.what = BL_HELD_PARAMETER, .ref = k, .value = model->parameter[k].value});
}

/* ---- outputs */

static bool output_variable(const bl_model *model, bl_arena *arena, const char *name, bl_linear_output *o) {
    size_t n = strlen(name);
    const char *whose;
    if ((o->ref = bl_model_variable(model, name)) >= 0) {
        o->what = BL_OUTPUT_VARIABLE;
        return true;
    }
    if (n > 5 && strcmp(name + n - 5, "_rate") == 0 && (whose = bl_arena_text(arena, name, n - 5)))
        o->ref = bl_model_variable(model, whose);
    else if (splits(arena, name, "rate", &whose))
        o->ref = only_variable(model, whose);
    o->what = BL_OUTPUT_VARIABLE_RATE;
    return o->ref >= 0;
}

static bool output_point(const bl_model *model, bl_arena *arena, const char *name, bl_linear_output *o) {
    static const char *const part[] = {"x", "y", "z", "vx", "vy", "vz"};
    const char *whose;
    for (int k = 0; k < 6; k++)
        if (k % 3 < model->dim && splits(arena, name, part[k], &whose)) {
            bool rate = k >= 3;
            o->part = k % 3;
            o->ref = bl_model_probe(model, whose);
            o->what = rate ? BL_OUTPUT_PROBE_RATE : BL_OUTPUT_PROBE;
            if (o->ref >= 0)
                return true;
            o->ref = bl_model_body(model, whose);
            o->what = rate ? BL_OUTPUT_BODY_RATE : BL_OUTPUT_BODY;
            return o->ref > 0; /* ground does not move */
        }
    return false;
}

static bool output_load(const bl_model *model, bl_arena *arena, const char *name, bl_linear_output *o) {
    static const char *const part[] = {"fx", "fy", "fz", "mx", "my", "mz"};
    const char *whose;
    if (splits(arena, name, "force", &whose) && (o->ref = driver_of(model, whose)) >= 0) {
        o->what = BL_OUTPUT_DRIVER;
        return true;
    }
    if (strncmp(name, "reaction.", 9) != 0)
        return false;
    for (int k = 0; k < 6; k++)
        if (splits(arena, name + 9, part[k], &whose)) {
            *o = (bl_linear_output){.name = name, .what = BL_OUTPUT_REACTION, .ref = bl_model_joint(model, whose), .part = k};
            return o->ref >= 0;
        }
    return false;
}

bl_status bl_linear_output_find(bl_context *ctx, const bl_model *model, bl_arena *arena, const char *name, const bl_place *place,
                                bl_linear_output *o) {
    *o = (bl_linear_output){.name = bl_arena_text(arena, name, strlen(name)), .ref = -1};
    if (!o->name)
        return BL_E_MEMORY;
    if (output_variable(model, arena, o->name, o) || output_point(model, arena, o->name, o) || output_load(model, arena, o->name, o))
        return BL_OK;
    o->ref = bl_model_signal(model, name);
    if (o->ref >= 0 && (model->signal[o->ref].what == BL_SIGNAL_STATE || model->signal[o->ref].what == BL_SIGNAL_OUTPUT)) {
        o->what = BL_OUTPUT_SIGNAL;
        return BL_OK;
    }
    return refuse(ctx, model, arena, name, false, place);
}

static bl_status resolve_output(bl_context *ctx, const bl_model *model, bl_arena *arena, const char *name, const bl_place *place,
                                bl_linear_io *io) {
    bl_linear_output *o = &io->output[io->noutput++];
    BL_TRY(bl_linear_output_find(ctx, model, arena, name, place, o));
    io->loads = io->loads || o->what == BL_OUTPUT_REACTION || o->what == BL_OUTPUT_DRIVER;
    return BL_OK;
}

bl_status bl_linear_resolve(bl_context *ctx, const bl_model *model, const bl_linear_names *names, bl_arena *arena, bl_linear_io *io) {
    *io = (bl_linear_io){0};
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(io->input, names->ninput + 1), BL_ARRAY(io->output, names->noutput + 1),
                           BL_ARRAY(io->held, names->ninput + 1), BL_ARRAY(io->first, names->ninput + 1)));
    if (names->ninput + names->noutput > 0 && (model->matrices || bl_model_of_meshes(model) || model->equations)) {
        bl_fail(ctx, BL_E_ABILITY, names->ninput && names->input_place ? names->input_place[0] : NULL,
                "inputs and outputs need bodies: this model has none");
        return BL_E_ABILITY;
    }
    for (bl_index i = 0; i < names->ninput; i++)
        BL_TRY(resolve_input(ctx, model, arena, names->input[i], names->input_place ? names->input_place[i] : NULL, io));
    for (bl_index i = 0; i < names->noutput; i++)
        BL_TRY(resolve_output(ctx, model, arena, names->output[i], names->output_place ? names->output_place[i] : NULL, io));
    return BL_OK;
}
