/* study: the analyses a user can request. Each study is one file; the public functions are declared in biela/biela.h. */
#ifndef BL_STUDY_H
#define BL_STUDY_H

#include "biela/biela.h"
#include "coords/coords.h"
#include "formulation/formulation.h"
#include "integrate/integrate.h"

/* Positions onto phi = 0 from a rough state: held entries of `initial:` are kept, the others change as little as possible. On failure the
 * error names the joint that cannot be assembled (BL_E_NUMERIC). */
bl_status bl_assemble_positions(const bl_system *sys, const bl_model *model, bl_state *state);
/* The same without `initial:`; BL_NO_CONVERGENCE, with no error recorded, where the gaps cannot be closed. */
bl_status bl_assemble_nearby(const bl_system *sys, bl_state *state);
/* ... where the rows marked in follows[np] are expected to be redundant: the others are assembled first, which is cheaper, and all of them
 * only if that is not enough. */
bl_status bl_assemble_beside(const bl_system *sys, const uint8_t *follows, bl_state *state);
/* ... and without drivers. */
bl_status bl_assemble_undriven(const bl_system *sys, bl_state *state);
/* Velocities onto G v = b with the entries of `initial:`; for models given as equations, with the least change of velocities. */
bl_status bl_assemble_velocities(const bl_system *sys, const bl_model *model, bl_state *state);
/* Meshes: adds the modes that the model specifies as initial displacement to the state. */
bl_status bl_start_modes(const bl_system *sys, const bl_model *model, bl_state *state);
/* If the model requests it: moves the state to its equilibrium configuration and keeps the velocities, which for mechanisms are computed
 * again there. BL_E_NUMERIC: no equilibrium was found. */
bl_status bl_start_equilibrium(const bl_system *sys, const bl_model *model, bl_state *state);
/* Solves the algebraic equations for the algebraic variables (order 0), the rest of the state held constant. */
bl_status bl_assemble_algebraic(const bl_system *sys, bl_state *state);

#endif
