/* Gmsh files that are refused: every mistake with its position, damaged files, failing allocations. */
#include "support/gmsh_files.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define HEAD2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"                    /* lines 4 to 10 behind HEAD2 */
#define SQUARE2 HEAD2 NODES2 "$Elements\n1\n1 3 0 1 2 3 4\n$EndElements\n"                     /* lines 11 to 14 */
#define NODES4 "$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n" /* 12 lines */
#define ENTITIES4 "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 1 5 0\n$EndEntities\n"
#define ELEMENTS4 "$Elements\n1 1 1 1\n2 1 3 1\n1 1 2 3 4\n$EndElements\n"

/* ---- refusals */

typedef struct refusal {
    const char *text, *words;
    int line; /* 0: not reported; -1: error of the builder, with its own position */
} refusal;

#define ELEMENTS2(list) HEAD2 NODES2 "$Elements\n" list "\n$EndElements\n" /* the first one stands in line 13 */

static const refusal refusals[] = {
    {"", "$MeshFormat", 1},
    {"solid beam\n", "$MeshFormat", 1},
    {"$NOD\n4\n", "version 1", 2},
    {"$MeshFormat\n4 0 8\n$EndMeshFormat\n", "version 4 ", 2},
    {"$MeshFormat\n2.2 2 8\n$EndMeshFormat\n", "the mark of binary files is 2", 2},
    {"$MeshFormat\n2.2 0\n$EndMeshFormat\n", "expected the size of numbers, found the end of the line", 2},
    {"$MeshFormat\n2.2 0 8 1\n$EndMeshFormat\n", "expected the end of the line", 2},
    {"$MeshFormat\n2.2 0 8\n$Nodes\n", "expected $EndMeshFormat", 3},
    {HEAD2, "without a section $Nodes", 4},
    {HEAD2 NODES2, "without a section $Elements", 11},
    {HEAD2 "nodes\n", "expected the beginning of a section", 4},
    {HEAD2 "$\n", "the name of a section", 4},
    {HEAD2 "$Comments\n\n\nwords\n", "the section $Comments has no $EndComments", 4},
    {SQUARE2 NODES2, "second section $Nodes", 15},
    /* nodes */
    {HEAD2 "$Nodes\nmany\n", "expected the number of nodes, an integer", 5},
    {HEAD2 "$Nodes\n-4\n", "the number of nodes is -4", 5},
    {HEAD2 "$Nodes\n4000000000\n1 0 0 0\n", "from 0 to 20000000", 5},
    {HEAD2 "$Nodes\n99999999999999999999\n", "too large", 5},
    {HEAD2 "$Nodes\n20000000\n1 0 0 0\n", "20000000 nodes are announced, but the file has only 8 more bytes", 5},
    {HEAD2 "$Nodes\n2\n1 0 0 0\n2 1 0\n$EndNodes\n", "expected a coordinate of a node, found the end of the line", 7},
    {HEAD2 "$Nodes\n2\n1 0 0 0\n2 1 0 0x1p3\n$EndNodes\n", "expected a coordinate of a node, a number", 7},
    {HEAD2 "$Nodes\n2\n1 0 0 0\n2 1 nan 0\n$EndNodes\n", "expected a coordinate of a node, a number", 7},
    {HEAD2 "$Nodes\n2\n1 0 0 0\n2 1 1e999 0\n$EndNodes\n", "too large", 7},
    {HEAD2 "$Nodes\n1\n0 0 0 0\n$EndNodes\n", "the tag of a node is 0", 6},
    {HEAD2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n", "expected $EndNodes, found something else", 7},
    {HEAD2 "$Nodes\n3\n1 0 0 0\n4 0 0 0\n1 0 1 0\n$EndNodes\n$Elements\n1\n1 2 0 1 4 1\n$EndElements\n", "node 1 is given twice", 8},
    {HEAD4 "$Nodes\n1 5 1 5\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n$EndNodes\n",
     "5 nodes are announced, but the blocks contain 4", 5},
    {HEAD4 "$Nodes\n1 3 1 5\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n0 0 0\n0 0 0\n0 0 0\n$EndNodes\n", "the number of nodes in a block is 4", 6},
    {HEAD4 "$Nodes\n1 1 1 1\n2 1 2 1\n1\n0 0 0\n$EndNodes\n", "the mark of parametric nodes is 2", 6},
    {HEAD4 "$Nodes\n1 1 1 1\n4 1 0 1\n1\n0 0 0\n$EndNodes\n", "the dimension of an entity is 4", 6},
    {HEAD4 "$Nodes\n1 1 1 1\n2 1 1 1\n1\n0 0 0\n$EndNodes\n", "expected a parameter of a node", 8},
    {HEAD4 "$Nodes\n1 1 1 1\n2 1 0 1\n3000000000\n0 0 0\n$EndNodes\n", "the tag of a node is 3000000000", 7},
    /* elements */
    {ELEMENTS2("2\n1 2 0 1 2 3\n2 7 0 1 2 3 4 5"), "element type 7 of Gmsh, a pyramid of 5 nodes", 14},
    {ELEMENTS2("1\n2 13 0 1"), "element type 13 of Gmsh, a wedge of 18 nodes", 13},
    {ELEMENTS2("1\n2 21 0 1"), "element type 21 of Gmsh is not", 13},
    {ELEMENTS2("1\n2 0 0 1"), "element type 0 of Gmsh is not", 13},
    {ELEMENTS2("1\n1 3 0 1 2 3"), "expected the tag of a node of an element, found the end of the line", 13},
    {ELEMENTS2("1\n1 3 0 1 2 3 4 5"), "expected the end of the line", 13},
    {ELEMENTS2("1\n1 3 0 1 2 3 5"), "element 1 has node 5, which is missing in $Nodes", 13},
    {ELEMENTS2("1\n1 3 1000000 1 2 3 5"), "1000000 tags are announced", 13},
    {ELEMENTS2("3\n1 3 0 1 2 3 4"), "expected the tag of an element", 14},
    {ELEMENTS2("1\n1 15 0 1"), "no elements except points", 0},
    {ELEMENTS2("1\n1 4 0 1 2 3 4"), "the file contains only volumes", 0},
    {ELEMENTS2("2\n1 2 2 1 1 1 2 3\n2 2 2 1 1 2 3 1"), "element 2 has the same corners as element 1", 14},
    {ELEMENTS2("2\n1 2 2 1 1 1 2 3\n2 9 2 2 1 2 3 1 4 4 4"), "element 2 has the same corners as element 1", 14},
    {ELEMENTS2("2\n1 2 2 1 1 1 2 3\n2 2 2 1 1 1 4 3"), "element 2 (triangle3) is inverted", -1},
    {ELEMENTS2("1\n1 2 0 1 2 2"), "degenerate", -1},
    {HEAD4 NODES4 "$Elements\n1 1 1 1\n3 1 3 1\n1 1 2 3 4\n$EndElements\n", "elements of type 3 have dimension 2", 18},
    {HEAD4 NODES4 "$Elements\n1 2 1 1\n2 1 3 1\n1 1 2 3 4\n$EndElements\n", "2 elements are announced, but the blocks contain 1", 17},
    {HEAD4 ENTITIES4 NODES4 "$Elements\n1 1 1 1\n2 8 3 1\n1 1 2 3 4\n$EndElements\n",
     "entity 8 of dimension 2, which is missing in $Entities", 22},
    {HEAD4 "$Entities\n0 0 2 0\n1 0 0 0 1 1 0 0 0\n1 0 0 0 1 1 0 0 0\n$EndEntities\n", "entity 1 of dimension 2 is given twice", 7},
    {HEAD4 "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 1 0 0\n$EndEntities\n", "physical group 0", 6},
    {HEAD4 "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 2000000000 1\n$EndEntities\n", "2000000000 physical groups are announced", 6},
    {HEAD4 "$Entities\n0 0 1 0\n1 0 0 0 1 1 0 0 2000000000\n$EndEntities\n", "expected the tag of a bounding entity, 2000000000 times", 6},
    /* the plane */
    {HEAD2 "$Nodes\n3\n1 0 0 0\n2 1 0 0.25\n3 0 1 0\n$EndNodes\n$Elements\n1\n1 2 0 1 2 3\n$EndElements\n", "node 2 has z = 0.25", 7},
    /* groups */
    {ELEMENTS2("2\n1 3 0 1 2 3 4\n2 1 2 8 1 1 3"), "element 2 of physical group '8' is not a face", 14},
    {HEAD2 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 5 5 0\n$EndNodes\n$Elements\n2\n1 2 0 1 2 3\n2 15 1 6 4\n$EndElements\n",
     "node 4 of physical group '6' belongs to no element of dimension 2", 14},
    {ELEMENTS2("3\n1 3 0 1 2 3 4\n2 15 1 1 1\n3 1 1 1 1 2"), "physical group 1 of dimension 1 has no name", 15},
    {HEAD2 "$PhysicalNames\n1\n0 9 \"4\"\n$EndPhysicalNames\n" NODES2
           "$Elements\n3\n1 3 0 1 2 3 4\n2 15 1 9 1\n3 1 1 4 1 2\n$EndElements\n",
     "physical group 4 of dimension 1 has no name", 19},
    {HEAD2 "$PhysicalNames\n1\n2 1 name\n$EndPhysicalNames\n", "between quotes", 6},
    {HEAD2 "$PhysicalNames\n1\n2 1 \"name\n$EndPhysicalNames\n", "between quotes", 6},
    {HEAD2 "$PhysicalNames\n1\n2 1 a \"name\"\n$EndPhysicalNames\n", "found something else before", 6},
    {HEAD2 "$PhysicalNames\n1\n2 1 \"na\033me\"\n$EndPhysicalNames\n", "cannot be displayed", 6},
    {HEAD2 "$PhysicalNames\n1\n2 1 \"na\xffme\"\n$EndPhysicalNames\n", "cannot be displayed", 6},
    {HEAD2 "$PhysicalNames\n2\n2 1 \"a\"\n2 1 \"b\"\n$EndPhysicalNames\n", "physical group 1 of dimension 2 has two names", 7},
    {HEAD2 "$PhysicalNames\n1000000\n2 1 \"a\"\n$EndPhysicalNames\n", "1000000 names are announced", 5},
    {HEAD4 "$PartitionedEntities\n2\n", "the mesh is partitioned", 4},
};

static void refusals__say_what_is_wrong_and_where(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++) {
        const refusal *r = &refusals[k];
        bl_context *ctx = test_context(NULL);
        bl_mesh m = {0};
        bl_status status = gmsh_read(ctx, 2, r->text, strlen(r->text), &m);
        const bl_error *error = bl_context_error(ctx);
        if (status != BL_E_MODEL || !strstr(error->what, r->words) || (r->line >= 0 && error->line != r->line))
            print_message("%s:%d: '%s', expected '%s' in line %d\n", error->file, error->line, error->what, r->words, r->line);
        assert_int_equal(status, BL_E_MODEL);
        assert_non_null(strstr(error->what, r->words));
        assert_string_equal(error->file, r->line >= 0 ? "file.msh" : "model.yaml");
        if (r->line >= 0)
            assert_int_equal(error->line, r->line);
        test_context_end(ctx);
    }
}

/* replaces bytes of a file of Gmsh, reads it, and expects words with the byte where it went wrong */
static void refuse_changed(const char *name, size_t at, const void *with, size_t n, const char *words) {
    size_t count;
    unsigned char *bytes = gmsh_load(name, &count);
    bl_context *ctx = test_context(NULL);
    bl_mesh m = {0};
    memcpy(bytes + at, with, n);
    assert_int_equal(gmsh_read(ctx, 2, bytes, count, &m), BL_E_MODEL);
    if (!strstr(bl_context_error(ctx)->what, words))
        print_message("'%s', expected '%s'\n", bl_context_error(ctx)->what, words);
    assert_non_null(strstr(bl_context_error(ctx)->what, words));
    assert_int_equal(bl_context_error(ctx)->line, 0);
    test_context_end(ctx);
    free(bytes);
}

static size_t find(const char *name, const char *text) {
    size_t count, at = 0, length = strlen(text);
    unsigned char *bytes = gmsh_load(name, &count);
    while (at + length <= count && memcmp(bytes + at, text, length) != 0)
        at++;
    assert_true(at + length <= count);
    free(bytes);
    return at;
}

static void binary__refusals_name_the_byte(void **unused) {
    (void)unused;
    static const char *const names[] = {"plane22b", "plane41b"};
    const int32_t type = 7, two = 2;
    const int64_t many = 10000000000, five_million = 5000000, huge = -1;
    const double infinite = INFINITY;
    char words[80];
    size_t mark = strlen("$MeshFormat\n2.2 1 8\n");
    for (int k = 0; k < 2; k++) {
        refuse_changed(names[k], mark, "\0\0\0\1", 4, "byte 20: the file was written by a machine with the other byte order");
        refuse_changed(names[k], mark, &two, 4, "byte 20: the byte-order mark is 2");
        refuse_changed(names[k], strlen("$MeshFormat\n2.2 1 "), "4", 1, "byte 20: the numbers of this file have 4 bytes");
    }
    size_t elements2 = find("plane22b", "$Elements\n") + strlen("$Elements\n35\n");
    snprintf(words, sizeof words, "byte %zu: element type 7 of Gmsh, a pyramid", elements2);
    refuse_changed("plane22b", elements2, &type, 4, words);
    size_t nodes2 = find("plane22b", "$Nodes\n") + strlen("$Nodes\n15\n");
    snprintf(words, sizeof words, "byte %zu: a coordinate of a node is not finite", nodes2 + 4);
    refuse_changed("plane22b", nodes2 + 4, &infinite, 8, words);
    size_t elements4 = find("plane41b", "$Elements\n") + strlen("$Elements\n");
    snprintf(words, sizeof words, "byte %zu: element type 7 of Gmsh, a pyramid", elements4 + 32);
    refuse_changed("plane41b", elements4 + 32 + 8, &type, 4, words);
    size_t nodes4 = find("plane41b", "$Nodes\n") + strlen("$Nodes\n");
    refuse_changed("plane41b", nodes4 + 8, &many, 8, "the number of nodes is 10000000000");
    refuse_changed("plane41b", nodes4 + 8, &five_million, 8, "5000000 nodes are announced, but the file has only");
    refuse_changed("plane41b", nodes4, &five_million, 8, "5000000 blocks are announced, but the file has only");
    refuse_changed("plane41b", nodes4 + 8, &huge, 8, "the number of nodes is -1");
    size_t entities = find("plane41b", "$Entities\n") + strlen("$Entities\n");
    refuse_changed("plane41b", entities, &five_million, 8, "5000000 entities are announced, but the file has only");
}

/* Bytes that are no text, and almost the end, inside a section that is passed over. */
static void binary__foreign_sections_are_passed_over(void **unused) {
    (void)unused;
    static const char *const names[] = {"plane22b", "plane41b"};
    static const char section[] = "$NodeData\n\0\1$EndNodeData\2\n$EndNodeDat\n$EndNodes\n\n$EndNodeData\n";
    for (int k = 0; k < 2; k++) {
        size_t count, at = find(names[k], "$Nodes"), more = sizeof section - 1;
        unsigned char *bytes = gmsh_load(names[k], &count), *longer = malloc(count + more);
        assert_non_null(longer);
        memcpy(longer, bytes, at);
        memcpy(longer + at, section, more);
        memcpy(longer + at + more, bytes + at, count - at);
        bl_context *ctx = test_context(NULL);
        bl_mesh m = {0};
        assert_int_equal(gmsh_read(ctx, 2, longer, count + more, &m), BL_OK);
        assert_int_equal(m.nelement, 12);
        bl_mesh_destroy(&m);
        test_context_end(ctx);
        free(bytes);
        free(longer);
    }
}

static void partitioned__files_are_refused(void **unused) {
    (void)unused;
    size_t count;
    unsigned char *bytes = gmsh_load("partitioned", &count);
    bl_context *ctx = test_context(NULL);
    bl_mesh m = {0};
    assert_int_equal(gmsh_read(ctx, 2, bytes, count, &m), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->what, "partitioned"));
    test_context_end(ctx);
    free(bytes);
}

/* ---- damage: a share of what tests/long/test_gmsh_damage.c tries */

static void damage__is_survived(void **unused) {
    (void)unused;
    test_random random = {test_seed(11)};
    for (size_t f = 0; f < gmsh_file_count; f++) {
        size_t count;
        unsigned char *bytes = gmsh_load(gmsh_files[f].name, &count);
        assert_int_equal(gmsh_survive(gmsh_files[f].dim, bytes, count), BL_OK);
        for (int k = 0; k < 60; k++) {
            size_t at = (size_t)test_random_below(&random, (int)count);
            unsigned char before = bytes[at];
            gmsh_survive(gmsh_files[f].dim, bytes, at);
            bytes[at] = (unsigned char)test_random_bits(&random);
            gmsh_survive(gmsh_files[f].dim, bytes, count);
            bytes[at] = before;
        }
        free(bytes);
    }
}

/* Each point in a group of its own: the most memory per byte of a file. */
static void memory__is_in_proportion_to_the_file(void **unused) {
    (void)unused;
    enum { POINTS = 3000, BYTES = 1 << 17 };
    char *text = malloc(BYTES);
    assert_non_null(text);
    size_t n = (size_t)snprintf(text, BYTES, HEAD2 NODES2 "$Elements\n%d\n1 3 0 1 2 3 4\n", POINTS + 1);
    for (int k = 1; k <= POINTS; k++)
        n += (size_t)snprintf(text + n, BYTES - n, "%d 15 1 %d 1\n", k, k);
    n += (size_t)snprintf(text + n, BYTES - n, "$EndElements\n");
    assert_int_equal(gmsh_survive(2, (const unsigned char *)text, n), BL_OK);
    free(text);
}

static bl_status read_for_memory(bl_context *ctx, void *user) {
    const gmsh_file *file = user;
    size_t count;
    unsigned char *bytes = gmsh_load(file->name, &count);
    bl_mesh m = {0};
    bl_status status = gmsh_read(ctx, file->dim, bytes, count, &m);
    bl_mesh_destroy(&m);
    free(bytes);
    return status;
}

static void memory__failing_allocations_are_survived(void **unused) {
    (void)unused;
    static gmsh_file files[] = {{"plane22", 2}, {"plane41b", 2}, {"solid41", 3}};
    for (int f = 0; f < 3; f++) {
        assert_true(test_failing_allocations(read_for_memory, &files[f]) > 20);
        assert_true(test_failing_once(read_for_memory, &files[f]) > 20);
    }
}

static void stop__ends_reading(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_mesh m = {0};
    bl_context_stop(ctx);
    assert_int_equal(gmsh_read(ctx, 2, SQUARE2, strlen(SQUARE2), &m), BL_STOPPED);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals__say_what_is_wrong_and_where),
        cmocka_unit_test(binary__refusals_name_the_byte),
        cmocka_unit_test(binary__foreign_sections_are_passed_over),
        cmocka_unit_test(partitioned__files_are_refused),
        cmocka_unit_test(damage__is_survived),
        cmocka_unit_test(memory__is_in_proportion_to_the_file),
        cmocka_unit_test(memory__failing_allocations_are_survived),
        cmocka_unit_test(stop__ends_reading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
