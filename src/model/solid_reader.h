/* solid_reader: what the files that read solids share. Private to the room. */
#ifndef BL_MODEL_SOLID_READER_H
#define BL_MODEL_SOLID_READER_H

#include "model/reader.h"

typedef struct bl_material_def {
    const char *name;
    const bl_item *item;
    const bl_material_kind *kind;
    bl_value value[BL_MAX_PARAMS];
} bl_material_def;

typedef struct bl_solid_reader {
    bl_material_def *material;
    bl_index nmaterial;
    bl_names materials, solids, reduced; /* reduced: bodies whose meshes do not belong to the model */
    bool moving;                         /* the bodies belong to a mechanism */
    bool reducing;                       /* the body being read is one of `reduced`: it is not counted in the model */
} bl_solid_reader;

/* ---- solids.c */
/* A number, or a law of t and position; a law of parameters only is a number. n of them: a list, or for n = 1 a text. */
bl_status bl_number_laws_read(bl_reader *r, const bl_item *node, const char *what, unsigned use, int n, bl_number_law *law);
bl_status bl_solid_find_set(bl_reader *r, const bl_solid *solid, const bl_item *item, bl_set_what what, const bl_mesh_set **set);
const char *bl_set_kind(bl_set_what what);
/* `key` of an entry: checked by BL_POSITIVE, ...; unchanged if it is not given */
bl_status bl_solid_number(bl_reader *r, const bl_item *entry, const char *key, uint32_t flags, double *value);
/* one of n words; unchanged if it is not given */
bl_status bl_solid_word(bl_reader *r, const bl_item *entry, const char *key, const char *const *words, int n, int *which);
/* Materials, and arrays for all solids, supports, loads and masses of the model. */
bl_status bl_solids_begin(bl_reader *r, bl_solid_reader *s);
bl_status bl_solid_read_body(bl_reader *r, bl_solid_reader *s, const bl_item *entry, bl_solid **solid);

/* ---- mesh_bodies.c */
/* Material and connections of a mesh that is to be reduced. */
bl_status bl_solid_check_body(bl_reader *r, const bl_item *entry, const bl_solid *solid);
/* The frames of `interfaces:` as the next bodies of the model; its elastic body is the next one. */
bl_status bl_read_interfaces(bl_reader *r, const bl_item *list, bl_elastic_def *def, const bl_solid *solid);

/* ---- reduced_bodies.c */
bl_status bl_floating_wanted(bl_reader *r, const bl_item *entry, bool *floating);
bl_status bl_floating_body_read(bl_reader *r, const bl_item *entry);

/* ---- solid_loads.c: supports, loads, masses, probes, initial fields */
bl_status bl_read_supports(bl_reader *r, bl_solid_reader *s);
bl_status bl_read_solid_loads(bl_reader *r, bl_solid_reader *s);
bl_status bl_read_solid_masses(bl_reader *r, bl_solid_reader *s);
bl_status bl_read_solid_probes(bl_reader *r, bl_solid_reader *s);
bl_status bl_read_solid_starts(bl_reader *r, bl_solid_reader *s);

/* ---- mesh_looks.c: the undeformed mesh as an appearance */
bl_status bl_mesh_look(bl_reader *r, bl_mesh *mesh, bl_body *body);

#endif
