/* index1: accelerations and multipliers at one configuration,
 *
 *     [ M  G^T ] [ a      ]   [ Q ]
 *     [ G   0  ] [ lambda ] = [ c ],        y = (q, v, z, work),   A z' = f (state_rates.c)
 *
 * and what follows from this system: rates, power series, projections onto the constraints, multipliers of all rows, monitoring of the
 * choice of rows. The formulations of index 1 differ in their bl_index1_options; those of stages (motion.h) use it for starts and samples.
 *
 *     index1.c        rows, memory, choice of rows during a run, messages
 *     index1_solve.c  accelerations, rates, power series, projection, multipliers
 *     index1_sparse.c the full sparse matrix; recursion.c: only W W^T of the rows; basis.c: full matrices
 *
 * Rows are divided by their scale: x = (a, mu), lambda_i = mu_i / scale_i. Off the constraints redundant rows are independent and would
 * lock the mechanism: those dropped at set-up stay dropped until they are violated. */
#ifndef BL_INDEX1_H
#define BL_INDEX1_H

#include "formulation/formulation.h"
#include "kkt/kkt_matrix.h"

#define BL_INDEX1_STAGE_PENALTY 1e5 /* of kinds whose own penalty depends on the step */

/* A linear solver of the system with the chosen rows. All zero: x is its own solution. */
typedef struct bl_index1_solver {
    uint32_t uses;                       /* quantities that `factor` requests */
    bl_status (*make)(bl_formulation *); /* at the configuration of at_e: memory, patterns. May switch to another solver */
    bl_status (*factor)(
        bl_formulation *); /* at the configuration of at_e; sets quality. BL_SINGULAR, with `massless` if the mass is the reason */
    bl_status (*solve)(bl_formulation *, bl_index nrhs, double *x); /* x[nrhs][nv + r]: (Q, c) in, (a, mu) out */
    void (*free)(bl_formulation *);                                 /* frees what `make` allocated; NULL: nothing */
} bl_index1_solver;

extern const bl_index1_solver bl_index1_sparse, bl_index1_recursion, bl_index1_basis;

/* How masses enter: chosen by predicted work, as a matrix, by recursion along the chains. */
typedef enum bl_masses { BL_MASSES_CHOSEN, BL_MASSES_MATRIX, BL_MASSES_RECURSION } bl_masses;

/* Settings of a formulation; all zero: the equations unchanged, nothing drifts. */
typedef struct bl_index1_options {
    const bl_index1_solver *solver;       /* NULL: sparse */
    const struct bl_basis_method *method; /* of bl_index1_basis */
    bl_masses masses;                     /* of bl_index1_recursion */
    bool stage;                           /* the formulation has stages of its own (motion.h); else velocities count in the error norm */
    bool drifts;                          /* nothing keeps positions or velocities on the constraints */
    double penalty;                       /* > 0: constraints are compliant like springs, G a = c + lambda / penalty */
    int times;                            /* with it: solutions with corrected multipliers; 0: as many as make them exact */
    double singular_at;                   /* with it: share of the best quality below which a configuration is too near to a singular one */
    bool raw;                             /* the penalty is a mass, of all rows unscaled; else in units of row_mass, of scaled rows */
    bool identity;                        /* projections measure changes by coordinates, not by masses */
    bool each_stage;                      /* rates are taken at the projected configuration */
    /* Gains of the feedback c - 2 alpha (G v - b) - beta^2 phi, which replaces c. NULL: none */
    void (*feedback)(const bl_formulation *, double *alpha, double *beta);
    /* instead of bl_formulation_expand */
    bl_status (*expand)(bl_formulation *, double t, const double *q, const double *v, const double *z, bl_order_solution solve,
                        bl_expansion *ex);
} bl_index1_options;

typedef struct bl_index1 {
    bl_index1_options options;
    const bl_index1_solver *solver;
    /* sets everything up anew, with at most so many rows */
    bl_status (*set_up)(bl_formulation *, const bl_state *, bl_index most);
    bl_index nv, nz, np;
    bl_row_choice rows;
    double heaviest;  /* largest mass of a coordinate at set-up, where rows are compliant */
    double *row_mass; /* [np] mass that each scaled row moves there; NULL: rigid constraints */

    double *x;               /* [nv + r] */
    double *right, *carried; /* [nv + r], [r]: right-hand side and multipliers of the iteration where constraints are compliant */
    double *q, *v, *target;  /* [nq], [nv], [np] */
    double *L, *LL, *s;      /* [nd][nv + r] dropped rows by kept ones, [nd][nd], [nd] */
    double *many;            /* instead of L and LL where these would be large: [nv + r] a right-hand side, [3 nd + r] of products */
    double made_t, *made_q;  /* configuration of the factors, where `made` */
    void *block;             /* of all these vectors */
    bool factored, made;     /* once; at a known configuration */
    bool ready;              /* the matrix of this configuration is factored: only Q is new */
    bool weighing;           /* the matrix has the identity instead of M */
    double quality;          /* of the last factors: falls with the square of the distance to a singular configuration */
    double level, checked;   /* best quality of accepted states; quality when the choice of rows was last checked */
    long tangents_checked;   /* of stages: number of tangents at that check */
    bool massless;           /* the last refusal was due to a motion without mass */
    bool warned;             /* that rows contradict each other */
    bl_status refused;       /* by the last solution */
    double refused_t, *refused_q, *refused_z; /* [nq], [nz] */
    bl_index refused_at; /* BL_NOT_FINITE: column of the first force, acceleration or rate that is not finite; -1: none */

    /* of the solvers */
    bl_kkt_matrix matrix;
    bl_linsol *linsol;              /* form->linsol, or a separate one besides that of the stages; NULL: none */
    bl_index first_row;             /* index of the first constraint row in the matrix of linsol */
    bool lent, constant;            /* the matrix is M with its values; it never changes */
    double *b, *y;                  /* [nv + r], padded: of products with the inverse */
    const double *inverse;          /* columns, where the solver has them */
    struct bl_recursion *recursion; /* NULL: M is formed */
    bool matrix_only;               /* M is singular */
    struct bl_basis *basis;         /* full matrices */
    struct bl_index2 *index2;       /* a power series of its own */
    void *solver_block;
} bl_index1;

/* ---- slots of the kinds */

bl_status bl_index1_setup(bl_formulation *form, const bl_state *state, const bl_index1_options *options);
bl_status bl_index1_rate(bl_formulation *form, double t, const double *y, double *rate);
bl_status bl_index1_expand(bl_formulation *form, double t, const double *y, bl_expansion *ex);
bl_status bl_index1_review(bl_formulation *form, const bl_state *state);
bl_status bl_index1_project(bl_formulation *form, bl_state *state, double tolerance);
bl_status bl_index1_accelerations(bl_formulation *form, const bl_state *state, double *a, double *lambda);
bl_status bl_index1_spread(bl_formulation *form, const bl_state *state, double *lambda);
bl_status bl_index1_explain(bl_formulation *form);
void bl_index1_forget(bl_formulation *form);
void bl_index1_destroy(bl_formulation *form);

/* all but setup, expand and review */
#define BL_INDEX1_SLOTS                                                                                                             \
    .to_y = bl_full_state_to_y, .from_y = bl_full_state_from_y, .rate = bl_index1_rate, .project = bl_index1_project,               \
    .accelerations = bl_index1_accelerations, .spread = bl_index1_spread, .explain = bl_index1_explain, .forget = bl_index1_forget, \
    .destroy = bl_index1_destroy, BL_RATE_STAGE_SLOTS

/* facts that most kinds of it share */
#define BL_INDEX1_FACTS .uses = BL_USES_MATRICES, .index = 1, .redundant = BL_INDEX1_REDUNDANT, .singular = BL_INDEX1_SINGULAR
#define BL_INDEX1_REDUNDANT "equations chosen by rank, dropped ones named; multipliers of minimum norm"
#define BL_INDEX1_SINGULAR "stepped over where a step allows it, else refused"
#define BL_INDEX1_GIVES                                                                                                          \
    (BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_SHIFT | BL_TAKES_LOADS | BL_TAKES_CURVED | BL_TAKES_PHI_OF_Z | BL_TAKES_VELOCITY_ROWS | \
     BL_FULL_STATE)

/* parameters of kinds with a penalty: its default, more help for omega */
#define BL_PENALTY_PARAMS(alpha, more)                                                                            \
    {.name = "alpha",                                                                                             \
     .type = BL_P_NUMBER,                                                                                         \
     .flags = BL_POSITIVE,                                                                                        \
     .fallback = alpha,                                                                                           \
     .help = "penalty, in units of the mass that each equation moves"},                                           \
        {.name = "omega",                                                                                         \
         .type = BL_P_NUMBER,                                                                                     \
         .flags = BL_NOT_NEGATIVE,                                                                                \
         .fallback = 10,                                                                                          \
         .unit = "1/s",                                                                                           \
         .help = "frequency at which violations die out" more},                                                   \
    {                                                                                                             \
        .name = "mu", .type = BL_P_NUMBER, .flags = BL_NOT_NEGATIVE, .fallback = 1, .help = "their damping ratio" \
    }
/* and its unit */
#define BL_PENALTY_ROWS                                                                                                         \
    {                                                                                                                           \
        .name = "rows", .type = BL_P_CHOICE, .choices = "scaled|raw",                                                           \
        .help = "scaled: penalty relative to the masses that each equation moves; raw: penalty in kg of the unscaled equations" \
    }

/* ---- inside the room; form->own begins with a bl_index1 */

void bl_index1_free(bl_formulation *form); /* everything except the struct */
/* Sizes, rows and what depends on them alone, at the state. Allocates, as does bl_index1_make: memory and the solver. */
bl_status bl_index1_choose(bl_formulation *form, const bl_state *state, const bl_index1_options *options, bl_index most);
bl_status bl_index1_make(bl_formulation *form);
bl_status bl_index1_factor(bl_formulation *form); /* at the configuration of at_e */
/* (a, mu) in x under the forces at the configuration of at_e, with G a = target[np] of the kept rows. */
bl_status bl_index1_accelerate(bl_formulation *form, const double *target);
/* Dropped rows as combinations of the kept ones at the configuration of at_e; the largest coefficient. */
bl_status bl_index1_combine(bl_formulation *form, double *largest);
/* Compliance of scaled row k with this penalty: how far it yields to a scaled multiplier of 1. */
double bl_index1_compliance(const bl_index1 *own, bl_index k, double penalty);
void bl_recursion_accept(bl_formulation *form); /* records the pivots of the present factors as the best so far, if they are */
void bl_index2_free(bl_formulation *form);

#endif
