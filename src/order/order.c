/* Orderings by name, and the storage they fill. */
#include "order/order.h"

#include <string.h>

#define BL_KIND(name) &bl_order_##name,
const bl_order_kind *const bl_order_kinds[] = {
#include "order/order_list.h"
};
#undef BL_KIND
const size_t bl_order_kind_count = sizeof bl_order_kinds / sizeof bl_order_kinds[0];

#define BL_KIND(name) &bl_order_##name.kind,
static const bl_kind *const names[] = {
#include "order/order_list.h"
};
#undef BL_KIND

bl_status bl_order_find(bl_context *ctx, const char *spec, const bl_order_kind **kind, const char **options) {
    const bl_kind *found;
    BL_TRY(bl_kind_find(ctx, "ordering", names, bl_order_kind_count, spec, &found, options));
    for (size_t i = 0; i < bl_order_kind_count; i++)
        if (names[i] == found)
            *kind = bl_order_kinds[i];
    return BL_OK;
}

static bl_status identity(bl_context *ctx, bl_index n, bl_index **order) {
    BL_TRY(BL_NEW(ctx, *order, n));
    for (bl_index i = 0; i < n; i++)
        (*order)[i] = i;
    return BL_OK;
}

bl_status bl_order_run(bl_order_input *in, const char *spec, bl_ordering *out) {
    bl_context *ctx = in->ctx;
    const bl_pattern *pattern = in->pattern;
    const bl_order_kind *kind = NULL;
    const char *options;
    memset(out, 0, sizeof *out);
    BL_TRY(bl_order_find(ctx, spec, &kind, &options));
    if (pattern->nrow != pattern->ncol && !(kind->kind.gives & BL_ORDER_RECTANGULAR))
        return bl_fail(ctx, BL_E_ABILITY, NULL, "%s orders square matrices, not %d x %d", kind->kind.name, pattern->nrow, pattern->ncol);
    out->nrow = pattern->nrow;
    out->ncol = pattern->ncol;
    bl_arena arena = {.ctx = ctx};
    in->arena = &arena;
    bl_status status = bl_kind_options(ctx, &arena, &kind->kind, options, in->value);
    if (status == BL_OK)
        status = identity(ctx, pattern->nrow, &out->row);
    if (status == BL_OK)
        status = identity(ctx, pattern->ncol, &out->col);
    if (status == BL_OK)
        status = kind->order(in, out);
    bl_arena_destroy(&arena);
    in->arena = NULL;
    return status;
}

bl_status bl_order_pattern(bl_context *ctx, const char *spec, const bl_pattern *pattern, bl_ordering *out) {
    bl_order_input in = {.ctx = ctx, .pattern = pattern};
    return bl_order_run(&in, spec, out);
}

bl_status bl_ordering_flatten(bl_context *ctx, bl_ordering *o) {
    if (o->npart == 0)
        return BL_OK;
    bl_ordering flat = *o;
    bl_index position = 0, k = 0;
    flat.row = flat.col = flat.block = flat.part = flat.border_start = NULL;
    flat.npart = 0;
    bl_status status = BL_NEW(ctx, flat.row, o->ncol);
    if (status == BL_OK)
        status = BL_NEW(ctx, flat.col, o->ncol);
    if (status == BL_OK)
        status = BL_NEW(ctx, flat.block, o->nblock + 1);
    for (int borders = 0; status == BL_OK && borders < 2; borders++)
        for (bl_index s = 0; s < o->npart; s++) {
            for (; !borders && k < o->nblock && o->block[k] < o->border_start[s]; k++)
                flat.block[k] = position + o->block[k] - o->part[s];
            bl_index begin = borders ? o->border_start[s] : o->part[s], end = borders ? o->part[s + 1] : o->border_start[s];
            for (bl_index i = begin; i < end; i++, position++) {
                flat.row[position] = o->row[i];
                flat.col[position] = o->col[i];
            }
            if (!borders)
                flat.block[o->nblock] = position;
        }
    bl_ordering_free(ctx, status == BL_OK ? o : &flat);
    if (status == BL_OK)
        *o = flat;
    return status;
}

void bl_ordering_free(bl_context *ctx, bl_ordering *ordering) {
    bl_free(ctx, ordering->row);
    bl_free(ctx, ordering->col);
    bl_free(ctx, ordering->block);
    bl_free(ctx, ordering->part);
    bl_free(ctx, ordering->border_start);
    memset(ordering, 0, sizeof *ordering);
}
