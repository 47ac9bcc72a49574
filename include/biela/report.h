/* report: results as one page for a browser, with the motion, the curves, the structure and the text of the model. The page is
 * self-contained: it needs no network and no server.
 *
 *     const char *results[] = {"bricard.h5"};
 *     bl_report_write(ctx, results, 1, &(bl_report_options){.page = page, .page_bytes = bytes}, "bricard.html");
 */
#ifndef BIELA_REPORT_H
#define BIELA_REPORT_H

#include "biela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A table that the page shows beside the motions, such as that of a comparison. */
typedef struct bl_report_table {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    bl_index ncolumn, nrow;
    const char *const *column; /* [ncolumn] headings */
    const char *const *cell;   /* [nrow][ncolumn]; NULL: empty */
    const char *note;          /* lines of text below it; may be NULL */
    const bl_index *run;       /* [nrow] index of the result of each row, -1: none; NULL: found by a cell with its label */
} bl_report_table;

/* NULL or 0: default. */
typedef struct bl_report_options {
    size_t size;      /* sizeof this struct, or 0 (context.h) */
    const void *page; /* output of viewer/build.mjs: template and program, a zlib stream. The command has it built in. */
    size_t page_bytes;
    const char *title;            /* NULL: the name of the first model */
    const char *const *label;     /* [nresult] distinct names of the results; NULL: made from their differences */
    bool part;                    /* only samples from time `from` up to `to` */
    double from, to;              /* infinite: from the start, to the end */
    const bl_report_table *table; /* may be NULL */
} bl_report_options;

/* Large numbers of samples are thinned: curves keep their extremes, poses are interpolated linearly (docs/REPORT.md). The page appears
 * under its name when it is complete. BL_E_FILE: a result cannot be read, or the page cannot be written; BL_E_ABILITY: a result is of a
 * newer version, or there is no `page`; BL_E_ARG: path is one of the results. */
BL_API bl_status bl_report_write(bl_context *ctx, const char *const *results, bl_index nresult, const bl_report_options *options,
                                 const char *path);

#ifdef __cplusplus
}
#endif

#endif
