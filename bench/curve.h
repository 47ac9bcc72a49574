/* curve: error against time of one method, and the time it takes to reach a given error. */
#ifndef BENCH_CURVE_H
#define BENCH_CURVE_H

typedef struct curve_point {
    double tolerance, error, seconds; /* seconds INFINITY: not run or failed */
    double shown;                     /* error after smoothing */
} curve_point;

/* Sets `shown`: the median of three neighbors, so that a run with an accidentally small or large error does not count. */
void curve_smooth(curve_point *point, int n);
/* Least time at which the curve reaches the error: on a line between the logarithms of two points, or a point with a smaller error. */
double curve_time_at(const curve_point *point, int n, double target, double *tolerance);

#endif
