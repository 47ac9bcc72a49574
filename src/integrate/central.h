/* central: the method of central differences as a step that houbolt may start with, and as the kind that dimcd varies. */
#ifndef BL_CENTRAL_H
#define BL_CENTRAL_H

#include "integrate/second.h"

typedef struct bl_central {
    double *ahead, *ahead_new; /* [nv] position one step beyond the accepted end; of the attempt */
    double h_ahead;            /* the step that leads there; 0: not known */
    bool by_position;          /* the iteration is judged by what it does to positions, not to velocities */
    bool alone;                /* no other stages come between these */
} bl_central;

/* Memory; forgets what lies ahead. Call from start. */
bl_status bl_central_start(bl_second *second, bl_central *central);
bl_status bl_central_step(bl_second *second, bl_central *central, double h);
void bl_central_accept(bl_second *second, bl_central *central);
void bl_central_destroy(bl_second *second, bl_central *central);

/* ---- the kind */
typedef struct bl_central_own {
    bl_second second; /* first member */
    bl_central central;
} bl_central_own;

/* Slots but create, which fills integ->own and calls bl_second_create. */
bl_status bl_central_kind_start(bl_integrator *integ);
bl_status bl_central_kind_attempt(bl_integrator *integ, double h, double *error);
bl_status bl_central_kind_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h);
void bl_central_kind_accept(bl_integrator *integ);
bl_status bl_central_kind_dense(const bl_integrator *integ, double t, double *y);
bl_status bl_central_kind_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula);
void bl_central_kind_destroy(bl_integrator *integ);
#define BL_CENTRAL_SLOTS                                                                                      \
    .order = 2, .dense_order = 2, .start = bl_central_kind_start, .attempt = bl_central_kind_attempt,         \
    .next_step = bl_central_kind_next_step, .accept = bl_central_kind_accept, .dense = bl_central_kind_dense, \
    .formula = bl_central_kind_formula, .destroy = bl_central_kind_destroy

#endif
