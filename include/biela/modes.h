/* modes: small vibrations about a place of rest or a steady motion, and the answer of linear systems by them.
 *
 *     H phi = omega^2 M phi   on the motions that the constraints leave free, H = K + d(G^T lambda)/dx
 *
 * Systems of first order (A z' = f) have decay rates instead, K phi = rate A phi. Mechanisms with dampers, with forces that have no
 * potential, or in motion, have complex modes:  zeta'' = S zeta + D zeta',  e^(lambda t), lambda = re + i im, in coordinates zeta that
 * have names.
 *
 *     bl_modes_report modes;
 *     bl_modes(ctx, model, &(bl_modes_options){.count = 5}, NULL, 0, &modes);
 *     bl_modes_answer(ctx, &modes, &(bl_modes_answer_options){.until = 2, .every = 0.01}, &sink, 1, NULL);
 *     bl_modes_report_destroy(ctx, &modes);
 */
#ifndef BIELA_MODES_H
#define BIELA_MODES_H

#include "biela/biela.h"
#include "biela/linear.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the modes are about. Linear systems have the same everywhere. DEFAULT: as the section `linearize:` says, else EQUILIBRIUM.
 * STEADY: a motion whose equations do not depend on what turns, with the speeds of the start; its shape is found from there. TIME: where
 * the motion is at options.time, if that is rest or steady. */
typedef enum bl_modes_at {
    BL_MODES_AT_DEFAULT,
    BL_MODES_AT_EQUILIBRIUM,
    BL_MODES_AT_START,
    BL_MODES_AT_STEADY,
    BL_MODES_AT_TIME
} bl_modes_at;
/* AUTO: complex modes of mechanisms that are damped, and wherever real ones do not exist; else real ones of the undamped system, each
 * with its damping ratio by (V7). */
typedef enum bl_modes_damping { BL_MODES_DAMPING_AUTO, BL_MODES_UNDAMPED, BL_MODES_DAMPED } bl_modes_damping;
/* Scale of the shapes: phi^T M phi = 1, or the largest entry 1. */
typedef enum bl_modes_scale { BL_MODES_MASS, BL_MODES_LARGEST } bl_modes_scale;
/* Full matrices by LAPACK (up to 1500 unknowns by default), or some of many by ARPACK. */
typedef enum bl_modes_method { BL_MODES_AUTO, BL_MODES_LAPACK, BL_MODES_ARPACK } bl_modes_method;

/* What is NULL or 0 takes the default. */
typedef struct bl_modes_options {
    bl_index count; /* lowest ones; 0: 10, negative: all there are */
    bl_modes_at at;
    bool anyway; /* at the start, although it is not in balance */
    bl_modes_scale scale;
    bl_modes_method method;
    const char *coordinates, *linsol; /* NULL: the model's */
    double closure;                   /* as of a run */
    /* how the place is found, at the end of the path where there is one; NULL: by default. Its coordinates, linsol, closure do not count */
    const struct bl_equilibrium_options *equilibrium;
    double amplitude; /* of shapes handed to sinks, times the shape; 0: 1, of mechanisms a tenth */
    double time;      /* of BL_MODES_AT_TIME */
    bl_modes_damping damping;
    /* state-space matrices (report.linear): of inputs and outputs by name; without any, those of the section `linearize:` */
    bool linear; /* also without any, where they can be had */
    const char *const *input, *const *output;
    bl_index ninput, noutput;
    bl_index animate; /* sinks get a period of this mode, from 1, as a motion instead of all shapes; 0: all shapes */
    bl_index frames;  /* of it; 0: 60 */
} bl_modes_options;

/* Motion of a body in a mode, its point of largest displacement in the whole mode moving by 1: of the mass center, and rotation. */
typedef struct bl_mode_motion {
    double velocity[3], angular_velocity[3];       /* real parts, global axes */
    double velocity_im[3], angular_velocity_im[3]; /* imaginary parts */
} bl_mode_motion;

typedef struct bl_mode {
    double eigenvalue;       /* omega^2, or the decay rate; negative: the place is unstable along it */
    double omega, frequency; /* rad/s, Hz; NaN where the eigenvalue is negative, or a rate; of complex modes |lambda| */
    double mass;             /* phi^T M phi */
    double damping;          /* ratio phi^T C phi / (2 omega phi^T M phi); NaN without omega */
    double residual;         /* |H phi - eigenvalue M phi| relative to the terms of it */
    bool rigid;              /* it meets no stiffness: the eigenvalue is 0 */
    /* Along x, y, z: phi^T M e / (phi^T M phi), e moving all points by 1, and the mass that goes with it, (phi^T M e)^2 / (phi^T M phi).
     * NaN where coordinates are not points. What M has between points and supports is not in M, and not in these. */
    double participation[3], effective_mass[3];
    double initial, initial_rate; /* of the model's start: phi^T M d / (phi^T M phi), d from the place to the start; of its velocities */
    const double *shape;          /* [unknowns] */
    char moves[192];              /* what moves most */
    double re, im;                /* lambda; NaN of first order. im >= 0: of a pair this one stands for both */
    double damped_frequency;      /* Hz, im / 2 pi */
    const double *shape_im;       /* [unknowns] of complex modes; NULL: real */
    bl_index group;               /* number, from 1, of the first mode with the same eigenvalue */
    const bl_mode_motion *motion; /* [nbody] of mechanisms; NULL: no bodies */
    char bodies[128];             /* the three bodies that move most; "" without bodies */
} bl_mode;

/* UNSTABLE: some modes grow. STABLE: all decay. MARGINAL: none grows, some neither grow nor decay. */
typedef enum bl_modes_stability { BL_STABILITY_UNKNOWN, BL_STABLE, BL_MARGINAL, BL_UNSTABLE } bl_modes_stability;

typedef struct bl_modes_report {
    const char *model_name, *coordinates, *method; /* "lapack", "arpack" */
    bl_index unknowns, rows, dof;
    bool first_order;                  /* rates instead of frequencies */
    double t;                          /* of the place */
    double residual;                   /* what is out of balance there, relative to the largest force */
    bl_index nmode, nrigid, nmassless; /* massless: motions without inertia, which have no frequency */
    char rigid[256], massless[256];    /* these motions: what moves most */
    double total_mass[3];              /* e^T M e, which effective masses of all modes sum up to; NaN as above */
    const bl_mode *mode;               /* ascending */
    const char *const *unknown;        /* [unknowns] names of the entries of shapes; NULL: more than 100 000 */
    bool is_complex;                   /* complex modes: eigenvalue is |lambda|^2, NaN of real lambda */
    bool moving;                       /* about a motion */
    bl_index nzero;                    /* of complex modes: zero eigenvalues, two of each rigid motion that nothing damps */
    double acceleration;               /* of the place, frozen though it accelerates (anyway); 0: it does not */
    bl_modes_stability stability;      /* by the modes found */
    bl_index nunstable;
    bl_index nbody, nvariable; /* of mechanisms, without ground; all variables: */
    const char *const *body, *const *variable;
    const double *value, *rate;    /* [nvariable] at the place */
    char cyclic[256];              /* variables that turn in a steady motion, with their rates */
    const bl_linear_model *linear; /* NULL: not asked for */
    void *own;
} bl_modes_report;

/* Finds the modes; sinks (may be none) get each as a sample at "time" 1, 2, ...: the place moved by amplitude times its shape. The model
 * must outlive the report. */
bl_status bl_modes(bl_context *ctx, const bl_model *model, const bl_modes_options *options, bl_sink *sinks, bl_index nsink,
                   bl_modes_report *report);
void bl_modes_report_destroy(bl_context *ctx, bl_modes_report *report);

/* ---- modes over a parameter: root loci, Campbell diagrams */

typedef struct bl_modes_path_options {
    bl_modes_options modes; /* of every point; count does not count */
    const char *parameter;  /* NULL: the path of the section `linearize:`; without one path.npoint stays 0 */
    double from, to;
    bl_index points;                                                             /* 0: 101 */
    void (*progress)(void *user, double value, bl_index point, bl_index points); /* NULL: none */
    void *user;
} bl_modes_path_options;

typedef struct bl_modes_path_report {
    const char *model_name, *coordinates;
    bl_mode_path path; /* all eigenvalues, of pairs both, zeros too; columns are curves, followed from point to point */
    bl_index ncrossing;
    const bl_mode_crossing
        *crossing; /* [ncrossing] where stability changes, located to 1e-12 of the path; mode is that which is worst there */
    void *own;
} bl_modes_path_report;

/* The eigenvalues at values of a parameter, each place from the one before. A change that comes and goes between two points is missed. */
bl_status bl_modes_path(bl_context *ctx, const bl_model *model, const bl_modes_path_options *options, bl_modes_path_report *report);
void bl_modes_path_report_destroy(bl_context *ctx, bl_modes_path_report *report);

typedef struct bl_modes_answer_options {
    double until, every; /* seconds; every 0: until / 200 */
    double step;         /* the load is taken as linear between multiples of it; 0: every */
    bl_index take;       /* so many modes of the report; 0: all */
    bool most;           /* those that take part most instead of the lowest */
    bool correction;     /* what the others would carry statically is added */
    bool rayleigh;       /* damping alpha M + beta K instead of the model's own, of which phi^T C phi counts */
    double alpha, beta;
} bl_modes_answer_options;

/* The motion from the model's start under its loads as a sum of modes, exact for each of them; samples to sinks. For systems without
 * constraints. summary may be NULL. */
bl_status bl_modes_answer(bl_context *ctx, const bl_modes_report *report, const bl_modes_answer_options *options, bl_sink *sinks,
                          bl_index nsink, bl_run_summary *summary);

#ifdef __cplusplus
}
#endif
#endif
