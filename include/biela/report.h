/* report: results as one page for a browser, with the motion, the curves, the structure and the text of the model. Everything is inside:
 * the page needs no network and no server.
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

/* A table of texts that the page shows beside the motions, such as that of a comparison. */
typedef struct bl_report_table {
    bl_index ncolumn, nrow;
    const char *const *column; /* [ncolumn] heads */
    const char *const *cell;   /* [nrow][ncolumn]; NULL: empty */
    const char *note;          /* below it, in lines; may be NULL */
    const bl_index *run;       /* [nrow] number of the result behind each row, -1: none; NULL: those whose cells have its label */
} bl_report_table;

/* What is NULL or 0 takes the default. */
typedef struct bl_report_options {
    const void *page; /* what viewer/build.mjs makes: template and program, a zlib stream. The command has it built in. */
    size_t page_bytes;
    const char *title;            /* NULL: the name of the first model */
    const char *const *label;     /* [nresult] of the results, each another one; NULL: made from what differs */
    bool part;                    /* only samples from time `from` up to `to` */
    double from, to;              /* infinite: from the start, to the end */
    const bl_report_table *table; /* may be NULL */
} bl_report_options;

/* Many samples are thinned: curves keep their extremes, poses what straight lines between them do not show (docs/REPORT.md). The page
 * appears under its name when it is whole. BL_E_FILE: a result cannot be read, or the page not be written; BL_E_ABILITY: a result is of a
 * newer version, or there is no `page`; BL_E_ARG: path is one of the results. */
bl_status bl_report_write(bl_context *ctx, const char *const *results, bl_index nresult, const bl_report_options *options,
                          const char *path);

#ifdef __cplusplus
}
#endif

#endif
