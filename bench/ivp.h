/* ivp: what the work-precision benchmark asks of a code: integrate this problem to this tolerance. */
#ifndef BENCH_IVP_H
#define BENCH_IVP_H

#include "problems/problem.h"

typedef struct ivp_outcome {
    double y[IVP_MOST]; /* at t_end */
    long steps, evaluations, jacobians, factors;
} ivp_outcome;

typedef struct ivp_method {
    const char *code, *name;
    int which; /* the code's own number of the method */
    bool (*suits)(const ivp *problem, const struct ivp_method *method);
    /* What may be kept between runs (a model read and compiled); NULL: nothing. Not timed. */
    void *(*open)(const ivp *problem, const struct ivp_method *method);
    void (*close)(void *kept);
    /* The whole integration, solver created and destroyed. false: failed, or took more than `longest` seconds. */
    bool (*run)(const ivp *problem, const struct ivp_method *method, void *kept, double tolerance, double longest, ivp_outcome *outcome);
} ivp_method;

double ivp_now(void); /* CPU seconds of the process */

/* Each ends with .code = NULL. */
extern const ivp_method ivp_sundials_methods[];
extern const ivp_method ivp_biela_methods[];

#endif
