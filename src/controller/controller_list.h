/* One line per kind of controller. No guard: included under several meanings of BL_KIND. The first is the default. */
BL_KIND(expression)
BL_KIND(pd)
BL_KIND(pid)
BL_KIND(low_pass)
BL_KIND(filter)
BL_KIND(feedback)
