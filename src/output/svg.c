/* Text of figures, gathered in a buffer on its way to a target. */
#include "output/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 16 };

void bl_svg_put_bytes(bl_svg *svg, const char *text, size_t length) {
    while (length > 0) {
        if (svg->length == BUFFER_BYTES) {
            bl_target_append(&svg->target, svg->buffer, svg->length);
            svg->length = 0;
        }
        size_t n = length < BUFFER_BYTES - svg->length ? length : BUFFER_BYTES - svg->length;
        memcpy(svg->buffer + svg->length, text, n);
        svg->length += n;
        text += n;
        length -= n;
    }
}

void bl_svg_put(bl_svg *svg, const char *text) { bl_svg_put_bytes(svg, text, strlen(text)); }

void bl_svg_number(bl_svg *svg, double value) {
    char text[48];
    long hundredths = lround(fabs(value) * 100);
    int n = snprintf(text, sizeof text, "%s%ld", value < 0 && hundredths ? "-" : "", hundredths / 100);
    if (hundredths % 10)
        n += snprintf(text + n, sizeof text - (size_t)n, ".%02ld", hundredths % 100);
    else if (hundredths % 100)
        n += snprintf(text + n, sizeof text - (size_t)n, ".%ld", hundredths % 100 / 10);
    bl_svg_put_bytes(svg, text, (size_t)n);
}

void bl_svg_attribute(bl_svg *svg, const char *name, double value) {
    bl_svg_put(svg, " ");
    bl_svg_put(svg, name);
    bl_svg_put(svg, "=\"");
    bl_svg_number(svg, value);
    bl_svg_put(svg, "\"");
}

void bl_svg_escaped(bl_svg *svg, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<')
            bl_svg_put(svg, "&lt;");
        else if (c == '&')
            bl_svg_put(svg, "&amp;");
        else
            bl_svg_put_bytes(svg, c < 0x20 || c >= 0x7F ? "?" : text, 1);
    }
}

void bl_svg_begin(bl_svg *svg, double width, double height, const char *title) {
    bl_svg_put(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ");
    bl_svg_number(svg, width);
    bl_svg_put(svg, " ");
    bl_svg_number(svg, height);
    bl_svg_put(svg, "\"");
    bl_svg_attribute(svg, "width", width);
    bl_svg_attribute(svg, "height", height);
    bl_svg_put(svg, " font-family=\"Helvetica, Arial, sans-serif\">\n<title>");
    bl_svg_escaped(svg, title);
    bl_svg_put(svg, "</title>\n");
    bl_svg_rect(svg, 0, 0, width, height, "fill=\"#ffffff\"");
}

void bl_svg_end(bl_svg *svg) { bl_svg_put(svg, "</svg>\n"); }

/* names of attributes in the order of their values, NULL at the end; the element stays open for its look */
static void put_element(bl_svg *svg, const char *element, const char *const *name, const double *value, const char *look) {
    bl_svg_put(svg, "<");
    bl_svg_put(svg, element);
    for (int k = 0; name[k]; k++)
        bl_svg_attribute(svg, name[k], value[k]);
    bl_svg_put(svg, " ");
    bl_svg_put(svg, look);
}

void bl_svg_rect(bl_svg *svg, double x, double y, double width, double height, const char *look) {
    static const char *const names[] = {"x", "y", "width", "height", NULL};
    put_element(svg, "rect", names, (const double[]){x, y, width, height}, look);
    bl_svg_put(svg, "/>\n");
}

void bl_svg_circle(bl_svg *svg, double x, double y, double radius, const char *look) {
    static const char *const names[] = {"cx", "cy", "r", NULL};
    put_element(svg, "circle", names, (const double[]){x, y, radius}, look);
    bl_svg_put(svg, "/>\n");
}

void bl_svg_line(bl_svg *svg, double x, double y, double to_x, double to_y, const char *look) {
    static const char *const names[] = {"x1", "y1", "x2", "y2", NULL};
    put_element(svg, "line", names, (const double[]){x, y, to_x, to_y}, look);
    bl_svg_put(svg, "/>\n");
}

void bl_svg_text(bl_svg *svg, double x, double y, const char *look, const char *text) {
    static const char *const names[] = {"x", "y", NULL};
    put_element(svg, "text", names, (const double[]){x, y}, look);
    bl_svg_put(svg, ">");
    bl_svg_escaped(svg, text);
    bl_svg_put(svg, "</text>\n");
}

bl_status bl_svg_write(bl_context *ctx, const char *path, void (*draw)(bl_svg *svg, void *figure), void *figure) {
    bl_svg svg = {0};
    BL_TRY(bl_target_create(ctx, path, &svg.target));
    bl_status status = BL_NEW(ctx, svg.buffer, BUFFER_BYTES);
    if (status == BL_OK)
        status = bl_target_open(&svg.target, true);
    if (status == BL_OK) {
        draw(&svg, figure);
        bl_target_append(&svg.target, svg.buffer, svg.length);
        status = bl_target_close(&svg.target, true);
    }
    bl_target_destroy(&svg.target);
    bl_free(ctx, svg.buffer);
    return status;
}
