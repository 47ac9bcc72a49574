/* Quantities: named expressions that results show beside the signals (`quantities: {deflection: "=middle.y - 0.1"}`). They are evaluated at
 * samples alone, from what samples hold, so they do not influence the motion and may use probes on meshes. */
#include "model/reader.h"

#include <stdio.h>
#include <string.h>

static bl_status check_name(bl_reader *r, const char *name, const bl_place *place) {
    BL_TRY(bl_symbols_reserved(r, name, "a quantity", place));
    BL_TRY(bl_signals_free_name(r, name, "a quantity", place));
    for (bl_index i = 0; i < r->model->nquantity; i++)
        if (strcmp(r->model->quantity[i].name, name) == 0)
            return bl_fail(r->ctx, BL_E_MODEL, place, "there are two quantities '%s' (the first one is in line %d)", name,
                           r->model->quantity[i].place.line);
    return BL_OK;
}

/* delays and the like keep numbers during the run, which samples do not show */
static bl_status check_law(bl_reader *r, const bl_quantity_def *q) {
    const bl_law *law = q->law >= 0 ? &r->model->law[q->law] : NULL;
    for (bl_index i = 0; law && i < law->ninput; i++)
        if (law->input[i].what == BL_SYM_SIGNAL && r->model->signal[law->input[i].ref].hidden) {
            bl_fail(r->ctx, BL_E_MODEL, &q->place, "quantity '%s' uses a function with a memory, which samples do not show", q->name);
            bl_advise(r->ctx, "make it the output of a controller: `controllers: [{name: %.60s, output: ...}]`", q->name);
            return BL_E_MODEL;
        }
    return BL_OK;
}

static bl_status add(bl_reader *r, const char *name, const bl_place *place, const bl_item *value, void *user) {
    static const char *const keys[] = {"name", "value", "unit"};
    bl_model *model = r->model;
    bl_quantity_def *q = &model->quantity[model->nquantity];
    char what[128];
    (void)user;
    snprintf(what, sizeof what, "quantity '%.80s'", name);
    BL_TRY(check_name(r, name, place));
    *q = (bl_quantity_def){.name = name, .place = *place, .unit = "", .law = -1};
    r->part = name;
    if (value->kind == BL_ITEM_MAP) {
        const bl_item *unit = bl_item_get(value, "unit"), *expression;
        BL_TRY(bl_item_keys(r, value, what, keys, sizeof keys / sizeof *keys, NULL));
        BL_TRY(bl_item_need(r, value, what, "value", &expression));
        if (unit && !bl_item_null(unit))
            BL_TRY(bl_item_keep(r, unit, "unit", &q->unit));
        value = expression;
    }
    BL_TRY(bl_laws_read(r, value, what, BL_USE_TIME | BL_USE_STATE, &q->law, &q->value));
    BL_TRY(check_law(r, q));
    r->part = NULL;
    model->nquantity++;
    return BL_OK;
}

bl_status bl_quantities_refuse(bl_reader *r) {
    const bl_item *item = bl_section_last(r, "quantities");
    if (!item || bl_item_null(item))
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, &item->place, "'quantities' can only be used in models with bodies and joints");
    if (r->equations)
        bl_advise(r->ctx, "an algebraic state has the value of an expression: {name: a, algebraic: \"=expression - a\"}");
    return BL_E_MODEL;
}

bl_status bl_read_quantities(bl_reader *r) {
    bl_index n;
    BL_TRY(bl_named_count(r, "quantities", &n));
    BL_TRY(BL_ARENA_NEW(&r->model->arena, r->model->quantity, n));
    return bl_named_each(r, "quantities", add, NULL);
}
