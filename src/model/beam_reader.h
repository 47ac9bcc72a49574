/* beam_reader: private to the reader of beams: their cross sections, their axes, and the frames at their nodes. */
#ifndef BL_BEAM_READER_H
#define BL_BEAM_READER_H

#include "model/reader.h"

/* ---- beam_sections.c: constants of a cross section; y2 is measured along d2 (height), y3 along d3 (width) */
typedef struct bl_beam_section {
    double area, I[2]; /* int y3^2 dA about d2, int y2^2 dA about d3 */
    double torsion;    /* 0 in the plane */
    double shear[2];   /* factors along d2, d3 */
    double outline[2]; /* as in bl_beam_def */
    bool round;
} bl_beam_section;
/* `section: {...}` of a beam, called `what` in messages. */
bl_status bl_beam_section_read(bl_reader *r, const bl_item *node, const char *what, bl_beam_section *section);
/* A positive number, or two in space; one counts for both. zero: 0 is accepted. */
bl_status bl_beam_pair_read(bl_reader *r, const bl_item *node, const char *what, bool zero, double value[2]);
/* Torsion constant of a rectangle, series of Saint-Venant. */
double bl_beam_rectangle_torsion(double height, double width);

/* ---- beam_axis.c: the axis of a beam as pieces that are straight or arcs, and the directors along it */
typedef struct bl_beam_piece {
    bool arc;
    double from[3], to[3], length;
    double tangent[3];                            /* at `from` */
    double center[3], radius, angle, rotation[3]; /* ARC: the tangent turns by `angle` > 0 about the unit vector `rotation` */
    bl_index nelement;
} bl_beam_piece;

typedef struct bl_beam_axis {
    bl_index npiece, nelement;
    bl_beam_piece *piece; /* in the scratch arena */
    int degree;
    double d2[3]; /* at the beginning */
} bl_beam_axis;
/* `beam: {...}`, except for its section. */
bl_status bl_beam_axis_read(bl_reader *r, const bl_item *beam, const char *what, bl_beam_axis *axis);
/* node[nelement][degree + 1] of the beam */
void bl_beam_axis_nodes(const bl_beam_axis *axis, bool plane, bl_beam_node *node);

#endif
