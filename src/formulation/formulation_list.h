/* One line per formulation. No guard: included under several meanings of BL_KIND. */
BL_KIND(lagrange)
BL_KIND(partition)
BL_KIND(plain)
BL_KIND(index3)
BL_KIND(ggl)
