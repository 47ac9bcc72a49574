/* curve: a plane curve fixed in a body, by its radius as a function of the angle (a disc cam), by two coordinates as functions of a
 * parameter, or by its height. Its right side, seen along the parameter, is outside: a cam whose angle increases counterclockwise has its
 * material inside. */
#ifndef BL_CURVE_H
#define BL_CURVE_H

#include "series/profile.h"

typedef struct bl_curve {
    const bl_profile *radius; /* radius = base + radius(angle); NULL: coordinates */
    double base;
    const bl_profile *x, *y;  /* of the same parameter */
    const bl_profile *height; /* or y = height(x), with the parameter -x: above is outside; NULL: none of these */
    bool below;               /* below is outside: the parameter is x */
    double from, to;          /* of a height: interval of the parameter that counts */
} bl_curve;

/* Position and derivatives by the parameter: c[3][2]. */
void bl_curve_at(const bl_curve *curve, double s, double c[3][2]);
/* Curvature there, positive where the material is convex. */
double bl_curve_bend(const bl_curve *curve, double s);
/* Interval of the parameter, a full revolution for a radius. */
void bl_curve_range(const bl_curve *curve, double *from, double *to);

/* A function of two numbers: value, gradient, second derivatives (xx, xy, yy). */
typedef struct bl_curve_value {
    double value, slope[2], bend[3];
} bl_curve_value;
/* Distance of the point p, positive outside. */
void bl_curve_distance(const bl_curve *curve, const double p[2], bl_curve_value *out);
/* Support function: the largest c . n on the curve, for any length of n; its gradient is the point of contact with a plane of normal n. */
void bl_curve_support(const bl_curve *curve, const double n[2], bl_curve_value *out);
/* The same on a crest, a height whose interval is convex. *within: positive while the point of contact is not at an end of it, sine of the
 * angle between n and the normal there. */
void bl_curve_crest(const bl_curve *curve, const double n[2], bl_curve_value *out, double *within);

#endif
