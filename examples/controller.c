/* A controller in C at 1 kHz: balances an upright rod on a cart. The force on the cart is an input of the model, set once a millisecond
 * from the measured positions and velocities; between two settings it is constant. usage: controller CART.yaml [SECONDS] */
#include <biela/biela.h>

#include <stdio.h>
#include <stdlib.h>

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
    if (argc < 2 || bl_context_create(NULL, &ctx) != BL_OK)
        return 2;
    bl_status status = bl_model_read(ctx, argv[1], NULL, 0, &model);
    if (status == BL_OK)
        status = bl_stepper_create(ctx, model, NULL, &s);
    if (status == BL_OK)
        status = balance(s, argc > 2 ? atof(argv[2]) : 3.001);
    if (status != BL_OK)
        fprintf(stderr, "%s: %s\n", argv[1], bl_context_error(ctx)->what);
    bl_stepper_destroy(s);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
    return status != BL_OK;
}
