/* Kinds of coordinates. Of those that the bodies of one model use, the last builds the system. */
BL_KIND(natural)
BL_KIND(mixed)
BL_KIND(reference)
BL_KIND(relative)
