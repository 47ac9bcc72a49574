/* Table files: two columns of numbers after at most one line of titles. Messages give line and column and never quote the file, which
 * could be any file. */
#include "model/reader.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct table_line {
    const char *at, *end; /* the unread part */
} table_line;

static bool in(char c, const char *set) { return c && strchr(set, c); }

/* the next field between separators, quoted or not; false: the line ends, or a comment begins */
static bool next_field(table_line *line, const char *separators, const char **field, size_t *length) {
    const char *s = line->at;
    while (s < line->end && (in(*s, separators) || in(*s, " \t\r")))
        s++;
    if (s >= line->end || *s == '#' || *s == '%')
        return false;
    char quote = *s == '"' || *s == '\'' ? *s : '\0';
    *field = s += quote != '\0';
    while (s < line->end && (quote ? *s != quote : !in(*s, separators)))
        s++;
    const char *stop = s;
    while (!quote && stop > *field && in(stop[-1], " \t\r"))
        stop--;
    *length = (size_t)(stop - *field);
    line->at = s + (quote && s < line->end);
    return true;
}

/* false: not a number; nan and inf are accepted as numbers that are not finite */
static bool number(const char *field, size_t length, double *value) {
    char word[64];
    if (length == 0 || length >= sizeof word)
        return false;
    memcpy(word, field, length);
    word[length] = '\0';
    if (bl_text_number(word, value))
        return true;
    const char *bare = word + (in(*word, "+-") ? 1 : 0);
    bare += *bare == '.';
    *value = NAN;
    return !strcasecmp(bare, "nan") || !strcasecmp(bare, "inf") || !strcasecmp(bare, "infinity");
}

/* A line of titles: no field is a number. Titles separated by commas, semicolons or tabs may contain blanks. */
static bool is_header(table_line line) {
    bool marked = false;
    for (const char *s = line.at; s < line.end; s++)
        marked = marked || in(*s, ",;\t");
    const char *field;
    size_t length;
    double value;
    bl_index found = 0;
    for (; next_field(&line, marked ? ",;\t" : " ", &field, &length); found++)
        if (number(field, length, &value))
            return false;
    return found >= 2;
}

static bl_status bad_line(bl_reader *r, bl_place place, const table_line *full, const char *field, bl_index column, bl_index row) {
    bool decimal_comma = memchr(full->at, ';', (size_t)(full->end - full->at)) && memchr(full->at, ',', (size_t)(full->end - full->at));
    if (field) {
        place.column = (int)(field - full->at) + 1;
        bl_fail(r->ctx, BL_E_MODEL, &place, "a table must contain only numbers, but column %d of this line is not a finite number",
                (int)column);
    } else {
        bl_fail(r->ctx, BL_E_MODEL, &place, "a table must have two columns, found %s in this line", column < 2 ? "one" : "more");
    }
    if (decimal_comma)
        bl_advise(r->ctx, "write decimals with a point, because a comma separates columns");
    else if (row == 0)
        bl_advise(r->ctx, "the first line may contain titles of the columns, which must not be numbers; # starts a comment");
    return BL_E_MODEL;
}

bl_status bl_table_read(bl_reader *r, const char *file, const char *text, size_t bytes, bl_index *n, double *x, double *y) {
    bl_place place = {file, 0, 1};
    bl_index count = 0;
    const char *all = text + bytes;
    bool first = true;
    if (bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        text += 3;
    for (const char *start = text; start < all;) {
        const char *end = memchr(start, '\n', (size_t)(all - start));
        table_line full = {start, end ? end : all}, line = full;
        start = full.end + 1;
        place.line++;
        double value[2];
        const char *field;
        size_t length;
        bl_index found = 0;
        if (first && is_header(line)) {
            first = false;
            continue;
        }
        for (; next_field(&line, " \t,;\r", &field, &length); found++) {
            if (found == 2)
                return bad_line(r, place, &full, NULL, 3, count);
            if (!number(field, length, &value[found]) || !isfinite(value[found]))
                return bad_line(r, place, &full, field, found + 1, count);
        }
        if (found == 0)
            continue;
        if (found == 1)
            return bad_line(r, place, &full, NULL, 1, count);
        first = false;
        if (x && count > 0 && !(value[0] > x[count - 1]))
            return bl_fail(r->ctx, BL_E_MODEL, &place, "the first column of a table must increase, but this line has %g after %g", value[0],
                           x[count - 1]);
        if (x) {
            x[count] = value[0];
            y[count] = value[1];
        }
        count++;
    }
    *n = count;
    return BL_OK;
}
