/* Contacts of a model without bodies: a gap, an expression of second-order states, and speeds of sliding, sums of their rates with factors
 * that are such expressions. They become the last constraints of the equations, which hold on one side only. */
#include "model/equation_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SPEEDS = 2 };
static const char use_advice[] =
    "contacts use second-order states and, in 'sliding', their rates; a surface that moves in a given way is a "
    "state s with mass: 0 and a constraint `value: =s - ...`";

static bl_status add_row(bl_equation_reader *q, const bl_equation_contact *c, int component, const bl_item *value, bl_index node) {
    bl_equation_row row = {.name = c->name, .place = value->place, .scale = NAN, .contact = q->e->ncontact, .component = component};
    const char *text = value->kind == BL_ITEM_TEXT ? value->text : "a constant";
    if (!(row.text = bl_arena_text(&q->r->model->arena, text, strlen(text))))
        return BL_E_MEMORY;
    return bl_equation_add_row(q, &row, node);
}

static bl_status read_gap(bl_equation_reader *q, const bl_item *item, const bl_equation_contact *c) {
    bl_index node;
    BL_TRY(bl_equation_parse(q, item, "gap", USE_POSITION, use_advice, &node));
    if (q->used & USE_POSITION)
        return add_row(q, c, 0, item, node);
    bl_fail(q->r->ctx, BL_E_MODEL, &item->place, "the gap of contact '%s' must use at least one second-order state", c->name);
    bl_advise(q->r->ctx, "it is positive while the contact is open: `gap: =x - 0.1`");
    return BL_E_MODEL;
}

/* whether the derivatives of a node by the rates contain no rates */
static bl_status is_linear(bl_equation_reader *q, bl_index node, bool *linear) {
    bl_tape *tape = q->e->tape;
    bl_index n = 1 + 2 * q->variables, first = 1 + q->variables;
    bl_tape_gradients d;
    uint8_t *use;
    BL_TRY(bl_tape_differentiate(tape, 1, &node, &d));
    bl_status status = BL_NEW(q->r->ctx, use, n);
    bl_index from = d.start[0];
    while (from < d.start[1] && d.input[from] < first) /* inputs are ascending: rates come last */
        from++;
    if (status == BL_OK)
        status = bl_tape_uses(tape, d.start[1] - from, d.node + from, use);
    *linear = from < d.start[1];
    for (bl_index i = first; i < n && status == BL_OK; i++)
        *linear = *linear && !use[i];
    bl_free(q->r->ctx, use);
    bl_tape_gradients_destroy(tape, &d);
    return status;
}

/* whether a node is 0 while all rates are: at a few positions, as no others than 0 cancel by chance at all of them */
static bl_status is_at_rest(bl_equation_reader *q, bl_index node, bool *rests) {
    bl_tape *alone;
    bl_index n = 1 + 2 * q->variables, root;
    double *in = NULL, value;
    BL_TRY(bl_tape_create(q->r->ctx, &alone));
    bl_status status = bl_tape_extract(alone, q->e->tape, node, &root);
    if (status == BL_OK)
        status = bl_tape_output(alone, root);
    if (status == BL_OK)
        status = bl_tape_finish(alone);
    if (status == BL_OK)
        status = BL_NEW(q->r->ctx, in, (size_t)n + bl_tape_work(alone));
    *rests = true;
    for (int k = 0; k < 3 && status == BL_OK; k++) {
        for (bl_index i = 0; i <= q->variables; i++)
            in[i] = k == 0 && i > 0 ? q->e->start[i - 1] : sin(i + 10.0 * k);
        bl_tape_eval(alone, in, &value, in + n);
        *rests = *rests && !(fabs(value) > 0);
    }
    bl_free(q->r->ctx, in);
    bl_tape_destroy(alone);
    return status;
}

static bl_status read_speed(bl_equation_reader *q, const bl_item *item, const bl_equation_contact *c, int component) {
    bl_index node;
    bool linear, rests = false;
    BL_TRY(bl_equation_parse(q, item, "sliding", USE_POSITION | USE_RATE, use_advice, &node));
    BL_TRY(is_linear(q, node, &linear));
    if (linear)
        BL_TRY(is_at_rest(q, node, &rests));
    if (rests)
        return add_row(q, c, component, item, node);
    bl_fail(q->r->ctx, BL_E_MODEL, &item->place,
            linear ? "sliding of contact '%s' is not 0 where all rates are" : "sliding of contact '%s' must be a sum of rates with factors",
            c->name);
    bl_advise(q->r->ctx, linear ? use_advice : "it is the speed at which the surfaces slide, with a sign: `sliding: =x_rate + 0.1*a_rate`");
    return BL_E_MODEL;
}

static bl_status read_speeds(bl_equation_reader *q, const bl_item *entry, const bl_item *sliding, bl_equation_contact *c) {
    bool list = sliding && sliding->kind == BL_ITEM_LIST;
    const bl_item *friction = bl_item_get(entry, "friction");
    if (!sliding && c->sticking > 0) {
        bl_fail(q->r->ctx, BL_E_MODEL, friction ? &friction->place : &entry->place, "friction of contact '%s' needs 'sliding'", c->name);
        bl_advise(q->r->ctx, "it is the speed at which the surfaces slide, with a sign: `sliding: =x_rate`");
        return BL_E_MODEL;
    }
    if (list && (sliding->count < 1 || sliding->count > MOST_SPEEDS))
        return bl_fail(q->r->ctx, BL_E_MODEL, &sliding->place, "sliding must be one speed or a list of two, found %d", (int)sliding->count);
    bl_index speeds = !sliding ? 0 : list ? sliding->count : 1;
    for (int k = 0; k < speeds; k++)
        BL_TRY(read_speed(q, list ? sliding->value[k] : sliding, c, k + 1));
    c->nslip = speeds;
    return BL_OK;
}

static bl_status read_element(bl_equation_reader *q, const bl_item *entry, const bl_equation_family *f, bl_index k) {
    bl_reader *r = q->r;
    const bl_item *gap, *name = bl_item_get(entry, "name");
    bl_equation_contact c = {.row = q->e->nconstraint};
    c.name = bl_arena_printf(&r->model->arena, f->array ? "%s[%d]" : "%s", f->name, (int)k + 1);
    if (!c.name)
        return BL_E_MEMORY;
    BL_TRY(bl_contacts_claim(r, c.name, name ? &name->place : &entry->place));
    BL_TRY(bl_contacts_restitution(r, entry, &c.restitution));
    BL_TRY(bl_contacts_friction(r, entry, &c.friction, &c.sticking));
    BL_TRY(bl_item_need(r, entry, "a contact", "gap", &gap));
    if (bl_contacts_step(r))
        return bl_refuse_gap(r, gap);
    BL_TRY(read_gap(q, gap, &c));
    if (c.sticking > 0 || bl_item_get(entry, "sliding"))
        BL_TRY(read_speeds(q, entry, bl_item_get(entry, "sliding"), &c));
    if (!(c.sticking > 0)) { /* speeds of a smooth contact have been checked, and are not needed */
        q->row_nodes -= c.nslip;
        q->e->nconstraint -= c.nslip;
        c.nslip = 0;
    }
    BL_TRY(BL_RESERVE(r->ctx, q->contact, q->contact_room, q->e->ncontact + 1));
    q->contact[q->e->ncontact++] = c;
    return BL_OK;
}

static bl_status check_states(bl_equation_reader *q, const bl_item *entry) {
    for (bl_index s = 0; s < q->nstate; s++)
        if (q->state[s].order != 2) {
            bl_fail(q->r->ctx, BL_E_MODEL, &entry->place, "contacts need second-order states alone, but '%s' is not one", q->state[s].name);
            bl_advise(q->r->ctx, "a model with bodies may have contacts beside first-order states");
            return BL_E_MODEL;
        }
    return BL_OK;
}

static bl_status read_contact(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"name", "gap", "sliding", "restitution", "friction", "static", "count", "index"};
    bl_equation_reader *q = user;
    bl_equation_family f = {.place = entry->place};
    bl_index total = q->e->ncontact;
    const bl_item *given, *bodies;
    BL_TRY(bl_item_map(r, entry, "a contact"));
    BL_TRY(check_states(q, entry));
    if ((bodies = bl_item_get(entry, "between")) || (bodies = bl_item_get(entry, "shapes"))) {
        bl_fail(r->ctx, BL_E_MODEL, &bodies->place, "a contact of shapes needs bodies: this model has equations alone");
        bl_advise(r->ctx, "give its gap and its speed of sliding as expressions: {gap: ..., sliding: ...}");
        return BL_E_MODEL;
    }
    BL_TRY(bl_item_keys(r, entry, "a contact", keys, sizeof keys / sizeof *keys, NULL));
    if ((given = bl_item_get(entry, "name")))
        BL_TRY(bl_item_keep(r, given, "name", &f.name));
    else if (!(f.name = bl_arena_printf(&r->model->arena, "contact%d", (int)total + 1)))
        return BL_E_MEMORY;
    BL_TRY(bl_equation_extent(q, entry, "a contact", &f, &total));
    BL_TRY(bl_equation_check_index(q, &f));
    bl_status status = BL_OK;
    for (bl_index k = 0; status == BL_OK && k < f.count; k++) {
        bl_binding binding = {.name = f.index, .value = k + 1, .outer = r->binding};
        r->binding = f.array ? &binding : binding.outer;
        status = bl_equation_blame(q, read_element(q, entry, &f, k), &f, k);
        r->binding = binding.outer;
    }
    return status;
}

bl_status bl_equation_contacts(bl_equation_reader *q) { return bl_section_each(q->r, "contacts", read_contact, q); }
