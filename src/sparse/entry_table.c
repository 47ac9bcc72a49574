/* Linear probing. A removed pair leaves no mark: following ones move up (Knuth, The Art of Computer Programming 3, 6.4,
 * algorithm R), so that searches stay short after any number of insertions and removals. */
#include "sparse/entry_table.h"

#include <stdint.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

struct bl_entry_slot {
    bl_index row, col, at; /* row -1: free */
};

/* Multiplied by odd constants without structure (2^64 divided by the golden ratio, and the one of splitmix64), whose upper bits are used:
 * neighbors do not cluster. */
static size_t home(const bl_entry_table *p, bl_index row, bl_index col) {
    uint64_t key = (uint64_t)row * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)col * UINT64_C(0xBF58476D1CE4E5B9);
    return (size_t)((key ^ key >> 32) * UINT64_C(0x94D049BB133111EB) >> 32) & ((size_t)p->room - 1);
}

static size_t next(const bl_entry_table *p, size_t k) { return (k + 1) & ((size_t)p->room - 1); }

/* slot of the pair, or the free slot for it */
static size_t search(const bl_entry_table *p, bl_index row, bl_index col) {
    size_t k = home(p, row, col);
    while (p->slot[k].row >= 0 && (p->slot[k].row != row || p->slot[k].col != col))
        k = next(p, k);
    return k;
}

static bl_status grow(bl_entry_table *p) {
    bl_entry_table larger = {.ctx = p->ctx, .room = p->room ? 2 * p->room : FIRST_ROOM};
    if (p->room > INT32_MAX / 4)
        return bl_fail(p->ctx, BL_E_MEMORY, NULL, "rank: long rows have more than %d entries", INT32_MAX / 4);
    BL_TRY(BL_NEW(p->ctx, larger.slot, larger.room));
    for (bl_index k = 0; k < larger.room; k++)
        larger.slot[k].row = -1;
    for (bl_index k = 0; k < p->room; k++)
        if (p->slot[k].row >= 0)
            larger.slot[search(&larger, p->slot[k].row, p->slot[k].col)] = p->slot[k];
    bl_free(p->ctx, p->slot);
    p->slot = larger.slot;
    p->room = larger.room;
    return BL_OK;
}

bl_status bl_entry_table_add(bl_entry_table *p, bl_index row, bl_index col, bl_index at) {
    if (2 * p->count >= p->room)
        BL_TRY(grow(p));
    p->slot[search(p, row, col)] = (struct bl_entry_slot){row, col, at};
    p->count++;
    return BL_OK;
}

bl_index bl_entry_table_find(const bl_entry_table *p, bl_index row, bl_index col) {
    if (p->room == 0)
        return -1;
    const struct bl_entry_slot *found = &p->slot[search(p, row, col)];
    return found->row < 0 ? -1 : found->at;
}

void bl_entry_table_remove(bl_entry_table *p, bl_index row, bl_index col) {
    size_t hole = search(p, row, col), mask = (size_t)p->room - 1;
    for (size_t k = next(p, hole); p->slot[k].row >= 0; k = next(p, k)) {
        size_t from = home(p, p->slot[k].row, p->slot[k].col);
        if (((k - from) & mask) >= ((k - hole) & mask)) { /* its home is not behind the hole */
            p->slot[hole] = p->slot[k];
            hole = k;
        }
    }
    p->slot[hole].row = -1;
    p->count--;
}

void bl_entry_table_free(bl_entry_table *p) {
    bl_free(p->ctx, p->slot);
    *p = (bl_entry_table){0};
}
