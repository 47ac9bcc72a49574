/* bl_list: all kinds with their parameters and properties. */
#include "api/rooms.h"

#include <stdio.h>
#include <string.h>

static void put_params(const bl_param *table, char *text, size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (bl_index i = 0; i < bl_param_count(table); i++) {
        char value[64], part[256];
        bl_param_default(&table[i], value, sizeof value);
        int n = snprintf(part, sizeof part, "%s%s%s%s (%s%s)", length ? "; " : "", table[i].name, value[0] ? "=" : "", value,
                         table[i].flags & BL_REQUIRED ? "required: " : "", table[i].help ? table[i].help : "");
        if (n < 0 || (size_t)n >= sizeof part || length + (size_t)n + sizeof "; ..." > size) {
            snprintf(text + length, size - length, "; ...");
            return;
        }
        memcpy(text + length, part, (size_t)n + 1);
        length += (size_t)n;
    }
}

static void visit_room(const bl_room *room, void (*visit)(void *user, const bl_choice *choice), void *user) {
    for (size_t i = 0; i < room->count(); i++) {
        const bl_kind *kind = room->kind(i);
        bl_choice choice = {.room = room->name, .name = kind->name, .help = kind->help};
        put_params(kind->params, choice.params, sizeof choice.params);
        if (room->facts)
            room->facts(i, choice.facts);
        visit(user, &choice);
    }
}

bl_status bl_list(bl_context *ctx, const char *room, void (*visit)(void *user, const bl_choice *choice), void *user) {
    const char *names[16] = {0};
    bool found = false;
    for (size_t i = 0; i < bl_room_count; i++) {
        if (i < sizeof names / sizeof *names)
            names[i] = bl_rooms[i].name;
        if (!room || strcmp(room, bl_rooms[i].name) == 0) {
            visit_room(&bl_rooms[i], visit, user);
            found = true;
        }
    }
    if (found)
        return BL_OK;
    bl_fail(ctx, BL_E_ARG, NULL, "there is no list '%s'", room);
    const char *nearest = bl_nearest(room, names, sizeof names / sizeof *names);
    if (nearest)
        bl_advise(ctx, "did you mean '%s'?", nearest);
    else
        bl_advise(
            ctx,
            "the lists are joints, forces, controllers, elements, generators, materials, strains, coordinates, formulations, integrators, "
            "linsols and orderings");
    return BL_E_ARG;
}
