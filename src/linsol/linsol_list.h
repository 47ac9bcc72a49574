/* One line per linear solver. No guard: included under several meanings of BL_KIND. */
BL_KIND(auto)
BL_KIND(dense)
BL_KIND(klu)
BL_KIND(block)
BL_KIND(inverse)
BL_KIND(superlu)
BL_KIND(ldl)
BL_KIND(mumps)
