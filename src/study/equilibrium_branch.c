/* Singular configurations that a path steps over: with R_0 the free motions at the previous point, the sign of
 *
 *     det [ G(q) ]
 *         [ R_0^T ]      rows of G that are independent there, in scaled columns
 *
 * changes over a step only where G loses rank, since free motions rotate by much less than a right angle in one step. There stiffness is
 * not meaningful, and other assembly modes of the mechanism may cross the path. They consist of equilibria, too, and attract Newton's
 * method where they are near. So the zero of the determinant is enclosed by equilibria that keep a distance from it, whose determinants
 * are those that a line predicts, and is interpolated between the last two. */
#include "study/equilibrium_private.h"

#include "kkt/reduced.h"
#include "study/statics_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_PARTS = 60 };

static bool is_watched(const bl_statics *s) { return s->np > 0 && s->full && s->mechanism; }

/* the determinant at the state of s->kkt, with G in s->eval: mantissa 2^exponent; 0: singular up to rounding */
static double determinant(bl_statics *s, long *exponent) {
    const bl_pattern *G = &s->sys->pat_G;
    const bl_reduced *now = s->full->reduced;
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
    *exponent = 0;
    if (!bl_dense_lu(s->n, A, b->pivot))
        return 0;
    double product = 1;
    for (bl_index k = 0; k < s->n; k++) {
        int more;
        product = frexp(product * A[(size_t)k * (n + 1)], &more);
        product = b->pivot[k] != k + 1 ? -product : product;
        *exponent += more;
    }
    return product;
}

/* ... relative to that at the last point */
static bl_status relative_determinant(bl_statics *s, double *d) {
    long exponent;
    BL_TRY(bl_system_eval(s->sys, &s->eval, BL_G));
    double mantissa = determinant(s, &exponent);
    long more = exponent - s->side.exponent;
    *d = ldexp(mantissa / s->side.mantissa, more < -2000 ? -2000 : more > 1000 ? 1000 : (int)more);
    return BL_OK;
}

bl_status bl_statics_branch_begin(bl_statics *s) {
    bl_statics_branch *b = &s->side;
    size_t n = (size_t)s->n;
    if (!is_watched(s))
        return BL_OK;
    if (!b->matrix) {
        BL_TRY(BL_NEW_ARRAYS(s->ctx, b->block, BL_ARRAY(b->matrix, n * n), BL_ARRAY(b->R, n * n), BL_ARRAY(b->pivot, n),
                             BL_ARRAY(b->row_at, s->np)));
        BL_TRY(bl_state_create(s->sys, 0, &b->low));
        BL_TRY(bl_state_create(s->sys, 0, &b->high));
    }
    BL_TRY(bl_statics_move_full(s));
    const bl_reduced *now = s->full->reduced;
    b->rank = now->rank;
    for (bl_index i = 0; i < s->np; i++)
        b->row_at[now->order[i] - 1] = i < now->rank ? i : -1;
    memcpy(b->R, now->R, n * (size_t)now->f * sizeof *b->R);
    BL_TRY(bl_system_eval(s->sys, &s->eval, BL_G));
    b->mantissa = determinant(s, &b->exponent);
    return BL_OK;
}

void bl_statics_branch_free(bl_statics *s) { bl_free(s->ctx, s->side.block); }

/* the joint whose equation is closest to depending on others */
static void name_joint(bl_statics *s, char *part, size_t npart) {
    const bl_reduced *now = s->full->reduced;
    char equation[128];
    part[0] = '\0';
    if (now->rank > 0)
        bl_system_row_name(s->sys, now->order[(s->np < s->side.rank ? s->np : s->side.rank) - 1] - 1, part, npart, equation,
                           sizeof equation);
}

/* The equilibrium at a distance `off` (share of the chord) from the predicted zero, on its longer side, replaces an end of the chord.
 * BL_AGAIN: it is not on this path, since its determinant is not the predicted one but zero, or it was not found. */
static bl_status enclose(bl_statics *s, bl_statics_between *between, double off, double *at_low, double *at_high) {
    bl_statics_branch *b = &s->side;
    double zero = *at_low / (*at_low - *at_high), share = zero > 0.5 ? zero - off : zero + off, d = 0;
    if (!(share > 0 && share < 1))
        return BL_AGAIN;
    bl_status status = between(s, &b->low, &b->high, share, true);
    if (status == BL_OK)
        status = relative_determinant(s, &d);
    if (status < 0 || status == BL_STOPPED)
        return status;
    bl_context_clear_error(s->ctx);
    if (status != BL_OK || fabs(d) < study_singular_share * off * fabs(*at_low - *at_high))
        return BL_AGAIN;
    bool low = (d > 0) == (*at_low > 0);
    bl_state_copy(s->sys, low ? &b->low : &b->high, &s->state);
    *(low ? at_low : at_high) = d;
    return BL_OK;
}

static double size_of_chord(bl_statics *s) {
    if (bl_system_local(s->sys, s->side.low.q, s->side.high.q, s->moved) != BL_OK)
        return 0;
    return bl_statics_length(s, s->moved);
}

/* the state becomes the singular configuration between the last point and the kept one, where the determinant is `at_high` */
static bl_status locate(bl_statics *s, bl_statics_between *between, double at_high) {
    bl_statics_branch *b = &s->side;
    double at_low = 1;
    bl_state_copy(s->sys, &b->low, &s->from);
    bl_state_copy(s->sys, &b->high, &s->kept);
    double least = study_singular_located * size_of_chord(s);
    bl_status status = BL_OK;
    for (int k = 0; k < MOST_PARTS && status == BL_OK && size_of_chord(s) > least; k++) {
        status = BL_AGAIN;
        for (double off = 0.1; status == BL_AGAIN && off < 1; off *= 2)
            status = enclose(s, between, off, &at_low, &at_high);
    }
    if (status < 0 || status == BL_STOPPED)
        return status;
    status = between(s, &b->low, &b->high, at_low / (at_low - at_high), false);
    if (status <= 0 || status == BL_STOPPED)
        return status;
    bl_context_clear_error(s->ctx);
    bl_state_copy(s->sys, &s->state, fabs(at_low) < fabs(at_high) ? &b->low : &b->high);
    return bl_statics_evaluate(s);
}

bl_status bl_statics_branch_watch(bl_statics *s, bl_statics_between *between) {
    if (!is_watched(s) || s->side.mantissa == 0)
        return BL_OK;
    double now = 0;
    BL_TRY(relative_determinant(s, &now));
    if (now > 0)
        return BL_OK;
    s->locating = true;
    bl_status status = locate(s, between, now);
    s->locating = false;
    BL_TRY(status);
    char part[96];
    double load = bl_statics_shown(s, bl_statics_load(s, &s->state));
    BL_TRY(bl_statics_move_full(s));
    name_joint(s, part, sizeof part);
    memset(s->x, 0, (size_t)s->n * sizeof *s->x);
    BL_TRY(bl_statics_note(s, BL_SINGULAR_POINT, s->x));
    bl_warn(s->ctx, load, part[0] ? part : NULL,
            "the path passes a singular configuration at %s = %.9g, where constraints of %s depend on others: other branches may cross it, "
            "and stiffness is not meaningful there",
            s->load_name, load, part);
    return BL_OK;
}
