/* Names of groups, and why links are left over. Groups without inputs and with lower pairs only are Assur groups: two links and three
 * pairs are a dyad, four links and six pairs a triad (three legs on one link) or, if they form a loop, a tetrad. */
#include "topology/structure_private.h"

#include <stdio.h>
#include <string.h>

static bool is_member(const bl_structure_group *group, bl_index link) {
    for (bl_index i = 0; i < group->nlink; i++)
        if (group->link[i] == link)
            return true;
    return false;
}

static bool is_inner(const bl_structure_group *group, const bl_chain_pair *pair) {
    return is_member(group, pair->link[0]) && is_member(group, pair->link[1]);
}

/* all its equations follow from others: it has no effect */
static bool has_no_effect(const bl_chain *chain, const bl_chain_pair *pair) {
    return pair->repeated > 0 && bl_pair_rows(chain->dim, pair) == 0;
}

/* outer, inner, outer; of the two directions the one with R before P */
static void write_form(const bl_chain *chain, bl_structure_group *group) {
    char outer[2] = {0, 0}, inner = 0;
    for (bl_index i = 0; i < group->npair; i++) {
        const bl_chain_pair *pair = &chain->pair[group->pair[i]];
        if (has_no_effect(chain, pair))
            continue;
        if (pair->letter != 'R' && pair->letter != 'P')
            return;
        if (is_inner(group, pair))
            inner = pair->letter;
        else
            outer[outer[0] ? 1 : 0] = pair->letter;
    }
    bool reverse = outer[0] == 'P' && outer[1] == 'R';
    snprintf(group->form, sizeof group->form, "%c%c%c", outer[reverse], inner, outer[!reverse]);
}

static const char *name_four(const bl_chain *chain, const bl_structure_group *group) {
    bl_index inner = 0;
    for (bl_index i = 0; i < group->npair; i++)
        inner += !has_no_effect(chain, &chain->pair[group->pair[i]]) && is_inner(group, &chain->pair[group->pair[i]]);
    return inner == 3 ? "triad" : "tetrad";
}

void bl_structure_name_group(const bl_chain *chain, bl_structure_group *group) {
    bool lower = chain->dim == 2, fixed = true;
    bl_index npair = 0;
    for (bl_index i = 0; i < group->npair; i++) {
        if (has_no_effect(chain, &chain->pair[group->pair[i]]))
            continue;
        npair++;
        lower = lower && chain->pair[group->pair[i]].dof == 1;
        fixed = fixed && chain->pair[group->pair[i]].dof == 0;
    }
    bool assur = lower && group->inputs == 0 && 2 * npair == 3 * group->nlink;
    group->form[0] = 0;
    if (group->nlink == 1)
        snprintf(group->kind, sizeof group->kind, "%s", fixed ? "fixed link" : group->inputs > 0 ? "driven link" : "follower");
    else if (assur && group->nlink == 2) {
        snprintf(group->kind, sizeof group->kind, "dyad");
        write_form(chain, group);
    } else if (assur && group->nlink == 4)
        snprintf(group->kind, sizeof group->kind, "%s", name_four(chain, group));
    else
        snprintf(group->kind, sizeof group->kind, "%sgroup of %d links", group->inputs > 0 ? "driven " : "", group->nlink);
}

/* "links 4, 5 and 6", or names; long lists are truncated */
static void list_links(const bl_chain *chain, const bl_structure_remain *remain, char *out, size_t room) {
    enum { SHOWN = 8 };
    bl_index n = remain->nlink, shown = n > SHOWN + 1 ? SHOWN : n;
    size_t used = (size_t)snprintf(out, room, "%s", n == 1 ? "link " : "links ");
    for (bl_index i = 0; i < shown && used < room; i++) {
        const char *between = i == 0 ? "" : i == n - 1 ? " and " : ", ";
        bl_index link = remain->link[i];
        if (chain->link)
            used += (size_t)snprintf(out + used, room - used, "%s%.20s", between, chain->link[link]);
        else
            used += (size_t)snprintf(out + used, room - used, "%s%d", between, link + 1);
    }
    if (shown < n && used < room)
        snprintf(out + used, room - used, " and %d more", n - shown);
}

void bl_structure_describe_remain(const bl_chain *chain, bl_structure_remain *remain) {
    char links[200];
    bool one = remain->nlink == 1;
    list_links(chain, remain, links, sizeof links);
    switch (remain->state) {
    case BL_LINK_UNDER:
        snprintf(remain->text, sizeof remain->text, "%s: %d %s of freedom without input", links, remain->amount,
                 remain->amount == 1 ? "degree" : "degrees");
        break;
    case BL_LINK_OVER:
        snprintf(remain->text, sizeof remain->text, "%s: %d %s too many", links, remain->amount,
                 remain->amount == 1 ? "input or constraint" : "inputs or constraints");
        break;
    case BL_LINK_LOOSE: snprintf(remain->text, sizeof remain->text, "%s: no pair leads to the frame", links); break;
    case BL_LINK_BLOCKED:
    case BL_LINK_SOLVED:
        snprintf(remain->text, sizeof remain->text, "%s: %s on links that are left over", links, one ? "depends" : "depend");
        break;
    }
}
