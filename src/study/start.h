/* start, private: poses and twists of all bodies at the start, from the model alone, so the same for every kind of coordinates.
 *
 * Joints outside loops (bridges) whose variables are given or kept are set: bodies that hang together by them make one group. What is left,
 * loops and what entries of `initial:` about bodies release, is found for the groups: closed, then of all that closes it the nearest to
 * the configuration carried along, or for velocities the one of least kinetic energy. docs/MODEL.md, Initial state. */
#ifndef BL_START_H
#define BL_START_H

#include "system/system.h"
#include "topology/topology.h"

typedef enum bl_start_known { BL_START_FREE, BL_START_KEPT, BL_START_GIVEN } bl_start_known;

/* an equation on the groups: coefficients on (velocity / length, angular velocity) of each */
typedef struct bl_start_row {
    bl_index first, count; /* entries */
    double rhs;
    bl_index owner; /* joint, njoint + driver, or -1 - entry of `initial:`; what keeps a variable: the joint, with says NULL */
    bool soft;      /* a guess */
    bool counts;    /* else left out by whom looks for the culprit */
    bool is_length; /* rhs x length is in m */
    const char *says;
} bl_start_row;

typedef struct bl_start_group {
    double center[3], mass;       /* in units of the mean mass */
    double inertia[6], factor[6]; /* about the center, in units of mean mass length^2; its Cholesky factor: 00 10 11 20 21 22 */
} bl_start_group;

typedef struct bl_start {
    bl_context *ctx;
    const bl_model *model;
    bl_arena arena;
    double t, closure;   /* closure: dimensions agree only to this share; 0: exactly */
    double length, mass; /* typical length of a body, mean mass */
    int per_body;        /* columns of a group: 6, in the plane 3 */
    bool positions;      /* what is being looked for */
    double raised;       /* velocities: times as fast as what was asked for, at the end of the reach; 0: not there */
    double near;         /* the same near it */
    bool no_guesses;     /* of rates, for that reason */
    bl_twists twists;
    /* the model in the given configuration */
    bl_index *order, *up; /* bl_topology_bridges */
    bool *bridge;
    double *driven, *driven_rate; /* [ndriver] */
    bool *related;                /* [nvariable] by a gear, or a screw */
    double *drawn, *gap;          /* [nvariable] what they read; [njoint] how far each is from closed */
    double (*inertia)[3][3];      /* [nbody] body axes, in units of mean mass length^2, at least the least */
    double *body_mass;
    /* which entries and drivers count: those below a number, and of these only one when that is >= 0 */
    bl_index upto, only, drivers, only_driver;
    /* the plan */
    uint8_t *known;  /* [nvariable] bl_start_known */
    double *value;   /* [nvariable] what is given, or kept */
    bool *released;  /* [njoint] by an entry about a body */
    bool *set;       /* [njoint] */
    bl_index *group; /* [nbody] 0: that of ground */
    bl_index ngroup;
    bl_start_group *at; /* [ngroup] */
    /* the configuration */
    bl_pose *pose, *carried;  /* [nbody] */
    double *angle;            /* [nbody] in the plane: with turns */
    double *variable;         /* [nvariable] with turns */
    double (*known_twist)[6]; /* [nbody] by the joints inside the group: velocity of the center, angular velocity */
    /* rows */
    bl_start_row *row;
    bl_index nrow, row_room, nentry, entry_room, coef_room;
    bl_index *entry_col;
    double *entry_coef;
    double *sum, *size; /* [columns] scratch of a row */
    bl_index *touched, ntouched;
    double *work; /* of the solver */
    bl_index *places, work_room, place_room;
} bl_start;

/* ---- start_plan.c */
bl_status bl_start_create(bl_context *ctx, const bl_model *model, double t, double closure, bl_start *s);
void bl_start_destroy(bl_start *s);
bool bl_start_entry_counts(const bl_start *s, bl_index entry);
bool bl_start_driver_counts(const bl_start *s, bl_index driver);
/* Which joints are set, and groups; then poses and carried (positions), or known_twist (velocities). */
bl_status bl_start_plan(bl_start *s);
bl_status bl_start_carry(bl_start *s);

/* ---- start_rows.c: at s->pose */
bl_status bl_start_rows(bl_start *s);
void bl_start_measure_groups(bl_start *s);
/* g[columns] on the groups: derivative of half the mass-weighted square of the change since `carried`, or of the kinetic energy of
 * known_twist; units of mean mass length^2 */
void bl_start_gradient(const bl_start *s, double *g);
double bl_start_change(const bl_start *s); /* that half square */

/* ---- start_solve.c: x[columns] on the groups that meets all hard rows that count, nearest in the metric of masses (unit: of sizes) to
 * the minimum of x.x / 2 + g.x (g NULL: 0), guesses followed as far as that leaves room. Singular values below tolerance count as 0. */
bl_status bl_start_solve(bl_start *s, bool masses, bool guesses, const double *g, double tolerance, double *x);

/* ---- start.c */
/* Poses with quaternions of positive real part, in the plane angles of bodies, and variables, both with turns; velocities at such poses. */
bl_status bl_start_positions(bl_context *ctx, const bl_model *model, double t, double closure, bl_pose *pose, double *angle,
                             double *variable);
bl_status bl_start_velocities(bl_context *ctx, const bl_model *model, double t, double closure, bl_pose *pose, const double *variable);

/* ---- start_state.c: the start in the coordinates at hand; checked there against the poses */
bl_status bl_start_state(const bl_system *sys, const bl_model *model, bl_state *state);
bl_status bl_move_mechanism(const bl_system *sys, const bl_model *model, bl_state *state);

#endif
