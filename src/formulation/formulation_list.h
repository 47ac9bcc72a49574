/* One line per formulation. No guard: included under several meanings of BL_KIND. */
BL_KIND(lagrange)
BL_KIND(partition)
