/* structure, private: what structure.c shares with the words for it. */
#ifndef BL_STRUCTURE_PRIVATE_H
#define BL_STRUCTURE_PRIVATE_H

#include "topology/groups.h"

/* Sorts ascending and keeps each once; returns how many. */
bl_index bl_sort_unique(bl_index *list, bl_index n);
/* Fills nlocked, locked, excess of a group whose links and pairs are set. */
bl_status bl_structure_find_locked(bl_arena *arena, const bl_chain *chain, bl_structure_group *group);
/* Fills kind and form of a group whose links and pairs are set. */
void bl_structure_name_group(const bl_chain *chain, bl_structure_group *group);
/* Fills the text of what is left over. */
void bl_structure_word_remain(const bl_chain *chain, bl_structure_remain *remain);

#endif
