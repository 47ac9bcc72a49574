/* reference: mass center and orientation of every body, on top of a mechanism whose bodies stand apart.
 *
 * The mechanism knows rows, forces, variables, reactions as functions of x, the mass centers and axes of all bodies (and variables). Here
 * x = x(q) with q = (center, parameters) of each body, then the variables; everything is pulled back by X = dx/dq:
 *
 *     phi(x(q)) = 0,   G = G_x X,   Q = X^T Q_x - inertia,   c = c_x - G_x x'' where q'' = 0
 *
 * The inertia is that of rigid bodies, m and E^T I E, not of the axes. Rows of redundant parameters stand behind those of the joints; in
 * the tangent view there are none: q = (center, parameters), v = (its rate, spin), x moves along turns (orientation_tangent.c). */
#ifndef BL_REFERENCE_H
#define BL_REFERENCE_H

#include "coords/orientation.h"
#include "coords/pulled.h"

enum { BL_MOST_BLOCK = 3 + BL_MOST_PARAMETERS };

/* where a column of the mechanism comes from: itself (a center, a point, a variable), or all parameters of a body */
typedef struct bl_source {
    bl_index col;  /* column of v, the first of the parameters it depends on */
    bl_index q;    /* of what is copied: its place in q */
    bl_index body; /* >= 0: component `part` of this turning body's axes */
    bl_index part;
    bl_index n;     /* columns: 1, or all parameters of the body */
    bl_index slope; /* the first of its n slopes in X and V */
} bl_source;

/* an orientation that some bodies share */
typedef struct bl_used_orientation {
    bl_orientation kind;                       /* with the sequence asked for */
    double start[BL_MOST_PARAMETERS], kept[9]; /* the model configuration is C r(start) */
} bl_used_orientation;

/* a body that has axes; the others stay points and vectors */
typedef struct bl_turned {
    const bl_orientation *kind;
    const bl_used_orientation *used;
    bl_index body;      /* of the model */
    bl_index col, o;    /* columns: mass center, parameters */
    bl_index q, o_q;    /* their places in q: the same unless positions are more than velocities */
    bl_index row;       /* first of its own rows */
    bl_index slope;     /* its [naxis][n] in X and V */
    bl_index kept;      /* number of its C in the history, -1: none */
    bl_index *axes;     /* [naxis] columns of the mechanism */
    bl_index *M_slot;   /* [dim + n n] in M */
    bl_index *K_slot;   /* [n][n] in K */
    bl_index *row_slot; /* [nrow][n] in G */
} bl_turned;

typedef struct bl_centered {
    bl_pulled on; /* in the history rotations C follow, of bodies whose parameters have limited room */
    bl_index nused, nkept;
    bl_used_orientation *used;
    bl_index nbody;
    bl_turned *body;
    bl_index naxis, nslope;   /* components of the axes of a body; slopes of all */
    bl_index ncentered;       /* columns of turning bodies; behind them those that are copied to x */
    bl_index ncentered_q;     /* the same in q */
    bl_source *source;        /* [inner nv] */
    bl_index *G_slot, *G_ptr; /* of each value of the inner G: where its products go */
    bl_index *K_slot, *K_ptr; /* the same of the inner K */
    bl_index *M_slot;         /* of all bodies, then of what is copied */
    bl_index *copied_slot;    /* of each value of the inner M: its place in M, -1: of axes */
    bl_index *inner_col;      /* [nv] the column that is copied */
    double *q_scale;          /* [nq] where positions are more than velocities */
} bl_centered;

/* how a body turns, in its own axes: spin w = E o', moment of momentum, its rate where o'' = 0: w x I w + I E' o' */
typedef struct bl_turning {
    double E[3 * BL_MOST_PARAMETERS], w[3], Iw[3], still[3];
} bl_turning;

/* Workspace of one evaluation. */
typedef struct bl_centered_work {
    bl_eval inner;               /* first: bl_pulled_hold */
    double *x, *xd, *xdd, *push; /* [inner nv] */
    double *X, *V;               /* [nslope] slope of the axes, its rate */
    double *still;               /* [nbody][naxis] second rate of the axes where q'' = 0 */
    bl_turning *turning;         /* [nbody] */
    double *expected;            /* [nvariable] for the mechanism's angles */
    void *block;                 /* of the arrays */
} bl_centered_work;

static inline const bl_centered *bl_ref(const bl_system *sys) { return sys->own; }

/* reference_tangent.c: bodies whose positions are no vectors */
bl_status bl_reference_tangent_build(bl_centered *r, bl_system *sys); /* pattern of T, scales of q */
void bl_reference_eval_T(const bl_system *sys, bl_eval *eval);
bl_status bl_reference_retract(const bl_system *sys, const double *q, const double *x, double *q_new);
bl_status bl_reference_local(const bl_system *sys, const double *q, const double *q_new, const double *near, double *x);
void bl_reference_normalize(const bl_system *sys, double *q);

/* reference_state.c */
bl_status bl_reference_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state);
bl_status bl_reference_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state);

/* reference_eval.c */
bl_status bl_reference_eval(const bl_system *sys, bl_eval *eval, uint32_t want);
double bl_reference_turning(const bl_system *sys, bl_eval *eval);
/* Brings x of the mechanism and what its angles are expected to be up to date. */
void bl_reference_move_to(const bl_system *sys, bl_eval *eval);

#endif
