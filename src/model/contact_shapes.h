/* contact_shapes: private to the reader of contacts: shapes, the parts of their surfaces, and the contacts of two shapes. */
#ifndef BL_CONTACT_SHAPES_H
#define BL_CONTACT_SHAPES_H

#include "joint/curve.h"
#include "joint/touch.h"
#include "model/reader.h"

typedef enum bl_touching_kind {
    BL_TOUCHING_POINT,
    BL_TOUCHING_SPHERE,
    BL_TOUCHING_HOLE,
    BL_TOUCHING_PLANE,
    BL_TOUCHING_CAPSULE,
    BL_TOUCHING_BOX,
    BL_TOUCHING_CYLINDER,
    BL_TOUCHING_DISC,
    BL_TOUCHING_ELLIPSOID,
    BL_TOUCHING_POLYLINE,
    BL_TOUCHING_PROFILE,
    BL_TOUCHING_SHAPES
} bl_touching_kind;
extern const char *const bl_touching_names[BL_TOUCHING_SHAPES];

typedef struct bl_touching_shape {
    bl_touching_kind kind;
    const bl_item *item;
    bl_index body;
    double at[3], to[3], radius, size[3], axis[3][3]; /* of a plane the normal is axis[0], of a disc its axis */
    bl_index npoint;
    double (*point)[3];
    bool closed, reversed; /* polyline: the free side is to the right of its direction */
    bl_curve curve;        /* of a profile, with the whole of its interval */
} bl_touching_shape;

typedef struct bl_contact_pair {
    const char *name;
    const bl_place *place;
    double restitution, friction, sticking;
    int parts, part; /* number of places, the present one */
    bl_index group;
    bool compliant;
    const bl_curve *curve;         /* of its next place; NULL: none */
    double deepest;                /* the same */
    bl_value value[BL_MAX_PARAMS]; /* of its law */
} bl_contact_pair;

/* contact_reader.c: the body with a shape; of a beam the frame at its point `at`. */
bl_status bl_touching_body(bl_reader *r, const bl_item *name, const bl_item *shape, bl_index *body);
/* {sphere: {at: C, radius: 0.1}} */
bl_status bl_touching_read(bl_reader *r, const bl_item *item, bl_index body, bl_touching_shape *shape);

/* ---- contact_features.c: parts of the surface of a shape */

typedef enum bl_feature_kind { BL_FEATURE_FACE, BL_FEATURE_CORNER, BL_FEATURE_EDGE, BL_FEATURE_END, BL_FEATURE_RIM } bl_feature_kind;

enum { BL_FEATURE_NEAR = 4 };
typedef struct bl_feature {
    bl_feature_kind kind;
    double at[3], axis[3][3];  /* FACE, END: outward normal first; EDGE: direction, then outward; CORNER: outward */
    double half[2], radius;    /* lengths along the tangents or the edge; of END and RIM radius is that of the cylinder */
    double cone[3];            /* CORNER, EDGE: touch.h; 2: no bound */
    int near[BL_FEATURE_NEAR]; /* parts that it passes into smoothly; -1: none */
} bl_feature;

typedef struct bl_outline {
    int n;
    bl_feature *feature;
    bool convex; /* its faces bound a convex body */
} bl_outline;

/* Corners and ends of a polyline where the free side is concave are not among them. */
bl_status bl_touching_outline(bl_reader *r, const bl_touching_shape *shape, bl_outline *out);
/* A right-handed set of unit vectors, the first given. */
void bl_touching_axes(int dim, double (*axis)[3]);

/* ---- contact_profile.c: height profiles in the plane */
bl_status bl_contact_profile_read(bl_reader *r, const bl_item *map, bl_touching_shape *s);
/* The part of a profile that a body meets: its convex parts from `first` on; false: there is none. */
bool bl_contact_profile_crest(const bl_curve *profile, double *first, bl_curve *crest);
/* Refuses a circle that does not fit into a hollow. */
bl_status bl_contact_profile_fits(bl_reader *r, const bl_contact_pair *p, const bl_touching_shape *profile, double radius);

/* ---- contact_places.c: contacts of two shapes, or a refusal */
bl_status bl_contact_places(bl_reader *r, bl_contact_pair *pair, const bl_touching_shape shape[2]);

#endif
