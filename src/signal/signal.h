/* signal: states, inputs and held numbers beside bodies. A model with signals becomes a composite system: the mechanism in any coordinates,
 * whose laws read numbers u, and on top of it
 *
 *     M v' + G^T lambda = Q(q, v, t, u),   z' = f(q, v, t, u),   u = (inputs(t), held numbers, z)
 *
 * and the actions that change these numbers. Everything else is the mechanism's. The numbers are at the end of the history of a state, so
 * that a copy of a state is complete, and formulations need to know nothing about them. Theory: docs/theory/signals.md. */
#ifndef BL_SIGNAL_H
#define BL_SIGNAL_H

#include "coords/coords.h"

/* As bl_coords_build_held; a model without signals gives the same system as that function. The functions of coords.h apply to it. */
bl_status bl_signal_build(bl_context *ctx, const bl_model *model, const char *spec, const bl_held *held, bl_index nheld, bl_system **sys);

/* bl_coords_choose_fields of the mechanism. */
bl_status bl_signal_choose_fields(bl_system *sys, const char *choice);

/* Whether the system is a composite one. The functions below accept others: they have no signals. */
bool bl_signal_has(const bl_system *sys);

/* Input k of the model (bl_model_input) from time t on: value + rate (time - t). BL_E_ARG: there is no such input, or a number is not
 * finite. At a state of a simulation the method has to restart afterwards, with branches of laws selected again (bl_events_renew). */
bl_status bl_signal_set_input(const bl_system *sys, bl_state *state, bl_index k, double t, double value, double rate);
/* ... by a cubic from its present value and rate at t to the given ones at `end`, after which it continues at that rate. BL_E_ARG also
 * where `end` is not later than t. */
bl_status bl_signal_lead_input(const bl_system *sys, bl_state *state, bl_index k, double t, double end, double value, double rate);
/* Whether a cubic leads it at time t. */
bool bl_signal_follows(const bl_system *sys, const bl_state *state, bl_index k, double t);
/* Whether drivers follow inputs or states: their rates may change with these. */
bool bl_signal_drives(const bl_system *sys);
/* ... and inputs change in time at the state. */
bool bl_signal_moves(const bl_system *sys, const bl_state *state);
/* Before velocities are assembled at the start: states begin with the values of their laws of the start, where drivers follow states. */
bl_status bl_signal_start(const bl_system *sys, bl_state *state);
/* Its value at time t, and its rate (may be NULL). */
double bl_signal_input(const bl_system *sys, const bl_state *state, bl_index k, double t, double *rate);

/* value[model->nsignal]: all signals of the model at an evaluation point, outputs included. */
bl_status bl_signal_values(const bl_system *sys, bl_eval *eval, double *value);
/* Those that are not hidden, in the same order, in an array of the evaluation; NULL: there are none. */
bl_status bl_signal_show(const bl_system *sys, bl_eval *eval, const double **value);

/* For studies that are not in time: warns of sampled controllers, whose outputs keep their values of the start; refuses delays. study:
 * "equilibria", ... */
bl_status bl_signal_timeless(bl_context *ctx, const bl_model *model, const char *study);

/* ---- the mechanism inside, for linearization: its held numbers are those with which the composite system was built, then the signals */

/* The system itself if it is not composite. */
const bl_system *bl_signal_inner(const bl_system *sys);
/* Its evaluation within one of the system. */
const bl_eval *bl_signal_inner_eval(const bl_system *sys, const bl_eval *eval);
/* Its state; `inner` was created for it. */
void bl_signal_inner_state(const bl_system *sys, const bl_state *state, bl_state *inner);
/* Signal of the model that is state i, and the held number of the inner system with its value; -1: there is no such state. */
bl_index bl_signal_of_state(const bl_system *sys, bl_index i, bl_index *held);

/* Copies the numbers (inputs, held numbers, states, counts of samples) from a state of another system of the same model, for example in
 * other coordinates. */
void bl_signal_copy(const bl_system *sys, bl_state *to, const bl_system *from_sys, const bl_state *from);

#endif
