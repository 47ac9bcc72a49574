/* Meshes made by hand: what the builder keeps, sorts and refuses; boundary, location and distortion where generators do not lead. */
#include "support/meshes.h"

#include <math.h>
#include <stdio.h>

static const double square[6][3] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}}; /* two unit squares side by side */

static bl_mesh_builder begin(bl_context *ctx, int dim, const double (*x)[3], bl_index n) {
    bl_mesh_builder b = {.ctx = ctx, .dim = dim, .place = {"m.yaml", 3, 7}};
    for (bl_index i = 0; i < n; i++)
        assert_int_equal(bl_mesh_add_node(&b, 0, x[i]), BL_OK);
    return b;
}

static void add(bl_mesh_builder *b, const bl_element_kind *kind, const bl_index *node) {
    assert_int_equal(bl_mesh_add_element(b, kind, 0, node), BL_OK);
}
#define NODES(...) ((const bl_index[]){__VA_ARGS__})

/* finishing is refused with this message and the position of the mesh; no memory is left */
static void refused(bl_mesh_builder *b, const char *words) {
    bl_context *ctx = b->ctx;
    bl_mesh mesh;
    assert_int_equal(bl_mesh_finish(b, &mesh), BL_E_MODEL);
    if (!strstr(bl_context_error(ctx)->what, words))
        fail_msg("'%s' does not say '%s'", bl_context_error(ctx)->what, words);
    assert_string_equal(bl_context_error(ctx)->file, "m.yaml");
    assert_int_equal(bl_context_error(ctx)->line, 3);
    assert_int_equal(b->nnode, 0);
    assert_null(mesh.x);
    test_context_end(ctx);
}

/* ---- what is kept */

static void elements__are_sorted_by_kind_and_sets_follow_them(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh_builder b = begin(ctx, 2, square, 6);
    bl_mesh mesh;
    add(&b, &bl_element_quad4, NODES(0, 1, 4, 3));
    add(&b, &bl_element_triangle3, NODES(1, 2, 5));
    add(&b, &bl_element_triangle3, NODES(1, 5, 4));
    /* not in order, some twice; elements by the order of adding */
    assert_int_equal(bl_mesh_add_to_set(&b, "some", BL_SET_ELEMENTS, 0, 0), BL_OK);
    assert_int_equal(bl_mesh_add_to_set(&b, "some", BL_SET_ELEMENTS, 2, 0), BL_OK);
    assert_int_equal(bl_mesh_add_to_set(&b, "some", BL_SET_ELEMENTS, 0, 0), BL_OK);
    assert_int_equal(bl_mesh_add_to_set(&b, "some", BL_SET_NODES, 5, 0), BL_OK);
    assert_int_equal(bl_mesh_add_to_set(&b, "some", BL_SET_NODES, 2, 0), BL_OK);
    assert_int_equal(bl_mesh_add_to_set(&b, "bottom", BL_SET_FACES, 0, 0), BL_OK);
    assert_int_equal(bl_mesh_add_to_set(&b, "bottom", BL_SET_FACES, 1, 0), BL_OK);
    assert_int_equal(bl_mesh_add_to_set(&b, "bottom", BL_SET_FACES, 0, 3), BL_OK);
    assert_int_equal(bl_mesh_finish(&b, &mesh), BL_OK);
    assert_int_equal(mesh.nblock, 2);
    assert_ptr_equal(mesh.block[0].kind, &bl_element_triangle3);
    assert_int_equal(mesh.block[0].count, 2);
    assert_int_equal(mesh.block[1].first, 2);
    assert_memory_equal(mesh.block[0].node, NODES(1, 2, 5, 1, 5, 4), 6 * sizeof(bl_index));
    assert_null(mesh.label);
    assert_null(mesh.element_label);
    bl_index at;
    assert_ptr_equal(bl_mesh_block_of(&mesh, 1, &at), &mesh.block[0]);
    assert_int_equal(at, 1);
    assert_ptr_equal(bl_mesh_block_of(&mesh, 2, &at), &mesh.block[1]);
    assert_int_equal(at, 0);
    const bl_mesh_set *set = bl_mesh_set_of(&mesh, "some", BL_SET_ELEMENTS);
    assert_int_equal(set->count, 2);
    assert_memory_equal(set->item, NODES(1, 2), 2 * sizeof(bl_index));
    set = bl_mesh_set_of(&mesh, "some", BL_SET_NODES);
    assert_int_equal(set->count, 2);
    assert_memory_equal(set->item, NODES(2, 5), 2 * sizeof(bl_index));
    set = bl_mesh_set_of(&mesh, "bottom", BL_SET_FACES);
    assert_int_equal(set->count, 3);
    assert_memory_equal(set->item, NODES(0, 2, 2), 3 * sizeof(bl_index));
    assert_memory_equal(set->face, ((uint8_t[]){0, 0, 3}), 3);
    assert_null(bl_mesh_set_of(&mesh, "bottom", BL_SET_NODES));
    assert_true(fabs(bl_mesh_volume(&mesh) - 2) < 1e-15);
    /* the edge between square and triangle is no boundary */
    bl_index count;
    const bl_index *element;
    const uint8_t *face;
    assert_int_equal(bl_mesh_boundary(&mesh, &count, &element, &face), BL_OK);
    assert_int_equal(count, 6);
    assert_int_equal(count, test_mesh_conforms(&mesh));
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

static void labels__are_kept_and_stand_in_messages(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    for (int wrong = 0; wrong < 2; wrong++) {
        bl_mesh_builder b = {.ctx = ctx, .dim = 2};
        bl_mesh mesh;
        for (bl_index i = 0; i < 6; i++)
            assert_int_equal(bl_mesh_add_node(&b, i == 3 ? 0 : 100 + i, square[i]), BL_OK);
        assert_int_equal(bl_mesh_add_element(&b, &bl_element_quad4, 70, NODES(0, 1, 4, 3)), BL_OK);
        assert_int_equal(bl_mesh_add_element(&b, &bl_element_triangle3, 0, NODES(1, 2, 5)), BL_OK);
        assert_int_equal(bl_mesh_add_element(&b, &bl_element_triangle3, 72, wrong ? NODES(1, 4, 5) : NODES(1, 5, 4)), BL_OK);
        if (wrong) {
            assert_int_equal(bl_mesh_finish(&b, &mesh), BL_E_MODEL);
            assert_non_null(strstr(bl_context_error(ctx)->what, "element 72 (triangle3) is inverted"));
            continue;
        }
        assert_int_equal(bl_mesh_finish(&b, &mesh), BL_OK);
        assert_memory_equal(mesh.label, NODES(100, 101, 102, 4, 104, 105), 6 * sizeof(bl_index));
        assert_memory_equal(mesh.element_label, NODES(1, 72, 70), 3 * sizeof(bl_index));
        bl_mesh_destroy(&mesh);
    }
    test_context_end(ctx);
}

static void rounding_off_the_plane__is_taken_away(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    double x[6][3];
    memcpy(x, square, sizeof x);
    x[4][2] = 1e-12;
    bl_mesh_builder b = begin(ctx, 2, (const double(*)[3])x, 6);
    bl_mesh mesh;
    add(&b, &bl_element_quad4, NODES(0, 1, 4, 3));
    add(&b, &bl_element_quad4, NODES(1, 2, 5, 4));
    assert_int_equal(bl_mesh_finish(&b, &mesh), BL_OK);
    assert_true(mesh.x[4][2] == 0);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* Corners where the map is singular on purpose: a quad4 collapsed to a triangle, a quad8 with its middles at the quarters of two edges. */
static void singular_corners__are_accepted(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh_builder b = begin(ctx, 2, square, 6);
    bl_mesh mesh;
    add(&b, &bl_element_quad4, NODES(0, 1, 4, 3));
    add(&b, &bl_element_quad4, NODES(1, 2, 5, 5));
    add(&b, &bl_element_triangle3, NODES(1, 5, 4));
    assert_int_equal(bl_mesh_finish(&b, &mesh), BL_OK);
    assert_true(fabs(bl_mesh_volume(&mesh) - 2) < 1e-15);
    bl_mesh_destroy(&mesh);
    static const double quarter[8][3] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.25, 0}, {1, 0.5}, {0.5, 1}, {0, 0.25}};
    b = begin(ctx, 2, quarter, 8);
    add(&b, &bl_element_quad8, NODES(0, 1, 2, 3, 4, 5, 6, 7));
    assert_int_equal(bl_mesh_finish(&b, &mesh), BL_OK);
    assert_true(fabs(bl_mesh_volume(&mesh) - 1) < 1e-15);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* ---- what is refused */

static bl_mesh_builder squares(int dim) {
    bl_mesh_builder b = begin(test_context(NULL), dim, square, 6);
    if (dim == 2)
        add(&b, &bl_element_quad4, NODES(0, 1, 4, 3));
    return b;
}

static void inverted_elements__are_refused_by_number(void **unused) {
    (void)unused;
    bl_mesh_builder b = squares(2);
    add(&b, &bl_element_quad4, NODES(1, 4, 5, 2)); /* clockwise */
    refused(&b, "element 2 (quad4) is inverted: the determinant of its map is -0.25 at a quadrature point");
    b = squares(2);
    add(&b, &bl_element_quad4, NODES(1, 2, 4, 5)); /* crossed */
    refused(&b, "element 2 (quad4) is ");
    static const double x[4][3] = {{0, 0}, {2, 0}, {0.9, 0.9}, {0, 2}}; /* not convex, though sound where it is integrated */
    b = begin(test_context(NULL), 2, x, 4);
    add(&b, &bl_element_quad4, NODES(0, 1, 2, 3));
    refused(&b, "element 1 (quad4) is inverted: the determinant of its map is -0.1 at node 3");
}

static void flat_elements__are_refused_and_thin_ones_are_not(void **unused) {
    (void)unused;
    double x[4][3] = {{0, 0}, {1, 0}, {1, 0}, {0, 0}};
    for (int thin = 0; thin < 2; thin++) {
        bl_context *ctx = test_context(NULL);
        x[2][1] = x[3][1] = thin ? 1e-9 : 0;
        bl_mesh_builder b = begin(ctx, 2, (const double(*)[3])x, 4);
        add(&b, &bl_element_quad4, NODES(0, 1, 2, 3));
        bl_mesh mesh;
        if (!thin) {
            refused(&b, "element 1 (quad4) is degenerate: the determinant of its map is 0 ");
            continue;
        }
        assert_int_equal(bl_mesh_finish(&b, &mesh), BL_OK);
        bl_mesh_destroy(&mesh);
        test_context_end(ctx);
    }
    bl_context *ctx = test_context(NULL); /* four corners of a tetrahedron in one plane */
    bl_mesh_builder b = begin(ctx, 3, square, 5);
    add(&b, &bl_element_tetra4, NODES(0, 1, 3, 4));
    add(&b, &bl_element_tetra4, NODES(0, 2, 3, 4));
    refused(&b, "element 1 (tetra4) is degenerate");
}

static void wrong_nodes__are_refused_by_number(void **unused) {
    (void)unused;
    bl_mesh_builder b = squares(2);
    add(&b, &bl_element_quad4, NODES(1, 2, 6, 4));
    refused(&b, "element 2 (quad4) has a node number 7; there are 6 nodes");
    b = squares(2);
    add(&b, &bl_element_quad4, NODES(1, 2, -1, 4));
    refused(&b, "element 2 (quad4) has a node number 0; there are 6 nodes");
    b = squares(2);
    add(&b, &bl_element_triangle3, NODES(1, 2, 4));
    refused(&b, "node 6 belongs to no element");
    b = squares(2);
    add(&b, &bl_element_quad4, NODES(1, 2, 5, 4));
    b.x[4][2] = 0.1;
    refused(&b, "node 5 has z = 0.1; in a mesh of dimension 2 it must be 0");
    b = squares(1);
    refused(&b, "the mesh has no elements");
    b = begin(test_context(NULL), 2, square, 0);
    refused(&b, "the mesh has no nodes");
    b = squares(2);
    assert_int_equal(bl_mesh_add_node(&b, 12, (const double[3]){0, NAN, 0}), BL_E_MODEL);
    assert_string_equal(bl_context_error(b.ctx)->what, "coordinate y of node 12 is not a finite number");
    assert_int_equal(bl_mesh_add_element(&b, &bl_element_hexa8, 0, NODES(0, 1, 2, 3, 4, 5, 6, 7)), BL_E_MODEL);
    assert_string_equal(bl_context_error(b.ctx)->what, "element 2 is a hexa8, of dimension 3; the mesh has dimension 2");
    bl_mesh_builder_destroy(&b);
    test_context_end(b.ctx);
}

static void wrong_sets__are_refused_by_name(void **unused) {
    (void)unused;
    static const struct {
        bl_set_what what;
        bl_index item;
        uint8_t face;
        const char *words;
    } wrong[] = {
        {BL_SET_NODES, 6, 0, "set 'edge' has a node number 7; there are 6"},
        {BL_SET_ELEMENTS, 2, 0, "set 'edge' has an element number 3; there are 2"},
        {BL_SET_ELEMENTS, -1, 0, "set 'edge' has an element number 0; there are 2"},
        {BL_SET_FACES, 0, 4, "set 'edge' has face 5 of element 1, a quad4 with 4 faces"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bl_mesh_builder b = squares(2);
        add(&b, &bl_element_quad4, NODES(1, 2, 5, 4));
        assert_int_equal(bl_mesh_add_to_set(&b, "edge", wrong[i].what, wrong[i].item, wrong[i].face), BL_OK);
        refused(&b, wrong[i].words);
    }
}

/* more than can be held is refused with the number before memory is taken */
static void too_many__are_refused_before_memory_is_taken(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh_builder b = {.ctx = ctx, .dim = 3};
    size_t calls = bl_context_memory(ctx).calls;
    assert_int_equal(bl_mesh_expect(&b, 1000, 100000000), BL_E_MODEL);
    assert_string_equal(bl_context_error(ctx)->what, "the mesh would have 100000000 elements; the limit is 20000000");
    assert_int_equal(bl_mesh_expect(&b, INT64_MAX, 10), BL_E_MODEL);
    assert_string_equal(bl_context_error(ctx)->what, "the mesh would have 9223372036854775807 nodes; the limit is 20000000");
    assert_int_equal(bl_context_memory(ctx).calls, calls);
    bl_mesh_builder_destroy(&b);
    test_context_end(ctx);
}

static void a_face_of_three_elements__is_refused(void **unused) {
    (void)unused;
    bl_mesh_builder b = squares(2);
    bl_context *ctx = b.ctx;
    bl_mesh mesh;
    bl_index count;
    const bl_index *element;
    const uint8_t *face;
    add(&b, &bl_element_quad4, NODES(1, 2, 5, 4));
    add(&b, &bl_element_triangle3, NODES(1, 2, 4));
    assert_int_equal(bl_mesh_finish(&b, &mesh), BL_OK);
    assert_int_equal(bl_mesh_boundary(&mesh, &count, &element, &face), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->what, "more than two elements share a face of elements "));
    assert_int_equal(bl_mesh_distort(&mesh, 0.1, 1), BL_E_MODEL);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* ---- bars */

/* three bars meet in a node, one of them curved: a parabola from (0, 0) to (2, 0) with its top at (1, 1) */
static void bars__meet_in_nodes_and_have_lengths_and_points(void **unused) {
    (void)unused;
    static const double x[5][3] = {{0, 0, 0}, {0, 3, 4}, {2, 0, 0}, {1, 1, 0}, {0, 0, -2}};
    bl_context *ctx = test_context(NULL);
    bl_mesh_builder b = begin(ctx, 3, x, 5);
    bl_mesh mesh;
    bl_index count;
    const bl_index *element;
    const uint8_t *face;
    double xi[3];
    add(&b, &bl_element_segment2, NODES(1, 0)); /* against y and z: bars may point anywhere */
    add(&b, &bl_element_segment2, NODES(0, 4));
    add(&b, &bl_element_segment3, NODES(0, 2, 3));
    assert_int_equal(bl_mesh_finish(&b, &mesh), BL_OK);
    assert_true(bl_mesh_of_bars(&mesh));
    assert_int_equal(bl_mesh_boundary(&mesh, &count, &element, &face), BL_OK);
    assert_int_equal(count, 3); /* the ends where nothing else is */
    /* y = 1 - s^2, x = 1 + s: int sqrt(1 + 4 s^2) ds = sqrt 5 + asinh(2)/2; three points see it to 1 % */
    assert_true(fabs(bl_mesh_volume(&mesh) - (5 + 2 + sqrt(5) + asinh(2) / 2)) < 0.03);
    assert_int_equal(bl_mesh_locate(&mesh, (const double[3]){0, 0.75, 1}, xi), 0);
    assert_true(fabs(xi[0] - 0.5) < 1e-14);
    assert_int_equal(bl_mesh_locate(&mesh, (const double[3]){1.5, 0.75, 0}, xi), 2);
    assert_true(fabs(xi[0] - 0.5) < 1e-9);
    assert_int_equal(bl_mesh_locate(&mesh, (const double[3]){1.5, 0.76, 0}, xi), -1);
    assert_int_equal(bl_mesh_locate(&mesh, (const double[3]){0, 3.3, 4.4}, xi), -1);
    assert_int_equal(bl_mesh_distort(&mesh, 0.2, 3), BL_OK);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

static void bars__that_make_no_sense_are_refused(void **unused) {
    (void)unused;
    static const double x[4][3] = {{0, 0}, {1, 1}, {0.9, 0.9}, {1, 1}};
    bl_mesh_builder b = begin(test_context(NULL), 2, x, 2);
    add(&b, &bl_element_segment2, NODES(0, 0));
    add(&b, &bl_element_segment2, NODES(0, 1));
    refused(&b, "element 1 (segment2) is degenerate");
    b = begin(test_context(NULL), 2, x, 4);
    add(&b, &bl_element_segment2, NODES(2, 0));
    add(&b, &bl_element_segment2, NODES(1, 3));
    refused(&b, "element 2 (segment2) is degenerate");
    b = begin(test_context(NULL), 2, x, 3);
    add(&b, &bl_element_segment3, NODES(0, 1, 2)); /* the middle beyond the quarter: it runs back */
    refused(&b, "(segment3) is inverted");
    b = begin(test_context(NULL), 2, square, 6);
    add(&b, &bl_element_quad4, NODES(0, 1, 4, 3));
    assert_int_equal(bl_mesh_add_element(&b, &bl_element_segment2, 0, NODES(1, 2)), BL_E_MODEL);
    assert_string_equal(bl_context_error(b.ctx)->what, "element 2 is a segment2, but the mesh has elements of dimension 2");
    bl_context *ctx = b.ctx;
    bl_mesh_builder_destroy(&b);
    test_context_end(ctx);
}

/* ---- location and distortion */

static void a_point__is_inside_up_to_a_billionth_of_the_element(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    double xi[3];
    test_generated(ctx, "rectangle", "quad4", (test_value[]){{"size", {1000, 1000}, 2}, {"n", {10, 10}, 2}, {0}}, &mesh);
    assert_int_equal(bl_mesh_locate(&mesh, (const double[3]){1000 + 0.9e-7, 50}, xi), 9);
    assert_int_equal(bl_mesh_locate(&mesh, (const double[3]){1000 + 1.1e-7, 50}, xi), -1);
    assert_int_equal(bl_mesh_locate(&mesh, (const double[3]){100, 100}, xi), 0); /* of four the first */
    assert_int_equal(bl_mesh_locate(&mesh, (const double[3]){NAN, 100}, xi), -1);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* an edge bulges out of the box of its nodes when its middle is off center: x = 1 + (1 - s)/2 (3 + 4 s)/4 ... above both ends */
static void a_point_in_a_bulge__is_found(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const double x[8][3] = {{0, 0}, {1, 0}, {1.2, 1}, {0, 1}, {0.5, 0}, {1.2, 0.4}, {0.6, 1}, {0, 0.5}};
    bl_mesh_builder b = begin(ctx, 2, x, 8);
    bl_mesh mesh;
    add(&b, &bl_element_quad8, NODES(0, 1, 2, 3, 4, 5, 6, 7));
    assert_int_equal(bl_mesh_finish(&b, &mesh), BL_OK);
    double at[3], xi[3], again[3], most = 0;
    for (int i = -100; i <= 100; i++) {
        test_mesh_at(&mesh, 0, (const double[3]){1, i / 100.0}, at);
        most = fmax(most, at[0]);
        at[0] -= 1e-6;
        assert_int_equal(bl_mesh_locate(&mesh, at, xi), 0);
        test_mesh_at(&mesh, 0, xi, again);
        assert_true(hypot(at[0] - again[0], at[1] - again[1]) < 1e-10);
        at[0] += 2e-6;
        assert_int_equal(bl_mesh_locate(&mesh, at, xi), -1);
    }
    assert_true(most > 1.22); /* it does bulge */
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

static void distortion__keeps_straight_edges_straight(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    static const char *const kinds[] = {"triangle6", "quad8", "quad9", "tetra10", "hexa20", "hexa27", "wedge15"};
    for (int i = 0; i < 7; i++) {
        bl_mesh mesh;
        bool plane = i < 3;
        test_generated(ctx, plane ? "rectangle" : "box", kinds[i],
                       (test_value[]){{"size", {1, 2, 3}, plane ? 2 : 3}, {"n", {3, 3, 3}, plane ? 2 : 3}, {0}}, &mesh);
        assert_int_equal(bl_mesh_distort(&mesh, 0.3, 9), BL_OK);
        const bl_mesh_block *block = mesh.block;
        const bl_element_kind *kind = block->kind;
        for (bl_index e = 0; e < block->count; e++)
            for (int a = kind->ncorner; a < kind->nnode; a++)
                for (int p = 0; p < kind->ncorner; p++)
                    for (int q = 0; q < p; q++) { /* middle of which edge? */
                        const bl_index *node = &block->node[(size_t)e * kind->nnode];
                        double off = 0, apart = 0, length = 0;
                        for (int k = 0; k < 3; k++) {
                            length += fabs(kind->node[p][k] - kind->node[q][k]);
                            off += fabs(kind->node[a][k] - (kind->node[p][k] + kind->node[q][k]) / 2);
                            apart = fmax(apart, fabs(mesh.x[node[a]][k] - (mesh.x[node[p]][k] + mesh.x[node[q]][k]) / 2));
                        }
                        bool diagonal = length > 2;
                        if (off < 1e-15 && !diagonal)
                            assert_true(apart < 1e-15);
                    }
        bl_mesh_destroy(&mesh);
    }
    test_context_end(ctx);
}

/* half the distance between neighbors would invert many elements; they are held back, and share 0 changes nothing */
static void strong_distortion__leaves_no_inverted_element(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    test_generated(ctx, "box", "tetra10", (test_value[]){{"size", {1, 1, 1}, 3}, {"n", {4, 4, 4}, 3}, {0}}, &mesh);
    double before = mesh.x[mesh.nnode / 2][0];
    assert_int_equal(bl_mesh_distort(&mesh, 0, 3), BL_OK);
    assert_true(mesh.x[mesh.nnode / 2][0] == before);
    for (uint64_t seed = 1; seed < 20; seed++) {
        double(*first)[3] = test_malloc((size_t)mesh.nnode * sizeof *first), far = 0;
        memcpy(first, mesh.x, (size_t)mesh.nnode * sizeof *first);
        assert_int_equal(bl_mesh_distort(&mesh, 0.5, seed), BL_OK);
        assert_true(test_mesh_least_determinant(&mesh) > 0);
        for (bl_index i = 0; i < mesh.nnode; i++)
            far = fmax(far, fabs(mesh.x[i][0] - first[i][0]));
        assert_true(far > 0.01); /* of cells of 0.25 */
        test_free(first);
    }
    assert_true(fabs(bl_mesh_volume(&mesh) - 1) < 1e-12);
    assert_int_equal(bl_mesh_distort(&mesh, 0.6, 3), BL_E_MODEL);
    assert_int_equal(bl_mesh_distort(&mesh, -0.1, 3), BL_E_MODEL);
    assert_int_equal(bl_mesh_distort(&mesh, NAN, 3), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->what, "distorted by 0 to 0.5"));
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* ---- memory */

static bl_status build_and_use(bl_context *ctx, void *user) {
    (void)user;
    bl_mesh_builder b = {.ctx = ctx, .dim = 2};
    bl_mesh mesh = {.arena.ctx = ctx};
    bl_status status = BL_OK;
    bl_index count;
    const bl_index *element;
    const uint8_t *face;
    for (bl_index i = 0; i < 6 && status == BL_OK; i++)
        status = bl_mesh_add_node(&b, i + 3, square[i]);
    if (status == BL_OK)
        status = bl_mesh_add_element(&b, &bl_element_quad4, 5, NODES(0, 1, 4, 3));
    if (status == BL_OK)
        status = bl_mesh_add_element(&b, &bl_element_triangle3, 6, NODES(1, 2, 5));
    if (status == BL_OK)
        status = bl_mesh_add_element(&b, &bl_element_triangle3, 7, NODES(1, 5, 4));
    for (bl_index i = 0; i < 12 && status == BL_OK; i++)
        status = bl_mesh_add_to_set(&b, i % 2 ? "odd" : "even", BL_SET_FACES, 0, (uint8_t)(i % 4));
    if (status == BL_OK)
        status = bl_mesh_add_to_set(&b, "odd", BL_SET_NODES, 2, 0);
    if (status == BL_OK)
        status = bl_mesh_finish(&b, &mesh);
    if (status == BL_OK)
        status = bl_mesh_boundary(&mesh, &count, &element, &face);
    if (status == BL_OK)
        status = bl_mesh_distort(&mesh, 0.1, 1);
    bl_mesh_builder_destroy(&b);
    bl_mesh_destroy(&mesh);
    return status;
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(build_and_use, NULL) > 20);
    assert_true(test_failing_once(build_and_use, NULL) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements__are_sorted_by_kind_and_sets_follow_them),
        cmocka_unit_test(labels__are_kept_and_stand_in_messages),
        cmocka_unit_test(rounding_off_the_plane__is_taken_away),
        cmocka_unit_test(singular_corners__are_accepted),
        cmocka_unit_test(inverted_elements__are_refused_by_number),
        cmocka_unit_test(flat_elements__are_refused_and_thin_ones_are_not),
        cmocka_unit_test(wrong_nodes__are_refused_by_number),
        cmocka_unit_test(wrong_sets__are_refused_by_name),
        cmocka_unit_test(too_many__are_refused_before_memory_is_taken),
        cmocka_unit_test(a_face_of_three_elements__is_refused),
        cmocka_unit_test(bars__meet_in_nodes_and_have_lengths_and_points),
        cmocka_unit_test(bars__that_make_no_sense_are_refused),
        cmocka_unit_test(a_point__is_inside_up_to_a_billionth_of_the_element),
        cmocka_unit_test(a_point_in_a_bulge__is_found),
        cmocka_unit_test(distortion__keeps_straight_edges_straight),
        cmocka_unit_test(strong_distortion__leaves_no_inverted_element),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
