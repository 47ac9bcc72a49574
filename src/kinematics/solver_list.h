/* One line per solver of a group, tried in this order. No include guard: included with several definitions of BL_KIND. */
BL_KIND(plane_link)
BL_KIND(plane_dyad)
BL_KIND(newton)
