/* Kinematics inside a search: which coupler length makes the rocker of a four-bar linkage swing by a given angle? Each trial is one
 * revolution of the crank in 360 configurations, each in closed form.
 * usage: four_bar_synthesis [DEGREES]     default: 70 */
#include <biela/biela.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char linkage[] = "model: crank and rocker\n"
                              "dimension: 2\n"
                              "parameters:\n"
                              "  coupler: 0.5\n"
                              "  beside: =(coupler^2 - 0.4^2 + 0.3^2)/(2*0.3)\n"
                              "points: {A: [0, 0], B: [0.2, 0], C: [=0.2 + beside, =sqrt(coupler^2 - beside^2)], D: [0.5, 0]}\n"
                              "bodies:\n"
                              "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n"
                              "  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n"
                              "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\n"
                              "joints:\n"
                              "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
                              "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n"
                              "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C}\n"
                              "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\n"
                              "drivers: [{variable: A.angle, value: =2*pi*t}]\n";

enum { ROCKER = 3 };

/* range of the rocker's angle in one turn, radians; NaN: the linkage does not turn fully */
static double swing(bl_context *ctx, double coupler) {
    bl_override with = {"coupler", coupler};
    bl_model *model = NULL;
    bl_kinematics *k = NULL;
    double low = INFINITY, high = -INFINITY;
    bl_status status = bl_model_read_text(ctx, "linkage", linkage, strlen(linkage), &with, 1, &model);
    if (status == BL_OK)
        status = bl_kinematics_create(ctx, model, NULL, &k);
    for (int i = 0; status == BL_OK && i <= 360; i++) {
        status = bl_kinematics_at(k, i / 360.0, BL_POSITIONS);
        const double *R = bl_kinematics_body(k, ROCKER)->rotation;
        double angle = atan2(R[3], R[0]);
        low = fmin(low, angle);
        high = fmax(high, angle);
    }
    bl_kinematics_destroy(k);
    bl_model_destroy(model);
    if (status != BL_OK)
        fprintf(stderr, "four_bar_synthesis: coupler %g m: %s\n", coupler, bl_context_error(ctx)->what);
    return status == BL_OK ? high - low : NAN;
}

int main(int argc, char **argv) {
    double wanted = (argc > 1 ? atof(argv[1]) : 70) * acos(-1) / 180, from = 0.4, to = 0.68;
    bl_context *ctx;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    double low = swing(ctx, from), high = swing(ctx, to);
    if (!((low - wanted) * (high - wanted) < 0)) {
        fprintf(stderr, "four_bar_synthesis: couplers from %g m to %g m swing by %.1f to %.1f degrees\n", from, to, low * 180 / acos(-1),
                high * 180 / acos(-1));
        bl_context_destroy(ctx);
        return 1;
    }
    while (to - from > 1e-9) {
        double middle = (from + to) / 2, now = swing(ctx, middle);
        if ((now - wanted) * (low - wanted) > 0)
            from = middle;
        else
            to = middle;
    }
    printf("coupler %.6f m: the rocker swings by %.4f degrees\n", from, swing(ctx, from) * 180 / acos(-1));
    bl_context_destroy(ctx);
    return 0;
}
