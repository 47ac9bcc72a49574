/* system: the common interface. Every model becomes one constrained system
 *
 *     q' = T(q) v                            T = I where there are as many positions as velocities
 *     M(q) v' + G^T lambda = Q(q, v, z, t)   G = phi_q T
 *     A z' = f(q, v, z, t)                   first-order states; A is constant, the lower right block of C
 *     phi(q, t) = 0,   G v = b,   G v' = c
 *
 * Modeling rooms only build it, solving rooms only use it. Derivatives are taken along an increment x as long as the
 * velocities (retract moves q by it), so every user sees one length n = nv + nz and square matrices. */
#ifndef BL_SYSTEM_H
#define BL_SYSTEM_H

#include "base/held.h"
#include "base/kind.h"
#include "biela/fields.h"
#include "biela/pose.h"
#include "system/size.h"

/* CSC; indices ascending in each column. Values are stored separately, so that one pattern serves many matrices. */
typedef struct bl_pattern {
    bl_index nrow, ncol;
    const bl_index *ptr, *idx; /* ptr[ncol+1], idx[ptr[ncol]] */
} bl_pattern;

/* abilities of a system (bl_system.can) and of a formulation */
enum {
    BL_CAN_MASS = 1,
    BL_CAN_MSOLVE = 2,
    BL_CAN_TANGENT = 4,
    BL_CAN_SERIES = 8,
    BL_CAN_ENERGY = 32,
    BL_CAN_LOCAL = 64,
    BL_CAN_DISCRETE = 128, /* conservative forces by a discrete gradient between two configurations */
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
    BL_Q_OF_LAMBDA = 16,  /* nload > 0 */
    BL_HISTORY = 32,      /* accept stores the trial history */
    BL_INEQUALITIES = 64, /* rows with another law than BL_LAW_EQUAL, which may be inactive */
    BL_SMOOTH = 128,
    BL_RHEONOMIC = 256,   /* phi depends on t: b may differ from 0 */
    BL_Q_OF_V = 512,      /* Q depends on velocities */
    BL_Q_OF_T = 1024,     /* Q or f depends on time by itself */
    BL_IDENTITY = 2048,   /* M and A are identities (M and C hold them nevertheless) */
    BL_A_IDENTITY = 4096, /* A is the identity (C holds it nevertheless) */
    BL_K_SYMMETRIC = 8192,
    BL_M_DIAGONAL = 16384,
    BL_REVOLUTIONS_ONLY = 32768, /* the history holds only revolutions and signs, not the path: any configuration may be accepted */
    BL_FINE = 65536,             /* a mesh: its fastest modes belong to the mesh, not to the motion, and steps need not resolve them */
    BL_POWER_OF_V = 131072,      /* the kind's `power` needs only t and v */
    BL_PHI_OF_Z = 262144,        /* phi and b depend on first-order states, whose f reads no velocities: drivers follow them */
    BL_VELOCITY_ROWS = 524288,   /* some rows restrict velocities only */
    BL_ELASTIC = 1048576         /* parts of a mechanism bend: their nodes move along curves, on which thin ones are not stretched */
};
/* quantities, requested as a set */
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
    BL_W = 1048576,            /* W W^T = G M^-1 G^T; BL_SINGULAR: M is singular. With BL_CAN_MSOLVE and constraints only */
    BL_FIELDS = 1 << 21,       /* values on meshes; uses a where it is known */
    BL_FORCES = 1 << 22,       /* forces of force elements on bodies; for springs also length and tension */
    BL_U = 1 << 23,            /* dQ/du, derivatives with respect to the held numbers */
    BL_SIGNALS = 1 << 24,      /* scalar functions of the motion and of the held numbers, besides the equations */
    BL_SIGNAL_X = 1 << 25,     /* their derivatives with respect to x, v and u */
    BL_CONTACTS = 1 << 27,     /* contacts for output; needs lambda (NULL: forces of closed ones are NaN) */
    BL_SIGNAL_RATE = 1 << 26,  /* rates of those that drivers follow and that read no velocities; needs u_rate */
    BL_OWN_POSITION = 1 << 29, /* the builder's own, of positions and time; of velocities too */
    BL_OWN_VELOCITY = 1 << 30,
    BL_OF_POSITION = BL_T | BL_M | BL_PHI | BL_G | BL_B | BL_W | BL_OWN_POSITION, /* valid as long as only velocities move */
    /* outputs for the user: allocated together */
    BL_SEEN = BL_POSE | BL_WRENCH | BL_EVENTS | BL_VARIABLES | BL_PROBES | BL_LOADS | BL_CONTACTS,
    BL_STAGE = BL_KC | BL_MA_X | BL_GTL_X | BL_GV_X, /* needed by implicit stages in addition */
    BL_ALL = (1 << 28) - 1
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
typedef enum bl_col_what { BL_COL_POINT, BL_COL_VECTOR, BL_COL_ANGLE, BL_COL_DISTANCE, BL_COL_STATE, BL_COL_SHAPE } bl_col_what;

/* Every row and column has a type, an owner and a scale. bl_system_row_name finds its name. */
/* A row at velocity level (fact BL_VELOCITY_ROWS) restricts v alone, G v = b: its phi is 0, in a power series phi_k = (G v - b)_{k-1} / k
 * with the velocities q'. A row with another law than EQUAL (fact BL_INEQUALITIES) may be inactive: then phi, b, c and its entries of G are
 * 0. It changes only between steps, and bl_formulation_setup is called again. */
typedef enum bl_row_level { BL_AT_POSITION, BL_AT_VELOCITY } bl_row_level; /* what a row restricts */
typedef struct bl_row {
    uint8_t what, law, part, level;
    bl_index owner, partner; /* RIGID: body; JOINT, CLOSURE, VARIABLE: joint; DRIVER: driver. partner: -1 or second owner */
    double scale;            /* typical size of its gradient: phi / scale has the unit of a coordinate */
} bl_row;
typedef struct bl_col {
    uint8_t what, order, part; /* order 2, 1, 0 in time; part: component */
    bl_index owner;            /* entity, variable or state */
    bl_index bundle;           /* number, from 1, of the point, vector or body it is a component of; 0: none */
    double scale;              /* typical size of the coordinate */
} bl_col;

/* Event functions of (t, q, v, z, history). STOP: the run ends there. SWITCH: a law changes its branch, which the history holds until
 * `jump` changes it; KINK: the same, but only derivatives of the law jump. Both are positive while their branch is valid. ACTION: `jump`
 * changes the state or numbers in the history. CONTACT: of a one-sided constraint; the run loop completes its value and decides what
 * follows (study/contacts.h). */
typedef enum bl_event_what { BL_EVENT_STOP, BL_EVENT_SWITCH, BL_EVENT_KINK, BL_EVENT_ACTION, BL_EVENT_CONTACT } bl_event_what;
typedef struct bl_event_def {
    uint8_t what;
    int8_t direction; /* 1: upwards through zero; -1: downwards; 0: both */
    bl_index owner;   /* STOP: of the stop expression; else the builder's own */
    double scale;     /* typical size of the function */
} bl_event_def;

/* ---- one-sided constraints: contacts, stops, dry friction that may stick. Their rows (bl_row.law) hold only in the modes below, which
 * are in the history and change at events; where a row does not hold, the builder evaluates its phi, b, c and its entries of G as zero. */
typedef enum bl_contact_mode {
    BL_CONTACT_OPEN,  /* no row holds */
    BL_CONTACT_SLIDE, /* the gap stays closed; friction, if any, is a force against the speed of sliding */
    BL_CONTACT_STICK  /* nothing moves: rows of sliding hold as well */
} bl_contact_mode;

/* Event functions of each contact, in this order. FIRST: the gap of an open contact, the normal force of a closed one; SIDEWAYS: what
 * friction can still hold, or the speed along which it slides; REACH: of a closed one, how far its surface goes on. */
enum { BL_CONTACT_FIRST, BL_CONTACT_SIDEWAYS, BL_CONTACT_REACH, BL_CONTACT_EVENTS };

typedef struct bl_contact {
    const char *name;             /* "floor" */
    const struct bl_place *place; /* in the model file; NULL: none */
    bl_index owner;               /* of the model's contacts */
    bool is_angle;                /* its gap: a stop of an angle */
    bool has_unit;                /* its gap is in m or rad */
    bl_index normal;              /* row of the gap; -1: none, friction in a joint */
    bl_index slip[2];             /* rows of the speeds of sliding: */
    int nslip;                    /* 0: no friction */
    bl_index load;                /* its normal force among the normal loads; -1: no friction */
    bl_index group;               /* in the plane: contacts of two shapes; those on one line stick together; -1: none */
    bool ends;                    /* its surface ends: it opens where it is out of reach */
    bl_index near[6];             /* contacts of neighboring parts, of which one holds at a time; -1: none */
    bl_index solid;               /* contacts of one point with all faces of a convex shape: it is inside if all of them are; -1: none */
    double friction, sticking;    /* coefficients: sliding, at rest */
    double restitution;
    bool percussion; /* directions of an impulse: its rows never hold */
} bl_contact;

/* An impulse that an event applies: along the rows of contact `contact`. */
typedef struct bl_blow {
    bl_index contact;
    double impulse[3];
} bl_blow;

/* Numbers of each contact in the history. */
typedef struct bl_contact_state {
    double mode;    /* bl_contact_mode */
    double side[2]; /* SLIDE: unit direction of sliding; in the plane +-1, 0; in space that at its beginning. A joint
                     * at rest that others hold: the share of mu N that its friction keeps */
} bl_contact_state;

/* Forces of a model for output (BL_FORCES): one entry for every body on which an element acts; springs. */
typedef struct bl_push_def {
    bl_index owner, body; /* force of the model; body, never the ground */
} bl_push_def;
typedef struct bl_spring_def {
    bl_index owner, variable; /* force of the model; variable it acts on, -1: between two points */
} bl_spring_def;

/* Everything the next step depends on, views into one block: snapshot, restart and replay are a copy. */
typedef struct bl_state {
    void *block;
    size_t bytes;
    double *t, *q, *v, *z, *lambda;
    double *u;          /* [nu] held numbers */
    double *work;       /* of drivers and of all forces without a potential since t0, for the energy balance */
    signed char *armed; /* [nevent] sign of each function so far; 0: it is zero, and counts once it has left zero */
    unsigned char *history, *integrator;
} bl_state;

/* An evaluation point: a configuration with its velocities and the quantities known there; one per thread. The caller sets it, eval fills
 * the rest. */
typedef struct bl_eval {
    double t;
    const double *q, *v, *z, *a, *lambda;
    const double *u;      /* [nu] held numbers; NULL: those of the system at t */
    const double *u_rate; /* [nu] their rates, for the power of forces whose potential depends on them; NULL: zero */
    int u_order;          /* u is [u_order + 1][nu]: coefficients of powers of the time since t, for drivers that follow them */
    const unsigned char *history;
    /* Both given (BL_CAN_DISCRETE): Q takes the conservative forces as a discrete gradient, so that their work between the two
     * configurations is exactly the loss of potential; everything else is taken at q. K is then for a q in the middle: while q moves by x,
     * q_to moves by 2 x. NULL: forces at q. */
    const double *q_from, *q_to;
    const double
        *load; /* [nload] normal loads that Q uses; NULL: all zero. A caller that changes them clears BL_Q and what follows from it */
    double dissipation; /* with q_from and q_to: share chi >= 0 of numerical dissipation, chi/2 (V'(l1) - V'(l0)) on every length l */
    uint32_t have;      /* quantities valid here: the caller clears those that a move invalidates */
    uint32_t constant;  /* quantities the builder filled once and for all in eval_room: bl_eval_at keeps them in `have` */
    bool slow;     /* equilibria: inertia and damping are left out, also those of motions prescribed in time; v is for the power only */
    bool keeps;    /* K and C are its own even where the system would lend them: needed for forces between two configurations */
    bool unseen;   /* poses and variables are not read: accept need not track full revolutions of angles and signs of quaternions */
    uint32_t uses; /* quantities with memory; vectors of the system's lengths always have it */
    double *T, *M, *C, *K, *G;   /* values on the system's patterns */
    double *W;                   /* on pat_W */
    double *Ma_x, *GTl_x, *Gv_x; /* on pat_K, pat_K, pat_G */
    double *Q, *f, *phi, *b, *c, *a_free;
    double *Q_u;                      /* [nu][nv + nz] */
    double *signal;                   /* [nsignal] SIGNALS */
    double *signal_rate;              /* [nsignal] SIGNAL_RATE; 0 for the others */
    double *signal_x, *signal_v;      /* on pat_S: SIGNAL_X */
    double *signal_u;                 /* [nu][nsignal]: SIGNAL_X */
    double kinetic, potential;        /* ENERGY */
    double dissipated;                /* with them: dissipated by materials since the start */
    double power;                     /* with Q or free accelerations: of all forces without a potential (drivers excluded: -lambda . b) */
    bl_pose *pose;                    /* [nbody], ground first */
    bl_wrench *wrench;                /* [njoint] */
    double *driver_force;             /* [drivers] WRENCH: -lambda of each driver's equation, the force it exerts on its variable */
    double *relation_force;           /* [njoint] WRENCH: -lambda of a joint's last equation; of a gear, the force on its second variable */
    double *load_now;                 /* [nload] LOADS: normal loads from the reactions here; in the true motion load = load_now */
    double *event;                    /* [nevent] */
    double *variable, *variable_rate; /* [nvariable] */
    double *probe, *probe_rate;       /* [nprobe][3] */
    double **field;                   /* [nfield], each [items][components] */
    bl_push *push;                    /* [npush] FORCES */
    double *spring_length, *spring_tension; /* [nspring] FORCES */
    bl_contact_sample *contact;             /* [ncontact] CONTACTS */
    unsigned char *trial;
    bool impulsive; /* WRENCH: a are changes of velocity, lambda impulses; no other forces act */
    void *own;      /* workspace of the builder */
    void *block;    /* the last block allocated by bl_eval_create and bl_eval_room; each one links to the one before */
} bl_eval;

typedef struct bl_system bl_system;
struct bl_expansion; /* expansion.h */

typedef struct bl_system_kind {
    bl_kind kind;
    bl_status (*eval)(const bl_system *, bl_eval *, uint32_t want);
    bl_status (*power)(const bl_system *, bl_eval *); /* e->power alone; requested with the fact BL_POWER_OF_V, else it comes with Q */
    /* NULL: by the matrices; y may be x for MINV */
    bl_status (*apply)(const bl_system *, bl_eval *, bl_op, bl_index nrhs, const double *x, double *y);
    /* M a - Q in one pass; NULL: from both. BL_AGAIN: not available for this system. */
    bl_status (*demand)(const bl_system *, bl_eval *, const double *a, double *force);
    /* diagonal[nv + nz] of K or M without the matrix; NULL: not available */
    bl_status (*diagonal)(const bl_system *, bl_eval *, bl_op, double *diagonal);
    bl_status (*retract)(const bl_system *, const double *q, const double *x, double *q_new); /* NULL: q + x */
    /* An increment that leads from q to q_new: of those that differ by full revolutions the one nearest to `near`; NULL: the shortest. */
    bl_status (*local)(const bl_system *, const double *q, const double *q_new, const double *near, double *x);
    bl_status (*accept)(const bl_system *, bl_eval *,
                        bl_state *); /* at an accepted state: store the trial history, normalize; BL_RESTART */
    /* ---- piecewise laws; NULL: none. Every piece is smooth; the history holds the active one, which changes only at events */
    bl_status (*hold)(const bl_system *, bl_eval *, bl_state *);            /* at the start: activate the pieces that match the state */
    bl_status (*next_time)(const bl_system *, const bl_state *, double *t); /* of the next change; INFINITY: none */
    /* The discrete part of an event, or (-1) of a time of next_time; may change the state too. BL_AGAIN: nothing changed. */
    bl_status (*jump)(const bl_system *, bl_eval *, bl_state *, bl_index event);
    /* blow[*n] that the last `hold` or `jump` with this evaluation applies; the caller changes velocities. NULL: there are none. */
    const bl_blow *(*blows)(const bl_system *, const bl_eval *, bl_index *n);
    /* Blends the two pieces of an event: share -1 ... 1, 1 where its argument is positive. False: it has more than two. */
    bool (*blend)(const bl_system *, bl_state *, bl_index event, double share);
    void (*event_name)(const bl_system *, bl_index event, char *name, size_t nname);
    /* A cheap bound on the rates of `angle` at the evaluation point; INFINITY: there is no bound. NULL where there are no such angles. */
    double (*turning)(const bl_system *, bl_eval *);
    /* `rounded` at the evaluation point, whose forces have been evaluated. NULL: that of the system. */
    double (*rounded)(const bl_system *, const bl_eval *);
    /* power series of a motion (expansion.h); NULL without BL_CAN_SERIES */
    bl_status (*series)(const bl_system *, struct bl_expansion *, int k, uint32_t want);
    bl_status (*expansion_create)(const bl_system *, struct bl_expansion *); /* allocates own; NULL: nothing */
    void (*expansion_destroy)(const bl_system *, struct bl_expansion *);
    /* why there is no series, and what helps where that is not another integrator; NULL: nothing to add */
    void (*not_analytic)(const bl_system *, char *why, size_t nwhy, const char **advice);
    void (*not_discrete)(const bl_system *, char *why, size_t nwhy, const char **advice); /* why not BL_CAN_DISCRETE, likewise */
    bl_status (*exact)(const bl_system *, double t, double *q, double *v, double *z);     /* a known solution; NULL: none */
    bl_status (*eval_create)(const bl_system *, bl_eval *);                               /* allocates own; NULL: nothing */
    /* Arrays of `fresh` quantities have just been allocated: fills those that never change (and adds them to `constant`) and allocates
     * workspace for them. Called after eval_create, and whenever more is requested. NULL: nothing. */
    bl_status (*eval_room)(const bl_system *, bl_eval *, uint32_t fresh);
    /* Patterns built on demand, where they may be dense: pat_M for BL_M, pat_W for BL_W, pat_C and pat_K for BL_KC, BL_MA_X, BL_GTL_X. Not
     * while other threads use the system. NULL: all patterns exist. */
    bl_status (*patterns)(const bl_system *, uint32_t uses);
    void (*eval_destroy)(const bl_system *, bl_eval *);
    void (*row_name)(const bl_system *, bl_index row, char *part, size_t npart, char *equation, size_t nequation);
    void (*col_name)(const bl_system *, bl_index col, char *name, size_t nname);
    /* The name of a small motion x[n] ("beam turns about (0, 1)"); false: it has none. NULL: no motion has. */
    bool (*motion_name)(const bl_system *, const double *x, char *name, size_t nname);
    void (*load_name)(const bl_system *, bl_index load, char *name, size_t nname);
    void (*destroy)(bl_system *); /* frees own, half built too; NULL: nothing */
} bl_system_kind;

/* Constant for one epoch; shared by threads. */
struct bl_system {
    const bl_system_kind *kind;
    bl_context *ctx;
    uint32_t can, facts, epoch;
    uint32_t zero; /* quantities that are identically zero: they need not be requested, and bl_eval_create allocates nothing for them */
    bl_index nq, nv, nz, np; /* np: rows of phi */
    bl_index nevent, nbody, njoint, nvariable, nprobe;
    bl_index nu; /* held numbers */
    const bl_held *held;
    bool power_of_u;          /* power depends on u_rate */
    bl_index nsignal;         /* scalar functions s(t, q, v, u) that a user of the system asked for when it was built */
    bl_index nload;           /* normal loads of joints with dry friction, which Q depends on: implicit in a and lambda */
    const uint8_t *load_open; /* [nload] loads that even a and lambda do not determine: the builder distributes them; NULL: none */
    size_t history_bytes;
    bl_index ncontact;
    const bl_contact *contact;
    size_t contact_at;      /* bl_contact_state[ncontact] begins here in the history */
    bl_index contact_event; /* the first of their events, BL_CONTACT_EVENTS each */
    /* Variables that positions determine only up to full revolutions: each takes the value nearest to the one in the history, which begins
     * with double[nvariable] where there are any. The run loop keeps that one within half a revolution (study/turns.h). */
    bool revolutions_in_laws; /* laws read angles whose full revolutions are in the history */
    bl_index nangle;
    const bl_index *angle;                        /* [nangle] */
    bl_pattern pat_T, pat_M, pat_C, pat_K, pat_G; /* G is np x nv; M, C, K are n x n, n = nv + nz */
    bl_pattern pat_W;                             /* nv x np, transposed: one column for every row of G */
    bl_pattern pat_S;                             /* nv x nsignal, transposed likewise */
    const bl_index *mass_above; /* [nv] with BL_CAN_MSOLVE: number of earlier columns that each one couples with in M, and in its factors */
    bl_index npush, nspring;
    const bl_push_def *push;     /* [npush] */
    const bl_spring_def *spring; /* [nspring] */
    bl_index nfield;
    const bl_field *field;     /* [nfield]; owned by the builder, constant once the first eval has memory for them */
    const bl_event_def *event; /* [nevent]; NULL: all of them stop the run, in both directions */
    const bl_row *row;
    const bl_col *col;
    /* positions are rounded like numbers of this size where coordinates are smaller (displacements of a mesh); 0: no larger */
    double rounded;
    const double *q_scale;       /* [nq] typical size of each position; NULL: that of its column, nq == nv */
    const bl_index *independent; /* columns the user wants independent, [nindependent] */
    bl_index nindependent;
    bl_size size;    /* predicted cost; zeros where the builder does not know */
    double row_size; /* typical gradient of scaled rows in scaled columns, small ones excepted (system_limits.h); 0: unknown */
    double closure;  /* set by the user (system_limits.h); 0: dimensions are exact */
    uint32_t lends;  /* of BL_M, BL_KC (constant values), BL_FIELDS: arrays of the builder, which eval_room lends to evaluation points */
    struct bl_crew
        *crew; /* threads that share evaluations (base/crew.h), owned by the caller; NULL: none. Set before any bl_eval is created */
    /* [np] value of phi where the mechanism closes only to `closure`: at the start, or when a row was first kept; NULL: no closure.
     * bl_system_eval subtracts it, so that all users see phi relative to it. Changed between steps only (bl_formulation_rebase), by the one
     * run that uses the system; destroyed with it. */
    double *misfit;
    void *own;
};

/* ---- for builders */

/* A system of a kind with own[bytes], all zero, to be filled. */
bl_status bl_system_create(bl_context *ctx, const bl_system_kind *kind, size_t bytes, bl_system **sys);
/* Ends the construction with its status: unless that is BL_OK the system is destroyed and *sys NULL. */
bl_status bl_system_made(bl_status status, bl_system **sys);

/* ---- generic helpers */

void bl_system_destroy(bl_system *sys);

/* Zeroed *eval in; allocates the quantities `uses` (BL_ALL: all), each array aligned to 64 bytes: Q and a_free have n entries, f has nz.
 * Others are allocated when first requested; callers that take steps name beforehand all that they will request. */
bl_status bl_eval_create(const bl_system *sys, uint32_t uses, bl_eval *eval);
/* Memory for more quantities, and missing patterns. */
bl_status bl_eval_room(const bl_system *sys, uint32_t uses, bl_eval *eval);
void bl_eval_destroy(const bl_system *sys, bl_eval *eval);
/* Moves eval to a state: sets t, q, v, z, lambda, history and clears `have` (the builder's constants stay valid). */
void bl_eval_at(bl_eval *eval, const bl_state *state);
/* Evaluates the wanted quantities that are not in `have` yet; phi is relative to the misfit. */
bl_status bl_system_eval(const bl_system *sys, bl_eval *eval, uint32_t want);
/* y = op x for nrhs columns, by the builder's apply or else by the matrices (evaluated when missing). */
bl_status bl_system_apply(const bl_system *sys, bl_eval *eval, bl_op op, bl_index nrhs, const double *x, double *y);
/* ... by the matrices: for builders whose apply supports some products only. */
bl_status bl_system_multiply(const bl_system *sys, bl_eval *eval, bl_op op, bl_index nrhs, const double *x, double *y);
/* force[nv] = M a - Q, the force that accelerations a require: by the builder in one pass where it can. Allocates nothing once eval has
 * room for Q. */
bl_status bl_system_demand(const bl_system *sys, bl_eval *eval, const double *a, double *force);
bl_status bl_system_retract(const bl_system *sys, const double *q, const double *x, double *q_new); /* q_new may be q */
bl_status bl_system_local(const bl_system *sys, const double *q, const double *q_new, double *x);   /* the shortest */
bl_status bl_system_local_near(const bl_system *sys, const double *q, const double *q_new, const double *near, double *x);
/* energy stored by forces with a potential, plus what materials have dissipated */
static inline double bl_eval_energy(const bl_eval *eval) { return eval->kinetic + eval->potential + eval->dissipated; }
/* whether tangents have a pattern, built already or on demand */
static inline bool bl_system_has_K(const bl_system *sys) { return sys->pat_K.ptr || (sys->kind->patterns && (sys->can & BL_CAN_TANGENT)); }
double bl_system_smallest(const bl_system *sys); /* smallest scale of the velocity columns; 1 where there are none */
/* whether rates of first-order states are f itself */
static inline bool bl_system_unit_A(const bl_system *sys) { return sys->facts & (BL_IDENTITY | BL_A_IDENTITY); }
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
/* BL_E_ABILITY: `who` ("formulation index2") needs constraints of positions; names the first one of velocities. */
/* Whether a row that always holds restricts velocities only: those of contacts hold at times. */
bool bl_system_rolls(const bl_system *sys);
bl_status bl_system_refuse_velocity_rows(const bl_system *sys, const char *who, const char *advice);
double bl_system_drift(const bl_system *sys, const double *phi, bl_index *worst);
/* States of the contacts in a history. */
static inline bl_contact_state *bl_contact_states(const bl_system *sys, unsigned char *history) {
    return (bl_contact_state *)(void *)(history + sys->contact_at);
}
static inline const bl_contact_state *bl_contact_states_of(const bl_system *sys, const unsigned char *history) {
    return (const bl_contact_state *)(const void *)(history + sys->contact_at);
}
/* Rows of contact[n] by the laws of the rows: that of contact i has the owner first + i. */
void bl_contact_find_rows(const bl_row *row, bl_index nrow, bl_index first, bl_index n, bl_contact *contact);
void bl_system_row_name(const bl_system *sys, bl_index row, char *part, size_t npart, char *equation, size_t nequation);
void bl_system_col_name(const bl_system *sys, bl_index col, char *name, size_t nname);
void bl_system_load_name(const bl_system *sys, bl_index load, char *name, size_t nname); /* the joint */
#define BL_ADVICE_NOT_FINITE "check square roots, logarithms and divisions whose argument may become negative or zero at this time"
bl_index bl_first_not_finite(bl_index n, const double *x); /* first entry that is NaN or infinite; -1: none */
/* Fails with BL_NOT_FINITE and names the first bad entry when x holds NaN or infinity. */
bl_status bl_check_finite(bl_context *ctx, const char *what, double t, bl_index n, const double *x);

#endif
