/* motion: interface of the codes that bench_series compares: simulate a mechanism with a tolerance. */
#ifndef BENCH_MOTION_H
#define BENCH_MOTION_H

#include "biela/biela.h"
#include "system/system.h"

enum { MOTION_MOST = 128 };

typedef struct motion {
    const char *scene;
    double until;
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state start;
    bl_eval eval;
    double energy; /* at the start */
} motion;

typedef struct motion_end {
    double seconds, q[MOTION_MOST]; /* positions by their scale */
    double energy_error;            /* J */
    long steps, evaluations;
} motion_end;

typedef struct motion_method {
    const char *code, *name, *formulation, *integrator;
    int which; /* the code's own number of the method */
    /* false: failed, or took more than `longest` seconds */
    bool (*run)(motion *m, const struct motion_method *method, double tolerance, double longest, motion_end *end);
} motion_method;

double motion_now(void); /* CPU seconds of the process */
/* Positions and energy of a state, into *end. */
bool motion_measure(motion *m, const bl_state *state, motion_end *end);

/* Ends with .code = NULL. */
extern const motion_method motion_sundials_methods[];

#endif
