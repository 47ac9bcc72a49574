/* A page read back without the code that wrote it: blocks by zlib, base64 by its table, planes and differences undone. */
#ifndef READING_H
#define READING_H

#include "biela/biela.h"
#include "biela/json.h"
#include "biela/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "support/testing.h"

/* ---- a folder of its own for every test program */

static inline const char *scratch(const char *name) {
    static char folder[64], path[4][512];
    static int turn;
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/biela_report_XXXXXX");
        assert_non_null(mkdtemp(folder));
    }
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s%s%s", folder, name[0] ? "/" : "", name);
    return path[turn];
}

static inline int remove_scratch(void **state) {
    (void)state;
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch(""));
    return system(command);
}

static inline int setup(void **state) {
    bl_context *ctx;
    bl_status status = bl_context_create(NULL, &ctx);
    *state = ctx;
    return status;
}

static inline int teardown(void **state) {
    int leaks = bl_context_memory(*state).live_blocks != 0;
    bl_context_destroy(*state);
    return leaks;
}

/* ---- template */

static const char reading_template[] = "<!doctype html><title><!--biela:title--></title>\n<!--biela:data-->\n<p>end</p>\n";

/* as viewer/build.mjs and scripts/build_page make it */
static inline bl_report_options reading_options(void) {
    static unsigned char packed[1024];
    uLongf bytes = sizeof packed;
    assert_int_equal(compress(packed, &bytes, (const unsigned char *)reading_template, sizeof reading_template - 1), Z_OK);
    return (bl_report_options){.page = packed, .page_bytes = bytes};
}

/* ---- file */

static inline char *read_all(const char *path, size_t *bytes) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long n = ftell(file);
    rewind(file);
    char *text = malloc((size_t)n + 1);
    assert_int_equal(fread(text, 1, (size_t)n, file), n);
    fclose(file);
    text[n] = '\0';
    if (bytes)
        *bytes = (size_t)n;
    return text;
}

static inline int base64_value(char c) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? (int)(at - letters) : -1;
}

/* bytes of a block; the caller frees them */
static inline unsigned char *read_block(const char *page, const char *id, size_t *bytes) {
    char head[640];
    snprintf(head, sizeof head, "<script type=\"application/octet-stream\" id=\"%s\">", id);
    const char *at = strstr(page, head);
    if (!at)
        fail_msg("the page has no block %s", id);
    at += strlen(head);
    size_t length = strcspn(at, "<"), packed_bytes = 0;
    assert_int_equal(length % 4, 0);
    unsigned char *packed = malloc(length + 1);
    for (size_t i = 0; i < length; i += 4) {
        int v[4];
        for (int k = 0; k < 4; k++)
            v[k] = base64_value(at[i + (size_t)k]);
        packed[packed_bytes++] = (unsigned char)(v[0] << 2 | v[1] >> 4);
        if (v[2] >= 0)
            packed[packed_bytes++] = (unsigned char)(v[1] << 4 | v[2] >> 2);
        if (v[3] >= 0)
            packed[packed_bytes++] = (unsigned char)(v[2] << 6 | v[3]);
    }
    unsigned char *out = NULL;
    uLongf room = 1024;
    int outcome;
    do {
        room *= 4;
        out = realloc(out, room);
        *bytes = room;
        outcome = uncompress(out, bytes, packed, packed_bytes);
    } while (outcome == Z_BUF_ERROR && room < (1u << 30));
    assert_int_equal(outcome, Z_OK);
    free(packed);
    return out;
}

/* elements of `width` bytes from their planes */
static inline void *read_elements(const char *page, const char *id, size_t width, size_t *count) {
    size_t bytes;
    unsigned char *planes = read_block(page, id, &bytes), *out = malloc(bytes + 1);
    assert_int_equal(bytes % width, 0);
    *count = bytes / width;
    for (size_t i = 0; i < *count; i++)
        for (size_t k = 0; k < width; k++)
            out[i * width + k] = planes[k * *count + i];
    free(planes);
    return out;
}

/* integers with zigzag and second differences undone along `frames` */
static inline int32_t *read_numbers(const char *page, const char *id, size_t frames, size_t *count) {
    uint32_t *u = read_elements(page, id, 4, count);
    for (size_t first = 0; frames > 0 && first < *count; first += frames) {
        int64_t speed = 0, value = 0;
        for (size_t i = 0; i < frames; i++) {
            int64_t d = (int64_t)(u[first + i] >> 1) ^ -(int64_t)(u[first + i] & 1);
            if (i == 0) {
                value = d;
            } else {
                speed = i == 1 ? d : speed + d;
                value += speed;
            }
            u[first + i] = (uint32_t)(int32_t)value;
        }
    }
    return (int32_t *)u;
}

/* ---- header */

/* the text of the header, as JSON, from the page; the caller frees it */
static inline char *read_header(const char *page) {
    static const char head[] = "<script type=\"application/json\" id=\"biela\">";
    const char *at = strstr(page, head);
    assert_non_null(at);
    at += sizeof head - 1;
    size_t length = strcspn(at, "<");
    assert_memory_equal(at + length, "</script>", 9);
    char *text = strndup(at, length);
    assert_true(bl_json_check(text, length));
    return text;
}

/* a text without escapes */
static inline const char *read_text(const char *value) {
    static char text[8][256];
    static int turn;
    if (!value || *value != '"')
        return "";
    turn = (turn + 1) % 8;
    snprintf(text[turn], sizeof text[turn], "%.*s", (int)strcspn(value + 1, "\""), value + 1);
    return text[turn];
}

static inline const char *member_text(const char *object, const char *key) { return read_text(bl_json_member(object, key)); }
static inline double member_number(const char *object, const char *key) { return bl_json_value(bl_json_member(object, key)); }

typedef struct reading {
    char *page, *header;
    const char *run; /* the first one */
} reading;

static inline reading reading_open(const char *path) {
    reading r = {.page = read_all(path, NULL)};
    r.header = read_header(r.page);
    r.run = bl_json_first(bl_json_member(r.header, "runs"));
    assert_non_null(r.run);
    return r;
}

static inline void reading_close(reading *r) {
    free(r->page);
    free(r->header);
}

static inline const char *find_curve(const reading *r, const char *name) {
    const char *at = bl_json_first(bl_json_member(r->run, "curves"));
    while (at && strcmp(member_text(at, "name"), name) != 0)
        at = bl_json_next(at);
    return at;
}

/* points of a curve and their times; the caller frees both */
static inline float *read_curve(const reading *r, const char *curve, double **time, size_t *count) {
    size_t all, times;
    float *block = read_elements(r->page, member_text(curve, "block"), sizeof(float), &all);
    *time = read_elements(r->page, member_text(curve, "time"), sizeof(double), &times);
    size_t at = (size_t)member_number(curve, "at");
    *count = (size_t)member_number(curve, "count");
    assert_true(at + *count <= all && *count == times);
    float *out = malloc(*count * sizeof *out + 1);
    memcpy(out, block + at, *count * sizeof *out);
    free(block);
    return out;
}

/* positions [body][3][frame] and quaternions [body][4][frame], not normalized; times */
typedef struct reading_frames {
    size_t n;
    double *time, size, origin[3];
    int32_t *number; /* [body][7][n] */
    size_t count;
} reading_frames;

static inline reading_frames read_frames(const reading *r) {
    const char *frames = bl_json_member(r->run, "frames"), *poses = bl_json_member(frames, "poses");
    reading_frames f = {.n = (size_t)member_number(frames, "count"), .size = member_number(poses, "size")};
    size_t times;
    f.time = read_elements(r->page, member_text(frames, "time"), sizeof(double), &times);
    assert_int_equal(times, f.n);
    assert_true(member_number(poses, "bits") == 20 && member_number(poses, "order") == 2);
    const char *at = bl_json_first(bl_json_member(poses, "origin"));
    for (int k = 0; k < 3; k++, at = bl_json_next(at))
        f.origin[k] = bl_json_value(at);
    f.number = read_numbers(r->page, member_text(poses, "block"), f.n, &f.count);
    return f;
}

static inline double frame_value(const reading_frames *f, size_t body, int component, size_t frame) {
    double number = f->number[(body * 7 + (size_t)component) * f->n + frame];
    return component < 3 ? f->origin[component] + number * f->size / 1048576 : number / 524288;
}

static inline void frames_free(reading_frames *f) {
    free(f->time);
    free(f->number);
}

#endif
