/* pose: positions, velocities, accelerations and forces of bodies, as passed to sinks (bl_sample). */
#ifndef BIELA_POSE_H
#define BIELA_POSE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_pose {
    double position[3], quaternion[4];       /* mass center; w first, from the model configuration */
    double velocity[3], angular_velocity[3]; /* global axes */
} bl_pose;

typedef struct bl_acceleration {
    double acceleration[3], angular_acceleration[3]; /* of the mass center; global axes */
} bl_acceleration;

typedef struct bl_wrench {
    double force[3], moment[3]; /* on the joint's second body, at the joint's point, global axes */
} bl_wrench;

typedef struct bl_push {
    double point[3], force[3], moment[3]; /* load of a force element on a body: force at the point, moment about it; global axes */
} bl_push;

/* A contact: of two bodies, or of a variable with its stop, whose force acts on the variable (N m and rad where that is an angle) and
 * which has only the gap, the first component of force, and state; or friction inside a joint that may stick, which has no gap and no
 * place: its normal load, friction and speed at the radius and along the axis. */
typedef struct bl_contact_sample {
    double gap;                /* distance of the surfaces, positive while they are apart */
    double force[3];           /* on the second body: along the normal, away from the first, never negative; along the tangents: friction */
    double sliding[2];         /* speed of the second body over the first along the tangents; also while the contact is open */
    double state;              /* 0: open, 1: sliding, 2: sticking. Without friction closed contacts slide */
    double point[3], total[3]; /* on the surface of the second body, where it is nearest to the first; the force there; global axes */
} bl_contact_sample;
/* Means over an element of a beam, along the axes d1 (of the beam), d2, d3 of its sections: what an undamped material would give. */
typedef struct bl_section_sample {
    double strain[3], curvature[3]; /* stretch, shears along d2 and d3; twist, curvatures about d2 and d3, 1/m: changes since the model */
    double force[3], moment[3];     /* normal force, shear forces, N; torque, bending moments, N m; on the part toward the beam's start */
} bl_section_sample;

#ifdef __cplusplus
}
#endif

#endif
