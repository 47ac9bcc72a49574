/* contact: where shapes of bodies touch: gaps, normals and points of pairs of shapes, and the pairs that are near. Plain numbers, no
 * coordinates and no forces.
 *
 * In the plane discs are spheres, lines are planes, boxes are polygons; all centers have z = 0. */
#ifndef BL_CONTACT_H
#define BL_CONTACT_H

#include "base/base.h"

typedef enum bl_contact_what {
    BL_CONTACT_SPHERE,
    BL_CONTACT_CAPSULE,
    BL_CONTACT_CYLINDER,
    BL_CONTACT_BOX,
    BL_CONTACT_POLYGON, /* in the plane only */
    BL_CONTACT_PLANE,   /* of the ground, or of a body; the material is behind it */
    BL_CONTACT_WHATS
} bl_contact_what;

/* A frame: origin and axes, axes + 3 k is the k-th. */
typedef struct bl_contact_frame {
    double at[3], axes[9];
} bl_contact_frame;

/* A convex shape on a body. The center is at the origin of its frame. SPHERE: radius. CAPSULE, CYLINDER: radius, half[2] half the length
 * along the third axis (without the caps of a capsule). BOX: half[3] half edges. POLYGON: corners counterclockwise, convex, in the first
 * two axes. PLANE: through the origin, the third axis is the normal. */
typedef struct bl_contact_shape {
    bl_contact_what what;
    bl_index body, group; /* group: row of the table of laws */
    bl_contact_frame frame;
    double radius, half[3];
    double size; /* of shapes that have none of their own, as points: what bl_contact_size returns; 0: from the dimensions */
    bl_index ncorner;
    const double (*corner)[2]; /* [ncorner], lives as long as the shape */
} bl_contact_shape;

/* The shape at a time: frame in space. */
typedef struct bl_contact_solid {
    const bl_contact_shape *shape;
    bl_contact_frame frame;
} bl_contact_solid;

/* One point where two shapes are near: the points of both surfaces are at - gap/2 normal (of the first) and at + gap/2 normal. The same
 * corner or edge keeps its number while shapes move. */
enum { BL_CONTACT_POINTS = 4 };
typedef struct bl_contact_point {
    double at[3], normal[3]; /* unit, from the first shape to the second */
    double gap;              /* negative: they overlap */
    uint32_t number;
} bl_contact_point;

/* Whether a pair of kinds is supported, in any order. */
bool bl_contact_can(bl_contact_what one, bl_contact_what other);
/* "sphere", ... */
const char *bl_contact_name(bl_contact_what what);
/* Where body frame and the frame of a shape on it lie in space: out = body * local. */
void bl_contact_place(const bl_contact_frame *body, const bl_contact_frame *local, bl_contact_frame *out);
/* Points with a gap up to the margin: at most BL_CONTACT_POINTS, returns their number. Shapes that touch along a line or face have as many
 * points as hold them. */
int bl_contact_points(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *point);

/* Box around a shape, larger by the margin; of a plane: infinite. */
void bl_contact_bounds(const bl_contact_solid *solid, double margin, double low[3], double high[3]);
/* Radius of a ball about the origin of the body that contains the shape; INFINITY: a plane */
double bl_contact_reach(const bl_contact_shape *shape);
/* Half of the smallest extent: penetrations are small or large relative to it. */
double bl_contact_size(const bl_contact_shape *shape);

#endif
