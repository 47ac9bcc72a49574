/* rotation_vector: the rotation between two frames as nodes of a force's tape, smooth for angles below 180 degrees. */
#ifndef BL_ROTATION_VECTOR_H
#define BL_ROTATION_VECTOR_H

#include "force/force.h"

typedef struct bl_node_turn {
    bl_index angle[3];   /* components of the rotation vector, the same in both frames; in the plane only the last */
    bl_index curve;      /* b = (1 - x cot x) / (4 x^2), x half the angle: used by the two functions below */
    bl_index axis[3][3]; /* of the first frame, global components */
} bl_node_turn;

/* e, f: axes of the first and the second frame, global components. The rotation vector of R_ij = e_i . f_j. */
void bl_node_turn_between(bl_record *r, const bl_index e[3][3], const bl_index f[3][3], bl_node_turn *turn);
/* rate[3] of the components for the relative angular velocity w (global): with w in the first frame,
 * rate = w - angle x w / 2 + b angle x (angle x w). */
void bl_node_turn_rate(bl_record *r, const bl_node_turn *turn, const bl_index w[3], bl_index rate[3]);
/* The moment (global) on the second frame's body that does the work of forces f[3] on the components: in the first frame
 * f + angle x f / 2 + b angle x (angle x f). */
void bl_node_turn_moment(bl_record *r, const bl_node_turn *turn, const bl_index f[3], bl_index moment[3]);
/* Angular velocity of a body with axes u that change at the rates ud: sum u_k x ud_k / 2 (in the plane u_1 x ud_1). */
void bl_node_angular_velocity(bl_record *r, const bl_index u[3][3], const bl_index ud[3][3], bl_index w[3]);

#endif
