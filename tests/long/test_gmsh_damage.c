/* Gmsh files damaged everywhere: every prefix, every byte left out, every byte changed to values that mean something in text or in binary
 * numbers, and by every bit. What comes out is a mesh or a refusal (support/gmsh_files.h). */
#include "support/gmsh_files.h"
#include "support/testing.h"

#include <stdlib.h>

typedef struct tally {
    long tried, meshes;
} tally;

static void try_bytes(tally *t, int dim, const unsigned char *bytes, size_t count) {
    t->tried++;
    t->meshes += gmsh_survive(dim, bytes, count) == BL_OK;
}

static void prefixes__are_survived(void **unused) {
    (void)unused;
    tally t = {0};
    for (size_t f = 0; f < gmsh_file_count; f++) {
        size_t count;
        unsigned char *bytes = gmsh_load(gmsh_files[f].name, &count);
        for (size_t n = 0; n <= count; n++)
            try_bytes(&t, gmsh_files[f].dim, bytes, n);
        free(bytes);
    }
    print_message("%ld prefixes, %ld meshes\n", t.tried, t.meshes);
    assert_int_equal(t.meshes, 2 * gmsh_file_count); /* without its last end of line a file is complete */
}

static void missing_bytes__are_survived(void **unused) {
    (void)unused;
    tally t = {0};
    for (size_t f = 0; f < gmsh_file_count; f++) {
        size_t count;
        unsigned char *bytes = gmsh_load(gmsh_files[f].name, &count), *less = malloc(count);
        assert_non_null(less);
        for (size_t at = 0; at < count; at++) {
            memcpy(less, bytes, at);
            memcpy(less + at, bytes + at + 1, count - at - 1);
            try_bytes(&t, gmsh_files[f].dim, less, count - 1);
        }
        free(bytes);
        free(less);
    }
    print_message("%ld files, %ld meshes\n", t.tried, t.meshes);
}

static void changed_bytes__are_survived(void **unused) {
    (void)unused;
    static const unsigned char value[] = {0, 0xff, 0x7f, 0x80, '0', '9', '-', '.', 'e', ' ', '\n', '$', '"', 'x'};
    tally t = {0};
    for (size_t f = 0; f < gmsh_file_count; f++) {
        size_t count;
        unsigned char *bytes = gmsh_load(gmsh_files[f].name, &count);
        for (size_t at = 0; at < count; at++) {
            unsigned char before = bytes[at];
            for (size_t k = 0; k < sizeof value; k++) {
                bytes[at] = value[k];
                try_bytes(&t, gmsh_files[f].dim, bytes, count);
            }
            for (int bit = 0; bit < 8; bit++) {
                bytes[at] = (unsigned char)(before ^ 1u << bit);
                try_bytes(&t, gmsh_files[f].dim, bytes, count);
            }
            bytes[at] = before;
        }
        free(bytes);
    }
    print_message("%ld files, %ld meshes\n", t.tried, t.meshes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prefixes__are_survived),
        cmocka_unit_test(missing_bytes__are_survived),
        cmocka_unit_test(changed_bytes__are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
