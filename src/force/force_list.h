/* One line per force kind. No guard: included under several meanings of BL_KIND. */
BL_KIND(spring)
BL_KIND(rotational_spring)
BL_KIND(spherical_spring)
BL_KIND(force)
BL_KIND(torque)
BL_KIND(friction)
BL_KIND(joint_friction)
