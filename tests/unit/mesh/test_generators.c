/* Generators one at a time: where nodes are, grading, orders of convergence on arcs, values that are refused. What holds for all of them
 * with all elements: tests/conform/mesh. */
#include "support/meshes.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
#define LIST(...) ((const test_value[]){__VA_ARGS__, {0}})

/* ---- where nodes are */

static void rectangle__has_cells_in_rows(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    test_generated(ctx, "rectangle", "quad4", LIST({"to", {10, 1}, 0}, {"n", {20, 2}, 2}), &mesh);
    assert_int_equal(mesh.dim, 2);
    assert_int_equal(mesh.nnode, 21 * 3);
    assert_int_equal(mesh.nelement, 40);
    assert_memory_equal(mesh.block->node, ((bl_index[]){0, 1, 22, 21}), 4 * sizeof(bl_index));
    for (int j = 0; j <= 2; j++)
        for (int i = 0; i <= 20; i++) {
            assert_true(fabs(mesh.x[21 * j + i][0] - 0.5 * i) < 1e-14);
            assert_true(mesh.x[21 * j + i][1] == 0.5 * j);
        }
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* counts of nodes of one cell, cut or not, and of 2 x 3 x 4 cells by Euler's formulas of lattices */
static void every_kind__has_its_number_of_nodes(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const struct {
        const char *generator, *element;
        int nodes, elements;
    } wanted[] = {
        {"rectangle", "quad4", 3 * 4, 6},      {"rectangle", "quad9", 5 * 7, 6},
        {"rectangle", "quad8", 5 * 7 - 6, 6},  {"rectangle", "triangle3", 3 * 4, 12},
        {"rectangle", "triangle6", 5 * 7, 12}, {"box", "hexa8", 3 * 4 * 5, 24},
        {"box", "hexa27", 5 * 7 * 9, 24},      {"box", "tetra4", 3 * 4 * 5, 144},
        {"box", "tetra10", 5 * 7 * 9, 144},    {"box", "hexa20", 60 + 2 * 4 * 5 + 3 * 3 * 5 + 3 * 4 * 4, 24},
        {"box", "wedge6", 3 * 4 * 5, 48},      {"box", "wedge15", 60 + 2 * 4 * 5 + 3 * 3 * 5 + 3 * 4 * 4 + 6 * 5, 48},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        bool plane = i < 5;
        bl_mesh mesh;
        test_generated(ctx, wanted[i].generator, wanted[i].element,
                       LIST({"size", {1, 1, 1}, plane ? 2 : 3}, {"n", {2, 3, 4}, plane ? 2 : 3}), &mesh);
        assert_int_equal(mesh.nnode, wanted[i].nodes);
        assert_int_equal(mesh.nelement, wanted[i].elements);
        bl_mesh_destroy(&mesh);
    }
    test_context_end(ctx);
}

static void one_number__stands_for_all_directions(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    test_generated(ctx, "box", "hexa8", LIST({"size", {2}, 1}, {"n", {3}, 1}), &mesh);
    assert_int_equal(mesh.nelement, 27);
    assert_true(fabs(bl_mesh_volume(&mesh) - 8) < 1e-13);
    bl_mesh_destroy(&mesh);
    test_generated(ctx, "ell", "quad4", LIST({"size", {3}, 1}, {"thickness", {1}, 1}, {"n", {2, 4}, 2}), &mesh);
    assert_int_equal(mesh.nelement, 2 * 2 + 2 * 2 * 4);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* nodes of quadratic elements on the true arcs, and halfway in angle */
static void middles_of_arcs__are_on_them(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    test_generated(ctx, "quarter_ring", "quad8", LIST({"inner", {1}, 0}, {"outer", {3}, 0}, {"n", {2, 1}, 2}), &mesh);
    const bl_mesh_set *outer = bl_mesh_set_of(&mesh, "outer", BL_SET_NODES);
    assert_int_equal(outer->count, 5);
    for (int i = 0; i < 5; i++) {
        const double *x = mesh.x[outer->item[i]];
        assert_true(fabs(x[0] - 3 * cos(i * PI / 8)) < 1e-15 && fabs(x[1] - 3 * sin(i * PI / 8)) < 1e-15);
    }
    bl_mesh_destroy(&mesh);
    test_generated(ctx, "cylinder_sector", "hexa8",
                   LIST({"inner", {1}, 0}, {"outer", {3}, 0}, {"angle", {PI / 2}, 0}, {"height", {1}, 0}, {"n", {2}, 1}), &mesh);
    const bl_mesh_set *left = bl_mesh_set_of(&mesh, "left", BL_SET_NODES), *end = bl_mesh_set_of(&mesh, "end", BL_SET_NODES);
    assert_int_equal(left->count, 9);
    assert_memory_equal(left->item, end->item, 9 * sizeof(bl_index));
    for (bl_index i = 0; i < left->count; i++)
        assert_true(mesh.x[left->item[i]][0] == 0);
    assert_int_equal(bl_mesh_set_of(&mesh, "bottom", BL_SET_FACES)->count, 4);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* ---- grading */

static void grading__is_the_ratio_of_last_to_first_cell(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const double gradings[] = {1, 1 + 1e-9, 4, 0.1, 1e6, 1e-6};
    for (int g = 0; g < 6; g++)
        for (int n = 2; n < 40; n += 9) {
            bl_mesh mesh;
            double wanted = gradings[g];
            test_generated(ctx, "segment", "segment3", LIST({"from", {-1}, 0}, {"to", {2}, 0}, {"n", {n}, 0}, {"grading", {wanted}, 0}),
                           &mesh);
            assert_int_equal(mesh.nelement, n);
            double size[40];
            for (bl_index e = 0; e < n; e++) {
                const bl_index *node = &mesh.block->node[3 * e];
                size[e] = mesh.x[node[1]][0] - mesh.x[node[0]][0];
                double middle = (mesh.x[node[1]][0] + mesh.x[node[0]][0]) / 2;
                assert_true(fabs(mesh.x[node[2]][0] - middle) <= 1e-15);
            }
            /* rounding of coordinates of size 2, against the smallest cell */
            double rounding = 1e-15 / fmin(size[0], size[n - 1]);
            assert_true(fabs(size[n - 1] / size[0] - wanted) <= 4 * wanted * rounding);
            for (int e = 2; e < n; e++) /* in geometric progression */
                assert_true(fabs(size[e] * size[e - 2] - size[e - 1] * size[e - 1]) <= 4e-15 * (size[e] + size[e - 1] + size[e - 2]));
            bl_mesh_destroy(&mesh);
        }
    test_context_end(ctx);
}

/* ---- arcs */

static void area_of_a_ring__converges_with_order_2p(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const char *const kinds[] = {"triangle3", "quad4", "triangle6", "quad8", "quad9"};
    for (int k = 0; k < 5; k++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            bl_mesh mesh;
            test_generated(ctx, "quarter_ring", kinds[k], LIST({"inner", {1}, 0}, {"outer", {2}, 0}, {"n", {fine ? 16 : 8, 2}, 2}), &mesh);
            error[fine] = fabs(bl_mesh_volume(&mesh) - 3 * PI / 4);
            bl_mesh_destroy(&mesh);
        }
        double order = log2(error[0] / error[1]), wanted = k < 2 ? 2 : 4;
        assert_true(fabs(order - wanted) < 0.02); /* the next term is (pi/32)^2 of the first */
    }
    test_context_end(ctx);
}

static void a_tube__is_closed(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    test_generated(ctx, "cylinder_sector", "hexa8",
                   LIST({"inner", {1}, 0}, {"outer", {2}, 0}, {"angle", {2 * PI}, 0}, {"height", {1}, 0}, {"n", {6, 1, 1}, 3}), &mesh);
    assert_int_equal(mesh.nnode, 6 * 2 * 2);
    assert_null(bl_mesh_set_of(&mesh, "start", BL_SET_NODES));
    assert_null(bl_mesh_set_of(&mesh, "end", BL_SET_FACES));
    assert_int_equal(test_mesh_conforms(&mesh), 6 * 4);
    assert_true(fabs(bl_mesh_volume(&mesh) - 3 * 3 * sin(PI / 3)) < 1e-13); /* hexagons */
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* three blocks of n x n cells around one corner, 2 n cells along every edge: 3 n^2 + 3 n + 1 nodes on a sphere */
static void an_octant__has_three_blocks_and_converges_with_order_2p(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const struct {
        const char *element;
        int degree;
        double share; /* of the next term in the order measured: (n/pi)^2 of cells of pi/(4 n), times a number of the element */
    } kinds[] = {{"tetra4", 1, 0.05}, {"hexa8", 1, 0.05}, {"wedge6", 1, 0.05}, {"tetra10", 2, 0.1},
                 {"hexa20", 2, 0.1},  {"hexa27", 2, 0.1}, {"wedge15", 2, 0.1}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            bl_mesh mesh;
            int n = fine ? 4 : 2;
            test_generated(ctx, "sphere_octant", kinds[k].element, LIST({"inner", {1}, 0}, {"outer", {2}, 0}, {"n", {n, 1}, 2}), &mesh);
            if (kinds[k].degree == 1)
                assert_int_equal(mesh.nnode, 2 * (3 * n * n + 3 * n + 1));
            assert_int_equal(bl_mesh_set_of(&mesh, "back", BL_SET_NODES)->count, bl_mesh_set_of(&mesh, "left", BL_SET_NODES)->count);
            error[fine] = fabs(bl_mesh_volume(&mesh) - 7 * PI / 6);
            bl_mesh_destroy(&mesh);
        }
        double order = log2(error[0] / error[1]);
        if (!(fabs(order - 2 * kinds[k].degree) < kinds[k].share))
            fail_msg("%s: order %.3f", kinds[k].element, order);
    }
    test_context_end(ctx);
}

static void a_plate_with_a_hole__has_its_corner_in_both_sides(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    test_generated(ctx, "plate_with_hole", "quad9", LIST({"radius", {5}, 0}, {"size", {20, 10}, 2}, {"n", {2, 3, 4}, 3}), &mesh);
    const bl_mesh_set *right = bl_mesh_set_of(&mesh, "right", BL_SET_NODES), *top = bl_mesh_set_of(&mesh, "top", BL_SET_NODES);
    assert_int_equal(mesh.nelement, 20);
    assert_int_equal(right->count, 5);
    assert_int_equal(top->count, 7);
    assert_int_equal(right->item[4], top->item[0]);
    for (bl_index k = 0; k < 5; k++)
        assert_true(mesh.x[right->item[k]][0] == 20 && mesh.x[right->item[k]][1] == 2.5 * k);
    for (bl_index k = 0; k < 7; k++)
        assert_true(fabs(mesh.x[top->item[k]][0] - (20 - 20.0 / 6 * k)) < 1e-14 && mesh.x[top->item[k]][1] == 10);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* ---- refusals */

#define SIZES \
    { "size", {3, 2, 1}, 3 }
static const struct {
    const char *generator, *element;
    test_value value[7];
    const char *words;
} wrong[] = {
    {"rectangle", "hexa8", {{"to", {1, 1}, 0}, {"n", {2}, 0}}, "a rectangle cannot be meshed with hexa8"},
    {"segment", "quad4", {{"to", {1}, 0}, {"n", {2}, 0}}, "a segment cannot be meshed with quad4"},
    {"segment", "segment2", {{"from", {1}, 0}, {"to", {1}, 0}, {"n", {2}, 0}}, "segment: `to` is 1; it must be greater than `from`, 1"},
    {"segment", "segment2", {{"to", {1}, 0}, {"n", {2, 2}, 2}}, "segment: n needs one number, found 2"},
    {"rectangle", "quad4", {{"n", {2}, 0}}, "rectangle needs `to` or `size`"},
    {"rectangle", "quad4", {{"to", {1, 1}, 0}, {"size", {1}, 0}, {"n", {2}, 0}}, "rectangle: `to` and `size` cannot both be given"},
    {"rectangle", "quad4", {{"from", {0, 2}, 0}, {"to", {1, 1}, 0}, {"n", {2}, 0}}, "rectangle: y of `to` is 1; it must be greater than 2"},
    {"rectangle", "quad4", {{"size", {1, -1}, 2}, {"n", {2}, 0}}, "rectangle: size must be positive, found -1"},
    {"rectangle", "quad4", {SIZES, {"n", {2}, 0}}, "rectangle: size needs 1 or 2 numbers, found 3"},
    {"box", "hexa8", {{"size", {1, 1}, 2}, {"n", {2}, 0}}, "box: size needs 1 or 3 numbers, found 2"},
    {"box", "hexa8", {SIZES, {"n", {2, 2}, 2}}, "box: n needs 1 or 3 numbers, found 2"},
    {"box", "hexa8", {SIZES, {"n", {2.5}, 0}}, "box: n must be integers of at least 1, found 2.5"},
    {"box", "hexa8", {SIZES, {"n", {2, 0, 2}, 3}}, "box: n must be positive, found 0"},
    {"box", "hexa8", {SIZES, {"n", {2}, 0}, {"grading", {1e7}, 0}}, "box: grading must be between 1e-06 and 1e+06, found 1e+07"},
    {"box", "hexa8", {SIZES, {"n", {2}, 0}, {"grading", {-1}, 0}}, "box: grading must be positive, found -1"},
    {"ell", "quad4", {{"size", {3}, 0}, {"thickness", {1, 3}, 2}, {"n", {2}, 0}}, "ell: thickness is 3; it must be less than size, 3"},
    {"quarter_ring",
     "quad4",
     {{"inner", {2}, 0}, {"outer", {1}, 0}, {"n", {2}, 0}},
     "quarter_ring: outer is 1; it must be greater than inner, 2"},
    {"quarter_ring", "quad4", {{"inner", {0}, 0}, {"outer", {1}, 0}, {"n", {2}, 0}}, "quarter_ring: inner must be positive, found 0"},
    {"cylinder_sector",
     "hexa8",
     {{"inner", {1}, 0}, {"outer", {2}, 0}, {"angle", {7}, 0}, {"height", {1}, 0}, {"n", {9}, 0}},
     "cylinder_sector: angle must be positive and at most 2 pi, found 7"},
    {"cylinder_sector",
     "hexa8",
     {{"inner", {1}, 0}, {"outer", {2}, 0}, {"angle", {6.283185307179586}, 0}, {"height", {1}, 0}, {"n", {2}, 0}},
     "cylinder_sector: n around must be large enough that a cell spans less than half a revolution, found 2"},
    {"cylinder_sector",
     "hexa8",
     {{"inner", {1}, 0}, {"outer", {2}, 0}, {"angle", {1}, 0}, {"height", {0}, 0}, {"n", {2}, 0}},
     "cylinder_sector: height must be positive, found 0"},
    {"plate_with_hole",
     "quad4",
     {{"radius", {2}, 0}, {"size", {3, 2}, 2}, {"n", {2}, 0}},
     "plate_with_hole: radius is 2; it must be positive and less than the height of the plate, 2"},
    {"plate_with_hole",
     "quad4",
     {{"radius", {1}, 0}, {"size", {3}, 0}, {"n", {2, 2}, 2}},
     "plate_with_hole: n needs 1 or 3 numbers, found 2"},
    {"sphere_octant",
     "hexa8",
     {{"inner", {2}, 0}, {"outer", {1}, 0}, {"n", {2}, 0}},
     "sphere_octant: outer is 1; it must be greater than inner, 2"},
    /* sizes */
    {"sphere_octant",
     "hexa8",
     {{"inner", {1}, 0}, {"outer", {2}, 0}, {"n", {2000}, 0}},
     "the mesh would have 24000000000 elements; the limit is 20000000"},
    {"rectangle", "quad4", {{"size", {1}, 0}, {"n", {10000}, 0}}, "the mesh would have 100000000 elements; the limit is 20000000"},
    {"box", "tetra10", {SIZES, {"n", {145}, 0}}, "the mesh would have 24642171 nodes; the limit is 20000000"},
    {"box", "hexa8", {SIZES, {"n", {1e9}, 0}}, "the mesh would have 9223372036854775807 elements; the limit is 20000000"},
    {"box", "hexa8", {SIZES, {"n", {1e300}, 0}}, "the mesh would have 9223372036854775807 elements; the limit is 20000000"},
    {"segment", "segment3", {{"to", {1}, 0}, {"n", {3e7}, 0}}, "the mesh would have 30000000 elements; the limit is 20000000"},
};

static void wrong_values__are_refused_before_memory_is_taken(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bl_mesh mesh;
        size_t calls = bl_context_memory(ctx).calls;
        assert_int_equal(test_generate(ctx, wrong[i].generator, wrong[i].element, wrong[i].value, &mesh), BL_E_MODEL);
        if (!strstr(bl_context_error(ctx)->what, wrong[i].words))
            fail_msg("'%s' does not say '%s'", bl_context_error(ctx)->what, wrong[i].words);
        assert_string_equal(bl_context_error(ctx)->file, "m.yaml");
        assert_int_equal(bl_context_memory(ctx).calls, calls);
    }
    assert_int_equal(bl_context_error(ctx)->line, 3);
    test_context_end(ctx);
}

static void the_right_elements__are_named(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    assert_int_equal(test_generate(ctx, "rectangle", "hexa8", LIST({"size", {1}, 0}, {"n", {1}, 0}), &mesh), BL_E_MODEL);
    assert_string_equal(bl_context_error(ctx)->advice, "possible elements: triangle3, triangle6, quad4, quad8, quad9");
    test_context_end(ctx);
}

/* a request to stop ends the generation */
static void stopping__ends_generation(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    bl_context_stop(ctx);
    assert_int_equal(test_generate(ctx, "box", "hexa8", LIST({"size", {1}, 0}, {"n", {5}, 0}), &mesh), BL_STOPPED);
    test_context_end(ctx);
}

/* ---- memory */

static bl_status generate(bl_context *ctx, void *user) {
    bl_mesh mesh;
    bool plane = user != NULL;
    bl_status status =
        plane ? test_generate(ctx, "ell", "triangle6", LIST({"size", {3}, 0}, {"thickness", {1}, 0}, {"n", {1, 2}, 2}), &mesh)
              : test_generate(ctx, "cylinder_sector", "wedge15",
                              LIST({"inner", {1}, 0}, {"outer", {2}, 0}, {"angle", {2}, 0}, {"height", {1}, 0}, {"n", {2}, 0}), &mesh);
    if (status == BL_OK)
        bl_mesh_destroy(&mesh);
    return status;
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    static int plane;
    for (int i = 0; i < 2; i++) {
        assert_true(test_failing_allocations(generate, i ? &plane : NULL) > 20);
        assert_true(test_failing_once(generate, i ? &plane : NULL) > 20);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rectangle__has_cells_in_rows),
        cmocka_unit_test(every_kind__has_its_number_of_nodes),
        cmocka_unit_test(one_number__stands_for_all_directions),
        cmocka_unit_test(middles_of_arcs__are_on_them),
        cmocka_unit_test(grading__is_the_ratio_of_last_to_first_cell),
        cmocka_unit_test(area_of_a_ring__converges_with_order_2p),
        cmocka_unit_test(a_tube__is_closed),
        cmocka_unit_test(an_octant__has_three_blocks_and_converges_with_order_2p),
        cmocka_unit_test(a_plate_with_a_hole__has_its_corner_in_both_sides),
        cmocka_unit_test(wrong_values__are_refused_before_memory_is_taken),
        cmocka_unit_test(the_right_elements__are_named),
        cmocka_unit_test(stopping__ends_generation),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
