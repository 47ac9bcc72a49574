/* event_roots: first sign change of several functions that are smooth between kinks. Each is represented by a Chebyshev series up to
 * rounding; where one does not converge, the interval is halved. */
#ifndef BL_EVENT_ROOTS_H
#define BL_EVENT_ROOTS_H

#include "base/base.h"

typedef struct bl_event_roots bl_event_roots;

/* value[n] at x of [-1, 1] */
typedef bl_status (*bl_event_functions)(void *user, double x, double *value);

bl_status bl_event_roots_create(bl_context *ctx, bl_index n, bl_event_roots **out);
void bl_event_roots_destroy(bl_event_roots *roots);

/* The first sign change: *which of the n functions, -1: none; *x just after it, to within `finest`. start[n]: values at -1, of which only
 * the sign is used; a function that starts at 0 may leave it without a sign change. direction[n]: 1: upward, -1: downward, 0: both; NULL:
 * both for all. Touching zero within rounding is not a sign change. Allocates nothing. */
bl_status bl_event_roots_first(bl_event_roots *roots, bl_event_functions f, void *user, const double *start, const signed char *direction,
                               double finest, double *x, bl_index *which);

/* An interval at whose ends a function has different signs, narrowed to `finest`: secants whose weights fall where an end stays
 * (Anderson and Bjorck 1973), halved where these are slow. */
typedef struct bl_bracket {
    double lo, hi;               /* before the change, just after it */
    double weight_lo, weight_hi; /* values there, reduced */
    int last, slow, patience;
} bl_bracket;

void bl_bracket_begin(bl_bracket *b, double lo, double at_lo, double hi, double at_hi); /* at_lo not 0 */
bool bl_bracket_next(const bl_bracket *b, double finest, double *x);                    /* false: narrow enough */
void bl_bracket_take(bl_bracket *b, double x, double value);

#endif
