/* entry_table: finds the entry of a row and a column, for rows too long to be traversed. A hash table with open addressing: entries are
 * added, found and removed in constant time. */
#ifndef BL_ENTRY_TABLE_H
#define BL_ENTRY_TABLE_H

#include "system/system.h"

typedef struct bl_entry_table {
    bl_context *ctx;            /* set by the caller, all else 0 */
    bl_index count, room;       /* room: a power of two, more than half of it is free */
    struct bl_entry_slot *slot; /* [room] */
} bl_entry_table;

/* Neither row nor column may be negative; the pair must not be present yet. */
bl_status bl_entry_table_add(bl_entry_table *p, bl_index row, bl_index col, bl_index at);
/* -1: not present */
bl_index bl_entry_table_find(const bl_entry_table *p, bl_index row, bl_index col);
/* The pair must be present. */
void bl_entry_table_remove(bl_entry_table *p, bl_index row, bl_index col);
void bl_entry_table_free(bl_entry_table *p);

#endif
