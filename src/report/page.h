/* page: the HTML file while it is written. Blocks of numbers are written at once, so that memory does not grow with the page; the header
 * that describes them comes last. */
#ifndef BL_REPORT_PAGE_H
#define BL_REPORT_PAGE_H

#include "biela/json.h"
#include "output/output.h"

enum { BL_BLOCK_ID = 16 };

typedef struct bl_page {
    bl_context *ctx;
    bl_target target;
    bool begun;
    char *buffer; /* not written yet */
    size_t length;
    unsigned char *packing; /* workspace of bl_page_block */
    char *template;         /* terminated */
    size_t template_bytes, data_at;
    bl_index nblock;
} bl_page;

/* Unpacks the template (a zlib stream) and writes its part before the data. Destroy the page also after a failure. */
bl_status bl_page_begin(bl_context *ctx, const char *path, const void *packed, size_t bytes, const char *title, bl_page *page);
/* One block: count elements of `width` bytes, little-endian, as byte planes, deflated, in base64. id: returns the name of the block. */
bl_status bl_page_block(bl_page *page, const void *data, size_t count, size_t width, char id[BL_BLOCK_ID]);
/* Writes the header and the rest of the template; only then the file gets its name. */
bl_status bl_page_end(bl_page *page, const char *header, size_t bytes);
void bl_page_destroy(bl_page *page); /* before bl_page_end: removes the file */

void bl_page_put(bl_page *page, const char *bytes, size_t length);

#endif
