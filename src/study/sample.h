/* sample: what a sample shows of a place. For the files of the loop; others call bl_simulation_fill_sample. */
#ifndef BL_STUDY_SAMPLE_H
#define BL_STUDY_SAMPLE_H

#include "study/simulation.h"

/* Largest |phi| / scale and |G v - b| / scale at the place of eval; spoils c. form: whose dropped rows may be off by their misfit (may be
 * NULL, so may the misfit). */
bl_status bl_sample_drift(const bl_system *sys, const bl_formulation *form, bl_eval *e, double *drift, double *velocity_drift,
                          double *misfit);

/* All of a sample but the drift, at the place of e, which is that of the state. a and lambda NULL: reactions are NaN. */
bl_status bl_sample_fill(const bl_system *sys, bl_eval *e, const bl_state *state, const double *a, const double *lambda, uint32_t want,
                         bl_sample *sample);

#endif
