/* How near a singular position is, for formulations whose places are a little off the constraints. What is off by d passes between the
 * branches that cross there and turns onto another one within a distance of about sqrt(d); long before, error control follows the turn.
 * Where a relief stands by, such places are refused early. The measure is the smallest eigenvalue of S = G M^-1 G^T, which falls with the
 * square of the distance, by inverse iteration with the factored [M G^T; G 0]. */
#include "formulation/formulation.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 3 };
/* shares of the best eigenvalue seen: a distance of 0.03 to 0.06 where positions are as 1 */
static const double BESIDE = 1e4, LEAST = 1e-3, MOST = 4e-3;

double bl_wary_share(const bl_formulation *form) { return form->wary_of > 0 ? fmin(fmax(BESIDE * form->wary_of, LEAST), MOST) : 0; }

bl_status bl_wary_begin(bl_formulation *form, double off) {
    form->wary_best = 0;
    form->wary_count = 0;
    if (!form->wary_x)
        BL_TRY(BL_NEW(form->ctx, form->wary_x, form->sys->nv + form->sys->nz + form->sys->np));
    form->wary_of = off;
    return BL_OK;
}

/* of S; from above, which is the side of no alarm */
static bl_status smallest_eigenvalue(bl_formulation *form, bl_linsol *solver, bl_index n, bl_index r, double *smallest) {
    double *x = form->wary_x, norm = 0;
    for (bl_index i = 0; i < r; i++)
        x[n + i] = (i * 7 + 3) % 11 - 4.7; /* nothing is orthogonal to it by chance */
    for (int k = 0; k <= ITERATIONS; k++) {
        norm = 0;
        for (bl_index i = n; i < n + r; i++)
            norm += x[i] * x[i];
        norm = sqrt(norm);
        if (k == ITERATIONS)
            break;
        memset(x, 0, (size_t)n * sizeof *x);
        for (bl_index i = n; i < n + r; i++)
            x[i] /= norm;
        form->stats.solves++;
        BL_TRY(solver->kind->solve(solver, false, 1, x));
    }
    *smallest = norm > 0 && isfinite(norm) ? 1 / norm : 0;
    return BL_OK;
}

bl_status bl_wary_judge(bl_formulation *form, bl_linsol *solver, bl_index n, bl_index r, double level) {
    double share = bl_wary_share(form), now;
    if (share == 0 || r == 0)
        return BL_OK;
    form->wary_count++;
    bool measure = (form->wary_count & (form->wary_count - 1)) == 0; /* now and then, ever less often */
    if (!measure && solver->stats.worst_pivot >= share * level)
        return BL_OK;
    BL_TRY(smallest_eigenvalue(form, solver, n, r, &now));
    form->wary_best = fmax(form->wary_best, now);
    return now < share * form->wary_best ? BL_SINGULAR : BL_OK;
}
