/* event_roots: where the first of several functions changes sign, for functions that are smooth between kinks. Each is followed as a
 * Chebyshev series whose tail is at rounding; the interval is halved where one is not. */
#ifndef BL_EVENT_ROOTS_H
#define BL_EVENT_ROOTS_H

#include "base/base.h"

typedef struct bl_event_roots bl_event_roots;

/* value[n] at x of [-1, 1] */
typedef bl_status (*bl_event_functions)(void *user, double x, double *value);

bl_status bl_event_roots_create(bl_context *ctx, bl_index n, bl_event_roots **out);
void bl_event_roots_destroy(bl_event_roots *roots);

/* The first change of sign: *which of the n functions, -1: none; *x just behind it, on a grid of `finest`. start[n]: values at -1, of
 * which the sign counts; a function that starts with 0 leaves it without a change. direction[n]: 1: upwards, -1: downwards, 0: both;
 * NULL: all both. A touch without a change beyond rounding is none. Allocates nothing. */
bl_status bl_event_roots_first(bl_event_roots *roots, bl_event_functions f, void *user, const double *start, const signed char *direction,
                               double finest, double *x, bl_index *which);

#endif
