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

#ifdef __cplusplus
}
#endif

#endif
