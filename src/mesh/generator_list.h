/* One line per generator. No guard: included under several meanings of BL_KIND. */
BL_KIND(segment)
BL_KIND(rectangle)
BL_KIND(quadrilateral)
BL_KIND(quarter_ring)
BL_KIND(ell)
BL_KIND(box)
BL_KIND(cylinder_sector)
