/* Conduction and the string by hand, and what they refuse. */
#include "support/materials.h"

#include <math.h>
#include <string.h>

static void conducting__has_a_flux_against_the_gradient(void **unused) {
    (void)unused;
    bl_material m =
        test_material("conducting", "conductivity=2,conductivity_1=0.5,conductivity_2=0.25,density=3,specific_heat=4", BL_PLANE_NONE);
    double k[3], tangent[12];
    bl_material_point p = {.u = 2, .gradient = {1, -2, 3}, .stress = k, .tangent = tangent};
    assert_int_equal(bl_material_at(&m, &p), BL_OK);
    assert_true(k[0] == 4 && k[1] == -8 && k[2] == 12);                        /* k(2) = 2 + 1 + 1 */
    assert_true(tangent[0] == 4 && tangent[4] == 4 && tangent[1] == 0);        /* by the gradient */
    assert_true(tangent[9] == 1.5 && tangent[10] == -3 && tangent[11] == 4.5); /* by u: k' = 0.5 + 2 0.25 2 */
    assert_true(m.capacity == 12 && m.density == 3);
    assert_near(m.kind->stiffness(&m), sqrt(2.0 / 12), 1e-15);
    assert_true(!bl_material_symmetric(&m, NULL) && !(m.gives & BL_MATERIAL_LINEAR) && !(m.gives & BL_MATERIAL_ENERGY));
    m = test_material("conducting", "conductivity=2", BL_PLANE_AXISYMMETRIC);
    assert_true(bl_material_symmetric(&m, NULL) && m.gives & BL_MATERIAL_LINEAR && m.gives & BL_MATERIAL_ENERGY);
}

/* k = 1 + u between u(0) = 0 and u(1) = 1: u = sqrt(1 + 3x) - 1 carries 3/2 everywhere */
static void conducting__carries_the_known_flux(void **unused) {
    (void)unused;
    bl_material m = test_material("conducting", "conductivity=1,conductivity_1=1", BL_PLANE_NONE);
    for (double x = 0; x <= 1; x += 0.125) {
        double k[3];
        bl_material_point p = {.u = sqrt(1 + 3 * x) - 1, .gradient = {1.5 / sqrt(1 + 3 * x)}, .stress = k};
        assert_int_equal(bl_material_at(&m, &p), BL_OK);
        assert_near(k[0], 1.5, 1e-15 * 4);
    }
}

static void conducting__says_where_it_makes_no_sense(void **unused) {
    (void)unused;
    bl_material m = test_material("conducting", "conductivity=1,conductivity_1=1", BL_PLANE_NONE);
    bl_material_point p = {.u = -1, .gradient = {1}};
    assert_int_equal(bl_material_at(&m, &p), BL_NOT_FINITE);
    p.u = NAN;
    assert_int_equal(bl_material_at(&m, &p), BL_NOT_FINITE);
}

/* slope 3/4: length 5/4, elongation 1/4 */
static void string__pulls_harder_when_longer(void **unused) {
    (void)unused;
    bl_material m = test_material("string", "tension=180,stiffness=4000,density=0.001", BL_PLANE_NONE);
    double n[3], tangent[12], energy;
    bl_material_point p = {.gradient = {0.75}, .stress = n, .tangent = tangent, .energy = &energy};
    assert_int_equal(bl_material_at(&m, &p), BL_OK);
    assert_near(n[0], (180 + 1000) * 0.75, 1e-12);
    assert_near(tangent[0], 180 + 1000 + 4000 * 0.5625 / 1.25, 1e-12);
    assert_near(energy, 90 * 0.5625 + 4000 * (1.953125 / 3 - 0.28125 - 1.0 / 3), 1e-12 * 4000);
    assert_true(n[1] == 0 && n[2] == 0 && tangent[9] == 0);
    assert_near(m.kind->stiffness(&m), sqrt(180000), 1e-10);
    assert_true(m.capacity == 0.001 && !(m.gives & BL_MATERIAL_LINEAR));
    m = test_material("string", "tension=180", BL_PLANE_NONE);
    assert_true(m.gives & BL_MATERIAL_LINEAR);
}

static void values__are_refused_with_their_position(void **unused) {
    (void)unused;
    static const struct {
        const bl_material_kind *kind;
        int which;
        double value;
        const char *what;
    } wrong[] = {
        {&bl_material_conducting, 0, 0, "material conducting: conductivity = 0 must be positive"},
        {&bl_material_conducting, 1, NAN, "material conducting: conductivity_1 = nan must be finite"},
        {&bl_material_conducting, 3, INFINITY, "material conducting: conductivity_3 = inf must be finite"},
        {&bl_material_conducting, 4, -1, "material conducting: density = -1 must be zero or positive"},
        {&bl_material_conducting, 5, -1, "material conducting: specific_heat = -1 must be zero or positive"},
        {&bl_material_string, 0, -5, "material string: tension = -5 must be positive"},
        {&bl_material_string, 1, -5, "material string: stiffness = -5 must be zero or positive"},
        {&bl_material_string, 2, NAN, "material string: density = nan must be zero or positive"},
    };
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bl_value value[BL_MAX_PARAMS] = {{.number = 1}};
        bl_material m;
        value[wrong[i].which].number = wrong[i].value;
        value[wrong[i].which].place = (bl_place){"wire.yaml", 4, 9};
        assert_int_equal(bl_material_prepare(ctx, wrong[i].kind, value, BL_PLANE_NONE, &m), BL_E_MODEL);
        assert_string_equal(bl_context_error(ctx)->what, wrong[i].what);
        assert_string_equal(bl_context_error(ctx)->file, "wire.yaml");
        assert_true(bl_context_error(ctx)->advice[0] != '\0');
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conducting__has_a_flux_against_the_gradient), cmocka_unit_test(conducting__carries_the_known_flux),
        cmocka_unit_test(conducting__says_where_it_makes_no_sense),    cmocka_unit_test(string__pulls_harder_when_longer),
        cmocka_unit_test(values__are_refused_with_their_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
