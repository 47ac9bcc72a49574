/* Sizes of contact (no thresholds: answers do not depend on them). */
#ifndef BL_CONTACT_LIMITS_H
#define BL_CONTACT_LIMITS_H

/* bounds are enlarged by this share of the size of the shape and this multiple of the margin: larger, more pairs that do not touch;
 * smaller, more searches */
static const double contact_bounds_size = 0.1, contact_bounds_margin = 3;

#endif
