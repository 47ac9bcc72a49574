/* Reads result files with the HDF5 library, which is loaded on demand. Version 1 had a dataset for every item: they are combined, so that
 * both versions look the same. */
#include "base/library.h"
#include "output/result_file.h"

#include <stdlib.h>
#include <string.h>

#define NAME(name) #name,
static const char *const function_names[] = {BL_H5_FUNCTIONS(NAME) NULL};
static const bl_library library = {"HDF5", BIELA_HDF5_FILE, "install libhdf5-103-1 (results are written without it)", function_names};

enum { MOST_TEXT = 1 << 20, READ_ONLY = 0 }; /* READ_ONLY: value of H5F_ACC_RDONLY, a macro that calls the library */

bl_status bl_result_broken(const bl_result *r, const char *what) {
    bl_fail(r->ctx, BL_E_FILE, NULL, "cannot read '%s': %s", r->path, what);
    bl_advise(r->ctx, "give a result file of `biela run`, or FILE~partial of a killed run");
    return BL_E_FILE;
}

/* ---- messages of HDF5 */

bl_quiet bl_quiet_start(const bl_result *r) {
    bl_quiet was = {0};
    r->h5.H5Eget_auto2(H5E_DEFAULT, &was.print, &was.data);
    r->h5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return was;
}

void bl_quiet_end(const bl_result *r, bl_quiet was) { r->h5.H5Eset_auto2(H5E_DEFAULT, was.print, was.data); }

/* ---- paths */

/* H5Lexists needs every group of the path to exist, so each is checked in turn */
bool bl_result_exists(const bl_result *r, const char *path) {
    char part[BL_RESULT_PATH];
    for (const char *slash = strchr(path, '/');; slash = strchr(slash + 1, '/')) {
        size_t length = slash ? (size_t)(slash - path) : strlen(path);
        if (length >= sizeof part)
            return false;
        memcpy(part, path, length);
        part[length] = '\0';
        if (r->h5.H5Lexists(r->file, part, H5P_DEFAULT) <= 0)
            return false;
        if (!slash)
            return true;
    }
}

/* path of item i (0 for quantities without items); false: too long */
static bool path_of(const bl_result *r, bl_result_what what, bl_index i, char path[BL_RESULT_PATH]) {
    const bl_result_dataset *dataset = &bl_result_layout[what];
    const char *group = bl_result_group_name[dataset->in];
    const bl_item_list *items = &r->items[dataset->in];
    int n;
    if (!group)
        n = snprintf(path, BL_RESULT_PATH, "%s", dataset->name);
    else if (r->version > 1 || dataset->in == BL_GROUP_ENERGY)
        n = snprintf(path, BL_RESULT_PATH, "%s/%s", group, dataset->name);
    else if (dataset->in == BL_GROUP_PROBES)
        n = snprintf(path, BL_RESULT_PATH, "%s/%s",
                     what == BL_QUANTITY_PROBE            ? "probes"
                     : what == BL_QUANTITY_PROBE_VELOCITY ? "probe_velocities"
                                                          : "probe_accelerations",
                     items->link[i]);
    else
        n = snprintf(path, BL_RESULT_PATH, "%s/%s/%s", group, items->link[i], dataset->name);
    return n > 0 && n < BL_RESULT_PATH;
}

/* ---- names */

/* decodes %2F etc. */
static void unescape(const char *from, char *to) {
    for (; *from; from++) {
        char digits[3] = {from[0] == '%' && from[1] ? from[1] : '\0', from[0] == '%' && from[1] ? from[2] : '\0', '\0'}, *end;
        long code = digits[0] && digits[1] ? strtol(digits, &end, 16) : 0;
        if (code > 0 && end == digits + 2) {
            *to++ = (char)code;
            from += 2;
        } else if (from[0] != '%' || from[1]) { /* a single percent sign stands for an empty name */
            *to++ = *from;
        }
    }
    *to = '\0';
}

static bl_status reserve_items(bl_result *r, bl_item_list *items, bl_index n) {
    items->n = n;
    return BL_ARENA_ARRAYS(&r->arena, BL_ARRAY(items->name, n), BL_ARRAY(items->link, n));
}

/* version 1: links of the group, in creation order */
bl_status bl_result_links(bl_result *r, const char *group, bl_item_list *items) {
    hid_t at = r->h5.H5Gopen2(r->file, group, H5P_DEFAULT);
    H5G_info_t about;
    if (at < 0)
        return bl_result_broken(r, "a group of items is damaged");
    bl_status status = r->h5.H5Gget_info(at, &about) < 0 || about.nlinks > INT32_MAX / 2
                           ? bl_result_broken(r, "a group of items is damaged")
                           : reserve_items(r, items, (bl_index)about.nlinks);
    for (bl_index i = 0; i < items->n && status == BL_OK; i++) {
        char link[BL_RESULT_PATH];
        ssize_t n = r->h5.H5Lget_name_by_idx(at, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, (hsize_t)i, link, sizeof link, H5P_DEFAULT);
        if (n < 0 || n >= BL_RESULT_PATH) {
            status = bl_result_broken(r, "the name of an item is damaged");
            break;
        }
        char *name = bl_arena_text(&r->arena, link, (size_t)n);
        items->link[i] = bl_arena_text(&r->arena, link, (size_t)n);
        items->name[i] = name;
        if (!name || !items->link[i])
            status = BL_E_MEMORY;
        else
            unescape(items->link[i], name);
    }
    r->h5.H5Gclose(at);
    return status;
}

bl_status bl_result_texts(bl_result *r, const char *path, int64_t *n, size_t *bytes, char **all) {
    hid_t set = r->h5.H5Dopen2(r->file, path, H5P_DEFAULT);
    if (set < 0)
        return bl_result_broken(r, "a text is missing");
    hid_t type = r->h5.H5Dget_type(set), space = r->h5.H5Dget_space(set);
    hsize_t count = 1;
    int rank = r->h5.H5Sget_simple_extent_ndims(space);
    bl_status status = BL_OK;
    if (rank < 0 || rank > 1 || r->h5.H5Tget_class(type) != H5T_STRING ||
        (rank == 1 && r->h5.H5Sget_simple_extent_dims(space, &count, NULL) < 0))
        status = bl_result_broken(r, "a text is damaged");
    *n = rank == 0 ? -1 : (int64_t)count;
    *bytes = r->h5.H5Tget_size(type);
    if (status == BL_OK && (count > INT32_MAX / 2 || *bytes > SIZE_MAX / 4 / (count + 1)))
        status = bl_result_broken(r, "a text is damaged");
    if (status == BL_OK && !(*all = bl_arena_alloc(&r->arena, count * *bytes + 1, 1)))
        status = BL_E_MEMORY;
    if (status == BL_OK && count > 0 && r->h5.H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, *all) < 0)
        status = bl_result_broken(r, "a text is damaged");
    r->h5.H5Sclose(space);
    r->h5.H5Tclose(type);
    r->h5.H5Dclose(set);
    return status;
}

static bl_status read_names(bl_result *r, const char *group, bl_item_list *items) {
    char path[64], *all = NULL;
    int64_t n;
    size_t bytes;
    snprintf(path, sizeof path, "%s/names", group);
    BL_TRY(bl_result_texts(r, path, &n, &bytes, &all));
    if (n < 0)
        return bl_result_broken(r, "the names of the items are damaged");
    BL_TRY(reserve_items(r, items, (bl_index)n));
    for (bl_index i = 0; i < items->n; i++) {
        const char *at = all + (size_t)i * bytes, *end = memchr(at, '\0', bytes);
        if (!(items->name[i] = bl_arena_text(&r->arena, at, end ? (size_t)(end - at) : bytes)))
            return BL_E_MEMORY;
    }
    return BL_OK;
}

/* ---- quantities */

bl_status bl_result_check_dataset(bl_result *r, const char *path, bl_index items, int width, long *samples) {
    hid_t set = r->h5.H5Dopen2(r->file, path, H5P_DEFAULT);
    if (set < 0)
        return bl_result_broken(r, "a quantity is missing");
    hid_t space = r->h5.H5Dget_space(set), type = r->h5.H5Dget_type(set);
    hsize_t dims[BL_RESULT_DIMS] = {0};
    int rank = r->h5.H5Sget_simple_extent_ndims(space), k = 1;
    bool good = rank >= 1 && rank <= BL_RESULT_DIMS && r->h5.H5Tget_class(type) == H5T_FLOAT &&
                r->h5.H5Sget_simple_extent_dims(space, dims, NULL) > 0;
    good = good && rank == 1 + (items > 0) + (width > 1);
    if (good && items > 0)
        good = dims[k++] == (hsize_t)items;
    if (good && width > 1)
        good = dims[k] == (hsize_t)width;
    r->h5.H5Tclose(type);
    r->h5.H5Sclose(space);
    r->h5.H5Dclose(set);
    if (!good || dims[0] > INT32_MAX * (hsize_t)1000000)
        return bl_result_broken(r, "the shape of a quantity does not match its names");
    *samples = r->samples < 0 || (long)dims[0] < *samples ? (long)dims[0] : *samples;
    return BL_OK;
}

bl_status bl_result_more(bl_result *r) {
    if (r->nquantity < r->room)
        return BL_OK;
    bl_index room = 2 * r->room + BL_RESULT_QUANTITIES;
    bl_quantity *quantity;
    struct bl_result_at *at;
    BL_TRY(BL_ARENA_ARRAYS(&r->arena, BL_ARRAY(quantity, room), BL_ARRAY(at, room)));
    if (r->nquantity > 0) {
        memcpy(quantity, r->quantity, (size_t)r->nquantity * sizeof *quantity);
        memcpy(at, r->at, (size_t)r->nquantity * sizeof *at);
    }
    r->quantity = quantity;
    r->at = at;
    r->room = room;
    return BL_OK;
}

static bl_status add_quantity(bl_result *r, bl_result_what what) {
    const bl_result_dataset *dataset = &bl_result_layout[what];
    const bl_item_list *items = &r->items[dataset->in];
    bool named = bl_result_group_name[dataset->in] && dataset->in != BL_GROUP_ENERGY;
    char path[BL_RESULT_PATH];
    if ((named && items->n == 0) || !path_of(r, what, 0, path) || !bl_result_exists(r, path))
        return BL_OK;
    for (bl_index i = 0; i < (named && r->version == 1 ? items->n : 1); i++) {
        if (!path_of(r, what, i, path))
            return bl_result_broken(r, "the name of an item is too long");
        BL_TRY(bl_result_check_dataset(r, path, named && r->version > 1 ? items->n : 0, dataset->width, &r->samples));
    }
    char name[64];
    const char *group = bl_result_group_name[dataset->in];
    snprintf(name, sizeof name, "%s%s%s", group ? group : "", group ? "/" : "", dataset->name);
    BL_TRY(bl_result_more(r));
    r->at[r->nquantity].what = what;
    r->quantity[r->nquantity++] = (bl_quantity){.name = bl_arena_text(&r->arena, name, strlen(name)),
                                                .unit = dataset->unit,
                                                .description = dataset->what,
                                                .items = named ? items->n : 1,
                                                .components = dataset->width,
                                                .item = named ? items->name : NULL};
    return r->quantity[r->nquantity - 1].name ? BL_OK : BL_E_MEMORY;
}

/* takes the type of all numbers from the times */
static bl_status find_number(bl_result *r) {
    hid_t set = r->h5.H5Dopen2(r->file, "time", H5P_DEFAULT), type = set >= 0 ? r->h5.H5Dget_type(set) : -1;
    if (type >= 0 && r->h5.H5Tget_class(type) == H5T_FLOAT)
        r->number = r->h5.H5Tget_native_type(type, H5T_DIR_ASCEND);
    bool good = r->number >= 0 && r->h5.H5Tget_size(r->number) == sizeof(double);
    if (type >= 0)
        r->h5.H5Tclose(type);
    if (set >= 0)
        r->h5.H5Dclose(set);
    return good ? BL_OK : bl_result_broken(r, "its times are not numbers");
}

static bl_status read_contents(bl_result *r) {
    double version = 1;
    if (!bl_result_exists(r, "time") || !bl_result_exists(r, "model") || r->h5.H5Aexists(r->file, "biela_version") <= 0)
        return bl_result_broken(r, "it is not a result of biela");
    BL_TRY(find_number(r));
    if (r->h5.H5Aexists(r->file, "format_version") > 0)
        BL_TRY(bl_result_number(r, "format_version", &version));
    if (version > BL_RESULT_VERSION) {
        bl_fail(r->ctx, BL_E_ABILITY, NULL, "'%s' has format version %g; this version of biela reads up to %d", r->path, version,
                BL_RESULT_VERSION);
        bl_advise(r->ctx, "read it with the version of biela that wrote it, or a newer one");
        return BL_E_ABILITY;
    }
    r->version = version >= 2 ? 2 : 1;
    for (int g = BL_GROUP_ROOT + 1; g < BL_RESULT_GROUPS; g++)
        if (g != BL_GROUP_ENERGY && bl_result_exists(r, bl_result_group_name[g]))
            BL_TRY((r->version == 1 ? bl_result_links : read_names)(r, bl_result_group_name[g], &r->items[g]));
    r->samples = -1;
    for (int q = 0; q < BL_RESULT_QUANTITIES; q++)
        BL_TRY(add_quantity(r, (bl_result_what)q));
    BL_TRY(bl_result_find_fields(r));
    for (bl_index i = 0; i < r->nquantity; i++)
        r->quantity[i].rows = bl_result_samples(r);
    r->nsampled = r->nquantity;
    BL_TRY(bl_result_find_steps(r));
    return bl_result_find_impacts(r);
}

bl_status bl_result_open(bl_context *ctx, const char *path, bl_result **result) {
    *result = NULL;
    if (!path)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_result_open needs a path");
    bl_result *r;
    BL_TRY(BL_NEW(ctx, r, 1));
    *r = (bl_result){.ctx = ctx, .file = -1, .number = -1, .arena.ctx = ctx};
    bl_status status = (r->path = bl_strdup(ctx, path)) ? bl_library_load(ctx, &library, &r->h5) : BL_E_MEMORY;
    if (status == BL_OK && r->h5.H5open() < 0)
        status = bl_fail(ctx, BL_E_ABILITY, NULL, "cannot start the HDF5 library");
    if (status == BL_OK) {
        bl_quiet was = bl_quiet_start(r);
        r->file = r->h5.H5Fopen(path, READ_ONLY, H5P_DEFAULT);
        status = r->file < 0 ? bl_result_broken(r, "the file does not exist, or is not an HDF5 file") : read_contents(r);
        bl_quiet_end(r, was);
    }
    if (status != BL_OK) {
        bl_result_close(r);
        return status;
    }
    *result = r;
    return BL_OK;
}

void bl_result_close(bl_result *r) {
    if (!r)
        return;
    if (r->file >= 0) {
        bl_quiet was = bl_quiet_start(r);
        if (r->number >= 0)
            r->h5.H5Tclose(r->number);
        r->h5.H5Fclose(r->file);
        bl_quiet_end(r, was);
    }
    bl_arena_destroy(&r->arena);
    bl_free(r->ctx, r->path);
    bl_free(r->ctx, r);
}

int bl_result_version(const bl_result *r) { return r->version; }
long bl_result_samples(const bl_result *r) { return r->samples < 0 ? 0 : r->samples; }

bl_index bl_result_quantities(const bl_result *r, const bl_quantity **list) {
    *list = r->quantity;
    return r->nsampled;
}

bl_status bl_result_quantity(bl_result *r, const char *name, const bl_quantity **quantity) {
    *quantity = NULL;
    for (bl_index i = 0; i < r->nquantity && !*quantity; i++)
        if (strcmp(r->quantity[i].name, name) == 0)
            *quantity = &r->quantity[i];
    return *quantity ? BL_OK : bl_fail(r->ctx, BL_E_ARG, NULL, "'%s' has no quantity '%s'", r->path, name);
}

/* ---- numbers */

/* to[count][stride]: `items` items from `item` on (items 0: a dataset without that dimension), width components each */
bl_status bl_result_read_part(bl_result *r, const char *path, long first, long count, bl_index item, bl_index items, int width,
                              size_t stride, double *to) {
    hid_t set = r->h5.H5Dopen2(r->file, path, H5P_DEFAULT), type = r->number;
    if (set < 0)
        return bl_result_broken(r, "a quantity is missing");
    hsize_t start[BL_RESULT_DIMS] = {(hsize_t)first}, size[BL_RESULT_DIMS] = {(hsize_t)count}, none[2] = {0};
    int k = 1;
    if (items > 0) {
        start[k] = (hsize_t)item;
        size[k++] = (hsize_t)items;
    }
    if (width > 1)
        size[k] = (hsize_t)width;
    hsize_t row = (hsize_t)(items > 0 ? items : 1) * (hsize_t)width, memory[2] = {(hsize_t)count, stride}, part[2] = {(hsize_t)count, row};
    /* contiguous: memory has the shape of the part, so that HDF5 does not match elements one by one, which is very slow */
    bool contiguous = stride == row;
    hid_t space = r->h5.H5Dget_space(set);
    hid_t room = contiguous ? r->h5.H5Screate_simple(k + (width > 1), size, NULL) : r->h5.H5Screate_simple(2, memory, NULL);
    bool good = space >= 0 && room >= 0 && r->h5.H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0 &&
                (contiguous || r->h5.H5Sselect_hyperslab(room, H5S_SELECT_SET, none, NULL, part, NULL) >= 0) &&
                r->h5.H5Dread(set, type, room, space, H5P_DEFAULT, to) >= 0;
    r->h5.H5Sclose(room);
    r->h5.H5Sclose(space);
    r->h5.H5Dclose(set);
    return good ? BL_OK : bl_result_broken(r, "a quantity is damaged");
}

bl_status bl_result_read(bl_result *r, const bl_quantity *quantity, long first, long count, bl_index item, bl_index items, double *values) {
    if (!quantity || quantity < r->quantity || quantity >= r->quantity + r->nquantity)
        return bl_fail(r->ctx, BL_E_ARG, NULL, "bl_result_read needs a quantity of the same result");
    if (first < 0 || count < 0 || first > quantity->rows - count || item < 0 || items < 1 || item > quantity->items - items)
        return bl_fail(r->ctx, BL_E_ARG, NULL, "'%s' has %ld samples of %d items of %s, not samples %ld to %ld of items %d to %d", r->path,
                       quantity->rows, (int)quantity->items, quantity->name, first, first + count - 1, (int)item, (int)(item + items - 1));
    if (count == 0)
        return BL_OK;
    bl_result_what what = r->at[quantity - r->quantity].what;
    const char *field = r->at[quantity - r->quantity].path;
    int width = quantity->components;
    char path[BL_RESULT_PATH];
    bl_status status = BL_OK;
    bl_quiet was = bl_quiet_start(r);
    if (field) {
        status = bl_result_read_part(r, field, first, count, item, quantity->mesh || quantity->item ? items : 0, width,
                                     (size_t)items * (size_t)width, values);
    } else if (!quantity->item || r->version > 1) {
        path_of(r, what, 0, path);
        status = bl_result_read_part(r, path, first, count, item, quantity->item ? items : 0, width, (size_t)items * (size_t)width, values);
    } else {
        for (bl_index i = 0; i < items && status == BL_OK; i++) {
            path_of(r, what, item + i, path);
            status =
                bl_result_read_part(r, path, first, count, 0, 0, width, (size_t)items * (size_t)width, values + (size_t)i * (size_t)width);
        }
    }
    bl_quiet_end(r, was);
    return status;
}

/* ---- attributes and the model */

/* "statistics/steps": attribute steps of the group; negative: none */
static hid_t open_attribute(const bl_result *r, const char *name) {
    const char *slash = strrchr(name, '/');
    char group[BL_RESULT_PATH] = ".";
    if (slash) {
        if ((size_t)(slash - name) >= sizeof group)
            return -1;
        memcpy(group, name, (size_t)(slash - name));
        group[slash - name] = '\0';
        if (!bl_result_exists(r, group))
            return -1;
    }
    hid_t at = r->h5.H5Gopen2(r->file, group, H5P_DEFAULT), attribute = -1;
    if (at >= 0 && r->h5.H5Aexists(at, slash ? slash + 1 : name) > 0)
        attribute = r->h5.H5Aopen(at, slash ? slash + 1 : name, H5P_DEFAULT);
    if (at >= 0)
        r->h5.H5Gclose(at);
    return attribute;
}

static bl_status no_attribute(const bl_result *r, const char *name, const char *kind) {
    return bl_fail(r->ctx, BL_E_ARG, NULL, "'%s' has no %s '%s'", r->path, kind, name);
}

bl_status bl_result_number(bl_result *r, const char *name, double *value) {
    bl_quiet was = bl_quiet_start(r);
    hid_t attribute = open_attribute(r, name), type = attribute >= 0 ? r->h5.H5Aget_type(attribute) : -1;
    H5T_class_t class = type >= 0 ? r->h5.H5Tget_class(type) : H5T_NO_CLASS;
    bool good = (class == H5T_FLOAT || class == H5T_INTEGER) && r->h5.H5Aread(attribute, r->number, value) >= 0;
    if (type >= 0)
        r->h5.H5Tclose(type);
    if (attribute >= 0)
        r->h5.H5Aclose(attribute);
    bl_quiet_end(r, was);
    return good ? BL_OK : no_attribute(r, name, "number");
}

bl_status bl_result_text(bl_result *r, const char *name, char *text, size_t size) {
    bl_quiet was = bl_quiet_start(r);
    hid_t attribute = open_attribute(r, name), type = attribute >= 0 ? r->h5.H5Aget_type(attribute) : -1;
    size_t bytes = type >= 0 && r->h5.H5Tget_class(type) == H5T_STRING ? r->h5.H5Tget_size(type) : 0;
    char *all = NULL;
    bl_status status = bytes > 0 && bytes < MOST_TEXT ? BL_NEW(r->ctx, all, bytes + 1) : no_attribute(r, name, "text");
    if (status == BL_OK && r->h5.H5Aread(attribute, type, all) < 0)
        status = no_attribute(r, name, "text");
    if (status == BL_OK && size > 0)
        snprintf(text, size, "%s", all);
    bl_free(r->ctx, all);
    if (type >= 0)
        r->h5.H5Tclose(type);
    if (attribute >= 0)
        r->h5.H5Aclose(attribute);
    bl_quiet_end(r, was);
    return status;
}

static bl_status read_text(bl_result *r, const char *path, char **text, size_t *bytes) {
    int64_t n;
    if (*text)
        return BL_OK;
    bl_quiet was = bl_quiet_start(r);
    bl_status status = bl_result_texts(r, path, &n, bytes, text);
    bl_quiet_end(r, was);
    while (status == BL_OK && *bytes > 0 && (*text)[*bytes - 1] == '\0')
        --*bytes;
    return status;
}

bl_status bl_result_model(bl_result *r, const char **text, size_t *bytes) {
    bl_status status = read_text(r, "model", &r->model, &r->model_bytes);
    *text = r->model;
    *bytes = r->model_bytes;
    return status;
}

bl_status bl_result_scene(bl_result *r, const char **text, size_t *bytes) {
    *text = NULL;
    *bytes = 0;
    bl_quiet was = bl_quiet_start(r);
    bool there = bl_result_exists(r, "scene");
    bl_quiet_end(r, was);
    if (!there)
        return BL_OK;
    bl_status status = read_text(r, "scene", &r->scene, &r->scene_bytes);
    *text = r->scene;
    *bytes = r->scene_bytes;
    return status;
}
