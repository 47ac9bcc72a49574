#include "support/failing.h"

#include <execinfo.h>
#include <stdio.h>
#include <stdlib.h>

/* Return addresses that make a call path, counted from the allocator; about half of them are the allocator's own. A frame that fails cleans
 * up what it holds and what the frame below left half built, so a few frames of the library are enough. */
enum { DEPTH = 10, DEEPEST = 128 };

static uint64_t path_hash(int outside) {
    void *address[DEEPEST];
    int depth = backtrace(address, DEEPEST) - outside;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (int i = 0; i < depth && i < DEPTH; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)address[i]) * 1099511628211u;
    return hash ? hash : 1;
}

static struct test_path *find(test_paths *paths, uint64_t hash) {
    size_t i = (hash ^ (hash >> 32)) & (TEST_PATHS - 1);
    while (paths->path[i].hash && paths->path[i].hash != hash)
        i = (i + 1) & (TEST_PATHS - 1);
    return &paths->path[i];
}

static void note_path(void *user, long call) {
    test_paths *paths = user;
    uint64_t hash = path_hash(paths->outside);
    struct test_path *path = find(paths, hash);
    if (!path->hash) {
        assert_true(++paths->count < TEST_PATHS / 2);
        *path = (struct test_path){.hash = hash, .body = paths->body, .first = call};
    }
    path->last = call;
}

static void fail_from_and_only_at(test_paths *paths, bl_status (*body)(bl_context *ctx, void *user), void *user, long k) {
    for (int once = 0; once < 2; once++) {
        test_allocator allocator = {.once = once, .fail_at = k};
        assert_true(test_run_failing(body, user, &allocator));
    }
    paths->failed++;
}

long test_failing_paths(test_paths *paths, bl_status (*body)(bl_context *ctx, void *user), void *user, int sample) {
    void *address[DEEPEST];
    paths->outside = backtrace(address, DEEPEST);
    paths->body++;
    test_allocator allocator = {.watch = note_path, .watch_user = paths};
    assert_false(test_run_failing(body, user, &allocator));
    long calls = allocator.calls;
    bool *chosen = calloc((size_t)calls + 1, sizeof *chosen);
    assert_non_null(chosen);
    for (size_t i = 0; i < TEST_PATHS; i++)
        if (paths->path[i].body == paths->body)
            chosen[paths->path[i].first] = chosen[paths->path[i].last] = true;
    for (int i = 0; i < sample; i++)
        chosen[1 + test_random_below(&paths->random, (int)calls)] = true;
    bool every = getenv("BIELA_EVERY_ALLOCATION") != NULL;
    for (long k = 1; k <= calls; k++)
        if (chosen[k] || every)
            fail_from_and_only_at(paths, body, user, k);
        else
            paths->passed_over++;
    free(chosen);
    return calls;
}

void test_paths_print(const test_paths *paths) {
    printf("%ld allocations failed on %d call paths, %ld passed over\n", paths->failed, paths->count, paths->passed_over);
}
