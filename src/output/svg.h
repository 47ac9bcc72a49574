/* svg: figures as text. Numbers (%f) have two decimals at most. */
#ifndef BL_OUTPUT_SVG_H
#define BL_OUTPUT_SVG_H

#include "output/text_file.h"

typedef bl_text_file bl_svg;

/* Writes a file by draw(svg, figure); it appears under its name only when it is complete. */
bl_status bl_svg_write(bl_context *ctx, const char *path, bl_text_writer *draw, void *figure);

/* Page with title and white background; bl_svg_end writes </svg>. */
void bl_svg_begin(bl_svg *svg, double width, double height, const char *title);
void bl_svg_end(bl_svg *svg);
/* A command of path data with its point. */
void bl_svg_point(bl_svg *svg, char letter, double x, double y);
/* style: attributes */
void bl_svg_rect(bl_svg *svg, double x, double y, double width, double height, const char *style);
void bl_svg_circle(bl_svg *svg, double x, double y, double radius, const char *style);
void bl_svg_line(bl_svg *svg, double x, double y, double to_x, double to_y, const char *style);
void bl_svg_text(bl_svg *svg, double x, double y, const char *style, const char *text);

#endif
