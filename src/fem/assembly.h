/* assembly: the unknowns of all parts, and their matrices and vectors. Private to this room.
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
    double base, factor; /* base + factor x value */
} bl_fem_given;

/* a component that depends on free or prescribed ones of the same part: u[full] = sum_k coefficient[k] u[at[k]] */
typedef struct bl_fem_tie {
    bl_index full, n;
    const bl_index *at;
    const double *coefficient;
} bl_fem_tie;

/* a load of constant distribution in space: entries at[] of a full vector are factor(t) value[] */
typedef struct bl_fem_shape {
    bl_number_law factor; /* a function of time only */
    bl_index n, room, value_room;
    bl_index *at;
    double *value;
} bl_fem_shape;

/* inertia and damping by which a component moved by a support (col) acts on another one (row) */
typedef struct bl_fem_pair {
    bl_index row, col; /* full */
    double mass, damping;
} bl_fem_pair;

typedef struct bl_fem {
    bl_context *ctx;
    const bl_fem_linear *kernels;
    const bl_fem_laws *law_kernels;
    bl_system *sys; /* its patterns are built on first use */
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
    bool supports_move; /* some prescribed value is not identically zero */
    bool linear, symmetric, damped, stiffness_damping;
    bool has_follower;               /* there are loads that depend on the unknowns: pressure on deformed faces, films */
    bool nonlinear_follower;         /* some of these loads are not linear in the unknowns with constant coefficients */
    bool has_pressure;               /* some of them are pressures, whose tangent is not symmetric */
    bool time_loads;                 /* loads depend on time */
    bool loads_change;               /* not all loads are in `dead`; temperatures count as loads */
    bl_pattern pattern;              /* of K; ptr NULL: not made yet */
    bl_index ***slot;                /* [part][group] [count][nnode][nnode]: first entry of node a in the columns of node b */
    bl_pattern M_pattern, C_pattern; /* per part: columns of `pattern`, the diagonal, or empty */
    double *M, *C, *K;               /* constant values; K of linear parts, and C, are built on first use */
    double *dead;                    /* [nfull] loads that never change */
    bl_index nshape, shape_room;
    bl_fem_shape *shape;
    bl_index nvariable_load; /* loads that are integrated anew at every time */
    bl_index *variable_load;
    bl_index nlaw_input; /* largest number of inputs of a law, with room for its derivatives; law_work: its scratch */
    size_t law_work;
    /* Piecewise laws of time only: the active piece is stored at the front of the history (series/switches.h). Laws of position are
     * evaluated without pieces. */
    bl_switches switches;
    bl_index *switch_of; /* [laws of the model] number among the switches, -1: none */
    bl_index *switching; /* [switches.nlaw] law of the model */
    size_t nhistory;     /* numbers in the history, those of switches included */
    bl_index nblock;     /* blocks of the largest group */
    size_t lane_room;    /* numbers in the matrices of eight elements */
    size_t *history0;    /* [npart] where the histories of each part begin */
    bool has_temperatures;
    bool moved;                   /* nodes are moved by other coordinates: there are only fields (moved_meshes.c) */
    const bl_fem_shapes *shapes;  /* [npart] of these */
    struct bl_fem_stresses {      /* of each shape: */
        double *nodes, *cells;    /* [shapes][nnode or cells][components]; NULL: not needed */
    } * stresses;                 /* [npart]; NULL: not made yet */
    struct bl_fem_fields *fields; /* fields_private.h */
} bl_fem;

bl_status bl_fem_number(bl_fem *fem); /* unknowns and supports */

/* sums over all elements; heating: power supplied by changing temperatures at fixed displacements */
typedef struct bl_fem_energy {
    double stored, dissipated, heating;
} bl_fem_energy;

/* workspace of one evaluation */
typedef struct bl_fem_eval {
    bl_element_work *element;        /* [threads] */
    bl_fem_energy *block_energy;     /* [blocks of the largest group] */
    double *u, *v, *a, *f;           /* full vectors */
    double *load, *inner, *follower; /* full vectors that depend on positions and time only: kept while velocities change */
    bl_fem_energy energy;            /* likewise */
    bool film_constant_only;         /* films: only the part that is independent of the unknowns; the other part is in K */
    bool slow;                       /* quasi-static: neither inertia nor damping */
    double *u_from, *u_to;           /* full vectors: the two configurations of conserving forces */
    bool between;                    /* conserving forces are requested, with the dissipation parameter chi */
    double chi;
    double *rate;                           /* full vector: scratch of supports.c */
    double *temperature, *temperature_rate; /* [nodes] temperatures and their rates */
    double *law_in, *law_work;
    const double *pieces; /* active pieces of the switches; NULL: laws without pieces */
    double *field_work;   /* fields.c; NULL: not requested */
    bl_fem_moved *moved;  /* [npart] moved_meshes.c; NULL: the nodes are unknowns */
    void *moved_block;
} bl_fem_eval;

/* u, v, a of all nodes from the unknowns (q, z; v of those of second order) and the supports at t; a of unknowns is zero. NULL: zeros. */
bl_status bl_fem_spread(const bl_fem *fem, double t, const double *q, const double *v, const double *z, bl_fem_eval *p);
void bl_fem_spread_values(const bl_fem *fem, const double *q, const double *z, bl_fem_eval *p); /* u only, prescribed components zero */
/* The same for the state of an evaluation, with its active pieces of laws. */
bl_status bl_fem_spread_at(const bl_fem *fem, const bl_eval *e);
/* value, rate and half the second rate of a law of time at position x */
void bl_fem_expand(const bl_fem *fem, const bl_number_law *law, double t, const double x[3], bl_fem_eval *p, double c[3]);
/* Fails with BL_NOT_FINITE: `what` of a part is not finite at x and t. */
bl_status bl_fem_refuse_law(const bl_fem *fem, const bl_number_law *law, const char *what, bl_index part, const double x[3], double t);
/* BL_NOT_FINITE of a quantity that never changes is an error of the model: returns BL_E_MODEL for it. */
bl_status bl_fem_constant_failure(const bl_fem *fem, bl_status status);
/* Internal forces f of all nodes (full) and, as requested by `want`, K on the pattern (the caller sets it to zero before) and energies. */
bl_status bl_fem_inner(const bl_fem *fem, double t, uint32_t want, const double *history, double *trial, bl_fem_eval *p, double *f,
                       double *K, bl_fem_energy *energy);
/* diagonal[nfull] += that of the tangent stiffness */
bl_status bl_fem_diagonal(const bl_fem *fem, double t, bl_fem_eval *p, double *diagonal);
/* Build the constant matrices unless they exist: K of linear parts; C with the stiffness in the reference configuration. C does not need
 * the pattern of K if damping is proportional to lumped masses. */
bl_status bl_fem_make_M(bl_fem *fem, bl_fem_eval *p);
bl_status bl_fem_make_C(bl_fem *fem, bl_fem_eval *p);
bl_status bl_fem_make_K(bl_fem *fem, bl_fem_eval *p);
/* coordinates, values and temperatures of one element's nodes */
void bl_fem_gather(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index e, const bl_fem_eval *p, bl_element_work *w);
/* values += the element matrix m[nnode ncomponent]^2 */
void bl_fem_scatter(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index g, bl_index e, const double *m, double *values);
/* the same for one lane of symmetric matrices given by their blocks a <= b (linear_isa.h); m: workspace for a full matrix, used with ties
 */
void bl_fem_scatter_lane(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index g, bl_index e, const double *blocks,
                         double *m, double *values);

/* ---- warnings.c */
void bl_fem_warn(const bl_fem *fem);
void bl_fem_warn_of_nodes(const bl_fem *fem, const uint8_t *reached); /* [nfull] nonzero: the component belongs to an element or a tie */
/* Two supports of the model prescribe the same component of a node. */
void bl_fem_warn_of_supports(const bl_fem *fem, bl_index part, bl_index node, bl_index before, bl_index now);
void bl_fem_warn_of_jump(const bl_fem *fem, double t, const double *before, const double *now); /* values of all nodes */

/* ---- mesh_series.c: power series; bl_system_kind.series, ... */
struct bl_expansion;
bool bl_fem_has_series(const bl_fem *fem);
void bl_fem_not_analytic(const bl_system *sys, char *why, size_t nwhy, const char **advice);
bl_status bl_fem_expansion_create(const bl_system *sys, struct bl_expansion *ex);
void bl_fem_expansion_destroy(const bl_system *sys, struct bl_expansion *ex);
bl_status bl_fem_series(const bl_system *sys, struct bl_expansion *ex, int k, uint32_t want);

/* ---- motions.c */
bool bl_fem_motion_name(const bl_system *sys, const double *x, char *text, size_t room);

/* ---- supports.c */
bl_status bl_fem_couple(bl_fem *fem, bl_fem_eval *p); /* finds the pairs */
/* f[nfull] += M g'' + C g' of moving supports; rate[nfull]: scratch */
void bl_fem_support_forces(const bl_fem *fem, const bl_fem_eval *p, double *rate, double *f);

/* ---- assembly.c */
/* Pattern of unknowns first[node] .. first[node + 1] - 1 that share an element; coupled: also by ties, or as carriers of a mass. */
bl_status bl_fem_node_pattern(const bl_fem *fem, const bl_index *first, bool coupled, bl_pattern *pattern);

/* ---- ties.c */
/* Finds ties while column[] is 0 for free components, -1 for prescribed ones; -2 afterwards for tied ones. */
bl_status bl_fem_ties(bl_fem *fem);
void bl_fem_tie_values(const bl_fem *fem, double *full); /* sets tied components from the others */
void bl_fem_tie_forces(const bl_fem *fem, double *full); /* transfers forces on tied components to the others */
/* values on the pattern += factor m[n][n] of components, tied ones expressed by the others. tied_only: skips pairs in which neither
 * component is tied. */
void bl_fem_add_dofs(const bl_fem *fem, int n, const bl_index *full, const double *m, double factor, bool tied_only,
                     const bl_pattern *pattern, double *values);
/* contributions of tied components, which bl_fem_scatter and the mass matrices leave out */
bool bl_fem_is_tied(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index e);
void bl_fem_add_tied(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index e, const double *m, double *values);
void bl_fem_add_tied_mass(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index e, const double *m, double factor,
                          const bl_pattern *pattern, double *values);
/* nodes (numbered over all parts) on which its tied components depend; returns how many, node may be NULL */
bl_index bl_fem_tied_nodes(const bl_fem *fem, bl_index part, const bl_fem_group *group, bl_index e, bl_index *node);

/* ---- point_masses.c */
bl_index bl_fem_carriers(const bl_fem *fem, bl_index mass,
                         bl_index *node); /* nodes (numbered over all parts) that carry it; returns how many, node may be NULL */
bool bl_fem_masses_couple(const bl_fem *fem, bl_index part); /* a mass of this part is carried by several nodes */
void bl_fem_add_masses(const bl_fem *fem, bl_index part, double factor, const bl_pattern *pattern, double *values);
/* f[nfull] += M a (full) of point masses; v not NULL: M (a + alpha v), damped as their body is */
void bl_fem_mass_inertia(const bl_fem *fem, const double *a, const double *v, double *f);
void bl_fem_mass_weight(const bl_fem *fem, double *f); /* f[nfull] += gravity */

/* ---- law_switches.c */
bl_status bl_fem_switches(bl_fem *fem); /* finds the piecewise laws */
/* The tape of a law in this evaluation. If it is piecewise, *pieces follow its own inputs; returns how many there are. */
bl_index bl_fem_law_inputs(const bl_fem *fem, bl_index law, const bl_fem_eval *p, const bl_tape **tape, const double **pieces);
bl_status bl_fem_hold(const bl_system *sys, bl_eval *e, bl_state *state);
bl_status bl_fem_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event);
bl_status bl_fem_next_time(const bl_system *sys, const bl_state *state, double *t);

/* ---- nodal_loads.c */
bl_status bl_fem_loads(bl_fem *fem, bl_fem_eval *p);                              /* precomputes what does not change */
bl_status bl_fem_load_at(const bl_fem *fem, double t, bl_fem_eval *p, double *f); /* f[nfull] = all loads that do not depend on unknowns */
bl_status bl_fem_pressure(const bl_fem *fem, double t, bl_fem_eval *p, double *f,
                          double *K);                              /* those that do: f += load, K -= its derivative */
double bl_fem_rounded(const bl_fem *fem, const bl_fem_eval *eval); /* bl_system.rounded; NULL: without temperatures */
double bl_fem_law(const bl_fem *fem, const bl_number_law *law, double t, const double x[3], double u, bl_fem_eval *p);

#endif
