/* One line per ordering. No guard: included under several meanings of BL_KIND. */
BL_KIND(natural)
BL_KIND(amd)
BL_KIND(colamd)
BL_KIND(btf)
BL_KIND(p5)
BL_KIND(mechanism)
