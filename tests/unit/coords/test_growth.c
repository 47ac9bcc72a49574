/* Memory grows in proportion to the mechanism: models read, systems built in every kind of coordinates, runs of trees, and stars, in which
 * one body carries all others, checked and run. */
#include "coords/coords.h"
#include "study/study.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct meter {
    size_t now, most;
} meter;

enum { HEAD = 64 };

static void *metered(void *user, void *block, size_t bytes) {
    meter *m = user;
    char *old = block ? (char *)block - HEAD : NULL;
    if (old)
        m->now -= *(size_t *)(void *)old;
    if (bytes == 0) {
        free(old);
        return NULL;
    }
    char *fresh = realloc(old, bytes + HEAD);
    assert_non_null(fresh);
    *(size_t *)(void *)fresh = bytes;
    m->now += bytes;
    m->most = m->now > m->most ? m->now : m->most;
    return fresh + HEAD;
}

/* coordinates to build; NULL: a run with formulation direct */
static size_t bytes_of(const char *scene, const char *name, int n, const char *coordinates) {
    meter m = {0};
    bl_context *ctx;
    bl_model *model;
    char file[512];
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_context_create(&(bl_context_options){.realloc = metered, .realloc_user = &m}, &ctx), BL_OK);
    const bl_override size = {name, n};
    bl_status status = bl_model_read(ctx, file, &size, 1, &model);
    if (status == BL_OK && coordinates) {
        bl_system *sys = NULL;
        status = bl_coords_build(ctx, model, coordinates, &sys);
        bl_system_destroy(sys);
    } else if (status == BL_OK) {
        double until = 1e-3;
        bl_run_options how = {.coordinates = "relative",
                              .formulation = "direct",
                              .integrator = "dop853",
                              .until = until,
                              .tolerance = 1e-2,
                              .at = &until,
                              .nat = 1};
        status = bl_simulate(ctx, model, &how, NULL, 0, NULL);
    }
    if (status != BL_OK)
        fail_msg("%s %d: %s", scene, n, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return m.most;
}

static void check_growth(const char *scene, const char *name, int n, const char *coordinates) {
    size_t small = bytes_of(scene, name, n, coordinates), large = bytes_of(scene, name, 4 * n, coordinates);
    /* arrays that double have room for up to twice their content: the largest may just have grown */
    if ((double)large > 5.5 * (double)small)
        fail_msg("%s in %s: %zu bytes for %d, %zu for %d", scene, coordinates ? coordinates : "a run", small, n, large, 4 * n);
}

static void systems__grow_with_their_mechanism(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    for (int k = 0; k < 4; k++) {
        check_growth("w3_chain", "n", 250, kinds[k]);
        check_growth("n_four_bar", "N", 250, kinds[k]);
    }
}

static void runs_of_trees__grow_with_their_mechanism(void **unused) {
    (void)unused;
    check_growth("w3_chain", "n", 250, NULL);
    check_growth("w4_chain", "n", 250, NULL);
}

/* ---- stars */

static const char cart[] = "dimension: 2\n"
                           "gravity: [0, -9.81]\n"
                           "parameters: {n: 10}\n"
                           "bodies:\n"
                           "  - {name: cart, box: {center: [0, 0], size: [2, 0.2]}, mass: 5}\n"
                           "  - repeat: {count: =n, index: i, do: [{name: p$i, rod: {from: [=i/n, 0], to: [\"=i/n + 0.3*sin(i)\", -0.8]}, "
                           "mass: 1}]}\n"
                           "joints:\n"
                           "  - {name: slide, type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}\n"
                           "  - repeat: {count: =n, index: i, do: [{name: h$i, type: revolute, bodies: [cart, p$i], at: [=i/n, 0]}]}\n";

/* all on one pin: a point that all bodies share has by far the largest mass */
static const char pin[] = "dimension: 2\n"
                          "gravity: [0, -9.81]\n"
                          "parameters: {n: 10}\n"
                          "bodies:\n"
                          "  - {name: cart, box: {center: [0, 0], size: [2, 0.2]}, mass: 5}\n"
                          "  - repeat: {count: =n, index: i, do: [{name: p$i, rod: {from: [0, 0], to: [=0.3*sin(i), -0.8]}, mass: 1}]}\n"
                          "joints:\n"
                          "  - {name: slide, type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}\n"
                          "  - repeat: {count: =n, index: i, do: [{name: h$i, type: revolute, bodies: [cart, p$i], at: [0, 0]}]}\n";

/* loops in space with parallel axes: 3 redundant equations each */
static const char loops[] =
    "gravity: [0, 0, -9.81]\n"
    "parameters: {n: 10}\n"
    "bodies:\n"
    "  - {name: frame, box: {center: [0, 0, 0], size: [2, 0.2, 0.2]}, mass: 50}\n"
    "  - repeat:\n"
    "      count: =n\n"
    "      index: i\n"
    "      do:\n"
    "      - {name: a$i, rod: {from: [=i/n, =i/n, 0], to: [=i/n+0.1*sin(i), =i/n, 0.3], axial: 1e-3}, mass: 1}\n"
    "      - {name: b$i, rod: {from: [=i/n+0.1*sin(i), =i/n, 0.3], to: [=i/n+1, =i/n, 0.5], axial: 1e-3}, mass: 1}\n"
    "      - {name: c$i, rod: {from: [=i/n+1, =i/n, 0.5], to: [=i/n+1, =i/n, 0], axial: 1e-3}, mass: 1}\n"
    "joints:\n"
    "  - {name: slide, type: prismatic, bodies: [ground, frame], at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  - repeat:\n"
    "      count: =n\n"
    "      index: i\n"
    "      do:\n"
    "      - {name: A$i, type: revolute, bodies: [frame, a$i], at: [=i/n, =i/n, 0], axis: [0, 1, 0]}\n"
    "      - {name: B$i, type: revolute, bodies: [a$i, b$i], at: [=i/n+0.1*sin(i), =i/n, 0.3], axis: [0, 1, 0]}\n"
    "      - {name: C$i, type: revolute, bodies: [b$i, c$i], at: [=i/n+1, =i/n, 0.5], axis: [0, 1, 0]}\n"
    "      - {name: D$i, type: revolute, bodies: [c$i, frame], at: [=i/n+1, =i/n, 0], axis: [0, 1, 0]}\n";

typedef struct star {
    const char *name, *text;
    int n[2], ndof, redundant; /* n: sizes that are built and checked; the last: redundant constraints per n */
} star;

static const star stars[] = {{"cart", cart, {150, 150}, 1, 0}, {"pin", pin, {150, 150}, 1, 0}, {"loops", loops, {250, 40}, 1, 3}};

static bl_status check_star(bl_context *ctx, const bl_model *model, const star *s, int n) {
    bl_check_report report = {0};
    bl_status status = bl_check(ctx, model, NULL, &report);
    if (status == BL_OK) {
        assert_int_equal(report.mobility_rank, n + s->ndof);
        assert_int_equal(report.mobility_rank - report.mobility_count, s->redundant * n);
    }
    bl_check_report_destroy(ctx, &report);
    return status;
}

static size_t bytes_of_star(const star *s, int n, bool check) {
    meter m = {0};
    bl_context *ctx;
    bl_model *model;
    const bl_override size = {"n", n};
    assert_int_equal(bl_context_create(&(bl_context_options){.realloc = metered, .realloc_user = &m}, &ctx), BL_OK);
    assert_int_equal(bl_model_read_text(ctx, s->name, s->text, strlen(s->text), &size, 1, &model), BL_OK);
    bl_system *sys = NULL;
    bl_status status = check ? check_star(ctx, model, s, n) : bl_coords_build(ctx, model, "natural", &sys);
    if (status != BL_OK)
        fail_msg("%s %d: %s", s->name, n, bl_context_error(ctx)->what);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return m.most;
}

static void stars__grow_with_what_they_carry(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof stars / sizeof *stars; k++)
        for (int check = 0; check < 2; check++) {
            int n = stars[k].n[check];
            size_t small = bytes_of_star(&stars[k], n, check), large = bytes_of_star(&stars[k], 4 * n, check);
            if ((double)large > 5.5 * (double)small)
                fail_msg("%s %s: %zu bytes for %d, %zu for %d", stars[k].name, check ? "checked" : "built", small, n, large, 4 * n);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(systems__grow_with_their_mechanism),
                                       cmocka_unit_test(runs_of_trees__grow_with_their_mechanism),
                                       cmocka_unit_test(stars__grow_with_what_they_carry)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
