/* structure, private: functions that structure.c shares with the other files of the report. */
#ifndef BL_STRUCTURE_PRIVATE_H
#define BL_STRUCTURE_PRIVATE_H

#include "topology/groups.h"

/* Sorts ascending and removes duplicates; returns the number left. */
bl_index bl_sort_unique(bl_index *list, bl_index n);
/* Fills nlocked, locked, excess of a group whose links and pairs are set. */
bl_status bl_structure_find_locked(bl_arena *arena, const bl_chain *chain, bl_structure_group *group);
/* Fills kind and form of a group whose links and pairs are set. */
void bl_structure_name_group(const bl_chain *chain, bl_structure_group *group);
/* Fills the text that explains why links are left over. */
void bl_structure_describe_remain(const bl_chain *chain, bl_structure_remain *remain);

#endif
