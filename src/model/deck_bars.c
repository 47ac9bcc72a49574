/* Bars have no lateral stiffness: a planar truss in space is a mechanism. CalculiX replaces them by beams with a small bending stiffness,
 * so its decks may leave unloaded components free. */
#include "model/deck_reader.h"
#include "model/model_limits.h"

#include <math.h>
#include <string.h>

enum { FREE, HELD };

/* state[nnode][3]: marks components to which some bar gives stiffness */
static void mark_bars(const bl_mesh *mesh, uint8_t *state) {
    for (bl_index b = 0; b < mesh->nblock; b++)
        for (bl_index e = 0; e < mesh->block[b].count; e++) {
            const bl_index *node = mesh->block[b].node + (size_t)e * mesh->block[b].kind->nnode;
            const double *p = mesh->x[node[0]], *q = mesh->x[node[1]];
            double length = hypot(hypot(q[0] - p[0], q[1] - p[1]), q[2] - p[2]);
            for (int c = 0; c < 3; c++)
                for (int a = 0; a < 2; a++)
                    if (fabs(q[c] - p[c]) > model_bar_along * length)
                        state[3 * node[a] + c] = HELD;
        }
}

/* marks components with a support, equation or force: for a force without stiffness, the equilibrium study reports the singular matrix */
static bool mark_acting(const bl_deck_reader *d, uint8_t *state) {
    static const bl_deck_acting_what what[] = {BL_ACT_SUPPORT, BL_ACT_FORCE};
    for (size_t k = 0; k < sizeof what / sizeof *what; k++)
        for (bl_index i = 0; i < d->acting[what[k]].n; i++) {
            const bl_deck_acting *a = &d->acting[what[k]].entry[i];
            if (a->on && (what[k] == BL_ACT_SUPPORT || a->value != 0))
                state[3 * a->item + a->part] = HELD;
        }
    for (bl_index t = 0; t < d->ntie; t++)
        for (bl_index k = 0; d->tie[t].on && k < d->tie[t].tie.nterm; k++)
            state[3 * d->tie[t].tie.term[k].node + d->tie[t].tie.term[k].part] = HELD;
    for (bl_index i = 0; i < d->acting[BL_ACT_SPIN].n; i++)
        if (d->acting[BL_ACT_SPIN].entry[i].on)
            return false;
    for (bl_index i = 0; i < d->acting[BL_ACT_GRAVITY].n; i++) {
        const bl_deck_acting *a = &d->acting[BL_ACT_GRAVITY].entry[i];
        for (int c = 0; c < 3 && a->on; c++)
            for (bl_index n = 0; a->vector[c] != 0 && n < d->mesh->nnode; n++)
                state[3 * n + c] = HELD;
    }
    return true;
}

static bl_status hold(bl_deck_reader *d, const uint8_t *state, int c, bl_index count, bl_deck_step *step) {
    bl_mesh_set *set = bl_arena_alloc(d->keep, 1, sizeof *set);
    bl_index *item = bl_arena_alloc(d->keep, (size_t)count, sizeof *item), at = 0;
    double *target = bl_arena_alloc(d->keep, (size_t)count, sizeof *target);
    if (!set || !item || !target)
        return BL_E_MEMORY;
    for (bl_index n = 0; n < d->mesh->nnode; n++)
        if (state[3 * n + c] == FREE) {
            target[at] = NAN;
            item[at++] = n;
        }
    *set = (bl_mesh_set){.name = "", .what = BL_SET_NODES, .count = count, .item = item};
    step->support[step->nsupport++] =
        (bl_deck_support){.place = step->place, .set = set, .target = target, .part = c, .course = BL_DECK_AT, .law = {-1, 1}};
    bl_warn(d->ctx, NAN, "bars",
            "no bar gives stiffness along %c at node %d%s, and no load acts there: the displacement along %c is held fixed", "xyz"[c],
            (int)d -> mesh -> label[item[0]], count > 1 ? " and others" : "", "xyz"[c]);
    return BL_OK;
}

bl_status bl_deck_hold_bars(bl_deck_reader *d, bl_deck_step *step) {
    const bl_mesh *mesh = d->mesh;
    if (d->plane != BL_PLANE_BAR || d->heats || step->what != BL_DECK_STATIC)
        return BL_OK;
    uint8_t *state = bl_arena_alloc(&d->scratch, 3 * (size_t)mesh->nnode, 1);
    bl_deck_support *more = bl_arena_alloc(d->keep, (size_t)step->nsupport + 3, sizeof *more);
    if (!state || !more)
        return BL_E_MEMORY;
    if (step->nsupport)
        memcpy(more, step->support, (size_t)step->nsupport * sizeof *more);
    step->support = more;
    mark_bars(mesh, state);
    if (!mark_acting(d, state))
        return BL_OK;
    for (int c = 0; c < 3; c++) {
        bl_index count = 0;
        for (bl_index n = 0; n < mesh->nnode; n++)
            count += state[3 * n + c] == FREE;
        if (count > 0)
            BL_TRY(hold(d, state, c, count, step));
    }
    return BL_OK;
}
