/* text_file: a text on its way into a file. It is collected in a buffer; the file appears under its name when it is complete. */
#ifndef BL_OUTPUT_TEXT_FILE_H
#define BL_OUTPUT_TEXT_FILE_H

#include "output/output.h"

#include <stdarg.h>

typedef struct bl_text_file {
    bl_target target;
    char *buffer;
    size_t length; /* of what waits in the buffer */
} bl_text_file;

/* Puts a text in. These conversions of printf, with a point in numbers whatever the locale says:
 *     %s %c %d %ld   as usual
 *     %g  %.7g       a double with 17 or 7 significant digits
 *     %.7G           the same, NaN where it is not finite
 *     %f             a double with at most two decimals */
void bl_put(bl_text_file *file, const char *format, ...) BL_PRINTF(2, 3);
void bl_put_bytes(bl_text_file *file, const char *text, size_t length);
/* The text between single quotes, those inside doubled, without control characters: as gnuplot and Octave read it. */
void bl_put_quoted(bl_text_file *file, const char *text);
/* A field of a CSV table (RFC 4180): the parts one after the other, NULL at their end, in double quotes where it needs them. */
void bl_put_field(bl_text_file *file, const char *const *part);

/* The same conversions for texts that go elsewhere. */
typedef void bl_append(void *to, const char *text, size_t length);
void bl_format(bl_append *append, void *to, const char *format, va_list args);

/* A complete file: opened, filled by write, closed. allow_direct: pipes and devices will do. */
typedef void bl_text_writer(bl_text_file *file, void *user);
bl_status bl_text_file_write(bl_context *ctx, const char *path, bool allow_direct, bl_text_writer *write, void *user);

/* The same step by step, for files that grow. Zeroed, then created; close and destroy accept what was not opened. */
bl_status bl_text_file_create(bl_context *ctx, const char *path, bl_text_file *file);
bl_status bl_text_file_open(bl_text_file *file, bool allow_direct);
bl_status bl_text_file_close(bl_text_file *file, bool keep);
void bl_text_file_destroy(bl_text_file *file); /* what was not closed is removed */

#endif
