/* One line per way to place a group, tried in this order. No guard: included under several meanings of BL_KIND. */
BL_KIND(plane_link)
BL_KIND(plane_dyad)
BL_KIND(newton)
