/* Texts of exceptions: kind, joints involved, and what is special about the dimensions. */
#include "base/sized.h"
#include "topology/exceptions.h"
#include "topology/topology_limits.h"

#include "base/vector3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 6 };

typedef struct writer {
    bl_arena *arena;
    const bl_exceptions_found *found;
    const bl_model *model;
    const bl_chain *chain;
    const bl_pose *pose;
    bl_structure_exceptions *out;
    bl_structure_exception *list;
} writer;

/* ---- text truncated at its capacity */

static void append(bl_structure_exception *e, const char *format, ...) BL_PRINTF(2, 3);
static void append(bl_structure_exception *e, const char *format, ...) {
    size_t used = strlen(e->text);
    va_list args;
    va_start(args, format);
    vsnprintf(e->text + used, sizeof e->text - used, format, args);
    va_end(args);
}

static const char *plural(bl_index n, const char *one, const char *many) { return n == 1 ? one : many; }

static void append_pairs(const writer *w, bl_structure_exception *e) {
    bl_index shown = e->nwith > MOST_NAMES + 1 ? MOST_NAMES : e->nwith;
    for (bl_index i = 0; i < shown; i++)
        append(e, "%s%.24s", i == 0 ? "" : i + 1 == e->nwith ? " and " : ", ", w->chain->pair[e->with[i]].name);
    if (shown < e->nwith)
        append(e, " and %d more", (int)(e->nwith - shown));
}

static void append_pair(const writer *w, bl_structure_exception *e) {
    append(e, "%s '%.40s': ", w->chain->pair[e->pair].type, w->chain->pair[e->pair].name);
}

static bl_structure_exception *add(writer *w, bl_exception_kind kind, int amount, bl_index pair, bl_index link) {
    bl_structure_exception *e = &w->list[w->out->n++];
    *e = (bl_structure_exception){.kind = kind, .amount = amount, .pair = pair, .link = link};
    return e;
}

/* ---- dependencies */

static bool is_relation(const bl_dependency *d) {
    for (bl_index i = 0; i < d->count; i++)
        for (int k = 0; k < 6; k++)
            if (d->direction[i][k] != 0)
                return false;
    return true;
}

/* how many of the owner's equations follow from the others of its loop in a random configuration, where no marks coincide */
static bl_status count_generic(const writer *w, const bl_dependency *d, bl_index n, bl_index *joint, bl_index *generic) {
    bl_dependencies found = {0};
    *generic = 0;
    bl_status status = bl_dependencies_find_ordered(w->found->random, n + 1, joint, w->found->in->tolerance, &found);
    for (bl_index i = 0; i < found.n; i++)
        if (found.dependency[i].owner == d->owner)
            *generic = found.dependency[i].count;
    bl_dependencies_destroy(&found);
    return status;
}

static bl_status describe_multiple(writer *w, const bl_dependency *d) {
    const bl_pin *pin = w->found->pin;
    bl_structure_exception *e = add(w, BL_EXCEPTION_MULTIPLE, (int)d->count, d->owner, -1);
    bl_index *with;
    BL_TRY(BL_ARENA_NEW(w->arena, with, w->model->njoint));
    e->with = with;
    for (bl_index j = 0; j < w->model->njoint; j++)
        if (pin[j].nlink > 0 && pin[j].first == pin[d->owner].first && !pin[j].surplus)
            with[e->nwith++] = j;
    append_pair(w, e);
    append(e, "%d links meet on one pin, which needs %d pairs; this one is superfluous besides ", (int)pin[d->owner].nlink,
           (int)pin[d->owner].nlink - 1);
    append_pairs(w, e);
    return BL_OK;
}

/* joint[n] the others of its loop, followed by its owner */
static bl_status describe_special(writer *w, bl_structure_exception *e, bl_index n, const bl_index *joint, bl_index generic,
                                  bl_index special) {
    const char *geometry = NULL;
    BL_TRY(bl_geometry_name(w->arena, w->model, w->pose, w->found->in->length, n + 1, joint, &geometry));
    append(e, ", for these dimensions only%s%s", geometry ? ": " : "", geometry ? geometry : "");
    if (generic > 0)
        append(e, "; with other dimensions %d would, and %d %s of freedom would be lost", (int)generic, (int)special,
               plural(special, "degree", "degrees"));
    return BL_OK;
}

static bl_status describe_dependency(writer *w, const bl_dependency *d) {
    const bl_model *model = w->model;
    const bl_pin *pin = &w->found->pin[d->owner];
    if (pin->surplus && pin->nlink > 2)
        return describe_multiple(w, d);
    bl_index *joint = bl_arena_alloc(w->arena, (size_t)d->nother + 1, sizeof *joint), n = 0, generic = 0;
    if (!joint)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < d->nother; i++)
        if (d->other[i] < model->njoint)
            joint[n++] = d->other[i];
    joint[n] = d->owner;
    BL_TRY(count_generic(w, d, n, joint, &generic));
    bl_index special = d->count > generic ? d->count - generic : 0;
    bool relation = model->joint[d->owner].kind->nbody == 0 && is_relation(d);
    bool twin = pin->surplus && pin->same_point;
    bl_exception_kind kind = relation ? BL_EXCEPTION_ROLLING : special > 0 && !twin ? BL_EXCEPTION_GEOMETRY : BL_EXCEPTION_REDUNDANT;
    bl_structure_exception *e = add(w, kind, (int)d->count, d->owner, -1);
    e->with = joint;
    e->nwith = n;
    append_pair(w, e);
    append(e, "%d of %d %s", (int)d->count, (int)d->of, plural(d->of, "equation", "equations"));
    if (n > 0) {
        append(e, " %s from ", plural(d->count, "follows", "follow"));
        append_pairs(w, e);
    } else
        append(e, " %s empty", plural(d->count, "is", "are"));
    if (kind == BL_EXCEPTION_GEOMETRY)
        return describe_special(w, e, n, joint, generic, special);
    append(e, relation ? ": the ratios agree" : twin ? ", which joins the same links at the same point" : ", for any dimensions");
    return BL_OK;
}

static void describe_input(writer *w, const bl_dependency *d) {
    const bl_variable *variable = &w->model->variable[w->model->driver[d->owner - w->model->njoint].variable];
    bl_structure_exception *e = add(w, BL_EXCEPTION_INPUT, 1, variable->joint, -1);
    append(e, "driver of %.60s: joints and other drivers already determine this value", variable->name);
}

/* ---- other kinds */

static void describe_start(writer *w) {
    const bl_structure_exceptions *out = w->out;
    int lost_rank = w->found->rank_regular - w->found->rank_start;
    if (lost_rank > 0) {
        bl_structure_exception *e = add(w, BL_EXCEPTION_SINGULAR, lost_rank, -1, -1);
        append(e, "starting position: ");
        if (out->mobility_start != out->mobility_rank)
            append(e, "singular, mobility %d there, %d near it; the following is valid near it", out->mobility_start, out->mobility_rank);
        else
            append(e, "a dead point: the drivers leave %d %s of freedom undetermined there, none near it", lost_rank,
                   plural(lost_rank, "degree", "degrees"));
    }
    if (w->found->in->stuck || (w->found->in->large && w->found->permanent->n > 0)) {
        bl_structure_exception *e = add(w, BL_EXCEPTION_SINGULAR, 0, -1, -1);
        append(e, "starting position: no other one %s near it; exceptions that hold only there cannot be distinguished from permanent ones",
               w->found->in->stuck ? "was found" : "was searched for (large model)");
    }
}

static void describe_relation(writer *w, bl_index joint) {
    const bl_chain_pair *pair = &w->chain->pair[joint];
    bl_structure_exception *e = add(w, BL_EXCEPTION_ROLLING, 1, joint, -1);
    append_pair(w, e);
    append(e, "rolls without slip: one equation between the motions of %.30s and %.30s", w->chain->link[pair->link[0]],
           w->chain->link[pair->link[1]]);
    if (pair->via[0] >= 0)
        append(e, " on %.30s", w->chain->link[pair->via[0]]);
    append(e, "; the pairs that keep the distance are counted separately");
}

static void describe_passive(writer *w, const bl_passive *p) {
    bl_structure_exception *e = add(w, BL_EXCEPTION_PASSIVE, 1, p->pair, p->link[0]);
    double turning = sqrt(dot3(p->twist + 3, p->twist + 3));
    append(e, "%s ", plural(p->nlink, "link", "links"));
    for (bl_index i = 0; i < p->nlink; i++)
        append(e, "%s'%.30s'", i == 0 ? "" : i + 1 == p->nlink ? " and " : ", ", w->chain->link[p->link[i]]);
    append(e, " can %s without moving anything else: a passive degree of freedom, counted as given at '%.40s'",
           turning < topology_slides ? (p->nlink == 1 ? "slide" : "slide together")
           : p->nlink == 1           ? "rotate about itself"
                                     : "rotate together",
           w->chain->pair[p->pair].name);
}

bl_status bl_exceptions_describe(bl_arena *arena, const bl_exceptions_found *found, bl_structure_exceptions *exceptions) {
    const bl_model *model = found->in->model;
    writer w = {.arena = arena, .found = found, .model = model, .chain = found->chain, .pose = found->in->regular, .out = exceptions};
    size_t room = (size_t)found->permanent->n + (size_t)model->njoint + (size_t)found->npassive + 2;
    BL_TRY(BL_ARENA_NEW(arena, w.list, room));
    exceptions->exception = w.list;
    describe_start(&w);
    for (bl_index i = 0; i < found->permanent->n; i++) {
        const bl_dependency *d = &found->permanent->dependency[i];
        if (d->owner < model->njoint)
            BL_TRY(describe_dependency(&w, d));
        else
            describe_input(&w, d);
    }
    for (bl_index i = 0; i < found->npassive; i++)
        describe_passive(&w, &found->passive[i]);
    for (bl_index j = 0; j < model->njoint; j++)
        if (model->joint[j].kind->nbody == 0 && model->joint[j].prim->what == BL_LINEAR) /* a function is no rolling */
            describe_relation(&w, j);
    return BL_OK;
}

const char *bl_exception_name(bl_exception_kind kind) {
    switch (kind) {
    case BL_EXCEPTION_REDUNDANT: return "redundant";
    case BL_EXCEPTION_GEOMETRY: return "special geometry";
    case BL_EXCEPTION_MULTIPLE: return "multiple joint";
    case BL_EXCEPTION_ROLLING: return "pure rolling";
    case BL_EXCEPTION_PASSIVE: return "passive degree of freedom";
    case BL_EXCEPTION_SINGULAR: return "singular configuration";
    case BL_EXCEPTION_INPUT: return "input";
    case BL_EXCEPTION_OPEN: return "not closed";
    }
    return "";
}

void bl_structure_exceptions_destroy(bl_context *ctx, bl_structure_exceptions *exceptions) {
    if (exceptions && exceptions->own) {
        bl_arena_destroy(exceptions->own);
        bl_free(ctx, exceptions->own);
    }
    BL_CLEAR(bl_structure_exceptions, exceptions);
}
