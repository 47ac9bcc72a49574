/* Every generator with every kind of element it supports. Volumes: exact for straight shapes; arcs are replaced by chords (linear elements)
 * or parabolas through ends and middle (quadratic ones), whose areas have closed forms, with errors of order 2 p compared with the true
 * arc. */
#include "support/meshes.h"

#include <math.h>
#include <stdio.h>

#define PI 3.14159265358979323846
static const double A = 1.25, B = 2; /* radii */

typedef struct border {
    const char *name;
    bool (*on)(const double x[3]);
    double (*area)(int degree); /* NULL: no closed form */
} border;

typedef struct shape {
    const char *generator;
    test_value value[7];
    double (*volume)(int degree); /* NULL: no closed form; tests/unit/mesh has its convergence */
    border side[7];               /* up to the first without a name */
    double outside[4][3];         /* points that belong to no element */
} shape;

static bool near(double a, double b) { return fabs(a - b) < 1e-12; }

/* ---- arcs: angles of n cells in geometric progression */

typedef struct arc {
    double angle, grading;
    int n;
} arc;
static const arc quarter = {PI / 2, 2, 4}, sector = {2, 0.5, 5}, tube = {2 * PI, 1, 9};

static double cell_angle(const arc *a, int i) {
    double sum = 0;
    for (int k = 0; k < a->n; k++)
        sum += pow(a->grading, (double)k / (a->n - 1));
    return a->angle * pow(a->grading, (double)i / (a->n - 1)) / sum;
}

/* area between the center and the edges of radius 1: triangles, and for parabolas two thirds of chord times height */
static double fan(const arc *a, int degree) {
    double area = 0;
    for (int i = 0; i < a->n; i++) {
        double half = cell_angle(a, i) / 2;
        area += sin(half) * cos(half) + (degree == 2 ? 4.0 / 3 * sin(half) * (1 - cos(half)) : 0);
    }
    return area;
}

/* length of these edges: of a parabola with chord c and height f 1/2 sqrt(c^2 + 16 f^2) + c^2 / (8 f) asinh(4 f / c) */
static double rim(const arc *a, int degree) {
    double length = 0;
    for (int i = 0; i < a->n; i++) {
        double half = cell_angle(a, i) / 2, c = 2 * sin(half), f = 1 - cos(half);
        length += degree == 1 ? c : 0.5 * sqrt(c * c + 16 * f * f) + c * c / (8 * f) * asinh(4 * f / c);
    }
    return length;
}

static double radius(const double x[3]) { return hypot(x[0], x[1]); }
static bool on_inner(const double x[3]) { return near(radius(x), A); }
static bool on_outer(const double x[3]) { return near(radius(x), B); }
static bool on_z0(const double x[3]) { return x[2] == 0; }
static bool on_z3(const double x[3]) { return x[2] == 3; }
static double one(int degree) { return (void)degree, 1; }
static double wall(int degree) { return (void)degree, B - A; }
static double wall3(int degree) { return (void)degree, 3 * (B - A); }

/* ---- segment from -1 to 2 */
static bool segment_left(const double x[3]) { return x[0] == -1; }
static bool segment_right(const double x[3]) { return x[0] == 2; }
static double three(int degree) { return (void)degree, 3; }

/* ---- rectangle (1, 2) to (4, 4), box the same with z from -1 to 0.5 */
static bool x1(const double x[3]) { return x[0] == 1; }
static bool x4(const double x[3]) { return x[0] == 4; }
static bool y2(const double x[3]) { return x[1] == 2; }
static bool y4(const double x[3]) { return x[1] == 4; }
static bool z_1(const double x[3]) { return x[2] == -1; }
static bool z_05(const double x[3]) { return x[2] == 0.5; }
static double two(int degree) { return (void)degree, 2; }
static double four_half(int degree) { return (void)degree, 4.5; }
static double six(int degree) { return (void)degree, 6; }
static double nine(int degree) { return (void)degree, 9; }

/* ---- ell from (1, 0), size 5 x 4, thickness 2 and 1 */
static bool ell_right(const double x[3]) { return x[0] == 6; }
static bool ell_bottom(const double x[3]) { return x[1] == 0; }
static bool ell_inner(const double x[3]) { return (x[0] == 3 && x[1] >= 1) || (x[1] == 1 && x[0] >= 3); }
static double ell_area(int degree) { return (void)degree, 5 * 1 + 2 * 3; }
static double four(int degree) { return (void)degree, 4; }
static double five(int degree) { return (void)degree, 5; }

/* ---- trapezoid (1, 2), (4, 2), (4, 6), (1, 4) */
static bool near_x1(const double x[3]) { return near(x[0], 1); }
static bool near_x4(const double x[3]) { return near(x[0], 4); }
static bool near_y2(const double x[3]) { return near(x[1], 2); }
static bool slanted(const double x[3]) { return near(x[1], 4 + 2 * (x[0] - 1) / 3); }
static double slanted_length(int degree) { return (void)degree, sqrt(13); }

/* ---- quarter ring */
static double quarter_area(int degree) { return (B * B - A * A) * fan(&quarter, degree); }
static double quarter_inner(int degree) { return A * rim(&quarter, degree); }
static double quarter_outer(int degree) { return B * rim(&quarter, degree); }
static bool on_x_axis(const double x[3]) { return x[1] == 0; }
static bool on_y_axis(const double x[3]) { return x[0] == 0; }

/* ---- sector of 2 rad and tube, height 3 */
static double sector_face(int degree) { return (B * B - A * A) * fan(&sector, degree); }
static double sector_volume(int degree) { return 3 * sector_face(degree); }
static double sector_inner(int degree) { return 3 * A * rim(&sector, degree); }
static double sector_outer(int degree) { return 3 * B * rim(&sector, degree); }
static bool sector_end(const double x[3]) { return near(atan2(x[1], x[0]), 2); }
static double tube_face(int degree) { return (B * B - A * A) * fan(&tube, degree); }
static double tube_volume(int degree) { return 3 * tube_face(degree); }
static double tube_inner(int degree) { return 3 * A * rim(&tube, degree); }
static double tube_outer(int degree) { return 3 * B * rim(&tube, degree); }

/* ---- 4 x 3 without a hole of radius 1.25: 3 cells up the right side, 2 along the top */
static const arc low = {0.64350110879328437, 1, 3}, high = {PI / 2 - 0.64350110879328437, 1, 2}; /* atan(3/4) */
static double plate_area(int degree) { return 12 - A * A * (fan(&low, degree) + fan(&high, degree)); }
static double plate_hole(int degree) { return A * (rim(&low, degree) + rim(&high, degree)); }
static double plate_bottom(int degree) { return (void)degree, 4 - A; }
static double plate_left(int degree) { return (void)degree, 3 - A; }
static bool y3(const double x[3]) { return x[1] == 3; }

/* ---- octant of a sphere */
static double norm(const double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }
static bool on_inner_sphere(const double x[3]) { return near(norm(x), A); }
static bool on_outer_sphere(const double x[3]) { return near(norm(x), B); }

static const shape shapes[] = {
    {"segment",
     {{"from", {-1}, 0}, {"to", {2}, 0}, {"n", {5}, 0}, {"grading", {4}, 0}},
     three,
     {{"left", segment_left, one}, {"right", segment_right, one}},
     {{-1.001}, {2.001}, {-1e9}, {7}}},
    {"rectangle",
     {{"from", {1, 2}, 0}, {"to", {4, 4}, 0}, {"n", {5, 4}, 2}, {"grading", {3, 0.5}, 2}},
     six,
     {{"left", x1, two}, {"right", x4, two}, {"bottom", y2, three}, {"top", y4, three}},
     {{0.99, 3}, {4.01, 3}, {2, 1.99}, {2, 4.01}}},
    {"quadrilateral",
     {{"a", {1, 2}, 0}, {"b", {4, 2}, 0}, {"c", {4, 6}, 0}, {"d", {1, 4}, 0}, {"n", {5, 4}, 2}, {"grading", {3, 0.5}, 2}},
     nine,
     {{"left", near_x1, two}, {"right", near_x4, four}, {"bottom", near_y2, three}, {"top", slanted, slanted_length}},
     {{0.99, 3}, {4.01, 3}, {2, 1.99}, {2, 5}}},
    {"quarter_ring",
     {{"inner", {1.25}, 0}, {"outer", {2}, 0}, {"n", {4, 3}, 2}, {"grading", {2, 3}, 2}},
     quarter_area,
     {{"inner", on_inner, quarter_inner}, {"outer", on_outer, quarter_outer}, {"bottom", on_x_axis, wall}, {"left", on_y_axis, wall}},
     {{0.5, 0.5}, {1.9, 1.9}, {1.5, -0.01}, {-0.01, 1.5}}},
    {"plate_with_hole",
     {{"radius", {1.25}, 0}, {"size", {4, 3}, 2}, {"n", {3, 2, 3}, 3}, {"grading", {3}, 1}},
     plate_area,
     {{"hole", on_inner, plate_hole},
      {"bottom", on_x_axis, plate_bottom},
      {"right", x4, three},
      {"top", y3, four},
      {"left", on_y_axis, plate_left}},
     {{0.5, 0.5}, {4.01, 1}, {1, 3.01}, {2, -0.01}}},
    {"ell",
     {{"from", {1, 0}, 0}, {"size", {5, 4}, 2}, {"thickness", {2, 1}, 2}, {"n", {2, 3, 4}, 3}, {"grading", {0.5, 3, 2}, 3}},
     ell_area,
     {{"left", x1, four}, {"right", ell_right, one}, {"bottom", ell_bottom, five}, {"top", y4, two}, {"inner", ell_inner, six}},
     {{3.01, 1.01}, {5, 3}, {0.9, 1}, {4, -0.1}}},
    {"box",
     {{"from", {1, 2, -1}, 0}, {"size", {3, 2, 1.5}, 3}, {"n", {4, 3, 3}, 3}, {"grading", {3, 0.5, 1}, 3}},
     nine,
     {{"left", x1, three},
      {"right", x4, three},
      {"bottom", y2, four_half},
      {"top", y4, four_half},
      {"back", z_1, six},
      {"front", z_05, six}},
     {{0.99, 3, 0}, {4.01, 3, 0}, {2, 4.01, 0}, {2, 3, 0.51}}},
    {"cylinder_sector",
     {{"inner", {1.25}, 0}, {"outer", {2}, 0}, {"angle", {2}, 0}, {"height", {3}, 0}, {"n", {5, 3, 3}, 3}, {"grading", {0.5, 2, 3}, 3}},
     sector_volume,
     {{"inner", on_inner, sector_inner},
      {"outer", on_outer, sector_outer},
      {"start", on_x_axis, wall3},
      {"end", sector_end, wall3},
      {"back", on_z0, sector_face},
      {"front", on_z3, sector_face}},
     {{0.5, 0.5, 1}, {-1.5, -0.1, 1}, {1, 1, -0.01}, {1.5, -0.1, 1}}},
    {"cylinder_sector",
     {{"inner", {1.25}, 0}, {"outer", {2}, 0}, {"angle", {2 * PI}, 0}, {"height", {3}, 0}, {"n", {9, 3, 3}, 3}},
     tube_volume,
     {{"inner", on_inner, tube_inner}, {"outer", on_outer, tube_outer}, {"back", on_z0, tube_face}, {"front", on_z3, tube_face}},
     {{0.5, 0.5, 1}, {0, 0, 1.5}, {1, 1, -0.01}, {1.5, -1.5, 1}}},
    {"sphere_octant",
     {{"inner", {1.25}, 0}, {"outer", {2}, 0}, {"n", {3, 2}, 2}, {"grading", {2}, 1}},
     NULL,
     {{"inner", on_inner_sphere, NULL},
      {"outer", on_outer_sphere, NULL},
      {"left", on_y_axis, NULL},
      {"bottom", on_x_axis, NULL},
      {"back", on_z0, NULL}},
     {{0.5, 0.5, 0.5}, {1.2, 1.2, 1.2}, {1, 1, -0.01}, {-0.01, 1, 1}}},
};
enum { NSHAPE = sizeof shapes / sizeof *shapes };

static void each(void (*claim)(bl_mesh *mesh, const shape *s, const bl_element_kind *kind)) {
    bl_context *ctx = test_context(NULL);
    for (int i = 0; i < NSHAPE; i++)
        for (size_t k = 0; k < bl_element_kind_count; k++) {
            const bl_element_kind *kind = bl_element_kinds[k];
            bl_mesh mesh;
            if (kind->dim != test_generator(shapes[i].generator)->dim)
                continue;
            test_generated(ctx, shapes[i].generator, kind->kind.name, shapes[i].value, &mesh);
            claim(&mesh, &shapes[i], kind);
            bl_mesh_destroy(&mesh);
        }
    test_context_end(ctx);
}

static void expect_near(double found, double wanted, double relative, const char *what, const shape *s, const bl_element_kind *kind) {
    if (!(fabs(found - wanted) <= relative * fabs(wanted)))
        fail_msg("%s of %s: %s is %.16g, not %.16g", s->generator, kind->kind.name, what, found, wanted);
}

static void every_generator__has_a_case(void **unused) {
    (void)unused;
    for (size_t g = 0; g < bl_generator_kind_count; g++) {
        bool found = false;
        for (int i = 0; i < NSHAPE; i++)
            found = found || strcmp(shapes[i].generator, bl_generator_kinds[g]->kind.name) == 0;
        if (!found)
            fail_msg("%s has no case", bl_generator_kinds[g]->kind.name);
    }
}

/* rounding: at most 1e4 sums of numbers of one sign */
static void claim_volume(bl_mesh *mesh, const shape *s, const bl_element_kind *kind) {
    if (s->volume)
        expect_near(bl_mesh_volume(mesh), s->volume(kind->degree), 1e-12, "volume", s, kind);
    assert_true(test_mesh_least_determinant(mesh) > 0);
}
static void volumes__are_those_of_the_shape(void **unused) { (void)unused, each(claim_volume); }

/* All sides by divergence: the sum of normals vanishes and that of x . n is dim times the volume, which holds for closed surfaces with
 * normals outward and for no others. */
static void claim_conforming(bl_mesh *mesh, const shape *s, const bl_element_kind *kind) {
    bl_index count, of_sides = 0;
    const bl_index *element;
    const uint8_t *face;
    assert_int_equal(bl_mesh_boundary(mesh, &count, &element, &face), BL_OK);
    assert_int_equal(count, test_mesh_conforms(mesh));
    test_surface sum = {0};
    for (bl_index i = 0; i < count; i++) {
        assert_true(i == 0 || element[i - 1] <= element[i]);
        test_surface_add(mesh, element[i], face[i], &sum);
    }
    for (int k = 0; k < 3; k++)
        assert_true(fabs(sum.normal[k]) < 1e-12 * sum.area);
    expect_near(sum.x_normal / mesh->dim, bl_mesh_volume(mesh), 1e-12, "divergence", s, kind);
    for (const border *side = s->side; side->name; side++)
        of_sides += bl_mesh_set_of(mesh, side->name, BL_SET_FACES)->count;
    assert_int_equal(of_sides, count);
}
static void meshes__conform_and_their_boundary_is_closed(void **unused) { (void)unused, each(claim_conforming); }

/* nodes: exactly those on the side; faces: all their nodes are on it, and their area is that of the side. Along parabolas it is the
 * integral of sqrt(1 + s^2 t^2), s = 4 f / c < 0.36 for arcs of up to 0.7 rad: rules of degree 6 and higher have errors of at most 0.04 s^8
 * / 50 = 2e-7. */
static void claim_sets(bl_mesh *mesh, const shape *s, const bl_element_kind *kind) {
    for (const border *side = s->side; side->name; side++) {
        const bl_mesh_set *nodes = bl_mesh_set_of(mesh, side->name, BL_SET_NODES);
        const bl_mesh_set *faces = bl_mesh_set_of(mesh, side->name, BL_SET_FACES);
        test_surface sum = {0};
        bl_index at = 0;
        assert_non_null(nodes);
        assert_non_null(faces);
        for (bl_index i = 0; i < mesh->nnode; i++)
            if (side->on(mesh->x[i])) {
                if (at >= nodes->count || nodes->item[at] != i)
                    fail_msg("%s of %s: node %d is on %s, but not in the set", s->generator, kind->kind.name, i, side->name);
                at++;
            }
        assert_int_equal(at, nodes->count);
        assert_null(nodes->face);
        for (bl_index i = 0; i < faces->count; i++) {
            bl_index where;
            const bl_mesh_block *block = bl_mesh_block_of(mesh, faces->item[i], &where);
            const bl_element_face *face = &block->kind->face[faces->face[i]];
            for (int a = 0; a < (face->kind ? face->kind->nnode : 1); a++)
                assert_true(side->on(mesh->x[block->node[(size_t)where * kind->nnode + face->node[a]]]));
            test_surface_add(mesh, faces->item[i], faces->face[i], &sum);
        }
        bool parabolas = kind->degree == 2 && (side->on == on_inner || side->on == on_outer);
        if (side->area)
            expect_near(sum.area, side->area(kind->degree), parabolas ? 2e-7 : 1e-12, side->name, s, kind);
    }
    const bl_mesh_set *all = bl_mesh_set_of(mesh, "all", BL_SET_ELEMENTS);
    assert_int_equal(all->count, mesh->nelement);
    for (bl_index e = 0; e < mesh->nelement; e++)
        assert_int_equal(all->item[e], e);
}
static void sets__are_exactly_what_lies_on_each_side(void **unused) { (void)unused, each(claim_sets); }

static void claim_location(bl_mesh *mesh, const shape *s, const bl_element_kind *kind) {
    test_random random = {77};
    for (int i = 0; i < 40; i++) {
        double xi[3], x[3], found_xi[3], found_x[3];
        bl_index element = test_random_below(&random, mesh->nelement);
        test_random_inside(&random, kind->shape, xi);
        test_mesh_at(mesh, element, xi, x);
        bl_index found = bl_mesh_locate(mesh, x, found_xi);
        if (found < 0)
            fail_msg("%s of %s: (%g, %g, %g) in element %d not found", s->generator, kind->kind.name, x[0], x[1], x[2], element);
        test_mesh_at(mesh, found, found_xi, found_x);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(x[k] - found_x[k]) < 1e-10);
    }
    for (bl_index i = 0; i < mesh->nnode; i++) { /* nodes belong to several elements, at their boundaries */
        double xi[3], x[3];
        bl_index found = bl_mesh_locate(mesh, mesh->x[i], xi);
        assert_true(found >= 0);
        test_mesh_at(mesh, found, xi, x);
        for (int k = 0; k < 3; k++)
            assert_true(fabs(x[k] - mesh->x[i][k]) < 1e-10);
    }
    for (int i = 0; i < 4; i++) {
        double xi[3];
        bl_index found = bl_mesh_locate(mesh, s->outside[i], xi);
        if (found != -1)
            fail_msg("%s of %s: outside point %d found in element %d", s->generator, kind->kind.name, i, found);
    }
}
static void points__are_found_where_they_are(void **unused) { (void)unused, each(claim_location); }

static void claim_distortion(bl_mesh *mesh, const shape *s, const bl_element_kind *kind) {
    double volume = bl_mesh_volume(mesh), (*x)[3] = test_malloc((size_t)mesh->nnode * sizeof *x), (*first)[3];
    bl_index moved = 0, inner = 0;
    first = test_malloc((size_t)mesh->nnode * sizeof *first);
    memcpy(x, mesh->x, (size_t)mesh->nnode * sizeof *x);
    assert_int_equal(bl_mesh_distort(mesh, 0.25, 5), BL_OK);
    expect_near(bl_mesh_volume(mesh), volume, 1e-12, "volume after distortion", s, kind);
    assert_true(test_mesh_least_determinant(mesh) > 0);
    for (bl_index i = 0; i < mesh->nnode; i++) {
        bool boundary = false;
        for (const border *side = s->side; side->name; side++)
            boundary = boundary || side->on(x[i]);
        bool same = memcmp(x[i], mesh->x[i], sizeof x[i]) == 0;
        assert_true(same || !boundary);
        moved += !same;
        inner += !boundary;
    }
    assert_true(moved > 0 && 2 * moved > inner);
    /* the same seed gives the same bits, another one does not */
    memcpy(first, mesh->x, (size_t)mesh->nnode * sizeof *first);
    memcpy(mesh->x, x, (size_t)mesh->nnode * sizeof *x);
    assert_int_equal(bl_mesh_distort(mesh, 0.25, 5), BL_OK);
    assert_memory_equal(first, mesh->x, (size_t)mesh->nnode * sizeof *first);
    memcpy(mesh->x, x, (size_t)mesh->nnode * sizeof *x);
    assert_int_equal(bl_mesh_distort(mesh, 0.25, 6), BL_OK);
    assert_memory_not_equal(first, mesh->x, (size_t)mesh->nnode * sizeof *first);
    claim_location(mesh, s, kind);
    test_free(x);
    test_free(first);
}
static void distortion__repeats_and_keeps_boundary_volume_and_orientation(void **unused) { (void)unused, each(claim_distortion); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_generator__has_a_case),
        cmocka_unit_test(volumes__are_those_of_the_shape),
        cmocka_unit_test(meshes__conform_and_their_boundary_is_closed),
        cmocka_unit_test(sets__are_exactly_what_lies_on_each_side),
        cmocka_unit_test(points__are_found_where_they_are),
        cmocka_unit_test(distortion__repeats_and_keeps_boundary_volume_and_orientation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
