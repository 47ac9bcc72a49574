/* Shared by contact_steps.c and contact_steps_create.c: the functions of bl_impulses. */
#ifndef BL_CONTACT_STEPS_PRIVATE_H
#define BL_CONTACT_STEPS_PRIVATE_H

#include "study/contact_steps.h"

bl_status bl_contact_steps_begin(void *user);
bl_status bl_contact_steps_strike(void *user, double h, const bl_state *start, const bl_state *middle, double *v, double *work);
bl_status bl_contact_steps_finish(void *user, double h, bl_state *end);

#endif
