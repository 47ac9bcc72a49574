/* report: results as a page. Reading order: report.c (results, labels, the header), page.h (the file and its blocks), run_details.c
 * (attributes and events of a run), report_scene.c (the drawing), samples.c (times, thinning), poses.c, curves.c, mesh_fields.c,
 * model_details.c. */
#ifndef BL_REPORT_PRIVATE_H
#define BL_REPORT_PRIVATE_H

#include "biela/report.h"
#include "biela/result.h"
#include "report/page.h"

/* Limits above which results are thinned: number of frames; number of buckets, of which curves keep the extremes. */
enum { BL_REPORT_FRAMES = 20000, BL_REPORT_BUCKETS = BL_REPORT_FRAMES / 2 };
/* Limits for the uncompressed numbers of the page, all of which the browser holds in memory. */
#define BL_REPORT_POSE_BYTES ((size_t)160 << 20)
#define BL_REPORT_CURVE_BYTES ((size_t)24 << 20)
#define BL_REPORT_FIELD_BYTES ((size_t)24 << 20)

/* The scene of the previous run, and its form in the page. */
typedef struct bl_scene_copy {
    char *from, *to;
} bl_scene_copy;
void bl_scene_copy_destroy(bl_context *ctx, bl_scene_copy *copy);

/* One result while it is written to the page. */
typedef struct bl_report_run {
    bl_context *ctx;
    bl_page *page;
    bl_json *header;  /* of all runs */
    bl_status status; /* out of memory, recorded where writing could continue */
    const char *path;
    bl_result *result;
    bl_arena arena;
    const char *scene; /* JSON, terminated; NULL: none */
    bl_scene_copy *last;
    int dim;
    double size;             /* of the mechanism; 0: not known */
    bl_index nbody;          /* with positions */
    const char *const *body; /* their names */
    bool part;               /* not all samples are shown */
    long first, n;           /* samples shown */
    double begin, end;       /* time of the first and the last one */
    bool ascending;          /* times never decrease; on load paths they may */
    bool all_numbers;        /* no time is NaN */
    char times[BL_BLOCK_ID]; /* block with all times, once it is written */
    double *slab;            /* workspace, see bl_slab_rows */
    size_t slab_numbers;
    long thinned_frames; /* frames left after thinning; 0: all */
    long points[3];      /* per curve, by importance; 0: left out */
    long nlost;          /* frames without finite poses, from time `lost` on */
    double lost;
    struct bl_report_remark *remark; /* the newest one first */
    /* the model of the file, read again */
    bool tried;
    struct bl_model *model;     /* NULL: cannot be read */
    const char *model_missing;  /* the reason; NULL: not tried */
    bl_json mobility, findings; /* arrays for info; empty: none */
} bl_report_run;

/* ---- samples.c: times, and which of them are shown */

/* Rows of `row` numbers that fit in the slab. Slabs are larger than the chunks of the file, so that chunks are not unpacked repeatedly. */
long bl_slab_rows(const bl_report_run *run, size_t row);
/* Finds first, n, begin, end for the time range of the options. */
bl_status bl_report_range(bl_report_run *run, const bl_report_options *options);
/* values[count] of the times from sample `from` of those shown */
bl_status bl_report_times(bl_report_run *run, long from, long count, double *values);

/* Buckets of samples, or single samples. */
typedef struct bl_grid {
    long count;   /* points of a curve */
    long nbucket; /* two points each; 0: every sample is a point */
    long *edge;   /* [nbucket + 1] first sample of each */
    char time[BL_BLOCK_ID];
} bl_grid;
/* At most `most` points; writes the block of times. Memory is from the arena of the run. */
bl_status bl_grid_make(bl_report_run *run, long most, bl_grid *grid);
/* Reduces samples to points: smallest and largest value of each bucket, in the order of time. Starts zeroed. */
typedef struct bl_bucket {
    long bucket;
    float low, high;
    bool any, high_last;
} bl_bucket;
/* Takes count values from sample `from` on, at distance `stride`; to: the points of the entire curve. */
void bl_grid_take(const bl_grid *grid, bl_bucket *state, long from, long count, const double *value, size_t stride, float *to);

/* A remark shown with the events of the run: part of the result is not shown. */
typedef struct bl_report_remark {
    struct bl_report_remark *next;
    const char *text, *part;
} bl_report_remark;
bl_status bl_report_note(bl_report_run *run, const char *text, const char *part);

/* ---- the parts: each writes one key of the run to the header, and its blocks to the page */
bl_status bl_report_info(bl_report_run *run);
bl_status bl_report_events(bl_report_run *run);
bl_status bl_report_scene(bl_report_run *run); /* finds scene, dim, size */
bl_status bl_report_put_scene(bl_report_run *run);
bl_status bl_report_put_shapes(bl_report_run *run); /* the scene, with its meshes in blocks */
bl_status bl_report_details(bl_report_run *run);    /* groups, pattern; finds mobility, findings */
bl_status bl_report_pattern(bl_report_run *run);
bl_status bl_report_frames(bl_report_run *run);
bl_status bl_report_curves(bl_report_run *run);
bl_status bl_report_meshes(bl_report_run *run);
void bl_report_thinned(bl_report_run *run);

/* ---- model_details.c */
/* Reads the model stored in the result, once. Opens other files only if the model file still exists unchanged. */
bl_status bl_report_model(bl_report_run *run);
/* The status of an optional part of the page: BL_OK, except for lack of memory and requests to stop. */
bl_status bl_report_harmless(bl_report_run *run, bl_status status);
bool bl_report_text(bl_report_run *run, const char *name, char *text, size_t size); /* an attribute; false: none, or empty */

/* ---- poses_thin.c */

/* Chooses samples such that straight lines between them pass all others within a tolerance, component by component. */
typedef struct bl_thinner {
    bl_context *ctx;
    size_t ncomponent;
    const double *tolerance;            /* [ncomponent] */
    double factor;                      /* of the tolerances */
    long most, n;                       /* kept */
    long *kept;                         /* [most] */
    bool full;                          /* more than `most` would be needed */
    double *anchor, *last, *low, *high; /* [ncomponent] */
    double anchor_t, last_t;
    long last_sample; /* -1: none yet */
} bl_thinner;
bl_status bl_thinner_create(bl_context *ctx, size_t ncomponent, const double *tolerance, long most, bl_thinner *thinner);
void bl_thinner_start(bl_thinner *thinner, double factor);
/* The next sample, number k at time t (equal to the previous time: a jump). */
void bl_thinner_take(bl_thinner *thinner, long k, double t, const double *value);
void bl_thinner_end(bl_thinner *thinner);
void bl_thinner_destroy(bl_thinner *thinner);

/* ---- encoding of integer time series */

/* In place: value[n] becomes its second differences modulo 2^32, zigzag-encoded. */
void bl_second_differences(int32_t *value, long n);

#endif
