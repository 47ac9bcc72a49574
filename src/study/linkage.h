/* linkage: a mechanism as bodies and joints alone, in one configuration: constraints of joints, values of variables and probes, as
 * equations on small motions x of the bodies. Used where the result must not depend on coordinates: finite displacements (move_private.h),
 * rates (rates.c).
 *
 *     x = (velocity of the mass center / length, angular velocity) of each moving body, in the plane three numbers
 *
 * Drivers are left out: a caller that needs them adds the quantity that they drive. */
#ifndef BL_STUDY_LINKAGE_H
#define BL_STUDY_LINKAGE_H

#include "kinematics/kinematics_private.h"
#include "study/start.h"

/* A number that users name: a variable of a joint ("A.angle") or a coordinate of a probe ("P.x"). */
typedef struct bl_reading {
    bl_index variable, probe; /* one of them, the other is -1 */
    int part;                 /* of the probe */
    bool is_angle;
    char name[96];
} bl_reading;

typedef struct bl_linkage {
    bl_context *ctx;
    const bl_model *model;
    bl_arena arena;
    bl_kinematics k;                              /* bodies, variables and drivers; no groups */
    bl_start measures;                            /* length, masses */
    double length, closure, tolerance, open_most; /* tolerance: of ranks; open_most: allowed violation of a constraint */
    int per;                                      /* numbers per body: 6, in the plane 3 */
    bl_index n, nrow;                             /* columns; equations of joints */
    bl_joint_row *row;                            /* [nrow] */
    double *scale;                                /* [nrow] */
    bl_gradient *gradient;                        /* [nrow] in the configuration */
    double (*factor)[6];                          /* [nbody] Cholesky factors of the inertias, rotated: 00 10 11 20 21 22 */
    /* A configuration is one array of `size` numbers: 7 per body (position, quaternion), angles of bodies and variables, both with full
     * revolutions. */
    size_t size;
    double *at; /* the current configuration */
    bl_index *order, *columns;
} bl_linkage;

/* In the start of the model (t = 0, drivers and `initial:` satisfied). *l is zeroed by the call; destroy also after failure. BL_E_ABILITY:
 * not a mechanism, or too large. closure 0: the model's. */
bl_status bl_linkage_create(bl_context *ctx, const bl_model *model, double closure, bl_linkage *l);
void bl_linkage_destroy(bl_linkage *l);

/* The quantity of a name; BL_E_ARG with the nearest known name. */
bl_status bl_linkage_name(const bl_linkage *l, const char *name, bl_reading *q);

/* ---- the configuration */

/* Sets the configuration to config[size]; l->at becomes a copy, with full revolutions counted from those in config. Constraint equations
 * and inertias are updated. */
void bl_linkage_go(bl_linkage *l, const double *config);
/* out = config moved by x[n]; revolutions are not updated before bl_linkage_go. out may be config. */
void bl_linkage_shift(const bl_linkage *l, const double *config, const double *x, double *out);
/* rate[size] of positions and quaternions when bodies move by x[n] per unit of time; the other entries are 0 */
void bl_linkage_rate(const bl_linkage *l, const double *x, double *rate);
static inline double *bl_linkage_angles(const bl_linkage *l, double *config) { return config + 7 * (size_t)l->model->nbody; }
static inline double *bl_linkage_variables(const bl_linkage *l, double *config) { return config + 8 * (size_t)l->model->nbody; }
/* pose[nbody] in the configuration, with the velocities of x (NULL: none) */
void bl_linkage_poses(const bl_linkage *l, const double *x, bl_pose *pose);

/* ---- equations in the configuration */

/* Sets velocities of bodies to x[n] (NULL: at rest) for the second rates of constraints, and updates these. */
void bl_linkage_set_rates(bl_linkage *l, const double *x);
void bl_linkage_quantity(bl_linkage *l, const bl_reading *q, bl_gradient *g);
static inline double bl_linkage_unit(const bl_linkage *l, const bl_reading *q) { return q->is_angle ? 1 : l->length; }
/* Stores gradient / scale with respect to x as row i of a[m][], column-major; masses: with respect to y, x = S y with S^T M S = 1 */
void bl_linkage_put(const bl_linkage *l, const bl_gradient *g, double scale, bool masses, double *a, bl_index m, bl_index i);
double bl_linkage_apply(const bl_linkage *l, const bl_gradient *g, const double *x); /* gradient . motion, not scaled */
void bl_linkage_from_masses(const bl_linkage *l, double *y);                         /* y becomes x */
/* Independent constraint equations in chosen[nrow], ascending; *rank: their number. */
bl_status bl_linkage_choose(bl_linkage *l, bl_index *chosen, bl_index *rank);
double bl_linkage_gap(const bl_linkage *l, bl_index *worst); /* largest |value| / scale of all constraints */

/* ---- names */

/* The joint to name for a motion x: of those between two moving bodies the one with the largest relative rotation. -1: none */
bl_index bl_linkage_hinge(const bl_linkage *l, const double *x, double *work);
/* "B.angle, C.angle": variables that x moves most, at most four. */
void bl_linkage_motion(bl_linkage *l, const double *x, char *text, size_t size);

#endif
