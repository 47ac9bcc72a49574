/* Complete mechanisms over the time of their models by every kind, and two of them by every combination: whatever can run agrees, whatever
 * cannot has a reason. */
#include "support/agreement.h"
#include "support/testing.h"

typedef struct task {
    const char *scene;
    double until, tolerance; /* 0: the model's */
    bool all;
    bl_index least; /* so many agree */
} task;

static void combinations_agree(void **state) {
    const task *t = *state;
    bl_compare_options options = {.until = t->until, .tolerance = t->tolerance, .limit = 100, .all = t->all};
    assert_true(test_agreement(t->scene, &options) >= t->least);
}

int main(void) {
    static const task tasks[] = {{"pendulum", .least = 42},
                                 {"double_pendulum", .least = 42},
                                 {"four_bar", .least = 42},
                                 {"slider_crank", .least = 42},
                                 {"five_bar_pendulum", .until = 3, .least = 42} /* all 10 s take methods of order 2 a million steps */,
                                 {"bricard", .least = 42},
                                 {"andrews", .least = 42},
                                 {"vehicle", .least = 42},
                                 {"pendulum", 1, 1e-5, true, 500},
                                 {"four_bar", 0.5, 1e-5, true, 500}};
#define CASE(name, i) \
    { name "__combinations_agree", combinations_agree, NULL, NULL, (void *)(uintptr_t)&tasks[i] }
    const struct CMUnitTest tests[] = {
        CASE("pendulum", 0), CASE("double_pendulum", 1), CASE("four_bar", 2), CASE("slider_crank", 3), CASE("five_bar_pendulum", 4),
        CASE("bricard", 5),  CASE("andrews", 6),         CASE("vehicle", 7),  CASE("pendulum_all", 8), CASE("four_bar_all", 9),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
