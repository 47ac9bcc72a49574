/* Text formatted independent of the locale, buffered and written to a target. */
#include "output/text_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 16 };

void bl_put_bytes(bl_text_file *file, const char *text, size_t length) {
    if (length > BUFFER_BYTES - file->length) {
        bl_target_append(&file->target, file->buffer, file->length);
        file->length = 0;
    }
    if (length > BUFFER_BYTES) {
        bl_target_append(&file->target, text, length);
    } else {
        memcpy(file->buffer + file->length, text, length);
        file->length += length;
    }
}

/* ---- formats */

/* "-1.05", "3.5", "7" */
static size_t hundredths_text(double value, char text[BL_NUMBER_BYTES]) {
    long hundredths = lround(fabs(value) * 100);
    size_t room = BL_NUMBER_BYTES;
    int n = snprintf(text, room, "%s%ld", value < 0 && hundredths ? "-" : "", hundredths / 100);
    if (hundredths % 10)
        n += snprintf(text + n, room - (size_t)n, ".%02ld", hundredths % 100);
    else if (hundredths % 100)
        n += snprintf(text + n, room - (size_t)n, ".%ld", hundredths % 100 / 10);
    return (size_t)n;
}

static size_t double_text(char conversion, int digits, double value, char text[BL_NUMBER_BYTES]) {
    if (conversion == 'f')
        return hundredths_text(value, text);
    if (conversion == 'G' && !isfinite(value))
        return (size_t)snprintf(text, BL_NUMBER_BYTES, "NaN");
    return bl_digits_text(value, digits, text);
}

void bl_format(bl_append *append, void *to, const char *format, va_list args) {
    for (const char *at = strchr(format, '%'); at; at = strchr(format, '%')) {
        char text[BL_NUMBER_BYTES];
        const char *value = text;
        size_t length;
        int digits = 17;
        append(to, format, (size_t)(at - format));
        if (*++at == '.')
            for (digits = 0, at++; *at >= '0' && *at <= '9'; at++)
                digits = 10 * digits + (*at - '0');
        switch (*at) {
        case '%': text[0] = '%', length = 1; break;
        case 's': length = strlen(value = va_arg(args, const char *)); break;
        case 'c': text[0] = (char)va_arg(args, int), length = 1; break;
        case 'd': length = (size_t)snprintf(text, sizeof text, "%d", va_arg(args, int)); break;
        case 'l': length = (size_t)snprintf(text, sizeof text, "%ld", va_arg(args, long)), at++; break;
        default: length = double_text(*at, digits, va_arg(args, double), text); break;
        }
        append(to, value, length);
        format = at + 1;
    }
    append(to, format, strlen(format));
}

static void append_to_file(void *to, const char *text, size_t length) { bl_put_bytes(to, text, length); }

void bl_put(bl_text_file *file, const char *format, ...) {
    va_list args;
    va_start(args, format);
    bl_format(append_to_file, file, format, args);
    va_end(args);
}

void bl_put_quoted(bl_text_file *file, const char *text) {
    bl_put_bytes(file, "'", 1);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '\'')
            bl_put_bytes(file, "''", 2);
        else
            bl_put_bytes(file, c < 0x20 || c == 0x7F ? "?" : text, 1);
    }
    bl_put_bytes(file, "'", 1);
}

void bl_put_field(bl_text_file *file, const char *const *part) {
    bool quote = false;
    for (int k = 0; part[k]; k++)
        quote = quote || strpbrk(part[k], ",\"\n\r");
    bl_put_bytes(file, "\"", quote);
    for (int k = 0; part[k]; k++)
        for (const char *c = part[k]; *c; c++) {
            bl_put_bytes(file, "\"", *c == '"');
            bl_put_bytes(file, c, 1);
        }
    bl_put_bytes(file, "\"", quote);
}

/* ---- the file */

bl_status bl_text_file_create(bl_context *ctx, const char *path, bl_text_file *file) {
    *file = (bl_text_file){0};
    return bl_target_create(ctx, path, &file->target);
}

bl_status bl_text_file_open(bl_text_file *file, bool allow_direct) {
    if (!file->buffer)
        BL_TRY(BL_NEW(file->target.ctx, file->buffer, BUFFER_BYTES));
    file->length = 0;
    return bl_target_open(&file->target, allow_direct);
}

bl_status bl_text_file_close(bl_text_file *file, bool keep) {
    if (file->target.fd >= 0)
        bl_target_append(&file->target, file->buffer, file->length);
    return bl_target_close(&file->target, keep);
}

void bl_text_file_destroy(bl_text_file *file) {
    bl_target_close(&file->target, false);
    bl_free(file->target.ctx, file->buffer);
    bl_target_destroy(&file->target);
}

bl_status bl_text_file_write(bl_context *ctx, const char *path, bool allow_direct, bl_text_writer *write, void *user) {
    bl_text_file file;
    BL_TRY(bl_text_file_create(ctx, path, &file));
    bl_status status = bl_text_file_open(&file, allow_direct);
    if (status == BL_OK) {
        write(&file, user);
        status = bl_text_file_close(&file, true);
    }
    bl_text_file_destroy(&file);
    return status;
}
