/* How near a singular position is, for formulations whose positions are a little off the constraints. What is off by d passes between the
 * branches that cross there and turns onto another one within a distance of about sqrt(d); long before, error control follows the turn.
 * Where another formulation can act, such positions are refused early. Measured is the smallest eigenvalue of S = G M^-1 G^T, which falls
 * with the square of the distance, by inverse iteration with the factored [M G^T; G 0]. */
#include "formulation/formulation.h"
#include "formulation/formulation_limits.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 3 };

double bl_near_singular_share(const bl_formulation *form) {
    return form->near_off > 0 ? fmin(fmax(formulation_beside * form->near_off, formulation_beside_least), formulation_beside_most) : 0;
}

bl_status bl_near_singular_begin(bl_formulation *form, double off) {
    form->near_best = 0;
    form->near_count = 0;
    if (!form->near_vector)
        BL_TRY(BL_NEW(form->ctx, form->near_vector, form->sys->nv + form->sys->nz + form->sys->np));
    form->near_off = off;
    return BL_OK;
}

/* Of S, from above, which is the side of no alarm. The last direction is the first guess; one round is enough far above `near`. */
static bl_status smallest_eigenvalue(bl_formulation *form, bl_linsol *solver, bl_index n, bl_index r, double near, double *smallest) {
    double *x = form->near_vector;
    *smallest = INFINITY;
    for (int k = 0; k < ITERATIONS && (k == 0 || *smallest < 10 * near); k++) {
        double norm = 0;
        for (bl_index i = 0; i < r && k == 0; i++)
            x[n + i] += 0.02 * ((i * 7 + 3) % 11 - 4.7) / sqrt((double)r); /* no direction is left out */
        for (bl_index i = n; i < n + r; i++)
            norm += x[i] * x[i];
        memset(x, 0, (size_t)n * sizeof *x);
        for (bl_index i = n; i < n + r; i++)
            x[i] /= sqrt(norm);
        form->stats.solves++;
        BL_TRY(bl_linsol_solve(solver, false, 1, x));
        norm = 0;
        for (bl_index i = n; i < n + r; i++)
            norm += x[i] * x[i];
        norm = sqrt(norm);
        *smallest = norm > 0 && isfinite(norm) ? 1 / norm : 0;
        for (bl_index i = n; i < n + r; i++)
            x[i] = *smallest > 0 ? x[i] / norm : 0;
    }
    return BL_OK;
}

bl_status bl_near_singular_judge(bl_formulation *form, bl_linsol *solver, bl_index n, bl_index r, double level, double gives) {
    double share = bl_near_singular_share(form), now;
    if (share == 0 || r == 0)
        return BL_OK;
    form->near_count++;
    bool measure = gives > 0 || (form->near_count & (form->near_count - 1)) == 0; /* else now and then, ever less often */
    if (!measure && solver->stats.worst_pivot >= share * level)
        return BL_OK;
    double near = form->near_count == 1 ? INFINITY : share * form->near_best + gives;
    BL_TRY(smallest_eigenvalue(form, solver, n, r, near, &now));
    now = fmax(now - gives, 0);
    form->near_best = fmax(form->near_best, now);
    return now < share * form->near_best ? BL_SINGULAR : BL_OK;
}
