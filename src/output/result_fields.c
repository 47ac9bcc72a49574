/* Meshes and fields of result files. */
#include "output/result_file.h"

#include <stdio.h>
#include <string.h>

/* ---- fields */

/* nodes or cells: the second size of the dataset; components: the third */
static bl_status sizes_of(bl_result *r, const char *path, bl_index *items, int *components) {
    hid_t set = r->h5.H5Dopen2(r->file, path, H5P_DEFAULT);
    if (set < 0)
        return bl_result_broken(r, "a field is missing");
    hid_t space = r->h5.H5Dget_space(set);
    hsize_t size[BL_RESULT_DIMS] = {0, 0, 1};
    int rank = r->h5.H5Sget_simple_extent_ndims(space);
    bool good = rank >= 2 && rank <= BL_RESULT_DIMS && r->h5.H5Sget_simple_extent_dims(space, size, NULL) > 0 && size[1] > 0 &&
                size[1] < INT32_MAX && size[2] > 0 && size[2] < 64;
    r->h5.H5Sclose(space);
    r->h5.H5Dclose(set);
    *items = (bl_index)size[1];
    *components = (int)size[2];
    return good ? BL_OK : bl_result_broken(r, "a field has a wrong shape");
}

/* a text attribute of a dataset, in the arena; NULL: none */
static bl_status text_of(bl_result *r, const char *path, const char *name, const char **text) {
    *text = NULL;
    hid_t set = r->h5.H5Dopen2(r->file, path, H5P_DEFAULT);
    if (set < 0)
        return BL_OK;
    hid_t attribute = r->h5.H5Aexists(set, name) > 0 ? r->h5.H5Aopen(set, name, H5P_DEFAULT) : -1;
    hid_t type = attribute >= 0 ? r->h5.H5Aget_type(attribute) : -1;
    size_t bytes = type >= 0 && r->h5.H5Tget_class(type) == H5T_STRING ? r->h5.H5Tget_size(type) : 0;
    bl_status status = BL_OK;
    if (bytes > 0 && bytes < 65536) {
        char *all = bl_arena_alloc(&r->arena, bytes + 1, 1);
        status = all ? BL_OK : BL_E_MEMORY;
        if (all && r->h5.H5Aread(attribute, type, all) >= 0)
            *text = all;
    }
    if (type >= 0)
        r->h5.H5Tclose(type);
    if (attribute >= 0)
        r->h5.H5Aclose(attribute);
    r->h5.H5Dclose(set);
    return status;
}

static bl_status add_field(bl_result *r, bl_index mesh, const char *name) {
    char path[BL_RESULT_PATH], shown[BL_RESULT_PATH];
    int n = snprintf(path, sizeof path, "fields/%s/%s", r->meshes.link[mesh], name);
    snprintf(shown, sizeof shown, "fields/%s/%s", r->meshes.name[mesh], name);
    if (n < 0 || n >= BL_RESULT_PATH)
        return bl_result_broken(r, "the name of a body is too long");
    bl_quantity q = {.mesh = r->meshes.name[mesh]};
    const char *on;
    BL_TRY(sizes_of(r, path, &q.items, &q.components));
    BL_TRY(bl_result_check_dataset(r, path, q.items, q.components, &r->samples));
    BL_TRY(text_of(r, path, "unit", &q.unit));
    BL_TRY(text_of(r, path, "description", &q.description));
    BL_TRY(text_of(r, path, "on", &on));
    q.on_cells = on && strcmp(on, "cells") == 0;
    BL_TRY(bl_result_more(r));
    struct bl_result_at *at = &r->at[r->nquantity];
    if (!(q.name = bl_arena_text(&r->arena, shown, strlen(shown))) || !(at->path = bl_arena_text(&r->arena, path, strlen(path))))
        return BL_E_MEMORY;
    r->quantity[r->nquantity++] = q;
    return BL_OK;
}

bl_status bl_result_find_fields(bl_result *r) {
    if (!bl_result_exists(r, "meshes") || !bl_result_exists(r, "fields"))
        return BL_OK;
    BL_TRY(bl_result_links(r, "meshes", &r->meshes));
    BL_TRY(BL_ARENA_NEW(&r->arena, r->mesh, r->meshes.n));
    for (bl_index m = 0; m < r->meshes.n; m++) {
        char group[BL_RESULT_PATH];
        bl_item_list names = {0};
        snprintf(group, sizeof group, "fields/%s", r->meshes.link[m]);
        if (!bl_result_exists(r, group))
            continue;
        BL_TRY(bl_result_links(r, group, &names));
        for (bl_index i = 0; i < names.n; i++)
            BL_TRY(add_field(r, m, names.link[i]));
    }
    return BL_OK;
}

/* ---- meshes */

typedef struct reading {
    bl_result *r;
    const char *group; /* of the mesh */
} reading;

/* A complete dataset of rows of `width` elements of `bytes` bytes, in the arena; *count: its rows. If missing: NULL, an error if needed. */
static bl_status read_list(const reading *in, const char *member, hsize_t width, size_t bytes, bool needed, size_t *count,
                           const void **out) {
    bl_result *r = in->r;
    char path[BL_RESULT_PATH];
    *out = NULL;
    *count = 0;
    int n = snprintf(path, sizeof path, "%s/%s", in->group, member);
    if (n < 0 || n >= BL_RESULT_PATH || !bl_result_exists(r, path))
        return needed ? bl_result_broken(r, "a part of a mesh is missing") : BL_OK;
    hid_t set = r->h5.H5Dopen2(r->file, path, H5P_DEFAULT);
    if (set < 0)
        return bl_result_broken(r, "a part of a mesh is damaged");
    hid_t space = r->h5.H5Dget_space(set), type = r->h5.H5Dget_type(set);
    hid_t native = r->h5.H5Tget_native_type(type, H5T_DIR_ASCEND);
    hsize_t size[BL_RESULT_DIMS] = {0, 1, 1};
    int rank = r->h5.H5Sget_simple_extent_ndims(space);
    bool good = rank >= 1 && rank <= 2 && r->h5.H5Sget_simple_extent_dims(space, size, NULL) > 0 && size[0] < INT32_MAX &&
                size[1] == width && r->h5.H5Tget_size(native) == bytes;
    bl_status status = good ? BL_OK : bl_result_broken(r, "a part of a mesh is damaged");
    void *all = status == BL_OK ? bl_arena_alloc(&r->arena, size[0] * size[1] + 1, bytes) : NULL;
    if (status == BL_OK && !all)
        status = BL_E_MEMORY;
    if (status == BL_OK && size[0] > 0 && r->h5.H5Dread(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) < 0)
        status = bl_result_broken(r, "a part of a mesh is damaged");
    *count = size[0];
    *out = all;
    r->h5.H5Tclose(native);
    r->h5.H5Tclose(type);
    r->h5.H5Sclose(space);
    r->h5.H5Dclose(set);
    return status;
}

static bl_status read_sets(const reading *in, const char *member, bool of_cells, bl_run_mesh *mesh) {
    char path[BL_RESULT_PATH];
    bl_item_list names = {0};
    bl_index limit = of_cells ? mesh->ncell : mesh->nnode;
    snprintf(path, sizeof path, "%s/%s", in->group, member);
    if (!bl_result_exists(in->r, path))
        return BL_OK;
    BL_TRY(bl_result_links(in->r, path, &names));
    bl_run_set *set;
    BL_TRY(BL_ARENA_NEW(&in->r->arena, set, (mesh->nset + names.n)));
    if (mesh->nset > 0)
        memcpy(set, mesh->set, (size_t)mesh->nset * sizeof *set);
    for (bl_index i = 0; i < names.n; i++) {
        char item[BL_RESULT_PATH];
        size_t count;
        const void *list;
        snprintf(item, sizeof item, "%s/%.1000s", member, names.link[i]);
        BL_TRY(read_list(in, item, 1, sizeof(bl_index), true, &count, &list));
        for (size_t k = 0; k < count; k++)
            if (((const bl_index *)list)[k] < 0 || ((const bl_index *)list)[k] >= limit)
                return bl_result_broken(in->r, "a set of a mesh is damaged");
        set[mesh->nset++] = (bl_run_set){names.name[i], of_cells, (bl_index)count, list};
    }
    mesh->set = set;
    return BL_OK;
}

/* the file may be damaged or foreign: check its consistency */
static bl_status check_mesh(const bl_result *r, const bl_run_mesh *mesh, size_t offsets, size_t nodes) {
    bool good = offsets == (size_t)mesh->ncell + 1 && mesh->offset[0] == 0;
    for (bl_index c = 0; good && c < mesh->ncell; c++)
        good = mesh->offset[c + 1] >= mesh->offset[c] && (size_t)mesh->offset[c + 1] <= nodes;
    for (size_t k = 0; good && k < nodes; k++)
        good = mesh->node[k] >= 0 && mesh->node[k] < mesh->nnode;
    for (bl_index q = 0; good && q < r->nquantity; q++)
        if (r->quantity[q].mesh && strcmp(r->quantity[q].mesh, mesh->name) == 0)
            good = r->quantity[q].items == (r->quantity[q].on_cells ? mesh->ncell : mesh->nnode);
    return good ? BL_OK : bl_result_broken(r, "a mesh is damaged");
}

static bl_status read_mesh(bl_result *r, bl_index which, bl_run_mesh *mesh) {
    char group[BL_RESULT_PATH], dimension[BL_RESULT_PATH + 16];
    reading in = {r, group};
    size_t points, offsets, nodes, types, n;
    double dim = 3;
    const void *list;
    snprintf(group, sizeof group, "meshes/%s", r->meshes.link[which]);
    snprintf(dimension, sizeof dimension, "%s/dimension", group);
    (void)bl_result_number(r, dimension, &dim);
    mesh->dim = dim == 1 ? 1 : dim == 2 ? 2 : 3;
    BL_TRY(read_list(&in, "points", 3, sizeof(double), true, &points, &list));
    mesh->x = list;
    BL_TRY(read_list(&in, "types", 1, 1, true, &types, &list));
    mesh->type = list;
    BL_TRY(read_list(&in, "offsets", 1, sizeof(bl_index), true, &offsets, &list));
    mesh->offset = list;
    BL_TRY(read_list(&in, "connectivity", 1, sizeof(bl_index), true, &nodes, &list));
    mesh->node = list;
    mesh->nnode = (bl_index)points;
    mesh->ncell = (bl_index)types;
    mesh->name = r->meshes.name[which];
    BL_TRY(check_mesh(r, mesh, offsets, nodes));
    BL_TRY(read_list(&in, "material", 1, sizeof(bl_index), false, &n, &list));
    mesh->material = n == types ? list : NULL;
    BL_TRY(read_list(&in, "node_labels", 1, sizeof(bl_index), false, &n, &list));
    mesh->node_label = n == points ? list : NULL;
    BL_TRY(read_list(&in, "cell_labels", 1, sizeof(bl_index), false, &n, &list));
    mesh->cell_label = n == types ? list : NULL;
    BL_TRY(read_sets(&in, "node_sets", false, mesh));
    return read_sets(&in, "cell_sets", true, mesh);
}

bl_index bl_result_meshes(const bl_result *r, const char *const **names) {
    *names = r->meshes.name;
    return r->meshes.n;
}

bl_status bl_result_mesh(bl_result *r, bl_index which, const bl_run_mesh **mesh) {
    *mesh = NULL;
    if (which < 0 || which >= r->meshes.n)
        return bl_fail(r->ctx, BL_E_ARG, NULL, "'%s' has %d meshes; there is no mesh number %d", r->path, (int)r->meshes.n, (int)which);
    if (!r->mesh[which].name) {
        bl_run_mesh read = {0};
        bl_quiet was = bl_quiet_start(r);
        bl_status status = read_mesh(r, which, &read);
        bl_quiet_end(r, was);
        BL_TRY(status);
        r->mesh[which] = read;
    }
    *mesh = &r->mesh[which];
    return BL_OK;
}
