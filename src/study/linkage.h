/* linkage: a mechanism as bodies and joints alone, at one place: what joints forbid, what variables and probes read, as equations on small
 * motions x of the bodies. Used where the answer must not depend on coordinates: finite displacements (move_private.h) and rates (rates.c).
 *
 *     x = (velocity of the mass center / length, angular velocity) of each moving body, in the plane three numbers
 *
 * Drivers do not count: who wants them adds the quantity that they drive. */
#ifndef BL_STUDY_LINKAGE_H
#define BL_STUDY_LINKAGE_H

#include "kinematics/kinematics_private.h"
#include "study/start.h"

/* Columns up to which a mechanism is taken: matrices are full ones, and a place of 600 columns takes seconds. */
enum { BL_LINKAGE_MOST = 600 };

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
    double length, closure, tolerance, open_most; /* tolerance: of ranks; open_most: what rows may be off by */
    int per;                                      /* numbers per body: 6, in the plane 3 */
    bl_index n, nrow;                             /* columns; equations of joints */
    bl_joint_row *row;                            /* [nrow] */
    double *scale;                                /* [nrow] */
    bl_gradient *gradient;                        /* [nrow] at the place */
    double (*factor)[6];                          /* [nbody] Cholesky factors of the inertias at the place: 00 10 11 20 21 22 */
    /* A place is one array of `size` numbers: 7 per body (position, quaternion), angles of bodies with turns, variables with turns. */
    size_t size;
    double *at; /* where it is */
    bl_index *order, *columns;
} bl_linkage;

/* At the start of the model (t = 0, drivers and `initial:` met). *l is zeroed by the call; destroy also after failure. BL_E_ABILITY: no
 * mechanism, or too large a one. closure 0: the model's. */
bl_status bl_linkage_create(bl_context *ctx, const bl_model *model, double closure, bl_linkage *l);
void bl_linkage_destroy(bl_linkage *l);

/* The quantity of a name; BL_E_ARG with the nearest name. */
bl_status bl_linkage_name(const bl_linkage *l, const char *name, bl_reading *q);

/* ---- the place */

/* Goes to place[size]; l->at becomes a copy with turns counted from those that it holds. Rows and inertias follow. */
void bl_linkage_go(bl_linkage *l, const double *place);
/* out = place moved by x[n]; turns stay as they are and are counted by bl_linkage_go. out may be place. */
void bl_linkage_shift(const bl_linkage *l, const double *place, const double *x, double *out);
/* rate[size] of the numbers of bodies at the place when they move by x[n] a unit of time; the others are 0 */
void bl_linkage_rate(const bl_linkage *l, const double *x, double *rate);
static inline double *bl_linkage_angles(const bl_linkage *l, double *place) { return place + 7 * (size_t)l->model->nbody; }
static inline double *bl_linkage_variables(const bl_linkage *l, double *place) { return place + 8 * (size_t)l->model->nbody; }
/* pose[nbody] at the place, with the velocities of x (NULL: none) */
void bl_linkage_poses(const bl_linkage *l, const double *x, bl_pose *pose);

/* ---- equations at the place */

/* Velocities for the second rates of rows: bodies move by x[n]; NULL: they stand. Rows follow. */
void bl_linkage_set_rates(bl_linkage *l, const double *x);
void bl_linkage_quantity(bl_linkage *l, const bl_reading *q, bl_gradient *g);
static inline double bl_linkage_unit(const bl_linkage *l, const bl_reading *q) { return q->is_angle ? 1 : l->length; }
/* gradient / scale on x as row i of a[m][], column-major; masses: on y, x = S y with S^T M S = 1 */
void bl_linkage_put(const bl_linkage *l, const bl_gradient *g, double scale, bool masses, double *a, bl_index m, bl_index i);
double bl_linkage_apply(const bl_linkage *l, const bl_gradient *g, const double *x); /* gradient . motion, not scaled */
void bl_linkage_from_masses(const bl_linkage *l, double *y);                         /* y becomes x */
/* Independent rows at the place, at most nrow of chosen[nrow], ascending. */
bl_status bl_linkage_choose(bl_linkage *l, bl_index *chosen, bl_index *rank);
double bl_linkage_gap(const bl_linkage *l, bl_index *worst); /* largest |value| / scale of all rows */

/* ---- names */

/* Bodies that x moves, by the most of them 1: at[nbody]; relative motions of joints: of[njoint]. */
void bl_linkage_moved(const bl_linkage *l, const double *x, double *at, double *of);
/* The joint that x opens while something stands: of those between two moving bodies the one with the most relative motion. -1: none */
bl_index bl_linkage_hinge(const bl_linkage *l, const double *x, double *work);
/* "B.angle and C.angle": variables that x moves most, at most four. */
void bl_linkage_motion(bl_linkage *l, const double *x, char *text, size_t size);

#endif
