/* stepping: many rigid bodies in contact, by Moreau's time stepping. One step of size h:
 *
 *     positions to the mid point      x += h/2 v,  q turns by h/2 omega
 *     velocities at the end           M (v+ - v-) = h f + W P,  contacts with gap <= 0 at the mid point by the cone problem (cone.h),
 *                                     Newton's law with restitution e on normal velocities
 *     positions to the end            x += h/2 v+,  q turns by h/2 omega+;  what overlaps is separated by displacements
 *
 * First order in time. Energy does not grow in contacts with e <= 1, momentum and angular momentum change by impulses alone. */
#ifndef BL_STEPPING_H
#define BL_STEPPING_H

#include "complement/cone_groups.h"
#include "contact/sweep.h"

typedef struct bl_stepping_body {
    double mass;                                 /* 0: moves with its velocities as given, or stands still */
    bool joined;                                 /* of a mechanism: the caller moves it (bl_stepping_join) */
    double inertia[6];                           /* about the mass center, body axes: xx, yy, zz, xy, xz, yz */
    double at[3], turn[4], velocity[3], spin[3]; /* mass center, unit quaternion (w first), global axes */
} bl_stepping_body;

typedef struct bl_stepping_law {
    double friction, restitution;
    bool apart; /* bodies of scene.apart do not touch by this law */
} bl_stepping_law;

/* A one-sided bound on a rate of a mechanism: the first velocity of a joined body that has no other, times side (1 or -1). */
typedef struct bl_stepping_bound {
    bl_index body;
    double side, restitution, size; /* size: typical one of the variable */
    double gap;                     /* at the mid point, set in every step */
    double P;                       /* impulse of the last step */
} bl_stepping_bound;

typedef struct bl_stepping_scene {
    bool plane; /* of the x-y plane: inertia zz, spin z alone */
    double gravity[3];
    bl_index nbody, nshape, ngroup, nlaw;
    const bl_stepping_body *body;
    const bl_contact_shape *shape;
    const int16_t *pair; /* [ngroup][ngroup] law of two groups; -1: none. NULL: law 0 everywhere */
    const bl_stepping_law *law;
    bl_index nbound;
    const bl_stepping_bound *bound;
    bl_index napart;
    const bl_index (*apart)[2]; /* [napart] bodies, first < second, that do not touch each other; ascending */
} bl_stepping_scene;

typedef struct bl_stepping_options {
    double tolerance; /* of velocities at contacts; 0: 1e-4 of what gravity adds in a step */
    int sweeps;       /* most in one step; 0: 50 */
    bool plain;       /* sweeps without momentum */
    double overlap;   /* down to which overlap is removed once it is twice as large, of the size of the smaller shape; 0: 1e-4 */
    double resting;   /* approaching velocity below which restitution is 0; 0: 4 times what gravity adds in a step */
} bl_stepping_options;

typedef struct bl_stepping_touch {
    bl_index pair, point; /* of sweep.pair, and which of its points; -1 - k: bound k */
    double gap;           /* at the mid point */
} bl_stepping_touch;

/* A point as it was found. */
enum { BL_STEPPING_LEVELS = 256 };
typedef struct bl_stepping_found {
    bl_contact_point at;
    double target;
    bl_index pair;
    uint8_t point;
    bool joined; /* a side belongs to a mechanism */
} bl_stepping_found;

typedef struct bl_stepping_stats {
    long steps, sweeps, contacts, unfinished, separated; /* steps whose sweeps did not converge; that removed overlap */
    double largest_overlap;                              /* at the end of a step, after separation */
} bl_stepping_stats;

typedef struct bl_stepping {
    bl_context *ctx;
    void *block;
    bl_stepping_scene scene; /* its bodies, pairs and laws are copies; shapes and corners are the caller's */
    bl_stepping_options options;
    double t;
    double (*at)[3], (*turn)[4], (*v)[3], (*w)[3]; /* [nbody] state at t */
    double (*spin)[3];                             /* angular momentum, global axes */
    double (*force)[3], (*moment)[3];              /* [nbody] besides gravity; read in every step, set by the caller */
    double (*inertia)[6], (*inverse)[6], *round;   /* in body axes; round > 0: the same about all axes */
    uint8_t *fixed, *ball;                         /* bodies that do not move; shapes that are balls about round bodies */
    double (*push)[6];                             /* impulse and its moment of a step */
    double (*shift)[6];                            /* the same of the separation, of joined bodies: mass times displacement */
    bool shifted;                                  /* there is one */
    uint8_t *joined;                               /* bodies of mechanisms */
    const bl_cone_groups *groups;                  /* of them, at the mid point, set by the caller */
    bl_cone_groups with;                           /* the same with room for `local` */
    double contact_work;                           /* of the impulses of the last step */
    double lift_work; /* of the displacements that remove overlap: against gravity, and what turning a body adds to its kinetic energy */
    double contact_scale; /* sum of the impulses times velocities before, and what forces add in a step */
    bl_index nbound, napart;
    bl_stepping_bound *bound;
    bl_index (*apart)[2];
    bl_cone_body *body; /* at the mid point */
    bl_contact_frame *frame;
    bl_contact_solid *solid;
    double *margin, *size, *reach;
    double (*old)[3], (*before)[3]; /* velocity before the step; angular velocity of the old momentum at the mid point */
    int16_t *pair;
    bl_stepping_law *law;
    bl_sweep sweep;
    bl_index ncontact, njoined, local_room, found_room, contact_room, touch_room, gap_room, run_room, block_room, P_room, work_room;
    bl_stepping_found *found; /* [ncontact] in the order of pairs; the following arrays are in the order of levels */
    bl_index bin[BL_STEPPING_LEVELS + 2];
    bl_cone_contact *contact;
    bl_stepping_touch *touch;
    bl_cone_blocks blocks;
    double (*P)[3];     /* [ncontact] impulses in the axes of the contact */
    double *gap, *work; /* [ncontact] at the end, work; of the sweeps */
    bl_stepping_stats stats;
} bl_stepping;

/* Refuses sizes and pairs of kinds that are not supported. Zeroed *s in; destroy accepts half-built ones. */
bl_status bl_stepping_create(bl_context *ctx, const bl_stepping_scene *scene, const bl_stepping_options *options, bl_stepping *s);
void bl_stepping_destroy(bl_stepping *s);
/* One step. Allocates only when there are more contacts than ever before. BL_NOT_FINITE: a velocity is not a number. */
bl_status bl_stepping_step(bl_stepping *s, double h);
/* The parts of a step, for scenes with joined bodies: after `begin` the caller sets them by bl_stepping_join, and `groups`, `bound`; after
 * `impulses` it finds what acts on them in `push`; after `end` in `shift`, if `shifted`. */
void bl_stepping_begin(bl_stepping *s, double h);
bl_status bl_stepping_impulses(bl_stepping *s, double h);
void bl_stepping_end(bl_stepping *s, double h);
/* A joined body at the mid point: pose, velocities (v, w) before the step and without impulses. A bound: before and after alone. */
void bl_stepping_join(bl_stepping *s, bl_index body, const double at[3], const double turn[4], const double before[6],
                      const double after[6]);
/* After `impulses`: the contact that was deepest inside before the step, in sizes of the smaller shape; -1: none is inside. *depth: in m,
 * of a bound in its unit. */
bl_index bl_stepping_deepest(const bl_stepping *s, double h, double *share, double *depth);
/* Impulses of the last step are no guess any more. */
void bl_stepping_forget(bl_stepping *s);
/* Kinetic energy, and with that of gravity. */
double bl_stepping_energy(const bl_stepping *s, double *kinetic);
/* Gives a body another pose and other velocities, between steps. */
void bl_stepping_set_body(bl_stepping *s, bl_index body, const double at[3], const double turn[4], const double v[3], const double w[3]);

#endif
