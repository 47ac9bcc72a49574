/* Sizes of contact (no thresholds: answers do not depend on them). */
#ifndef BL_CONTACT_LIMITS_H
#define BL_CONTACT_LIMITS_H

/* bounds are enlarged by this share of the size of the shape and this multiple of the margin: larger, more pairs that do not touch;
 * smaller, more searches */
static const double contact_bounds_size = 0.1, contact_bounds_margin = 3;

/* sine of the angle up to which the axis of a capsule lies along a face, and has a point at both ends of it; nearest points are exact with
 * any value: smaller, rods that are slightly inclined rest on one point at a time */
static const double contact_inclined = 0.1;

#endif
