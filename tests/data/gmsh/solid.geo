// Three boxes apart from each other, of hexahedra, wedges and tetrahedra; -setnumber order 1 or 2, -setnumber full 1 for hexa27 (then
// without wedges, of which Gmsh has 18 nodes).
DefineConstant[order = 2, full = 0];
SetFactory("OpenCASCADE");
Mesh.ElementOrder = order;
Mesh.SecondOrderIncomplete = full ? 0 : 1;
Box(1) = {0, 0, 0, 1, 2, 3};
Box(2) = {4, 0, 0, 1, 1, 1};
Transfinite Curve {1 : 24} = 2;
Transfinite Surface {1 : 12};
Recombine Surface {1 : 6};
Transfinite Volume {1};
Physical Volume("bricks", 1) = {1};
Physical Volume("tetrahedra", 3) = {2};
Physical Surface("x0", 1) = {1};
Physical Surface("x4", 2) = {7};
Physical Curve("edge", 1) = {1};
If (!full)
  Rectangle(13) = {2, 0, 0, 1, 1};
  c() = Boundary{ Surface{13}; };
  Transfinite Curve {c()} = 2;
  Transfinite Surface {13};
  e() = Extrude {0, 0, 2} { Surface{13}; Layers{1}; Recombine; };
  Physical Volume("wedges", 2) = {e(1)};
  Physical Surface("top", 3) = {e(0)};
EndIf
