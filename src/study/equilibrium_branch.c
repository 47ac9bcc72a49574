/* Singular configurations that a path steps over: with R_0 the free motions at the previous point, the sign of
 *
 *     det [ G(q) ]
 *         [ R_0^T ]      rows of G that are independent there, in scaled columns
 *
 * changes over a step only where G loses rank, since free motions rotate by much less than a right angle in one step. There stiffness is
 * not meaningful, and other assembly modes of the mechanism may cross the path. */
#include "study/equilibrium_private.h"

#include "kkt/reduced.h"
#include "study/statics_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_HALVINGS = 40 };

static bool is_watched(const bl_statics *s) { return s->np > 0 && s->kkt->dense && s->mechanism; }

/* sign of the determinant at the state of s->kkt, with G in s->eval; 0: singular up to rounding */
static int orientation(bl_statics *s) {
    const bl_pattern *G = &s->sys->pat_G;
    const bl_reduced *now = s->kkt->reduced;
    bl_statics_branch *b = &s->side;
    size_t n = (size_t)s->n;
    double *A = b->matrix; /* by columns: transposed rows */
    memset(A, 0, n * n * sizeof *A);
    for (bl_index j = 0; j < s->sys->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index at = b->row_at[G->idx[k]];
            if (at >= 0)
                A[(size_t)at * n + (size_t)j] = s->eval.G[k] * s->kkt->scale[j] / now->row_scale[G->idx[k]];
        }
    memcpy(A + (size_t)b->rank * n, b->R, (size_t)(s->n - b->rank) * n * sizeof *A);
    if (!bl_dense_lu(s->n, A, b->pivot))
        return 0;
    int sign = 1;
    for (bl_index k = 0; k < s->n; k++) {
        sign = b->pivot[k] != k + 1 ? -sign : sign;
        sign = A[(size_t)k * (n + 1)] < 0 ? -sign : sign;
    }
    return sign;
}

bl_status bl_statics_branch_begin(bl_statics *s) {
    bl_statics_branch *b = &s->side;
    size_t n = (size_t)s->n;
    if (!is_watched(s))
        return BL_OK;
    if (!b->matrix) {
        BL_TRY(BL_NEW_ARRAYS(s->ctx, b->block, BL_ARRAY(b->matrix, n * n), BL_ARRAY(b->R, n * n), BL_ARRAY(b->pivot, n),
                             BL_ARRAY(b->row_at, s->np)));
    }
    const bl_reduced *now = s->kkt->reduced;
    b->rank = now->rank;
    for (bl_index i = 0; i < s->np; i++)
        b->row_at[now->order[i] - 1] = i < now->rank ? i : -1;
    memcpy(b->R, now->R, n * (size_t)now->f * sizeof *b->R);
    BL_TRY(bl_system_eval(s->sys, &s->eval, BL_G));
    b->sign = orientation(s);
    return BL_OK;
}

void bl_statics_branch_free(bl_statics *s) { bl_free(s->ctx, s->side.block); }

/* the joint whose equation is closest to depending on others */
static void name_joint(bl_statics *s, char *part, size_t npart) {
    const bl_reduced *now = s->kkt->reduced;
    char equation[128];
    part[0] = '\0';
    if (now->rank > 0)
        bl_system_row_name(s->sys, now->order[(s->np < s->side.rank ? s->np : s->side.rank) - 1] - 1, part, npart, equation,
                           sizeof equation);
}

bl_status bl_statics_branch_watch(bl_statics *s, bl_statics_advance *advance) {
    bl_statics_branch *b = &s->side;
    if (!is_watched(s) || b->sign == 0)
        return BL_OK;
    BL_TRY(bl_system_eval(s->sys, &s->eval, BL_G));
    int sign = orientation(s);
    if (sign == b->sign)
        return BL_OK;
    double low = 0, high = 1;
    bl_status status = BL_OK;
    s->locating = true;
    for (int k = 0; k < MOST_HALVINGS && high - low > study_singular_located && status == BL_OK; k++) {
        double middle = (low + high) / 2;
        status = advance(s, middle);
        if (status == BL_OK)
            status = bl_system_eval(s->sys, &s->eval, BL_G);
        if (status == BL_OK)
            *(orientation(s) == b->sign ? &low : &high) = middle;
    }
    s->locating = false;
    if (status < 0 || status == BL_STOPPED)
        return status;
    bl_context_clear_error(s->ctx); /* the nearest point reached is used */
    char part[96];
    double load = bl_statics_shown(s, bl_statics_load(s, &s->state));
    name_joint(s, part, sizeof part);
    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    BL_TRY(bl_statics_note(s, BL_SINGULAR_POINT, s->x));
    bl_warn(s->ctx, load, part[0] ? part : NULL,
            "the path passes a singular configuration at %s = %.9g, where constraints of %s depend on others: other branches may cross it, "
            "and stiffness is not meaningful there",
            s->load_name, load, part);
    return BL_OK;
}
