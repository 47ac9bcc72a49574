/* Text files of tables with headings. */
#include "study/table_text.h"

#include "model/reader.h" /* bl_text_number */
#include "study/inverse_limits.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bl_status bl_table_text_load(bl_context *ctx, const char *path, char **text, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    size_t room = 0;
    *bytes = 0;
    if (!file)
        return bl_fail(ctx, BL_E_FILE, NULL, "%s cannot be opened: %s", path, strerror(errno));
    bl_status status = BL_OK;
    for (size_t got = 1; got > 0 && status == BL_OK; *bytes += got) {
        got = 0;
        if (*bytes + 1 >= room) {
            room = 2 * room + 65536;
            char *fresh = bl_resize(ctx, *text, room, 1);
            status = fresh ? BL_OK : BL_E_MEMORY;
            *text = fresh ? fresh : *text;
        }
        if (status == BL_OK)
            got = fread(*text + *bytes, 1, room - 1 - *bytes, file);
        if ((double)*bytes > study_recorded_bytes)
            status = bl_fail(ctx, BL_E_FILE, NULL, "%s is larger than %.0f MB", path, study_recorded_bytes / (1 << 20));
    }
    if (status == BL_OK && ferror(file))
        status = bl_fail(ctx, BL_E_FILE, NULL, "%s cannot be read: %s", path, strerror(errno));
    fclose(file);
    return status;
}

bl_status bl_table_text_begin(bl_context *ctx, const char *file, const char **text, const char *all) {
    if (all - *text >= 3 && memcmp(*text, "\xef\xbb\xbf", 3) == 0)
        *text += 3;
    if (all > *text && memchr(*text, '\0', (size_t)(all - *text)))
        return bl_fail(ctx, BL_E_MODEL, &(bl_place){file, 0, 1}, "%s is not a text file", file);
    return BL_OK;
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool bl_table_line(const char **start, const char *all, int *number, const char **begin, const char **end) {
    while (*start < all) {
        const char *stop = memchr(*start, '\n', (size_t)(all - *start)), *s = *start;
        stop = stop ? stop : all;
        *begin = *start;
        *end = stop;
        *start = stop + 1;
        ++*number;
        while (s < stop && blank(*s))
            s++;
        if (s < stop && *s != '#')
            return true;
    }
    return false;
}

char bl_table_separator(const char *begin, const char *end) {
    size_t length = (size_t)(end - begin);
    return memchr(begin, ';', length) ? ';' : memchr(begin, '\t', length) ? '\t' : memchr(begin, ',', length) ? ',' : ' ';
}

bool bl_table_field(const char **at, const char *end, char separator, bl_field_text *field) {
    const char *s = *at;
    if (!s)
        return false;
    while (s < end && blank(*s) && *s != separator)
        s++;
    bool quoted = s < end && *s == '"';
    const char *begin = s += quoted;
    while (s < end && (quoted ? *s != '"' : *s != separator))
        s++;
    const char *stop = s;
    while (!quoted && stop > begin && blank(stop[-1]))
        stop--;
    *field = (bl_field_text){begin, (size_t)(stop - begin)};
    while (s < end && *s != separator)
        s++;
    *at = s < end ? s + 1 : NULL;
    return true;
}

bool bl_field_is(bl_field_text field, const char *text) {
    return strlen(text) == field.length && memcmp(field.at, text, field.length) == 0;
}

bool bl_field_number(bl_field_text field, double *value) {
    char word[64];
    if (field.length == 0 || field.length >= sizeof word)
        return false;
    memcpy(word, field.at, field.length);
    word[field.length] = '\0';
    return bl_text_number(word, value);
}
