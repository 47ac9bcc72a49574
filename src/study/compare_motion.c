/* compare: hands the compared motions to sinks of the caller. */
#include "base/sized.h"
#include "study/compare_private.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_BETWEEN = 40 }; /* samples between successive comparison times: at most 2000 per motion */

/* sample times at the output interval of a run, within bounds, including the comparison times */
bl_status bl_compare_sampling(bl_comparison *c) {
    double apart = c->middle.until / BL_COMPARE_INTERVALS;
    int between = (int)fmin(fmax(ceil(apart / c->middle.every - study_same_time), 1), MOST_BETWEEN), n = BL_COMPARE_INTERVALS * between;
    double *t;
    BL_TRY(BL_ARENA_NEW(c->arena, t, n + 1));
    for (int k = 0; k <= n; k++) /* records search for exactly the values of c->time */
        t[k] = k % between == 0 ? c->time[k / between] : c->middle.until * k / n;
    c->sampled = t;
    c->nsampled = n + 1;
    return BL_OK;
}

/* ---- a sink between the run and the sink of the caller, which measures the time spent in the latter */

static bl_motion *timed(void *user) {
    bl_motion *m = user;
    m->since = bl_clock_seconds();
    return m;
}

static bl_status passed(bl_motion *m, bl_status status) {
    m->seconds += bl_clock_seconds() - m->since;
    if (m->status == BL_OK)
        m->status = status;
    return status;
}

static bl_status pass_begin(void *user, const bl_run_info *info) {
    bl_motion *m = timed(user);
    return passed(m, m->to.begin ? m->to.begin(m->to.user, info) : BL_OK);
}

static bl_status pass_sample(void *user, const bl_sample *sample) {
    bl_motion *m = timed(user);
    return passed(m, m->to.sample ? m->to.sample(m->to.user, sample) : BL_OK);
}

static bl_status pass_step(void *user, const bl_step *step) {
    bl_motion *m = timed(user);
    return passed(m, m->to.step ? m->to.step(m->to.user, step) : BL_OK);
}

static bl_status pass_event(void *user, const bl_event_mark *event) {
    bl_motion *m = timed(user);
    return passed(m, m->to.event ? m->to.event(m->to.user, event) : BL_OK);
}

/* the run has stopped its clock already */
static bl_status pass_end(void *user, const bl_run_summary *summary) {
    bl_motion *m = user;
    bl_status status = m->to.end ? m->to.end(m->to.user, summary) : BL_OK;
    if (m->status == BL_OK)
        m->status = status;
    return status;
}

/* The caller may assign a struct of a later version, which is larger: there is room for it. */
bl_status bl_motion_begin(bl_motion *motion, const bl_compare_motions *motions, bl_context *ctx, const bl_run_options *options) {
    union {
        bl_sink sink;
        char room[8 * sizeof(bl_sink)];
    } given;
    memset(&given, 0, sizeof given);
    given.sink.size = sizeof given.sink;
    bl_status status = motions->begin(motions->user, ctx, options, &given.sink);
    bl_status taken = BL_TAKE(ctx, bl_sink, &given.sink, &motion->to);
    if (taken != BL_OK)
        bl_sink_destroy(&given.sink);
    return status == BL_OK ? taken : status;
}

bl_sink bl_motion_sink(bl_motion *motion) {
    return (bl_sink){.size = sizeof(bl_sink),
                     .user = motion,
                     .begin = pass_begin,
                     .sample = pass_sample,
                     .end = pass_end,
                     .want = motion->to.want,
                     .step = pass_step,
                     .event = pass_event};
}
