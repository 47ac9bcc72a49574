/* study: what a user asks for. Each study is one file; the public functions are declared in biela/biela.h. */
#ifndef BL_STUDY_H
#define BL_STUDY_H

#include "biela/biela.h"
#include "coords/coords.h"
#include "formulation/formulation.h"
#include "integrate/integrate.h"

/* Positions onto phi = 0 from a rough state, held entries of `initial:` kept, least change of the rest. Blames the joint that does not
 * close (BL_E_NUMERIC). */
bl_status bl_assemble_positions(const bl_system *sys, const bl_model *model, bl_state *state);
/* The same without `initial:`: BL_NO_CONVERGENCE, with nothing recorded, when it does not close. */
bl_status bl_assemble_nearby(const bl_system *sys, bl_state *state);
/* ... where the rows marked in follows[np] are thought to follow from the others: these are closed first, which is cheaper, and all of them
 * where that is not enough. */
bl_status bl_assemble_beside(const bl_system *sys, const uint8_t *follows, bl_state *state);
/* ... and without drivers. */
bl_status bl_assemble_undriven(const bl_system *sys, bl_state *state);
/* Velocities onto G v = b with the entries of `initial:`; of equations: with the least change of the state's. */
bl_status bl_assemble_velocities(const bl_system *sys, const bl_model *model, bl_state *state);
/* Of meshes: modes that the model wants as its start are added to the state. */
bl_status bl_start_modes(const bl_system *sys, const bl_model *model, bl_state *state);
/* Where the model asks for it: from the state to the place where it rests, with the velocities of the state, which mechanisms are given
 * anew there. BL_E_NUMERIC: there is none. */
bl_status bl_start_equilibrium(const bl_system *sys, const bl_model *model, bl_state *state);
/* Algebraic variables (order 0) onto their equations, the rest of the state held. */
bl_status bl_assemble_algebraic(const bl_system *sys, bl_state *state);

#endif
