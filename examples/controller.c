/* A controller in C at 1 kHz: balances an upright rod on a cart. The force on the cart is an input of the model, set once a millisecond
 * from the measured positions and velocities; between two settings it is constant. usage: controller [SECONDS] */
#include <biela/biela.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char cart[] = "model: cart\n"
                           "dimension: 2\n"
                           "gravity: [0, -9.81]\n"
                           "inputs: {F: 0}\n"
                           "bodies:\n"
                           "  - {name: cart, mass: 1, center: [0, 0], inertia: 1}\n"
                           "  - {name: pole, rod: {from: [0, 0], to: [0, 1]}, mass: 0.3}\n"
                           "joints:\n"
                           "  - {name: slide, type: prismatic, bodies: [ground, cart], at: [0, 0], axis: [1, 0]}\n"
                           "  - {name: hinge, type: revolute, bodies: [cart, pole], at: [0, 0]}\n"
                           "forces: [{type: force, body: cart, at: [0, 0], force: [=F, 0]}]\n"
                           "initial: {hinge.angle: -0.2}\n";

/* optimal state feedback for a cart of 1 kg and a rod of 0.3 kg and 1 m: -k . (position, tilt, velocity, tilt rate) */
static const double gain[] = {-3.1622776602, -47.3942507760, -4.8304642639, -11.9010048676};
static const char *const measured[] = {"slide.distance", "hinge.angle", "slide.rate", "hinge.rate"};
static const double sign[] = {1, -1, 1, -1}; /* tilt is positive to the right, angles are positive to the left */

static bl_status balance(bl_stepper *s, double until) {
    bl_index force = bl_stepper_input(s, "F"), output[4];
    double value[4];
    bl_status status = BL_OK;
    for (int i = 0; i < 4 && status == BL_OK; i++)
        status = bl_stepper_output(s, measured[i], &output[i]);
    for (long k = 0; status == BL_OK && 0.001 * (double)k < until; k++) {
        double F = 0;
        status = bl_stepper_read(s, 4, output, value);
        for (int i = 0; i < 4; i++)
            F -= gain[i] * sign[i] * value[i];
        if (k % 500 == 0)
            printf("t = %.1f s   cart %7.4f m   tilt %7.4f rad   force %7.3f N\n", bl_stepper_time(s), value[0], -value[1], F);
        if (status == BL_OK)
            status = bl_stepper_set_input(s, force, F, 0);
        if (status == BL_OK)
            status = bl_stepper_reach(s, 0.001 * (double)(k + 1));
    }
    return status;
}

int main(int argc, char **argv) {
    bl_context *ctx;
    bl_model *model = NULL;
    bl_stepper *s = NULL;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 2;
    bl_status status = bl_model_read_text(ctx, "cart", cart, strlen(cart), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_stepper_create(ctx, model, NULL, &s);
    if (status == BL_OK)
        status = balance(s, argc > 1 ? atof(argv[1]) : 3.001);
    if (status != BL_OK)
        fprintf(stderr, "%s\n", bl_context_error(ctx)->what);
    bl_stepper_destroy(s);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return status != BL_OK;
}
