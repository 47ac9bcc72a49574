/* cone_groups: contacts (cone_bodies.h) of bodies that a mechanism connects. An impulse on one body of a group moves all of them: its
 * velocities are numbers y, those of a body (v, w), that of a stop the rate of its variable, and change by D times the wrenches. */
#ifndef BL_CONE_GROUPS_H
#define BL_CONE_GROUPS_H

#include "complement/cone_bodies.h"

/* D[n][n], symmetric, positive semidefinite; numbers of body[k] begin at first[k]: six, or one (v[0] alone) */
typedef struct bl_cone_group {
    bl_index nbody, n;
    const bl_index *body, *first;
    double *D;
} bl_cone_group;

typedef struct bl_cone_groups {
    bl_index n;
    const bl_cone_group *group;
    const bl_index *group_of, *part_of; /* [bodies] group, -1: none; its number in the group */
    double (*local)[9];                 /* [joined contacts] D of each: bl_cone_joined_prepare */
} bl_cone_groups;

static inline bool bl_cone_is_joined(const bl_cone_groups *g, const bl_cone_contact *c) {
    return g && (g->group_of[c->body[0]] >= 0 || g->group_of[c->body[1]] >= 0);
}

/* Tangents and D of a contact with a side in a group. Directions in which neither side can move have no entries. */
void bl_cone_joined_prepare(const bl_cone_groups *g, const bl_cone_body *body, bl_cone_contact *contact, double local[9]);
/* An impulse at the contact acts on all that it moves. */
void bl_cone_joined_push(const bl_cone_groups *g, bl_cone_body *body, const bl_cone_contact *contact, const double impulse[3]);
/* One pass over n such contacts; normal: normal impulses alone; rest: speeds that are zero in directions in
 * which neither side can move. Returns the largest change of a velocity, squared. */
double bl_cone_joined_pass(const bl_cone_groups *g, bl_cone_body *body, bl_index n, const bl_cone_contact *contact, double (*P)[3],
                           bool back, bool normal, double rest);

#endif
