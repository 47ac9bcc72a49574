/* touch_form: private to touch.c, touch_form.c: equations of a drawing, and what is recorded of them. */
#ifndef BL_TOUCH_FORM_H
#define BL_TOUCH_FORM_H

#include "joint/touch.h"

enum {
    BL_TOUCH_INPUTS = 6 * BL_TOUCH_VECTORS + BL_TOUCH_NUMBERS + 1,
    BL_TOUCH_WORK = 4096 /* doubles of workspace on the stack; longer drawings are refused */
};

/* The equation of one kind in the plane or in space, as a program. Its inputs are all vectors, then the numbers, then the
 * rates of all vectors and the time along them, which is 0. */
typedef struct bl_touch_form {
    struct bl_touch_form *next;
    const bl_touch_kind *kind;
    bl_prim_what what;
    int dim, tangent;
    bool ends; /* its reach does */
    bl_tape_program *program;
    int nvector;
    int8_t vector[BL_TOUCH_VECTORS]; /* those it depends on, ascending */
    bl_index ngrad, nhess;           /* entries that are not zero, at these indices of grad[n] and hess[n][n] */
    int16_t *grad, *hess;
} bl_touch_form;

/* Draws on w->tape, with w->number set. */
void bl_touch_draw(const bl_touch_kind *kind, int dim, bl_touch_drawing *w);
/* (1): coefficients of the rates of all vectors in the speed of slip along a tangent. */
void bl_touch_slip(bl_touch_drawing *w, int tangent, bl_index *grad);

#endif
