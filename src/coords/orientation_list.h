/* Orientations of bodies in reference coordinates; the first is the default in space. */
BL_KIND(quaternion)
BL_KIND(matrix)
BL_KIND(angles)
BL_KIND(angle)
