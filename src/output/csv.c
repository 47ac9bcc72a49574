/* CSV sink: a line of names, then one line per sample; 17 digits, so that numbers read back to the same bits.
 * Columns: t; per body x y z, quaternion, velocity, angular velocity; variables and rates; probes; signals; reactions; forces, powers and
 * energies of actuators; contacts; energies; drifts. Accelerations, if known, follow the rates; reactions and energies only if they are
 * known. Names with commas or quotes are quoted (RFC 4180). */
#include "base/sized.h"
#include "output/text_file.h"

typedef struct csv_sink {
    bl_context *ctx;
    bl_text_file file;
    bl_run_info info;
    bool first; /* of the line */
    long rows;
} csv_sink;

/* components of bodies, probes and joints, in the order of bl_pose and bl_wrench */
static const char *const pose_part[] = {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"};
static const char *const point_part[] = {"x", "y", "z"};
static const char *const rate_part[] = {"vx", "vy", "vz"};
static const char *const twist_part[] = {"ax", "ay", "az", "awx", "awy", "awz"}; /* second rates; points have the first three */
static const char *const wrench_part[] = {"fx", "fy", "fz", "mx", "my", "mz"};
static const char *const contact_part[] = {"gap", "fn", "ft1", "ft2", "vt1", "vt2", "state"};
static const char *const driver_part[] = {"force", "power", "energy"}, *const gear_part[] = {"first", "second"};
static const char *const scalar_part[] = {"kinetic", "potential", "dissipated", "work", "energy_error", "drift", "velocity_drift"};
enum { NPOSE = 13, NPOINT = 3, NTWIST = 6, NWRENCH = 6, NENERGY = 5, NSCALAR = 7, NCONTACT = 7 };

static void separate(csv_sink *sink) {
    bl_put_bytes(&sink->file, ",", !sink->first);
    sink->first = false;
}

static void column(csv_sink *sink, const char *owner, const char *mark, const char *part) {
    separate(sink);
    bl_put_field(&sink->file, (const char *const[]){owner, mark, part, NULL});
}

static void columns(csv_sink *sink, bl_index n, const char *const *owner, int nparts, const char *const *part) {
    for (bl_index i = 0; i < n; i++)
        for (int k = 0; k < nparts; k++)
            column(sink, owner[i], ".", part[k]);
}

static void numbers(csv_sink *sink, const double *value, size_t count) {
    for (size_t i = 0; i < count; i++) {
        separate(sink);
        bl_put(&sink->file, "%g", value[i]);
    }
}

static bl_status end_line(csv_sink *sink) {
    bl_put_bytes(&sink->file, "\n", 1);
    sink->first = true;
    return bl_target_check(&sink->file.target);
}

static bl_status begin(void *user, const bl_run_info *info) {
    csv_sink *sink = user;
    sink->info = *info;
    BL_TRY(bl_text_file_open(&sink->file, true));
    sink->first = true;
    sink->rows = 0;
    column(sink, "t", "", "");
    for (bl_index i = 0; i < info->nbody; i++) {
        columns(sink, 1, info->body + i, NPOSE, pose_part);
        columns(sink, info->accelerations ? 1 : 0, info->body + i, NTWIST, twist_part);
    }
    for (bl_index i = 0; i < info->nvariable; i++) {
        column(sink, info->variable[i], "", "");
        column(sink, info->variable[i], "", "_rate");
        if (info->accelerations)
            column(sink, info->variable[i], "", "_acceleration");
    }
    for (bl_index i = 0; i < info->nprobe; i++) {
        columns(sink, 1, info->probe + i, NPOINT, point_part);
        columns(sink, 1, info->probe + i, NPOINT, rate_part);
        columns(sink, info->accelerations ? 1 : 0, info->probe + i, NPOINT, twist_part);
    }
    for (bl_index i = 0; i < info->nsignal; i++)
        column(sink, info->signal[i], "", "");
    columns(sink, info->reactions ? info->njoint : 0, info->joint, NWRENCH, wrench_part);
    if (info->reactions && info->nactuator > 0)
        columns(sink, info->nactuator, info->actuator, 3, driver_part);
    else
        columns(sink, info->reactions ? info->ndriver : 0, info->driver, 2, driver_part);
    for (bl_index i = 0; info->reactions && i < info->ngear; i++)
        columns(sink, 1, info->joint + info->gear[i], 2, gear_part);
    columns(sink, info->ncontact, info->contact, NCONTACT, contact_part);
    for (int k = info->reactions ? 0 : NENERGY; k < NSCALAR; k++)
        column(sink, scalar_part[k], "", "");
    return end_line(sink);
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    csv_sink *sink = user;
    const bl_run_info *info = &sink->info;
    numbers(sink, &sample->t, 1);
    for (bl_index i = 0; i < info->nbody; i++) {
        const bl_pose *pose = &sample->body[i];
        numbers(sink, pose->position, 3);
        numbers(sink, pose->quaternion, 4);
        numbers(sink, pose->velocity, 3);
        numbers(sink, pose->angular_velocity, 3);
        if (info->accelerations) {
            numbers(sink, sample->acceleration[i].acceleration, 3);
            numbers(sink, sample->acceleration[i].angular_acceleration, 3);
        }
    }
    for (bl_index i = 0; i < info->nvariable; i++) {
        numbers(sink, (double[]){sample->variable[i], sample->variable_rate[i]}, 2);
        if (info->accelerations)
            numbers(sink, sample->variable_acceleration + i, 1);
    }
    for (bl_index i = 0; i < info->nprobe; i++) {
        numbers(sink, sample->probe + 3 * i, 3);
        numbers(sink, sample->probe_rate + 3 * i, 3);
        if (info->accelerations)
            numbers(sink, sample->probe_acceleration + 3 * i, 3);
    }
    if (info->nsignal > 0)
        numbers(sink, sample->signal, (size_t)info->nsignal);
    for (bl_index i = 0; info->reactions && i < info->njoint; i++) {
        numbers(sink, sample->reaction[i].force, 3);
        numbers(sink, sample->reaction[i].moment, 3);
    }
    for (bl_index i = 0; info->reactions && i < info->nactuator; i++)
        numbers(sink, (double[]){sample->actuator_force[i], sample->actuator_power[i], sample->actuator_energy[i]}, 3);
    for (bl_index i = 0; info->reactions && info->nactuator == 0 && i < info->ndriver; i++) {
        double force = sample->driver_force[i];
        numbers(sink, (double[]){force, force * sample->variable_rate[info->driver_variable[i]]}, 2);
    }
    for (bl_index i = 0; info->reactions && i < info->ngear; i++) {
        bl_index j = info->gear[i];
        numbers(sink, (double[]){sample->relation_first[j], sample->relation_force[j]}, 2);
    }
    for (bl_index i = 0; i < info->ncontact; i++) {
        const bl_contact_sample *c = &sample->contact[i];
        numbers(sink, (double[]){c->gap, c->force[0], c->force[1], c->force[2], c->sliding[0], c->sliding[1], c->state}, NCONTACT);
    }
    const double scalar[NSCALAR] = {sample->kinetic,      sample->potential, sample->dissipated,    sample->work,
                                    sample->energy_error, sample->drift,     sample->velocity_drift};
    int skipped = info->reactions ? 0 : NENERGY;
    numbers(sink, scalar + skipped, (size_t)(NSCALAR - skipped));
    BL_TRY(end_line(sink));
    sink->rows++;
    return BL_OK;
}

static bl_status end(void *user, const bl_run_summary *summary) {
    csv_sink *sink = user;
    (void)summary;
    return bl_text_file_close(&sink->file, sink->rows > 0); /* nothing computed: keep an older result */
}

static void destroy(void *user) {
    csv_sink *sink = user;
    bl_text_file_destroy(&sink->file);
    bl_free(sink->ctx, sink);
}

bl_status bl_sink_csv(bl_context *ctx, const char *path, bl_sink *out) {
    csv_sink *sink;
    BL_TRY(BL_FITS(ctx, bl_sink, out));
    BL_CLEAR(bl_sink, out);
    BL_TRY(BL_NEW(ctx, sink, 1));
    sink->ctx = ctx;
    bl_sink made = {
        .size = sizeof made, .user = sink, .begin = begin, .sample = take_sample, .end = end, .destroy = destroy, .want = BL_WANT_NUMBERS};
    return bl_sink_made(out, &made, bl_text_file_create(ctx, path, &sink->file));
}
