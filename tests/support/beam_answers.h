/* Equilibria and frequencies of scenes and of models given as text, for tests of elastic bodies. */
#ifndef TEST_BEAM_ANSWERS_H
#define TEST_BEAM_ANSWERS_H

#include "biela/biela.h"
#include "biela/equilibrium.h"
#include "biela/modes.h"

enum { BEAM_PROBES = 4, BEAM_JOINTS = 4, BEAM_CRITICAL = 8, BEAM_MODES = 24 };

/* The last equilibrium, and critical points of its path with the first probe there. */
typedef struct beam_answer {
    double probe[BEAM_PROBES][3], variable[BEAM_JOINTS];
    bl_wrench reaction[BEAM_JOINTS];
    double potential;
    int ncritical;
    int stable[3], unstable[3]; /* points before the first, between the first two and beyond the second critical one */
    double critical_load[BEAM_CRITICAL], critical_probe[BEAM_CRITICAL][3];
    bl_equilibrium_summary found;
} beam_answer;

/* scene: a name, or a model where it contains a line break. Fails the test with the library's message. */
void beam_equilibrium(const char *scene, const bl_override *set, bl_index nset, const bl_equilibrium_options *options, beam_answer *answer);
/* omega^2 of the modes that are not rigid, ascending, at most BEAM_MODES; returns their number. */
int beam_modes(const char *scene, const bl_override *set, bl_index nset, const bl_modes_options *options, double *squares);
/* The model of a text with parameters in the manner of printf, at most 4000 characters; valid until the next call. */
const char *beam_text(const char *format, ...);
/* int f over 0 to 1 by eight Gauss points: their places and weights */
extern const double beam_gauss[8][2];

#endif
