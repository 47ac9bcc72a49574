/* law_inputs: what the symbols of laws stand for at an instant. Symbols that only recorded forces have (marks, loads, held numbers) are
 * read by who has them (coords/generalized_forces.c). */
#ifndef BL_LAW_INPUTS_H
#define BL_LAW_INPUTS_H

#include "model/model.h"

typedef struct bl_instant {
    double t;
    const double *variable, *rate;    /* [nvariable]; NULL: none is read */
    const double *probe, *probe_rate; /* [nprobe][3] */
    const double *place;              /* [3] on meshes */
    double field;                     /* on meshes: of a scalar field there */
} bl_instant;

double bl_symbol_value(const bl_model *model, const bl_symbol *symbol, const bl_instant *at); /* NaN: it has none there */
/* in[ninput] of the tape of a law. */
void bl_law_read(const bl_model *model, const bl_law *law, const bl_instant *at, double *in);
/* in[ninput][order + 1]: power series while time alone moves. */
void bl_law_read_series(const bl_model *model, const bl_law *law, const bl_instant *at, int order, double *in);

#endif
