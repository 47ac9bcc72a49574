/* JSON sink: the run as one object, written in pieces. A sample that runs out of memory is removed, and memory for the end is reserved, so
 * that the output is always valid. */
#include "base/sized.h"
#include "output/output.h"

#include <math.h>
#include <string.h>

typedef struct json_sink {
    bl_context *ctx;
    void (*write)(void *user, const char *text, size_t length);
    void *user;
    bl_run_info info;
    bool begun;
    bl_json json;   /* not yet written */
    bl_json events; /* objects of all events so far, for the end */
} json_sink;

enum { PIECE_BYTES = 1 << 17 };

static void bodies(bl_json *json, const bl_run_info *info, const bl_sample *sample) {
    bl_json_open(json, "bodies", '{');
    for (bl_index i = 0; i < info->nbody; i++) {
        bl_json_open(json, info->body[i], '{');
        bl_json_numbers(json, "position", sample->body[i].position, 3);
        bl_json_numbers(json, "quaternion", sample->body[i].quaternion, 4);
        bl_json_numbers(json, "velocity", sample->body[i].velocity, 3);
        bl_json_numbers(json, "angular_velocity", sample->body[i].angular_velocity, 3);
        if (info->accelerations) {
            bl_json_numbers(json, "acceleration", sample->acceleration[i].acceleration, 3);
            bl_json_numbers(json, "angular_acceleration", sample->acceleration[i].angular_acceleration, 3);
        }
        bl_json_close(json, '}');
    }
    bl_json_close(json, '}');
}

static void probes(bl_json *json, const char *key, const bl_run_info *info, const double *value) {
    bl_json_open(json, key, '{');
    for (bl_index i = 0; i < info->nprobe; i++)
        bl_json_numbers(json, info->probe[i], value + 3 * i, 3);
    bl_json_close(json, '}');
}

static void variables(bl_json *json, const bl_run_info *info, const bl_sample *sample) {
    bl_json_open(json, "variables", '{');
    for (bl_index i = 0; i < info->nvariable; i++) {
        bl_json_open(json, info->variable[i], '{');
        bl_json_number(json, "value", sample->variable[i]);
        bl_json_number(json, "rate", sample->variable_rate[i]);
        if (info->accelerations)
            bl_json_number(json, "acceleration", sample->variable_acceleration[i]);
        bl_json_close(json, '}');
    }
    bl_json_close(json, '}');
}

static void reactions(bl_json *json, const bl_run_info *info, const bl_sample *sample) {
    bl_json_open(json, "reactions", '{');
    for (bl_index i = 0; i < info->njoint; i++) {
        bl_json_open(json, info->joint[i], '{');
        bl_json_numbers(json, "force", sample->reaction[i].force, 3);
        bl_json_numbers(json, "moment", sample->reaction[i].moment, 3);
        bl_json_close(json, '}');
    }
    bl_json_close(json, '}');
}

static void drivers_and_gears(bl_json *json, const bl_run_info *info, const bl_sample *sample) {
    bl_json_open(json, "drivers", '{');
    for (bl_index i = 0; i < info->ndriver; i++) {
        BL_JSON_OBJECT(json, info->driver[i], {"force", sample->driver_force[i]},
                       {"power", sample->driver_force[i] * sample->variable_rate[info->driver_variable[i]]});
    }
    bl_json_close(json, '}');
    bl_json_open(json, "gears", '{');
    for (bl_index i = 0; i < info->ngear; i++) {
        bl_index j = info->gear[i];
        BL_JSON_OBJECT(json, info->joint[j], {"first", sample->relation_first[j]}, {"second", sample->relation_force[j]});
    }
    bl_json_close(json, '}');
}

static void actuators(bl_json *json, const bl_run_info *info, const bl_sample *sample) {
    if (info->nactuator == 0)
        return;
    bl_json_open(json, "actuators", '{');
    for (bl_index i = 0; i < info->nactuator; i++) {
        BL_JSON_OBJECT(json, info->actuator[i], {"force", sample->actuator_force[i]}, {"power", sample->actuator_power[i]},
                       {"energy", sample->actuator_energy[i]});
    }
    bl_json_close(json, '}');
}

static void energies(bl_json *json, const bl_sample *sample) {
    BL_JSON_OBJECT(json, "energy", {"kinetic", sample->kinetic}, {"potential", sample->potential}, {"dissipated", sample->dissipated},
                   {"work", sample->work}, {"total", sample->kinetic + sample->potential}, {"error", sample->energy_error});
}

static const char *stability(bool found, bl_index unstable, bl_index neutral, bool conservative) {
    if (!found)
        return NULL;
    return unstable > 0 ? "unstable" : unstable == 0 ? (neutral > 0 ? "neutral" : "stable") : conservative ? NULL : "not conservative";
}

static const char *critical_word(bl_critical_what what) {
    return what == BL_LIMIT_POINT ? "limit" : what == BL_BRANCHING_POINT ? "branching" : "singular";
}

static void equilibrium_point(bl_json *json, const bl_equilibrium_point *p) {
    bl_json_open(json, "equilibrium", '{');
    bl_json_number(json, "load", p->load);
    bl_json_integer(json, "branch", p->branch);
    bl_json_text(json, "critical", p->critical ? critical_word(p->what) : NULL);
    bl_json_text(json, "stability", p->critical ? NULL : stability(true, p->unstable, p->neutral, p->conservative));
    if (p->unstable >= 0 && !p->critical) {
        bl_json_integer(json, "unstable", p->unstable);
        bl_json_integer(json, "neutral", p->neutral);
    }
    bl_json_text(json, "motions", p->motions[0] ? p->motions : NULL);
    bl_json_number(json, "residual", p->residual);
    bl_json_open(json, "softest", '[');
    for (bl_index k = 0; k < p->nsoft; k++) {
        bl_json_open(json, NULL, '{');
        bl_json_number(json, "eigenvalue", p->soft[k].eigenvalue);
        bl_json_number(json, "stiffness", p->soft[k].stiffness);
        bl_json_text(json, "motion", p->soft[k].motion);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    bl_json_close(json, '}');
}

static void signals(bl_json *json, const bl_run_info *info, const bl_sample *sample) {
    if (info->nsignal == 0)
        return;
    bl_json_open(json, "signals", '{');
    for (bl_index i = 0; i < info->nsignal; i++)
        bl_json_number(json, info->signal[i], sample->signal[i]);
    bl_json_close(json, '}');
}

static void contacts(bl_json *json, const bl_run_info *info, const bl_sample *sample) {
    static const char *const state[] = {"open", "sliding", "sticking"};
    if (info->ncontact == 0)
        return;
    bl_json_open(json, "contacts", '{');
    for (bl_index i = 0; i < info->ncontact; i++) {
        const bl_contact_sample *c = &sample->contact[i];
        bl_json_open(json, info->contact[i], '{');
        bl_json_number(json, "gap", c->gap);
        bl_json_numbers(json, "force", c->force, 3);
        bl_json_numbers(json, "sliding", c->sliding, 2);
        bl_json_text(json, "state", state[(int)c->state]);
        bl_json_numbers(json, "point", c->point, 3);
        bl_json_numbers(json, "total", c->total, 3);
        bl_json_close(json, '}');
    }
    bl_json_close(json, '}');
}

static void write_out(json_sink *sink) {
    if (sink->json.length > 0)
        sink->write(sink->user, sink->json.text, sink->json.length);
    sink->json.length = 0;
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    json_sink *sink = user;
    bl_json *json = &sink->json;
    size_t length = json->length;
    bool comma = json->comma;
    bl_json_open(json, NULL, '{');
    bl_json_number(json, "t", sample->t);
    bodies(json, &sink->info, sample);
    variables(json, &sink->info, sample);
    probes(json, "probes", &sink->info, sample->probe);
    probes(json, "probe_velocities", &sink->info, sample->probe_rate);
    if (sink->info.accelerations)
        probes(json, "probe_accelerations", &sink->info, sample->probe_acceleration);
    signals(json, &sink->info, sample);
    contacts(json, &sink->info, sample);
    if (sink->info.reactions) {
        reactions(json, &sink->info, sample);
        drivers_and_gears(json, &sink->info, sample);
        actuators(json, &sink->info, sample);
        energies(json, sample);
    }
    if (sample->equilibrium)
        equilibrium_point(json, sample->equilibrium);
    bl_json_number(json, "drift", sample->drift);
    bl_json_number(json, "velocity_drift", sample->velocity_drift);
    bl_json_close(json, '}');
    bl_status status = json->status;
    if (status != BL_OK) {
        json->length = length;
        json->comma = comma;
        json->status = BL_OK;
    } else if (json->length > PIECE_BYTES / 2) {
        write_out(sink);
    }
    return status;
}

static void warnings(bl_json *json, const bl_context *ctx) {
    const bl_warning *warning;
    bl_index n = bl_context_warnings(ctx, &warning, NULL);
    bl_json_open(json, "warnings", '[');
    for (bl_index i = 0; i < n; i++) {
        bl_json_open(json, NULL, '{');
        bl_json_number(json, "time", warning[i].time);
        bl_json_text(json, "part", warning[i].part[0] ? warning[i].part : NULL);
        bl_json_text(json, "text", warning[i].text);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
}

static void impact(bl_json *json, const bl_run_info *info, const bl_event_mark *mark) {
    const bl_strike *s = mark->strike;
    bl_json_numbers(json, "impulse", s->impulse, 3);
    bl_json_numbers(json, "speed", s->speed, 2);
    bl_json_number(json, "lost", s->lost);
    bl_json_numbers(json, "kinetic", s->kinetic, 2);
    if (mark->nimpulse != info->njoint || info->njoint == 0)
        return;
    bl_json_open(json, "joints", '{');
    for (bl_index i = 0; i < info->njoint; i++) {
        bl_json_open(json, info->joint[i], '{');
        bl_json_numbers(json, "force", mark->impulse[i].force, 3);
        bl_json_numbers(json, "moment", mark->impulse[i].moment, 3);
        bl_json_close(json, '}');
    }
    bl_json_close(json, '}');
}

static bl_status take_event(void *user, const bl_event_mark *mark) {
    json_sink *sink = user;
    bl_json *json = &sink->events;
    bl_json_open(json, NULL, '{');
    bl_json_number(json, "time", mark->t);
    bl_json_text(json, "kind", bl_event_kind_text(mark->kind));
    bl_json_text(json, "part", mark->part[0] ? mark->part : NULL);
    bl_json_text(json, "text", mark->text);
    if (mark->strike)
        impact(json, &sink->info, mark);
    bl_json_close(json, '}');
    return json->status;
}

static void head(bl_json *json, const bl_run_info *info) {
    bl_json_text(json, "model", info->model_name);
    bl_json_text(json, "file", info->model_file);
    bl_json_integer(json, "dimension", info->dim);
    bl_json_open(json, "combination", '{');
    bl_json_text(json, "coordinates", info->coordinates);
    bl_json_text(json, "formulation", info->formulation);
    bl_json_text(json, "integrator", info->integrator);
    bl_json_text(json, "linsol", info->linsol);
    bl_json_text(json, "ordering", info->ordering);
    BL_JSON_NUMBERS(json, {"tolerance", info->tolerance}, {"step", info->step}, {"until", info->until});
    bl_json_close(json, '}');
    BL_JSON_OBJECT(json, "size", {"positions", info->nq}, {"velocities", info->nv}, {"rows", info->np});
    bl_json_integer(json, "degrees_of_freedom", info->dof);
}

static void equilibrium(bl_json *json, const bl_equilibrium_summary *found) {
    bl_json_open(json, "equilibrium", '{');
    BL_JSON_NUMBERS(json, {"t", found->t}, {"found", found->found}, {"refused", found->refused}, {"iterations", found->iterations},
                    {"residual", found->residual});
    bl_json_text(json, "worst", found->worst[0] ? found->worst : NULL);
    bl_json_text(json, "stability", stability(found->found > 0, found->unstable, found->neutral, found->conservative));
    if (found->unstable >= 0) {
        bl_json_integer(json, "unstable", found->unstable);
        bl_json_integer(json, "neutral", found->neutral);
    }
    bl_json_text(json, "motions", found->motions[0] ? found->motions : NULL);
    BL_JSON_NUMBERS(json, {"softest", found->softest}, {"branches", found->branches}, {"starts", found->starts}, {"closed", found->closed},
                    {"merged", found->merged});
    bl_json_open(json, "points", '[');
    for (bl_index i = 0; i < found->npoint && i < BL_MOST_CRITICAL; i++) {
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "what", critical_word(found->point[i].what));
        bl_json_number(json, "t", found->point[i].t);
        bl_json_integer(json, "branch", found->point[i].branch);
        bl_json_text(json, "motion", found->point[i].motion);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    bl_json_close(json, '}');
}

static void inverse(bl_json *json, const bl_inverse_summary *found) {
    bl_json_open(json, "inverse", '{');
    bl_json_open(json, "actuators", '{');
    for (bl_index i = 0; i < found->nactuator; i++) {
        const bl_actuator_summary *a = &found->actuator[i];
        bl_json_open(json, a->name, '{');
        bl_json_text(json, "unit", a->is_angle ? "N m" : "N");
        BL_JSON_NUMBERS(json, {"largest", a->largest}, {"largest_time", a->largest_time}, {"rms", a->rms},
                        {"largest_power", a->largest_power}, {"energy", a->energy}, {"energy_per_period", a->energy_per_period},
                        {"limit", a->limit}, {"over_time", a->over_time});
        bl_json_close(json, '}');
    }
    bl_json_close(json, '}');
    BL_JSON_NUMBERS(json, {"period", found->period}, {"singular", found->singular}, {"residual", found->residual},
                    {"degrees_of_freedom", found->dof}, {"rank", found->rank}, {"misfit", found->misfit}, {"smoothed", found->smoothed});
    if (found->checked) {
        BL_JSON_OBJECT(json, "check", {"local", found->local}, {"time", found->check_time}, {"deviation", found->deviation},
                       {"deviation_rate", found->deviation_rate});
    }
    bl_json_close(json, '}');
}

/* members known only at the end */
static void tail(bl_json *json, const json_sink *sink, const bl_run_summary *sum) {
    bl_json_text(json, "status", bl_outcome_text(sum->status));
    if (!bl_outcome_good(sum->status)) {
        bl_error error = *bl_context_error(sink->ctx);
        if (error.status == BL_OK) { /* no error was recorded */
            memset(&error, 0, sizeof error);
            error.status = sum->status;
            error.time = sink->begun ? sum->t : NAN;
        }
        bl_json_error(json, "error", &error);
    }
    if (!sink->begun)
        return;
    warnings(json, sink->ctx);
    if (sink->info.stepped)
        bl_json_raw(json, "events", sink->events.status == BL_OK ? sink->events.text : "[]");
    bl_json_open(json, "statistics", '{');
    bl_json_text(json, "status", bl_outcome_text(sum->status));
    bl_json_number(json, "t", sum->t);
    bl_json_text(json, "stopped_by", sum->stopped_by);
    BL_JSON_NUMBERS(json, {"steps", sum->steps}, {"rejections", sum->rejections}, {"restarts", sum->restarts}, {"bounded", sum->bounded},
                    {"evaluations", sum->evaluations}, {"newton_iterations", sum->newton_iterations}, {"tangents", sum->tangents},
                    {"factorizations", sum->factorizations}, {"refactorizations", sum->refactorizations}, {"solves", sum->solves},
                    {"projections", sum->projections}, {"repartitions", sum->repartitions}, {"handovers", sum->handovers},
                    {"method_changes", sum->method_changes}, {"impacts", sum->impacts}, {"accumulations", sum->accumulations},
                    {"lost_in_impacts", sum->lost_in_impacts}, {"sample_evaluations", sum->sample_evaluations},
                    {"sample_factorizations", sum->sample_factorizations}, {"sample_solves", sum->sample_solves});
    bl_json_text(json, "method", sum->method);
    bl_json_text(json, "sliding_method", sum->sliding_method[0] ? sum->sliding_method : NULL);
    BL_JSON_NUMBERS(json, {"h_smallest", sum->h_smallest}, {"h_largest", sum->h_largest}, {"largest_drift", sum->largest_drift},
                    {"largest_misfit", sum->largest_misfit}, {"largest_energy_error", sum->largest_energy_error},
                    {"dissipated", sum->dissipated}, {"wall_seconds", sum->wall_seconds}, {"real_time_factor", sum->real_time_factor});
    bl_json_close(json, '}');
    if (sum->equilibrium)
        equilibrium(json, sum->equilibrium);
    if (sum->inverse)
        inverse(json, sum->inverse);
}

static bl_status begin(void *user, const bl_run_info *info) {
    json_sink *sink = user;
    bl_json *json = &sink->json;
    sink->info = *info;
    bl_json_destroy(json);
    BL_TRY(BL_NEW(sink->ctx, json->text, PIECE_BYTES));
    json->capacity = PIECE_BYTES;
    bl_json_open(json, NULL, '{');
    head(json, info);
    bl_json_open(json, "times", '[');
    bl_json_destroy(&sink->events);
    bl_json_open(&sink->events, NULL, '[');
    sink->begun = json->status == BL_OK;
    return json->status == BL_OK ? sink->events.status : json->status;
}

static bl_status end(void *user, const bl_run_summary *summary) {
    json_sink *sink = user;
    bl_json *json = &sink->json;
    if (sink->begun) {
        write_out(sink); /* makes room for the end */
        bl_json_close(json, ']');
        bl_json_close(&sink->events, ']');
    } else {
        bl_json_destroy(json);
        bl_json_open(json, NULL, '{');
    }
    tail(json, sink, summary);
    bl_json_close(json, '}');
    bl_status status = json->status;
    if (status != BL_OK && sink->begun) { /* out of memory (thousands of warnings): close the object anyway */
        *json = (bl_json){.ctx = sink->ctx, .text = json->text, .capacity = json->capacity};
        bl_json_close(json, ']');
        bl_json_text(json, "status", bl_outcome_text(summary->status));
        bl_json_close(json, '}');
    }
    if (json->status == BL_OK) {
        write_out(sink);
        sink->write(sink->user, "\n", 1);
    }
    bl_json_destroy(json);
    sink->begun = false;
    return status;
}

static void destroy(void *user) {
    json_sink *sink = user;
    bl_json_destroy(&sink->json);
    bl_json_destroy(&sink->events);
    bl_free(sink->ctx, sink);
}

bl_status bl_sink_json(bl_context *ctx, void (*write)(void *user, const char *text, size_t length), void *user, bl_sink *out) {
    BL_TRY(BL_FITS(ctx, bl_sink, out));
    BL_CLEAR(bl_sink, out);
    if (!write)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_sink_json needs a function that writes the text");
    json_sink *sink;
    BL_TRY(BL_NEW(ctx, sink, 1));
    *sink = (json_sink){.ctx = ctx, .write = write, .user = user, .json = {.ctx = ctx}, .events = {.ctx = ctx}};
    bl_sink made = {.size = sizeof made,
                    .user = sink,
                    .begin = begin,
                    .sample = take_sample,
                    .end = end,
                    .destroy = destroy,
                    .want = BL_WANT_NUMBERS,
                    .event = take_event};
    return bl_sink_made(out, &made, BL_OK);
}

void bl_sink_destroy(bl_sink *sink) {
    if (sink && sink->destroy)
        sink->destroy(sink->user);
    BL_CLEAR(bl_sink, sink);
}

bl_status bl_sink_made(bl_sink *out, bl_sink *made, bl_status status) {
    if (status != BL_OK)
        bl_sink_destroy(made);
    BL_GIVE(bl_sink, out, made);
    return status;
}
