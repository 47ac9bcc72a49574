/* inverse: which forces of actuators a known motion takes, and what joints carry then.
 *
 *     G^T lambda - B u = Q - M a
 *
 * The motion is that of the drivers, or a measured one. Actuators are the drivers, or variables and force elements that the model names
 * in its section `inverse:`; drivers then say the motion and carry nothing. u is the force on the variable, positive in the direction in
 * which it grows. */
#ifndef BIELA_INVERSE_H
#define BIELA_INVERSE_H

#include "biela/biela.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is NULL, 0 or false takes the model's choice, then the default. */
typedef struct bl_inverse_options {
    bl_run_options run; /* coordinates, until, every, at, singular, closure; tolerance of the run that checks (0: 1e-10) */
    const char *table;  /* a file with the measured motion: headings, time and variables or coordinates of probes */
    bool noise_given;   /* noise: standard deviation of what the table measures; 0: the curve goes through it */
    double noise;       /* not given, here or in the model: found by generalized cross-validation */
    bool check;         /* the motion is made again by a run under the forces found */
} bl_inverse_options;

typedef struct bl_actuator_summary {
    char name[96];
    bool is_angle; /* moments, in N m */
    double largest, largest_time;
    double rms; /* over the time of the run */
    double largest_power;
    double energy;            /* done in the run */
    double energy_per_period; /* NaN: the motion does not repeat itself in the run */
    double limit;             /* infinite: none */
    double over_time;         /* first sample beyond it; NaN: none */
} bl_actuator_summary;

/* What is known at the end, also after a failure. */
typedef struct bl_inverse_summary {
    bl_index nactuator;
    bl_actuator_summary *actuator; /* [nactuator]; bl_inverse_summary_destroy */
    long samples, singular;        /* how many of them stand at singular positions, without forces */
    double period;                 /* NaN: the motion does not repeat itself in the run */
    double residual;               /* largest, of the equation above, relative to its largest term */
    bl_index dof, rank;            /* motions without drivers, and how many of them actuators reach */
    double misfit;                 /* measured: largest distance of the mechanism from the smoothed curves, m or rad */
    double smoothed;               /* ... largest root of the mean square that was smoothed away, m or rad */
    bool checked;
    double local;                 /* accelerations by the forces found less the given ones, relative; largest of all samples */
    double deviation, check_time; /* of the run under these forces at its end, m or rad; that end */
    double deviation_rate;        /* exponential growth of the deviation, 1/s; NaN: it does not grow */
} bl_inverse_summary;

/* Samples from 0 (measured: from the first time of the table) to until. At singular positions forces are NaN, and the motion goes on,
 * unless `singular: refuse`. BL_E_ABILITY: the motion is not determined, or no actuator makes it; the error names the motions. summary and
 * found may be NULL; after any call found is to be destroyed. */
bl_status bl_inverse(bl_context *ctx, const bl_model *model, const bl_inverse_options *options, bl_sink *sinks, bl_index nsink,
                     bl_run_summary *summary, bl_inverse_summary *found);
void bl_inverse_summary_destroy(bl_context *ctx, bl_inverse_summary *found);

#ifdef __cplusplus
}
#endif
#endif
