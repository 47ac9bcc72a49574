/* deck_reader: decks of CalculiX and Abaqus (.inp) -> model. Private to this room.
 *
 *     deck_cards.c      bytes -> cards: keyword, parameters, data lines      deck_keywords.c   which keywords and parameters there are
 *     deck_lines.c      data lines -> fields -> numbers                      deck_types.c   element types
 *     deck_numbers.c    *NODE *ELEMENT *NSET *ELSET                          deck_mesh.c    the mesh of them
 *     deck_materials.c  *MATERIAL and its cards, *SOLID SECTION              deck_times.c   *AMPLITUDE and ramps as laws
 *     deck_acting.c     active loads and supports, kept between steps         deck_loads.c   ... as supports and loads of a step
 *     deck_equations.c  *EQUATION                                            deck_bars.c    lateral support of bars
 *     deck_steps.c      *STEP to *END STEP                                   deck_model.c   the complete deck
 *
 * Files are untrusted: every number is checked where it is read, and no number in the file sets the size of an allocation. */
#ifndef BL_MODEL_DECK_READER_H
#define BL_MODEL_DECK_READER_H

#include "base/hash.h"
#include "model/deck_model.h"
#include "model/reader.h"

enum {
    BL_DECK_LINE = 1024,        /* maximum characters of a line */
    BL_DECK_FIELDS = 64,        /* maximum fields of a line */
    BL_DECK_PARAMS = 16,        /* maximum parameters of a card */
    BL_DECK_DEPTH = 8,          /* maximum nesting of included files */
    BL_DECK_MOST = 999999999,   /* largest number of a node or element */
    BL_DECK_COPIES = 1000000000 /* maximum items copied from set to set, in total */
};

/* ---- deck_keywords.c */

typedef enum bl_deck_key {
    BL_KEY_SKIPPED, /* has no effect on the results */
    BL_KEY_OTHER,   /* unknown */
    BL_KEY_NODE,
    BL_KEY_ELEMENT,
    BL_KEY_NSET,
    BL_KEY_ELSET,
    BL_KEY_MATERIAL,
    BL_KEY_ELASTIC,
    BL_KEY_DENSITY,
    BL_KEY_PLASTIC,
    BL_KEY_EXPANSION,
    BL_KEY_CONDUCTIVITY,
    BL_KEY_DAMPING,
    BL_KEY_SPECIFIC_HEAT,
    BL_KEY_SECTION,
    BL_KEY_BOUNDARY,
    BL_KEY_AMPLITUDE,
    BL_KEY_INITIAL,
    BL_KEY_EQUATION,
    BL_KEY_STEP,
    BL_KEY_STATIC,
    BL_KEY_FREQUENCY,
    BL_KEY_DYNAMIC,
    BL_KEY_HEAT,
    BL_KEY_CLOAD,
    BL_KEY_DLOAD,
    BL_KEY_TEMPERATURE,
    BL_KEY_FILM,
    BL_KEY_DFLUX,
    BL_KEY_NODE_PRINT,
    BL_KEY_EL_PRINT,
    BL_KEY_END_STEP,
    BL_KEY_INCLUDE
} bl_deck_key;

enum { BL_CARD_IN_MODEL = 1, BL_CARD_IN_STEP = 2 };

typedef struct bl_deck_word {
    const char *name; /* as in "*SOLID SECTION", without the asterisk */
    bl_deck_key key;
    unsigned where;
    const char *params; /* names separated by blanks, followed by `=` if a value is required, `?` if optional; "*": any */
} bl_deck_word;

/* keyword without blanks, in capital letters; never NULL: an unknown keyword has the key BL_KEY_OTHER */
const bl_deck_word *bl_deck_word_of(const char *keyword);

/* ---- deck_cards.c */

typedef struct bl_card_param {
    const char *name;  /* capital letters, no blanks */
    const char *value; /* as written, no blanks; NULL: none */
} bl_card_param;

typedef struct bl_card_chunk { /* consecutive data lines, with comments between them */
    const char *file, *text;
    size_t bytes;
    int line; /* of the first */
} bl_card_chunk;

typedef struct bl_card {
    const bl_deck_word *word;
    const char *name; /* the keyword as shown in messages */
    bl_place place;
    bl_index nparam, nchunk, chunk_room;
    bl_card_param param[BL_DECK_PARAMS];
    bl_card_chunk *chunk;
} bl_card;

typedef struct bl_deck_reader bl_deck_reader;

/* Cards of a text and of the files it includes. The text must remain valid. */
bl_status bl_deck_scan(bl_deck_reader *d, const char *file, const char *text, size_t bytes);
/* The value of a parameter, "" if it has none; NULL: not given. */
const char *bl_card_value(const bl_card *card, const char *name);
bl_status bl_card_need(const bl_deck_reader *d, const bl_card *card, const char *name, const char **value);
/* *which: index of the value among the words (capital letters); unchanged if the parameter is not given. */
bl_status bl_card_choice(const bl_deck_reader *d, const bl_card *card, const char *name, const char *const *words, int n, int *which);
/* Refuses unknown keywords, unknown parameters, and keywords in the wrong part of the deck. */
bl_status bl_deck_check_words(const bl_deck_reader *d);

bool bl_deck_same(const char *a, const char *b); /* ignoring case */
uint64_t bl_deck_hash(const char *name);         /* ignoring case */

/* ---- deck_lines.c */

typedef struct bl_deck_line {
    const bl_deck_reader *deck;
    const bl_card *card;
    bl_index chunk; /* where reading continues */
    size_t at;
    int line;
    /* the last line read */
    bl_place place;
    int n;                       /* fields; a trailing comma adds none */
    char *field[BL_DECK_FIELDS]; /* without blanks */
    int column[BL_DECK_FIELDS];
    char text[BL_DECK_LINE + 1];
} bl_deck_line;

void bl_line_begin(bl_deck_line *line, const bl_deck_reader *d, const bl_card *card);
/* The next data line; *more: whether there is one. */
bl_status bl_line_next(bl_deck_line *line, bool *more);
/* ... which is required */
bl_status bl_line_need(bl_deck_line *line, const char *what);
bool bl_line_has(const bl_deck_line *line, int k); /* field k, from 0, is not empty */
bl_place bl_line_place(const bl_deck_line *line, int k);
bl_status bl_line_most(const bl_deck_line *line, int n); /* refuses more than n fields */
bl_status bl_line_int(const bl_deck_line *line, int k, const char *what, bl_index low, bl_index high, bl_index *out);
bl_status bl_line_number(const bl_deck_line *line, int k, const char *what, double *out);
/* The same; *out is unchanged if the field is empty. */
bl_status bl_line_int_or(const bl_deck_line *line, int k, const char *what, bl_index low, bl_index high, bl_index *out);
bl_status bl_line_number_or(const bl_deck_line *line, int k, const char *what, double *out);
/* also 1.D5; false: not a finite number */
bool bl_deck_number(const char *text, double *value);
bool bl_deck_is_count(const char *text); /* only digits: a node or element number, not a name */

/* ---- deck_types.c */

typedef struct bl_deck_type {
    const char *name;
    const bl_element_kind *kind;
    bl_plane plane;
    int points[3]; /* integration points for the stiffness */
    bool reduced;
    const char *refused; /* why it is not supported; NULL: it is */
} bl_deck_type;

/* NULL: unknown type. */
const bl_deck_type *bl_deck_type_of(const char *name);

/* ---- deck_numbers.c */

typedef struct bl_deck_node {
    bl_index label;
    bl_index mesh; /* index in the mesh; -1: used by no element */
    double x[3];
    bl_place place;
} bl_deck_node;

typedef struct bl_deck_element {
    bl_index label;
    bl_index mesh;
    bl_index first; /* index of its first node in `corner` */
    const bl_deck_type *type;
    bl_place place;
} bl_deck_element;

typedef struct bl_deck_set {
    const char *name;
    bool of_elements;
    bl_index count, room;
    bl_index *item;     /* indices of deck.node or deck.element */
    bl_index last_card; /* the last card that added to it */
    const bl_mesh_set *made;
} bl_deck_set;

typedef struct bl_deck_amplitude {
    const char *name;
    bl_place place;
    bool total_time;
    bl_index n, room;
    double *t, *value; /* [n] */
} bl_deck_amplitude;

/* All nodes, elements and sets, in this order. */
bl_status bl_deck_read_numbers(bl_deck_reader *d);
bl_index bl_deck_node_of(const bl_deck_reader *d, bl_index label); /* -1: none */
bl_index bl_deck_element_of(const bl_deck_reader *d, bl_index label);
/* The set with this name for use in a card, -1: none. Refuses a set that a later card extends. */
bl_status bl_deck_find_set(const bl_deck_reader *d, const bl_card *card, const bl_place *place, const char *name, bool of_elements,
                           bl_index *set);
/* A field with a number or the name of a set: items[count] of `node` or `element`; *one holds a single item. */
bl_status bl_deck_items(const bl_deck_line *line, int k, bool of_elements, bl_index *one, const bl_index **items, bl_index *count);

/* ---- deck_mesh.c */
/* Fills the builder with the nodes used by elements, the elements and the sets; sets the mesh indices in d. */
bl_status bl_deck_build(bl_deck_reader *d, bl_mesh_builder *b);

/* ---- deck_materials.c */

typedef struct bl_deck_rows { /* {temperature, value, second value}; one row: constant */
    bl_index n, room;
    double (*row)[3];
} bl_deck_rows;

typedef struct bl_deck_material {
    const char *name;
    bl_place place;
    bl_place elastic, density, plastic, expansion, conductivity, heat; /* line 0: not given */
    double rho, c;
    bl_deck_rows elastic_rows, expansion_rows, conductivity_rows;
    double zero; /* reference temperature of expansion */
    bl_place damping;
    double alpha, beta; /* C = alpha M + beta K */
    bool kinematic;
    bl_index nyield, yield_room;
    double (*yield)[2]; /* [nyield] stress, plastic strain */
} bl_deck_material;

typedef struct bl_deck_section {
    bl_place place;
    bl_index set, material;
    double thickness;
} bl_deck_section;

bl_status bl_deck_read_materials(bl_deck_reader *d);
bl_status bl_deck_read_sections(bl_deck_reader *d);
/* Sections of the solid: kinds of materials according to its strain (NULL: a temperature field). */
bl_status bl_deck_make_sections(bl_deck_reader *d, bool moves, bl_solid *solid);
/* Plasticity of the materials in use: none, isotropic hardening (the yield surface widens) or kinematic hardening (it moves). */
typedef enum bl_deck_flow { BL_DECK_ELASTIC, BL_DECK_WIDENS, BL_DECK_MOVES } bl_deck_flow;
bl_deck_flow bl_deck_flows(const bl_deck_reader *d);
/* Damping of the solid from its materials, which must agree. */
bl_status bl_deck_damp(const bl_deck_reader *d, bl_solid *solid);
/* Whether materials depend on temperature: then loads hold temperatures, otherwise differences to the initial temperature. */
bool bl_deck_by_temperature(const bl_deck_reader *d);

/* ---- deck_times.c */

/* How a load varies over a step: ramped from its previous value, applied at once, or by an amplitude. */
typedef struct bl_deck_when {
    bl_index amplitude; /* -1: none */
    double delay;
} bl_deck_when;

bl_status bl_deck_read_amplitudes(bl_deck_reader *d);
/* AMPLITUDE= and TIME DELAY= of a card. */
bl_status bl_deck_when_of(const bl_deck_reader *d, const bl_card *card, const char *amplitude, const char *delay, bl_deck_when *when);
double bl_deck_factor(const bl_deck_reader *d, const bl_deck_when *when, const bl_deck_step *step, double t); /* at t of the step */
/* t divided by the duration of the step; the amplitude at time t of the step */
bl_status bl_deck_ramp(bl_deck_reader *d, const bl_deck_step *step, bl_number_law *law);
bl_status bl_deck_amplitude_law(bl_deck_reader *d, const bl_deck_when *when, const bl_deck_step *step, bl_number_law *law);
/* (from + (to - from) r(t)) (offset + slope . x), r the ramp or 1; or `to` times the amplitude times that. */
bl_status bl_deck_position_law(bl_deck_reader *d, const bl_deck_when *when, const bl_deck_step *step, bool ramps, double from, double to,
                               double offset, const double slope[3], const bl_place *place, bl_number_law *law);

/* ---- deck_acting.c */

typedef enum bl_deck_acting_what {
    BL_ACT_SUPPORT,     /* on a component of a node */
    BL_ACT_FORCE,       /* likewise */
    BL_ACT_TEMPERATURE, /* of a node */
    BL_ACT_PRESSURE,    /* on a face of an element */
    BL_ACT_FLUX,        /* likewise */
    BL_ACT_FILM,        /* likewise: value is the sink's temperature, film the coefficient */
    BL_ACT_HEAT,        /* in an element */
    BL_ACT_GRAVITY,     /* on a list of elements: item is the list */
    BL_ACT_SPIN,        /* likewise */
    BL_ACTS
} bl_deck_acting_what;

typedef struct bl_deck_acting {
    bl_index item, part; /* in the mesh; component or face */
    bool on, fresh;      /* fresh: given in this step */
    double value, was;   /* `was`: at the end of the previous step. A value of NaN: held at its current value */
    double film;
    bl_deck_when when, film_when;
    double vector[6]; /* gravity: direction; spin: a point of the axis, its direction */
    bl_place place;
} bl_deck_acting;

typedef struct bl_deck_list {
    bl_index n, room;
    bl_deck_acting *entry;
    bl_hash of; /* by item and part */
} bl_deck_list;

typedef struct bl_deck_tie {
    bl_tie tie;
    bool on;
} bl_deck_tie;

struct bl_deck_reader {
    bl_reader *r;
    bl_context *ctx;
    bl_arena *keep; /* the model's */
    bl_arena scratch;
    bool mesh_only;
    bl_card *card;
    bl_index ncard, card_room;
    int depth;
    bl_deck_node *node;
    bl_index nnode, node_room;
    bl_hash node_of; /* by label */
    bl_deck_element *element;
    bl_index nelement, element_room;
    bl_hash element_of;
    bl_index *corner; /* nodes of elements: first their labels, later indices of `node` */
    bl_index ncorner, corner_room;
    bl_deck_set *set;
    bl_index nset, set_room;
    bl_hash set_of;
    size_t copied; /* items from set to set so far */
    bl_deck_amplitude *amplitude;
    bl_index namplitude, amplitude_room;
    bl_deck_material *material;
    bl_index nmaterial, material_room;
    bl_deck_section *section;
    bl_index nsection, section_room;
    bl_deck_tie *tie;
    bl_index ntie, tie_room;
    bl_deck_list acting[BL_ACTS];
    const bl_index **list; /* [nlist] elements of the mesh, ascending, on which gravity and spin act */
    bl_index *list_count, nlist, list_room, list_count_room;
    bl_hash list_of;
    bool given[BL_ACTS]; /* in this step */
    bool heats;          /* the unknowns are temperatures */
    bool in_step;
    double *temperature; /* [nodes of the mesh] initial temperatures; NaN: not given; NULL: none given */
    double *start, *start_rate;
    bl_solid_load *load; /* of the current step */
    bl_index nload, load_room;
    bl_deck_print *print; /* that continue from step to step */
    bl_index nprint, print_room;
    bl_number_law ramp; /* of the current step; law -1: none yet */
    bl_mesh *mesh;
    int dim, ncomponent;
    bl_plane plane;
};

/* Cards of loads, supports and temperatures, of the model part and of a step. */
bl_status bl_deck_read_acting(bl_deck_reader *d, const bl_card *card);
bl_status bl_deck_read_initial(bl_deck_reader *d, const bl_card *card);
/* After a step: the final values become the previous values. */
void bl_deck_end_acting(bl_deck_reader *d, const bl_deck_step *step);

/* The component, from 0, in field k of the line. */
bl_status bl_deck_component(const bl_deck_reader *d, const bl_deck_line *line, int k, bl_index *part);

/* ---- deck_equations.c */
bl_status bl_deck_read_equations(bl_deck_reader *d); /* terms hold indices of `node` */
void bl_deck_number_equations(bl_deck_reader *d);    /* ... of the mesh */
bl_status bl_deck_remove_equations(bl_deck_reader *d, const bl_card *card);
bl_status bl_deck_make_ties(bl_deck_reader *d, bl_deck_step *step);

/* ---- deck_loads.c */
/* Supports and loads of the step from the active ones. */
bl_status bl_deck_make_acting(bl_deck_reader *d, bl_deck_step *step);

/* ---- deck_bars.c */
/* Bars of CalculiX have a small bending stiffness. In static steps, node components with no bar stiffness, support, equation or force are
 * held fixed, with a warning. */
bl_status bl_deck_hold_bars(bl_deck_reader *d, bl_deck_step *step);

/* ---- deck_steps.c */
bl_status bl_deck_read_steps(bl_deck_reader *d, bl_deck *deck);

/* ---- deck_model.c */
void bl_deck_reader_destroy(bl_deck_reader *d);

#endif
