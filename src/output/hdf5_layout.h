/* hdf5_layout: what stands where in a result file; for the writer and the reader. */
#ifndef BL_HDF5_LAYOUT_H
#define BL_HDF5_LAYOUT_H

#include <stdbool.h>

enum { BL_RESULT_VERSION = 2 }; /* attribute format_version; files without it are of version 1 */

typedef enum bl_result_group {
    BL_GROUP_ROOT,
    BL_GROUP_BODIES,
    BL_GROUP_VARIABLES,
    BL_GROUP_PROBES,
    BL_GROUP_REACTIONS,
    BL_GROUP_DRIVERS,
    BL_GROUP_GEARS,
    BL_GROUP_ENERGY,
    BL_GROUP_FORCES,
    BL_GROUP_SPRINGS,
    BL_GROUP_ACTUATORS,
    BL_RESULT_GROUPS
} bl_result_group;
extern const char *const bl_result_group_name[BL_RESULT_GROUPS]; /* NULL: the root */

typedef enum bl_result_what {
    BL_SHOWN_TIME,
    BL_SHOWN_SIDE,
    BL_SHOWN_DRIFT,
    BL_SHOWN_VELOCITY_DRIFT,
    BL_SHOWN_POSITION,
    BL_SHOWN_QUATERNION,
    BL_SHOWN_VELOCITY,
    BL_SHOWN_ANGULAR_VELOCITY,
    BL_SHOWN_ACCELERATION,
    BL_SHOWN_ANGULAR_ACCELERATION,
    BL_SHOWN_VALUE,
    BL_SHOWN_RATE,
    BL_SHOWN_SECOND_RATE,
    BL_SHOWN_PROBE,
    BL_SHOWN_PROBE_VELOCITY,
    BL_SHOWN_PROBE_ACCELERATION,
    BL_SHOWN_FORCE,
    BL_SHOWN_MOMENT,
    BL_SHOWN_DRIVER_FORCE,
    BL_SHOWN_DRIVER_POWER,
    BL_SHOWN_GEAR_FIRST,
    BL_SHOWN_GEAR_SECOND,
    BL_SHOWN_KINETIC,
    BL_SHOWN_POTENTIAL,
    BL_SHOWN_DISSIPATED,
    BL_SHOWN_WORK,
    BL_SHOWN_ENERGY_ERROR,
    BL_SHOWN_PUSH_POINT,
    BL_SHOWN_PUSH_FORCE,
    BL_SHOWN_PUSH_MOMENT,
    BL_SHOWN_SPRING_LENGTH,
    BL_SHOWN_SPRING_TENSION,
    BL_SHOWN_ACTUATOR_FORCE,
    BL_SHOWN_ACTUATOR_POWER,
    BL_SHOWN_ACTUATOR_ENERGY,
    BL_RESULT_QUANTITIES
} bl_result_what;

typedef struct bl_result_place {
    const char *name;
    bl_result_group in;
    int width;
    bool second;             /* only where samples have accelerations */
    const char *unit, *what; /* unit NULL: that of the item */
} bl_result_place;

extern const bl_result_place bl_result_layout[BL_RESULT_QUANTITIES];

/* of the group steps, which has rows of its own */
typedef struct bl_step_place {
    const char *name, *unit, *what;
} bl_step_place;
enum { BL_STEP_QUANTITIES = 4 };
extern const bl_step_place bl_step_layout[BL_STEP_QUANTITIES];

#endif
