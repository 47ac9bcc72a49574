/* svg: figures as text, written in one move. Numbers have two decimals whatever the locale says. */
#ifndef BL_OUTPUT_SVG_H
#define BL_OUTPUT_SVG_H

#include "output/output.h"

typedef struct bl_svg {
    bl_target target;
    char *buffer;
    size_t length;
} bl_svg;

/* Opens path; draw(svg, figure) writes, and the file takes its name when all went well. */
bl_status bl_svg_write(bl_context *ctx, const char *path, void (*draw)(bl_svg *svg, void *figure), void *figure);

void bl_svg_put_bytes(bl_svg *svg, const char *text, size_t length);
void bl_svg_put(bl_svg *svg, const char *text);
void bl_svg_number(bl_svg *svg, double value);
void bl_svg_attribute(bl_svg *svg, const char *name, double value);
/* `<`, `&` and what is no text are replaced. */
void bl_svg_escaped(bl_svg *svg, const char *text);

/* The page with its title and white paper; ends with </svg>. */
void bl_svg_begin(bl_svg *svg, double width, double height, const char *title);
void bl_svg_end(bl_svg *svg);
/* look: attributes */
void bl_svg_rect(bl_svg *svg, double x, double y, double width, double height, const char *look);
void bl_svg_circle(bl_svg *svg, double x, double y, double radius, const char *look);
void bl_svg_line(bl_svg *svg, double x, double y, double to_x, double to_y, const char *look);
void bl_svg_text(bl_svg *svg, double x, double y, const char *look, const char *text);

#endif
