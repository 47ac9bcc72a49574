/* Equilibria from many starts (equilibrium_starts.h). */
#include "study/equilibrium_starts.h"

#include "study/motion_names.h"
#include "study/statics_limits.h"
#include "study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TURN = 6.283185307179586;

typedef struct bl_starts_found {
    bl_state state;
    bl_pose *pose; /* [nbody] */
    double energy;
    bl_equilibrium_summary summary;
} found;

/* ---- starts */

/* a pseudorandom number in [-1/2, 1/2) that depends only on the two counters (finalizer of splitmix64) */
static double random_number(uint64_t start, uint64_t entry) {
    uint64_t x = (start << 32) + entry + 0x9e3779b97f4a7c15u * (start + 1);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-53 - 0.5;
}

static bool is_driven(const bl_model *model, bl_index variable) {
    for (bl_index d = 0; d < model->ndriver; d++)
        if (model->driver[d].variable == variable)
            return true;
    return false;
}

/* guesses for all variables, and for bodies without joints; entry[nvariable + 2 nbody] */
static bl_index draw(const bl_model *model, const double *value, bl_index start, double size, bl_initial *entry) {
    bl_index n = 0;
    uint64_t k = 0;
    for (bl_index i = 0; i < model->nvariable; i++) {
        double by = random_number((uint64_t)start, k++) * (model->variable[i].is_angle ? TURN : 2 * size);
        if (!is_driven(model, i))
            entry[n++] = (bl_initial){.what = BL_INITIAL_VARIABLE, .guess = true, .ref = i, .value = {value[i] + by}};
    }
    for (bl_index b = 1; b < model->nbody; b++) {
        bool held = false;
        for (bl_index j = 0; j < model->njoint; j++)
            held = held || model->joint[j].body[0] == b || model->joint[j].body[1] == b;
        bl_initial position = {.what = BL_INITIAL_POSITION, .guess = true, .ref = b, .mark = {.body = b}};
        bl_initial turn = {.what = BL_INITIAL_ORIENTATION, .guess = true, .ref = b, .mark = {.body = b}};
        for (int c = 0; c < 3; c++) {
            bool plane = model->dim == 2;
            position.value[c] = model->body[b].center[c] + (plane && c == 2 ? 0 : 2 * size * random_number((uint64_t)start, k++));
            turn.value[c] = plane && c < 2 ? 0 : TURN / 2 * random_number((uint64_t)start, k++);
        }
        if (!held) {
            entry[n++] = position;
            entry[n++] = turn;
        }
    }
    return n;
}

/* positive: it cannot be assembled */
static bl_status assemble(const bl_system *sys, const bl_model *model, const bl_initial *entry, bl_index n, bl_state *state) {
    bl_model *variant;
    BL_TRY(bl_model_vary(sys->ctx, model, &(bl_variant_ask){.initial = entry, .ninitial = n, .begin = true}, &variant));
    bl_log_pause(sys->ctx, true);
    bl_status status = bl_coords_initial(sys, state);
    if (status == BL_OK)
        status = bl_assemble_positions(sys, variant, state);
    bl_log_pause(sys->ctx, false);
    bl_model_unvary(variant);
    if (status != BL_E_NUMERIC)
        return status;
    bl_context_clear_error(sys->ctx);
    return BL_NO_CONVERGENCE;
}

/* ---- equilibria found */

static double between(const bl_pose *a, const bl_pose *b, bl_index nbody, double size) {
    double most = 0;
    for (bl_index i = 1; i < nbody; i++) {
        double along = 0;
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(a[i].position[k] - b[i].position[k]) / size);
        for (int k = 0; k < 4; k++)
            along += a[i].quaternion[k] * b[i].quaternion[k];
        most = fmax(most, sqrt(fmax(0, 2 - 2 * fabs(along)))); /* about half the angle between them */
    }
    return most;
}

static bool is_same(const found *a, const found *b, bl_index nbody, double size, double energies) {
    if (between(a->pose, b->pose, nbody, size) <= study_same_equilibrium)
        return true;
    return a->summary.neutral > 0 && b->summary.neutral > 0 && a->summary.unstable == b->summary.unstable &&
           fabs(a->energy - b->energy) <= study_same_energy * energies;
}

static bl_status describe(bl_statics *s, found *f) {
    const bl_system *sys = s->sys;
    BL_TRY(BL_NEW(s->ctx, f->pose, sys->nbody));
    BL_TRY(bl_state_create(sys, 0, &f->state));
    bl_state_copy(sys, &f->state, &s->kept);
    bl_eval_at(&s->eval, &s->kept);
    BL_TRY(bl_system_eval(sys, &s->eval, BL_POSE | (sys->can & BL_CAN_ENERGY ? BL_ENERGY : 0)));
    memcpy(f->pose, s->eval.pose, (size_t)sys->nbody * sizeof *f->pose);
    f->energy = sys->can & BL_CAN_ENERGY ? s->eval.potential : 0;
    f->summary = s->found;
    return BL_OK;
}

static void forget(bl_statics *s, found *f) {
    bl_state_destroy(s->sys, &f->state);
    bl_free(s->ctx, f->pose);
    *f = (found){0};
}

/* adds the kept state, in the order of energies, or counts it as known */
static bl_status keep(bl_starts *starts, bl_statics *s, double size, long *merged) {
    found f = {0};
    BL_TRY(BL_RESERVE(s->ctx, starts->found, starts->room, starts->nfound + 1));
    bl_status status = describe(s, &f);
    double energies = fabs(f.energy);
    for (bl_index k = 0; status == BL_OK && k < starts->nfound; k++)
        energies = fmax(energies, fabs(starts->found[k].energy));
    for (bl_index k = 0; status == BL_OK && k < starts->nfound; k++)
        if (is_same(&starts->found[k], &f, s->sys->nbody, size, energies)) {
            ++*merged;
            forget(s, &f);
            return BL_OK;
        }
    if (status != BL_OK) {
        forget(s, &f);
        return status;
    }
    bl_index at = starts->nfound++;
    for (; at > 0 && starts->found[at - 1].energy > f.energy + study_same_energy * energies; at--)
        starts->found[at] = starts->found[at - 1];
    starts->found[at] = f;
    return BL_OK;
}

/* ---- the search */

typedef struct hunt {
    const bl_model *model;
    double size;
    double *value; /* [nvariable] at the first start */
    bl_initial *entry;
    bl_error first;    /* error of the first start that failed */
    bl_index first_at; /* which one; 0: the start of the model, others are random */
    long closed, failed, merged;
    bl_starts_progress *progress;
    void *user;
} hunt;

/* start k, given as a state */
static bl_status settle(bl_starts *starts, bl_statics *s, hunt *h, bl_index k, const bl_state *start) {
    long before = s->found.iterations;
    bl_statics_restart(s, start);
    s->found = (bl_equilibrium_summary){.size = sizeof s->found, .t = NAN, .unstable = -1, .softest = NAN, .conservative = true};
    bl_status status = bl_statics_first(s);
    s->found.iterations += before; /* of all starts; a message has those of its own */
    if (status == BL_OK)
        return keep(starts, s, h->size, &h->merged);
    if (status != BL_E_NUMERIC)
        return status;
    if (h->failed++ == 0) {
        h->first = *bl_context_error(s->ctx);
        h->first_at = k;
    }
    bl_context_clear_error(s->ctx);
    return BL_OK;
}

static bl_status read_values(bl_statics *s, const bl_state *first, double *value) {
    bl_eval_at(&s->eval, first);
    BL_TRY(bl_system_eval(s->sys, &s->eval, BL_VARIABLES));
    memcpy(value, s->eval.variable, (size_t)s->sys->nvariable * sizeof *value);
    return BL_OK;
}

static bl_status run(bl_starts *starts, bl_statics *s, hunt *h, const bl_state *first, bl_state *start, bl_index count) {
    BL_TRY(read_values(s, first, h->value));
    BL_TRY(settle(starts, s, h, 0, first));
    for (bl_index k = 1; k <= count; k++) {
        BL_TRY(bl_go_on(s->ctx));
        h->progress(h->user, k - 1);
        bl_state_copy(s->sys, start, first);
        bl_index n = draw(h->model, h->value, k, h->size, h->entry);
        bl_status status = assemble(s->sys, h->model, h->entry, n, start);
        if (status > 0 && status != BL_STOPPED)
            continue;
        BL_TRY(status);
        h->closed++;
        BL_TRY(settle(starts, s, h, k, start));
    }
    return BL_OK;
}

bl_status bl_starts_search(bl_starts *starts, bl_statics *s, const bl_model *model, const bl_state *first, bl_index count,
                           bl_starts_progress *progress, void *user) {
    hunt h = {.model = model, .progress = progress, .user = user};
    bl_state start = {0};
    if (model->nbody < 2)
        return bl_fail(s->ctx, BL_E_ABILITY, NULL, "random starts need bodies: this model has none");
    h.size = bl_model_size(model);
    bl_status status = BL_NEW(s->ctx, h.value, model->nvariable);
    if (status == BL_OK)
        status = BL_NEW(s->ctx, h.entry, model->nvariable + 2 * model->nbody);
    if (status == BL_OK)
        status = bl_state_create(s->sys, 0, &start);
    if (status == BL_OK)
        status = run(starts, s, &h, first, &start, count);
    bl_state_destroy(s->sys, &start);
    bl_free(s->ctx, h.value);
    bl_free(s->ctx, h.entry);
    if (status == BL_OK && starts->nfound == 0) {
        bl_fail(s->ctx, BL_E_NUMERIC, NULL, "none of %d starts led to an equilibrium; the start of the model fails with: %.300s",
                (int)count + 1, h.first.what);
        bl_advise(s->ctx, "%s", h.first.advice);
        status = BL_E_NUMERIC;
    }
    for (bl_index k = 0; k < starts->nfound; k++) {
        bl_equilibrium_summary *of = &starts->found[k].summary;
        of->starts = count;
        of->closed = h.closed;
        of->merged = h.merged;
        of->found = starts->nfound;
    }
    if (status == BL_OK && h.closed < count)
        bl_warn(s->ctx, NAN, NULL, "%ld of %d starts could not be assembled", (long)count - h.closed, (int)count);
    if (status == BL_OK && h.failed > 0 && h.first_at == 0)
        bl_warn(s->ctx, NAN, NULL, "%ld of %ld starts led to no equilibrium, also the start of the model, which fails with: %.200s",
                h.failed, h.closed + 1, h.first.what);
    else if (status == BL_OK && h.failed > 0)
        bl_warn(s->ctx, NAN, NULL, "%ld of %ld starts led to no equilibrium; random start %d, the first of them, fails with: %.200s",
                h.failed, h.closed + 1, (int)h.first_at, h.first.what);
    return status;
}

bl_status bl_starts_show(const bl_starts *starts, bl_statics *s, bl_index k) {
    long iterations = s->found.iterations;
    bl_state_copy(s->sys, &s->kept, &starts->found[k].state);
    bl_state_copy(s->sys, &s->state, &s->kept);
    s->found = starts->found[k].summary;
    s->found.iterations = iterations;
    s->symmetric = s->found.conservative;
    return BL_OK;
}

void bl_starts_free(bl_starts *starts, bl_statics *s) {
    for (bl_index k = 0; s && k < starts->nfound; k++)
        forget(s, &starts->found[k]);
    if (s)
        bl_free(s->ctx, starts->found);
    *starts = (bl_starts){0};
}
