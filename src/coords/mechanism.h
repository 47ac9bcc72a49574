/* mechanism: the private side of natural and mixed coordinates.
 *
 * Entities are points and unit vectors whose components are coordinates; a seat places an entity in a
 * body. Joints that can share entities do, and vanish as equations. Every point or vector fixed in a body (mark) is
 * a constant linear form of the full coordinate vector x = (free q | fixed). Rows are written on directions, which
 * are such forms, in two tables: quadratic rows (sums of dot products and linear terms) and product rows (angles). */
#ifndef BL_MECHANISM_H
#define BL_MECHANISM_H

#include "coords/choice.h"
#include "coords/spatial_hash.h"
#include "force/force.h"
#include "joint/joint.h"
#include "series/switches.h"

enum { BL_FORM_TERMS = 24, BL_MAX_FACTORS = 4 };

typedef struct bl_entity {
    bool is_vector, fixed, norm_written;
    bl_index owner; /* body that brought it; ground: no norm row */
    bl_index into;  /* merged into this entity, -1: alive */
    bl_index base;  /* first entry in x */
    bl_index first_seat, last_seat, nseat;
    double start[3]; /* in the model configuration */
    char name[48];
} bl_entity;

typedef struct bl_seat {
    bl_index body, entity;
    double s[3];   /* where the entity is in the body's axes */
    bl_index next; /* seat of the same body, -1: the last */
    bl_index mate; /* seat on the same entity, -1: the last */
} bl_seat;

/* The affine frame of a body: r = D0 + xi_1 D_1 + ... The directions are point differences, vectors, or the
 * cross product of a fixed vector with an earlier direction (body turning about a fixed axis; always so in the plane). */
typedef struct bl_basis {
    bl_index origin;      /* seat of D0, -1 for ground */
    bl_index n;           /* directions: 0 to 3 */
    bl_index seat[3];     /* seat of the point or vector; crossed: -1 */
    bl_index cross_of[3]; /* crossed: which earlier direction is turned */
    double cross_axis[3]; /* crossed: by this fixed unit vector, global */
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

/* A direction of a row: a form, and for reactions the marks it is the difference of (b - a; body -1: none). */
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

enum { BL_LOCAL_DIRS = 5, BL_LOCAL_SCALARS = 3, BL_ROW_TERMS = 8, BL_LOCAL = 3 * BL_LOCAL_DIRS + BL_LOCAL_SCALARS };

/* A product row: terms over a few directions and scalars. The switching angle rows have two forms. */
typedef struct bl_product {
    bl_index row; /* row of phi; -1 for a row that only measures a variable */
    bl_index ndir, nscalar;
    bl_index dir[BL_LOCAL_DIRS];       /* directions */
    bl_index scalar[BL_LOCAL_SCALARS]; /* entries of x */
    double phase[BL_LOCAL_SCALARS];    /* added to the scalar under sine and cosine */
    bl_index nterm[2];                 /* second: alternative form */
    bl_term term[2][BL_ROW_TERMS];
    double constant[2];
    double lean[2];  /* angles: direction 0 or 1 is one of its body less so much of direction 2, the axis, of another body */
    bl_index nentry; /* distinct free entries of x */
    bl_index *entry;
    bl_index *G_slot; /* [nentry] positions in pat_G */
    bl_index *K_slot; /* [nentry][nentry] positions in pat_K */
    bl_index nmap;    /* (local index, entry number, coef) */
    bl_index *map_local, *map_entry;
    double *map_coef;
} bl_product;

/* One recorded force of the model on the coordinates. */
typedef struct bl_load {
    bl_record record;
    const bl_tape *tape;    /* that of the record, or by pieces, which follow its inputs */
    bl_index piece, npiece; /* first of its pieces, how many */
    bl_index *mark_dir;     /* [nmark] direction number of each mark */
    bl_index *var_entry;    /* [nvar] entry of x */
    bl_index nentry;        /* distinct free entries the force reads or pushes */
    bl_index *entry;
    bl_index *K_slot;                                                                      /* [nentry][nentry] */
    bl_index mark_out[BL_MAX_FORCE_MARKS], var_out[BL_MAX_FORCE_VARIABLES], potential_out; /* outputs of the tape, -1: none */
    bl_index normal; /* number of the normal load it reads, -1: none */
    bool reads_velocity, reads_time, conservative;
    bool discrete; /* its work between two places can be made the loss of potential: by length, or quadratic, or no potential at all */
} bl_load;

/* Where a variable's value comes from. */
typedef struct bl_gauge {
    bl_index joint;
    const bl_prim *prim; /* the primitive that defines it */
    int part;            /* which of its variables */
    bl_index entry;      /* entry of x when it is a coordinate, else -1 */
} bl_gauge;

/* Everything the system of a mechanism knows: the plan, the rows, and what compile.c made of them. Constant after bl_coords_build. */
typedef struct bl_mechanism {
    const bl_coords_kind *coords;
    const bl_model *model;
    bl_context *ctx;
    bl_arena arena;
    int dim;
    bool mixed, switching;
    const bl_coords_choice *choice; /* while it is being built */
    bool *apart;                    /* [nbody] shares nothing (choice.h) */
    bool *framed;  /* [nbody] then: a mass center and three axes, no rows that keep them rigid; else a slender rod by two points */
    double size;   /* extent of the model, for tolerances */
    double length; /* typical length of a body: scale of points */
    bool *wanted;  /* [nvariable] variables that are coordinates */
    bl_index nentity, nseat, entity_room, seat_room;
    bl_entity *entity;
    bl_seat *seat;
    bl_index *first_seat, *last_seat; /* [nbody] -1: none */
    bl_near seats, points;            /* while it is being built: seats by where they are in their bodies, named points */
    bl_hash directions;               /* likewise: by their forms */
    bl_basis *basis;                  /* [nbody] */
    bl_index nx, nfree, one;          /* entries of x; q is its beginning; x[one] = 1 */
    double *x_start;                  /* [nx] model configuration */

    bl_index ndir; /* directions as CSR over x: component k of direction d is row dim*d+k */
    bl_index *form_ptr, *form_entry, part_room, form_ptr_room, form_entry_room, form_coef_room;
    double *form_coef;
    bl_part (*part)[2];  /* [ndir] for reactions */
    bl_index nhot, *hot; /* [ndir] directions that every evaluation needs; behind them the others */
    bl_index npair, nwide, *wide;
    struct bl_pair {
        bl_index row, a, b;
        double ca, cb;
    } * pair; /* their components: D[row] = ca x[a] + cb x[b]; wide: rows with another number of terms */

    /* quadratic rows: phi[row] = constant + sum linear + sum coef a.b */
    bl_index nrow, row_room;
    bl_row *row;
    double *row_constant, *row_norm;
    char (*row_says)[48];
    bool *row_relation; /* relates variables, whatever measures them */
    bl_index row_constant_room, row_says_room, row_relation_room;
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
    bl_index nload; /* forces of the model, then actuators beside them */
    bl_load *load;
    bl_switches switches; /* of laws: forces, then drivers */
    bl_index first_piece; /* where in the history their pieces are */
    double *no_pieces;    /* zeros: no pieces are held */
    bl_event_def *event;
    size_t tape_work;
    bl_index tape_in, tape_out, tape_d;
    bl_gauge *gauge;         /* [nvariable] */
    bl_index *angle, nangle; /* variables measured up to whole turns */
    bl_col *col;
    bl_index *independent, nindependent;
    bl_index *input, ninput; /* variables chosen by the structure (structural_variables.c) */
    /* reactions: which joints share an entity, and in which order their loads are found (wrench.c) */
    bl_index nshare, share_room;
    struct bl_share {
        bl_index joint, seat_a, seat_b;
    } * share;
    bl_index *entity_joint;                 /* [nentity] the last joint that attaches it, -1: none */
    bl_index *entry_entity;                 /* [nx] -1 for variables and the constant */
    bl_index *seat_ptr, *seat_list;         /* seats of each body */
    bl_index *seat_sorted;                  /* the same by entity */
    bl_index *joint_seat_ptr, *joint_seat;  /* of each joint, of the body that shows its reaction: seats on which its rows push */
    bl_index *joint_ptr[5], *joint_list[5]; /* of each joint: its quadratic, linear, product terms, what it shares, rows of its variables */
    bl_index *push_ptr, *push_to; /* of part p of direction d, [2 d + p]: of every term of its form the place in seat_load; -1: nowhere */
    bl_index *linear_to;          /* the same of linear terms */
    bl_index nquad_op;
    struct bl_quad_op {
        bl_index to, row, source;
        double w;
    } * quad_op;  /* G^T lambda of quadratic terms: seat_load[to] += w lambda[row] D[source] */
    bool *turned; /* [nbody] turns about a fixed axis, which keeps what its points cannot show: its moment about the origin is wanted */
    bool any_turned;
    bool variables;        /* some variable is a coordinate, which forces may push */
    bl_index *inertia_ptr; /* [4 nbody + 1] of direction i of the basis of body b, [4 b + i]: */
    struct bl_inertia {
        bl_index to, part; /* place in seat_load, component */
        double coef;
    } * inertia;
    /* forces as they are looked at (pushes.c) */
    bl_index npush, nspring;
    bl_index *push_first; /* [nload + 1] entries of each load in: */
    bl_push_def *push;    /* [npush] */
    bl_mark *push_point;  /* [npush] where each is stated */
    bl_spring_def *spring;
    struct bl_shown_spring *shown; /* [nspring] */
    bl_index npeel;
    struct bl_peel {
        bl_index share, seat;
        double sign;
    } * peel; /* the load of `share` follows from the seat's balance */
    /* normal loads that forces read */
    bl_index nnormal;
    struct bl_normal {
        bl_index joint, axis; /* direction number of the axis, -1: z, in the plane */
        double arm;           /* 0: moments do not press */
        bool whole_moment;
    } * normal;
    uint8_t *normal_open; /* [nnormal] depends on how the joints of a loop on one entity share */
    bool *rubs;           /* [njoint] has one */
    bool rubs_shared;     /* one of them shares an entity: its reaction needs the balance of bodies */
    bl_index ncore;
    struct bl_core {
        bl_index nshare, nseat, nfloat;
        bl_index *share, *seat;  /* [nshare], [nseat] */
        bl_index (*end)[2];      /* [nshare] places among the seats: gives, takes; -1: ground */
        bl_index *floats, *size; /* [nseat] which part without ground it is in, -1: none; [nfloat] seats of such a part */
        bl_index n, *row, *col;  /* [n] pivots of the factors L U of A A^T, with one seat of each part without ground left out */
        bl_index *l_ptr, *u_ptr; /* [n + 1] L by columns, U by rows */
        bl_index *l_row, *u_col; /* [l_ptr[n]], [u_ptr[n]] */
        double *pivot, *l, *u;   /* [n], [l_ptr[n]], [u_ptr[n]] */
    } * core;                    /* closed loops on one entity: least norm */
    bl_index core_most;          /* seats of one */
    bool *stays_row;             /* [primitives] a point or vector that is not shared: a body would lose its shape */
} bl_mechanism;

/* Workspace of one evaluation. */
typedef struct bl_mech_work {
    double *x, *xd;                       /* full coordinates and rates; fixed part constant */
    double *D, *Dd;                       /* directions and rates, dim each */
    double (*trig)[2 * BL_LOCAL_SCALARS]; /* [nproduct] sines and cosines */
    double *tape_in, *tape_out, *tape_d, *tape_work;
    double (*rotation)[3][3]; /* [nbody] body axes to global, with the poses */
    double *xdd;              /* [nx] second rates, for reactions */
    double (*seat_load)[3];   /* [nseat] force on a point, moment on a vector, that the joints owe the body there */
    double (*share_load)[3];  /* [nshare] what the joint passes to its second body */
    double (*core_load)[3];   /* [2 core_most] of a core: right side, solution */
    double (*body_wrench)[6]; /* [nbody] last three: moment about the origin */
    double *row_lambda;       /* [nrow] */
    const double *u;          /* held numbers of the place under evaluation; NULL: as the system has them */
    const double *normal;     /* loads of the place under evaluation; NULL: zero */
    const double *expected;   /* [nvariable] whose nearest turns angles take; NULL: those of the history */
    const double *piece;      /* of laws, there */
    double *switching;        /* work of the switches */
    double *driven;           /* [ndriver][2] */
    void *block;              /* of the arrays */
} bl_mech_work;

/* ---- branches.c: laws by pieces */
bl_status bl_branches_record(bl_mechanism *m);
const double *bl_branches_pieces(const bl_mechanism *m, const unsigned char *history);
const bl_tape *bl_driver_tape(const bl_mechanism *m, bl_index d);
/* in[inputs and pieces][order + 1] of the driver's tape at t */
void bl_driver_inputs(const bl_mechanism *m, bl_index d, double t, const double *piece, int order, double *in);
void bl_branches_events(const bl_mechanism *m, bl_eval *e);
bl_status bl_branches_hold(const bl_system *sys, bl_eval *e, bl_state *state);
bl_status bl_branches_next_time(const bl_system *sys, const bl_state *state, double *t);
bl_status bl_branches_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event);
bool bl_branches_blend(const bl_system *sys, bl_state *state, bl_index event, double share);
void bl_branches_name(const bl_system *sys, bl_index event, char *name, size_t nname);

/* ---- entity_plan.c: entities, seats, bases */
bl_status bl_mech_find_inputs(bl_mechanism *m); /* structural_variables.c */
bl_status bl_plan_entities(bl_mechanism *m);
bool bl_plan_shares(const bl_mechanism *m, bl_index joint, const bl_prim *prim); /* a point or vector that becomes one */
bl_index bl_plan_find_seat(const bl_mechanism *m, bl_index body, bool is_vector, const double s[3], double *sign);

/* ---- forms.c: marks to directions */
void bl_form_clear(bl_form *f);
bl_status bl_form_mark(const bl_mechanism *m, const bl_mark *mark, bl_form *f);       /* f += mark */
void bl_form_entity(const bl_mechanism *m, bl_index entity, double coef, bl_form *f); /* f += coef entity */
bl_status bl_form_add(bl_context *ctx, bl_form *f, double coef, const bl_form *g);
void bl_form_scale(bl_form *f, double coef);
bl_status bl_direction(bl_mechanism *m, const bl_form *f, const bl_part part[2], bl_index *dir); /* registers; equal ones are kept once */
bl_status bl_form_basis(const bl_mechanism *m, const bl_basis *basis, bl_index k, bl_form *f);   /* direction k of a basis */
/* a direction wholly of one body */
bl_status bl_direction_of(bl_mechanism *m, const bl_form *f, bl_index body, bool is_vector, bl_index *dir);
bl_status bl_direction_mark(bl_mechanism *m, const bl_mark *mark, bl_index *dir);
bl_status bl_direction_between(bl_mechanism *m, const bl_mark *a, const bl_mark *b, bl_index *dir); /* b - a */

/* ---- constraint_rows.c: bodies and primitives to rows */
bl_status bl_rows_build(bl_mechanism *m);

/* ---- product_rows.c */
/* Axis of an angle in the axes of a body, when it is fixed there (of a universal joint it is in one of them only); NULL: it is not. */
const double *bl_angle_axis(const bl_mechanism *m, bl_index joint, const bl_prim *prim, bl_index body);
bl_status bl_product_angle(bl_mechanism *m, bl_index joint, const bl_prim *prim, const bl_gauge *gauge, bl_product *p);
bl_status bl_product_angles(bl_mechanism *m, const bl_prim *prim, bl_index which, bl_product *p);
/* sines, then cosines, of the row's scalars: trig[2 BL_LOCAL_SCALARS] */
void bl_product_trig(const bl_product *p, const double *x, double *trig);
/* value, gradient[local], Hessian[local][local] at the local values; NULL: not wanted */
void bl_product_eval(const bl_mechanism *m, const bl_product *p, const double *D, const double *x, const double *trig, double *value,
                     double *grad, double *hess);
/* second derivative along the rates */
double bl_product_gamma(const bl_mechanism *m, const bl_product *p, const double *D, const double *Dd, const double *x, const double *xd,
                        const double *trig);

/* ---- compile.c: patterns, op lists, mass matrix, gravity */
bl_status bl_compile(bl_mechanism *m, bl_system *sys);

/* ---- eval.c, generalized_forces.c, pose.c, wrench.c */
bl_status bl_mech_eval(const bl_system *sys, bl_eval *eval, uint32_t want);
bl_status bl_loads_record(bl_mechanism *m); /* before the plan: what forces read and push */
bl_status bl_loads_build(bl_mechanism *m);
void bl_loads_inputs(const bl_mechanism *m, const bl_load *load, double t, const bl_mech_work *w, double *in); /* without pieces */
void bl_loads_forces(const bl_mechanism *m, const bl_load *load, double t, bl_mech_work *w);                   /* fills w->tape_out */
void bl_loads_find_conservative(bl_mechanism *m, bl_mech_work *w);
bl_status bl_loads_eval(const bl_system *sys, bl_eval *eval, uint32_t want);
void bl_loads_by_held(const bl_system *sys, bl_eval *eval); /* Q_u */
double bl_loads_held(const bl_mechanism *m, bl_index held, double t, const double *u);
/* pushes.c: forces as what they exert on bodies, springs by length and tension; after the poses */
bl_status bl_pushes_build(bl_mechanism *m, bl_system *sys);
void bl_pushes(const bl_system *sys, bl_eval *eval);
void bl_poses(const bl_system *sys, bl_eval *eval);
/* A mark and its rate by the poses. */
void bl_pose_mark(const bl_eval *eval, const bl_mark *mark, double *at, double *rate);
/* What a primitive reads where the bodies are, with its rate; *at: its marks, whose second rates stay as they are. */
void bl_pose_read(const bl_eval *eval, const bl_prim *prim, int part, bl_prim_motion *at, bl_prim_reading *reading);
void bl_basis_now(const bl_mechanism *m, bl_index body, const double *x, double origin[3], double d[3][3]); /* also of rates */
bl_status bl_mech_accept(const bl_system *sys, bl_eval *eval, bl_state *state);
bool bl_mech_turned(const bl_system *sys, const bl_state *state); /* whether that looks */
double bl_mech_turning(const bl_system *sys, bl_eval *eval);
void bl_gauges_geometry(const bl_system *sys, bl_eval *eval); /* from the poses, also those that are coordinates */
void bl_gauges(const bl_system *sys, bl_eval *eval);
bl_status bl_probes_events(const bl_system *sys, bl_eval *eval, uint32_t want);
double bl_row_slope(const bl_mechanism *m, const bl_mech_work *w, bl_index row, bl_index entry); /* derivative of one row by one entry */
bl_status bl_wrench_build(bl_mechanism *m);
/* Lists by group: of[i] is the group of item i (negative: none), `stride` bytes apart; list[ptr[g] .. ptr[g + 1]) ascends. */
void bl_wrench_group(bl_index ngroup, bl_index n, const bl_index *of, size_t stride, bl_index *ptr, bl_index *list);
/* In which order loads are found that joints pass by sharing entities (wrench_shares.c); then, from seat_load, these loads. */
bl_status bl_shares_build(bl_mechanism *m);
void bl_shares_find(const bl_mechanism *m, bl_mech_work *w);
void bl_wrenches(const bl_system *sys, bl_eval *eval);
void bl_normal_loads(const bl_system *sys, bl_eval *eval); /* load_now; spoils the wrenches of joints that have one */
/* The same of reactions found elsewhere; after bl_wrenches at this place. */
void bl_normal_loads_of(const bl_system *sys, const bl_eval *eval, const bl_wrench *wrench, double *load_now);

/* ---- coords.c, reference.c */
/* mechanism_state.c */
bl_status bl_mech_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state);
bl_status bl_mech_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state);
/* Zeroed *e in; at the state, variables and rates as the geometry shows them. To be destroyed, also after a failure. */
bl_status bl_mech_measure(const bl_system *sys, const bl_state *state, bl_eval *e);
void bl_placed_axes(const bl_pose *pose, double R[9]); /* columns one after the other */
bl_status bl_mech_build(bl_context *ctx, const bl_coords_choice *choice, bl_system **sys);

static inline const bl_mechanism *bl_mech(const bl_system *sys) { return sys->own; }

#endif
