/* curves: which curves are angles and moments and which lengths and forces. Private to curves.c, angular.c and steps.c. */
#ifndef BL_REPORT_CURVES_H
#define BL_REPORT_CURVES_H

#include "report/report_private.h"

typedef struct bl_angular {
    double *is_angle; /* [nvariable]; NULL: decided by name */
    bl_index nvariable;
    double *driven; /* [ndriver] variable of each driver; NULL: not known */
    bl_index ndriver;
    double *spring_is_angle; /* [nspring]; NULL: not known */
    bl_index nspring;
    double *contact_is_angle; /* [ncontact]; NULL: none, or not known */
    bl_index ncontact;
    double *force_body; /* [nforce] body on which it acts; NULL: not known */
    const char *const *body;
    bl_index nforce, nbody;
    const char *scene;
    bool equations; /* variables are unknowns of the user's equations, without known units */
} bl_angular;

bl_status bl_angular_find(bl_report_run *run, bl_angular *angular);
void bl_angular_destroy(bl_context *ctx, bl_angular *angular);
bool bl_angular_variable(const bl_angular *angular, bl_index variable, const char *name);
bool bl_angular_driver(const bl_angular *angular, bl_index driver);
bool bl_angular_gear(const bl_angular *angular, const char *joint, bool second);
bool bl_angular_spring(const bl_angular *angular, bl_index spring);
bool bl_angular_contact(const bl_angular *angular, bl_index contact);
/* "@body" if an earlier force has the same name: a force that acts on several bodies */
void bl_angular_force_body(const bl_angular *angular, bl_index item, const bl_quantity *forces, char *text, size_t size);

/* Curves of the accepted steps, into the open array of curves. */
bl_status bl_report_steps(bl_report_run *run);

#endif
