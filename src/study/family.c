/* Systems of one model over one of its parameters (family.h). */
#include "study/family.h"

#include "signal/signal.h"

#include "coords/coords.h"

#include <string.h>

bl_status bl_family_open(bl_context *ctx, const bl_model *model, const char *parameter, const bl_place *place, bl_family *family) {
    *family = (bl_family){.ctx = ctx, .model = model, .parameter = bl_model_parameter(model, parameter)};
    if (family->parameter < 0) {
        const char *names[64];
        size_t count = 0;
        for (; count < 64 && (bl_index)count < model->nparameter; count++)
            names[count] = model->parameter[count].name;
        bl_fail(ctx, place ? BL_E_MODEL : BL_E_ARG, place, "the model has no parameter '%s'", parameter);
        const char *nearest = bl_nearest(parameter, names, count);
        if (nearest)
            bl_advise(ctx, "did you mean '%s'?", nearest);
        else
            bl_advise(ctx, "a path varies a number of the model: define it under `parameters:` and use it as =%s", parameter);
        return place ? BL_E_MODEL : BL_E_ARG;
    }
    const bl_parameter *p = &model->parameter[family->parameter];
    if (!p->use) {
        bl_fail(ctx, BL_E_MODEL, &p->place, "nothing depends on parameter '%s'", parameter);
        bl_advise(ctx, "use it in the model, for example as a load: force: [0, =-%s]", parameter);
        return BL_E_MODEL;
    }
    if (p->use & BL_PARAMETER_IN_SHAPE)
        return bl_fail(ctx, BL_E_ABILITY, &p->place,
                       "parameter '%s' is a count and determines the structure of the model: it cannot vary along a path", parameter);
    family->laws = p->use == BL_PARAMETER_IN_LAWS;
    family->held = (bl_held){.what = BL_HELD_PARAMETER, .ref = family->parameter, .value = p->value};
    return BL_OK;
}

static bool same_pattern(const bl_pattern *a, const bl_pattern *b) {
    if (!a->ptr || !b->ptr)
        return !a->ptr == !b->ptr;
    return a->ncol == b->ncol && a->nrow == b->nrow && memcmp(a->ptr, b->ptr, (size_t)(a->ncol + 1) * sizeof *a->ptr) == 0 &&
           memcmp(a->idx, b->idx, (size_t)a->ptr[a->ncol] * sizeof *a->idx) == 0;
}

/* whether a state of one is a state of the other */
static bool same(const bl_system *a, const bl_system *b) {
    if (a->nq != b->nq || a->nv != b->nv || a->nz != b->nz || a->np != b->np || a->history_bytes != b->history_bytes)
        return false;
    for (bl_index i = 0; i < a->np; i++)
        if (a->row[i].what != b->row[i].what || a->row[i].owner != b->row[i].owner || a->row[i].part != b->row[i].part)
            return false;
    for (bl_index j = 0; j < a->nv; j++)
        if (a->col[j].what != b->col[j].what || a->col[j].owner != b->col[j].owner || a->col[j].part != b->col[j].part)
            return false;
    return same_pattern(&a->pat_G, &b->pat_G);
}

static bl_status make(const bl_family *family, double value, bl_family_member *m) {
    bl_context *ctx = family->ctx;
    const char *name = family->model->parameter[family->parameter].name;
    BL_TRY(bl_model_revalue(ctx, family->model, &(bl_override){name, value}, 1, &m->model));
    const bl_model *model = m->model;
    if (family->ask.nhold > 0) {
        BL_TRY(bl_model_vary(ctx, m->model, &family->ask, &m->varied));
        model = m->varied;
    }
    BL_TRY(bl_signal_build(ctx, model, family->coordinates, &family->held, 1, &m->sys));
    m->sys->closure = family->closure;
    if (family->first && family->first->nfield > 0)
        BL_TRY(bl_signal_choose_fields(m->sys, family->fields));
    if (family->first && !same(family->first, m->sys)) {
        bl_fail(ctx, BL_E_NUMERIC, NULL, "at %s = %.9g the coordinates or equations of the mechanism are different from those at the start",
                name, value);
        bl_advise(ctx, "different points coincide, or other bodies have no mass there: end the path before this value, or try "
                       "--coordinates reference");
        return BL_E_NUMERIC;
    }
    if (m->sys->kind->patterns)
        BL_TRY(m->sys->kind->patterns(m->sys, BL_KC));
    return BL_OK;
}

bl_status bl_family_make(const bl_family *family, double value, bl_family_member *member) {
    *member = (bl_family_member){.value = value};
    bl_log_pause(family->ctx, true);
    bl_status status = make(family, value, member);
    bl_log_pause(family->ctx, false);
    if (status != BL_OK)
        bl_family_free(family, member);
    return status;
}

void bl_family_free(const bl_family *family, bl_family_member *member) {
    (void)family;
    bl_system_destroy(member->sys);
    bl_model_unvary(member->varied);
    bl_model_destroy(member->model);
    *member = (bl_family_member){0};
}
