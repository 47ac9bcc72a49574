/* Steps, events and impacts of result files, and constants of items. */
#include "output/result_file.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- steps */

/* one more quantity with rows of its own: `items` of them (0: without), named by item; *rows: the least so far */
static bl_status add_rows(bl_result *r, const char *path, const char *unit, const char *what, const bl_item_list *items, int width,
                          long *rows) {
    BL_TRY(bl_result_check_dataset(r, path, items ? items->n : 0, width, rows));
    BL_TRY(bl_result_more(r));
    const char *name = bl_arena_text(&r->arena, path, strlen(path));
    if (!name)
        return BL_E_MEMORY;
    r->at[r->nquantity].path = name;
    r->quantity[r->nquantity++] = (bl_quantity){.name = name,
                                                .unit = unit,
                                                .description = what,
                                                .items = items ? items->n : 1,
                                                .components = width,
                                                .item = items ? items->name : NULL};
    return BL_OK;
}

static void set_rows(bl_result *r, bl_index first, long rows) {
    for (bl_index i = first; i < r->nquantity; i++)
        r->quantity[i].rows = rows;
}

bl_status bl_result_find_impacts(bl_result *r) {
    char path[64];
    long rows = LONG_MAX;
    bl_index first = r->nquantity;
    if (r->version < 2 || !bl_result_exists(r, "impacts"))
        return BL_OK;
    for (int q = 0; q < BL_IMPACT_QUANTITIES; q++) {
        const bl_impact_dataset *dataset = &bl_impact_layout[q];
        const bl_item_list *items = dataset->of_joints ? &r->items[BL_GROUP_REACTIONS] : NULL;
        snprintf(path, sizeof path, "impacts/%s", dataset->name);
        if (bl_result_exists(r, path) && !(items && items->n == 0))
            BL_TRY(add_rows(r, path, dataset->unit, dataset->what, items, dataset->width, &rows));
    }
    set_rows(r, first, rows);
    return BL_OK;
}

/* after a kill their lengths may differ: the shortest counts */
bl_status bl_result_find_steps(bl_result *r) {
    char path[64];
    long rows = LONG_MAX;
    bl_index first = r->nquantity;
    if (r->version < 2 || !bl_result_exists(r, "steps"))
        return BL_OK;
    for (int q = 0; q < BL_STEP_QUANTITIES; q++) {
        const bl_step_dataset *dataset = &bl_step_layout[q];
        snprintf(path, sizeof path, "steps/%s", dataset->name);
        if (!bl_result_exists(r, path))
            continue;
        BL_TRY(add_rows(r, path, dataset->unit, dataset->what, NULL, 1, &rows));
    }
    set_rows(r, first, rows);
    return BL_OK;
}

/* ---- lists of numbers */

/* length of a one-dimensional dataset of numbers or integers; -1: it is not one */
static bl_index length_of(const bl_result *r, const char *path) {
    hsize_t size = 0;
    hid_t set = bl_result_exists(r, path) ? r->h5.H5Dopen2(r->file, path, H5P_DEFAULT) : -1;
    if (set < 0)
        return -1;
    hid_t space = r->h5.H5Dget_space(set), type = r->h5.H5Dget_type(set);
    H5T_class_t class = r->h5.H5Tget_class(type);
    bool good = r->h5.H5Sget_simple_extent_ndims(space) == 1 && (class == H5T_INTEGER || class == H5T_FLOAT) &&
                r->h5.H5Sget_simple_extent_dims(space, &size, NULL) > 0 && size < INT32_MAX / 2;
    r->h5.H5Tclose(type);
    r->h5.H5Sclose(space);
    r->h5.H5Dclose(set);
    return good ? (bl_index)size : -1;
}

static bl_status read_numbers(bl_result *r, const char *path, double *values) {
    hid_t set = r->h5.H5Dopen2(r->file, path, H5P_DEFAULT);
    bool good = set >= 0 && r->h5.H5Dread(set, r->number, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (set >= 0)
        r->h5.H5Dclose(set);
    return good ? BL_OK : bl_result_broken(r, "a list of numbers is damaged");
}

bl_status bl_result_facts(bl_result *r, const char *name, double *values, bl_index *n) {
    bl_quiet was = bl_quiet_start(r);
    *n = length_of(r, name);
    bl_status status = *n > 0 && values ? read_numbers(r, name, values) : BL_OK;
    bl_quiet_end(r, was);
    if (*n >= 0)
        return status;
    *n = 0;
    return bl_fail(r->ctx, BL_E_ARG, NULL, "'%s' has no list of numbers '%s'", r->path, name);
}

/* ---- events */

/* text i of a list in one block */
static bl_status cut_text(bl_result *r, const char *all, size_t bytes, bl_index i, const char **text) {
    const char *at = all + bytes * (size_t)i, *end = memchr(at, '\0', bytes);
    *text = bl_arena_text(&r->arena, at, end ? (size_t)(end - at) : bytes);
    return *text ? BL_OK : BL_E_MEMORY;
}

typedef struct event_member {
    const char *name, *fallback; /* fallback: if the list is missing */
    size_t offset;               /* of the text in a bl_result_event */
} event_member;

/* one text of every event from group/member */
static bl_status read_member(bl_result *r, const char *group, const event_member *member, bl_result_event *event) {
    char path[64], *all = NULL;
    int64_t n;
    size_t bytes;
    snprintf(path, sizeof path, "%s/%s", group, member->name);
    bool there = bl_result_exists(r, path);
    if (there) {
        BL_TRY(bl_result_texts(r, path, &n, &bytes, &all));
        if (n != r->nevent)
            return bl_result_broken(r, "the lists of events differ in length");
    }
    for (bl_index i = 0; i < r->nevent; i++) {
        const char *text = member->fallback;
        if (there)
            BL_TRY(cut_text(r, all, bytes, i, &text));
        memcpy((char *)&event[i] + member->offset, &text, sizeof text);
    }
    return BL_OK;
}

static bl_status read_events(bl_result *r) {
    static const event_member member[] = {{"kind", "warning", offsetof(bl_result_event, kind)},
                                          {"text", "", offsetof(bl_result_event, text)},
                                          {"part", "", offsetof(bl_result_event, part)}};
    const char *group = bl_result_exists(r, "events") ? "events" : "warnings";
    char path[64];
    snprintf(path, sizeof path, "%s/time", group);
    bl_index n = r->version < 2 ? -1 : length_of(r, path);
    if (n <= 0)
        return BL_OK;
    bl_result_event *event;
    double *time;
    BL_TRY(BL_ARENA_ARRAYS(&r->arena, BL_ARRAY(event, n), BL_ARRAY(time, n)));
    BL_TRY(read_numbers(r, path, time));
    r->nevent = n;
    for (bl_index i = 0; i < n; i++)
        event[i].t = time[i];
    for (size_t k = 0; k < sizeof member / sizeof *member; k++)
        BL_TRY(read_member(r, group, &member[k], event));
    r->event = event;
    return BL_OK;
}

bl_status bl_result_events(bl_result *r, const bl_result_event **list, bl_index *n) {
    bl_status status = BL_OK;
    if (!r->events_known) {
        bl_quiet was = bl_quiet_start(r);
        status = read_events(r);
        bl_quiet_end(r, was);
        r->events_known = status == BL_OK;
        if (status != BL_OK)
            r->nevent = 0;
    }
    *list = r->event;
    *n = r->nevent;
    return status;
}
