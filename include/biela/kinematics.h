/* kinematics: positions, velocities and accelerations of a driven mechanism at a given time; no masses, no forces. Structural groups
 * (structure.h) are solved one after another: driven links and dyads in closed form, larger groups by Newton.
 *
 *     bl_kinematics *k;
 *     bl_kinematics_create(ctx, model, NULL, &k);
 *     for (t = 0; t < 1; t += 1e-3)
 *         bl_kinematics_at(k, t, BL_POSITIONS), use(bl_kinematics_body(k, 2));
 */
#ifndef BIELA_KINEMATICS_H
#define BIELA_KINEMATICS_H

#include "biela/biela.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_kinematics bl_kinematics;

typedef struct bl_kinematics_options {
    size_t size;        /* sizeof this struct, or 0 (context.h) */
    const char *solver; /* "groups" (NULL), "newton": groups without closed forms, "whole": one Newton iteration for all links */
    double tolerance;   /* of positions, relative to the size of the mechanism; 0: 1e-12 */
    bool turns;         /* count the revolutions of all angles: bl_kinematics_at then takes steps in which none changes by much */
} bl_kinematics_options;

typedef enum bl_kinematics_order { BL_POSITIONS, BL_VELOCITIES, BL_ACCELERATIONS } bl_kinematics_order;

/* Assembles the model at t = 0 and prepares everything; bl_kinematics_at allocates nothing. BL_E_ABILITY: inputs do not determine the
 * motion; the error lists the links that are left over. The model must outlive it. */
BL_API bl_status bl_kinematics_create(bl_context *ctx, const bl_model *model, const bl_kinematics_options *options, bl_kinematics **out);
BL_API void bl_kinematics_destroy(bl_kinematics *k); /* NULL is allowed */

/* Moves to time t on the present branch; in several steps if a group is not in closed form, or revolutions are counted. Otherwise closed
 * forms go there at once, whether or not the path is feasible, unless they are near a position where their solutions meet; flat
 * positions of parallelograms are then passed smoothly, too. BL_E_NUMERIC: a group cannot close, or is singular; the error names group,
 * joint and time, and the mechanism stays at the last good position. BL_STOPPED: interrupted on request. */
BL_API bl_status bl_kinematics_at(bl_kinematics *k, double t, bl_kinematics_order order);

/* Of a body of the model in file order, 0 is ground; rotation: from the model configuration, row by row. Valid until the next move. */
typedef struct bl_body_motion {
    double position[3], rotation[9]; /* of the mass center */
    double velocity[3], angular_velocity[3];
    double acceleration[3], angular_acceleration[3];
} bl_body_motion;
BL_API const bl_body_motion *bl_kinematics_body(const bl_kinematics *k, bl_index body);
/* value, rate, second rate of a joint variable, by its index in the model; rates up to the order requested at this time. Revolutions of
 * driven angles are the driver's; those of others are counted if a relation needs them or `turns` is set; otherwise the value is within
 * half a revolution of the one at the start. */
BL_API void bl_kinematics_variable(const bl_kinematics *k, bl_index variable, double out[3]);

typedef struct bl_kinematics_summary {
    size_t size;              /* sizeof this struct, or 0 (context.h) */
    bl_index ngroup, nclosed; /* groups, and those in closed form */
    bl_index largest;         /* links in the largest group */
    long positions, iterations, factorizations;
    double seconds; /* of the study: time in bl_kinematics_at */
} bl_kinematics_summary;
BL_API void bl_kinematics_summarize(const bl_kinematics *k, bl_kinematics_summary *summary);

/* The study: samples from 0 to until (options: until, every, at; the rest is not used), with revolutions and accelerations, without
 * reactions and energies. After a failure everything up to the last good position has been passed to the sinks. summary and counted may
 * be NULL. */
BL_API bl_status bl_kinematics_study(bl_context *ctx, const bl_model *model, const bl_kinematics_options *how,
                                     const bl_run_options *options, bl_sink *sinks, bl_index nsink, bl_run_summary *summary,
                                     bl_kinematics_summary *counted);

#ifdef __cplusplus
}
#endif
#endif
