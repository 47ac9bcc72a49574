/* One line per ordering. No guard: included under several meanings of BL_KIND. */
BL_KIND(natural)
BL_KIND(amd)
BL_KIND(colamd)
