/* Outputs of a stepper by name: found once, then read from samples that contain only what they need. */
#include "study/stepper_private.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    bl_output_what what;
} energies[] = {{"energy.kinetic", BL_OUTPUT_KINETIC},
                {"energy.potential", BL_OUTPUT_POTENTIAL},
                {"energy.work", BL_OUTPUT_WORK},
                {"energy.error", BL_OUTPUT_ENERGY_ERROR}};

/* numbers of contacts, named as in tables; those of places share their names with probes and bodies, which go before */
#define NUMBER(member, k) (int)(offsetof(bl_contact_sample, member) / sizeof(double) + (k))
static const struct {
    const char *name;
    int number;
} contact_part[] = {{"gap", NUMBER(gap, 0)},     {"fn", NUMBER(force, 0)},    {"ft1", NUMBER(force, 1)},   {"ft2", NUMBER(force, 2)},
                    {"vt1", NUMBER(sliding, 0)}, {"vt2", NUMBER(sliding, 1)}, {"state", NUMBER(state, 0)}, {"x", NUMBER(point, 0)},
                    {"y", NUMBER(point, 1)},     {"z", NUMBER(point, 2)},     {"fx", NUMBER(total, 0)},    {"fy", NUMBER(total, 1)},
                    {"fz", NUMBER(total, 2)}};
enum { NCONTACT_PART = sizeof contact_part / sizeof *contact_part };

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
    case BL_OUTPUT_CONTACT: return BL_WANT_CONTACTS;
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
    case BL_OUTPUT_CONTACT: return ((const double *)(const void *)&sample->contact[o->ref])[o->part];
    case BL_OUTPUT_KINETIC: return sample->kinetic;
    case BL_OUTPUT_POTENTIAL: return sample->potential;
    case BL_OUTPUT_WORK: return sample->work;
    default: return sample->energy_error;
    }
}

/* the contact whose name ends at the last dot of a name; -1: there is none. *part: what follows */
static bl_index contact_of(const bl_stepper *s, const char *name, const char **part) {
    const char *dot = strrchr(name, '.');
    bl_index k = s->run.info.ncontact - 1;
    *part = dot ? dot + 1 : NULL;
    while (k >= 0 && !(dot && strlen(s->run.info.contact[k]) == (size_t)(dot - name) &&
                       strncmp(name, s->run.info.contact[k], (size_t)(dot - name)) == 0))
        k--;
    return k;
}

/* whether a probe or a body has the name of a contact: its coordinates are meant */
static bool is_hidden(const bl_stepper *s, bl_index contact, const char *part) {
    const char *name = s->run.info.contact[contact];
    return part[0] >= 'x' && part[0] <= 'z' && (bl_model_probe(s->run.model, name) >= 0 || bl_model_body(s->run.model, name) >= 0);
}

static bl_status find_contact(bl_stepper *s, const char *name, bl_index contact, const char *part, bl_linear_output *o) {
    for (int k = 0; k < NCONTACT_PART; k++)
        if (strcmp(part, contact_part[k].name) == 0) {
            *o = (bl_linear_output){.name = bl_arena_text(&s->names, name, strlen(name)),
                                    .what = BL_OUTPUT_CONTACT,
                                    .ref = contact,
                                    .part = contact_part[k].number};
            return o->name ? BL_OK : BL_E_MEMORY;
        }
    return BL_AGAIN;
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
    const char *part;
    bl_index contact = contact_of(s, name, &part);
    if (contact >= 0 && !is_hidden(s, contact, part)) {
        bl_status status = find_contact(s, name, contact, part, o);
        if (status != BL_AGAIN)
            return status;
    }
    bl_status status = bl_linear_output_find(s->run.ctx, s->run.model, &s->names, name, NULL, o);
    if (status == BL_E_ARG && contact >= 0)
        bl_advise(s->run.ctx, "contacts have gap, fn, ft1, ft2, vt1, vt2, state, x, y, z, fx, fy, fz");
    return status;
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
