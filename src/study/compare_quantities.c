/* Quantities that models of one mechanism have in common, and their differences.
 *
 * Positions and orientations are those of bodies relative to the given configuration, so they mean the same in all models; a joint has the
 * same variables and reactions if it is defined in the same way (order of bodies, axis). */
#include "study/compare_quantities.h"
#include "base/vector3.h"
#include "study/compare_private.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMPONENTS = 6, SHARE = 3 }; /* of a wrench; of its force or moment */

/* ---- which */

static void add(bl_traces *s, const char *name, const char *unit, bl_trace_what what, bl_compared_kind kind, bl_index index, int width) {
    if (!name)
        return;
    s->trace[s->n++] = (bl_trace){name, unit, (uint8_t)what, (uint8_t)kind, index, s->width, width};
    s->width += width;
}

static bl_compared_kind kind_of_variable(const bl_model *model, bl_index i) {
    if (model->equations || model->matrices || bl_model_of_meshes(model))
        return BL_COMPARED_SIGNAL;
    return model->variable[i].is_angle ? BL_COMPARED_ANGLE : BL_COMPARED_LENGTH;
}

static int order(const bl_trace *a, const bl_trace *b) {
    int kinds = (a->kind > b->kind) - (a->kind < b->kind), whats = (a->what > b->what) - (a->what < b->what);
    return kinds ? kinds : whats ? whats : strcmp(a->name, b->name);
}

static int order_of(const void *a, const void *b) { return order(*(const bl_trace *const *)a, *(const bl_trace *const *)b); }

static void list(const bl_model *model, bl_traces *s) {
    bl_index shown = 0;
    for (bl_index i = 0; i < model->nvariable; i++)
        add(s, model->variable[i].name, "", BL_TRACE_VARIABLE, kind_of_variable(model, i), i, 1);
    for (bl_index i = 0; i < model->nprobe; i++)
        add(s, model->probe[i].name, "", BL_TRACE_PROBE, BL_COMPARED_LENGTH, i, 3);
    for (bl_index b = 1; b < model->nbody; b++)
        if (model->body[b].what == BL_BODY_RIGID) {
            add(s, model->body[b].name, "", BL_TRACE_POSITION, BL_COMPARED_LENGTH, b - 1, 3);
            add(s, model->body[b].name, "", BL_TRACE_ORIENTATION, BL_COMPARED_ANGLE, b - 1, 4);
        }
    for (bl_index i = 0; i < model->nsignal; i++)
        if (!model->signal[i].hidden)
            add(s, model->signal[i].name, model->signal[i].unit ? model->signal[i].unit : "", BL_TRACE_SIGNAL, BL_COMPARED_SIGNAL, shown++,
                1);
    for (bl_index i = 0; i < model->nquantity; i++)
        add(s, model->quantity[i].name, model->quantity[i].unit, BL_TRACE_SIGNAL, BL_COMPARED_SIGNAL, shown++, 1);
    for (bl_index j = 0; j < model->njoint; j++)
        if (model->joint[j].body[0] >= 0) {
            add(s, model->joint[j].name, "", BL_TRACE_FORCE, BL_COMPARED_FORCE, j, 3);
            add(s, model->joint[j].name, "", BL_TRACE_MOMENT, BL_COMPARED_MOMENT, j, 3);
        }
}

bl_status bl_traces_create(bl_arena *arena, const bl_model *model, bl_index times, bl_traces *s) {
    size_t most = (size_t)model->nvariable + (size_t)model->nprobe + 2 * (size_t)model->nbody + (size_t)model->nsignal +
                  (size_t)model->nquantity + 2 * (size_t)model->njoint + 1;
    *s = (bl_traces){.model = model};
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(s->trace, most), BL_ARRAY(s->sorted, most), BL_ARRAY(s->left_out, model->njoint + 1)));
    list(model, s);
    for (bl_index i = 0; i < s->n; i++)
        s->sorted[i] = &s->trace[i];
    qsort(s->sorted, (size_t)s->n, sizeof *s->sorted, order_of);
    return BL_ARENA_NEW(arena, s->row, (size_t)times * (size_t)s->width + 1);
}

const bl_trace *bl_traces_find(const bl_traces *s, const bl_trace *like) {
    const bl_trace *const *found = s->n ? bsearch(&like, s->sorted, (size_t)s->n, sizeof *s->sorted, order_of) : NULL;
    return found ? *found : NULL;
}

/* ---- values */

static const double *value_in(const bl_sample *sample, const bl_trace *t) {
    size_t i = (size_t)t->index;
    switch ((bl_trace_what)t->what) {
    case BL_TRACE_VARIABLE: return sample->variable ? sample->variable + i : NULL;
    case BL_TRACE_PROBE: return sample->probe ? sample->probe + 3 * i : NULL;
    case BL_TRACE_POSITION: return sample->body ? sample->body[i].position : NULL;
    case BL_TRACE_ORIENTATION: return sample->body ? sample->body[i].quaternion : NULL;
    case BL_TRACE_SIGNAL: return sample->signal ? sample->signal + i : NULL;
    case BL_TRACE_FORCE: return sample->reaction ? sample->reaction[i].force : NULL;
    case BL_TRACE_MOMENT: return sample->reaction ? sample->reaction[i].moment : NULL;
    }
    return NULL;
}

/* components that a state of self-stress of the joints could change */
static bl_status find_undetermined(bl_context *ctx, bl_traces *s, const bl_sample *sample) {
    const bl_model *model = s->model;
    bl_measure m = {.model = model, .arena = {.ctx = ctx}, .nbody = model->nbody - 1, .njoint = model->njoint};
    double(*direction)[6][6];
    uint8_t *count;
    bl_pose *pose;
    bl_status status =
        BL_ARENA_ARRAYS(&m.arena, BL_ARRAY(direction, model->njoint), BL_ARRAY(count, model->njoint), BL_ARRAY(pose, model->nbody));
    m.length = m.force = m.moment = 1;
    if (status == BL_OK) {
        pose[0].quaternion[0] = 1;
        memcpy(pose + 1, sample->body, (size_t)m.nbody * sizeof *pose);
        status = bl_measure_stress(&m, pose, direction, count);
    }
    for (bl_index j = 0; status == BL_OK && j < model->njoint; j++)
        for (uint8_t i = 0; i < count[j]; i++)
            for (int k = 0; k < COMPONENTS; k++)
                if (fabs(direction[j][i][k]) > study_compare_component)
                    s->left_out[j] |= (uint8_t)(1 << k);
    bl_measure_destroy(&m);
    return status;
}

bl_status bl_traces_take(bl_context *ctx, bl_traces *s, const bl_sample *sample, bool stresses) {
    double *row = s->row + (size_t)s->ntime * (size_t)s->width;
    for (bl_index i = 0; i < s->n; i++) {
        const bl_trace *t = &s->trace[i];
        const double *value = value_in(sample, t);
        for (int k = 0; k < t->width; k++)
            row[t->at + k] = value ? value[k] : NAN;
    }
    s->ntime++;
    return stresses && s->model->njoint && sample->body && sample->reaction ? find_undetermined(ctx, s, sample) : BL_OK;
}

/* ---- sizes and differences */

static const double *row_of(const bl_traces *s, bl_index k, const bl_trace *t) { return s->row + (size_t)k * (size_t)s->width + t->at; }

/* of the components that are determined in both models */
static double apart(const bl_trace *t, const double *a, const double *b, uint8_t left_out) {
    double d[3] = {0};
    if (t->what == BL_TRACE_ORIENTATION)
        return bl_rotation_between(a, b);
    for (int k = 0; k < t->width; k++)
        d[k] = left_out >> (t->what == BL_TRACE_MOMENT ? SHARE + k : k) & 1 ? 0 : a[k] - b[k];
    return norm3(d);
}

/* diagonal of the box around all positions; without positions the largest distance, else 1 */
static double extent(const bl_traces *s, bl_index ntime, double largest) {
    double box[2][3] = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, diagonal[3];
    for (bl_index i = 0; i < s->n; i++)
        for (bl_index k = 0; k < ntime && (s->trace[i].what == BL_TRACE_PROBE || s->trace[i].what == BL_TRACE_POSITION); k++)
            for (int c = 0; c < 3; c++) {
                box[0][c] = fmin(box[0][c], row_of(s, k, &s->trace[i])[c]);
                box[1][c] = fmax(box[1][c], row_of(s, k, &s->trace[i])[c]);
            }
    for (int c = 0; c < 3; c++)
        diagonal[c] = fmax(box[1][c] - box[0][c], 0);
    double size = fmax(norm3(diagonal), largest);
    return size > 0 && isfinite(size) ? size : 1;
}

/* Positions and orientations are measured from the start, all others from zero. What is small compared with others of its kind, or zero,
 * is measured by these or by the size of the mechanism: its error is not in proportion to itself. Signals have units of their own. */
void bl_traces_scales(const bl_traces *s, bl_index ntime, double *scale) {
    static const double zero[4] = {0};
    double largest[BL_COMPARED_KINDS] = {0}, least[BL_COMPARED_KINDS] = {0};
    for (bl_index i = 0; i < s->n; i++) {
        const bl_trace *t = &s->trace[i];
        bool moved = t->what == BL_TRACE_PROBE || t->what == BL_TRACE_POSITION || t->what == BL_TRACE_ORIENTATION;
        const double *from = moved && ntime > 0 ? row_of(s, 0, t) : zero;
        scale[i] = 0;
        for (bl_index k = 0; k < ntime; k++)
            scale[i] = fmax(scale[i], apart(t, row_of(s, k, t), from, 0));
        largest[t->kind] = fmax(largest[t->kind], scale[i]);
    }
    double size = extent(s, ntime, largest[BL_COMPARED_LENGTH]), force = largest[BL_COMPARED_FORCE], moment = largest[BL_COMPARED_MOMENT];
    least[BL_COMPARED_LENGTH] = fmax(study_compare_small * largest[BL_COMPARED_LENGTH], study_compare_nothing * size);
    least[BL_COMPARED_ANGLE] = fmax(study_compare_small * largest[BL_COMPARED_ANGLE], study_compare_nothing);
    least[BL_COMPARED_FORCE] = study_compare_small * fmax(force, moment / size);
    least[BL_COMPARED_MOMENT] = study_compare_small * fmax(moment, force * size);
    for (bl_index i = 0; i < s->n; i++)
        scale[i] = fmax(scale[i], least[s->trace[i].kind]);
}

/* A revolution more or less is no difference of orientation, but one of an angle between bodies: variables count revolutions. */
void bl_traces_compare(const bl_traces *reference, const bl_trace *a, const bl_traces *other, const bl_trace *b, const double *time,
                       bl_index ntime, bl_compared *found) {
    bool reaction = a->what == BL_TRACE_FORCE || a->what == BL_TRACE_MOMENT;
    uint8_t left_out = reaction ? reference->left_out[a->index] | other->left_out[b->index] : 0;
    uint8_t all = a->what == BL_TRACE_FORCE ? 7 : 7 << SHARE;
    double own = 0;
    found->difference = found->time = NAN;
    for (bl_index k = 0; k < ntime && !(reaction && (left_out & all) == all); k++) {
        const double *x = row_of(reference, k, a), *y = row_of(other, k, b);
        double d = apart(a, x, y, left_out);
        own = fmax(own, apart(a, y, (double[4]){0}, left_out));
        if (isfinite(d) && !(d <= found->difference)) {
            found->difference = d;
            found->time = time[k];
        }
    }
    if (found->scale <= 0) /* the reference has no such values at all */
        found->scale = own;
    found->relative = found->difference == 0 ? 0 : found->difference / found->scale;
}
