/* check: what the study `check` knows before it finds words. Private to check.c, findings.c and structure_study.c. */
#ifndef BL_STUDY_CHECK_H
#define BL_STUDY_CHECK_H

#include "sparse/elimination.h"
#include "study/study.h"
#include "topology/topology.h"

typedef struct bl_checking {
    bl_context *ctx;
    const bl_model *model;
    const bl_system *sys;
    bl_system *own;         /* the same; NULL: somebody else's */
    bl_state start, place;  /* assembled; beside it when the starting position is singular, else the same */
    bl_eval eval;           /* at place */
    double length;          /* typical size of a body */
    bl_elimination motions; /* of the rows at place: which are left, in scaled coordinates */
    bl_index dof;
    bool glance;                       /* wanted: the ranks alone, by one position beside the start */
    bool leave;                        /* wanted: a position beside the start also where the rank is full there */
    bool stuck;                        /* redundant rows, and no motion found that leads out of the starting position */
    bl_index nmassless, more_massless; /* those behind them are only counted */
    double *massless;                  /* [nv][nmassless] velocities that move no mass, each as local as possible */
    bl_twists twists;
    bl_dependencies dependencies;
    bl_check_report *report;
    bl_index room; /* for findings */
} bl_checking;

/* In this order; context, model and report are set before. coordinates: NULL, those of the model. */
bl_status bl_checking_prepare(bl_checking *c, const char *coordinates, double closure);    /* system, start, length; 0: the model's */
bl_status bl_checking_borrow(bl_checking *c, const bl_system *sys, const bl_state *start); /* instead: those of a run */
bl_status bl_checking_rank(bl_checking *c);                                                /* place, motions there */
bl_status bl_checking_massless(bl_checking *c);                                            /* motions without mass at place */
void bl_checking_destroy(bl_checking *c);
/* Typical size of a body. */
double bl_checking_length(const bl_system *sys);

/* "moving along x and y, turning about z": what is forbidden twice; false: nothing to say */
bool bl_check_directions(const bl_dependency *d, int dim, char *text, size_t size);
/* All findings, warnings first. */
bl_status bl_check_findings(bl_checking *c);

#endif
