/* walk: JSON texts that come with a result (RFC 8259), checked once and then walked through in place. */
#ifndef BL_REPORT_WALK_H
#define BL_REPORT_WALK_H

#include <stdbool.h>
#include <stddef.h>

/* Whether text[bytes] is one JSON object, nested no deeper than 64, with no control characters in its texts. */
bool bl_walk_check(const char *text, size_t bytes);

/* The rest is for texts that passed and are terminated. A value is a pointer to its first character; NULL is none, and gives none. */
const char *bl_walk_member(const char *object, const char *key); /* value of a key without escapes */
const char *bl_walk_first(const char *array);
const char *bl_walk_next(const char *value); /* the one behind it in its array */
const char *bl_walk_end(const char *value);  /* behind it and blanks */
double bl_walk_number(const char *value);    /* NaN: it is none */
bool bl_walk_is(const char *value, const char *word);

#endif
