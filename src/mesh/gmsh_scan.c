/* Reads numbers from the bytes of a Gmsh file, text or binary. Messages give the line or byte and what was expected; they do not quote the
 * file, which may contain anything. Nothing is read beyond the last byte; text needs no terminator. */
#include "mesh/gmsh.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORD = 64 }; /* longest number */

int64_t bl_scan_spot(const bl_scan *s) { return s->binary_file ? (int64_t)s->at : s->line; }

bl_status bl_scan_fail(const bl_scan *s, int64_t spot, const char *format, ...) {
    char text[384];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bl_place place = {s->name, 0, 0};
    if (s->binary_file)
        return bl_fail(s->ctx, BL_E_MODEL, &place, "byte %lld: %s", (long long)spot, text);
    place.line = (int)(spot < INT_MAX ? spot : INT_MAX);
    place.column = 1;
    return bl_fail(s->ctx, BL_E_MODEL, &place, "%s", text);
}

/* ---- text */

static bool is_blank(unsigned char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool ends_word(const bl_scan *s, size_t at) { return at >= s->count || is_blank(s->bytes[at]) || s->bytes[at] == '\n'; }

static void skip_blanks(bl_scan *s) {
    while (s->at < s->count && is_blank(s->bytes[s->at]))
        s->at++;
}

void bl_scan_record(bl_scan *s) {
    if (s->binary)
        return;
    for (;;) {
        skip_blanks(s);
        if (s->at >= s->count || s->bytes[s->at] != '\n')
            return;
        s->at++;
        s->line++;
    }
}

bl_status bl_scan_record_end(bl_scan *s) {
    if (s->binary)
        return BL_OK;
    skip_blanks(s);
    if (s->at >= s->count)
        return BL_OK;
    if (s->bytes[s->at] != '\n')
        return bl_scan_fail(s, bl_scan_spot(s), "expected the end of the line, found more text");
    s->at++;
    s->line++;
    return BL_OK;
}

/* to the next word of this line; *length > 0 */
static bl_status next_word(bl_scan *s, const char *what, size_t *length) {
    skip_blanks(s);
    size_t end = s->at;
    while (!ends_word(s, end))
        end++;
    *length = end - s->at;
    if (*length > 0)
        return BL_OK;
    return bl_scan_fail(s, bl_scan_spot(s), "expected %s, found the end of the %s", what, s->at >= s->count ? "file" : "line");
}

static bl_status text_integer(bl_scan *s, const char *what, int64_t *out) {
    size_t length, digit = 0;
    BL_TRY(next_word(s, what, &length));
    const unsigned char *word = s->bytes + s->at;
    bool negative = word[0] == '-', large = false;
    int64_t value = 0;
    if (negative || word[0] == '+')
        digit = 1;
    bool all_digits = digit < length;
    for (; digit < length && all_digits; digit++) {
        all_digits = word[digit] >= '0' && word[digit] <= '9';
        large = large || value > INT64_MAX / 10 - 1;
        if (all_digits && !large)
            value = 10 * value + (word[digit] - '0');
    }
    if (!all_digits)
        return bl_scan_fail(s, bl_scan_spot(s), "expected %s, an integer, found something else", what);
    if (large)
        return bl_scan_fail(s, bl_scan_spot(s), "%s is too large for an integer", what);
    s->at += length;
    *out = negative ? -value : value;
    return BL_OK;
}

static size_t digits(const char **word) {
    const char *start = *word;
    while (**word >= '0' && **word <= '9')
        ++*word;
    return (size_t)(*word - start);
}

/* "-1.5e-3", no spaces, no words, no hexadecimal digits; *point: its decimal point or NULL */
static bool is_number(const char *word, const char **point) {
    word += *word == '+' || *word == '-';
    size_t n = digits(&word);
    *point = *word == '.' ? word++ : NULL;
    if (*point)
        n += digits(&word);
    if (n == 0)
        return false;
    if (*word == 'e' || *word == 'E') {
        word++;
        word += *word == '+' || *word == '-';
        if (digits(&word) == 0)
            return false;
    }
    return *word == '\0';
}

static bl_status text_number(bl_scan *s, const char *what, double *out) {
    size_t length;
    BL_TRY(next_word(s, what, &length));
    char word[WORD + 1], local[WORD + 16];
    const char *point;
    bool fits = length <= WORD;
    memcpy(word, s->bytes + s->at, fits ? length : 0);
    word[fits ? length : 0] = '\0';
    if (!fits || !is_number(word, &point))
        return bl_scan_fail(s, bl_scan_spot(s), "expected %s, a number, found something else", what);
    /* strtod uses the decimal point of the locale, the file does not */
    const char *mark = localeconv()->decimal_point;
    if (point && strcmp(mark, ".") != 0) {
        snprintf(local, sizeof local, "%.*s%.8s%s", (int)(point - word), word, mark, point + 1);
        *out = strtod(local, NULL);
    } else {
        *out = strtod(word, NULL);
    }
    if (!isfinite(*out))
        return bl_scan_fail(s, bl_scan_spot(s), "%s is too large for a number", what);
    s->at += length;
    return BL_OK;
}

/* ---- binary */

static bl_status take(bl_scan *s, const char *what, void *out, size_t n) {
    if (s->count - s->at < n)
        return bl_scan_fail(s, bl_scan_spot(s), "expected %s, %zu bytes, found the end of the file", what, n);
    memcpy(out, s->bytes + s->at, n);
    s->at += n;
    return BL_OK;
}

/* ---- both */

static bl_status within(const bl_scan *s, int64_t spot, const char *what, int64_t low, int64_t high, int64_t value) {
    if (value >= low && value <= high)
        return BL_OK;
    return bl_scan_fail(s, spot, "%s is %lld; it must be from %lld to %lld", what, (long long)value, (long long)low, (long long)high);
}

bl_status bl_scan_int(bl_scan *s, const char *what, int32_t low, int32_t high, bl_index *out) {
    int64_t spot = bl_scan_spot(s), value = 0;
    if (s->binary) {
        int32_t four = 0;
        BL_TRY(take(s, what, &four, sizeof four));
        value = four;
    } else {
        BL_TRY(text_integer(s, what, &value));
    }
    BL_TRY(within(s, spot, what, low, high, value));
    *out = (bl_index)value;
    return BL_OK;
}

bl_status bl_scan_size(bl_scan *s, const char *what, int64_t low, int64_t high, int64_t *out) {
    int64_t spot = bl_scan_spot(s);
    if (s->binary)
        BL_TRY(take(s, what, out,
                    sizeof *out)); /* unsigned in the file: larger values become negative here and are refused as below the limit */
    else
        BL_TRY(text_integer(s, what, out));
    return within(s, spot, what, low, high, *out);
}

bl_status bl_scan_number(bl_scan *s, const char *what, double *out) {
    int64_t spot = bl_scan_spot(s);
    if (!s->binary)
        return text_number(s, what, out);
    BL_TRY(take(s, what, out, sizeof *out));
    return isfinite(*out) ? BL_OK : bl_scan_fail(s, spot, "%s is not finite", what);
}

bl_status bl_scan_fits(const bl_scan *s, int64_t spot, int64_t n, size_t bytes_each, const char *what) {
    size_t left = s->count - s->at;
    if ((uint64_t)n <= left / bytes_each)
        return BL_OK;
    return bl_scan_fail(s, spot, "%lld %s are announced, but the file has only %zu more bytes", (long long)n, what, left);
}

bl_status bl_scan_skip(bl_scan *s, const char *what, int64_t n, size_t bytes_each) {
    if ((uint64_t)n > (s->count - s->at) / (s->binary ? bytes_each : 1))
        return bl_scan_fail(s, bl_scan_spot(s), "expected %s, %lld times, but the file has only %zu more bytes", what, (long long)n,
                            s->count - s->at);
    if (s->binary)
        s->at += (size_t)n * bytes_each;
    for (int64_t k = 0; !s->binary && k < n; k++) {
        size_t length;
        BL_TRY(next_word(s, what, &length));
        s->at += length;
    }
    return BL_OK;
}
