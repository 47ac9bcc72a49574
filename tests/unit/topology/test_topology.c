/* Pieces, counting, and dependent constraints compared with screw theory: in a closed loop, a wrench that all joints can transmit without
 * load is reciprocal to every joint axis, and there are 6 - rank(axes) of them. */
#include "support/testing.h"
#include "topology/topology.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static bl_model *read_model(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    if (bl_model_read_text(ctx, "test.yaml", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, text);
    return model;
}

/* bodies in the model configuration */
static void drawn(const bl_model *model, bl_pose *pose) {
    for (bl_index i = 0; i < model->nbody; i++) {
        pose[i] = (bl_pose){.quaternion = {1, 0, 0, 0}};
        memcpy(pose[i].position, model->body[i].center, sizeof pose[i].position);
    }
}

/* ---- closed loops of n revolute joints */

enum { MOST = 8 };
typedef struct loop {
    int n;
    double at[MOST][3], axis[MOST][3];
} loop;

/* n - 1 bodies: body i between joints i and i + 1 */
static bl_model *read_loop(bl_context *ctx, const loop *l) {
    char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text, "bodies:\n");
    for (int i = 0; i + 1 < l->n; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used, "  - {name: b%d, mass: 1, center: [%.17g, %.17g, %.17g], inertia: [1, 1, 1]}\n", i,
            (l->at[i][0] + l->at[i + 1][0]) / 2, (l->at[i][1] + l->at[i + 1][1]) / 2, (l->at[i][2] + l->at[i + 1][2]) / 2);
    used += (size_t)snprintf(text + used, sizeof text - used, "joints:\n");
    for (int i = 0; i < l->n; i++) {
        char first[16] = "ground", second[16] = "ground";
        if (i > 0)
            snprintf(first, sizeof first, "b%d", i - 1);
        if (i + 1 < l->n)
            snprintf(second, sizeof second, "b%d", i);
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  - {name: j%d, type: revolute, bodies: [%s, %s], at: [%.17g, %.17g, %.17g], "
                                 "axis: [%.17g, %.17g, %.17g]}\n",
                                 i, first, second, l->at[i][0], l->at[i][1], l->at[i][2], l->axis[i][0], l->axis[i][1], l->axis[i][2]);
    }
    return read_model(ctx, text);
}

static void unit(double *u) {
    double size = sqrt(dot(u, u));
    for (int k = 0; k < 3; k++)
        u[k] /= size;
}

static void random_vector(test_random *random, double *u) {
    for (int k = 0; k < 3; k++)
        u[k] = test_random_symmetric(random);
}

/* power of the wrench (force f and moment m at p) for a rotation about the axis */
static double power(const double *f, const double *m, const double *p, const double *at, const double *axis) {
    double arm[3] = {p[0] - at[0], p[1] - at[1], p[2] - at[2]}, v[3];
    cross(axis, arm, v);
    return dot(f, v) + dot(m, axis);
}

static void expect_loop(const loop *l, int redundant) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_loop(ctx, l);
    bl_pose pose[MOST];
    drawn(model, pose);
    bl_twists twists;
    bl_dependencies found;
    double length = 0.7;
    assert_int_equal(bl_topology_count(model), 6 * (l->n - 1) - 5 * l->n);
    assert_int_equal(bl_twists_build(model->ctx, model, pose, length, &twists), BL_OK);
    assert_int_equal(twists.nrow, 5 * l->n);
    assert_int_equal(bl_dependencies_find(&twists, 1e-9, &found), BL_OK);
    assert_int_equal(found.ndependent, redundant);
    assert_int_equal(found.rank, 5 * l->n - redundant);
    assert_int_equal(found.n, redundant > 0); /* only the last joint closes the loop */
    if (redundant) {
        const bl_dependency *d = &found.dependency[0];
        assert_int_equal(d->owner, l->n - 1);
        assert_int_equal(d->count, redundant);
        assert_int_equal(d->of, 5);
        for (int i = 0; i < redundant; i++) {
            double m[3];
            for (int k = 0; k < 3; k++)
                m[k] = d->direction[i][3 + k] * length;
            assert_true(dot(d->direction[i], d->direction[i]) + dot(m, m) > 0.1);
            for (int j = 0; j < l->n; j++)
                assert_true(fabs(power(d->direction[i], m, l->at[l->n - 1], l->at[j], l->axis[j])) < 1e-7);
        }
    }
    bl_dependencies_destroy(&found);
    bl_twists_destroy(&twists);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void dependence__parallel_axes_leave_three_redundancies(void **state) {
    (void)state;
    test_random random = {test_seed(1)};
    for (int round = 0; round < 40; round++) { /* four bars in a random plane; joints anywhere along their axes */
        loop l = {.n = 4 + test_random_below(&random, 4)};
        double axis[3];
        random_vector(&random, axis);
        unit(axis);
        for (int i = 0; i < l.n; i++) {
            random_vector(&random, l.at[i]);
            memcpy(l.axis[i], axis, sizeof axis);
        }
        expect_loop(&l, 3);
    }
}

static void dependence__axes_through_a_point_leave_three_redundancies(void **state) {
    (void)state;
    test_random random = {test_seed(2)};
    for (int round = 0; round < 40; round++) {
        loop l = {.n = 4 + test_random_below(&random, 4)};
        double center[3];
        random_vector(&random, center);
        for (int i = 0; i < l.n; i++) {
            random_vector(&random, l.axis[i]);
            unit(l.axis[i]);
            for (int k = 0; k < 3; k++)
                l.at[i][k] = center[k] + (i + 1) * 0.3 * l.axis[i][k];
        }
        expect_loop(&l, 3);
    }
}

/* two sets of three parallel axes: rotations about two directions, all translations: 5 of 6 */
static void dependence__sarrus_has_one_redundancy(void **state) {
    (void)state;
    test_random random = {test_seed(3)};
    for (int round = 0; round < 40; round++) {
        loop l = {.n = 6};
        double a[3], b[3];
        random_vector(&random, a);
        random_vector(&random, b);
        unit(a);
        unit(b);
        for (int i = 0; i < 6; i++) {
            random_vector(&random, l.at[i]);
            memcpy(l.axis[i], i < 3 ? a : b, sizeof a);
        }
        expect_loop(&l, 1);
    }
}

static void dependence__random_axes_leave_none_from_six_on(void **state) {
    (void)state;
    test_random random = {test_seed(4)};
    for (int round = 0; round < 40; round++) {
        loop l = {.n = 6 + test_random_below(&random, 2)};
        for (int i = 0; i < l.n; i++) {
            random_vector(&random, l.at[i]);
            random_vector(&random, l.axis[i]);
            unit(l.axis[i]);
        }
        expect_loop(&l, 0);
        l.n = 5; /* a structure with 6 - 5 = 1 redundancy by counting alone: 24 - 25 = -1 */
        expect_loop(&l, 1);
    }
}

/* Bennett: skew four-bar with a^2 sin^2 beta = b^2 sin^2 alpha: one degree of freedom, so 3 redundant equations where four random axes have
 * 2 */
static void dependence__bennett_has_three_redundancies(void **state) {
    (void)state;
    loop l = {.n = 4};
    test_random random = {test_seed(5)};
    for (int i = 0; i < 4; i++) {
        random_vector(&random, l.at[i]);
        random_vector(&random, l.axis[i]);
        unit(l.axis[i]);
    }
    expect_loop(&l, 2);
    /* two-fold symmetric about the z axis: A, C and B, D are pairs; axes are perpendicular to both their links. Points A(p,0,h), C(-p,0,h),
     * B(0,q,-h), D(0,-q,-h): opposite links are equal by symmetry, and each axis is the normal of the two links at its joint. */
    double p = 0.7, q = 0.5, h = 0.2;
    double at[4][3] = {{p, 0, h}, {0, q, -h}, {-p, 0, h}, {0, -q, -h}};
    memset(&l, 0, sizeof l);
    l.n = 4;
    for (int i = 0; i < 4; i++) {
        double next[3], last[3];
        memcpy(l.at[i], at[i], sizeof at[i]);
        for (int k = 0; k < 3; k++) {
            next[k] = at[(i + 1) % 4][k] - at[i][k];
            last[k] = at[(i + 3) % 4][k] - at[i][k];
        }
        cross(next, last, l.axis[i]);
        unit(l.axis[i]);
    }
    expect_loop(&l, 3);
}

/* ---- graph */

static void pieces__follow_the_joints(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, "dimension: 2\nbodies:\n"
                                      "  - {name: a, mass: 1, center: [0,0], inertia: 1}\n"
                                      "  - {name: b, mass: 1, center: [1,0], inertia: 1}\n"
                                      "  - {name: c, mass: 1, center: [2,0], inertia: 1}\n"
                                      "  - {name: d, mass: 1, center: [3,0], inertia: 1}\n"
                                      "  - {name: e, mass: 1, center: [4,0], inertia: 1}\n"
                                      "joints:\n"
                                      "  - {name: j1, type: revolute, bodies: [e, b], at: [2,2]}\n"
                                      "  - {name: j2, type: revolute, bodies: [d, ground], at: [3,0]}\n"
                                      "  - {name: j3, type: prismatic, bodies: [d, c], at: [3,0], axis: [1,0]}\n"
                                      "  - {name: g, type: gear, first: j1.angle, second: j2.angle, ratio: 2}\n"
                                      "drivers: [{variable: j2.angle, value: =t}]\n");
    bl_index piece[6], npiece = 0;
    assert_int_equal(bl_topology_pieces(model->ctx, model, piece, &npiece), BL_OK);
    assert_int_equal(npiece, 3);
    static const bl_index want[6] = {0, 1, 2, 0, 0, 2}; /* ground with d and c; a; b with e */
    assert_memory_equal(piece, want, sizeof want);
    assert_int_equal(bl_topology_count(model), 15 - 6 - 1 - 1);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- rows compared with finite motions: every joint kind, moved along a random twist of all bodies */

static void turn(const double *q, const double *s, double *out) {
    double a[3], b[3];
    cross(q + 1, s, a);
    cross(q + 1, a, b);
    for (int k = 0; k < 3; k++)
        out[k] = s[k] + 2 * (q[0] * a[k] + b[k]);
}

static void mark_at(const bl_pose *pose, const bl_mark *mark, double *out) {
    turn(pose[mark->body].quaternion, mark->s, out);
    for (int k = 0; !mark->is_vector && k < 3; k++)
        out[k] += pose[mark->body].position[k];
}

/* residuals of the primitives that are one equation each */
static double residual(const bl_pose *pose, const bl_prim *prim) {
    double a[3], b[3], c[3], d[3];
    mark_at(pose, &prim->a, a);
    mark_at(pose, &prim->b, b);
    mark_at(pose, &prim->c, c);
    for (int k = 0; k < 3; k++)
        d[k] = b[k] - a[k];
    return prim->what == BL_DOT ? dot(a, b) : prim->what == BL_PLANE ? dot(d, c) : sqrt(dot(d, d));
}

static void moved(const bl_model *model, const double *twist, double h, bl_pose *pose) {
    drawn(model, pose);
    for (bl_index b = 1; b < model->nbody; b++) {
        const double *v = twist + 6 * (b - 1), *w = v + 3;
        double angle = sqrt(dot(w, w)) * h;
        pose[b].quaternion[0] = cos(angle / 2);
        for (int k = 0; k < 3; k++) {
            pose[b].position[k] += h * v[k];
            pose[b].quaternion[1 + k] = angle != 0 ? sin(angle / 2) * w[k] * h / angle : 0;
        }
    }
}

static void twists__rows_are_rates_of_the_primitives(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, "bodies:\n"
                                      "  - {name: a, mass: 1, center: [0.1,0.2,0.3], inertia: [1,1,1]}\n"
                                      "  - {name: b, mass: 1, center: [1,0.5,-0.2], inertia: [1,1,1]}\n"
                                      "  - {name: c, mass: 1, center: [0,2,0.4], inertia: [1,1,1]}\n"
                                      "joints:\n"
                                      "  - {type: prismatic, bodies: [ground, a], at: [0.3,0.1,0], axis: [1,2,3]}\n"
                                      "  - {type: cylindrical, bodies: [a, b], at: [0.4,0.6,0.2], axis: [0,1,1]}\n"
                                      "  - {type: universal, bodies: [b, c], at: [0.8,0.7,0.1], axis: [1,0,0]}\n"
                                      "  - {type: planar, bodies: [c, ground], at: [0,2,0], axis: [1,1,0]}\n"
                                      "  - {type: fixed, bodies: [a, c], at: [0.5,1,0]}\n"
                                      "  - {type: rod, bodies: [a, c], at: [0.1,0,0], to: [0.2,1.7,0.3]}\n"
                                      "  - {type: point_on_line, bodies: [b, a], at: [0.3,0.3,0.3], axis: [2,0,1]}\n"
                                      "  - {type: point_on_plane, bodies: [a, b], at: [0.7,0.1,0.3], axis: [2,0,1]}\n");
    test_random random = {test_seed(6)};
    double twist[18], h = 1e-5, length = 0.8;
    for (int k = 0; k < 18; k++)
        twist[k] = test_random_symmetric(&random);
    bl_pose here[4], plus[4], minus[4];
    drawn(model, here);
    moved(model, twist, h, plus);
    moved(model, twist, -h, minus);
    bl_twists t;
    assert_int_equal(bl_twists_build(model->ctx, model, here, length, &t), BL_OK);
    int compared = 0;
    bl_index row = 0;
    for (bl_index j = 0; j < model->njoint; j++) {
        const bl_prim *prim = model->joint[j].prim;
        for (bl_index p = 0; p < model->joint[j].nprim; p++) {
            bl_index forbids = bl_prim_forbids(&prim[p], 3);
            bool one = prim[p].what == BL_DOT || prim[p].what == BL_PLANE || prim[p].what == BL_DISTANCE;
            if (forbids == 1 && one) {
                double sum = 0, rate = (residual(plus, &prim[p]) - residual(minus, &prim[p])) / (2 * h);
                double scale = prim[p].what == BL_DOT ? 1 : length;
                for (bl_index k = 0; k < t.row[row].n; k++) {
                    bl_index col = t.row[row].col[k];
                    sum += t.row[row].coef[k] * twist[col] / (col % 6 < 3 ? length : 1);
                }
                assert_true(fabs(sum * scale - rate) < 1e-8); /* h^2 and rounding / h */
                compared++;
            }
            row += forbids;
        }
    }
    assert_int_equal(row, t.nrow);
    assert_int_equal(compared, 3 + 2 + 1 + 1 + 1 + 1 + 2 + 1);
    bl_twists_destroy(&t);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- loops on one frame */

static void *adding_realloc(void *user, void *block, size_t bytes) {
    *(size_t *)user += bytes; /* total of all requests: additional work on the same rows is visible although blocks are freed */
    if (bytes > 0)
        return realloc(block, bytes);
    free(block);
    return NULL;
}

/* n four-bars on a sliding frame: bytes requested to find the dependencies */
static size_t bytes_for_loops(int n) {
    static const char text[] =
        "dimension: 2\n"
        "parameters: {n: 1}\n"
        "bodies:\n"
        "  - {name: frame, box: {center: [0, 0], size: [2, 0.2]}, mass: 5}\n"
        "  - repeat: {count: =n, index: i, do: [{name: a$i, rod: {from: [=i, 0], to: [=i, 1]}, mass: 1}, {name: b$i, rod: {from: [=i, 1], "
        "to: [=i+2, 1.5]}, mass: 1}, {name: c$i, rod: {from: [=i+2, 1.5], to: [=i+1.7, 0]}, mass: 1}]}\n"
        "joints:\n"
        "  - {type: prismatic, bodies: [ground, frame], at: [0, 0], axis: [1, 0]}\n"
        "  - repeat: {count: =n, index: i, do: [{type: revolute, bodies: [frame, a$i], at: [=i, 0]}, {type: revolute, bodies: [a$i, b$i], "
        "at: [=i, 1]}, {type: revolute, bodies: [b$i, c$i], at: [=i+2, 1.5]}, {type: revolute, bodies: [c$i, frame], at: [=i+1.7, 0]}]}\n";
    size_t bytes = 0;
    bl_context *ctx;
    bl_model *model;
    const bl_override size = {"n", n};
    assert_int_equal(bl_context_create(&(bl_context_options){.realloc = adding_realloc, .realloc_user = &bytes}, &ctx), BL_OK);
    assert_int_equal(bl_model_read_text(ctx, "loops", text, strlen(text), &size, 1, &model), BL_OK);
    bl_pose *pose;
    bl_twists twists;
    bl_dependencies found;
    assert_int_equal(BL_NEW(ctx, pose, model->nbody), BL_OK);
    drawn(model, pose);
    assert_int_equal(bl_twists_build(model->ctx, model, pose, 1, &twists), BL_OK);
    size_t before = bytes;
    assert_int_equal(bl_dependencies_find(&twists, 1e-9, &found), BL_OK);
    before = bytes - before;
    assert_int_equal(found.rank, 8 * n + 2);
    assert_int_equal(found.ndependent, 0);
    bl_dependencies_destroy(&found);
    bl_twists_destroy(&twists);
    bl_free(ctx, pose);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return before;
}

static void dependence__of_loops_on_one_frame_grows_with_their_number(void **state) {
    (void)state;
    size_t small = bytes_for_loops(200), large = bytes_for_loops(1600);
    if (large > 10 * small) /* rows of U and multipliers: as many entries for every loop; pages of the arena are rounded up */
        fail_msg("%zu bytes for 200 loops, %zu for 1600", small, large);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependence__parallel_axes_leave_three_redundancies),
        cmocka_unit_test(dependence__axes_through_a_point_leave_three_redundancies),
        cmocka_unit_test(dependence__sarrus_has_one_redundancy),
        cmocka_unit_test(dependence__random_axes_leave_none_from_six_on),
        cmocka_unit_test(dependence__bennett_has_three_redundancies),
        cmocka_unit_test(dependence__of_loops_on_one_frame_grows_with_their_number),
        cmocka_unit_test(pieces__follow_the_joints),
        cmocka_unit_test(twists__rows_are_rates_of_the_primitives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
