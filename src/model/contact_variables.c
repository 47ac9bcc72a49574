/* Contacts of joint variables: a gap, a constant plus a sum of variables with constant factors, and speeds of sliding, such sums of their
 * rates. Each becomes a relation of variables that holds on one side only (joint/gap.c). */
#include "joint/joint.h"
#include "model/reader.h"
#include "series/tape.h"

#include <math.h>
#include <string.h>

typedef struct form {
    bl_reader *r;
    const bl_item *item;
    const char *what, *contact;
    bl_symbol_what of; /* variables or rates */
    bl_contact_form *out;
} form;

static bl_status refuse(const form *f, const char *why) {
    bl_fail(f->r->ctx, BL_E_MODEL, &f->item->place, "%s of contact '%s' %s", f->what, f->contact, why);
    bl_advise(f->r->ctx,
              f->of == BL_SYM_VARIABLE
                  ? "write a constant plus at most three joint variables with constant factors, `gap: =0.02 - 0.5*A.angle`, or use shapes"
                  : "write at most three rates with constant factors, `sliding: =slide.rate + 0.1*A.rate`, or use shapes");
    return BL_E_MODEL;
}

static bl_status add_term(const form *f, bl_index variable, double factor) {
    for (int k = 0; k < 3; k++)
        if (f->out->var[k] < 0) {
            f->out->var[k] = variable;
            f->out->coef[k] = factor;
            return BL_OK;
        }
    return refuse(f, "depends on more than three variables");
}

/* Factors by the gradient, at three places: those of a linear form are the same everywhere. */
static bl_status take_factors(const form *f, const bl_law *law, double *in) {
    enum { PLACES = 3 };
    const bl_model *model = f->r->model;
    size_t n = (size_t)law->ninput;
    double *gradient = in + n, *work = gradient + PLACES * n, value[PLACES], constant = 0;
    for (int p = 0; p < PLACES; p++) {
        for (bl_index i = 0; i < law->ninput; i++)
            in[i] = law->input[i].what == BL_SYM_PARAMETER ? model->parameter[law->input[i].ref].value : p * sin(i + 10.0 * p);
        bl_tape_jacobian(law->tape, in, &value[p], gradient + (size_t)p * n, work);
    }
    constant = value[0]; /* where all variables are 0 */
    for (bl_index i = 0; i < law->ninput; i++) {
        const bl_symbol *symbol = &law->input[i];
        double first = gradient[i], size = fabs(first);
        if (symbol->what == BL_SYM_PARAMETER) {
            model->parameter[symbol->ref].use |= BL_PARAMETER_IN_NUMBERS;
            continue;
        }
        if (symbol->what != f->of)
            return refuse(f, f->of == BL_SYM_VARIABLE ? "can use only variables of joints" : "can use only rates of joint variables");
        for (int p = 1; p < PLACES; p++)
            if (!(fabs(gradient[(size_t)p * n + (size_t)i] - first) <= 1e-12 * size))
                return refuse(f, "is not linear");
        if (first != 0)
            BL_TRY(add_term(f, symbol->ref, first));
    }
    if (f->out->var[0] < 0)
        return refuse(f, f->of == BL_SYM_VARIABLE ? "depends on no variable" : "depends on no rate");
    if (f->of == BL_SYM_RATE && constant != 0)
        return refuse(f, "is not 0 at rest");
    f->out->constant = constant;
    return BL_OK;
}

static bl_status read_form(const form *f) {
    bl_index which;
    double value;
    *f->out = (bl_contact_form){.var = {-1, -1, -1}};
    BL_TRY(bl_laws_read(f->r, f->item, f->what, BL_USE_STATE, &which, &value));
    if (which < 0)
        return refuse(f, f->of == BL_SYM_VARIABLE ? "depends on no variable" : "depends on no rate");
    const bl_law *law = &f->r->model->law[which];
    double *in;
    BL_TRY(BL_NEW(f->r->ctx, in, 4 * (size_t)law->ninput + bl_tape_work(law->tape)));
    bl_status status = take_factors(f, law, in);
    bl_free(f->r->ctx, in);
    return status;
}

static bl_status read_speeds(bl_reader *r, const bl_item *entry, const char *name, bl_contact_def *def) {
    const bl_item *sliding = bl_item_get(entry, "sliding"), *friction = bl_item_get(entry, "friction");
    bool list = sliding && sliding->kind == BL_ITEM_LIST;
    if (!sliding && def->sticking > 0) {
        bl_fail(r->ctx, BL_E_MODEL, friction ? &friction->place : &entry->place, "friction of contact '%s' needs 'sliding'", name);
        bl_advise(r->ctx, "it is the speed at which the surfaces slide, with a sign: `sliding: =slide.rate`");
        return BL_E_MODEL;
    }
    if (list && (sliding->count < 1 || sliding->count > 2))
        return bl_fail(r->ctx, BL_E_MODEL, &sliding->place, "sliding must be one speed or a list of two, found %d", (int)sliding->count);
    int n = !sliding ? 0 : list ? (int)sliding->count : 1;
    for (int k = 0; k < n; k++)
        BL_TRY(read_form(&(form){r, list ? sliding->value[k] : sliding, "sliding", name, BL_SYM_RATE, &def->form[1 + k]}));
    def->nform = def->sticking > 0 ? 1 + n : 1;
    return BL_OK;
}

bl_status bl_contact_of_variables(bl_reader *r, const bl_item *entry, const char *name) {
    static const char *const keys[] = {"name", "gap", "sliding", "restitution", "friction", "static"};
    bl_contact_def def = {.restitution = 0}, *contact;
    bl_joint_def *joint;
    const bl_item *gap;
    BL_TRY(bl_item_keys(r, entry, "a contact with a gap", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(bl_contacts_restitution(r, entry, &def.restitution));
    BL_TRY(bl_contacts_friction(r, entry, &def.friction, &def.sticking));
    BL_TRY(bl_item_need(r, entry, "a contact", "gap", &gap));
    BL_TRY(read_form(&(form){r, gap, "the gap", name, BL_SYM_VARIABLE, &def.form[0]}));
    BL_TRY(read_speeds(r, entry, name, &def));
    BL_TRY(bl_contacts_add(r, name, &entry->place, &bl_joint_gap, &contact, &joint));
    contact->restitution = def.restitution;
    contact->friction = def.friction;
    contact->sticking = def.sticking;
    contact->nform = def.nform;
    memcpy(contact->form, def.form, sizeof def.form);
    return BL_OK;
}
