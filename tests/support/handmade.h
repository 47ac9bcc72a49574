/* Models made by hand, and rigid bodies moved by rotation matrices: what tests of joints and forces compare with. */
#ifndef BL_TEST_HANDMADE_H
#define BL_TEST_HANDMADE_H

#include "support/testing.h"

#include "force/force.h"
#include "joint/joint.h"

/* Ground and three bodies with random mass centers; the rest is filled in by the test. */
typedef struct test_model {
    bl_model model;
    bl_body body[4];
    bl_joint_def joint[4];
    bl_variable variable[16];
    bl_force_def force[2];
    bl_law law[8];
    bl_symbol symbol[8][8];
    bl_probe probe[4];
    bl_parameter parameter[4];
} test_model;

void test_model_init(test_model *made, bl_context *ctx, int dim, test_random *random);
/* Destroys the tapes of the laws. */
void test_model_end(test_model *made);
/* Index of a parameter in a table; fails the test when there is none. */
int test_param(const bl_param *table, const char *name);

/* Pose and velocity of a body: mass center, rotation from the model configuration, velocities. */
typedef struct test_rigid {
    double p[3], R[3][3], v[3], w[3];
} test_rigid;

void test_rigid_identity(const bl_body *body, test_rigid *rigid);
void test_rigid_random(test_random *random, int dim, test_rigid *rigid);
void test_mark_motion(const bl_mark *mark, const test_rigid *rigid, double position[3], double velocity[3]);

/* In double precision, which cmocka's float comparison is not. */
#define assert_near(a, b, tolerance) test_near((a), (b), (tolerance), __FILE__, __LINE__)
void test_near(double a, double b, double tolerance, const char *file, int line);

/* ---- vectors and matrices */
double test_dot(const double a[3], const double b[3]);
double test_norm(const double a[3]);
void test_cross(const double a[3], const double b[3], double c[3]);
void test_turn(const double axis[3], double angle, double R[3][3]); /* Rodrigues */
void test_multiply(const double A[3][3], const double B[3][3], double C[3][3]);
void test_apply(const double A[3][3], const double x[3], double y[3]);
void test_random_vector(test_random *random, int dim, double size, double x[3]); /* components within +-size */
void test_random_direction(test_random *random, int dim, double u[3]);
/* Rank of rows[m][n] by elimination with complete pivoting, threshold relative to the largest entry; n <= 16. rows is overwritten. */
int test_rank(int m, int n, double *rows, double threshold);

#endif
