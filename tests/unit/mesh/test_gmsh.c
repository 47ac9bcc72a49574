/* Gmsh files: meshes that Gmsh made (tests/data/gmsh) in all formats and kinds against closed forms, small ones by hand. */
#include "support/gmsh_files.h"
#include "support/testing.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- helpers */

static void read_good(bl_context *ctx, int dim, const void *bytes, size_t count, bl_mesh *mesh) {
    bl_status status = gmsh_read(ctx, dim, bytes, count, mesh);
    if (status != BL_OK)
        print_message("%s:%d: %s\n", bl_context_error(ctx)->file, bl_context_error(ctx)->line, bl_context_error(ctx)->what);
    assert_int_equal(status, BL_OK);
}

static void read_file(bl_context *ctx, int dim, const char *name, bl_mesh *mesh) {
    size_t count;
    unsigned char *bytes = gmsh_load(name, &count);
    read_good(ctx, dim, bytes, count, mesh);
    free(bytes);
}

static void end(bl_context *ctx, bl_mesh *mesh) {
    bl_mesh_destroy(mesh);
    test_context_end(ctx);
}

static const bl_mesh_set *set(const bl_mesh *mesh, const char *name, bl_set_what what, bl_index count) {
    const bl_mesh_set *found = bl_mesh_set_of(mesh, name, what);
    assert_non_null(found);
    assert_int_equal(found->count, count);
    return found;
}

/* coordinate k of all nodes of a set of nodes and of all nodes of faces of the set of this name */
static void on_plane(const bl_mesh *mesh, const char *name, int k, double value) {
    const bl_mesh_set *nodes = bl_mesh_set_of(mesh, name, BL_SET_NODES), *faces = bl_mesh_set_of(mesh, name, BL_SET_FACES);
    assert_non_null(nodes);
    assert_non_null(faces);
    for (bl_index i = 0; i < nodes->count; i++)
        assert_true(mesh->x[nodes->item[i]][k] == value);
    for (bl_index i = 0; i < faces->count; i++) {
        bl_index at;
        const bl_mesh_block *block = bl_mesh_block_of(mesh, faces->item[i], &at);
        const bl_element_face *face = &block->kind->face[faces->face[i]];
        for (int a = 0; a < face->kind->nnode; a++)
            assert_true(mesh->x[block->node[at * block->kind->nnode + face->node[a]]][k] == value);
    }
}

static bl_index node_at(const bl_mesh *mesh, double x, double y) {
    for (bl_index i = 0; i < mesh->nnode; i++)
        if (mesh->x[i][0] == x && mesh->x[i][1] == y)
            return i;
    return -1;
}

static bl_index block_count(const bl_mesh *mesh, const char *kind) {
    for (bl_index k = 0; k < mesh->nblock; k++)
        if (strcmp(mesh->block[k].kind->kind.name, kind) == 0)
            return mesh->block[k].count;
    return 0;
}

/* ---- meshes of Gmsh */

static const char *const plane_files[] = {"plane22",      "plane22b",      "plane41",      "plane41b",
                                          "parametric22", "parametric22b", "parametric41", "parametric41b"};

/* The interface runs from below to above, to its right lie the triangles: outward of the quadrilaterals. */
static void plane__has_its_counts_area_and_sets_in_all_formats(void **unused) {
    (void)unused;
    for (size_t f = 0; f < sizeof plane_files / sizeof *plane_files; f++) {
        bl_context *ctx = test_context(NULL);
        bl_mesh m = {0};
        read_file(ctx, 2, plane_files[f], &m);
        assert_int_equal(m.nnode, 15);
        assert_int_equal(block_count(&m, "quad4"), 4);
        assert_int_equal(block_count(&m, "triangle3"), 8);
        assert_true(fabs(bl_mesh_volume(&m) - 2) < 24 * DBL_EPSILON);
        assert_int_equal(m.nset, 11);
        set(&m, "left part", BL_SET_ELEMENTS, 4);
        set(&m, "right part", BL_SET_ELEMENTS, 8);
        set(&m, "all", BL_SET_ELEMENTS, 12);
        set(&m, "bottom", BL_SET_FACES, 4);
        set(&m, "bottom", BL_SET_NODES, 5);
        on_plane(&m, "bottom", 1, 0);
        set(&m, "9", BL_SET_FACES, 2);
        set(&m, "9", BL_SET_NODES, 3);
        on_plane(&m, "9", 0, 2);
        const bl_mesh_set *faces = set(&m, "interface", BL_SET_FACES, 2);
        set(&m, "interface", BL_SET_NODES, 3);
        on_plane(&m, "interface", 0, 1);
        for (bl_index i = 0; i < faces->count; i++)
            assert_string_equal(bl_mesh_block_of(&m, faces->item[i], &(bl_index){0})->kind->kind.name, "quad4");
        assert_int_equal(set(&m, "origin", BL_SET_NODES, 1)->item[0], node_at(&m, 0, 0));
        assert_int_equal(set(&m, "7", BL_SET_NODES, 1)->item[0], node_at(&m, 2, 1));
        end(ctx, &m);
    }
}

static const char *const solid_files[] = {"solid22", "solid22b", "solid41", "solid41b"};

static void check_solid_sets(const bl_mesh *m, int order) {
    set(m, "bricks", BL_SET_ELEMENTS, 1);
    set(m, "wedges", BL_SET_ELEMENTS, 2);
    set(m, "tetrahedra", BL_SET_ELEMENTS, 6);
    set(m, "x0", BL_SET_FACES, 1);
    set(m, "x4", BL_SET_FACES, 2);
    set(m, "top", BL_SET_FACES, 2);
    set(m, "x0", BL_SET_NODES, order == 2 ? 8 : 4);
    set(m, "x4", BL_SET_NODES, order == 2 ? 9 : 4);
    set(m, "top", BL_SET_NODES, order == 2 ? 9 : 4);
    set(m, "edge", BL_SET_NODES, order == 2 ? 3 : 2);
    assert_null(bl_mesh_set_of(m, "edge", BL_SET_FACES));
    on_plane(m, "x0", 0, 0);
    on_plane(m, "x4", 0, 4);
    on_plane(m, "top", 2, 2);
}

static void solid__has_its_counts_volume_and_sets_in_all_formats(void **unused) {
    (void)unused;
    for (size_t f = 0; f < sizeof solid_files / sizeof *solid_files; f++) {
        bl_context *ctx = test_context(NULL);
        bl_mesh m = {0};
        read_file(ctx, 3, solid_files[f], &m);
        /* 20 of the brick; 3 x 3 and 9 corners less of two wedges; 8 corners, 12 edges, 6 diagonals of faces and 1 of the box */
        assert_int_equal(m.nnode, 20 + (9 + 4 + 9) + (8 + 12 + 6 + 1));
        assert_int_equal(block_count(&m, "hexa20"), 1);
        assert_int_equal(block_count(&m, "wedge15"), 2);
        assert_int_equal(block_count(&m, "tetra10"), 6);
        assert_true(fabs(bl_mesh_volume(&m) - (6 + 2 + 1)) < 1e-13);
        assert_int_equal(m.nset, 3 + 2 * 3 + 1);
        check_solid_sets(&m, 2);
        end(ctx, &m);
    }
}

static void solid_linear__has_its_counts_volume_and_sets(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh m = {0};
    read_file(ctx, 3, "solid_linear", &m);
    assert_int_equal(m.nnode, 24);
    assert_int_equal(block_count(&m, "hexa8") + block_count(&m, "wedge6") + block_count(&m, "tetra4"), 9);
    assert_true(fabs(bl_mesh_volume(&m) - 9) < 1e-13);
    check_solid_sets(&m, 1);
    end(ctx, &m);
}

/* Node by its number in the file. */
static bl_index labeled(const bl_mesh *m, bl_index label) {
    for (bl_index i = 0; i < m->nnode; i++)
        if (m->label[i] == label)
            return i;
    return -1;
}

/* whether an element of these nodes is in the block, in the same order */
static bl_index find_element(const bl_mesh_block *block, const bl_index *node) {
    for (bl_index e = 0; e < block->count; e++)
        if (memcmp(&block->node[e * block->kind->nnode], node, block->kind->nnode * sizeof *node) == 0)
            return e;
    return -1;
}

/* The same nodes by label, elements by nodes, sets by name and item; orders may differ. */
static void assert_same_mesh(const bl_mesh *a, const bl_mesh *b) {
    bl_index to[100], element[100];
    assert_true(a->nnode == b->nnode && a->nelement == b->nelement && a->nblock == b->nblock && a->nset == b->nset && a->nnode <= 100);
    for (bl_index i = 0; i < a->nnode; i++) {
        to[i] = labeled(b, a->label[i]);
        assert_true(to[i] >= 0);
        for (int k = 0; k < 3; k++) /* text has 16 digits */
            assert_true(fabs(a->x[i][k] - b->x[to[i]][k]) <= 4 * DBL_EPSILON * fabs(a->x[i][k]));
    }
    for (bl_index k = 0; k < a->nblock; k++) {
        const bl_element_kind *kind = a->block[k].kind;
        assert_ptr_equal(kind, b->block[k].kind);
        for (bl_index e = 0; e < a->block[k].count; e++) {
            bl_index node[BL_ELEMENT_NODES];
            for (int i = 0; i < kind->nnode; i++)
                node[i] = to[a->block[k].node[e * kind->nnode + i]];
            bl_index found = find_element(&b->block[k], node);
            assert_true(found >= 0);
            element[a->block[k].first + e] = b->block[k].first + found;
        }
    }
    for (bl_index k = 0; k < a->nset; k++) {
        const bl_mesh_set *s = &a->set[k], *t = set(b, s->name, s->what, s->count);
        for (bl_index i = 0; i < s->count; i++) {
            bl_index item = s->what == BL_SET_NODES ? to[s->item[i]] : element[s->item[i]];
            bool found = false;
            for (bl_index j = 0; j < t->count; j++)
                found = found || (t->item[j] == item && (!s->face || s->face[i] == t->face[j]));
            assert_true(found);
        }
    }
}

static void formats__give_the_same_mesh(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh a = {0}, b = {0};
    read_file(ctx, 2, plane_files[0], &a);
    for (size_t f = 1; f < sizeof plane_files / sizeof *plane_files; f++) {
        read_file(ctx, 2, plane_files[f], &b);
        assert_same_mesh(&a, &b);
        bl_mesh_destroy(&b);
    }
    bl_mesh_destroy(&a);
    read_file(ctx, 3, solid_files[0], &a);
    for (size_t f = 1; f < sizeof solid_files / sizeof *solid_files; f++) {
        read_file(ctx, 3, solid_files[f], &b);
        assert_same_mesh(&a, &b);
        bl_mesh_destroy(&b);
    }
    end(ctx, &a);
}

/* ---- order of nodes: Gmsh wrote the positions of middles beside their tags, so that a wrong order of middle nodes fails both tests */

static double quadratic(const double *x) {
    return 1 + 2 * x[0] - x[1] + 3 * x[2] + x[0] * x[0] - 2 * x[1] * x[1] + x[2] * x[2] + x[0] * x[1] - x[1] * x[2] + 2 * x[2] * x[0];
}

/* a point of the reference element, not on a plane of symmetry */
static void inner_point(test_random *random, bl_shape shape, double xi[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        xi[k] = test_random_unit(random);
        sum += xi[k];
    }
    bool simplex = shape == BL_TRIANGLE || shape == BL_TETRA || shape == BL_WEDGE;
    for (int k = 0; k < 3; k++)
        xi[k] = !simplex || (shape == BL_WEDGE && k == 2) ? 2 * xi[k] - 1 : xi[k] / (1 + sum);
}

/* Straight elements of degree 2 hold quadratic fields: at a point inside f(x(xi)) = sum N_a(xi) f(x_a). Fields are below 200 here. */
static void order__quadratic_fields_are_reproduced(void **unused) {
    (void)unused;
    static const gmsh_file files[] = {{"solid22", 3}, {"solid22b", 3}, {"solid_full", 3}, {"line", 1}};
    test_random random = {test_seed(7)};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        bl_context *ctx = test_context(NULL);
        bl_mesh m = {0};
        read_file(ctx, files[f].dim, files[f].name, &m);
        for (bl_index e = 0; e < m.nelement; e++) {
            bl_index at;
            const bl_mesh_block *block = bl_mesh_block_of(&m, e, &at);
            for (int trial = 0; trial < 3; trial++) {
                double xi[3], N[BL_ELEMENT_NODES], x[3] = {0}, field = 0;
                inner_point(&random, block->kind->shape, xi);
                block->kind->functions(xi, N, NULL);
                for (int a = 0; a < block->kind->nnode; a++) {
                    const double *node = m.x[block->node[at * block->kind->nnode + a]];
                    field += N[a] * quadratic(node);
                    for (int k = 0; k < 3; k++)
                        x[k] += N[a] * node[k];
                }
                assert_true(fabs(field - quadratic(x)) < 1e-12 * 200); /* Gmsh's middles are off by 1e-12 on curves */
            }
        }
        end(ctx, &m);
    }
}

/* Under x -> (x + a y^2, y + b z^2, z + c x^2) a box keeps its volume but for 8 abc times the integral of xyz; elements of degree 2 follow
 * the map exactly. */
static void order__volume_of_bent_elements_is_exact(void **unused) {
    (void)unused;
    static const char *const names[] = {"solid22", "solid41b", "solid_full"};
    const double a = 0.3, b = 0.2, c = 0.1, box[3][6] = {{0, 1, 0, 2, 0, 3}, {2, 3, 0, 1, 0, 2}, {4, 5, 0, 1, 0, 1}};
    for (int f = 0; f < 3; f++) {
        bl_context *ctx = test_context(NULL);
        bl_mesh m = {0};
        read_file(ctx, 3, names[f], &m);
        for (bl_index i = 0; i < m.nnode; i++) {
            double *x = m.x[i], old[3] = {x[0], x[1], x[2]};
            x[0] += a * old[1] * old[1];
            x[1] += b * old[2] * old[2];
            x[2] += c * old[0] * old[0];
        }
        double exact = 0;
        for (int k = 0; k < 3; k++) {
            const double *s = box[k];
            double volume = (s[1] - s[0]) * (s[3] - s[2]) * (s[5] - s[4]);
            double xyz = (s[1] * s[1] - s[0] * s[0]) * (s[3] * s[3] - s[2] * s[2]) * (s[5] * s[5] - s[4] * s[4]) / 8;
            if (k != 1 || f < 2) /* the last file has no wedges */
                exact += volume + 8 * a * b * c * xyz;
        }
        assert_true(fabs(bl_mesh_volume(&m) - exact) < 1e-11); /* middles off by 1e-12 */
        end(ctx, &m);
    }
}

/* Two arcs of 45 degrees to a circle, each a parabola through ends and middle: by Archimedes 2/3 of chord times height over the chord. */
static double parabolic_quarter(double radius) {
    double half = atan(1.0) / 2;
    return 2 * (radius * radius * sin(2 * half) / 2 + 2.0 / 3 * (2 * radius * sin(half)) * (radius * (1 - cos(half))));
}

static void ring__has_the_area_between_its_parabolas(void **unused) {
    (void)unused;
    static const char *const names[] = {"ring", "ring_full"};
    for (int f = 0; f < 2; f++) {
        bl_context *ctx = test_context(NULL);
        bl_mesh m = {0};
        read_file(ctx, 2, names[f], &m);
        assert_int_equal(block_count(&m, f == 0 ? "quad8" : "quad9"), 1);
        assert_int_equal(block_count(&m, "triangle6"), 2);
        double exact = parabolic_quarter(2) - parabolic_quarter(1);
        assert_true(fabs(bl_mesh_volume(&m) - exact) < 1e-10); /* Gmsh puts middles of arcs to 1e-11 */
        assert_true(fabs(exact - 3 * atan(1.0)) < 1e-2);
        for (int s = 0; s < 2; s++) {
            const bl_mesh_set *nodes = set(&m, s ? "outer" : "inner", BL_SET_NODES, 5);
            set(&m, s ? "outer" : "inner", BL_SET_FACES, 2);
            for (bl_index i = 0; i < nodes->count; i++)
                assert_true(fabs(hypot(m.x[nodes->item[i]][0], m.x[nodes->item[i]][1]) - (1 + s)) < 1e-14);
        }
        assert_int_equal(labeled(&m, 1), -1); /* the center of the circles */
        assert_int_equal(m.nnode, 14 + f);
        end(ctx, &m);
    }
}

static void line__is_turned_around_and_has_its_ends(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh m = {0};
    read_file(ctx, 1, "line", &m);
    assert_int_equal(block_count(&m, "segment3"), 2);
    assert_true(fabs(bl_mesh_volume(&m) - 2) < 4 * DBL_EPSILON);
    set(&m, "bar", BL_SET_ELEMENTS, 2);
    assert_true(m.x[set(&m, "right", BL_SET_NODES, 1)->item[0]][0] == 3);
    assert_true(m.x[set(&m, "left", BL_SET_NODES, 1)->item[0]][0] == 1);
    const bl_mesh_set *right = set(&m, "right", BL_SET_FACES, 1), *left = set(&m, "left", BL_SET_FACES, 1);
    assert_int_equal(right->face[0], 1);
    assert_int_equal(left->face[0], 0);
    assert_true(right->item[0] != left->item[0]);
    end(ctx, &m);
}

/* ---- small files by hand */

#define HEAD2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"                    /* lines 4 to 10 behind HEAD2 */
#define SQUARE2 HEAD2 NODES2 "$Elements\n1\n1 3 0 1 2 3 4\n$EndElements\n"                     /* lines 11 to 14 */
#define NODES4 "$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n" /* 12 lines */
#define ENTITIES4 "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 1 5 0\n$EndEntities\n"
#define ELEMENTS4 "$Elements\n1 1 1 1\n2 1 3 1\n1 1 2 3 4\n$EndElements\n"

static void text__labels_have_gaps_and_any_order(void **unused) {
    (void)unused;
    static const char text[] = HEAD2 "$Nodes\n5\n2000000000 1 1 0\n7 1 0 0\n5 9 9 9\n1000 0 0 0\n40 0 1 0\n$EndNodes\n"
                                     "$Elements\n2\n90 2 2 0 1 1000 7 2000000000\n17 2 2 0 1 2000000000 40 1000\n$EndElements\n";
    bl_context *ctx = test_context(NULL);
    bl_mesh m = {0};
    read_good(ctx, 2, text, strlen(text), &m);
    const bl_index label[4] = {2000000000, 7, 1000, 40}, node[6] = {2, 1, 0, 0, 3, 2};
    assert_int_equal(m.nnode, 4); /* 5 belongs to no element */
    assert_memory_equal(m.label, label, sizeof label);
    assert_int_equal(m.element_label[0], 90);
    assert_int_equal(m.element_label[1], 17);
    assert_memory_equal(m.block[0].node, node, sizeof node);
    assert_int_equal(m.nset, 0);
    assert_true(bl_mesh_volume(&m) == 1);
    end(ctx, &m);
}

/* Sections in any order, blank lines, ends of lines with a carriage return, signs, exponents, sections that are not used. */
static void text__free_format_is_accepted(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        SQUARE2,
        HEAD2 "$Elements\n1\n1 3 0 1 2 3 4\n$EndElements\n" NODES2,
        HEAD2 NODES2 "$Elements\n1\n1 3 4 0 1 1 2 1 2 3 4\n$EndElements\n",
        HEAD2 NODES2 "$Elements\n1\n1 3 0 1 2 3 4\n$EndElements", /* no end of the last line */
        "\n\n$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n$Nodes\r\n4\r\n1 0 0 0\r\n2 1 0 0\r\n3 1 1 0\r\n4 0 1 0\r\n$EndNodes\r\n"
        "$Elements\r\n1\r\n1 3 0 1 2 3 4\r\n$EndElements\r\n",
        HEAD2 "$Nodes\n4\n\n 1 -0.0 0. 0\n+2 +1e0 .0 0\n\t3 10.0E-1 1 0 \n4 0 0.1e1 1e-300\n$EndNodes\n$Elements\n1\n1 3 0 1 2 3 4\n"
              "$EndElements\n",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Comments\nanything $EndNodes\n $EndComments\n$EndCommentsX\n$EndComments\n" NODES2
        "$Elements\n1\n1 3 0 1 2 3 4\n$EndElements\n$NodeData\n1\n\"u\"\n1\n0.0\n3\n0\n1\n1\n1 2.5\n$EndNodeData\n",
        HEAD2 "$ParametricNodes\n4\n1 0 0 0 0 1\n2 1 0 0 1 1 0.5\n3 1 1 0 2 1 0.5 0.5\n4 0 1 0 3 1\n$EndParametricNodes\n"
              "$Elements\n1\n1 3 0 1 2 3 4\n$EndElements\n",
        HEAD4 NODES4 ELEMENTS4,
        HEAD4 ENTITIES4 NODES4 ELEMENTS4 "$Periodic\n1\n1 2 1\n0\n2\n1 4\n2 3\n$EndPeriodic\n",
        HEAD4 ELEMENTS4 NODES4 ENTITIES4,
        HEAD4 "$Nodes\n2 4 1 4\n2 1 1 3\n1\n2\n3\n0 0 0 0.5 0.5\n1 0 0 1 1\n1 1 0 2 2\n3 1 1 1\n4\n0 1 0 0 0 0\n$EndNodes\n" ELEMENTS4,
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        bl_context *ctx = test_context(NULL);
        bl_mesh m = {0};
        read_good(ctx, 2, texts[k], strlen(texts[k]), &m);
        assert_int_equal(m.nnode, 4);
        assert_int_equal(m.nelement, 1);
        assert_true(bl_mesh_volume(&m) == 1);
        end(ctx, &m);
    }
}

/* dim 0: that of the file */
static void dimension__is_found_where_none_is_asked_for(void **unused) {
    (void)unused;
    static const gmsh_file files[] = {{"plane22", 2}, {"solid41b", 3}, {"line", 1}};
    for (int f = 0; f < 3; f++) {
        bl_context *ctx = test_context(NULL);
        bl_mesh m = {0};
        read_file(ctx, 0, files[f].name, &m);
        assert_int_equal(m.dim, files[f].dim);
        end(ctx, &m);
    }
}

/* All elements of an entity clockwise: turned, edges and middles with them. */
static void clockwise__surfaces_are_turned_around(void **unused) {
    (void)unused;
    /* nodes 1 to 9: corners, middles with the lower edge bent, center; 1 4 3 2 is clockwise; edge 1-2 is "low" */
    static const char nodes[] = "$Nodes\n9\n1 0 0 0\n2 2 0 0\n3 2 2 0\n4 0 2 0\n5 1 -0.3 0\n6 2 1 0\n7 1 2 0\n8 0 1 0\n9 1 1 0\n$EndNodes\n"
                                "$PhysicalNames\n1\n1 3 \"low\"\n$EndPhysicalNames\n";
    static const char *const elements[] = {
        "$Elements\n2\n1 8 2 3 1 2 1 5\n2 10 2 0 1 1 4 3 2 8 7 6 5 9\n$EndElements\n",
        "$Elements\n2\n1 8 2 3 1 1 2 5\n2 16 2 0 1 1 4 3 2 8 7 6 5\n$EndElements\n",
        "$Elements\n3\n1 8 2 3 1 1 2 5\n2 9 2 0 1 1 4 2 8 9 5\n4 9 2 0 1 4 3 2 7 6 9\n$EndElements\n",
    };
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s%s", HEAD2, nodes, elements[k]);
        bl_context *ctx = test_context(NULL);
        bl_mesh m = {0};
        read_good(ctx, 2, text, strlen(text), &m);
        assert_true(fabs(bl_mesh_volume(&m) - (4 + 2.0 / 3 * 2 * 0.3)) < 16 * DBL_EPSILON);
        const bl_mesh_set *face = set(&m, "low", BL_SET_FACES, 1);
        set(&m, "low", BL_SET_NODES, 3);
        bl_index at, middle;
        const bl_mesh_block *block = bl_mesh_block_of(&m, face->item[0], &at);
        middle = block->node[at * block->kind->nnode + block->kind->face[face->face[0]].node[2]];
        assert_int_equal(m.label[middle], 5);
        end(ctx, &m);
    }
}

/* Version 2.2 repeats an element for each of its groups; version 4.1 lists the groups of its entity. */
static void groups__share_elements(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        HEAD2 NODES2 "$Elements\n3\n1 3 2 1 1 1 2 3 4\n2 3 2 -2 1 1 2 3 4\n3 3 2 3 1 1 2 3 4\n$EndElements\n",
        HEAD4 "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 3 1 -2 3 0\n$EndEntities\n" NODES4 ELEMENTS4,
    };
    for (int k = 0; k < 2; k++) {
        bl_context *ctx = test_context(NULL);
        bl_mesh m = {0};
        read_good(ctx, 2, texts[k], strlen(texts[k]), &m);
        assert_int_equal(m.nelement, 1);
        assert_int_equal(m.nset, 3);
        for (const char *name = "123"; *name; name++)
            set(&m, (char[2]){*name, '\0'}, BL_SET_ELEMENTS, 1);
        end(ctx, &m);
    }
}

/* Numbers count from 1 in every dimension: elements and faces of the same number do not meet. */
static void groups__of_elements_and_faces_may_have_one_number(void **unused) {
    (void)unused;
    static const char text[] = HEAD2 NODES2 "$Elements\n2\n1 3 1 1 1 2 3 4\n2 1 1 1 1 2\n$EndElements\n";
    bl_context *ctx = test_context(NULL);
    bl_mesh m = {0};
    read_good(ctx, 2, text, strlen(text), &m);
    set(&m, "1", BL_SET_ELEMENTS, 1);
    set(&m, "1", BL_SET_FACES, 1);
    set(&m, "1", BL_SET_NODES, 2);
    end(ctx, &m);
}

/* A face between two hexahedra or tetrahedra belongs to the one whose outward normal is its own, wherever its corners begin. */
static void faces__between_elements_follow_their_orientation(void **unused) {
    (void)unused;
    static const char head[] =
        HEAD2 "$Nodes\n12\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n9 0 0 2\n10 1 0 2\n"
              "11 1 1 2\n12 0 1 2\n$EndNodes\n$Elements\n3\n";
    static const char hexahedra[] = "1 5 0 1 2 3 4 5 6 7 8\n2 5 0 5 6 7 8 9 10 11 12\n";
    static const char tetrahedra[] = "1 4 0 5 7 6 2\n2 4 0 5 6 7 10\n";
    static const struct {
        const char *elements, *face;
        bl_index label; /* of the element; the first lies below */
    } cases[] = {
        {hexahedra, "3 3 1 1 5 6 7 8", 1}, {hexahedra, "3 3 1 1 7 8 5 6", 1}, {hexahedra, "3 3 1 1 8 7 6 5", 2},
        {hexahedra, "3 3 1 1 6 5 8 7", 2}, {tetrahedra, "3 2 1 1 5 6 7", 1},  {tetrahedra, "3 2 1 1 7 5 6", 1},
        {tetrahedra, "3 2 1 1 5 7 6", 2},  {tetrahedra, "3 2 1 1 6 5 7", 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s%s\n$EndElements\n", head, cases[k].elements, cases[k].face);
        bl_context *ctx = test_context(NULL);
        bl_mesh m = {0};
        read_good(ctx, 3, text, strlen(text), &m);
        assert_int_equal(m.element_label[set(&m, "1", BL_SET_FACES, 1)->item[0]], cases[k].label);
        end(ctx, &m);
    }
}

/* Names are what stands between the quotes; an empty one is none; two groups of one name are one set. */
static void names__are_taken_as_they_are(void **unused) {
    (void)unused;
    static const char text[] = HEAD2 "$PhysicalNames\n5\n2 1 \"a \"quoted\" name\"\n0 1 \"\"\n0 2 \"\xc3\x9c"
                                     "ber\" \n1 4 \"both\"\n1 5 \"both\"\n"
                                     "$EndPhysicalNames\n" NODES2
                                     "$Elements\n5\n1 3 1 1 1 2 3 4\n2 15 1 1 1\n3 15 1 2 2\n4 1 1 4 1 2\n5 1 1 5 3 2\n$EndElements\n";
    bl_context *ctx = test_context(NULL);
    bl_mesh m = {0};
    read_good(ctx, 2, text, strlen(text), &m);
    set(&m, "a \"quoted\" name", BL_SET_ELEMENTS, 1);
    set(&m, "1", BL_SET_NODES, 1);
    set(&m,
        "\xc3\x9c"
        "ber",
        BL_SET_NODES, 1);
    set(&m, "both", BL_SET_FACES, 2);
    set(&m, "both", BL_SET_NODES, 3);
    end(ctx, &m);
}

static void numbers__do_not_depend_on_the_locale(void **unused) {
    (void)unused;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "es_ES.UTF-8"};
    static const char text[] = HEAD2 "$Nodes\n4\n1 0 0 0\n2 1.5 0 0\n3 1.5 0.5 0\n4 0 0.5 0\n$EndNodes\n"
                                     "$Elements\n1\n1 3 0 1 2 3 4\n$EndElements\n";
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]);
    if (!found)
        skip(); /* no locale with a decimal comma is installed */
    bl_context *ctx = test_context(NULL);
    bl_mesh m = {0};
    bl_status status = gmsh_read(ctx, 2, text, strlen(text), &m);
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(status, BL_OK);
    assert_true(bl_mesh_volume(&m) == 0.75);
    end(ctx, &m);
}

/* segments in a plane: bars, in any direction; groups of points are sets of nodes */
static void segments_in_the_plane__are_bars(void **unused) {
    (void)unused;
    static const char text[] = HEAD2 "$PhysicalNames\n2\n0 1 \"held\"\n1 2 \"legs\"\n$EndPhysicalNames\n"
                                     "$Nodes\n3\n1 0 0 0\n2 3 4 0\n3 6 0 0\n$EndNodes\n"
                                     "$Elements\n4\n1 15 2 1 1 1\n2 15 2 1 2 3\n3 1 2 2 1 1 2\n4 1 2 2 1 3 2\n$EndElements\n";
    bl_context *ctx = test_context(NULL);
    bl_mesh m = {0};
    read_good(ctx, 2, (const unsigned char *)text, sizeof text - 1, &m);
    assert_true(bl_mesh_of_bars(&m));
    assert_int_equal(m.dim, 2);
    assert_true(fabs(bl_mesh_volume(&m) - 10) < 1e-14);
    assert_int_equal(bl_mesh_set_of(&m, "held", BL_SET_NODES)->count, 2);
    assert_int_equal(bl_mesh_set_of(&m, "legs", BL_SET_ELEMENTS)->count, 2);
    end(ctx, &m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_in_the_plane__are_bars),
        cmocka_unit_test(plane__has_its_counts_area_and_sets_in_all_formats),
        cmocka_unit_test(solid__has_its_counts_volume_and_sets_in_all_formats),
        cmocka_unit_test(solid_linear__has_its_counts_volume_and_sets),
        cmocka_unit_test(formats__give_the_same_mesh),
        cmocka_unit_test(order__quadratic_fields_are_reproduced),
        cmocka_unit_test(order__volume_of_bent_elements_is_exact),
        cmocka_unit_test(ring__has_the_area_between_its_parabolas),
        cmocka_unit_test(line__is_turned_around_and_has_its_ends),
        cmocka_unit_test(text__labels_have_gaps_and_any_order),
        cmocka_unit_test(text__free_format_is_accepted),
        cmocka_unit_test(dimension__is_found_where_none_is_asked_for),
        cmocka_unit_test(clockwise__surfaces_are_turned_around),
        cmocka_unit_test(groups__share_elements),
        cmocka_unit_test(groups__of_elements_and_faces_may_have_one_number),
        cmocka_unit_test(faces__between_elements_follow_their_orientation),
        cmocka_unit_test(names__are_taken_as_they_are),
        cmocka_unit_test(numbers__do_not_depend_on_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
