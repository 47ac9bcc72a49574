/* stepper: a model in motion as an object, for programs that control it, observe it or change it on the way.
 *
 *     bl_stepper *s;
 *     bl_stepper_create(ctx, model, &(bl_run_options){.until = 10}, &s);
 *     for (double t = 0.001; t <= 10; t += 0.001) {
 *         bl_stepper_set_input(s, torque, controller(angle), 0);
 *         bl_stepper_reach(s, t);
 *         bl_stepper_read(s, 1, &output, &angle);
 *     }
 *
 * The method takes the steps that the tolerance requires; times in between are interpolated. So without changes from outside a stepper
 * reproduces bl_simulate bit for bit, however the way is divided. A change from outside (input, parameter, state) ends the present step
 * at the present time. Reaching a time and changing inputs allocate no memory, unless the formulation makes new choices.
 *
 * A stepper uses the context it was created with: one thread at a time. Several steppers, each with a context of its own, can share a model
 * and run in several threads. After a numerical failure the state is the last good one: it can be read, and bl_stepper_restore,
 * bl_stepper_jump, bl_stepper_set_parameters and bl_stepper_reset continue from a state that they make. */
#ifndef BIELA_STEPPER_H
#define BIELA_STEPPER_H

#include "biela/biela.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_stepper bl_stepper;
struct bl_modes_options; /* modes.h */
struct bl_modes_report;

/* Builds and assembles the model; the stepper is at its start, t = 0. The model must outlive it. options may be NULL. `until` sets the
 * scale of steps, as in bl_simulate; the motion can go on beyond it. Output times are ignored. On failure *stepper is NULL. */
BL_API bl_status bl_stepper_create(bl_context *ctx, const bl_model *model, const bl_run_options *options, bl_stepper **stepper);
BL_API void bl_stepper_destroy(bl_stepper *s); /* NULL is allowed */

/* Names and sizes; until and step as used. Valid until bl_stepper_set_parameters. */
BL_API const bl_run_info *bl_stepper_info(const bl_stepper *s);
BL_API double bl_stepper_time(const bl_stepper *s);
/* Counters and extremes since the stepper was created. */
BL_API bl_status bl_stepper_summarize(const bl_stepper *s, bl_run_summary *summary);

/* ---- advance */

/* Goes on to t, which must not be before the present time. BL_EVENT: a stop expression ended it earlier, at bl_stepper_time; the next call
 * goes on from there. BL_STOPPED: bl_context_stop was called. */
BL_API bl_status bl_stepper_reach(bl_stepper *s, double t);
/* Goes on to the end of the next step of the method. */
BL_API bl_status bl_stepper_step(bl_stepper *s);

/* ---- read, at the present time */

/* The wanted quantities (sum of BL_WANT_..., 0: all); others are NULL or NaN. Valid until the next call with this stepper. If an event
 * lies at this time, the values are those just before it. */
BL_API bl_status bl_stepper_sample(bl_stepper *s, uint32_t want, const bl_sample **sample);

/* Numbers by name: "A.angle", "A.rate", "PROBE.x", "PROBE.vx", "BODY.x", "BODY.vx", "reaction.JOINT.fx" ... "mz", "DRIVER.force",
 * "energy.kinetic", "energy.potential", "energy.work", "energy.error", of contacts and stops "CONTACT.gap", "fn", "ft1", "ft2", "vt1",
 * "vt2", "state", "x", "y", "z", "fx", "fy", "fz" (those of bl_contact_sample, as in tables), and signals of the model (inputs, held
 * numbers, states, outputs of controllers, quantities) by their names. bl_stepper_output finds the number of a name once (BL_E_ARG:
 * unknown, with the nearest name); bl_stepper_read then computes what these outputs need, no more: value[n]. */
BL_API bl_status bl_stepper_output(bl_stepper *s, const char *name, bl_index *output);
BL_API bl_status bl_stepper_read(bl_stepper *s, bl_index n, const bl_index *output, double *value);

/* ---- change, at the present time */

/* Inputs of the model (`inputs:`): the number of a name, -1: there is none. From the present time on the input is value + rate (t - now);
 * rate 0: constant. Setting the value and rate that it has already changes nothing; otherwise the method starts again at this time. */
BL_API bl_index bl_stepper_input(const bl_stepper *s, const char *name);
BL_API bl_status bl_stepper_set_input(bl_stepper *s, bl_index input, double value, double rate);
/* Leads an input from its present value and rate to the given ones at a later time t by a cubic; from then on it continues at that rate. So
 * a driver that follows it moves with a continuous velocity. Of an input that a driver reads bl_stepper_set_input accepts the present value
 * only; another rate changes velocities at once, by a percussion: with the least change in the norm of masses, whose energy is work. */
BL_API bl_status bl_stepper_lead_input(bl_stepper *s, bl_index input, double value, double rate, double t);

/* Parameters of the model file get other values: the model is read, built and assembled again, with the least change of positions and
 * velocities. Refused, with the stepper unchanged: parameters that set numbers of bodies or joints, values for which the mechanism cannot
 * be assembled near its present configuration. */
BL_API bl_status bl_stepper_set_parameters(bl_stepper *s, const bl_override *value, bl_index n);

/* Sets joint variables ("A.angle") and rates ("A.rate") to given values; the other variables change as little as the constraints
 * allow. Refused, with the stepper unchanged: values that the mechanism cannot have. */
BL_API bl_status bl_stepper_jump(bl_stepper *s, const bl_override *value, bl_index n);

/* Back to the start, t = 0. */
BL_API bl_status bl_stepper_reset(bl_stepper *s);

/* ---- snapshots */

/* Writes the state as *count bytes; bytes NULL: only *count is set. *count less than needed: BL_E_ARG, and *count is set. The run starts
 * anew at this state, as a restored one does: both go on with the same bits. */
BL_API bl_status bl_stepper_save(bl_stepper *s, void *bytes, size_t *count);
/* Continues from a state saved by a stepper of the same model, with the same parameters and coordinates and the same version of the
 * library. Refused, with the stepper unchanged: a snapshot of another model, or a damaged one (BL_E_ARG). */
BL_API bl_status bl_stepper_restore(bl_stepper *s, const void *bytes, size_t count);
/* A second stepper in the same state, for trials; ctx: its context, which may be that of s. As after bl_stepper_save both start anew. */
BL_API bl_status bl_stepper_copy(bl_stepper *s, bl_context *ctx, bl_stepper **copy);

/* Modes and, for named inputs and outputs, matrices A, B, C, D of the model linearized at the present state, as bl_modes at a time of the
 * motion; coordinates, closure, `at` and time of the options are ignored. */
BL_API bl_status bl_stepper_linearize(bl_stepper *s, const struct bl_modes_options *options, struct bl_modes_report *report);

#ifdef __cplusplus
}
#endif
#endif
