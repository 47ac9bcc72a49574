#include "support/gmsh_files.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const gmsh_file gmsh_files[] = {
    {"plane22", 2},      {"plane22b", 2},      {"plane41", 2}, {"plane41b", 2},  {"parametric22", 2}, {"parametric22b", 2},
    {"parametric41", 2}, {"parametric41b", 2}, {"solid22", 3}, {"solid22b", 3},  {"solid41", 3},      {"solid41b", 3},
    {"solid_linear", 3}, {"solid_full", 3},    {"ring", 2},    {"ring_full", 2}, {"line", 1},
};
const size_t gmsh_file_count = sizeof gmsh_files / sizeof *gmsh_files;

unsigned char *gmsh_load(const char *name, size_t *count) {
    char path[512];
    snprintf(path, sizeof path, TESTS "/data/gmsh/%s.msh", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    enum { MOST = 1 << 16 };
    unsigned char *bytes = malloc(MOST);
    assert_non_null(bytes);
    *count = fread(bytes, 1, MOST, file);
    fclose(file);
    assert_true(*count > 0 && *count < MOST);
    return bytes;
}

bl_status gmsh_read(bl_context *ctx, int dim, const void *bytes, size_t count, bl_mesh *mesh) {
    bl_mesh_builder b = {.ctx = ctx, .dim = dim, .place = {"model.yaml", 3, 5}};
    bl_status status = bl_mesh_read_gmsh(&b, "file.msh", bytes, count);
    if (status != BL_OK) {
        bl_mesh_builder_destroy(&b);
        return status;
    }
    return bl_mesh_finish(&b, mesh);
}

/* ---- survival */

typedef struct meter {
    size_t live, most;
} meter;

enum { HEADER = 16 };

static void *metered_realloc(void *user, void *block, size_t bytes) {
    meter *m = user;
    char *start = block ? (char *)block - HEADER : NULL;
    size_t before = 0;
    if (start)
        memcpy(&before, start, sizeof before);
    m->live -= before;
    if (bytes == 0) {
        free(start);
        return NULL;
    }
    m->live += bytes;
    m->most = m->live > m->most ? m->live : m->most;
    assert_true(m->live < (size_t)1 << 28); /* refused here, before the machine runs out of memory */
    char *fresh = realloc(start, bytes + HEADER);
    assert_non_null(fresh);
    memcpy(fresh, &bytes, sizeof bytes);
    return fresh + HEADER;
}

static void check_set(const bl_mesh *mesh, const bl_mesh_set *set) {
    bl_index most = set->what == BL_SET_NODES ? mesh->nnode : mesh->nelement, at;
    assert_true(set->name[0] && set->count > 0);
    for (bl_index i = 0; i < set->count; i++) {
        assert_true(set->item[i] >= 0 && set->item[i] < most);
        if (set->what == BL_SET_FACES)
            assert_true(set->face[i] < bl_mesh_block_of(mesh, set->item[i], &at)->kind->nface);
    }
}

static void check_mesh(const bl_mesh *mesh, int dim) {
    assert_int_equal(mesh->dim, dim);
    assert_true(mesh->nnode > 0 && mesh->nelement > 0);
    for (bl_index i = 0; i < mesh->nnode; i++)
        for (int k = 0; k < 3; k++)
            assert_true(isfinite(mesh->x[i][k]) && (k < dim || mesh->x[i][k] == 0));
    for (bl_index k = 0; k < mesh->nblock; k++)
        for (bl_index i = 0; i < mesh->block[k].count * mesh->block[k].kind->nnode; i++)
            assert_true(mesh->block[k].node[i] >= 0 && mesh->block[k].node[i] < mesh->nnode);
    for (bl_index k = 0; k < mesh->nset; k++)
        check_set(mesh, &mesh->set[k]);
    assert_true(bl_mesh_volume(mesh) > 0);
}

static void check_refusal(const bl_error *error, bl_status status) {
    assert_int_equal(status, BL_E_MODEL);
    assert_int_equal(error->status, BL_E_MODEL);
    assert_true(strlen(error->what) > 10);
    assert_true(strcmp(error->file, "file.msh") == 0 || strcmp(error->file, "model.yaml") == 0);
}

bl_status gmsh_survive(int dim, const unsigned char *bytes, size_t count) {
    meter m = {0};
    bl_context *ctx = NULL;
    bl_mesh mesh = {0};
    unsigned char *exact = malloc(count ? count : 1);
    assert_non_null(exact);
    memcpy(exact, bytes, count);
    assert_int_equal(bl_context_create(&(bl_context_options){.realloc = metered_realloc, .realloc_user = &m}, &ctx), BL_OK);
    bl_status status = gmsh_read(ctx, dim, exact, count, &mesh);
    free(exact);
    if (status == BL_OK) {
        check_mesh(&mesh, dim);
        bl_mesh_destroy(&mesh);
    } else {
        check_refusal(bl_context_error(ctx), status);
    }
    assert_true(m.most < ((size_t)1 << 16) + 300 * count);
    assert_int_equal(bl_context_memory(ctx).live_blocks, 0);
    bl_context_destroy(ctx);
    assert_int_equal(m.live, 0);
    return status;
}
