/* sample: fills a sample from a state. For the files of the time loop; others call bl_simulation_fill_sample. */
#ifndef BL_STUDY_SAMPLE_H
#define BL_STUDY_SAMPLE_H

#include "study/simulation.h"

/* Largest |phi| / scale and |G v - b| / scale at the state of eval; overwrites c. form: whose dropped constraint equations may be violated
 * by their misfit (may be NULL, so may misfit). */
bl_status bl_sample_drift(const bl_system *sys, const bl_formulation *form, bl_eval *e, double *drift, double *velocity_drift,
                          double *misfit);

/* All of a sample except the drift; e is at the state. a and lambda NULL: reactions are NaN. */
bl_status bl_sample_fill(const bl_system *sys, bl_eval *e, const bl_state *state, const double *a, const double *lambda, uint32_t want,
                         bl_sample *sample);

#endif
