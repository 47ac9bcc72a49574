/* lu: a sparse LU factorization whose pivots are kept, as flat tables. Another solver finds the pivots and the patterns of its
 * factors once; computing the same factors for new values, and solving with them, then runs without search or allocation. */
#ifndef BL_LU_H
#define BL_LU_H

#include "base/isa.h"
#include "system/system.h"

enum { BL_LU_MANY = 9 }; /* sums of programs (lu_program.c) have 0 to 8 products, or many */
enum { BL_LU_KINDS = 3 * (BL_LU_MANY + 1) + 1 };
enum { BL_LU_SPARE = 16 }; /* padding is spread over several entries: with a single one, each addition would wait for the one before */

/* P A Q = L U + F: block upper triangular, L U inside the diagonal blocks, F right of them. All in pivot order. */
typedef struct bl_lu_plan {
    bl_index n, nblock;
    const bl_index *block;         /* [nblock + 1] first pivots of the blocks */
    const bl_index *row, *col;     /* [n] row[k], col[k] of A at pivot k */
    const bl_index *l_ptr, *l_idx; /* columns of L; the diagonal may be included */
    const bl_index *u_ptr, *u_idx; /* columns of U, with the diagonal */
    const bl_index *f_ptr, *f_idx; /* columns of F; NULL: none */
    const bl_pattern *a;
} bl_lu_plan;

typedef struct bl_lu_run {
    int kind; /* MANY + 1 kinds by number of products each: forward and backward rows of a solution; L, U, pivots and padding of a
                 factorization */
    bl_index count;
} bl_lu_run;

typedef struct bl_lu {
    bl_context *ctx;
    bl_arena arena; /* of everything below except target */
    const struct bl_lu_kernels *kernels;
    bl_index n, nblock, na;
    bl_index *block;     /* [nblock + 1] */
    bl_index *row, *col; /* [n] */
    /* step k: inverse of the pivot, row k of U right of it (divided by it), column k of L below it, padded to fours with zeros; after all
     * steps F, then entries that receive padding, then the scaled entries of A and a zero, if by entries */
    double *lu;
    size_t nlu;
    bl_index *u_start, *l_start; /* [n + 1] offsets of the row of U (the pivot is just before) and the column of L in lu and idx */
    bl_index *nu, *nl;           /* [n] entries of the row of U, of the column of L, without padding */
    uint8_t *by_rows;            /* [n] products of the step go by entries of L, four columns at a time: less padding */
    bl_index *idx;               /* columns of U, rows of L; n and more for padding */
    bl_index *target;            /* target index of each product L(i,k) U(k,j), by k, then j, then i (by_rows: i, then j) */
    bl_index *f_ptr, *f_idx;     /* [n + 1], rows of F */
    bl_index *f_at;              /* their indices in lu */
    bl_index *to;                /* [na] index of each entry of A in lu */
    double *inverse;             /* [n] of the pivots */
    double *pivot;               /* [n] if by entries */
    double *x;                   /* [4 (n + BL_LU_SPARE)] right-hand sides in pivot order, and entries for padding */
    bool by_entries;             /* every entry of L and U is a sum of its own (lu_program.c): no tables of steps */
    bl_lu_run *factor_run, *solve_run;
    bl_index nfactor_run, nsolve_run;
    bl_index *factor, *solve;                 /* operand and target indices of the sums of the runs */
    bl_index *forward_pivot, *backward_pivot; /* [n] pivot of each forward and backward row, in the order of a solution */
    double smallest, largest;                 /* pivots of the last factorization */
} bl_lu;

typedef struct bl_lu_kernels { /* bl_lu_factor and bl_lu_solve */
    bool (*factor)(bl_lu *lu, const double *values, const bl_index *from, const double *scale);
    void (*solve)(bl_lu *lu, bool transposed, bl_index nrhs);
    void (*solve_one)(bl_lu *lu);
} bl_lu_kernels;

BL_ISA_DECLARE(bl_lu_kernels);

/* Products of step k with padding: each entry of U times four of L after four, or by_rows each entry of L times four of U after four. */
int64_t bl_lu_products(const bl_lu *lu, bl_index k);
/* Zeroed *lu in, or one built before. */
bl_status bl_lu_build(bl_context *ctx, const bl_lu_plan *plan, bl_lu *lu);
void bl_lu_free(bl_lu *lu);
/* Factors A with entry k = values[from[k]] * scale[k], k < na; from NULL: in order. Sets smallest and largest pivot; smallest is 0 if one
 * is zero or not finite. False if an entry is not finite. */
bool bl_lu_factor(bl_lu *lu, const double *values, const bl_index *from, const double *scale);
/* Solves in lu->x: 4 right-hand sides side by side, x[k * 4 + c], in pivot order: rows in, columns out; transposed the other way round,
 * 4 or one of them (nrhs). */
void bl_lu_solve(bl_lu *lu, bool transposed, bl_index nrhs);
/* Solves for one right-hand side in lu->x: x[r] of pivot forward_pivot[r] in, x[n + r] of pivot backward_pivot[r] out. */
void bl_lu_solve_one(bl_lu *lu);

/* For bl_lu_build: the programs. */
bl_status bl_lu_build_solve(bl_lu *lu);
bl_status bl_lu_build_factor(bl_lu *lu, size_t nproduct);

#endif
