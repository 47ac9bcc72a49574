/* Runs of scenes and texts with contacts: times and texts of events, samples at given times. */
#ifndef BL_TEST_CONTACT_RUN_H
#define BL_TEST_CONTACT_RUN_H

#include "biela/biela.h"

enum { CONTACT_MOST_EVENTS = 300, CONTACT_MOST_SAMPLES = 60, CONTACT_MOST_VALUES = 12 };

typedef struct contact_sample {
    double t, variable[CONTACT_MOST_VALUES], rate[CONTACT_MOST_VALUES], driver[CONTACT_MOST_VALUES];
    double probe[CONTACT_MOST_VALUES][3], probe_rate[CONTACT_MOST_VALUES][3];
    bl_pose body[CONTACT_MOST_VALUES];
    bl_wrench reaction[CONTACT_MOST_VALUES];
    bl_contact_sample contact[CONTACT_MOST_VALUES];
    double kinetic, potential, work;
} contact_sample;

typedef struct contact_run {
    char label[160];
    bl_status status;
    bl_error error;
    int nevent, nsample, nwarning;
    double event[CONTACT_MOST_EVENTS], energy_error, drift, start, highest; /* energy: of the start, the highest */
    char what[CONTACT_MOST_EVENTS][200], warning[512];                      /* the first */
    int nstrike;                                                            /* impacts and percussions, also at the start */
    bl_strike strike[CONTACT_MOST_EVENTS];
    double struck[CONTACT_MOST_EVENTS];          /* their times */
    contact_sample sample[CONTACT_MOST_SAMPLES]; /* the first ones, then the last */
    bl_run_summary summary;
} contact_run;

/* SCENES/scene.yaml with parameters "mu=0.3 e=0.5" (NULL: none), or a text. Never fails the test. */
void contact_run_scene(const char *scene, const char *set, const bl_run_options *options, contact_run *out);
void contact_run_text(const char *text, const char *set, const bl_run_options *options, contact_run *out);

/* A run that ended well, with an energy balance within `allowed`; else the test fails. */
void contact_expect(const contact_run *run, double allowed);
void contact_expect_close(const contact_run *run, const char *what, double a, double b, double allowed);
/* One event, at least, at each of these times, and none that begins with `kind` before the last of them elsewhere. */
void contact_expect_events(const contact_run *run, const char *kind, int n, const double *t, double allowed);
/* The sample at a time. */
const contact_sample *contact_at(const contact_run *run, double t);

/* Ways to compute a motion: every one that takes contacts, with the error that it may make in 1 s. */
typedef struct contact_way {
    const char *coordinates, *formulation, *integrator;
    double tolerance, step, allowed;
} contact_way;
extern const contact_way contact_ways[];
extern const int contact_nway;
bl_run_options contact_way_options(const contact_way *way, double until, const double *at, bl_index nat);

#endif
