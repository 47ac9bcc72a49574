/* hdf5_layout: groups and datasets of a result file, for writer and reader. */
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
    BL_GROUP_SIGNALS,
    BL_GROUP_CONTACTS,
    BL_GROUP_SECTIONS,
    BL_RESULT_GROUPS
} bl_result_group;
extern const char *const bl_result_group_name[BL_RESULT_GROUPS]; /* NULL: the root */

typedef enum bl_result_what {
    BL_QUANTITY_TIME,
    BL_QUANTITY_SIDE,
    BL_QUANTITY_DRIFT,
    BL_QUANTITY_VELOCITY_DRIFT,
    BL_QUANTITY_POSITION,
    BL_QUANTITY_QUATERNION,
    BL_QUANTITY_VELOCITY,
    BL_QUANTITY_ANGULAR_VELOCITY,
    BL_QUANTITY_ACCELERATION,
    BL_QUANTITY_ANGULAR_ACCELERATION,
    BL_QUANTITY_VALUE,
    BL_QUANTITY_RATE,
    BL_QUANTITY_SECOND_RATE,
    BL_QUANTITY_PROBE,
    BL_QUANTITY_PROBE_VELOCITY,
    BL_QUANTITY_PROBE_ACCELERATION,
    BL_QUANTITY_FORCE,
    BL_QUANTITY_MOMENT,
    BL_QUANTITY_DRIVER_FORCE,
    BL_QUANTITY_DRIVER_POWER,
    BL_QUANTITY_GEAR_FIRST,
    BL_QUANTITY_GEAR_SECOND,
    BL_QUANTITY_KINETIC,
    BL_QUANTITY_POTENTIAL,
    BL_QUANTITY_DISSIPATED,
    BL_QUANTITY_WORK,
    BL_QUANTITY_ENERGY_ERROR,
    BL_QUANTITY_LOAD_POINT,
    BL_QUANTITY_LOAD_FORCE,
    BL_QUANTITY_LOAD_MOMENT,
    BL_QUANTITY_SPRING_LENGTH,
    BL_QUANTITY_SPRING_TENSION,
    BL_QUANTITY_ACTUATOR_FORCE,
    BL_QUANTITY_ACTUATOR_POWER,
    BL_QUANTITY_ACTUATOR_ENERGY,
    BL_QUANTITY_SIGNAL,
    BL_QUANTITY_GAP,
    BL_QUANTITY_CONTACT_FORCE,
    BL_QUANTITY_SLIDING,
    BL_QUANTITY_CONTACT_STATE,
    BL_QUANTITY_CONTACT_POINT,
    BL_QUANTITY_CONTACT_TOTAL,
    BL_QUANTITY_STRAIN,
    BL_QUANTITY_CURVATURE,
    BL_QUANTITY_SECTION_FORCE,
    BL_QUANTITY_SECTION_MOMENT,
    BL_RESULT_QUANTITIES
} bl_result_what;

typedef struct bl_result_dataset {
    const char *name;
    bl_result_group in;
    int width;
    bool second;             /* only if samples have accelerations */
    const char *unit, *what; /* unit NULL: that of the item */
} bl_result_dataset;

extern const bl_result_dataset bl_result_layout[BL_RESULT_QUANTITIES];

/* datasets of the group steps, with one row per step */
typedef struct bl_step_dataset {
    const char *name, *unit, *what;
} bl_step_dataset;
enum { BL_STEP_QUANTITIES = 4 };
extern const bl_step_dataset bl_step_layout[BL_STEP_QUANTITIES];

/* datasets of the group impacts, with one row per impact or percussion */
typedef enum bl_impact_what {
    BL_IMPACT_EVENT,
    BL_IMPACT_TIME,
    BL_IMPACT_IMPULSE,
    BL_IMPACT_SPEED,
    BL_IMPACT_LOST,
    BL_IMPACT_KINETIC,
    BL_IMPACT_JOINT_FORCE,
    BL_IMPACT_JOINT_MOMENT,
    BL_IMPACT_QUANTITIES
} bl_impact_what;
typedef struct bl_impact_dataset {
    const char *name;
    int width;
    bool of_joints; /* its items are the joints */
    const char *unit, *what;
} bl_impact_dataset;
extern const bl_impact_dataset bl_impact_layout[BL_IMPACT_QUANTITIES];

#endif
