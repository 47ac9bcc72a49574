/* JSON without a tree: a check by recursive descent, then pointers into the text that skip values. */
#include "biela/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

typedef struct reader {
    const char *at, *end;
} reader;

static void blanks(reader *r) {
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->at++;
}

static bool take(reader *r, char c) {
    blanks(r);
    if (r->at >= r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool word(reader *r, const char *text) {
    size_t n = strlen(text);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, text, n) != 0)
        return false;
    r->at += n;
    return true;
}

static bool string(reader *r) {
    if (!take(r, '"'))
        return false;
    while (r->at < r->end && *r->at != '"') {
        if ((unsigned char)*r->at < 0x20)
            return false;
        if (*r->at++ != '\\')
            continue;
        if (r->at >= r->end || !*r->at || !strchr("\"\\/bfnrtu", *r->at))
            return false;
        int digits = *r->at++ == 'u' ? 4 : 0;
        for (; digits > 0; digits--, r->at++)
            if (r->at >= r->end || !*r->at || !strchr("0123456789abcdefABCDEF", *r->at))
                return false;
    }
    return take(r, '"');
}

static bool digits(reader *r) {
    const char *from = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return r->at > from;
}

static bool number(reader *r) {
    if (r->at < r->end && *r->at == '-')
        r->at++;
    const char *from = r->at;
    if (!digits(r) || (*from == '0' && r->at - from > 1))
        return false;
    if (r->at < r->end && *r->at == '.') {
        r->at++;
        if (!digits(r))
            return false;
    }
    if (r->at < r->end && (*r->at == 'e' || *r->at == 'E')) {
        r->at++;
        if (r->at < r->end && (*r->at == '+' || *r->at == '-'))
            r->at++;
        return digits(r);
    }
    return true;
}

static bool value(reader *r, int depth);

static bool members(reader *r, int depth, bool keys, char end) {
    if (take(r, end))
        return true;
    do {
        if (keys && (!string(r) || !take(r, ':')))
            return false;
        if (!value(r, depth + 1))
            return false;
    } while (take(r, ','));
    return take(r, end);
}

static bool value(reader *r, int depth) {
    blanks(r);
    if (r->at >= r->end || depth > DEEPEST)
        return false;
    switch (*r->at) {
    case '{': r->at++; return members(r, depth, true, '}');
    case '[': r->at++; return members(r, depth, false, ']');
    case '"': return string(r);
    case 't': return word(r, "true");
    case 'f': return word(r, "false");
    case 'n': return word(r, "null");
    default: return number(r);
    }
}

bool bl_json_check(const char *text, size_t bytes) {
    reader r = {text, text + bytes};
    blanks(&r);
    if (r.at >= r.end || *r.at != '{' || !value(&r, 0))
        return false;
    blanks(&r);
    return r.at == r.end;
}

/* ---- walking */

static const char *over_blanks(const char *at) { return at + strspn(at, " \t\r\n"); }

static const char *over_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

/* the end of a value: counts brackets, skips strings */
static const char *over(const char *at) {
    int depth = 0;
    do {
        at = over_blanks(at);
        if (*at == '"') {
            at = over_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth--;
            at++;
        } else if (*at == ',' || *at == ':') {
            at++;
        } else if (*at) {
            at += strcspn(at, ",:]} \t\r\n");
        }
    } while (depth > 0 && *at);
    return over_blanks(at);
}

const char *bl_json_member(const char *object, const char *key) {
    if (!object || *(object = over_blanks(object)) != '{')
        return NULL;
    size_t n = strlen(key);
    const char *at = over_blanks(object + 1);
    while (*at == '"') {
        const char *name = at + 1;
        at = over_blanks(over_string(at));
        at = over_blanks(*at == ':' ? at + 1 : at);
        if (strncmp(name, key, n) == 0 && name[n] == '"')
            return at;
        at = over(at);
        at = over_blanks(*at == ',' ? at + 1 : at);
    }
    return NULL;
}

const char *bl_json_first(const char *array) {
    if (!array || *(array = over_blanks(array)) != '[')
        return NULL;
    array = over_blanks(array + 1);
    return *array == ']' || !*array ? NULL : array;
}

const char *bl_json_next(const char *at) {
    if (!at)
        return NULL;
    at = over(at);
    return *at == ',' ? over_blanks(at + 1) : NULL;
}

const char *bl_json_end(const char *at) { return at ? over(at) : NULL; }

double bl_json_value(const char *at) { return at && strchr("-0123456789", *at) && *at ? strtod(at, NULL) : NAN; }

bool bl_json_is(const char *at, const char *text) {
    size_t n = strlen(text);
    return at && *at == '"' && strncmp(at + 1, text, n) == 0 && at[n + 1] == '"';
}
