/* system: the waist. Every model becomes one constrained system
 *
 *     q' = T(q) v                            T = I where there are as many positions as velocities
 *     M(q) v' + G^T lambda = Q(q, v, z, t)   G = phi_q T
 *     A z' = f(q, v, z, t)                   first-order states; A is the lower right block of C
 *     phi(q, t) = 0,   G v = b,   G v' = c
 *
 * What stands left of this header only builds it, what stands right only uses it. Derivatives are taken
 * along an increment x as long as the velocities (retract moves q by it), so everybody to the right sees
 * one length n = nv + nz and square matrices. */
#ifndef BL_SYSTEM_H
#define BL_SYSTEM_H

#include "base/held.h"
#include "base/kind.h"
#include "biela/fields.h"
#include "biela/pose.h"
#include "system/size.h"

/* CSC; indices ascending in each column. Values lie beside, so that one pattern serves many. */
typedef struct bl_pattern {
    bl_index nrow, ncol;
    const bl_index *ptr, *idx; /* ptr[ncol+1], idx[ptr[ncol]] */
} bl_pattern;

/* what a system can do (bl_system.can), and what a formulation gives */
enum {
    BL_CAN_MASS = 1,
    BL_CAN_MSOLVE = 2,
    BL_CAN_TANGENT = 4,
    BL_CAN_SERIES = 8,
    BL_CAN_ENERGY = 32,
    BL_CAN_LOCAL = 64,
    BL_CAN_DISCRETE = 128, /* conservative forces by a discrete gradient between two places */
    BL_CAN_RATE = 256,
    BL_CAN_STAGE = 512,
    BL_CAN_COEFFICIENT = 1024
};
/* facts about a system */
enum {
    BL_FLAT = 1, /* nq == nv, T = I, retract is q + x */
    BL_M_CONST = 2,
    BL_CK_CONST = 4,
    BL_PHI_QUADRATIC = 8,
    BL_Q_OF_LAMBDA = 16, /* nload > 0 */
    BL_HISTORY = 32,     /* keeps trial history at accept */
    BL_INEQUALITIES = 64,
    BL_SMOOTH = 128,
    BL_RHEONOMIC = 256, /* phi depends on t: b may differ from 0 */
    BL_Q_OF_V = 512,    /* Q depends on velocities */
    BL_Q_OF_T = 1024,   /* Q or f depends on time by itself */
    BL_IDENTITY = 2048, /* M and A are identities (they stand in M and C all the same) */
    BL_A_IDENTITY = 4096,
    BL_K_SYMMETRIC = 8192,
    BL_M_DIAGONAL = 16384,
    BL_TURNS_ONLY = 32768, /* the history holds turns of angles and signs, nothing of the way there: any place may be accepted */
    BL_FINE = 65536,       /* a mesh: its fastest modes belong to the mesh, not to the motion, and steps need not resolve them */
    BL_POWER_OF_V = 131072 /* the kind's `power` needs t and v alone */
};
/* quantities, asked for as a set */
enum {
    BL_T = 1,
    BL_M = 2,
    BL_Q = 4,
    BL_F = 8,
    BL_PHI = 16,
    BL_G = 32,
    BL_B = 64,
    BL_C = 128,
    BL_KC = 256,     /* K = -d(Q, f)/dx, C = -d(Q, f)/dv, and A; without BL_CAN_TANGENT A alone */
    BL_MA_X = 512,   /* d(M a)/dx; needs a */
    BL_GTL_X = 1024, /* d(G^T lambda)/dx; needs lambda */
    BL_GV_X = 2048,  /* d(G v)/dx */
    BL_FREE_ACC = 4096,
    BL_ENERGY = 8192,
    BL_POSE = 16384,   /* pose and twist of every body */
    BL_WRENCH = 32768, /* needs a and lambda */
    BL_EVENTS = 65536,
    BL_VARIABLES = 131072,     /* variables and rates */
    BL_PROBES = 262144,        /* positions and velocities */
    BL_LOADS = 524288,         /* load_now; needs a and lambda */
    BL_W = 1048576,            /* W W^T = G M^-1 G^T, rows of G as M^-1 answers them; BL_SINGULAR: M is. With BL_CAN_MSOLVE and rows only */
    BL_FIELDS = 1 << 21,       /* numbers on meshes; takes a where it is known */
    BL_FORCES = 1 << 22,       /* what force elements exert on bodies, as springs their length and tension */
    BL_U = 1 << 23,            /* dQ/du, derivatives by the held numbers */
    BL_OWN_POSITION = 1 << 29, /* the maker's own, of positions and time; of velocities too */
    BL_OWN_VELOCITY = 1 << 30,
    BL_OF_POSITION = BL_T | BL_M | BL_PHI | BL_G | BL_B | BL_W | BL_OWN_POSITION,    /* keep these in `have` when only velocities moved */
    BL_SEEN = BL_POSE | BL_WRENCH | BL_EVENTS | BL_VARIABLES | BL_PROBES | BL_LOADS, /* what a user looks at: one room for all */
    BL_STAGE = BL_KC | BL_MA_X | BL_GTL_X | BL_GV_X,                                 /* what implicit stages need beside the others */
    BL_ALL = (1 << 24) - 1
};

typedef enum bl_op { BL_OP_M, BL_OP_MINV, BL_OP_G, BL_OP_GT, BL_OP_K, BL_OP_C, BL_OP_T, BL_OP_TT } bl_op;

typedef enum bl_row_what {
    BL_ROW_RIGID,
    BL_ROW_PARAM,
    BL_ROW_JOINT,
    BL_ROW_CLOSURE,
    BL_ROW_VARIABLE,
    BL_ROW_DRIVER,
    BL_ROW_EQUATION
} bl_row_what;
typedef enum bl_row_law { BL_LAW_EQUAL, BL_LAW_UNILATERAL, BL_LAW_FRICTION, BL_LAW_BOX } bl_row_law;
typedef enum bl_col_what { BL_COL_POINT, BL_COL_VECTOR, BL_COL_ANGLE, BL_COL_DISTANCE, BL_COL_STATE } bl_col_what;

/* Every row and column says what it is, who owns it and its scale. Names are found with bl_system_row_name. */
typedef enum bl_row_level { BL_AT_POSITION, BL_AT_VELOCITY } bl_row_level; /* what a row restricts */
typedef struct bl_row {
    uint8_t what, law, part, level;
    bl_index owner, partner; /* RIGID: body; JOINT, CLOSURE, VARIABLE: joint; DRIVER: driver. partner: -1 or second owner */
    double scale;            /* typical size of its gradient: phi / scale has the unit of a coordinate */
} bl_row;
typedef struct bl_col {
    uint8_t what, order, part; /* order 2, 1, 0 in time; part: component */
    bl_index owner;            /* entity, variable or state */
    bl_index bundle;           /* number of the thing it is a component of (a point, a vector, a body), from 1; 0: it stands alone */
    double scale;              /* typical size of the coordinate */
} bl_col;

/* Event functions of (t, q, v, z, history). STOP: the run ends there. SWITCH: a law changes its branch, which is held in the history until
 * then, by `jump`; KINK: so it does, but only derivatives of it jump. Both are positive while their branch is the right one. */
typedef enum bl_event_what { BL_EVENT_STOP, BL_EVENT_SWITCH, BL_EVENT_KINK } bl_event_what;
typedef struct bl_event_def {
    uint8_t what;
    int8_t direction; /* 1: upwards through zero; -1: downwards; 0: both */
    bl_index owner;   /* STOP: of the stop expression; else the maker's own */
    double scale;     /* typical size of the function */
} bl_event_def;

/* Forces of a model as they are looked at (BL_FORCES): one entry for every body that an element pushes; springs. */
typedef struct bl_push_def {
    bl_index owner, body; /* force of the model; body, never the ground */
} bl_push_def;
typedef struct bl_spring_def {
    bl_index owner, variable; /* force of the model; variable that it pulls back, -1: between two points */
} bl_spring_def;

/* Everything the next step depends on, views into one block: snapshot, restart and replay are a copy. */
typedef struct bl_state {
    void *block;
    size_t bytes;
    double *t, *q, *v, *z, *lambda;
    double *u;          /* [nu] held numbers */
    double *work;       /* of all forces without potential and of drivers since t0, for the energy balance */
    signed char *armed; /* [nevent] sign of each function up to now; 0: it stands at zero, and counts once it has left it */
    unsigned char *history, *integrator;
} bl_state;

/* A place and what is known there; one per thread. The caller sets the place, eval fills the rest. */
typedef struct bl_eval {
    double t;
    const double *q, *v, *z, *a, *lambda;
    const double *u; /* [nu] held numbers; NULL: as the system has them at t */
    const unsigned char *history;
    /* Both given (BL_CAN_DISCRETE): Q takes the conservative forces as a discrete gradient, their work between the two places is exactly
     * the loss of potential; everything else is taken at q. K is then for a q in the middle: while q moves by x, q_to moves by 2 x.
     * NULL: forces at q. */
    const double *q_from, *q_to;
    const double *load;        /* [nload] normal loads that Q takes; NULL: all zero. Who moves them clears BL_Q and what follows from it */
    double dissipation;        /* with them: share chi >= 0 of numerical dissipation, chi/2 (V'(l1) - V'(l0)) on every length l */
    uint32_t have;             /* quantities valid at this place: the caller clears what a move of the place spoils */
    uint32_t constant;         /* quantities the maker filled once for all in eval_room: bl_eval_at keeps them in `have` */
    bool slow;                 /* equilibria: inertia and damping do not act, of what laws of time move either; v is for the power alone */
    bool keeps;                /* K and C are its own where the system would lend them: who asks for forces between places needs that */
    bool unseen;               /* nobody reads poses or variables: accept need not follow whole turns of angles and signs of quaternions */
    uint32_t uses;             /* quantities there is room for; vectors of the system's lengths are there always */
    double *T, *M, *C, *K, *G; /* values on the system's patterns */
    double *W;                 /* on pat_W */
    double *Ma_x, *GTl_x, *Gv_x; /* on pat_K, pat_K, pat_G */
    double *Q, *f, *phi, *b, *c, *a_free;
    double *Q_u;                      /* [nu][nv + nz] */
    double kinetic, potential;        /* ENERGY */
    double dissipated;                /* with them: by materials, for good, since the start */
    double power;                     /* with Q or free accelerations: of all forces without potential (drivers apart: -lambda . b) */
    bl_pose *pose;                    /* [nbody], ground first */
    bl_wrench *wrench;                /* [njoint] */
    double *driver_force;             /* [drivers] WRENCH: -lambda of each driver's row, what it exerts on its variable */
    double *relation_force;           /* [njoint] WRENCH: -lambda of a joint's last row; of a gear, what it exerts on its second variable */
    double *load_now;                 /* [nload] LOADS: what the reactions at this place ask for; the motion has load = load_now */
    double *event;                    /* [nevent] */
    double *variable, *variable_rate; /* [nvariable] */
    double *probe, *probe_rate;       /* [nprobe][3] */
    double **field;                   /* [nfield], each [items][components] */
    bl_push *push;                    /* [npush] FORCES */
    double *spring_length, *spring_tension; /* [nspring] FORCES */
    unsigned char *trial;
    void *own;   /* workspace of the maker */
    void *block; /* holds all arrays made by bl_eval_create and bl_eval_room: the last one, which knows the one before */
} bl_eval;

typedef struct bl_system bl_system;
struct bl_expansion; /* expansion.h */

typedef struct bl_system_kind {
    bl_kind kind;
    bl_status (*eval)(const bl_system *, bl_eval *, uint32_t want);
    bl_status (*power)(const bl_system *, bl_eval *); /* e->power alone; asked for with the fact BL_POWER_OF_V, else it comes with Q */
    /* NULL: by matrices; y may be x for MINV */
    bl_status (*apply)(const bl_system *, bl_eval *, bl_op, bl_index nrhs, const double *x, double *y);
    /* M a - Q in one go, for who wants nothing else; NULL: by both. BL_AGAIN: not of this system. */
    bl_status (*demand)(const bl_system *, bl_eval *, const double *a, double *force);
    /* diagonal[nv + nz] of K or M without the matrix; NULL: there is none without */
    bl_status (*diagonal)(const bl_system *, bl_eval *, bl_op, double *diagonal);
    bl_status (*retract)(const bl_system *, const double *q, const double *x, double *q_new); /* NULL: q + x */
    /* An increment that leads from q to q_new: of those that differ by whole turns the one nearest to `near`; NULL: the shortest. */
    bl_status (*local)(const bl_system *, const double *q, const double *q_new, const double *near, double *x);
    bl_status (*accept)(const bl_system *, bl_eval *, bl_state *); /* at the accepted place: keep trial history, normalise; BL_RESTART */
    /* ---- laws by pieces; NULL: none. Every piece is smooth; which one holds stands in the history, and changes at events alone */
    bl_status (*hold)(const bl_system *, bl_eval *, bl_state *);            /* all pieces as the state has them: at the start */
    bl_status (*next_time)(const bl_system *, const bl_state *, double *t); /* of a change; INFINITY: none */
    /* The discrete part of an event, or (-1) of a time of next_time; may change the state too. BL_AGAIN: nothing changed. */
    bl_status (*jump)(const bl_system *, bl_eval *, bl_state *, bl_index event);
    /* Puts the piece of an event with two sides between them: share -1 ... 1, 1 where its argument is positive. False: it has more. */
    bool (*blend)(const bl_system *, bl_state *, bl_index event, double share);
    void (*event_name)(const bl_system *, bl_index event, char *name, size_t nname);
    /* A bound of the rates of `angle` at the place of eval, cheap; INFINITY: they have none. NULL where there are no such angles. */
    double (*turning)(const bl_system *, bl_eval *);
    /* `rounded` at the place of eval, whose forces have been asked for. NULL: the system's. */
    double (*rounded)(const bl_system *, const bl_eval *);
    /* power series of a motion (expansion.h); NULL without BL_CAN_SERIES */
    bl_status (*series)(const bl_system *, struct bl_expansion *, int k, uint32_t want);
    bl_status (*expansion_create)(const bl_system *, struct bl_expansion *); /* fills own; NULL: nothing */
    void (*expansion_destroy)(const bl_system *, struct bl_expansion *);
    void (*not_analytic)(const bl_system *, char *why, size_t nwhy); /* what keeps it from having one, in words; NULL: nothing to add */
    bl_status (*exact)(const bl_system *, double t, double *q, double *v, double *z); /* a known solution; NULL: none */
    bl_status (*eval_create)(const bl_system *, bl_eval *);                           /* fills own; NULL: nothing */
    /* Arrays of `fresh` quantities have just been made: fills those that never change (and adds them to `constant`), makes workspace that
     * they alone need. Follows eval_create, and whenever more is asked for. NULL: nothing. */
    bl_status (*eval_room)(const bl_system *, bl_eval *, uint32_t fresh);
    /* Patterns that are made on demand, where they may be dense: pat_M for BL_M, pat_W for BL_W, pat_C and pat_K for BL_KC, BL_MA_X,
     * BL_GTL_X. Not while other threads use the system. NULL: all are there. */
    bl_status (*patterns)(const bl_system *, uint32_t uses);
    void (*eval_destroy)(const bl_system *, bl_eval *);
    void (*row_name)(const bl_system *, bl_index row, char *part, size_t npart, char *equation, size_t nequation);
    void (*col_name)(const bl_system *, bl_index col, char *name, size_t nname);
    /* A small motion x[n] as one, in words ("beam turns about (0, 1)"); false: it is none that has a name. NULL: none has. */
    bool (*motion_name)(const bl_system *, const double *x, char *name, size_t nname);
    void (*load_name)(const bl_system *, bl_index load, char *name, size_t nname);
    void (*destroy)(bl_system *); /* what own holds, half built too; NULL: nothing */
} bl_system_kind;

/* Constant for one epoch; shared by threads. */
struct bl_system {
    const bl_system_kind *kind;
    bl_context *ctx;
    uint32_t can, facts, epoch;
    uint32_t zero;           /* quantities that are identically zero: nobody needs to ask, and bl_eval_create makes no room for them */
    bl_index nq, nv, nz, np; /* np: rows of phi */
    bl_index nevent, nbody, njoint, nvariable, nprobe;
    bl_index nu; /* held numbers */
    const bl_held *held;
    bl_index nload;           /* normal loads of joints with dry friction, which Q depends on: implicit in a and lambda */
    const uint8_t *load_open; /* [nload] not determined even by a and lambda: the maker shares it out; NULL: none */
    size_t history_bytes;
    /* Variables that positions show only up to whole turns: each takes the value nearest to the one kept in the history, which begins with
     * double[nvariable] where there are any. Whoever takes steps keeps that one within half a turn (study/turns.h). */
    bool turns_in_laws; /* laws read angles whose whole turns stand in the history */
    bl_index nangle;
    const bl_index *angle;                        /* [nangle] */
    bl_pattern pat_T, pat_M, pat_C, pat_K, pat_G; /* G is np x nv; M, C, K are n x n, n = nv + nz */
    bl_pattern pat_W;                             /* nv x np, of the transposed: one column for every row of G */
    const bl_index *mass_above; /* [nv] with BL_CAN_MSOLVE: how many columns before it each one meets in M, and in its factors */
    bl_index npush, nspring;
    const bl_push_def *push;     /* [npush] */
    const bl_spring_def *spring; /* [nspring] */
    bl_index nfield;
    const bl_field *field;     /* [nfield]; the maker's, constant once the first eval has room for them */
    const bl_event_def *event; /* [nevent]; NULL: all of them stop, in both directions */
    const bl_row *row;
    const bl_col *col;
    double
        rounded; /* positions are rounded as numbers of this size where coordinates are smaller (displacements of a mesh); 0: no larger */
    const double *q_scale;       /* [nq] typical size of each position; NULL: that of its column, nq == nv */
    const bl_index *independent; /* columns the user wants independent, [nindependent] */
    bl_index nindependent;
    bl_size size;         /* what it costs, for choices; zeros where the maker does not know */
    double row_size;      /* what the gradients of scaled rows in scaled columns measure, but for slight ones (limits.h); 0: not known */
    double closure;       /* of the user (limits.h); 0: dimensions are exact */
    uint32_t lends;       /* of BL_M, BL_KC: constant values that stand in arrays of the maker, to which its eval_room points places */
    struct bl_crew *crew; /* threads that share out evaluations (base/crew.h), of whoever runs it; NULL: none. Set before places are made */
    /* [np] what phi is where the mechanism closes only to `closure`: at the start, of rows kept later when they are; NULL: no closure.
     * bl_system_eval takes it off phi, so that everybody counts from there. Moved between steps only (bl_formulation_rebase), by the one
     * run that has the system; destroyed with it. */
    double *misfit;
    void *own;
};

/* ---- for makers */

/* A system of a kind with own[bytes], all zero, to be filled. */
bl_status bl_system_create(bl_context *ctx, const bl_system_kind *kind, size_t bytes, bl_system **sys);
/* The end of making it, with the status of what was done: unless that is BL_OK the system is destroyed and *sys NULL. */
bl_status bl_system_made(bl_status status, bl_system **sys);

/* ---- generic helpers */

void bl_system_destroy(bl_system *sys);

/* Zeroed *eval in; room for the quantities `uses` (BL_ALL: for all), each array aligned to 64 bytes: Q and a_free have n entries, f has nz.
 * Others get theirs when they are first asked for, which allocates: whoever takes steps says before what it will ask. */
bl_status bl_eval_create(const bl_system *sys, uint32_t uses, bl_eval *eval);
/* Room for more, and patterns that are missing. */
bl_status bl_eval_room(const bl_system *sys, uint32_t uses, bl_eval *eval);
void bl_eval_destroy(const bl_system *sys, bl_eval *eval);
/* Moves eval to a state: sets t, q, v, z, lambda, history and clears `have` (constants of the maker stay). */
void bl_eval_at(bl_eval *eval, const bl_state *state);
/* Asks the maker for what is wanted and not in `have` yet; phi is less the misfit. */
bl_status bl_system_eval(const bl_system *sys, bl_eval *eval, uint32_t want);
/* y = op x for nrhs columns, by the maker's apply or else by the matrices (evaluated when missing). */
bl_status bl_system_apply(const bl_system *sys, bl_eval *eval, bl_op op, bl_index nrhs, const double *x, double *y);
/* ... by the matrices: for makers whose apply knows some products only. */
bl_status bl_system_multiply(const bl_system *sys, bl_eval *eval, bl_op op, bl_index nrhs, const double *x, double *y);
/* force[nv] = M a - Q, what accelerations a take: by the maker in one pass where it can. Allocates nothing once eval has room for Q. */
bl_status bl_system_demand(const bl_system *sys, bl_eval *eval, const double *a, double *force);
bl_status bl_system_retract(const bl_system *sys, const double *q, const double *x, double *q_new); /* q_new may be q */
bl_status bl_system_local(const bl_system *sys, const double *q, const double *q_new, double *x);   /* the shortest */
bl_status bl_system_local_near(const bl_system *sys, const double *q, const double *q_new, const double *near, double *x);
/* what forces with a potential have stored, with what materials lost of it */
static inline double bl_eval_energy(const bl_eval *eval) { return eval->kinetic + eval->potential + eval->dissipated; }
/* whether tangents have a pattern, made already or on demand */
static inline bool bl_system_has_K(const bl_system *sys) { return sys->pat_K.ptr || (sys->kind->patterns && (sys->can & BL_CAN_TANGENT)); }
double bl_system_smallest(const bl_system *sys); /* scale of the columns of velocities; 1 where there are none */
static inline double bl_system_q_scale(const bl_system *sys, bl_index i) { return sys->q_scale ? sys->q_scale[i] : sys->col[i].scale; }

/* One block, every view aligned to 64 bytes; state->block points to the first byte of the contents. */
bl_status bl_state_create(const bl_system *sys, size_t integrator_bytes, bl_state *state);
void bl_state_destroy(const bl_system *sys, bl_state *state);
void bl_state_copy(const bl_system *sys, bl_state *to, const bl_state *from); /* same system, same integrator */

/* y (+)= or = A x for a CSC matrix. */
void bl_csc_multiply(const bl_pattern *pattern, const double *values, const double *x, double *y);            /* y += A x */
void bl_csc_multiply_transposed(const bl_pattern *pattern, const double *values, const double *x, double *y); /* y += A^T x */

static inline bl_event_def bl_system_event(const bl_system *sys, bl_index i) {
    return sys->event ? sys->event[i] : (bl_event_def){.what = BL_EVENT_STOP, .owner = i, .scale = 1};
}

/* max |phi_i| / scale_i, and which row */
double bl_system_drift(const bl_system *sys, const double *phi, bl_index *worst);
void bl_system_row_name(const bl_system *sys, bl_index row, char *part, size_t npart, char *equation, size_t nequation);
void bl_system_col_name(const bl_system *sys, bl_index col, char *name, size_t nname);
void bl_system_load_name(const bl_system *sys, bl_index load, char *name, size_t nname); /* the joint */
#define BL_ADVICE_NOT_FINITE "look for roots, logarithms or divisions of what changes its sign here"
/* Fails with BL_NOT_FINITE and blames the first bad entry when x holds NaN or infinity. */
bl_status bl_check_finite(bl_context *ctx, const char *what, double t, bl_index n, const double *x);

#endif
