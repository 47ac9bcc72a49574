/* One line per material. No guard: included under several meanings of BL_KIND. */
BL_KIND(elastic)
BL_KIND(st_venant_kirchhoff)
BL_KIND(neo_hookean)
BL_KIND(nearly_incompressible)
BL_KIND(hencky)
BL_KIND(plastic)
BL_KIND(hypoelastic)
