/* Warnings about meshed models that are valid but probably not intended: locking, nodes without elements, contradictory supports, loads
 * taken entirely by supports, supports that jump. */
#include "fem/assembly.h"
#include "fem/fem_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int label_of(const bl_solid *solid, bl_index node) { return (int)(solid->mesh.label ? solid->mesh.label[node] : node + 1); }

/* Linear elements of nearly incompressible bodies are far too stiff unless the dilatation is averaged. */
static void warn_of_locking(const bl_fem *fem) {
    for (bl_index p = 0; p < fem->npart; p++) {
        const bl_solid *solid = fem->part[p].solid;
        bool linear = false;
        for (bl_index b = 0; b < solid->mesh.nblock; b++)
            linear = linear || solid->mesh.block[b].kind->degree == 1;
        for (bl_index s = 0; s < solid->nsection; s++)
            if (solid->strain && linear && !solid->bbar && solid->plane != BL_PLANE_STRESS && solid->plane != BL_PLANE_BAR &&
                solid->section[s].nu > fem_locking)
                bl_warn(
                    fem->ctx, NAN, solid->name,
                    "linear elements lock at nu = %g: %s will be far too stiff; use bbar: true with a law that separates the pressure, or "
                    "quadratic elements",
                    solid->section[s].nu, solid->name);
    }
}

void bl_fem_warn_of_nodes(const bl_fem *fem, const uint8_t *reached) {
    for (bl_index p = 0; p < fem->npart; p++) {
        const bl_solid *solid = fem->part[p].solid;
        bl_index nc = fem->part[p].ncomponent, first = -1, count = 0;
        for (bl_index i = 0; i < solid->mesh.nnode; i++) {
            bool any = false;
            for (bl_index c = 0; c < nc; c++)
                any = any || reached[fem->full0[p] + i * nc + c];
            count += !any;
            first = !any && first < 0 ? i : first;
        }
        if (count == 0 || fem->model->deck) /* decks may define nodes for later use */
            continue;
        if (count == 1)
            bl_warn(fem->ctx, NAN, solid->name, "node %d of %s belongs to no element and is kept fixed", label_of(solid, first),
                    solid->name);
        else
            bl_warn(fem->ctx, NAN, solid->name, "%d nodes of %s belong to no element and are kept fixed (the first is node %d)", (int)count,
                    solid->name, label_of(solid, first));
    }
}

static void law_text(const bl_fem *fem, const bl_number_law *law, char *text, size_t size) {
    if (law->law >= 0)
        snprintf(text, size, "%.60s", fem->model->law[law->law].text);
    else
        snprintf(text, size, "%g", law->number);
}

void bl_fem_warn_of_supports(const bl_fem *fem, bl_index part, bl_index node, bl_index before, bl_index now) {
    const bl_support *a = &fem->model->support[before], *b = &fem->model->support[now];
    const bl_solid *solid = fem->part[part].solid;
    bool same = a->value.law >= 0 || b->value.law >= 0 ? a->value.law == b->value.law : a->value.number == b->value.number;
    char first[64], second[64];
    if (same || fem->model->deck)
        return;
    law_text(fem, &a->value, first, sizeof first);
    law_text(fem, &b->value, second, sizeof second);
    bl_warn(fem->ctx, NAN, solid->name,
            "two supports prescribe %s%s: %s (line %d) and %s (line %d), first at node %d; the later one is used",
            solid->strain ? "displacements of " : "", solid->name, first, a->place.line, second, b->place.line, label_of(solid, node));
}

/* ---- loads taken entirely by supports */

static bool is_free(const bl_fem *fem, bl_index part, bl_index node, int component) {
    bl_index column = fem->column[fem->full0[part] + node * fem->part[part].ncomponent + component];
    return column >= 0 || column < -fem->ngiven;
}

/* the component is free at some node of the load or of its faces */
static bool acts_on_free(const bl_fem *fem, bl_index part, const bl_solid_load *load, int component) {
    const bl_mesh *mesh = &fem->part[part].solid->mesh;
    if (load->what == BL_LOAD_NODE) {
        for (bl_index k = 0; k < (load->set ? load->set->count : 1); k++)
            if (is_free(fem, part, load->set ? load->set->item[k] : load->node, component))
                return true;
        return false;
    }
    for (bl_index k = 0; k < load->set->count; k++) {
        bl_index at;
        const bl_mesh_block *block = bl_mesh_block_of(mesh, load->set->item[k], &at);
        const bl_element_face *face = &block->kind->face[load->set->face[k]];
        for (int a = 0; a < (face->kind ? face->kind->nnode : 1); a++)
            if (is_free(fem, part, block->node[(size_t)at * block->kind->nnode + face->node[a]], component))
                return true;
    }
    return false;
}

static void warn_of_idle_loads(const bl_fem *fem) {
    for (bl_index l = 0; l < fem->model->nsolid_load && !fem->model->deck; l++) {
        const bl_solid_load *load = &fem->model->solid_load[l];
        bool forces = load->what == BL_LOAD_NODE || load->what == BL_LOAD_TRACTION, acts = false, given = false;
        bl_index part = 0;
        while (fem->part[part].solid != &fem->model->solid[load->solid])
            part++;
        for (int c = 0; forces && c < fem->part[part].ncomponent; c++)
            if (load->value[c].law >= 0 || load->value[c].number != 0) {
                given = true;
                acts = acts || acts_on_free(fem, part, load, c);
            }
        if (given && !acts)
            bl_warn(fem->ctx, NAN, fem->part[part].solid->name,
                    "the load of line %d acts only on components that supports prescribe: the supports take it entirely, nothing else "
                    "changes",
                    load->place.line);
    }
}

void bl_fem_warn(const bl_fem *fem) {
    warn_of_locking(fem);
    warn_of_idle_loads(fem);
}

/* ---- supports that jump at times known in advance */

void bl_fem_warn_of_jump(const bl_fem *fem, double t, const double *before, const double *now) {
    for (bl_index g = 0; g < fem->ngiven; g++) {
        bl_index at = fem->given[g].at, p = 0;
        while (at >= fem->full0[p + 1])
            p++;
        const bl_solid *solid = fem->part[p].solid;
        double jump = now[at] - before[at], size = solid->strain ? fem->part[p].length : fmax(fabs(now[at]), fabs(before[at]));
        if (solid->order == 2 && fem->given[g].value.law >= 0 && fabs(jump) > fem_support_jump * size) {
            bl_warn(
                fem->ctx, t, solid->name,
                "the support %s of %s jumps by %.4g at t = %.6g: the impulse of this jump is ignored; prescribe a ramp over a short time "
                "instead",
                fem->model->law[fem->given[g].value.law].text, solid->name, jump, t);
            return;
        }
    }
}
