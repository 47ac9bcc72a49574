/* JSON read back, strictly (RFC 8259), by an independent reader, so that the library does not check its own output. */
#ifndef BL_TEST_JSON_TREE_H
#define BL_TEST_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum test_json_what {
    TEST_JSON_NULL,
    TEST_JSON_FLAG,
    TEST_JSON_NUMBER,
    TEST_JSON_TEXT,
    TEST_JSON_LIST,
    TEST_JSON_MAP
} test_json_what;

typedef struct test_json {
    test_json_what what;
    double number; /* FLAG: 0 or 1 */
    char *text;
    size_t count; /* of item, and key of a map */
    char **key;
    struct test_json **item;
} test_json;

/* Fails the test with the position if the text is not JSON. */
test_json *test_json_read(const char *text, size_t bytes);
void test_json_free(test_json *json);

/* Of maps: NULL when absent. */
const test_json *test_json_find(const test_json *map, const char *key);
/* The same; fail the test when it is absent or something else. */
const test_json *test_json_list(const test_json *map, const char *key);
const char *test_json_text(const test_json *map, const char *key);
double test_json_number(const test_json *map, const char *key);
void test_json_numbers(const test_json *map, const char *key, size_t count, double *value);

#endif
