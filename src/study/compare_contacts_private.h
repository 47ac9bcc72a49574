/* compare --contacts: a motion with rigid contacts against others of the same model. */
#ifndef BL_COMPARE_CONTACTS_PRIVATE_H
#define BL_COMPARE_CONTACTS_PRIVATE_H

#include "biela/compare.h"
#include "model/model.h"
#include "model/variant.h"

enum { BL_CONTACT_INTERVALS = 200 };

/* An impact of the reference, or an impulse through a closed contact, whose mass is NaN. */
typedef struct bl_contact_strike {
    double t, speed, impulse, mass; /* speed > 0: of approach */
    bl_index spring;
} bl_contact_strike;

/* Poses of all bodies at the comparison times. */
typedef struct bl_contact_motion {
    bl_index n;   /* times reached */
    double *pose; /* [BL_CONTACT_INTERVALS + 1][nbody][7] position, quaternion */
    bl_run_summary summary;
} bl_contact_motion;

/* memory owned by a report */
typedef struct bl_contacts_holding {
    bl_arena arena;
    bl_contact_spring *spring;
    bl_contacts_entry *entry;
    bl_contacts_stepped *stepped;
    const char **note;
} bl_contacts_holding;

typedef struct bl_contact_comparison {
    bl_context *ctx;
    const bl_model *model;
    bl_compare_contacts_options asked;
    bl_run_options run;
    bl_compare_contacts_report *report;
    bl_contacts_holding *own;
    bl_arena *arena; /* of the holding */
    double time[BL_CONTACT_INTERVALS + 1];
    bl_contact_motion reference, motion;
    bl_index *number; /* [nspring] of the contact in the model */
    double speed;     /* largest of a body in the reference */
    double *force;    /* [nspring] largest normal force, or force of a stop, in the samples of the reference */
    bool sticks;      /* a contact of the reference did */
    bl_yield *yield;  /* [nspring] of the present level */
    bl_contact_strike *strike;
    bl_index nstrike, strike_room;
    long left_out; /* impacts that are not known */
    double step;   /* of the present motion by time stepping; 0: another */
} bl_contact_comparison;

/* Finds springs, up to which time they fit, and notes, from the strikes of the reference. */
bl_status bl_contact_springs(bl_contact_comparison *c);
/* Damping of a contact whose first stiffness is multiplied by factor. */
double bl_contact_damping(const bl_contact_comparison *c, bl_index spring, double factor);
/* Depth of contacts with their first stiffness times factor, as a share of the motion. */
double bl_contact_depth(const bl_contact_comparison *c, double factor);

/* Restitution of the law at a speed, and the damping that gives a restitution 0 < e < 1 at it. */
double bl_yield_restitution(double damping, double speed);
double bl_yield_damping(double restitution, double speed);

#endif
