/* Numbers and JSON as text. A double written with 17 significant digits reads back to the same bits
 * (IEEE 754-2008, 5.12.2); JSON strings are RFC 8259, section 7, in UTF-8. */
#include "output/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t bl_digits_text(double value, int digits, char text[BL_NUMBER_BYTES]) {
    if (!isfinite(value)) {
        const char *word = isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
        size_t length = strlen(word);
        memcpy(text, word, length + 1);
        return length;
    }
    /* most numbers in figures are small integers, for which this is ten times faster than printf; not for -0, which keeps its sign */
    if (digits >= 9 && fabs(value) < 1e9 && value == floor(value) && !(value == 0 && signbit(value))) {
        char digit[12];
        size_t n = 0, length = 0;
        for (uint32_t rest = (uint32_t)fabs(value); rest > 0 || n == 0; rest /= 10)
            digit[n++] = (char)('0' + rest % 10);
        if (value < 0)
            text[length++] = '-';
        while (n > 0)
            text[length++] = digit[--n];
        text[length] = '\0';
        return length;
    }
    int n = snprintf(text, BL_NUMBER_BYTES, "%.*g", digits, value);
    size_t length = 0;
    /* replaces the decimal separator of the locale by a point */
    for (int i = 0; i < n && i < BL_NUMBER_BYTES - 1; i++) {
        if (strchr("0123456789+-e", text[i]))
            text[length++] = text[i];
        else if (length == 0 || text[length - 1] != '.')
            text[length++] = '.';
    }
    text[length] = '\0';
    return length;
}

const char *bl_outcome_text(bl_status status) { return status == BL_STOPPED ? "stopped" : bl_status_text(status); }

bool bl_outcome_good(bl_status status) { return status == BL_OK || status == BL_EVENT || status == BL_STOPPED; }

/* ---- JSON */

static void append(bl_json *json, const char *text, size_t length) {
    if (json->status != BL_OK)
        return;
    if (length >= json->capacity - json->length) { /* including the terminator */
        size_t capacity = json->capacity ? json->capacity : 1024;
        while (capacity - json->length <= length)
            capacity *= 2;
        char *grown = bl_resize(json->ctx, json->text, capacity, 1);
        if (!grown) {
            json->status = BL_E_MEMORY;
            return;
        }
        json->text = grown;
        json->capacity = capacity;
    }
    memcpy(json->text + json->length, text, length);
    json->length += length;
    json->text[json->length] = '\0';
}

/* bytes of the well-formed UTF-8 sequence at s (Unicode 15, table 3-7), 0 if there is none; s is terminated */
static int sequence(const unsigned char *s) {
    if (s[0] < 0x80)
        return 1;
    int n = s[0] >= 0xC2 && s[0] <= 0xDF ? 2 : (s[0] & 0xF0) == 0xE0 ? 3 : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    bool overlong = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xF0 && s[1] < 0x90);
    bool beyond = (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF4 && s[1] > 0x8F); /* surrogates; above U+10FFFF */
    return n && (overlong || beyond) ? 0 : n;
}

static void append_quoted(bl_json *json, const char *text) {
    static const char short_code[5] = {'\b', '\f', '\n', '\r', '\t'};
    append(json, "\"", 1);
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        int n = sequence(s);
        if (n == 0) {
            append(json, "\xEF\xBF\xBD", 3);
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            append(json, (char[]){'\\', (char)*s}, 2);
        } else if (*s < 0x20 || *s == 0x7F) {
            const char *at = memchr(short_code, *s, sizeof short_code);
            char code[8];
            int length = at ? snprintf(code, sizeof code, "\\%c", "bfnrt"[at - short_code]) : snprintf(code, sizeof code, "\\u%04x", *s);
            append(json, code, (size_t)length);
        } else if (*s == 0xC2 && s[1] < 0xA0) { /* C1 controls: valid in JSON, but terminals act on them */
            char code[8];
            append(json, code, (size_t)snprintf(code, sizeof code, "\\u%04x", s[1]));
        } else {
            append(json, (const char *)s, (size_t)n);
        }
        s += n;
    }
    append(json, "\"", 1);
}

static void before_value(bl_json *json, const char *key) {
    if (json->comma)
        append(json, ",", 1);
    json->comma = true;
    if (key) {
        append_quoted(json, key);
        append(json, ":", 1);
    }
}

void bl_json_open(bl_json *json, const char *key, char bracket) {
    before_value(json, key);
    append(json, &bracket, 1);
    json->comma = false;
}

void bl_json_close(bl_json *json, char bracket) {
    append(json, &bracket, 1);
    json->comma = true;
}

void bl_json_text(bl_json *json, const char *key, const char *value) {
    before_value(json, key);
    if (value)
        append_quoted(json, value);
    else
        append(json, "null", 4);
}

void bl_json_digits(bl_json *json, const char *key, double value, int digits) {
    char text[BL_NUMBER_BYTES] = "null";
    before_value(json, key);
    append(json, text, isfinite(value) ? bl_digits_text(value, digits < 1 ? 1 : digits > 17 ? 17 : digits, text) : 4);
}

void bl_json_number(bl_json *json, const char *key, double value) { bl_json_digits(json, key, value, 17); }

void bl_json_numbers(bl_json *json, const char *key, const double *value, bl_index count) {
    bl_json_open(json, key, '[');
    for (bl_index i = 0; i < count; i++)
        bl_json_number(json, NULL, value[i]);
    bl_json_close(json, ']');
}

void bl_json_integer(bl_json *json, const char *key, long value) {
    char text[24];
    before_value(json, key);
    append(json, text, (size_t)snprintf(text, sizeof text, "%ld", value));
}

void bl_json_index(bl_json *json, const char *key, long value) {
    if (value >= 0)
        bl_json_integer(json, key, value);
    else
        bl_json_text(json, key, NULL);
}

void bl_json_texts(bl_json *json, const char *key, const char *const *value, bl_index count) {
    bl_json_open(json, key, '[');
    for (bl_index i = 0; i < count; i++)
        bl_json_text(json, NULL, value[i]);
    bl_json_close(json, ']');
}

void bl_json_pairs(bl_json *json, const bl_json_pair *pair, bl_index count) {
    for (bl_index i = 0; i < count; i++)
        bl_json_number(json, pair[i].key, pair[i].value);
}

void bl_json_object(bl_json *json, const char *key, const bl_json_pair *pair, bl_index count) {
    bl_json_open(json, key, '{');
    bl_json_pairs(json, pair, count);
    bl_json_close(json, '}');
}

void bl_json_flag(bl_json *json, const char *key, bool value) {
    before_value(json, key);
    append(json, value ? "true" : "false", value ? 4 : 5);
}

void bl_json_raw(bl_json *json, const char *key, const char *text) {
    before_value(json, key);
    append(json, text, strlen(text));
}

static const char *or_null(const char *text) { return text[0] ? text : NULL; }

void bl_json_error(bl_json *json, const char *key, const bl_error *error) {
    bl_json_open(json, key, '{');
    bl_json_text(json, "what", error->what[0] ? error->what : bl_status_text(error->status));
    bl_json_text(json, "advice", or_null(error->advice));
    bl_json_text(json, "file", or_null(error->file));
    bl_json_index(json, "line", error->line > 0 ? error->line : -1);
    bl_json_index(json, "column", error->column > 0 ? error->column : -1);
    bl_json_text(json, "part", or_null(error->part));
    bl_json_text(json, "equation", or_null(error->equation));
    bl_json_number(json, "time", error->time);
    bl_json_close(json, '}');
}

void bl_json_destroy(bl_json *json) {
    bl_free(json->ctx, json->text);
    *json = (bl_json){.ctx = json->ctx};
}
