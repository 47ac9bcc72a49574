/* modes: small vibrations about an equilibrium or a steady motion, and the modal response of linear systems.
 *
 *     H phi = omega^2 M phi   on the admissible motions (null space of G), H = K + d(G^T lambda)/dx
 *
 * First-order systems (A z' = f) have decay rates instead, K phi = rate A phi. Mechanisms with dampers, with forces without potential, or
 * in motion have complex modes:  zeta'' = S zeta + D zeta',  e^(lambda t), lambda = re + i im, in named coordinates zeta.
 *
 *     bl_modes_report modes = {0};
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

/* The linearization point; linear systems have the same modes everywhere. DEFAULT: given by the section `linearize:`, else EQUILIBRIUM.
 * STEADY: a motion with cyclic coordinates that rotate at the speeds of the start; the other coordinates are found. TIME: the state at
 * options.time, if that is an equilibrium or a steady motion. */
typedef enum bl_modes_at {
    BL_MODES_AT_DEFAULT,
    BL_MODES_AT_EQUILIBRIUM,
    BL_MODES_AT_START,
    BL_MODES_AT_STEADY,
    BL_MODES_AT_TIME
} bl_modes_at;
/* AUTO: complex modes for damped mechanisms and where real modes do not exist; else real modes of the undamped system, each with its
 * damping ratio by (V7). */
typedef enum bl_modes_damping { BL_MODES_DAMPING_AUTO, BL_MODES_UNDAMPED, BL_MODES_DAMPED } bl_modes_damping;
/* Scale of the shapes: phi^T M phi = 1, or the largest entry 1. */
typedef enum bl_modes_scale { BL_MODES_MASS, BL_MODES_LARGEST } bl_modes_scale;
/* LAPACK with full matrices (default up to 1500 unknowns), or ARPACK for the lowest modes. */
typedef enum bl_modes_method { BL_MODES_AUTO, BL_MODES_LAPACK, BL_MODES_ARPACK } bl_modes_method;

/* NULL or 0: default. */
typedef struct bl_modes_options {
    size_t size;    /* sizeof this struct, or 0 (context.h) */
    bl_index count; /* number of lowest modes; 0: 10, negative: all */
    bl_modes_at at;
    bool anyway; /* linearize even if it is not an equilibrium or steady motion */
    bl_modes_scale scale;
    bl_modes_method method;
    const char *coordinates, *linsol; /* NULL: the model's */
    double closure;                   /* as in bl_run_options */
    /* how the equilibrium is found, at the end of its path if it has one; NULL: default. Its coordinates, linsol, closure are ignored */
    const struct bl_equilibrium_options *equilibrium;
    double amplitude; /* factor of shapes passed to sinks; 0: 1, for mechanisms 0.1 */
    double time;      /* of BL_MODES_AT_TIME */
    bl_modes_damping damping;
    /* state-space matrices (report.linear) for named inputs and outputs; without any, those of the section `linearize:` */
    bool linear; /* make them also without inputs and outputs, if possible */
    const char *const *input, *const *output;
    bl_index ninput, noutput;
    bl_index animate; /* sinks get one period of this mode, from 1, as a motion instead of all shapes; 0: all shapes */
    bl_index frames;  /* of that period; 0: 60 */
} bl_modes_options;

/* Motion of a body in a mode that is scaled to a largest displacement of 1: translation of the mass center, and rotation. */
typedef struct bl_mode_motion {
    double velocity[3], angular_velocity[3];       /* real parts, global axes */
    double velocity_im[3], angular_velocity_im[3]; /* imaginary parts */
} bl_mode_motion;

typedef struct bl_mode {
    double eigenvalue;       /* omega^2, or the decay rate; negative: unstable */
    double omega, frequency; /* rad/s, Hz; NaN if the eigenvalue is negative or a rate; complex modes: |lambda| */
    double mass;             /* phi^T M phi */
    double damping;          /* ratio phi^T C phi / (2 omega phi^T M phi); NaN without omega */
    double residual;         /* |H phi - eigenvalue M phi| relative to its terms */
    bool rigid;              /* without stiffness: the eigenvalue is 0 */
    /* Along x, y, z: participation phi^T M e / (phi^T M phi), where e moves all points by 1, and effective mass (phi^T M e)^2 /
     * (phi^T M phi). NaN if coordinates are not points. Mass coupling with supports is not part of M, nor of these. */
    double participation[3], effective_mass[3];
    double initial, initial_rate; /* phi^T M d / (phi^T M phi), d from the linearization point to the model's start; same of velocities */
    const double *shape;          /* [unknowns] */
    char moves[192];              /* what moves most */
    double re, im;                /* lambda; NaN for first order. im >= 0: represents both of a conjugate pair */
    double damped_frequency;      /* Hz, im / 2 pi */
    const double *shape_im;       /* [unknowns] imaginary part of complex modes; NULL: real */
    bl_index group;               /* number, from 1, of the first mode with the same eigenvalue */
    const bl_mode_motion *motion; /* [nbody] for mechanisms; NULL: no bodies */
    char bodies[128];             /* the three bodies that move most; "" without bodies */
} bl_mode;

/* UNSTABLE: some modes grow. STABLE: all decay. MARGINAL: none grows, some neither grow nor decay. */
typedef enum bl_modes_stability { BL_STABILITY_UNKNOWN, BL_STABLE, BL_MARGINAL, BL_UNSTABLE } bl_modes_stability;

typedef struct bl_modes_report {
    size_t size;                                   /* sizeof this struct, or 0 (context.h) */
    const char *model_name, *coordinates, *method; /* "lapack", "arpack" */
    bl_index unknowns, rows, dof;
    bool first_order;                  /* rates instead of frequencies */
    double t;                          /* of the linearization point */
    double residual;                   /* of the balance of forces there, relative to the largest force */
    bl_index nmode, nrigid, nmassless; /* massless: motions without inertia, which have no frequency */
    char rigid[256], massless[256];    /* these motions: what moves most */
    double total_mass[3];              /* e^T M e, the sum of the effective masses of all modes; NaN as above */
    const bl_mode *mode;               /* ascending */
    const char *const *unknown;        /* [unknowns] names of the entries of shapes; NULL: more than 100 000 */
    bool is_complex;                   /* complex modes: eigenvalue is |lambda|^2, NaN for real lambda */
    bool moving;                       /* linearized about a motion */
    bl_index nzero;                    /* complex modes: zero eigenvalues, two for each undamped rigid motion */
    double acceleration;               /* at the linearization point, ignored in a frozen motion (anyway); 0: none */
    bl_modes_stability stability;      /* from the modes found */
    bl_index nunstable;
    bl_index nbody, nvariable; /* of mechanisms: bodies without ground, all variables */
    const char *const *body, *const *variable;
    const double *value, *rate;    /* [nvariable] at the linearization point */
    char cyclic[256];              /* cyclic variables of a steady motion, with their rates */
    const bl_linear_model *linear; /* NULL: not requested */
    void *own;
} bl_modes_report;

/* Finds the modes; sinks (may be none) get each as a sample at "time" 1, 2, ...: the linearization point displaced by amplitude times the
 * shape. The model must outlive the report. */
BL_API bl_status bl_modes(bl_context *ctx, const bl_model *model, const bl_modes_options *options, bl_sink *sinks, bl_index nsink,
                          bl_modes_report *report);
BL_API void bl_modes_report_destroy(bl_context *ctx, bl_modes_report *report);

/* ---- modes over a parameter: root loci, Campbell diagrams */

typedef struct bl_modes_path_options {
    size_t size;                   /* sizeof this struct, or 0 (context.h) */
    const bl_modes_options *modes; /* of every point; count is ignored; NULL: default */
    const char *parameter;         /* NULL: the path of the section `linearize:`; without one report.path stays NULL */
    double from, to;
    bl_index points;                                                             /* 0: 101 */
    void (*progress)(void *user, double value, bl_index point, bl_index points); /* NULL: none */
    void *user;
} bl_modes_path_options;

typedef struct bl_modes_path_report {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    const char *model_name, *coordinates;
    const bl_mode_path *path; /* all eigenvalues, both of pairs, including zeros; columns are curves, followed from point to point */
    bl_index ncrossing;
    const bl_mode_crossing
        *crossing; /* [ncrossing] changes of stability, located to 1e-12 of the path; mode: the one with the largest real part there */
    void *own;
} bl_modes_path_report;

/* The eigenvalues over a parameter; each linearization point is found from the previous one. A change of stability that is reversed between
 * two points is missed. */
BL_API bl_status bl_modes_path(bl_context *ctx, const bl_model *model, const bl_modes_path_options *options, bl_modes_path_report *report);
BL_API void bl_modes_path_report_destroy(bl_context *ctx, bl_modes_path_report *report);

typedef struct bl_modes_answer_options {
    size_t size;         /* sizeof this struct, or 0 (context.h) */
    double until, every; /* seconds; every 0: until / 200 */
    double step;         /* loads are taken as linear between its multiples; 0: every */
    bl_index take;       /* number of modes used; 0: all */
    bool most;           /* use those with the largest participation instead of the lowest */
    bool correction;     /* add the static response of the modes left out */
    bool rayleigh;       /* damping alpha M + beta K instead of the model's own, which enters by phi^T C phi */
    double alpha, beta;
} bl_modes_answer_options;

/* The response from the model's start to its loads as a sum of modes, each solved exactly; samples to sinks. For systems without
 * constraints. summary may be NULL. */
BL_API bl_status bl_modes_answer(bl_context *ctx, const bl_modes_report *report, const bl_modes_answer_options *options, bl_sink *sinks,
                                 bl_index nsink, bl_run_summary *summary);

#ifdef __cplusplus
}
#endif
#endif
