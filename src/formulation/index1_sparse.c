/* The system of index 1 as one sparse matrix, [M G^T; G -1/penalty], or, where it is diagonal, without one (index1.h). */
#include "formulation/index1.h"

#include "dense/dense.h"
#include "system/system_limits.h"

#include <string.h>

/* ---- diagonal masses: accelerations are forces, or forces divided by masses */

static bl_status need_mass(bl_formulation *form) { return bl_system_eval(form->sys, &form->at_e, BL_M); }

static bl_status divide(bl_formulation *form, bl_index nrhs, double *x) {
    const bl_index1 *own = form->own;
    for (bl_index k = 0; k < nrhs; k++, x += own->nv)
        for (bl_index i = 0; i < own->nv; i++)
            x[i] /= form->at_e.M[i];
    return BL_OK;
}

static const bl_index1_solver unit_masses = {0};
static const bl_index1_solver diagonal_masses = {.factor = need_mass, .solve = divide};

/* Whether M is diagonal without zeros. */
static bool divides(const bl_formulation *form) {
    const bl_index1 *own = form->own;
    const uint32_t facts = BL_M_DIAGONAL | BL_M_CONST | BL_FINE;
    bool all = (form->sys->facts & facts) == facts && own->np == 0 && (form->at_e.have & BL_M);
    for (bl_index i = 0; i < own->nv && all; i++)
        all = form->at_e.M[i] > 0;
    return all;
}

/* ---- the matrix */

static bl_status build_matrix(bl_formulation *form) {
    bl_index1 *own = form->own;
    const bl_system *sys = form->sys;
    bl_index n = own->nv, r = own->rows.r;
    uint8_t *diagonal;
    BL_TRY(BL_NEW(form->ctx, diagonal, (size_t)n + (size_t)r));
    for (bl_index j = 0; j < n + r; j++)
        diagonal[j] = j < n ? own->options.identity : own->options.penalty > 0;
    bl_status status = bl_kkt_matrix_build(&(bl_kkt_form){.ctx = form->ctx,
                                                          .n = n,
                                                          .r = r,
                                                          .block = {{.of = &sys->pat_M}},
                                                          .G = &sys->pat_G,
                                                          .row = own->rows.slot,
                                                          .on_diagonal = diagonal},
                                           &own->matrix);
    bl_free(form->ctx, diagonal);
    return status;
}

/* Mass matrices of meshes are positive definite and nearly diagonal, whatever their size: about twenty products solve for accelerations,
 * which are needed at the start and in samples, where factors would take as much memory as those of the stages. */
static const char *solver_of_masses(const bl_formulation *form) {
    enum { MANY = 10000 };
    const bl_index1 *own = form->own;
    bool many = own->lent && (form->sys->facts & BL_FINE) && own->nv >= MANY;
    bool chosen = form->linsol_spec && strcmp(form->linsol_spec, "auto") != 0;
    return many && !chosen ? "cg:preconditioner=jacobi,tolerance=1e-13" : form->linsol_spec;
}

static bl_status sparse_make(bl_formulation *form) {
    bl_index1 *own = form->own;
    const bl_system *sys = form->sys;
    size_t n = (size_t)own->nv + (size_t)own->rows.r, room = bl_dense_room(n);
    own->constant = (sys->facts & BL_M_CONST) && own->np == 0;
    bool unit = own->nv == 0 || ((sys->facts & BL_IDENTITY) && own->np == 0);
    if (unit || divides(form)) {
        own->solver = unit ? &unit_masses : &diagonal_masses;
        return BL_OK;
    }
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_M)); /* this builds its pattern */
    /* M of a system with states has empty columns for them */
    own->lent = own->np == 0 && sys->nz == 0 && own->constant && (sys->facts & BL_FINE) && !own->options.identity;
    if (!own->lent)
        BL_TRY(build_matrix(form));
    if (form->many > 0)
        BL_TRY(BL_NEW_ARRAYS(form->ctx, own->solver_block, BL_ARRAY(own->b, room), BL_ARRAY(own->y, room)));
    const bl_pattern *pattern = own->lent ? &sys->pat_M : &own->matrix.pattern;
    double tolerance = form->rank_tolerance * system_rank_kept;
    if (!own->options.stage) {
        BL_TRY(bl_formulation_analyze(form, pattern, NULL, BL_REFUSE, tolerance));
        own->linsol = form->linsol;
        return BL_OK;
    }
    BL_TRY(bl_linsol_create(form->ctx, solver_of_masses(form), &own->linsol));
    return bl_linsol_analyze(own->linsol, pattern, NULL, BL_REFUSE, tolerance);
}

static bl_status factor_values(bl_formulation *form, const double *values) {
    bl_index1 *own = form->own;
    bool anew = !own->factored;
    own->factored = false;
    bl_status status =
        own->options.stage ? bl_formulation_update(form, own->linsol, anew, values) : bl_formulation_factor(form, anew, values);
    own->linsol = own->options.stage ? own->linsol : form->linsol; /* another solver may have been substituted */
    BL_TRY(status);
    own->factored = true;
    own->quality = own->linsol->stats.worst_pivot;
    return BL_OK;
}

static bl_status sparse_factor(bl_formulation *form) {
    bl_index1 *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    bl_kkt_matrix *matrix = &own->matrix;
    BL_TRY(bl_system_eval(sys, e, BL_M | (own->np ? BL_G : 0)));
    if (own->lent)
        return factor_values(form, e->M);
    bl_kkt_matrix_clear(matrix);
    if (!own->weighing)
        bl_kkt_matrix_add(matrix, 0, 1, e->M);
    for (bl_index j = 0; j < own->nv && own->weighing; j++)
        matrix->values[matrix->diagonal[j]] = 1;
    bl_kkt_matrix_rows(matrix, e->G, own->rows.by);
    double penalty = own->options.stage ? BL_INDEX1_STAGE_PENALTY : own->options.penalty;
    for (bl_index k = 0; k < own->rows.r && own->options.penalty > 0; k++)
        matrix->values[matrix->diagonal[own->nv + k]] = -bl_index1_compliance(own, k, penalty);
    return factor_values(form, matrix->values);
}

static bl_status sparse_solve(bl_formulation *form, bl_index nrhs, double *x) {
    const bl_index1 *own = form->own;
    return bl_linsol_solve(own->linsol, false, nrhs, x);
}

const bl_index1_solver bl_index1_sparse = {.uses = BL_M | BL_G, .make = sparse_make, .factor = sparse_factor, .solve = sparse_solve};
