/* law_inputs: the values of the symbols of laws at an instant. Symbols that occur only in recorded forces (marks, loads, held numbers) are
 * evaluated in coords/generalized_forces.c. */
#ifndef BL_LAW_INPUTS_H
#define BL_LAW_INPUTS_H

#include "model/model.h"

typedef struct bl_instant {
    double t;
    const double *variable, *rate;    /* [nvariable]; NULL: not used */
    const double *probe, *probe_rate; /* [nprobe][3] */
    const double *place;              /* [3] position on a mesh */
    double field;                     /* value of a scalar field there */
    const double *signal;             /* [nsignal]; NULL: their values at the start (series: inputs at t) */
} bl_instant;

double bl_symbol_value(const bl_model *model, const bl_symbol *symbol, const bl_instant *at); /* NaN: not available */
/* in[ninput] of the tape of a law. */
void bl_law_read(const bl_model *model, const bl_law *law, const bl_instant *at, double *in);
/* in[ninput][order + 1]: power series in t; inputs follow the rates of the model unless their values are given; all else is constant. */
void bl_law_read_series(const bl_model *model, const bl_law *law, const bl_instant *at, int order, double *in);

#endif
