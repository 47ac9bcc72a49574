/* Contacts for time stepping as they are read: shapes where the file puts them, by their gaps to planes; laws between groups, exceptions,
 * handles of joined bodies, limits. */
#include "support/testing.h"

#include "contact/contact.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bl_context *ctx;
static bl_model *model;

static void read(const char *text) {
    ctx = test_context(NULL);
    if (bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
}

static void end(void) {
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void place(const bl_contact_shape *shape, bl_contact_solid *solid) {
    bl_contact_frame body = {.axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    memcpy(body.at, model->body[shape->body].center, sizeof body.at);
    *solid = (bl_contact_solid){.shape = shape};
    bl_contact_place(&body, &shape->frame, &solid->frame);
}

/* how far a shape is from a plane through the origin, in the model configuration */
static double height(const bl_contact_shape *shape, double nx, double ny, double nz) {
    bl_contact_shape plane = {.what = BL_CONTACT_PLANE};
    bl_contact_solid one, other = {.shape = &plane};
    bl_contact_point point[BL_CONTACT_POINTS];
    double n[3] = {nx, ny, nz}, x[3] = {ny != 0 ? 0 : 1, ny != 0 ? 1 : 0, 0}, least = INFINITY;
    double along = x[0] * nx + x[1] * ny, length = 0;
    for (int k = 0; k < 3; k++) {
        x[k] -= along * n[k];
        length += x[k] * x[k];
    }
    if (length < 1e-12) { /* the normal is that axis */
        x[0] = 1, x[1] = 0, x[2] = 0;
        length = 1;
    }
    for (int k = 0; k < 3; k++) {
        other.frame.axes[6 + k] = n[k];
        other.frame.axes[k] = x[k] / sqrt(length);
    }
    const double *a = other.frame.axes;
    other.frame.axes[3] = n[1] * a[2] - n[2] * a[1];
    other.frame.axes[4] = n[2] * a[0] - n[0] * a[2];
    other.frame.axes[5] = n[0] * a[1] - n[1] * a[0];
    place(shape, &one);
    int count = bl_contact_points(&one, &other, 100, point);
    for (int k = 0; k < count; k++)
        least = fmin(least, point[k].gap);
    return least;
}

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-12)

static const char pairs[] = /* every kind listed by a pair, its body's mass center elsewhere */
    "%s"
    "bodies: [{name: a, mass: 1, inertia: %s, center: %s}]\n"
    "contacts:\n  - {name: c, between: [ground, a], friction: 0.25, restitution: 0.5, shapes: [{plane: {at: %s, normal: %s}}, %s]}\n"
    "simulate: {contact: stepping}\n";

static void read_shape(int dim, const char *shape) {
    char text[2000];
    bool plane = dim == 2;
    snprintf(text, sizeof text, pairs, plane ? "dimension: 2\n" : "", plane ? "1" : "[1, 1, 1]", plane ? "[5, 7]" : "[5, 7, 3]",
             plane ? "[0, 0]" : "[0, 0, 0]", plane ? "[0, 1]" : "[0, 1, 0]", shape);
    read(text);
    assert_int_equal(model->surfaces->nshape, 2);
    assert_int_equal(model->surfaces->nlaw, 1);
    assert_true(model->surfaces->law[0].friction == 0.25 && model->surfaces->law[0].restitution == 0.5);
    assert_int_equal(model->surfaces->shape[1].body, 1);
}

static void listed_shapes__are_where_the_file_says(void **state) {
    (void)state;
    double c = cos(0.3), s = sin(0.3);
    const bl_contact_shape *shape;
    read_shape(2, "{point: {at: [1, 2]}}");
    shape = &model->surfaces->shape[1];
    NEAR(height(shape, 0, 1, 0), 2);
    NEAR(height(shape, 1, 0, 0), 1);
    NEAR(bl_contact_size(shape), 0.05 * hypot(4, 5)); /* model_thin_shape of its distance from the mass center */
    end();
    read_shape(2, "{disc: {at: [1, 2], radius: 0.3}}");
    NEAR(height(&model->surfaces->shape[1], 0, 1, 0), 1.7);
    end();
    read_shape(2, "{box: {at: [1, 2], size: [0.6, 0.4], angle: 0.3}}");
    shape = &model->surfaces->shape[1];
    NEAR(height(shape, 0, 1, 0), 2 - 0.3 * s - 0.2 * c);
    NEAR(height(shape, 1, 0, 0), 1 - 0.3 * c - 0.2 * s);
    NEAR(height(shape, c, s, 0), c + 2 * s - 0.3);
    end();
    read_shape(2, "{capsule: {from: [1, 2], to: [2, 3], radius: 0.1}}");
    shape = &model->surfaces->shape[1];
    NEAR(height(shape, 0, 1, 0), 1.9);
    NEAR(height(shape, 0, -1, 0), -3.1);
    end();
    read_shape(2, "{capsule: {from: [1, 2], to: [4, 6], radius: 0}}");
    NEAR(bl_contact_size(&model->surfaces->shape[1]), 0.05 * 5);
    end();
    read_shape(3, "{sphere: {at: [1, 2, -1], radius: 0.3}}");
    NEAR(height(&model->surfaces->shape[1], 0, 0, 1), -1.3);
    end();
    read_shape(3, "{box: {at: [1, 2, -1], size: [0.6, 0.4, 0.2], axes: [[0, 1, 0], [0, 0, 1]]}}");
    shape = &model->surfaces->shape[1];
    NEAR(height(shape, 0, 1, 0), 2 - 0.3);
    NEAR(height(shape, 0, 0, 1), -1 - 0.2);
    NEAR(height(shape, 1, 0, 0), 1 - 0.1);
    end();
    read_shape(3, "{cylinder: {from: [1, 2, -1], to: [1, 4, -1], radius: 0.3}}");
    shape = &model->surfaces->shape[1];
    NEAR(height(shape, 0, 1, 0), 2);
    NEAR(height(shape, 1, 0, 0), 0.7);
    end();
}

static void own_shapes__are_those_of_the_bodies(void **state) {
    (void)state;
    read("dimension: 2\nbodies:\n"
         "  - {name: disc, disc: {center: [1, 2], radius: 0.3}, mass: 1}\n  - {name: rod, rod: {from: [5, 5], to: [8, 9]}, mass: 1}\n"
         "contacts: [{name: all, between: all}]\nsimulate: {contact: stepping}\n");
    const bl_surfaces *s = model->surfaces;
    assert_int_equal(s->nshape, 2);
    assert_int_equal(s->ngroup, 1); /* alike: one group */
    NEAR(height(&s->shape[0], 0, 1, 0), 1.7);
    NEAR(height(&s->shape[1], 0, 1, 0), 5);
    NEAR(height(&s->shape[1], -1, 0, 0), -8);
    NEAR(bl_contact_size(&s->shape[1]), 0.05 * 5);
    end();
    read("dimension: 2\nbodies: [{name: box, box: {center: [1, 4], size: [0.6, 0.4]}, mass: 1}]\n"
         "contacts: [{name: all, between: all}]\nsimulate: {contact: stepping}\n");
    s = model->surfaces;
    NEAR(height(&s->shape[0], 0, 1, 0), 3.8);
    NEAR(height(&s->shape[0], 1, 0, 0), 0.7);
    end();
    read("bodies:\n  - {name: ball, sphere: {center: [1, 2, 3], radius: 0.3}, mass: 1}\n"
         "  - {name: box, box: {center: [1, 4, 5], size: [0.6, 0.4, 0.2]}, mass: 1}\n"
         "contacts: [{name: all, between: all}]\nsimulate: {contact: stepping}\n");
    s = model->surfaces;
    NEAR(height(&s->shape[0], 0, 0, 1), 2.7);
    NEAR(height(&s->shape[1], 1, 0, 0), 0.7);
    NEAR(height(&s->shape[1], 0, 0, 1), 4.9);
    end();
}

static void laws__know_their_bodies(void **state) {
    (void)state;
    read("dimension: 2\nbodies: [{repeat: {count: 20, index: i, do: [{name: g$i, disc: {center: [=i, 2], radius: 0.3}, mass: 1}]}},\n"
         "  {name: frame, mass: 1, inertia: 1, center: [0, 0]}]\n"
         "joints: [{name: j, type: revolute, bodies: [ground, frame], at: [1, 0]}, {name: k, type: revolute, bodies: [ground, "
         "g0], at: [0, 3]}]\n"
         "contacts:\n  - {name: grains, between: all, except: [frame, g1*]}\n"
         "  - {name: frame, between: [frame, all], except: [frame], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, "
         "{disc: {at: [0, 0.5], radius: 0.2}}]}\n"
         "simulate: {contact: stepping}\n");
    const bl_surfaces *s = model->surfaces;
    assert_int_equal(s->nlaw, 2);
    assert_int_equal(s->nshape, 22);
    assert_int_equal(s->nown, 2); /* g1, g10 ... g19 without the first law, the others */
    for (bl_index b = 1; b < model->nbody; b++) {
        const char *name = model->body[b].name;
        bool without = strncmp(name, "g1", 2) == 0 || strcmp(name, "frame") == 0;
        assert_int_equal(s->law[0].without[b], without);
        assert_int_equal(s->law[1].without[b], strcmp(name, "frame") == 0);
        bool joined = strcmp(name, "g0") == 0 || strcmp(name, "frame") == 0;
        assert_int_equal(s->handle[b].joined, joined);
        assert_int_equal(s->handle[b].first >= 0, joined);
    }
    assert_int_equal(s->nhandle, 2 * 2); /* of two bodies, in the plane two points each */
    end();
}

/* model_surface_laws */
static void many_laws__are_refused(void **state) {
    (void)state;
    static char text[200000];
    bl_model *none = NULL;
    for (int many = 1000; many <= 1001; many++) {
        int n = snprintf(text, sizeof text,
                         "dimension: 2\nbodies: [{name: a, mass: 1, inertia: 1, center: [0, 1]}]\ncontacts:\n"
                         "  - repeat: {count: %d, index: i, do: [{name: c$i, between: [ground, a], shapes: [{plane: {at: [0, "
                         "0], normal: [0, 1]}}, {point: {at: [=i, 1]}}]}]}\n"
                         "simulate: {contact: stepping}\n",
                         many);
        ctx = test_context(NULL);
        bl_status status = bl_model_read_text(ctx, "text", text, (size_t)n, NULL, 0, &none);
        assert_int_equal(status, many == 1000 ? BL_OK : BL_E_MODEL);
        if (many > 1000)
            assert_non_null(strstr(bl_context_error(ctx)->what, "more than 1000 contacts are listed one by one"));
        bl_model_destroy(none);
        test_context_end(ctx);
        none = NULL;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listed_shapes__are_where_the_file_says),
        cmocka_unit_test(own_shapes__are_those_of_the_bodies),
        cmocka_unit_test(laws__know_their_bodies),
        cmocka_unit_test(many_laws__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
