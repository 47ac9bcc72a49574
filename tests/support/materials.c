/* Materials for tests. */
#include "support/materials.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bl_material test_material(const char *name, const char *options, bl_plane plane) {
    bl_context *ctx = test_context(NULL);
    bl_arena arena = {.ctx = ctx};
    bl_value value[BL_MAX_PARAMS];
    const bl_material_kind *kind = NULL;
    for (size_t i = 0; i < bl_material_kind_count; i++)
        if (!strcmp(bl_material_kinds[i]->kind.name, name))
            kind = bl_material_kinds[i];
    assert_non_null(kind);
    bl_material m;
    assert_int_equal(bl_kind_options(ctx, &arena, &kind->kind, options, value), BL_OK);
    assert_int_equal(bl_material_prepare(ctx, kind, value, plane, &m), BL_OK);
    bl_arena_destroy(&arena);
    test_context_end(ctx);
    return m;
}

/* A new parameter may need a line here; without one it gets its fallback, or 1 where it is required. */
static const struct {
    const char *name;
    double value;
} samples[] = {{"E", 1000},
               {"nu", 0.3},
               {"density", 2},
               {"expansion", 1e-3},
               {"yield", 2},
               {"hardening", 80},
               {"kinematic", 0.3},
               {"conductivity", 3},
               {"conductivity_1", 0.4},
               {"conductivity_2", 0.3},
               {"conductivity_3", 0.2},
               {"specific_heat", 5},
               {"tension", 7},
               {"stiffness", 40}};

bl_material test_material_sample(const bl_material_kind *kind, bl_plane plane) {
    char options[512] = "";
    size_t used = 0;
    for (const bl_param *p = kind->kind.params; p && p->type != BL_P_END; p++) {
        double value = p->flags & BL_REQUIRED ? 1 : NAN;
        for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
            if (!strcmp(samples[i].name, p->name))
                value = samples[i].value;
        if (!isnan(value))
            used += (size_t)snprintf(options + used, sizeof options - used, "%s%s=%g", used ? "," : "", p->name, value);
        assert_true(used < sizeof options);
    }
    return test_material(kind->kind.name, options, plane);
}

const bl_strain_kind *test_strain(const char *name) {
    for (size_t i = 0; i < bl_strain_kind_count; i++)
        if (!strcmp(bl_strain_kinds[i]->kind.name, name))
            return bl_strain_kinds[i];
    fail_msg("there is no strain %s", name);
    return NULL;
}

const char *test_plane_name(bl_plane plane) {
    static const char *const names[] = {"space", "plane strain", "plane stress", "axisymmetric", "bar"};
    return names[plane];
}

bl_status test_respond(const bl_material *m, const bl_strain_kind *strain, const double F[9], double theta, const double *history,
                       test_response *out) {
    const double thermal[6] = {theta, theta, theta, 0, 0, 0};
    double *numbers = (double *)out;
    for (size_t k = 0; k < sizeof *out / sizeof *numbers; k++)
        numbers[k] = NAN;
    assert_true(strain->nhistory + m->kind->nhistory <= BL_MATERIAL_HISTORY_MOST);
    memset(out->spin, 0, sizeof out->spin);
    memcpy(out->F, F, sizeof out->F);
    bl_status status = strain->at(m, out->F, thermal, 0, history, out->trial, out->tau, out->c, &out->energy, &out->dissipated);
    if (status == BL_OK && strain->spin)
        status = strain->spin(m, F, thermal, history, out->spin);
    return status;
}

void test_random_F(test_random *random, bl_plane plane, double size, double F[9]) {
    do {
        for (int k = 0; k < 9; k++) {
            bool out = k == 2 || k == 5 || k == 6 || k == 7, third = k == 8;
            double x = size * test_random_symmetric(random);
            if ((plane != BL_PLANE_NONE && out) || (plane != BL_PLANE_NONE && plane != BL_PLANE_AXISYMMETRIC && third) ||
                (plane == BL_PLANE_BAR && k > 0))
                x = 0;
            F[k] = (k % 4 == 0) + x;
        }
    } while (det3(F) < 0.2);
    if (plane == BL_PLANE_STRESS || plane == BL_PLANE_BAR)
        F[8] = NAN;
    if (plane == BL_PLANE_BAR)
        F[4] = NAN;
}

void test_random_rotation(test_random *random, bl_plane plane, double Q[9]) {
    double axis[3] = {0, 0, 1}, R[3][3], angle = 6.2831853 * test_random_unit(random);
    if (plane == BL_PLANE_NONE)
        test_random_direction(random, 3, axis);
    test_turn(axis, plane == BL_PLANE_AXISYMMETRIC || plane == BL_PLANE_BAR ? 0 : angle, R);
    memcpy(Q, R, sizeof R);
}

void test_rotate(const double R[9], const double s[6], double out[6]) {
    double T[36];
    congruence6(R, T);
    apply6(T, s, out);
}

void test_product(const double A[9], const double B[9], double C[9]) {
    double a[9], b[9];
    bool unknown[9] = {0};
    memcpy(a, A, sizeof a);
    memcpy(b, B, sizeof b);
    for (int k = 4; k <= 8; k += 4)
        if (isnan(A[k]) || isnan(B[k])) {
            unknown[k] = true;
            a[k] = b[k] = 1;
        }
    multiply3(a, b, C);
    for (int k = 4; k <= 8; k += 4)
        C[k] = unknown[k] ? NAN : C[k];
}

double test_largest(const double *x, int n) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}
