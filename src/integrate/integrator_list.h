/* One line per integrator. No guard: included under several meanings of BL_KIND. */
BL_KIND(rk4)
BL_KIND(dopri45)
BL_KIND(dop853)
