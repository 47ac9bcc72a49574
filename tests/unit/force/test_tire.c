/* Tires at random states, in space and in the plane, against geometry and slip laws written out here: on a flat road the load acts at the
 * contact point along the normal and the forces of slip with it; on a curved road the load has a potential; its damper sees the rate of
 * the compression, also of a road that moves; off the road nothing acts. */
#include "support/force_action.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 200 };

typedef struct tire {
    int dim;
    bool magic, above;
    double at[3], axis[3], normal[3], e[3], R, k, c, load, C[2], mu[2], B[2], shape[2], E[2], resistance, speed;
    double wave, rise; /* h = wave sin(2 x) + rise sin(3 t) */
} tire;

static const double middle[3] = {0.3, -0.2, 0.5};

static void make(tire *w, test_random *random, int dim) {
    *w = (tire){.dim = dim, .R = 0.4, .k = 50 + 50 * test_random_unit(random), .load = 20, .speed = 0.3};
    test_random_vector(random, dim, 0.2, w->at);
    for (int k = 0; k < 3; k++)
        w->at[k] += k < dim ? middle[k] : 0;
    test_random_direction(random, dim, w->axis);
    test_random_direction(random, dim, w->normal);
    int first = fabs(w->normal[0]) < 0.9 ? 0 : 1;
    double size = sqrt(1 - w->normal[first] * w->normal[first]);
    for (int k = 0; k < 3; k++)
        w->e[k] = dim == 2 ? (k == 0 ? w->normal[1] : k == 1 ? -w->normal[0] : 0) : ((k == first) - w->normal[first] * w->normal[k]) / size;
    for (int k = 0; k < 2; k++) {
        w->C[k] = 10 + 100 * test_random_unit(random);
        w->mu[k] = 0.5 + test_random_unit(random);
        w->B[k] = 5 + 10 * test_random_unit(random);
        w->shape[k] = 1 + 0.6 * test_random_unit(random);
        w->E[k] = -test_random_unit(random);
    }
}

static bl_model *model_of(bl_context *ctx, const tire *w) {
    char text[2048], geometry[512], slip[512];
    const char *flat = w->dim == 2 ? "[0.3, -0.2]" : "[0.3, -0.2, 0.5]";
    bool space = w->dim == 3;
    bl_model *model = NULL;
    if (w->above)
        snprintf(geometry, sizeof geometry, "axis: [%.17g, %.17g]", w->axis[0], w->axis[1]);
    else if (space)
        snprintf(geometry, sizeof geometry,
                 "axis: [%.17g,%.17g,%.17g], normal: [%.17g,%.17g,%.17g], radius: %.17g, stiffness: %.17g, damping: %.17g", w->axis[0],
                 w->axis[1], w->axis[2], w->normal[0], w->normal[1], w->normal[2], w->R, w->k, w->c);
    else
        snprintf(geometry, sizeof geometry, "normal: [%.17g,%.17g], radius: %.17g, stiffness: %.17g, damping: %.17g", w->normal[0],
                 w->normal[1], w->R, w->k, w->c);
    if (w->magic)
        snprintf(slip, sizeof slip, "model: magic, load: %.17g, longitudinal: [%.17g,%.17g,%.17g], lateral: [%.17g,%.17g,%.17g]", w->load,
                 w->B[0], w->shape[0], w->E[0], w->B[1], w->shape[1], w->E[1]);
    else
        snprintf(slip, sizeof slip, "load: %.17g, slip_stiffness: [%.17g,%.17g]", w->load, w->C[0], w->C[1]);
    char place[128];
    if (space)
        snprintf(place, sizeof place, "[%.17g,%.17g,%.17g]", w->at[0], w->at[1], w->at[2]);
    else
        snprintf(place, sizeof place, "[%.17g,%.17g]", w->at[0], w->at[1]);
    int n = snprintf(text, sizeof text,
                     "dimension: %d\nbodies: [{name: w, mass: 1, center: %s, inertia: %s}, {name: x, mass: 0}, {name: y, mass: 0}]\n"
                     "forces: [{type: tire, body: w, at: %s, %s, %s, friction: [%.17g,%.17g], rolling_resistance: %.17g, velocity: %.17g",
                     w->dim, flat, space ? "[1,1,1]" : "1", place, geometry, slip, w->mu[0], w->mu[1], w->resistance, w->speed);
    if (w->wave != 0 || w->rise != 0)
        n += snprintf(text + n, sizeof text - (size_t)n, ", road: \"=%.17g*sin(2*x)+%.17g*sin(3*t)\"", w->wave, w->rise);
    snprintf(text + n, sizeof text - (size_t)n, "}]\n");
    if (bl_model_read_text(ctx, "tire", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, text);
    return model;
}

/* ---- by hand */

typedef struct contact {
    double p[3], v[3], a[3], N[3], D, u, c, x, at[3], ahead[3], across[3];
} contact;

static void touch(const tire *w, const test_force_state *s, contact *t) {
    bl_mark center = {.body = 1}, axis = {.body = 1, .is_vector = true, .s = {w->axis[0], w->axis[1], w->axis[2]}};
    double skip[3], n[3] = {w->normal[0], w->normal[1], w->normal[2]};
    for (int k = 0; k < 3; k++)
        center.s[k] = w->at[k] - (k < w->dim ? middle[k] : 0);
    test_mark_motion(&center, &s->pose[1], t->p, t->v);
    test_mark_motion(&axis, &s->pose[1], t->a, skip);
    if (w->dim == 2 && !w->above) {
        t->a[0] = t->a[1] = 0;
        t->a[2] = 1;
    }
    double along = test_dot(w->e, t->p), h = w->wave * sin(2 * along) + w->rise * sin(3 * s->t), slope = 2 * w->wave * cos(2 * along);
    double size = sqrt(1 + slope * slope);
    for (int k = 0; k < 3; k++)
        t->N[k] = w->above ? k == 2 : (n[k] - slope * w->e[k]) / size;
    t->D = (test_dot(n, t->p) - h) / size;
    t->u = test_dot(t->N, t->a);
    t->c = sqrt(1 - t->u * t->u);
    t->x = w->R - t->D / t->c;
    for (int k = 0; k < 3; k++)
        t->at[k] = t->p[k] - t->D * (t->N[k] - t->u * t->a[k]) / (t->c * t->c);
    test_cross(t->a, t->N, t->ahead);
    for (int k = 0; k < 3; k++)
        t->ahead[k] /= t->c;
    test_cross(t->N, t->ahead, t->across);
}

static double smooth(double v, double s) { return v * tanh(v / s) + s / (cosh(v / s) * cosh(v / s)); }

static double magic_formula(double B, double C, double D, double E, double x) {
    return D * sin(C * atan(B * x - E * (B * x - atan(B * x))));
}

/* force / load along and across */
static void shares(const tire *w, double v, const double slide[2], double f[2]) {
    double d = smooth(v, w->speed), x[2] = {-slide[0] / d, w->magic ? atan(-slide[1] / d) : -slide[1] / d};
    for (int k = 0; k < 2; k++)
        f[k] = w->magic ? magic_formula(w->B[k], w->shape[k], w->mu[k], w->E[k], x[k]) : w->C[k] / w->load * x[k];
    double gx = f[0] / w->mu[0], gy = f[1] / w->mu[1], both = gx * gx + gy * gy;
    f[0] /= w->magic ? sqrt(1 + gy * gy) : pow(1 + both * both, 0.25);
    f[1] /= w->magic ? sqrt(1 + gx * gx) : pow(1 + both * both, 0.25);
}

/* compression a time t later */
static double compression(const tire *w, const test_force_state *s, double t) {
    test_force_state moved = *s;
    contact there;
    double speed = test_norm(s->pose[1].w), axis[3] = {1, 0, 0}, R[3][3];
    moved.t += t;
    for (int k = 0; k < 3; k++) {
        axis[k] = speed > 0 ? s->pose[1].w[k] / speed : axis[k];
        moved.pose[1].p[k] += t * s->pose[1].v[k];
    }
    test_turn(axis, speed * t, R);
    test_multiply(R, s->pose[1].R, moved.pose[1].R);
    touch(w, &moved, &there);
    return there.x;
}

static double compression_rate(const tire *w, const test_force_state *s) {
    double h = 1e-4;
    return (compression(w, s, -2 * h) - 8 * compression(w, s, -h) + 8 * compression(w, s, h) - compression(w, s, 2 * h)) / (12 * h);
}

/* a state in which the wheel is pressed by up to `most`, its axis less than 60 degrees from the road */
static void press(const tire *w, const bl_model *model, test_random *random, double most, test_force_state *s) {
    contact t;
    do {
        test_force_state_random(model, random, s);
        touch(w, s, &t);
    } while (!(t.c > 0.5));
    double want = 0.01 + most * test_random_unit(random);
    for (int i = 0; i < 60; i++) { /* along the plane's normal, which changes x by about 1 / c */
        touch(w, s, &t);
        for (int k = 0; k < w->dim; k++)
            s->pose[1].p[k] -= (want - t.x) * t.c * w->normal[k];
    }
    touch(w, s, &t);
    assert_true(fabs(t.x - want) < 1e-9);
}

/* ---- the claims */

static void flat_roads__push_at_the_contact_point(void **unused) {
    (void)unused;
    test_random random = {test_seed(51)};
    for (int c = 0; c < CASES; c++) {
        bl_context *ctx = test_context(NULL);
        tire w;
        test_force_state s;
        contact t;
        test_action got, want = {0};
        bl_record r;
        make(&w, &random, 2 + c % 2);
        w.magic = c % 4 >= 2;
        w.c = c % 8 >= 4 ? 3 : 0;
        w.resistance = c % 3 ? 0.02 : 0;
        bl_model *model = model_of(ctx, &w);
        press(&w, model, &random, 0.1, &s);
        assert_int_equal(bl_force_record(model->ctx, model, &model->force[0], NULL, 0, -1, &r), BL_OK);
        test_act(&r, &s, &got);
        touch(&w, &s, &t);
        double load = fmax(0, w.k * t.x + w.c * compression_rate(&w, &s)), slide[2], f[2], arm[3], v[3], F[3],
               spin = test_dot(s.pose[1].w, t.a);
        for (int k = 0; k < 3; k++)
            arm[k] = t.at[k] - t.p[k];
        test_cross(s.pose[1].w, arm, v);
        for (int k = 0; k < 3; k++)
            v[k] += t.v[k];
        slide[0] = test_dot(v, t.ahead);
        slide[1] = w.dim == 3 ? test_dot(v, t.across) : 0;
        shares(&w, test_dot(t.v, t.ahead), slide, f);
        assert_true(f[0] * slide[0] <= 0 && f[1] * slide[1] <= 0); /* they take energy */
        assert_true(hypot(f[0] / w.mu[0], f[1] / w.mu[1]) <= 1 + 1e-12);
        for (int k = 0; k < 3; k++)
            F[k] = load / t.c * (t.N[k] + f[0] * t.ahead[k] + f[1] * t.across[k]);
        test_add_force(&want, 1, t.at, F, 1);
        for (int k = 0; k < 3; k++)
            want.moment[1][k] -= w.resistance * load / t.c * (t.D / t.c) * tanh(spin * t.D / t.c / w.speed) * t.a[k];
        want.potential = w.k * t.x * t.x / 2;
        test_same_action(&got, &want, w.c != 0 ? 1e4 : 100); /* differences of the rate: 1e-9 */
        if (w.c == 0)
            test_force_jacobian(&r, &s);
        /* lifted from the road: nothing */
        for (int k = 0; k < 3; k++)
            s.pose[1].p[k] += 0.2 * w.normal[k];
        test_act(&r, &s, &got);
        memset(&want, 0, sizeof want);
        test_same_action(&got, &want, 0);
        bl_tape_destroy(r.tape);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void curved_roads__have_a_potential_and_a_rate(void **unused) {
    (void)unused;
    test_random random = {test_seed(52)};
    for (int c = 0; c < CASES; c++) {
        bl_context *ctx = test_context(NULL);
        tire w;
        test_force_state s;
        contact t;
        test_action got;
        bl_record r;
        make(&w, &random, 2 + c % 2);
        w.C[0] = w.C[1] = 0; /* no forces of slip */
        w.wave = 0.1 * test_random_symmetric(&random);
        w.rise = c % 4 >= 2 ? 0.1 : 0;
        w.c = c % 4 >= 2 ? 2 : 0;
        bl_model *model = model_of(ctx, &w);
        press(&w, model, &random, 0.1, &s);
        assert_int_equal(bl_force_record(model->ctx, model, &model->force[0], NULL, 0, -1, &r), BL_OK);
        test_act(&r, &s, &got);
        touch(&w, &s, &t);
        assert_near(got.potential, w.k * t.x * t.x / 2, 1e-12);
        if (w.c == 0) {
            test_force_gradient(&r, &s, 1e-6);
        } else { /* power = -load x' at a road that rests; the moving road does work of its own: compare the load along the normal */
            double rate = compression_rate(&w, &s), load = fmax(0, w.k * t.x + w.c * rate), still = 0;
            test_force_state held = s;
            w.rise = 0;
            held.t = 0; /* sin(3 t) = 0 there; the compression differs, so shift the center */
            for (int k = 0; k < 3; k++)
                held.pose[1].p[k] -= 0.1 * sin(3 * s.t) * w.normal[k];
            still = compression_rate(&w, &held);
            assert_near(test_power(&got, &s), -load * still, 1e-6 * (1 + load));
        }
        bl_tape_destroy(r.tape);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void views_from_above__push_across_the_wheel(void **unused) {
    (void)unused;
    test_random random = {test_seed(53)};
    for (int c = 0; c < CASES; c++) {
        bl_context *ctx = test_context(NULL);
        tire w;
        test_force_state s;
        contact t;
        test_action got, want = {0};
        bl_record r;
        make(&w, &random, 2);
        w.above = true;
        w.magic = c % 2;
        w.resistance = 0.05;
        bl_model *model = model_of(ctx, &w);
        test_force_state_random(model, &random, &s);
        assert_int_equal(bl_force_record(model->ctx, model, &model->force[0], NULL, 0, -1, &r), BL_OK);
        test_act(&r, &s, &got);
        touch(&w, &s, &t);
        double ahead = test_dot(t.v, t.ahead), slide[2] = {0, test_dot(t.v, t.across)}, f[2], F[3];
        shares(&w, ahead, slide, f);
        for (int k = 0; k < 3; k++)
            F[k] = w.load * (f[1] * t.across[k] - w.resistance * tanh(ahead / w.speed) * t.ahead[k]);
        test_add_force(&want, 1, t.p, F, 1);
        test_same_action(&got, &want, 100);
        assert_true(bl_tape_smooth(r.tape) && r.potential_node < 0);
        test_force_jacobian(&r, &s);
        bl_tape_destroy(r.tape);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_roads__push_at_the_contact_point),
        cmocka_unit_test(curved_roads__have_a_potential_and_a_rate),
        cmocka_unit_test(views_from_above__push_across_the_wheel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
