/* The study `kinematics`: samples of a driven mechanism, with all rates, at the output times. */
#include "base/sized.h"
#include "base/vector3.h"
#include "kinematics/kinematics_private.h"
#include "study/input_table.h"
#include "study/run.h"

#include <math.h>
#include <string.h>

typedef struct kinematics_run {
    bl_run run;
    bl_kinematics *k;
    double solving, largest_drift; /* solving: seconds in bl_kinematics_at */
    bl_pose *pose;                 /* of bodies without ground, like everything below */
    bl_acceleration *acceleration;
    double *variable, *variable_rate, *variable_acceleration, *probe, *probe_rate, *probe_acceleration;
} kinematics_run;

/* ---- one sample */

/* Shepperd's method: the largest of the four components from its square; the sign closest to the last quaternion. */
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

static void read_body(kinematics_run *r, bl_index b) {
    const bl_body_motion *body = bl_kinematics_body(r->k, b + 1);
    bl_pose *pose = &r->pose[b];
    memcpy(pose->position, body->position, sizeof pose->position);
    memcpy(pose->velocity, body->velocity, sizeof pose->velocity);
    memcpy(pose->angular_velocity, body->angular_velocity, sizeof pose->angular_velocity);
    memcpy(r->acceleration[b].acceleration, body->acceleration, sizeof body->acceleration);
    memcpy(r->acceleration[b].angular_acceleration, body->angular_acceleration, sizeof body->angular_acceleration);
    to_quaternion(body->rotation, pose->quaternion);
}

static void read_probe(kinematics_run *r, bl_index i) {
    const bl_mark *mark = &r->run.model->probe[i].mark;
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

static bl_status emit(void *user, double t) {
    kinematics_run *r = user;
    const bl_model *model = r->run.model;
    bl_sample sample = {.t = t,
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
    for (bl_index b = 0; b < model->nbody - 1; b++)
        read_body(r, b);
    for (bl_index i = 0; i < model->nvariable; i++) {
        double value[3];
        bl_kinematics_variable(r->k, i, value);
        r->variable[i] = value[0];
        r->variable_rate[i] = value[1];
        r->variable_acceleration[i] = value[2];
    }
    for (bl_index i = 0; i < model->nprobe; i++)
        read_probe(r, i);
    bl_kinematics_drift(r->k, &sample.drift, &sample.velocity_drift);
    r->largest_drift = fmax(r->largest_drift, sample.drift);
    return bl_run_sample(&r->run, &sample);
}

/* ---- the run */

static bl_status take_room(kinematics_run *r) {
    bl_index nbody = r->run.model->nbody, nvariable = r->run.model->nvariable, nprobe = r->run.model->nprobe;
    BL_TRY(BL_ARENA_ARRAYS(&r->run.arena, BL_ARRAY(r->pose, nbody), BL_ARRAY(r->acceleration, nbody), BL_ARRAY(r->variable, nvariable),
                           BL_ARRAY(r->variable_rate, nvariable), BL_ARRAY(r->variable_acceleration, nvariable),
                           BL_ARRAY(r->probe, 3 * nprobe), BL_ARRAY(r->probe_rate, 3 * nprobe),
                           BL_ARRAY(r->probe_acceleration, 3 * nprobe)));
    for (bl_index b = 0; b < nbody; b++)
        r->pose[b].quaternion[0] = 1;
    return BL_OK;
}

static bl_status prepare(kinematics_run *r, const bl_kinematics_options *how) {
    bl_run *run = &r->run;
    bl_kinematics_options options;
    BL_TRY(BL_TAKE(run->ctx, bl_kinematics_options, how, &options));
    options.turns = true;
    BL_TRY(bl_kinematics_create(run->ctx, run->model, &options, &r->k));
    BL_TRY(take_room(r));
    BL_TRY(bl_run_names(run));
    BL_TRY(bl_run_name_quantities(run));
    BL_TRY(bl_quantities_prepare(run));
    run->info.coordinates = "bodies";
    run->info.formulation = options.solver ? options.solver : "groups";
    run->info.integrator = run->info.linsol = run->info.ordering = "none";
    run->info.tolerance = r->k->tolerance;
    run->info.until = run->options.until;
    run->info.samples = bl_run_samples(&run->options);
    run->info.nq = run->info.nv = (run->model->dim == 3 ? 6 : 3) * (run->model->nbody - 1);
    for (bl_index i = 0; i < r->k->ngroup; i++)
        run->info.np += r->k->group[i].nrow;
    run->info.accelerations = true;
    return BL_OK;
}

static bl_status march(kinematics_run *r) {
    double t, until = r->run.options.until;
    for (long n = 0; (t = bl_run_output_time(&r->run.options, n)) <= until; n++) {
        if (bl_context_stopped(r->run.ctx))
            return BL_STOPPED;
        double before = bl_clock_seconds();
        bl_status status = bl_kinematics_at(r->k, t, BL_ACCELERATIONS);
        r->solving += bl_clock_seconds() - before;
        BL_TRY(status);
        BL_TRY(emit(r, r->k->t));
        bl_run_progress(&r->run, r->k->t, until);
    }
    return BL_OK;
}

static void conclude(kinematics_run *r, bl_status status, bl_run_summary *made, bl_kinematics_summary *counted) {
    if (status == BL_E_NUMERIC)
        bl_run_sample_last(&r->run, status, r->k->t, emit, r);
    bl_kinematics_summarize(r->k, counted);
    counted->seconds = r->solving;
    made->t = r->k->t;
    made->steps = counted->positions;
    made->newton_iterations = counted->iterations;
    made->factorizations = counted->factorizations;
    made->largest_drift = r->largest_drift;
    bl_log(r->run.ctx, BL_LOG_INFO, "%d groups, %d of them in closed form; %ld positions, %ld iterations", (int)counted->ngroup,
           (int)counted->nclosed, counted->positions, counted->iterations);
}

bl_status bl_kinematics_study(bl_context *ctx, const bl_model *model, const bl_kinematics_options *how, const bl_run_options *options,
                              bl_sink *sinks, bl_index nsink, bl_run_summary *summary, bl_kinematics_summary *counted) {
    kinematics_run r = {0};
    bl_kinematics_summary count = {.size = sizeof count};
    bl_run_options asked;
    BL_TRY(BL_TAKE(ctx, bl_run_options, options, &asked));
    BL_TRY(bl_inputs_refuse(ctx, asked.inputs, "bl_kinematics_study"));
    BL_TRY(BL_FITS(ctx, bl_run_summary, summary));
    BL_TRY(BL_FITS(ctx, bl_kinematics_summary, counted));
    BL_TRY(bl_run_open(&r.run, "bl_kinematics_study", ctx, model, sinks, nsink));
    bl_status status = bl_run_resolve(ctx, model, &asked, &r.run.options);
    if (status == BL_OK)
        status = bl_run_check_times(ctx, &r.run.options);
    if (status == BL_OK)
        status = prepare(&r, how);
    if (status == BL_OK)
        status = bl_run_begin(&r.run);
    if (status == BL_OK)
        status = march(&r);
    bl_run_summary made = {.status = status, .largest_energy_error = NAN};
    if (r.k)
        conclude(&r, status, &made, &count);
    status = bl_run_close(&r.run, made.t, &made, summary);
    BL_GIVE(bl_kinematics_summary, counted, &count);
    bl_kinematics_destroy(r.k);
    return status;
}
