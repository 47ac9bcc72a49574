/* Which law takes which strain in which plane: the table by hand, and the words for what does not go. */
#include "support/materials.h"

#include <stdio.h>
#include <string.h>

static const char small_only[] = "the law holds for small strains: use strain linear";
static const char small_or_rate[] = "the law needs small strains or increments: use strain linear, midpoint or polar";
static const char of_green[] = "the law is a function of Green's strain: use strain green";
static const char of_left[] = "the law is a function of the deformation gradient: use strain left";
static const char of_logarithm[] = "the law is a function of the logarithmic strain: use strain logarithmic";
static const char of_rate[] = "the law needs strain increments: use strain midpoint or polar";
static const char of_potential[] = "the law describes a scalar field, which has no strain";

static const struct {
    const char *kind, *strains, *why;
} table[] = {
    {"elastic", " linear ", small_only},
    {"st_venant_kirchhoff", " green ", of_green},
    {"plastic", " linear midpoint polar ", small_or_rate},
    {"multiplicative_plastic", " left ", of_left},
    {"hypoelastic", " midpoint polar ", of_rate},
    {"neo_hookean", " left ", of_left},
    {"nearly_incompressible", " left ", of_left},
    {"hencky", " logarithmic ", of_logarithm},
    {"conducting", "", of_potential},
    {"string", "", of_potential},
};

static const bl_material_kind *kind_of(const char *name) {
    for (size_t i = 0; i < bl_material_kind_count; i++)
        if (!strcmp(bl_material_kinds[i]->kind.name, name))
            return bl_material_kinds[i];
    fail_msg("there is no material %s", name);
    return NULL;
}

static void every_pair__goes_or_is_refused_as_the_table_says(void **unused) {
    (void)unused;
    assert_int_equal(sizeof table / sizeof table[0], bl_material_kind_count);
    for (size_t i = 0; i < bl_material_kind_count; i++)
        for (size_t k = 0; k < bl_strain_kind_count; k++)
            for (bl_plane plane = BL_PLANE_NONE; plane <= BL_PLANE_AXISYMMETRIC; plane++) {
                const bl_strain_kind *strain = bl_strain_kinds[k];
                char word[64];
                snprintf(word, sizeof word, " %s ", strain->kind.name);
                const char *why = bl_material_refuses(kind_of(table[i].kind), strain, plane);
                if (strstr(table[i].strains, word))
                    assert_null(why);
                else
                    assert_string_equal(why, table[i].why);
            }
}

static void laws__without_a_strain_are_those_of_a_potential(void **unused) {
    (void)unused;
    for (size_t i = 0; i < bl_material_kind_count; i++) {
        const bl_material_kind *kind = kind_of(table[i].kind);
        const char *why = bl_material_refuses(kind, NULL, BL_PLANE_AXISYMMETRIC);
        if (table[i].why == of_potential) {
            assert_null(why);
            assert_string_equal(bl_material_refuses(kind, NULL, BL_PLANE_STRESS), "a scalar field has no plane stress");
        } else {
            assert_string_equal(why, "the law needs a strain");
        }
    }
}

static void increments__have_unsymmetric_tangents(void **unused) {
    (void)unused;
    bl_material m = test_material("hypoelastic", "E=1", BL_PLANE_NONE), elastic = test_material("elastic", "E=1", BL_PLANE_NONE);
    assert_false(bl_material_symmetric(&m, test_strain("polar")));
    assert_false(bl_material_symmetric(&m, test_strain("midpoint")));
    assert_true(bl_material_symmetric(&elastic, test_strain("linear")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair__goes_or_is_refused_as_the_table_says),
        cmocka_unit_test(laws__without_a_strain_are_those_of_a_potential),
        cmocka_unit_test(increments__have_unsymmetric_tangents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
