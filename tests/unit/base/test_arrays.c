/* Arrays of one owner: disjoint, zeroed, aligned, one release, nothing kept when memory is missing. */
#include "base/base.h"
#include "support/testing.h"

#include <string.h>

typedef struct owner {
    void *block;
    double *x;
    char *flag;
    bl_index *pivot;
    double *none;
} owner;

static bl_status set_up(bl_context *ctx, owner *own, size_t n) {
    return BL_NEW_ARRAYS(ctx, own->block, BL_ARRAY(own->flag, 3), BL_ARRAY(own->x, n), BL_ARRAY(own->pivot, n), BL_ARRAY(own->none, 0));
}

static void arrays__are_disjoint_zeroed_and_aligned(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    owner own = {0};
    for (size_t n = 1; n < 40; n += 13) { /* again: the old block goes */
        assert_int_equal(set_up(ctx, &own, n), BL_OK);
        assert_int_equal((uintptr_t)own.x % _Alignof(max_align_t), 0);
        assert_int_equal((uintptr_t)own.pivot % _Alignof(max_align_t), 0);
        assert_non_null(own.none);
        for (size_t i = 0; i < n; i++) {
            assert_true(own.x[i] == 0 && own.pivot[i] == 0);
            own.x[i] = 1.5;
            own.pivot[i] = 7;
        }
        memset(own.flag, 'x', 3);
        for (size_t i = 0; i < n; i++)
            assert_true(own.x[i] == 1.5 && own.pivot[i] == 7);
    }
    bl_free(ctx, own.block);
    test_context_end(ctx);
}

static bl_status body(bl_context *ctx, void *user) {
    owner own = {0};
    bl_arena arena = {.ctx = ctx};
    double *a, *b;
    bl_status status = set_up(ctx, &own, *(size_t *)user);
    if (status == BL_OK)
        status = BL_ARENA_ARRAYS(&arena, BL_ARRAY(a, 4000), BL_ARRAY(b, 4000));
    bl_arena_destroy(&arena);
    bl_free(ctx, own.block);
    return status;
}

static void arrays__without_memory_are_refused(void **unused) {
    (void)unused;
    assert_int_equal(test_failing_allocations(body, &(size_t){9}), 3);
}

static void arrays__too_long_for_any_memory_are_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    owner own = {0};
    assert_int_equal(set_up(ctx, &own, SIZE_MAX / 2), BL_E_MEMORY);
    assert_int_equal(set_up(ctx, &own, SIZE_MAX / 33), BL_E_MEMORY);
    assert_null(own.block);
    test_context_end(ctx);
}

static void arrays__of_an_arena_live_as_long_as_it(void **unused) {
    (void)unused;
    bl_arena arena = {.ctx = test_context(NULL)};
    double *a, *b;
    int *c;
    assert_int_equal(BL_ARENA_ARRAYS(&arena, BL_ARRAY(a, 100), BL_ARRAY(b, 3000)), BL_OK);
    assert_int_equal(BL_ARENA_NEW(&arena, c, 5), BL_OK);
    a[99] = b[2999] = c[4] = 1;
    assert_true(b[0] == 0 && c[0] == 0);
    bl_arena_destroy(&arena);
    test_context_end(arena.ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays__are_disjoint_zeroed_and_aligned),
        cmocka_unit_test(arrays__without_memory_are_refused),
        cmocka_unit_test(arrays__too_long_for_any_memory_are_refused),
        cmocka_unit_test(arrays__of_an_arena_live_as_long_as_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
