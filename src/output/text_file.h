/* text_file: buffered output of text. The file appears under its name when it is complete. */
#ifndef BL_OUTPUT_TEXT_FILE_H
#define BL_OUTPUT_TEXT_FILE_H

#include "output/output.h"

#include <stdarg.h>

typedef struct bl_text_file {
    bl_target target;
    char *buffer;
    size_t length; /* of the text in the buffer */
} bl_text_file;

/* Appends text. Takes these conversions of printf, with a decimal point in any locale:
 *     %s %c %d %ld   as usual
 *     %g  %.7g       a double with 17 or 7 significant digits
 *     %.7G           the same, NaN where it is not finite
 *     %f             a double with at most two decimals */
void bl_put(bl_text_file *file, const char *format, ...) BL_PRINTF(2, 3);
void bl_put_bytes(bl_text_file *file, const char *text, size_t length);
/* The text in single quotes, with inner quotes doubled and without control characters, for gnuplot and Octave. */
void bl_put_quoted(bl_text_file *file, const char *text);
/* A field of a CSV table (RFC 4180): the parts (NULL-terminated) concatenated, in double quotes if needed. */
void bl_put_field(bl_text_file *file, const char *const *part);

/* The same conversions for other destinations. */
typedef void bl_append(void *to, const char *text, size_t length);
void bl_format(bl_append *append, void *to, const char *format, va_list args);

/* A complete file: opened, filled by write, closed. allow_direct: pipes and devices are accepted. */
typedef void bl_text_writer(bl_text_file *file, void *user);
bl_status bl_text_file_write(bl_context *ctx, const char *path, bool allow_direct, bl_text_writer *write, void *user);

/* The same step by step, for files that grow. Starts zeroed; close and destroy accept a file that was not opened. */
bl_status bl_text_file_create(bl_context *ctx, const char *path, bl_text_file *file);
bl_status bl_text_file_open(bl_text_file *file, bool allow_direct);
bl_status bl_text_file_close(bl_text_file *file, bool keep);
void bl_text_file_destroy(bl_text_file *file); /* removes a file that was not closed */

#endif
