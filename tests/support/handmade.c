#include "support/handmade.h"

#include <math.h>
#include <string.h>

void test_near(double a, double b, double tolerance, const char *file, int line) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s:%d: %.17g and %.17g differ by %g, more than %g", file, line, a, b, fabs(a - b), tolerance);
}

/* ---- vectors and matrices */

double test_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double test_norm(const double a[3]) { return sqrt(test_dot(a, a)); }

void test_cross(const double a[3], const double b[3], double c[3]) {
    double x[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    memcpy(c, x, sizeof x);
}

void test_turn(const double axis[3], double angle, double R[3][3]) {
    double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = 3 - i - j; /* third index, when i and j differ */
            double sign = (j - i + 3) % 3 == 1 ? -1 : 1;
            R[i][j] = (1 - c) * axis[i] * axis[j] + (i == j ? c : sign * s * axis[k]);
        }
}

void test_multiply(const double A[3][3], const double B[3][3], double C[3][3]) {
    double X[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            X[i][j] = A[i][0] * B[0][j] + A[i][1] * B[1][j] + A[i][2] * B[2][j];
    memcpy(C, X, sizeof X);
}

void test_apply(const double A[3][3], const double x[3], double y[3]) {
    double z[3];
    for (int i = 0; i < 3; i++)
        z[i] = test_dot(A[i], x);
    memcpy(y, z, sizeof z);
}

void test_random_vector(test_random *random, int dim, double size, double x[3]) {
    for (int k = 0; k < 3; k++)
        x[k] = k < dim ? size * test_random_symmetric(random) : 0;
}

void test_random_direction(test_random *random, int dim, double u[3]) {
    double size;
    do {
        test_random_vector(random, dim, 1, u);
        size = test_norm(u);
    } while (size < 0.1 || size > 1);
    for (int k = 0; k < 3; k++)
        u[k] /= size;
}

int test_rank(int m, int n, double *rows, double threshold) {
    double largest = 0;
    for (int i = 0; i < m * n; i++)
        largest = fmax(largest, fabs(rows[i]));
    int rank = 0;
    bool done[64] = {0};
    assert_true(m <= 64 && n <= 16);
    for (; rank < n; rank++) {
        int pi = -1, pj = -1;
        double best = threshold * largest;
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n && !done[i]; j++)
                if (fabs(rows[i * n + j]) > best) {
                    best = fabs(rows[i * n + j]);
                    pi = i;
                    pj = j;
                }
        if (pi < 0)
            break;
        done[pi] = true;
        for (int i = 0; i < m; i++)
            if (!done[i]) {
                double factor = rows[i * n + pj] / rows[pi * n + pj];
                for (int j = 0; j < n; j++)
                    rows[i * n + j] -= factor * rows[pi * n + j];
                rows[i * n + pj] = 0;
            }
    }
    return rank;
}

/* ---- rigid bodies */

void test_rigid_identity(const bl_body *body, test_rigid *rigid) {
    memset(rigid, 0, sizeof *rigid);
    for (int k = 0; k < 3; k++) {
        rigid->p[k] = body->center[k];
        rigid->R[k][k] = 1;
    }
}

void test_rigid_random(test_random *random, int dim, test_rigid *rigid) {
    double axis[3] = {0, 0, 1};
    if (dim == 3)
        test_random_direction(random, 3, axis);
    test_turn(axis, 3 * test_random_symmetric(random), rigid->R);
    test_random_vector(random, dim, 2, rigid->p);
    test_random_vector(random, dim, 1, rigid->v);
    test_random_vector(random, 3, 1, rigid->w);
    if (dim == 2)
        rigid->w[0] = rigid->w[1] = 0;
}

void test_mark_motion(const bl_mark *mark, const test_rigid *rigid, double position[3], double velocity[3]) {
    double arm[3], turning[3];
    test_apply(rigid->R, mark->s, arm);
    test_cross(rigid->w, arm, turning);
    for (int k = 0; k < 3; k++) {
        position[k] = arm[k] + (mark->is_vector ? 0 : rigid->p[k]);
        if (velocity)
            velocity[k] = turning[k] + (mark->is_vector ? 0 : rigid->v[k]);
    }
}

/* ---- models */

void test_model_init(test_model *made, bl_context *ctx, int dim, test_random *random) {
    static const char *const names[] = {"ground", "first", "second", "third"};
    memset(made, 0, sizeof *made);
    for (int i = 0; i < 4; i++) {
        made->body[i].name = names[i];
        made->body[i].mass = 1;
        if (i > 0)
            test_random_vector(random, dim, 2, made->body[i].center);
    }
    made->model = (bl_model){.ctx = ctx,
                             .arena = {.ctx = ctx},
                             .name = "handmade",
                             .dim = dim,
                             .nbody = 4,
                             .body = made->body,
                             .joint = made->joint,
                             .variable = made->variable,
                             .force = made->force,
                             .law = made->law,
                             .probe = made->probe,
                             .parameter = made->parameter};
}

void test_model_end(test_model *made) {
    for (bl_index i = 0; i < made->model.nlaw; i++)
        bl_tape_destroy(made->law[i].tape);
}

int test_param(const bl_param *table, const char *name) {
    for (int i = 0; table && table[i].type != BL_P_END; i++)
        if (!strcmp(table[i].name, name))
            return i;
    fail_msg("there is no parameter %s", name);
    return -1;
}
