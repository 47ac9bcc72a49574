/* Stiff and oscillating equations with known answers, for adaptive implicit methods. */
#ifndef BL_TEST_STIFF_H
#define BL_TEST_STIFF_H

#include "support/ode.h"

enum { TEST_STIFF_MOST = 40 };

typedef struct test_stiff {
    const char *name;
    bl_index ny;
    double t_end, weight;
    double start[TEST_STIFF_MOST], end[TEST_STIFF_MOST]; /* end: known at t_end */
    void (*f)(double t, const double *y, double *rate, void *user);
} test_stiff;

/* High irradiance responses of plants: 8 equations (Schaefer 1975; Mazzia and Magherini, Test set for IVP solvers, release 2.4). */
extern const test_stiff test_hires;
/* Robertson's reaction (1966) to t = 40. */
extern const test_stiff test_robertson;
/* Van der Pol's oscillator, mu = 1000, to t = 2000 (Mazzia and Magherini). */
extern const test_stiff test_van_der_pol;
/* Kaps' problem, 1 / epsilon = 1e6, to t = 1: (e^-2t, e^-t). */
extern const test_stiff test_kaps;
/* Two components that follow sin t, tied to it by eigenvalues -1 +- 1000 i, to t = 10. */
extern const test_stiff test_shaken;
/* The same, eigenvalues -10 +- 1000 i, disturbed by 1e-3 at the start. */
extern const test_stiff test_pushed;
/* Problem B5 of STIFF DETEST (Enright, Hull and Lindberg 1975) with eigenvalues -10 +- 1000 i, -4, -1, -0.5, -0.1, to t = 20. */
extern const test_stiff test_b5;
/* Beam of length 1 on two supports, EI = 1, mass 1 per length, 20 points, fourth differences: loaded in the middle by 100, slowly from
 * 0 to 1. Undamped frequencies from 10 to 1760. To t = 3; `end` is not known. */
extern const test_stiff test_beam;
/* y'' = -y, (1, 0), to t = 20. */
extern const test_stiff test_swing;
/* Pendulum on a spring of stiffness 1e6 released level, g = 9.81, to t = 2: (x, y, x', y'). */
extern const test_stiff test_stiff_pendulum;

typedef struct test_stiff_result {
    bl_status status;
    double error; /* largest at the end, relative to max(|y|, weight) */
    long steps, rejections, evaluations, tangents, factors;
    int highest; /* order taken */
    int last;    /* order at the end */
    long bounded;
    long of_order[16];
} test_stiff_result;

/* One run by the method `spec` (ndf_auto, bdf_auto, mebdf_auto, stiff_auto, or one of a fixed order, with options). */
test_stiff_result test_stiff_run(bl_context *ctx, const test_stiff *problem, const char *spec, double tolerance);

#endif
