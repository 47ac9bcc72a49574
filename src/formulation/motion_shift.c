/* Shifted matrices S(lambda) = lambda^2 M + lambda C + K of the kept derivatives for complex lambda: lambda B - J of the
 * first-order form B y' = F(t, y), y = (q, v, z), after elimination of the velocities. Methods with coupled stages (radau) need several at
 * once. Small or full ones use LAPACK; a sparse complex one is solved as a real one of twice the size, entries [re -im; im re].
 *
 *     lambda q - v = g_q,  lambda M v + C v + K q = g_v   =>   S q = g_v + (lambda M + C) g_q,  v = lambda q - g_q */
#include "dense/dense.h"
#include "formulation/motion.h"

#include "sparse/sparse.h"

#include <string.h>

enum { DENSE_UP_TO = 24, DENSE_SHARE = 4 }; /* unknowns; at least n^2 / DENSE_SHARE entries */

struct bl_motion_shift {
    bool dense;
    bl_pattern doubled;              /* for complex shifts */
    double first;                    /* the real one */
    double *values;                  /* of one sparse matrix */
    double *real;                    /* its real part, where own->values has no memory */
    double *g;                       /* [n] */
    double *full[BL_MOST_SHIFTS];    /* [n][n], complex from the second on */
    bl_index *pivot[BL_MOST_SHIFTS]; /* [n] */
    void *block[BL_MOST_SHIFTS];     /* of both */
    bl_linsol *solver[BL_MOST_SHIFTS];
};

void bl_motion_shift_free(bl_formulation *form) {
    bl_motion *own = form->own;
    struct bl_motion_shift *shift = own->shift;
    if (!shift)
        return;
    for (int k = 0; k < BL_MOST_SHIFTS; k++) {
        bl_free(form->ctx, shift->block[k]);
        bl_linsol_destroy(shift->solver[k]);
    }
    bl_pattern_free(form->ctx, &shift->doubled);
    bl_free(form->ctx, shift->values);
    bl_free(form->ctx, shift->real);
    bl_free(form->ctx, shift->g);
    bl_free(form->ctx, shift);
    own->shift = NULL;
}

/* entry k of column j becomes four: re, im in column 2j, -im, re in column 2j + 1 */
static bl_status double_pattern(bl_formulation *form, const bl_pattern *p, bl_pattern *doubled) {
    bl_index n = p->ncol, *ptr, *idx;
    BL_TRY(BL_NEW(form->ctx, ptr, 2 * (size_t)n + 1));
    *doubled = (bl_pattern){.nrow = 2 * n, .ncol = 2 * n, .ptr = ptr};
    BL_TRY(BL_NEW(form->ctx, idx, 4 * (size_t)p->ptr[n]));
    doubled->idx = idx;
    for (bl_index j = 0; j < 2 * n; j++) {
        bl_index first = p->ptr[j / 2], count = p->ptr[j / 2 + 1] - first, at = 4 * first + (j % 2 ? 2 * count : 0);
        ptr[j] = at;
        for (bl_index k = 0; k < count; k++, at += 2) {
            idx[at] = 2 * p->idx[first + k];
            idx[at + 1] = idx[at] + 1;
        }
    }
    ptr[2 * n] = 4 * p->ptr[n];
    return BL_OK;
}

bl_status bl_motion_shift_setup(bl_formulation *form, int count) {
    bl_motion *own = form->own;
    struct bl_motion_shift *shift = own->shift;
    size_t n = (size_t)form->nx, nnz = (size_t)own->pattern.ptr[form->nx];
    if (own->free) {
        bl_fail(form->ctx, BL_E_ABILITY, NULL, "matrix=free: this integration method needs the stiffness matrix K itself");
        bl_advise(form->ctx, "remove matrix=free from the linear solver, or use a method like hht or ndf_auto");
        return BL_E_ABILITY;
    }
    if (!shift) {
        BL_TRY(BL_NEW(form->ctx, shift, 1));
        own->shift = shift;
        const char *spec = form->linsol_spec;
        bool free_choice = !spec || strcmp(spec, "auto") == 0 || strcmp(spec, "dense") == 0;
        shift->dense = free_choice && (n <= DENSE_UP_TO || nnz * DENSE_SHARE >= n * n || (spec && spec[0] == 'd'));
        BL_TRY(BL_NEW(form->ctx, shift->g, n));
        if (!shift->dense) {
            BL_TRY(BL_NEW(form->ctx, shift->values, 4 * nnz));
            if (own->values_brief)
                BL_TRY(BL_NEW(form->ctx, shift->real, nnz));
            BL_TRY(double_pattern(form, &own->pattern, &shift->doubled));
        }
    }
    for (int k = 0; k < count; k++) {
        if (shift->block[k] || shift->solver[k])
            continue;
        if (shift->dense) {
            BL_TRY(BL_NEW_ARRAYS(form->ctx, shift->block[k], BL_ARRAY(shift->full[k], (k ? 2 : 1) * n * n), BL_ARRAY(shift->pivot[k], n)));
            continue;
        }
        bl_linsol *solver;
        bool any = !form->linsol_spec || strcmp(form->linsol_spec, "auto") == 0;
        BL_TRY(bl_linsol_create(form->ctx, any ? "klu" : form->linsol_spec, &solver));
        bl_status status = bl_linsol_analyze(solver, k ? &shift->doubled : &own->pattern, NULL, BL_REFUSE, 0);
        if (status != BL_OK) {
            bl_linsol_destroy(solver);
            return status;
        }
        shift->solver[k] = solver;
    }
    return BL_OK;
}

/* ---- full matrices; pair: 2 doubles to an entry */

static void add_full(const bl_pattern *p, bl_index ncol, const double *part, size_t n, size_t pair, double re, double im, double *S) {
    for (bl_index j = 0; j < ncol; j++) {
        double *column = S + pair * n * (size_t)j;
        bool full_column = p->ptr[j + 1] - p->ptr[j] == (bl_index)n; /* no need to read the indices */
        for (bl_index k = p->ptr[j], i = 0; k < p->ptr[j + 1]; k++, i++) {
            double *entry = column + pair * (size_t)(full_column ? i : p->idx[k]);
            entry[0] += re * part[k];
            if (im != 0)
                entry[1] += im * part[k];
        }
    }
}

static bl_status factor_full(bl_formulation *form, int which, double re, double im) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    size_t n = (size_t)form->nx, pair = which ? 2 : 1;
    double *S = own->shift->full[which];
    memset(S, 0, pair * n * n * sizeof *S);
    add_full(&sys->pat_M, own->nv, own->M, n, pair, re * re - im * im, 2 * re * im, S);
    add_full(&sys->pat_C, own->n, own->C, n, pair, re, im, S);
    add_full(&sys->pat_K, own->n, own->K, n, pair, 1, 0, S);
    form->stats.factors++;
    bl_index *pivot = own->shift->pivot[which];
    return (which ? bl_dense_lu_complex(form->nx, S, pivot) : bl_dense_lu(form->nx, S, pivot)) ? BL_OK : BL_SINGULAR;
}

/* ---- sparse matrices */

static void add_part(const bl_index *slot, const double *part, bl_index count, double factor, double *values) {
    for (bl_index k = 0; k < count; k++)
        values[slot ? slot[k] : k] += factor * part[k];
}

static bl_status factor_sparse(bl_formulation *form, int which, double re, double im) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_index n = form->nx, nnz = own->pattern.ptr[n], nM = sys->pat_M.ptr[own->nv], nC = sys->pat_C.ptr[own->n];
    double *real = own->values_brief ? own->shift->real : own->values, *all = own->shift->values, *imaginary = all;
    bl_linsol *solver = own->shift->solver[which];
    memset(real, 0, (size_t)nnz * sizeof *real);
    add_part(own->slot_M, own->M, nM, re * re - im * im, real);
    add_part(own->slot_C, own->C, nC, re, real);
    add_part(own->slot_K, own->K, sys->pat_K.ptr[own->n], 1, real);
    if (which > 0) {
        memset(imaginary, 0, (size_t)nnz * sizeof *imaginary);
        add_part(own->slot_M, own->M, nM, 2 * re * im, imaginary);
        add_part(own->slot_C, own->C, nC, im, imaginary);
        /* spread from the end: entry k of a column from `first` on goes to 4 first + 2 k or farther, beyond what is still to be read */
        for (bl_index j = n - 1; j >= 0; j--) {
            bl_index first = own->pattern.ptr[j], count = own->pattern.ptr[j + 1] - first;
            double *left = all + 4 * first, *right = left + 2 * count;
            for (bl_index k = count - 1; k >= 0; k--) {
                double x = real[first + k], y = imaginary[first + k];
                right[2 * k] = -y;
                right[2 * k + 1] = x;
                left[2 * k] = x;
                left[2 * k + 1] = y;
            }
        }
    }
    const double *values = which ? all : real;
    if (solver->factored) {
        form->stats.refactors++;
        if (bl_linsol_refactor(solver, values) == BL_OK)
            return BL_OK;
    }
    form->stats.factors++;
    bl_status status = bl_linsol_factor(solver, values);
    if (status == BL_OK)
        bl_context_clear_error(form->ctx); /* old pivots that are no longer good are not an error */
    return status;
}

/* ---- the slots */

bl_status bl_motion_shift(bl_formulation *form, int which, double re, double im) {
    struct bl_motion_shift *shift = ((bl_motion *)form->own)->shift;
    if (which == 0)
        shift->first = re;
    return shift->dense ? factor_full(form, which, re, im) : factor_sparse(form, which, re, im);
}

bl_status bl_motion_shift_solve(bl_formulation *form, int which, double *x) {
    struct bl_motion_shift *shift = ((bl_motion *)form->own)->shift;
    form->stats.solves++;
    if (!shift->dense)
        return bl_linsol_solve(shift->solver[which], false, 1, x);
    if (which)
        bl_dense_lu_complex_solve(form->nx, shift->full[which], shift->pivot[which], x);
    else
        bl_dense_lu_solve(form->nx, 1, shift->full[which], shift->pivot[which], false, x);
    return BL_OK;
}

bl_status bl_motion_shift_error(bl_formulation *form, const double *F, const double *w, double *err) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_index nv = own->nv, nz = own->nz;
    double lambda = own->shift->first, *g = own->shift->g, *e_q = err, *e_v = err + nv, *e_z = err + 2 * nv;
    bool identity = sys->facts & BL_IDENTITY;
    for (bl_index i = 0; i < nv; i++) {
        e_v[i] = F[i] + w[i]; /* g_q */
        g[i] = F[nv + i];
    }
    for (bl_index i = 0; i < nz; i++)
        g[nv + i] = F[2 * nv + i];
    /* M (w_v + lambda g_q), C g_q and A w_z */
    for (bl_index j = 0; j < nv; j++) {
        double x = w[nv + j] + lambda * e_v[j];
        if (identity)
            g[j] += x;
        for (bl_index k = sys->pat_M.ptr[j]; !identity && k < sys->pat_M.ptr[j + 1]; k++)
            g[sys->pat_M.idx[k]] += own->M[k] * x;
        for (bl_index k = sys->pat_C.ptr[j]; k < sys->pat_C.ptr[j + 1]; k++)
            g[sys->pat_C.idx[k]] += own->C[k] * e_v[j];
    }
    for (bl_index j = nv; j < own->n; j++)
        for (bl_index k = sys->pat_C.ptr[j]; k < sys->pat_C.ptr[j + 1]; k++)
            g[sys->pat_C.idx[k]] += own->C[k] * w[nv + j];
    BL_TRY(bl_motion_shift_solve(form, 0, g));
    for (bl_index i = 0; i < nv; i++) {
        e_q[i] = g[i];
        e_v[i] = lambda * g[i] - e_v[i];
    }
    for (bl_index i = 0; i < nz; i++)
        e_z[i] = g[nv + i];
    return BL_OK;
}
