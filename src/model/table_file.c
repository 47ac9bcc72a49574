/* Table files: two columns of numbers under at most one line of titles. Messages name line and column and never quote the file, which
 * may be anything. */
#include "model/reader.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef struct table_line {
    const char *at, *end; /* what is left of it */
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

/* false: no number; what is written as one and is not finite is one */
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

/* Titles: no field is a number. Between commas, semicolons or tabs a title may have blanks. */
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

static bl_status bad_line(bl_reader *r, bl_place place, const table_line *whole, const char *field, bl_index column, bl_index row) {
    bool decimal_comma =
        memchr(whole->at, ';', (size_t)(whole->end - whole->at)) && memchr(whole->at, ',', (size_t)(whole->end - whole->at));
    if (field) {
        place.column = (int)(field - whole->at) + 1;
        bl_fail(r->ctx, BL_E_MODEL, &place, "a table holds numbers only, and column %d of this line is no finite number", (int)column);
    } else {
        bl_fail(r->ctx, BL_E_MODEL, &place, "a table has two columns, found %s in this line", column < 2 ? "one" : "more");
    }
    if (decimal_comma)
        bl_advise(r->ctx, "write decimals with a point: a comma separates columns");
    else if (row == 0)
        bl_advise(r->ctx, "the first line may have a title for each column, none of them a number; # starts a comment");
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
        table_line whole = {start, end ? end : all}, line = whole;
        start = whole.end + 1;
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
                return bad_line(r, place, &whole, NULL, 3, count);
            if (!number(field, length, &value[found]) || !isfinite(value[found]))
                return bad_line(r, place, &whole, field, found + 1, count);
        }
        if (found == 0)
            continue;
        if (found == 1)
            return bad_line(r, place, &whole, NULL, 1, count);
        first = false;
        if (x && count > 0 && !(value[0] > x[count - 1]))
            return bl_fail(r->ctx, BL_E_MODEL, &place, "the first column of a table must increase, in this line it does not");
        if (x) {
            x[count] = value[0];
            y[count] = value[1];
        }
        count++;
    }
    *n = count;
    return BL_OK;
}
