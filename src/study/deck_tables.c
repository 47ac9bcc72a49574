/* Tables printed by decks: values at nodes and at integration points of elements, frequencies. Points are numbered as in CalculiX: the
 * first reference coordinate runs fastest. */
#include "study/deck_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double TWO_PI = 6.283185307179586;

static const struct {
    const char *what, *title;
    const char *column[8];
    int nlabel, ncolumn;
} about[BL_PRINTS] = {
    [BL_PRINT_U] = {"U", "displacements", {"node", "ux", "uy", "uz"}, 1, 3},
    [BL_PRINT_V] = {"V", "velocities", {"node", "vx", "vy", "vz"}, 1, 3},
    [BL_PRINT_RF] = {"RF", "forces", {"node", "fx", "fy", "fz"}, 1, 3},
    [BL_PRINT_NT] = {"NT", "temperatures", {"node", "T"}, 1, 1},
    [BL_PRINT_RFL] = {"RFL", "heat flow into nodes", {"node", "q"}, 1, 1},
    [BL_PRINT_S] = {"S", "stresses", {"element", "point", "sxx", "syy", "szz", "sxy", "sxz", "syz"}, 2, 6},
    [BL_PRINT_E] = {"E", "strains", {"element", "point", "exx", "eyy", "ezz", "exy", "exz", "eyz"}, 2, 6},
    [BL_PRINT_PEEQ] = {"PEEQ", "equivalent plastic strain", {"element", "point", "pe"}, 2, 1},
    [BL_PRINT_ENER] = {"ENER", "stored energy per volume", {"element", "point", "energy"}, 2, 1},
    [BL_PRINT_HFL] = {"HFL", "heat flux", {"element", "point", "qx", "qy", "qz"}, 2, 3},
    [BL_PRINT_ELSE] = {"ELSE", "stored energy of elements", {"element", "energy"}, 1, 1},
    [BL_PRINT_EVOL] = {"EVOL", "volume of elements", {"element", "volume"}, 1, 1},
};

static const char *const analyses[] = {
    [BL_DECK_STATIC] = "static", [BL_DECK_FREQUENCY] = "frequency", [BL_DECK_DYNAMIC] = "dynamic", [BL_DECK_HEAT] = "heat transfer"};

static bl_deck_table new_table(const bl_deck_run *r, const bl_deck_print *print, double t) {
    return (bl_deck_table){.what = about[print->what].what,
                           .title = about[print->what].title,
                           .set = print->set_name,
                           .analysis = analyses[r->step->what],
                           .step = r->which + 1,
                           .increment = r->increment,
                           .t = r->step->begins + t,
                           .nlabel = about[print->what].nlabel,
                           .ncolumn = about[print->what].ncolumn,
                           .column = about[print->what].column};
}

static bl_status output_table(bl_deck_run *r, bl_deck_table *table) {
    table->label = r->label;
    table->value = r->value;
    r->made.tables++;
    return r->sink && r->sink->table ? r->sink->table(r->sink->user, table) : BL_OK;
}

static bl_status room(bl_deck_run *r, const bl_deck_table *table, bl_index rows) {
    BL_TRY(BL_RESERVE(r->ctx, r->label, r->label_room, rows * table->nlabel));
    return BL_RESERVE(r->ctx, r->value, r->value_room, rows * table->ncolumn);
}

/* ---- nodes */

static bl_status print_nodes(bl_deck_run *r, const bl_deck_print *print) {
    const bl_mesh *mesh = &r->step->solid.mesh;
    bl_deck_table table = new_table(r, print, r->eval.t);
    int nc = (int)bl_fem_components(r->sys, 0);
    double *full, *rates, total[3] = {0};
    bl_index count = print->set ? print->set->count : 0;
    BL_TRY(room(r, &table, count));
    BL_TRY(BL_NEW(r->ctx, full, 2 * r->nfull));
    rates = full + r->nfull;
    bool forces = print->what == BL_PRINT_RF || print->what == BL_PRINT_RFL;
    bl_status status = forces ? bl_fem_node_forces(r->sys, &r->eval, 0, full) : bl_fem_nodes(r->sys, &r->eval, 0, full, rates);
    const double *from = print->what == BL_PRINT_V ? rates : full;
    for (bl_index i = 0; status == BL_OK && i < count; i++) {
        bl_index node = print->set->item[i];
        for (int c = 0; c < table.ncolumn; c++) {
            size_t at = (size_t)node * (size_t)nc + (size_t)c;
            double value = c < nc ? from[at] - (r->origin ? r->origin[at] : 0) : 0;
            total[c] += value;
            r->value[table.nrow * table.ncolumn + c] = value;
        }
        r->label[table.nrow++] = mesh->label[node];
    }
    bl_free(r->ctx, full);
    BL_TRY(status);
    table.nrow = print->items ? table.nrow : 0;
    table.total = print->totals ? total : NULL;
    return output_table(r, &table);
}

/* ---- points of elements */

typedef struct points {
    bl_deck_run *run;
    const bl_deck_print *print;
    bl_deck_table *table;
    double total[6];
} points;

/* from 11, 22, 33, 12, 23, 13 to xx, yy, zz, xy, xz, yz */
static void tensor(const double from[6], double shear, double to[6]) {
    static const int at[6] = {0, 1, 2, 3, 5, 4};
    for (int k = 0; k < 6; k++)
        to[k] = (k < 3 ? 1 : shear) * from[at[k]];
}

static void numbers_of(bl_deck_quantity what, const bl_strain_kind *strain, const bl_material *material, const bl_fem_point *point,
                       double out[6]) {
    switch (what) {
    case BL_PRINT_S: tensor(point->stress, 1, out); break;
    case BL_PRINT_E: tensor(point->strain, 0.5, out); break;
    case BL_PRINT_HFL: memcpy(out, point->stress, 3 * sizeof *out); break;
    case BL_PRINT_ENER: out[0] = point->energy; break;
    case BL_PRINT_PEEQ: out[0] = bl_fem_shown(material, strain, point, "equivalent_plastic_strain"); break;
    default: break;
    }
}

/* order in the table: third coordinate slowest, then the second; triangles and tetrahedra in their own order */
static int slower(const void *left, const void *right) {
    const bl_fem_point *a = *(const bl_fem_point *const *)left, *b = *(const bl_fem_point *const *)right;
    for (int k = 2; k >= 0; k--) {
        double differ = a->at[k] - b->at[k];
        if (fabs(differ) > 1e-6 && (k == 2 || a->tensor))
            return differ < 0 ? -1 : 1;
    }
    return a < b ? -1 : 1;
}

static bl_status print_points(void *user, bl_index item, const bl_material *material, bl_index n, const bl_fem_point *point) {
    points *on = user;
    bl_deck_run *r = on->run;
    bl_deck_table *table = on->table;
    const bl_fem_point *order[BL_ELEMENT_POINTS];
    bl_index label = r->step->solid.mesh.element_label[on->print->set->item[item]];
    double sum = 0;
    bool per_element = table->nlabel == 1;
    for (bl_index k = 0; k < n; k++)
        order[k] = &point[k];
    qsort(order, (size_t)n, sizeof *order, slower);
    BL_TRY(room(r, table, table->nrow + n));
    for (bl_index k = 0; k < n; k++) {
        double out[6] = {0};
        numbers_of(on->print->what, r->step->solid.strain, material, order[k], out);
        sum += (on->print->what == BL_PRINT_EVOL ? 1 : order[k]->energy) * order[k]->volume;
        for (int c = 0; c < table->ncolumn && !per_element; c++) {
            r->value[table->nrow * table->ncolumn + c] = out[c];
            on->total[c] += out[c] * order[k]->volume;
        }
        if (per_element)
            continue;
        r->label[2 * table->nrow] = label;
        r->label[2 * table->nrow++ + 1] = k + 1;
    }
    if (per_element) {
        r->label[table->nrow] = label;
        r->value[table->nrow++] = sum;
        on->total[0] += sum;
    }
    return BL_OK;
}

static bl_status print_elements(bl_deck_run *r, const bl_deck_print *print) {
    bl_deck_table table = new_table(r, print, r->eval.t);
    points on = {.run = r, .print = print, .table = &table};
    if (print->set)
        BL_TRY(bl_fem_points(r->sys, &r->eval, 0, print->set, print_points, &on));
    if (!print->items && table.nlabel == 1) /* values at points are printed in any case */
        table.nrow = 0;
    table.total = print->totals ? on.total : NULL;
    return output_table(r, &table);
}

static bool is_of_nodes(bl_deck_quantity what) {
    return what == BL_PRINT_U || what == BL_PRINT_V || what == BL_PRINT_RF || what == BL_PRINT_NT || what == BL_PRINT_RFL;
}

bl_status bl_deck_print_state(bl_deck_run *r, const bl_state *state, bool last) {
    for (bl_index k = 0; k < r->step->nprint; k++) {
        const bl_deck_print *print = &r->step->print[k];
        if (!last && r->increment % print->every != 0)
            continue;
        bl_eval_at(&r->eval, state);
        BL_TRY(is_of_nodes(print->what) ? print_nodes(r, print) : print_elements(r, print));
    }
    return BL_OK;
}

/* ---- frequencies */

static bl_deck_table mode_table(const bl_deck_run *r, const char *what, const char *title, const char *const *column, int ncolumn) {
    return (bl_deck_table){.what = what,
                           .title = title,
                           .set = "",
                           .analysis = analyses[r->step->what],
                           .step = r->which + 1,
                           .increment = 1,
                           .t = r->step->begins,
                           .nlabel = 1,
                           .ncolumn = ncolumn,
                           .column = column};
}

/* negative for unstable modes */
static double omega_of(double eigenvalue) { return eigenvalue >= 0 ? sqrt(eigenvalue) : -sqrt(-eigenvalue); }

static bl_status print_frequencies(bl_deck_run *r, bl_index n, const double *eigenvalue) {
    static const char *const columns[] = {"mode", "eigenvalue", "omega", "frequency"};
    bl_deck_table table = mode_table(r, "FREQUENCY", "eigenvalues, radians and cycles per time", columns, 3);
    BL_TRY(room(r, &table, n));
    for (bl_index k = 0; k < n; k++) {
        double omega = omega_of(eigenvalue[k]);
        r->label[k] = k + 1;
        r->value[3 * k] = eigenvalue[k];
        r->value[3 * k + 1] = omega;
        r->value[3 * k + 2] = omega / TWO_PI;
    }
    table.nrow = n;
    return output_table(r, &table);
}

/* e^T M phi, e moving all free nodes by 1 */
static bl_status print_participation(bl_deck_run *r, bl_index n, const double *shape, const bl_pattern *mass, const double *M) {
    static const char *const axes[] = {"mode", "x", "y", "z"};
    bl_deck_table table = mode_table(r, "PARTICIPATION", "participation factors", axes, 3);
    const bl_system *sys = r->sys;
    double *Mx;
    BL_TRY(room(r, &table, n));
    BL_TRY(BL_NEW(r->ctx, Mx, sys->nv));
    for (bl_index k = 0; k < n; k++) {
        double sum[3] = {0};
        memset(Mx, 0, (size_t)sys->nv * sizeof *Mx);
        bl_csc_multiply(mass, M, shape + (size_t)k * (size_t)sys->nv, Mx);
        for (bl_index j = 0; j < sys->nv; j++)
            sum[sys->col[j].part] += Mx[j];
        r->label[k] = k + 1;
        memcpy(r->value + 3 * k, sum, sizeof sum);
    }
    table.nrow = n;
    bl_free(r->ctx, Mx);
    return output_table(r, &table);
}

/* node displacements by each shape, without those of moving supports */
static bl_status print_shapes(bl_deck_run *r, bl_index n, const double *shape, double *origin) {
    bl_index nv = r->sys->nv;
    memset(r->state.q, 0, (size_t)nv * sizeof(double));
    BL_TRY(bl_deck_state(r, &r->eval, &r->state));
    BL_TRY(bl_fem_nodes(r->sys, &r->eval, 0, origin, NULL));
    r->origin = origin;
    for (bl_index m = 0; m < n; m++) {
        memcpy(r->state.q, shape + (size_t)m * (size_t)nv, (size_t)nv * sizeof(double));
        r->increment = m + 1;
        bl_status status = BL_OK;
        for (bl_index k = 0; status == BL_OK && k < r->step->nprint; k++)
            if (r->step->print[k].what == BL_PRINT_U) {
                bl_eval_at(&r->eval, &r->state);
                status = print_nodes(r, &r->step->print[k]);
            }
        BL_TRY(status);
    }
    return BL_OK;
}

bl_status bl_deck_print_modes(bl_deck_run *r, bl_index n, const double *eigenvalue, const double *shape, const bl_pattern *mass,
                              const double *M) {
    bl_index first = 0;
    while (first < n && r->step->lowest > 0 && omega_of(eigenvalue[first]) / TWO_PI < r->step->lowest)
        first++;
    while (n > first && r->step->highest > 0 && omega_of(eigenvalue[n - 1]) / TWO_PI > r->step->highest)
        n--;
    eigenvalue += first;
    shape += (size_t)first * (size_t)r->sys->nv;
    BL_TRY(print_frequencies(r, n - first, eigenvalue));
    BL_TRY(print_participation(r, n - first, shape, mass, M));
    bool wanted = false;
    for (bl_index k = 0; k < r->step->nprint; k++)
        wanted = wanted || r->step->print[k].what == BL_PRINT_U;
    if (!wanted)
        return BL_OK;
    double *origin;
    BL_TRY(BL_NEW(r->ctx, origin, r->nfull));
    bl_status status = print_shapes(r, n - first, shape, origin);
    r->origin = NULL;
    bl_free(r->ctx, origin);
    return status;
}
