/* A plain differential equation y' = f(t, y) wrapped as a formulation, to test integrators alone. */
#ifndef BL_TEST_ODE_H
#define BL_TEST_ODE_H

#include "integrate/integrate.h"

typedef struct test_ode {
    bl_formulation form; /* first member */
    void (*f)(double t, const double *y, double *rate, void *user);
    void *user;
    bl_status (*refuse)(double t, const double *y, void *user); /* may be NULL */
} test_ode;

/* weight: the same for all components (absolute tolerance / relative tolerance). */
bl_status test_ode_create(bl_context *ctx, bl_index ny, double weight, void (*f)(double, const double *, double *, void *), void *user,
                          test_ode *ode);
void test_ode_destroy(test_ode *ode);

#endif
