/* All materials and strains in list order, their valid combinations, and evaluation of a law with its plane. */
#include "material/law.h"

const bl_material_kind *const bl_material_kinds[] = {
#define BL_KIND(name) &bl_material_##name,
#include "material/material_list.h"
#undef BL_KIND
};
const size_t bl_material_kind_count = sizeof bl_material_kinds / sizeof bl_material_kinds[0];

const bl_strain_kind *const bl_strain_kinds[] = {
#define BL_KIND(name) &bl_strain_##name,
#include "material/strain_list.h"
#undef BL_KIND
};
const size_t bl_strain_kind_count = sizeof bl_strain_kinds / sizeof bl_strain_kinds[0];

bl_status bl_material_prepare(bl_context *ctx, const bl_material_kind *kind, const bl_value *value, bl_plane plane, bl_material *m) {
    memset(m, 0, sizeof *m);
    m->kind = kind;
    m->plane = plane;
    m->gives = kind->kind.gives;
    return kind->prepare(ctx, value, m);
}

bl_status bl_material_at(const bl_material *m, bl_material_point *p) {
    uint32_t own = BL_MATERIAL_PLANE_STRESS | (m->plane == BL_PLANE_BAR ? BL_MATERIAL_LINEAR : 0);
    if ((m->plane != BL_PLANE_STRESS && m->plane != BL_PLANE_BAR) || (m->kind->kind.gives & own) == own)
        return m->kind->point(m, p);
    return bl_material_plane_stress(m, p);
}

bool bl_material_symmetric(const bl_material *m, const bl_strain_kind *strain) {
    return !((m->gives | (strain ? strain->kind.gives : 0)) & BL_MATERIAL_UNSYMMETRIC);
}

/* which strains a law accepts, for messages */
static const char *strains_of(uint32_t needs) {
    switch (needs) {
    case BL_OF_LINEAR: return "the law holds for small strains: use strain linear";
    case BL_OF_LINEAR | BL_OF_INCREMENT: return "the law needs small strains or increments: use strain linear, midpoint or polar";
    case BL_OF_GREEN: return "the law is a function of Green's strain: use strain green";
    case BL_OF_LEFT: return "the law is a function of the deformation gradient: use strain left";
    case BL_OF_LOGARITHM: return "the law is a function of the logarithmic strain: use strain logarithmic";
    case BL_OF_INCREMENT: return "the law needs strain increments: use strain midpoint or polar";
    default: return "the law needs another strain measure";
    }
}

const char *bl_material_refuses(const bl_material_kind *kind, const bl_strain_kind *strain, bl_plane plane) {
    uint32_t needs = kind->kind.needs;
    bool scalar = needs & BL_OF_GRADIENT;
    if (scalar && strain)
        return "the law describes a scalar field, which has no strain";
    if (!scalar && !strain)
        return "the law needs a strain";
    if (!scalar && !(needs & strain->kind.gives))
        return strains_of(needs);
    if ((plane == BL_PLANE_STRESS || plane == BL_PLANE_BAR) && (kind->kind.gives & BL_MATERIAL_NO_PLANE_STRESS))
        return scalar                  ? "a scalar field has no plane stress"
               : plane == BL_PLANE_BAR ? "the law cannot be used for bars, whose lateral stresses vanish"
                                       : "the law cannot be used in plane stress";
    return NULL;
}
