/* The study `kinematics`: samples of a driven mechanism, with all rates, at the output times. */
#include "base/vector3.h"
#include "kinematics/kinematics.h"
#include "study/run.h"

#include <math.h>
#include <string.h>

typedef struct kinematics_run {
    bl_context *ctx;
    const bl_model *model;
    bl_kinematics *k;
    bl_run_options options;
    bl_run_info info;
    bl_arena arena;
    bl_sink *sink;
    bl_index nsink, nbegun;
    double begin, last_progress, sampled; /* wall clock; wall clock; time of the last sample, NaN: none */
    double placing, largest_drift;        /* seconds in bl_kinematics_at */
    bl_pose *pose;                        /* of bodies without ground, as everything below */
    bl_acceleration *acceleration;
    double *variable, *variable_rate, *variable_acceleration;
    double *probe, *probe_rate, *probe_acceleration;
} kinematics_run;

/* ---- one sample */

/* Shepperd's choice: the largest of the four components from its square; the sign nearest to the last one. */
static void to_quaternion(const double R[9], double q[4]) {
    double four[4] = {1 + R[0] + R[4] + R[8], 1 + R[0] - R[4] - R[8], 1 - R[0] + R[4] - R[8], 1 - R[0] - R[4] + R[8]};
    int most = 0;
    for (int i = 1; i < 4; i++)
        if (four[i] > four[most])
            most = i;
    const double s[3] = {R[7] - R[5], R[2] - R[6], R[3] - R[1]}; /* 4 w x, 4 w y, 4 w z */
    const double p[3] = {R[5] + R[7], R[2] + R[6], R[1] + R[3]}; /* 4 y z, 4 x z, 4 x y */
    const double product[4][4] = {
        {four[0], s[0], s[1], s[2]}, {s[0], four[1], p[2], p[1]}, {s[1], p[2], four[2], p[0]}, {s[2], p[1], p[0], four[3]}};
    double length = 0, along = 0, now[4];
    for (int i = 0; i < 4; i++)
        length += product[most][i] * product[most][i];
    for (int i = 0; i < 4; i++) {
        now[i] = product[most][i] / sqrt(length);
        along += now[i] * q[i];
    }
    for (int i = 0; i < 4; i++)
        q[i] = along < 0 ? -now[i] : now[i];
}

static void look_at_body(kinematics_run *r, bl_index b) {
    const bl_body_motion *body = bl_kinematics_body(r->k, b + 1);
    bl_pose *pose = &r->pose[b];
    memcpy(pose->position, body->position, sizeof pose->position);
    memcpy(pose->velocity, body->velocity, sizeof pose->velocity);
    memcpy(pose->angular_velocity, body->angular_velocity, sizeof pose->angular_velocity);
    memcpy(r->acceleration[b].acceleration, body->acceleration, sizeof body->acceleration);
    memcpy(r->acceleration[b].angular_acceleration, body->angular_acceleration, sizeof body->angular_acceleration);
    to_quaternion(body->rotation, pose->quaternion);
}

static void look_at_probe(kinematics_run *r, bl_index i) {
    const bl_mark *mark = &r->model->probe[i].mark;
    const bl_body_motion *body = bl_kinematics_body(r->k, mark->body);
    double arm[3], turning[3], inward[3], pushed[3];
    bl_turn(body->rotation, mark->s, arm);
    cross3(body->angular_velocity, arm, turning);
    cross3(body->angular_velocity, turning, inward);
    cross3(body->angular_acceleration, arm, pushed);
    for (int c = 0; c < 3; c++) {
        r->probe[3 * i + c] = body->position[c] + arm[c];
        r->probe_rate[3 * i + c] = body->velocity[c] + turning[c];
        r->probe_acceleration[3 * i + c] = body->acceleration[c] + pushed[c] + inward[c];
    }
}

static bl_status emit(kinematics_run *r) {
    bl_sample sample = {.t = r->k->t,
                        .body = r->pose,
                        .variable = r->variable,
                        .variable_rate = r->variable_rate,
                        .probe = r->probe,
                        .probe_rate = r->probe_rate,
                        .kinetic = NAN,
                        .potential = NAN,
                        .dissipated = NAN,
                        .work = NAN,
                        .energy_error = NAN,
                        .acceleration = r->acceleration,
                        .variable_acceleration = r->variable_acceleration,
                        .probe_acceleration = r->probe_acceleration};
    for (bl_index b = 0; b < r->model->nbody - 1; b++)
        look_at_body(r, b);
    for (bl_index i = 0; i < r->model->nvariable; i++) {
        double value[3];
        bl_kinematics_variable(r->k, i, value);
        r->variable[i] = value[0];
        r->variable_rate[i] = value[1];
        r->variable_acceleration[i] = value[2];
    }
    for (bl_index i = 0; i < r->model->nprobe; i++)
        look_at_probe(r, i);
    bl_kinematics_drift(r->k, &sample.drift, &sample.velocity_drift);
    r->largest_drift = fmax(r->largest_drift, sample.drift);
    r->sampled = sample.t;
    return bl_sinks_sample(r->sink, r->nsink, &sample);
}

/* ---- the run */

static bl_status take_room(kinematics_run *r) {
    bl_index nbody = r->model->nbody, nvariable = r->model->nvariable, nprobe = r->model->nprobe;
    r->pose = bl_arena_alloc(&r->arena, (size_t)nbody, sizeof *r->pose);
    r->acceleration = bl_arena_alloc(&r->arena, (size_t)nbody, sizeof *r->acceleration);
    double *room = bl_arena_alloc(&r->arena, (size_t)(3 * nvariable + 9 * nprobe), sizeof *room);
    if (!r->pose || !r->acceleration || !room)
        return BL_E_MEMORY;
    for (bl_index b = 0; b < nbody; b++)
        r->pose[b].quaternion[0] = 1;
    r->variable = room;
    r->variable_rate = room + nvariable;
    r->variable_acceleration = room + 2 * nvariable;
    r->probe = room + 3 * nvariable;
    r->probe_rate = r->probe + 3 * nprobe;
    r->probe_acceleration = r->probe + 6 * nprobe;
    return BL_OK;
}

static bl_status prepare(kinematics_run *r, const bl_kinematics_options *how) {
    bl_kinematics_options options = how ? *how : (bl_kinematics_options){0};
    options.turns = true;
    BL_TRY(bl_kinematics_create(r->ctx, r->model, &options, &r->k));
    BL_TRY(take_room(r));
    BL_TRY(bl_run_names(r->model, &r->arena, &r->info));
    BL_TRY(bl_run_scene(r->ctx, r->model, bl_sinks_want(r->sink, r->nsink), &r->arena, &r->info));
    r->info.coordinates = "bodies";
    r->info.formulation = options.solver ? options.solver : "groups";
    r->info.integrator = r->info.linsol = r->info.ordering = "none";
    r->info.tolerance = r->k->tolerance;
    r->info.until = r->options.until;
    r->info.samples = bl_run_samples(&r->options);
    r->info.nq = r->info.nv = (r->model->dim == 3 ? 6 : 3) * (r->model->nbody - 1);
    for (bl_index i = 0; i < r->k->ngroup; i++)
        r->info.np += r->k->group[i].nrow;
    r->info.accelerations = true;
    return BL_OK;
}

static void progress(kinematics_run *r, double now) {
    if (now - r->last_progress < 0.1)
        return;
    r->last_progress = now;
    for (bl_index i = 0; i < r->nsink; i++)
        if (r->sink[i].progress)
            r->sink[i].progress(r->sink[i].user, r->k->t, r->options.until, now - r->begin);
}

static bl_status march(kinematics_run *r) {
    double t;
    for (long n = 0; (t = bl_run_output_time(&r->options, n)) <= r->options.until; n++) {
        if (bl_context_stopped(r->ctx))
            return BL_STOPPED;
        double before = bl_clock_seconds();
        bl_status status = bl_kinematics_at(r->k, t, BL_ACCELERATIONS);
        double after = bl_clock_seconds();
        r->placing += after - before;
        BL_TRY(status);
        BL_TRY(emit(r));
        progress(r, after);
    }
    return BL_OK;
}

/* the last good place is worth a sample, whatever the output times */
static void emit_last(kinematics_run *r, bl_status status) {
    if (status != BL_E_NUMERIC || !r->k || r->nbegun < r->nsink || (!isnan(r->sampled) && !(r->k->t > r->sampled)))
        return;
    bl_error kept = *bl_context_error(r->ctx);
    emit(r);
    bl_fail(r->ctx, kept.status, NULL, "%s", kept.what); /* the first failure is the one to tell */
    bl_advise(r->ctx, "%s", kept.advice);
    bl_blame(r->ctx, kept.part, kept.equation, kept.time);
}

static void summarise(const kinematics_run *r, bl_status status, bl_run_summary *summary, bl_kinematics_summary *counted) {
    *summary = (bl_run_summary){.status = status, .largest_energy_error = NAN, .largest_drift = r->largest_drift};
    *counted = (bl_kinematics_summary){0};
    if (r->k) {
        bl_kinematics_summarise(r->k, counted);
        counted->seconds = r->placing;
        summary->t = r->k->t;
        summary->steps = counted->positions;
        summary->newton_iterations = counted->iterations;
        summary->factorizations = counted->factorizations;
        bl_log(r->ctx, BL_LOG_INFO, "%d groups, %d of them in closed form; %ld positions, %ld iterations", (int)counted->ngroup,
               (int)counted->nclosed, counted->positions, counted->iterations);
    }
    summary->wall_seconds = bl_clock_seconds() - r->begin;
    summary->real_time_factor = summary->wall_seconds > 0 ? summary->t / summary->wall_seconds : 0;
}

bl_status bl_kinematics_study(bl_context *ctx, const bl_model *model, const bl_kinematics_options *how, const bl_run_options *options,
                              bl_sink *sinks, bl_index nsink, bl_run_summary *summary, bl_kinematics_summary *counted) {
    if (!ctx || !model || nsink < 0 || (nsink > 0 && !sinks))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_kinematics_study needs a context, a model and its sinks");
    kinematics_run r = {
        .ctx = ctx, .model = model, .sink = sinks, .nsink = nsink, .begin = bl_clock_seconds(), .sampled = NAN, .arena.ctx = ctx};
    r.last_progress = r.begin;
    bl_context_clear_warnings(ctx);
    bl_status status = bl_run_resolve(ctx, model, options, &r.options);
    if (status == BL_OK)
        status = bl_run_check_times(ctx, &r.options);
    if (status == BL_OK)
        status = prepare(&r, how);
    if (status == BL_OK)
        status = bl_sinks_begin(sinks, nsink, &r.info, &r.nbegun);
    if (status == BL_OK)
        status = march(&r);
    emit_last(&r, status);
    bl_run_summary made;
    bl_kinematics_summary count;
    summarise(&r, status, &made, &count);
    status = bl_sinks_end(sinks, r.nbegun, &made);
    if (summary)
        *summary = made;
    if (counted)
        *counted = count;
    bl_kinematics_destroy(r.k);
    bl_arena_destroy(&r.arena);
    return status;
}
