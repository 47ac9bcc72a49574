/* Small meshed models of every element, strain, material and plane that go together, for suites that name none of them. */
#ifndef TEST_SOLIDS_H
#define TEST_SOLIDS_H

#include "fem/fem.h"
#include "support/testing.h"

typedef struct solid_case {
    const bl_element_kind *element;
    const bl_strain_kind *strain; /* NULL: a scalar field */
    const bl_material_kind *material;
    bl_plane plane;
    bool bbar;
    int dim;   /* of space; 0: that of the element. More: bars */
    int order; /* of a field */
    int cells; /* along every direction */
    double distort;
    const char *more; /* further sections of the model; NULL: none */
    char name[160];
} solid_case;

static inline int solid_dim(const solid_case *c) { return c->dim ? c->dim : c->element->dim; }
static inline bool solid_of_bars(const solid_case *c) { return solid_dim(c) > c->element->dim; }
static inline double solid_area(const solid_case *c) { return solid_of_bars(c) ? 0.7 : 1; }

/* Calls visit for every combination that the tables allow. Returns how many there were; *refused (may be NULL): how many were not. */
long solid_cases(void (*visit)(const solid_case *c, void *user), void *user, long *refused);
/* The model's text. */
size_t solid_text(const solid_case *c, char *text, size_t room);
/* Reads and builds it; fails the test with the case's name. */
void solid_build(bl_context *ctx, const solid_case *c, bl_model **model, bl_system **sys);

#endif
