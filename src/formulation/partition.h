/* partition, private: the basis (which rows are kept, which columns are dependent) and the workspace built on it.
 *
 * Everything is scaled: rows of G divided by their scale, columns multiplied by theirs. J is the square matrix
 * of kept rows and dependent columns; x_d = R w + S b with J R = -G_i, w = x_i / scale. */
#ifndef BL_PARTITION_H
#define BL_PARTITION_H

#include "formulation/formulation.h"
#include "kkt/row_choice.h"

#define BL_PARTITION_DENSE 12 /* degrees of freedom up to which full matrices of them are faster than a sparse system */

struct bl_order_input;
typedef struct bl_partition_parts bl_partition_parts;

typedef struct bl_partition {
    /* choices */
    bl_index index; /* 2 or 3 */
    enum { BL_STATE_AUTO, BL_STATE_FULL, BL_STATE_INDEPENDENT } state;
    enum { BL_BY_GAUSS, BL_BY_QR, BL_BY_SVD } by; /* how independent coordinates are chosen */
    double exchange_given;                        /* 0: not given */
    bl_index dense;                               /* parts with more degrees of freedom get no full matrix */
    bool all;                                     /* y holds all positions and velocities; else the independent ones only */
    bool least_change;                            /* positions are corrected with the least change, not by the dependent ones alone */
    double exchange;                              /* largest |R| before coordinates are exchanged */
    double *row_by, *col_by;                      /* [r] 1 / scale of the kept rows, scale of the dependent columns */
    double *scale; /* [nv] of the columns here: preferred ones are made smaller, so that they stay independent for longer */
    /* basis */
    bl_index r, f; /* rank, degrees of freedom */
    bl_row_choice rows;
    uint8_t *is_independent; /* [nv] */
    bl_index *dep, *ind;     /* [r], [f], ascending */
    bl_index *col_slot;      /* [nv] index in dep; -1 - k for index k in ind */
    /* J and G_i from the values of G */
    bl_pattern pattern;
    bl_index *ptr, *idx;     /* storage of pattern, room for all of G */
    bl_index *from;          /* [nnz] entry of G */
    double *factor, *values; /* [nnz] scale of the column / scale of the row; entries of J */
    bl_index ni;
    bl_index *i_from, *i_row, *i_col; /* [ni] entry of G, kept row, independent column */
    double *i_factor;
    /* for orderings: values of G at consistent configurations, and marks and samples of J made of them */
    bl_index nsample;
    double *G_samples, *sample; /* [nsample][nnz of G], [nsample][nnz of J] */
    uint8_t *marks;             /* [2 r] */
    bl_index *bundle;           /* [r] of J's columns */
    void *hints;                /* block of the last three */
    /* evaluation point: positions and velocities, valid for key when stage > 0 */
    int stage;                        /* 0 nothing, 1 positions, R and velocities, 2 accelerations */
    bool with_mass;                   /* full, MR and A belong to this configuration */
    bool judged;                      /* the configuration was found good enough to integrate through */
    double key_t, *key;               /* [ny] */
    double key_slack;                 /* form->slack when the positions were found */
    double *q, *v, *a, *z;            /* [nq], [nv], [nv], [nz] */
    double *move;                     /* [nv] increment of positions, where they are not a vector space */
    bl_partition_parts *parts;        /* with many degrees of freedom (partition_parts.c); NULL: R is formed completely */
    bl_index width;                   /* f, or most degrees of freedom of a small part: columns of R */
    void *block, *matrices, *inverse; /* of vectors and maps; of R, or S b alone, and L; of P */
    double *R, *Sb;                   /* [r][width] scaled; [r] S b */
    double largest_R;
    double *full, *MR;  /* [nv][width] d v / d w, and M times it (not with parts) */
    double *A, *zdd;    /* [f][f], of small parts one after the other, [f] */
    double *Sc, *x;     /* [r], [r] */
    double *mu;         /* [np] scaled multipliers, kept rows first */
    double *L, *LL, *s; /* [r][nd] dropped rows as combinations of kept ones, [nd][nd], [nd]; NULL when nd = 0 */
    double *many;       /* instead of L and LL where these would be large: [r] a right-hand side, [3 nd + r] for the products with L */
    double *y;          /* [ny] scratch */
    double power;       /* d work / dt */
    /* power series: S in all rows and columns, unscaled, where the solver has an inverse; NULL: the matrix is too large for one */
    double *P, *Px, *Py; /* [np][room of nv], room for np as for nv */
    /* monitoring of the pivots */
    bool factored;
    double level;        /* best worst pivot of a fresh factorization since set-up */
    double fresh;        /* worst pivot of the last fresh factorization */
    double sigma;        /* best smallest singular value of J seen when pivots were chosen */
    double rows_checked; /* worst pivot when the kept rows were last checked */
    bool warned;         /* of dropped rows that are violated */
    /* last refusal, for explain */
    bl_status refused;
    double refused_t;
    double *refused_q;   /* [nq] */
    bl_index refused_at; /* row (positions) or column (not finite), -1: unknown */
} bl_partition;

/* Chooses rows and columns at the configuration of at_e (G evaluated) and makes memory and J for them. */
bl_status bl_partition_choose(bl_formulation *form, bool preferred_last);
/* Other rows and columns at the configuration of at_e (G evaluated), as many as before: BL_SINGULAR when there are not so many. Allocates
 * about as much as G. Only where y does not depend on the choice. */
bl_status bl_partition_choose_again(bl_formulation *form);
/* Copies the choices of another partition of the same system. Allocates. */
bl_status bl_partition_follow(bl_formulation *form, const bl_formulation *of, const bl_state *state);
/* Replaces order[nv] of the columns (dependent ones first) by the method own->by; Gauss: unchanged. rows[r]: kept; wanted[nv]: preferably
 * independent. Allocates full matrices (partition_columns.c). */
bl_status bl_partition_columns(bl_formulation *form, const uint8_t *wanted, const bl_index *rows, bl_index r, bl_index *order);
/* Builds lists, pattern and maps from is_kept and is_independent; analyzes J. Allocates nothing itself. */
bl_status bl_partition_build(bl_formulation *form);
/* Exchanges columns (largest_R exceeded `exchange`), rows; *changed: whether the columns changed. In stage 1. */
bl_status bl_partition_exchange_columns(bl_formulation *form, bool *changed);
bl_status bl_partition_exchange_rows(bl_formulation *form, bool *changed);
/* J from the values of G, factored. `anew`: with new pivots. */
bl_status bl_partition_factor(bl_formulation *form, bool anew);
/* L at the configuration of at_e, J factored there. */
bl_status bl_partition_dropped_rows(bl_formulation *form);
void bl_partition_log_exchange(bl_formulation *form, bl_index p, bl_index k); /* of dep[p] and ind[k] */
void bl_partition_free(bl_formulation *form);

/* ---- samples for orderings (partition_samples.c) */

/* Samples configurations nearby, once, where the solver's ordering needs samples, and reorders J with them. In stage 1 or later. */
bl_status bl_partition_survey(bl_formulation *form, const bl_state *state);
bl_status bl_partition_hints(bl_formulation *form, struct bl_order_input *hints);

/* ---- one configuration (partition_configuration.c) */

/* Moves at_e to own->q, own->v, own->z at t. */
void bl_partition_move(bl_formulation *form, double t);
/* Index in y = (q, velocities, z, work) where the states begin. */
static inline bl_index bl_partition_states(const bl_formulation *form) { return form->ny - 1 - form->sys->nz; }
/* Stage 1: q, J, R, v, z from (t, y). strict: for integration, singular configurations are refused. */
bl_status bl_partition_go_to(bl_formulation *form, double t, const double *y, bool strict);
/* Stage 2: a and power. */
bl_status bl_partition_accelerate(bl_formulation *form);
/* Then zd[nz]. */
bl_status bl_partition_state_rates(bl_formulation *form, double *zd);
/* Accelerations a that satisfy the forces Q[nv] and J a = c of the kept rows (scaled; solved for in Sc), with mass evaluated. */
bl_status bl_partition_meet(bl_formulation *form, const double *Q);
/* Adds to a, which satisfies the constraints, the motion due to the forces Q[nv]: a += R (R^T M R)^-1 R^T (Q - M a). */
bl_status bl_partition_add_motion(bl_formulation *form, const double *Q, double *a);
/* mu of the kept rows for these forces and a. */
bl_status bl_partition_multipliers(bl_formulation *form, const double *Q);
/* Power series of the motion through (t, y) (partition_series.c). */
bl_status bl_partition_expand(bl_formulation *form, double t, const double *y, bl_expansion *ex);
/* lambda of all rows, spread; overwrites mu. */
bl_status bl_partition_all_multipliers(bl_formulation *form, double *lambda);
/* `spread` of the kind. BL_SINGULAR: not at this configuration, or not with this choice of rows. */
bl_status bl_partition_spread(bl_formulation *form, const bl_state *state, double *lambda);
/* The steps of stage 1: positions corrected and J factored there; R; S b; R^T M R; velocities nearest to v_all. */
bl_status bl_partition_assemble(bl_formulation *form, double t);
bl_status bl_partition_directions(bl_formulation *form);
bl_status bl_partition_drive(bl_formulation *form);
bl_status bl_partition_mass(bl_formulation *form);
bl_status bl_partition_project_velocities(bl_formulation *form, const double *v_all);
/* Estimate of the smallest singular value of J by inverse iteration; overwrites x. */
bl_status bl_partition_smallest_sigma(bl_formulation *form, double *sigma);

/* ---- many degrees of freedom (partition_parts.c): the same steps with own->parts */

/* Parts of the present choice, and memory for them. Allocates. */
bl_status bl_partition_parts_build(bl_formulation *form);
void bl_partition_parts_log(bl_formulation *form);
bl_status bl_partition_parts_directions(bl_formulation *form);
bl_status bl_partition_parts_mass(bl_formulation *form, bl_index *bad); /* BL_SINGULAR: *bad is a column that moves no mass */
/* x <- R (R^T M R)^-1 R^T M x;  a += R (R^T M R)^-1 R^T (Q - M a);  y[r] = R w, w[f] scaled */
bl_status bl_partition_parts_keep_allowed(bl_formulation *form, double *x);
bl_status bl_partition_parts_add_motion(bl_formulation *form, const double *Q, double *a);
bl_status bl_partition_parts_expand(bl_formulation *form, const double *w, double *y);
/* Exchanges columns until no computed entry of R is above the goal, or as often as one review allows. */
bl_status bl_partition_parts_exchange(bl_formulation *form, double goal, bool *changed);
void bl_partition_parts_free(bl_formulation *form);
/* Solves for columns of x[r][nrhs] with J or its transpose. */
bl_status bl_partition_solve(bl_formulation *form, bool transposed, bl_index nrhs, double *x);

#endif
