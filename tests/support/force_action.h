/* What a recorded force does at a state made by hand: wrenches on bodies, generalized forces, potential; checks that hold for every
 * force. Bodies are moved by rotation matrices, so nothing of the coordinates is used. */
#ifndef BL_TEST_FORCE_ACTION_H
#define BL_TEST_FORCE_ACTION_H

#include "support/handmade.h"

enum { TEST_BODIES = 6 }; /* with ground */

typedef struct test_force_state {
    double t, parameter[4], variable[16], rate[16], load;
    test_rigid pose[TEST_BODIES];
} test_force_state;

/* of a model with fewer than TEST_BODIES bodies beside ground */
void test_force_state_random(const bl_model *model, test_random *random, test_force_state *s);
double test_symbol_value(const bl_symbol *symbol, const bl_mark *mark, const test_force_state *s, double x, double xd);

/* wrench on each body about the global origin, generalized forces, potential */
typedef struct test_action {
    double force[TEST_BODIES][3], moment[TEST_BODIES][3], variable[16], potential;
} test_action;

void test_act(const bl_record *r, const test_force_state *s, test_action *a);
void test_same_action(const test_action *a, const test_action *b, double size);
/* The sums of forces and moments on all bodies are zero. */
void test_balanced(const test_action *a, double size);
/* Adds a force at a place to a body; ground takes what it gets. */
void test_add_force(test_action *a, int body, const double p[3], const double f[3], double sign);
/* Power of all that acts, at the velocities of the state. */
double test_power(const test_action *a, const test_force_state *s);

/* Every output's derivatives against central differences. */
void test_force_jacobian(const bl_record *r, const test_force_state *s);
/* dV = -(force . dp + moment about the center . dtheta) for every small motion of every body, and -f dx of every variable. The force must
 * be without velocity terms at this state. within: relative to the sizes of force and potential */
void test_force_gradient(const bl_record *r, const test_force_state *s, double within);

#endif
