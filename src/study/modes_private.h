/* modes, private: eigenvalues of a system about an equilibrium or a steady motion. */
#ifndef BL_MODES_PRIVATE_H
#define BL_MODES_PRIVATE_H

#include "biela/modes.h"
#include "study/equilibrium_private.h"
#include "study/linear_io.h"
#include "study/run.h"
#include "study/simulation.h"

enum { BL_MODES_USUAL = 10 }; /* modes by default */

typedef struct bl_modes_problem {
    bl_context *ctx;
    const bl_system *sys;
    bl_kkt *kkt;            /* scales of columns, and all else of the matrices */
    const bl_pattern *mass; /* of M, or of A */
    const double *H, *M;    /* at the reference state, on pat_K and on mass */
    const double *C;        /* on pat_C */
    bl_modes_damping damping;
    bool bodies, borrowed; /* a mechanism; kkt is owned elsewhere */
    bl_index n, wanted;
    /* found */
    bl_index count, nmassless, massless_kept; /* only some of the massless motions are stored */
    double *value;                            /* [count] ascending */
    double *shape;                            /* [count][n], phi^T M phi = 1 */
    double *massless;                         /* [massless_kept][n] */
    const char *method;
    /* complex ones: rigid motions first */
    bool is_complex;
    bl_index nrigid, nzero;
    double *re, *im, *off; /* [count] eigenvalues, residuals */
    double *shape_im;      /* [count][n] */
    double rate;           /* the fastest one, also of modes not requested, relative to which eigenvalues are known; 0: of those found */
    void *block;
} bl_modes_problem;

/* The problem is zeroed except for ctx, sys, and a kkt of full matrices if one was evaluated at the reference state already; eval is at
 * that state, lambda are the multipliers there, H has room for pat_K. */
bl_status bl_modes_solve(bl_modes_problem *p, bl_eval *eval, const double *lambda, double *H, bl_index count, bl_modes_method method,
                         const char *linsol);
void bl_modes_free(bl_modes_problem *p);
/* ---- modes_dense.c, modes_sparse.c: kkt is evaluated at the reference state */
bl_status bl_modes_dense(bl_modes_problem *p);
bl_status bl_modes_sparse(bl_modes_problem *p);
/* ---- modes_complex.c: *done: real modes do not suffice, complex ones were found; about a motion: from l, differentiated */
bl_status bl_modes_complex(bl_modes_problem *p, bool *done);
bl_status bl_modes_moving(bl_modes_problem *p, bl_linearize *l);
/* ... with first-order states beside the motions: they are motions without mass whose rates are known, A = 1. kkt of full matrices. */
bl_status bl_modes_states(bl_modes_problem *p);
/* Rayleigh-Ritz: eigenpairs of the pencil in the space of shape[given][n], stored in p->value and p->shape; dependent directions are
 * dropped. Overwrites shape. */
bl_status bl_modes_ritz(bl_modes_problem *p, double *shape, bl_index given);

/* y = A x */
void bl_modes_product(const bl_pattern *pattern, const double *A, const double *x, double *y);
double bl_modes_dot(bl_index n, const double *x, const double *y);
/* The share of the terms of x^T H x up to which a mode counts as rigid. */
double bl_modes_rigid_share(const bl_modes_problem *p);
/* "translation along x; P.y (1), ...": names the space of motions[count][n] by its simplest members. */
bl_status bl_modes_name(const bl_modes_problem *p, const double *motion, bl_index count, char *text, size_t size);

/* all points by 1 along a direction; false: there are no points */
bool bl_modes_translation(const bl_system *sys, int direction, double *x);
void bl_modes_times(bl_index n, double by, double *x);

/* ---- what the files of the study share */
typedef struct bl_modes_own {
    bl_context *ctx;
    const bl_model *model;
    bl_arena arena;
    bl_system *sys;
    bl_state start, reference, moved; /* of the model; about which modes are computed; shown in a sample */
    bl_eval eval;
    bl_statics *statics;
    bl_modes_problem problem;
    bl_mode *mode;
    double *H, *d; /* [n] scratch */
    bl_run_options run;
    bool linear;
    bl_linearize *lin;               /* NULL: nothing was requested in named coordinates */
    bl_linear_io io;                 /* inputs and outputs */
    bl_linear_model model_of;        /* A, B, C, D */
    const struct bl_modes_own *from; /* previous point of a path, whose reference state starts the search; NULL: the model's start */
    bool trusted;                    /* ... and its motion, at a neighboring value, was steady */
    bool along;                      /* a point of a path */
    const bl_state *present;         /* BL_MODES_AT_TIME: the state then, in the same coordinates; NULL: the motion is computed */
} bl_modes_own;

/* bl_modes without sinks, starting from another report (NULL: none); trusted: if the motion is steady there, it is steady here */
bl_status bl_modes_from(bl_context *ctx, const bl_model *model, const bl_modes_options *options, const bl_modes_own *from, bool trusted,
                        bl_modes_report *report);
/* ... at a state of the motion, in the coordinates of the options */
bl_status bl_modes_at_state(bl_context *ctx, const bl_model *model, const bl_modes_options *options, const bl_state *state,
                            bl_modes_report *report);
/* Moves state to the configuration of own->from and assembles it; false: impossible, state is unchanged */
bool bl_modes_begin_from(bl_modes_own *own, bl_state *state);

/* Options, completed from the section `linearize:` of the model. */
typedef struct bl_modes_ask {
    const bl_modes_options *options;
    bl_modes_at at;
    double time;
    bool linear;
} bl_modes_ask;

/* ---- modes_configuration.c: own->reference; for steady motions also own->lin there, differentiated, in their chart */
bl_status bl_modes_find_configuration(bl_modes_own *own, const bl_modes_ask *ask, const bl_equilibrium_options *how,
                                      bl_modes_report *report);
/* ---- modes_steady.c: brings own->lin to a steady motion from own->start, or checks that it is one */
bl_status bl_modes_settle(bl_modes_own *own, const bl_modes_ask *ask, bl_modes_report *report);
/* ---- modes_describe.c, modes_samples.c */
bl_status bl_modes_describe(bl_modes_own *own, const bl_modes_options *options, bl_modes_report *report);
/* ---- modes_motion.c: motions of bodies, names and values of variables at the reference state */
bl_status bl_modes_motions(bl_modes_own *own, bl_modes_report *report);
bl_status bl_modes_show(bl_modes_own *own, const bl_modes_options *options, const bl_modes_report *report, bl_run *run);

#endif
