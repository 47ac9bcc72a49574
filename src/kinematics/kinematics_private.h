/* kinematics: groups of links solved one after another by their joints alone. A body is its mass center and its rotation; every joint is
 * a set of scalar equations between marks of bodies (joint_equations.c). A solver determines one group: closed forms for driven links
 * and dyads of the plane (plane_link.c, plane_dyad.c), Newton for the rest (newton.c). To add a closed form: copy plane_link.c, add a
 * line to solver_list.h. */
#ifndef BL_KINEMATICS_PRIVATE_H
#define BL_KINEMATICS_PRIVATE_H

#include "biela/kinematics.h"
#include "biela/structure.h"
#include "joint/joint.h"

/* value(t), first and second derivative of a driver */
typedef struct bl_driver_value {
    const bl_law *law;
    double *in; /* inputs of the law, as series of order 2 if rates are needed */
    double at[3];
} bl_driver_value;

typedef struct bl_measure {
    bl_index driver; /* driver of this variable, -1: none */
    double last;     /* last value: angles are taken within half a revolution of it */
} bl_measure;

/* One scalar equation: the value of the primitive, or a sum of variables (LINEAR), equals its constant or the value of the driver. */
typedef struct bl_joint_row {
    bl_prim prim;
    int part;
    bl_index driver; /* driver, -1: none */
    bl_index joint;  /* joint it belongs to; njoint + driver */
} bl_joint_row;

enum { BL_ROW_BODIES = 6 };
/* A quantity at the present positions of the bodies: value, derivatives by the twists (velocity of the center, angular velocity) of
 * bodies, and its second rate if all accelerations are zero. */
typedef struct bl_gradient {
    double value, centripetal;
    bl_index n, body[BL_ROW_BODIES];
    double by[BL_ROW_BODIES][6];
} bl_gradient;

struct bl_group_solver;

/* Which of two solutions a group is on: the sign of a square root. Where the root is 0 both meet: at a dead point its argument would
 * become negative beyond, at a change point it grows again and the motion continues with the other sign. */
typedef struct bl_branch {
    double sign, root, rate; /* root: argument of the square root, and its rate */
    double scale;            /* reference value of the argument; 0: only one solution */
} bl_branch;

typedef struct bl_link_group {
    const struct bl_group_solver *solver;
    bl_index nbody, *body;
    bl_index nrow;
    bl_joint_row *row;
    bl_index npair, *joint;                      /* joints of its equations */
    void *form;                                  /* private data of the solver */
    bl_branch branch, kept_branch, first_branch; /* now, at the last good position, at the start of the path */
    bl_index number;                             /* from 1 */
    const char *kind;                            /* "dyad RRR" */
} bl_link_group;

struct bl_kinematics {
    bl_context *ctx;
    const bl_model *model;
    bl_arena arena;
    double t, size, tolerance; /* size: of the mechanism */
    bl_body_motion *body, *kept;
    bl_body_motion *around[5]; /* positions at the start of the path; around a singular configuration: at t - 2 d, t - d, t + d, t + 2 d */
    bool interpolated;         /* the bodies are interpolated between these: the motion continues from the last of them, at t_beyond */
    double t_beyond;
    bool near_branch_point; /* a group is close to a position where its solutions meet: the branch may change */
    bl_index nvariable;
    bl_measure *measure;
    double *kept_value, *first_value; /* [nvariable] */
    bl_index ndriver;
    bl_driver_value *driver;
    double *tape_work;
    bl_index ngroup;
    bl_link_group *group;
    bl_index *group_of, *local; /* [nbody] number of its group from 1 (ground 0), and its index among the bodies of the group */
    bl_index ntrack, *track;    /* angles whose revolutions are counted */
    double turning;             /* largest rate of a tracked or driven angle at t */
    char failure[160];          /* why a group cannot be solved */
    bl_index failed_joint;      /* and at which joint, -1: not known */
    bl_kinematics_order known;  /* order to which all bodies are known at t */
    bool rough;                 /* velocities are needed only to predict the next position: factors of the last position suffice */
    bool skip_centripetal;      /* rows are evaluated without centripetal terms, which cost as much as the rest */
    bool follows;               /* some group needs small steps, or revolutions are counted */
    double step;                /* length of the last good step, if it follows */
    bl_kinematics_summary count;
};

typedef struct bl_group_solver {
    const char *name;
    bool follows; /* starts from the last position, so it must not go far in one step */
    /* *fits: it can solve this group; then group->form is set (memory of the arena). The bodies are assembled. */
    bl_status (*fit)(bl_kinematics *k, bl_link_group *group, bool *fits);
    void (*release)(bl_kinematics *k, bl_link_group *group); /* frees what is not in the arena; NULL: nothing */
    /* Finds the positions of the bodies of the group; those of earlier groups are known. BL_SINGULAR: it cannot close, or does not
     * converge. ahead: time since the present position of the group's bodies, where velocities and accelerations are known, at least
     * approximately. */
    bl_status (*position)(bl_kinematics *k, bl_link_group *group, double ahead);
    bl_status (*velocity)(bl_kinematics *k, bl_link_group *group);
    bl_status (*acceleration)(bl_kinematics *k, bl_link_group *group);
} bl_group_solver;

#define BL_KIND(name) extern const bl_group_solver bl_group_##name;
#include "kinematics/solver_list.h"
#undef BL_KIND

/* ---- joint_equations.c */
/* Equations of a joint, or of a driver (joint = njoint + driver): returns their number, out[BL_JOINT_ROWS]. */
enum { BL_JOINT_ROWS = 8 };
bl_index bl_rows_of_joint(const bl_kinematics *k, bl_index joint, bl_joint_row *out);
/* Equations that hold a passive degree of freedom of the joint, appended to out. BL_E_ABILITY, with a reason: none is known. */
bl_status bl_rows_of_passive(const bl_kinematics *k, const bl_structure_exceptions *exceptions, bl_index joint, int amount,
                             bl_joint_row *out, bl_index *n);
void bl_row_at(const bl_kinematics *k, const bl_joint_row *row, bl_gradient *out);
void bl_measure_at(const bl_kinematics *k, bl_index variable, bl_gradient *out); /* angles within half a revolution of the last value */
double bl_row_scale(const bl_kinematics *k, const bl_joint_row *row);            /* reference value of the row */
/* Right-hand side of a row at level 1 and 2: first or second rate of its driver, else 0. */
static inline double bl_row_driven(const bl_kinematics *k, const bl_joint_row *row, int level) {
    return row->driver < 0 ? 0 : k->driver[row->driver].at[level];
}

/* ---- functions that all solvers use */
static inline void bl_turn(const double R[9], const double s[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i] * s[0] + R[3 * i + 1] * s[1] + R[3 * i + 2] * s[2];
}

/* ---- kinematics.c */
/* largest |phi| / scale and |phi'| / scale at the present positions */
void bl_kinematics_drift(const bl_kinematics *k, double *positions, double *velocities);
void bl_orthonormalize(double R[9]); /* removes a small error of a rotation matrix */
/* Values and rates of all drivers at t, up to `order`; returns the driver that is not finite, -1: none. */
bl_index bl_kinematics_eval_drivers(bl_kinematics *k, double t, bl_kinematics_order order);
/* at t = 0, from the present configuration of the bodies */
bl_status bl_kinematics_start(bl_kinematics *k);

/* Bodies at pose[nbody], variables and drivers, without groups: all that rows need. Memory of the arena, whose context is set. */
bl_status bl_kinematics_set_poses(bl_kinematics *k, const bl_pose *pose);

/* Called by the study. pose[nbody] of the assembled model; exceptions may be NULL. */
bl_status bl_kinematics_build(bl_context *ctx, const bl_model *model, const bl_pose *pose, const bl_chain *chain,
                              const bl_structure_report *structure, const bl_structure_exceptions *exceptions,
                              const bl_kinematics_options *options, bl_kinematics **out);

#endif
