/* Every threshold of src/ROOM/ROOM_limits.h times 3 and times 1/3: studies keep their answers (limits/limits.h). A threshold whose value
 * decides an answer is too sharp: it wants a better rule. Several are moved at once; where that changes an answer, each by itself.
 * BIELA_ALL_SCENES: longer cases, too, each limit by itself, and all of a room at once. BIELA_LIMITS_EACH: each by itself.
 * BIELA_LIMITS_CASE: cases whose name contains it. BIELA_LIMITS_TIMES: with their times, limits that no case reads, and those that change
 * no bit if each is moved by itself. BIELA_LIMITS_TRACE: every run. */
#include "limits/limits.h"
#include "support/testing.h"

#include <stdlib.h>
#include <string.h>

/* Limits that no case reads. The test that each of them names reaches it by itself. A new limit needs a case, or a line here. */
static const struct unread {
    const char *names, *why;
} unread[] = {
    {"linsol_petsc_rounding linsol_petsc_reduction linsol_mumps_tries", "libraries that are not part of every build"},
    {"linsol_factor_entries kkt_spread_exact system_assembly_dependent system_assembly_rank sparse_combination topology_search "
     "study_descent_shift study_descent_shifts study_descent_shift_least study_settled_step study_settled_rounds "
     "study_velocities_closed formulation_pivots_kept formulation_massless_entries",
     "models too large, or systems without a model"},
    {"stepping_speed stepping_tolerance stepping_overlap stepping_resting complement_sign",
     "solvers of many contacts, which no study uses yet"},
    {"study_contact_painleve formulation_contradicted", "contacts without a solution, and how they are named"},
    {"study_compare_seconds study_compare_failures study_compare_doubts", "decided by time, or after methods that fail"},
    {"model_beam_nodes model_arc_round model_interface_thin", "elastic bodies in model files: what is refused"},
    {"study_way_named study_driver_visible study_driver_grown study_driver_growing "
     "study_driver_apart study_driver_earlier",
     "drawings, and causes named in messages"},
    {"study_driver_jump study_growth study_growth_checks study_balance_worthless study_drift_apart study_deck_shortest "
     "study_algebraic_stalled singular_coarsest singular_ease singular_crept integrate_step_overs formulation_left_over linsol_shift_first "
     "study_path_jump study_path_same study_steady_last",
     "the last resort of runs and paths that fail"},
    {"study_stiff_trial_work study_stiff_least_pays integrate_stiff_unexplained_own integrate_stiff_part integrate_stiff_undamped",
     "long runs that change between methods many times"},
    {"study_effort_active study_course_no_mass coords_lost_inertia", "rounding of what is exact in small models"},
    {"reduction_dense reduction_separate reduction_pivot fem_field_small", "meshes reduced while their model is read, and their stresses"},
    {"study_yield_depth study_yield_fit study_yield_dead study_yield_slow study_yield_creep study_yield_tolerances",
     "rigid contacts against contacts that yield: what they define is compared, levels and ends"},
};

static const char *excuse(const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof unread / sizeof *unread; i++)
        for (const char *at = strstr(unread[i].names, name); at; at = strstr(at + 1, name))
            if ((at == unread[i].names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
                return unread[i].why;
    return NULL;
}

static void limits__may_be_three_times_as_large_or_small(void **unused) {
    (void)unused;
    const char *chosen = getenv("BIELA_LIMITS_CASE");
    bool all = getenv("BIELA_ALL_SCENES") != NULL;
    const limit_cases lists[] = {limit_cases_runs(),         limit_cases_special_runs(), limit_cases_statics(), limit_cases_linear(),
                                 limit_cases_displacement(), limit_cases_inverse(),      limit_cases_meshes(),  limit_cases_checks(),
                                 limit_cases_methods(),      limit_cases_live()};
    size_t n = limit_count(), excused = 0, missed = 0, felt = 0;
    limit_totals totals = {.read = calloc(n, sizeof *totals.read),
                           .felt = calloc(n, sizeof *totals.felt),
                           .rooms = all,
                           .each = all || getenv("BIELA_LIMITS_EACH")};
    assert_non_null(totals.read);
    assert_non_null(totals.felt);
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l].count; i++) {
            const limit_case *c = &lists[l].list[i];
            if ((!c->is_long || all) && (!chosen || strstr(c->name, chosen)))
                limit_try(c, &totals);
        }
    for (size_t k = 0; k < n && !chosen; k++) {
        const char *name = limit_at(k).name;
        bool known = excuse(name) != NULL;
        excused += !totals.read[k] && known;
        missed += !totals.read[k] && !known;
        felt += totals.felt[k];
        if (totals.each && totals.read[k] && !totals.felt[k] && getenv("BIELA_LIMITS_TIMES"))
            print_message("%s: no bit of an answer depends on a factor of 3\n", name);
        if (!totals.read[k] && (!known || getenv("BIELA_LIMITS_TIMES")))
            print_message("no case reads %s%s%s\n", name, known ? ": " : "", known ? excuse(name) : "");
    }
    print_message(
        "%zu limits, %zu of them read by no case for a known reason; %ld cases, %ld runs with limits moved, %ld changed an answer\n", n,
        excused, totals.cases, totals.runs, totals.broken);
    if (totals.each)
        print_message("%zu limits change the last bits of an answer\n", felt);
    free(totals.read);
    free(totals.felt);
    assert_int_equal(totals.broken, 0);
    assert_int_equal(missed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits__may_be_three_times_as_large_or_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
