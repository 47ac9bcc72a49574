#include "support/contact_run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct course {
    contact_run *run;
    bl_index nbody, nvariable, nprobe, njoint, ndriver, ncontact;
} course;

static bl_index at_most(bl_index n) { return n < CONTACT_MOST_VALUES ? n : CONTACT_MOST_VALUES; }

static bl_status begin(void *user, const bl_run_info *info) {
    course *c = user;
    c->nbody = at_most(info->nbody);
    c->nvariable = at_most(info->nvariable);
    c->nprobe = at_most(info->nprobe);
    c->njoint = at_most(info->njoint);
    c->ndriver = at_most(info->ndriver);
    c->ncontact = at_most(info->ncontact);
    return BL_OK;
}

static void keep(void *to, const void *from, bl_index n, size_t size) {
    if (n > 0 && from)
        memcpy(to, from, (size_t)n * size);
}

static bl_status take(void *user, const bl_sample *s) {
    course *c = user;
    contact_run *run = c->run;
    contact_sample *k = &run->sample[run->nsample < CONTACT_MOST_SAMPLES ? run->nsample++ : CONTACT_MOST_SAMPLES - 1];
    double energy = s->kinetic + s->potential;
    k->t = s->t;
    keep(k->variable, s->variable, c->nvariable, sizeof *k->variable);
    keep(k->rate, s->variable_rate, c->nvariable, sizeof *k->rate);
    keep(k->driver, s->driver_force, c->ndriver, sizeof *k->driver);
    keep(k->probe, s->probe, c->nprobe, sizeof *k->probe);
    keep(k->probe_rate, s->probe_rate, c->nprobe, sizeof *k->probe_rate);
    keep(k->body, s->body, c->nbody, sizeof *k->body);
    keep(k->reaction, s->reaction, c->njoint, sizeof *k->reaction);
    keep(k->contact, s->contact, c->ncontact, sizeof *k->contact);
    k->kinetic = s->kinetic;
    k->potential = s->potential;
    k->work = s->work;
    if (k == run->sample)
        run->start = run->highest = energy;
    run->highest = fmax(run->highest, energy);
    run->energy_error = fmax(run->energy_error, fabs(s->energy_error));
    run->drift = fmax(run->drift, s->drift);
    return BL_OK;
}

static bl_status note(void *user, const bl_event_mark *mark) {
    contact_run *run = ((course *)user)->run;
    if (mark->strike && run->nstrike < CONTACT_MOST_EVENTS) {
        run->struck[run->nstrike] = mark->t;
        run->strike[run->nstrike++] = *mark->strike;
    }
    bool counts = mark->kind == BL_HAPPENED_IMPACT || mark->kind == BL_HAPPENED_CONTACT;
    if (!counts || !(mark->t > 0) || run->nevent == CONTACT_MOST_EVENTS) /* at the start contacts find their modes */
        return BL_OK;
    run->event[run->nevent] = mark->t;
    snprintf(run->what[run->nevent++], sizeof run->what[0], "%s", mark->text);
    return BL_OK;
}

/* "mu=0.3 e=0.5" */
static bl_index read_set(const char *set, char names[8][32], bl_override *to) {
    bl_index n = 0;
    int used;
    for (; set && sscanf(set, " %31[^=]=%lf%n", names[n], &to[n].value, &used) == 2; set += used, n++)
        to[n].name = names[n];
    return n;
}

static void simulate(bl_context *ctx, bl_model *model, bl_status status, const bl_run_options *options, contact_run *out) {
    course c = {.run = out};
    bl_sink sink = {.user = &c, .begin = begin, .sample = take, .event = note};
    bl_run_options o = options ? *options : (bl_run_options){0};
    const bl_warning *warning;
    bl_index more;
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &o, &sink, 1, &out->summary);
    out->status = status;
    out->error = *bl_context_error(ctx);
    out->nwarning = bl_context_warnings(ctx, &warning, &more);
    if (out->nwarning > 0)
        snprintf(out->warning, sizeof out->warning, "%s", warning[0].text);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void label(const char *name, const char *set, const bl_run_options *o, contact_run *out) {
    memset(out, 0, sizeof *out);
    snprintf(out->label, sizeof out->label, "%s %s, %s, %s, %s", name, set ? set : "", o && o->coordinates ? o->coordinates : "default",
             o && o->formulation ? o->formulation : "default", o && o->integrator ? o->integrator : "default");
}

void contact_run_scene(const char *scene, const char *set, const bl_run_options *options, contact_run *out) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_override to[8];
    char names[8][32], path[512];
    label(scene, set, options, out);
    snprintf(path, sizeof path, SCENES "/%s.yaml", scene);
    bl_status status = bl_model_read(ctx, path, to, read_set(set, names, to), &model);
    simulate(ctx, model, status, options, out);
}

void contact_run_text(const char *text, const char *set, const bl_run_options *options, contact_run *out) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_override to[8];
    char names[8][32];
    label("text", set, options, out);
    bl_status status = bl_model_read_text(ctx, "text", text, strlen(text), to, read_set(set, names, to), &model);
    simulate(ctx, model, status, options, out);
}

void contact_expect(const contact_run *run, double allowed) {
    if (run->status != BL_OK)
        fail_msg("%s: %s", run->label, run->error.what);
    if (run->nwarning > 0)
        fail_msg("%s: warning: %s", run->label, run->warning);
    if (!(run->energy_error <= allowed))
        fail_msg("%s: energy error %g, allowed %g", run->label, run->energy_error, allowed);
}

void contact_expect_close(const contact_run *run, const char *what, double a, double b, double allowed) {
    if (!(fabs(a - b) <= allowed))
        fail_msg("%s: %s is %.12g, should be %.12g: off by %.3g, allowed %.3g", run->label, what, a, b, fabs(a - b), allowed);
}

void contact_expect_events(const contact_run *run, const char *kind, int n, const double *t, double allowed) {
    int next = 0;
    for (int k = 0; k < run->nevent; k++) {
        if (strncmp(run->what[k], kind, strlen(kind)) != 0 || (n > 0 && run->event[k] > t[n - 1] + allowed))
            continue;
        if (next < n && fabs(run->event[k] - t[next]) <= allowed)
            next++; /* several contacts may close in one impact */
        else if (next == 0 || fabs(run->event[k] - t[next - 1]) > allowed)
            fail_msg("%s: '%s' at %.12g, expected %.12g", run->label, run->what[k], run->event[k], next < n ? t[next] : NAN);
    }
    if (next < n)
        fail_msg("%s: nothing happened at %.12g", run->label, t[next]);
}

const contact_sample *contact_at(const contact_run *run, double t) {
    for (int k = 0; k < run->nsample; k++)
        if (fabs(run->sample[k].t - t) < 1e-12)
            return &run->sample[k];
    fail_msg("%s: no sample at %g", run->label, t);
    return NULL;
}

const contact_way contact_ways[] = {
    {NULL, NULL, NULL, 1e-10, 0, 1e-8},
    {"natural", "lagrange", "series", 1e-10, 0, 1e-8},
    {"natural", "partition", "dopri45", 1e-10, 0, 1e-8},
    {"natural", "baumgarte", "dopri45", 1e-10, 0, 2e-8},
    {"natural", "projection", "radau", 1e-10, 0, 1e-8},
    {"mixed", "partition", "series", 1e-10, 0, 1e-8},
    {"mixed", "null_space", "abm", 1e-10, 0, 1e-8},
    {"mixed", "lagrange", "rosenbrock23", 1e-7, 0, 3e-4},
    {"reference", "partition", "dop853", 1e-10, 0, 1e-8},
    {"reference", "lagrange", "radau", 1e-10, 0, 1e-8},
    {"reference", "lagrange", "trbdf2", 1e-7, 0, 3e-4},
    {"reference:angles", "lagrange", "dopri45", 1e-10, 0, 1e-8},
    {"relative", "lagrange", "dop853", 1e-10, 0, 1e-8},
    {"relative", "partition", "bs23", 1e-9, 0, 1e-6},
    {"natural", "index3", "genalpha", 1e-8, 2e-4, 2e-4}, /* these two only without friction */
    {"reference", "index3", "ndf_auto", 1e-9, 0, 3e-5},
};
const int contact_nway = sizeof contact_ways / sizeof *contact_ways;

bl_run_options contact_way_options(const contact_way *way, double until, const double *at, bl_index nat) {
    return (bl_run_options){.coordinates = way->coordinates,
                            .formulation = way->formulation,
                            .integrator = way->integrator,
                            .tolerance = way->tolerance,
                            .step = way->step,
                            .until = until,
                            .at = at,
                            .nat = nat};
}
