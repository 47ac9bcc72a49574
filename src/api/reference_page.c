/* bl_reference: docs/REFERENCE.md, made from the parameter tables. */
#include "api/rooms.h"

#include <ctype.h>
#include <string.h>

typedef struct writer {
    void (*write)(void *user, const char *text, size_t length);
    void *user;
} writer;

static void put(const writer *out, const char *text) { out->write(out->user, text, strlen(text)); }

static void put3(const writer *out, const char *a, const char *b, const char *c) {
    put(out, a);
    put(out, b);
    put(out, c);
}

/* text as a sentence: a capital in front, a full stop behind */
static void put_sentence(const writer *out, const char *text) {
    char first = (char)toupper((unsigned char)text[0]);
    if (first)
        out->write(out->user, &first, 1);
    put3(out, first ? text + 1 : "", ".", "");
}

/* a cell of a table, where | would end it */
static void put_cell(const writer *out, const char *text) {
    put(out, " ");
    for (; *text; text++)
        if (*text == '|')
            put(out, "\\|");
        else
            out->write(out->user, text, 1);
    put(out, " |");
}

static void put_params(const writer *out, const bl_param *table) {
    put(out, "| parameter | takes | unit | default | |\n|---|---|---|---|---|\n");
    for (bl_index i = 0; i < bl_param_count(table); i++) {
        char words[256], value[64];
        bl_param_words(&table[i], words, sizeof words);
        bl_param_default(&table[i], value, sizeof value);
        put3(out, "| `", table[i].name, "` |");
        put_cell(out, words);
        put_cell(out, table[i].unit ? table[i].unit : "");
        put_cell(out, table[i].flags & BL_REQUIRED ? "required" : value);
        put_cell(out, table[i].help ? table[i].help : "");
        put(out, "\n");
    }
    put(out, "\n");
}

static void put_kind(const writer *out, const bl_room *room, size_t i) {
    const bl_kind *kind = room->kind(i);
    put3(out, "### ", kind->name, "\n");
    put_sentence(out, kind->help);
    if (room->facts) {
        char facts[BL_FACTS_BYTES] = "";
        room->facts(i, facts);
        if (facts[0]) {
            put(out, " *");
            put_sentence(out, facts);
            put(out, "*");
        }
    }
    put(out, "\n\n");
    if (bl_param_count(kind->params) > 0)
        put_params(out, kind->params);
}

bl_status bl_reference(bl_context *ctx, void (*write)(void *user, const char *text, size_t length), void *user) {
    if (!write)
        return bl_fail(ctx, BL_E_ARG, NULL, "the reference needs a function to write through");
    writer out = {write, user};
    put(&out, "# Reference\n\nMade by `biela reference > docs/REFERENCE.md` from the tables of the program. [MODEL.md](MODEL.md) tells how "
              "model files are built.\nOn the command line a kind takes its parameters after a colon, the first ones bare: "
              "`rk4`, `mixed:switching`, `klu:ordering=colamd`.\n");
    for (size_t r = 0; r < bl_room_count; r++) {
        const bl_room *room = &bl_rooms[r];
        put3(&out, "\n## ", room->name, "\n");
        put_sentence(&out, room->what);
        put3(&out, " In the model file: `", room->key, "`");
        if (room->option)
            put3(&out, "; on the command line: `", room->option, "`");
        put(&out, ".\n\n");
        for (size_t i = 0; i < room->count(); i++)
            put_kind(&out, room, i);
    }
    return BL_OK;
}
