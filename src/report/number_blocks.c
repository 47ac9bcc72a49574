/* Blocks of numbers as byte planes (all lowest bytes, then the next ...), which compress well because neighbors differ mostly in low bytes;
 * deflated (RFC 1950), in base64 (RFC 4648, section 4). Memory does not grow with the block. */
#include "report/page.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { PIECE = 1 << 15, LEVEL = 6 };

static void *take_memory(void *user, unsigned count, unsigned size) { return bl_alloc(user, count, size); }
static void free_memory(void *user, void *block) { bl_free(user, block); }

/* base64 encoder: up to two bytes wait for a third one */
typedef struct base64 {
    bl_page *page;
    unsigned char wait[3];
    int waiting;
} base64;

static void put_three(bl_page *page, const unsigned char *b, int n) {
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = (unsigned)b[0] << 16 | (unsigned)(n > 1 ? b[1] : 0) << 8 | (n > 2 ? b[2] : 0);
    char text[4] = {letter[bits >> 18], letter[bits >> 12 & 63], n > 1 ? letter[bits >> 6 & 63] : '=', n > 2 ? letter[bits & 63] : '='};
    bl_page_put(page, text, sizeof text);
}

static void put_bytes(base64 *to, const unsigned char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        to->wait[to->waiting++] = bytes[i];
        if (to->waiting == 3) {
            put_three(to->page, to->wait, 3);
            to->waiting = 0;
        }
    }
}

static void put_last(base64 *to) {
    if (to->waiting > 0)
        put_three(to->page, to->wait, to->waiting);
}

/* writes all output that zlib has for its input */
static bl_status deflate_input(z_stream *z, base64 *to, unsigned char *packed, int flush) {
    int outcome;
    do {
        z->next_out = packed;
        z->avail_out = PIECE;
        outcome = deflate(z, flush);
        if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR)
            return bl_fail(to->page->ctx, BL_E_MEMORY, NULL, "out of memory while compressing the data of the page");
        put_bytes(to, packed, PIECE - z->avail_out);
    } while (z->avail_out == 0);
    return BL_OK;
}

/* holds on all machines for which biela is built */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "blocks of the page are little-endian");

static bl_status pack(bl_page *page, z_stream *z, const unsigned char *data, size_t count, size_t width) {
    base64 to = {.page = page};
    unsigned char *plane = page->packing, *packed = page->packing + PIECE;
    for (size_t byte = 0; byte < width; byte++)
        for (size_t first = 0; first < count; first += PIECE) {
            size_t n = count - first < PIECE ? count - first : PIECE;
            const unsigned char *from = data + first * width + byte;
            for (size_t i = 0; i < n; i++)
                plane[i] = from[i * width];
            z->next_in = plane;
            z->avail_in = (unsigned)n;
            BL_TRY(deflate_input(z, &to, packed, Z_NO_FLUSH));
        }
    BL_TRY(deflate_input(z, &to, packed, Z_FINISH));
    put_last(&to);
    return bl_target_check(&page->target);
}

bl_status bl_page_block(bl_page *page, const void *data, size_t count, size_t width, char id[BL_BLOCK_ID]) {
    static const char head[] = "<script type=\"application/octet-stream\" id=\"%s\">";
    char text[96];
    if (!page->packing)
        BL_TRY(BL_NEW(page->ctx, page->packing, 2 * PIECE));
    snprintf(id, BL_BLOCK_ID, "b%d", (int)page->nblock++);
    bl_page_put(page, text, (size_t)snprintf(text, sizeof text, head, id));
    z_stream z = {.zalloc = take_memory, .zfree = free_memory, .opaque = page->ctx};
    if (deflateInit(&z, LEVEL) != Z_OK)
        return BL_E_MEMORY;
    bl_status status = pack(page, &z, data, count, width);
    deflateEnd(&z);
    bl_page_put(page, "</script>\n", sizeof "</script>\n" - 1);
    return status;
}
