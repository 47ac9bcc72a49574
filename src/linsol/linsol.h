/* linsol: square sparse systems A x = b in phases: analyze (pattern), factor (values, pivots chosen),
 * refactor (values, pivots kept), solve. Rank-deficient systems are refused, solved with dependent rows
 * dropped, or solved with minimum norm. To add one: copy dense.c, add a line to linsol_list.h. */
#ifndef BL_LINSOL_H
#define BL_LINSOL_H

#include "dense/dense.h"
#include "system/system.h"

typedef enum bl_deficient { BL_REFUSE, BL_DROP, BL_MIN_NORM } bl_deficient;

/* bl_kind.gives. The first three: 1 << bl_deficient. ITERATIVE: solutions to a tolerance, solve may return BL_NO_CONVERGENCE. PRODUCT:
 * takes products instead of a matrix */
enum {
    BL_LINSOL_REFUSE = 1,
    BL_LINSOL_DROP = 2,
    BL_LINSOL_MIN_NORM = 4,
    BL_LINSOL_TRANSPOSED = 8,
    BL_LINSOL_ITERATIVE = 16,
    BL_LINSOL_PRODUCT = 32
};
/* bl_kind.needs: symmetric matrices; its library allocates in refactor and solve; its ordering profits from hints; definite matrices;
 * these are needs of its default method, others need less */
enum { BL_LINSOL_SYMMETRIC = 1, BL_LINSOL_MEMORY = 2, BL_LINSOL_SAMPLES = 4, BL_LINSOL_DEFINITE = 8, BL_LINSOL_BY_DEFAULT = 16 };

typedef struct bl_linsol_stats {
    bl_index n, rank;
    int64_t fill; /* entries of the factors */
    bl_index ndependent;
    const bl_index *dependent;       /* rows found dependent, ascending; valid until the next factor */
    double worst_pivot;              /* smallest |pivot| / largest |pivot| of the last factorization, scaled rows */
    long delayed;                    /* columns of weak diagonal blocks sent to a border in the last factorization (block) */
    long factors, refactors, solves; /* solves: right-hand sides */
    long iterations;                 /* of all solutions (ITERATIVE) */
    double residual;                 /* of the last solution, as a share of its right-hand side in the solver's norm (ITERATIVE) */
} bl_linsol_stats;

typedef struct bl_linsol bl_linsol;
struct bl_ordering;
struct bl_order_input;

typedef struct bl_linsol_kind {
    bl_kind kind;
    size_t size;       /* of bl_linsol.own: zeroed before create, freed after destroy */
    const void *slots; /* of the shell around the kind (direct_solver.h, iterative.h) */
    /* values of the parameters; texts live as long as the solver. NULL: no options. */
    bl_status (*create)(bl_linsol *, const bl_value *values);
    void (*destroy)(bl_linsol *); /* frees what own points to, also when half-built */
    /* The phases behind bl_linsol_analyze, _factor, _refactor and _solve, which check the order of calls, count them and set `factored`. */
    bl_status (*analyze)(bl_linsol *, const bl_pattern *, const struct bl_ordering *ordering, bl_deficient, double rank_tolerance);
    bl_status (*factor)(bl_linsol *, const double *values);
    bl_status (*refactor)(bl_linsol *, const double *values);
    bl_status (*solve)(bl_linsol *, bool transposed, bl_index nrhs, double *x);
    /* Predicted nanoseconds of one refactor and of nrhs right-hand sides with the present factors. From operation counts: only ratios
     * between kinds are meaningful. NULL: unknown. */
    double (*cost)(const bl_linsol *, bl_index nrhs);
    /* The same after analyze, before anything is factored, from the pattern and from which values are zero or symmetric; results are kept
     * for factor. INFINITY: not possible, or too much memory. NULL slot: only the factors show the cost. */
    bl_status (*forecast)(bl_linsol *, const double *values, bl_index nrhs, double *nanoseconds);
    /* Columns of the inverse, bl_dense_room(n) apart, if the solver has it and it is accurate without refinement; else NULL. NULL slot:
     * never. Valid until the next factorization. */
    const double *(*inverse)(const bl_linsol *);
    int (*sign)(const bl_linsol *);          /* of the determinant, +1 or -1; 0: rank is missing, unknown. NULL: unknown */
    bl_index (*negative)(const bl_linsol *); /* number of negative eigenvalues of a symmetric matrix, -1: unknown. NULL: unknown */
} bl_linsol_kind;

static inline bool bl_linsol_treats(const bl_linsol_kind *kind, bl_deficient deficient) { return kind->kind.gives >> deficient & 1; }

struct bl_linsol {
    const bl_linsol_kind *kind;
    bl_context *ctx;
    bl_linsol_stats stats;
    const struct bl_order_input *hints; /* marks and samples for the solver's own ordering, NULL: none; lives as long as the solver */
    bl_index many;                      /* right-hand sides that a factorization will serve; 0: a few. For `auto` */
    bool brief;                         /* few matrices will follow: searching for a better solver does not pay. For `auto`, klu */
    double budget;                      /* predicted ns per update beyond which factor may give up (BL_E_ABILITY); 0: none. From `auto` */
    bool rescales;   /* each matrix is scaled by its own values; false: scales never grow, so that a row that vanishes later is detected */
    double accuracy; /* residual that a solution may have, relative to the right-hand side; 0: the solver's default (ITERATIVE) */
    /* y = A x without a matrix (PRODUCT), set before analyze; NULL: the matrix is given. Pattern and values then define preconditioners:
     * the diagonal of A, its diagonal blocks, or a symmetric matrix near A; a pattern without entries: none. */
    bl_status (*product)(void *user, const double *x, double *y);
    void *product_user;
    bool matrix_free; /* products are preferred to a matrix if the caller has them */
    bool factored;    /* solve and refactor are possible */
    const char *uses; /* kind chosen by `auto`; NULL: none, or not yet */
    bl_arena texts;   /* of options */
    void *own;
};

#define BL_KIND(name) extern const bl_linsol_kind bl_linsol_##name;
#include "linsol/linsol_list.h"
#undef BL_KIND

extern const bl_linsol_kind *const bl_linsol_kinds[];
extern const size_t bl_linsol_kind_count;

/* For diagonal matrices (diagonal.c); chosen by `auto`, not in the list. */
extern const bl_linsol_kind bl_linsol_diagonal;
bool bl_linsol_is_diagonal(const bl_pattern *pattern);

bl_status bl_linsol_create(bl_context *ctx, const char *spec, bl_linsol **solver); /* "klu:ordering=colamd", "dense"; NULL: "auto" */
bl_status bl_linsol_of_kind(bl_context *ctx, const bl_linsol_kind *kind, const char *options, bl_linsol **solver);
void bl_linsol_destroy(bl_linsol *solver); /* NULL is allowed */

/* pattern must outlive the solver; ordering: NULL for the solver's own, not kept. Rows and columns are scaled by the solver before pivots
 * are compared; pivots below rank_tolerance x the largest count as zero. */
bl_status bl_linsol_analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                            double rank_tolerance);
/* BL_SINGULAR if the matrix is rank-deficient and refused; BL_NOT_FINITE; may allocate */
bl_status bl_linsol_factor(bl_linsol *solver, const double *values);
/* no allocation; BL_SINGULAR: pivots decayed, or dropped rows became independent: factor anew */
bl_status bl_linsol_refactor(bl_linsol *solver, const double *values);
/* Refactors if pivots are known and still good, else factors. */
bl_status bl_linsol_update(bl_linsol *solver, const double *values);
/* in place, columns of length n; no allocation */
bl_status bl_linsol_solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x);

/* Properties of the last factorization, if the kind knows them. Columns of the inverse, bl_dense_room(n) apart, or NULL; sign of the
 * determinant, or 0; how many eigenvalues of a symmetric matrix are negative (Sylvester's law of inertia), or -1. */
const double *bl_linsol_inverse_columns(const bl_linsol *solver);
int bl_linsol_sign(const bl_linsol *solver);
bl_index bl_linsol_negative(const bl_linsol *solver);

/* +1 or -1 if order[n] is an even or odd permutation. seen[n] is scratch. */
int bl_parity(bl_index n, const bl_index *order, bl_index *seen);

#endif
