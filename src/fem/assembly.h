/* assembly: the unknowns of all parts, matrices and vectors on them. Private to this room.
 *
 * `full` vectors hold every component of every node of every part; unknowns are those that no support prescribes, second order in time
 * first. Parts are sorted the same way. */
#ifndef BL_FEM_ASSEMBLY_H
#define BL_FEM_ASSEMBLY_H

#include "fem/fem.h"
#include "fem/part.h"
#include "series/switches.h"

typedef struct bl_fem_given { /* a prescribed component */
    bl_index at;              /* in full vectors */
    bl_number_law value;
    double base, by; /* base + by x value */
} bl_fem_given;

typedef struct bl_fem_tie { /* a component that follows from others, free or prescribed ones of the same part: full = sum by at */
    bl_index full, n;
    const bl_index *at;
    const double *by;
} bl_fem_tie;

/* a load whose shape in space is known: factor(t) value[] at at[] of a full vector */
typedef struct bl_fem_shape {
    bl_number_law factor; /* of time alone */
    bl_index n, room, value_room;
    bl_index *at;
    double *value;
} bl_fem_shape;

/* what a component that a support moves (col) exerts on another (row) by its acceleration and its rate */
typedef struct bl_fem_pair {
    bl_index row, col; /* full */
    double mass, damping;
} bl_fem_pair;

typedef struct bl_fem {
    bl_context *ctx;
    const bl_fem_linear *kernels;
    const bl_fem_laws *law_kernels;
    bl_system *sys; /* patterns are made when they are asked for */
    const bl_model *model;
    bl_arena arena;
    bl_index npart;
    bl_fem_part *part;
    bl_index *node0, *full0; /* [npart + 1] first node, first full value of each part */
    bl_index nfull, n, ngiven;
    bl_index nv;         /* unknowns of second order */
    bl_index *column;    /* [nfull] unknown, or -1 - given, or -1 - ngiven - tie */
    bl_index *first;     /* [nodes + 1] first unknown of every node */
    bl_fem_given *given; /* [ngiven] */
    bl_index ntie;
    bl_fem_tie *tie; /* [ntie] */
    bl_index npair;
    bl_fem_pair *pair;  /* [npair] supports.c */
    bool supports_move; /* some prescribed value is not zero for ever */
    bool linear, symmetric, damped, stiffness_damping;
    bool follows;                    /* pressure on deformed faces, films */
    bool bends;                      /* some of that is not linear in the unknowns with a constant slope */
    bool presses;                    /* pressure: its slope is not symmetric */
    bool time_loads;                 /* loads depend on time */
    bool loads_change;               /* `dead` is not all of them; temperatures are loads */
    bl_pattern pattern;              /* of K; ptr NULL: not made yet */
    bl_index ***slot;                /* [part][group] [count][nnode][nnode]: where rows of node a begin in columns of node b */
    bl_pattern M_pattern, C_pattern; /* columns of `pattern`, of a diagonal, or empty ones */
    double *M, *C, *K;               /* constant values on them; K: of linear parts, and C, only where they are asked for */
    double *dead;                    /* [nfull] loads that never change */
    bl_index nshape, shape_room;
    bl_fem_shape *shape;
    bl_index nfree_load; /* loads that are integrated at every time */
    bl_index *free_load;
    bl_index nlaw_input; /* most inputs of a law, with room for its slopes, and its work */
    size_t law_work;
    /* Laws that change by pieces in time alone: which one holds stands at the front of the history (series/switches.h). Laws of places are
     * taken as they are. */
    bl_switches switches;
    bl_index *switch_of; /* [laws of the model] number among the switches, -1: none */
    bl_index *switching; /* [switches.nlaw] law of the model */
    size_t nhistory;     /* numbers, those of switches included */
    bl_index nblock;     /* of the largest group */
    size_t lane_room;    /* numbers of the matrices of eight elements */
    size_t *history0;    /* [npart] where the histories of each part begin */
    bool warm;
    struct bl_fem_fields *fields; /* fields_private.h */
} bl_fem;

bl_status bl_fem_number(bl_fem *fem);   /* unknowns and supports */
bl_status bl_fem_patterns(bl_fem *fem); /* pattern and slots, where they are missing */

/* of all elements at a place: heating is the power that temperatures feed in by their rates, at fixed displacements */
typedef struct bl_fem_energy {
    double stored, dissipated, heating;
} bl_fem_energy;

/* room for one evaluation: a place */
typedef struct bl_fem_eval {
    bl_element_work *element;        /* [threads] */
    bl_fem_energy *block_energy;     /* [blocks of the largest group] */
    double *u, *v, *a, *f;           /* full vectors */
    double *load, *inner, *follower; /* likewise, of positions and time: kept while velocities move */
    bl_fem_energy energy;            /* with them */
    bool without;                    /* films: what they would bring in if fields were zero, the rest stands in K */
    bool slow;                       /* neither inertia nor damping */
    double *u_from, *u_to;           /* full vectors, of forces between two places */
    bool between;                    /* they are asked for, with this share of dissipation: */
    double chi;
    double *rate;                  /* full vector: scratch of supports.c */
    double *temperature, *warming; /* [nodes] and their rates */
    double *law_in, *law_work;
    const double *pieces; /* of switches at this place; NULL: laws as they are */
    double *field_work;   /* fields.c; NULL: nobody asked */
} bl_fem_eval;

/* u, v, a of a place from unknowns (q, z; v of those of second order) and supports at t; a of unknowns is zero. NULL: zeros. */
bl_status bl_fem_spread(const bl_fem *fem, double t, const double *q, const double *v, const double *z, bl_fem_eval *p);
void bl_fem_spread_values(const bl_fem *fem, const double *q, const double *z, bl_fem_eval *p); /* u alone, prescribed ones zero */
/* The same at the place of an evaluation, with the pieces of laws that hold there. */
bl_status bl_fem_spread_at(const bl_fem *fem, const bl_eval *e);
/* value, rate and half the second rate of a law of time at a place x */
void bl_fem_expand(const bl_fem *fem, const bl_number_law *law, double t, const double x[3], bl_fem_eval *p, double c[3]);
/* BL_NOT_FINITE, in words: `what` of a part is not, there and then. */
bl_status bl_fem_refuse_law(const bl_fem *fem, const bl_number_law *law, const char *what, bl_index part, const double x[3], double t);
/* That refusal of what never changes is a mistake of the model. */
bl_status bl_fem_never(const bl_fem *fem, bl_status status);
/* Inner forces f of all nodes (full), and what else is wanted: K on the pattern (added to zeros), energies. */
bl_status bl_fem_inner(const bl_fem *fem, double t, uint32_t want, const double *history, double *trial, bl_fem_eval *p, double *f,
                       double *K, bl_fem_energy *energy);
/* diagonal[nfull] of the elements' matrices at a place, added to zeros */
bl_status bl_fem_diagonal(const bl_fem *fem, double t, bl_fem_eval *p, double *diagonal);
/* The constant matrices, where they are missing; K of linear parts, and C with the stiffness of the reference. C alone has no need of K's
 * pattern where damping goes with lumped masses. */
bl_status bl_fem_make_M(bl_fem *fem, bl_fem_eval *p);
bl_status bl_fem_make_C(bl_fem *fem, bl_fem_eval *p);
bl_status bl_fem_make_K(bl_fem *fem, bl_fem_eval *p);
/* places, values and temperatures of one element's nodes */
void bl_fem_gather(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index e, const bl_fem_eval *p, bl_element_work *w);
/* values += m[nnode ncomponent]^2 of an element */
void bl_fem_scatter(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index g, bl_index e, const double *m, double *values);
/* the same of a symmetric matrix given by its blocks a <= b (linear_isa.h), of one lane; m: room for all of it, used with ties */
void bl_fem_scatter_lane(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index g, bl_index e, const double *blocks,
                         double *m, double *values);

/* ---- warnings.c */
void bl_fem_warn(const bl_fem *fem);
void bl_fem_warn_of_nodes(const bl_fem *fem, const uint8_t *reached); /* [nfull] components that elements or ties have */
/* Two supports of the model prescribe the same component of a node. */
void bl_fem_warn_of_supports(const bl_fem *fem, bl_index part, bl_index node, bl_index before, bl_index now);
void bl_fem_warn_of_jump(const bl_fem *fem, double t, const double *before, const double *now); /* values of all nodes */

/* ---- motions.c */
bool bl_fem_motion_name(const bl_system *sys, const double *x, char *text, size_t room);

/* ---- supports.c */
bl_status bl_fem_couple(bl_fem *fem, bl_fem_eval *p); /* finds the pairs */
/* f[nfull] += M g'' + C g' of supports that move, at the place; rate[nfull]: scratch */
void bl_fem_support_forces(const bl_fem *fem, const bl_fem_eval *p, double *rate, double *f);

/* ---- ties.c */
/* Finds ties while column[] is 0 for free components, -1 for prescribed ones; -2 afterwards for tied ones. */
bl_status bl_fem_ties(bl_fem *fem);
void bl_fem_tie_values(const bl_fem *fem, double *full); /* of tied components from the others */
void bl_fem_tie_forces(const bl_fem *fem, double *full); /* on tied components handed to the others */
/* values on the pattern += factor m[n][n] of components, with what tied ones stand for. tied_only: not pairs without
 * a tied one. */
void bl_fem_add_dofs(const bl_fem *fem, int n, const bl_index *full, const double *m, double factor, bool tied_only,
                     const bl_pattern *pattern, double *values);
/* of elements with tied components, what bl_fem_scatter and masses leave out */
bool bl_fem_is_tied(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index e);
void bl_fem_add_tied(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index e, const double *m, double *values);
void bl_fem_add_tied_mass(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index e, const double *m, double factor,
                          const bl_pattern *pattern, double *values);
/* nodes (of all parts) that its tied components bring in, node NULL: how many */
bl_index bl_fem_tied_nodes(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index e, bl_index *node);

/* ---- point_masses.c: those that nodes carry */
bl_index bl_fem_carriers(const bl_fem *fem, bl_index mass, bl_index *node); /* nodes (of all parts) of one; node NULL: how many */
bool bl_fem_masses_meet(const bl_fem *fem, bl_index part);                  /* one hangs on several nodes */
void bl_fem_add_masses(const bl_fem *fem, bl_index part, double factor, const bl_pattern *pattern, double *values);
/* f[nfull] += M a (full) of them; v not NULL: M (a + alpha v), damped as their body */
void bl_fem_mass_inertia(const bl_fem *fem, const double *a, const double *v, double *f);
void bl_fem_mass_weight(const bl_fem *fem, double *f); /* f[nfull] += gravity */

/* ---- law_switches.c */
bl_status bl_fem_switches(bl_fem *fem); /* finds them */
/* The tape of a law at this place, by pieces where it has some: these follow its own inputs; returns how many. */
bl_index bl_fem_law_inputs(const bl_fem *fem, bl_index law, const bl_fem_eval *p, const bl_tape **tape, const double **pieces);
bl_status bl_fem_hold(const bl_system *sys, bl_eval *e, bl_state *state);
bl_status bl_fem_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event);
bl_status bl_fem_next_time(const bl_system *sys, const bl_state *state, double *t);

/* ---- nodal_loads.c */
bl_status bl_fem_loads(bl_fem *fem, bl_fem_eval *p);                                          /* compiles them */
bl_status bl_fem_load_at(const bl_fem *fem, double t, bl_fem_eval *p, double *f);             /* f[nfull] = all that do not follow */
bl_status bl_fem_pressure(const bl_fem *fem, double t, bl_fem_eval *p, double *f, double *K); /* f += what follows, K -= its slope */
double bl_fem_rounded(const bl_fem *fem, const bl_fem_eval *place); /* bl_system.rounded; place NULL: without temperatures */
double bl_fem_law(const bl_fem *fem, const bl_number_law *law, double t, const double x[3], double u, bl_fem_eval *p);

#endif
