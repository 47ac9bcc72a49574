/* The scene of a model: its joints, springs, forces, drivers and groups against those of the model file; every study that
 * writes a result file has it there; models without bodies have one too. */
#include "support/handmade.h"
#include "support/json_tree.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bl_model *model_of(bl_context *ctx, const char *text) {
    bl_model *model;
    if (bl_model_read_text(ctx, "scene", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

static test_json *scene_of(const char *text) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = model_of(ctx, text);
    bl_json json = {.ctx = ctx};
    if (bl_model_scene(ctx, model, &json) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    test_json *scene = test_json_read(json.text, json.length);
    bl_json_destroy(&json);
    bl_model_destroy(model);
    test_context_end(ctx);
    return scene;
}

static const test_json *named(const test_json *scene, const char *list, const char *name) {
    const test_json *all = test_json_list(scene, list);
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(test_json_text(all->item[i], "name"), name) == 0)
            return all->item[i];
    fail_msg("there is no '%s' among the %s", name, list);
    return NULL;
}

static void expect3(const test_json *map, const char *key, double x, double y, double z) {
    double v[3];
    test_json_numbers(map, key, 3, v);
    assert_near(v[0], x, 1e-12);
    assert_near(v[1], y, 1e-12);
    assert_near(v[2], z, 1e-12);
}

static bool flag(const test_json *map, const char *key) {
    const test_json *item = test_json_find(map, key);
    assert_true(item && item->what == TEST_JSON_FLAG);
    return item->number != 0;
}

static const char space[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: 'a \"quoted\" </script>', rod: {from: [0, 0, 0], to: [1, 0, 0]}, mass: 1}\n"
    "  - {name: b, mass: 2, center: [1, 1, 0], inertia: [2, 3, 4, 0.1, 0.2, 0.3]}\n"
    "  - {name: c, mass: 2, center: [1, 2, 0], inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  - {name: h, type: revolute, bodies: [ground, 'a \"quoted\" </script>'], at: [0, 0, 0], axis: [0, 0, 2], reference: [1, 1, 0]}\n"
    "  - {name: s, type: screw, bodies: ['a \"quoted\" </script>', b], at: [1, 0, 0], axis: [0, 1, 0], pitch: -0.02}\n"
    "  - {name: u, type: universal, bodies: [b, c], at: [1, 1.5, 0], axis: [1, 0, 0], axis_b: [0, 0, 1]}\n"
    "  - {name: d, type: rod, bodies: [ground, c], at: [3, 0, 0], to: [1, 2, 1], length: 3.5, cut: true}\n"
    "  - {name: m, type: rod, bodies: [ground, c], at: [3, 0, 0], to: [1, 2, 1], free: true}\n"
    "  - {name: p, type: point_on_plane, bodies: [ground, c], at: [2, 2, 0], axis: [0, 1, 1], through: [0, 2, 0]}\n"
    "  - {name: g, type: gear, first: h.angle, second: s.angle, ratio: -2.5}\n"
    "drivers: [{name: motor, variable: h.angle, value: =t}]\n"
    "forces:\n"
    "  - {name: k, type: spring, bodies: [ground, c], at: [5, 0, 0], to: [1, 2, 0], stiffness: 1, damping: 2, length: 1.5}\n"
    "  - {name: strut, type: rotational_spring, variable: m.distance, stiffness: 3, angle: 2}\n"
    "  - {name: coil, type: rotational_spring, variable: h.angle, damping: 3}\n"
    "  - {name: f, type: force, body: b, at: [1, 1, 1], force: [0, 0, 1]}\n"
    "  - {name: t, type: torque, body: c, against: b, torque: [0, 0, 1]}\n"
    "  - {name: w, type: friction, variable: s.distance, viscous: 1}\n"
    "probes: {P: {body: c, at: [1, 2, 1]}, Q: {body: ground, at: [7, 8, 9]}, R: {body: b}}\n";

static void a_scene__says_what_the_model_says(void **state) {
    (void)state;
    test_json *scene = scene_of(space);
    assert_near(test_json_number(scene, "dimension"), 3, 0);
    expect3(scene, "gravity", 0, 0, -9.81);
    const test_json *bodies = test_json_list(scene, "bodies");
    assert_int_equal(bodies->count, 3);
    assert_string_equal(test_json_text(bodies->item[0], "name"), "a \"quoted\" </script>");
    double inertia[6];
    test_json_numbers(bodies->item[1], "inertia", 6, inertia);
    assert_memory_equal(inertia, ((double[]){2, 3, 4, 0.1, 0.2, 0.3}), sizeof inertia);
    expect3(bodies->item[1], "center", 1, 1, 0);
    /* b: screw, universal, force, probe in its center; c: universal, both rods in one point with the probe, plane, spring */
    assert_int_equal(test_json_list(bodies->item[0], "points")->count, 2);
    assert_int_equal(test_json_list(bodies->item[1], "points")->count, 4);
    assert_int_equal(test_json_list(bodies->item[2], "points")->count, 4);
    /* joint points: (0..3, 0..2, 0..1) */
    assert_near(test_json_number(scene, "size"), sqrt(9 + 4 + 1), 1e-12);

    const test_json *h = named(scene, "joints", "h"), *s = named(scene, "joints", "s"), *u = named(scene, "joints", "u");
    assert_near(test_json_number(h, "a"), -1, 0);
    assert_near(test_json_number(h, "b"), 0, 0);
    expect3(h, "axis", 0, 0, 1);
    expect3(h, "reference", sqrt(0.5), sqrt(0.5), 0);
    assert_true(flag(h, "driven") && !flag(s, "driven") && !flag(h, "free"));
    assert_string_equal(test_json_list(s, "variables")->item[1]->text, "s.distance");
    assert_near(test_json_number(s, "pitch"), -0.02, 0);
    expect3(u, "axis", 1, 0, 0);
    expect3(u, "axis_b", 0, 0, 1);
    assert_null(test_json_find(u, "reference"));
    const test_json *d = named(scene, "joints", "d"), *p = named(scene, "joints", "p"), *g = named(scene, "joints", "g");
    assert_near(test_json_number(d, "length"), 3.5, 0);
    expect3(d, "to", 1, 2, 1);
    assert_true(flag(named(scene, "joints", "m"), "free") && !flag(d, "free"));
    expect3(p, "normal", 0, sqrt(0.5), sqrt(0.5));
    expect3(p, "at", 0, 2, 0);
    expect3(p, "at_b", 2, 2, 0);
    assert_null(test_json_find(g, "a"));
    const test_json *gear = test_json_find(g, "gear");
    assert_near(test_json_number(gear, "ratio"), -2.5, 0);
    assert_near(test_json_list(gear, "joints")->item[1]->number, 1, 0);
    assert_string_equal(test_json_list(gear, "variables")->item[0]->text, "h.angle");
    assert_near(test_json_number(named(scene, "drivers", "motor"), "joint"), 0, 0);

    assert_int_equal(test_json_list(scene, "springs")->count, 3);
    const test_json *k = named(scene, "springs", "k"), *strut = named(scene, "springs", "strut"), *coil = named(scene, "springs", "coil");
    assert_string_equal(test_json_text(k, "kind"), "spring");
    assert_near(test_json_number(k, "free"), 1.5, 0);
    assert_true(flag(k, "damped") && !flag(strut, "damped"));
    assert_string_equal(test_json_text(strut, "kind"), "spring"); /* a strut between the ends of the rod that measures */
    expect3(strut, "at", 3, 0, 0);
    expect3(strut, "to", 1, 2, 1);
    assert_string_equal(test_json_text(coil, "kind"), "rotational_spring");
    assert_int_equal(test_json_find(coil, "free")->what, TEST_JSON_NULL);
    expect3(coil, "axis", 0, 0, 1);
    assert_null(test_json_find(coil, "to"));

    assert_int_equal(test_json_list(scene, "forces")->count, 3);
    assert_string_equal(test_json_text(named(scene, "forces", "f"), "kind"), "force");
    expect3(named(scene, "forces", "f"), "at", 1, 1, 1);
    assert_string_equal(test_json_text(named(scene, "forces", "t"), "kind"), "moment");
    assert_near(test_json_number(named(scene, "forces", "t"), "against"), 1, 0);
    expect3(named(scene, "forces", "w"), "axis", 0, 1, 0);
    expect3(named(scene, "probes", "Q"), "at", 7, 8, 9);
    assert_near(test_json_number(named(scene, "probes", "Q"), "body"), -1, 0);
    test_json_free(scene);
}

/* given apart: the joint has a position on each body, and assembly brings them together */
static void a_rough_model__has_two_positions_per_joint(void **state) {
    (void)state;
    test_json *scene = scene_of(
        "dimension: 2\nbodies: [{name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
        "joints: [{name: j, type: revolute, bodies: [ground, a], at: [0, 1], at_b: [0, 0], reference: [0, 1], reference_b: [1, 0]}]\n");
    const test_json *j = named(scene, "joints", "j");
    expect3(j, "at", 0, 1, 0);
    expect3(j, "at_b", 0, 0, 0);
    expect3(j, "reference", 0, 1, 0);
    expect3(j, "reference_b", 1, 0, 0);
    assert_near(test_json_number(scene, "size"), 1, 1e-15);
    test_json_free(scene);
}

static const char curves[] =
    "bodies:\n"
    "  - {name: wheel, mass: 1, center: [1, 2, 3], inertia: [1, 1, 1]}\n"
    "  - {name: valve, mass: 1, center: [1, 2, 5], inertia: [1, 1, 1]}\n"
    "  - {name: lever, mass: 1, center: [1, 2, 1], inertia: [1, 1, 1]}\n"
    "  - {name: bead, mass: 1, center: [7, 7, 7], inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  - {name: shaft, type: revolute, bodies: [ground, wheel], at: [1, 2, 3], axis: [0, 1, 0]}\n"
    "  - {name: slide, type: prismatic, bodies: [ground, valve], at: [1, 2, 5], axis: [0, 0, 1]}\n"
    "  - {name: flat, type: cam, bodies: [wheel, valve], center: [1, 2, 3], base: 1, lift: =0.1*cos(x), at: [1, 2, 4.1], face: [0, 0, 2],\n"
    "     axis: [0, 1, 0], reference: [0, 0, 1]}\n"
    "  - {name: roller, type: cam, bodies: [wheel, lever], center: [1, 2, 3], base: 1, lift: =0.1*cos(x), at: [1, 2, 1.9], roller: 0.2,\n"
    "     axis: [0, 1, 0], reference: [0, 0, 1]}\n"
    "  - {name: track, type: point_on_curve, bodies: [wheel, bead], at: [6, 6, 5], origin: [5, 5, 5],\n"
    "     points: [[0, 0], [1, 1], [2, 0], [3, 1]]}\n"
    "  - {name: ring, type: point_on_curve, bodies: [ground, bead], at: [1, 0, 0], points: [[1, 0], [0, 1], [-1, 0], [0, -1], [1, 0]]}\n"
    "  - {name: law, type: relation, input: shaft.angle, output: slide.distance, function: =0.1*cos(x) - 0.1}\n";

static void point_of(const test_json *joint, size_t i, double at[3]) {
    const test_json *curve = test_json_list(joint, "curve");
    for (int k = 0; k < 3; k++)
        at[k] = curve->item[i % curve->count]->item[k]->number;
}

/* points of curves by their formulas, to nine digits */
static void curves__are_drawn_on_their_bodies(void **state) {
    (void)state;
    test_json *scene = scene_of(curves);
    const test_json *flat = named(scene, "joints", "flat"), *roller = named(scene, "joints", "roller");
    size_t n = test_json_list(flat, "curve")->count;
    assert_true(n >= 128 && flag(flat, "closed"));
    for (size_t i = 0; i < n; i++) {
        double angle = 2 * acos(-1) * (double)i / (double)n, r = 1 + 0.1 * cos(angle), at[3];
        point_of(flat, i, at);
        assert_near(at[0], 1 + r * sin(angle), 1e-8); /* y cross z = x */
        assert_near(at[1], 2, 1e-8);
        assert_near(at[2], 3 + r * cos(angle), 1e-8);
    }
    expect3(flat, "face", 0, 0, 1);
    assert_null(test_json_find(flat, "roller"));
    assert_near(test_json_number(roller, "roller"), 0.2, 0);
    assert_null(test_json_find(roller, "face"));
    expect3(roller, "at_b", 1, 2, 1.9);

    const test_json *track = named(scene, "joints", "track"), *ring = named(scene, "joints", "ring");
    double first[3], last[3];
    assert_true(!flag(track, "closed") && flag(ring, "closed"));
    point_of(track, 0, first);
    point_of(track, test_json_list(track, "curve")->count - 1, last);
    for (int k = 0; k < 3; k++) {
        assert_near(first[k], ((double[]){5, 5, 5})[k], 1e-8);
        assert_near(last[k], ((double[]){8, 6, 5})[k], 1e-8);
    }
    /* closed: equal steps, the last one back to the first point; by its symmetry the spline has a quarter of them between two knots */
    n = test_json_list(ring, "curve")->count;
    assert_int_equal(n % 4, 0);
    for (size_t i = 0; i <= n; i += n / 4) {
        point_of(ring, i, first);
        assert_near(first[0], cos(2 * acos(-1) * (double)i / (double)n), 1e-8);
        assert_near(first[1], sin(2 * acos(-1) * (double)i / (double)n), 1e-8);
    }
    /* the origin of a curve is not a point of its body; the size is from the ring over the track to the slide, whose knots are in a box of
     * 9, 7 and 5 m, and the curves leave it by less than 0.5 m */
    assert_int_equal(test_json_list(named(scene, "bodies", "wheel"), "points")->count, 1);
    double size = test_json_number(scene, "size");
    assert_true(size >= sqrt(81 + 49 + 25) && size < sqrt(100 + 64 + 25));
    /* a function has no ratio */
    const test_json *law = test_json_find(named(scene, "joints", "law"), "gear");
    assert_int_equal(test_json_list(law, "joints")->count, 2);
    assert_null(test_json_find(law, "ratio"));
    test_json_free(scene);
}

/* its points coincide in the given configuration: the end on the first body is drawn back to rest - size/4 along the axis, and the length
 * shows the true stretch */
static void a_spring_on_a_slider__can_be_seen(void **state) {
    (void)state;
    test_json *scene =
        scene_of("dimension: 2\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1}, {name: b, mass: 1, center: [4, 0], inertia: 1}]\n"
                 "joints: [{name: s, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]},\n"
                 "         {name: h, type: revolute, bodies: [a, b], at: [4, 0]}]\n"
                 "forces: [{name: k, type: rotational_spring, variable: s.distance, stiffness: 1, angle: 0.5}]\n");
    const test_json *k = named(scene, "springs", "k");
    double rest = 0.5, quarter = 1, x = 0; /* the size is 4; x: the distance in the given configuration */
    expect3(k, "at", rest - quarter, 0, 0);
    expect3(k, "to", 0, 0, 0);
    assert_near(test_json_number(k, "free"), quarter, 1e-15);
    double drawn = 0 - (rest - quarter);
    assert_near(drawn - quarter, x - rest, 1e-15); /* stretched by as much as in the law */
    test_json_free(scene);
}

static void sizes__are_found_without_joints(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double size;
    } set[] = {
        {"bodies: [{name: a, mass: 1, center: [1, 2, 3], inertia: [0.4, 0.4, 0.4]}]\n", 2 * 1.0954451150103321}, /* 2 sqrt(1.2) */
        {"bodies: [{name: a, mass: 1, center: [3, 4, 0], inertia: [1, 1, 1]}]\n"
         "joints: [{type: spherical, bodies: [ground, a], at: [0, 0, 0]}]\n",
         5},
        {"bodies: [{name: a, mass: 0}]\n", 1},
        {"dimension: 2\nbodies: [{name: a, mass: 1, center: [0, 1], inertia: 0}]\n"
         "forces: [{type: spring, bodies: [ground, a], at: [0, 3], to: [0, 1], stiffness: 1}]\n",
         2},
        {"equations: {states: [{name: x, start: 1, rate: =-x}]}\n", 1},
        {"dimension: 2\nmaterials: {m: {type: elastic, E: 1, nu: 0.3, density: 1}}\n"
         "bodies: [{name: q, mesh: {rectangle: {to: [3, 4], n: [1, 1]}, element: quad4}, material: m, plane: strain}]\n",
         5},
    };
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_json json = {.ctx = ctx};
        if (bl_model_read_text(ctx, "size", set[i].text, strlen(set[i].text), NULL, 0, &model) != BL_OK) {
            fail_msg("%s: %s", set[i].text, bl_context_error(ctx)->what);
        }
        assert_int_equal(bl_model_scene(ctx, model, &json), BL_OK);
        test_json *scene = test_json_read(json.text, json.length);
        assert_near(test_json_number(scene, "size"), set[i].size, 1e-12);
        test_json_free(scene);
        bl_json_destroy(&json);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* a driven crank, and a dyad of a rod and a slider */
static void groups__are_those_of_the_linkage(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    FILE *file = fopen(SCENES "/jansen_leg.yaml", "r");
    assert_non_null(file);
    static char text[16384];
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    test_json *scene = scene_of(text);
    const test_json *groups = test_json_list(scene, "groups");
    /* a crank and three dyads: seven links, each once */
    assert_int_equal(groups->count, 4);
    bool seen[7] = {0};
    for (size_t g = 0; g < 4; g++) {
        const test_json *links = test_json_list(groups->item[g], "bodies");
        assert_near(test_json_number(groups->item[g], "class"), (double)links->count, 0);
        assert_int_equal(links->count, g == 0 ? 1 : 2);
        assert_string_equal(test_json_text(groups->item[g], "name"), g == 0 ? "driven link" : "RRR");
        for (size_t i = 0; i < links->count; i++) {
            int link = (int)links->item[i]->number;
            assert_true(link >= 0 && link < 7 && !seen[link]);
            seen[link] = true;
        }
    }
    test_json_free(scene);
    test_context_end(ctx);
}

/* ---- in result files of every study */

static const char small[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
                            "joints: [{name: j, type: revolute, bodies: [ground, a], at: [0, 0]}]\n";
static const char driven[] =
    "dimension: 2\nbodies: [{name: a, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
    "joints: [{name: j, type: revolute, bodies: [ground, a], at: [0, 0]}]\ndrivers: [{variable: j.angle, value: =t}]\n";

enum { RUN, ASSEMBLE, KINEMATICS, EQUILIBRIUM, MODES, STUDIES };

static bl_status study(bl_context *ctx, const bl_model *model, int which, bl_sink *sink) {
    const bl_run_options options = {.until = 0.1, .every = 0.05};
    bl_modes_report report = {0};
    switch (which) {
    case RUN: return bl_simulate(ctx, model, &options, sink, 1, NULL);
    case ASSEMBLE: return bl_assemble(ctx, model, &options, sink, 1, NULL);
    case KINEMATICS: return bl_kinematics_study(ctx, model, NULL, &options, sink, 1, NULL, NULL);
    case EQUILIBRIUM: return bl_equilibrium(ctx, model, NULL, sink, 1, NULL, NULL);
    default: {
        bl_status status = bl_modes(ctx, model, NULL, sink, 1, &report);
        bl_modes_report_destroy(ctx, &report);
        return status;
    }
    }
}

static void every_study__writes_the_scene_into_its_file(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/biela_scene_%ld.h5", (long)getpid());
    for (int which = 0; which < STUDIES; which++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = model_of(ctx, which == KINEMATICS ? driven : small);
        bl_sink sink = {0};
        bl_json json = {.ctx = ctx};
        assert_int_equal(bl_sink_hdf5(ctx, path, &sink), BL_OK);
        if (study(ctx, model, which, &sink) != BL_OK)
            fail_msg("study %d: %s", which, bl_context_error(ctx)->what);
        bl_sink_destroy(&sink);
        assert_int_equal(bl_model_scene(ctx, model, &json), BL_OK);
        bl_result *result;
        const char *text;
        size_t bytes;
        assert_int_equal(bl_result_open(ctx, path, &result), BL_OK);
        assert_int_equal(bl_result_scene(result, &text, &bytes), BL_OK);
        assert_int_equal(bytes, json.length);
        assert_memory_equal(text, json.text, bytes);
        bl_result_close(result);
        bl_json_destroy(&json);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
    remove(path);
}

static bl_status look_for_scene(void *user, const bl_run_info *info) {
    *(const char **)user = info->scene;
    return BL_OK;
}

static bl_status pass_by(void *user, const bl_sample *sample) {
    (void)user, (void)sample;
    return BL_OK;
}

static void scenes__are_made_where_somebody_wants_them(void **state) {
    (void)state;
    static const struct {
        uint32_t want;
        bool there;
    } set[] = {
        {0, true}, {BL_WANT_ALL, true}, {BL_WANT_SCENE, true}, {BL_WANT_ALL & ~(uint32_t)BL_WANT_SCENE, false}, {BL_WANT_TIME, false}};
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = model_of(ctx, small);
        const char *seen = NULL;
        bl_sink sink = {.user = &seen, .begin = look_for_scene, .sample = pass_by, .want = set[i].want};
        assert_int_equal(study(ctx, model, RUN, &sink), BL_OK);
        assert_int_equal(seen != NULL, set[i].there);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* a force that cannot be recorded is reported by the study of forces, not by the scene */
static void a_wrong_force__is_left_out(void **state) {
    (void)state;
    test_json *scene = scene_of("bodies: [{name: a, mass: 1, center: [1, 0, 0], inertia: [1, 1, 1]}]\n"
                                "joints: [{name: j, type: spherical, bodies: [ground, a], at: [0, 0, 0]}]\n"
                                "forces: [{type: spherical_spring, joint: j, stiffness: [1, 1, 1]}]\n");
    assert_int_equal(test_json_list(scene, "springs")->count, 0);
    test_json_free(scene);
}

static bl_status make_scene(bl_context *ctx, void *user) {
    bl_model *model;
    bl_json json = {.ctx = ctx};
    bl_status status = bl_model_read_text(ctx, "scene", user, strlen(user), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_model_scene(ctx, model, &json);
    bl_json_destroy(&json);
    bl_model_destroy(model);
    return status;
}

static void scenes__survive_failing_allocations(void **state) {
    (void)state;
    char copy[sizeof space];
    memcpy(copy, space, sizeof space);
    assert_true(test_failing_allocations(make_scene, copy) > 20);
    assert_true(test_failing_once(make_scene, copy) > 20);
    assert_int_equal(bl_model_scene(NULL, NULL, NULL), BL_E_ARG);
}

/* contacts by time stepping: planes with their bodies, shapes that bodies do not look like already */
static void surfaces_of_time_stepping__are_part_of_the_scene(void **state) {
    (void)state;
    test_json *scene = scene_of("dimension: 2\n"
                                "bodies:\n"
                                "  - {name: tray, box: {center: [0, 0], size: [1, 0.1]}, mass: 1}\n"
                                "  - {name: ball, disc: {center: [0, 1], radius: 0.1}, mass: 1}\n"
                                "  - {name: arm, mass: 1, center: [2, 0], inertia: 1}\n"
                                "contacts:\n"
                                "  - {name: every, between: all, except: [arm]}\n"
                                "  - {name: walls, between: [tray, all], except: [arm], shapes: [{plane: {at: [-0.5, 0], normal: [2, 0]}}, "
                                "{plane: {at: [0.5, 0], normal: [-1, 0]}}]}\n"
                                "  - {name: pair, between: [ground, arm], shapes: [{box: {at: [2, -1], size: [1, 0.2], angle: =pi/2}}, "
                                "{capsule: {from: [1.5, 0], to: [2.5, 0], radius: 0.1}}]}\n"
                                "  - {name: same, between: [ball, arm], shapes: [{disc: {at: [0, 1], radius: 0.1}}, "
                                "{disc: {at: [2.5, 0], radius: 0.2}}]}\n"
                                "simulate: {until: 1, contact: stepping}\n");
    const test_json *walls = named(scene, "contacts", "walls"), *planes = test_json_list(walls, "planes");
    assert_int_equal(test_json_list(scene, "contacts")->count, 4);
    assert_string_equal(test_json_text(walls, "kind"), "surfaces");
    assert_int_equal(planes->count, 2);
    expect3(planes->item[0], "at", -0.5, 0, 0);
    expect3(planes->item[0], "normal", 1, 0, 0);
    assert_int_equal(test_json_list(walls, "except")->count, 1);
    assert_null(test_json_find(walls, "b"));
    /* the ball looks like its disc; the arm, which has no look, gets a capsule and a disc, ground a box */
    assert_int_equal(test_json_list(named(scene, "bodies", "ball"), "shapes")->count, 1);
    assert_int_equal(test_json_list(named(scene, "bodies", "tray"), "shapes")->count, 1);
    const test_json *arm = test_json_list(named(scene, "bodies", "arm"), "shapes");
    assert_int_equal(arm->count, 2);
    assert_string_equal(test_json_text(arm->item[0], "kind"), "polygon");
    const test_json *outline = test_json_list(arm->item[0], "points");
    for (size_t i = 0; i < outline->count; i++) { /* on the capsule */
        double x = outline->item[i]->item[0]->number, y = outline->item[i]->item[1]->number;
        assert_near(hypot(fmax(fabs(x - 2) - 0.5, 0), y), 0.1, 1e-12);
    }
    assert_string_equal(test_json_text(arm->item[1], "kind"), "sphere");
    const test_json *ground = test_json_list(test_json_find(scene, "ground"), "shapes");
    assert_int_equal(ground->count, 1);
    assert_string_equal(test_json_text(ground->item[0], "kind"), "polygon");
    test_json_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_of_time_stepping__are_part_of_the_scene),
        cmocka_unit_test(a_scene__says_what_the_model_says),
        cmocka_unit_test(a_rough_model__has_two_positions_per_joint),
        cmocka_unit_test(curves__are_drawn_on_their_bodies),
        cmocka_unit_test(a_spring_on_a_slider__can_be_seen),
        cmocka_unit_test(sizes__are_found_without_joints),
        cmocka_unit_test(groups__are_those_of_the_linkage),
        cmocka_unit_test(every_study__writes_the_scene_into_its_file),
        cmocka_unit_test(scenes__are_made_where_somebody_wants_them),
        cmocka_unit_test(a_wrong_force__is_left_out),
        cmocka_unit_test(scenes__survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
