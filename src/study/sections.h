/* sections: strains and section forces of beams in samples. */
#ifndef BL_STUDY_SECTIONS_H
#define BL_STUDY_SECTIONS_H

#include "biela/biela.h"
#include "model/model.h"

bl_status bl_sections_name(const bl_model *model, bl_arena *arena, bl_run_info *info);
/* section[info->nsection] of a sample whose bodies are body[nbody] */
void bl_sections_measure(const bl_model *model, const bl_pose *body, bl_section_sample *section);

#endif
