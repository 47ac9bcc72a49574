/* HDF5 sink: the result file. One dataset per quantity, [time][item][component], and one of names; layout: docs/RESULT.md. The file is
 * flushed at least every second, so that the file of a killed run is readable up to that time. */
#include "base/sized.h"
#include "output/hdf5_fields.h"
#include "output/hdf5_journal.h"
#include "output/hdf5_layout.h"

#include <math.h>
#include <string.h>

enum { STATUS_BYTES = 64, HEADER_BYTES = 16384 }; /* 16 kB, so that ending a run needs no allocation */
static const double flush_seconds = 1;

typedef struct hdf5_sink {
    bl_context *ctx;
    bl_target target;
    bl_run_info info;
    bool open;
    bl_h5_file file;
    bl_h5_recorder recorder;
    bl_index series[BL_RESULT_QUANTITIES]; /* of the recorder; -1: left out */
    bl_h5_bytes header;                    /* workspace */
    uint64_t group[BL_RESULT_GROUPS];      /* addresses of their headers; 0: left out */
    uint64_t model, scene;                 /* scene 0: none */
    bl_h5_fields fields;                   /* of meshes; info NULL: none */
    bl_h5_journal journal;
    char *command, *overrides; /* NULL: not given */
    double flushed;            /* wall clock time of the last flush */
} hdf5_sink;

/* items of a group; 0: its quantities have no items */
static bl_index items_of(const hdf5_sink *sink, bl_result_group in) {
    const bl_run_info *info = &sink->info;
    switch (in) {
    case BL_GROUP_BODIES: return info->nbody;
    case BL_GROUP_VARIABLES: return info->nvariable;
    case BL_GROUP_PROBES: return info->nprobe;
    case BL_GROUP_REACTIONS: return info->njoint;
    case BL_GROUP_DRIVERS: return info->ndriver;
    case BL_GROUP_GEARS: return info->ngear;
    case BL_GROUP_FORCES: return info->npush;
    case BL_GROUP_SPRINGS: return info->nspring;
    case BL_GROUP_ACTUATORS: return info->nactuator;
    case BL_GROUP_SIGNALS: return info->nsignal;
    case BL_GROUP_CONTACTS: return info->ncontact;
    case BL_GROUP_SECTIONS: return info->nsection;
    default: return 0;
    }
}

/* groups without items are left out, and quantities that studies without forces do not have */
static bool has_group(const hdf5_sink *sink, bl_result_group in) {
    bool forces = in == BL_GROUP_REACTIONS || in == BL_GROUP_DRIVERS || in == BL_GROUP_GEARS || in == BL_GROUP_ENERGY ||
                  in == BL_GROUP_FORCES || in == BL_GROUP_SPRINGS || in == BL_GROUP_ACTUATORS;
    return (!forces || sink->info.reactions) && (in == BL_GROUP_ROOT || in == BL_GROUP_ENERGY || items_of(sink, in) > 0);
}

static const char *item_name(const hdf5_sink *sink, bl_result_group in, bl_index i) {
    const bl_run_info *info = &sink->info;
    switch (in) {
    case BL_GROUP_BODIES: return info->body[i];
    case BL_GROUP_VARIABLES: return info->variable[i];
    case BL_GROUP_PROBES: return info->probe[i];
    case BL_GROUP_REACTIONS: return info->joint[i];
    case BL_GROUP_DRIVERS: return info->driver[i];
    case BL_GROUP_FORCES: return info->push[i];
    case BL_GROUP_SPRINGS: return info->spring[i];
    case BL_GROUP_ACTUATORS: return info->actuator[i];
    case BL_GROUP_SIGNALS: return info->signal[i];
    case BL_GROUP_CONTACTS: return info->contact[i];
    case BL_GROUP_SECTIONS: return info->section[i];
    default: return info->joint[info->gear[i]];
    }
}

/* ---- datasets that do not grow */

static bl_status add_contiguous(hdf5_sink *sink, bl_h5_type type, int64_t n, size_t bytes, const void *data, uint64_t *address) {
    bl_h5_file *file = &sink->file;
    size_t length = bytes * (size_t)(n < 0 ? 1 : n);
    uint64_t at = bl_h5_take(file, length);
    bl_h5_write(file, at, data, length);
    bl_h5_header_begin(&sink->header);
    bl_h5_dataset_contiguous(&sink->header, type, n, bytes, at);
    return bl_h5_header_end(file, &sink->header, address);
}

/* n texts, text(sink, what, i), of fixed length: that of the longest */
static bl_status add_texts(hdf5_sink *sink, bl_index n, const char *(*text)(const hdf5_sink *, int, bl_index), int what,
                           uint64_t *address) {
    size_t bytes = 1;
    for (bl_index i = 0; i < n; i++)
        bytes = strlen(text(sink, what, i)) > bytes ? strlen(text(sink, what, i)) : bytes;
    char *all;
    BL_TRY(BL_NEW(sink->ctx, all, bytes * (size_t)n));
    for (bl_index i = 0; i < n; i++)
        memcpy(all + bytes * (size_t)i, text(sink, what, i), strlen(text(sink, what, i)));
    bl_status status = add_contiguous(sink, BL_H5_TEXT, n, bytes, all, address);
    bl_free(sink->ctx, all);
    return status;
}

static const char *name_text(const hdf5_sink *sink, int in, bl_index i) { return item_name(sink, (bl_result_group)in, i); }

/* an integer that belongs to an item */
static int64_t fact_of(const bl_run_info *info, bl_result_group in, bl_index i) {
    switch (in) {
    case BL_GROUP_VARIABLES: return info->is_angle && info->is_angle[i];
    case BL_GROUP_FORCES: return info->push_body[i];
    case BL_GROUP_SPRINGS: return info->spring_is_angle[i];
    case BL_GROUP_ACTUATORS: return info->actuator_is_angle[i];
    case BL_GROUP_CONTACTS: return info->contact_is_angle[i];
    default: return info->driver_variable[i];
    }
}

/* constants of the items of some groups: whether they are angles, the variable of a driver, ratios of gears, the body of a force */
static bl_status add_facts(hdf5_sink *sink, bl_result_group in, const char **name, uint64_t *address) {
    const bl_run_info *info = &sink->info;
    bl_index n = items_of(sink, in);
    *name = NULL;
    if (in == BL_GROUP_GEARS) {
        *name = "ratio";
        return add_contiguous(sink, BL_H5_NUMBER, n, sizeof(double), info->gear_ratio, address);
    }
    bool turns = in == BL_GROUP_VARIABLES || in == BL_GROUP_SPRINGS || in == BL_GROUP_ACTUATORS || in == BL_GROUP_CONTACTS;
    *name = turns ? "is_angle" : in == BL_GROUP_DRIVERS ? "variable" : in == BL_GROUP_FORCES ? "body" : NULL;
    if (!*name)
        return BL_OK;
    int64_t *fact;
    BL_TRY(BL_NEW(sink->ctx, fact, n));
    for (bl_index i = 0; i < n; i++)
        fact[i] = fact_of(info, in, i);
    bl_status status = add_contiguous(sink, BL_H5_INTEGER, n, sizeof *fact, fact, address);
    bl_free(sink->ctx, fact);
    return status;
}

/* ---- groups */

static bl_status add_group(hdf5_sink *sink, bl_result_group in) {
    uint64_t names = 0, facts = 0;
    const char *fact = NULL;
    if (items_of(sink, in) > 0) {
        BL_TRY(add_texts(sink, items_of(sink, in), name_text, in, &names));
        BL_TRY(add_facts(sink, in, &fact, &facts));
    }
    bl_h5_bytes *header = &sink->header;
    int64_t order = 0;
    bl_h5_header_begin(header);
    bl_h5_group(header, BL_RESULT_QUANTITIES);
    if (names)
        bl_h5_link(header, "names", order++, names);
    if (fact)
        bl_h5_link(header, fact, order++, facts);
    for (int q = 0; q < BL_RESULT_QUANTITIES; q++)
        if (bl_result_layout[q].in == in && sink->series[q] >= 0)
            bl_h5_link(header, bl_result_layout[q].name, order++, sink->recorder.series[sink->series[q]].address);
    return bl_h5_header_end(&sink->file, header, &sink->group[in]);
}

static void put_attributes(bl_h5_bytes *header, const bl_run_info *info, const char *status) {
    bl_h5_attribute_integer(header, "format_version", BL_RESULT_VERSION);
    bl_h5_attribute_text(header, "biela_version", BIELA_VERSION, 0);
    bl_h5_attribute_text(header, "model_name", info->model_name, 0);
    bl_h5_attribute_text(header, "model_file", info->model_file, 0);
    bl_h5_attribute_text(header, "coordinates", info->coordinates, 0);
    bl_h5_attribute_text(header, "formulation", info->formulation, 0);
    bl_h5_attribute_text(header, "integrator", info->integrator, 0);
    if (info->load)
        bl_h5_attribute_text(header, "load", info->load, 0);
    bl_h5_attribute_text(header, "linsol", info->linsol, 0);
    bl_h5_attribute_text(header, "ordering", info->ordering, 0);
    bl_h5_attribute_number(header, "tolerance", info->tolerance);
    bl_h5_attribute_number(header, "step", info->step);
    bl_h5_attribute_number(header, "until", info->until);
    bl_h5_attribute_integer(header, "dimension", info->dim);
    bl_h5_attribute_integer(header, "degrees_of_freedom", info->dof);
    bl_h5_attribute_text(header, "status", status, STATUS_BYTES);
}

/* statistics, warnings: 0 if there are none (yet) */
static bl_status write_root(hdf5_sink *sink, const char *status, uint64_t statistics, uint64_t warnings) {
    bl_h5_bytes *header = &sink->header;
    int64_t order = 0;
    bl_h5_header_begin(header);
    bl_h5_group(header, BL_RESULT_QUANTITIES);
    put_attributes(header, &sink->info, status);
    if (sink->command)
        bl_h5_attribute_text(header, "command", sink->command, 0);
    if (sink->overrides)
        bl_h5_attribute_text(header, "overrides", sink->overrides, 0);
    for (int q = 0; q < BL_RESULT_QUANTITIES; q++)
        if (bl_result_layout[q].in == BL_GROUP_ROOT)
            bl_h5_link(header, bl_result_layout[q].name, order++, sink->recorder.series[sink->series[q]].address);
    for (int g = BL_GROUP_ROOT + 1; g < BL_RESULT_GROUPS; g++)
        if (sink->group[g])
            bl_h5_link(header, bl_result_group_name[g], order++, sink->group[g]);
    if (sink->fields.info) {
        bl_h5_link(header, "meshes", order++, sink->fields.meshes);
        bl_h5_link(header, "fields", order++, sink->fields.fields);
        bl_h5_link(header, "materials", order++, sink->fields.materials);
    }
    if (sink->fields.shown)
        bl_h5_link(header, "VTKHDF", order++, sink->fields.vtk);
    bl_h5_link(header, "model", order++, sink->model);
    if (sink->scene)
        bl_h5_link(header, "scene", order++, sink->scene);
    if (statistics)
        bl_h5_link(header, "statistics", order++, statistics);
    if (warnings)
        bl_h5_link(header, "warnings", order++, warnings);
    if (sink->journal.steps)
        bl_h5_link(header, "steps", order++, sink->journal.steps);
    if (sink->journal.events)
        bl_h5_link(header, "events", order++, sink->journal.events);
    if (sink->journal.impacts)
        bl_h5_link(header, "impacts", order++, sink->journal.impacts);
    return bl_h5_header_end(&sink->file, header, &sink->file.root);
}

/* ---- rows */

/* `width` numbers of every item, stride bytes apart */
static void gather(hdf5_sink *sink, bl_result_what q, const void *first, size_t stride) {
    if (sink->series[q] < 0)
        return;
    const bl_h5_series *s = &sink->recorder.series[sink->series[q]];
    double *to = s->block + (size_t)sink->recorder.pending * s->row;
    const char *from = first;
    size_t bytes = (size_t)s->width * sizeof *to;
    for (bl_index i = 0; i < (s->items > 0 ? s->items : 1); i++, to += s->width, from += stride)
        memcpy(to, from, bytes);
}

static void gather_number(hdf5_sink *sink, bl_result_what q, double value) { gather(sink, q, &value, 0); }

static double *row_of(const hdf5_sink *sink, bl_result_what q) {
    const bl_h5_series *s = &sink->recorder.series[sink->series[q]];
    return s->block + (size_t)sink->recorder.pending * s->row;
}

static void gather_contacts(hdf5_sink *sink, const bl_contact_sample *c) {
    if (!c)
        return;
    gather(sink, BL_QUANTITY_GAP, &c->gap, sizeof *c);
    gather(sink, BL_QUANTITY_CONTACT_FORCE, c->force, sizeof *c);
    gather(sink, BL_QUANTITY_SLIDING, c->sliding, sizeof *c);
    gather(sink, BL_QUANTITY_CONTACT_STATE, &c->state, sizeof *c);
    gather(sink, BL_QUANTITY_CONTACT_POINT, c->point, sizeof *c);
    gather(sink, BL_QUANTITY_CONTACT_TOTAL, c->total, sizeof *c);
}

static void gather_sections(hdf5_sink *sink, const bl_section_sample *s) {
    if (!s)
        return;
    gather(sink, BL_QUANTITY_STRAIN, s->strain, sizeof *s);
    gather(sink, BL_QUANTITY_CURVATURE, s->curvature, sizeof *s);
    gather(sink, BL_QUANTITY_SECTION_FORCE, s->force, sizeof *s);
    gather(sink, BL_QUANTITY_SECTION_MOMENT, s->moment, sizeof *s);
}

static void gather_forces(hdf5_sink *sink, const bl_sample *sample) {
    const bl_run_info *info = &sink->info;
    gather(sink, BL_QUANTITY_FORCE, sample->reaction ? sample->reaction->force : NULL, sizeof(bl_wrench));
    gather(sink, BL_QUANTITY_MOMENT, sample->reaction ? sample->reaction->moment : NULL, sizeof(bl_wrench));
    if (info->ndriver > 0) {
        double *force = row_of(sink, BL_QUANTITY_DRIVER_FORCE), *power = row_of(sink, BL_QUANTITY_DRIVER_POWER);
        for (bl_index i = 0; i < info->ndriver; i++) {
            force[i] = sample->driver_force[i];
            power[i] = force[i] * sample->variable_rate[info->driver_variable[i]];
        }
    }
    if (info->ngear > 0) {
        double *one = row_of(sink, BL_QUANTITY_GEAR_FIRST), *two = row_of(sink, BL_QUANTITY_GEAR_SECOND);
        for (bl_index i = 0; i < info->ngear; i++) {
            two[i] = sample->relation_force[info->gear[i]];
            one[i] = sample->relation_first[info->gear[i]];
        }
    }
    gather(sink, BL_QUANTITY_LOAD_POINT, sample->push ? sample->push->point : NULL, sizeof(bl_push));
    gather(sink, BL_QUANTITY_LOAD_FORCE, sample->push ? sample->push->force : NULL, sizeof(bl_push));
    gather(sink, BL_QUANTITY_LOAD_MOMENT, sample->push ? sample->push->moment : NULL, sizeof(bl_push));
    gather(sink, BL_QUANTITY_SPRING_LENGTH, sample->spring_length, sizeof(double));
    gather(sink, BL_QUANTITY_SPRING_TENSION, sample->spring_tension, sizeof(double));
    gather(sink, BL_QUANTITY_ACTUATOR_FORCE, sample->actuator_force, sizeof(double));
    gather(sink, BL_QUANTITY_ACTUATOR_POWER, sample->actuator_power, sizeof(double));
    gather(sink, BL_QUANTITY_ACTUATOR_ENERGY, sample->actuator_energy, sizeof(double));
    gather_number(sink, BL_QUANTITY_KINETIC, sample->kinetic);
    gather_number(sink, BL_QUANTITY_POTENTIAL, sample->potential);
    gather_number(sink, BL_QUANTITY_DISSIPATED, sample->dissipated);
    gather_number(sink, BL_QUANTITY_WORK, sample->work);
    gather_number(sink, BL_QUANTITY_ENERGY_ERROR, sample->energy_error);
}

/* all: also events, even if few are new */
static bl_status flush(hdf5_sink *sink, bool all) {
    bool moved;
    BL_TRY(bl_h5_journal_flush(&sink->journal, all, &moved));
    BL_TRY(bl_h5_flush(&sink->recorder));
    if (!(sink->fields.info && bl_h5_fields_flush(&sink->fields)) && !moved)
        return BL_OK;
    BL_TRY(write_root(sink, "running", 0, 0));
    bl_h5_write_superblock(&sink->file);
    return bl_target_check(&sink->target);
}

static bl_status flush_when_due(hdf5_sink *sink) {
    double now = bl_clock_seconds();
    if (now - sink->flushed < flush_seconds)
        return BL_OK;
    sink->flushed = now;
    return flush(sink, false);
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    hdf5_sink *sink = user;
    const bl_run_info *info = &sink->info;
    BL_TRY(bl_target_check(&sink->target));
    gather_number(sink, BL_QUANTITY_TIME, sample->t);
    gather_number(sink, BL_QUANTITY_SIDE, sample->side);
    gather_number(sink, BL_QUANTITY_DRIFT, sample->drift);
    gather_number(sink, BL_QUANTITY_VELOCITY_DRIFT, sample->velocity_drift);
    if (info->nbody > 0) {
        gather(sink, BL_QUANTITY_POSITION, sample->body->position, sizeof(bl_pose));
        gather(sink, BL_QUANTITY_QUATERNION, sample->body->quaternion, sizeof(bl_pose));
        gather(sink, BL_QUANTITY_VELOCITY, sample->body->velocity, sizeof(bl_pose));
        gather(sink, BL_QUANTITY_ANGULAR_VELOCITY, sample->body->angular_velocity, sizeof(bl_pose));
        gather(sink, BL_QUANTITY_ACCELERATION, sample->acceleration ? sample->acceleration->acceleration : NULL, sizeof(bl_acceleration));
        gather(sink, BL_QUANTITY_ANGULAR_ACCELERATION, sample->acceleration ? sample->acceleration->angular_acceleration : NULL,
               sizeof(bl_acceleration));
    }
    gather(sink, BL_QUANTITY_VALUE, sample->variable, sizeof(double));
    gather(sink, BL_QUANTITY_RATE, sample->variable_rate, sizeof(double));
    gather(sink, BL_QUANTITY_SECOND_RATE, sample->variable_acceleration, sizeof(double));
    gather(sink, BL_QUANTITY_PROBE, sample->probe, 3 * sizeof(double));
    gather(sink, BL_QUANTITY_PROBE_VELOCITY, sample->probe_rate, 3 * sizeof(double));
    gather(sink, BL_QUANTITY_PROBE_ACCELERATION, sample->probe_acceleration, 3 * sizeof(double));
    gather(sink, BL_QUANTITY_SIGNAL, sample->signal, sizeof(double));
    gather_contacts(sink, sample->contact);
    gather_sections(sink, sample->section);
    if (info->reactions)
        gather_forces(sink, sample);
    if (sink->fields.info)
        bl_h5_fields_gather(&sink->fields, sample);
    bl_status status = bl_h5_end_row(&sink->recorder);
    if (sink->fields.info)
        bl_h5_fields_gathered(&sink->fields);
    BL_TRY(status);
    return flush_when_due(sink);
}

static bl_status take_step(void *user, const bl_step *step) {
    hdf5_sink *sink = user;
    return sink->open && sink->journal.steps ? bl_h5_journal_step(&sink->journal, step) : BL_OK;
}

static bl_status take_event(void *user, const bl_event_mark *mark) {
    hdf5_sink *sink = user;
    return sink->open ? bl_h5_journal_event(&sink->journal, mark) : BL_OK;
}

static void progress(void *user, double t, double until, double wall_seconds) {
    hdf5_sink *sink = user;
    (void)t, (void)until, (void)wall_seconds;
    if (sink->open && (sink->recorder.pending > 0 || sink->journal.recorder.pending > 0))
        flush_when_due(sink); /* a failure is reported at the next sample */
}

/* ---- begin and end */

static bool is_empty(const hdf5_sink *sink) { return sink->recorder.pending == 0 && sink->recorder.blocks == 0; }

static void close_file(hdf5_sink *sink) {
    bl_h5_recorder_destroy(&sink->recorder);
    if (sink->fields.info)
        bl_h5_fields_destroy(&sink->fields);
    bl_h5_journal_destroy(&sink->journal);
    bl_free(sink->ctx, sink->header.data);
    sink->header = (bl_h5_bytes){.ctx = sink->ctx};
    sink->open = false;
}

static bl_status build(hdf5_sink *sink) {
    bl_h5_recorder *r = &sink->recorder;
    bl_h5_take(r->file, 48); /* the superblock */
    size_t origin = (sink->command ? strlen(sink->command) : 0) + (sink->overrides ? strlen(sink->overrides) : 0);
    BL_TRY(BL_RESERVE(sink->ctx, sink->header.data, sink->header.capacity, HEADER_BYTES + (bl_index)origin));
    for (int q = 0; q < BL_RESULT_QUANTITIES; q++) {
        sink->series[q] = -1;
        if (!has_group(sink, bl_result_layout[q].in) || (bl_result_layout[q].second && !sink->info.accelerations))
            continue;
        BL_TRY(bl_h5_add_series(r, items_of(sink, bl_result_layout[q].in), bl_result_layout[q].width, bl_result_layout[q].unit,
                                bl_result_layout[q].what));
        sink->series[q] = r->nseries - 1;
    }
    if (sink->info.nfield > 0) {
        sink->fields = (bl_h5_fields){.ctx = sink->ctx, .info = &sink->info, .recorder = r, .header = &sink->header};
        BL_TRY(bl_h5_fields_series(&sink->fields));
    }
    r->block_rows = bl_h5_block_rows(r->row, sink->info.samples);
    for (bl_index i = 0; r->block_rows == 1 && i < sink->info.nfield; i++)
        r->series[sink->fields.first + i].borrowed = true;
    BL_TRY(bl_h5_begin(r));
    if (sink->fields.info)
        BL_TRY(bl_h5_fields_groups(&sink->fields, r->series[sink->series[BL_QUANTITY_TIME]].address));
    for (int g = BL_GROUP_ROOT + 1; g < BL_RESULT_GROUPS; g++) {
        sink->group[g] = 0;
        if (has_group(sink, (bl_result_group)g))
            BL_TRY(add_group(sink, (bl_result_group)g));
    }
    size_t bytes = sink->info.model_source_bytes;
    BL_TRY(add_contiguous(sink, BL_H5_TEXT, -1, bytes ? bytes : 1, bytes ? sink->info.model_source : "", &sink->model));
    sink->scene = 0;
    if (sink->info.scene)
        BL_TRY(add_contiguous(sink, BL_H5_TEXT, -1, strlen(sink->info.scene), sink->info.scene, &sink->scene));
    if (sink->info.stepped)
        BL_TRY(bl_h5_journal_begin(&sink->journal, sink->info.steps));
    BL_TRY(write_root(sink, "running", 0, 0));
    sink->flushed = bl_clock_seconds();
    return bl_h5_flush(r);
}

static bl_status begin(void *user, const bl_run_info *info) {
    hdf5_sink *sink = user;
    sink->info = *info;
    BL_TRY(bl_target_open(&sink->target, false));
    sink->file = (bl_h5_file){.target = &sink->target};
    sink->recorder = (bl_h5_recorder){.ctx = sink->ctx, .file = &sink->file};
    sink->header = (bl_h5_bytes){.ctx = sink->ctx};
    sink->journal = (bl_h5_journal){.ctx = sink->ctx, .file = &sink->file, .header = &sink->header, .njoint = info->njoint};
    sink->open = true;
    bl_status status = build(sink);
    if (status != BL_OK) {
        close_file(sink);
        bl_target_close(&sink->target, false);
    }
    return status;
}

static bl_status add_statistics(hdf5_sink *sink, const bl_run_summary *sum, uint64_t *address) {
    const struct {
        const char *name;
        long value;
    } count[] = {{"steps", sum->steps},
                 {"rejections", sum->rejections},
                 {"restarts", sum->restarts},
                 {"bounded", sum->bounded},
                 {"evaluations", sum->evaluations},
                 {"newton_iterations", sum->newton_iterations},
                 {"tangents", sum->tangents},
                 {"factorizations", sum->factorizations},
                 {"refactorizations", sum->refactorizations},
                 {"solves", sum->solves},
                 {"projections", sum->projections},
                 {"repartitions", sum->repartitions},
                 {"handovers", sum->handovers},
                 {"method_changes", sum->method_changes},
                 {"impacts", sum->impacts},
                 {"accumulations", sum->accumulations},
                 {"sample_evaluations", sum->sample_evaluations},
                 {"sample_factorizations", sum->sample_factorizations},
                 {"sample_solves", sum->sample_solves}};
    const struct {
        const char *name;
        double value;
    } number[] = {{"t", sum->t},
                  {"h_smallest", sum->h_smallest},
                  {"h_largest", sum->h_largest},
                  {"largest_drift", sum->largest_drift},
                  {"largest_misfit", sum->largest_misfit},
                  {"largest_energy_error", sum->largest_energy_error},
                  {"dissipated", sum->dissipated},
                  {"lost_in_impacts", sum->lost_in_impacts},
                  {"wall_seconds", sum->wall_seconds},
                  {"real_time_factor", sum->real_time_factor}};
    bl_h5_bytes *header = &sink->header;
    bl_h5_header_begin(header);
    bl_h5_group(header, 0);
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        bl_h5_attribute_integer(header, count[i].name, count[i].value);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        bl_h5_attribute_number(header, number[i].name, number[i].value);
    if (sum->method[0])
        bl_h5_attribute_text(header, "method", sum->method, 0);
    if (sum->sliding_method[0])
        bl_h5_attribute_text(header, "sliding_method", sum->sliding_method, 0);
    if (sum->stopped_by)
        bl_h5_attribute_text(header, "stopped_by", sum->stopped_by, 0);
    const bl_error *error = bl_context_error(sink->ctx);
    if (!bl_outcome_good(sum->status) && error->status != BL_OK) {
        const struct {
            const char *name, *value;
        } text[] = {
            {"error", error->what}, {"error_advice", error->advice}, {"error_part", error->part}, {"error_equation", error->equation}};
        for (size_t i = 0; i < sizeof text / sizeof *text; i++)
            if (text[i].value[0])
                bl_h5_attribute_text(header, text[i].name, text[i].value, 0);
    }
    return bl_h5_header_end(&sink->file, header, address);
}

static const char *warning_text(const hdf5_sink *sink, int part, bl_index i) {
    const bl_warning *warning;
    bl_context_warnings(sink->ctx, &warning, NULL);
    return part ? warning[i].part : warning[i].text;
}

/* /warnings: text, part, time (NaN: the entire run) */
static bl_status add_warnings(hdf5_sink *sink, uint64_t *address) {
    const bl_warning *warning;
    bl_index n = bl_context_warnings(sink->ctx, &warning, NULL);
    uint64_t text, part, time;
    if (n == 0)
        return BL_OK;
    BL_TRY(add_texts(sink, n, warning_text, 0, &text));
    BL_TRY(add_texts(sink, n, warning_text, 1, &part));
    double *times;
    BL_TRY(BL_NEW(sink->ctx, times, n));
    for (bl_index i = 0; i < n; i++)
        times[i] = warning[i].time;
    bl_status status = add_contiguous(sink, BL_H5_NUMBER, n, sizeof *times, times, &time);
    bl_free(sink->ctx, times);
    BL_TRY(status);
    bl_h5_header_begin(&sink->header);
    bl_h5_group(&sink->header, 3);
    bl_h5_link(&sink->header, "time", 0, time);
    bl_h5_link(&sink->header, "part", 1, part);
    bl_h5_link(&sink->header, "text", 2, text);
    return bl_h5_header_end(&sink->file, &sink->header, address);
}

static bl_status finish(hdf5_sink *sink, const bl_run_summary *summary) {
    uint64_t statistics = 0, warnings = 0;
    BL_TRY(bl_target_check(&sink->target));
    BL_TRY(flush(sink, true));
    BL_TRY(add_statistics(sink, summary, &statistics));
    BL_TRY(add_warnings(sink, &warnings));
    BL_TRY(write_root(sink, bl_outcome_text(summary->status), statistics, warnings));
    bl_h5_write_superblock(&sink->file);
    return bl_target_check(&sink->target);
}

static bl_status end(void *user, const bl_run_summary *summary) {
    hdf5_sink *sink = user;
    if (!sink->open)
        return BL_OK;
    bool nothing = is_empty(sink); /* nothing computed: keep an older result */
    bl_status status = nothing ? BL_OK : finish(sink, summary);
    close_file(sink);
    bl_status moved = bl_target_close(&sink->target, !nothing);
    return status != BL_OK ? status : moved;
}

static void destroy(void *user) {
    hdf5_sink *sink = user;
    if (sink->open) { /* not ended: the partial file is kept */
        bool nothing = is_empty(sink);
        if (!nothing)
            flush(sink, true);
        close_file(sink);
        if (nothing)
            bl_target_close(&sink->target, false);
    }
    bl_target_destroy(&sink->target);
    bl_free(sink->ctx, sink->command);
    bl_free(sink->ctx, sink->overrides);
    bl_free(sink->ctx, sink);
}

bl_status bl_sink_hdf5(bl_context *ctx, const char *path, bl_sink *out) {
    hdf5_sink *sink;
    BL_TRY(BL_FITS(ctx, bl_sink, out));
    BL_CLEAR(bl_sink, out);
    BL_TRY(BL_NEW(ctx, sink, 1));
    sink->ctx = ctx;
    bl_sink made = {.size = sizeof made,
                    .user = sink,
                    .begin = begin,
                    .sample = take_sample,
                    .progress = progress,
                    .end = end,
                    .destroy = destroy,
                    .step = take_step,
                    .event = take_event};
    return bl_sink_made(out, &made, bl_target_create(ctx, path, &sink->target));
}

static bl_status keep_text(bl_context *ctx, const char *text, char **kept) {
    bl_free(ctx, *kept);
    *kept = text && strlen(text) <= BL_MOST_COMMAND ? bl_strdup(ctx, text) : NULL;
    return *kept || !text || strlen(text) > BL_MOST_COMMAND ? BL_OK : BL_E_MEMORY;
}

bl_status bl_sink_hdf5_origin(bl_sink *sink, const char *command, const char *overrides) {
    hdf5_sink *own = sink->user;
    if (sink->begin != begin)
        return BL_E_ARG;
    BL_TRY(keep_text(own->ctx, command, &own->command));
    return keep_text(own->ctx, overrides, &own->overrides);
}
