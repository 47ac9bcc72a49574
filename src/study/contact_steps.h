/* contact_steps: contacts by time stepping (`contact: stepping`, docs/theory/time_stepping.md) in the motion of a model. Free bodies move
 * as stepping/stepping.h moves them. Bodies that joints connect move by the formulation; impulses act on them through their handles,
 *
 *     v+ = v + A B^T P,     A the response of the mechanism with all its constraints, B the velocities (v, w) of touched bodies,
 *
 * and rates of variables with stops are velocities of the same kind. So constraints hold as exactly as without contacts. */
#ifndef BL_CONTACT_STEPS_H
#define BL_CONTACT_STEPS_H

#include "biela/biela.h"
#include "coords/coords.h"
#include "integrate/integrate.h"
#include "kkt/kkt.h"
#include "stepping/stepping.h"

/* velocities of a mechanism that contacts change: six of a touched body, one of a stop */
typedef struct bl_contact_block {
    bl_index body;    /* of the scene: that of the model, or behind those a place for a stop */
    bl_index contact; /* of the system: the first of the handles, or the stop */
    bl_index first;   /* among the rows of B */
    int n;            /* 6 or 1 */
    bl_index group, first_in_group;
    double lever;
} bl_contact_block;

/* M and G of the mechanism alone: free bodies, perhaps thousands, have no part in its response */
typedef struct bl_mechanism_part {
    bl_system of; /* patterns, rows and columns for bl_kkt; nothing else */
    bl_eval at;
    bl_index n, *column, *index, *row; /* [n] columns; [nv] their numbers, -1: of a free body; [of.np] rows */
    bl_index *slot_M, *slot_G;
    double *M, *G, *lambda;
} bl_mechanism_part;

typedef struct bl_contact_steps {
    bl_context *ctx;
    bl_arena arena;
    const bl_model *model;
    const bl_system *sys, *inner;
    bl_stepping core;
    bl_impulses impulses;
    bl_index nown;
    uint8_t *own;       /* [nbody] free bodies, nown of them */
    double *angle;      /* [nbody] in the plane */
    bl_index *angle_at; /* [nbody] which of q it is; -1: none */
    bl_pose *pose;
    bl_state seen;
    bl_eval look; /* poses, forces */
    bool pushed;  /* forces other than gravity act */
    bool started; /* the first step was taken */
    bl_index nblock, nrow;
    bl_contact_block *block;
    bl_kkt *kkt;
    bl_state all, open;
    bl_eval rows, mass, reactions;
    double *step_a, *step_lambda; /* [nv], [np] accelerations and multipliers that the impulses of the last step are on average */
    double *sum_a, *sum_lambda;   /* with those of other forces */
    double contact_work;          /* since the start */
    bl_mechanism_part part;
    double *B, *answer, *x;                 /* [nrow][part.n] twice; [part.n] */
    double *before, *after;                 /* [nrow] */
    bl_index *row_ptr, *row_slot, *row_col; /* G by rows */
    bl_cone_groups groups;
    bl_index nshown;           /* contacts of results: stops, then the contacts of the file */
    bl_contact_sample *sample; /* [nshown] of the last step */
    double (*rub)[3];          /* [nshown] friction */
    double *weight;            /* [nshown] */
} bl_contact_steps;

/* model->surfaces is not NULL. */
bl_status bl_contact_steps_create(bl_context *ctx, const bl_model *model, const bl_system *sys, bl_contact_steps **steps);
/* Reactions of a sample for accelerations and multipliers without contacts: with those of the step that contains it. */
bl_status bl_contact_steps_reactions(bl_contact_steps *steps, const bl_state *state, const double *a, const double *lambda,
                                     bl_sample *sample);
void bl_contact_steps_destroy(bl_contact_steps *steps); /* NULL is fine */

#endif
