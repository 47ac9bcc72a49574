/* rates: velocities and accelerations of a mechanism in one configuration for given inputs, without masses and forces; velocity ratios,
 * transmission angles and mechanical advantages.
 *
 *     bl_rate_input input = {"A.angle", 10, 0};
 *     bl_rates(ctx, model, &(bl_rates_options){.input = &input, .ninput = 1}, &report);
 *     ... report.variable[i].rate ...
 *     bl_rates_report_destroy(ctx, &report);
 */
#ifndef BIELA_RATES_H
#define BIELA_RATES_H

#include "biela/biela.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_rate_input {
    const char *name;          /* a variable, or a coordinate of a probe */
    double rate, acceleration; /* rad/s or m/s, rad/s^2 or m/s^2 */
} bl_rate_input;

typedef struct bl_rates_options {
    size_t size;                         /* sizeof this struct, or 0 (context.h) */
    const struct bl_move_target *target; /* the configuration, reached by bl_move; none: the start of the model */
    bl_index ntarget;
    /* none: the drivers of the model with their rates at t = 0; without drivers and with one degree of freedom, the first variable that
     * moves, with rate 1 */
    const bl_rate_input *input;
    bl_index ninput;
    const char *const *output; /* variables or coordinates whose mechanical advantage is requested */
    bl_index noutput;
    double closure; /* 0: the model's */
} bl_rates_options;

typedef struct bl_rate_row {
    const char *name;
    bool is_angle;
    double value, rate, acceleration;
    const double *ratio; /* [ninput] change per unit of each input with the others fixed */
} bl_rate_row;

typedef struct bl_body_rates {
    const char *name;
    bl_pose pose;
    bl_acceleration acceleration;
} bl_body_rates;

/* Two links in the plane that transmit a motion by the joint between them. */
typedef struct bl_transmission {
    const char *joint;   /* between the links */
    const char *link[2]; /* coupler and output link; of RRP the slider is the second one */
    const char *form;    /* "RRR": angle between the links at the joint, 0 to pi; "RRP": between coupler and normal of the slide, to pi/2 */
    double angle;        /* rad; best transmission at pi/2, none at 0 and pi */
} bl_transmission;

typedef struct bl_advantage {
    const char *name;
    const double *factor; /* [ninput] force or torque there per unit at the input; infinite if the output does not move */
} bl_advantage;

typedef struct bl_rates_report {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    const char *model_name;
    bl_index mobility, passive; /* degrees of freedom; the passive ones (one body rotating about itself), which are taken as at rest */
    bl_index ninput, nvariable, nprobe, nbody, ntransmission, noutput;
    const bl_rate_row *input;    /* [ninput] */
    const bl_rate_row *variable; /* [nvariable] */
    const bl_rate_row *probe;    /* [nprobe][dim] "P.x", "P.y" */
    int dim;
    const bl_body_rates *body; /* [nbody] without ground */
    const bl_transmission *transmission;
    const bl_advantage *output; /* [noutput] */
    void *own;
} bl_rates_report;

/* BL_E_ARG: unknown names, duplicate inputs, fewer inputs than degrees of freedom, dependent inputs. BL_E_ABILITY: no mechanism.
 * BL_E_NUMERIC: the configuration cannot be reached, or is singular for these inputs; joint and value are named. */
BL_API bl_status bl_rates(bl_context *ctx, const bl_model *model, const bl_rates_options *options, bl_rates_report *report);
BL_API void bl_rates_report_destroy(bl_context *ctx, bl_rates_report *report);

#ifdef __cplusplus
}
#endif
#endif
