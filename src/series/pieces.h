/* pieces: piecewise smooth laws. Comparisons, sign, abs, min, max, floor and tables change their branch where an argument s crosses a
 * boundary. Here the branch becomes an input of the tape and is held constant between two changes: there the law is analytic, and its
 * changes can be located exactly. Theory: docs/theory/events.md.
 *
 * A piece is a number. 0: not held, the argument decides. Two sides: 1 where s is positive, -1 where it is negative, values between
 * them blend both. Floor: n + 1/2 for n <= s < n + 1. Tables: i + 1/2 after i knots. */
#ifndef BL_PIECES_H
#define BL_PIECES_H

#include "series/tape.h"

typedef struct bl_switch {
    uint8_t what;   /* bl_tape_piece_what */
    bool kink;      /* only derivatives of the law jump */
    bool of_time;   /* s depends only on time, and on pieces that do */
    bl_index nknot; /* TABLE */
    const double *knot;
} bl_switch;

/* How an input of a law varies. */
typedef enum bl_input_role {
    BL_INPUT_STATE, /* with the state */
    BL_INPUT_CONSTANT,
    BL_INPUT_TIME,
    BL_INPUT_UNKNOWN /* not available where events are located: switches that depend on it are not held */
} bl_input_role;

typedef struct bl_pieces {
    bl_tape *tape;          /* NULL: no switches, use the law's own tape. Inputs: those of the law, then the pieces */
    bl_tape *sense;         /* s of every switch, from the same inputs */
    bl_index ninput, count; /* inputs of the law, switches */
    bl_index time;          /* the input that is time; -1: none */
    bl_switch *at;          /* [count] */
    double *knot;           /* of all tables */
    bool analytic;          /* every switch is held */
} bl_pieces;

/* *out must be zeroed. Only the first noutput outputs are used, and are those of the new tape; -1: all. role[ninput]: bl_input_role; the
 * tape must be finished. */
bl_status bl_pieces_create(bl_context *ctx, const bl_tape *tape, bl_index noutput, bl_index ninput, const uint8_t *role, bl_pieces *out);
void bl_pieces_destroy(bl_context *ctx, bl_pieces *pieces);

/* The piece that contains s. */
double bl_piece_of(const bl_switch *sw, double s);
/* Positive while s is inside the piece, negative outside; smooth. slope: its derivative with respect to s, may be NULL. */
double bl_piece_inside(const bl_switch *sw, double piece, double s, double *slope);
/* The neighboring piece at the boundary nearest to s. */
double bl_piece_next(const bl_switch *sw, double piece, double s);

/* next[count]: the first time after t >= 0 at which an argument that depends only on time leaves its piece; INFINITY: never; negative:
 * minus the time up to which the search found no change; NaN for other switches. in: inputs and pieces at t. work: bl_pieces_time_work
 * doubles. */
void bl_pieces_next_times(const bl_pieces *pieces, const double *in, double t, double *next, double *work);
size_t bl_pieces_time_work(const bl_pieces *pieces);

#endif
