/* Two boxes with a memory of the face that separated them last: most near pairs of boxes do not touch. */
#ifndef BL_BOX_CONTACTS_H
#define BL_BOX_CONTACTS_H

#include "contact/contact_private.h"

/* *hint: 0 at first */
int bl_box_box_hinted(const bl_contact_solid *one, const bl_contact_solid *other, double margin, uint8_t *hint, bl_contact_point *point);

#endif
