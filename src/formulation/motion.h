/* motion: shared by plain, index3, ggl and ali3p: stages of the full equations of (q, v, z). Accelerations, projections and the
 * choice of rows at a single configuration are those of index1.h.
 *
 *     motion.c       memory, patterns, names
 *     motion_stage.c residual, tangent, matrix of a stage
 *     motion_rounding.c  rounding error of its rows
 *     motion_reduce.c  stages without the rows of redundant parameters
 *     motion_shift.c matrices with complex shifts, for coupled stages
 *     motion_differences.c  tangents by differences
 *
 * Unknowns of a stage: x = (d, dz | w | lambda | mu). d moves positions and w velocities; without stabilization w is d and mu is absent.
 * With it d = w + G^T mu: the positions may leave the path of the velocities as far as both constraints, phi = 0 and G v = b, require
 * (Gear, Gupta, Leimkuhler 1985). Multipliers are scaled by their row: lambda_i = x_i / scale_i. */
#ifndef BL_MOTION_H
#define BL_MOTION_H

#include "dense/vectors_isa.h"
#include "formulation/index1.h"

typedef struct bl_coloring { /* columns of one color share no row */
    bl_index count;
    bl_index *color; /* [ncol] */
} bl_coloring;

/* Settings of a kind; all zero: index3. */
typedef struct bl_motion_options {
    bl_index1_options at;
    bool stabilized;
    bool reduce; /* redundant parameters and their equations are eliminated from the matrix */
} bl_motion_options;

/* Velocity rows: the row of lambda is (b - G v) / cvc; stabilized, it is mu = 0, and the row of mu holds velocities as for all others. */
enum { BL_KEY_CE = 0, BL_KEY_CA = 2, BL_KEY_CC, BL_KEY_CVC }; /* indices of a stage's numbers in a key */

typedef struct bl_motion {
    bl_index1 at; /* first: form->own is one */
    bl_motion_options options;
    bool stabilized;
    bool velocity_rows;        /* there are some */
    bl_index nv, nz, n, np, r; /* as in `at`: n = nv + nz, r kept rows */
    bl_index ow, ol, om;       /* where w, lambda, mu begin */

    /* stage matrix */
    bl_pattern pattern;
    bool pattern_lent; /* it is that of K */
    size_t nslot;
    bl_index *slot; /* [nslot] one block of indices in it (reduced: in bl_motion_reduce_room); slot_M, C, K NULL: same order of entries */
    bl_index *slot_M, *slot_C, *slot_K, *slot_GT, *slot_G, *slot_move, *slot_Gmu, *slot_Gv, *slot_Gv_x, *slot_corner;
    bl_index *slot_rest; /* [r] stabilized: mu of velocity rows in their rows of lambda */
    double *values;
    void *values_block; /* of these and of the matrices below */
    bool values_brief;  /* their memory exists only while they are factored */
    double *M, *C, *K, *G_e, *G_c,
        *Gv_x;                  /* of the last tangent; K includes derivatives of M a and G^T lambda. Constant ones are those of at_e */
    const bool *algebraic;      /* [nz] with constraints: rows of states that contain no rates; NULL: none */
    double *difference;         /* K and C by differences where analytic ones are those of at_e; NULL: not requested */
    bool held;                  /* neither K nor C is needed: form->held, where the matrix of a stage is M alone; or free: */
    bool free;                  /* the matrix of a stage is never formed, only products with it (motion_free.c) */
    double *free_diagonal;      /* [2][nv] of M and K, NULL: not free */
    bool levels, tangent_known; /* residuals use the mass of the last tangent; a tangent exists */
    bl_linsol *solver[BL_MOST_MATRICES];
    double key[BL_MOST_MATRICES][7]; /* the stage's numbers each was factored for */
    bool valid[BL_MOST_MATRICES];
    int present;
    long used[BL_MOST_MATRICES], uses; /* when each was last used */

    struct bl_motion_reduce *reduce; /* NULL: the full matrix is solved */
    struct bl_motion_shift *shift;   /* shifted matrices; NULL: none */

    const bl_vector_kernels *vectors;
    /* current evaluation point */
    double *q, *v, *a, *z, *zd, *qc, *vc, *lambda, *mu, *Q, *f, *R, *moved, *kept_q;
    double *right;                /* [nx] right-hand side besides those of the iteration, where constraints are compliant */
    const double *a_now, *zd_now; /* a and zd, or those of the stage itself */
    bool discrete_now;            /* q_to is taken from qc */
    bool point_known;             /* the evaluation points are at q, v, z, qc, vc, with the same history */

    /* differences */
    bl_coloring by_position, by_velocity;
    bl_jacobian colored; /* for which kind of tangents */
    double *R0, *step;
    void *block; /* of the vectors above */
} bl_motion;

/* slots of the kinds */
bl_status bl_motion_setup(bl_formulation *form, const bl_state *state, const bl_motion_options *options);
bl_status bl_motion_review(bl_formulation *form, const bl_state *state);
void bl_motion_equation(const bl_formulation *form, bl_index row, char *part, size_t npart, char *equation, size_t nequation);
void bl_motion_forget(bl_formulation *form);
void bl_motion_destroy(bl_formulation *form);

bl_status bl_motion_stage_setup(bl_formulation *form);
bl_status bl_motion_residual(bl_formulation *form, const bl_stage *stage, const double *x, double *r);
bl_status bl_motion_tangent(bl_formulation *form, const bl_stage *stage, const double *x);
bl_status bl_motion_matrix(bl_formulation *form, const bl_stage *stage);
bl_status bl_motion_solve(bl_formulation *form, double *x);
/* after a residual and a tangent near it */
bl_status bl_motion_rounding(bl_formulation *form, const bl_stage *stage, const double *x, double *r);
bl_status bl_motion_power(bl_formulation *form, const bl_stage *stage, const double *x, double *power);
/* ---- motion_free.c: stages of linear systems whose solver needs products instead of a matrix */
bl_status bl_motion_free_wanted(bl_formulation *form, bool *wanted);
bl_status bl_motion_free_setup(bl_formulation *form);                                      /* pattern of the diagonal */
void bl_motion_free_values(const bl_formulation *form, const bl_stage *s, double *values); /* for the preconditioner */
bl_status bl_motion_free_product(void *form, const double *x, double *y);
void bl_motion_subtract(bl_formulation *form, const double *u, const double *d, double *r);

bl_status bl_motion_shift_setup(bl_formulation *form, int count);
bl_status bl_motion_shift(bl_formulation *form, int which, double re, double im);
bl_status bl_motion_shift_solve(bl_formulation *form, int which, double *x);
bl_status bl_motion_shift_error(bl_formulation *form, const double *F, const double *w, double *err);
void bl_motion_shift_free(bl_formulation *form);

/* parameter of kinds that can be reduced */
#define BL_MOTION_REDUCE                                                                                  \
    {                                                                                                     \
        .name = "reduce", .type = BL_P_CHOICE, .choices = "none|nullspace",                               \
        .help = "eliminate redundant orientation parameters and their equations beforehand, body by body" \
    }

/* all but setup */
#define BL_MOTION_SLOTS                                                                                                     \
    .to_y = bl_full_state_to_y, .from_y = bl_full_state_from_y, .rate = bl_index1_rate, .review = bl_motion_review,         \
    .project = bl_index1_project, .accelerations = bl_index1_accelerations, .stage_setup = bl_motion_stage_setup,           \
    .residual = bl_motion_residual, .tangent = bl_motion_tangent, .matrix = bl_motion_matrix, .solve = bl_motion_solve,     \
    .rounding = bl_motion_rounding, .power = bl_motion_power, .equation = bl_motion_equation, .explain = bl_index1_explain, \
    .forget = bl_motion_forget, .destroy = bl_motion_destroy

/* ---- inside the room */

static inline bool bl_motion_at_velocity(const bl_formulation *form, bl_index row) { return form->sys->row[row].level == BL_AT_VELOCITY; }
/* Factor of row i of the states in residuals and matrices. Rows without rates would vanish with short steps where they are divided by czd:
 * solvers that watch for rows of constraints that vanish would take the matrix for singular. */
static inline double bl_motion_state_factor(const bl_motion *own, const bl_stage *s, bl_index i) {
    return 1 / (own->algebraic && own->algebraic[i] ? s->cz : s->czd);
}
/* R = (Q - M a - G^T lambda, f - A zd) at the configuration of at_e. */
bl_status bl_motion_balance(bl_formulation *form, const bl_stage *stage, double *R);
/* Finds the parameters that can be eliminated, after the pattern of a stage is built; own->reduce stays NULL where there are none. */
bl_status bl_motion_reduce_setup(bl_formulation *form, bl_log_level level);
void bl_motion_reduce_free(bl_formulation *form);
bl_status bl_motion_reduce_matrices(bl_formulation *form); /* memory for form->matrices */
const bl_pattern *bl_motion_reduce_pattern(const bl_motion *own);
/* Null spaces of the kept G; apart: equilibrium and constraints are at two different configurations. */
void bl_motion_reduce_tangent(bl_formulation *form, bool apart);
/* Memory in which the `which`-th matrix is assembled. */
double *bl_motion_reduce_room(bl_motion *own, int which, size_t *count);
/* Reduces the assembled values and keeps them as the `which`-th for right-hand sides. BL_SINGULAR: rows of parameters lost rank. */
bl_status bl_motion_reduce_values(bl_formulation *form, const bl_stage *stage, int which, const double **values);
bl_status bl_motion_reduce_solve(bl_formulation *form, int which, double *x); /* as the full matrix would */
void bl_motion_reduce_blame(bl_formulation *form);                            /* dependent rows of the solver become rows of x */
/* Groups of columns for differences, when they are used. */
bl_status bl_motion_color(bl_formulation *form);
/* K and C at the evaluation point by differences of the balance. */
bl_status bl_motion_differences(bl_formulation *form, const bl_stage *stage);

#endif
