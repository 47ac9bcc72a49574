// Quarter of a ring, radii 1 and 2: quadratic quadrilaterals and triangles with curved edges. The center is no node of the mesh's elements.
Point(1) = {0, 0, 0}; Point(2) = {1, 0, 0}; Point(3) = {2, 0, 0}; Point(4) = {0, 1, 0}; Point(5) = {0, 2, 0};
a = 1/Sqrt(2);
Point(6) = {a, a, 0}; Point(7) = {2*a, 2*a, 0};
Line(1) = {2, 3}; Line(2) = {6, 7}; Line(3) = {4, 5};
Circle(4) = {2, 1, 6}; Circle(5) = {6, 1, 4}; Circle(6) = {3, 1, 7}; Circle(7) = {7, 1, 5};
Curve Loop(1) = {1, 6, -2, -4}; Plane Surface(1) = {1};
Curve Loop(2) = {2, 7, -3, -5}; Plane Surface(2) = {2};
Transfinite Curve {1 : 7} = 2;
Transfinite Surface {1, 2};
Recombine Surface {1};
DefineConstant[full = 0];
Mesh.ElementOrder = 2;
Mesh.SecondOrderIncomplete = full ? 0 : 1;
Mesh.SaveAll = 1;
Physical Curve("inner", 1) = {4, 5};
Physical Curve("outer", 2) = {6, 7};
