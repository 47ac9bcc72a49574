/* Memory for, and values of, the power series of a motion. */
#include "system/expansion.h"

#include "system/expansion_isa.h"

#include <string.h>

/* rounded up: the kernels read up to three numbers beyond the last one */
static size_t padded(size_t n) { return (n + 4 + 7) / 8 * 8; }

bl_status bl_expansion_create(const bl_system *sys, int order, bl_expansion *ex) {
    if (!(sys->can & BL_CAN_SERIES) || !sys->kind->series) {
        char why[200] = "";
        const char *advice = "use the integrator dop853 or dopri45";
        if (sys->kind->not_analytic)
            sys->kind->not_analytic(sys, why, sizeof why, &advice);
        bl_fail(sys->ctx, BL_E_ABILITY, NULL, "this system cannot be expanded in a power series%s%s", why[0] ? ": " : "", why);
        bl_advise(sys->ctx, "%s", why[0] ? advice : "natural and mixed coordinates, meshes and user equations can be expanded");
        return BL_E_ABILITY;
    }
    if (sys->kind->patterns)
        BL_TRY(sys->kind->patterns(sys, BL_M));
    size_t nv = (size_t)sys->nv, nz = (size_t)sys->nz, np = (size_t)sys->np, count = (size_t)order + 1;
    size_t nG = np ? (size_t)sys->pat_G.ptr[nv] : 0, nM = nv ? (size_t)sys->pat_M.ptr[nv] : 0;
    const size_t length[] = {count * nv, count * nv, count * nz, count * np, count * np, 2 * count, np,
                             nv,         nz,         nG,         nM,         nv,         nz,        (size_t)sys->nsignal};
    double **to[] = {&ex->q, &ex->v, &ex->z, &ex->lambda, &ex->mu, &ex->work, &ex->phi,
                     &ex->Q, &ex->f, &ex->G, &ex->M,      &ex->a,  &ex->zd,   &ex->signal};
    size_t total = 0, at = 0;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++)
        total += padded(length[i]);
    double *block;
    BL_TRY(BL_NEW(sys->ctx, block, total + 1));
    ex->block = block;
    ex->order = order;
    ex->v_order = order - 1;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        *to[i] = block + at;
        at += padded(length[i]);
    }
    return sys->kind->expansion_create ? sys->kind->expansion_create(sys, ex) : BL_OK;
}

void bl_expansion_destroy(const bl_system *sys, bl_expansion *ex) {
    if (ex->own && sys->kind->expansion_destroy)
        sys->kind->expansion_destroy(sys, ex);
    bl_free(sys->ctx, ex->block);
    memset(ex, 0, sizeof *ex);
}

bl_status bl_system_series(const bl_system *sys, bl_expansion *ex, int k, uint32_t want) { return sys->kind->series(sys, ex, k, want); }

void bl_expansion_at(const bl_system *sys, const bl_expansion *ex, int order, double s, double *q, double *v, double *a, double *z,
                     double *zd, double *work) {
    int last = order - ex->order + ex->v_order;
    const bl_horner_kernels *by = BL_ISA_PICK(sys->ctx, bl_horner_kernels);
    if (q)
        by->horner(sys->nv, ex->q, order, s, q, NULL);
    if (v || a)
        by->horner(sys->nv, ex->v, last, s, v, a);
    if (z || zd)
        by->horner(sys->nz, ex->z, order, s, z, zd);
    if (work)
        by->horner(1, ex->work, 2 * order, s, work, NULL);
}

void bl_expansion_multipliers(const bl_system *sys, const bl_expansion *ex, int order, double s, double *lambda) {
    int last = order - ex->order + ex->v_order - 1;
    BL_ISA_PICK(sys->ctx, bl_horner_kernels)->horner(sys->np, ex->lambda, last, s, lambda, NULL);
}
