/* force: recorded once as a tape from the motion of marks and variables to forces on them. A force
 * does not depend on the choice of coordinates. To add one: copy spring.c, add a line to force_list.h. */
#ifndef BL_FORCE_H
#define BL_FORCE_H

#include "base/held.h"
#include "model/model.h"

enum { BL_MAX_FORCE_MARKS = 24, BL_MAX_FORCE_VARIABLES = 16, BL_MAX_FORCE_INPUTS = 192, BL_MAX_SHOWN_SPRINGS = 3 };

/* A force during recording, and afterwards the input of the coordinates. Outputs of the tape, in order:
 * 3 numbers per loaded mark, 1 per loaded variable, 1 potential if potential_node >= 0. */
typedef struct bl_record {
    bl_context *ctx;
    const bl_model *model;
    const bl_force_def *def;
    const bl_held *held; /* [nheld] held numbers of the system */
    bl_index nheld;
    bl_index actuator; /* the held number that is its magnitude; -1: given by its law */
    bool acted;        /* the kind has used `actuator` */
    bl_tape *tape;
    bl_index nmark, nvar, ninput;
    bl_mark mark[BL_MAX_FORCE_MARKS];
    bl_index var[BL_MAX_FORCE_VARIABLES];
    bl_symbol input[BL_MAX_FORCE_INPUTS];
    bl_index push_node[BL_MAX_FORCE_MARKS][3]; /* -1: no force on the mark */
    bl_index push_var_node[BL_MAX_FORCE_VARIABLES];
    bl_index potential_node;
    /* the complete potential is stiffness (l - length)^2 / 2 of the distance l between two marks */
    struct bl_spring_part {
        bool whole;
        bl_index end[2]; /* marks, -1: at the point place[] of ground */
        double place[2][3];
        double stiffness, length;
    } spring;
    /* springs to show in results: a length or an angle, and its tension */
    bl_index nshown;
    struct bl_shown_spring {
        bl_index variable; /* -1: between two marks, one of which may be on ground */
        bl_mark end[2];
    } shown[BL_MAX_SHOWN_SPRINGS];
    /* the value of BL_SYM_LOAD: the reaction of a joint perpendicular to the axis of one of its variables */
    struct bl_normal_part {
        bl_index variable;
        double arm;        /* distance between the bearings or guides that carry moments; 0: moments add no load */
        bool whole_moment; /* the moment about the axis adds load too */
        bool kept;         /* although the tape does not read it: the joint may stick */
    } normal;
    bl_status status;
} bl_record;

/* ---- functions for recording a kind; the first failure is kept in record->status */
bl_index bl_record_mark(bl_record *, bl_mark mark);                    /* number of the mark in this force */
void bl_record_position(bl_record *, bl_index mark, bl_index node[3]); /* components; vectors: their components */
void bl_record_velocity(bl_record *, bl_index mark, bl_index node[3]);
bl_index bl_record_variable(bl_record *, bl_index variable); /* node of its value */
bl_index bl_record_rate(bl_record *, bl_index variable);     /* node of its rate */
/* Node of the joint's normal load |F| + 2 |M| / arm, with F perpendicular to the axis of `variable`, and M likewise or (whole_moment)
 * complete. At most one per force. */
bl_index bl_record_normal(bl_record *, bl_index variable, double arm, bool whole_moment);
/* Reports an error in a value of the force, with advice. */
bl_status bl_record_refuse(const bl_record *, const bl_value *value, const char *what, const char *advice);
/* The bodies on which a force and its reaction act; they must differ. */
bl_status bl_record_bodies(const bl_record *, const bl_value *body, const bl_value *against, bl_index *on, bl_index *back_on);
/* Node of a held number. */
bl_index bl_record_held(bl_record *, bl_index held);
/* The law (or the constant, when law < 0) with x and xd given as nodes (-1: it may not use them). */
bl_index bl_record_law(bl_record *, bl_index law, double constant, bl_index x, bl_index xd);
/* A law h of x and t (constant when law < 0; it may use other symbols, whose rates are not known here): h, h', h'', by x; dh/dt, dh'/dt. */
enum { BL_PROFILE_VALUE, BL_PROFILE_SLOPE, BL_PROFILE_CURVE, BL_PROFILE_RISE, BL_PROFILE_SWING, BL_PROFILE_PARTS };
void bl_record_profile(bl_record *, bl_index law, double constant, bl_index x, bl_index out[BL_PROFILE_PARTS]);
void bl_record_push(bl_record *, bl_index mark, const bl_index force[3]);     /* adds a force on a point, or on a vector */
void bl_record_push_variable(bl_record *, bl_index variable, bl_index force); /* adds a generalized force */
/* A free moment on a body: half of moment x e_k on each of its axes e_k. */
void bl_record_torque(bl_record *, bl_index body, const bl_index moment[3]);
/* Forces factor * d on point a and the opposite on point b, d = b - a; drawn along the line between them. */
void bl_record_push_span(bl_record *, bl_index a, bl_index b, const bl_index d[3], bl_index factor);
/* Adds to the potential. The force that follows from it must also be recorded by bl_record_push. */
void bl_record_potential(bl_record *, bl_index node);
/* Declares that the potential is that of one spring between two marks; energy-conserving methods then use its length. */
void bl_record_spring(bl_record *, bl_index a, bl_index b, double stiffness, double length);

/* Declares a spring or damper between two marks, or on a variable, whose length or angle and tension are in the results. At most
 * BL_MAX_SHOWN_SPRINGS. */
void bl_record_shows_span(bl_record *, bl_index a, bl_index b);
void bl_record_shows_variable(bl_record *, bl_index variable);

/* How to draw a force, in the model configuration and global axes. */
typedef enum bl_force_drawn {
    BL_DRAWN_SPRING,  /* on the line from at[0] of body[0] to at[1] of body[1] */
    BL_DRAWN_BUSHING, /* between at[0] of body[0] and at[1] of body[1], which coincide when it is unloaded */
    BL_DRAWN_TURNING, /* a rotational spring between the two bodies of a joint, about its axis at at[0] */
    BL_DRAWN_FORCE,   /* on at[1] of body[1]; body[0] takes the reaction */
    BL_DRAWN_MOMENT   /* on body[1]; body[0] takes the reaction */
} bl_force_drawn;
typedef struct bl_force_picture {
    bl_force_drawn drawn;
    bl_index body[2];
    double at[2][3];
    bool has_axis;
    double axis[3];           /* unit vector: rotation axis or sliding direction of the variable */
    bl_index joint, variable; /* on which it acts; -1: none */
    double free;              /* free length or angle of a spring; NaN: it has no stiffness */
    bool damped;
} bl_force_picture;

typedef struct bl_force_kind {
    bl_kind kind;
    bl_status (*record)(bl_record *);
    bl_status (*picture)(const bl_model *, const bl_force_def *, bl_force_picture *out);
} bl_force_kind;

/* ---- picture.c */
/* For any kind; initializes *picture. BL_E_MODEL, with no error recorded: it cannot be drawn, and recording it explains why. */
bl_status bl_force_draw(const bl_model *model, const bl_force_def *def, bl_force_picture *picture);
/* For kinds that act on a variable: bodies and points of its joint, and its rotation axis or sliding direction. */
bl_status bl_draw_variable(const bl_model *model, bl_index variable, bl_force_picture *out);

#define BL_KIND(name) extern const bl_force_kind bl_force_##name;
#include "force/force_list.h"
#undef BL_KIND

/* Not forces of the file: model/contact_reader.c and stops.c make them of contacts and stops with a stiffness. A buffer has further values,
 * behind those of its table. */
enum { BL_BUFFER_VARIABLE = BL_MAX_PARAMS - 3, BL_BUFFER_BOUND, BL_BUFFER_SIDE };
extern const bl_force_kind bl_force_compliant_contact, bl_force_buffer;

extern const bl_force_kind *const bl_force_kinds[];
extern const size_t bl_force_kind_count;

/* Records a force of the model: fills *record, whose tape the caller destroys (also after failure). Parameters that are held numbers are
 * read as such; actuator: the held number that is the force's magnitude, -1: none. BL_E_ABILITY: the force has no magnitude along a fixed
 * direction. */
bl_status bl_force_record(bl_context *ctx, const bl_model *model, const bl_force_def *def, const bl_held *held, bl_index nheld,
                          bl_index actuator, bl_record *record);
/* A force on a variable whose value is a held number; def gives the name and must remain valid. */
bl_status bl_force_record_actuator(bl_context *ctx, const bl_model *model, const bl_force_def *def, const bl_held *held, bl_index nheld,
                                   bl_index actuator, bl_record *record);
/* A law that acts on nothing: the only output of the tape is its value. def gives the name and must remain valid. */
bl_status bl_force_record_value(bl_context *ctx, const bl_model *model, const bl_force_def *def, const bl_held *held, bl_index nheld,
                                bl_index law, bl_record *record);

#endif
