# docs/images/mechanisms.svg: coupler curves of a four-bar linkage, and half a period of Bricard's mechanism. From the top folder:
#   build/biela run docs/images/coupler.yaml -o build/coupler.h5 --csv build/coupler.csv
#   build/biela run docs/images/bricard.yaml -o build/mechanism.h5 --csv build/bricard.csv --until 2.4931543 --every 0.012465771
#   gnuplot docs/images/mechanisms.gp            (with -e "png=1" a PNG to look at, in build/)
if (!exists("png")) png = 0
if (png) { set terminal pngcairo size 1600,760 fontscale 1.5 linewidth 1.6 background "white"; set output "build/mechanisms.png"
} else { set terminal svg size 1000,475 fixed enhanced font "Helvetica,13" background "white"; set output "docs/images/mechanisms.svg" }
set datafile separator ","
set encoding utf8
coupler = "build/coupler.csv"; bricard = "build/bricard.csv"
dark = "#1f2d3d"; pale = "#b8c4d0"; accent = "#d9480f"

set multiplot
unset key; unset tics; unset border
array shade[7] = ["#0b7285", "#1098ad", "#22b8cf", "#66c2a5", "#fab005", "#f76707", "#d9480f"]

# ---- coupler curves
set lmargin at screen 0.01; set rmargin at screen 0.49; set bmargin at screen 0.04; set tmargin at screen 0.91
set label 10 "Coupler curves of a crank-rocker" at screen 0.24,0.95 center font ",15" tc rgb dark
set size ratio -1
stats coupler using (column("P6.x")) every ::30::30 nooutput; px = STATS_max
stats coupler using (column("P6.y")) every ::30::30 nooutput; py = STATS_max
stats coupler using (column("P0.x")) every ::30::30 nooutput; mx = STATS_max
stats coupler using (column("P0.y")) every ::30::30 nooutput; my = STATS_max
stats coupler using (column("B.x")) every ::30::30 nooutput; bx = STATS_max
stats coupler using (column("B.y")) every ::30::30 nooutput; by = STATS_max
stats coupler using (column("C.x")) every ::30::30 nooutput; cx = STATS_max
stats coupler using (column("C.y")) every ::30::30 nooutput; cy = STATS_max
set xrange [-1.6:3.9]; set yrange [-1.15:3.65]
set object 1 polygon from bx,by to cx,cy to px,py to bx,by fillcolor rgb "#e9ecef" fillstyle solid 1.0 border rgb pale behind
set arrow 1 from 0,0 to bx,by nohead lw 5 lc rgb dark
set arrow 2 from bx,by to cx,cy nohead lw 5 lc rgb dark
set arrow 3 from cx,cy to 3,0 nohead lw 5 lc rgb dark
set label 1 "A" at 0,-0.33 center tc rgb dark
set label 2 "D" at 3,-0.33 center tc rgb dark
set label 3 "B" at bx-0.25,by+0.05 center tc rgb dark
set label 4 "C" at cx+0.25,cy+0.05 center tc rgb dark
plot coupler using (column("B.x")):(column("B.y")) with lines lw 1 dt 3 lc rgb pale, \
     coupler using (column("C.x")):(column("C.y")) with lines lw 1 dt 3 lc rgb pale, \
     for [i=0:6] coupler using (column(sprintf("P%d.x", i))):(column(sprintf("P%d.y", i))) with lines lw 2.4 lc rgb shade[i+1], \
     for [i=0:6] coupler using (column(sprintf("P%d.x", i))):(int(column(0)) == 31 ? column(sprintf("P%d.y", i)) : NaN) with points pt 7 ps 0.9 lc rgb shade[i+1], \
     "-" using 1:2 with points pt 7 ps 1.4 lc rgb dark, "-" using 1:2 with points pt 7 ps 0.7 lc rgb "white"
0,0
3,0
e
0,0
3,0
e
unset object 1; unset arrow; unset label

# ---- Bricard's mechanism
set lmargin at screen 0.50; set rmargin at screen 0.99
set label 10 "Bricard's mechanism, half a period of its fall" at screen 0.76,0.95 center font ",15" tc rgb dark
set size noratio
set view 68, 30, 1.62, 1.0
set view equal xyz
set xrange [-1.3:1.3]; set yrange [-1.3:1.3]; set zrange [-2.0:0.4]
set xyplane at -2.0
# rods as polylines through P1 .. P6 at some times; y of the model is up
rods(row) = sprintf("< awk -F, 'NR==1 {for (i=1; i<=NF; i++) c[$i]=i} NR==%d {print \"0,0,0\"; for (p=2; p<=5; p++) print $(c[\"P\" p \".x\"]) \",\" $(c[\"P\" p \".z\"]) \",\" $(c[\"P\" p \".y\"]); print \"0,1,0\"}' %s", row, bricard)
array when[5] = [2, 62, 101, 140, 200]
array tone[5] = ["#1f2d3d", "#1098ad", "#66c2a5", "#fab005", "#d9480f"]
splot bricard using (column("P3.x")):(column("P3.z")):(column("P3.y")) with lines lw 1.6 dt 2 lc rgb accent, \
      bricard using (column("P5.x")):(column("P5.z")):(column("P5.y")) with lines lw 1.2 dt 2 lc rgb pale, \
      bricard using (column("P4.x")):(column("P4.z")):(column("P4.y")) with lines lw 1.2 dt 2 lc rgb pale, \
      for [k=1:5] rods(when[k]) using 1:2:3 with lines lw 3 lc rgb tone[k], \
      for [k=1:5] rods(when[k]) using 1:2:3 with points pt 7 ps 0.55 lc rgb tone[k]
unset multiplot
