/* pieces: laws that are smooth by pieces. Comparisons, sign, abs, min, max, floor and tables change their branch where an argument s
 * crosses a border. Here the branch becomes an input of the tape, so that it stays while it is held: between two changes the law
 * is analytic, and its changes can be met exactly. Theory: docs/theory/events.md.
 *
 * A piece is a number: 0: not held, the argument decides. Two sides: 1 where s is positive, -1 where it is negative, between
 * them a blend of both. Floor: n + 1/2 for n <= s < n + 1. Tables: i + 1/2 behind i knots. */
#ifndef BL_PIECES_H
#define BL_PIECES_H

#include "series/tape.h"

typedef struct bl_switch {
    uint8_t what;   /* bl_tape_piece_what */
    bool kink;      /* only derivatives of the law jump */
    bool of_time;   /* s depends on time, and on pieces that do, alone */
    bl_index nknot; /* TABLE */
    const double *knot;
} bl_switch;

/* What an input of a law does. */
typedef enum bl_input_does {
    BL_INPUT_MOVES, /* with the state */
    BL_INPUT_STANDS,
    BL_INPUT_TIME,
    BL_INPUT_OPEN /* not known where events are looked for: what depends on it is not held */
} bl_input_does;

typedef struct bl_pieces {
    bl_tape *tape;          /* NULL: nothing switches, the law goes as it is. Inputs: those of the law, then the pieces */
    bl_tape *sense;         /* s of every switch, of the same inputs */
    bl_index ninput, count; /* inputs of the law, switches */
    bl_index time;          /* the input that is time; -1: none */
    bl_switch *at;          /* [count] */
    double *knot;           /* of all tables */
    bool analytic;          /* nothing is left that switches without being held */
} bl_pieces;

/* Zeroed *out in. Only the first noutput outputs count, and are those of the new tape; -1: all. does[ninput]; the tape is finished. */
bl_status bl_pieces_create(bl_context *ctx, const bl_tape *tape, bl_index noutput, bl_index ninput, const uint8_t *does, bl_pieces *out);
void bl_pieces_destroy(bl_context *ctx, bl_pieces *pieces);

/* The piece in which s lies. */
double bl_piece_of(const bl_switch *sw, double s);
/* Positive while s lies inside the piece, negative outside; smooth. slope: its derivative by s, may be NULL. */
double bl_piece_inside(const bl_switch *sw, double piece, double s, double *slope);
/* The neighbor across the border that s is nearest to. */
double bl_piece_next(const bl_switch *sw, double piece, double s);

/* The first time after t >= 0 when an argument of time alone leaves its piece, next[count]: INFINITY where none does; of others NaN; with
 * a minus: a time without a change, up to which was searched. in: inputs and pieces at t. work: doubles as bl_pieces_time_work says. */
void bl_pieces_next_times(const bl_pieces *pieces, const double *in, double t, double *next, double *work);
size_t bl_pieces_time_work(const bl_pieces *pieces);

#endif
