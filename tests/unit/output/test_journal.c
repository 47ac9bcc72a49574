/* Steps, events, impacts, forces and the command line in result files: they are read back bit by bit; also of truncated runs, of files
 * without them, and without memory. */
#include "synthetic.h"

#include "base/base.h"

enum { STEPS = 1000, EVENTS = 37, NPUSH = 3, NSPRING = 2, ROWS = 9 };

static const char *const push_names[] = {"S\xC3\xBC", "S\xC3\xBC", "motor"};
static const bl_index push_bodies[] = {1, 0, 1};
static const char *const spring_names[] = {"S\xC3\xBC", "twist.angle_1"};
static const bool spring_angles[] = {false, true};
static const char command[] = "biela run 'a model.yaml' -s n=5", overrides[] = "n=5 k=0.1";

static bl_step step_of(long n) {
    return (bl_step){.t = (double)(n + 1) / 7, .size = 1.0 / 7, .order = (int)(n % 5), .error = n % 3 ? (double)n / 11 : NAN};
}

static bl_event_mark event_of(int n, char *text, size_t room) {
    snprintf(text, room, "%d%*s\xC3\xA9", n, n % 9, "");
    return (bl_event_mark){
        .t = n % 4 ? n / 3.0 : NAN, .kind = (bl_event_kind)(n % BL_EVENT_KINDS), .text = text, .part = n % 2 ? "j1" : ""};
}

/* impacts are strikes; of every other one the impulses in the joints are not known */
static void strike_of(int n, bl_strike *strike, bl_wrench joint[NJOINT], bl_event_mark *mark) {
    if (mark->kind != BL_HAPPENED_IMPACT)
        return;
    for (int k = 0; k < 3; k++)
        strike->impulse[k] = synthetic_value(n, 50, 0, k);
    for (int k = 0; k < 2; k++) {
        strike->speed[k] = k < n % 2 ? NAN : synthetic_value(n, 51, 0, k);
        strike->kinetic[k] = synthetic_value(n, 52, 0, k);
    }
    strike->lost = synthetic_value(n, 53, 0, 0);
    mark->strike = strike;
    if (n % 2)
        return;
    for (int j = 0; j < NJOINT; j++)
        for (int k = 0; k < 3; k++) {
            joint[j].force[k] = synthetic_value(n, 54, j, k);
            joint[j].moment[k] = synthetic_value(n, 55, j, k);
        }
    mark->nimpulse = NJOINT;
    mark->impulse = joint;
}

static bl_status hand_in(bl_sink *sink, bool to_the_end) {
    bl_run_info info = synthetic_info;
    info.stepped = true;
    info.npush = NPUSH;
    info.push = push_names;
    info.push_body = push_bodies;
    info.nspring = NSPRING;
    info.spring = spring_names;
    info.spring_is_angle = spring_angles;
    bl_status status = sink->begin(sink->user, &info);
    for (long n = 0; n < STEPS && status == BL_OK; n++) {
        bl_step step = step_of(n);
        status = sink->step(sink->user, &step);
    }
    for (int n = 0; n < EVENTS && status == BL_OK; n++) {
        char text[64];
        bl_event_mark mark = event_of(n, text, sizeof text);
        bl_strike strike;
        bl_wrench joint[NJOINT];
        strike_of(n, &strike, joint, &mark);
        status = sink->event(sink->user, &mark);
    }
    for (long n = 0; n < ROWS && status == BL_OK; n++) {
        synthetic_sample row;
        synthetic_row(&row, n);
        bl_push push[NPUSH];
        double length[NSPRING], tension[NSPRING];
        for (int i = 0; i < NPUSH; i++)
            for (int k = 0; k < 3; k++) {
                push[i].point[k] = synthetic_value(n, 40, i, k);
                push[i].force[k] = synthetic_value(n, 41, i, k);
                push[i].moment[k] = synthetic_value(n, 42, i, k);
            }
        for (int i = 0; i < NSPRING; i++) {
            length[i] = synthetic_value(n, 43, i, 0);
            tension[i] = synthetic_value(n, 44, i, 0);
        }
        row.sample.push = push;
        row.sample.spring_length = length;
        row.sample.spring_tension = tension;
        status = sink->sample(sink->user, &row.sample);
    }
    bl_run_summary summary = synthetic_summary;
    summary.status = status;
    if (!to_the_end)
        return status;
    bl_status ended = sink->end(sink->user, &summary);
    return status == BL_OK ? ended : status;
}

static bl_status write_file(bl_context *ctx, const char *path, bool to_the_end) {
    bl_sink sink = {0};
    BL_TRY(bl_sink_hdf5(ctx, path, &sink));
    bl_status status = bl_sink_hdf5_origin(&sink, command, overrides);
    if (status == BL_OK)
        status = hand_in(&sink, to_the_end);
    bl_sink_destroy(&sink);
    return status;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

static void check_steps(bl_result *r) {
    static const char *const name[] = {"steps/time", "steps/size", "steps/order", "steps/error"};
    static double value[STEPS];
    const bl_quantity *q, *list;
    for (int k = 0; k < 4; k++) {
        assert_int_equal(bl_result_quantity(r, name[k], &q), BL_OK);
        assert_int_equal(q->rows, STEPS);
        assert_int_equal(bl_result_read(r, q, 0, STEPS, 0, 1, value), BL_OK);
        for (long n = 0; n < STEPS; n++) {
            bl_step step = step_of(n);
            const double want[] = {step.t, step.size, step.order, step.error};
            assert_true(same(value[n], want[k]));
        }
        assert_int_equal(bl_result_read(r, q, STEPS - 1, 1, 0, 1, value), BL_OK);
        assert_int_equal(bl_result_read(r, q, STEPS - 1, 2, 0, 1, value), BL_E_ARG);
    }
    for (bl_index i = bl_result_quantities(r, &list) - 1; i >= 0; i--) /* they are not in the list of all quantities of samples */
        assert_int_equal(list[i].rows, bl_result_samples(r));
}

static void check_events(bl_result *r) {
    const bl_result_event *list;
    bl_index n;
    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(bl_result_events(r, &list, &n), BL_OK);
        assert_int_equal(n, EVENTS);
        for (int i = 0; i < EVENTS; i++) {
            char text[64];
            bl_event_mark mark = event_of(i, text, sizeof text);
            assert_true(same(list[i].t, mark.t));
            assert_string_equal(list[i].kind, bl_event_kind_text(mark.kind));
            assert_string_equal(list[i].text, mark.text);
            assert_string_equal(list[i].part, mark.part);
        }
    }
}

/* row `row` of a quantity of impacts: items x components */
static void read_row(bl_result *r, const char *name, long rows, long row, double *value) {
    const bl_quantity *q;
    assert_int_equal(bl_result_quantity(r, name, &q), BL_OK);
    assert_int_equal(q->rows, rows);
    assert_int_equal(bl_result_read(r, q, row, 1, 0, q->items, value), BL_OK);
}

static void check_impacts(bl_result *r) {
    double value[3 * NJOINT];
    long rows = 0, row = 0;
    const bl_quantity *q;
    for (int n = 0; n < EVENTS; n++)
        rows += n % BL_EVENT_KINDS == BL_HAPPENED_IMPACT;
    for (int n = 0; n < EVENTS; n++) {
        char text[64];
        bl_event_mark mark = event_of(n, text, sizeof text);
        bl_strike want;
        bl_wrench joint[NJOINT];
        strike_of(n, &want, joint, &mark);
        if (!mark.strike)
            continue;
        read_row(r, "impacts/event", rows, row, value);
        assert_true(value[0] == n);
        read_row(r, "impacts/time", rows, row, value);
        assert_true(same(value[0], mark.t));
        read_row(r, "impacts/lost", rows, row, value);
        assert_true(value[0] == want.lost);
        read_row(r, "impacts/impulse", rows, row, value);
        assert_memory_equal(value, want.impulse, sizeof want.impulse);
        read_row(r, "impacts/speed", rows, row, value);
        assert_true(same(value[0], want.speed[0]) && same(value[1], want.speed[1]));
        read_row(r, "impacts/kinetic", rows, row, value);
        assert_memory_equal(value, want.kinetic, sizeof want.kinetic);
        for (int moments = 0; moments < 2; moments++) {
            read_row(r, moments ? "impacts/joint_moment" : "impacts/joint_force", rows, row, value);
            for (int i = 0; i < 3 * NJOINT; i++)
                assert_true(same(value[i], mark.impulse ? (moments ? joint[i / 3].moment : joint[i / 3].force)[i % 3] : NAN));
        }
        row++;
    }
    assert_true(row == rows && rows > 2);
    assert_int_equal(bl_result_quantity(r, "impacts/joint_force", &q), BL_OK);
    assert_int_equal(q->items, NJOINT);
    assert_string_equal(q->item[0], synthetic_info.joint[0]);
    assert_int_equal(bl_result_read(r, q, 0, rows + 1, 0, 1, value), BL_E_ARG);
}

static void check_forces(bl_result *r) {
    static const struct {
        const char *name;
        int what, items, width;
    } set[] = {{"forces/point", 40, NPUSH, 3},
               {"forces/force", 41, NPUSH, 3},
               {"forces/moment", 42, NPUSH, 3},
               {"springs/length", 43, NSPRING, 1},
               {"springs/tension", 44, NSPRING, 1}};
    double value[ROWS * NPUSH * 3];
    for (size_t s = 0; s < sizeof set / sizeof *set; s++) {
        const bl_quantity *q;
        assert_int_equal(bl_result_quantity(r, set[s].name, &q), BL_OK);
        assert_int_equal(q->items, set[s].items);
        assert_int_equal(q->components, set[s].width);
        assert_int_equal(bl_result_read(r, q, 0, ROWS, 0, q->items, value), BL_OK);
        for (int i = 0; i < q->items; i++) {
            assert_string_equal(q->item[i], s < 3 ? push_names[i] : spring_names[i]);
            for (long n = 0; n < ROWS; n++)
                for (int k = 0; k < q->components; k++)
                    assert_true(value[(n * q->items + i) * q->components + k] == synthetic_value(n, set[s].what, i, k));
        }
    }
    bl_index n;
    assert_int_equal(bl_result_facts(r, "forces/body", value, &n), BL_OK);
    assert_int_equal(n, NPUSH);
    for (int i = 0; i < NPUSH; i++)
        assert_true(value[i] == push_bodies[i]);
    assert_int_equal(bl_result_facts(r, "springs/is_angle", NULL, &n), BL_OK);
    assert_int_equal(n, NSPRING);
    assert_int_equal(bl_result_facts(r, "variables/is_angle", value, &n), BL_OK);
    assert_true(n == NVARIABLE && value[0] == 1 && value[1] == 0);
    assert_int_equal(bl_result_facts(r, "forces/names", value, &n), BL_E_ARG);
}

static void journal__what_was_handed_in_is_read_back(void **state) {
    bl_result *r;
    char text[128];
    assert_int_equal(write_file(*state, scratch("whole.h5"), true), BL_OK);
    assert_int_equal(bl_result_open(*state, scratch("whole.h5"), &r), BL_OK);
    check_steps(r);
    check_events(r);
    check_impacts(r);
    check_forces(r);
    assert_int_equal(bl_result_text(r, "command", text, sizeof text), BL_OK);
    assert_string_equal(text, command);
    assert_int_equal(bl_result_text(r, "overrides", text, sizeof text), BL_OK);
    assert_string_equal(text, overrides);
    bl_result_close(r);
}

static void journal__a_run_that_was_cut_keeps_steps_and_events(void **state) {
    bl_result *r;
    assert_int_equal(write_file(*state, scratch("cut.h5"), false), BL_OK);
    assert_int_equal(bl_result_open(*state, scratch("cut.h5~partial"), &r), BL_OK);
    check_steps(r);
    check_events(r);
    check_impacts(r);
    check_forces(r);
    bl_result_close(r);
}

static void journal__files_without_it_read_as_before(void **state) {
    bl_sink sink = {0};
    bl_result *r;
    const bl_quantity *q;
    const bl_result_event *list;
    bl_index n;
    char text[128];
    assert_int_equal(bl_sink_hdf5(*state, scratch("plain.h5"), &sink), BL_OK);
    assert_int_equal(synthetic_run(&sink, 5, synthetic_summary), BL_OK);
    bl_sink_destroy(&sink);
    assert_int_equal(bl_result_open(*state, scratch("plain.h5"), &r), BL_OK);
    assert_int_equal(bl_result_quantity(r, "steps/time", &q), BL_E_ARG);
    assert_int_equal(bl_result_quantity(r, "forces/force", &q), BL_E_ARG);
    assert_int_equal(bl_result_events(r, &list, &n), BL_OK);
    assert_int_equal(n, 0);
    assert_int_equal(bl_result_text(r, "command", text, sizeof text), BL_E_ARG);
    bl_result_close(r);
}

/* files of studies without events have warnings, which are returned as events */
static void journal__warnings_stand_in_for_events(void **state) {
    bl_context *ctx = *state;
    bl_sink sink = {0};
    bl_result *r;
    const bl_result_event *list;
    bl_index n;
    assert_int_equal(bl_sink_hdf5(ctx, scratch("warned.h5"), &sink), BL_OK);
    bl_warn(ctx, 0.5, "j1", "first");
    bl_warn(ctx, NAN, NULL, "second");
    assert_int_equal(synthetic_run(&sink, 5, synthetic_summary), BL_OK);
    bl_sink_destroy(&sink);
    assert_int_equal(bl_result_open(ctx, scratch("warned.h5"), &r), BL_OK);
    assert_int_equal(bl_result_events(r, &list, &n), BL_OK);
    assert_int_equal(n, 2);
    assert_true(list[0].t == 0.5 && isnan(list[1].t));
    assert_string_equal(list[0].kind, "warning");
    assert_string_equal(list[0].part, "j1");
    assert_string_equal(list[1].text, "second");
    bl_result_close(r);
    bl_context_clear_warnings(ctx);
}

static void journal__a_command_that_is_too_long_is_left_out(void **state) {
    bl_sink sink = {0}, other = {0};
    bl_result *r;
    char *text = malloc(BL_MOST_COMMAND + 2), read[64];
    memset(text, 'x', BL_MOST_COMMAND + 1);
    text[BL_MOST_COMMAND + 1] = '\0';
    assert_int_equal(bl_sink_hdf5(*state, scratch("long.h5"), &sink), BL_OK);
    assert_int_equal(bl_sink_hdf5_origin(&sink, text, text + 1), BL_OK);
    assert_int_equal(bl_sink_hdf5_origin(&other, "", ""), BL_E_ARG);
    assert_int_equal(synthetic_run(&sink, 5, synthetic_summary), BL_OK);
    bl_sink_destroy(&sink);
    assert_int_equal(bl_result_open(*state, scratch("long.h5"), &r), BL_OK);
    assert_int_equal(bl_result_text(r, "command", read, sizeof read), BL_E_ARG);
    assert_int_equal(bl_result_text(r, "overrides", read, sizeof read), BL_OK);
    assert_true(strspn(read, "x") == sizeof read - 1);
    bl_result_close(r);
    free(text);
}

static bl_status write_and_read(bl_context *ctx, void *user) {
    const bl_result_event *list;
    bl_result *r;
    bl_index n;
    (void)user;
    BL_TRY(write_file(ctx, scratch("failing.h5"), true));
    BL_TRY(bl_result_open(ctx, scratch("failing.h5"), &r));
    bl_status status = bl_result_events(r, &list, &n);
    if (status == BL_OK)
        check_events(r);
    bl_result_close(r);
    return status;
}

static void journal__failing_memory_is_survived(void **state) {
    (void)state;
    assert_true(test_failing_allocations(write_and_read, NULL) > 50);
    assert_true(test_failing_once(write_and_read, NULL) > 50);
}

static int setup(void **state) {
    *state = test_context(NULL);
    return 0;
}

static int teardown(void **state) {
    test_context_end(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(journal__what_was_handed_in_is_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(journal__a_run_that_was_cut_keeps_steps_and_events, setup, teardown),
        cmocka_unit_test_setup_teardown(journal__files_without_it_read_as_before, setup, teardown),
        cmocka_unit_test_setup_teardown(journal__warnings_stand_in_for_events, setup, teardown),
        cmocka_unit_test_setup_teardown(journal__a_command_that_is_too_long_is_left_out, setup, teardown),
        cmocka_unit_test(journal__failing_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
