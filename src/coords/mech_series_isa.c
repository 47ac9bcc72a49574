/* Sums of products of the coefficients of a mechanism's power series, four lanes at a time, by instruction set. */
#include "coords/mech_series_isa.h"

#include "base/lanes.h"

enum { FOUR = sizeof(bl_four) / sizeof(double) };

/* to = sum of f_i g_{-i}, i = 0 .. count - 1, of `blocks` <= 4 blocks of lanes; f ascends, g descends, `room` apart */
static inline __attribute__((always_inline)) void sum_products(int blocks, size_t room, int count, const double *f, const double *g,
                                                               double *to) {
    bl_four p[4] = {0};
    for (int i = 0; i < count; i++, f += room, g -= room)
        for (int c = 0; c < blocks; c++)
            p[c] += *(const bl_four *)(f + c * FOUR) * *(const bl_four *)(g + c * FOUR);
    for (int c = 0; c < blocks; c++)
        *(bl_four *)(to + c * FOUR) = p[c];
}

/* the same for one block, in two independent parts to shorten the dependency chain */
static inline __attribute__((always_inline)) void sum_parts(size_t room, int count, const double *f, const double *g, double *to) {
    bl_four one = {0}, other = {0};
    for (; count >= 2; count -= 2, f += 2 * room, g -= 2 * room) {
        one += *(const bl_four *)f * *(const bl_four *)g;
        other += *(const bl_four *)(f + room) * *(const bl_four *)(g - room);
    }
    if (count > 0)
        one += *(const bl_four *)f * *(const bl_four *)g;
    *(bl_four *)to = one + other;
}

/* sums of n lanes */
static inline __attribute__((always_inline)) void cauchy(size_t n, size_t room, int count, const double *f, const double *g, double *sum) {
    size_t lane = 0;
    for (; lane + 4 * FOUR <= n; lane += 4 * FOUR)
        sum_products(4, room, count, f + lane, g + lane, sum + lane);
    for (; lane + 2 * FOUR <= n; lane += 2 * FOUR)
        sum_products(2, room, count, f + lane, g + lane, sum + lane);
    if (lane < n)
        sum_parts(room, count, f + lane, g + lane, sum + lane);
}

/* sums of phi_k; squares are symmetric: half of the terms */
static void sum_phi(size_t mixed, size_t room, int k, const double *A, const double *B, double *sum) {
    cauchy(mixed, room, (k - 1) / 2, A + room, A + (size_t)(k - 1) * room, sum);
    const double *middle = A + (size_t)(k / 2) * room;
    double has_square = k % 2 ? 0 : 1;
    for (size_t lane = 0; lane < mixed; lane += FOUR) {
        bl_four half = *(const bl_four *)(sum + lane), root = *(const bl_four *)(middle + lane);
        *(bl_four *)(sum + lane) = 2 * half + has_square * root * root;
    }
    if (mixed < room)
        cauchy(room - mixed, room, k - 1, A + room + mixed, B + (size_t)(k - 1) * room + mixed, sum + mixed);
}

/* as sum_products, with f and two other factors; blocks <= 2 */
static inline __attribute__((always_inline)) void sum_two(int blocks, size_t room, int count, const double *f, const double *g,
                                                          const double *h, double *to_g, double *to_h) {
    bl_four p[2] = {0}, r[2] = {0};
    for (int i = 0; i < count; i++, f += room, g -= room, h -= room)
        for (int c = 0; c < blocks; c++) {
            bl_four factor = *(const bl_four *)(f + c * FOUR);
            p[c] += factor * *(const bl_four *)(g + c * FOUR);
            r[c] += factor * *(const bl_four *)(h + c * FOUR);
        }
    for (int c = 0; c < blocks; c++) {
        *(bl_four *)(to_g + c * FOUR) = p[c];
        *(bl_four *)(to_h + c * FOUR) = r[c];
    }
}

/* sums of Q_k */
static void sum_Q(size_t mixed, size_t room, int k, const double *L, const double *A, const double *B, double *sum) {
    A += (size_t)k * room;
    B += (size_t)k * room;
    cauchy(mixed, room, k, L, A, sum);
    size_t lane = mixed;
    for (; lane + 2 * FOUR <= room; lane += 2 * FOUR)
        sum_two(2, room, k, L + lane, B + lane, A + lane, sum + lane, sum + room + lane);
    if (lane < room)
        sum_two(1, room, k, L + lane, B + lane, A + lane, sum + lane, sum + room + lane);
}

static double cauchy_sum(size_t room, int count, const double *f, const double *g) {
    double total = 0;
    for (size_t lane = 0; lane < room; lane += FOUR) {
        double part[FOUR];
        sum_parts(room, count, f + lane, g + lane, part);
        for (int c = 0; c < FOUR; c++)
            total += part[c];
    }
    return total;
}

const bl_series_kernels BL_ISA_NAME(bl_series_kernels) = {sum_phi, sum_Q, cauchy_sum};
