/* Order of a Runge-Kutta method on nonlinear problems: one condition per rooted tree (Butcher 1963; Hairer, Norsett and Wanner,
 * Solving ODEs I, II.2). A tree t with branches t_1 .. t_m has the order 1 + sum of theirs, gamma(t) = order * product of theirs, and
 * phi_i(t) = product over the branches of sum_j a_ij phi_j(t_b); the condition is sum_i w_i phi_i(t) = 1 / gamma(t). */
#include "study/linear_limits.h"
#include "study/stability_private.h"

#include <math.h>
#include <string.h>

enum { TREES = 1 + 1 + 2 + 4 + 9 + 20 + 48 + 115 }; /* up to order BL_TREE_ORDER */

typedef struct tree {
    int order;
    long double gamma, inner[BL_FORMULA_STAGES]; /* inner_i = sum_j a_ij phi_j */
} tree;

typedef struct trees {
    const bl_formula *f;
    int n, counted; /* trees so far; those of lower order, used as branches */
    int failed;     /* the lowest order with a condition that is not satisfied */
    tree tree[TREES];
} trees;

/* A complete tree of this order with product phi of its branches: checks its condition and stores it as a branch of larger ones. */
static void grow(trees *all, int order, long double gamma, const long double *phi) {
    const bl_formula *f = all->f;
    long double sum = 0, size = 0;
    gamma *= order;
    for (int i = 0; i < f->stages; i++) {
        sum += f->weight[i] * phi[i];
        size += fabsl(f->weight[i] * phi[i]);
    }
    if (fabsl(sum - 1 / gamma) > study_stability_order * (size + 1 / gamma) && order < all->failed)
        all->failed = order;
    if (all->n == TREES)
        return;
    tree *t = &all->tree[all->n++];
    t->order = order;
    t->gamma = gamma;
    for (int i = 0; i < f->stages; i++) {
        t->inner[i] = 0;
        for (int j = 0; j <= i; j++)
            t->inner[i] += f->A[i][j] * phi[j];
    }
}

/* All multisets of known trees, from `first` on, with `left` nodes in total, added to the branches that gave gamma and phi. */
static void branch(trees *all, int order, int left, int first, long double gamma, const long double *phi) {
    if (left == 0) {
        grow(all, order, gamma, phi);
        return;
    }
    for (int b = first; b < all->counted; b++) {
        const tree *t = &all->tree[b];
        long double product[BL_FORMULA_STAGES];
        if (t->order > left)
            break; /* trees are sorted by order */
        for (int i = 0; i < all->f->stages; i++)
            product[i] = phi[i] * t->inner[i];
        branch(all, order, left - t->order, b, gamma * t->gamma, product);
    }
}

int bl_runge_kutta_order(const bl_formula *f, int *conditions) {
    trees all = {.f = f, .failed = BL_TREE_ORDER + 1};
    long double ones[BL_FORMULA_STAGES];
    for (int i = 0; i < BL_FORMULA_STAGES; i++)
        ones[i] = 1;
    for (int order = 1; order <= BL_TREE_ORDER && all.failed > order - 1; order++) {
        all.counted = all.n;
        branch(&all, order, order - 1, 0, 1, ones);
    }
    *conditions = all.n;
    return all.failed - 1;
}
