/* effort: forces of actuators in a state of a known motion,
 *
 *     G^T lambda - B u = Q - M a,
 *
 * G the rows that carry force: all of them where drivers are the actuators (u = -lambda of their rows), those without drivers where held
 * inputs are (B = dQ/du). Of several u the one with the least weighted norm; R^T B u = R^T (M a - Q) with R the null space of G. */
#ifndef BL_STUDY_EFFORT_H
#define BL_STUDY_EFFORT_H

#include "formulation/formulation.h"
#include "kkt/kkt.h"
#include "model/model.h"

typedef struct bl_actuator {
    const char *name;
    bl_index variable, force; /* of the model; one of them is -1 */
    bl_index driver;          /* whose row it is; -1: a held input */
    bool is_angle;            /* a moment on an angle */
    double weight, limit;     /* factor of u^2; largest |u|, INFINITY: none */
} bl_actuator;

typedef struct bl_effort {
    bl_formulation base; /* first: sys, ctx, at_e and the normal loads of friction (loads.c) */
    const bl_model *model;
    bl_index nactuator;
    const bl_actuator *actuator;
    bool by_drivers, bounded;
    bl_kkt *kkt;   /* of the rows that carry force */
    bl_kkt *freed; /* of those without drivers, to check forces of drivers; NULL: not needed yet */
    /* without driver rows: a view of the system and of an evaluation */
    bl_system view;
    bl_eval view_e;
    bl_index nkept, *kept, *row_at; /* kept[nkept] rows; row_at[np] their index there, -1: a driver row */
    bl_row *row;
    bl_pattern pattern;
    bl_index *from; /* entry of the full G */
    bl_index *ptr, *idx;
    double *G;
    /* at the state */
    double *u;      /* [nactuator] */
    double *rate;   /* [nactuator] velocity conjugate to each force: power is u x rate */
    double *lambda; /* [np]; zero in driver rows that carry no force */
    bool singular;  /* the rank of the actuators is lower here than elsewhere: u is NaN */
    bool beyond;    /* bounded, and the limits cannot be kept: u is the solution without limits */
    bl_index rank, rank_most;
    double residual; /* of the equation, relative to its largest term */
    double shift;    /* accelerations caused by these forces minus the given ones, relative to the largest */
    const double *a;
    double *Ma, *rest, *held; /* [n], [n], [nu] the u that Q was evaluated with */
    double *matrix, *kept_matrix, *right, *work, *back;
    bl_index *order;
    void *block;
} bl_effort;

bl_status bl_effort_create(const bl_system *sys, const bl_model *model, const bl_actuator *actuator, bl_index nactuator, bool bounded,
                           bl_effort **effort);
void bl_effort_destroy(bl_effort *effort); /* NULL is fine */
/* Forces for accelerations a[nv] at a state. BL_E_ABILITY: the actuators cannot produce this motion, which the message names;
 * BL_E_NUMERIC: friction jams. */
bl_status bl_effort_at(bl_effort *effort, const bl_state *state, const double *a);
/* Computes only the rank of the actuators at the state; residual and u are undefined. */
bl_status bl_effort_rank(bl_effort *effort, const bl_state *state, const double *a);
/* After bl_effort_at: names of the motions that no actuator can produce at the state. */
bl_status bl_effort_unreached(bl_effort *effort, bl_index *count, char *names, size_t size);
/* Computes `shift`, the error of the accelerations caused by the forces found. Dense matrices only. */
bl_status bl_effort_check(bl_effort *effort);

/* ---- effort_bounds.c */

/* u[n] with the least sum of weight u^2 such that A u = b and |u| <= limit, A[m][n] by columns. On entry u is the least solution without
 * limits, on return that with them. *possible false: there is none. */
bl_status bl_least_bounded(bl_context *ctx, bl_index m, bl_index n, const double *A, const double *weight, const double *limit, double *u,
                           bool *possible);

#endif
