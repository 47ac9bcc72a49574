/* Power series need laws that are functions of the motion; friction of a contact that slides depends on its normal force, which the
 * series do not contain. So while contacts slide another method takes over, chosen once: the same formulation, if it gives rates,
 * and the default method. */
#include "study/contacts.h"

#include "study/defaults.h"
#include "study/simulation.h"

bl_status bl_contacts_method_create(bl_simulation *sim, const bl_simulation_setup *setup, const bl_step_control *control) {
    bl_contacts *c = &sim->contacts;
    if (!c->n || sim->sys->nload == 0 || !(sim->integ->kind->kind.needs & BL_CAN_COEFFICIENT))
        return BL_OK;
    bool keeps = sim->form->kind->kind.gives & BL_CAN_RATE && sim->form->kind->kind.gives & BL_TAKES_LOADS;
    const char *formulation = keeps && setup->formulation ? setup->formulation : BL_DEFAULT_FORMULATION;
    BL_TRY(bl_formulation_create(sim->sys, formulation, setup->linsol, setup->ordering, &c->other_form));
    BL_TRY(bl_formulation_setup(c->other_form, &sim->state));
    BL_TRY(bl_integrator_create(sim->ctx, BL_DEFAULT_INTEGRATOR, c->other_form, control, &c->other_integ));
    BL_TRY(bl_contacts_method_choose(sim));
    c->exchanges = 0;
    return BL_OK;
}

static bool slides(const bl_simulation *sim) {
    const bl_contact_state *now = bl_contact_states_of(sim->sys, sim->state.history);
    for (bl_index i = 0; i < sim->contacts.n; i++)
        if (now[i].mode == BL_CONTACT_SLIDE && sim->sys->contact[i].load >= 0)
            return true;
    return false;
}

bl_status bl_contacts_method_choose(bl_simulation *sim) {
    bl_contacts *c = &sim->contacts;
    bool series = sim->integ && (sim->integ->kind->kind.needs & BL_CAN_COEFFICIENT), other = slides(sim);
    if (!c->other_integ || series != other)
        return BL_OK;
    bl_simulation_exchange(sim, &c->other_form, &c->other_integ);
    sim->form->history = sim->state.history;
    c->exchanges++;
    c->slid = c->slid || other;
    bl_log(sim->ctx, BL_LOG_INFO, "%s at t = %.9g: %s takes over", other ? "a contact slides" : "no contact slides any more", *sim->state.t,
           sim->integ->kind->kind.name);
    return BL_OK;
}

const char *bl_contacts_sliding_method(const bl_simulation *sim) {
    const bl_contacts *c = &sim->contacts;
    if (!c->slid)
        return "";
    bool now = !(sim->integ->kind->kind.needs & BL_CAN_COEFFICIENT);
    return (now ? sim->integ : c->other_integ)->kind->kind.name;
}

void bl_contacts_method_destroy(bl_simulation *sim) {
    bl_integrator_destroy(sim->contacts.other_integ);
    bl_formulation_destroy(sim->contacts.other_form);
}
