/* reference: mass center and orientation of every body, derived from a mechanism whose bodies share no entities.
 *
 * The mechanism provides constraint equations, forces, variables and reactions as functions of x: the mass centers and axes of all bodies
 * (and variables). Here x = x(q) with q = (center, parameters) of each body, then the variables; everything is transformed by X = dx/dq:
 *
 *     phi(x(q)) = 0,   G = G_x X,   Q = X^T Q_x - inertia,   c = c_x - G_x x'' where q'' = 0
 *
 * The inertia is that of rigid bodies, m and E^T I E, not that of the axes. The equations of redundant parameters follow those of the
 * joints; the tangent view has none: q = (center, parameters), v = (rate of center, spin), x varies with rotations
 * (orientation_tangent.c). */
#ifndef BL_REFERENCE_H
#define BL_REFERENCE_H

#include "coords/derived_coords.h"
#include "coords/orientation.h"

enum { BL_MOST_BLOCK = 3 + BL_MOST_PARAMETERS };

/* what a column of the mechanism depends on: one column of q (a center, a point, a variable) or all parameters of a body */
typedef struct bl_source {
    bl_index col;  /* column of v, the first of those it depends on */
    bl_index q;    /* if it is copied: its index in q */
    bl_index body; /* >= 0: component `part` of the axes of this body */
    bl_index part;
    bl_index n;     /* columns: 1, or all parameters of the body */
    bl_index slope; /* the first of its n slopes in X and V */
} bl_source;

/* an orientation used by several bodies */
typedef struct bl_used_orientation {
    bl_orientation kind;                       /* with the requested sequence */
    double start[BL_MOST_PARAMETERS], kept[9]; /* the model configuration is C r(start) */
} bl_used_orientation;

/* a body with axes; the others remain points and vectors */
typedef struct bl_oriented {
    const bl_orientation *kind;
    const bl_used_orientation *used;
    bl_index body;      /* of the model */
    bl_index col, o;    /* columns: mass center, parameters */
    bl_index q, o_q;    /* their indices in q: the same unless q has more entries than v */
    bl_index row;       /* first of its own equations */
    bl_index slope;     /* its [naxis][n] in X and V */
    bl_index kept;      /* number of its C in the history, -1: none */
    bl_index *axes;     /* [naxis] columns of the mechanism */
    bl_index *M_slot;   /* [dim + n n] in M */
    bl_index *K_slot;   /* [n][n] in K */
    bl_index *row_slot; /* [nrow][n] in G */
} bl_oriented;

typedef struct bl_reference_system {
    bl_derived on; /* the history also holds the rotations C of bodies whose parameters have limited room */
    bl_index nused, nkept;
    bl_used_orientation *used;
    bl_index nbody;
    bl_oriented *body;
    bl_index naxis, nslope;   /* components of the axes of a body; slopes of all */
    bl_index nbody_v;         /* columns of bodies with axes, followed by those that are copied to x */
    bl_index nbody_q;         /* the same in q */
    bl_source *source;        /* [inner nv] */
    bl_index *G_slot, *G_ptr; /* for each value of the inner G: where its products are added */
    bl_index *K_slot, *K_ptr; /* the same of the inner K */
    bl_index *M_slot;         /* of all bodies, then of what is copied */
    bl_index *copied_slot;    /* for each value of the inner M: its index in M, -1: of axes */
    bl_index *inner_col;      /* [nv] the column that is copied */
    double *q_scale;          /* [nq] if q has more entries than v */
} bl_reference_system;

/* rotation of a body in its own axes: spin w = E o', angular momentum, its rate where o'' = 0: w x I w + I E' o' */
typedef struct bl_spin {
    double E[3 * BL_MOST_PARAMETERS], w[3], Iw[3], bias[3];
} bl_spin;

/* Workspace of one evaluation. */
typedef struct bl_reference_work {
    bl_eval inner;              /* first: required by bl_derived_hold */
    double *x, *xd, *xdd, *Q_x; /* [inner nv] Q_x: generalized forces on x */
    double *X, *V;              /* [nslope] derivative of the axes, its rate */
    double *bias;               /* [nbody][naxis] second rate of the axes where q'' = 0 */
    bl_spin *turning;           /* [nbody] */
    double *expected;           /* [nvariable] for the mechanism's angles */
    void *block;                /* allocation that contains the arrays */
} bl_reference_work;

static inline const bl_reference_system *bl_ref(const bl_system *sys) { return sys->own; }

/* reference_tangent.c: bodies whose positions do not form a vector space */
bl_status bl_reference_tangent_build(bl_reference_system *r, bl_system *sys); /* pattern of T, scales of q */
void bl_reference_eval_T(const bl_system *sys, bl_eval *eval);
bl_status bl_reference_retract(const bl_system *sys, const double *q, const double *x, double *q_new);
bl_status bl_reference_local(const bl_system *sys, const double *q, const double *q_new, const double *near, double *x);
void bl_reference_normalize(const bl_system *sys, double *q);

/* reference_state.c */
bl_index bl_reference_can_write(const bl_system *sys, const uint8_t *chosen);
void bl_reference_write(const bl_system *sys, const uint8_t *chosen, const bl_pose *pose, const double *angle, double *q, double *v);
bl_status bl_reference_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state);
bl_status bl_reference_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state);

/* reference_eval.c */
bl_status bl_reference_eval(const bl_system *sys, bl_eval *eval, uint32_t want);
double bl_reference_turning(const bl_system *sys, bl_eval *eval);
/* Updates x of the mechanism and the reference values for its angles. */
void bl_reference_move_to(const bl_system *sys, bl_eval *eval);

#endif
