// Two unit squares side by side: quadrilaterals, and triangles of a surface that is oriented clockwise.
Point(1) = {0, 0, 0}; Point(2) = {1, 0, 0}; Point(3) = {2, 0, 0};
Point(4) = {0, 1, 0}; Point(5) = {1, 1, 0}; Point(6) = {2, 1, 0};
Line(1) = {1, 2}; Line(2) = {2, 3}; Line(3) = {4, 5}; Line(4) = {5, 6};
Line(5) = {1, 4}; Line(6) = {2, 5}; Line(7) = {3, 6};
Curve Loop(1) = {1, 6, -3, -5}; Plane Surface(1) = {1};
Curve Loop(2) = {6, 4, -7, -2}; Plane Surface(2) = {2};
Transfinite Curve {1 : 7} = 3;
Transfinite Surface {1, 2};
Recombine Surface {1};
Physical Surface("left part", 1) = {1};
Physical Surface("right part", 2) = {2};
Physical Surface("all", 3) = {1, 2};
Physical Curve("bottom", 1) = {1, 2};
Physical Curve("interface", 2) = {6};
Physical Curve(9) = {7};
Physical Point("origin", 1) = {1};
Physical Point(7) = {6};
