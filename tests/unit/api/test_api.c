/* Lists and the reference: complete, untruncated, and the same as the page that is kept. */
#include "api/rooms.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count_visit(void *user, const bl_choice *choice) {
    ++*(size_t *)user;
    assert_true(choice->room && choice->name && choice->help);
    assert_true(choice->name[0] && choice->help[0]);
    size_t length = strlen(choice->params);
    assert_true(length < 3 || strcmp(choice->params + length - 3, "...") != 0); /* everything fits */
    assert_true(strlen(choice->facts) < sizeof choice->facts - 1);
}

static void list__visits_every_kind_of_every_room_once(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    size_t total = 0, all = 0;
    for (size_t r = 0; r < bl_room_count; r++) {
        size_t n = 0;
        assert_int_equal(bl_list(ctx, bl_rooms[r].name, count_visit, &n), BL_OK);
        assert_true(n > 0);
        assert_int_equal(n, bl_rooms[r].count());
        total += n;
    }
    assert_int_equal(bl_list(ctx, NULL, count_visit, &all), BL_OK);
    assert_int_equal(all, total);
    test_context_end(ctx);
}

static void list__unknown_room_gets_the_nearest(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    size_t n = 0;
    assert_int_equal(bl_list(ctx, "integrator", count_visit, &n), BL_E_ARG);
    assert_int_equal(n, 0);
    assert_non_null(strstr(bl_context_error(ctx)->advice, "integrators"));
    assert_int_equal(bl_list(ctx, "", count_visit, &n), BL_E_ARG);
    test_context_end(ctx);
}

/* names are what users write: unique in their room, lower case */
static void kinds__have_usable_names_and_parameters(void **state) {
    (void)state;
    for (size_t r = 0; r < bl_room_count; r++)
        for (size_t i = 0; i < bl_rooms[r].count(); i++) {
            const bl_kind *kind = bl_rooms[r].kind(i);
            assert_int_equal(strspn(kind->name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(kind->name));
            for (size_t k = 0; k < i; k++)
                assert_string_not_equal(kind->name, bl_rooms[r].kind(k)->name);
            assert_true(bl_param_count(kind->params) <= BL_MAX_PARAMS);
            for (bl_index p = 0; p < bl_param_count(kind->params); p++) {
                const bl_param *param = &kind->params[p];
                assert_true(param->help && param->help[0]);
                assert_true(param->type != BL_P_CHOICE || (param->choices && param->choices[0]));
                for (bl_index k = 0; k < p; k++)
                    assert_string_not_equal(param->name, kind->params[k].name);
            }
        }
}

typedef struct text {
    char *bytes;
    size_t length;
} text;

static void collect(void *user, const char *bytes, size_t length) {
    text *t = user;
    t->bytes = realloc(t->bytes, t->length + length + 1);
    memcpy(t->bytes + t->length, bytes, length);
    t->length += length;
    t->bytes[t->length] = '\0';
}

static void reference__is_the_page_that_is_kept(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    text made = {0}, kept = {0};
    assert_int_equal(bl_reference(ctx, collect, &made), BL_OK);
    FILE *file = fopen(TESTS "/../docs/REFERENCE.md", "r");
    assert_non_null(file);
    char buffer[4096];
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        collect(&kept, buffer, n);
    fclose(file);
    if (made.length != kept.length || memcmp(made.bytes, kept.bytes, made.length) != 0)
        fail_msg("docs/REFERENCE.md is not what the program makes; run: build/biela reference > docs/REFERENCE.md");
    free(made.bytes);
    free(kept.bytes);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list__visits_every_kind_of_every_room_once),
        cmocka_unit_test(list__unknown_room_gets_the_nearest),
        cmocka_unit_test(kinds__have_usable_names_and_parameters),
        cmocka_unit_test(reference__is_the_page_that_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
