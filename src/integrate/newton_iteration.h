/* newton: the iteration behind every implicit method. Solves a stage of the formulation for x = (d, dz, multipliers).
 *
 * Modified Newton: tangents are kept over steps and made anew only when the iteration is slow; the matrix is assembled and factored when
 * the stage's numbers changed. Convergence is judged by the rate of contraction, in the maximum norm of updates relative to the size of
 * each component (Shampine and Reichelt 1997, Hairer and Wanner IV.8). */
#ifndef BL_NEWTON_ITERATION_H
#define BL_NEWTON_ITERATION_H

#include "dense/vectors_isa.h"
#include "integrate/integrate.h"

typedef struct bl_newton_options {
    double tolerance; /* of the relative update; adaptive methods: half the step's tolerance */
    double early; /* share of tolerance at which a first iteration may end when a rate is known; 0.01: when the update itself is below it */
    int most;     /* iterations */
    bool by_update;   /* ends when the update itself is below the tolerance, whatever the estimated remainder */
    bool full;        /* tangents at every iteration */
    bool line_search; /* halve updates that do not reduce the residual */
    bool adaptive;    /* the method has step control: advice to shorten steps makes no sense */
    bool chosen;      /* by parameters of the method: others may be advised */
    bool rescue;      /* before failing, try with tangents at every iteration: for methods that cannot easily take a smaller step */
    bl_jacobian jacobian;
} bl_newton_options;

/* Parameter of kinds that solve linear systems: a bl_jacobian. */
#define BL_JACOBIAN_PARAM                                                                                                    \
    {                                                                                                                        \
        .name = "jacobian", .type = BL_P_CHOICE, .choices = "analytic|colored|dense",                                        \
        .help = "tangents: analytic, by differences of groups of columns (coloring), or by differences one column at a time" \
    }
/* Parameters of implicit kinds; put BL_NEWTON_PARAMS last in the table, and read them with bl_newton_read from the first on. */
#define BL_NEWTON_PARAMS BL_NEWTON_PARAMS_MOST(10)
/* with another default of the iteration limit */
#define BL_NEWTON_PARAMS_MOST(most)                                                                                   \
    BL_JACOBIAN_PARAM,                                                                                                \
        {.name = "newton",                                                                                            \
         .type = BL_P_CHOICE,                                                                                         \
         .choices = "modified|full|line_search",                                                                      \
         .help = "tangents kept, or evaluated at every iteration, also with halved updates"},                         \
    {                                                                                                                 \
        .name = "iterations", .type = BL_P_INTEGER, .flags = BL_POSITIVE, .fallback = most, .help = "iteration limit" \
    }

typedef struct bl_newton_failure {
    bl_status status; /* BL_OK: none yet */
    double t;
    bl_index row; /* of the largest residual, or a dependent one; -1: not known */
    double residual;
} bl_newton_failure;

typedef struct bl_newton {
    bl_context *ctx;
    bl_formulation *form;
    bl_newton_options options;
    const bl_vector_kernels *vectors;
    bl_index nx, ny;
    bl_index moving; /* leading unknowns, which move (q, v, z); the rest are multipliers */
    void *block;
    double *x, *r, *dx, *x_try; /* x also keeps multipliers from stage to stage */
    double *guess;              /* multipliers before the solve */
    double *zero;               /* [nx] */
    const double *start;        /* [moving] initial values of the unknowns that move; NULL: 0 */
    bool linear;                /* constant matrices, known exactly (differences leave errors of 1e-8): one update is the solution */
    bool tangent_known;         /* of the present formulation */
    bool tangent_fresh;         /* evaluated in this step: reset by bl_newton_new_step */
    double rate;                /* of contraction; < 0: unknown */
    double largest_update;      /* largest update at this step, relative to sizes: above 1 the guess was far from any solution */
    bl_newton_failure last;     /* of a solve, for messages */
    bl_newton_failure first;    /* the same of the first attempt of a step: of bl_newton_first_failure */
    long iterations;
    uint32_t draw; /* state of pseudo-random numbers: the same in every run */
} bl_newton;

/* Zeroed *newton in. */
bl_status bl_newton_create(bl_newton *newton, bl_formulation *form, const bl_newton_options *options);
/* Sizes for the present formulation; discards everything. May allocate. */
bl_status bl_newton_start(bl_newton *newton);
void bl_newton_destroy(bl_newton *newton);
void bl_newton_new_step(bl_newton *newton);
void bl_newton_forget_rate(bl_newton *newton); /* after a change of step or order */
/* Options from the values of BL_NEWTON_PARAMS. */
void bl_newton_read(const bl_value *value, bl_newton_options *options);
/* x[0..n) = 0, or `start`, at the guess. size[ny]: reference for updates of (q, v, z) (0: left out), base = largest guess / size.
 * BL_NO_CONVERGENCE, BL_SINGULAR, BL_NOT_FINITE: message by bl_newton_explain. */
bl_status bl_newton_solve(bl_newton *newton, const bl_stage *stage, const double *size, double base);
/* Fixed-step methods, after the first failure of a step: where shorter and shorter steps only end in a singular matrix (accelerations
 * normal to the constraints grow with 1 / h), this is the failure to report. */
void bl_newton_first_failure(bl_newton *newton);
/* dx[nx]: typical error of the unknowns due to rounding of the residuals, of any sign. BL_NO_CONVERGENCE: not known. */
bl_status bl_newton_rounding(bl_newton *newton, const bl_stage *stage, double *dx);
/* Records BL_E_NUMERIC with the equation and its residual. */
bl_status bl_newton_explain(bl_newton *newton);

#endif
