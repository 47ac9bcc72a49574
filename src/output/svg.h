/* svg: figures as text. Numbers (%f) have two decimals at most. */
#ifndef BL_OUTPUT_SVG_H
#define BL_OUTPUT_SVG_H

#include "output/text_file.h"

typedef bl_text_file bl_svg;

/* Opens path; draw(svg, figure) writes, and the file takes its name when all went well. */
bl_status bl_svg_write(bl_context *ctx, const char *path, bl_text_writer *draw, void *figure);

/* `<`, `&` and what is no text are replaced. */
void bl_svg_escaped(bl_svg *svg, const char *text);

/* The page with its title and white paper; ends with </svg>. */
void bl_svg_begin(bl_svg *svg, double width, double height, const char *title);
void bl_svg_end(bl_svg *svg);
/* Letter of a path and where it leads. */
void bl_svg_point(bl_svg *svg, char letter, double x, double y);
/* look: attributes */
void bl_svg_rect(bl_svg *svg, double x, double y, double width, double height, const char *look);
void bl_svg_circle(bl_svg *svg, double x, double y, double radius, const char *look);
void bl_svg_line(bl_svg *svg, double x, double y, double to_x, double to_y, const char *look);
void bl_svg_text(bl_svg *svg, double x, double y, const char *look, const char *text);

#endif
