/* Parameters that are one to three plain numbers, and the tables of generators read from YAML. */
#include "mesh/mesh.h"
#include "model/reader.h"
#include "support/testing.h"

#include <math.h>

typedef struct reading {
    bl_reader reader;
    bl_model model;
    bl_item *root;
} reading;

static bl_status read(bl_context *ctx, reading *r, int dim, const bl_kind *kind, const char *text, bl_value *values) {
    static const reading zero;
    *r = zero;
    r->model.ctx = r->model.arena.ctx = ctx;
    r->model.dim = dim;
    r->reader = (bl_reader){.ctx = ctx, .model = &r->model, .scratch = {.ctx = ctx}, .share = 1};
    memset(values, 0, BL_MAX_PARAMS * sizeof *values);
    BL_TRY(bl_tree_build(&r->reader, "m.yaml", text, strlen(text), false, &r->root));
    BL_TRY(bl_params_read(&r->reader, r->root, kind, "mesh", NULL, 0, 0, values));
    return bl_params_required(&r->reader, r->root, kind, "mesh", values);
}

static void end(reading *r) {
    bl_arena_destroy(&r->reader.scratch);
    bl_arena_destroy(&r->model.arena);
    bl_free(r->reader.ctx, r->reader.pending);
}

static const bl_param params[] = {
    {"n", BL_P_NUMBERS, BL_REQUIRED | BL_POSITIVE, 0, NULL, NULL, "counts"},
    {"free", BL_P_NUMBERS, 0, 0, NULL, NULL, "any"},
    {0},
};
static const bl_kind kind = {"grid", "for this test", params, 0, 0};

static void numbers__are_kept_as_they_are(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_value values[BL_MAX_PARAMS];
    reading r;
    assert_int_equal(read(ctx, &r, 2, &kind, "{n: [3, 4], free: -2.5}", values), BL_OK);
    assert_true(values[0].given && values[0].number == 2 && values[0].vector[0] == 3 && values[0].vector[1] == 4);
    assert_true(values[1].given && values[1].number == 1 && values[1].vector[0] == -2.5);
    assert_int_equal(values[0].place.line, 1);
    end(&r);
    assert_int_equal(read(ctx, &r, 2, &kind, "{n: =2*3}", values), BL_OK);
    assert_true(values[0].number == 1 && values[0].vector[0] == 6);
    assert_false(values[1].given);
    end(&r);
    assert_int_equal(read(ctx, &r, 3, &kind, "{n: [1, 2, 3]}", values), BL_OK); /* whatever the dimension */
    assert_true(values[0].number == 3 && values[0].vector[2] == 3);
    end(&r);
    test_context_end(ctx);
}

static void wrong_numbers__are_refused_with_their_position(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *words;
        int column;
    } wrong[] = {
        {"{n: [1, 2, 3, 4]}", "n must be a number or a list of up to 3 numbers, found 4", 5},
        {"{n: []}", "n must be a number or a list of up to 3 numbers, found 0", 5},
        {"{n: [1, -2]}", "n must be positive, found -2", 9},
        {"{n: [1, two]}", "n must be a number, found 'two'", 9},
        {"{n: {a: 1}}", "n must be a number, found", 5},
        {"{free: 1}", "a mesh of type grid needs 'n' (counts)", 1},
    };
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bl_value values[BL_MAX_PARAMS];
        reading r;
        assert_int_equal(read(ctx, &r, 2, &kind, wrong[i].text, values), BL_E_MODEL);
        const bl_error *error = bl_context_error(ctx);
        if (!strstr(error->what, wrong[i].words))
            fail_msg("'%s' does not say '%s'", error->what, wrong[i].words);
        assert_int_equal(error->column, wrong[i].column);
        end(&r);
    }
    test_context_end(ctx);
}

/* as a model file will give them */
static void generators__take_their_parameters_from_yaml(void **unused) {
    (void)unused;
    static const struct {
        const bl_generator_kind *generator;
        const bl_element_kind *element;
        const char *text;
        bl_index elements;
        double volume;
    } given[] = {
        {&bl_generator_segment, &bl_element_segment3, "{from: 1, to: 4, n: 6, grading: 2}", 6, 3},
        {&bl_generator_rectangle, &bl_element_quad4, "{from: [0, 0], to: [10, 1], n: [20, 2]}", 40, 10},
        {&bl_generator_rectangle, &bl_element_triangle6, "{size: [10, 1], n: [20, 2], grading: [1, 3]}", 80, 10},
        {&bl_generator_ell, &bl_element_quad8, "{size: 3, thickness: 1, n: [2, 4]}", 20, 5},
        {&bl_generator_box, &bl_element_tetra4, "{to: [1, 2, 3], n: 2}", 48, 6},
        {&bl_generator_quarter_ring, &bl_element_quad4, "{inner: 1, outer: 2, n: [1, 2]}", 2, 1.5},
        {&bl_generator_cylinder_sector, &bl_element_hexa8, "{inner: 1, outer: 2, angle: =90*deg, height: 2, n: 1}", 1, 3},
    };
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        const bl_generator_kind *generator = given[i].generator;
        bl_value values[BL_MAX_PARAMS];
        bl_mesh_builder b = {.ctx = ctx, .dim = generator->dim};
        bl_mesh mesh;
        reading r;
        assert_int_equal(read(ctx, &r, generator->dim, &generator->kind, given[i].text, values), BL_OK);
        assert_int_equal(generator->generate(&b, values, given[i].element), BL_OK);
        assert_int_equal(bl_mesh_finish(&b, &mesh), BL_OK);
        assert_int_equal(mesh.nelement, given[i].elements);
        assert_true(fabs(bl_mesh_volume(&mesh) - given[i].volume) < 1e-13);
        bl_mesh_destroy(&mesh);
        end(&r);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers__are_kept_as_they_are),
        cmocka_unit_test(wrong_numbers__are_refused_with_their_position),
        cmocka_unit_test(generators__take_their_parameters_from_yaml),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
