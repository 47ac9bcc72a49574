#include "support/testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void *counting_realloc(void *user, void *block, size_t bytes) {
    test_allocator *allocator = user;
    if (bytes == 0) {
        if (block)
            allocator->live--;
        free(block);
        return NULL;
    }
    allocator->calls++;
    if (allocator->watch)
        allocator->watch(allocator->watch_user, allocator->calls);
    if (allocator->fail_at && (allocator->once ? allocator->calls == allocator->fail_at : allocator->calls >= allocator->fail_at))
        return NULL;
    void *fresh = realloc(block, bytes);
    if (fresh && !block)
        allocator->live++;
    return fresh;
}

bl_context *test_context(test_allocator *allocator) {
    bl_context *ctx = NULL;
    bl_context_options options = {0};
    if (allocator) {
        options.realloc = counting_realloc;
        options.realloc_user = allocator;
    }
    assert_int_equal(bl_context_create(&options, &ctx), BL_OK);
    return ctx;
}

void test_context_end(bl_context *ctx) {
    assert_int_equal(bl_context_memory(ctx).live_blocks, 0);
    bl_context_destroy(ctx);
}

bool test_run_failing(bl_status (*body)(bl_context *ctx, void *user), void *user, test_allocator *allocator) {
    long fail_at = allocator->fail_at;
    allocator->fail_at = 0; /* the context itself does not count */
    bl_context *ctx = test_context(allocator);
    allocator->calls = 0;
    allocator->fail_at = fail_at;
    bl_status status = body(ctx, user);
    bool failed = fail_at > 0 && allocator->calls >= fail_at;
    assert_int_equal(status, failed ? BL_E_MEMORY : BL_OK);
    assert_int_equal(bl_context_error(ctx)->status, status);
    test_context_end(ctx);
    assert_int_equal(allocator->live, 0);
    return failed;
}

static long fail_in_turn(bl_status (*body)(bl_context *ctx, void *user), void *user, bool once) {
    for (long k = 1;; k++) {
        test_allocator allocator = {.once = once, .fail_at = k};
        if (!test_run_failing(body, user, &allocator))
            return allocator.calls;
    }
}

long test_failing_allocations(bl_status (*body)(bl_context *ctx, void *user), void *user) { return fail_in_turn(body, user, false); }

long test_failing_once(bl_status (*body)(bl_context *ctx, void *user), void *user) { return fail_in_turn(body, user, true); }

uint64_t test_random_bits(test_random *random) {
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double test_random_unit(test_random *random) { return (double)(test_random_bits(random) >> 11) * 0x1p-53; }
double test_random_symmetric(test_random *random) { return 2 * test_random_unit(random) - 1; }
int test_random_below(test_random *random, int n) { return (int)(test_random_bits(random) % (uint64_t)n); }

uint64_t test_seed(uint64_t fallback) {
    const char *text = getenv("BIELA_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : fallback;
    printf("seed %" PRIu64 " (set BIELA_SEED to change)\n", seed);
    return seed;
}
