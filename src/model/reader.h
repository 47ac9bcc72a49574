/* reader: model text -> model. Private to this room.
 *
 *     files.c   which files may be read
 *     source.c  bytes of files, includes           tree.c     libfyaml events -> nodes
 *     item.c    typed access to nodes              repeat.c   lists, repeat entries, $i in text
 *     symbols.c parameters, points, probes         laws.c     expressions
 *     params.c  values by a kind's table           names.c    hash tables
 *     bodies.c joints.c forces.c initial.c settings.c              one section of the file each
 *     beam_names.c beam_reader.c beam_axis.c beam_sections.c       beams, which are frames and elements: beam_reader.h
 *     named_quantities.c signals.c controllers.c actions.c body_equations.c  numbers beside bodies, events that change them
 *     derived_laws.c                                               laws made of other laws
 *     stops.c contact_reader.c contact_variables.c stick_reader.c compliant_reader.c         bounds of variables, contacts of bodies
 *     studies.c                                                    options of studies
 *     appearance.c appearance_files.c                              what bodies look like
 *     equation_reader.c equation_names.c matrix_reader.c solids.c meshes.c    models without rigid bodies
 *     deck*.c                                                      decks: deck_reader.h
 *
 * Nodes are in the reader's scratch arena; data of the model is in the model's arena. */
#ifndef BL_MODEL_READER_H
#define BL_MODEL_READER_H

#include "model/model.h"
#include "series/expr.h"
#include "series/profile.h"

#include <stdio.h>
#include <sys/stat.h>

enum {
    BL_SOURCE_BYTES = 64 * 1024 * 1024, /* of one file */
    BL_SOURCE_ALL = 256 * 1024 * 1024,  /* of all files of a model; a file read twice counts twice */
    BL_SOURCE_FILES = 256,
    BL_SOURCE_MARKS = 4000000,      /* brackets, commas, colons of one file: libfyaml needs 200 bytes for each in its look-ahead */
    BL_SOURCE_LINE_MARKS = 1000000, /* of one line */
    BL_TREE_DEPTH = 64,
    BL_TREE_NODES = 2000000,        /* of all files, aliases expanded */
    BL_REPEAT_ENTRIES = 200000,     /* made by repeats, in total */
    BL_REPEAT_TEXT = 64000000,      /* characters of text with indices replaced, in total */
    BL_LAW_LENGTH = 4096,           /* characters of an expression */
    BL_LAW_TEXT = 8000000,          /* of all laws kept in the model */
    BL_LAW_WORK = 100000000,        /* of all expressions parsed, once per repetition */
    BL_EQUATION_ELEMENTS = 1000000, /* of all states, and of all expressions */
    BL_EQUATION_TERMS = 20000000,   /* numbers and names of all equations, loops expanded */
    BL_BEAM_FRAMES = 200000,        /* nodes of all beams */
    BL_SHAPE_TRIANGLES = 500000,    /* of all files named by `shape:`: more would be slow to draw */
    BL_SHAPE_POINTS = 1500000       /* of one such file */
};

/* ---- tree */

typedef enum bl_item_kind { BL_ITEM_TEXT, BL_ITEM_LIST, BL_ITEM_MAP } bl_item_kind;

typedef struct bl_item {
    uint8_t kind;
    bool plain;     /* not quoted */
    bool exact;     /* the text is in one line of the file, unchanged, so that columns can be counted */
    bl_index count; /* of value[], and key[] of a map */
    bl_place place;
    const char *text; /* terminated; empty for lists and maps */
    uint32_t length;
    uint32_t weight; /* number of nodes with every alias expanded */
    struct bl_item **key, **value;
} bl_item;

/* ---- reader */

typedef struct bl_binding { /* index of a repeat that is being expanded */
    const char *name;
    double value;
    const struct bl_binding *outer;
} bl_binding;

typedef struct bl_names { /* hash table from a name to its index in an array of the model */
    bl_index capacity, count;
    const char **name;
    bl_index *ref;
} bl_names;

typedef struct bl_document {
    const char *file; /* as in messages */
    bl_item *root;
    uint64_t device, number; /* identity of the file */
    bool open;               /* its includes are being read */
    bool included;           /* not the model itself */
} bl_document;

typedef struct bl_pending { /* a reference to a joint or variable that may be defined later */
    const bl_param *param;
    bl_value *value;
    const char *text;
    const char *part;
} bl_pending;

typedef struct bl_spot { /* a point at a joint or carried by a body */
    double at[3];
    bl_index body;
} bl_spot;

typedef struct bl_reader {
    bl_context *ctx;
    bl_model *model;
    bl_arena scratch;
    const bl_override *override;
    bl_index noverride;
    bl_files files;
    double share;        /* fraction of the limits above that is granted */
    size_t source_bytes; /* of all files so far */
    bl_document *document;
    bl_index ndocument, document_capacity, ninclude;
    bl_index order[BL_SOURCE_FILES], norder; /* of documents: included ones first */
    uint32_t nodes;                          /* so far, of all documents */
    const bl_binding *binding;
    bl_index generated;                     /* entries made by repeats so far */
    size_t repeat_text, law_text, law_work; /* characters so far */
    bl_index triangles;                     /* of files for pictures, so far */
    bl_names parameters, points, bodies, beams, joints, variables, probes, forces, signals, contacts;
    bl_index body_capacity, elastic_capacity;
    bl_index frames;        /* of beams, so far */
    double low[3], high[3]; /* box about the first `boxed` of all points and then bodies */
    bl_index boxed;
    uint8_t *seen; /* of every variable: BL_SEEN_... */
    const bl_item **parameter_node;
    uint8_t *parameter_state;
    uint8_t parameter_use;      /* use of the number being evaluated: BL_PARAMETER_IN_... */
    bl_index parameter_missing; /* the unknown parameter that stopped an evaluation, -1 */
    bl_pending *pending;
    bl_index npending, pending_capacity, law_capacity, signal_capacity, action_capacity, assignment_capacity;
    bl_index nevent; /* without a name */
    bl_index nhysteresis, ndelay;
    const char *local; /* the controller being read, whose states have short names; NULL: none */
    bl_spot *spot;     /* for `initial` on points */
    bl_index nspot;
    const char *part; /* body, joint or force being read, for messages */
    struct bl_equation_reader *equations;
    struct bl_solid_reader *solids; /* of meshed bodies in a mechanism; NULL: none */
    bl_contact_def *contact;        /* [ncontact] with its geometry, to be put behind the joints */
    bl_joint_def *contact_joint;
    const char *contact_option; /* of bl_read_options; NULL: that of the file */
    bl_index ncontact, contact_capacity, contact_joint_capacity;
    bl_index shape_capacity, surface_law_capacity; /* of the surfaces of the model */
    bl_force_def *compliant;                       /* [ncompliant] compliant contacts and buffers, to be put behind the forces */
    bl_index ncompliant, compliant_capacity;
    const struct bl_yield *yield; /* [nyield] rigid contacts and stops to be made compliant (variant.h) */
    bl_index nyield;
} bl_reader;

/* bl_model_open_text with contacts and stops that become compliant. */
bl_status bl_model_open_yielding(bl_context *ctx, const char *name, const char *text, size_t bytes, const bl_read_options *options,
                                 const struct bl_yield *yield, bl_index nyield, bl_model **model);

/* the part of a limit that this reader grants */
bl_index bl_reader_most(const bl_reader *r, bl_index limit);

/* ---- files.c */
/* Opens a file that the model names at `place`, if allowed. */
bl_status bl_files_open(bl_reader *r, const char *path, const bl_place *place, FILE **stream, struct stat *facts);
/* Records the file as read. */
bl_status bl_files_note(bl_reader *r, const char *path, const uint64_t id[2]);

/* ---- source.c */
/* Loads a file into an arena; place is where the model names it, NULL: the model itself ("-": standard input); id identifies the file. */
bl_status bl_source_load(bl_reader *r, bl_arena *arena, const char *file, const bl_place *place, const char **text, size_t *bytes,
                         uint64_t id[2]);
/* Adds the documents of a text and of all files it includes. id NULL: not a file. */
bl_status bl_source_add(bl_reader *r, const char *file, const char *text, size_t bytes, const uint64_t id[2]);
/* A file with other data than models, as a tree; NULL: it is empty. */
bl_status bl_source_tree(bl_reader *r, const char *file, const bl_place *place, bl_item **root);
/* `name` as written in file `from`, relative to its folder. */
const char *bl_source_path(bl_reader *r, const char *from, const char *name);
/* The two columns of a table file. */
bl_status bl_source_table(bl_reader *r, const char *file, const bl_place *place, bl_index *n, const double **x, const double **y);
/* ---- table_file.c: *n: number of rows of the text; x[*n] and y[*n], NULL: only count. */
bl_status bl_table_read(bl_reader *r, const char *file, const char *text, size_t bytes, bl_index *n, double *x, double *y);
/* The value of a top-level key in the k-th document of the order, or NULL. */
const bl_item *bl_section(const bl_reader *r, bl_index document, const char *key);
/* The same in the last document that has it. */
const bl_item *bl_section_last(const bl_reader *r, const char *key);

/* ---- tree.c */
/* included: messages do not quote the text */
bl_status bl_tree_build(bl_reader *r, const char *file, const char *text, size_t bytes, bool included, bl_item **root);

/* ---- names.c */
bl_status bl_names_reserve(bl_reader *r, bl_names *names, bl_index count);
bl_index bl_names_find(const bl_names *names, const char *name); /* -1 when absent */
/* Adds; BL_E_MODEL with a message if the name exists already. `what` is "body", "joint", ... */
bl_status bl_names_add(bl_reader *r, bl_names *names, const char *what, const char *name, bl_index ref, const bl_place *place);
/* Adds or replaces. */
bl_status bl_names_put(bl_reader *r, bl_names *names, const char *name, bl_index ref);
/* Adds the nearest name of the tables (NULL-terminated) to an error about an undefined name. */
void bl_names_advise(bl_reader *r, const char *word, const bl_names *const *tables);

/* ---- item.c: `what` names the value in messages */
bool bl_item_null(const bl_item *node); /* empty, ~ or null */
const bl_item *bl_item_get(const bl_item *map, const char *key);
/* 1,5 that YAML split at the comma: entry i of the map has the digits after it as key, and no value. */
bool bl_item_cut_decimals(const bl_item *map, bl_index i);
bl_status bl_item_need(bl_reader *r, const bl_item *map, const char *owner, const char *key, const bl_item **value);
bl_status bl_item_map(bl_reader *r, const bl_item *node, const char *what);
/* Refuses keys outside known[nknown] and params. */
bl_status bl_item_keys(bl_reader *r, const bl_item *map, const char *owner, const char *const *known, size_t nknown,
                       const bl_param *params);
bl_status bl_item_text(bl_reader *r, const bl_item *node, const char *what, const char **text); /* $i replaced; in the scratch arena */
bl_status bl_item_keep(bl_reader *r, const bl_item *node, const char *what, const char **text); /* the same, in the model's arena */
bl_status bl_item_number(bl_reader *r, const bl_item *node, const char *what, double *value);
bl_status bl_item_flag(bl_reader *r, const bl_item *node, const char *what, bool *value);
/* Components: as many numbers as the model has dimensions; others 0. */
bl_status bl_item_vector(bl_reader *r, const bl_item *node, const char *what, double value[3]);
bl_status bl_item_numbers(bl_reader *r, const bl_item *node, const char *what, bl_index n, double *value);
bl_status bl_item_direction(bl_reader *r, const bl_item *node, const char *what, double value[3]); /* unit length */
bl_status bl_item_point(bl_reader *r, const bl_item *node, const char *what, double value[3]);     /* name or components */
/* Checks BL_POSITIVE, BL_NOT_NEGATIVE, BL_NOT_ZERO. */
bl_status bl_item_range(bl_reader *r, const bl_place *place, const char *what, uint32_t flags, double value);
bool bl_text_number(const char *text, double *value); /* a number in YAML notation; NAN if not finite */

/* ---- beam_names.c: names of bodies */
/* A body; the name of a beam is refused. */
bl_status bl_item_body(bl_reader *r, const bl_item *node, const char *what, bl_index *body);
/* The same where a point of the body is known: the name of a beam is that of its frame at this point. at NULL: no point is known. */
bl_status bl_item_body_at(bl_reader *r, const bl_item *node, const char *what, const double *at, bl_index *body);
/* The frame of an elastic body at a point. */
bl_status bl_beam_frame_at(bl_reader *r, bl_index elastic, const double at[3], const bl_place *place, bl_index *body);
/* "(0.3, 0)" */
void bl_point_text(const bl_reader *r, const double at[3], char *text, size_t size);
/* Diagonal of the bounding box of mass centers, points and the origin. */
double bl_reader_extent(bl_reader *r);

/* ---- repeat.c */
typedef bl_status (*bl_visit)(bl_reader *r, const bl_item *entry, void *user);
/* Calls visit for every entry of a list, repeats expanded. what NULL: a single entry is accepted as a list of one. */
bl_status bl_each(bl_reader *r, const bl_item *list, const char *what, bl_visit visit, void *user);
/* The number of these calls. */
bl_status bl_each_count(bl_reader *r, const bl_item *list, const char *what, bl_index *count);
/* The same for the list under a top-level key, over all documents. */
bl_status bl_section_count(bl_reader *r, const char *key, bl_index *count);
bl_status bl_section_each(bl_reader *r, const char *key, bl_visit visit, void *user);
/* A section that becomes an array of the model, which `visit` fills: status = BL_SECTION_READ(r, key, array, visit). */
bl_status bl_section_read(bl_reader *r, const char *key, void *array, size_t size, bl_visit visit);
#define BL_SECTION_READ(r, key, array, visit) bl_section_read((r), (key), &(array), sizeof *(array), (visit))
/* The name of an entry, by default a letter and its number (from 0) plus 1; entered in `names` and shown in messages from here on. */
bl_status bl_section_name(bl_reader *r, const bl_item *entry, const char *what, bl_names *names, bl_index number, const char **name);
/* The text of an item with $i and $(i+1) replaced. */
bl_status bl_repeat_text(bl_reader *r, const bl_item *node, const char **text);

/* ---- symbols.c */
bl_status bl_symbols_parameters(bl_reader *r);
/* Sections that are a map by name or a list of entries with a name, repeats expanded: their count, and a call for each. */
typedef bl_status bl_named_visit(bl_reader *r, const char *name, const bl_place *place, const bl_item *value, void *user);
bl_status bl_named_count(bl_reader *r, const char *section, bl_index *count);
bl_status bl_named_each(bl_reader *r, const char *section, bl_named_visit *visit, void *user);
bl_status bl_symbols_points(bl_reader *r);
bl_status bl_symbols_variables(bl_reader *r);
bl_status bl_symbols_probes(bl_reader *r);
/* Refuses a name that is invalid or reserved in expressions. */
bl_status bl_symbols_reserved(bl_reader *r, const char *name, const char *what, const bl_place *place);
/* Refuses to mark a variable twice with the same bit: "WHAT variable 'NAME' is given twice". */
enum { BL_SEEN_DRIVEN = 1, BL_SEEN_MEASURED = 2, BL_SEEN_INITIAL = 4, BL_SEEN_INITIAL_RATE = 8 };
bl_status bl_symbols_once(bl_reader *r, bl_index variable, uint8_t bit, const char *what, const bl_place *place);
/* The variable called `name`, or with that name of its rate (*rate). -1: none. */
bl_index bl_symbols_variable(const bl_reader *r, const char *name, bool *rate);

/* ---- stops.c, contact_reader.c: one-sided constraints, collected, then put behind the joints of the model */
bl_status bl_read_stops(bl_reader *r);
bl_status bl_read_contacts(bl_reader *r);
/* ---- surface_reader.c: the same section for time stepping */
bool bl_contacts_step(const bl_reader *r);
bl_status bl_read_surfaces(bl_reader *r);
bl_status bl_refuse_gap(bl_reader *r, const bl_item *gap); /* a contact of variables by time stepping */
bl_status bl_read_handles(bl_reader *r);                   /* after percussions */
/* ---- percussions.c: their directions, before joints are resolved; then the impulse of the next event that has one */
bl_status bl_read_percussions(bl_reader *r);
bl_status bl_percussion_read(bl_reader *r, const bl_item *map, bl_index *which);
/* Both are zeroed except for the name. */
bl_status bl_contacts_add(bl_reader *r, const char *name, const bl_place *place, const struct bl_joint_kind *kind, bl_contact_def **contact,
                          bl_joint_def **joint);
bl_status bl_contacts_append(bl_reader *r);
/* contact_variables.c: an entry with `gap`, beside bodies */
bl_status bl_contact_of_variables(bl_reader *r, const bl_item *entry, const char *name);
/* Refuses a name that another contact or stop has. */
bl_status bl_contacts_claim(bl_reader *r, const char *name, const bl_place *place);
/* restitution of a map, between 0 and 1; 0 when not given */
bl_status bl_contacts_restitution(bl_reader *r, const bl_item *map, double *restitution);
/* friction and static of a map: coefficients of sliding and at rest; 0 when not given */
bl_status bl_contacts_friction(bl_reader *r, const bl_item *map, double *friction, double *sticking);

/* ---- stick_reader.c: friction in joints that sticks, a contact without a gap */
bl_status bl_read_sticking(bl_reader *r);     /* before the joints are complete */
bl_status bl_sticking_complete(bl_reader *r); /* after the forces: their coefficients */

/* ---- compliant_reader.c: contacts and stops that yield, which become forces */
/* The first key of an entry that is in the table of a kind; NULL: none. */
const bl_item *bl_compliant_key(const bl_item *entry, const struct bl_force_kind *kind);
/* Values by that table; own[nown]: other keys of the entry, called `what`. */
bl_status bl_compliant_read(bl_reader *r, const bl_item *entry, const char *what, const struct bl_force_kind *kind, const char *const *own,
                            size_t nown, bl_value value[BL_MAX_PARAMS]);
/* Whether a rigid contact or stop of that name is to yield: then the values of its law. */
bool bl_compliant_yields(const bl_reader *r, const char *name, const bl_place *place, bl_value value[BL_MAX_PARAMS]);
/* Collects one; *def is copied. Then all are put behind the forces of the model. */
bl_status bl_compliant_add(bl_reader *r, const bl_force_def *def);
bl_status bl_compliant_append(bl_reader *r);

/* ---- laws.c */
enum { /* what a law may use besides parameters */
       BL_USE_TIME = 1,
       BL_USE_STATE = 2,
       BL_USE_OWN = 4,
       BL_USE_BARE = 8,      /* the text needs no leading '=' */
       BL_USE_ALWAYS = 16,   /* a constant becomes a law too */
       BL_USE_POSITION = 32, /* x, y, z of a mesh */
       BL_USE_FIELD = 64,    /* u of a scalar field */
       BL_USE_SIGNAL = 128,  /* signals alone: BL_USE_STATE includes them */
       BL_USE_REACTION = 256 /* declared reactions */
};
/* Value of an expression of parameters and indices. */
bl_status bl_laws_evaluate(bl_reader *r, const char *text, size_t length, const bl_place *place, double *value);
/* The same for "=..." of a node; text is the node's text with indices replaced. */
bl_status bl_laws_constant(bl_reader *r, const bl_item *node, const char *text, double *value);
/* A number or =expression as a law: *law = -1 and the number if it is constant; else the law's index, and the
 * number if it depends on parameters only (NAN otherwise). */
bl_status bl_laws_read(bl_reader *r, const bl_item *node, const char *what, unsigned use, bl_index *law, double *value);

/* Adds a finished tape as a law of the model, which owns it from here on unless this fails. input[ninput]: the symbols of its inputs. */
bl_status bl_laws_keep(bl_reader *r, bl_index ninput, const bl_symbol *input, const char *text, const bl_place *place, bl_tape *tape,
                       bl_index *which);

/* A law from a node of a tape that is still being recorded; inputs that it does not need are left out. */
bl_status bl_laws_record(bl_reader *r, const bl_tape *tape, bl_index node, bl_index ninput, const bl_symbol *input, const char *text,
                         const bl_place *place, bl_index *which);
/* The law that is the sum of factor[i] times law[i]. */
bl_status bl_laws_combine(bl_reader *r, bl_index n, const bl_index *law, const double *factor, const bl_place *place, bl_index *which);

/* Records a number or =expression on a tape; the scope defines the names. */
bl_status bl_laws_parse(bl_reader *r, const bl_item *node, const char *what, const bl_expr_scope *scope, bl_tape *tape, bl_index *out);

/* ---- profiles.c: a function of x; a curve through points as x and y of its chord length */
bl_status bl_profile_read(bl_reader *r, const bl_item *node, const char *what, const bl_profile **out);
bl_status bl_curve_read(bl_reader *r, const bl_item *node, const char *what, const bl_profile *out[2]);

/* ---- params.c */
/* Values of an entry according to the parameter table of its kind. `own`: further keys of the entry. Fills values[BL_MAX_PARAMS]. */
bl_status bl_params_read(bl_reader *r, const bl_item *entry, const bl_kind *kind, const char *room, const char *const *own, size_t nown,
                         unsigned use, bl_value *values);
/* Required parameters and resolution of references, after bodies: [...] have been filled in. */
bl_status bl_params_required(bl_reader *r, const bl_item *entry, const bl_kind *kind, const char *room, const bl_value *values);
/* The point that tells which node of a beam is meant where the name of a beam is the first or second body (side 0, 1). NULL: none. */
const double *bl_params_point(const bl_kind *kind, const bl_value *values, int side);
bl_status bl_params_resolve(bl_reader *r); /* all pending references */
/* Finds `type:` among the kinds of a list of descriptors that begin with a bl_kind. */
bl_status bl_params_kind(bl_reader *r, const bl_item *entry, const char *room, const void *const *list, size_t count, bl_index *which);

/* ---- body_equations.c: `equations` beside bodies, as signals */
bool bl_equations_with_bodies(const bl_reader *r);
bl_status bl_body_equations_name(bl_reader *r); /* the names of states and expressions; the next: their laws */
bl_status bl_body_equations_read(bl_reader *r);

/* ---- reactions.c */
bl_status bl_read_reactions(bl_reader *r);
/* The symbol of "reaction.B.fx", which must have been declared. */
bl_status bl_reaction_symbol(bl_reader *r, const char *name, const bl_place *place, bl_symbol *symbol);

/* ---- signals.c */
bl_status bl_signals_name(bl_reader *r); /* the names, before any law is read */
bl_status bl_read_signals(bl_reader *r); /* the rest, after all other laws: outputs are then replaced by their operations in every law */
/* The hidden held number hysteresis(argument[0], argument[1], argument[2]) of nodes on a tape, with the events that change it. */
bl_status bl_signals_hysteresis(bl_reader *r, const bl_tape *tape, const bl_index *argument, bl_index ninput, const bl_symbol *input,
                                const bl_place *place, bl_index *which);
/* The hidden signal delay(argument[0], argument[1]). */
bl_status bl_signals_delay(bl_reader *r, const bl_tape *tape, const bl_index *argument, bl_index ninput, const bl_symbol *input,
                           const bl_place *place, bl_index *which);
/* Refuses a name that expressions already know. what: "an input", ... */
bl_status bl_signals_free_name(bl_reader *r, const char *name, const char *what, const bl_place *place);
/* A new signal without value; word: "a state", ... */
bl_status bl_signals_add(bl_reader *r, bl_signal_what what, const char *word, const char *name, const bl_place *place, bl_index *which);

/* ---- named_quantities.c: before bl_read_signals, which replaces outputs in laws; refuse: in models without bodies */
bl_status bl_read_quantities(bl_reader *r);
bl_status bl_quantities_refuse(bl_reader *r);

/* ---- controllers.c */
bl_status bl_controllers_name(bl_reader *r);
bl_status bl_read_controllers(bl_reader *r);

/* ---- actions.c */
bl_status bl_read_actions(bl_reader *r); /* `events` */
/* A new action without assignments; the pointer is valid until the next one. */
bl_status bl_actions_add(bl_reader *r, const bl_action *action, bl_action **added);
bl_status bl_actions_assign(bl_reader *r, const bl_assignment *assignment); /* added to the last action */
bl_status bl_actions_period(bl_reader *r, const bl_place *place, const char *what, double period, double offset); /* refuses bad ones */

/* ---- one section each */
bl_status bl_read_bodies(bl_reader *r);
bl_status bl_read_ground(bl_reader *r); /* its appearance */
bl_status bl_read_joints(bl_reader *r);
bl_status bl_read_drivers(bl_reader *r);
bl_status bl_check_driven(bl_reader *r); /* driven.c: after all laws are complete */
bl_status bl_read_forces(bl_reader *r);
bl_status bl_read_initial(bl_reader *r);
bl_status bl_read_rest(bl_reader *r);       /* for meshes: only `initial: {equilibrium: ...}` */
bl_status bl_read_studies(bl_reader *r);    /* equilibrium, linearize, inverse */
bl_status bl_read_matrices(bl_reader *r);   /* defines its unknowns as variables */
bl_status bl_matrix_contacts(bl_reader *r); /* matrix_contacts.c: with contacts they become equations */
bl_status bl_read_equations(bl_reader *r);
bl_status bl_read_solids(bl_reader *r); /* meshed bodies and fields, with their loads and supports */
bool bl_has_solids(const bl_reader *r);
/* Whether meshed bodies belong to a mechanism: beside rigid bodies or beams, with joints, drivers or interfaces. */
bool bl_solids_move(const bl_reader *r);
bl_status bl_reduced_body_read(bl_reader *r, const bl_item *entry); /* reduced_bodies.c: an entry of `bodies` with `reduced` */
/* ---- mesh_bodies.c: meshed bodies of a mechanism and their interfaces */
bl_status bl_mesh_bodies_begin(bl_reader *r);
bl_status bl_mesh_body_read(bl_reader *r, const bl_item *entry);
bl_status bl_mesh_bodies_loads(bl_reader *r); /* loads on their nodes, faces and elements */
/* Decks (deck_model.c): whether a text is one, by its beginning or its name; a complete model; only nodes, elements and sets. */
bool bl_is_deck(const char *name, const char *text, size_t bytes);
bl_status bl_read_deck(bl_reader *r, const char *text, size_t bytes);
bl_status bl_read_deck_mesh(bl_reader *r, const char *file, const char *text, size_t bytes, bl_mesh_builder *b);
bl_status bl_read_mesh(bl_reader *r, const bl_item *item, bl_mesh *mesh); /* meshes.c */
bl_status bl_read_head(bl_reader *r);                                     /* model, dimension, keys of the top level */
bl_status bl_read_settings(bl_reader *r);                                 /* simulate, coordinates, measure, independent, stops, gravity */

/* ---- equation_reader.c, for other laws of a model with equations: the kind of a name of that section, and its symbol (index -1: not an
 * array). BL_AGAIN: the section has no such name. */
bl_expr_name bl_equations_name(const bl_reader *r, const char *name, const char **nearest);
bl_status bl_equations_symbol(bl_reader *r, const char *name, bl_index index, const bl_place *place, bl_symbol *symbol);

/* ---- mesh_masses.c: sets mass->by from mass->node; arm: from their center to the mass; set: name for messages */
bl_status bl_masses_arm(bl_reader *r, const bl_mesh *mesh, const double arm[3], const char *set, bl_point_mass *mass);

/* ---- appearance.c: own[nown], the shapes that define the mass, and those of `shape` (NULL: none) become the body's. */
bl_status bl_read_appearance(bl_reader *r, const bl_item *shape, bl_index nown, const bl_appearance *own, bl_body *body);
/* ---- appearance_files.c: triangles of an STL or OBJ file; its point p is drawn at `at` + scale (p0 axes[0] + p1 axes[1] + p2 axes[2]). */
typedef struct bl_appearance_frame {
    double at[3], axes[3][3], scale;
} bl_appearance_frame;
bl_status bl_read_appearance_file(bl_reader *r, const bl_item *file, const bl_appearance_frame *place, bl_appearance *appearance);

/* ---- bodies.c: rows x, y, z from [x-direction, y-direction]; y is made perpendicular to x. NULL: the global ones. */
bl_status bl_read_axes(bl_reader *r, const bl_item *node, double axes[3][3]);

/* Inertia about the center, global axes; refuses one that no body can have. */
bl_status bl_read_inertia(bl_reader *r, const bl_item *node, const char *what, double about[3][3]);

/* ---- beam_reader.c */
bl_status bl_read_beam(bl_reader *r, const bl_item *entry);        /* an entry of `bodies` with `beam` */
bl_status bl_bodies_reserve(bl_reader *r, bl_index count);         /* room for so many in the model */
bl_status bl_elastic_add(bl_reader *r, const bl_elastic_def *def); /* the next elastic body; its bodies exist */

/* ---- mass_properties.c: mass properties */
typedef struct bl_inertia {
    double mass, center[3], about[3][3]; /* about the center, global axes */
} bl_inertia;
void bl_inertia_add(bl_inertia *sum, const bl_inertia *part);
/* axes[k] are the rows of the frame in which diag is given */
void bl_inertia_turn(const double diag[3][3], const double axes[3][3], double out[3][3]);
void bl_inertia_principal(const double about[3][3], double moment[3]); /* ascending */

#endif
