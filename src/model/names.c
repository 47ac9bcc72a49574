/* Names: hash table with linear probing, FNV-1a. Tables grow in the scratch arena by doubling. */
#include "model/reader.h"

#include <stdio.h>
#include <string.h>

static uint32_t hash(const char *name) {
    uint32_t h = 2166136261u;
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

/* slot of the name, or the free slot where it is to be entered */
static bl_index slot(const bl_names *names, const char *name) {
    uint32_t mask = (uint32_t)names->capacity - 1, at = hash(name) & mask;
    while (names->name[at] && strcmp(names->name[at], name) != 0)
        at = (at + 1) & mask;
    return (bl_index)at;
}

bl_status bl_names_reserve(bl_reader *r, bl_names *names, bl_index count) {
    if (names->capacity && count <= names->capacity / 2)
        return BL_OK;
    bl_names fresh = {.capacity = 16, .count = names->count};
    while (fresh.capacity / 2 < count) {
        if (fresh.capacity > INT32_MAX / 4)
            return bl_fail(r->ctx, BL_E_MEMORY, NULL, "too many names");
        fresh.capacity *= 2;
    }
    BL_TRY(BL_ARENA_ARRAYS(&r->scratch, BL_ARRAY(fresh.name, fresh.capacity), BL_ARRAY(fresh.ref, fresh.capacity)));
    for (bl_index i = 0; i < names->capacity; i++)
        if (names->name[i]) {
            bl_index at = slot(&fresh, names->name[i]);
            fresh.name[at] = names->name[i];
            fresh.ref[at] = names->ref[i];
        }
    *names = fresh;
    return BL_OK;
}

bl_index bl_names_find(const bl_names *names, const char *name) {
    if (!names->capacity)
        return -1;
    bl_index at = slot(names, name);
    return names->name[at] ? names->ref[at] : -1;
}

bl_status bl_names_put(bl_reader *r, bl_names *names, const char *name, bl_index ref) {
    BL_TRY(bl_names_reserve(r, names, names->count + 1));
    bl_index at = slot(names, name);
    if (!names->name[at])
        names->count++;
    names->name[at] = name;
    names->ref[at] = ref;
    return BL_OK;
}

bl_status bl_names_add(bl_reader *r, bl_names *names, const char *what, const char *name, bl_index ref, const bl_place *place) {
    if (!*name)
        return bl_fail(r->ctx, BL_E_MODEL, place, "the name of the %s is empty", what);
    if (strpbrk(name, "\n\t"))
        return bl_fail(r->ctx, BL_E_MODEL, place, "the name of the %s must be on one line, without tabs", what);
    if (bl_names_find(names, name) >= 0)
        return bl_fail(r->ctx, BL_E_MODEL, place, "duplicate name: there is already a %s '%s'", what, name);
    return bl_names_put(r, names, name, ref);
}

/* all names of the tables, sorted; "": too many for a hint */
static void list_names(const bl_names *const *tables, char *text, size_t size) {
    enum { MOST = 12 };
    const char *name[MOST];
    size_t n = 0, used = 0;
    for (; *tables; tables++)
        for (bl_index i = 0; i < (*tables)->capacity; i++) {
            if (!(*tables)->name[i])
                continue;
            if (n == MOST)
                return;
            size_t at = n++;
            for (; at > 0 && strcmp(name[at - 1], (*tables)->name[i]) > 0; at--)
                name[at] = name[at - 1];
            name[at] = (*tables)->name[i];
        }
    for (size_t k = 0; k < n && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s'%s'", k ? ", " : "", name[k]);
    if (used >= size)
        text[0] = '\0';
}

void bl_names_advise(bl_reader *r, const char *word, const bl_names *const *tables) {
    const char *best[8];
    char all[200] = "";
    size_t n = 0;
    list_names(tables, all, sizeof all);
    for (; *tables && n < 8; tables++)
        if ((*tables)->capacity && (best[n] = bl_nearest(word, (*tables)->name, (size_t)(*tables)->capacity)))
            n++;
    const char *nearest = bl_nearest(word, best, n);
    if (nearest)
        bl_advise(r->ctx, "did you mean '%s'?", nearest);
    else if (all[0])
        bl_advise(r->ctx, "known names: %s", all);
}
