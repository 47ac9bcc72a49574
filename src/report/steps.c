/* Accepted steps: size, order and error, with their own times, one row per step; too many are thinned by number, like samples. */
#include "report/curves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LISTS = 3 };
static const char *const name[LISTS] = {"step.size", "step.order", "step.error"};
static const char *const what[LISTS] = {"step_size", "step_order", "step_error"};
static const char *const unit[LISTS] = {"s", "1", "1"};

typedef struct steps {
    bl_report_run *run;
    const bl_quantity *time, *list[LISTS]; /* NULL: not in the file */
    long first, n;                         /* steps in the time range that is shown */
    bl_grid grid;
} steps;

static bl_status find_lists(steps *s) {
    static const char *const path[LISTS] = {"steps/size", "steps/order", "steps/error"};
    bl_result *result = s->run->result;
    if (bl_result_quantity(result, "steps/time", &s->time) != BL_OK)
        bl_context_clear_error(s->run->ctx);
    for (int k = 0; k < LISTS; k++)
        if (bl_result_quantity(result, path[k], &s->list[k]) != BL_OK)
            bl_context_clear_error(s->run->ctx);
    s->n = s->time ? s->time->rows : 0;
    return BL_OK;
}

/* calls take(s, from, count, values) for all rows of a list, values in the slab of the run */
static bl_status each(steps *s, const bl_quantity *list, void (*take)(steps *s, long from, long count, void *to), void *to) {
    for (long at = 0, rows = bl_slab_rows(s->run, 1); at < s->n; at += rows) {
        long count = s->n - at < rows ? s->n - at : rows;
        BL_TRY(bl_result_read(s->run->result, list, s->first + at, count, 0, 1, s->run->slab));
        take(s, at, count, to);
    }
    return BL_OK;
}

typedef struct span {
    long first, last;
} span;

static void find_span(steps *s, long from, long count, void *to) {
    span *found = to;
    for (long i = 0; i < count; i++)
        if (s->run->slab[i] >= s->run->begin && s->run->slab[i] <= s->run->end) {
            found->first = found->first < 0 ? from + i : found->first;
            found->last = from + i;
        }
}

static bl_status select_part(steps *s) {
    span found = {-1, -1};
    if (!s->run->part || s->n == 0)
        return BL_OK;
    BL_TRY(each(s, s->time, find_span, &found));
    s->first = found.first < 0 ? 0 : found.first;
    s->n = found.first < 0 ? 0 : found.last - found.first + 1;
    return BL_OK;
}

/* buckets of equal numbers of steps */
static bl_status make_grid(steps *s) {
    s->grid = (bl_grid){.count = s->n};
    if (s->n <= BL_REPORT_FRAMES)
        return BL_OK;
    s->grid.nbucket = BL_REPORT_BUCKETS;
    s->grid.count = 2 * s->grid.nbucket;
    BL_TRY(BL_ARENA_NEW(&s->run->arena, s->grid.edge, s->grid.nbucket + 1));
    for (long b = 0; b <= s->grid.nbucket; b++)
        s->grid.edge[b] = (long)((double)b * (double)s->n / (double)s->grid.nbucket);
    return BL_OK;
}

typedef struct times {
    double *time;
    long bucket;
} times;

static void take_times(steps *s, long from, long count, void *to) {
    times *t = to;
    for (long i = 0; i < count; i++) {
        if (s->grid.nbucket == 0) {
            t->time[from + i] = s->run->slab[i];
            continue;
        }
        t->bucket += from + i >= s->grid.edge[t->bucket + 1];
        if (from + i == s->grid.edge[t->bucket])
            t->time[2 * t->bucket] = s->run->slab[i];
        t->time[2 * t->bucket + 1] = s->run->slab[i];
    }
}

typedef struct points {
    bl_bucket state;
    float *value;
} points;

static void take_points(steps *s, long from, long count, void *to) {
    points *p = to;
    bl_grid_take(&s->grid, &p->state, from, count, s->run->slab, 1, p->value);
}

static bool has_values(const float *value, long n) {
    for (long i = 0; i < n; i++)
        if (value[i] != 0 && !isnan(value[i]))
            return true;
    return false;
}

static bl_status put_list(steps *s, int k, const float *value) {
    char block[BL_BLOCK_ID];
    bl_json *json = s->run->header;
    if (!has_values(value, s->grid.count))
        return BL_OK;
    BL_TRY(bl_page_block(s->run->page, value, (size_t)s->grid.count, sizeof *value, block));
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "name", name[k]);
    bl_json_text(json, "quantity", what[k]);
    bl_json_text(json, "unit", unit[k]);
    bl_json_text(json, "part", "");
    bl_json_text(json, "of", "run");
    bl_json_text(json, "block", block);
    bl_json_integer(json, "at", 0);
    bl_json_integer(json, "count", s->grid.count);
    bl_json_text(json, "time", s->grid.time);
    bl_json_close(json, '}');
    return json->status;
}

static bl_status make(steps *s, times *t, points *p) {
    bl_context *ctx = s->run->ctx;
    BL_TRY(make_grid(s));
    BL_TRY(BL_NEW(ctx, t->time, s->grid.count));
    BL_TRY(BL_NEW(ctx, p->value, s->grid.count));
    BL_TRY(each(s, s->time, take_times, t));
    BL_TRY(bl_page_block(s->run->page, t->time, (size_t)s->grid.count, sizeof *t->time, s->grid.time));
    for (int k = 0; k < LISTS; k++)
        if (s->list[k]) {
            p->state = (bl_bucket){0};
            BL_TRY(each(s, s->list[k], take_points, p));
            BL_TRY(put_list(s, k, p->value));
        }
    return BL_OK;
}

bl_status bl_report_steps(bl_report_run *run) {
    steps s = {.run = run};
    times t = {0};
    points p = {0};
    bl_status status = find_lists(&s);
    if (status == BL_OK)
        status = select_part(&s);
    if (status == BL_OK && s.n > 0)
        status = make(&s, &t, &p);
    bl_free(run->ctx, t.time);
    bl_free(run->ctx, p.value);
    return status;
}
