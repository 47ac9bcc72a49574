/* Random mechanisms: in every kind of coordinates the same start and the same end, or the same refusal with a reason; and no energy
 * error. */
#include "biela/biela.h"
#include "support/random_mechanism.h"
#include "support/testing.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#ifndef MECHANISMS
#ifdef __SANITIZE_ADDRESS__ /* ten times slower */
#define MECHANISMS 200
#else
#define MECHANISMS 2000
#endif
#define SPAN 0.02
#define END 1e-5 /* allowed difference of the ends: the tolerance of the run, and the divergence of motions during it */
#define MOST_MICROSECONDS 150000
#endif

enum { BODIES = 8, VARIABLES = 32, SAMPLES = 5 };

static const double usual = 1e-9; /* tolerance */

typedef struct motion {
    bl_status status;
    bl_error error;
    bl_index nbody, nvariable, nsample, nwarning;
    bl_pose pose[SAMPLES][BODIES];
    double variable[SAMPLES][VARIABLES], rate[SAMPLES][VARIABLES], kinetic[SAMPLES], energy_error, size;
} motion;

static bl_status on_begin(void *user, const bl_run_info *info) {
    motion *m = user;
    m->nbody = info->nbody;
    m->nvariable = info->nvariable;
    return BL_OK;
}

static bl_status on_sample(void *user, const bl_sample *s) {
    motion *m = user;
    bl_index k = m->nsample < SAMPLES ? m->nsample : SAMPLES - 1;
    memcpy(m->pose[k], s->body, (size_t)m->nbody * sizeof *s->body);
    memcpy(m->variable[k], s->variable, (size_t)m->nvariable * sizeof(double));
    memcpy(m->rate[k], s->variable_rate, (size_t)m->nvariable * sizeof(double));
    m->kinetic[k] = s->kinetic;
    m->energy_error = fmax(m->energy_error, fabs(s->energy_error));
    m->size = fmax(m->size, s->kinetic + fabs(s->potential));
    m->nsample++;
    return BL_OK;
}

/* MOST_MICROSECONDS: processor time of a run; a mechanism that moves into a singular configuration may need more: skipped */
static bl_context *running;

static void on_alarm(int signal) {
    (void)signal;
    if (running)
        bl_context_stop(running);
}

static void set_alarm(bl_context *ctx, long microseconds) {
    running = ctx;
    struct itimerval timer = {.it_value = {.tv_sec = microseconds / 1000000, .tv_usec = microseconds % 1000000}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

static void run(const char *text, size_t bytes, const char *coordinates, double tolerance, motion *m) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    memset(m, 0, sizeof *m);
    bl_sink sink = {.user = m, .begin = on_begin, .sample = on_sample};
    m->status = bl_model_read_text(ctx, "random.yaml", text, bytes, NULL, 0, &model);
    double at[SAMPLES] = {0, 0.3 * SPAN, 0.55 * SPAN, 0.8 * SPAN, SPAN};
    bl_run_options options = {.coordinates = coordinates, .until = SPAN, .tolerance = tolerance, .at = at, .nat = SAMPLES};
    set_alarm(ctx, MOST_MICROSECONDS);
    if (m->status == BL_OK)
        m->status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    set_alarm(NULL, 0);
    m->error = *bl_context_error(ctx);
    const bl_warning *warning;
    m->nwarning = bl_context_warnings(ctx, &warning, NULL);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static double apart(double a, double b) { return fabs(a - b) / (1 + fabs(a) + fabs(b)); }

/* largest difference of two motions in a sample */
static double difference(const motion *a, const motion *b, int k) {
    double most = apart(a->kinetic[k], b->kinetic[k]);
    for (bl_index i = 0; i < a->nbody; i++) {
        const bl_pose *p = &a->pose[k][i], *q = &b->pose[k][i];
        double dot = 0;
        for (int c = 0; c < 4; c++)
            dot += p->quaternion[c] * q->quaternion[c];
        for (int c = 0; c < 4; c++)
            most = fmax(most, apart(p->quaternion[c], (dot < 0 ? -1 : 1) * q->quaternion[c]));
        for (int c = 0; c < 3; c++) {
            most = fmax(most, apart(p->position[c], q->position[c]));
            most = fmax(most, apart(p->velocity[c], q->velocity[c]));
            most = fmax(most, apart(p->angular_velocity[c], q->angular_velocity[c]));
        }
    }
    for (bl_index v = 0; v < a->nvariable; v++)
        most = fmax(most, fmax(apart(a->variable[k][v], b->variable[k][v]), apart(a->rate[k][v], b->rate[k][v])));
    return isnan(most) ? INFINITY : most;
}

/* mechanisms of a test and runs besides the first, by outcome */
typedef struct counts {
    int moved, refused, slow;                /* of mechanisms in natural coordinates */
    int compared, alike, other_slow, parted; /* of runs in others: motions compared, equal refusals, too slow, refused by one of two */
    int bad;
    double start, end;
} counts;

static bool verbose(void) { return getenv("BIELA_VERBOSE") != NULL; }

static void complain(const char *what, uint64_t seed, const char *kind, const motion *a, const motion *b, double much, const char *text,
                     counts *c) {
    c->bad++;
    if (verbose() || c->bad <= 5)
        printf("%s: %s, %.2g (mechanism of seed %llu)\n  natural: %d %s\n  other: %d %s\n%s\n", what, kind, much, (unsigned long long)seed,
               (int)a->status, a->error.what, (int)b->status, b->error.what, text);
}

/* largest difference after the start */
static double parting(const motion *a, const motion *b) {
    double most = 0;
    for (int k = 1; k < SAMPLES; k++)
        most = fmax(most, difference(a, b, k));
    return most;
}

/* Two motions that differ only by their errors agree better with a smaller tolerance: fast ones, from starts near singular
 * configurations. */
static bool come_together(const char *kind, const char *text, double apart) {
    static motion a, b;
    run(text, strlen(text), "natural", 1e-3 * usual, &a);
    run(text, strlen(text), kind, 1e-3 * usual, &b);
    return a.status == BL_STOPPED || b.status == BL_STOPPED || (a.status == BL_OK && b.status == BL_OK && parting(&a, &b) < 0.5 * apart);
}

/* both runs ended in the same way */
static void compare(uint64_t seed, const char *kind, const motion *first, const motion *other, const char *text, counts *c) {
    if (first->status != BL_OK) {
        if (strcmp(first->error.what, other->error.what) != 0 && first->nsample == 0)
            complain("refused in other words", seed, kind, first, other, 0, text, c);
        c->alike++;
        return;
    }
    c->compared++;
    double start = difference(first, other, 0), end = parting(first, other);
    c->start = fmax(c->start, start);
    c->end = fmax(c->end, end);
    if (!(start < (strstr(text, "angles: true") ? 1e-6 : 1e-9))) /* rates of three angles may require many steps */
        complain("another start", seed, kind, first, other, start, text, c);
    else if (!(end < END) && !come_together(kind, text, end))
        complain("another end", seed, kind, first, other, end, text, c);
    if (!(other->energy_error < 1e3 * usual * (1 + other->size)) && other->nwarning == 0)
        complain("energy", seed, kind, first, other, other->energy_error, text, c);
}

static void try_one(uint64_t seed, counts *c) {
    static char text[16384];
    static const char *const kinds[] = {"reference", "relative", "mixed", "reference:angles", "reference:matrix", "reference:view=tangent"};
    test_random random = {seed};
    size_t bytes = random_mechanism(&random, text, sizeof text);
    motion first, other;
    run(text, bytes, "natural", usual, &first);
    *(first.status == BL_OK ? &c->moved : first.status == BL_STOPPED ? &c->slow : &c->refused) += 1;
    int tries[3] = {0, 1, 2 + test_random_below(&random, 4)};
    for (int k = 0; k < 3; k++) {
        const char *kind = kinds[tries[k]];
        run(text, bytes, kind, usual, &other);
        if (first.status == BL_STOPPED || other.status == BL_STOPPED) {
            if (verbose())
                printf("slow: %s (mechanism of seed %llu)\n", first.status == BL_STOPPED ? "natural" : kind, (unsigned long long)seed);
            c->other_slow++;
            continue;
        }
        if (first.status == other.status) {
            compare(seed, kind, &first, &other, text, c);
            continue;
        }
        const char *why = first.status == BL_OK ? other.error.what : first.error.what;
        if (strncmp(why, "assembly", 8) == 0 || strncmp(why, "initial", 7) == 0) {
            complain("one is refused", seed, kind, &first, &other, 0, text, c);
            continue;
        }
        c->parted++; /* after the start: occasionally a formulation takes a regular matrix for a singular one */
        if (verbose())
            printf("%s: %s (mechanism of seed %llu)\n", kind, why, (unsigned long long)seed);
    }
}

static void catch_alarms(void) {
    struct sigaction action = {.sa_handler = on_alarm}; /* signal() would work only once */
    sigaction(SIGVTALRM, &action, NULL);
}

static void random_mechanisms__move_alike_in_all_coordinates(void **state) {
    (void)state;
    test_random random = {test_seed(15)};
    catch_alarms();
    counts c = {0};
    for (int i = 0; i < MECHANISMS; i++)
        try_one(test_random_bits(&random), &c);
    printf("%d mechanisms in natural coordinates: %d moved, %d refused, %d too slow\n"
           "%d runs in others: %d motions compared, %d refused in the same words, %d too slow, %d refused behind the start by one of two\n"
           "largest difference at the start %.2g, at the end %.2g\n",
           MECHANISMS, c.moved, c.refused, c.slow, 3 * MECHANISMS, c.compared, c.alike, c.other_slow, c.parted, c.start, c.end);
    assert_true(c.parted <= (MECHANISMS + 499) / 500);
    if (c.bad)
        fail_msg("%d disagree", c.bad);
    /* the test must not become empty: about three in four of the generated mechanisms move, and almost none is slow */
    assert_true(c.compared >= 3 * MECHANISMS / 2);
    assert_true(c.other_slow <= 3 * MECHANISMS / 50);
}

static void one(void **state) {
    (void)state;
    counts c = {0};
    catch_alarms();
    uint64_t seed = strtoull(getenv("BIELA_MECHANISM"), NULL, 10);
    static char text[16384];
    random_mechanism(&(test_random){seed}, text, sizeof text);
    printf("%s", text);
    try_one(seed, &c);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_mechanisms__move_alike_in_all_coordinates)};
    const struct CMUnitTest single[] = {cmocka_unit_test(one)};
    return getenv("BIELA_MECHANISM") ? cmocka_run_group_tests(single, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
}
