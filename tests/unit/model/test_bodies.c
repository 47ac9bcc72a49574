/* Mass properties of shapes against sums over point masses that have the same moments up to second order:
 * Gauss points on lines (+-h/sqrt 3), a ring of radius r/sqrt 2 for a disc, six points at r sqrt(3/5) for a ball.
 * Turned frames and the addition of point masses are computed here by direct sums, not by parallel axes. */
#include "support/testing.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct cloud {
    int n;
    double mass[64], at[64][3];
} cloud;

static void put(cloud *c, double mass, const double origin[3], const double axes[3][3], double x, double y, double z) {
    double local[3] = {x, y, z};
    c->mass[c->n] = mass;
    for (int k = 0; k < 3; k++)
        c->at[c->n][k] = origin[k] + axes[0][k] * local[0] + axes[1][k] * local[1] + axes[2][k] * local[2];
    c->n++;
}

static void assert_body(const bl_body *body, const cloud *c, int dim) {
    double mass = 0, center[3] = {0}, inertia[3][3] = {{0}}, size = 0;
    for (int i = 0; i < c->n; i++)
        mass += c->mass[i];
    for (int i = 0; i < c->n; i++)
        for (int k = 0; k < 3; k++)
            center[k] += c->mass[i] * c->at[i][k] / mass;
    for (int i = 0; i < c->n; i++) {
        double d[3], square = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = c->at[i][k] - center[k];
            square += d[k] * d[k];
            size = fmax(size, fabs(c->at[i][k]));
        }
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
                inertia[p][q] += c->mass[i] * ((p == q ? square : 0) - d[p] * d[q]);
    }
    /* a hundred roundings of quantities of the size m s^2 */
    double tolerance = 100 * 2.3e-16;
    assert_true(fabs(body->mass - mass) <= tolerance * mass);
    for (int p = 0; p < 3; p++) {
        assert_true(fabs(body->center[p] - center[p]) <= tolerance * size);
        for (int q = 0; q < 3; q++) {
            double wanted = dim == 3 || (p == 2 && q == 2) ? inertia[p][q] : 0;
            assert_true(fabs(body->inertia[p][q] - wanted) <= tolerance * mass * size * size);
        }
    }
}

static void random_frame(test_random *random, double axes[3][3]) {
    double u[3], v[3], length = 0, along = 0;
    for (int k = 0; k < 3; k++)
        u[k] = test_random_symmetric(random);
    for (int k = 0; k < 3; k++)
        v[k] = test_random_symmetric(random);
    length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    for (int k = 0; k < 3; k++)
        axes[0][k] = u[k] / length;
    for (int k = 0; k < 3; k++)
        along += axes[0][k] * v[k];
    for (int k = 0; k < 3; k++)
        axes[1][k] = v[k] - along * axes[0][k];
    length = sqrt(axes[1][0] * axes[1][0] + axes[1][1] * axes[1][1] + axes[1][2] * axes[1][2]);
    for (int k = 0; k < 3; k++)
        axes[1][k] /= length;
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        axes[2][k] = axes[0][a] * axes[1][b] - axes[0][b] * axes[1][a];
    }
}

static bl_model *read_text(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "bodies.yaml", text, strlen(text), NULL, 0, &model);
    if (status != BL_OK)
        print_error("%s\n%d:%d: %s\n", text, bl_context_error(ctx)->line, bl_context_error(ctx)->column, bl_context_error(ctx)->what);
    assert_int_equal(status, BL_OK);
    return model;
}

typedef struct scene { /* random data for one body */
    double mass, origin[3], axes[3][3], size[3], extra, at[3];
} scene;

static scene random_scene(test_random *random) {
    scene s;
    s.mass = 0.1 + test_random_unit(random);
    s.extra = test_random_unit(random);
    for (int k = 0; k < 3; k++) {
        s.origin[k] = test_random_symmetric(random);
        s.size[k] = 0.1 + test_random_unit(random);
        s.at[k] = test_random_symmetric(random);
    }
    random_frame(random, s.axes);
    return s;
}

/* "[x, y, z]" of origin + along * axes[0] */
static const char *point_text(const scene *s, double along, char text[128]) {
    snprintf(text, 128, "[%.17g, %.17g, %.17g]", s->origin[0] + along * s->axes[0][0], s->origin[1] + along * s->axes[0][1],
             s->origin[2] + along * s->axes[0][2]);
    return text;
}

static void check(const scene *s, const char *shape, cloud *c) {
    char text[2048];
    bl_context *ctx = test_context(NULL);
    snprintf(text, sizeof text, "bodies: [{name: a, mass: %.17g, %s}]\n", s->mass, shape);
    bl_model *m = read_text(ctx, text);
    assert_body(&m->body[1], c, 3);
    bl_model_destroy(m);
    /* the same with a point mass */
    snprintf(text, sizeof text, "bodies: [{name: a, mass: %.17g, %s, points: [{mass: %.17g, at: [%.17g, %.17g, %.17g]}]}]\n", s->mass,
             shape, s->extra, s->at[0], s->at[1], s->at[2]);
    c->mass[c->n] = s->extra;
    memcpy(c->at[c->n++], s->at, sizeof s->at);
    m = read_text(ctx, text);
    assert_body(&m->body[1], c, 3);
    bl_model_destroy(m);
    test_context_end(ctx);
}

static void shapes__have_the_moments_of_equivalent_point_masses(void **state) {
    (void)state;
    test_random random = {test_seed(20240611)};
    for (int trial = 0; trial < 50; trial++) {
        scene s = random_scene(&random);
        char shape[1024], from[128], to[128];
        double h[3];
        for (int k = 0; k < 3; k++)
            h[k] = s.size[k] / sqrt(12);

        cloud rod = {0};
        for (int i = -1; i <= 1; i += 2)
            put(&rod, s.mass / 2, s.origin, s.axes, i * h[0], 0, 0);
        snprintf(shape, sizeof shape, "rod: {from: %s, to: %s}", point_text(&s, -s.size[0] / 2, from), point_text(&s, s.size[0] / 2, to));
        check(&s, shape, &rod);

        cloud box = {0};
        for (int i = 0; i < 8; i++)
            put(&box, s.mass / 8, s.origin, s.axes, i & 1 ? h[0] : -h[0], i & 2 ? h[1] : -h[1], i & 4 ? h[2] : -h[2]);
        snprintf(shape, sizeof shape,
                 "box: {center: %s, size: [%.17g, %.17g, %.17g], axes: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]]}",
                 point_text(&s, 0, from), s.size[0], s.size[1], s.size[2], s.axes[0][0], s.axes[0][1], s.axes[0][2], s.axes[1][0],
                 s.axes[1][1], s.axes[1][2]);
        check(&s, shape, &box);

        cloud cylinder = {0};
        for (int i = -1; i <= 1; i += 2)
            for (int k = 0; k < 4; k++) {
                double ring = s.size[1] / sqrt(2);
                put(&cylinder, s.mass / 8, s.origin, s.axes, i * h[0], k & 1 ? 0 : (1 - k) * ring, k & 1 ? (2 - k) * ring : 0);
            }
        snprintf(shape, sizeof shape, "cylinder: {from: %s, to: %s, radius: %.17g}", point_text(&s, -s.size[0] / 2, from),
                 point_text(&s, s.size[0] / 2, to), s.size[1]);
        check(&s, shape, &cylinder);

        cloud sphere = {0};
        double d = s.size[0] * sqrt(0.6);
        for (int i = -1; i <= 1; i += 2) {
            put(&sphere, s.mass / 6, s.origin, s.axes, i * d, 0, 0);
            put(&sphere, s.mass / 6, s.origin, s.axes, 0, i * d, 0);
            put(&sphere, s.mass / 6, s.origin, s.axes, 0, 0, i * d);
        }
        snprintf(shape, sizeof shape, "sphere: {center: %s, radius: %.17g}", point_text(&s, 0, from), s.size[0]);
        check(&s, shape, &sphere);
    }
}

static void plane_shapes__have_the_moments_of_equivalent_point_masses(void **state) {
    (void)state;
    test_random random = {test_seed(7)};
    double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int trial = 0; trial < 50; trial++) {
        scene s = random_scene(&random);
        s.origin[2] = 0;
        char text[1024];
        bl_context *ctx = test_context(NULL);
        snprintf(text, sizeof text,
                 "dimension: 2\nbodies:\n- {name: a, mass: %.17g, box: {center: [%.17g, %.17g], size: [%.17g, %.17g]}}\n"
                 "- {name: b, mass: %.17g, disc: {center: [%.17g, %.17g], radius: %.17g}}\n"
                 "- {name: c, mass: %.17g, rod: {from: [%.17g, %.17g], to: [%.17g, %.17g]}}\n",
                 s.mass, s.origin[0], s.origin[1], s.size[0], s.size[1], s.mass, s.origin[0], s.origin[1], s.size[0], s.mass, s.origin[0],
                 s.origin[1], s.at[0], s.at[1]);
        bl_model *m = read_text(ctx, text);
        cloud box = {0}, disc = {0}, rod = {0};
        for (int i = 0; i < 4; i++) {
            put(&box, s.mass / 4, s.origin, axes, (i & 1 ? 1 : -1) * s.size[0] / sqrt(12), (i & 2 ? 1 : -1) * s.size[1] / sqrt(12), 0);
            double ring = s.size[0] / sqrt(2);
            put(&disc, s.mass / 4, s.origin, axes, i & 1 ? 0 : (1 - i) * ring, i & 1 ? (2 - i) * ring : 0, 0);
        }
        for (int i = -1; i <= 1; i += 2) {
            double share = 0.5 + i / sqrt(12), zero[3] = {0};
            put(&rod, s.mass / 2, zero, axes, s.origin[0] + share * (s.at[0] - s.origin[0]), s.origin[1] + share * (s.at[1] - s.origin[1]),
                0);
        }
        assert_body(&m->body[1], &box, 2);
        assert_body(&m->body[2], &disc, 2);
        assert_body(&m->body[3], &rod, 2);
        bl_model_destroy(m);
        test_context_end(ctx);
    }
}

static void inertia__is_the_same_in_every_notation(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    /* principal moments 2, 3, 4 with axes turned by 90 degrees about z: x -> y */
    bl_model *m = read_text(
        ctx, "bodies:\n"
             "- {name: a, mass: 1, center: [0, 0, 0], inertia: [3, 2, 4]}\n"
             "- {name: b, mass: 1, center: [0, 0, 0], inertia: [2, 3, 4], axes: [[0, 2, 0], [-1, 1, 0]]}\n" /* y made perpendicular */
             "- {name: c, mass: 1, center: [0, 0, 0], inertia: [3, 2, 4, 0.5, -0.25, 0.125]}\n"
             "- {name: d, mass: 1, center: [0, 0, 0], inertia: [[3, 0.5, -0.25], [0.5, 2, 0.125], [-0.25, 0.125, 4]]}\n"
             "- {name: e, density: 3, box: {center: [0, 0, 0], size: [1, 2, 3]}}\n"
             "- {name: f, density: 3, cylinder: {from: [0, 0, 0], to: [0, 0, 2], radius: 2}}\n"
             "- {name: g, density: 3, sphere: {center: [0, 0, 0], radius: 2}}\n"
             "- {name: h, mass: 2, rod: {from: [0, 0, 0], to: [0, 0, 3], axial: 0.25}}\n");
    for (int i = 0; i < 9; i++) {
        assert_true(fabs(m->body[1].inertia[i / 3][i % 3] - m->body[2].inertia[i / 3][i % 3]) < 1e-15);
        assert_true(m->body[3].inertia[i / 3][i % 3] == m->body[4].inertia[i / 3][i % 3]);
    }
    assert_true(m->body[3].inertia[0][1] == 0.5 && m->body[3].inertia[2][0] == -0.25 && m->body[3].inertia[1][2] == 0.125);
    assert_true(m->body[5].mass == 18);
    assert_true(fabs(m->body[6].mass - 75.398223686155037) < 1e-13);
    assert_true(fabs(m->body[7].mass - 100.53096491487338) < 1e-13);
    assert_true(fabs(m->body[8].inertia[2][2] - 0.25) < 1e-15 && fabs(m->body[8].inertia[0][0] - 1.5) < 1e-15);
    bl_model_destroy(m);
    test_context_end(ctx);
}

/* A rigid set of random point masses is always possible, however it is written; a matrix with one moment larger than the sum
 * of the others never is. */
static void judgment__accepts_what_exists_and_refuses_what_cannot(void **state) {
    (void)state;
    test_random random = {test_seed(99)};
    for (int trial = 0; trial < 200; trial++) {
        double moment[3], axes[3][3], matrix[3][3] = {{0}};
        /* moments of three second moments along the principal axes; flat and thin bodies included */
        double along[3];
        for (int k = 0; k < 3; k++)
            along[k] = test_random_below(&random, 3) ? test_random_unit(&random) : 0;
        for (int k = 0; k < 3; k++)
            moment[k] = along[(k + 1) % 3] + along[(k + 2) % 3];
        bool possible = trial % 2 == 0;
        if (!possible)
            moment[0] = (moment[1] + moment[2]) * 1.001 + 1e-3;
        random_frame(&random, axes);
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
                for (int k = 0; k < 3; k++)
                    matrix[p][q] += moment[k] * axes[k][p] * axes[k][q];
        char text[512];
        snprintf(text, sizeof text, "bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: [%.9g, %.9g, %.9g, %.9g, %.9g, %.9g]}]\n",
                 matrix[0][0], matrix[1][1], matrix[2][2], matrix[0][1], matrix[0][2], matrix[1][2]);
        bl_context *ctx = test_context(NULL);
        bl_model *m = NULL;
        bl_status status = bl_model_read_text(ctx, "a", text, strlen(text), NULL, 0, &m);
        if (status != (possible ? BL_OK : BL_E_MODEL))
            print_error("%s\n%s\n", text, bl_context_error(ctx)->what);
        assert_int_equal(status, possible ? BL_OK : BL_E_MODEL);
        bl_model_destroy(m);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes__have_the_moments_of_equivalent_point_masses),
        cmocka_unit_test(plane_shapes__have_the_moments_of_equivalent_point_masses),
        cmocka_unit_test(inertia__is_the_same_in_every_notation),
        cmocka_unit_test(judgment__accepts_what_exists_and_refuses_what_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
