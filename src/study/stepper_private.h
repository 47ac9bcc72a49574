/* stepper, private: a model in motion with everything that belongs to it. bl_simulate is a loop over it (simulate.c). */
#ifndef BL_STEPPER_PRIVATE_H
#define BL_STEPPER_PRIVATE_H

#include "biela/modes.h"
#include "biela/stepper.h"
#include "study/actuators.h"
#include "study/drivers.h"
#include "study/input_table.h"
#include "study/linear_io.h"
#include "study/run.h"
#include "study/simulation.h"

struct bl_stepper {
    bl_run run;            /* options, names; sinks of bl_simulate, else none */
    const bl_model *given; /* the caller's */
    bl_model *revalued;    /* with other parameters; NULL: none */
    bl_system *sys;
    bl_state start;         /* at t = 0 */
    const bl_state *begins; /* until the simulation has its own */
    bool borrowed;          /* system and start are owned by the caller */
    double *misfit;         /* [np] of a system with a closure, at the start, to restore it; NULL: none */
    bl_simulation_setup setup;
    bl_simulation *sim;
    struct bl_crew *crew; /* threads; NULL: none */
    bl_driver_watch drivers;
    bl_momentum momentum;
    bl_actuators actuators; /* the drivers */
    bl_input_table inputs;  /* that follow a table */
    /* a stepper of a caller */
    bl_run_options asked; /* as given, with texts of its own */
    double energy_start;  /* of the start */
    double t;             /* present time, in the last step */
    double span;          /* each time the motion has gone so far, its end is moved by as much */
    long spans;
    bl_run_summary past; /* counters of simulations before the present one */
    bl_sample sample;
    bl_arena names; /* of outputs */
    bl_linear_output *output;
    bl_index noutput, output_room;
};

/* After bl_run_open and bl_run_resolve: system and start (from the model unless borrowed), methods, simulation, names. Released also after
 * failure. */
bl_status bl_stepper_prepare(bl_stepper *s);
/* One accepted step, as bl_simulation_advance. */
bl_status bl_stepper_advance(bl_stepper *s);
/* Everything except run. */
void bl_stepper_release(bl_stepper *s);

/* The simulation begins anew at a state of its system. On failure the stepper is unchanged. (stepper_state.c) */
bl_status bl_stepper_begin(bl_stepper *s, const bl_state *state);
/* Adds the counters of a simulation. */
void bl_stepper_add_counts(bl_run_summary *to, const bl_run_summary *more);

#endif
