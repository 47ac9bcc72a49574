/* inverse: actuator forces required by a known motion, and the resulting joint reactions.
 *
 *     G^T lambda - B u = Q - M a
 *
 * The motion is that of the drivers, or a measured one. Actuators are the drivers, or variables and force elements named in the section
 * `inverse:` of the model; drivers then only prescribe the motion and exert no force. u is the force on the variable, positive in the
 * direction in which it increases. */
#ifndef BIELA_INVERSE_H
#define BIELA_INVERSE_H

#include "biela/biela.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL, 0 or false: the model's choice, else the default. */
typedef struct bl_inverse_options {
    size_t size;               /* sizeof this struct, or 0 (context.h) */
    const bl_run_options *run; /* coordinates, until, every, at, singular, closure; tolerance of the checking run (0: 1e-10); NULL: none */
    const char *table;         /* file of the measured motion: header line, columns time and variables or probe coordinates */
    bool noise_given;          /* noise is set; if not given here or in the model, it is found by generalized cross-validation */
    double noise;              /* standard deviation of the measurements; 0: the curve interpolates them */
    bool check;                /* repeat the motion by a simulation with the forces found */
} bl_inverse_options;

typedef struct bl_actuator_summary {
    char name[96];
    bool is_angle; /* moments in N m */
    double largest, largest_time;
    double rms; /* over the time of the run */
    double largest_power;
    double energy;            /* work done in the run */
    double energy_per_period; /* NaN: the motion is not periodic within the run */
    double limit;             /* infinite: none */
    double over_time;         /* time of the first sample beyond the limit; NaN: none */
} bl_actuator_summary;

/* Available at the end, also after a failure. */
typedef struct bl_inverse_summary {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    bl_index nactuator;
    bl_actuator_summary *actuator; /* [nactuator]; bl_inverse_summary_destroy */
    long samples, singular;        /* all samples; those at singular configurations, without forces */
    double period;                 /* NaN: the motion is not periodic within the run */
    double residual;               /* largest residual of the equation above, relative to its largest term */
    bl_index dof, rank;            /* degrees of freedom without drivers, and how many of them actuators control */
    double misfit;                 /* measured motion: largest deviation of the mechanism from the smoothed curves, m or rad */
    double smoothed;               /* ... largest rms of what smoothing removed, m or rad */
    bool checked;
    double local;                 /* largest relative difference of the accelerations due to the forces found from the given ones */
    double deviation, check_time; /* of the simulation with these forces at its end, m or rad; time of that end */
    double deviation_rate;        /* exponential growth rate of the deviation, 1/s; NaN: no growth */
} bl_inverse_summary;

/* Samples from 0 (measured: from the first time of the table) to until. At singular configurations forces are NaN and the motion continues,
 * unless `singular: refuse`. BL_E_ABILITY: the motion is not determined, or no actuator produces it; the error names these motions. summary
 * and found may be NULL; destroy found after every call. */
BL_API bl_status bl_inverse(bl_context *ctx, const bl_model *model, const bl_inverse_options *options, bl_sink *sinks, bl_index nsink,
                            bl_run_summary *summary, bl_inverse_summary *found);
BL_API void bl_inverse_summary_destroy(bl_context *ctx, bl_inverse_summary *found);

#ifdef __cplusplus
}
#endif
#endif
