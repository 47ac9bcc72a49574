/* pulled: what coordinates made on top of a mechanism share (reference, relative), and entries of a matrix being collected. */
#ifndef BL_PULLED_H
#define BL_PULLED_H

#include "coords/mechanism.h"

/* An angle that positions count themselves: zero + sign (psi[b] - psi[a]); a, b -1: ground, psi = 0. */
typedef struct bl_counted {
    bl_index variable, a, b;
    double zero, sign;
} bl_counted;

/* The first member of what such a system owns. Its evaluations begin with the mechanism's bl_eval. */
typedef struct bl_pulled {
    const bl_coords_kind *coords;
    bl_arena arena;
    bl_system *inner;      /* the mechanism */
    const bl_mechanism *m; /* of it */
    size_t inner_history;  /* bytes of the history that are the mechanism's; what the coordinates keep follows */
    double *variable;      /* [nvariable] what joints read in the model configuration */
    bl_row *row;
    bl_col *col;
    bl_index ncopy;
    struct bl_copy {
        bl_index inner, q, v;
    } * copy;            /* columns of the mechanism that are copied from q and v */
    bl_counted *counted; /* psi is q */
    bl_index ncounted;
} bl_pulled;

static inline const bl_pulled *bl_pulled_of(const bl_system *sys) { return sys->own; }

/* Builds the mechanism, and takes over what the system has from it. */
bl_status bl_pulled_build(bl_system *sys, const bl_coords_kind *kind, const bl_coords_choice *choice);
/* The end of building: scales of rows, wanted independent columns. G must work. */
bl_status bl_pulled_finish(bl_system *sys);
void bl_pulled_destroy(bl_system *sys);
/* Room in the mechanism's evaluation for what is asked of it, where `fresh` is asked for here. */
bl_status bl_pulled_room(const bl_system *sys, bl_eval *eval, uint32_t fresh);
/* The model configuration as far as it is the mechanism's: its history, columns that are copied; all other q and v are zero. */
bl_status bl_pulled_initial(const bl_system *sys, bl_state *state);
/* Columns that are copied, of bodies that stand (with the history) or move as given. */
bl_status bl_pulled_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state);
bl_status bl_pulled_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state);
/* found[nindependent]: the first column with the name of each entry of `independent:`, -1: none has it. */
bl_status bl_pulled_named(const bl_system *sys, const bl_model *model, bl_index *found);
/* Slots of bl_system_kind: laws by pieces are those of the mechanism. */
bl_status bl_pulled_hold(const bl_system *sys, bl_eval *e, bl_state *state);
bl_status bl_pulled_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event);
bl_status bl_pulled_next_time(const bl_system *sys, const bl_state *state, double *t);
bool bl_pulled_blend(const bl_system *sys, bl_state *state, bl_index event, double share);
void bl_pulled_event_name(const bl_system *sys, bl_index event, char *name, size_t nname);
void bl_pulled_load_name(const bl_system *sys, bl_index load, char *name, size_t nname);

/* What a user looks at, as the mechanism found it. */
void bl_pulled_hand_out(const bl_system *sys, bl_eval *eval, const bl_eval *inner, uint32_t want);

/* The angles that positions count: in the plane those between bodies whose psi is known go to counted[*n ...], which has room for all
 * variables; the mechanism's others to sys->angle. psi_of[nbody]: where in psi, which is zero in the model configuration; -1: ground,
 * -2: not known. done[nvariable]: counted already. */
bl_status bl_pulled_count(bl_system *sys, const bl_index *psi_of, bool *done, bl_counted *counted, bl_index *n);
/* What is counted takes its place in expected[nvariable]. */
void bl_pulled_expect(const bl_counted *counted, bl_index n, const double *psi, double *expected);

/* (row, column) pairs, for bl_pattern_build */
typedef struct bl_pairs {
    bl_context *ctx;
    bl_index n, row_room, col_room;
    bl_index *row, *col;
} bl_pairs;
bl_status bl_pairs_add(bl_pairs *pairs, bl_index row, bl_index col);
/* The pattern of all pairs; (*slot)[n]: place of each in the values, the caller frees it. */
bl_status bl_pairs_build(bl_pairs *pairs, bl_index nrow, bl_index ncol, bl_pattern *pattern, bl_index **slot);
void bl_pairs_free(bl_pairs *pairs);

#endif
