/* Near pairs: against all pairs, while shapes move; what pairs remember. */
#include "contact/sweep.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

enum { SHAPES = 80, GROUPS = 3 };

typedef struct crowd {
    bl_contact_shape shape[SHAPES];
    bl_contact_solid solid[SHAPES];
    double margin[SHAPES];
    uint8_t fixed[SHAPES];
    int16_t law[GROUPS * GROUPS];
    bl_sweep sweep;
} crowd;

static void make(test_random *random, crowd *c) {
    memset(c, 0, sizeof *c);
    for (int i = 0; i < SHAPES; i++) {
        bl_contact_shape *s = c->shape + i;
        bool plane = i == 10 || i == 50;
        s->what = plane ? BL_CONTACT_PLANE : i % 2 ? BL_CONTACT_BOX : BL_CONTACT_SPHERE;
        s->body = plane ? 0 : i / 2; /* two shapes on each body */
        s->group = i % GROUPS;
        s->radius = 0.1 + 0.3 * test_random_unit(random);
        for (int k = 0; k < 3; k++) {
            s->half[k] = 0.1 + 0.3 * test_random_unit(random);
            c->solid[i].frame.at[k] = 2 * test_random_symmetric(random);
            c->solid[i].frame.axes[4 * k] = 1;
        }
        c->solid[i].shape = s;
        c->margin[i] = 0.02;
    }
    c->fixed[0] = c->fixed[7] = 1;
    for (int i = 0; i < GROUPS; i++)
        for (int j = 0; j < GROUPS; j++)
            c->law[GROUPS * i + j] = i == j && i == 1 ? -1 : (int16_t)(i + j);
}

static bool must_be_near(const crowd *c, int i, int j) {
    const bl_contact_shape *a = c->shape + i, *b = c->shape + j;
    double low[2][3], high[2][3];
    if (a->body == b->body || (c->fixed[a->body] && c->fixed[b->body]) || c->law[GROUPS * a->group + b->group] < 0)
        return false;
    if (a->what == BL_CONTACT_PLANE || b->what == BL_CONTACT_PLANE) {
        const bl_contact_solid *plane = a->what == BL_CONTACT_PLANE ? c->solid + i : c->solid + j,
                               *other = plane == c->solid + i ? c->solid + j : c->solid + i;
        bl_contact_bounds(other, 0.02, low[0], high[0]);
        return low[0][2] <= plane->frame.at[2];
    }
    bl_contact_bounds(c->solid + i, c->margin[i], low[0], high[0]);
    bl_contact_bounds(c->solid + j, c->margin[j], low[1], high[1]);
    for (int k = 0; k < 3; k++)
        if (low[0][k] > high[1][k] || low[1][k] > high[0][k])
            return false;
    return true;
}

static const bl_contact_pair *pair_of(const crowd *c, bl_index i, bl_index j) {
    for (bl_index k = 0; k < c->sweep.npair; k++)
        if (c->sweep.pair[k].one == i && c->sweep.pair[k].other == j)
            return c->sweep.pair + k;
    return NULL;
}

static void pairs__contain_all_that_overlap_and_keep_their_memory(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(71)};
    static crowd c;
    make(&random, &c);
    assert_int_equal(bl_sweep_create(ctx, SHAPES, c.shape, GROUPS, c.law, c.fixed, &c.sweep), BL_OK);
    for (int step = 0; step < 300; step++) {
        static bl_contact_pair before[SHAPES * SHAPES];
        bl_index nbefore = c.sweep.npair;
        memcpy(before, c.sweep.pair, (size_t)nbefore * sizeof *before);
        for (int i = 0; i < SHAPES; i++)
            for (int k = 0; k < 3 && c.shape[i].what != BL_CONTACT_PLANE; k++)
                c.solid[i].frame.at[k] += (step % 50 == 49 ? 0.5 : 0.003) * test_random_symmetric(&random);
        assert_int_equal(bl_sweep_update(&c.sweep, c.solid, c.margin), BL_OK);
        for (bl_index k = 0; k < c.sweep.npair; k++) {
            bl_contact_pair *p = c.sweep.pair + k;
            assert_true(p->one < p->other);
            assert_true(k == 0 || p[-1].one < p->one || (p[-1].one == p->one && p[-1].other < p->other));
            assert_int_equal(p->law, c.law[GROUPS * c.shape[p->one].group + c.shape[p->other].group]);
            p->number[0] = (uint32_t)(1000 * p->one + p->other);
        }
        for (int i = 0; i < SHAPES; i++)
            for (int j = i + 1; j < SHAPES; j++) {
                if (must_be_near(&c, i, j))
                    assert_non_null(pair_of(&c, i, j));
                if (c.shape[i].body == c.shape[j].body)
                    assert_null(pair_of(&c, i, j));
            }
        for (bl_index k = 0; k < nbefore; k++) {
            const bl_contact_pair *now = pair_of(&c, before[k].one, before[k].other);
            assert_true(!now || now->number[0] == before[k].number[0]);
        }
    }
    print_message("%ld searches in 300 steps\n", c.sweep.rebuilt);
    assert_true(c.sweep.rebuilt > 5 && c.sweep.rebuilt < 250);
    bl_sweep_destroy(&c.sweep);
    test_context_end(ctx);
}

static bl_status run(bl_context *ctx, void *user) {
    crowd *c = user;
    bl_status status = bl_sweep_create(ctx, SHAPES, c->shape, GROUPS, c->law, c->fixed, &c->sweep);
    for (int k = 0; k < 3 && status == BL_OK; k++) {
        for (int i = 0; i < SHAPES && k == 1; i++) /* all in one place */
            memcpy(c->solid[i].frame.at, c->solid[10].frame.at, sizeof c->solid[i].frame.at);
        status = bl_sweep_update(&c->sweep, c->solid, c->margin);
    }
    bl_sweep_destroy(&c->sweep);
    return status;
}

static void failing_allocations__leave_nothing_behind(void **state) {
    (void)state;
    test_random random = {test_seed(72)};
    static crowd c;
    make(&random, &c);
    assert_true(test_failing_allocations(run, &c) >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs__contain_all_that_overlap_and_keep_their_memory),
        cmocka_unit_test(failing_allocations__leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
