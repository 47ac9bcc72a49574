/* Times at a given error, interpolated on curves of error against time. */
#include "curve.h"

#include <math.h>
#include <stddef.h>

void curve_smooth(curve_point *point, int n) {
    for (int i = 0; i < n; i++)
        point[i].shown = point[i].error;
    for (int i = 1; i + 1 < n; i++) {
        double a = point[i - 1].error, b = point[i].error, d = point[i + 1].error;
        if (a < INFINITY && b < INFINITY && d < INFINITY)
            point[i].shown = fmax(fmin(a, b), fmin(fmax(a, b), d));
    }
}

double curve_time_at(const curve_point *point, int n, double target, double *tolerance) {
    double best = INFINITY;
    for (int i = 0; i < n; i++) {
        const curve_point *a = &point[i];
        if (!(a->seconds < INFINITY) || !(a->shown < INFINITY))
            continue;
        if (a->shown <= target && a->seconds < best)
            best = a->seconds, *tolerance = a->tolerance;
        const curve_point *b = i + 1 < n ? &point[i + 1] : NULL;
        if (!b || !(b->seconds < INFINITY) || !(a->shown > target && b->shown <= target) || b->shown <= 0)
            continue;
        double x = log(target / b->shown) / log(a->shown / b->shown), seconds = exp(log(b->seconds) + x * log(a->seconds / b->seconds));
        if (seconds < best)
            best = seconds, *tolerance = exp(log(b->tolerance) + x * log(a->tolerance / b->tolerance));
    }
    return best;
}
