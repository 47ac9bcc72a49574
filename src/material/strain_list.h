/* One line per strain measure. No guard: included under several meanings of BL_KIND. */
BL_KIND(linear)
BL_KIND(green)
BL_KIND(left)
BL_KIND(logarithmic)
BL_KIND(midpoint)
BL_KIND(polar)
