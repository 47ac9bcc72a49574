/* Hand-coded systems with constraint rows of positions and of velocities that are bilinear, and a constant diagonal mass:
 *
 *     position row   phi  = sum a q_i q_j - speed t - rate t^2 / 2        (i = -1: a q_j, both -1: a)
 *     velocity row   G v  = sum a q_i v_j,  b = speed + rate t            (i = -1: a v_j)
 *
 * with everything: tangents, power series, energy. One-sided rows are switched by test_bilinear_activate. */
#ifndef BL_TEST_BILINEAR_H
#define BL_TEST_BILINEAR_H

#include "system/system.h"

enum { BILINEAR_N = 12, BILINEAR_ROWS = 8, BILINEAR_TERMS = 12 };

typedef struct test_bilinear_term {
    double a;
    int i, j;
} test_bilinear_term;

typedef struct test_bilinear_row {
    uint8_t level, law;
    double scale; /* 0: 1 */
    double speed, rate;
    int nterm;
    test_bilinear_term term[BILINEAR_TERMS];
} test_bilinear_row;

typedef struct test_bilinear {
    int n, nrow;
    double mass[BILINEAR_N], force[BILINEAR_N], spring[BILINEAR_N], damping[BILINEAR_N];
    double q[BILINEAR_N], v[BILINEAR_N]; /* at t = 0 */
    test_bilinear_row row[BILINEAR_ROWS];
    bool inactive[BILINEAR_ROWS]; /* at first */
    bool preferred[BILINEAR_N];   /* columns are angles: preferably independent */
} test_bilinear;

/* The definition is copied. state: freshly created, at t = 0. */
bl_status test_bilinear_create(bl_context *ctx, const test_bilinear *def, bl_system **sys, bl_state *state);
/* Between steps; a set-up must follow. */
void test_bilinear_activate(bl_system *sys, int row, bool active);
test_bilinear *test_bilinear_def(bl_system *sys); /* its copy: speeds may be changed between steps */

test_bilinear_row *test_bilinear_add(test_bilinear *def, uint8_t level);
void test_bilinear_term_add(test_bilinear_row *row, double a, int i, int j);

/* ---- ready-made. A body in the plane: columns x, y of the mass center and c, s, the direction of the body, with c^2 + s^2 = 1. */

/* m = 1, I = 0.1, a blade 0.2 behind the mass center; speed of the blade 1, rotation 2 */
test_bilinear test_sleigh(void);
/* its exact state: q[4], v[4] */
void test_sleigh_at(double t, double *q, double *v);
/* a blade below the mass center, pulled along x by 3 N, which rotates with 1.5 rad/s from rest */
test_bilinear test_knife_edge(void);
void test_knife_edge_at(double t, double *q, double *v);
/* A thin disc, m = 2, R = 0.5, upright: columns x, y, c, s of its heading, roll; torque of 0.3 about its axle; two velocity rows. */
test_bilinear test_upright_disc(void);
void test_upright_disc_at(double t, double *q, double *v);
/* A solid ball on a turntable that turns with 3 rad/s: columns x, y, three rotations, angle of the table. */
test_bilinear test_ball_on_turntable(void);
void test_ball_on_turntable_at(double t, double *q, double *v);
/* The sleigh with more rows: a second blade in line (dependent on the first and on the position row), or c c' + s s' = 0, which the
 * position row implies. */
test_bilinear test_sleigh_dependent(bool in_line);

#endif
