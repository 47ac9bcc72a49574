/* States to go back to are kept at every step without allocating; a handover allocates when it begins, once. */
#include "support/motion.h"
#include "support/testing.h"

static void steps__allocate_nothing_while_nobody_changes(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"lagrange", "baumgarte", "projection:at=stage", "auglag"};
    for (int k = 0; k < 4; k++) {
        bl_context *ctx = test_context(NULL);
        test_points def = test_n_four_bar(2);
        test_motion motion;
        test_motion_begin(&motion, ctx, &def, &(bl_simulation_setup){.formulation = kinds[k], .t_end = 3, .tolerance = 1e-6});
        const bl_simulation *sim = motion.sim;
        long quiet = 0, changes = 0;
        size_t first = 0, later = 0; /* allocations of the first handover, and of each later one */
        while (*sim->state.t < 3) {
            size_t before = bl_context_memory(ctx).calls;
            long count = sim->singular.handovers, factors = sim->form->stats.factors;
            bool acts = sim->singular.handed_over;
            assert_int_equal(bl_simulation_advance(motion.sim), BL_OK);
            size_t made = bl_context_memory(ctx).calls - before;
            if (count == sim->singular.handovers && acts == sim->singular.handed_over && !acts) {
                if (factors != sim->form->stats.factors)
                    continue; /* new pivots may need memory of the solver */
                assert_int_equal(made, 0);
                quiet++;
            } else if (count != sim->singular.handovers) {
                *(changes++ ? &later : &first) = made;
            }
        }
        print_message("%s: %ld quiet steps, %ld handovers, allocations %zu then %zu\n", kinds[k], quiet, changes, first, later);
        assert_true(quiet > 50);
        assert_true(changes < 2 || later < first);
        test_motion_end(&motion);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(steps__allocate_nothing_while_nobody_changes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
