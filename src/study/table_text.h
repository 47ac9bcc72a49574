/* table_text: text files of tables with headings, line by line. For measured motions (recording.c) and inputs over time (input_table.c). */
#ifndef BL_STUDY_TABLE_TEXT_H
#define BL_STUDY_TABLE_TEXT_H

#include "base/base.h"

enum { BL_TABLE_COLUMNS = 4096 }; /* at most */

typedef struct bl_field_text {
    const char *at;
    size_t length;
} bl_field_text;

/* A file of at most study_recorded_bytes as text[*bytes + 1]; the caller frees it, also after failure. */
bl_status bl_table_text_load(bl_context *ctx, const char *path, char **text, size_t *bytes);
/* *text: behind a byte order mark. Refuses what is not text. */
bl_status bl_table_text_begin(bl_context *ctx, const char *file, const char **text, const char *all);
/* The next line [*begin, *end) from *start, the number of lines so far in *number; skips comments (#) and empty lines. False: the text
 * ends. */
bool bl_table_line(const char **start, const char *all, int *number, const char **begin, const char **end);
/* What separates the fields of a table: ';', a tab, ',' or ' ', from the line of its headings. */
char bl_table_separator(const char *begin, const char *end);
/* The next field of a line [*at, end), without quotes; *at is NULL after the last. False: there is none. */
bool bl_table_field(const char **at, const char *end, char separator, bl_field_text *field);
bool bl_field_is(bl_field_text field, const char *text);
bool bl_field_number(bl_field_text field, double *value); /* false: not a number */

#endif
