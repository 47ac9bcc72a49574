/* Groups and datasets of a result file, with units and descriptions. */
#include "output/hdf5_layout.h"

#include <stddef.h>

const char *const bl_result_group_name[BL_RESULT_GROUPS] = {NULL,        "bodies",  "variables", "probes",  "reactions",
                                                            "drivers",   "gears",   "energy",    "forces",  "springs",
                                                            "actuators", "signals", "contacts",  "sections"};

const bl_result_dataset bl_result_layout[BL_RESULT_QUANTITIES] = {
    [BL_QUANTITY_TIME] = {"time", BL_GROUP_ROOT, 1, false, "s", "output times"},
    [BL_QUANTITY_SIDE] = {"side", BL_GROUP_ROOT, 1, false, "1", "at the time of an event: -1 just before it, 1 just after it; else 0"},
    [BL_QUANTITY_DRIFT] = {"drift", BL_GROUP_ROOT, 1, false, "1", "largest violation of a constraint, scaled"},
    [BL_QUANTITY_VELOCITY_DRIFT] = {"velocity_drift", BL_GROUP_ROOT, 1, false, "1/s",
                                    "largest violation of the rate of a constraint, scaled"},
    [BL_QUANTITY_POSITION] = {"position", BL_GROUP_BODIES, 3, false, "m", "center of mass, global axes"},
    [BL_QUANTITY_QUATERNION] = {"quaternion", BL_GROUP_BODIES, 4, false, "1", "rotation from the model configuration, scalar first"},
    [BL_QUANTITY_VELOCITY] = {"velocity", BL_GROUP_BODIES, 3, false, "m/s", "of the center of mass, global axes"},
    [BL_QUANTITY_ANGULAR_VELOCITY] = {"angular_velocity", BL_GROUP_BODIES, 3, false, "rad/s", "global axes"},
    [BL_QUANTITY_ACCELERATION] = {"acceleration", BL_GROUP_BODIES, 3, true, "m/s^2", "of the center of mass, global axes"},
    [BL_QUANTITY_ANGULAR_ACCELERATION] = {"angular_acceleration", BL_GROUP_BODIES, 3, true, "rad/s^2", "global axes"},
    [BL_QUANTITY_VALUE] = {"value", BL_GROUP_VARIABLES, 1, false, NULL, "joint variables, m or rad; unknowns of equations"},
    [BL_QUANTITY_RATE] = {"rate", BL_GROUP_VARIABLES, 1, false, NULL, "their rates"},
    [BL_QUANTITY_SECOND_RATE] = {"acceleration", BL_GROUP_VARIABLES, 1, true, NULL, "their second rates"},
    [BL_QUANTITY_PROBE] = {"position", BL_GROUP_PROBES, 3, false, "m", "global axes"},
    [BL_QUANTITY_PROBE_VELOCITY] = {"velocity", BL_GROUP_PROBES, 3, false, "m/s", "global axes"},
    [BL_QUANTITY_PROBE_ACCELERATION] = {"acceleration", BL_GROUP_PROBES, 3, true, "m/s^2", "global axes"},
    [BL_QUANTITY_FORCE] = {"force", BL_GROUP_REACTIONS, 3, false, "N", "on the joint's second body at the joint's point, global axes"},
    [BL_QUANTITY_MOMENT] = {"moment", BL_GROUP_REACTIONS, 3, false, "N m",
                            "on the joint's second body about the joint's point, global axes"},
    [BL_QUANTITY_DRIVER_FORCE] = {"force", BL_GROUP_DRIVERS, 1, false, NULL, "force or moment of the driver on its variable, N or N m"},
    [BL_QUANTITY_DRIVER_POWER] = {"power", BL_GROUP_DRIVERS, 1, false, "W", "force times rate"},
    [BL_QUANTITY_GEAR_FIRST] = {"first", BL_GROUP_GEARS, 1, false, NULL, "force or moment of the gear on its first variable, N or N m"},
    [BL_QUANTITY_GEAR_SECOND] = {"second", BL_GROUP_GEARS, 1, false, NULL, "force or moment of the gear on its second variable, N or N m"},
    [BL_QUANTITY_KINETIC] = {"kinetic", BL_GROUP_ENERGY, 1, false, "J", "kinetic energy"},
    [BL_QUANTITY_POTENTIAL] = {"potential", BL_GROUP_ENERGY, 1, false, "J", "potential energy"},
    [BL_QUANTITY_DISSIPATED] = {"dissipated", BL_GROUP_ENERGY, 1, false, "J", "energy dissipated by materials since the start"},
    [BL_QUANTITY_WORK] = {"work", BL_GROUP_ENERGY, 1, false, "J", "work of forces without potential and of drivers since the start"},
    [BL_QUANTITY_ENERGY_ERROR] = {"error", BL_GROUP_ENERGY, 1, false, "J",
                                  "kinetic + potential + dissipated - work, minus its value at the start"},
    [BL_QUANTITY_LOAD_POINT] = {"point", BL_GROUP_FORCES, 3, false, "m", "reference point of force and moment, global axes"},
    [BL_QUANTITY_LOAD_FORCE] = {"force", BL_GROUP_FORCES, 3, false, "N", "force of the element on the body, global axes"},
    [BL_QUANTITY_LOAD_MOMENT] = {"moment", BL_GROUP_FORCES, 3, false, "N m",
                                 "moment of the element on the body about the point, global axes"},
    [BL_QUANTITY_SPRING_LENGTH] = {"length", BL_GROUP_SPRINGS, 1, false, NULL, "distance of the ends, or angle, m or rad"},
    [BL_QUANTITY_SPRING_TENSION] = {"tension", BL_GROUP_SPRINGS, 1, false, NULL, "force or moment, N or N m; positive in tension"},
    [BL_QUANTITY_ACTUATOR_FORCE] = {"force", BL_GROUP_ACTUATORS, 1, false, NULL,
                                    "positive in the direction in which its variable increases, N or N m"},
    [BL_QUANTITY_ACTUATOR_POWER] = {"power", BL_GROUP_ACTUATORS, 1, false, "W", "force times rate"},
    [BL_QUANTITY_ACTUATOR_ENERGY] = {"energy", BL_GROUP_ACTUATORS, 1, false, "J", "work done since the start, from the samples"},
    [BL_QUANTITY_SIGNAL] = {"value", BL_GROUP_SIGNALS, 1, false, NULL, "inputs, held numbers, states, outputs of controllers, quantities"},
    [BL_QUANTITY_GAP] = {"gap", BL_GROUP_CONTACTS, 1, false, NULL, "distance of the surfaces, or of a variable from its stop, m or rad"},
    [BL_QUANTITY_CONTACT_FORCE] = {"force", BL_GROUP_CONTACTS, 3, false, NULL,
                                   "on the second body: normal, along the first and second tangent, N; of stops on the variable, N or N m"},
    [BL_QUANTITY_SLIDING] = {"sliding", BL_GROUP_CONTACTS, 2, false, "m/s", "speed of the second body over the first along both tangents"},
    [BL_QUANTITY_CONTACT_STATE] = {"state", BL_GROUP_CONTACTS, 1, false, "1", "0: open, 1: sliding, 2: sticking"},
    [BL_QUANTITY_CONTACT_POINT] = {"point", BL_GROUP_CONTACTS, 3, false, "m", "on the second body, nearest to the first, global axes"},
    [BL_QUANTITY_CONTACT_TOTAL] = {"total", BL_GROUP_CONTACTS, 3, false, "N", "force on the second body at the point, global axes"},
    [BL_QUANTITY_STRAIN] = {"strain", BL_GROUP_SECTIONS, 3, false, "1", "stretch, shears along d2 and d3; means over an element"},
    [BL_QUANTITY_CURVATURE] = {"curvature", BL_GROUP_SECTIONS, 3, false, "1/m", "twist, curvatures about d2 and d3"},
    [BL_QUANTITY_SECTION_FORCE] = {"force", BL_GROUP_SECTIONS, 3, false, "N", "normal force, shear forces along d2 and d3"},
    [BL_QUANTITY_SECTION_MOMENT] = {"moment", BL_GROUP_SECTIONS, 3, false, "N m", "torque, bending moments about d2 and d3"},
};

const bl_step_dataset bl_step_layout[BL_STEP_QUANTITIES] = {
    {"time", "s", "end times of accepted steps"},
    {"size", "s", "step size"},
    {"order", "1", "of the method in the step; 0: unknown"},
    {"error", "1", "estimated error relative to the tolerance; NaN: unknown"},
};

const bl_impact_dataset bl_impact_layout[BL_IMPACT_QUANTITIES] = {
    [BL_IMPACT_EVENT] = {"event", 1, false, "1", "its row in the group events, from 0"},
    [BL_IMPACT_TIME] = {"time", 1, false, "s", "of the event"},
    [BL_IMPACT_IMPULSE] = {"impulse", 3, false, NULL,
                           "on the second body: normal, along both tangents, N s; of stops on the variable; of "
                           "percussions as in the model"},
    [BL_IMPACT_SPEED] = {"speed", 2, false, NULL, "at which the gap grows, before and after, m/s or rad/s; NaN: a percussion"},
    [BL_IMPACT_LOST] = {"lost", 1, false, "J", "kinetic energy lost at the contact; negative: gained"},
    [BL_IMPACT_KINETIC] = {"kinetic", 2, false, "J", "kinetic energy of the model before and after"},
    [BL_IMPACT_JOINT_FORCE] = {"joint_force", 3, true, "N s", "impulse in a joint on its second body, global axes"},
    [BL_IMPACT_JOINT_MOMENT] = {"joint_moment", 3, true, "N m s", "impulsive moment in a joint on its second body about its point"},
};
