/* structure, private: what structure.c shares with the words for it. */
#ifndef BL_TOPOLOGY_STRUCTURE_H
#define BL_TOPOLOGY_STRUCTURE_H

#include "topology/groups.h"

/* Fills kind and form of a group whose links and pairs are set. */
void bl_structure_name_group(const bl_chain *chain, bl_structure_group *group);
/* Fills the text of what is left over. */
void bl_structure_word_remain(const bl_chain *chain, bl_structure_remain *remain);

#endif
