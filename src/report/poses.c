/* Poses of bodies as integers: positions in 2^-20 of the largest extent, quaternions in 2^-19, second differences in time. Frames that
 * are not finite are left out; too many are thinned (poses_thin.c). The file is read in slabs, as often as needed, so that memory does not
 * grow with the result. */
#include "report/report_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMPONENTS = 7, BITS = 20, MOST_PASSES = 40 };
#define MOST_POSITION 1e30  /* larger positions count as not finite */
#define THIN_TOLERANCE 1e-4 /* relative to the size of the mechanism */

typedef struct poses {
    bl_report_run *run;
    const bl_quantity *position, *quaternion;
    double *x, *q, *t; /* one slab: [rows][nbody][3], [rows][nbody][4], [rows] */
    double *last_q;    /* [nbody][4] quaternions of the previous frame */
    double *row;       /* [nbody][7] */
    double low[3], high[3];
    long finite;   /* frames */
    double extent; /* largest of all positions */
    bl_thinner thinner;
    double *tolerance;
    bool thin, by_number; /* by_number: times are not monotonic */
    long kept, done;      /* frames for the page, and frames written so far */
    int32_t *number;      /* [nbody][7][kept] */
    double *time;         /* [kept] */
} poses;

typedef void visit(poses *p, long sample, double t);

/* copies the frame in row i of the slab to p->row, with unit quaternions of continuous sign; false: not finite */
static bool gather(poses *p, long i) {
    bl_index nbody = p->run->nbody;
    for (bl_index b = 0; b < nbody; b++) {
        const double *x = p->x + ((size_t)i * (size_t)nbody + (size_t)b) * 3, *q = p->q + ((size_t)i * (size_t)nbody + (size_t)b) * 4;
        double *row = p->row + (size_t)b * COMPONENTS, *before = p->last_q + (size_t)b * 4;
        double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        double product = q[0] * before[0] + q[1] * before[1] + q[2] * before[2] + q[3] * before[3];
        if (!(norm > 0.5 && norm < 2) || !(fabs(x[0]) < MOST_POSITION && fabs(x[1]) < MOST_POSITION && fabs(x[2]) < MOST_POSITION))
            return false;
        for (int k = 0; k < 3; k++)
            row[k] = x[k];
        for (int k = 0; k < 4; k++)
            row[3 + k] = before[k] = product < 0 ? -q[k] / norm : q[k] / norm;
    }
    return true;
}

/* calls visit_frame for every finite frame */
static bl_status each_frame(poses *p, visit *visit_frame) {
    bl_report_run *run = p->run;
    long rows = bl_slab_rows(run, (size_t)run->nbody * COMPONENTS + 1);
    p->t = run->slab;
    p->x = p->t + rows;
    p->q = p->x + (size_t)rows * (size_t)run->nbody * 3;
    memset(p->last_q, 0, (size_t)run->nbody * 4 * sizeof *p->last_q);
    for (long at = 0; at < run->n; at += rows) {
        long count = run->n - at < rows ? run->n - at : rows;
        BL_TRY(bl_go_on(run->ctx));
        BL_TRY(bl_report_times(run, at, count, p->t));
        if (run->nbody > 0) {
            BL_TRY(bl_result_read(run->result, p->position, run->first + at, count, 0, run->nbody, p->x));
            BL_TRY(bl_result_read(run->result, p->quaternion, run->first + at, count, 0, run->nbody, p->q));
        }
        for (long i = 0; i < count; i++) {
            if (isfinite(p->t[i]) && gather(p, i))
                visit_frame(p, at + i, p->t[i]);
            else if (run->nlost++ == 0)
                run->lost = p->t[i];
            if (p->thinner.full)
                return BL_OK;
        }
    }
    return BL_OK;
}

/* ---- first pass: the extent of the motion */

static void measure(poses *p, long sample, double t) {
    (void)sample;
    (void)t;
    for (bl_index b = 0; b < p->run->nbody; b++)
        for (int k = 0; k < 3; k++) {
            p->low[k] = fmin(p->low[k], p->row[(size_t)b * COMPONENTS + (size_t)k]);
            p->high[k] = fmax(p->high[k], p->row[(size_t)b * COMPONENTS + (size_t)k]);
        }
    p->finite++;
}

static bl_status find_extent(poses *p) {
    for (int k = 0; k < 3; k++) {
        p->low[k] = INFINITY;
        p->high[k] = -INFINITY;
    }
    BL_TRY(each_frame(p, measure));
    for (int k = 0; k < 3; k++)
        if (p->finite > 0 && p->run->nbody > 0)
            p->extent = fmax(p->extent, p->high[k] - p->low[k]);
        else
            p->low[k] = p->high[k] = 0;
    if (!(p->run->size > 0)) {
        double square = 0;
        for (int k = 0; k < 3; k++)
            square += (p->high[k] - p->low[k]) * (p->high[k] - p->low[k]);
        p->run->size = sqrt(square);
    }
    return BL_OK;
}

/* ---- second pass: the frames to keep */

static void consider(poses *p, long sample, double t) { bl_thinner_take(&p->thinner, sample, p->by_number ? (double)sample : t, p->row); }

/* Half of the tolerance is for positions, half for rotations: dq moves a point at distance L by 2 |dq| L, with L the size. */
static void set_tolerances(poses *p) {
    double half = THIN_TOLERANCE / 2, size = p->run->size > 0 ? p->run->size : 1;
    for (bl_index b = 0; b < p->run->nbody; b++)
        for (int k = 0; k < COMPONENTS; k++)
            p->tolerance[(size_t)b * COMPONENTS + (size_t)k] = k < 3 ? half * size / sqrt(3) : half / 4;
}

/* if nothing moves, or no tolerance gives few enough frames */
static void keep_evenly(bl_thinner *h, long samples) {
    h->n = h->most;
    for (long k = 0; k < h->n; k++)
        h->kept[k] = (long)((double)k * (double)(samples - 1) / (double)(h->n - 1));
}

/* the smallest tolerance that the number of frames allows, which varies with its inverse square root */
static bl_status thin(poses *p, long most) {
    bl_report_run *run = p->run;
    BL_TRY(BL_NEW(run->ctx, p->tolerance, (size_t)run->nbody * COMPONENTS));
    set_tolerances(p);
    BL_TRY(bl_thinner_create(run->ctx, (size_t)run->nbody * COMPONENTS, p->tolerance, most, &p->thinner));
    p->thinner.full = true;
    double factor = 1;
    for (int pass = 0; pass < MOST_PASSES && run->nbody > 0 && p->thinner.full; pass++) {
        bl_thinner_start(&p->thinner, factor);
        run->nlost = 0;
        BL_TRY(each_frame(p, consider));
        bl_thinner_end(&p->thinner);
        double seen = (double)(p->thinner.last_sample + 1) / (double)run->n;
        factor *= fmin(16, fmax(2, 1.2 / (seen * seen)));
    }
    if (p->thinner.full)
        keep_evenly(&p->thinner, run->n);
    p->thin = true;
    p->kept = p->thinner.n;
    run->thinned_frames = p->kept;
    p->thinner.full = false; /* the last pass must not stop early */
    return BL_OK;
}

/* ---- last pass: integers */

static int32_t to_integer(double value) { return (int32_t)lround(fmax(-1e9, fmin(1e9, value))); }

static void put_frame(poses *p, long sample, double t) {
    if (p->done >= p->kept || (p->thin && p->thinner.kept[p->done] > sample))
        return;
    double unit = p->extent / (1 << BITS);
    for (bl_index b = 0; b < p->run->nbody; b++)
        for (int k = 0; k < COMPONENTS; k++) {
            double value = p->row[(size_t)b * COMPONENTS + (size_t)k];
            p->number[((size_t)b * COMPONENTS + (size_t)k) * (size_t)p->kept + (size_t)p->done] =
                k < 3 ? to_integer((value - p->low[k]) / unit) : to_integer(value * (1 << (BITS - 1)));
        }
    p->time[p->done++] = t;
}

void bl_second_differences(int32_t *value, long n) {
    uint32_t before = 0, before2 = 0;
    for (long i = 0; i < n; i++) {
        uint32_t now = (uint32_t)value[i];
        uint32_t difference = i == 0 ? now : i == 1 ? now - before : now - 2 * before + before2;
        value[i] = (int32_t)((difference << 1) ^ (difference >> 31 ? UINT32_MAX : 0));
        before2 = before;
        before = now;
    }
}

static bl_status encode(poses *p) {
    bl_report_run *run = p->run;
    size_t curves = (size_t)run->nbody * COMPONENTS;
    if (!(p->extent > 0))
        p->extent = run->size > 0 ? run->size : 1;
    BL_TRY(BL_NEW(run->ctx, p->number, curves * (size_t)p->kept));
    BL_TRY(BL_NEW(run->ctx, p->time, p->kept));
    run->nlost = 0;
    BL_TRY(each_frame(p, put_frame));
    for (size_t c = 0; c < curves && p->done < p->kept; c++) /* evenly chosen frames that are not finite */
        memmove(p->number + c * (size_t)p->done, p->number + c * (size_t)p->kept, (size_t)p->done * sizeof *p->number);
    p->kept = p->done;
    for (size_t c = 0; c < curves; c++)
        bl_second_differences(p->number + c * (size_t)p->kept, p->kept);
    return BL_OK;
}

static bl_status write_frames(poses *p) {
    bl_report_run *run = p->run;
    char time[BL_BLOCK_ID], block[BL_BLOCK_ID];
    BL_TRY(bl_page_block(run->page, p->time, (size_t)p->kept, sizeof *p->time, time));
    BL_TRY(bl_page_block(run->page, p->number, (size_t)run->nbody * COMPONENTS * (size_t)p->kept, sizeof *p->number, block));
    if (p->kept == run->n)
        memcpy(run->times, time, sizeof run->times);
    bl_json *json = run->header;
    bl_json_open(json, "frames", '{');
    bl_json_integer(json, "count", p->kept);
    bl_json_text(json, "time", time);
    bl_json_open(json, "poses", '{');
    bl_json_text(json, "block", block);
    BL_JSON_NUMBERS(json, {"bits", BITS}, {"order", 2}, {"size", p->extent});
    bl_json_numbers(json, "origin", p->low, 3);
    bl_json_close(json, '}');
    bl_json_close(json, '}');
    return json->status;
}

static bl_status make(poses *p) {
    bl_report_run *run = p->run;
    long most = (long)(BL_REPORT_POSE_BYTES / sizeof *p->number / COMPONENTS / (size_t)(run->nbody ? run->nbody : 1));
    most = most > BL_REPORT_FRAMES ? BL_REPORT_FRAMES : most < 2 ? 2 : most;
    BL_TRY(BL_NEW(run->ctx, p->last_q, (size_t)run->nbody * 4));
    BL_TRY(BL_NEW(run->ctx, p->row, (size_t)run->nbody * COMPONENTS));
    BL_TRY(find_extent(p));
    p->kept = p->finite;
    p->by_number = !run->ascending;
    if (p->finite > most)
        BL_TRY(thin(p, most));
    BL_TRY(encode(p));
    return write_frames(p);
}

bl_status bl_report_frames(bl_report_run *run) {
    poses p = {.run = run, .thinner.ctx = run->ctx};
    bl_status status = BL_OK;
    if (run->nbody > 0) {
        status = bl_result_quantity(run->result, "bodies/position", &p.position);
        if (status == BL_OK)
            status = bl_result_quantity(run->result, "bodies/quaternion", &p.quaternion);
    }
    if (status == BL_OK)
        status = make(&p);
    bl_thinner_destroy(&p.thinner);
    bl_free(run->ctx, p.last_q);
    bl_free(run->ctx, p.row);
    bl_free(run->ctx, p.tolerance);
    bl_free(run->ctx, p.number);
    bl_free(run->ctx, p.time);
    return status;
}
