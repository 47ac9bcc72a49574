#include "support/bodies.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

static const bl_contact_frame same = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

void test_bodies_begin(test_bodies *t, bool plane, double gravity, double friction, double restitution) {
    memset(t, 0, sizeof *t);
    t->law = (bl_stepping_law){.friction = friction, .restitution = restitution};
    t->scene = (bl_stepping_scene){.plane = plane, .ngroup = 1, .nlaw = 1, .nbody = 1};
    t->scene.gravity[plane ? 1 : 2] = -gravity;
    t->body[0].turn[0] = 1;
}

static void add_shape(test_bodies *t, bl_contact_shape shape, bl_index body) {
    assert_true(t->scene.nshape < TEST_BODIES);
    shape.body = body;
    t->shape[t->scene.nshape++] = shape;
}

static bl_index add_body(test_bodies *t, double mass, const double inertia[3], double x, double y, double z) {
    assert_true(t->scene.nbody < TEST_BODIES);
    t->body[t->scene.nbody] =
        (bl_stepping_body){.mass = mass, .inertia = {inertia[0], inertia[1], inertia[2]}, .at = {x, y, z}, .turn = {1}};
    return t->scene.nbody++;
}

void test_bodies_wall(test_bodies *t, const double at[3], const double normal[3]) {
    bl_contact_shape s = {.what = BL_CONTACT_PLANE, .frame = same};
    double *e = s.frame.axes;
    memcpy(s.frame.at, at, 3 * sizeof *at);
    memcpy(e + 6, normal, 3 * sizeof *normal);
    perpendicular3(normal, e);
    double by = 1 / norm3(e);
    for (int k = 0; k < 3; k++)
        e[k] *= by;
    cross3(normal, e, e + 3);
    add_shape(t, s, 0);
}

bl_index test_bodies_ball(test_bodies *t, double mass, double radius, double x, double y, double z) {
    double J = 0.4 * mass * radius * radius;
    bl_index body = add_body(t, mass, (const double[3]){J, J, J}, x, y, z);
    add_shape(t, (bl_contact_shape){.what = BL_CONTACT_SPHERE, .frame = same, .radius = radius}, body);
    return body;
}

bl_index test_bodies_box(test_bodies *t, double mass, const double half[3], double x, double y, double z) {
    const double a = half[0] * half[0], b = half[1] * half[1], c = half[2] * half[2];
    bl_index body = add_body(t, mass, (const double[3]){mass * (b + c) / 3, mass * (a + c) / 3, mass * (a + b) / 3}, x, y, z);
    add_shape(t, (bl_contact_shape){.what = BL_CONTACT_BOX, .frame = same, .half = {half[0], half[1], half[2]}}, body);
    return body;
}

bl_index test_bodies_disc(test_bodies *t, double mass, double radius, double x, double y) {
    bl_index body = add_body(t, mass, (const double[3]){0, 0, 0.5 * mass * radius * radius}, x, y, 0);
    add_shape(t, (bl_contact_shape){.what = BL_CONTACT_SPHERE, .frame = same, .radius = radius}, body);
    return body;
}

bl_index test_bodies_polygon(test_bodies *t, double mass, double inertia, bl_index ncorner, const double (*corner)[2], double x, double y) {
    bl_index body = add_body(t, mass, (const double[3]){0, 0, inertia}, x, y, 0);
    add_shape(t, (bl_contact_shape){.what = BL_CONTACT_POLYGON, .frame = same, .ncorner = ncorner, .corner = corner}, body);
    return body;
}

void test_bodies_turn(test_bodies *t, bl_index body, const double axis[3], double angle) {
    double *q = t->body[body].turn;
    q[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++)
        q[1 + k] = sin(angle / 2) * axis[k];
}

void test_bodies_start(bl_context *ctx, test_bodies *t) {
    t->scene.body = t->body;
    t->scene.shape = t->shape;
    t->scene.law = &t->law;
    assert_int_equal(bl_stepping_create(ctx, &t->scene, &t->options, &t->run), BL_OK);
}

void test_bodies_steps(test_bodies *t, double h, long n) {
    for (long k = 0; k < n; k++)
        assert_int_equal(bl_stepping_step(&t->run, h), BL_OK);
}

void test_bodies_end(test_bodies *t) { bl_stepping_destroy(&t->run); }

double test_bodies_support(const test_bodies *t, bl_index body, double h, const double direction[3]) {
    double sum = 0;
    for (bl_index i = 0; i < t->run.ncontact; i++) {
        const bl_cone_contact *c = t->run.contact + i;
        bl_index other = c->body[0] == body ? c->body[1] : c->body[1] == body ? c->body[0] : body;
        if (other >= body)
            continue;
        double impulse[3];
        bl_cone_contact_impulse(c, t->run.P[i], impulse);
        sum += dot3(impulse, direction) * (c->body[1] == body ? 1 : -1) / h;
    }
    return sum;
}
