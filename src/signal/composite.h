/* composite, private: a mechanism with signals. */
#ifndef BL_COMPOSITE_H
#define BL_COMPOSITE_H

#include "signal/signal.h"
#include "system/expansion.h"

/* Values of an assignment that take effect later: a ring of as many as can be under way. */
typedef struct bl_queue {
    bl_index action, assignment;
    bl_index room;  /* values */
    bl_index first; /* index of its numbers in the history: number of values that took effect, then the ring */
} bl_queue;

/* A delayed value. In the history: a head, then a ring of knots. Between two knots, shifted by the delay, it is a polynomial. */
enum { BL_DELAY_ORDER = 7, BL_DELAY_KNOTS = 1024 };
typedef struct bl_knot {
    double t, before, after; /* the value on both sides */
    double level;            /* 0: a jump, or where an event happened; 1, 2, ...: the delayed effect of one; -1: smooth */
} bl_knot;
typedef struct bl_delay_head {
    double count;                              /* knots so far */
    double active;                             /* the knot at the beginning of the present interval; -1: the time before the start */
    double last;                               /* time of the last knot */
    double spacing;                            /* until the next one */
    double from, width, c[BL_DELAY_ORDER + 1]; /* sum c_j ((t - from) / width)^j */
} bl_delay_head;
typedef struct bl_delay {
    bl_index signal;
    bl_index first; /* index of its head */
} bl_delay;

/* An input after its last setting, in the history: value + c[0] s + c[1] s^2 + c[2] s^3, s = t - since, until `end`, and then
 * next + rate (t - end). */
typedef struct bl_ramp {
    double c[3], since;
    double end; /* INFINITY: none */
    double next, rate;
} bl_ramp;
enum { BL_RAMP_NUMBERS = sizeof(bl_ramp) / sizeof(double) };

typedef struct bl_composite {
    const bl_coords_kind *coords; /* first: required by coords.h */
    bl_system *sys;               /* back reference: patterns are built on demand */
    bl_system_kind kind;          /* slots that the mechanism has */
    bl_system *inner;
    const bl_model *model;
    bl_arena arena;
    bl_held *held;                      /* of the inner system: those of the caller, then the signals */
    bl_index nasked;                    /* of the caller */
    bl_index *held_of;                  /* [nsignal] held number of the inner system; -1: an output */
    bool *asked;                        /* [nsignal] it is one of the caller's */
    bl_index *state, *state_of;         /* [nz] signal; [nsignal] state, -1: none */
    bl_index ninput, *input, *input_of; /* [ninput] signal; [nsignal] input, -1: none */
    bl_index nwhen, *when;              /* [nwhen] actions with a function; their events follow those of the inner system */
    bl_index nqueue;
    bl_queue *queue;
    bl_index ndelay;
    bl_delay *delay;
    bl_index *delay_of; /* [nsignal] -1: none */
    /* numbers in the history, after those of the inner system */
    size_t base;                                 /* bytes before them */
    bl_index value, ramp, count, begun, ndouble; /* [nsignal]; bl_ramp[ninput]; [naction]; 1 */
    bool drives, drives_states;                  /* drivers follow inputs or states; states */
    size_t law_work, law_in;
    bl_event_def *event;
    bl_col *col;
    /* with states: values of the inner matrices go to these slots of pat_K and pat_C */
    bl_pattern M, K, C;
    bl_index *M_ptr;
    bl_index *K_slot, *C_slot;        /* [inner nnz] */
    bl_index *K_by_z, *K_f_x, *C_f_v; /* [nz][nv] -dQ/dz, [nnz of pat_S] -df/dx, -df/dv */
    bl_index *K_f_z, *A_slot;         /* [nz][nz] by columns, [nz] */
} bl_composite;

/* Workspace of one evaluation. */
typedef struct bl_composite_work {
    bl_eval inner;
    double *u, *u_rate; /* [3][inner nu] coefficients of powers of the time from now on; the second ones */
    double *driven;     /* [2][np] phi and b before a jump */
    double *signal;     /* [nsignal] */
    double *next;       /* [nsignal] values after a jump */
    bl_blow *blow;      /* [nblow] of at most npercussion: impulses that the last jump applies */
    bl_index nblow;
    double *delayed;   /* [ndelay] */
    double *in, *work; /* of laws */
    void *block;
    double *matrix[6]; /* K, C, Ma_x, GTl_x, Q_u where they are not those of the inner system; values of events */
} bl_composite_work;

static inline const bl_composite *bl_composite_of(const bl_system *sys) { return sys->own; }
static inline const double *bl_composite_numbers(const bl_composite *c, const unsigned char *history) {
    return history ? (const double *)(const void *)(history + c->base) : NULL;
}
static inline double *bl_composite_set(const bl_composite *c, bl_state *state) { return (double *)(void *)(state->history + c->base); }

/* composite.c */
extern const bl_coords_kind bl_coords_composite;
/* composite_eval.c */
bl_status bl_composite_eval(const bl_system *sys, bl_eval *e, uint32_t want);
bl_status bl_composite_eval_create(const bl_system *sys, bl_eval *e);
bl_status bl_composite_eval_room(const bl_system *sys, bl_eval *e, uint32_t fresh);
void bl_composite_eval_destroy(const bl_system *sys, bl_eval *e);
bl_status bl_composite_apply(const bl_system *sys, bl_eval *e, bl_op op, bl_index nrhs, const double *x, double *y);
bl_status bl_composite_demand(const bl_system *sys, bl_eval *e, const double *a, double *force);
double bl_composite_turning(const bl_system *sys, bl_eval *e);
bl_status bl_composite_accept(const bl_system *sys, bl_eval *e, bl_state *state);
/* Moves the inner evaluation to that of the composite system: its numbers are those of e->history and e->z. */
void bl_composite_follow(const bl_system *sys, bl_eval *e);
/* value[order + 1] of an input at t: coefficients of powers of the time from t on, `stride` apart. */
void bl_composite_input(const bl_composite *c, const double *number, bl_index input, double t, int order, size_t stride, double *value);
/* value[nsignal] of all signals except outputs. */
void bl_composite_signals(const bl_composite *c, const bl_eval *e, double *value);
/* The inner system's part of a state. */
bl_state bl_composite_view(const bl_state *state);
/* Value of a law; the variables and probes of the inner evaluation and w->signal are up to date. */
double bl_composite_law(const bl_composite *c, const bl_eval *e, bl_index law);
/* composite_patterns.c */
bl_status bl_composite_patterns(const bl_system *sys, uint32_t uses);
void bl_composite_free_patterns(bl_composite *c);
/* composite_series.c */
bl_status bl_composite_series(const bl_system *sys, bl_expansion *ex, int k, uint32_t want);
bl_status bl_composite_expansion_create(const bl_system *sys, bl_expansion *ex);
void bl_composite_expansion_destroy(const bl_system *sys, bl_expansion *ex);
/* composite_delays.c */
bl_status bl_delays_build(bl_composite *c);
double bl_delay_value(const bl_composite *c, const double *number, bl_index delay, double t, double *rate); /* rate may be NULL */
/* coefficients 0 .. order of powers of the time since t, `stride` apart */
void bl_delay_series(const bl_composite *c, const double *number, bl_index delay, double t, int order, size_t stride, double *out);
void bl_delays_begin(const bl_composite *c, const bl_eval *e, double *number);
double bl_delays_next_time(const bl_composite *c, const double *number); /* INFINITY: none */
/* At an event: values before it, [ndelay]; then, at the state after it, what is due. changed: numbers or branches changed. *restart: the
 * motion is not smooth here. */
void bl_delays_before(const bl_composite *c, const bl_eval *e, double *before);
bl_status bl_delays_after(const bl_composite *c, const bl_eval *e, double *number, const double *before, bool changed, double next_action,
                          bool *restart);
/* composite_events.c */
bl_status bl_composite_events_build(bl_composite *c);
bl_status bl_composite_hold(const bl_system *sys, bl_eval *e, bl_state *state);
bl_status bl_composite_next_time(const bl_system *sys, const bl_state *state, double *t);
bl_status bl_composite_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event);
bool bl_composite_blend(const bl_system *sys, bl_state *state, bl_index event, double share);
const bl_blow *bl_composite_blows(const bl_system *sys, const bl_eval *e, bl_index *n);
void bl_composite_event_name(const bl_system *sys, bl_index event, char *name, size_t nname);

#endif
