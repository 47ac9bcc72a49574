/* linear_io, private: inputs and outputs of a linearized mechanism by their names, and its matrices A, B, C, D. */
#ifndef BL_STUDY_LINEAR_IO_H
#define BL_STUDY_LINEAR_IO_H

#include "study/linearize.h"

typedef struct bl_linear_input {
    const char *name;
    bl_index held, driver; /* index of its held number, or its driver; -1: none */
} bl_linear_input;

typedef enum bl_output_what {
    BL_OUTPUT_VARIABLE,
    BL_OUTPUT_VARIABLE_RATE,
    BL_OUTPUT_PROBE,
    BL_OUTPUT_PROBE_RATE,
    BL_OUTPUT_BODY,
    BL_OUTPUT_BODY_RATE,
    BL_OUTPUT_REACTION,
    BL_OUTPUT_DRIVER,
    BL_OUTPUT_SIGNAL,  /* a state, or the output of a controller */
    BL_OUTPUT_CONTACT, /* contacts and energies: of steppers only */
    BL_OUTPUT_KINETIC,
    BL_OUTPUT_POTENTIAL,
    BL_OUTPUT_WORK,
    BL_OUTPUT_ENERGY_ERROR
} bl_output_what;
typedef struct bl_linear_output {
    const char *name;
    bl_output_what what;
    bl_index ref;
    int part; /* of reactions 0 ... 5; of contacts a number of bl_contact_sample */
} bl_linear_output;

typedef struct bl_linear_io {
    bl_index ninput, noutput, nheld;
    bl_linear_input *input;
    bl_linear_output *output;
    bl_held *held;   /* [nheld] for bl_run_prepare_held */
    bl_index *first; /* [nfirst] variables on which inputs act: preferred as coordinates */
    bl_index nfirst;
    bool loads; /* some outputs are reactions or forces of drivers */
} bl_linear_io;

typedef struct bl_linear_names { /* place NULL: from a call */
    const char *const *input, *const *output;
    const bl_place *const *input_place, *const *output_place;
    bl_index ninput, noutput;
} bl_linear_names;

/* The quantity of one output; name is copied to the arena. Refuses an unknown name as below. */
bl_status bl_linear_output_find(bl_context *ctx, const bl_model *model, bl_arena *arena, const char *name, const bl_place *place,
                                bl_linear_output *output);
/* Finds the quantities of the names; refuses unknown names with the nearest known one. Arrays from the arena. */
bl_status bl_linear_resolve(bl_context *ctx, const bl_model *model, const bl_linear_names *names, bl_arena *arena, bl_linear_io *io);
/* The matrices at the state of l, which has been differentiated. Arrays and names from the arena. */
bl_status bl_linear_matrices(bl_linearize *l, const bl_linear_io *io, bl_arena *arena, bl_linear_model *out);

#endif
