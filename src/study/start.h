/* start, private: poses and twists of all bodies at the start, from the model alone, hence the same for every kind of coordinates.
 *
 * Joints outside loops (bridges) whose variables are given or kept are set: bodies connected by them form one group. The rest, loops and
 * joints that entries of `initial:` about bodies release, is solved for the groups: assembled, and of all assembled configurations the one
 * nearest to the configuration carried along; for velocities the one of least kinetic energy. docs/MODEL.md, Initial state. */
#ifndef BL_START_H
#define BL_START_H

#include "system/system.h"
#include "topology/topology.h"

typedef enum bl_start_known { BL_START_FREE, BL_START_KEPT, BL_START_GIVEN } bl_start_known;

/* an equation on the groups: coefficients of (velocity / length, angular velocity) of each */
typedef struct bl_start_row {
    bl_index first, count; /* entries */
    double rhs;
    bl_index owner;   /* joint, njoint + driver, or -1 - entry of `initial:`; a kept variable: its joint, with says NULL */
    bool soft;        /* a guess */
    bool counts;      /* false: left out in the search for a conflict */
    bool is_length;   /* rhs x length is in m */
    const char *says; /* name of the equation in messages */
} bl_start_row;

typedef struct bl_start_group {
    double center[3], mass;       /* in units of the mean mass */
    double inertia[6], factor[6]; /* about the center, in units of mean mass length^2; its Cholesky factor: 00 10 11 20 21 22 */
} bl_start_group;

typedef struct bl_start {
    bl_context *ctx;
    const bl_model *model;
    bl_arena arena;
    double t, closure;   /* closure: relative tolerance of dimensions; 0: exact */
    double length, mass; /* typical length of a body, mean mass */
    int per_body;        /* columns of a group: 6, in the plane 3 */
    bool positions;      /* solving for positions, else velocities */
    double raised;       /* velocities: factor above the requested rates, at the limit of the reach; 0: not there */
    double near;         /* the same near that limit */
    bool no_guesses;     /* guesses of rates are ignored for that reason */
    bl_twists twists;
    /* the model in the given configuration */
    bl_index *order, *up; /* bl_topology_bridges */
    bool *bridge;
    double *driven, *driven_rate; /* [ndriver] */
    bool *related;                /* [nvariable] by a gear, or a screw */
    double *model_value, *gap;    /* [nvariable] values there; [njoint] largest constraint violation of each */
    double (*inertia)[3][3];      /* [nbody] body axes, in units of mean mass length^2, eigenvalues at least study_start_least_mass */
    double *body_mass;
    /* entries and drivers in use: those below a number, and only one of these if `only` is >= 0 */
    bl_index upto, only, drivers, only_driver;
    /* the plan */
    uint8_t *known;  /* [nvariable] bl_start_known */
    double *value;   /* [nvariable] given or kept value */
    bool *released;  /* [njoint] by an entry about a body */
    bool *set;       /* [njoint] */
    bl_index *group; /* [nbody] 0: that of ground */
    bl_index ngroup;
    bl_start_group *at; /* [ngroup] */
    /* the configuration */
    bl_pose *pose, *carried;  /* [nbody] */
    double *angle;            /* [nbody] in the plane, with full revolutions */
    double *variable;         /* [nvariable] with full revolutions */
    double (*known_twist)[6]; /* [nbody] due to the joints inside the group: velocity of the center, angular velocity */
    /* equations */
    bl_start_row *row;
    bl_index nrow, row_room, nentry, entry_room, coef_room;
    bl_index *entry_col;
    double *entry_coef;
    double *sum, *size; /* [columns] workspace of an equation */
    bl_index *touched, ntouched;
    double *work; /* of the solver */
    bl_index *indices, work_room, index_room;
} bl_start;

/* ---- start_plan.c */
bl_status bl_start_create(bl_context *ctx, const bl_model *model, double t, double closure, bl_start *s);
void bl_start_destroy(bl_start *s);
bool bl_start_entry_counts(const bl_start *s, bl_index entry);
bool bl_start_driver_counts(const bl_start *s, bl_index driver);
/* Plan: which joints are set, and the groups. Carry: poses and carried (positions), or known_twist (velocities). */
bl_status bl_start_plan(bl_start *s);
bl_status bl_start_carry(bl_start *s);

/* ---- start_rows.c: at s->pose */
bl_status bl_start_rows(bl_start *s);
/* g[columns]: derivative by the motion of the groups of half the mass-weighted squared change since `carried`, or of the kinetic energy of
 * known_twist; units of mean mass length^2 */
void bl_start_gradient(const bl_start *s, double *g);
double bl_start_change(const bl_start *s); /* that half square */

/* ---- start_solve.c: x[columns] of the groups that satisfies all hard equations in use and minimizes x.x / 2 + g.x (g NULL: 0) in the
 * metric of masses (else of sizes), with guesses followed as far as possible. Singular values below tolerance count as 0. */
bl_status bl_start_solve(bl_start *s, bool masses, bool guesses, const double *g, double tolerance, double *x);

/* ---- start.c */
/* Poses with quaternions of positive real part, in the plane angles of bodies, and variables, both with full revolutions; velocities at
 * such poses. */
bl_status bl_start_positions(bl_context *ctx, const bl_model *model, double t, double closure, bl_pose *pose, double *angle,
                             double *variable);
/* driven_rate[ndriver]: rates of the drivers; NULL: those of the model. nearest (NULL: an error): set if elastic bodies would have to
 * deform at once to follow joints, drivers and initial values; the velocities then violate these as little as possible. */
bl_status bl_start_velocities(bl_context *ctx, const bl_model *model, double t, double closure, bl_pose *pose, const double *variable,
                              const double *driven_rate, bool *nearest);

/* ---- start_state.c: the start in the coordinates of a system, checked against the poses */
bl_status bl_start_state(const bl_system *sys, const bl_model *model, bl_state *state);
bl_status bl_move_mechanism(const bl_system *sys, const bl_model *model, bl_state *state);
/* Whether the velocities of that state are those of a sudden start, by impulses that deform elastic bodies. */
bl_status bl_start_is_sudden(const bl_system *sys, const bl_model *model, const bl_state *state, bool *sudden);

#endif
