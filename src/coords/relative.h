/* relative: joint coordinates of a spanning tree, derived from a mechanism whose bodies share no entities.
 *
 * The mechanism provides constraint equations, forces, variables and reactions as functions of x: the mass centers and axes of all bodies
 * (and variables). Here x = x(q), where q are the coordinates of the tree's joints: every column of q moves a link and all links beyond it
 * by a unit twist
 *
 *     S = (u, s)        angular velocity, velocity of the link's mass center, global axes
 *
 * Forces are accumulated as wrenches on links in one pass from the leaves to the root; so are articulated inertias, with which M^-1 x
 * takes O(n). Joints that close loops keep their equations. A spherical joint rotates by Exp(q) C: q is a small rotation vector and C is
 * kept in the history; when any q becomes large, all are absorbed into their C at an accepted step. Slender rods without axes remain two
 * points. */
#ifndef BL_RELATIVE_H
#define BL_RELATIVE_H

#include "coords/derived_coords.h"
#include "coords/relative_fast.h"

typedef struct bl_link {
    bl_index body, parent; /* index in the model; index of a link, -1: ground */
    bl_index joint;        /* -1: floating */
    bl_index first, count; /* axes */
    bl_index col, ncol;    /* columns of all of them */
    double rest[3];        /* mass center in the model configuration */
    double to_parent[3];   /* rest - rest of the parent */
    bl_index center;       /* columns of the mechanism: x of the center, of the axes */
    bl_index axis_col[3];
    double at[3], sign; /* point at which the reaction is reported, in the joint's second body; 1: that is this link, -1: the parent */
} bl_link;

typedef struct bl_tree_axis {
    bl_joint_dof_what what;
    double axis[3], at[3]; /* model configuration, global; `at` from the parent's mass center */
    double sign;           /* -1: the child is the joint's first body */
    double zero;           /* of the variable in the model configuration */
    bl_index col, ball;    /* first column; number of the spherical joint */
    bl_index var, link;    /* index in the model, -1: none; link it belongs to */
} bl_tree_axis;

typedef enum bl_relation {
    BL_APART,
    BL_ABOVE,
    BL_BELOW,
    BL_SAME_BALL
} bl_relation; /* row relative to column; BL_ABOVE: or the same axis, BL_BELOW: or a later axis */

struct bl_tree_slopes {
    bl_index nnode;    /* links, then columns of the mechanism that are copied from q */
    bl_index *node_of; /* [inner nv] */
    bl_index *column;  /* [nnode] column of q of a copied one */
    bl_index *copy_of; /* [nv] node, -1: none */
    bl_index *link_of; /* [ntree] */
    bl_index *axis_of; /* [ntree] */
    /* [nlink] depth first: position of a link, links by position, size of its subtree; the nearest link above it, or itself, that has
     * columns, -1: none */
    bl_index *at, *walk, *subtree, *carry;
    bl_pattern pair;   /* nodes coupled by the mechanism's K */
    bl_index *pair_of; /* [nnz of the mechanism's K] */
    uint8_t *relation; /* [nnz of K] */
};

typedef struct bl_tree {
    bl_derived on;
    bl_system *sys;                      /* back reference: patterns are built on demand */
    bl_index nlink, naxis, nball, ntree; /* ntree: columns of the tree, followed by those that are copied to x */
    bl_link *link;                       /* parents first */
    bl_tree_axis *axis;
    bl_index *link_of;           /* [nbody] of the model, -1: none */
    bl_index *source;            /* [inner nv] column of q that is copied, -1: depends on a link */
    bl_index *at_link, *at_part; /* [inner nv] link it belongs to, -1: none; which of its twelve components: center, axes */
    bl_index *axis_of;           /* [ntree] */
    bool *in_tree;               /* [njoint] */
    bl_index *row_of;            /* [inner np] row here, -1: of a tree joint */
    bl_index *inner_row;         /* [np] */
    /* G: every row has the columns of the chains from its bodies to the root */
    bl_index nrow_part;
    struct bl_row_part {                        /* one row on one link */
        bl_index row, link, first, count, into; /* inner entries: values and where they are added */
    } * row_part;
    bl_index *row_part_entry, *row_part_component; /* indices in the inner G; component: 0..2 center, 3..11 axes */
    bl_index *into;                                /* slots of the chain's columns, from the link to the root */
    bl_index *G_copy;                              /* [inner nnz] slot of a copied column, -1: none */
    bl_index *M_slot;                              /* slots of (column, columns of the chain above it and its own link) */
    bl_index *rod_slot;                            /* [inner nnz of M] -1: belongs to a link */
    /* W, on demand: for every row the links that its forces pass through, children first, [response_ptr[np]]; its entry of G, -1: none */
    bl_index *response_ptr, *response_link, *W_from;
    double *inertia; /* [nlink][6] xx yy zz xy yz zx, body axes */
    bool only_gravity;
    bool alone; /* every joint is in the tree, there is nothing else, and no force law reads normal loads */
    struct bl_tree_slopes *slopes;
    bl_fast_tree fast; /* no links: some links have other joints */
    const bl_fast_kernels *fast_kernels;
    double *unturned; /* [9 nball] identity rotations, as in a history */
    /* angles counted by the positions besides those of the tree: in the plane between links, psi is the sum along the chain */
    bl_counted *summed;
    bl_index nsummed;
} bl_tree;

typedef struct bl_tree_work {
    bl_eval inner;              /* first: required by bl_derived_hold */
    double *x, *xd, *xdd, *Q_x; /* [inner nv] Q_x: generalized forces on x */
    double *lambda;             /* [inner np] */
    struct bl_link_now {
        double R[9], c[3], d[3]; /* axes as columns one after another; center; vector from the parent's center */
        double w[3], v[3];       /* twist */
        double al[3], a[3];      /* its rate where q'' = 0 */
        double I[6], m;
        double N[3], F[3];       /* accumulated wrench, at c */
        double A[6], B[9], M[6]; /* articulated inertia at c: [A B; B^T M], A and M: xx yy zz xy yz zx; B by rows */
        double acc[6];
    } * now;                         /* [nlink] */
    double (*S)[6], (*U)[6], *D, *u; /* [ntree] */
    double *lost;                    /* [ntree] inertia lost because the links beyond it move freely */
    struct bl_ball {
        double frame[9], arm[3]; /* axes before its rotation; vector from it to the link's center */
    } * ball;
    struct bl_tree_tangent *tangent;
    bl_fast_work fast;
    double *Q;                       /* [nv] scratch */
    double *expected, *psi;          /* [nvariable] for the mechanism's angles; [nlink] */
    bool articulated, has_x, has_xd; /* articulated inertias, positions and velocities of the mechanism are up to date */
    void *block;                     /* allocation that contains the arrays */
} bl_tree_work;

/* entry of the mechanism's M that couples copied columns */
static inline bool bl_tree_rod_entry(const bl_tree *t, bl_index row, bl_index col) {
    return t->source[row] >= t->ntree && t->source[col] >= t->ntree;
}

static inline const bl_tree *bl_tree_of(const bl_system *sys) { return sys->own; }

/* rotation of a spherical joint when its q was last reset */
static inline const double *bl_tree_ball(const bl_tree *t, const bl_eval *e, bl_index ball) {
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    return e->history ? (const double *)(const void *)(e->history + t->on.inner_history) + 9 * ball : identity;
}

/* relative_motion.c */
bl_status bl_tree_eval(const bl_system *sys, bl_eval *eval, uint32_t want);
bl_status bl_tree_accept(const bl_system *sys, bl_eval *eval, bl_state *state);
double bl_tree_turning(const bl_system *sys, bl_eval *eval);
void bl_tree_positions(const bl_system *sys, bl_eval *eval);
/* relative_state.c */
bl_status bl_tree_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state);
bl_status bl_tree_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state);
/* relative_dynamics.c: M in a list of slots, M^-1 x */
void bl_tree_mass(const bl_system *sys, bl_eval *eval);
/* y = M x by one pass from the root and one back; needs positions. Overwrites the wrenches in the workspace. */
void bl_tree_multiply(const bl_system *sys, bl_tree_work *w, const double *x, double *y);
/* Transfers the wrenches in the workspace from the leaves to the root; out: their components along the columns, added. */
void bl_tree_transfer_wrenches(const bl_tree *t, bl_tree_work *w, double *out);
bl_status bl_tree_articulate(const bl_system *sys, bl_tree_work *w);
void bl_tree_solve(const bl_system *sys, bl_tree_work *w, const double *force, double *acceleration);
bl_status bl_tree_response_build(bl_tree *t, bl_system *sys); /* pat_W */
bl_status bl_tree_response(const bl_system *sys, bl_eval *eval);
/* relative_patterns.c: of G; of M, on demand; mass_above */
bl_status bl_tree_rows_build(bl_tree *t, bl_system *sys);
bl_status bl_tree_mass_build(bl_tree *t, bl_system *sys);
bl_status bl_tree_count_above(bl_tree *t, bl_system *sys);
/* error: a matrix of the tree has too many entries for an index */
bl_status bl_tree_too_full(const bl_system *sys, const char *matrix);
/* relative_slopes.c: the pattern of K. relative_tangent.c: K and its relatives; the positions of the mechanism and, for derivatives by
 * velocity, its velocities must be up to date */
/* builds what is missing for `uses`; pat_K for all except BL_GV_X */
bl_status bl_tree_tangent_build(bl_tree *t, bl_system *sys, uint32_t uses);
void bl_tree_tangent_free(bl_tree *t, bl_system *sys);
bl_status bl_tree_tangent_create(const bl_system *sys, bl_tree_work *w);
void bl_tree_tangent_destroy(const bl_system *sys, bl_tree_work *w);
bl_status bl_tree_tangents(const bl_system *sys, bl_eval *eval, uint32_t want);
/* relative_fast.c: M^-1 Q in three passes, if t->fast has links */
bl_status bl_tree_fast_build(bl_tree *t);
bl_status bl_tree_fast_create(const bl_tree *t, bl_fast_work *work);
void bl_tree_fast_destroy(const bl_tree *t, bl_fast_work *work);
bl_status bl_tree_fast(const bl_system *sys, const bl_eval *eval, double *acceleration);
/* M a - Q by the kernels of plain trees; false: the tree is not plain. */
bool bl_tree_fast_demand(const bl_system *sys, const bl_eval *e, const double *a, double *force);

#endif
