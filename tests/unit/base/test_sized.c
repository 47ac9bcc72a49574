/* Structs that begin with their size: those of older and newer programs, at the end of the memory that such a program has. */
#define _DEFAULT_SOURCE
#include "base/sized.h"
#include "support/testing.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A struct as version 0.1 had it, as this library has it, and as a later one will. */
typedef struct first {
    size_t size;
    double a;
} first;
typedef struct now {
    size_t size;
    double a;
    const char *b;
} now;
typedef struct later {
    size_t size;
    double a;
    const char *b;
    double c;
} later;
static const bl_sized type = {"bl_example", sizeof(first), sizeof(now)};

/* a page whose last bytes are the struct's: what follows cannot be read or written */
static void *at_the_end(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *both = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(both != MAP_FAILED);
    assert_int_equal(mprotect(both + page, page, PROT_NONE), 0);
    return both + page - bytes;
}

static void release(void *at, size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap((char *)at + bytes - page, 2 * page);
}

static void table__has_the_sizes_of_the_headers(void **state) {
    (void)state;
    static const struct {
        const char *name;
        size_t first, now, recorded;
    } list[] = {
#define BL_SIZED(type, last, bytes) {#type, BL_FIRST_##type, sizeof(type), bytes},
#include "base/sized_list.h"
#undef BL_SIZED
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (sizeof(void *) == 8 && list[i].first != list[i].recorded)
            fail_msg("%s: the fields of version 0.1 have %zu bytes in the header, but %zu were recorded: such a field has changed",
                     list[i].name, list[i].first, list[i].recorded);
        assert_true(list[i].now >= list[i].first);
    }
}

static void older_program__lacks_later_fields(void **state) {
    for (int k = 0; k < 2; k++) {
        first *given = at_the_end(sizeof *given);
        *given = (first){k ? sizeof *given : 0, 2.5};
        now own = {.b = "left over"};
        assert_int_equal(bl_sized_take(*state, &type, given, &own), BL_OK);
        assert_true(own.size == sizeof own && own.a == 2.5 && own.b == NULL);
        bl_sized_give(&type, given, &(now){.size = sizeof own, .a = 7, .b = "more"});
        assert_true(given->size == (k ? sizeof *given : 0) && given->a == 7);
        bl_sized_clear(&type, given);
        assert_true(given->size == (k ? sizeof *given : 0) && given->a == 0);
        release(given, sizeof *given);
    }
}

static void same_version__has_all_fields(void **state) {
    now *given = at_the_end(sizeof *given), own;
    *given = (now){sizeof *given, 2.5, "text"};
    assert_int_equal(bl_sized_take(*state, &type, given, &own), BL_OK);
    assert_true(own.a == 2.5 && strcmp(own.b, "text") == 0);
    bl_sized_give(&type, given, &(now){.a = 7, .b = "more"});
    assert_true(given->size == sizeof *given && given->a == 7 && strcmp(given->b, "more") == 0);
    given->size = 0; /* a field of this version without its size does not count */
    assert_int_equal(bl_sized_take(*state, &type, given, &own), BL_OK);
    assert_true(own.a == 7 && own.b == NULL);
    release(given, sizeof *given);
}

static void newer_program__may_not_use_what_is_unknown(void **state) {
    later *given = at_the_end(sizeof *given);
    now own;
    *given = (later){sizeof *given, 2.5, "text", 0};
    assert_int_equal(bl_sized_take(*state, &type, given, &own), BL_OK);
    assert_true(own.size == sizeof own && own.a == 2.5 && strcmp(own.b, "text") == 0);
    given->c = 1;
    assert_int_equal(bl_sized_take(*state, &type, given, &own), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(*state)->what, "bl_example"));
    assert_non_null(strstr(bl_context_error(*state)->what, "24 bytes"));
    assert_non_null(strstr(bl_context_error(*state)->what, "size is 32"));
    bl_sized_give(&type, given, &(now){.a = 7, .b = "more"});
    assert_true(given->size == sizeof *given && given->a == 7 && strcmp(given->b, "more") == 0 && given->c == 0);
    release(given, sizeof *given);
}

static void size__that_cannot_be_is_refused(void **state) {
    now own, given = {0};
    const size_t wrong[] = {1, sizeof(size_t), sizeof(first) - 1, 65537, (size_t)0x7ffc12345678};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        given.size = wrong[i];
        assert_int_equal(bl_sized_fits(*state, &type, &given), BL_E_ARG);
        assert_int_equal(bl_sized_take(*state, &type, &given, &own), BL_E_ARG);
        assert_non_null(strstr(bl_context_error(*state)->what, "bl_example: size is"));
        assert_non_null(strstr(bl_context_error(*state)->advice, "sizeof(bl_example)"));
        given.a = 3;
        bl_sized_give(&type, &given, &(now){.a = 7});
        bl_sized_clear(&type, &given);
        assert_true(given.a == 3);
    }
    assert_int_equal(bl_sized_fits(*state, &type, NULL), BL_OK);
    own.a = 1;
    assert_int_equal(bl_sized_take(*state, &type, NULL, &own), BL_OK);
    assert_true(own.size == sizeof own && own.a == 0);
    bl_sized_give(&type, NULL, &own);
    bl_sized_clear(&type, NULL);
}

static void sinks__lie_at_the_distance_of_the_first(void **state) {
    bl_context *ctx = *state;
    enum { N = 3, BIG = sizeof(bl_sink) + 24 };
    int user[N];
    char *given = at_the_end((size_t)N * BIG);
    for (int i = 0; i < N; i++) /* a newer program; the size of the others does not matter */
        memcpy(given + i * BIG, &(bl_sink){.size = i == 0 ? BIG : 0, .user = &user[i]}, sizeof(bl_sink));
    bl_arena arena = {.ctx = ctx};
    bl_sink *own;
    assert_int_equal(bl_sized_sinks(&arena, (bl_sink *)given, N, &own), BL_OK);
    for (int i = 0; i < N; i++)
        assert_true(own[i].user == &user[i] && own[i].size == sizeof *own);
    given[2 * BIG + sizeof(bl_sink) + 20] = 1;
    assert_int_equal(bl_sized_sinks(&arena, (bl_sink *)given, N, &own), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "bl_sink"));
    release(given, (size_t)N * BIG);

    bl_sink old[2] = {{.user = &user[0]}, {.user = &user[1]}};
    assert_int_equal(bl_sized_sinks(&arena, old, 1, &own), BL_OK);
    assert_ptr_equal(own[0].user, &user[0]);
    assert_int_equal(bl_sized_sinks(&arena, old, 2, &own), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->advice, "sinks[0].size = sizeof(bl_sink)"));
    old[0].size = 12;
    assert_int_equal(bl_sized_sinks(&arena, old, 2, &own), BL_E_ARG);
    assert_int_equal(bl_sized_sinks(&arena, NULL, 0, &own), BL_OK);
    bl_arena_destroy(&arena);
}

static bl_status take_sinks(bl_context *ctx, void *user) {
    bl_arena arena = {.ctx = ctx};
    bl_sink *own;
    bl_status status = bl_sized_sinks(&arena, user, 2, &own);
    bl_arena_destroy(&arena);
    return status;
}

static void sinks__survive_failing_allocations(void **state) {
    (void)state;
    bl_sink sinks[2] = {{.size = sizeof *sinks}};
    assert_true(test_failing_allocations(take_sinks, sinks) > 0);
}

static int setup(void **state) { return bl_context_create(NULL, (bl_context **)state); }

static int teardown(void **state) {
    test_context_end(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table__has_the_sizes_of_the_headers),
        cmocka_unit_test_setup_teardown(older_program__lacks_later_fields, setup, teardown),
        cmocka_unit_test_setup_teardown(same_version__has_all_fields, setup, teardown),
        cmocka_unit_test_setup_teardown(newer_program__may_not_use_what_is_unknown, setup, teardown),
        cmocka_unit_test_setup_teardown(size__that_cannot_be_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(sinks__lie_at_the_distance_of_the_first, setup, teardown),
        cmocka_unit_test(sinks__survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
