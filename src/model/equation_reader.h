/* Shared by the files that read `equations:`. Not for other rooms. */
#ifndef BL_EQUATION_READER_H
#define BL_EQUATION_READER_H

#include "model/reader.h"

enum { USE_TIME = 1, USE_POSITION = 2, USE_RATE = 4, USE_FIRST = 8, USE_ANY = 15 }; /* what an expression depends on */
enum { STATE, RATE, EXPRESSION, NWHAT }; /* in the table of names the reference is NWHAT times the index plus this */

typedef struct bl_equation_family { /* a state or an expression of the file: one element, or name[1..count] */
    const char *name, *index;
    bl_place place;
    bl_index first, count;
    bool array;
    uint8_t order;
    const bl_item *value; /* of an expression */
} bl_equation_family;

typedef struct bl_equation_reader {
    bl_reader *r;
    bl_equations *e;
    bl_equation_family *state, *expression;
    bl_index nstate, nexpression, variables, elements;
    bl_names names, rows;  /* of states and expressions; of constraints */
    bl_index *node;        /* tape nodes of the elements of expressions */
    uint8_t *known, *uses; /* per element: UNREAD ...; USE_... */
    bl_index missing;      /* the unread element that stopped an evaluation, -1 */
    unsigned allowed, used;
    const char *where; /* advice when an expression depends on more than is allowed */
    bl_index *side, *exact, *mass, *row;
    bl_index mass_room, mass_nodes, row_room, row_nodes, nexact;
    bl_equation_mass *mass_entry;
    bl_equation_row *constraint;
    bl_equation_contact *contact;
    bl_index mass_entry_room, constraint_room, contact_room;
    bl_index at; /* current family of the second pass */
    size_t terms;
} bl_equation_reader;

bl_equation_family *bl_equation_family_of(const bl_equation_reader *q, bl_index ref);
/* A number or =expression on the tape; allowed: sum of USE_..., where: advice if it depends on more. */
bl_status bl_equation_parse(bl_equation_reader *q, const bl_item *item, const char *what, unsigned allowed, const char *where,
                            bl_index *node);
bl_status bl_equation_number(bl_equation_reader *q, const bl_item *item, const char *what, double *value); /* a constant */
/* Refuses an invalid or reserved name. */
bl_status bl_equation_check_name(bl_equation_reader *q, const char *name, const char *what, const bl_place *place);
/* count and index of an entry; its elements begin at *total, which is advanced */
bl_status bl_equation_extent(bl_equation_reader *q, const bl_item *entry, const char *what, bl_equation_family *f, bl_index *total);
bl_status bl_equation_check_index(bl_equation_reader *q,
                                  const bl_equation_family *f); /* it must not hide a name; called when all names are known */
/* The value of element k: an entry of a list, or one text for all. */
bl_status bl_equation_element(bl_equation_reader *q, const bl_item *item, const bl_equation_family *f, bl_index k, const char *what,
                              const bl_item **value);
bl_status bl_equation_blame(bl_equation_reader *q, bl_status status, const bl_equation_family *f,
                            bl_index k);                                      /* names the element in the error; returns status */
bl_status bl_equation_declare(bl_equation_reader *q, const bl_item *section); /* names of `expressions:`; NULL: none */
bl_status bl_equation_expressions(bl_equation_reader *q);                     /* their values, when all names are known */
/* A row 0 = value, with the place of the value; of a contact: its gap, or a speed. */
bl_status bl_equation_add_row(bl_equation_reader *q, const bl_equation_row *row, bl_index node);

/* ---- for a section that becomes equations (matrix_contacts.c) */
bl_status bl_equation_add_rates(bl_equation_reader *q, const bl_equation_family *f, bl_index which); /* names x_rate, x.rate of a state */
bl_status bl_equation_add_mass(bl_equation_reader *q, bl_index row, bl_index column, bl_index node, const bl_place *place);
bl_status bl_equation_keep(bl_equation_reader *q); /* copies all that was collected to the model */
void bl_equation_end(bl_equation_reader *q);       /* frees it */

/* equation_contact_reader.c: the section `contacts` of a model without bodies; after all constraints */
bl_status bl_equation_contacts(bl_equation_reader *q);

#endif
