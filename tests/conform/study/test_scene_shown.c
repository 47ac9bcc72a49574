/* Every scene as it is drawn: a short run, the scene as JSON, and the points and axes of joints positioned by the poses of the samples
 * alone, x + R(q) (p - center), as any reader of a result file would. Closed joints must be closed in every sample. */
#include "support/json_tree.h"
#include "support/scene.h"
#include "support/testing.h"

#include "base/vector3.h"
#include "biela/biela.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 9, STEPS = 8 };

typedef struct shown {
    const char *name;
    bl_index nbody;
    char *text;
    double (*center)[3]; /* [nbody] */
    test_json *scene;
    double size, worst;
    long samples, points, joints;
} shown;

/* ---- poses */

static void turn(const double q[4], const double d[3], double out[3]) {
    double once[3], twice[3];
    cross3(q + 1, d, once);
    cross3(q + 1, once, twice);
    for (int k = 0; k < 3; k++)
        out[k] = d[k] + 2 * (q[0] * once[k] + twice[k]);
}

/* a point or a direction of `body` (-1: ground) */
static void placed(const shown *s, const bl_sample *sample, int body, const double p[3], bool direction, double out[3]) {
    memcpy(out, p, 3 * sizeof *out);
    if (body < 0)
        return;
    const bl_pose *pose = &sample->body[body];
    double from[3];
    for (int k = 0; k < 3; k++)
        from[k] = direction ? p[k] : p[k] - s->center[body][k];
    turn(pose->quaternion, from, out);
    for (int k = 0; k < 3 && !direction; k++)
        out[k] += pose->position[k];
}

static int body_of(const shown *s, const test_json *map, const char *key) {
    double number = test_json_number(map, key);
    assert_true(number == floor(number) && number >= -1 && number < s->nbody);
    return (int)number;
}

static double apart(const double a[3], const double b[3]) {
    const double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrt(dot3(d, d));
}

/* ---- curves */

/* distance of p from the segment a b */
static double to_chord(const double p[3], const double a[3], const double b[3]) {
    double u[3], d[3], from[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        d[k] = p[k] - a[k];
    }
    double share = fmin(1, fmax(0, dot3(u, d) / dot3(u, u)));
    for (int k = 0; k < 3; k++)
        from[k] = a[k] + share * u[k];
    return apart(p, from);
}

/* of a point from the curve of a joint, or from the end of the curve along a direction */
static double to_curve(const shown *s, const test_json *joint, const bl_sample *sample, int body, const double p[3], const double *face) {
    const test_json *curve = test_json_list(joint, "curve");
    double nearest = INFINITY, farthest = -INFINITY, before[3], at[3], local[3];
    bool closed = test_json_find(joint, "closed")->number != 0;
    for (size_t i = 0; i < curve->count + closed; i++) {
        for (int k = 0; k < 3; k++)
            local[k] = curve->item[i % curve->count]->item[k]->number;
        placed(s, sample, body, local, false, at);
        if (i > 0)
            nearest = fmin(nearest, to_chord(p, before, at));
        if (face)
            farthest = fmax(farthest, dot3(at, face));
        memcpy(before, at, sizeof at);
    }
    return face ? fabs(dot3(p, face) - farthest) : nearest;
}

/* rollers, edges, faces and points touch the curve that is drawn */
static double off_curve(const shown *s, const test_json *joint, const bl_sample *sample, int a, int b, const double p[3]) {
    double n[3], face[3];
    const test_json *roller = test_json_find(joint, "roller");
    if (!test_json_find(joint, "face"))
        return fabs(to_curve(s, joint, sample, a, p, NULL) - (roller ? roller->number : 0));
    test_json_numbers(joint, "face", 3, n);
    placed(s, sample, b, n, true, face);
    return to_curve(s, joint, sample, a, p, face);
}

/* ---- joints at a sample */

static void near_zero(shown *s, const test_json *joint, const char *what, double error) {
    s->worst = fmax(s->worst, error);
    /* the constraints hold with the accuracy of assembled positions, 1e-9 of the size or better */
    if (!(error < 1e-7))
        fail_msg("%s, joint %s (%s): %s by %g", s->name, test_json_text(joint, "name"), test_json_text(joint, "kind"), what, error);
}

static bool one_of(const char *kind, const char *list) {
    const char *at = strstr(list, kind);
    return at && (at == list || at[-1] == ' ') && strchr(" ", at[strlen(kind)]);
}

static void check_joint(shown *s, const test_json *joint, const bl_sample *sample) {
    const char *kind = test_json_text(joint, "kind");
    if (test_json_find(joint, "gear"))
        return;
    double p[3], a[3], b[3], u[3], v[3];
    int body_a = body_of(s, joint, "a"), body_b = body_of(s, joint, "b");
    test_json_numbers(joint, "at", 3, p);
    placed(s, sample, body_a, p, false, a);
    test_json_numbers(joint, "at_b", 3, p);
    placed(s, sample, body_b, p, false, b);
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, unit = 1 / s->size;
    bool axis = test_json_find(joint, "axis"), axis_b = test_json_find(joint, "axis_b");
    if (axis) {
        test_json_numbers(joint, "axis", 3, p);
        placed(s, sample, body_a, p, true, u);
        near_zero(s, joint, "its axis is no unit vector", fabs(dot3(u, u) - 1));
    }
    if (axis_b) {
        test_json_numbers(joint, "axis_b", 3, p);
        placed(s, sample, body_b, p, true, v);
    }
    if (one_of(kind, "revolute spherical universal constant_velocity fixed"))
        near_zero(s, joint, "its points are apart", unit * apart(a, b));
    if (one_of(kind, "revolute prismatic cylindrical planar screw"))
        near_zero(s, joint, "its axes differ", apart(u, v));
    if (one_of(kind, "universal"))
        near_zero(s, joint, "its arms are not perpendicular", fabs(dot3(u, v)));
    if (one_of(kind, "prismatic cylindrical screw point_on_line")) {
        double across[3];
        cross3(u, d, across);
        near_zero(s, joint, "its second point has left the line", unit * sqrt(dot3(across, across)));
    }
    if (one_of(kind, "planar point_on_plane")) {
        test_json_numbers(joint, "normal", 3, p);
        near_zero(s, joint, "its second point has left the plane", unit * fabs(dot3(u, d)));
    }
    if (strcmp(kind, "rod") == 0 && test_json_find(joint, "free")->number == 0)
        near_zero(s, joint, "its length is another", unit * fabs(apart(a, b) - test_json_number(joint, "length")));
    if (test_json_find(joint, "curve")) {
        /* chords of 2 degrees of a circle are off by 1.5e-4 of its radius, half of the size at most; splines have shorter ones */
        double off = unit * off_curve(s, joint, sample, body_a, body_b, b);
        if (!(off < 2e-4))
            fail_msg("%s, joint %s (%s): it is off its curve by %g", s->name, test_json_text(joint, "name"), kind, off);
    }
    s->points += 2;
}

/* ---- the scene without motion: properties of its text */

static void check_text(shown *s) {
    const test_json *bodies = test_json_list(s->scene, "bodies"), *joints = test_json_list(s->scene, "joints");
    assert_int_equal(bodies->count, s->nbody);
    s->size = test_json_number(s->scene, "size");
    assert_true(isfinite(s->size) && s->size > 0);
    s->center = calloc((size_t)s->nbody + 1, sizeof *s->center);
    assert_non_null(s->center);
    for (bl_index i = 0; i < s->nbody; i++) {
        const test_json *body = bodies->item[i], *points = test_json_list(body, "points");
        test_json_numbers(body, "center", 3, s->center[i]);
        for (size_t a = 0; a < points->count; a++)
            for (size_t b = 0; b < a; b++) {
                double d[3];
                for (int k = 0; k < 3; k++)
                    d[k] = points->item[a]->item[k]->number - points->item[b]->item[k]->number;
                if (!(sqrt(dot3(d, d)) > 1e-10 * s->size))
                    fail_msg("%s: body %s has a point twice", s->name, test_json_text(body, "name"));
            }
    }
    /* every joint's points are points of its bodies, except the origin of a curve */
    for (size_t j = 0; j < joints->count; j++)
        for (int side = test_json_find(joints->item[j], "curve") ? 1 : 0; side < 2 && !test_json_find(joints->item[j], "gear"); side++) {
            int body = body_of(s, joints->item[j], side ? "b" : "a");
            double at[3], nearest = INFINITY;
            test_json_numbers(joints->item[j], side ? "at_b" : "at", 3, at);
            const test_json *points = body >= 0 ? test_json_list(bodies->item[body], "points") : NULL;
            for (size_t p = 0; points && p < points->count; p++) {
                double there[3];
                for (int k = 0; k < 3; k++)
                    there[k] = points->item[p]->item[k]->number;
                nearest = fmin(nearest, apart(at, there));
            }
            assert_true(body < 0 || nearest < 1e-8 * s->size);
        }
    s->joints += (long)joints->count;
    test_json_list(s->scene, "springs");
    test_json_list(s->scene, "forces");
    test_json_list(s->scene, "groups");
    test_json_list(s->scene, "redundant");
    test_json_list(test_json_find(s->scene, "ground"), "shapes");
}

static bl_status begin(void *user, const bl_run_info *info) {
    shown *s = user;
    assert_non_null(info->scene);
    s->nbody = info->nbody;
    s->scene = test_json_read(info->scene, strlen(info->scene));
    check_text(s);
    const test_json *joints = test_json_list(s->scene, "joints"), *probes = test_json_list(s->scene, "probes");
    assert_int_equal(joints->count, info->njoint);
    assert_int_equal(probes->count, info->nprobe);
    for (bl_index j = 0; j < info->njoint; j++)
        assert_string_equal(test_json_text(joints->item[j], "name"), info->joint[j]);
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *sample) {
    shown *s = user;
    const test_json *joints = test_json_list(s->scene, "joints"), *probes = test_json_list(s->scene, "probes");
    for (size_t j = 0; j < joints->count; j++)
        check_joint(s, joints->item[j], sample);
    /* the probes of the run are where the scene shows them */
    for (size_t p = 0; p < probes->count; p++) {
        double at[3], where[3];
        test_json_numbers(probes->item[p], "at", 3, at);
        if (test_json_find(probes->item[p], "mesh") || test_json_find(probes->item[p], "deforms"))
            continue;
        placed(s, sample, body_of(s, probes->item[p], "body"), at, false, where);
        if (!(apart(where, sample->probe + 3 * p) < 1e-9 * fmax(s->size, 1)))
            fail_msg("%s: probe %s is %g off", s->name, test_json_text(probes->item[p], "name"), apart(where, sample->probe + 3 * p));
        s->points++;
    }
    s->samples++;
    return BL_OK;
}

static void visit(bl_context *ctx, const bl_model *model, const char *name, void *user) {
    shown *total = user, s = {.name = name};
    bl_json json = {.ctx = ctx};
    assert_int_equal(bl_model_scene(ctx, model, &json), BL_OK);
    test_json_free(test_json_read(json.text, json.length));
    if (scene_has_bodies(model)) {
        double until = scene_time_of_steps(ctx, model, NULL, STEPS);
        double at[SAMPLES];
        for (int k = 0; k < SAMPLES; k++)
            at[k] = until * k / (SAMPLES - 1);
        bl_sink sink = {.user = &s, .begin = begin, .sample = take, .want = BL_WANT_BODIES | BL_WANT_PROBES | BL_WANT_SCENE};
        bl_status status = bl_simulate(ctx, model, &(bl_run_options){.until = until, .at = at, .nat = SAMPLES}, &sink, 1, NULL);
        if (status != BL_OK)
            fail_msg("%s: %s", name, bl_context_error(ctx)->what);
        assert_int_equal(s.samples, SAMPLES);
        test_json_free(s.scene);
        free(s.center);
        total->samples++;
        total->joints += s.joints;
        total->points += s.points;
        total->worst = fmax(total->worst, s.worst);
    } else {
        test_json *scene = test_json_read(json.text, json.length);
        assert_int_equal(test_json_list(scene, "bodies")->count, 0);
        assert_true(test_json_number(scene, "size") > 0);
        test_json_free(scene);
    }
    bl_json_destroy(&json);
}

static void every_scene__looks_closed_at_every_sample(void **state) {
    (void)state;
    shown total = {0};
    assert_true(scene_each(visit, &total) > 50);
    printf("%ld scenes, %ld joints, %ld points placed, worst %.2g\n", total.samples, total.joints, total.points, total.worst);
    assert_true(total.joints > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_scene__looks_closed_at_every_sample)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
