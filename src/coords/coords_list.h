/* Kinds of coordinates. Of those that bodies of one model are held in, the last builds the system. */
BL_KIND(natural)
BL_KIND(mixed)
BL_KIND(reference)
BL_KIND(relative)
