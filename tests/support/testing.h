/* Helpers shared by the tests: cmocka's includes, an allocator that fails on request, seeded random numbers. */
#ifndef BL_TESTING_H
#define BL_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "biela/context.h"

/* Under sanitizers, where everything takes ten times as long, tests over products of choices take a part of them. */
#ifdef __SANITIZE_ADDRESS__
enum { TEST_SANITIZED = 1 };
#else
enum { TEST_SANITIZED = 0 };
#endif

/* Counts calls that ask for memory and fails the `fail_at`-th (1 is the first; 0: never) and all later ones, or that `once`. */
typedef struct test_allocator {
    long calls, fail_at, live;
    bool once;
    void (*watch)(void *user, long call); /* called at every one; NULL: none */
    void *watch_user;
} test_allocator;

bl_context *test_context(test_allocator *allocator); /* allocator NULL: the C library's */
/* Destroys the context and asserts that every block was freed. */
void test_context_end(bl_context *ctx);

/* Runs body(ctx, user) with this allocator; whether an allocation failed. Asserts that it returns BL_E_MEMORY then, else BL_OK, and that
 * all its memory is freed. */
bool test_run_failing(bl_status (*body)(bl_context *ctx, void *user), void *user, test_allocator *allocator);
/* Runs body(ctx, user) with the k-th and all later allocations failing, k = 1, 2, ..., until it succeeds. Asserts that every failing run
 * returns BL_E_MEMORY and that every run frees all its memory. Returns the number of allocations of the successful run. */
long test_failing_allocations(bl_status (*body)(bl_context *ctx, void *user), void *user);
/* The same with the k-th alone failing: memory that comes back must not hide what is missing. */
long test_failing_once(bl_status (*body)(bl_context *ctx, void *user), void *user);

/* ---- random numbers (splitmix64): the same everywhere from the same seed */
typedef struct test_random {
    uint64_t state;
} test_random;

uint64_t test_random_bits(test_random *random);
double test_random_unit(test_random *random);      /* [0, 1) */
double test_random_symmetric(test_random *random); /* [-1, 1) */
int test_random_below(test_random *random, int n); /* 0 .. n-1 */
/* The seed of this run: BIELA_SEED of the environment, else `fallback`; printed, so that a failure can be repeated. */
uint64_t test_seed(uint64_t fallback);

#endif
