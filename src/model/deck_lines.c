/* Data lines: fields separated by commas, blanks ignored; integers, and numbers in Fortran notation (1.D5). */
#include "model/deck_reader.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void bl_line_begin(bl_deck_line *line, const bl_deck_reader *d, const bl_card *card) {
    line->deck = d;
    line->card = card;
    line->chunk = 0;
    line->at = 0;
    line->line = card->nchunk ? card->chunk[0].line : 0;
    line->place = card->place;
    line->n = 0;
}

/* text[length] without blanks into fields */
static bl_status split(bl_deck_line *line, const char *text, size_t length) {
    size_t used = 0;
    line->n = 0;
    if (length > BL_DECK_LINE)
        return bl_fail(line->deck->ctx, BL_E_MODEL, &line->place, "the line is longer than %d characters", BL_DECK_LINE);
    for (size_t i = 0; i < length;) {
        if (line->n == BL_DECK_FIELDS)
            return bl_fail(line->deck->ctx, BL_E_MODEL, &line->place, "the line has more than %d entries", BL_DECK_FIELDS);
        char *field = line->text + used;
        int column = 0;
        for (; i < length && text[i] != ','; i++) {
            unsigned char c = (unsigned char)text[i];
            if (c == ' ' || c == '\t' || c == '\r')
                continue;
            column = column ? column : (int)i + 1;
            if (c < 32 || c > 126)
                return bl_fail(line->deck->ctx, BL_E_MODEL, &(bl_place){line->place.file, line->place.line, (int)i + 1},
                               "a data line of *%s contains the byte 0x%02x; only printable ASCII characters are allowed", line->card->name,
                               c);
            line->text[used++] = (char)c;
        }
        line->text[used++] = '\0';
        line->column[line->n] = column ? column : (int)i + 1;
        line->field[line->n++] = field;
        i += i < length;
    }
    while (line->n && !line->field[line->n - 1][0])
        line->n--;
    return BL_OK;
}

static bool is_blank(const char *text, size_t length) {
    size_t i = 0;
    while (i < length && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r'))
        i++;
    return i == length || (length - i >= 2 && text[i] == '*' && text[i + 1] == '*');
}

bl_status bl_line_next(bl_deck_line *line, bool *more) {
    *more = false;
    while (line->chunk < line->card->nchunk) {
        const bl_card_chunk *chunk = &line->card->chunk[line->chunk];
        if (line->at >= chunk->bytes) {
            line->at = 0;
            if (++line->chunk < line->card->nchunk)
                line->line = line->card->chunk[line->chunk].line;
            continue;
        }
        const char *text = chunk->text + line->at, *end = memchr(text, '\n', chunk->bytes - line->at);
        size_t length = end ? (size_t)(end - text) : chunk->bytes - line->at;
        line->at += length + (end != NULL);
        line->place = (bl_place){chunk->file, line->line++, 1};
        if (is_blank(text, length))
            continue;
        *more = true;
        return split(line, text, length);
    }
    return BL_OK;
}

bl_status bl_line_need(bl_deck_line *line, const char *what) {
    bool more;
    BL_TRY(bl_line_next(line, &more));
    if (more)
        return BL_OK;
    return bl_fail(line->deck->ctx, BL_E_MODEL, &line->place, "*%s needs a data line: %s", line->card->name, what);
}

bool bl_line_has(const bl_deck_line *line, int k) { return k < line->n && line->field[k][0]; }

bl_place bl_line_place(const bl_deck_line *line, int k) {
    return (bl_place){line->place.file, line->place.line, k < line->n ? line->column[k] : 1};
}

bl_status bl_line_most(const bl_deck_line *line, int n) {
    if (line->n <= n)
        return BL_OK;
    bl_place place = bl_line_place(line, n);
    return bl_fail(line->deck->ctx, BL_E_MODEL, &place, "this data line of *%s can have at most %d entries, found '%.40s' after them",
                   line->card->name, n, line->field[n]);
}

static bl_status missing(const bl_deck_line *line, int k, const char *what) {
    bl_place place = bl_line_place(line, k);
    return bl_fail(line->deck->ctx, BL_E_MODEL, &place, "*%s: entry %d of the line, %s, is missing", line->card->name, k + 1, what);
}

bl_status bl_line_int(const bl_deck_line *line, int k, const char *what, bl_index low, bl_index high, bl_index *out) {
    if (!bl_line_has(line, k))
        return missing(line, k, what);
    const char *text = line->field[k];
    bl_place place = bl_line_place(line, k);
    bool negative = *text == '-';
    int64_t value = 0;
    const char *digit = text + (*text == '-' || *text == '+');
    bool valid = *digit != '\0';
    for (; *digit; digit++) {
        valid = valid && *digit >= '0' && *digit <= '9';
        value = valid && value <= INT32_MAX ? 10 * value + (*digit - '0') : value;
    }
    if (!valid)
        return bl_fail(line->deck->ctx, BL_E_MODEL, &place, "*%s: %s must be an integer, found '%.40s'", line->card->name, what, text);
    value = negative ? -value : value;
    if (value < low || value > high)
        return bl_fail(line->deck->ctx, BL_E_MODEL, &place, "*%s: %s must be from %lld to %lld, found %.40s", line->card->name, what,
                       (long long)low, (long long)high, text);
    *out = (bl_index)value;
    return BL_OK;
}

bool bl_deck_number(const char *text, double *value) {
    char copy[64];
    size_t n = strlen(text);
    if (n >= sizeof copy)
        return false;
    memcpy(copy, text, n + 1);
    for (char *c = copy; *c; c++)
        if (*c == 'd' || *c == 'D')
            *c = 'e';
    return bl_text_number(copy, value) && isfinite(*value);
}

bl_status bl_line_number(const bl_deck_line *line, int k, const char *what, double *out) {
    if (!bl_line_has(line, k))
        return missing(line, k, what);
    if (bl_deck_number(line->field[k], out))
        return BL_OK;
    bl_place place = bl_line_place(line, k);
    return bl_fail(line->deck->ctx, BL_E_MODEL, &place, "*%s: %s must be a number, found '%.40s'", line->card->name, what, line->field[k]);
}

bl_status bl_line_int_or(const bl_deck_line *line, int k, const char *what, bl_index low, bl_index high, bl_index *out) {
    return bl_line_has(line, k) ? bl_line_int(line, k, what, low, high, out) : BL_OK;
}

bl_status bl_line_number_or(const bl_deck_line *line, int k, const char *what, double *out) {
    return bl_line_has(line, k) ? bl_line_number(line, k, what, out) : BL_OK;
}

bool bl_deck_is_count(const char *text) {
    size_t n = strspn(text, "0123456789");
    return n > 0 && !text[n];
}
