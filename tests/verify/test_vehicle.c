/* The vehicle: its energy including the tires, and its mirror symmetry, in both coordinates and with both formulations. The reference
 * motion itself is tested in test_scenes.c. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct watch {
    bl_index probe[4], strut[4], cg; /* wheels and struts: rear left, rear right, front left, front right */
    double energy[2];                /* smallest, largest */
    double asymmetry;
} watch;

static bl_status begin(void *user, const bl_run_info *info) {
    watch *w = user;
    static const char *const side[] = {"RL", "RR", "FL", "FR"};
    for (int k = 0; k < 4; k++) {
        char name[32];
        snprintf(name, sizeof name, "%sd.distance", side[k]);
        for (bl_index i = 0; i < info->nprobe; i++) {
            if (strcmp(info->probe[i], side[k]) == 0)
                w->probe[k] = i;
            if (strcmp(info->probe[i], "CG") == 0)
                w->cg = i;
        }
        for (bl_index i = 0; i < info->nvariable; i++)
            if (strcmp(info->variable[i], name) == 0)
                w->strut[k] = i;
    }
    return BL_OK;
}

static bl_status sample(void *user, const bl_sample *s) {
    watch *w = user;
    double energy = s->kinetic + s->potential;
    for (int k = 0; k < 4; k++)
        energy += 0.5 * 180000 * pow(0.32 - s->probe[3 * w->probe[k] + 2], 2);
    w->energy[0] = fmin(w->energy[0], energy);
    w->energy[1] = fmax(w->energy[1], energy);
    for (int k = 0; k < 4; k += 2) {
        w->asymmetry = fmax(w->asymmetry, fabs(s->variable[w->strut[k]] - s->variable[w->strut[k + 1]]));
        w->asymmetry = fmax(w->asymmetry, fabs(s->probe[3 * w->probe[k] + 1] + s->probe[3 * w->probe[k + 1] + 1]));
    }
    w->asymmetry = fmax(w->asymmetry, fabs(s->probe[3 * w->cg + 1]));
    return BL_OK;
}

/* energy as summed by hand at the start (kinetic, struts, tires, gravity): 6775.5933 J. The tolerance times the energies. */
static void keeps_energy_and_symmetry(void **state) {
    const char *coordinates = *state;
    static const char *const formulations[] = {"lagrange", "partition"};
    for (int f = 0; f < 2; f++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        assert_int_equal(bl_model_read(ctx, SCENES "/vehicle.yaml", NULL, 0, &model), BL_OK);
        watch w = {.energy = {INFINITY, -INFINITY}};
        bl_sink sink = {.user = &w, .begin = begin, .sample = sample};
        bl_run_options options = {.coordinates = coordinates, .formulation = formulations[f], .tolerance = 1e-9, .until = 0.5};
        assert_int_equal(bl_simulate(ctx, model, &options, &sink, 1, NULL), BL_OK);
        print_message("%s, %s: energy %.7f to %.7f J, asymmetry %.1e m\n", coordinates, formulations[f], w.energy[0], w.energy[1],
                      w.asymmetry);
        assert_true(fabs(w.energy[0] - 6775.5933) < 1e-6);
        assert_true(fabs(w.energy[1] - 6775.5933) < 1e-6);
        assert_true(w.asymmetry < 1e-8);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        {"vehicle__natural_coordinates_keep_energy_and_symmetry", keeps_energy_and_symmetry, NULL, NULL, "natural"},
        {"vehicle__mixed_coordinates_keep_energy_and_symmetry", keeps_energy_and_symmetry, NULL, NULL, "mixed"},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
