/* Steppers that go on from another state: snapshots, copies, the start. The simulation is created anew there, so that the motion depends on
 * the state alone and not on how it was reached. */
#include "study/stepper_private.h"

#include "base/hash.h"
#include "base/sized.h"
#include "model/variant.h"
#include "study/modes_private.h"

#include <math.h>
#include <string.h>

/* ---- the simulation anew */

bl_status bl_stepper_begin(bl_stepper *s, const bl_state *state) {
    bl_simulation *sim;
    bl_run_summary counted = {0};
    double energy_start = s->sim->energy_start, t = *state->t; /* the state may be that of the present simulation */
    long spans = (long)fmax(floor(t / s->span), 0) + 1;
    s->setup.t_end = (double)spans * s->span;
    s->setup.h_max = 0.1 * s->span; /* as at the start */
    s->momentum.begun = false;
    bl_status status = bl_simulation_create(s->sys, state, &s->setup, &sim);
    s->momentum.begun = s->momentum.begun && status == BL_OK;
    BL_TRY(status);
    memcpy(sim->state.armed, state->armed, (size_t)s->sys->nevent); /* which events are at zero is known only from the motion */
    sim->energy_start = energy_start;
    bl_simulation_summary(s->sim, &counted);
    bl_stepper_add_counts(&s->past, &counted);
    bl_simulation_destroy(s->sim);
    s->sim = sim;
    s->spans = spans;
    s->t = t;
    return BL_OK;
}

bl_status bl_stepper_reset(bl_stepper *s) {
    s->sim->energy_start = s->energy_start;
    if (s->misfit)
        memcpy(s->sys->misfit, s->misfit, (size_t)s->sys->np * sizeof *s->misfit);
    return bl_stepper_begin(s, &s->start);
}

/* ---- snapshots: a head, the block of the state, the misfit of constraint equations if the system has one */

typedef struct snapshot_head {
    char mark[8];
    uint64_t of;    /* model, parameters, coordinates, version */
    uint64_t bytes; /* of everything */
    uint64_t sum;   /* of everything behind the head */
    double energy_start;
} snapshot_head;

static const char snapshot_mark[8] = "bielaS1";

static uint64_t hash_bytes(uint64_t key, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        key = bl_hash_mix(key, at[i]);
    return key;
}

/* what a state belongs to */
static uint64_t identity(const bl_stepper *s) {
    const bl_model *model = s->run.model;
    const bl_system *sys = s->sys;
    const bl_index sizes[] = {sys->nq, sys->nv, sys->nz, sys->np, sys->nu, sys->nevent, (bl_index)sys->history_bytes};
    uint64_t key = hash_bytes(bl_hash_text(BIELA_VERSION), model->source, model->source_bytes);
    for (bl_index i = 0; i < model->nparameter; i++)
        key = bl_hash_number(key, model->parameter[i].value);
    key = hash_bytes(key, s->run.options.coordinates, strlen(s->run.options.coordinates));
    key = bl_hash_number(key, s->run.options.closure);
    return hash_bytes(key, sizes, sizeof sizes);
}

static size_t misfit_bytes(const bl_stepper *s) { return s->sys->misfit ? (size_t)s->sys->np * sizeof(double) : 0; }

static size_t snapshot_bytes(const bl_stepper *s) { return sizeof(snapshot_head) + s->sim->state.bytes + misfit_bytes(s); }

static void write_snapshot(const bl_stepper *s, unsigned char *to) {
    const bl_state *state = &s->sim->state;
    snapshot_head head = {.of = identity(s), .bytes = snapshot_bytes(s), .energy_start = s->sim->energy_start};
    memcpy(head.mark, snapshot_mark, sizeof head.mark);
    unsigned char *body = to + sizeof head;
    memcpy(body, state->block, state->bytes);
    if (misfit_bytes(s))
        memcpy(body + state->bytes, s->sys->misfit, misfit_bytes(s));
    head.sum = hash_bytes(BL_HASH_START, body, head.bytes - sizeof head);
    memcpy(to, &head, sizeof head);
}

bl_status bl_stepper_save(bl_stepper *s, void *bytes, size_t *count) {
    if (!count)
        return bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_save needs a pointer that receives the number of bytes");
    size_t need = snapshot_bytes(s), room = *count;
    *count = need;
    if (!bytes)
        return BL_OK;
    if (room < need)
        return bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_save: the snapshot has %zu bytes, there is room for %zu", need, room);
    BL_TRY(bl_simulation_cut(s->sim, s->t));
    write_snapshot(s, bytes);
    return bl_stepper_begin(s, &s->sim->state);
}

static bl_status check_snapshot(const bl_stepper *s, const void *bytes, size_t count, snapshot_head *head) {
    bl_context *ctx = s->run.ctx;
    if (!bytes || count < sizeof *head)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_stepper_restore: %zu bytes are too few for a snapshot", bytes ? count : 0);
    memcpy(head, bytes, sizeof *head);
    if (memcmp(head->mark, snapshot_mark, sizeof head->mark) != 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_stepper_restore: these bytes are not a snapshot, or one of another version of biela");
    if (head->of != identity(s)) {
        bl_fail(ctx, BL_E_ARG, NULL, "bl_stepper_restore: the snapshot belongs to another model than '%s'", s->run.model->name);
        bl_advise(ctx, "model text, parameters, coordinates and version of biela must be those of the stepper that saved it");
        return BL_E_ARG;
    }
    const unsigned char *body = (const unsigned char *)bytes + sizeof *head;
    if (head->bytes != snapshot_bytes(s) || count < head->bytes || head->sum != hash_bytes(BL_HASH_START, body, head->bytes - sizeof *head))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_stepper_restore: the snapshot is damaged");
    return BL_OK;
}

static bl_status restore(bl_stepper *s, const snapshot_head *head, const unsigned char *body, bl_state *state, double *misfit) {
    memcpy(state->block, body, state->bytes);
    double energy_start = s->sim->energy_start;
    if (misfit) { /* those of the present motion are put back after a failure */
        memcpy(misfit, s->sys->misfit, misfit_bytes(s));
        memcpy(s->sys->misfit, body + state->bytes, misfit_bytes(s));
    }
    s->sim->energy_start = head->energy_start;
    bl_status status = bl_stepper_begin(s, state);
    if (status != BL_OK) {
        s->sim->energy_start = energy_start;
        if (misfit)
            memcpy(s->sys->misfit, misfit, misfit_bytes(s));
    }
    return status;
}

bl_status bl_stepper_restore(bl_stepper *s, const void *bytes, size_t count) {
    snapshot_head head;
    bl_state state = {0};
    double *misfit = NULL;
    BL_TRY(check_snapshot(s, bytes, count, &head));
    BL_TRY(bl_state_create(s->sys, 0, &state));
    bl_status status = misfit_bytes(s) ? BL_NEW(s->run.ctx, misfit, (size_t)s->sys->np) : BL_OK;
    if (status == BL_OK)
        status = restore(s, &head, (const unsigned char *)bytes + sizeof head, &state, misfit);
    bl_free(s->run.ctx, misfit);
    bl_state_destroy(s->sys, &state);
    return status;
}

/* ---- copies */

static bl_status copy_state(bl_stepper *s, bl_stepper *to) {
    unsigned char *bytes;
    size_t count;
    BL_TRY(bl_stepper_save(s, NULL, &count));
    BL_TRY(BL_NEW(to->run.ctx, bytes, count));
    bl_status status = bl_stepper_save(s, bytes, &count);
    if (status == BL_OK)
        status = bl_stepper_restore(to, bytes, count);
    bl_free(to->run.ctx, bytes);
    return status;
}

bl_status bl_stepper_copy(bl_stepper *s, bl_context *ctx, bl_stepper **copy) {
    bl_model *own = NULL;
    if (!ctx || !copy)
        return bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_copy needs a context and a pointer that receives the copy");
    *copy = NULL;
    if (s->revalued)
        BL_TRY(bl_model_revalue(ctx, s->revalued, NULL, 0, &own));
    bl_status status = bl_stepper_create(ctx, own ? own : s->given, &s->asked, copy);
    if (status != BL_OK) {
        bl_model_destroy(own);
        return status;
    }
    (*copy)->revalued = own;
    (*copy)->given = s->given;
    status = copy_state(s, *copy);
    if (status != BL_OK) {
        bl_stepper_destroy(*copy);
        *copy = NULL;
    }
    return status;
}

/* ---- linearized */

bl_status bl_stepper_linearize(bl_stepper *s, const bl_modes_options *options, bl_modes_report *report) {
    bl_modes_options at;
    bl_modes_report made = {.size = sizeof made};
    const bl_state *state;
    if (!report)
        return bl_fail(s->run.ctx, BL_E_ARG, NULL, "bl_stepper_linearize needs a report");
    BL_TRY(BL_TAKE(s->run.ctx, bl_modes_options, options, &at));
    BL_TRY(BL_FITS(s->run.ctx, bl_modes_report, report));
    at.coordinates = s->run.options.coordinates;
    at.closure = s->run.options.closure;
    BL_TRY(bl_simulation_state(s->sim, s->t, &state));
    bl_status status = bl_modes_at_state(s->run.ctx, s->run.model, &at, state, &made);
    BL_GIVE(bl_modes_report, report, &made);
    return status;
}
