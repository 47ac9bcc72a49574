/* JSON writer, used for all JSON output of the program, and functions to read JSON.
 *
 *     bl_json json = {.ctx = ctx};
 *     bl_json_open(&json, NULL, '{');
 *     bl_json_number(&json, "t", 0.5);
 *     bl_json_close(&json, '}');
 *
 * key is NULL inside arrays and for the outermost value. After a failure json.status holds the error, and later calls do nothing. */
#ifndef BIELA_JSON_H
#define BIELA_JSON_H

#include "biela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A zeroed struct with ctx set is ready to use. text is terminated once something was written. */
typedef struct bl_json {
    bl_context *ctx;
    char *text;
    size_t length, capacity;
    bl_status status;
    bool comma; /* the next value follows another one */
} bl_json;

BL_API void bl_json_open(bl_json *json, const char *key, char bracket);               /* '{' or '[' */
BL_API void bl_json_close(bl_json *json, char bracket);                               /* '}' or ']' */
BL_API void bl_json_text(bl_json *json, const char *key, const char *value);          /* NULL: null; invalid UTF-8 becomes U+FFFD */
BL_API void bl_json_number(bl_json *json, const char *key, double value);             /* 17 digits; null when not finite */
BL_API void bl_json_digits(bl_json *json, const char *key, double value, int digits); /* the same with fewer digits, 1 to 17 */
BL_API void bl_json_numbers(bl_json *json, const char *key, const double *value, bl_index count); /* an array */
BL_API void bl_json_integer(bl_json *json, const char *key, long value);
BL_API void bl_json_index(bl_json *json, const char *key, long value);                               /* null when negative */
BL_API void bl_json_texts(bl_json *json, const char *key, const char *const *value, bl_index count); /* an array */
BL_API void bl_json_flag(bl_json *json, const char *key, bool value);
BL_API void bl_json_raw(bl_json *json, const char *key, const char *text); /* valid JSON text, copied unchanged */
/* {what, advice, file, line, column, part, equation, time} of bl_context_error or a copy of it */
BL_API void bl_json_error(bl_json *json, const char *key, const bl_error *error);
BL_API void bl_json_destroy(bl_json *json);

/* Several numbers at once, as members of the open object, or as a new object:
 *
 *     BL_JSON_NUMBERS(&json, {"t", t}, {"steps", summary.steps});
 *     BL_JSON_OBJECT(&json, "energy", {"kinetic", T}, {"potential", V}); */
typedef struct bl_json_pair {
    const char *key;
    double value;
} bl_json_pair;
BL_API void bl_json_pairs(bl_json *json, const bl_json_pair *pair, bl_index count);
BL_API void bl_json_object(bl_json *json, const char *key, const bl_json_pair *pair, bl_index count);
#define BL_JSON_PAIRS(...) (const bl_json_pair[]){__VA_ARGS__}, (bl_index)(sizeof((bl_json_pair[]){__VA_ARGS__}) / sizeof(bl_json_pair))
#define BL_JSON_NUMBERS(json, ...) bl_json_pairs((json), BL_JSON_PAIRS(__VA_ARGS__))
#define BL_JSON_OBJECT(json, key, ...) bl_json_object((json), (key), BL_JSON_PAIRS(__VA_ARGS__))

/* ---- reading: a text is checked once and then read in place (RFC 8259)
 *
 *     if (bl_json_check(text, bytes))
 *         for (const char *at = bl_json_first(bl_json_member(text, "joints")); at; at = bl_json_next(at))
 *             ... bl_json_is(bl_json_member(at, "name"), "j1") ... */

/* Whether text[bytes] is one JSON object, nested at most 64 deep, without control characters in its strings. */
BL_API bool bl_json_check(const char *text, size_t bytes);
/* The other functions take terminated texts; for a text that did not pass the check they return some pointer into it or NULL. A value is a
 * pointer to its first character; NULL means no value, as argument and result. */
BL_API const char *bl_json_member(const char *object, const char *key); /* value of a key without escapes */
BL_API const char *bl_json_first(const char *array);
BL_API const char *bl_json_next(const char *value); /* the next one in its array */
BL_API const char *bl_json_end(const char *value);  /* after the value and blanks */
BL_API double bl_json_value(const char *value);     /* NaN: not a number */
BL_API bool bl_json_is(const char *value, const char *word);

#ifdef __cplusplus
}
#endif
#endif
