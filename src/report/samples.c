/* Samples of a result: the part that is shown, and buckets if there are too many. A bucket keeps its smallest and its largest value, in
 * their order, at the times of its first and last sample: extremes are exact, and their times are exact to one bucket. */
#include "report/report_private.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SLAB_NUMBERS = 1 << 21 }; /* 16 MB; blocks of rows in a result file have up to 4 MB */

long bl_slab_rows(const bl_report_run *run, size_t row) {
    long rows = (long)(run->slab_numbers / (row ? row : 1));
    return rows > 0 ? rows : 1;
}

static bl_status time_quantity(bl_report_run *run, const bl_quantity **time) { return bl_result_quantity(run->result, "time", time); }

bl_status bl_report_times(bl_report_run *run, long from, long count, double *values) {
    const bl_quantity *time;
    BL_TRY(time_quantity(run, &time));
    return bl_result_read(run->result, time, run->first + from, count, 0, 1, values);
}

/* all times in slabs: the first and the last sample within the limits */
static bl_status find_part(bl_report_run *run, const bl_report_options *options, long samples) {
    long first = samples, last = -1;
    for (long at = 0; at < samples; at += bl_slab_rows(run, 1)) {
        long count = samples - at < bl_slab_rows(run, 1) ? samples - at : bl_slab_rows(run, 1);
        BL_TRY(bl_report_times(run, at, count, run->slab));
        for (long i = 0; i < count; i++)
            if (run->slab[i] >= options->from && run->slab[i] <= options->to) {
                first = at + i < first ? at + i : first;
                last = at + i;
            }
    }
    run->first = last < 0 ? 0 : first;
    run->n = last < 0 ? 0 : last - first + 1;
    if (run->n == 0 && samples > 0) {
        bl_fail(run->ctx, BL_E_ARG, NULL, "'%s' has no samples from %g to %g", run->path, options->from, options->to);
        bl_advise(run->ctx, "its samples are from %g to %g", run->begin, run->end);
        return BL_E_ARG;
    }
    return BL_OK;
}

static bl_status check_times(bl_report_run *run) {
    double before = -INFINITY;
    run->ascending = run->all_numbers = true;
    run->begin = run->end = NAN;
    for (long at = 0; at < run->n; at += bl_slab_rows(run, 1)) {
        long count = run->n - at < bl_slab_rows(run, 1) ? run->n - at : bl_slab_rows(run, 1);
        BL_TRY(bl_report_times(run, at, count, run->slab));
        for (long i = 0; i < count; i++) {
            run->all_numbers = run->all_numbers && isfinite(run->slab[i]);
            run->ascending = run->ascending && run->slab[i] >= before;
            before = run->slab[i];
        }
        run->begin = at == 0 ? run->slab[0] : run->begin;
        run->end = run->slab[count - 1];
    }
    return BL_OK;
}

/* The slab holds positions, quaternions and times together, so the widest row of anything but fields must fit twice; a short run needs no
 * more than all its rows. */
static size_t slab_numbers(bl_result *result) {
    const bl_quantity *list, *steps;
    bl_index n = bl_result_quantities(result, &list);
    size_t widest = 1, rows = (size_t)bl_result_samples(result) + 1;
    for (bl_index k = 0; k < n; k++)
        if (!list[k].mesh && (size_t)list[k].items * (size_t)list[k].components > widest)
            widest = (size_t)list[k].items * (size_t)list[k].components;
    if (bl_result_quantity(result, "steps/time", &steps) == BL_OK && (size_t)steps->rows > rows)
        rows = (size_t)steps->rows;
    size_t row = 2 * widest + 1;
    return row > SLAB_NUMBERS ? row : rows > SLAB_NUMBERS / row ? SLAB_NUMBERS : rows * row;
}

bl_status bl_report_range(bl_report_run *run, const bl_report_options *options) {
    run->slab_numbers = slab_numbers(run->result);
    bl_context_clear_error(run->ctx); /* no steps */
    BL_TRY(BL_NEW(run->ctx, run->slab, run->slab_numbers));
    run->first = 0;
    run->n = bl_result_samples(run->result);
    BL_TRY(check_times(run));
    if (!options->part)
        return BL_OK;
    run->part = true;
    BL_TRY(find_part(run, options, run->n));
    return check_times(run);
}

/* ---- buckets */

/* Buckets of equal duration, none empty. If times are not monotonic: equal numbers of samples. */
static bl_status find_edges(bl_report_run *run, long nbucket, bl_grid *grid) {
    BL_TRY(BL_ARENA_NEW(&run->arena, grid->edge, nbucket + 1));
    bool by_time = run->ascending && run->all_numbers && run->end > run->begin;
    long full = 0, newest = -1;
    for (long at = 0; at < run->n; at += bl_slab_rows(run, 1)) {
        long count = run->n - at < bl_slab_rows(run, 1) ? run->n - at : bl_slab_rows(run, 1);
        BL_TRY(bl_report_times(run, at, count, run->slab));
        for (long i = 0; i < count; i++) {
            double share = by_time ? (run->slab[i] - run->begin) / (run->end - run->begin) : (double)(at + i) / (double)run->n;
            long bucket = (long)(share * (double)nbucket);
            bucket = bucket >= nbucket ? nbucket - 1 : bucket;
            if (bucket > newest)
                grid->edge[full++] = at + i;
            newest = bucket > newest ? bucket : newest;
        }
    }
    grid->edge[full] = run->n;
    grid->nbucket = full;
    grid->count = 2 * full;
    return BL_OK;
}

static bl_status write_times(bl_report_run *run, bl_grid *grid) {
    double *time;
    if (grid->nbucket == 0 && run->times[0]) {
        memcpy(grid->time, run->times, sizeof grid->time);
        return BL_OK;
    }
    bl_status status = BL_NEW(run->ctx, time, grid->count);
    for (long at = 0, b = 0; status == BL_OK && at < run->n; at += bl_slab_rows(run, 1)) {
        long count = run->n - at < bl_slab_rows(run, 1) ? run->n - at : bl_slab_rows(run, 1);
        status = bl_report_times(run, at, count, run->slab);
        for (long i = 0; i < count && status == BL_OK; i++)
            if (grid->nbucket == 0) {
                time[at + i] = run->slab[i];
            } else {
                b += at + i >= grid->edge[b + 1];
                if (at + i == grid->edge[b])
                    time[2 * b] = run->slab[i];
                time[2 * b + 1] = run->slab[i];
            }
    }
    if (status == BL_OK)
        status = bl_page_block(run->page, time, (size_t)grid->count, sizeof *time, grid->time);
    bl_free(run->ctx, time);
    return status;
}

bl_status bl_grid_make(bl_report_run *run, long most, bl_grid *grid) {
    *grid = (bl_grid){.count = run->n};
    if (run->n > most)
        BL_TRY(find_edges(run, most / 2 > 0 ? most / 2 : 1, grid));
    return write_times(run, grid);
}

/* values that are not finite as float become gaps */
static float as_float(double value) { return fabs(value) <= FLT_MAX ? (float)value : NAN; }

static void finish(bl_bucket *s, float *to) {
    to[2 * s->bucket] = !s->any ? NAN : s->high_last ? s->low : s->high;
    to[2 * s->bucket + 1] = !s->any ? NAN : s->high_last ? s->high : s->low;
    s->bucket++;
    s->any = s->high_last = false;
}

void bl_grid_take(const bl_grid *grid, bl_bucket *s, long from, long count, const double *value, size_t stride, float *to) {
    for (long i = 0; i < count; i++, value += stride) {
        if (grid->nbucket == 0) {
            to[from + i] = as_float(*value);
            continue;
        }
        float v = as_float(*value);
        if (!s->any && !isnan(v)) {
            s->low = s->high = v;
            s->any = true;
        } else if (v < s->low) {
            s->low = v;
            s->high_last = false;
        } else if (v > s->high) {
            s->high = v;
            s->high_last = true;
        }
        if (from + i + 1 == grid->edge[s->bucket + 1])
            finish(s, to);
    }
}
