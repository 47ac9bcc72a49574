/* modes, private: eigenvalues of a system at a place of rest. Knows no model. */
#ifndef BL_STUDY_MODES_H
#define BL_STUDY_MODES_H

#include "biela/modes.h"
#include "study/equilibrium.h"

/* unknowns up to which full matrices are the default */
enum { BL_MODES_DENSE = 1500, BL_MODES_USUAL = 10 };

typedef struct bl_modes_problem {
    bl_context *ctx;
    const bl_system *sys;
    bl_kkt *kkt;            /* scales of columns, and all else of the matrices */
    const bl_pattern *mass; /* of M, or of A */
    const double *H, *M;    /* at the place, on pat_K and on mass */
    bl_index n, wanted;
    /* found */
    bl_index count, nmassless, massless_kept; /* of nmassless motions some are kept */
    double *value;                            /* [count] ascending */
    double *shape;                            /* [count][n], phi^T M phi = 1 */
    double *massless;                         /* [massless_kept][n] */
    const char *method;
} bl_modes_problem;

/* Zeroed problem but for ctx, sys; eval stands at the place, lambda are the multipliers there, H has room for pat_K. */
bl_status bl_modes_solve(bl_modes_problem *p, bl_eval *eval, const double *lambda, double *H, bl_index count, bl_modes_method method,
                         const char *linsol);
void bl_modes_free(bl_modes_problem *p);
/* ---- modes_dense.c, modes_sparse.c: kkt is at the place */
bl_status bl_modes_dense(bl_modes_problem *p);
bl_status bl_modes_sparse(bl_modes_problem *p);
/* Rayleigh and Ritz: the pairs of the pencil in the space of shape[given][n], which become p->value and p->shape; directions that depend on
 * others drop out. Spoils shape. */
bl_status bl_modes_ritz(bl_modes_problem *p, double *shape, bl_index given);

/* y = A x */
void bl_modes_product(const bl_pattern *pattern, const double *A, const double *x, double *y);
double bl_modes_dot(bl_index n, const double *x, const double *y);
/* "translation along x; P.y (1), ...": motions[count][n] in words, the same space by the easiest of its members. */
bl_status bl_modes_name(const bl_modes_problem *p, const double *motion, bl_index count, char *text, size_t size);

/* ---- for bl_modes_answer */
typedef struct bl_modes_own {
    bl_context *ctx;
    const bl_model *model;
    bl_arena arena;
    bl_system *sys;
    bl_state start, place, moved; /* of the model; where the modes are about; what is shown */
    bl_eval eval;
    bl_statics *statics;
    bl_modes_problem problem;
    bl_mode *mode;
    double *H, *d; /* [n] scratch */
    bl_run_options run;
    bool linear;
} bl_modes_own;

#endif
