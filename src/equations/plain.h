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
    bl_tape_program *program;  /* inputs t, q, v, z, a, lambda, pieces, rubs */
    bl_tape_program *solution; /* the known solution: q, v, z as functions of t */
    bl_pattern M, C, K, G;     /* owned */
    uint32_t groups[8];        /* bits of the groups that depend on t, q, v, z, a, lambda, pieces, rubs */
    bl_switches switches;      /* of one law: forces, masses and constraints of the model's tape */
    double *no_pieces;         /* [switches] zeros: no pieces are held */
    bl_event_def *event;
    double *A_diagonal; /* [nz] if A is diagonal: 1 / A, NaN for algebraic states; else NULL */
    double *A_factor;   /* [nz][nz] otherwise, L U; NULL: rates are not available */
    bl_index *A_pivot;
    bool constant_A;
    /* contacts (equation_contacts.c) */
    bl_contact *contact;      /* [sys->ncontact] */
    bl_index *contact_of_row; /* [np] 3 contact + component; -1: a constraint */
    bl_index nrub;            /* of friction: for each contact mu N while it slides, and its direction at the beginning, 3 numbers */
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

/* ---- contacts (equation_contacts.c) */

typedef struct bl_plain_contacts { /* of a workspace */
    double *gap, *speed;           /* [ncontact], [np] speeds of sliding in their rows */
    double *lambda, *rub;          /* [np] those of rows that hold; [nrub] */
} bl_plain_contacts;

/* Numbers rows and loads of the model's contacts; before the recording. */
bl_status bl_plain_contacts_lay_out(bl_plain *p);
/* Their events and their part of the history behind the others, for which p->event has room. */
void bl_plain_contacts_events_begin(bl_plain *p);
/* What the rows restrict. */
void bl_plain_contacts_laws(const bl_plain *p, bl_row *row);
/* The row of the model's equations is a speed of sliding. */
bool bl_plain_is_speed(const bl_plain *p, bl_index row);
/* Inputs of the program at an evaluation point. */
void bl_plain_contacts_inputs(const bl_plain *p, const bl_eval *e, bl_plain_contacts *w, bool multipliers);
/* Gaps and speeds are kept from the rows just evaluated; rows that do not hold become zero. */
void bl_plain_contacts_rows(const bl_plain *p, bl_eval *e, bl_plain_contacts *w, uint32_t done);
void bl_plain_contacts_events(const bl_plain *p, bl_eval *e, const bl_plain_contacts *w);
void bl_plain_contacts_show(const bl_plain *p, bl_eval *e, const bl_plain_contacts *w);
void bl_plain_contacts_loads(const bl_plain *p, bl_eval *e);

/* Power series (equations_series.c). */
bl_status bl_plain_expansion_create(const bl_system *sys, struct bl_expansion *ex);
void bl_plain_expansion_destroy(const bl_system *sys, struct bl_expansion *ex);
bl_status bl_plain_series(const bl_system *sys, struct bl_expansion *ex, int k, uint32_t want);
void bl_plain_not_analytic(const bl_system *sys, char *why, size_t nwhy, const char **advice);

#endif
