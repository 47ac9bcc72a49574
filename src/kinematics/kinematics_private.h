/* kinematics: groups of links placed one after the other by their joints alone. A body is its mass center and its rotation; every joint
 * is scalar equations between marks of bodies (joint_equations.c). A solver places one group: closed forms for driven links and dyads of
 * the plane (plane_link.c, plane_dyad.c), Newton for the rest (newton.c). To add a closed form: copy plane_link.c, add a line to
 * solver_list.h. */
#ifndef BL_KINEMATICS_PRIVATE_H
#define BL_KINEMATICS_PRIVATE_H

#include "biela/kinematics.h"
#include "biela/structure.h"
#include "joint/joint.h"

/* value(t), first and second derivative of a driver */
typedef struct bl_given {
    const bl_law *law;
    double *in; /* inputs of the law, as series of order 2 where rates are wanted */
    double at[3];
} bl_given;

typedef struct bl_measure {
    bl_index given; /* driver of this variable, -1: none */
    double last;    /* value at the last place: angles stay within half a turn of it */
} bl_measure;

/* One scalar equation: what the primitive reads, or a sum of variables (LINEAR), is its value, or what the driver gives. */
typedef struct bl_joint_row {
    bl_prim prim;
    int part;
    bl_index given; /* driver, -1 */
    bl_index joint; /* whose it is; njoint + driver */
} bl_joint_row;

enum { BL_ROW_BODIES = 6 };
/* A quantity at the place where the bodies are: value, derivative by the twists (velocity of the center, angular velocity) of bodies, and
 * its second rate when all accelerations are zero. */
typedef struct bl_gradient {
    double value, centripetal;
    bl_index n, body[BL_ROW_BODIES];
    double by[BL_ROW_BODIES][6];
} bl_gradient;

struct bl_group_solver;

/* Which of two solutions a group is on: the sign of a root. Where the root is 0 both meet: at a dead point it would become negative
 * beyond, at a change point it grows again and the motion goes on with the other sign. */
typedef struct bl_branch {
    double sign, root, rate; /* what the root is taken of, and its rate */
    double scale;            /* what it is compared with; 0: there is one solution only */
} bl_branch;

typedef struct bl_link_group {
    const struct bl_group_solver *solver;
    bl_index nbody, *body;
    bl_index nrow;
    bl_joint_row *row;
    bl_index npair, *joint;                      /* joints of its equations */
    void *form;                                  /* of the solver */
    bl_branch branch, kept_branch, first_branch; /* now, at the last good place, where the way began */
    bl_index number;                             /* from 1 */
    const char *kind;                            /* "dyad RRR" */
} bl_link_group;

struct bl_kinematics {
    bl_context *ctx;
    const bl_model *model;
    bl_arena arena;
    double t, size, tolerance; /* size: of the mechanism */
    bl_body_motion *body, *kept;
    bl_body_motion *around[5]; /* where the way began; beside a singular position: at t - 2 d, t - d, t + d, t + 2 d */
    bool apart;                /* the bodies stand between them: the motion goes on from the last of these, at t_apart */
    double t_apart;
    bool near; /* a group is so near to where its solutions meet that the branch may change */
    bl_index nvariable;
    bl_measure *measure;
    double *kept_value, *first_value; /* [nvariable] */
    bl_index ngiven;
    bl_given *given;
    double *tape_work;
    bl_index ngroup;
    bl_link_group *group;
    bl_index *group_of, *local; /* [nbody] number of its group from 1 (ground 0), and which of its bodies it is */
    bl_index ntrack, *track;    /* angles whose turns count */
    double turning;             /* largest rate of a tracked or driven angle at t */
    char trouble[160];          /* why a group cannot be placed */
    bl_index trouble_joint;     /* and where, -1: not known */
    bl_kinematics_order known;  /* what is known of all bodies at t */
    bool rough;                 /* velocities shall only lead to the next place: factors of the last position will do */
    bool still;                 /* rows are wanted without centripetal parts, which cost as much as the rest */
    bool follows;               /* some group needs small steps, or turns count */
    double step;                /* length of the last good one, when it follows */
    bl_kinematics_summary count;
};

typedef struct bl_group_solver {
    const char *name;
    bool follows; /* starts from the last place, so must not go far at once */
    /* *fits: it can do this group; then group->form is set (memory of the arena). The bodies stand assembled. */
    bl_status (*fit)(bl_kinematics *k, bl_link_group *group, bool *fits);
    void (*release)(bl_kinematics *k, bl_link_group *group); /* what is not in the arena; NULL: nothing */
    /* Places the bodies of the group; those of earlier groups stand. BL_SINGULAR: it cannot close, or does not settle. ahead: time since
     * the place the bodies of the group are still at, where velocities and accelerations are known, if only roughly. */
    bl_status (*place)(bl_kinematics *k, bl_link_group *group, double ahead);
    bl_status (*velocity)(bl_kinematics *k, bl_link_group *group);
    bl_status (*acceleration)(bl_kinematics *k, bl_link_group *group);
} bl_group_solver;

#define BL_KIND(name) extern const bl_group_solver bl_group_##name;
#include "kinematics/solver_list.h"
#undef BL_KIND

/* ---- joint_equations.c */
/* Equations of a joint, or of a driver (joint = njoint + driver): how many there are, out[BL_JOINT_ROWS]. */
enum { BL_JOINT_ROWS = 8 };
bl_index bl_rows_of_joint(const bl_kinematics *k, bl_index joint, bl_joint_row *out);
/* What holds a freedom of the joint that moves nothing else; appended to out. BL_E_ABILITY, with a reason: nothing does. */
bl_status bl_rows_of_passive(const bl_kinematics *k, const bl_structure_exceptions *exceptions, bl_index joint, int amount,
                             bl_joint_row *out, bl_index *n);
void bl_row_at(const bl_kinematics *k, const bl_joint_row *row, bl_gradient *out);
void bl_measure_at(const bl_kinematics *k, bl_index variable, bl_gradient *out); /* angles near the last value */
double bl_row_scale(const bl_kinematics *k, const bl_joint_row *row);            /* what counts as 1 in its value */
/* What a row asks for at level 1 and 2: first or second rate of its driver, else 0. */
static inline double bl_row_given(const bl_kinematics *k, const bl_joint_row *row, int level) {
    return row->given < 0 ? 0 : k->given[row->given].at[level];
}

/* ---- small things all solvers use */
static inline void bl_turn(const double R[9], const double s[3], double out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i] * s[0] + R[3 * i + 1] * s[1] + R[3 * i + 2] * s[2];
}

/* ---- kinematics.c */
/* largest |phi| / scale and |phi'| / scale at the present place */
void bl_kinematics_drift(const bl_kinematics *k, double *positions, double *velocities);
void bl_straighten(double R[9]); /* makes a rotation matrix orthonormal that is off by little */
/* Values and rates of all drivers at t, as far as `order`; the driver that is not a finite number then, -1: none. */
bl_index bl_kinematics_give(bl_kinematics *k, double t, bl_kinematics_order order);
/* at t = 0, from the configuration the bodies stand in */
bl_status bl_kinematics_start(bl_kinematics *k);

/* Bodies at pose[nbody], variables and drivers, without groups: all that rows need. Memory of the arena, whose context is set. */
bl_status bl_kinematics_stand(bl_kinematics *k, const bl_pose *pose);

/* The study's part. pose[nbody] of the assembled model; exceptions may be NULL. */
bl_status bl_kinematics_build(bl_context *ctx, const bl_model *model, const bl_pose *pose, const bl_chain *chain,
                              const bl_structure_report *structure, const bl_structure_exceptions *exceptions,
                              const bl_kinematics_options *options, bl_kinematics **out);

#endif
