/* The six-bar press of docs/TUTORIAL.md at several speeds: largest motor torque and largest force in the bearing A.
 * usage: six_bar MODEL.yaml */
#include <biela/biela.h>

#include <math.h>
#include <stdio.h>

typedef struct peak {
    double torque, bearing;
} peak;

/* reactions are in the order of the joints, torques in the order of the drivers */
static bl_status keep_peaks(void *user, const bl_sample *s) {
    peak *p = user;
    p->torque = fmax(p->torque, fabs(s->driver_force[0]));
    p->bearing = fmax(p->bearing, hypot(s->reaction[0].force[0], s->reaction[0].force[1]));
    return BL_OK;
}

static bl_status one_turn(bl_context *ctx, const char *file, double speed, peak *p) {
    bl_override with = {"speed", speed}; /* revolutions per minute */
    bl_sink sink = {.user = p, .sample = keep_peaks, .want = BL_WANT_REACTIONS};
    bl_run_options options = {.until = 60 / speed, .every = 60 / speed / 1000, .tolerance = 1e-8};
    bl_model *model = NULL;
    bl_status status = bl_model_read(ctx, file, &with, 1, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    bl_model_destroy(model);
    return status;
}

int main(int argc, char **argv) {
    bl_status status = BL_OK;
    bl_context *ctx;
    if (argc != 2 || bl_context_create(NULL, &ctx) != BL_OK)
        return 2;
    for (double speed = 60; status == BL_OK && speed <= 240; speed *= 2) {
        peak p = {0};
        status = one_turn(ctx, argv[1], speed, &p);
        if (status == BL_OK)
            printf("%4.0f rev/min   motor up to %6.1f N m   bearing A up to %6.0f N\n", speed, p.torque, p.bearing);
    }
    if (status < 0)
        fprintf(stderr, "%s: %s\n", argv[1], bl_context_error(ctx)->what);
    bl_context_destroy(ctx);
    return status < 0;
}
