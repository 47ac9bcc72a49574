/* derived_coords: the common part of coordinates derived from a mechanism (reference, relative), and a collector of matrix entries. */
#ifndef BL_DERIVED_COORDS_H
#define BL_DERIVED_COORDS_H

#include "coords/mechanism.h"

/* An angle that is counted by the positions themselves: zero + sign (psi[b] - psi[a]); a, b -1: ground, psi = 0. */
typedef struct bl_counted {
    bl_index variable, a, b;
    double zero, sign;
} bl_counted;

/* The first member of sys->own of such a system. Its evaluations begin with the bl_eval of the mechanism. */
typedef struct bl_derived {
    const bl_coords_kind *coords;
    bl_arena arena;
    bl_system *inner;      /* the mechanism */
    const bl_mechanism *m; /* its data */
    size_t inner_history;  /* bytes of the history that belong to the mechanism; the data of the derived coordinates follow */
    double *variable;      /* [nvariable] values of the joint variables in the model configuration */
    bl_row *row;
    bl_col *col;
    bl_index ncopy;
    struct bl_copy {
        bl_index inner, q, v;
    } * copy;            /* columns of the mechanism that are copies of q and v */
    bl_counted *counted; /* angles for which psi is q */
    bl_index ncounted;
    bl_index *S_ptr, *S_slot; /* for each entry of the mechanism's pat_S: where its products are added */
} bl_derived;

static inline const bl_derived *bl_derived_of(const bl_system *sys) { return sys->own; }

/* Builds the mechanism and takes over what the system inherits from it. */
bl_status bl_derived_build(bl_system *sys, const bl_coords_kind *kind, const bl_coords_choice *choice);
/* Last step of building: scales of rows, requested independent columns. G must be available. */
bl_status bl_derived_finish(bl_system *sys);
void bl_derived_destroy(bl_system *sys);
/* Allocates in the mechanism's evaluation what is needed to compute `fresh` here. */
bl_status bl_derived_room(const bl_system *sys, bl_eval *eval, uint32_t fresh);
/* Masses of the mechanism on its pattern: constant, or those of its evaluation, which must contain BL_M. */
static inline const double *bl_derived_masses(const bl_derived *on, const bl_eval *inner) {
    return on->m->nfloating ? inner->M : on->m->M_values;
}
/* The part of the model configuration that belongs to the mechanism: its history and copied columns; all other q and v are zero. */
bl_status bl_derived_initial(const bl_system *sys, bl_state *state);
/* Copied columns for given positions (with the history) or velocities of the bodies. */
bl_status bl_derived_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state);
bl_status bl_derived_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state);
/* found[nindependent]: the first column with the name of each entry of `independent:`, -1: no such column. */
bl_status bl_derived_named(const bl_system *sys, const bl_model *model, bl_index *found);
/* Slots of bl_system_kind: laws by pieces are handled by the mechanism. */
bl_status bl_derived_hold(const bl_system *sys, bl_eval *e, bl_state *state);
bl_status bl_derived_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event);
bl_status bl_derived_next_time(const bl_system *sys, const bl_state *state, double *t);
bool bl_derived_blend(const bl_system *sys, bl_state *state, bl_index event, double share);
void bl_derived_event_name(const bl_system *sys, bl_index event, char *name, size_t nname);
void bl_derived_load_name(const bl_system *sys, bl_index load, char *name, size_t nname);

/* Copies the results for the user from the mechanism's evaluation. */
void bl_derived_copy_results(const bl_system *sys, bl_eval *eval, const bl_eval *inner, uint32_t want);

/* The angles that positions count: in the plane those between bodies with known psi go to counted[*n ...], which has room for all
 * variables; the mechanism's other angles go to sys->angle. psi_of[nbody]: index into psi, which is zero in the model configuration; -1:
 * ground, -2: not known. done[nvariable]: counted already. */
bl_status bl_derived_count(bl_system *sys, const bl_index *psi_of, bool *done, bl_counted *counted, bl_index *n);
/* Stores the counted angles in expected[nvariable]. */
void bl_derived_expect(const bl_counted *counted, bl_index n, const double *psi, double *expected);

/* Calls visit for the columns of v on which an inner column depends. */
typedef bl_status (*bl_derived_columns)(const bl_system *sys, bl_index inner, bl_status (*visit)(void *, bl_index), void *user);
/* Signals: pat_S and the slots, in the order in which the columns are visited. */
bl_status bl_derived_signals(bl_system *sys, bl_derived_columns columns);

/* (row, column) entries for bl_pattern_build */
typedef struct bl_pairs {
    bl_context *ctx;
    bl_index n, row_room, col_room;
    bl_index *row, *col;
} bl_pairs;
bl_status bl_pairs_add(bl_pairs *pairs, bl_index row, bl_index col);
/* The pattern of all entries; (*slot)[n]: index of each in the values, freed by the caller. */
bl_status bl_pairs_build(bl_pairs *pairs, bl_index nrow, bl_index ncol, bl_pattern *pattern, bl_index **slot);
void bl_pairs_free(bl_pairs *pairs);

#endif
