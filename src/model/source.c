/* Source: contents of model and table files, with size limits, and the documents of a model with its includes. */
#include "model/reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bl_status too_large(bl_reader *r, const bl_place *place, const char *file) {
    return bl_fail(r->ctx, BL_E_MODEL, place, "%s is larger than %d MB", file, BL_SOURCE_BYTES / (1024 * 1024));
}

/* reads up to one byte past the limit, so that pipes are limited too */
static bl_status read_stream(bl_reader *r, FILE *stream, const bl_place *place, const char *file, size_t expect, char **out,
                             size_t *bytes) {
    size_t room = expect + 1, used = 0;
    char *text = bl_alloc(r->ctx, room + 1, 1);
    *out = text;
    if (!text)
        return BL_E_MEMORY;
    for (;;) {
        used += fread(text + used, 1, room - used, stream);
        if (used > BL_SOURCE_BYTES)
            return too_large(r, place, file);
        if (used < room)
            break;
        room = 2 * room < 65536 ? 65536 : 2 * room;
        if (room > (size_t)BL_SOURCE_BYTES + 1)
            room = (size_t)BL_SOURCE_BYTES + 1;
        char *fresh = bl_resize(r->ctx, text, room + 1, 1);
        if (!fresh)
            return BL_E_MEMORY;
        *out = text = fresh;
    }
    if (ferror(stream))
        return bl_fail(r->ctx, BL_E_FILE, place, "%s cannot be read: %s", file, strerror(errno));
    text[used] = '\0';
    *bytes = used;
    return BL_OK;
}

/* the model itself: "-" is standard input */
static bl_status open_model(bl_reader *r, const char *file, const bl_place *place, FILE **stream, struct stat *facts) {
    bool standard = strcmp(file, "-") == 0;
    if (standard ? fstat(STDIN_FILENO, facts) != 0 : stat(file, facts) != 0)
        return bl_fail(r->ctx, BL_E_FILE, place, "%s cannot be opened: %s", place->file, strerror(errno));
    if (S_ISDIR(facts->st_mode))
        return bl_fail(r->ctx, BL_E_FILE, place, "%s is a directory", place->file);
    *stream = standard ? stdin : fopen(file, "rb");
    if (!*stream)
        return bl_fail(r->ctx, BL_E_FILE, place, "%s cannot be opened: %s", place->file, strerror(errno));
    return bl_files_note(r, file, (uint64_t[2]){(uint64_t)facts->st_dev, (uint64_t)facts->st_ino});
}

bl_status bl_source_load(bl_reader *r, bl_arena *arena, const char *file, const bl_place *place, const char **text, size_t *bytes,
                         uint64_t id[2]) {
    bl_place self = {strcmp(file, "-") == 0 && !place ? "standard input" : file, 0, 0};
    struct stat facts;
    FILE *stream = NULL;
    bl_status status = place ? bl_files_open(r, file, place, &stream, &facts) : open_model(r, file, &self, &stream, &facts);
    if (!place)
        place = &self;
    if (status == BL_OK && S_ISREG(facts.st_mode) && facts.st_size > BL_SOURCE_BYTES)
        status = too_large(r, place, self.file);
    char *block = NULL;
    if (status == BL_OK) {
        id[0] = (uint64_t)facts.st_dev;
        id[1] = (uint64_t)facts.st_ino;
        status = read_stream(r, stream, place, self.file, S_ISREG(facts.st_mode) ? (size_t)facts.st_size : 0, &block, bytes);
    }
    if (stream && stream != stdin)
        fclose(stream);
    if (status == BL_OK && (r->source_bytes += *bytes) > BL_SOURCE_ALL)
        status = bl_fail(r->ctx, BL_E_MODEL, place, "together the files of the model are larger than %d MB", BL_SOURCE_ALL / (1024 * 1024));
    if (status == BL_OK && !(*text = bl_arena_text(arena, block, *bytes)))
        status = BL_E_MEMORY;
    bl_free(r->ctx, block);
    return status;
}

const char *bl_source_path(bl_reader *r, const char *from, const char *name) {
    const char *slash = from ? strrchr(from, '/') : NULL;
    if (name[0] == '/' || !slash)
        return bl_arena_text(&r->model->arena, name, strlen(name));
    return bl_arena_printf(&r->model->arena, "%.*s%s", (int)(slash - from + 1), from, name);
}

/* ---- check of text files */

/* included: it may not be a model, so messages do not quote it */
static bl_status check_text(bl_reader *r, const char *file, const char *text, size_t bytes, bool included) {
    bl_place place = {file, 1, 1};
    bool blank = true;
    int marks = 0, before = 0; /* before: at the start of the line */
    for (size_t i = 0; i < bytes;) {
        unsigned char c = (unsigned char)text[i];
        if (c == 0)
            return bl_fail(r->ctx, BL_E_MODEL, &place, "not a text file: it contains a zero byte");
        bool control;
        size_t length = bl_utf8(text + i, bytes - i, &control);
        if (length == 0 && included)
            return bl_fail(r->ctx, BL_E_MODEL, &place, "not a text file: a byte is not valid UTF-8");
        if (length == 0)
            return bl_fail(r->ctx, BL_E_MODEL, &place, "not a text file: byte 0x%02x is not valid UTF-8", c);
        if (c < 32 && c != '\n' && c != '\r' && c != '\t' && included)
            return bl_fail(r->ctx, BL_E_MODEL, &place, "not a text file: it contains a control character");
        if (c < 32 && c != '\n' && c != '\r' && c != '\t')
            return bl_fail(r->ctx, BL_E_MODEL, &place, "not a text file: it contains the control character 0x%02x", c);
        blank = blank && (c == ' ' || c == '\n' || c == '\r' || c == '\t');
        if (strchr(",:[]{}?&*!", c)) {
            if (++marks > BL_SOURCE_MARKS)
                return bl_fail(r->ctx, BL_E_MODEL, &place, "the file is too large: it has more than %d brackets, commas and colons",
                               BL_SOURCE_MARKS);
            if (marks - before > BL_SOURCE_LINE_MARKS)
                return bl_fail(r->ctx, BL_E_MODEL, &place, "the line is too long: it has more than %d brackets, commas and colons",
                               BL_SOURCE_LINE_MARKS);
        }
        if (c == '\n') {
            before = marks;
            place.line++;
            place.column = 1;
        } else {
            place.column++;
        }
        i += length;
    }
    if (blank)
        return bl_fail(r->ctx, BL_E_MODEL, &(bl_place){file, 1, 1}, "the model is empty");
    return BL_OK;
}

bl_status bl_source_tree(bl_reader *r, const char *file, const bl_place *place, bl_item **root) {
    const char *text;
    size_t bytes;
    uint64_t id[2];
    BL_TRY(bl_source_load(r, &r->scratch, file, place, &text, &bytes, id));
    BL_TRY(check_text(r, file, text, bytes, true));
    return bl_tree_build(r, file, text, bytes, true, root);
}

/* ---- documents and includes */

static bl_status include_file(bl_reader *r, const bl_item *node, void *user) {
    const bl_index parent = *(const bl_index *)user;
    const char *name;
    BL_TRY(bl_item_text(r, node, "include", &name));
    const char *path = bl_source_path(r, r->document[parent].file, name), *text;
    if (!path)
        return BL_E_MEMORY;
    size_t bytes;
    uint64_t id[2];
    BL_TRY(bl_source_load(r, &r->scratch, path, &node->place, &text, &bytes, id));
    for (bl_index i = 0; i < r->ndocument; i++) {
        if (r->document[i].device != id[0] || r->document[i].number != id[1])
            continue;
        if (!r->document[i].open)
            return BL_OK; /* already read */
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "include cycle: %s includes itself", r->document[i].file);
    }
    return bl_source_add(r, path, text, bytes, id);
}

bl_status bl_source_add(bl_reader *r, const char *file, const char *text, size_t bytes, const uint64_t id[2]) {
    const bl_place start = {file, 1, 1};
    if (r->ndocument >= BL_SOURCE_FILES || r->ninclude >= BL_TREE_DEPTH)
        return bl_fail(r->ctx, BL_E_MODEL, &start, "the model includes more than %d files, or includes are nested too deeply",
                       BL_SOURCE_FILES);
    BL_TRY(check_text(r, file, text, bytes, r->ninclude > 0));
    BL_TRY(BL_RESERVE(r->ctx, r->document, r->document_capacity, r->ndocument + 1));
    bl_index self = r->ndocument++;
    r->document[self] =
        (bl_document){.file = file, .open = true, .included = r->ninclude > 0, .device = id ? id[0] : 0, .number = id ? id[1] : 0};
    bl_item *root;
    BL_TRY(bl_tree_build(r, file, text, bytes, r->ninclude > 0, &root));
    if (!root || bl_item_null(root))
        return bl_fail(r->ctx, BL_E_MODEL, &start, "the model is empty");
    if (root->kind != BL_ITEM_MAP && r->ninclude > 0)
        return bl_fail(r->ctx, BL_E_MODEL, &root->place, "the included file is not a model: a model is a map (key: value)");
    BL_TRY(bl_item_map(r, root, "the model"));
    const bl_item *include = bl_item_get(root, "include");
    if (include && !bl_item_null(include)) {
        r->ninclude++;
        BL_TRY(bl_each(r, include, NULL, include_file, &self));
        r->ninclude--;
    }
    r->document[self].open = false;
    r->document[self].root = root;
    r->order[r->norder++] = self; /* after what it includes */
    return BL_OK;
}

const bl_item *bl_section(const bl_reader *r, bl_index document, const char *key) {
    const bl_item *node = bl_item_get(r->document[r->order[document]].root, key);
    return node && !bl_item_null(node) ? node : NULL;
}

const bl_item *bl_section_last(const bl_reader *r, const char *key) {
    const bl_item *found = NULL;
    for (bl_index i = r->norder - 1; i >= 0 && !found; i--)
        found = bl_section(r, i, key);
    return found;
}

/* ---- tables */

bl_status bl_source_table(bl_reader *r, const char *file, const bl_place *place, bl_index *n, const double **x, const double **y) {
    const char *path = bl_source_path(r, place->file, file), *text;
    if (!path)
        return BL_E_MEMORY;
    size_t bytes;
    uint64_t id[2];
    BL_TRY(bl_source_load(r, &r->scratch, path, place, &text, &bytes, id));
    BL_TRY(bl_table_read(r, path, text, bytes, n, NULL, NULL));
    if (*n < 2)
        return bl_fail(r->ctx, BL_E_MODEL, place, "the table %s needs at least two lines of numbers, found %d", path, (int)*n);
    double *column;
    BL_TRY(BL_ARENA_NEW(&r->scratch, column, 2 * (size_t)*n));
    *x = column;
    *y = column + *n;
    return bl_table_read(r, path, text, bytes, n, column, column + *n);
}
