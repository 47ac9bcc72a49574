/* kind: an alternative that users choose by name (a joint, an integrator, ...), and the table of its parameters.
 *
 * A kind is one .c file ending in a const descriptor whose first member is a bl_kind, plus one line
 * BL_KIND(name) in the room's *_list.h. The same parameter table serves the model file, the command
 * line ("hht:0.3", "partition:index=3"), the reference manual and `biela list`. */
#ifndef BL_KIND_H
#define BL_KIND_H

#include "base/base.h"

typedef enum bl_param_type {
    BL_P_END = 0, /* ends a table */
    BL_P_NUMBER,  /* a constant, may be an expression of parameters */
    BL_P_INTEGER,
    BL_P_FLAG,
    BL_P_CHOICE, /* one of the words in `choices`, separated by | */
    BL_P_TEXT,
    BL_P_POINT,    /* position in the model configuration: coordinates or the name of a point */
    BL_P_VECTOR,   /* direction, need not be of unit length */
    BL_P_LAW,      /* expression of t, variables, probes; also x and xd if the kind has a variable of its own */
    BL_P_LAW3,     /* three laws (two in the plane) */
    BL_P_BODY,     /* name of a body or ground */
    BL_P_VARIABLE, /* joint.angle and the like */
    BL_P_JOINT,    /* name of a joint */
    BL_P_NUMBERS,  /* one to three constants, not normalized: a number or a list */
    BL_P_TERMS,    /* a map from expressions to constants: the law is the sum of their products */
    BL_P_PROFILE,  /* a function of x: an expression, segments of a cam, a table (series/profile.h) */
    BL_P_CURVE     /* points in the plane, joined by a smooth curve: two profiles of one parameter */
} bl_param_type;

enum {
    BL_REQUIRED = 1,
    BL_POSITIVE = 2,
    BL_NOT_NEGATIVE = 4,
    BL_NOT_ZERO = 8,
    BL_PLANE_ONLY = 16,
    BL_SPACE_ONLY = 32,
    BL_ABOUT_Z = 64,        /* in the plane a single number, the z component */
    BL_ANGLE_ONLY = 128,    /* VARIABLE: must be an angle */
    BL_DISTANCE_ONLY = 256, /* VARIABLE: must be a distance */
    BL_OF_FIRST = 512       /* POINT: of the first body. Others belong to the bodies in their order, a single one to both */
};

typedef struct bl_param {
    const char *name;
    bl_param_type type;
    uint32_t flags;
    double fallback;     /* NUMBER, INTEGER, FLAG when not given */
    const char *choices; /* CHOICE: "one|two"; the first is the fallback */
    const char *unit, *help;
} bl_param;

/* The value of one parameter; a kind finds it by its index in the table. */
typedef struct bl_value {
    bool given;
    double number;                       /* NUMBER, INTEGER, FLAG; CHOICE: index of the word; NUMBERS: their count */
    double vector[3];                    /* POINT, VECTOR (unit length), NUMBERS, constant LAW3 */
    bl_index ref;                        /* BODY, VARIABLE, JOINT: index in the model */
    bl_index law[3];                     /* LAW, LAW3: index in the model's laws, -1 for the constant in number or vector */
    const char *text;                    /* TEXT, CHOICE */
    const struct bl_profile *profile[2]; /* PROFILE: the first; CURVE: x and y */
    bl_place place;
} bl_value;

enum { BL_MAX_PARAMS = 16 };

typedef struct bl_kind {
    const char *name, *help;
    const bl_param *params; /* NULL: none */
    uint32_t needs, gives;  /* bits defined by the room */
} bl_kind;

bl_index bl_param_count(const bl_param *table);

/* Reads "a,name=b" into values[BL_MAX_PARAMS] by the table (NUMBER, INTEGER, FLAG, CHOICE, TEXT only); entries
 * without a name fill the table from its start; text may be NULL. Text values are allocated in `arena`. */
bl_status bl_kind_options(bl_context *ctx, bl_arena *arena, const bl_kind *kind, const char *text, bl_value *values);

/* Splits "name:options": finds the kind in list[count] and points *options after the colon (or NULL).
 * The error for an unknown name suggests the nearest one. room: name of the list in messages ("integrator"). */
bl_status bl_kind_find(bl_context *ctx, const char *room, const bl_kind *const *list, size_t count, const char *spec, const bl_kind **kind,
                       const char **options);

#endif
