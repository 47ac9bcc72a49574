/* Meshes in the page: surfaces that are closed and have the right area, edges each once, fields to their precision. */
#include "reading.h"

#include "report/surface.h"

static const char *const elements[] = {"tetra4", "tetra10", "hexa8", "hexa20", "hexa27", "wedge6", "wedge15"};
static const char *const flat[] = {"triangle3", "triangle6", "quad4", "quad8", "quad9"};

/* a box of 1 x 2 x 3, or a rectangle of 1 x 2, pulled apart; all fields, at a few times */
static bool solve(bl_context *ctx, const char *element, bool in_space, const char *path) {
    char text[1024];
    snprintf(text, sizeof text,
             "model: box\ndimension: %d\nmaterials: {m: {type: elastic, E: 1000, nu: 0.25, density: 1}}\n"
             "bodies:\n  - {name: part, mesh: {%s: {from: %s, to: %s, n: %s}, element: %s}, material: m%s}\n"
             "initial: {part: {displacement: %s}}\n"
             "simulate: {until: 0.001, step: 0.0001, every: 0.0002, integrator: newmark}\n",
             in_space ? 3 : 2, in_space ? "box" : "rectangle", in_space ? "[0, 0, 0]" : "[0, 0]", in_space ? "[1, 2, 3]" : "[1, 2]",
             in_space ? "[2, 3, 2]" : "[2, 3]", element, in_space ? "" : ", plane: strain",
             in_space ? "[=x/10, 0, =-z/20]" : "[=x/10, =-y/20]");
    bl_model *model;
    bl_sink sink = {0};
    assert_int_equal(bl_model_read_text(ctx, "box", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_sink_hdf5(ctx, path, &sink), BL_OK);
    bl_status status = bl_simulate(ctx, model, NULL, &sink, 1, NULL);
    bl_sink_destroy(&sink);
    bl_model_destroy(model);
    if (status != BL_OK)
        print_message("%s: %s\n", element, bl_context_error(ctx)->what);
    return status == BL_OK;
}

static double area_of(const float *x, const uint32_t *t) {
    double a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = (double)x[3 * t[1] + (uint32_t)k] - (double)x[3 * t[0] + (uint32_t)k];
        b[k] = (double)x[3 * t[2] + (uint32_t)k] - (double)x[3 * t[0] + (uint32_t)k];
    }
    double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    return sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]) / 2;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* sides of triangles, as pairs of vertices; *once: those of one triangle alone; returns how many different ones there are */
static size_t count_sides(const bl_surface *s, size_t *once) {
    size_t n = 0, different = 0;
    uint64_t *side = malloc((size_t)s->ntriangle * 3 * sizeof *side);
    for (uint32_t t = 0; t < s->ntriangle; t++)
        for (int k = 0; k < 3; k++) {
            uint64_t a = s->triangle[3 * t + (uint32_t)k], b = s->triangle[3 * t + (uint32_t)(k + 1) % 3];
            assert_true(a != b && a < s->nvertex && b < s->nvertex);
            side[n++] = a < b ? a << 32 | b : b << 32 | a;
        }
    qsort(side, n, sizeof *side, by_number);
    *once = 0;
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && side[end] == side[i])
            end++;
        assert_true(end - i <= 2);
        *once += end == i + 1;
        different++;
        i = end;
    }
    free(side);
    return different;
}

/* A closed surface without holes has V - E + F = 2 (Euler), every side belongs to two triangles, the areas add up to those of the box. */
static void check_box(bl_context *ctx, const char *element) {
    bl_result *result;
    const bl_run_mesh *mesh;
    bl_surface s;
    size_t once;
    if (!solve(ctx, element, true, scratch("box.h5")))
        fail();
    assert_int_equal(bl_result_open(ctx, scratch("box.h5"), &result), BL_OK);
    assert_int_equal(bl_result_mesh(result, 0, &mesh), BL_OK);
    assert_int_equal(bl_surface_make(ctx, mesh, &s), BL_OK);
    size_t sides = count_sides(&s, &once);
    assert_int_equal(once, 0);
    assert_int_equal((long)s.nvertex - (long)sides + (long)s.ntriangle, 2);
    double area = 0;
    for (uint32_t t = 0; t < s.ntriangle; t++)
        area += area_of(s.x, s.triangle + 3 * t);
    assert_true(fabs(area - 22) < 1e-4);
    for (uint32_t v = 0; v < s.nvertex; v++) /* on the boundary, all of them */
        assert_true(s.x[3 * v] == 0 || s.x[3 * v] == 1 || s.x[3 * v + 1] == 0 || s.x[3 * v + 1] == 2 || s.x[3 * v + 2] == 0 ||
                    s.x[3 * v + 2] == 3);
    for (uint32_t e = 1; e < s.nedge; e++) /* each once, in order */
        assert_true(s.edge[2 * e] > s.edge[2 * e - 2] || (s.edge[2 * e] == s.edge[2 * e - 2] && s.edge[2 * e + 1] > s.edge[2 * e - 1]));
    bl_surface_destroy(&s);
    bl_result_close(result);
}

static void surface__of_boxes_is_closed_and_has_their_area(void **state) {
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++)
        check_box(*state, elements[k]);
}

static void surface__of_plane_elements_covers_them(void **state) {
    /* borders of 2 x 3 elements: 17 of rectangles, 6 diagonals more of triangles; quadratic ones in halves */
    static const uint32_t edges[] = {23, 46, 17, 34, 34};
    for (size_t k = 0; k < sizeof flat / sizeof *flat; k++) {
        bl_result *result;
        const bl_run_mesh *mesh;
        bl_surface s;
        size_t once;
        if (!solve(*state, flat[k], false, scratch("flat.h5")))
            fail();
        assert_int_equal(bl_result_open(*state, scratch("flat.h5"), &result), BL_OK);
        assert_int_equal(bl_result_mesh(result, 0, &mesh), BL_OK);
        assert_int_equal(bl_surface_make(*state, mesh, &s), BL_OK);
        double area = 0;
        for (uint32_t t = 0; t < s.ntriangle; t++)
            area += area_of(s.x, s.triangle + 3 * t);
        assert_true(fabs(area - 2) < 1e-5);
        assert_int_equal(s.nedge, edges[k]);
        assert_int_equal(s.nnode, mesh->nnode);
        assert_int_equal(s.nvertex, mesh->nnode + (strcmp(flat[k], "quad8") == 0 ? mesh->ncell : 0));
        size_t sides = count_sides(&s, &once); /* a disk: V - E + F = 1 */
        assert_int_equal((long)s.nvertex - (long)sides + (long)s.ntriangle, 1);
        bl_surface_destroy(&s);
        bl_result_close(result);
    }
}

/* ---- fields */

static void check_field(const reading *r, bl_result *result, const char *mesh, const char *field, const uint32_t *node, size_t nodes,
                        size_t vertices) {
    char path[128];
    const bl_quantity *q;
    snprintf(path, sizeof path, "fields/part/%s", member_text(field, "name"));
    assert_int_equal(bl_result_quantity(result, path, &q), BL_OK);
    size_t frames = (size_t)member_number(mesh, "frames"), count;
    long samples = bl_result_samples(result);
    assert_int_equal(frames, samples);
    assert_true(member_number(field, "components") == q->components);
    int32_t *number = read_numbers(r->page, member_text(field, "block"), frames, &count);
    assert_int_equal(count, frames * vertices * (size_t)q->components);
    double *value = malloc((size_t)q->items * (size_t)q->components * sizeof *value);
    const char *low = bl_json_first(bl_json_member(field, "low")), *step = bl_json_first(bl_json_member(field, "step"));
    for (int c = 0; c < q->components; c++, low = bl_json_next(low), step = bl_json_next(step))
        for (size_t f = 0; f < frames; f++) {
            assert_int_equal(bl_result_read(result, q, (long)f, 1, 0, q->items, value), BL_OK);
            for (size_t v = 0; v < nodes; v++) {
                double wanted = value[(size_t)node[v] * (size_t)q->components + (size_t)c];
                double found = bl_json_value(low) + bl_json_value(step) * number[(v * (size_t)q->components + (size_t)c) * frames + f];
                assert_true(fabs(found - wanted) <= bl_json_value(step) * 0.5001);
            }
        }
    free(value);
    free(number);
}

static void fields__come_back(void **state) {
    bl_result *result;
    assert_true(solve(*state, "hexa20", true, scratch("box.h5")));
    const char *path = scratch("box.h5");
    bl_report_options o = reading_options();
    assert_int_equal(bl_report_write(*state, &path, 1, &o, scratch("box.html")), BL_OK);
    assert_int_equal(bl_result_open(*state, path, &result), BL_OK);
    reading r = reading_open(scratch("box.html"));
    const char *mesh = bl_json_first(bl_json_member(r.run, "meshes"));
    assert_string_equal(member_text(mesh, "name"), "part");
    assert_true(member_number(mesh, "body") == -1);
    size_t count, vertices = (size_t)member_number(bl_json_member(mesh, "vertices"), "count");
    uint32_t *node = read_elements(r.page, member_text(bl_json_member(mesh, "nodes"), "block"), 4, &count);
    assert_int_equal(vertices, count + 32); /* one in the middle of each of the 32 outer faces of 2 x 2 x 3 bricks */
    size_t nodes = count;
    bool displacement = false, von_mises = false;
    for (const char *field = bl_json_first(bl_json_member(mesh, "fields")); field; field = bl_json_next(field)) {
        displacement = displacement || bl_json_is(bl_json_member(field, "name"), "displacement");
        von_mises = von_mises || bl_json_is(bl_json_member(field, "name"), "von_mises");
        check_field(&r, result, mesh, field, node, nodes, vertices);
    }
    assert_true(displacement && von_mises);
    free(node);
    reading_close(&r);
    bl_result_close(result);
}

static bl_status report_once(bl_context *ctx, void *user) {
    const char *path = user;
    bl_report_options o = reading_options();
    return bl_report_write(ctx, &path, 1, &o, scratch("memory.html"));
}

static void meshes__survive_failing_memory(void **state) {
    char path[512];
    snprintf(path, sizeof path, "%s", scratch("memory.h5"));
    assert_true(solve(*state, "quad8", false, path));
    assert_true(test_failing_allocations(report_once, path) > 30);
    assert_true(test_failing_once(report_once, path) > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(surface__of_boxes_is_closed_and_has_their_area, setup, teardown),
        cmocka_unit_test_setup_teardown(surface__of_plane_elements_covers_them, setup, teardown),
        cmocka_unit_test_setup_teardown(fields__come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(meshes__survive_failing_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
