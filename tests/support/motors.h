/* Constrained mechanisms with first-order states (motors, controllers, filters) as equations, and the same motions in minimal coordinates,
 * integrated by a method of their own. */
#ifndef TEST_MOTORS_H
#define TEST_MOTORS_H

#include "study/simulation.h"

enum { MOTORS_Q = 8, MOTORS_Z = 4, MOTORS_Y = 8 };

typedef struct motors_motion {
    double q[MOTORS_Q], v[MOTORS_Q], z[MOTORS_Z];
} motors_motion;

typedef struct motors {
    const char *name, *text; /* model */
    int nq, nz, ny;          /* ny: of minimal coordinates, their rates and the states */
    int redundant;           /* constraint equations */
    double start[MOTORS_Y];
    void (*rate)(double t, const double *y, double *rate);
    void (*show)(double t, const double *y, motors_motion *motion); /* the coordinates of the model */
} motors;

/* A shaft as a point on a circle (studies K9): R = 1, L = 0.01, k = 0.1, J = 0.01, friction 0.001, 12 V. */
extern const motors motors_shaft;
/* Two point masses on rods with one redundant equation. A motor on the first rod, its current, the integral and a filter of a PID
 * controller that moves the second mass sideways. */
extern const motors motors_pendulum;
/* The same with a coil without inductance: its current is an algebraic state. */
extern const motors motors_algebraic;
/* The pendulum in its angles: without constraints, the mass matrix depends on them. */
extern const motors motors_angles;
/* A bead on a rod that turns with a given, growing rate, pushed outward by a coil: the constraint depends on time. */
extern const motors motors_bead;
/* A mass on a spring, pushed by a voice coil and held by an integral controller: linear, without constraints. */
extern const motors motors_coil;
/* A parallelogram of three points: cranks of length 1 through the positions in which all rods are in line; one equation redundant. The
 * motor of K9. */
extern const motors motors_parallelogram;

/* The motion at t by the classical Runge-Kutta method in minimal coordinates with `steps` steps. */
void motors_reference(const motors *m, double t, int steps, motors_motion *motion);
/* Rate and current of K9 with a total inertia J and another coil after the time t, closed form; from rest. */
void motors_exact(double J, double inductance, double t, double *rate, double *current);
/* The same of K9 from any start and with another voltage. */
void motors_exact_from(double voltage, double t, double *rate, double *current);

/* Largest differences of positions, velocities, states. */
typedef struct motors_error {
    double q, v, z;
} motors_error;
motors_error motors_compare(const motors *m, const motors_motion *a, const bl_state *b);

typedef struct motors_run {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state start;
    bl_simulation *sim;
} motors_run;

/* Reads and builds; asserts that it works. */
void motors_open(const motors *m, motors_run *run);
/* Creates the simulation; its status. */
bl_status motors_begin(motors_run *run, const bl_simulation_setup *setup);
/* To the end; the first status that is not BL_OK. */
bl_status motors_advance(motors_run *run);
void motors_close(motors_run *run);

#endif
