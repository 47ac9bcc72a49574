/* Failing allocations of long runs, one of each call path, for runs in which trying all of them takes too long. */
#ifndef BL_TEST_FAILING_H
#define BL_TEST_FAILING_H

#include "support/testing.h"

enum { TEST_PATHS = 1 << 15 };

/* Call paths to the allocator that failed already in this program. Zeroed: none. */
typedef struct test_paths {
    struct test_path {
        uint64_t hash;
        int body;         /* that took it first, 1 ... */
        long first, last; /* its allocations there */
    } path[TEST_PATHS];
    int count, body, outside; /* outside: frames from main to the body */
    test_random random;
    long failed, passed_over; /* allocations */
} test_paths;

/* Runs body(ctx, user) with allocations failing as in test_failing_allocations and test_failing_once, both, with the same assertions.
 * The error path depends on the position of the allocation, and in loops on partly built objects: so of every call path that no
 * earlier body of `paths` took, the first and the last allocation fail, and of the rest `sample` allocations of this body, drawn at random.
 * With BIELA_EVERY_ALLOCATION in the environment all of them. Returns the number of allocations of the successful run. */
long test_failing_paths(test_paths *paths, bl_status (*body)(bl_context *ctx, void *user), void *user, int sample);
void test_paths_print(const test_paths *paths); /* counts, for the log of a test */

#endif
