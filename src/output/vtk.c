/* VTK sink: the fields of every output time as FOLDER/BODY-NUMBER.vtu (XML with appended raw arrays, compressed by zlib), and
 * FOLDER/fields.pvd with the times of all files, for ParaView before 5.12. VTK File Formats, section "XML File Formats".
 *
 * An array in the appended part: number of blocks, bytes of a block, bytes of the last one if it is shorter, compressed bytes of each; then
 * the blocks. Offsets and sizes are filled in once they are known. */
#include "base/sized.h"
#include "output/hdf5_format.h" /* bytes that grow */
#include "output/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

enum { BLOCK_BYTES = 1 << 18, OFFSET_DIGITS = 15, LEVEL = 1 };
static const double list_seconds = 1; /* between updates of fields.pvd */

typedef struct vtk_time {
    double t;
    long number;
} vtk_time;

typedef struct vtk_mesh {
    char *file;    /* name of its files, without number and ending */
    bl_index *set; /* [ncell] */
} vtk_mesh;

typedef struct vtk_sink {
    bl_context *ctx;
    char *folder;
    bl_run_info info;
    vtk_mesh *mesh;
    bl_index ntime, time_room;
    vtk_time *time;
    double listed; /* wall clock time of the last update of fields.pvd */
    bl_h5_bytes text;
    z_stream deflate;
    bool deflating;
    unsigned char *packed; /* a block */
    size_t most_packed;
    uint64_t *sizes; /* of the blocks of an array */
    bl_index sizes_room;
    /* the file being written */
    bl_target *target;
    uint64_t start, end; /* of the appended data, after the underscore */
} vtk_sink;

/* ---- texts */

static void append_text(void *to, const char *text, size_t length) { bl_h5_put(to, text, length); }

static BL_PRINTF(2, 3) void put(bl_h5_bytes *text, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bl_format(append_text, text, format, args);
    va_end(args);
}

static void put_escaped(bl_h5_bytes *text, const char *value) {
    for (; *value; value++) {
        const char *as = *value == '&' ? "&amp;" : *value == '<' ? "&lt;" : *value == '>' ? "&gt;" : *value == '"' ? "&quot;" : NULL;
        bl_h5_put(text, as ? as : value, as ? strlen(as) : 1);
    }
}

/* FOLDER/name-number.vtu, or FOLDER/name without a number */
static bl_status path_of(const vtk_sink *sink, const char *name, long number, char **path) {
    size_t room = strlen(sink->folder) + strlen(name) + 40;
    BL_TRY(BL_NEW(sink->ctx, *path, room));
    if (number < 0)
        snprintf(*path, room, "%s/%s", sink->folder, name);
    else
        snprintf(*path, room, "%s/%s-%06ld.vtu", sink->folder, name, number);
    return BL_OK;
}

/* ---- arrays */

/* Arrays are declared in the XML text; their data are appended in the same order. */
typedef struct vtk_array {
    const char *type, *name;
    int components;
    const void *data;
    size_t bytes;
} vtk_array;

/* returns the position of its offset in the text */
static bl_index declare(bl_h5_bytes *text, const vtk_array *a) {
    static const char *const component[] = {"11", "22", "33", "12", "23", "13"};
    put(text, "<DataArray type=\"%s\" Name=\"", a->type);
    put_escaped(text, a->name);
    put(text, "\" NumberOfComponents=\"%d\"", a->components);
    for (int k = 0; k < a->components && (a->components == 4 || a->components == 6); k++) {
        put(text, " ComponentName%d=\"%s\"", k, component[k]);
    }
    put(text, " format=\"appended\" offset=\"");
    bl_index at = text->length;
    for (int k = 0; k < OFFSET_DIGITS; k++)
        put(text, "0");
    put(text, "\"/>\n");
    return at;
}

static bl_status pack(vtk_sink *sink, const unsigned char *from, size_t bytes, uint64_t *packed) {
    z_stream *z = &sink->deflate;
    deflateReset(z);
    z->next_in = (unsigned char *)(uintptr_t)from; /* zlib does not write there */
    z->avail_in = (unsigned)bytes;
    z->next_out = sink->packed;
    z->avail_out = (unsigned)sink->most_packed;
    if (deflate(z, Z_FINISH) != Z_STREAM_END)
        return bl_fail(sink->ctx, BL_E_MEMORY, NULL, "out of memory while compressing '%s'", sink->target->path);
    *packed = sink->most_packed - z->avail_out;
    return BL_OK;
}

/* appends its blocks; *offset: where they begin */
static bl_status append(vtk_sink *sink, const vtk_array *a, uint64_t *offset) {
    size_t blocks = (a->bytes + BLOCK_BYTES - 1) / BLOCK_BYTES, head = (3 + blocks) * sizeof(uint64_t);
    BL_TRY(BL_RESERVE(sink->ctx, sink->sizes, sink->sizes_room, (bl_index)(3 + blocks)));
    *offset = sink->end - sink->start;
    uint64_t at = sink->end;
    sink->end += head;
    for (size_t k = 0; k < blocks; k++) {
        size_t first = k * BLOCK_BYTES, bytes = a->bytes - first < BLOCK_BYTES ? a->bytes - first : BLOCK_BYTES;
        BL_TRY(pack(sink, (const unsigned char *)a->data + first, bytes, &sink->sizes[3 + k]));
        bl_target_write_at(sink->target, sink->end, sink->packed, (size_t)sink->sizes[3 + k]);
        sink->end += sink->sizes[3 + k];
    }
    sink->sizes[0] = blocks;
    sink->sizes[1] = BLOCK_BYTES;
    sink->sizes[2] = a->bytes % BLOCK_BYTES;
    bl_target_write_at(sink->target, at, sink->sizes, head);
    return bl_target_check(sink->target);
}

/* ---- one file */

enum { MOST_ARRAYS = 64 };
typedef struct vtk_list {
    int n;
    vtk_array array[MOST_ARRAYS];
    bl_index offset[MOST_ARRAYS];
} vtk_list;

static void add(vtk_list *list, bl_h5_bytes *text, vtk_array array) {
    if (list->n == MOST_ARRAYS)
        return;
    list->offset[list->n] = declare(text, &array);
    list->array[list->n++] = array;
}

static void add_fields(const vtk_sink *sink, bl_index m, bool on_cells, const bl_sample *sample, bl_h5_bytes *text, vtk_list *list) {
    for (bl_index i = 0; i < sink->info.nfield; i++) {
        const bl_field *f = &sink->info.field[i];
        if (f->mesh == m && f->on_cells == on_cells)
            add(list, text,
                (vtk_array){"Float64", f->name, f->components, sample->field[i],
                            (size_t)f->items * (size_t)f->components * sizeof(double)});
    }
}

static void describe(vtk_sink *sink, bl_index m, const bl_sample *sample, vtk_list *list) {
    const bl_run_mesh *mesh = &sink->info.mesh[m];
    bl_h5_bytes *text = &sink->text;
    size_t index = sizeof(bl_index), cells = (size_t)mesh->ncell, nodes = (size_t)mesh->nnode;
    text->length = 0;
    put(text,
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
        "compressor=\"vtkZLibDataCompressor\">\n"
        "<UnstructuredGrid>\n<FieldData>\n"
        "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%g</DataArray>\n"
        "</FieldData>\n<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n<PointData>\n",
        sample->t, mesh->nnode, mesh->ncell);
    add_fields(sink, m, false, sample, text, list);
    put(text, "</PointData>\n<CellData>\n");
    add(list, text, (vtk_array){"Int32", "material", 1, mesh->material, cells * index});
    add(list, text, (vtk_array){"Int32", "set", 1, sink->mesh[m].set, cells * index});
    add_fields(sink, m, true, sample, text, list);
    put(text, "</CellData>\n<Points>\n");
    add(list, text, (vtk_array){"Float64", "Points", 3, mesh->x, 3 * nodes * sizeof(double)});
    put(text, "</Points>\n<Cells>\n");
    add(list, text, (vtk_array){"Int32", "connectivity", 1, mesh->node, (size_t)mesh->offset[mesh->ncell] * index});
    add(list, text, (vtk_array){"Int32", "offsets", 1, mesh->offset + 1, cells * index});
    add(list, text, (vtk_array){"UInt8", "types", 1, mesh->type, cells});
    put(text, "</Cells>\n</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_");
}

static bl_status fill(vtk_sink *sink, bl_index m, const bl_sample *sample) {
    static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
    vtk_list list = {0};
    describe(sink, m, sample, &list);
    BL_TRY(sink->text.status);
    sink->start = sink->end = (uint64_t)sink->text.length;
    for (int k = 0; k < list.n; k++) {
        uint64_t offset;
        char digits[32];
        BL_TRY(append(sink, &list.array[k], &offset));
        snprintf(digits, sizeof digits, "%0*llu", OFFSET_DIGITS, (unsigned long long)offset);
        memcpy(sink->text.data + list.offset[k], digits, OFFSET_DIGITS);
    }
    bl_target_write_at(sink->target, sink->end, tail, sizeof tail - 1);
    bl_target_write_at(sink->target, 0, sink->text.data, (size_t)sink->text.length);
    return bl_target_check(sink->target);
}

/* a file that appears when it is complete: a sample of mesh m, or (sample NULL) the text */
static bl_status write_file(vtk_sink *sink, const char *name, long number, bl_index m, const bl_sample *sample) {
    bl_target target;
    char *path;
    BL_TRY(path_of(sink, name, number, &path));
    bl_status status = bl_target_create(sink->ctx, path, &target);
    bl_free(sink->ctx, path);
    BL_TRY(status);
    status = bl_target_open(&target, false);
    if (status == BL_OK) {
        sink->target = &target;
        if (sample)
            status = fill(sink, m, sample);
        else
            bl_target_append(&target, (const char *)sink->text.data, (size_t)sink->text.length);
        bl_status closed = bl_target_close(&target, status == BL_OK);
        status = status != BL_OK ? status : closed;
    }
    bl_target_destroy(&target);
    return status;
}

/* ---- the list of times */

static bl_status write_list(vtk_sink *sink) {
    bl_h5_bytes *text = &sink->text;
    text->length = 0;
    put(text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n");
    for (bl_index i = 0; i < sink->ntime; i++)
        for (bl_index m = 0; m < sink->info.nmesh; m++) {
            char file[32];
            put(text, "<DataSet timestep=\"%g\" part=\"%d\" name=\"", sink->time[i].t, m);
            put_escaped(text, sink->info.mesh[m].name);
            put(text, "\" file=\"%s", sink->mesh[m].file);
            snprintf(file, sizeof file, "-%06ld.vtu\"/>\n", sink->time[i].number);
            put(text, "%s", file);
        }
    put(text, "</Collection>\n</VTKFile>\n");
    BL_TRY(text->status);
    sink->listed = bl_clock_seconds();
    return write_file(sink, "fields.pvd", -1, 0, NULL);
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    vtk_sink *sink = user;
    BL_TRY(BL_RESERVE(sink->ctx, sink->time, sink->time_room, sink->ntime + 1));
    for (bl_index m = 0; m < sink->info.nmesh; m++)
        BL_TRY(write_file(sink, sink->mesh[m].file, sink->ntime, m, sample));
    sink->time[sink->ntime] = (vtk_time){sample->t, sink->ntime};
    sink->ntime++;
    return bl_clock_seconds() - sink->listed > list_seconds ? write_list(sink) : BL_OK;
}

/* ---- begin and end */

/* letters, digits and a few other characters; a repeated name gets a number */
static bl_status name_files(vtk_sink *sink, bl_index m) {
    const char *name = sink->info.mesh[m].name;
    size_t room = strlen(name) + 32;
    BL_TRY(BL_NEW(sink->ctx, sink->mesh[m].file, room));
    char *file = sink->mesh[m].file;
    size_t n = 0;
    for (; name[n] && n < 200; n++) {
        char c = name[n];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        file[n] = plain ? c : '_';
    }
    for (bl_index k = 0, more = 1; k < m; k++)
        if (strcmp(sink->mesh[k].file, file) == 0) {
            snprintf(file + n, room - n, "_%d", (int)++more);
            k = -1;
        }
    return BL_OK;
}

static bl_status number_sets(vtk_sink *sink, bl_index m) {
    const bl_run_mesh *mesh = &sink->info.mesh[m];
    BL_TRY(BL_NEW(sink->ctx, sink->mesh[m].set, mesh->ncell));
    bl_mesh_set_numbers(mesh, sink->mesh[m].set);
    return BL_OK;
}

static void *take_memory(void *user, unsigned count, unsigned size) { return bl_alloc(user, count, size); }
static void free_memory(void *user, void *block) { bl_free(user, block); }

static bl_status begin_deflate(vtk_sink *sink) {
    sink->deflate = (z_stream){.zalloc = take_memory, .zfree = free_memory, .opaque = sink->ctx};
    if (deflateInit(&sink->deflate, LEVEL) != Z_OK)
        return bl_fail(sink->ctx, BL_E_MEMORY, NULL, "out of memory for compressing VTK files");
    sink->deflating = true;
    sink->most_packed = deflateBound(&sink->deflate, BLOCK_BYTES);
    return BL_NEW(sink->ctx, sink->packed, sink->most_packed);
}

static void free_data(vtk_sink *sink) {
    for (bl_index m = 0; sink->mesh && m < sink->info.nmesh; m++) {
        bl_free(sink->ctx, sink->mesh[m].file);
        bl_free(sink->ctx, sink->mesh[m].set);
    }
    bl_free(sink->ctx, sink->mesh);
    bl_free(sink->ctx, sink->time);
    bl_free(sink->ctx, sink->text.data);
    bl_free(sink->ctx, sink->packed);
    bl_free(sink->ctx, sink->sizes);
    if (sink->deflating)
        deflateEnd(&sink->deflate);
    *sink = (vtk_sink){.ctx = sink->ctx, .folder = sink->folder, .text.ctx = sink->ctx};
}

static bl_status make_folder(const vtk_sink *sink) {
    struct stat at;
    if (mkdir(sink->folder, 0777) == 0 || (errno == EEXIST && stat(sink->folder, &at) == 0 && S_ISDIR(at.st_mode)))
        return BL_OK;
    bl_fail(sink->ctx, BL_E_FILE, NULL, "cannot create the folder '%s': %s", sink->folder, strerror(errno));
    bl_advise(sink->ctx, "choose another path for VTK files; the folders above it must exist");
    return BL_E_FILE;
}

static bl_status begin(void *user, const bl_run_info *info) {
    vtk_sink *sink = user;
    free_data(sink);
    sink->info = *info;
    if (info->nfield == 0) {
        bl_fail(sink->ctx, BL_E_ABILITY, NULL, "no fields for VTK files: the model has no meshes, or --fields selects none");
        bl_advise(sink->ctx, "results of mechanisms are in the result file and in the table of --csv");
        return BL_E_ABILITY;
    }
    BL_TRY(make_folder(sink));
    BL_TRY(BL_NEW(sink->ctx, sink->mesh, info->nmesh));
    for (bl_index m = 0; m < info->nmesh; m++) {
        BL_TRY(name_files(sink, m));
        BL_TRY(number_sets(sink, m));
    }
    sink->listed = bl_clock_seconds();
    return begin_deflate(sink);
}

static bl_status end(void *user, const bl_run_summary *summary) {
    vtk_sink *sink = user;
    (void)summary;
    bl_status status = sink->ntime > 0 ? write_list(sink) : BL_OK;
    free_data(sink);
    return status;
}

static void destroy(void *user) {
    vtk_sink *sink = user;
    free_data(sink);
    bl_free(sink->ctx, sink->folder);
    bl_free(sink->ctx, sink);
}

bl_status bl_sink_vtk(bl_context *ctx, const char *folder, bl_sink *out) {
    BL_TRY(BL_FITS(ctx, bl_sink, out));
    BL_CLEAR(bl_sink, out);
    if (!folder || !folder[0])
        return bl_fail(ctx, BL_E_ARG, NULL, "VTK files need a folder");
    vtk_sink *sink;
    BL_TRY(BL_NEW(ctx, sink, 1));
    sink->ctx = sink->text.ctx = ctx;
    bl_sink made = {
        .size = sizeof made, .user = sink, .begin = begin, .sample = take_sample, .end = end, .destroy = destroy, .want = BL_WANT_FIELDS};
    sink->folder = bl_strdup(ctx, folder);
    return bl_sink_made(out, &made, sink->folder ? BL_OK : BL_E_MEMORY);
}
