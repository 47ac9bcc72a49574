/* Linear elasticity by hand: engineering constants found again in every plane, thermal stresses, refused values. */
#include "support/materials.h"

#include <math.h>
#include <string.h>

static const double E = 210e9, nu = 0.3;
static const char steel[] = "E=210e9,nu=0.3,density=7800,expansion=1.2e-5";

static void stress_at(bl_plane plane, const double strain[6], double theta, double out[6]) {
    bl_material m = test_material("elastic", steel, plane);
    double F[9] = {1 + strain[0], strain[3], strain[5], 0, 1 + strain[1], strain[4], 0, 0, 1 + strain[2]};
    test_response at;
    assert_int_equal(test_respond(&m, test_strain("linear"), F, theta, NULL, &at), BL_OK);
    memcpy(out, at.tau, sizeof at.tau);
}

static void expect(const double s[6], const double expected[6]) {
    for (int k = 0; k < 6; k++)
        assert_near(s[k], expected[k], 1e-12 * E); /* F = 1 + e rounds e to 1e-16 */
}

static void stress__is_that_of_engineering_constants(void **unused) {
    (void)unused;
    const double e = 1e-3;
    double s[6];
    stress_at(BL_PLANE_NONE, (const double[6]){e, -nu * e, -nu * e}, 0, s);
    expect(s, (const double[6]){E * e});
    stress_at(BL_PLANE_NONE, (const double[6]){0, 0, 0, e, 2 * e, 3 * e}, 0, s);
    double G = E / (2 * (1 + nu));
    expect(s, (const double[6]){0, 0, 0, G * e, 2 * G * e, 3 * G * e});
    stress_at(BL_PLANE_NONE, (const double[6]){e, e, e}, 0, s);
    double p = E * e / (1 - 2 * nu);
    expect(s, (const double[6]){p, p, p});
    stress_at(BL_PLANE_STRAIN, (const double[6]){e}, 0, s);
    double lambda = E * nu / ((1 + nu) * (1 - 2 * nu));
    expect(s, (const double[6]){(lambda + 2 * G) * e, lambda * e, lambda * e});
    stress_at(BL_PLANE_STRESS, (const double[6]){e, -nu * e, NAN}, 0, s);
    expect(s, (const double[6]){E * e});
    stress_at(BL_PLANE_STRESS, (const double[6]){e, 0, NAN}, 0, s);
    expect(s, (const double[6]){E * e / (1 - nu * nu), nu * E * e / (1 - nu * nu)});
}

static void heat__presses_what_cannot_grow_and_nothing_else(void **unused) {
    (void)unused;
    const double theta = 1.2e-5 * 50;
    double s[6], p = -E * theta / (1 - 2 * nu), q = -E * theta / (1 - nu);
    stress_at(BL_PLANE_NONE, (const double[6]){0}, theta, s);
    expect(s, (const double[6]){p, p, p});
    stress_at(BL_PLANE_NONE, (const double[6]){0, (1 + nu) * theta, (1 + nu) * theta}, theta, s); /* a blocked bar */
    expect(s, (const double[6]){-E * theta});
    stress_at(BL_PLANE_STRESS, (const double[6]){0, 0, NAN}, theta, s);
    expect(s, (const double[6]){q, q});
    stress_at(BL_PLANE_NONE, (const double[6]){theta, theta, theta}, theta, s);
    expect(s, (const double[6]){0});
    stress_at(BL_PLANE_STRESS, (const double[6]){theta, theta, NAN}, theta, s);
    expect(s, (const double[6]){0});
}

static void plane_stress__writes_the_strain_it_finds(void **unused) {
    (void)unused;
    bl_material m = test_material("elastic", steel, BL_PLANE_STRESS);
    bl_material_point p = {.strain = {1e-3, 2e-3, NAN, 5e-4, NAN, NAN}};
    assert_int_equal(bl_material_at(&m, &p), BL_OK);
    assert_near(p.strain[BL_33], -nu / (1 - nu) * 3e-3, 1e-18);
}

static void speed__is_that_of_pressure_waves(void **unused) {
    (void)unused;
    bl_material m = test_material("elastic", steel, BL_PLANE_STRAIN), flat = test_material("elastic", steel, BL_PLANE_STRESS);
    assert_near(m.kind->stiffness(&m), sqrt(E * (1 - nu) / ((1 + nu) * (1 - 2 * nu) * 7800)), 1e-9);
    assert_near(flat.kind->stiffness(&flat), sqrt(E / ((1 - nu * nu) * 7800)), 1e-9);
    m = test_material("elastic", "E=1", BL_PLANE_NONE);
    assert_true(isinf(m.kind->stiffness(&m)));
    assert_true(m.density == 0 && m.bulk == 1.0 / 3);
}

static void values__that_make_no_sense_are_refused_with_their_position(void **unused) {
    (void)unused;
    static const struct {
        int which;
        double value;
        const char *what;
    } wrong[] = {
        {0, 0, "material elastic: E = 0 must be positive"},
        {0, -1, "material elastic: E = -1 must be positive"},
        {0, NAN, "material elastic: E = nan must be positive"},
        {0, INFINITY, "material elastic: E = inf must be positive"},
        {1, 0.5, "material elastic: nu = 0.5 must be below 0.5"},
        {1, NAN, "material elastic: nu = nan must be below 0.5"},
        {1, -1, "material elastic: nu = -1 must be above -1"},
        {2, -3, "material elastic: density = -3 must be zero or positive"},
        {3, INFINITY, "material elastic: expansion = inf must be finite"},
        {4, NAN, "material elastic: reference_temperature = nan must be finite"},
    };
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bl_value value[BL_MAX_PARAMS] = {{.number = 1, .given = true}, {.number = 0.3}, {.number = 1}};
        bl_material m;
        value[wrong[i].which].number = wrong[i].value;
        value[wrong[i].which].place = (bl_place){"plate.yaml", 12, 5};
        assert_int_equal(bl_material_prepare(ctx, &bl_material_elastic, value, BL_PLANE_NONE, &m), BL_E_MODEL);
        const bl_error *error = bl_context_error(ctx);
        assert_string_equal(error->what, wrong[i].what);
        assert_string_equal(error->file, "plate.yaml");
        assert_int_equal(error->line, 12);
        assert_true(error->advice[0] != '\0');
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress__is_that_of_engineering_constants),
        cmocka_unit_test(heat__presses_what_cannot_grow_and_nothing_else),
        cmocka_unit_test(plane_stress__writes_the_strain_it_finds),
        cmocka_unit_test(speed__is_that_of_pressure_waves),
        cmocka_unit_test(values__that_make_no_sense_are_refused_with_their_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
