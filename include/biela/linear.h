/* linear: a mechanism linearised about a place or a steady motion, x' = A x + B u, y = C x + D u, as files, responses and figures. */
#ifndef BIELA_LINEAR_H
#define BIELA_LINEAR_H

#include "biela/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Matrices by columns: A[i + nstate j], B[i + nstate j], C[i + noutput j], D[i + noutput j]. Deviations from the place: x = 0 there. */
typedef struct bl_linear_model {
    bl_index nstate, ninput, noutput;
    const char *const *state, *const *input, *const *output; /* names */
    const double *A, *B, *C, *D;
} bl_linear_model;

#ifdef __cplusplus
}
#endif
#endif
