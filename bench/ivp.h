/* ivp: interface of the codes that bench_ivp compares: integrate a problem with a tolerance. */
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
    /* Data kept between runs (a model that was read and compiled); NULL: none. Not timed. */
    void *(*open)(const ivp *problem, const struct ivp_method *method);
    void (*close)(void *kept);
    /* The complete integration, including creation of the solver. false: failed, or took more than `longest` seconds. */
    bool (*run)(const ivp *problem, const struct ivp_method *method, void *kept, double tolerance, double longest, ivp_outcome *outcome);
} ivp_method;

double ivp_now(void); /* CPU seconds of the process */

/* Each ends with .code = NULL. */
extern const ivp_method ivp_sundials_methods[];
extern const ivp_method ivp_biela_methods[];

#endif
