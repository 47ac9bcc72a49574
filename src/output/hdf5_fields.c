/* Meshes once, fields as datasets [time][node or cell][component], and /VTKHDF (VTKHDF 2.0: a static unstructured grid with Steps). VTK
 * requires times and nodes in one dimension, so its arrays are virtual datasets that refer to ours. A body is a partition of the grid; if
 * it lacks a field, its part of the array is NaN (for displacements 0). Layout: docs/RESULT.md. */
#include "output/hdf5_fields.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PATH = 1024 };

/* ---- series */

static bl_status add_step(bl_h5_fields *f, bl_index items, const char *what) {
    BL_TRY(bl_h5_add_series(f->recorder, items, 1, NULL, what));
    f->recorder->series[f->recorder->nseries - 1].type = BL_H5_INTEGER;
    return BL_OK;
}

bl_status bl_h5_fields_series(bl_h5_fields *f) {
    const bl_run_info *info = f->info;
    f->first = f->recorder->nseries;
    for (bl_index i = 0; i < info->nfield; i++) {
        const bl_field *field = &info->field[i];
        BL_TRY(bl_h5_add_series(f->recorder, field->items, field->components, field->unit, field->description));
        bl_h5_series *s = &f->recorder->series[f->recorder->nseries - 1];
        bl_h5_attribute_text(&s->header, "on", field->on_cells ? "cells" : "nodes", 0);
        BL_TRY(s->header.status);
    }
    f->step = f->recorder->nseries;
    BL_TRY(add_step(f, 0, "0"));
    BL_TRY(add_step(f, 1, "0"));
    BL_TRY(add_step(f, 0, "bodies"));
    BL_TRY(add_step(f, 0, "first node of each time"));
    return add_step(f, 0, "first cell of each time");
}

static uint64_t field_address(const bl_h5_fields *f, bl_index i) { return f->recorder->series[f->first + i].address; }
static uint64_t step_address(const bl_h5_fields *f, bl_h5_step step) { return f->recorder->series[f->step + step].address; }

static uint64_t all_of(const bl_h5_fields *f, bool cells) {
    uint64_t n = 0;
    for (bl_index m = 0; m < f->info->nmesh; m++)
        n += (uint64_t)(cells ? f->info->mesh[m].ncell : f->info->mesh[m].nnode);
    return n;
}

void bl_h5_fields_gather(bl_h5_fields *f, const bl_sample *sample) {
    bl_h5_recorder *r = f->recorder;
    for (bl_index i = 0; i < f->info->nfield; i++) {
        bl_h5_series *s = &r->series[f->first + i];
        if (s->borrowed)
            s->block = (double *)(uintptr_t)sample->field[i]; /* read only */
        else
            memcpy(s->block + (size_t)r->pending * s->row, sample->field[i], s->row * sizeof(double));
    }
    int64_t n = (int64_t)r->blocks * r->block_rows + r->pending;
    const int64_t step[BL_H5_STEPS] = {0, 0, f->info->nmesh, n * (int64_t)all_of(f, false), n * (int64_t)all_of(f, true)};
    for (int k = 0; k < BL_H5_STEPS; k++)
        memcpy(r->series[f->step + k].block + r->pending, &step[k], sizeof step[k]);
}

void bl_h5_fields_gathered(bl_h5_fields *f) {
    for (bl_index i = 0; i < f->info->nfield; i++)
        if (f->recorder->series[f->first + i].borrowed)
            f->recorder->series[f->first + i].block = NULL;
}

/* ---- datasets of meshes */

static bl_status add_array(bl_h5_fields *f, bl_h5_type type, int rank, const uint64_t *size, const void *data, uint64_t *address) {
    bl_h5_file *file = f->recorder->file;
    uint64_t bytes = bl_h5_type_bytes(type);
    for (int k = 0; k < rank; k++)
        bytes *= size[k];
    uint64_t at = bl_h5_take(file, bytes);
    bl_h5_write(file, at, data, (size_t)bytes);
    bl_h5_header_begin(f->header);
    bl_h5_dataset_array(f->header, type, rank, size, at);
    return bl_h5_header_end(file, f->header, address);
}

static bl_status add_list(bl_h5_fields *f, bl_h5_type type, bl_index n, const void *data, uint64_t *address) {
    uint64_t size = (uint64_t)n;
    return add_array(f, type, 1, &size, data, address);
}

/* names of fixed length: that of the longest */
static bl_status add_materials(bl_h5_fields *f, uint64_t *address) {
    const bl_run_info *info = f->info;
    size_t bytes = 1;
    for (bl_index i = 0; i < info->nmaterial; i++)
        bytes = strlen(info->material[i]) > bytes ? strlen(info->material[i]) : bytes;
    char *all;
    BL_TRY(BL_NEW(f->ctx, all, bytes * (size_t)info->nmaterial + 1));
    for (bl_index i = 0; i < info->nmaterial; i++)
        memcpy(all + bytes * (size_t)i, info->material[i], strlen(info->material[i]));
    uint64_t at = bl_h5_take(f->recorder->file, bytes * (uint64_t)info->nmaterial);
    bl_h5_write(f->recorder->file, at, all, bytes * (size_t)info->nmaterial);
    bl_free(f->ctx, all);
    bl_h5_header_begin(f->header);
    bl_h5_dataset_contiguous(f->header, BL_H5_TEXT, info->nmaterial, bytes, at);
    return bl_h5_header_end(f->recorder->file, f->header, address);
}

/* a name for a link: without slashes and percent signs, and not a single dot */
static bl_status escape(bl_context *ctx, const char *name, char **out) {
    BL_TRY(BL_NEW(ctx, *out, 3 * strlen(name) + 4));
    char *to = *out;
    bool dots = name[strspn(name, ".")] == '\0';
    for (const char *c = name; *c; c++)
        if (*c == '/' || *c == '%' || (dots && *c == '.'))
            to += snprintf(to, 4, "%%%02X", (unsigned)(unsigned char)*c);
        else
            *to++ = *c;
    return BL_OK;
}

void bl_mesh_set_numbers(const bl_run_mesh *mesh, bl_index *number) {
    bl_index count = 0;
    memset(number, 0, (size_t)mesh->ncell * sizeof *number);
    for (bl_index s = 0; s < mesh->nset; s++) {
        if (!mesh->set[s].of_cells)
            continue;
        count++;
        for (bl_index k = 0; strcmp(mesh->set[s].name, "all") != 0 && k < mesh->set[s].count; k++)
            number[mesh->set[s].item[k]] = count;
    }
}

static bl_status add_set_numbers(bl_h5_fields *f, const bl_run_mesh *mesh, uint64_t *address) {
    bl_index *number;
    BL_TRY(BL_NEW(f->ctx, number, mesh->ncell));
    bl_mesh_set_numbers(mesh, number);
    bl_status status = add_list(f, BL_H5_INDEX, mesh->ncell, number, address);
    bl_free(f->ctx, number);
    return status;
}

/* a group of lists, one per set of nodes or cells; 0: none */
static bl_status add_sets(bl_h5_fields *f, const bl_run_mesh *mesh, bool of_cells, uint64_t *group) {
    bl_h5_bytes header = {.ctx = f->ctx};
    bl_index count = 0;
    *group = 0;
    for (bl_index s = 0; s < mesh->nset; s++)
        count += mesh->set[s].of_cells == of_cells;
    if (count == 0)
        return BL_OK;
    bl_h5_header_begin(&header);
    bl_h5_group(&header, count);
    bl_status status = BL_OK;
    count = 0;
    for (bl_index s = 0; s < mesh->nset && status == BL_OK; s++) {
        uint64_t list;
        char *name = NULL;
        if (mesh->set[s].of_cells != of_cells)
            continue;
        status = escape(f->ctx, mesh->set[s].name, &name);
        if (status == BL_OK)
            status = add_list(f, BL_H5_INDEX, mesh->set[s].count, mesh->set[s].item, &list);
        if (status == BL_OK)
            bl_h5_link(&header, name, count++, list);
        bl_free(f->ctx, name);
    }
    if (status == BL_OK)
        status = bl_h5_header_end(f->recorder->file, &header, group);
    bl_free(f->ctx, header.data);
    return status;
}

static bl_status add_mesh(bl_h5_fields *f, bl_index m, uint64_t *group) {
    const bl_run_mesh *mesh = &f->info->mesh[m];
    bl_h5_mesh *own = &f->mesh[m];
    const uint64_t size[2] = {(uint64_t)mesh->nnode, 3};
    uint64_t node_label = 0, cell_label = 0, node_sets, cell_sets;
    BL_TRY(add_array(f, BL_H5_NUMBER, 2, size, mesh->x, &own->points));
    BL_TRY(add_list(f, BL_H5_INDEX, mesh->offset[mesh->ncell], mesh->node, &own->connectivity));
    BL_TRY(add_list(f, BL_H5_INDEX, mesh->ncell + 1, mesh->offset, &own->offsets));
    BL_TRY(add_list(f, BL_H5_BYTE, mesh->ncell, mesh->type, &own->types));
    BL_TRY(add_list(f, BL_H5_INDEX, mesh->ncell, mesh->material, &own->material));
    BL_TRY(add_set_numbers(f, mesh, &own->set));
    if (mesh->node_label)
        BL_TRY(add_list(f, BL_H5_INDEX, mesh->nnode, mesh->node_label, &node_label));
    if (mesh->cell_label)
        BL_TRY(add_list(f, BL_H5_INDEX, mesh->ncell, mesh->cell_label, &cell_label));
    BL_TRY(add_sets(f, mesh, false, &node_sets));
    BL_TRY(add_sets(f, mesh, true, &cell_sets));
    const struct {
        const char *name;
        uint64_t address;
    } link[] = {{"points", own->points},     {"connectivity", own->connectivity}, {"offsets", own->offsets},
                {"types", own->types},       {"material", own->material},         {"set", own->set},
                {"node_labels", node_label}, {"cell_labels", cell_label},         {"node_sets", node_sets},
                {"cell_sets", cell_sets}};
    int64_t order = 0;
    bl_h5_header_begin(f->header);
    bl_h5_attribute_integer(f->header, "dimension", mesh->dim);
    bl_h5_group(f->header, sizeof link / sizeof *link);
    for (size_t i = 0; i < sizeof link / sizeof *link; i++)
        if (link[i].address)
            bl_h5_link(f->header, link[i].name, order++, link[i].address);
    return bl_h5_header_end(f->recorder->file, f->header, group);
}

/* ---- groups of bodies */

static bl_status add_fields_of(bl_h5_fields *f, bl_index m, uint64_t *group) {
    int64_t order = 0;
    bl_h5_header_begin(f->header);
    bl_h5_group(f->header, f->info->nfield);
    for (bl_index i = 0; i < f->info->nfield; i++)
        if (f->info->field[i].mesh == m)
            bl_h5_link(f->header, f->info->field[i].name, order++, field_address(f, i));
    return bl_h5_header_end(f->recorder->file, f->header, group);
}

/* a group with one member per mesh */
static bl_status add_bodies(bl_h5_fields *f, const uint64_t *member, uint64_t *group) {
    bl_h5_header_begin(f->header);
    bl_h5_group(f->header, f->info->nmesh);
    for (bl_index m = 0; m < f->info->nmesh; m++)
        bl_h5_link(f->header, f->mesh[m].name, m, member[m]);
    return bl_h5_header_end(f->recorder->file, f->header, group);
}

static bl_status add_all_bodies(bl_h5_fields *f, uint64_t *member) {
    for (bl_index m = 0; m < f->info->nmesh; m++)
        BL_TRY(add_mesh(f, m, &member[m]));
    BL_TRY(add_bodies(f, member, &f->meshes));
    for (bl_index m = 0; m < f->info->nmesh; m++)
        BL_TRY(add_fields_of(f, m, &member[m]));
    BL_TRY(add_bodies(f, member, &f->fields));
    return add_materials(f, &f->materials);
}

/* ---- /VTKHDF */

/* datasets of the group: an address, or (0) the number of a virtual dataset */
typedef struct vtk_set {
    const char *name;
    uint64_t address;
    bl_index number;
    bool growing;
} vtk_set;

typedef struct vtk_sets {
    bl_index n, room;
    vtk_set *set;
} vtk_sets;

static bl_status list_set(bl_h5_fields *f, vtk_sets *sets, const char *name, uint64_t address, bl_index number, bool growing) {
    BL_TRY(BL_RESERVE(f->ctx, sets->set, sets->room, sets->n + 1));
    sets->set[sets->n++] = (vtk_set){name, address, number, growing};
    return BL_OK;
}

/* a list of the grid: that of a single mesh, or those of several meshes concatenated */
static bl_status join(bl_h5_fields *f, vtk_sets *sets, const char *name, const char *member, bl_h5_type type, int width,
                      uint64_t (*rows)(const bl_run_mesh *), uint64_t own) {
    if (f->info->nmesh == 1)
        return list_set(f, sets, name, own, 0, false);
    char *path;
    bl_h5_piece *piece;
    uint64_t at = 0;
    bl_index n = f->info->nmesh;
    BL_TRY(BL_NEW(f->ctx, path, (size_t)n * MOST_PATH));
    bl_status status = BL_NEW(f->ctx, piece, n);
    for (bl_index m = 0; status == BL_OK && m < n; m++) {
        char *source = path + (size_t)m * MOST_PATH;
        snprintf(source, MOST_PATH, "/meshes/%s/%s", f->mesh[m].name, member);
        piece[m] = (bl_h5_piece){source, at, rows(&f->info->mesh[m])};
        at += piece[m].block;
    }
    if (status == BL_OK)
        status = bl_h5_heap_add(&f->heap, type, at, width, false, n, piece);
    if (status == BL_OK)
        status = list_set(f, sets, name, 0, f->heap.n - 1, false);
    bl_free(f->ctx, piece);
    bl_free(f->ctx, path);
    return status;
}

static uint64_t rows_nodes(const bl_run_mesh *mesh) { return (uint64_t)mesh->nnode; }
static uint64_t rows_cells(const bl_run_mesh *mesh) { return (uint64_t)mesh->ncell; }
static uint64_t rows_offsets(const bl_run_mesh *mesh) { return (uint64_t)mesh->ncell + 1; }
static uint64_t rows_connectivity(const bl_run_mesh *mesh) { return (uint64_t)mesh->offset[mesh->ncell]; }

/* one array for all fields with the name of field i, unless an earlier field has the same name */
static bl_status show_field(bl_h5_fields *f, vtk_sets *sets, bl_index i) {
    const bl_run_info *info = f->info;
    const bl_field *first = &info->field[i];
    for (bl_index k = 0; k < i; k++)
        if (strcmp(info->field[k].name, first->name) == 0 && info->field[k].on_cells == first->on_cells)
            return BL_OK;
    char *path;
    bl_h5_piece *piece;
    bl_index n = 0;
    BL_TRY(BL_NEW(f->ctx, path, (size_t)info->nmesh * MOST_PATH));
    bl_status status = BL_NEW(f->ctx, piece, info->nmesh);
    uint64_t at = 0;
    for (bl_index m = 0; status == BL_OK && m < info->nmesh; m++) {
        for (bl_index k = i; k < info->nfield; k++) {
            const bl_field *field = &info->field[k];
            if (field->mesh != m || strcmp(field->name, first->name) != 0 || field->on_cells != first->on_cells ||
                field->components != first->components)
                continue;
            char *source = path + (size_t)n * MOST_PATH;
            snprintf(source, MOST_PATH, "/fields/%s/%s", f->mesh[m].name, field->name);
            piece[n++] = (bl_h5_piece){source, at, (uint64_t)field->items};
            break;
        }
        at += first->on_cells ? rows_cells(&info->mesh[m]) : rows_nodes(&info->mesh[m]);
    }
    if (status == BL_OK)
        status = bl_h5_heap_add(&f->heap, BL_H5_NUMBER, at, first->components, true, n, piece);
    if (status == BL_OK && strcmp(first->name, "displacement") == 0)
        f->heap.set[f->heap.n - 1].missing = 0; /* displacements: readers warp the grid by them */
    if (status == BL_OK)
        status = list_set(f, sets, first->name, 0, f->heap.n - 1, true);
    bl_free(f->ctx, piece);
    bl_free(f->ctx, path);
    return status;
}

/* mesh number of every cell */
static bl_status add_body_numbers(bl_h5_fields *f, uint64_t *address) {
    bl_index *number, n = 0;
    BL_TRY(BL_NEW(f->ctx, number, all_of(f, true)));
    for (bl_index m = 0; m < f->info->nmesh; m++)
        for (bl_index c = 0; c < f->info->mesh[m].ncell; c++)
            number[n++] = m;
    bl_status status = add_list(f, BL_H5_INDEX, n, number, address);
    bl_free(f->ctx, number);
    return status;
}

static uint64_t address_of(const bl_h5_fields *f, const vtk_set *set) {
    return set->address ? set->address : f->heap.set[set->number].address;
}

static bl_status add_group(bl_h5_fields *f, const vtk_sets *sets, uint64_t *group) {
    bl_h5_header_begin(f->header);
    bl_h5_group(f->header, sets->n);
    for (bl_index i = 0; i < sets->n; i++)
        bl_h5_link(f->header, sets->set[i].name, i, address_of(f, &sets->set[i]));
    return bl_h5_header_end(f->recorder->file, f->header, group);
}

/* where the arrays of each time begin */
static bl_status add_offsets(bl_h5_fields *f, const vtk_sets *sets, bl_h5_step step, uint64_t *group) {
    bl_h5_header_begin(f->header);
    bl_h5_group(f->header, sets->n);
    for (bl_index i = 0; i < sets->n; i++)
        bl_h5_link(f->header, sets->set[i].name, i, step_address(f, sets->set[i].growing ? step : BL_H5_STEP_ZERO));
    return bl_h5_header_end(f->recorder->file, f->header, group);
}

static bl_status add_steps(bl_h5_fields *f, uint64_t time, uint64_t point_offsets, uint64_t cell_offsets) {
    const struct {
        const char *name;
        uint64_t address;
    } link[] = {{"Values", time},
                {"PartOffsets", step_address(f, BL_H5_STEP_ZERO)},
                {"NumberOfParts", step_address(f, BL_H5_STEP_PARTS)},
                {"PointOffsets", step_address(f, BL_H5_STEP_ZERO)},
                {"CellOffsets", step_address(f, BL_H5_STEP_ZERO_LIST)},
                {"ConnectivityIdOffsets", step_address(f, BL_H5_STEP_ZERO_LIST)},
                {"PointDataOffsets", point_offsets},
                {"CellDataOffsets", cell_offsets}};
    bl_h5_bytes *header = &f->steps;
    header->ctx = f->ctx;
    bl_h5_header_begin(header);
    bl_h5_attribute_integer(header, "NSteps", 0);
    f->steps_count = header->length - 8;
    bl_h5_group(header, sizeof link / sizeof *link);
    for (size_t i = 0; i < sizeof link / sizeof *link; i++)
        bl_h5_link(header, link[i].name, (int64_t)i, link[i].address);
    return bl_h5_header_end(f->recorder->file, header, &f->steps_address);
}

static bl_status add_counts(bl_h5_fields *f, vtk_sets *sets, const char *name, uint64_t (*rows)(const bl_run_mesh *)) {
    int64_t *count;
    uint64_t address;
    BL_TRY(BL_NEW(f->ctx, count, f->info->nmesh));
    for (bl_index m = 0; m < f->info->nmesh; m++)
        count[m] = (int64_t)rows(&f->info->mesh[m]);
    bl_status status = add_list(f, BL_H5_INTEGER, f->info->nmesh, count, &address);
    bl_free(f->ctx, count);
    BL_TRY(status);
    return list_set(f, sets, name, address, 0, false);
}

typedef struct vtk_group {
    vtk_sets grid, points, cells;
} vtk_group;

static bl_status collect(bl_h5_fields *f, vtk_group *v) {
    const bl_h5_mesh *own = &f->mesh[0];
    BL_TRY(add_counts(f, &v->grid, "NumberOfPoints", rows_nodes));
    BL_TRY(add_counts(f, &v->grid, "NumberOfCells", rows_cells));
    BL_TRY(add_counts(f, &v->grid, "NumberOfConnectivityIds", rows_connectivity));
    BL_TRY(join(f, &v->grid, "Points", "points", BL_H5_NUMBER, 3, rows_nodes, own->points));
    BL_TRY(join(f, &v->grid, "Connectivity", "connectivity", BL_H5_INDEX, 1, rows_connectivity, own->connectivity));
    BL_TRY(join(f, &v->grid, "Offsets", "offsets", BL_H5_INDEX, 1, rows_offsets, own->offsets));
    BL_TRY(join(f, &v->grid, "Types", "types", BL_H5_BYTE, 1, rows_cells, own->types));
    BL_TRY(join(f, &v->cells, "material", "material", BL_H5_INDEX, 1, rows_cells, own->material));
    BL_TRY(join(f, &v->cells, "set", "set", BL_H5_INDEX, 1, rows_cells, own->set));
    if (f->info->nmesh > 1) {
        uint64_t body;
        BL_TRY(add_body_numbers(f, &body));
        BL_TRY(list_set(f, &v->cells, "body", body, 0, false));
    }
    for (bl_index i = 0; i < f->info->nfield; i++)
        BL_TRY(show_field(f, f->info->field[i].on_cells ? &v->cells : &v->points, i));
    return bl_h5_heap_begin(&f->heap);
}

static bl_status add_vtk(bl_h5_fields *f, uint64_t time, vtk_group *v) {
    static const int64_t version[2] = {2, 0};
    uint64_t point_data, cell_data, point_offsets, cell_offsets;
    BL_TRY(collect(f, v));
    BL_TRY(add_group(f, &v->points, &point_data));
    BL_TRY(add_group(f, &v->cells, &cell_data));
    BL_TRY(add_offsets(f, &v->points, BL_H5_STEP_POINTS, &point_offsets));
    BL_TRY(add_offsets(f, &v->cells, BL_H5_STEP_CELLS, &cell_offsets));
    BL_TRY(add_steps(f, time, point_offsets, cell_offsets));
    bl_index n = 0;
    bl_h5_header_begin(f->header);
    bl_h5_attribute_integers(f->header, "Version", 2, version);
    bl_h5_attribute_ascii(f->header, "Type", "UnstructuredGrid");
    bl_h5_group(f->header, v->grid.n + 3);
    for (; n < v->grid.n; n++)
        bl_h5_link(f->header, v->grid.set[n].name, n, address_of(f, &v->grid.set[n]));
    bl_h5_link(f->header, "PointData", n, point_data);
    bl_h5_link(f->header, "CellData", n + 1, cell_data);
    bl_h5_link(f->header, "Steps", n + 2, f->steps_address);
    return bl_h5_header_end(f->recorder->file, f->header, &f->vtk);
}

/* ---- begin and end */

bl_status bl_h5_fields_groups(bl_h5_fields *f, uint64_t time) {
    uint64_t *member;
    vtk_group v = {0};
    f->heap = (bl_h5_heap){.ctx = f->ctx, .file = f->recorder->file};
    BL_TRY(BL_NEW(f->ctx, f->mesh, f->info->nmesh));
    for (bl_index m = 0; m < f->info->nmesh; m++)
        BL_TRY(escape(f->ctx, f->info->mesh[m].name, &f->mesh[m].name));
    BL_TRY(BL_NEW(f->ctx, member, f->info->nmesh));
    bl_status status = add_all_bodies(f, member);
    bl_free(f->ctx, member);
    if (status == BL_OK)
        status = add_vtk(f, time, &v);
    bl_free(f->ctx, v.grid.set);
    bl_free(f->ctx, v.points.set);
    bl_free(f->ctx, v.cells.set);
    return status;
}

bool bl_h5_fields_flush(bl_h5_fields *f) {
    uint64_t rows = f->recorder->blocks * (uint64_t)f->recorder->block_rows + (uint64_t)f->recorder->pending;
    if (rows == 0)
        return false;
    bl_h5_heap_write(&f->heap, rows);
    bl_h5_set_number(f->steps.data + f->steps_count, rows, 8);
    bl_h5_reseal(f->steps.data, (size_t)f->steps.length);
    bl_h5_write(f->recorder->file, f->steps_address, f->steps.data, (size_t)f->steps.length);
    bool fresh = !f->shown;
    f->shown = true;
    return fresh;
}

void bl_h5_fields_destroy(bl_h5_fields *f) {
    for (bl_index m = 0; f->mesh && m < f->info->nmesh; m++)
        bl_free(f->ctx, f->mesh[m].name);
    bl_free(f->ctx, f->mesh);
    bl_free(f->ctx, f->steps.data);
    bl_h5_heap_destroy(&f->heap);
    *f = (bl_h5_fields){.ctx = f->ctx};
}
