/* Joint friction with `stick`: a contact without a gap, whose normal force is the normal load of the joint (force/joint_friction.c). The
 * speeds that vanish while it sticks are those of a joint behind the joints of the model (joint/rub.c), made before the forces are read. */
#include "force/force.h"
#include "joint/joint.h"
#include "model/reader.h"

#include <string.h>

static bl_status add(bl_reader *r, const bl_item *entry, bl_index number, bl_index joint) {
    enum { ANGLE, DISTANCE, RADIUS };
    const bl_item *given = bl_item_get(entry, "name"), *radius = bl_item_get(entry, "radius");
    const char *name = NULL;
    bl_contact_def *contact;
    bl_joint_def *rub;
    if (given)
        BL_TRY(bl_item_keep(r, given, "name", &name));
    else if (!(name = bl_arena_printf(&r->model->arena, "f%d", (int)number + 1)))
        return BL_E_MEMORY;
    if (bl_contacts_step(r)) {
        bl_fail(r->ctx, BL_E_MODEL, &entry->place, "joint friction with `stick` belongs to `contact: events`");
        bl_advise(r->ctx, "leave out `stick`: friction is then smoothed over a small speed");
        return BL_E_MODEL;
    }
    BL_TRY(bl_contacts_add(r, name, &entry->place, &bl_joint_rub, &contact, &rub));
    contact->force = number;
    if (radius)
        BL_TRY(bl_item_number(r, radius, "radius", &rub->value[RADIUS].number));
    for (bl_index v = 0; v < r->model->nvariable; v++)
        if (r->model->variable[v].joint == joint)
            rub->value[r->model->variable[v].is_angle ? ANGLE : DISTANCE] = (bl_value){.given = true, .ref = v, .place = entry->place};
    return BL_OK;
}

static bl_status look_at(bl_reader *r, const bl_item *entry, void *user) {
    bl_index number = (*(bl_index *)user)++;
    const bl_item *type, *stick, *of;
    const char *word = "";
    bool sticks = false;
    if (entry->kind != BL_ITEM_MAP || !(type = bl_item_get(entry, "type")) || !(stick = bl_item_get(entry, "stick")) ||
        !(of = bl_item_get(entry, "joint")))
        return BL_OK; /* errors are those of the forces */
    BL_TRY(bl_item_text(r, type, "type", &word));
    if (strcmp(word, bl_force_joint_friction.kind.name) != 0)
        return BL_OK;
    BL_TRY(bl_item_flag(r, stick, "stick", &sticks));
    BL_TRY(bl_item_text(r, of, "joint", &word));
    bl_index joint = bl_names_find(&r->joints, word);
    return sticks && joint >= 0 ? add(r, entry, number, joint) : BL_OK;
}

/* whether the key occurs; repeats are not expanded for models without it */
static bool mentions(const bl_item *item) {
    if (item->kind == BL_ITEM_TEXT)
        return false;
    for (bl_index i = 0; i < item->count; i++)
        if ((item->kind == BL_ITEM_MAP && strcmp(item->key[i]->text, "stick") == 0) || mentions(item->value[i]))
            return true;
    return false;
}

bl_status bl_read_sticking(bl_reader *r) {
    bl_index number = 0;
    bool any = false;
    for (bl_index d = 0; d < r->norder; d++) {
        const bl_item *forces = bl_section(r, d, "forces");
        any = any || (forces && mentions(forces));
    }
    return any ? bl_section_each(r, "forces", look_at, &number) : BL_OK;
}

bl_status bl_sticking_complete(bl_reader *r) {
    for (bl_index c = 0; c < r->model->ncontact; c++) {
        bl_contact_def *contact = &r->model->contact[c];
        if (contact->force < 0)
            continue;
        const bl_force_def *force = &r->model->force[contact->force];
        const bl_value *friction = NULL, *sticking = NULL;
        for (bl_index k = 0; k < bl_param_count(force->kind->kind.params); k++) {
            const char *key = force->kind->kind.params[k].name;
            friction = strcmp(key, "coefficient") == 0 ? &force->value[k] : friction;
            sticking = strcmp(key, "static") == 0 ? &force->value[k] : sticking;
        }
        contact->friction = friction->number;
        contact->sticking = sticking->given ? sticking->number : friction->number;
        if (contact->sticking >= contact->friction)
            continue;
        bl_fail(r->ctx, BL_E_MODEL, &sticking->place, "static = %g is less than coefficient = %g", contact->sticking, contact->friction);
        bl_advise(r->ctx, "static is the coefficient at rest: friction starts to slide there and is then smaller or the same");
        return BL_E_MODEL;
    }
    return BL_OK;
}
