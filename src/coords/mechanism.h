/* mechanism: private data of natural and mixed coordinates.
 *
 * Entities are points and unit vectors whose components are coordinates; a seat is the position of an entity in one body. Joints share
 * entities where they can and then need no equations. Every point or vector fixed in a body (mark) is a constant linear form of the full
 * coordinate vector x = (free q | fixed). Constraint equations are written in terms of directions, which are such forms, and stored in
 * two tables: quadratic rows (sums of dot products and linear terms) and product rows (angles). */
#ifndef BL_MECHANISM_H
#define BL_MECHANISM_H

#include "coords/choice.h"
#include "coords/spatial_hash.h"
#include "elastic/beam.h"
#include "elastic/floating.h"
#include "force/force.h"
#include "joint/joint.h"
#include "series/switches.h"

enum {
    BL_FORM_TERMS = 48, /* a point inside an element of 27 nodes, some of which may belong to rigid interfaces */
    BL_MAX_FACTORS = 4
};

typedef struct bl_entity {
    bool is_vector, fixed, norm_written;
    bl_index owner; /* the body it was created for; ground: no norm equation */
    bl_index into;  /* merged into this entity; -1: in use */
    bl_index base;  /* first entry in x */
    bl_index first_seat, last_seat, nseat;
    double start[3]; /* in the model configuration */
    char name[48];
} bl_entity;

typedef struct bl_seat {
    bl_index body, entity;
    double s[3];   /* position of the entity in body axes */
    bl_index next; /* next seat of the same body, -1: the last */
    bl_index mate; /* next seat on the same entity, -1: the last */
} bl_seat;

/* The affine frame of a body: r = D0 + xi_1 D_1 + ... The directions are point differences, vectors, or the cross product of a fixed
 * vector with an earlier direction (for a body that rotates about a fixed axis; always the case in the plane). */
typedef struct bl_basis {
    bl_index origin;      /* seat of D0, -1 for ground */
    bl_index n;           /* directions: 0 to 3 */
    bl_index seat[3];     /* seat of the point or vector; -1: a cross product */
    bl_index cross_of[3]; /* cross product: number of the earlier direction */
    double cross_axis[3]; /* cross product: the fixed unit vector, global */
    double d[3][3];       /* the directions in body axes, one per row */
    double dual[3][3];    /* xi_k = dual[k] . s for s in their span */
    double moment[4][4];  /* S = integral of (1, xi)(1, xi)^T dm */
} bl_basis;

/* A linear form for each component: sum of coef * x[entry]. */
typedef struct bl_form {
    bl_index n[3];
    bl_index entry[3][BL_FORM_TERMS];
    double coef[3][BL_FORM_TERMS];
} bl_form;

/* A direction in an equation: a form and, for the reactions, the marks whose difference it is (b - a; body -1: none). */
typedef struct bl_part {
    bl_index body; /* -1: absent */
    bool is_vector;
    double sign;
    bl_index form; /* direction number of this part alone */
} bl_part;

typedef enum bl_factor_what { BL_F_DOT, BL_F_TRIPLE, BL_F_VALUE, BL_F_SIN, BL_F_COS } bl_factor_what;
typedef struct bl_factor {
    bl_factor_what what;
    bl_index slot[3]; /* DOT, TRIPLE: local directions; others: local scalar in slot[0] */
} bl_factor;
typedef struct bl_term {
    double coef;
    bl_index nfactor;
    bl_factor factor[BL_MAX_FACTORS];
} bl_term;

enum { BL_LOCAL_DIRS = 7, BL_LOCAL_SCALARS = 3, BL_ROW_TERMS = 8, BL_LOCAL = 3 * BL_LOCAL_DIRS + BL_LOCAL_SCALARS };

/* A product row: terms over a few directions and scalars. An angle equation that switches has two forms. */
typedef struct bl_product {
    bl_index row; /* row of phi; -1: only measures a variable */
    bl_index ndir, nscalar;
    bl_index dir[BL_LOCAL_DIRS];       /* directions */
    bl_index scalar[BL_LOCAL_SCALARS]; /* entries of x */
    double phase[BL_LOCAL_SCALARS];    /* added to the scalar under sine and cosine */
    bl_index nterm[2];                 /* second: the alternative form */
    bl_term term[2][BL_ROW_TERMS];
    double constant[2];
    const bl_prim *function; /* the value is a function of its own (function_rows.c) instead of terms; NULL: terms */
    double axial[2]; /* angles: direction 0 or 1 is a body's direction minus this multiple of direction 2, the axis, which belongs to
                        another body */
    bl_index nentry; /* distinct free entries of x */
    bl_index *entry;
    bl_index *G_slot; /* [nentry] positions in pat_G */
    bl_index *K_slot; /* [nentry][nentry] positions in pat_K */
    bl_index nmap;    /* (local index, entry number, coef) */
    bl_index *map_local, *map_entry;
    double *map_coef;
} bl_product;

/* One recorded force of the model, in terms of the coordinates. */
typedef struct bl_load {
    bl_record record;
    const bl_tape *tape;    /* the tape of the record, or the one by pieces (their values follow its inputs) */
    bl_index piece, npiece; /* its first piece, number of pieces */
    bl_index *mark_dir;     /* [nmark] direction number of each mark */
    bl_index *var_entry;    /* [nvar] entry of x */
    bl_index nentry;        /* distinct free entries that the force reads or acts on */
    bl_index *entry;
    bl_index *K_slot;                                                                      /* [nentry][nentry] */
    bl_index mark_out[BL_MAX_FORCE_MARKS], var_out[BL_MAX_FORCE_VARIABLES], potential_out; /* outputs of the tape, -1: none */
    bl_index normal;                                                                       /* index of the normal load it reads, -1: none */
    bool reads_velocity, reads_time, conservative;
    bool discrete;         /* its work between two configurations can be made equal to the loss of potential: by length, quadratic, or no
                      potential */
    bool potential_varies; /* with held numbers that change during a step */
} bl_load;

/* A law that acts on nothing: its value and its derivatives are signals of the system. */
typedef struct bl_signal_law {
    bl_load load;
    bl_force_def def;  /* its name */
    bool followed;     /* by a driver, which needs its rate */
    bl_index first, n; /* its part of: */
} bl_signal_law;
struct bl_signal_slope {
    bl_index input, slot; /* of the tape; in pat_S */
    double coef;
    bool rate;
};

/* Values of one element at an evaluation point, in terms of its directions: x, v; internal forces f with what damping adds and the power
 * `lost` in it, energy, tangents K = df/dx and C = df/dv. One per workspace. */
typedef struct bl_elastic_room {
    double *x, *v, *a, *from, *to, *f, *K, *C;
    double lost, energy;
    struct bl_element_work *solid; /* for solids */
    void *block;                   /* allocation that contains the arrays */
} bl_elastic_room;

/* One element of an elastic body: it acts on, and its mass moves with, a few directions. */
typedef struct bl_elastic_element {
    const struct bl_elastic_kind *kind;
    const bl_beam_element *beam;
    const struct bl_mesh_body *mesh; /* of a solid: its group there, number in the group, and [nodes][nodes] masses */
    const struct bl_fem_group *group;
    bl_index number;
    const double *mass;
    double damping;                        /* forces damping x M v */
    bool viscous;                          /* internal forces depend on rates */
    bl_index ndir, *dir;                   /* of a beam [node][vector], of a solid [node] */
    bl_index nentry, *entry;               /* distinct free entries of x */
    bl_index *K_slot;                      /* [nentry][nentry] */
    bl_index nmap, *map_local, *map_entry; /* (component of the directions, entry number, coefficient) */
    double *map_coef;
} bl_elastic_element;

/* A body that deforms by shapes relative to a frame: the amplitudes of the shapes are coordinates. */
typedef struct bl_floating_body {
    bl_floating f;
    bl_index elastic;          /* of the model */
    bl_index ndir, dir[4];     /* center and axes of its frame */
    bl_index first;            /* entry of x of the first amplitude */
    size_t place, work;        /* in bl_mech_work.floating */
    bl_index nentry, *entry;   /* distinct free entries of x */
    bl_index *K_slot, *M_slot; /* [nentry][nentry] */
    bl_index nmap, *map_local, *map_entry;
    double *map_coef;
} bl_floating_body;
/* What kinds of elements differ in. */
typedef struct bl_elastic_kind {
    /* Without damping by mass. want: BL_Q, BL_ENERGY, BL_KC. between: forces whose work from room->from to room->to is the difference
     * of the energies, dissipating with chi > 0 (bl_eval.dissipation). t: for messages. */
    bl_status (*eval)(const bl_elastic_element *e, double t, uint32_t want, bool between, double chi, bl_elastic_room *room);
    /* mass that couples two directions (the same for each component), and whether a direction is a position, on which gravity acts */
    double (*inertia)(const bl_elastic_element *e, bl_index i, bl_index j);
    bool (*is_position)(const bl_elastic_element *e, bl_index i);
} bl_elastic_kind;

/* A meshed body: its nodes are points, those of rigid interfaces are fixed in frames. */
typedef struct bl_mesh_body {
    const bl_elastic_def *def; /* NULL: another elastic body */
    const bl_solid *solid;
    struct bl_fem_part *part; /* its elements; NULL: not yet */
    bl_index *frame;          /* [nnode] the frame in which a node is fixed; 0: it is a point of its own: */
    bl_index *seat;           /* [nnode] */
    bl_index *dir;            /* [nnode] */
    double *share;            /* [nnode] mass that moves with a node */
    double mass;
    double *load; /* [nnode][dim] dead loads; NULL: none */
    bl_index npoint;
    struct bl_mesh_point {
        double s[3];
        bl_index dir;
    } * point; /* [npoint] points that are asked for by position */
    bl_index point_room;
} bl_mesh_body;

/* How the value of a variable is obtained. */
typedef struct bl_gauge {
    bl_index joint;
    const bl_prim *prim; /* the primitive that defines it */
    int part;            /* which of the primitive's variables */
    bl_index entry;      /* its entry of x if it is a coordinate, else -1 */
} bl_gauge;

/* All data of a mechanism's system: the plan, the constraint equations, and what compile.c made of them. Constant after bl_coords_build. */
typedef struct bl_mechanism {
    const bl_coords_kind *coords;
    const bl_model *model;
    bl_context *ctx;
    bl_arena arena;
    int dim;
    bool mixed, switching;
    const bl_coords_choice *choice; /* only during building */
    bool *unshared;                 /* [nbody] shares no entity (choice.h) */
    bool *framed;  /* [nbody] of those: mass center and three axes without equations that keep them rigid; false: slender rod, two points */
    double size;   /* extent of the model, for tolerances */
    double length; /* typical length of a body: scale of the points */
    bool *wanted;  /* [nvariable] variables that are coordinates */
    bl_index nentity, nseat, entity_room, seat_room;
    bl_entity *entity;
    bl_seat *seat;
    bl_index *first_seat, *last_seat; /* [nbody] -1: none */
    bl_spatial_hash seats, points;    /* only during building: seats by position in their bodies, named points */
    bl_hash directions;               /* only during building: by their forms */
    bl_basis *basis;                  /* [nbody] */
    bl_index nx, nfree, one;          /* entries of x; q is its beginning; x[one] = 1 */
    double *x_start;                  /* [nx] model configuration */

    bl_index ndir; /* directions as CSR over x: component k of direction d is row dim*d+k */
    bl_index *form_ptr, *form_entry, part_room, form_ptr_room, form_entry_room, form_coef_room;
    double *form_coef;
    bl_part (*part)[2];  /* [ndir] for reactions */
    bl_index nhot, *hot; /* [ndir] directions that every evaluation needs, followed by the others */
    bl_index npair, nwide, *wide;
    struct bl_pair {
        bl_index row, a, b;
        double ca, cb;
    } * pair; /* components of the needed directions: D[row] = ca x[a] + cb x[b]; wide: rows with another number of terms */

    /* quadratic rows: phi[row] = constant + sum linear + sum coef a.b */
    bl_index nrow, row_room;
    bl_row *row;
    double *row_constant, *row_norm;
    char (*row_meaning)[48];
    bool *row_relation; /* a relation between variables, however they are measured */
    bl_index row_constant_room, row_meaning_room, row_relation_room;
    bl_index nquad, quad_room;
    struct bl_quad {
        bl_index row, a, b;
        double coef;
    } * quad;
    bl_index nlinear, linear_room;
    struct bl_linear {
        bl_index row, entry;
        double coef;
        bl_index body;
        bl_index arm; /* for reactions: direction on which the row acts with `force` times its multiplier, along `part`; -1: none, or the
                         force of another term of the row */
        int8_t part, force;
    } * linear;
    bl_index nproduct, product_room;
    bl_product *product;
    bl_index *driver_row; /* [ndriver] */

    /* compiled: values of G and derivatives */
    double *G_constant; /* linear terms */
    bl_index nG_op;
    struct bl_G_op {
        bl_index slot, source;
        double w;
    } * G_op; /* G[slot] += w D[source] */
    bl_index nK_op;
    struct bl_K_op {
        bl_index slot, row;
        double w;
    } * K_op; /* d(G^T lambda)/dx [slot] += w lambda[row] */
    double *M_values, *Q_gravity;
    double potential_constant;
    const bl_held *held; /* [nheld] */
    bl_index nheld;
    bl_index nload; /* forces of the model, then additional actuators */
    bl_load *load;
    bl_index nelastic;
    bl_elastic_element *elastic;
    bool elastic_damped, elastic_series, elastic_discrete; /* internal forces: depend on rates, have power series, can conserve energy */
    bl_index elastic_local;                                /* components of the directions of an element, at most */
    bl_mesh_body *mesh;                                    /* [model->nelastic] */
    bl_index nfloating;
    bl_floating_body *floating;
    size_t floating_work; /* numbers of w->floating */
    bl_index nM_rest;     /* with them: masses of everything else, those that are not 0 */
    struct bl_entry {
        bl_index row, column;
        double value;
    } * M_rest;
    bl_index nsignal;
    bl_signal_law *signal;
    struct bl_signal_slope *signal_slope;
    bl_index *signal_held; /* [model->nsignal] the held number that is the value of a signal of the model, -1: none */
    bl_switches switches;  /* of the laws: forces, drivers, signals */
    bl_index first_piece;  /* offset of their pieces in the history */
    double *no_pieces;     /* zeros: used while no pieces are selected */
    bl_event_def *event;
    size_t tape_work;
    bl_index tape_in, tape_out, tape_d;
    bl_gauge *gauge;         /* [nvariable] */
    bl_index *angle, nangle; /* variables measured modulo full revolutions */
    bl_col *col;
    bl_index *independent, nindependent;
    bl_index *input, ninput; /* variables that the structural analysis selects (structural_variables.c) */
    /* reactions: joints that share an entity, and the order in which the shared loads are found (wrench.c) */
    bl_index nshare, share_room;
    struct bl_share {
        bl_index joint, seat_a, seat_b;
    } * share;
    bl_index *entity_joint;                 /* [nentity] the last joint that attaches it, -1: none */
    bl_index *entry_entity;                 /* [nx] -1: a variable or the constant */
    bl_index *seat_ptr, *seat_list;         /* seats of each body */
    bl_index *seat_sorted;                  /* the same, sorted by entity */
    bl_index *joint_seat_ptr, *joint_seat;  /* per joint, for the body on which its reaction is reported: seats that its equations load */
    bl_index *joint_ptr[5], *joint_list[5]; /* per joint: its quadratic, linear and product terms, its shared entities, the rows of its
                                               variables */
    bl_index *push_ptr, *push_to; /* part p of direction d, [2 d + p]: index into seat_load for every term of its form; -1: none */
    bl_index *linear_to;          /* the same for linear terms */
    bl_index nquad_op;
    struct bl_quad_op {
        bl_index to, row, source;
        double w;
    } * quad_op;         /* G^T lambda of quadratic terms: seat_load[to] += w lambda[row] D[source] */
    bool *on_fixed_axis; /* [nbody] rotates about a fixed axis; its points do not give the full moment, which is taken about the origin */
    bool any_on_fixed_axis;
    bool variables;        /* some variable is a coordinate, on which forces may act */
    bl_index *inertia_ptr; /* [4 nbody + 1] direction i of the basis of body b, [4 b + i]: */
    struct bl_inertia {
        bl_index to, part; /* index into seat_load, component */
        double coef;
    } * inertia;
    /* forces as they are reported (pushes.c) */
    bl_index npush, nspring;
    bl_index *push_first; /* [nload + 1] first entry of each load in: */
    bl_push_def *push;    /* [npush] */
    bl_mark *push_point;  /* [npush] point at which each is reported */
    bl_spring_def *spring;
    struct bl_shown_spring *shown; /* [nspring] */
    /* contacts (contact_rows.c): the entries of G in each of their rows, as CSR over contact_row */
    bl_contact *contact;                        /* [model->ncontact] */
    bl_index first_contact_load, ncontact_load; /* among the normal loads */
    bl_index ncontact_rub;                      /* contacts with friction */
    size_t contact_at;                          /* bytes before their states in the history */
    bl_index ncontact_row, *contact_row, *contact_ptr, *contact_slot, *contact_col;
    uint32_t event_needs;      /* what BL_EVENTS reads: nothing but positions where only gaps are events */
    bl_index *contact_product; /* [ncontact] product row that is the gap; -1: another kind of row */
    bl_index *contact_of_row;  /* [nrow] 3 contact + component; -1: holds always */
    bl_index npeel;
    struct bl_peel {
        bl_index share, seat;
        double sign;
    } * peel; /* the load of `share` follows from the balance of the seat */
    /* normal loads that force laws read */
    bl_index nnormal;
    struct bl_normal {
        bl_index joint, axis; /* direction number of the axis, -1: z, in the plane */
        double arm;           /* 0: moments add no normal load */
        bool whole_moment;
        bool reaction; /* not a normal load, but component `part` (fx ... mz) of the reaction; arm: of a moment 1 */
        int part;
    } * normal;
    bl_index first_reaction; /* among the normal loads: those of model->reaction */
    uint8_t *normal_open;    /* [nnormal] depends on how the joints of a loop on one entity divide the load */
    bool *friction_joint;    /* [njoint] a force law reads its normal load */
    bool friction_shared;    /* one of them shares an entity: its reaction needs the balance of the bodies */
    bl_index ncore;
    struct bl_core {
        bl_index nshare, nseat, nfloat;
        bl_index *share, *seat;  /* [nshare], [nseat] */
        bl_index (*end)[2];      /* [nshare] indices among the seats: source, target; -1: ground */
        bl_index *floats, *size; /* [nseat] the component not connected to ground that contains it, -1: none; [nfloat] number of seats of
                                    such a component */
        bl_index n, *row, *col;  /* [n] pivots of the factors L U of A A^T, with one seat of each ungrounded component left out */
        bl_index *l_ptr, *u_ptr; /* [n + 1] L by columns, U by rows */
        bl_index *l_row, *u_col; /* [l_ptr[n]], [u_ptr[n]] */
        double *pivot, *l, *u;   /* [n], [l_ptr[n]], [u_ptr[n]] */
    } * core;                    /* closed loops of joints on one entity: minimum-norm solution */
    bl_index core_most;          /* seats of the largest core */
    bool *needs_equations; /* [primitives] a coincidence kept as equations: sharing the point or vector would make a body lose its shape */
} bl_mechanism;

/* Workspace of one evaluation. */
typedef struct bl_mech_work {
    double *x, *xd;                       /* full coordinates and rates; fixed part constant */
    double *D, *Dd;                       /* directions and rates, dim each */
    double (*trig)[2 * BL_LOCAL_SCALARS]; /* [nproduct] sines and cosines */
    double *tape_in, *tape_out, *tape_d, *tape_work;
    double (*rotation)[3][3]; /* [nbody] body axes to global axes, computed with the poses */
    double *xdd;              /* [nx] second rates, for reactions */
    double (*seat_load)[3];   /* [nseat] force on a point, moment on a vector: what the joints must supply to the body there */
    double (*share_load)[3];  /* [nshare] load that the joint transmits to its second body */
    double (*core_load)[3];   /* [2 core_most] of one core: right-hand side, solution */
    double (*body_wrench)[6]; /* [nbody] last three: moment about the origin */
    double *row_lambda;       /* [nrow] */
    const double *u;          /* held values at this evaluation point; NULL: those of the system */
    const double *u_rate;     /* their rates; NULL: zero */
    double *signal;           /* [model->nsignal] values of the model's signals */
    const double *normal;     /* normal loads at this evaluation point; NULL: zero */
    const double *expected;   /* [nvariable] reference for counting revolutions of angles; NULL: the history */
    double *contact_G;        /* entries of G in the rows of contacts, whether they hold or not; on contact_slot */
    double *gap, *outside;    /* [ncontact] gaps; of the first contact of a point with a convex shape: its distance from that */
    double *contact_lambda;   /* [nrow] multipliers, for rows of sliding the friction */
    const double *piece;      /* selected pieces of the laws at this evaluation point */
    double *switching;        /* workspace of the switches */
    double *driven;           /* [ndriver][2] */
    double *floating;         /* places of bodies with shapes; vectors and matrices of the largest one */
    bool shapes_known;        /* these places are those of D */
    const double *demand;     /* accelerations whose inertia Q of bodies with shapes includes, while bl_floating_demand runs */
    const struct bl_mechanism *m;
    bl_elastic_room room;
    void *block; /* allocation that contains the arrays */
} bl_mech_work;

/* ---- law_pieces.c: laws defined by pieces */
bl_status bl_law_pieces_record(bl_mechanism *m);
const double *bl_law_pieces_selected(const bl_mechanism *m, const unsigned char *history);
const bl_tape *bl_driver_tape(const bl_mechanism *m, bl_index d);
/* in[inputs and pieces][order + 1] of the driver's tape at t; held numbers u[known + 1][nheld] as in bl_eval */
void bl_driver_inputs(const bl_mechanism *m, bl_index d, double t, const double *piece, const double *u, int known, int order, double *in);
void bl_law_pieces_events(const bl_mechanism *m, bl_eval *e);
bl_status bl_law_pieces_hold(const bl_system *sys, bl_eval *e, bl_state *state);
bl_status bl_law_pieces_next_time(const bl_system *sys, const bl_state *state, double *t);
bl_status bl_law_pieces_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event);
bool bl_law_pieces_blend(const bl_system *sys, bl_state *state, bl_index event, double share);
void bl_law_pieces_name(const bl_system *sys, bl_index event, char *name, size_t nname);

/* ---- entity_plan.c: entities, seats, bases */
bl_status bl_mech_find_inputs(bl_mechanism *m); /* structural_variables.c */
bl_status bl_plan_entities(bl_mechanism *m);
bool bl_plan_shares(const bl_mechanism *m, bl_index joint, const bl_prim *prim); /* a point or vector that both bodies share */
bl_status bl_plan_point(bl_mechanism *m, const bl_mark *mark, const char *name, bl_index *seat); /* a new point of a body */
bl_index bl_plan_find_seat(const bl_mechanism *m, bl_index body, bool is_vector, const double s[3], double *sign);

/* ---- forms.c: marks to directions */
void bl_form_clear(bl_form *f);
bl_status bl_form_mark(const bl_mechanism *m, const bl_mark *mark, bl_form *f); /* f += mark */
/* f += coef times a mark of a moving body, as an affine combination of the body's basis */
bl_status bl_form_in_basis(const bl_mechanism *m, const bl_mark *mark, double coef, bl_form *f);
void bl_form_entity(const bl_mechanism *m, bl_index entity, double coef, bl_form *f); /* f += coef entity */
bl_status bl_form_add(bl_context *ctx, bl_form *f, double coef, const bl_form *g);
void bl_form_scale(bl_form *f, double coef);
bl_status bl_direction(bl_mechanism *m, const bl_form *f, const bl_part part[2], bl_index *dir); /* registers it; equal directions are
                                                                                                    stored once */
bl_status bl_form_basis(const bl_mechanism *m, const bl_basis *basis, bl_index k, bl_form *f);   /* direction k of a basis */
/* a direction that belongs to one body only */
bl_status bl_direction_of(bl_mechanism *m, const bl_form *f, bl_index body, bool is_vector, bl_index *dir);
bl_status bl_direction_mark(bl_mechanism *m, const bl_mark *mark, bl_index *dir);
bl_status bl_direction_between(bl_mechanism *m, const bl_mark *a, const bl_mark *b, bl_index *dir); /* b - a */

/* ---- constraint_rows.c: equations of bodies and primitives; terms of the row added last */
bl_status bl_row_add(bl_mechanism *m, bl_row_what what, bl_index owner, bl_index partner, const char *meaning, double constant);
bl_status bl_row_quad(bl_mechanism *m, bl_index a, bl_index b, double coef);
bl_status bl_row_linear(bl_mechanism *m, bl_index entry, double coef, bl_index body);
bl_status bl_rows_build(bl_mechanism *m);

/* ---- product_rows.c */
/* Axis of an angle in the axes of a body, if it is fixed there (the axis of a universal joint is fixed in only one body); NULL: it is
 * not. */
const double *bl_angle_axis(const bl_mechanism *m, bl_index joint, const bl_prim *prim, bl_index body);
bl_status bl_product_angle(bl_mechanism *m, bl_index joint, const bl_prim *prim, const bl_gauge *gauge, bl_product *p);
bl_status bl_product_angles(bl_mechanism *m, const bl_prim *prim, bl_index which, bl_product *p);
/* sines, then cosines, of the row's scalars: trig[2 BL_LOCAL_SCALARS] */
void bl_product_trig(const bl_product *p, const double *x, double *trig);
/* value, gradient[local], Hessian[local][local] at the local values; NULL: not requested. Of a row that restricts velocities only: 0, the
 * coefficients of the local rates, and their derivatives, hess[r][c] that of coefficient r by local value c. */
void bl_product_eval(const bl_mechanism *m, const bl_product *p, const double *D, const double *x, const double *trig, double *value,
                     double *grad, double *hess);
/* K += force times the second derivative of a product row */
void bl_product_add_bend(const bl_mechanism *m, const bl_product *p, const bl_mech_work *w, double force, double *K);
/* second derivative along the rates */
double bl_product_gamma(const bl_mechanism *m, const bl_product *p, const double *D, const double *Dd, const double *x, const double *xd,
                        const double *trig);

/* ---- function_rows.c: relations by functions, contact with curves, touching surfaces */
bl_status bl_function_row(bl_mechanism *m, const bl_prim *prim, bl_product *p); /* its directions or scalars */
/* value, gradient, Hessian at the local values x, as bl_product_eval */
void bl_function_row_eval(const bl_prim *prim, int dim, const double *x, double *value, double *grad, double *hess);
/* Whether the row has a power series; then the nodes of its value and of its gradient grad[local] (-1: zero) on a tape with the local
 * values as inputs. */
bool bl_function_row_analytic(const bl_prim *prim);
bl_status bl_function_row_record(const bl_prim *prim, bl_tape *tape, bl_index *node, bl_index *grad);

/* ---- contact_rows.c: one-sided rows, which hold in the mode of their contact */
static inline bl_index bl_contact_events(const bl_model *model) { return model->surfaces ? 0 : BL_CONTACT_EVENTS * model->ncontact; }
bl_status bl_contact_rows_number(bl_mechanism *m, bl_system *sys); /* before bl_compile */
bl_status bl_contact_rows_build(bl_mechanism *m, bl_system *sys);  /* after it: patterns exist */
/* Whether a row does not hold now, so that it need not be evaluated. friction: rows of sliding that friction acts along count as held. */
bool bl_contact_row_idle(const bl_mechanism *m, const bl_eval *e, bl_index row, bool friction);
void bl_contact_rows_leave(const bl_mechanism *m, const bl_eval *e, double *rows); /* zero where they do not hold; phi: stores the gaps */
void bl_contact_rows_store_gaps(const bl_mechanism *m, bl_eval *e);
void bl_contact_rows_leave_G(const bl_mechanism *m, bl_eval *e, double *G, bool store);
void bl_contact_rows_events(const bl_system *sys, bl_eval *e);
/* Friction of contacts that slide: adds to Q and its power, or to K and C. */
void bl_contact_friction(const bl_system *sys, bl_eval *e, uint32_t want);
/* Multipliers of all rows; friction of contacts that slide as that of their rows of sliding. */
const double *bl_contact_multipliers(const bl_mechanism *m, const bl_eval *e);
/* contact_output.c: contacts at the poses, velocities and variables of `e`; contact[ncontact] numbers their rows in lambda, which may be
 * NULL. */
void bl_contacts_show(const bl_mechanism *m, const bl_contact *contact, const bl_eval *e, const double *lambda, bl_contact_sample *out);
void bl_contact_loads(const bl_mechanism *m, const bl_eval *e, double *load_now); /* normal forces from the multipliers */

/* ---- compile.c: patterns, operation lists, mass matrix, gravity */
bl_status bl_compile(bl_mechanism *m, bl_system *sys);

/* ---- eval.c, generalized_forces.c, pose.c, wrench.c */
bl_status bl_mech_eval(const bl_system *sys, bl_eval *eval, uint32_t want);
bl_status bl_loads_record(bl_mechanism *m); /* before the plan: what the forces read and act on */
bl_status bl_loads_build(bl_mechanism *m);
void bl_loads_inputs(const bl_mechanism *m, const bl_load *load, double t, const bl_mech_work *w, double *in); /* without pieces */
void bl_loads_gather(const bl_mechanism *m, const bl_load *load, double t, const bl_mech_work *w, double *in); /* with pieces */
void bl_loads_forces(const bl_mechanism *m, const bl_load *load, double t, bl_mech_work *w);                   /* fills w->tape_out */
bl_status bl_loads_find_conservative(bl_mechanism *m, bl_mech_work *w);
bl_status bl_loads_prepare(bl_mechanism *m, bl_load *load); /* what it reads, in terms of the coordinates */
bl_status bl_loads_eval(const bl_system *sys, bl_eval *eval, uint32_t want);
void bl_loads_by_held(const bl_system *sys, bl_eval *eval); /* Q_u */
double bl_loads_held(const bl_mechanism *m, bl_index held, double t, const double *u);
double bl_loads_input_rate(const bl_mechanism *m, const bl_load *load, bl_index input, const bl_mech_work *w); /* not of velocities */
struct bl_pairs;                                                                                               /* derived_coords.h */
/* ---- elastic_bodies.c: elements of elastic bodies */
bl_status bl_elastic_build(bl_mechanism *m);   /* directions */
bl_status bl_elastic_entries(bl_mechanism *m); /* entries that the elements depend on */
bl_status bl_elastic_collect_K(bl_mechanism *m, struct bl_pairs *p);
/* Mass and gravity: the first pass collects positions (values NULL), the second adds values at slot[*at ...]. */
bl_status bl_elastic_mass(bl_mechanism *m, struct bl_pairs *p, const bl_index *slot, bl_index *at, double *values);
void bl_elastic_gravity(bl_mechanism *m);
/* why there is no exact discrete gradient (neither power series) of a beam, if one is without */
void bl_elastic_not_discrete(const bl_system *sys, char *why, size_t nwhy, const char **advice);
bl_status bl_elastic_eval(const bl_system *sys, bl_eval *eval, uint32_t want); /* adds to Q, K, C, power and potential */
/* For reactions: calls push(user, body, direction, g) with M a + internal forces - gravity of every element on each of its directions;
 * impulsive: M a alone. */
typedef void (*bl_elastic_push)(const void *user, bl_index body, bl_index dir, const double *g);
bl_status bl_elastic_room_create(const bl_mechanism *m, bl_elastic_room *room);
void bl_elastic_balance(const bl_mechanism *m, bl_mech_work *w, bool impulsive, const void *user, bl_elastic_push push);
/* ---- floating_bodies.c: bodies that deform relative to a frame */
bl_status bl_floating_plan(bl_mechanism *m);                /* before entries of x are numbered */
bl_status bl_floating_rows(bl_mechanism *m, bl_index body); /* by which the frame `body` follows the body to which it belongs */
bl_status bl_floating_entries(bl_mechanism *m);             /* with their directions */
bl_status bl_floating_collect(bl_mechanism *m, struct bl_pairs *p);
void bl_floating_eval(const bl_system *sys, bl_eval *eval, uint32_t want); /* adds to M, M a by x, Q, K, C, power, energies */
void bl_floating_positions(const bl_mechanism *m, bl_mech_work *w);        /* places of the bodies, from D */
bl_status bl_floating_power(const bl_system *sys, bl_eval *eval);          /* bl_system_kind.power */
bl_status bl_floating_demand(const bl_system *sys, bl_eval *eval, const double *a, double *force); /* bl_system_kind.demand */
void bl_floating_balance(const bl_mechanism *m, bl_mech_work *w, bool impulsive, const void *user, bl_elastic_push push);
/* power series: room[nelastic]; directions of order k, then forces of an order no larger */
bl_status bl_elastic_series_create(const bl_mechanism *m, int order, double ***room);
void bl_elastic_series_destroy(const bl_mechanism *m, double **room);
void bl_elastic_series_take(const bl_mechanism *m, double *const *room, int order, int k, const double *D);
void bl_elastic_series_push(const bl_mechanism *m, double *const *room, int order, int k, double *Q);
/* beam_elements.c, solid_elements.c: elements of one body, appended to m->elastic */
bl_status bl_beam_elements(bl_mechanism *m, const bl_elastic_def *def);
bl_status bl_solid_elements(bl_mechanism *m, bl_mesh_body *mesh);

/* ---- mesh_points.c: nodes of meshes as points; forms of other points of a mesh */
bl_status bl_mesh_plan(bl_mechanism *m);                                             /* seats of the nodes, before joints share them */
bl_status bl_mesh_check_marks(const bl_mechanism *m);                                /* refuses what a mesh cannot carry */
static inline const bl_mesh_body *bl_mesh_of(const bl_mechanism *m, bl_index body) { /* NULL: not a mesh */
    return m->model->body[body].what == BL_BODY_MESH ? &m->mesh[m->model->body[body].elastic] : NULL;
}
bl_status bl_mesh_form(const bl_mechanism *m, const bl_mark *mark, double coef, bl_form *f); /* f += coef times a point of a mesh */
bl_status bl_mesh_node_form(const bl_mechanism *m, const bl_mesh_body *mesh, bl_index node, bl_form *f); /* f += a node */
bl_status bl_mesh_directions(bl_mechanism *m); /* of nodes, and of points that are asked for by position */
void bl_mesh_bodies_destroy(bl_mechanism *m);
/* ---- mesh_pose.c */
void bl_mesh_pose(const bl_mechanism *m, const bl_mech_work *w, bl_index body, bl_pose *pose, double R[3][3]); /* without the quaternion */
double bl_mesh_change(const bl_mechanism *m, bl_index body, const double *last, const double *now);
void bl_mesh_mean_now(const bl_mech_work *w, const bl_mark *mark, double *at, double *rate); /* a point of the mean motion */
void bl_mesh_mark_now(const bl_mech_work *w, const bl_mark *mark, double *at, double *rate); /* mesh_points.c: a point of the mesh */
/* ---- interface_rows.c */
bl_status bl_interface_rows(bl_mechanism *m);

/* signal_laws.c: laws that act on nothing */
bl_status bl_signal_laws_record(bl_mechanism *m);
bl_status bl_signal_laws_build(bl_mechanism *m, bl_system *sys);
void bl_signal_laws_destroy(bl_mechanism *m);
void bl_signal_laws_eval(const bl_system *sys, bl_eval *eval, uint32_t want);
const double *bl_signal_law_values(const bl_mechanism *m, const bl_eval *eval); /* of the model's signals; NULL: there are none */
/* pushes.c: forces as loads on bodies, springs as length and tension; call after the poses */
bl_status bl_pushes_build(bl_mechanism *m, bl_system *sys);
void bl_pushes(const bl_system *sys, bl_eval *eval);
void bl_poses(const bl_system *sys, bl_eval *eval);
/* A mark and its rate from the poses. */
void bl_pose_mark(const bl_eval *eval, const bl_mark *mark, double *at, double *rate);
/* Its marks and their rates. Second rates are not changed. */
void bl_pose_marks(const bl_eval *e, const bl_prim *prim, bl_prim_motion *at);
/* Value and rate of a primitive's variable at the current poses, which are also put into *at. */
void bl_pose_read(const bl_eval *eval, const bl_prim *prim, int part, bl_prim_motion *at, bl_prim_reading *reading);
void bl_basis_now(const bl_mechanism *m, bl_index body, const double *x, double origin[3], double d[3][3]); /* also for rates */
bl_status bl_mech_accept(const bl_system *sys, bl_eval *eval, bl_state *state);
bool bl_mech_has_turned(const bl_system *sys, const bl_state *state); /* whether bl_mech_accept has to count revolutions */
double bl_mech_turning(const bl_system *sys, bl_eval *eval);
void bl_gauges_geometry(const bl_system *sys, bl_eval *eval); /* from the poses, including variables that are coordinates */
void bl_gauges(const bl_system *sys, bl_eval *eval);
bl_status bl_probes_events(const bl_system *sys, bl_eval *eval, uint32_t want);
double bl_row_slope(const bl_mechanism *m, const bl_mech_work *w, bl_index row, bl_index entry); /* derivative of one row with respect to
                                                                                                    one entry */
bl_status bl_wrench_build(bl_mechanism *m);
/* Lists by group: of[i] is the group of item i (negative: none), `stride` bytes apart; list[ptr[g] .. ptr[g + 1]) ascends. */
void bl_wrench_group(bl_index ngroup, bl_index n, const bl_index *of, size_t stride, bl_index *ptr, bl_index *list);
/* Order in which the loads that joints transmit through shared entities are found (wrench_shares.c); then these loads, from seat_load. */
bl_status bl_shares_build(bl_mechanism *m);
void bl_shares_find(const bl_mechanism *m, bl_mech_work *w);
void bl_wrenches(const bl_system *sys, bl_eval *eval);
void bl_normal_loads(const bl_system *sys, bl_eval *eval); /* load_now; overwrites the wrenches of the joints concerned */
/* The same from reactions found elsewhere; call after bl_wrenches at the same evaluation point. */
void bl_normal_loads_of(const bl_system *sys, const bl_eval *eval, const bl_wrench *wrench, double *load_now);

/* ---- coords.c, reference.c */
/* mechanism_state.c */
bl_index bl_mech_can_write(const bl_system *sys, const uint8_t *chosen);
void bl_mech_write(const bl_system *sys, const uint8_t *chosen, const bl_pose *pose, const double *angle, double *q, double *v);
bl_status bl_mech_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state);
bl_status bl_mech_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state);
/* *e must be zeroed. On return: variables and rates at the state, measured from the geometry. Destroy *e also after a failure. */
bl_status bl_mech_measure(const bl_system *sys, const bl_state *state, bl_eval *e);
void bl_pose_axes(const bl_pose *pose, double R[9]); /* three columns, one after another */
bl_status bl_mech_build(bl_context *ctx, const bl_coords_choice *choice, bl_system **sys);

static inline const bl_mechanism *bl_mech(const bl_system *sys) { return sys->own; }

#endif
