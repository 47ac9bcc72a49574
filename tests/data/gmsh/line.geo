// A segment that is drawn from right to left, with quadratic elements.
Point(1) = {3, 0, 0}; Point(2) = {1, 0, 0};
Line(1) = {1, 2};
Transfinite Curve {1} = 3;
Mesh.ElementOrder = 2;
Physical Curve("bar", 1) = {1};
Physical Point("right", 1) = {1};
Physical Point("left", 2) = {2};
