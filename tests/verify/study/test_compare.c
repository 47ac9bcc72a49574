/* Eight mechanisms over a short time in every kind of coordinates, with every formulation and integrator: all valid combinations agree. The
 * complete motions are in tests/long. */
#include "support/agreement.h"
#include "support/testing.h"

typedef struct task {
    const char *scene;
    double until;
} task;

static void combinations_agree(void **state) {
    const task *t = *state;
    /* 33 integrators and 13 formulations besides the central combination; edmc1 and edmc2, energy_momentum, plain and multistep may not be
     * applicable */
    assert_true(test_agreement(t->scene, &(bl_compare_options){.until = t->until, .tolerance = 1e-4, .limit = 60}) >= 42);
}

int main(void) {
    static const task tasks[] = {{"pendulum", 0.5},          {"double_pendulum", 0.3}, {"four_bar", 0.3},  {"slider_crank", 0.3},
                                 {"five_bar_pendulum", 0.2}, {"bricard", 0.3},         {"andrews", 0.005}, {"vehicle", 0.02}};
#define CASE(name, i) \
    { name "__combinations_agree", combinations_agree, NULL, NULL, (void *)(uintptr_t)&tasks[i] }
    const struct CMUnitTest tests[] = {
        CASE("pendulum", 0),          CASE("double_pendulum", 1), CASE("four_bar", 2), CASE("slider_crank", 3),
#ifndef __SANITIZE_ADDRESS__ /* ten times slower there, and nothing new is tested */
        CASE("five_bar_pendulum", 4), CASE("bricard", 5),         CASE("andrews", 6),  CASE("vehicle", 7),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
