/* The page: template, blocks, header. The template is made by viewer/build.mjs, with one mark for the title and one for the data. */
#include "report/page.h"

#include <string.h>
#include <zlib.h>

enum { BUFFER_BYTES = 1 << 16, TEMPLATE_MOST = 1 << 26 };

static const char title_mark[] = "<!--biela:title-->", data_mark[] = "<!--biela:data-->";

void bl_page_put(bl_page *page, const char *bytes, size_t length) {
    while (length > 0) {
        if (page->length == BUFFER_BYTES) {
            bl_target_append(&page->target, page->buffer, page->length);
            page->length = 0;
        }
        size_t n = length < BUFFER_BYTES - page->length ? length : BUFFER_BYTES - page->length;
        memcpy(page->buffer + page->length, bytes, n);
        page->length += n;
        bytes += n;
        length -= n;
    }
}

static void put_text(bl_page *page, const char *text) { bl_page_put(page, text, strlen(text)); }

/* ---- template */

static void *take_memory(void *user, unsigned count, unsigned size) { return bl_alloc(user, count, size); }
static void free_memory(void *user, void *block) { bl_free(user, block); }

static bl_status no_template(bl_context *ctx) { return bl_fail(ctx, BL_E_ARG, NULL, "the template of the page is damaged"); }

/* the complete template, terminated; its length is not known in advance */
static bl_status unpack(bl_page *page, const void *packed, size_t bytes) {
    bl_context *ctx = page->ctx;
    z_stream z = {.zalloc = take_memory, .zfree = free_memory, .opaque = ctx};
    z.next_in = (unsigned char *)(uintptr_t)packed; /* zlib does not write there */
    z.avail_in = (unsigned)bytes;
    if (bytes > TEMPLATE_MOST || inflateInit(&z) != Z_OK)
        return bytes > TEMPLATE_MOST ? no_template(ctx) : BL_E_MEMORY;
    size_t room = 0;
    int outcome = Z_OK;
    bl_status status = BL_OK;
    while (status == BL_OK && outcome == Z_OK) {
        room = room ? 2 * room : (size_t)1 << 20;
        char *grown = room <= TEMPLATE_MOST ? bl_resize(ctx, page->template, room + 1, 1) : NULL;
        if (!grown) {
            status = room > TEMPLATE_MOST ? no_template(ctx) : BL_E_MEMORY;
            break;
        }
        page->template = grown;
        z.next_out = (unsigned char *)page->template + z.total_out;
        z.avail_out = (unsigned)(room - z.total_out);
        outcome = inflate(&z, Z_NO_FLUSH);
    }
    page->template_bytes = z.total_out;
    inflateEnd(&z);
    if (status == BL_OK && outcome != Z_STREAM_END)
        status = outcome == Z_MEM_ERROR ? BL_E_MEMORY : no_template(ctx);
    if (status == BL_OK)
        page->template[page->template_bytes] = '\0';
    return status;
}

/* as text between tags */
static void put_markup(bl_page *page, const char *text) {
    for (size_t left = strlen(text); left > 0;) {
        bool control;
        size_t n = bl_utf8(text, left, &control);
        const char *as = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : n == 0 || control ? "?" : NULL;
        if (as)
            put_text(page, as);
        else
            bl_page_put(page, text, n);
        n = n ? n : 1;
        text += n;
        left -= n;
    }
}

static bl_status put_head(bl_page *page, const char *title) {
    const char *title_at = strstr(page->template, title_mark), *data_at = strstr(page->template, data_mark);
    if (!title_at || !data_at || title_at > data_at)
        return no_template(page->ctx);
    const char *after_title = title_at + sizeof title_mark - 1;
    bl_page_put(page, page->template, (size_t)(title_at - page->template));
    put_markup(page, title);
    bl_page_put(page, after_title, (size_t)(data_at - after_title));
    page->data_at = (size_t)(data_at - page->template);
    return bl_target_check(&page->target);
}

bl_status bl_page_begin(bl_context *ctx, const char *path, const void *packed, size_t bytes, const char *title, bl_page *page) {
    *page = (bl_page){.ctx = ctx, .target = {.ctx = ctx, .fd = -1}};
    BL_TRY(unpack(page, packed, bytes));
    BL_TRY(BL_NEW(ctx, page->buffer, BUFFER_BYTES));
    BL_TRY(bl_target_create(ctx, path, &page->target));
    BL_TRY(bl_target_open(&page->target, true));
    page->begun = true;
    return put_head(page, title);
}

/* ---- header */

/* the escape of a character that a script element cannot contain, NULL: none needed; n: its bytes */
static const char *escape(const char *text, size_t left, size_t *n) {
    bool control;
    *n = bl_utf8(text, left, &control);
    if (*n == 0) {
        *n = 1;
        return "\xEF\xBF\xBD";
    }
    if (*text == '<')
        return "\\u003c";
    if (*n == 3 && memcmp(text, "\xE2\x80\xA8", 3) == 0)
        return "\\u2028";
    return *n == 3 && memcmp(text, "\xE2\x80\xA9", 3) == 0 ? "\\u2029" : NULL;
}

/* A JSON text inside a script element: `<`, U+2028 and U+2029 escaped, invalid UTF-8 replaced by U+FFFD. */
static void put_json(bl_page *page, const char *text, size_t bytes) {
    size_t done = 0, n;
    for (size_t at = 0; at < bytes; at += n) {
        const char *as = escape(text + at, bytes - at, &n);
        if (!as)
            continue;
        bl_page_put(page, text + done, at - done);
        put_text(page, as);
        done = at + n;
    }
    bl_page_put(page, text + done, bytes - done);
}

bl_status bl_page_end(bl_page *page, const char *header, size_t bytes) {
    put_text(page, "<script type=\"application/json\" id=\"biela\">");
    put_json(page, header, bytes);
    put_text(page, "</script>\n");
    put_text(page, page->template + page->data_at + sizeof data_mark - 1);
    bl_target_append(&page->target, page->buffer, page->length);
    page->length = 0;
    page->begun = false;
    return bl_target_close(&page->target, true);
}

void bl_page_destroy(bl_page *page) {
    if (page->begun)
        bl_target_close(&page->target, false);
    bl_target_destroy(&page->target);
    bl_free(page->ctx, page->template);
    bl_free(page->ctx, page->buffer);
    bl_free(page->ctx, page->packing);
    *page = (bl_page){.ctx = page->ctx, .target = {.ctx = page->ctx, .fd = -1}};
}
