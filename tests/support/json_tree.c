/* A strict reader of JSON. */
#include "support/json_tree.h"

#include "support/testing.h"

#include <stdlib.h>
#include <string.h>

typedef struct input {
    const char *start, *at, *end;
} input;

static void wrong(const input *in, const char *what) { fail_msg("JSON, byte %zu: %s", (size_t)(in->at - in->start), what); }

static void skip_blanks(input *in) {
    while (in->at < in->end && strchr(" \t\r\n", *in->at) && *in->at)
        in->at++;
}

static void expect(input *in, char c) {
    skip_blanks(in);
    if (in->at >= in->end || *in->at != c)
        wrong(in, "another character is expected");
    in->at++;
}

static bool take(input *in, char c) {
    skip_blanks(in);
    if (in->at >= in->end || *in->at != c)
        return false;
    in->at++;
    return true;
}

static char *read_text(input *in) {
    expect(in, '"');
    char *text = malloc((size_t)(in->end - in->at) + 1), *to = text;
    assert_non_null(text);
    while (in->at < in->end && *in->at != '"') {
        if ((unsigned char)*in->at < 0x20)
            wrong(in, "a control character in a text");
        if (*in->at != '\\') {
            *to++ = *in->at++;
            continue;
        }
        static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
        const char *code = in->at + 1 < in->end ? strchr(from, in->at[1]) : NULL;
        if (code && *code) {
            *to++ = into[code - from];
            in->at += 2;
        } else if (in->at + 6 <= in->end && in->at[1] == 'u') {
            *to++ = (char)strtol((char[]){in->at[4], in->at[5], 0}, NULL, 16); /* of U+00.. only: enough here */
            in->at += 6;
        } else {
            wrong(in, "an unknown escape");
        }
    }
    expect(in, '"');
    *to = '\0';
    char *fit = realloc(text, (size_t)(to - text) + 1);
    return fit ? fit : text;
}

static test_json *read_value(input *in);

static void add(test_json *json, char *key, test_json *item) {
    if ((json->count & (json->count - 1)) == 0) { /* room doubles at powers of two */
        size_t room = json->count ? 2 * json->count : 1;
        json->item = realloc(json->item, room * sizeof *json->item);
        json->key = realloc(json->key, room * sizeof *json->key);
        assert_true(json->item && json->key);
    }
    json->key[json->count] = key;
    json->item[json->count++] = item;
}

static void read_inside(input *in, test_json *json, char close) {
    in->at++;
    if (take(in, close))
        return;
    do {
        char *key = NULL;
        if (close == '}') {
            key = read_text(in);
            if (test_json_find(json, key))
                wrong(in, "a key stands twice");
            expect(in, ':');
        }
        add(json, key, read_value(in));
    } while (take(in, ','));
    expect(in, close);
}

static test_json *read_value(input *in) {
    static const char *const words[] = {"null", "false", "true"};
    test_json *json = calloc(1, sizeof *json);
    assert_non_null(json);
    skip_blanks(in);
    for (int k = 0; k < 3; k++)
        if ((size_t)(in->end - in->at) >= strlen(words[k]) && strncmp(in->at, words[k], strlen(words[k])) == 0) {
            json->what = k ? TEST_JSON_FLAG : TEST_JSON_NULL;
            json->number = k == 2;
            in->at += strlen(words[k]);
            return json;
        }
    if (in->at < in->end && *in->at == '"') {
        json->what = TEST_JSON_TEXT;
        json->text = read_text(in);
    } else if (in->at < in->end && (*in->at == '[' || *in->at == '{')) {
        json->what = *in->at == '[' ? TEST_JSON_LIST : TEST_JSON_MAP;
        read_inside(in, json, *in->at == '[' ? ']' : '}');
    } else {
        char *end;
        json->what = TEST_JSON_NUMBER;
        if (in->at >= in->end || !strchr("-0123456789", *in->at))
            wrong(in, "a value is expected");
        json->number = strtod(in->at, &end);
        in->at = end;
    }
    return json;
}

test_json *test_json_read(const char *text, size_t bytes) {
    input in = {text, text, text + bytes};
    test_json *json = read_value(&in);
    skip_blanks(&in);
    if (in.at != in.end)
        wrong(&in, "something stands behind the end");
    return json;
}

void test_json_free(test_json *json) {
    for (size_t i = 0; json && i < json->count; i++) {
        free(json->key[i]);
        test_json_free(json->item[i]);
    }
    if (json) {
        free(json->key);
        free(json->item);
        free(json->text);
    }
    free(json);
}

const test_json *test_json_find(const test_json *map, const char *key) {
    for (size_t i = 0; map && map->what == TEST_JSON_MAP && i < map->count; i++)
        if (strcmp(map->key[i], key) == 0)
            return map->item[i];
    return NULL;
}

static const test_json *need(const test_json *map, const char *key, test_json_what what) {
    const test_json *item = test_json_find(map, key);
    if (!item || item->what != what)
        fail_msg("JSON: '%s' is missing, or something else", key);
    return item;
}

const test_json *test_json_list(const test_json *map, const char *key) { return need(map, key, TEST_JSON_LIST); }
const char *test_json_text(const test_json *map, const char *key) { return need(map, key, TEST_JSON_TEXT)->text; }
double test_json_number(const test_json *map, const char *key) { return need(map, key, TEST_JSON_NUMBER)->number; }

void test_json_numbers(const test_json *map, const char *key, size_t count, double *value) {
    const test_json *list = test_json_list(map, key);
    assert_int_equal(list->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(list->item[i]->what, TEST_JSON_NUMBER);
        value[i] = list->item[i]->number;
    }
}
