/* A system of functions under a formulation and an integrator, stepped by hand. */
#ifndef BL_TEST_STEPPING_H
#define BL_TEST_STEPPING_H

#include "equations/function_private.h"
#include "integrate/integrate.h"

typedef struct test_stepping {
    bl_context *ctx;
    bl_system *sys;
    bl_state state;
    bl_formulation *form;
    bl_integrator *integ;
} test_stepping;

/* Builds, sets up and starts at t = 0. z may be NULL. Frees everything when it fails. */
bl_status test_stepping_try(bl_context *ctx, const bl_function *function, const char *formulation, const char *integrator, double t_end,
                            double step, const double *q, const double *v, const double *z, test_stepping *out);
/* The same; asserts that it works. */
void test_stepping_begin(bl_context *ctx, const bl_function *function, const char *formulation, const char *integrator, double t_end,
                         double step, const double *q, const double *v, const double *z, test_stepping *out);
/* Steps to the end; asserts that it works. */
void test_stepping_run(test_stepping *s);
void test_stepping_end(test_stepping *s);

/* M q'' + C q' + K q = F(t), dense matrices row by row, n <= 4; load may be NULL. */
typedef struct test_linear {
    int n;
    double M[16], C[16], K[16];
    void (*load)(double t, double *F);
} test_linear;

/* linear: promised, so that matrices are factored once. The system must live as long as *linear. */
bl_function test_linear_function(const test_linear *linear, bool promise);

#endif
