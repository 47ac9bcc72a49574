/* pulled: what coordinates made on top of a mechanism share (reference, relative), and places of a matrix being collected. */
#ifndef BL_PULLED_H
#define BL_PULLED_H

#include "coords/mechanism.h"

/* Rows are measured by their gradient in the model configuration, as in the mechanism: row[np].scale, that of the mechanism in, which stays
 * where the gradient is slight (limits.h). G must work. */
bl_status bl_pulled_scale_rows(bl_system *sys, double length, bl_row *row);
/* found[nindependent]: the first column with the name of each entry of `independent:`, -1: none has it. */
bl_status bl_pulled_named(const bl_system *sys, const bl_model *model, bl_index *found);
/* Columns named in `independent:`, from the arena; variables that are no columns here are passed over. */
bl_status bl_pulled_independent(bl_system *sys, const bl_model *model, bl_arena *arena);
/* Slots of bl_system_kind: laws by pieces are those of the mechanism. bl_eval.own begins with its bl_eval. */
bl_status bl_pulled_hold(const bl_system *sys, bl_eval *e, bl_state *state);
bl_status bl_pulled_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event);
bl_status bl_pulled_next_time(const bl_system *sys, const bl_state *state, double *t);
bool bl_pulled_blend(const bl_system *sys, bl_state *state, bl_index event, double share);
void bl_pulled_event_name(const bl_system *sys, bl_index event, char *name, size_t nname);

/* Forces that are looked at are those of the mechanism. */
void bl_pulled_forces(bl_system *sys, const bl_system *inner);
/* What a user looks at, as the mechanism found it. */
void bl_pulled_hand_out(const bl_system *sys, bl_eval *eval, const bl_eval *inner, uint32_t want);

/* An angle that positions count themselves: zero + sign (psi[b] - psi[a]); a, b -1: ground, psi = 0. */
typedef struct bl_counted {
    bl_index variable, a, b;
    double zero, sign;
} bl_counted;

/* In the plane: adds the angles between bodies whose psi is known to counted[*n ...], which has room for all variables.
 * psi_of[nbody]: where in psi, -1: ground, -2: not known. start[nvariable]: values where psi is psi_start. done[nvariable]: counted
 * already, or now. */
void bl_pulled_count(const bl_mechanism *m, const bl_index *psi_of, const double *start, const double *psi_start, bool *done,
                     bl_counted *counted, bl_index *n);
/* sys->angle: the mechanism's, less those that are done; from the arena. */
bl_status bl_pulled_angles(bl_system *sys, const bl_mechanism *m, const bool *done, bl_arena *arena);
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
