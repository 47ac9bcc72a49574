/* contacts: one-sided constraints of a motion (bl_system.contact): contacts of bodies, stops of variables. Between events the modes
 * in the history are fixed, and contacts are equations and forces like others. The run loop
 *
 *     completes their events: gap closing, normal force ending, sliding halting, friction at rest exceeded, the surface ending;
 *     at an event finds impulses where contacts approach each other, then accelerations, forces and the new modes.
 *
 * Both are problems of complement/coulomb.h in the contacts that touch: D = W A W^T, W their rows, A the response of the mechanism
 * to forces with all its other constraints. Theory: docs/theory/contact.md. */
#ifndef BL_STUDY_CONTACTS_H
#define BL_STUDY_CONTACTS_H

#include "biela/biela.h"
#include "complement/coulomb.h"
#include "integrate/integrate.h"
#include "kkt/kkt.h"

struct bl_simulation;

typedef enum bl_impact_law { BL_IMPACT_DEFAULT, BL_IMPACT_NEWTON, BL_IMPACT_POISSON } bl_impact_law;

static inline bl_impact_law bl_impact_law_of(const char *word) { /* NULL: by default */
    return !word ? BL_IMPACT_DEFAULT : word[0] == 'n' ? BL_IMPACT_NEWTON : BL_IMPACT_POISSON;
}

static inline bool bl_painleve_of(const char *word) { return word && word[0] == 'i'; } /* "impact"; NULL, "refuse": the run ends */

/* What happened at an event, for the journal. */
typedef struct bl_contact_happening {
    double t;
    bool impact; /* else the mode of a contact changed */
    bl_index contact;
    long struck;      /* of impacts: the number of the instant, whose impulses in the joints are kept for a while */
    bl_strike strike; /* of impacts */
    char text[200];
} bl_contact_happening;
enum { BL_CONTACT_HAPPENINGS = 16 };

/* Functions of open contacts at a time in a step, and their rates: contact_probes.c */
typedef struct bl_contact_probe {
    double *f, *rate; /* [n] */
} bl_contact_probe;

typedef struct bl_contacts {
    bl_index n; /* 0: there are none, and nothing below exists */
    bl_impact_law law;
    bool painleve;          /* where nothing can slide it halts at once; false: the run ends */
    double rest;            /* m/s or rad/s: slower speeds after an impact are rest */
    const bl_system *inner; /* without states, which have no mass */
    bl_kkt *kkt;
    bl_state open, all; /* of the inner system: no contact holds; all hold */
    bl_eval mass, rows; /* there */
    bl_state trial;     /* of the complete system, for forces without contacts */
    bl_coulomb *problem;
    bl_index ntouching, *touching; /* [n] */
    bool ends;                     /* some surfaces do: contacts have a reach */
    bl_index *group;               /* [n] of touching contacts: the first of those that can only slide together; -1: alone */
    double *gap;                   /* [n] */
    double *hit;                   /* [n] time of the last impact; NaN: none */
    double *W, *answer;            /* [m][nv] rows of touching contacts; A W^T */
    double *free;                  /* [nv] accelerations without contacts */
    double *x, *Q, *impulse;       /* [nv], [nv + nz], [np] */
    double *row_c;                 /* [np] */
    double *a, *lambda;            /* [nv], [np] for events */
    double *speed, *compressed;    /* [3 n] before an impact; impulses of compression */
    double *zero;                  /* entries of K */
    bl_contact_probe from, to;     /* the last two */
    double *opened, *shift;        /* [n], [nv + nz] scratch */
    double *slack;                 /* [n] of closed contacts: forces down to this below zero, which the last problem let pass */
    bool *twin;                    /* [n] scratch */
    double *inner_force;           /* [np] added to multipliers that are not unique */
    bool inner_due;                /* they have to be found at the state */
    bl_index *place;               /* [np] row of W; -1: none */
    bool changed;                  /* modes, at the last event */
    char name[96];
    double *offset;      /* [n] of an open contact: its gap when it opened, zero to rounding and to the tolerance of projections */
    double *load;        /* [nload] normal loads that belong to lambda */
    double slow;         /* m/s, rad/s: speed of the highest bounce that is rest, at the last event */
    double height;       /* m, rad: lower bounces are rest, like slow ones */
    double error;        /* m, rad, or in 1 s: the tolerance, to which a method knows gaps and their rates */
    bool *soft;          /* [n] restitution is left out: the contact comes to rest */
    bl_index unresolved; /* contact + 1 whose last flight was lower than the error of the method: it comes to rest; 0: none */
    void *block;
    bl_wrench *joint_impulse;          /* [BL_CONTACT_HAPPENINGS][njoint] of the last instants with impacts or percussions: a ring */
    double kinetic[2];                 /* at the last of them, before and after */
    long struck;                       /* number of such instants */
    bl_blow *blow;                     /* [n] */
    bl_eval impulses;                  /* of the inner system */
    struct bl_formulation *other_form; /* in use while contacts slide, or else while none does (contact_method.c); NULL: one is enough */
    struct bl_integrator *other_integ;
    long exchanges; /* of methods, after the start */
    bool slid;      /* the method for contacts that slide was in use */
    long impacts, accumulations, percussions;
    double lost; /* energy, by impacts */
    bool warned_gain, warned_unique;
    bl_contact_happening happening[BL_CONTACT_HAPPENINGS]; /* a ring */
    long happened;
} bl_contacts;

/* At the start, before the formulation is set up: refuses contacts that begin inside each other, and finds modes, velocities after impacts
 * at the start included. */
bl_status bl_contacts_create(struct bl_simulation *sim);
void bl_contacts_destroy(struct bl_simulation *sim);

/* Completes event[nevent] at a state, whose gaps are there. only: the one that is needed; < 0: all. */
bl_status bl_contacts_events(struct bl_simulation *sim, const bl_state *state, double *event, bl_index only);
/* Probes for events in a step: at its start; at b, the next one after `a`, with the state there: *between is the time of a further one that
 * is needed before, INFINITY: none. Then that at b becomes the last one. */
bl_status bl_contacts_probe_begin(struct bl_simulation *sim, double t);
bl_status bl_contacts_probe(struct bl_simulation *sim, double a, double b, const bl_state *end, double *between);
void bl_contacts_probe_keep(struct bl_simulation *sim);
/* An open contact at its zero changed nothing: it counts when it is deeper by c->height. Returns its function. */
double bl_contacts_lower(struct bl_simulation *sim, bl_index contact);
/* At the last probe: whether an open contact is deep inside, or approaches. Else its sign may be rounding of a gap that other contacts
 * and joints hold closed, or the error of the method where it was hardly outside. */
bool bl_contacts_approaches(const struct bl_simulation *sim, bl_index contact);
/* Whether an open contact, which did not leave since the last probe, is inside and moves further: not while it still comes out. */
bool bl_contacts_enters(const struct bl_simulation *sim, bl_index contact);
/* The same for one with this function and rate, wherever it was before. */
bool bl_contacts_entered(const struct bl_simulation *sim, bl_index contact, double f, double rate);
/* Raises *fastest to the largest angular speed of a body. */
bl_status bl_contacts_turning(struct bl_simulation *sim, const bl_state *state, double *fastest);
/* At an event of a contact, or after anything else that changed forces or velocities (event < 0): impacts, new modes. BL_AGAIN: nothing
 * changed. The formulation is set up anew where modes changed. */
bl_status bl_contacts_cross(struct bl_simulation *sim, bl_index event);
/* Percussions of the events at this time, which sim->eval has just applied; then contacts that they set in motion. BL_AGAIN: none. */
bl_status bl_contacts_strike(struct bl_simulation *sim);
/* Speed at which the gap of a contact grows. */
bl_status bl_contacts_gap_speed(struct bl_simulation *sim, const bl_state *state, bl_index contact, double *speed);
/* After forces of contacts that slide were not found: the error that names the contact. BL_OK: none slides. */
bl_status bl_contacts_explain(struct bl_simulation *sim);
/* The same, where the run goes on with an impact without collision. *done: it did; the method has to restart. */
bl_status bl_contacts_rescue(struct bl_simulation *sim, bool *done);
/* Name of the contact of an event. */
const char *bl_contacts_name(const struct bl_simulation *sim, bl_index event);

/* A second method for motions with sliding contacts where the first is a power series; after the method exists. */
struct bl_simulation_setup;
bl_status bl_contacts_method_create(struct bl_simulation *sim, const struct bl_simulation_setup *setup, const bl_step_control *control);
/* Exchanges them where the modes of contacts require it; the formulation must be set up afterwards. */
bl_status bl_contacts_method_choose(struct bl_simulation *sim);
/* Name of the method for contacts that slide if it was in use, else an empty text. */
const char *bl_contacts_sliding_method(const struct bl_simulation *sim);
void bl_contacts_method_destroy(struct bl_simulation *sim);

/* ---- private: contacts.c, contact_impact.c, contact_modes.c */

/* Rows, response and D of the touching contacts at the state of sim. */
bl_status bl_contacts_gather(struct bl_simulation *sim);
/* u[m] of touching contacts: their rows times velocities or accelerations x[nv] */
/* `rows` at a state, with all contacts closed; the factors of the mechanism without contacts at the state of sim */
bl_status bl_contacts_rows_at(struct bl_simulation *sim, const bl_state *state, uint32_t want);
bl_status bl_contacts_mass(struct bl_simulation *sim);
/* c of both for other velocities than theirs, at the same positions */
bl_status bl_contacts_second_rates(struct bl_simulation *sim, const bl_state *state);
void bl_contacts_speeds(const bl_contacts *c, const double *x, double *u);
/* The largest of the products whose sums these are. */
double bl_contacts_rounded(const bl_contacts *c, const double *x);
/* Accelerations without contacts, c->free, with c of the rows at the velocities of the state. */
bl_status bl_contacts_free(struct bl_simulation *sim);
/* c->slow, from c->free. */
void bl_contacts_slow(struct bl_simulation *sim);
/* Impulses where contacts approach: velocities of the state, work. *any: there was an impact. */
bl_status bl_contacts_impact(struct bl_simulation *sim, bool *any);
/* Touching contact `which` slides where it cannot: it halts at once. *done: impulses were found. */
bl_status bl_contacts_halt(struct bl_simulation *sim, bl_index which, double limit, bool *done);
/* Modes that fit velocities and forces. event: as above; impact: after one, which may have halted any contact. *changed: they are
 * others. */
bl_status bl_contacts_decide(struct bl_simulation *sim, bl_index event, bool impact, bool *changed);
/* The impulses p of the problem act: velocities of the state, work, impulses in the joints; *gain: energy. speed: before. */
bl_status bl_contacts_apply(struct bl_simulation *sim, const double *speed, double *gain);
/* Whether a contact slides, other than in name only: contact_modes.c. */
static inline bool bl_contacts_moves(const bl_contact_state *state) {
    double size = state->side[0] * state->side[0] + state->side[1] * state->side[1];
    return state->mode == BL_CONTACT_SLIDE && size > 1 - 1e-9 && size < 1 + 1e-9;
}
void bl_contacts_note(struct bl_simulation *sim, bl_index contact, const bl_strike *impact, const char *format, ...) BL_PRINTF(4, 5);
/* Energy lost at touching contact i of the problem, 0 within rounding. speed: before. */
double bl_contacts_lost(const struct bl_simulation *sim, bl_index i, const double *speed);
/* Its impulse, speeds and energies. */
bl_strike bl_contacts_strike_of(const struct bl_simulation *sim, bl_index i, const double *speed);
/* Impulses in the joints at an impact that is not long ago; NULL: it is. */
const bl_wrench *bl_contacts_joint_impulse(const struct bl_simulation *sim, const bl_contact_happening *of);
/* The multiplier of a row of a contact, as events read it. */
double bl_contacts_multiplier(const bl_contacts *c, bl_index row);
/* To multipliers of a formulation since the last event: forces that are not unique as the contacts found them. */
void bl_contacts_complete(const bl_contacts *c, double *lambda);
/* Functions of open contacts, from BL_CONTACT_EVENTS for each in `event`, which stay as they are for others. Of closed ones: 1. */
void bl_contacts_open_functions(const struct bl_simulation *sim, const bl_state *state, const double *event, double *f);
/* Typical length of its gap. */
double bl_contacts_size(const struct bl_simulation *sim, bl_index contact);
/* Whether an open contact with this gap is that of a point beside the body: deep behind a face that ends. */
bool bl_contacts_behind(const struct bl_simulation *sim, bl_index i, double gap);
/* Of an event of a contact: the contact, and which event. */
bl_index bl_contact_of(const struct bl_simulation *sim, bl_index event);
int bl_contact_event_of(const struct bl_simulation *sim, bl_index event);
const char *bl_contacts_name_of(const struct bl_simulation *sim, bl_index contact);

#endif
