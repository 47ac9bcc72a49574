/* samples_info: copies of what a run says about itself, for samples that outlive it. */
#ifndef BL_SAMPLES_INFO_H
#define BL_SAMPLES_INFO_H

#include "biela/samples.h"
#include "output/output.h"

/* Replaces a text by its copy; NULL stays NULL. */
bl_status bl_keep_text(bl_arena *arena, const char **text);
/* A copy with everything that it points to. */
bl_status bl_run_info_copy(bl_arena *arena, const bl_run_info *from, bl_run_info *to);

#endif
