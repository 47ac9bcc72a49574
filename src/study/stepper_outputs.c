/* Outputs of a stepper by name: found once, then read from samples that contain only what they need. */
#include "study/stepper_private.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    bl_output_what what;
} energies[] = {{"energy.kinetic", BL_OUTPUT_KINETIC},
                {"energy.potential", BL_OUTPUT_POTENTIAL},
                {"energy.work", BL_OUTPUT_WORK},
                {"energy.error", BL_OUTPUT_ENERGY_ERROR}};

static uint32_t want_of(const bl_linear_output *o) {
    switch (o->what) {
    case BL_OUTPUT_VARIABLE:
    case BL_OUTPUT_VARIABLE_RATE: return BL_WANT_VARIABLES;
    case BL_OUTPUT_PROBE:
    case BL_OUTPUT_PROBE_RATE: return BL_WANT_PROBES;
    case BL_OUTPUT_BODY:
    case BL_OUTPUT_BODY_RATE: return BL_WANT_BODIES;
    case BL_OUTPUT_REACTION:
    case BL_OUTPUT_DRIVER: return BL_WANT_REACTIONS;
    case BL_OUTPUT_SIGNAL: return BL_WANT_SIGNALS;
    default: return BL_WANT_ENERGIES;
    }
}

static double value_of(const bl_linear_output *o, const bl_sample *sample) {
    switch (o->what) {
    case BL_OUTPUT_VARIABLE: return sample->variable[o->ref];
    case BL_OUTPUT_VARIABLE_RATE: return sample->variable_rate[o->ref];
    case BL_OUTPUT_PROBE: return sample->probe[3 * o->ref + o->part];
    case BL_OUTPUT_PROBE_RATE: return sample->probe_rate[3 * o->ref + o->part];
    case BL_OUTPUT_BODY: return sample->body[o->ref - 1].position[o->part];
    case BL_OUTPUT_BODY_RATE: return sample->body[o->ref - 1].velocity[o->part];
    case BL_OUTPUT_REACTION: return o->part < 3 ? sample->reaction[o->ref].force[o->part] : sample->reaction[o->ref].moment[o->part - 3];
    case BL_OUTPUT_DRIVER: return sample->driver_force[o->ref];
    case BL_OUTPUT_SIGNAL: return sample->signal[o->ref];
    case BL_OUTPUT_KINETIC: return sample->kinetic;
    case BL_OUTPUT_POTENTIAL: return sample->potential;
    case BL_OUTPUT_WORK: return sample->work;
    default: return sample->energy_error;
    }
}

static bl_status find(bl_stepper *s, const char *name, bl_linear_output *o) {
    for (size_t k = 0; k < sizeof energies / sizeof *energies; k++)
        if (strcmp(name, energies[k].name) == 0) {
            *o = (bl_linear_output){.name = energies[k].name, .what = energies[k].what, .ref = -1};
            return BL_OK;
        }
    for (bl_index k = 0; k < s->run.info.nsignal; k++)
        if (strcmp(name, s->run.info.signal[k]) == 0) {
            *o = (bl_linear_output){.name = bl_arena_text(&s->names, name, strlen(name)), .what = BL_OUTPUT_SIGNAL, .ref = k};
            return o->name ? BL_OK : BL_E_MEMORY;
        }
    return bl_linear_output_find(s->run.ctx, s->run.model, &s->names, name, NULL, o);
}

bl_status bl_stepper_output(bl_stepper *s, const char *name, bl_index *output) {
    bl_linear_output found;
    if (!name || !output)
        return bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_output needs a name and a pointer that receives its number");
    *output = -1;
    for (bl_index i = 0; i < s->noutput; i++)
        if (strcmp(s->output[i].name, name) == 0) {
            *output = i;
            return BL_OK;
        }
    BL_TRY(find(s, name, &found));
    BL_TRY(BL_RESERVE(s->run.ctx, s->output, s->output_room, s->noutput + 1));
    *output = s->noutput;
    s->output[s->noutput++] = found;
    return BL_OK;
}

bl_status bl_stepper_read(bl_stepper *s, bl_index n, const bl_index *output, double *value) {
    const bl_sample *sample;
    uint32_t want = BL_WANT_TIME;
    for (bl_index i = 0; i < n; i++) {
        if (output[i] < 0 || output[i] >= s->noutput)
            return bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_read: there is no output %d; bl_stepper_output returned %d of them",
                           (int)output[i], (int)s->noutput);
        want |= want_of(&s->output[output[i]]);
    }
    BL_TRY(bl_stepper_sample(s, want, &sample));
    for (bl_index i = 0; i < n; i++)
        value[i] = value_of(&s->output[output[i]], sample);
    return BL_OK;
}
