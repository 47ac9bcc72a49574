/* HDF5 sink: the result file. Rows are gathered in memory and written in blocks; metadata reach the disk only in
 * H5Fflush (no evictions in between, no new-format superblock with its open-for-write mark), at least every second, so
 * that after a kill the file reads up to the last flush. Layout: docs/RESULT.md. */
#include "output/hdf5_file.h"

#include <math.h>
#include <string.h>

enum { LONGEST_BLOCK = 256, SHORTEST_BLOCK = 16, BUFFER_BYTES = 4 << 20, STATUS_BYTES = 64, MAX_WIDTH = 4 };
static const double flush_seconds = 1;

/* One dataset of [rows][width]; width 1 has one dimension only. */
typedef struct series {
    hid_t set;
    int width;
    double *block; /* [block_rows][width] rows not yet written */
} series;

typedef struct hdf5_sink {
    bl_context *ctx;
    bl_target target;
    bl_run_info info;
    hid_t file; /* < 0: not open */
    bl_index nseries, capacity;
    series *series;
    bl_index block_rows; /* rows gathered before they are written; also the chunk */
    bl_index pending;    /* rows gathered */
    hsize_t written;     /* rows in the file */
    double flushed;      /* when, by the wall clock */
} hdf5_sink;

/* ---- HDF5 prints its errors by default; ours go to the context */

typedef struct quiet {
    H5E_auto2_t print;
    void *data;
    bool known;
} quiet;

static quiet quiet_start(void) {
    quiet was = {0};
    was.known = H5Eget_auto2(H5E_DEFAULT, &was.print, &was.data) >= 0;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return was;
}

static void quiet_end(quiet was) {
    H5Eclear2(H5E_DEFAULT);
    if (was.known)
        H5Eset_auto2(H5E_DEFAULT, was.print, was.data);
}

static herr_t innermost(unsigned n, const H5E_error2_t *entry, void *data) {
    if (n == 0)
        *(const H5E_error2_t **)data = entry;
    return 0;
}

/* Status of an HDF5 call; to be asked before the next one, which clears the error stack. */
static bl_status done(hdf5_sink *sink, bool good) {
    BL_TRY(bl_target_check(&sink->target));
    if (good)
        return BL_OK;
    const H5E_error2_t *entry = NULL;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost, &entry);
    return bl_fail(sink->ctx, BL_E_FILE, NULL, "cannot write '%s': HDF5: %s", sink->target.path,
                   entry && entry->desc ? entry->desc : "no reason given");
}

/* ---- attributes, groups, datasets */

static bl_status attribute(hdf5_sink *sink, hid_t at, const char *name, hid_t type, const void *value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attr = H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT) : H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bl_status status = done(sink, attr >= 0 && H5Awrite(attr, type, value) >= 0);
    if (attr >= 0)
        H5Aclose(attr);
    H5Sclose(space);
    return status;
}

static hid_t text_type(size_t bytes) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, bytes ? bytes : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    return type;
}

static bl_status attribute_text(hdf5_sink *sink, hid_t at, const char *name, const char *value) {
    if (!value)
        value = "";
    hid_t type = text_type(strlen(value));
    bl_status status = attribute(sink, at, name, type, value);
    H5Tclose(type);
    return status;
}

static bl_status attribute_number(hdf5_sink *sink, hid_t at, const char *name, double value) {
    return attribute(sink, at, name, H5T_NATIVE_DOUBLE, &value);
}

static bl_status attribute_integer(hdf5_sink *sink, hid_t at, const char *name, long value) {
    return attribute(sink, at, name, H5T_NATIVE_LONG, &value);
}

/* always the same length, so that it can be overwritten in place */
static bl_status attribute_status(hdf5_sink *sink, const char *value) {
    char text[STATUS_BYTES] = {0};
    memcpy(text, value, strlen(value) < STATUS_BYTES ? strlen(value) : STATUS_BYTES - 1);
    hid_t type = text_type(STATUS_BYTES);
    bl_status status = attribute(sink, sink->file, "status", type, text);
    H5Tclose(type);
    return status;
}

/* Names of links hold no '/', and '.' alone means the group itself: percent signs as in web addresses. */
static bl_status escape(bl_context *ctx, const char *name, char **out) {
    static const char digit[] = "0123456789ABCDEF";
    size_t length = strlen(name), n = 0;
    BL_TRY(BL_NEW(ctx, *out, 3 * length + 4));
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        if (c == '/' || c == '%' || (c == '.' && length == 1)) {
            (*out)[n++] = '%';
            (*out)[n++] = digit[c >> 4];
            (*out)[n++] = digit[c & 15];
        } else {
            (*out)[n++] = (char)c;
        }
    }
    if (length == 0)
        (*out)[n++] = '%';
    return BL_OK;
}

/* Groups keep the order in which their members were made. */
static hid_t create_group(hid_t at, const char *name) {
    hid_t how = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_link_creation_order(how, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    hid_t group = H5Gcreate2(at, name, H5P_DEFAULT, how, H5P_DEFAULT);
    H5Pclose(how);
    return group;
}

static bl_status add_series(hdf5_sink *sink, hid_t at, const char *name, int width) {
    BL_TRY(BL_RESERVE(sink->ctx, sink->series, sink->capacity, sink->nseries + 1));
    series *s = &sink->series[sink->nseries];
    *s = (series){.set = -1, .width = width};
    sink->nseries++;
    BL_TRY(BL_NEW(sink->ctx, s->block, (size_t)sink->block_rows * (size_t)width));
    int rank = width > 1 ? 2 : 1;
    double fill = NAN;
    hid_t space = H5Screate_simple(rank, (hsize_t[]){0, (hsize_t)width}, (hsize_t[]){H5S_UNLIMITED, (hsize_t)width});
    hid_t how = H5Pcreate(H5P_DATASET_CREATE), use = H5Pcreate(H5P_DATASET_ACCESS);
    H5Pset_chunk(how, rank, (hsize_t[]){(hsize_t)sink->block_rows, (hsize_t)width});
    H5Pset_fill_value(how, H5T_NATIVE_DOUBLE, &fill);
    H5Pset_chunk_cache(use, 1, 0, 1); /* rows are gathered here already */
    s->set = H5Dcreate2(at, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, use);
    bl_status status = done(sink, s->set >= 0);
    H5Pclose(use);
    H5Pclose(how);
    H5Sclose(space);
    return status;
}

/* Parts of width[k] for one owner: a group of datasets, or one dataset when the part has no name. */
static bl_status add_owner(hdf5_sink *sink, hid_t at, const char *owner, int nparts, const char *const *part, const int *width) {
    char *name = NULL;
    BL_TRY(escape(sink->ctx, owner, &name));
    bl_status status = BL_OK;
    if (!part) {
        status = add_series(sink, at, name, width[0]);
    } else {
        hid_t group = create_group(at, name);
        status = done(sink, group >= 0);
        for (int k = 0; k < nparts && status == BL_OK; k++)
            status = add_series(sink, group, part[k], width[k]);
        if (group >= 0)
            H5Gclose(group);
    }
    bl_free(sink->ctx, name);
    return status;
}

static bl_status add_owners(hdf5_sink *sink, const char *group_name, bl_index n, const char *const *owner, int nparts,
                            const char *const *part, const int *width) {
    hid_t group = create_group(sink->file, group_name);
    bl_status status = done(sink, group >= 0);
    for (bl_index i = 0; i < n && status == BL_OK; i++)
        status = add_owner(sink, group, owner[i], nparts, part, width);
    if (group >= 0)
        H5Gclose(group);
    return status;
}

static bl_status add_gears(hdf5_sink *sink) {
    static const char *const part[] = {"first", "second"};
    static const int ones[] = {1, 1};
    const bl_run_info *info = &sink->info;
    hid_t group = create_group(sink->file, "gears");
    bl_status status = done(sink, group >= 0);
    for (bl_index i = 0; i < info->ngear && status == BL_OK; i++)
        status = add_owner(sink, group, info->joint[info->gear[i]], 2, part, ones);
    if (group >= 0)
        H5Gclose(group);
    return status;
}

/* The order of the series is the order in which take_sample fills them. */
static bl_status add_all_series(hdf5_sink *sink) {
    static const char *const pose[] = {"position", "quaternion", "velocity", "angular_velocity", "acceleration", "angular_acceleration"};
    static const char *const variable[] = {"value", "rate", "acceleration"}, *const wrench[] = {"force", "moment"};
    static const char *const driver[] = {"force", "power"};
    static const char *const energy[] = {"kinetic", "potential", "work", "error"}, *const root[] = {"energy"};
    static const int pose_width[] = {3, 4, 3, 3, 3, 3}, ones[] = {1, 1, 1, 1}, threes[] = {3, 3};
    const bl_run_info *info = &sink->info;
    BL_TRY(add_series(sink, sink->file, "time", 1));
    BL_TRY(add_owners(sink, "bodies", info->nbody, info->body, info->accelerations ? 6 : 4, pose, pose_width));
    BL_TRY(add_owners(sink, "variables", info->nvariable, info->variable, info->accelerations ? 3 : 2, variable, ones));
    BL_TRY(add_owners(sink, "probes", info->nprobe, info->probe, 1, NULL, threes));
    BL_TRY(add_owners(sink, "probe_velocities", info->nprobe, info->probe, 1, NULL, threes));
    if (info->accelerations)
        BL_TRY(add_owners(sink, "probe_accelerations", info->nprobe, info->probe, 1, NULL, threes));
    if (info->reactions) {
        BL_TRY(add_owners(sink, "reactions", info->njoint, info->joint, 2, wrench, threes));
        BL_TRY(add_owners(sink, "drivers", info->ndriver, info->driver, 2, driver, ones));
        BL_TRY(add_gears(sink));
        BL_TRY(add_owner(sink, sink->file, root[0], 4, energy, ones));
    }
    BL_TRY(add_series(sink, sink->file, "drift", 1));
    return add_series(sink, sink->file, "velocity_drift", 1);
}

static bl_status add_model_text(hdf5_sink *sink) {
    hid_t type = text_type(sink->info.model_source_bytes), space = H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(sink->file, "model", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const char *text = sink->info.model_source_bytes ? sink->info.model_source : "";
    bl_status status = done(sink, set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    H5Tclose(type);
    return status;
}

static bl_status add_attributes(hdf5_sink *sink) {
    const bl_run_info *info = &sink->info;
    hid_t at = sink->file;
    BL_TRY(attribute_text(sink, at, "biela_version", BIELA_VERSION));
    BL_TRY(attribute_text(sink, at, "model_name", info->model_name));
    BL_TRY(attribute_text(sink, at, "model_file", info->model_file));
    BL_TRY(attribute_text(sink, at, "coordinates", info->coordinates));
    BL_TRY(attribute_text(sink, at, "formulation", info->formulation));
    BL_TRY(attribute_text(sink, at, "integrator", info->integrator));
    BL_TRY(attribute_text(sink, at, "linsol", info->linsol));
    BL_TRY(attribute_text(sink, at, "ordering", info->ordering));
    BL_TRY(attribute_number(sink, at, "tolerance", info->tolerance));
    BL_TRY(attribute_number(sink, at, "step", info->step));
    BL_TRY(attribute_number(sink, at, "until", info->until));
    BL_TRY(attribute_integer(sink, at, "dimension", info->dim));
    BL_TRY(attribute_integer(sink, at, "freedoms", info->freedoms));
    return attribute_status(sink, "running");
}

/* ---- rows */

/* Appends the gathered rows to every dataset. Series of one width share their dataspaces. */
static bl_status write_rows(hdf5_sink *sink) {
    if (sink->pending == 0)
        return BL_OK;
    hsize_t rows = (hsize_t)sink->pending, total = sink->written + rows;
    hid_t in_memory[MAX_WIDTH + 1], in_file[MAX_WIDTH + 1];
    bool good = true;
    for (int w = 1; w <= MAX_WIDTH; w++) {
        int rank = w > 1 ? 2 : 1;
        in_memory[w] = H5Screate_simple(rank, (hsize_t[]){rows, (hsize_t)w}, NULL);
        in_file[w] = H5Screate_simple(rank, (hsize_t[]){total, (hsize_t)w}, NULL);
        good =
            good && in_memory[w] >= 0 && in_file[w] >= 0 &&
            H5Sselect_hyperslab(in_file[w], H5S_SELECT_SET, (hsize_t[]){sink->written, 0}, NULL, (hsize_t[]){rows, (hsize_t)w}, NULL) >= 0;
    }
    for (bl_index i = 0; i < sink->nseries && good; i++) {
        const series *s = &sink->series[i];
        good = H5Dset_extent(s->set, (hsize_t[]){total, (hsize_t)s->width}) >= 0 &&
               H5Dwrite(s->set, H5T_NATIVE_DOUBLE, in_memory[s->width], in_file[s->width], H5P_DEFAULT, s->block) >= 0;
    }
    bl_status status = done(sink, good);
    for (int w = 1; w <= MAX_WIDTH; w++) {
        if (in_memory[w] >= 0)
            H5Sclose(in_memory[w]);
        if (in_file[w] >= 0)
            H5Sclose(in_file[w]);
    }
    if (status == BL_OK) {
        sink->written = total;
        sink->pending = 0;
    }
    return status;
}

/* Writes when the block is full or a flush is due. */
static bl_status write_when_due(hdf5_sink *sink) {
    double now = bl_clock_seconds();
    bool due = now - sink->flushed >= flush_seconds;
    if (!due && sink->pending < sink->block_rows)
        return BL_OK;
    quiet was = quiet_start();
    bl_status status = write_rows(sink);
    if (status == BL_OK && due) {
        status = done(sink, H5Fflush(sink->file, H5F_SCOPE_GLOBAL) >= 0);
        sink->flushed = now;
    }
    quiet_end(was);
    return status;
}

static void gather(hdf5_sink *sink, bl_index *next, const double *value, bl_index nparts) {
    for (bl_index i = 0; i < nparts; i++) {
        series *s = &sink->series[(*next)++];
        memcpy(s->block + sink->pending * s->width, value, (size_t)s->width * sizeof *value);
        value += s->width;
    }
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    hdf5_sink *sink = user;
    const bl_run_info *info = &sink->info;
    BL_TRY(bl_target_check(&sink->target));
    bl_index next = 0;
    gather(sink, &next, &sample->t, 1);
    for (bl_index i = 0; i < info->nbody; i++) {
        gather(sink, &next, sample->body[i].position, 1);
        gather(sink, &next, sample->body[i].quaternion, 1);
        gather(sink, &next, sample->body[i].velocity, 1);
        gather(sink, &next, sample->body[i].angular_velocity, 1);
        if (info->accelerations) {
            gather(sink, &next, sample->acceleration[i].acceleration, 1);
            gather(sink, &next, sample->acceleration[i].angular_acceleration, 1);
        }
    }
    for (bl_index i = 0; i < info->nvariable; i++) {
        gather(sink, &next, (double[]){sample->variable[i], sample->variable_rate[i]}, 2);
        if (info->accelerations)
            gather(sink, &next, sample->variable_acceleration + i, 1);
    }
    gather(sink, &next, sample->probe, info->nprobe);
    gather(sink, &next, sample->probe_rate, info->nprobe);
    gather(sink, &next, sample->probe_acceleration, info->accelerations ? info->nprobe : 0);
    for (bl_index i = 0; info->reactions && i < info->njoint; i++) {
        gather(sink, &next, sample->reaction[i].force, 1);
        gather(sink, &next, sample->reaction[i].moment, 1);
    }
    for (bl_index i = 0; info->reactions && i < info->ndriver; i++) {
        double force = sample->driver_force[i];
        gather(sink, &next, (double[]){force, force * sample->variable_rate[info->driver_variable[i]]}, 2);
    }
    for (bl_index i = 0; info->reactions && i < info->ngear; i++) {
        double second = sample->relation_force[info->gear[i]];
        gather(sink, &next, (double[]){-info->gear_ratio[i] * second, second}, 2);
    }
    if (info->reactions)
        gather(sink, &next, (double[]){sample->kinetic, sample->potential, sample->work, sample->energy_error}, 4);
    gather(sink, &next, (double[]){sample->drift, sample->velocity_drift}, 2);
    sink->pending++;
    return write_when_due(sink);
}

static void progress(void *user, double t, double until, double wall_seconds) {
    hdf5_sink *sink = user;
    (void)t, (void)until, (void)wall_seconds;
    if (sink->pending > 0)
        write_when_due(sink); /* a failure shows at the next sample */
}

/* ---- life */

static bl_status create_file(bl_target *target, hid_t *file) {
    hid_t use = H5Pcreate(H5P_FILE_ACCESS), how = H5Pcreate(H5P_FILE_CREATE);
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    H5Pget_mdc_config(use, &cache);
    cache.evictions_enabled = false;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    H5Pset_mdc_config(use, &cache);
    H5Pset_libver_bounds(use, H5F_LIBVER_V18, H5F_LIBVER_V18);
    H5Pset_fclose_degree(use, H5F_CLOSE_STRONG);
    H5Pset_istore_k(how, 8); /* a node of 16 chunks is enough */
    H5Pset_link_creation_order(how, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    bl_status status = bl_hdf5_create(target, how, use, file);
    H5Pclose(how);
    H5Pclose(use);
    return status;
}

static bl_status close_file(hdf5_sink *sink) {
    bl_status status = BL_OK;
    for (bl_index i = 0; i < sink->nseries; i++) {
        if (sink->series[i].set >= 0 && H5Dclose(sink->series[i].set) < 0)
            status = done(sink, false);
        bl_free(sink->ctx, sink->series[i].block);
    }
    bl_free(sink->ctx, sink->series);
    sink->series = NULL;
    sink->nseries = sink->capacity = 0;
    if (sink->file >= 0 && H5Fclose(sink->file) < 0)
        status = done(sink, false);
    sink->file = -1;
    return status;
}

static bl_status build(hdf5_sink *sink) {
    BL_TRY(create_file(&sink->target, &sink->file));
    BL_TRY(add_attributes(sink));
    BL_TRY(add_model_text(sink));
    BL_TRY(add_all_series(sink));
    sink->flushed = bl_clock_seconds();
    return done(sink, H5Fflush(sink->file, H5F_SCOPE_GLOBAL) >= 0);
}

static bl_status begin(void *user, const bl_run_info *info) {
    hdf5_sink *sink = user;
    sink->info = *info;
    sink->pending = 0;
    sink->written = 0;
    size_t row = 8 * (19 * (size_t)info->nbody + 3 * (size_t)info->nvariable + 9 * (size_t)info->nprobe + 6 * (size_t)info->njoint + 7);
    size_t rows = BUFFER_BYTES / row;
    sink->block_rows = rows > LONGEST_BLOCK ? LONGEST_BLOCK : rows < SHORTEST_BLOCK ? SHORTEST_BLOCK : (bl_index)rows;
    BL_TRY(bl_target_open(&sink->target, false));
    quiet was = quiet_start();
    bl_status status = build(sink);
    if (status != BL_OK) {
        close_file(sink);
        bl_target_close(&sink->target, false);
    }
    quiet_end(was);
    return status;
}

static bl_status add_statistics(hdf5_sink *sink, const bl_run_summary *sum) {
    hid_t at = create_group(sink->file, "statistics");
    bl_status status = done(sink, at >= 0);
    const struct {
        const char *name;
        long value;
    } count[] = {{"steps", sum->steps},       {"rejections", sum->rejections},         {"restarts", sum->restarts},
                 {"bounded", sum->bounded},   {"evaluations", sum->evaluations},       {"newton_iterations", sum->newton_iterations},
                 {"tangents", sum->tangents}, {"factorisations", sum->factorisations}, {"refactorisations", sum->refactorisations},
                 {"solves", sum->solves},     {"projections", sum->projections},       {"repartitions", sum->repartitions},
                 {"reliefs", sum->reliefs},   {"method_changes", sum->method_changes}};
    const struct {
        const char *name;
        double value;
    } number[] = {{"t", sum->t},
                  {"h_smallest", sum->h_smallest},
                  {"h_largest", sum->h_largest},
                  {"largest_drift", sum->largest_drift},
                  {"largest_misfit", sum->largest_misfit},
                  {"largest_energy_error", sum->largest_energy_error},
                  {"wall_seconds", sum->wall_seconds},
                  {"real_time_factor", sum->real_time_factor}};
    for (size_t i = 0; i < sizeof count / sizeof *count && status == BL_OK; i++)
        status = attribute_integer(sink, at, count[i].name, count[i].value);
    for (size_t i = 0; i < sizeof number / sizeof *number && status == BL_OK; i++)
        status = attribute_number(sink, at, number[i].name, number[i].value);
    if (status == BL_OK && sum->stopped_by)
        status = attribute_text(sink, at, "stopped_by", sum->stopped_by);
    const bl_error *error = bl_context_error(sink->ctx);
    if (status == BL_OK && !bl_outcome_good(sum->status) && error->status != BL_OK) {
        const struct {
            const char *name, *value;
        } text[] = {
            {"error", error->what}, {"error_advice", error->advice}, {"error_part", error->part}, {"error_equation", error->equation}};
        for (size_t i = 0; i < sizeof text / sizeof *text && status == BL_OK; i++)
            if (text[i].value[0])
                status = attribute_text(sink, at, text[i].name, text[i].value);
    }
    if (at >= 0)
        H5Gclose(at);
    return status == BL_OK ? attribute_status(sink, bl_outcome_text(sum->status)) : status;
}

/* /warnings/1, /warnings/2, ...: attributes text, time, part */
static bl_status add_warnings(hdf5_sink *sink) {
    const bl_warning *warning;
    bl_index n = bl_context_warnings(sink->ctx, &warning, NULL);
    if (n == 0)
        return BL_OK;
    hid_t all = create_group(sink->file, "warnings");
    bl_status status = done(sink, all >= 0);
    for (bl_index i = 0; i < n && status == BL_OK; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", (int)i + 1);
        hid_t at = create_group(all, name);
        status = done(sink, at >= 0);
        if (status == BL_OK)
            status = attribute_text(sink, at, "text", warning[i].text);
        if (status == BL_OK && !isnan(warning[i].time))
            status = attribute_number(sink, at, "time", warning[i].time);
        if (status == BL_OK && warning[i].part[0])
            status = attribute_text(sink, at, "part", warning[i].part);
        if (at >= 0)
            H5Gclose(at);
    }
    if (all >= 0)
        H5Gclose(all);
    return status;
}

static bl_status end(void *user, const bl_run_summary *summary) {
    hdf5_sink *sink = user;
    if (sink->file < 0)
        return BL_OK;
    bool empty = sink->pending == 0 && sink->written == 0; /* nothing computed: an older result stays */
    quiet was = quiet_start();
    bl_status status = bl_target_check(&sink->target);
    if (status == BL_OK && !empty)
        status = write_rows(sink);
    if (status == BL_OK && !empty)
        status = add_statistics(sink, summary);
    if (status == BL_OK && !empty)
        status = add_warnings(sink);
    bl_status closed = close_file(sink);
    quiet_end(was);
    bl_status moved = bl_target_close(&sink->target, !empty);
    return status != BL_OK ? status : closed != BL_OK ? closed : moved;
}

static void destroy(void *user) {
    hdf5_sink *sink = user;
    if (sink->file >= 0) { /* not ended: what there is stays beside the name */
        quiet was = quiet_start();
        bool empty = sink->pending == 0 && sink->written == 0;
        write_rows(sink);
        close_file(sink);
        quiet_end(was);
        if (empty)
            bl_target_close(&sink->target, false);
    }
    bl_target_destroy(&sink->target);
    bl_free(sink->ctx, sink);
}

bl_status bl_sink_hdf5(bl_context *ctx, const char *path, bl_sink *out) {
    memset(out, 0, sizeof *out);
    hdf5_sink *sink;
    BL_TRY(BL_NEW(ctx, sink, 1));
    sink->ctx = ctx;
    sink->file = -1;
    bl_status status = bl_target_create(ctx, path, &sink->target);
    if (status != BL_OK) {
        bl_free(ctx, sink);
        return status;
    }
    *out = (bl_sink){.user = sink, .begin = begin, .sample = take_sample, .progress = progress, .end = end, .destroy = destroy};
    return BL_OK;
}
