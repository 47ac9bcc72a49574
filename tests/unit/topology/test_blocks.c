/* Blocks: equations of a loop attached to a chain depend on the loop alone, and cost only what the loop costs, wherever it is. */
#include "support/testing.h"
#include "system/system_limits.h"
#include "topology/topology.h"

#include <stdlib.h>
#include <string.h>

enum { HEAD = 64 };

typedef struct meter {
    size_t now, most;
} meter;

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

/* a chain of revolute joints with crossed axes; on every link a four-bar with revolute joints in space */
static const char CHAIN[] = "parameters: {n: 10}\n"
                            "bodies:\n"
                            "  - repeat: {count: =n, do: [\n"
                            "      {name: l$i, box: {center: [=i+0.5, 0, 0], size: [1, 0.1, 0.1]}, mass: 1},\n"
                            "      {name: a$i, box: {center: [=i+0.22, 0, -0.15], size: [0.05, 0.05, 0.3]}, mass: 1},\n"
                            "      {name: b$i, box: {center: [=i+0.47, 0, -0.35], size: [0.5, 0.05, 0.05]}, mass: 1},\n"
                            "      {name: c$i, box: {center: [=i+0.75, 0, -0.2], size: [0.05, 0.05, 0.4]}, mass: 1}]}\n"
                            "joints:\n"
                            "  - {name: h0, type: revolute, bodies: [ground, l0], at: [0, 0, 0], axis: [0, 1, 1]}\n"
                            "  - repeat: {count: =n-1, from: 1, do: [{name: h$i, type: revolute, bodies: [l$(i-1), l$i], at: [=i, 0, 0],\n"
                            "                                         axis: [0, 1, \"=2*mod(i, 2) - 1\"]}]}\n"
                            "  - repeat: {count: =n, do: [\n"
                            "      {name: p$i, type: revolute, bodies: [l$i, a$i], at: [=i+0.2, 0, 0], axis: [0, 1, 0]},\n"
                            "      {name: q$i, type: revolute, bodies: [a$i, b$i], at: [=i+0.25, 0, -0.3], axis: [0, 1, 0]},\n"
                            "      {name: r$i, type: revolute, bodies: [b$i, c$i], at: [=i+0.7, 0, -0.4], axis: [0, 1, 0]},\n"
                            "      {name: s$i, type: revolute, bodies: [l$i, c$i], at: [=i+0.8, 0, 0], axis: [0, 1, 0]}]}\n";

/* a tree: joint i carries body i on body i / 2 */
static const char TREE[] =
    "parameters: {n: 15}\n"
    "points:\n"
    "  - repeat: {count: =n+1, do: [{name: E$i, at: [\"=0.3*mod(i*7, 11)\", \"=0.2*mod(i*5, 13)\", \"=-floor(log(i+0.5)/log(2))\"]}]}\n"
    "bodies:\n"
    "  - repeat: {count: =n, from: 1, do: [{name: b$i, rod: {from: E$(floor(i/2)), to: E$i, axial: 1e-3}, mass: 1}]}\n"
    "joints:\n"
    "  - {name: j1, type: revolute, bodies: [ground, b1], at: E0, axis: [0, 1, 1]}\n"
    "  - repeat: {count: =n-1, from: 2, do: [{name: j$i, type: revolute, bodies: [b$(floor(i/2)), b$i], at: E$(floor(i/2)),\n"
    "                                         axis: [1, \"=2*mod(i, 2) - 1\", 0]}]}\n";

static bl_model *read_model(bl_context *ctx, const char *text, int n) {
    bl_model *model = NULL;
    const bl_override size = {"n", n};
    if (bl_model_read_text(ctx, "test.yaml", text, strlen(text), &size, n > 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

/* bodies in the model configuration */
static void build(const bl_model *model, double length, bl_twists *twists) {
    bl_pose *pose = calloc((size_t)model->nbody, sizeof *pose);
    for (bl_index i = 0; i < model->nbody; i++) {
        pose[i].quaternion[0] = 1;
        memcpy(pose[i].position, model->body[i].center, sizeof pose[i].position);
    }
    assert_int_equal(bl_twists_build(model->ctx, model, pose, length, twists), BL_OK);
    free(pose);
}

/* The tolerance is that of nearly special geometry: nothing may accumulate along the chain. */
static void dependence__in_a_loop_on_a_chain_is_that_of_the_loop(void **unused) {
    (void)unused;
    enum { LINKS = 120 };
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, CHAIN, LINKS);
    bl_twists twists;
    bl_dependencies found;
    build(model, 1, &twists);
    assert_int_equal(bl_dependencies_find(&twists, system_nearly, &found), BL_OK);
    assert_int_equal(found.ndependent, 3 * LINKS);
    assert_int_equal(found.n, LINKS);
    for (bl_index i = 0; i < found.n; i++) {
        const bl_dependency *d = &found.dependency[i];
        bl_index first = LINKS + 4 * i; /* p, q, r, s */
        assert_int_equal(d->owner, first + 3);
        assert_int_equal(d->count, 3);
        assert_int_equal(d->nother, 3);
        for (int k = 0; k < 3; k++)
            assert_int_equal(d->other[k], first + k);
        assert_true(d->rest <= 1e-12);
    }
    bl_dependencies_destroy(&found);
    bl_twists_destroy(&twists);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* upper bound for the memory of the search besides the equations */
static size_t bytes_of(const char *text, int n) {
    meter m = {0};
    bl_context *ctx;
    bl_twists twists;
    bl_dependencies found;
    assert_int_equal(bl_context_create(&(bl_context_options){.realloc = metered, .realloc_user = &m}, &ctx), BL_OK);
    bl_model *model = read_model(ctx, text, n);
    build(model, n / 2, &twists);
    size_t before = m.now;
    m.most = before;
    assert_int_equal(bl_dependencies_find(&twists, 1e-9, &found), BL_OK);
    size_t most = m.most - before;
    bl_dependencies_destroy(&found);
    bl_twists_destroy(&twists);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return most;
}

static void dependence__costs_what_the_mechanism_costs(void **unused) {
    (void)unused;
    static const char *const text[] = {CHAIN, TREE};
    for (int k = 0; k < 2; k++) {
        size_t small = bytes_of(text[k], 250), large = bytes_of(text[k], 1000);
        if ((double)large >
            4.4 * (double)small) /* reduced rows are kept: their entries are counted, and do not grow with the position in the chain */
            fail_msg("model %d: %zu bytes for 250, %zu for 1000", k, small, large);
    }
}

static void tops__are_where_blocks_hang(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx,
                                 "dimension: 2\n"
                                 "bodies:\n"
                                 "  - {name: a, mass: 1, center: [1, 0], inertia: 1}\n"
                                 "  - {name: b, mass: 1, center: [2, 0], inertia: 1}\n"
                                 "  - {name: c, mass: 1, center: [3, 0], inertia: 1}\n"
                                 "  - {name: d, mass: 1, center: [3, 1], inertia: 1}\n"
                                 "  - {name: e, mass: 1, center: [9, 0], inertia: 1}\n"
                                 "  - {name: f, mass: 1, center: [9, 1], inertia: 1}\n"
                                 "joints:\n"
                                 "  - {name: ga, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                 "  - {name: ab, type: revolute, bodies: [a, b], at: [1.5, 0]}\n"
                                 "  - {name: bc, type: revolute, bodies: [b, c], at: [2.5, 0]}\n"
                                 "  - {name: cd, type: revolute, bodies: [c, d], at: [3, 0.5]}\n"
                                 "  - {name: db, type: revolute, bodies: [d, b], at: [2, 0.7]}\n"
                                 "  - {name: ef, type: revolute, bodies: [e, f], at: [9, 0.5]}\n"
                                 "  - {name: ties, type: gear, first: ga.angle, second: ab.angle, ratio: 2}\n",
                                 0);
    bl_twists twists;
    bl_index top[7];
    build(model, 1, &twists);
    assert_int_equal(bl_topology_tops(&twists, top), BL_OK);
    /* bodies: ground 0, a 1, b 2, c 3, d 4, e 5, f 6; the gear makes one block of ground, a and b; the loop is attached to b; e and f
     * float */
    static const bl_index expected[7] = {0, 0, 2, 2, 2, 5, 0};
    for (int k = 0; k < 7; k++)
        assert_int_equal(top[k], expected[k]);
    bl_twists_destroy(&twists);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static bl_status find(bl_context *ctx, void *user) {
    bl_dependencies found = {0};
    bl_twists twists = *(const bl_twists *)user;
    twists.arena.ctx = ctx;
    bl_status status = bl_dependencies_find(&twists, 1e-9, &found);
    bl_dependencies_destroy(&found);
    return status;
}

static void failing_allocations__are_survived(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_model(ctx, CHAIN, 20);
    bl_twists twists;
    build(model, 1, &twists);
    assert_true(test_failing_allocations(find, &twists) > 3);
    bl_twists_destroy(&twists);
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dependence__in_a_loop_on_a_chain_is_that_of_the_loop),
        cmocka_unit_test(dependence__costs_what_the_mechanism_costs),
        cmocka_unit_test(tops__are_where_blocks_hang),
        cmocka_unit_test(failing_allocations__are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
