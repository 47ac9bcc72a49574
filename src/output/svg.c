/* Elements of figures. */
#include "output/svg.h"

/* Text with `<`, `&` and characters that are not text replaced. */
static void put_escaped(bl_svg *svg, const char *text) {
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '<')
            bl_put(svg, "&lt;");
        else if (c == '&')
            bl_put(svg, "&amp;");
        else
            bl_put_bytes(svg, c < 0x20 || c >= 0x7F ? "?" : text, 1);
    }
}

void bl_svg_begin(bl_svg *svg, double width, double height, const char *title) {
    bl_put(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %f %f\" width=\"%f\" height=\"%f\"", width, height, width, height);
    bl_put(svg, " font-family=\"Helvetica, Arial, sans-serif\">\n<title>");
    put_escaped(svg, title);
    bl_put(svg, "</title>\n");
    bl_svg_rect(svg, 0, 0, width, height, "fill=\"#ffffff\"");
}

void bl_svg_end(bl_svg *svg) { bl_put(svg, "</svg>\n"); }

void bl_svg_point(bl_svg *svg, char letter, double x, double y) { bl_put(svg, "%c%f %f", letter, x, y); }

void bl_svg_rect(bl_svg *svg, double x, double y, double width, double height, const char *style) {
    bl_put(svg, "<rect x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\" %s/>\n", x, y, width, height, style);
}

void bl_svg_circle(bl_svg *svg, double x, double y, double radius, const char *style) {
    bl_put(svg, "<circle cx=\"%f\" cy=\"%f\" r=\"%f\" %s/>\n", x, y, radius, style);
}

void bl_svg_line(bl_svg *svg, double x, double y, double to_x, double to_y, const char *style) {
    bl_put(svg, "<line x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\" %s/>\n", x, y, to_x, to_y, style);
}

void bl_svg_text(bl_svg *svg, double x, double y, const char *style, const char *text) {
    bl_put(svg, "<text x=\"%f\" y=\"%f\" %s>", x, y, style);
    put_escaped(svg, text);
    bl_put(svg, "</text>\n");
}

bl_status bl_svg_write(bl_context *ctx, const char *path, bl_text_writer *draw, void *figure) {
    return bl_text_file_write(ctx, path, true, draw, figure);
}
