/* How near a singular configuration is, for formulations whose positions violate the constraints slightly. Where two branches cross, a
 * violation d connects one with the other within a distance of about sqrt(d), and the motion would turn onto the wrong branch; error
 * control follows that turn with ever shorter steps. Where another formulation can take over, such positions are refused early
 * (docs/theory/singular.md, Z3). The measure is the smallest eigenvalue of S = G M^-1 G^T, which falls with the square of the distance
 * (kkt/rank_margin.h), from the factored [M G^T; G 0]. */
#include "formulation/formulation.h"
#include "formulation/formulation_limits.h"
#include "kkt/rank_margin.h"

#include <math.h>
#include <string.h>

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

typedef struct saddle {
    bl_formulation *form;
    bl_linsol *solver;
    bl_index n; /* unknowns before the rows */
} saddle;

/* y <- S^-1 y, to its sign: the multipliers of [M G^T; G 0] for the right-hand side (0, y) */
static bl_status inverse_product(void *user, double *y) {
    const saddle *k = user;
    double *x = y - k->n;
    memset(x, 0, (size_t)k->n * sizeof *x);
    k->form->stats.solves++;
    return bl_linsol_solve(k->solver, false, 1, x);
}

/* of S; the direction found last is the first guess */
static bl_status smallest_eigenvalue(bl_formulation *form, bl_linsol *solver, bl_index n, bl_index r, double alarm, double *smallest) {
    double *y = form->near_vector + n;
    for (bl_index i = 0; i < r; i++)
        y[i] += 0.02 * ((i * 7 + 3) % 11 - 4.7) / sqrt((double)r); /* no direction is left out */
    return bl_smallest_eigenvalue(inverse_product, &(saddle){form, solver, n}, r, alarm, y, smallest);
}

bl_status bl_near_singular_judge(bl_formulation *form, bl_linsol *solver, bl_index n, bl_index r, double level, double compliance) {
    double share = bl_near_singular_share(form), now;
    if (share == 0 || r == 0)
        return BL_OK;
    form->near_count++;
    bool measure = compliance > 0 || (form->near_count & (form->near_count - 1)) == 0; /* else at calls 1, 2, 4, 8, ... */
    if (!measure && solver->stats.worst_pivot >= share * level)
        return BL_OK;
    double alarm = form->near_count == 1 ? INFINITY : share * form->near_best + compliance;
    BL_TRY(smallest_eigenvalue(form, solver, n, r, alarm, &now));
    now = fmax(now - compliance, 0);
    form->near_best = fmax(form->near_best, now);
    return now < share * form->near_best ? BL_SINGULAR : BL_OK;
}
