/* model: bodies, joints, forces, drivers and probes in the given (model) configuration, in SI units and
 * the global frame. Built by a reader, immutable afterwards, shared between threads.
 *
 * Index 0 of `body` is ground. Every body has axes parallel to the global ones in the model configuration
 * and its origin in its mass center; ground's origin is the global one. */
#ifndef BL_MODEL_H
#define BL_MODEL_H

#include "base/hash.h"
#include "base/kind.h"
#include "biela/biela.h"
#include "contact/contact.h"
#include "material/material.h"
#include "mesh/mesh.h"
#include "series/tape.h"

/* ---- marks: a point or a vector fixed in a body, in body axes */
typedef struct bl_mark {
    bl_index body;
    bool is_vector;
    double s[3];
} bl_mark;

/* ---- laws: expressions evaluated during a study */
typedef enum bl_symbol_what {
    BL_SYM_TIME,
    BL_SYM_PARAMETER, /* ref = parameter */
    BL_SYM_X,
    BL_SYM_XD, /* the force's own length or angle, and its rate */
    BL_SYM_VARIABLE,
    BL_SYM_RATE, /* ref = variable */
    BL_SYM_PROBE,
    BL_SYM_PROBE_RATE, /* ref = probe, part = component */
    BL_SYM_MARK,
    BL_SYM_MARK_RATE,  /* only in recorded forces: ref = mark of the force, part = component */
    BL_SYM_LOAD,       /* only in recorded forces: the normal load of the force's joint */
    BL_SYM_REACTION,   /* ref = reaction of the model (`reactions`) */
    BL_SYM_HELD,       /* only in recorded forces: ref = held number (base/held.h) */
    BL_SYM_SIGNAL,     /* ref = signal: an input, a held number, a state (never an output: laws contain those as expressions) */
    BL_SYM_EXPRESSION, /* ref = element of the expressions of `equations` */
    BL_SYM_POSITION,   /* on meshes: part = coordinate of the position */
    BL_SYM_FIELD       /* on meshes: the value of a scalar field there */
} bl_symbol_what;

typedef struct bl_symbol {
    bl_symbol_what what;
    bl_index ref, part;
} bl_symbol;

typedef struct bl_law {
    bl_tape *tape; /* one output */
    bl_index ninput;
    bl_symbol *input; /* the symbol of each input of the tape */
    const char *text;
    bl_place place;
} bl_law;

/* where a parameter is used */
enum {
    BL_PARAMETER_IN_LAWS = 1,    /* in laws of forces, which read it at every evaluation: it can be a held number (base/held.h) */
    BL_PARAMETER_IN_NUMBERS = 2, /* in geometry, masses, stiffnesses, laws of drivers: another value needs another model */
    BL_PARAMETER_IN_SHAPE = 4    /* in counts of repeats: another value may change the number of bodies and joints */
};
typedef struct bl_parameter {
    const char *name;
    double value;
    bl_place place;
    uint8_t use; /* sum of BL_PARAMETER_IN_... */
} bl_parameter;

/* What a body looks like, in the model configuration and global axes. Shapes that define the mass come first; `shape:` is only drawn. */
typedef enum bl_appearance_kind {
    BL_APPEARANCE_ROD,      /* at[0] to at[1]; radius 0: not given */
    BL_APPEARANCE_BOX,      /* about at[0], size along the rows of axes */
    BL_APPEARANCE_CYLINDER, /* at[0] to at[1], radius */
    BL_APPEARANCE_SPHERE,   /* about at[0] */
    BL_APPEARANCE_DISC,     /* about at[0], normal to axes[2]; thickness 0: not given */
    BL_APPEARANCE_WHEEL,    /* its axis goes from at[0] to at[1] */
    BL_APPEARANCE_POLYGON,  /* through point[npoint], in order */
    BL_APPEARANCE_POINTS,   /* point masses */
    BL_APPEARANCE_MESH,     /* triangles of point[npoint] */
    BL_APPEARANCES
} bl_appearance_kind;

typedef struct bl_appearance {
    bl_appearance_kind kind;
    bool picture;  /* given by `shape:` */
    bool turned;   /* axes were given */
    char color[8]; /* "#rrggbb"; empty: none */
    double at[2][3], size[3], axes[3][3], radius, thickness;
    bl_index npoint, ntriangle;
    const double (*point)[3];
    const double *mass;            /* [npoint] of point masses */
    const bl_index (*triangle)[3]; /* [ntriangle] */
} bl_appearance;

/* Frames are rigid bodies that belong to an elastic body: nodes of beams, interfaces of meshes. They have the mass of what is attached to
 * them; that of the elements between them is not theirs. */
typedef enum bl_body_what { BL_BODY_RIGID, BL_BODY_FRAME, BL_BODY_MESH } bl_body_what;

typedef struct bl_body {
    const char *name;
    bl_place place;
    uint8_t what;     /* bl_body_what */
    bl_index elastic; /* FRAME, MESH: the elastic body to which it belongs */
    double mass;
    double center[3];     /* mass center, global */
    double inertia[3][3]; /* about the center, global axes; in the plane only [2][2] counts */
    bl_index ncarry;
    bl_mark *carry;          /* points and vectors of the body to be used as coordinates */
    const char *coordinates; /* of this body, as in the file; NULL: those of the model */
    bl_place coordinates_at;
    bl_index nappearance;
    const bl_appearance *appearance;
} bl_body;

/* ---- elastic bodies: frames connected by elements, or a mesh with interfaces (docs/theory/beams.md,
 * elastic_solids.md) */

/* A beam: its elements connect frames at nodes, element e those numbered e degree ... (e + 1) degree among its frames. */
typedef struct bl_beam_node { /* where an element is attached to one of its frames, in the model configuration */
    double at[3];             /* on the axis of the beam */
    double axes[3][3];        /* rows d1 (along the beam), d2, d3; in the plane d1, d2 */
} bl_beam_node;
typedef struct bl_beam_def {
    int degree;     /* 1 to 3, of the interpolation of positions and directors */
    bool rotations; /* are interpolated, in place of the directors */
    bl_index nelement;
    bl_beam_node *node;  /* [nelement][degree + 1] */
    double stiffness[6]; /* EA, GA2, GA3 with shear factors, GJ, EI2, EI3: EI2 = E int y3^2 dA, about d2; in the plane EA, GA2, EI3 */
    double mass[3];      /* per length: rho A, rho int y2^2 dA, rho int y3^2 dA (y2 along d2); in the plane the last is 0 */
    double damping[2];   /* Rayleigh: forces a M v; section forces with b times the rate of strain */
    double outline[2];   /* its look: height along d2, width along d3; 0: not given */
    bool round;          /* ... or diameters, outer and inner */
} bl_beam_def;

/* A body reduced to a few shapes that deform it relative to a frame, r = P + sum_k (X_k + sum_m Psi_mk eta_m) d_k, with d_k the axes of the
 * frame and P its center (docs/theory/floating_frame.md). Its inertia is that of constant masses between the vectors P, d_k and eta_m
 * d_k. */
typedef struct bl_floating_end { /* another frame that follows the body: displacement, and small rotation, in the axes of the first frame */
    double *shape;               /* [dim + 1 or 3][n] by the shapes; rotations follow displacements */
} bl_floating_end;
typedef struct bl_floating_def {
    bl_index n;        /* shapes */
    double *mass;      /* [1 + dim + dim n]^2: int rho phi_a phi_b, with phi = 1, X_1 ... X_dim, Psi_11 ... Psi_1dim, Psi_21 ... */
    double *stiffness; /* [n][n] */
    /* Stiffening by stress, or NULL: [n][n][n] int sigma_j : grad Psi_m^T grad Psi_n with the stress sigma_j of shape j; and the inverse of
     * the stiffness */
    double *stiffening, *flexibility;
    double damping[2];    /* Rayleigh: a M + b K, on the rates of eta */
    double *scale;        /* [n] typical size of each eta */
    const char **name;    /* [n] */
    bool split;           /* of two modes with the same frequency one was kept */
    bl_floating_end *end; /* [nframe - 1] of the frames after the first, which is that of the body */
    /* The mesh that was reduced, for fields in results; NULL: the body was read from a file without it. */
    struct bl_solid *solid;
    double *displacement; /* [n][nodes][dim] of its nodes by the shapes, in the axes of the first frame */
} bl_floating_def;
/* A frame and nodes of a mesh: `rigid`: the nodes move with the frame; else the frame follows their mean motion. */
typedef struct bl_interface_def {
    bl_place place;
    const bl_mesh_set *set; /* of nodes */
    bool rigid;
} bl_interface_def;

typedef enum bl_elastic_what { BL_ELASTIC_BEAM, BL_ELASTIC_MESH, BL_ELASTIC_FLOATING } bl_elastic_what;
typedef struct bl_elastic_def {
    const char *name;
    bl_place place;
    uint8_t what;                /* bl_elastic_what */
    bl_index frame, nframe;      /* its frames are the bodies frame ... frame + nframe - 1 */
    bl_beam_def *beam;           /* BEAM */
    bl_index solid, body;        /* MESH: its mesh, and the body that it is; its center and inertia are those of the mesh */
    bl_interface_def *interface; /* [nframe] MESH */
    bl_floating_def *floating;   /* FLOATING */
} bl_elastic_def;
/* the body that stands for an elastic body: that of its mesh, or its first frame */
static inline bl_index bl_elastic_body(const bl_elastic_def *def) { return def->what == BL_ELASTIC_MESH ? def->body : def->frame; }

typedef struct bl_joint_def {
    const char *name;
    bl_place place;
    const struct bl_joint_kind *kind;
    bl_index body[2];   /* -1, -1 for a relation of variables */
    bool cut;           /* imposed by constraint equations, never by shared coordinates */
    bl_index first_var; /* its variables begin here, in the order of kind->variables */
    bl_value value[BL_MAX_PARAMS];
    bl_index nprim, ndof;
    const struct bl_prim *prim; /* its constraints (among those of the model) and degrees of freedom: joint/joint.h */
    const struct bl_joint_dof *dof;
} bl_joint_def;

/* ---- one-sided constraints: stops of variables, contacts of two bodies. The geometry of each is a joint behind those of the model, with
 * primitives that hold only while it is closed. */
typedef struct bl_contact_form { /* constant + sum coef x of the variables, or of their rates */
    bl_index var[3];             /* -1: none */
    double coef[3], constant;
} bl_contact_form;

typedef struct bl_contact_def {
    const char *name; /* "D.lower", "floor", or "floor.2" where shapes touch in several places */
    bl_place place;
    bl_index body[2]; /* of the surfaces */
    double restitution, friction, sticking;
    bool percussion; /* directions of one: it never closes */
    bl_index force;  /* friction in a joint that may stick: this force of the model; -1: a stop or a contact of bodies */
    bl_index group;  /* in the plane: contacts of two shapes; those on one line can only slide together; -1: none */
    /* contacts of bodies: their surfaces in the model configuration (joint/touch.h) */
    const struct bl_touch_kind *touch; /* NULL: a stop, or a contact of variables: */
    double point[2][3], axis[2][3][3], number[17];
    const struct bl_curve *curve; /* of a height profile; NULL: none */
    bl_index near[6];             /* contacts with the neighboring parts of a rounded surface, which take over at its ends; -1: none */
    bl_index solid;               /* contacts of one point with all faces of a convex shape; -1: none */
    double deepest;               /* of a compliant contact with a face: it acts down to this depth; 0: any */
    int nform;                    /* of variables: gap, speeds of sliding; 0: not one */
    bl_contact_form form[3];
} bl_contact_def;

/* An impulse at a point of a body, or on a variable; its directions are the rows of a contact that never closes. */
typedef struct bl_percussion_def {
    bl_place place;
    bl_index contact, n; /* components */
    bl_index law[3];     /* -1: the value */
    double value[3];
} bl_percussion_def;

/* ---- contacts for time stepping (`contact: stepping`): shapes of bodies, and laws between groups of them. Bodies touch `all` others with
 * shapes of their own, those that they are made of. */
typedef struct bl_surface_law {
    const char *name;
    bl_place place;
    double restitution, friction;
    bl_index group[2];      /* of the shapes that it lists; -1: own shapes of bodies */
    const uint8_t *without; /* [nbody] bodies whose own shapes do not take part; NULL: listed shapes alone */
} bl_surface_law;

/* How contacts act on a body that joints connect: through points, the mass center and others at `lever` from it along the axes of the
 * model configuration, each a contact whose rows never hold. */
typedef struct bl_handle {
    bool joined, touched; /* has joints, has shapes */
    bl_index first;       /* contact of the mass center, followed by one per axis (the first one in the plane); -1: none */
    double lever;
} bl_handle;

typedef struct bl_surfaces {
    bl_index nshape, nlaw, ngroup;
    bl_contact_shape *shape; /* frames about the mass center of the body, in the axes of the model configuration */
    bl_surface_law *law;
    bl_index nown;      /* groups of own shapes, the first ones: bodies with the same laws */
    bl_index *own_body; /* [nown] one of the bodies of each */
    bl_index nhandle;   /* contacts of handles, the last ones */
    bl_handle *handle;  /* [nbody] */
} bl_surfaces;

typedef struct bl_variable {
    const char *name; /* "j1.angle" */
    bl_index joint;
    bool is_angle;
    const struct bl_prim *prim; /* the primitive that defines it as its variable var[part]; NULL: a model without joints */
    int part;
} bl_variable;

typedef struct bl_driver {
    const char *name;
    bl_place place;
    bl_index variable, law; /* variable = law(t, signals) */
} bl_driver;

typedef struct bl_force_def {
    const char *name;
    bl_place place;
    const struct bl_force_kind *kind;
    bl_value value[BL_MAX_PARAMS];
    const bl_contact_def *contact; /* surfaces of a compliant contact; NULL: another force */
} bl_force_def;

typedef struct bl_probe {
    const char *name;
    bl_place place;
    bl_mark mark;
} bl_probe;

/* a component of the reaction of a joint that laws read */
typedef struct bl_reaction_def {
    bl_index joint;
    int part; /* fx, fy, fz, mx, my, mz: on the second body, global axes, about the point of the joint */
    bl_place place;
} bl_reaction_def;

typedef struct bl_point {
    const char *name;
    bl_place place;
    double at[3];
} bl_point;

/* ---- signals: numbers beside bodies that laws read by name (`inputs`, `held`, `states`, `controllers`); docs/theory/signals.md */
typedef enum bl_signal_what {
    BL_SIGNAL_INPUT,  /* set from outside between steps; may increase at a constant rate */
    BL_SIGNAL_HELD,   /* set by actions, constant in between */
    BL_SIGNAL_STATE,  /* its rate is a law */
    BL_SIGNAL_OUTPUT, /* is itself a law */
    BL_SIGNAL_DELAY   /* the value of a law some time ago */
} bl_signal_what;

typedef struct bl_signal_def {
    const char *name; /* "i", "pid.integral" */
    bl_place place;
    uint8_t what;       /* bl_signal_what */
    bool hidden;        /* belongs to a function of an expression and is not shown */
    const char *unit;   /* for results; NULL: not given */
    double value, rate; /* at the start; INPUT: its rate */
    bl_index start;     /* law of the value at the start; -1: `value` */
    double scale;       /* STATE: typical size */
    bl_index law;       /* STATE: its rate; OUTPUT: its value; DELAY: what it was */
    double delay;       /* DELAY: so long ago */
} bl_signal_def;

/* A named expression for results: evaluated at samples, from what they hold. */
typedef struct bl_quantity_def {
    const char *name, *unit; /* unit: "": not given */
    bl_place place;
    bl_index law; /* of t, variables, probes, their rates, signals; -1: `value` */
    double value;
} bl_quantity_def;

/* signal = law, or = value if there is none */
typedef struct bl_assignment {
    bl_index signal, law;
    double value;
    double delay; /* it takes effect so much later, for actions that are repeated */
    bl_place place;
} bl_assignment;

typedef enum bl_action_when {
    BL_ACTION_AT,    /* once, at `time` */
    BL_ACTION_EVERY, /* at `time` + k `period`, k = 0, 1, ... */
    BL_ACTION_WHEN   /* whenever `law` goes through zero */
} bl_action_when;

/* Changes numbers at an instant: an event of the model, or the sample of a controller. Expressions have the values just before it. */
typedef struct bl_action {
    const char *name; /* for messages */
    bl_place place;
    uint8_t when;     /* bl_action_when */
    int8_t direction; /* WHEN: 1: only upwards, -1: only downwards, 0: both */
    bool sample;      /* of a controller: before other actions at the same time */
    double time, period;
    bl_index law;
    bl_index first, count; /* its assignments */
    bl_index percussion;   /* -1: none */
} bl_action;

/* One entry of `initial:`. Values are met exactly, guesses as closely as the constraints allow. */
typedef enum bl_initial_what {
    BL_INITIAL_VARIABLE,
    BL_INITIAL_RATE, /* ref = variable; value[0] */
    BL_INITIAL_POSITION,
    BL_INITIAL_VELOCITY,        /* of a mark; value[3] */
    BL_INITIAL_ORIENTATION,     /* of a body: rotation vector from the model configuration */
    BL_INITIAL_ANGULAR_VELOCITY /* of a body, global axes */
} bl_initial_what;

typedef struct bl_initial {
    bl_initial_what what;
    bool guess;
    bl_index ref;
    bl_mark mark;
    double value[3];
    bl_place place;
} bl_initial;

typedef struct bl_stop {
    const char *name; /* text of the expression */
    bl_place place;
    bl_index law;     /* the run stops when it changes sign */
    int8_t direction; /* 1: only upwards, -1: only downwards, 0: both */
} bl_stop;

/* The section `matrices:`, a linear system without bodies; its unknowns are the model's variables. */
typedef struct bl_square { /* n x n in compressed columns, rows ascending; ptr NULL: not given */
    const bl_index *ptr, *idx;
    const double *value;
} bl_square;
typedef struct bl_row_load {
    bl_index row, law; /* a law of time */
} bl_row_load;
typedef struct bl_matrices {
    int order;  /* 2: M d'' + C d' + K d = load; 1: M y' = A y + load */
    bl_index n; /* unknowns */
    bl_square M, C, K, A;
    double *load;     /* [n] constant part */
    bl_row_load *law; /* [nlaw] time-dependent part */
    bl_index nlaw;
    double *position, *velocity, *scale; /* [n] */
    bl_place place;
} bl_matrices;

/* ---- equations: a model without bodies. The elements of its states are the model's variables, in the order of the file; those of
 * order 2 obey M x'' + G^T lambda = side, those of order 1 A x' = side, those of order 0 are algebraic: 0 = side. */
typedef struct bl_equation_mass {
    bl_index row, column; /* variables, both of order 2 (then M is symmetric and the pair is stored once), or both of order 1 */
    bl_place place;
} bl_equation_mass;

typedef struct bl_equation_row {
    const char *name, *text;
    bl_place place;
    double scale;     /* NaN: from its gradient at the start */
    bl_index contact; /* -1: a constraint */
    int component;    /* of a contact: 0 the gap, then speeds of sliding */
} bl_equation_row;

typedef struct bl_equation_contact {
    const char *name;
    bl_index row, nslip; /* its gap, followed by its speeds of sliding */
    double restitution, friction, sticking;
} bl_equation_contact;

typedef struct bl_equations {
    bl_place place;
    /* Recorded, not finished. Input 0 is t, 1 + i the variable i, 1 + nvariable + i its rate (order 2). Outputs: the right-hand side of
     * every variable, the masses, the constraints and then gaps and speeds of contacts, the known solution of every variable (if exact),
     * the elements of expressions. */
    bl_tape *tape;
    uint8_t *order; /* [nvariable] 2, 1 or 0 */
    double *start, *rate_start, *scale;
    bl_index nmass, nconstraint, nexpression; /* nconstraint: rows of contacts included, which come last */
    bl_equation_mass *mass;
    bl_equation_row *constraint; /* of positions (variables of order 2) and t */
    bl_index ncontact;
    bl_equation_contact *contact;
    bool exact;
} bl_equations;

/* ---- solids: meshed bodies (`bodies:` with `mesh:`), whose unknowns are displacements, and scalar fields (`fields:`) */
typedef struct bl_number_law { /* a number, or a law of t and x, y, z */
    bl_index law;              /* -1: the number */
    double number;
} bl_number_law;

typedef struct bl_section_def { /* which elements have which material; a later one wins */
    const bl_mesh_set *set;     /* NULL: all */
    const char *name;           /* of the material */
    bl_material material;
    double nu; /* Poisson's ratio; NaN: the material has none */
    /* in place of the solid's, where they are not 0 */
    bool bbar;
    int points[3], mass_points[3];
    double thickness;
    bool lower_temperatures; /* of hexa20: trilinear, as in CalculiX */
} bl_section_def;

typedef struct bl_solid {
    const char *name;
    bl_place place;
    bl_mesh mesh;
    const bl_strain_kind *strain; /* NULL: a scalar field */
    uint8_t order;                /* in time: 2, 1, 0 */
    bl_plane plane;
    bool bbar, lumped;
    bool stressed;    /* Green's strain, but stress from the small strain: modes about a state computed with small strains */
    int points[3];    /* integration points per direction; 0: the element's default */
    double hourglass; /* hourglass stiffness of quad4 and hexa8 with one point, as a fraction of the stiffness; negative: default */
    double thickness;
    double damping_mass, damping_stiffness; /* C = a M + b K */
    bl_index nsection;
    bl_section_def *section;
    /* scalar fields */
    bl_number_law convection[3], absorption, source; /* source may read u */
    /* initial fields: displacement or value, and velocity */
    bl_number_law start[3], start_rate[3];
    bl_index start_mode; /* 0: none; else start in this mode shape, scaled to start_amplitude */
    double start_amplitude;
    double scale; /* typical size of the unknowns; 0: estimated from loads and initial values */
} bl_solid;

/* a prescribed component of a set of nodes */
typedef struct bl_support {
    bl_place place;
    bl_index solid;
    const char *set_name;
    const bl_mesh_set *set; /* of nodes */
    bl_index node;          /* instead of a set; -1 */
    int part;               /* component */
    bl_number_law value;
    const double *base, *by; /* [set->count] item i has base[i] + by[i] times the value; NULL: 0, 1 */
} bl_support;

typedef enum bl_solid_load_what {
    BL_LOAD_TRACTION,    /* per area of the reference, global axes; three laws */
    BL_LOAD_NORMAL,      /* the same along the outward normal of the reference */
    BL_LOAD_PRESSURE,    /* on the deformed face, against its normal */
    BL_LOAD_VOLUME,      /* body force per volume; of a field: source per volume */
    BL_LOAD_MASS,        /* per mass */
    BL_LOAD_NODE,        /* force on every node of a set */
    BL_LOAD_TEMPERATURE, /* of the nodes of a set */
    BL_LOAD_FLUX,        /* of a field: into the body through a face */
    BL_LOAD_FILM         /* of a field: value[0] (u - value[1]) out of the body */
} bl_solid_load_what;

typedef struct bl_solid_load {
    bl_place place;
    bl_solid_load_what what;
    bl_index solid;
    const bl_mesh_set *set; /* of faces, nodes or elements by `what`; NULL: all */
    bl_index node;          /* instead of a set of nodes; -1 */
    bl_index field;         /* temperature: taken from the field with this number, from 1, at the same nodes; 0: from the law */
    bl_number_law value[3];
    const double *base, *by; /* [set->count] item i has base[i] + by[i] times the value, unless that depends on x, y, z; NULL: 0, 1 */
} bl_solid_load;

/* sum over its terms of by times component `part` of node = 0; the first term is eliminated */
typedef struct bl_tie_term {
    bl_index node;
    int part;
    double by;
} bl_tie_term;
typedef struct bl_tie {
    bl_place place;
    bl_index solid, nterm;
    const bl_tie_term *term;
} bl_tie;

/* a mass carried by nodes: its displacement is the sum of by[a] u_a over them */
typedef struct bl_point_mass {
    bl_place place;
    bl_index solid, nnode;
    const bl_index *node;  /* [nnode] */
    const double (*by)[9]; /* [nnode] 3 x 3 by rows; planar models use the upper left part */
    double mass;
} bl_point_mass;

typedef struct bl_solid_probe { /* location in the mesh of the bl_probe with the same index */
    bl_index solid, node;       /* a node, or -1 and: */
    bl_index element;
    double xi[3];
} bl_solid_probe;

/* Settings of the run in the file; NULL or NaN: not given. */
typedef struct bl_settings {
    const char *coordinates, *formulation, *integrator, *linsol, *ordering, *singular;
    double closure; /* as in bl_model_set_closure; 0: exact */
    bl_place coordinates_at, formulation_at, integrator_at, linsol_at, ordering_at, singular_at;
    double until, tolerance, absolute, step, every;
    int threads;          /* 0: not given */
    const char *impact;   /* "newton" or "poisson" */
    const char *contact;  /* "events" or "stepping" */
    const char *painleve; /* where a contact cannot slide: "refuse" or "impact" */
    double rest;          /* speed at contacts that is rest after an impact; NaN: not given */
} bl_settings;

/* ---- options of studies; names as in the file, resolved by the study. NaN, 0 or NULL: not given. */
typedef struct bl_named {
    const char *name; /* NULL: not given */
    bl_place place;
} bl_named;

typedef struct bl_path_def { /* over a parameter */
    bl_named parameter;
    double from, to;
    bool branches;
    bl_index points;
} bl_path_def;

typedef struct bl_equilibrium_def {
    bl_place place;
    double tolerance;
    bl_index starts;
    bool any;
    bl_index nhold;
    bl_named *hold;
    bl_path_def *path; /* NULL: none */
} bl_equilibrium_def;

typedef struct bl_linearize_def {
    bl_place place;
    bl_named at;
    bl_index ninput, noutput;
    bl_named *input, *output;
    bl_path_def *path;
} bl_linearize_def;

typedef struct bl_actuator_def {
    bl_place place;
    bl_named variable, force; /* one of them */
    double weight, limit;
} bl_actuator_def;

typedef struct bl_column_def {
    bl_named column, quantity; /* heading in the table; what it measures, or "time" */
} bl_column_def;

typedef struct bl_inverse_def {
    bl_place place;
    bool bounded; /* the limits of actuators are enforced */
    bl_index nactuator;
    bl_actuator_def *actuator;
    bl_named table; /* file; its text: */
    const char *table_text;
    size_t table_bytes;
    double noise;
    bl_index ncolumn;
    bl_column_def *column;
} bl_inverse_def;

typedef struct bl_input { /* a file that was read; the most recent first */
    const char *path;
    uint64_t device, number;
    const struct bl_input *next;
} bl_input;

typedef struct bl_deck bl_deck;

struct bl_model {
    bl_context *ctx;         /* reads and destroys it; studies use their own */
    bl_arena arena;          /* owns everything below except laws, signals, actions, primitives and contacts */
    const char *name, *file; /* file as given, for messages */
    const char *source;      /* the text itself, for the result file */
    size_t source_bytes;
    const bl_input *input;
    int dim; /* 2 or 3 */
    double gravity[3];
    bl_settings settings;
    bl_index nparameter, nlaw, nbody, njoint, nvariable, ndriver, nforce, nprobe, npoint, ninitial, nstop, nmeasure, nindependent,
        nreaction;
    bl_parameter *parameter;
    bl_law *law;
    bl_body *body;
    bl_index nelastic;
    bl_elastic_def *elastic;
    bl_joint_def *joint; /* [njoint + ncontact]: the geometry of contacts follows the joints */
    bl_index ncontact;
    bl_contact_def *contact;
    bl_index npercussion;
    bl_percussion_def *percussion;
    bl_index nprim;
    struct bl_prim *prim;        /* constraints and variables of the joints, in their order */
    bl_surfaces *surfaces;       /* NULL: contacts are followed from event to event */
    struct bl_touch_form *touch; /* recorded contacts of surfaces (joint/touch.h) */
    bl_variable *variable;
    bl_driver *driver;
    bl_force_def *force;
    bl_reaction_def *reaction;
    bl_probe *probe;
    bl_point *point;
    bl_initial *initial;
    bl_stop *stop;
    bl_equations *equations; /* NULL: none */
    bl_index nsignal, naction, nassignment;
    bl_signal_def *signal;
    bl_action *action;
    bl_assignment *assignment;
    bl_index nquantity;
    bl_quantity_def *quantity;
    bl_index *measure;        /* variables to be used as coordinates in `mixed` */
    const char **independent; /* as in the file: "j1.angle", or "P.x" for a carried or shared point */
    bl_place *independent_place;
    bl_matrices *matrices; /* NULL: none */
    bl_index nsolid, nsupport, nsolid_load;
    bl_solid *solid; /* without elastic bodies the model has neither rigid bodies nor joints; else they are the meshes of these */
    bl_support *support;
    bl_solid_load *solid_load;
    bl_solid_probe *solid_probe; /* [nprobe] */
    bl_index ntie;
    const bl_tie *tie;
    bl_index nmass;
    bl_point_mass *mass;
    bool rests; /* initial: {equilibrium: true}: every study starts in equilibrium */
    bl_place rests_at;
    const bl_equilibrium_def *equilibrium; /* sections of studies; NULL: not given */
    const bl_linearize_def *linearize;
    const bl_inverse_def *inverse;
    const bl_deck *deck; /* steps of a model read from a deck (deck_model.h); NULL: none */
    /* how it was read, for variants (variant.h) */
    const bl_override *override;
    bl_index noverride;
    bl_files files;
    const char *contact_option;
    double share;
    const bl_model *base; /* of a variant: the model whose data it shares; else NULL */
    bl_hash names[4];     /* of bodies, joints, variables, probes; complete once everything is read */
};

/* Contacts of results: without percussions and handles, which are last. */
static inline bl_index bl_model_contacts_shown(const bl_model *model) {
    return model->ncontact - model->npercussion - (model->surfaces ? model->surfaces->nhandle : 0);
}

/* Meshes alone: the unknowns are displacements of nodes, and there is no mechanism. */
static inline bool bl_model_of_meshes(const bl_model *model) { return model->nsolid > 0 && model->nelastic == 0; }

/* Meshes of results: all solids, or those of elastic bodies in the order of these, reduced ones included whose mesh is known. */
bl_index bl_model_meshes(const bl_model *model);
const bl_solid *bl_model_mesh(const bl_model *model, bl_index k, bl_index *elastic); /* elastic, unless NULL: its body, -1: none */

/* Joints, and the geometry of contacts behind them. */
static inline bl_index bl_model_joints(const bl_model *model) { return model->njoint + model->ncontact; }

/* Index by name, -1 when absent. */
bl_index bl_model_body(const bl_model *model, const char *name);
/* An elastic body by its name ("rod", whose frames are bodies: "rod.0", ..., which bl_model_body knows, also as "rod.from", "rod.to"). */
bl_index bl_model_elastic(const bl_model *model, const char *name);
bl_index bl_model_joint(const bl_model *model, const char *name);
/* Refuses a closure (biela.h) outside its range; place: in the model file, NULL: an argument of a call. */
bl_status bl_model_check_closure(bl_context *ctx, const bl_place *place, double closure);
bl_index bl_model_variable(const bl_model *model, const char *name);
bl_index bl_model_probe(const bl_model *model, const char *name);
bl_index bl_model_signal(const bl_model *model, const char *name);
/* The k-th input, counted in the order of the file, as a signal; -1: there are fewer. */
bl_index bl_model_input(const bl_model *model, bl_index k);
/* The first driver from number `from` on whose law reads a signal (< 0: any); -1: none. */
bl_index bl_model_driver_reading(const bl_model *model, bl_index from, bl_index signal);
/* A driver that follows a state, and the state (signal may be NULL); -1: none. */
bl_index bl_model_driver_of_state(const bl_model *model, bl_index *signal);
/* BL_E_ABILITY if a driver follows a state. study: "kinematics is", "equilibria are", ... */
bl_status bl_model_refuse_following(bl_context *ctx, const bl_model *model, const char *study);

/* BL_E_ABILITY if laws may read reactions. study: as above. */
bl_status bl_model_refuse_reactions(bl_context *ctx, const bl_model *model, const char *study);

/* Warns that a study leaves contacts, stops and percussions out. study: "kinematics", ... */
void bl_model_without_contacts(bl_context *ctx, const bl_model *model, const char *study);

/* A mark at a global position or along a global direction of the model configuration. */
bl_mark bl_model_mark_point(const bl_model *model, bl_index body, const double at[3]);
bl_mark bl_model_mark_vector(const bl_model *model, bl_index body, const double direction[3]);

#endif
