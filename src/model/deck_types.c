/* Element types of decks: element, kind of plane, integration points. Their node numbering is the same as ours. */
#include "model/deck_reader.h"

static const char hourglass[] =
    "with one integration point they have hourglass modes, which CalculiX stabilizes by a method not available here";

#define SPACE(name, kind, reduced, ...) \
    { name, &bl_element_##kind, BL_PLANE_NONE, {__VA_ARGS__}, reduced, NULL }
#define PLANE(family, plane)                                                                                                            \
    {family "3", &bl_element_triangle3, plane, {1, 1, 1}, false, NULL}, {family "4", &bl_element_quad4, plane, {2, 2, 2}, false, NULL}, \
        {family "4R", &bl_element_quad4, plane, {1, 1, 1}, false, hourglass},                                                           \
        {family "6", &bl_element_triangle6, plane, {3, 3, 3}, false, NULL},                                                             \
        {family "8", &bl_element_quad8, plane, {3, 3, 3}, false, NULL}, {                                                               \
        family "8R", &bl_element_quad8, plane, {2, 2, 2}, true, NULL                                                                    \
    }

static const bl_deck_type types[] = {
    SPACE("C3D4", tetra4, false, 1, 1, 1),   SPACE("C3D6", wedge6, false, 1, 2, 2),
    SPACE("C3D8", hexa8, false, 2, 2, 2),    {"C3D8R", &bl_element_hexa8, BL_PLANE_NONE, {1, 1, 1}, false, hourglass},
    SPACE("C3D10", tetra10, false, 4, 4, 4), SPACE("C3D15", wedge15, false, 3, 3, 3),
    SPACE("C3D20", hexa20, false, 3, 3, 3),  SPACE("C3D20R", hexa20, true, 2, 2, 2),
    PLANE("CPS", BL_PLANE_STRESS),           PLANE("CPE", BL_PLANE_STRAIN),
    PLANE("CAX", BL_PLANE_AXISYMMETRIC),     {"T3D2", &bl_element_segment2, BL_PLANE_BAR, {1, 1, 1}, false, NULL},
};

const bl_deck_type *bl_deck_type_of(const char *name) {
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (bl_deck_same(name, types[k].name))
            return &types[k];
    return NULL;
}
