/* curve: error against time of one method, and the time it takes to a given error. */
#ifndef BENCH_CURVE_H
#define BENCH_CURVE_H

typedef struct curve_point {
    double tolerance, error, seconds; /* seconds INFINITY: not run or failed */
    double shown;                     /* error as it is read off */
} curve_point;

/* Sets `shown`: the median of three neighbors, so that a lucky or an unlucky run does not count. */
void curve_smooth(curve_point *point, int n);
/* Least time at which the curve meets the error: on a line between two points in logarithms, or a point that is better than asked. */
double curve_time_at(const curve_point *point, int n, double target, double *tolerance);

#endif
