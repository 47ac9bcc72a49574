/* Shared by the files of `equations:`. Not for other rooms. */
#ifndef BL_PLAIN_H
#define BL_PLAIN_H

#include "equations/equations.h"
#include "series/switches.h"

enum { BL_PLAIN_C_VALUES = 31 }; /* group of the matrix C in the program */
/* the other groups: the bit of their quantity */
static inline int bl_plain_group(uint32_t quantity) {
    int bit = 0;
    while (quantity >> bit > 1)
        bit++;
    return bit;
}

typedef struct bl_plain {
    bl_system *sys;
    bl_system_kind kind; /* of a system with a known solution */
    const bl_model *model;
    bl_arena arena;
    bl_index *variable;        /* [n] variable of a column */
    bl_tape_program *program;  /* inputs t, q, v, z, a, lambda, pieces */
    bl_tape_program *solution; /* the known solution: q, v, z as functions of t */
    bl_pattern M, C, K, G;     /* owned */
    uint32_t groups[7];        /* bits of the groups that depend on t, q, v, z, a, lambda, pieces */
    bl_switches switches;      /* of one law: forces, masses and constraints of the model's tape */
    double *no_pieces;         /* [switches] zeros: no pieces are held */
    bl_event_def *event;
    double *A_diagonal; /* [nz] if A is diagonal: 1 / A, NaN for algebraic states; else NULL */
    double *A_factor;   /* [nz][nz] otherwise, L U; NULL: rates are not available */
    bl_index *A_pivot;
    bool constant_A;
} bl_plain;

/* Records all quantities of the model's equations and fills sys, patterns and programs. */
bl_status bl_plain_record(bl_plain *p);

/* The tape of the model, piecewise if it has switches: inputs t, variables, rates, then pieces. */
static inline const bl_tape *bl_plain_tape(const bl_plain *p) {
    return p->switches.n ? p->switches.law[0].tape : p->model->equations->tape;
}
static inline const double *bl_plain_pieces(const bl_plain *p, const unsigned char *history) {
    return history ? (const double *)(const void *)history : p->no_pieces;
}

/* Power series (equations_series.c). */
bl_status bl_plain_expansion_create(const bl_system *sys, struct bl_expansion *ex);
void bl_plain_expansion_destroy(const bl_system *sys, struct bl_expansion *ex);
bl_status bl_plain_series(const bl_system *sys, struct bl_expansion *ex, int k, uint32_t want);
void bl_plain_not_analytic(const bl_system *sys, char *why, size_t nwhy);

#endif
