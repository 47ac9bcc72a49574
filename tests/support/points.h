/* Hand-coded constrained systems for tests: points in the plane joined by massive bars, distances, angles, prescribed
 * coordinates. Columns: x, y of every free point, then the angles. Every column is a variable of the system. */
#ifndef BL_TEST_POINTS_H
#define BL_TEST_POINTS_H

#include "system/system.h"

enum { POINTS_MOST = 200, ROWS_MOST = 400 };

typedef struct test_point {
    double x, y, vx, vy, mass;
    bool fixed;
} test_point;

typedef struct test_bar {
    int a, b;
    double mass;
} test_bar;

typedef struct test_row {
    enum { ROW_DISTANCE, ROW_DRIVE_X, ROW_DRIVE_Y, ROW_ANGLE } what;
    int a, b, angle;             /* DRIVE: of point a. ANGLE: of b - a from -y, counter-clockwise */
    double factor;               /* the row is multiplied by it; 0 means 1 */
    double amplitude, frequency; /* DRIVE: start + amplitude sin(frequency t) */
} test_row;

typedef struct test_points {
    int npoint, nbar, nrow, nangle;
    test_point point[POINTS_MOST];
    test_bar bar[POINTS_MOST];
    test_row row[ROWS_MOST];
    double angle[8], angle_rate[8];
    double gravity, damping; /* damping: viscous force on every free point */
    double scale;            /* of all columns; 0 means 1 */
    bl_index independent[8], nindependent;
    bl_index event_col; /* the event is q[event_col] - event_value when nevent = 1 */
    double event_value;
    bl_index nevent;
    bool hide_mass; /* reports that there is no mass matrix */
    bool nan_after; /* forces become NaN after nan_time */
    double nan_time;
} test_points;

/* The definition is copied. state: freshly created at the initial positions and velocities, t = 0. */
bl_status test_points_create(bl_context *ctx, const test_points *def, bl_system **sys, bl_state *state);
bl_index test_points_col(const bl_system *sys, int point, int component);

/* ---- ready-made */
test_points test_pendulum(void);        /* (-1, 0), at rest, L = 1, m = 1, g = 9.81 */
test_points test_n_four_bar(int n);     /* cranks up, tips move with (1, 0) */
test_points test_double_pendulum(void); /* two point masses, horizontal, at rest */
void test_add_bar(test_points *def, int a, int b, double mass);
void test_add_row(test_points *def, test_row row);

#endif
