/* Rows of integers: lines with blanks, commas or semicolons between numbers, or JSON (an array of rows, or an object that contains one).
 * `#` starts a comment that ends with the line, in both. */
#include "topology/chain_text.h"

#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bl_place place_of(const bl_chain_text *t, uint32_t at) {
    bl_place place = {t->file, 1, 1};
    for (uint32_t i = 0; i < at && i < t->bytes; i++) {
        if (t->text[i] == '\n') {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)t->text[i] & 0xc0) != 0x80) { /* not inside a UTF-8 character */
            place.column++;
        }
    }
    return place;
}

int bl_chain_text_line(const bl_chain_text *t, uint32_t at) { return place_of(t, at).line; }

bl_status bl_chain_text_wrong(const bl_chain_text *t, uint32_t at, const char *format, ...) {
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    bl_place place = place_of(t, at);
    return bl_fail(t->ctx, BL_E_MODEL, &place, "%s", what);
}

/* ---- what is next */

/* 0: the end */
static char peek(const bl_chain_text *t) { return t->next < t->bytes ? t->text[t->next] : '\0'; }

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* blanks and comments; also line ends if they have no meaning */
static void skip(bl_chain_text *t, bool lines) {
    for (; t->next < t->bytes; t->next++) {
        char c = peek(t);
        if (c == '#') {
            const char *end = memchr(t->text + t->next, '\n', t->bytes - t->next);
            t->next = end ? (uint32_t)(end - t->text) : t->bytes;
            c = peek(t);
        }
        if (!is_blank(c) && !(lines && c == '\n'))
            return;
    }
}

static bool ends_word(char c) { return c == '\0' || is_blank(c) || strchr("\n,;#[]{}:\"", c); }

/* the next word, for messages */
static bl_status unexpected(const bl_chain_text *t, const char *wanted) {
    uint32_t end = t->next;
    while (end < t->bytes && end - t->next < 40 && !ends_word(t->text[end]))
        end++;
    if (end == t->next && end < t->bytes)
        end++;
    if (end == t->next || t->text[t->next] == '\n')
        return bl_chain_text_wrong(t, t->next, "expected %s, found the end of the %s", wanted, end == t->next ? "file" : "line");
    return bl_chain_text_wrong(t, t->next, "expected %s, found '%.*s'", wanted, (int)(end - t->next), t->text + t->next);
}

/* digits, or any other notation of an integer (1.0, 1e0: programs write tables like this) */
static bl_status read_number(bl_chain_text *t, bl_chain_number *out) {
    uint32_t end = t->next;
    int64_t value = 0;
    bool digits = true;
    for (; end < t->bytes && !ends_word(t->text[end]); end++) {
        digits = digits && t->text[end] >= '0' && t->text[end] <= '9' && end - t->next < 9;
        value = digits ? 10 * value + (t->text[end] - '0') : 0;
    }
    if (end == t->next)
        return unexpected(t, "a number");
    out->at = t->next;
    out->value = (int32_t)value;
    if (!digits) {
        char word[64];
        double number = NAN;
        int length = (int)(end - t->next);
        snprintf(word, sizeof word, "%.*s", length < 63 ? length : 63, t->text + t->next);
        if (length > 63 || !bl_text_number(word, &number) || isnan(number))
            return bl_chain_text_wrong(t, t->next, "'%.40s' is not a number", word);
        if (number != floor(number))
            return bl_chain_text_wrong(t, t->next, "%.40s is not an integer", word);
        if (fabs(number) > INT32_MAX)
            return bl_chain_text_wrong(t, t->next, "%.40s is out of range", word);
        out->value = (int32_t)number;
    }
    t->next = end;
    return BL_OK;
}

/* ---- rows */

static bl_status add_number(bl_chain_text *t) {
    bl_chain_number number;
    BL_TRY(read_number(t, &number));
    BL_TRY(BL_RESERVE(t->ctx, t->number, t->number_room, t->nnumber + 1));
    t->number[t->nnumber++] = number;
    return BL_OK;
}

static bl_status end_row(bl_chain_text *t) {
    BL_TRY(BL_RESERVE(t->ctx, t->begin, t->begin_room, t->nrow + 2));
    t->begin[0] = 0;
    t->begin[++t->nrow] = (uint32_t)t->nnumber;
    return BL_OK;
}

/* numbers of one line; between two of them at most one comma or semicolon, which needs a number on both sides */
static bl_status read_line(bl_chain_text *t) {
    for (bool more = true; more;) {
        BL_TRY(add_number(t));
        skip(t, false);
        bool comma = peek(t) == ',' || peek(t) == ';';
        if (comma) {
            t->next++;
            skip(t, false);
        }
        more = comma || (t->next < t->bytes && peek(t) != '\n');
    }
    return end_row(t);
}

static bl_status read_lines(bl_chain_text *t) {
    for (skip(t, true); t->next < t->bytes; skip(t, true))
        BL_TRY(read_line(t));
    return BL_OK;
}

/* ---- JSON */

static bl_status expect(bl_chain_text *t, char c, const char *wanted) {
    skip(t, true);
    if (peek(t) != c)
        return unexpected(t, wanted);
    t->next++;
    return BL_OK;
}

/* after an element: *more is true for a comma, false for the closing bracket */
static bl_status next_element(bl_chain_text *t, char close, bool *more) {
    skip(t, true);
    *more = peek(t) == ',';
    if (!*more && peek(t) != close)
        return unexpected(t, close == ']' ? "a comma or ]" : "a comma or }");
    t->next++;
    return BL_OK;
}

static bl_status read_json_rows(bl_chain_text *t) {
    bool rows = true, numbers;
    BL_TRY(expect(t, '[', "'[' (an array of rows)"));
    skip(t, true);
    if (peek(t) == ']') {
        t->next++;
        return BL_OK;
    }
    while (rows) {
        BL_TRY(expect(t, '[', "'[' (a row of numbers)"));
        for (numbers = true; numbers;) {
            skip(t, true);
            BL_TRY(add_number(t));
            BL_TRY(next_element(t, ']', &numbers));
        }
        BL_TRY(end_row(t));
        BL_TRY(next_element(t, ']', &rows));
    }
    return BL_OK;
}

static bl_status read_member(bl_chain_text *t) {
    static const char *const keys[] = {"links", "matrix", "pairs"};
    char word[32];
    BL_TRY(expect(t, '"', "a key in quotes"));
    uint32_t at = t->next, length = 0;
    while (at + length < t->bytes && t->text[at + length] != '"' && t->text[at + length] != '\n')
        length++;
    snprintf(word, sizeof word, "%.*s", length < 31 ? (int)length : 31, t->text + at);
    t->next = at + length;
    BL_TRY(expect(t, '"', "a closing quote"));
    BL_TRY(expect(t, ':', "a colon"));
    skip(t, true);
    if (strcmp(word, "links") == 0) {
        if (t->links.value != 0)
            return bl_chain_text_wrong(t, at, "\"links\" is given twice");
        BL_TRY(read_number(t, &t->links));
        return t->links.value > 0 ? BL_OK : bl_chain_text_wrong(t, t->links.at, "\"links\" must be at least 1, for the frame");
    }
    const char *const *key = strcmp(word, "matrix") == 0 ? &keys[1] : strcmp(word, "pairs") == 0 ? &keys[2] : NULL;
    if (!key) {
        bl_chain_text_wrong(t, at, "unknown key '%s'", word);
        const char *nearest = bl_nearest(word, keys, 3);
        bl_advise(t->ctx, nearest ? "did you mean '%s'?" : "use %s, or matrix", nearest ? nearest : "links and pairs");
        return BL_E_MODEL;
    }
    if (t->key)
        return bl_chain_text_wrong(t, at, "\"matrix\" or \"pairs\" is given twice");
    t->key = *key;
    return read_json_rows(t);
}

static bl_status read_object(bl_chain_text *t) {
    uint32_t start = t->next++;
    bool more = true;
    skip(t, true);
    if (peek(t) == '}') {
        t->next++;
        more = false;
    }
    while (more) {
        BL_TRY(read_member(t));
        BL_TRY(next_element(t, '}', &more));
    }
    return t->key ? BL_OK : bl_chain_text_wrong(t, start, "\"pairs\" is missing");
}

static bl_status read_json(bl_chain_text *t) {
    BL_TRY(peek(t) == '{' ? read_object(t) : read_json_rows(t));
    skip(t, true);
    return t->next == t->bytes ? BL_OK : bl_chain_text_wrong(t, t->next, "unexpected text after the end of the JSON value");
}

/* ---- complete text */

bl_status bl_chain_text_scan(bl_chain_text *t) {
    const char *zero = memchr(t->text, '\0', t->bytes);
    if (zero)
        return bl_chain_text_wrong(t, (uint32_t)(zero - t->text), "not a text file: it contains a zero byte");
    if (t->bytes >= 3 && memcmp(t->text, "\xef\xbb\xbf", 3) == 0) /* byte order mark */
        t->next = 3;
    skip(t, true);
    BL_TRY(peek(t) == '[' || peek(t) == '{' ? read_json(t) : read_lines(t));
    return t->nrow > 0 ? BL_OK : bl_chain_text_wrong(t, 0, "the file is empty: it contains no links and pairs");
}

void bl_chain_text_free(bl_chain_text *t) {
    bl_free(t->ctx, t->number);
    bl_free(t->ctx, t->begin);
    t->number = NULL;
    t->begin = NULL;
}
