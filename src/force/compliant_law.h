/* compliant law: the force between two surfaces, or at a buffer, that yields (Hunt and Crossley 1975). Parts of the kinds
 * compliant_contact.c and buffer.c; docs/theory/contact_compliant.md. */
#ifndef BL_COMPLIANT_LAW_H
#define BL_COMPLIANT_LAW_H

#include "force/force.h"

/* The parameters of the law, at the beginning of the table of a kind. */
#define BL_COMPLIANT_PARAMS(stiffness, damping)                                                                             \
    {"stiffness", BL_P_NUMBER, BL_REQUIRED | BL_POSITIVE, 0, NULL, stiffness, "force per depth^exponent"},                  \
        {"exponent", BL_P_NUMBER, BL_POSITIVE, 1.5, NULL, NULL, "power of the depth, 1 or more; 1.5: round surfaces"}, {    \
        "damping", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, damping, "share of the force that is added per rate of the depth" \
    }
enum { BL_COMPLIANT_STIFFNESS, BL_COMPLIANT_EXPONENT, BL_COMPLIANT_DAMPING, BL_COMPLIANT_MORE };

/* Node of the force, at a gap (positive: open) with its rate; adds its potential. within: a condition under which it acts; -1: none. */
bl_index bl_record_compliant(bl_record *r, bl_index gap, bl_index rate, bl_index within);

#endif
