"""Reads the output of the sinks with VTK; compares it with the formulas of test_fields.c, bit by bit, and checks that the nodes of cells
have the order of VTK. Exit 77: VTK for Python is not installed."""
import math
import os
import sys
import xml.etree.ElementTree as ET

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    sys.exit(77)


def value(n, f, i, k):
    return (n * 1000 + f * 100 + i * 10 + k) / 7


# name, number of the formula, components, meshes that have it; of cells: True
FIELDS = [("displacement", 0, 3, (0, 1), False), ("stress", 1, 4, (0,), False), ("value", 2, 1, (1,), False),
          ("element_stress", 3, 6, (0, 1), True)]
CELLS = (3, 5)


def same(array, components, expected):
    found = vtk_to_numpy(array).reshape(-1).tolist()
    assert array.GetNumberOfComponents() == components, array.GetName()
    assert len(found) == len(expected), (array.GetName(), len(found), len(expected))
    for a, b in zip(found, expected):
        assert a == b or (a != a and b != b), (array.GetName(), a, b)


def expected(n, m, f, components, items):
    return [value(n, f + 10 * m, i, k) for i in range(items) for k in range(components)]


def check_files(folder, rows):
    sets = ET.parse(os.path.join(folder, "fields.pvd")).getroot().find("Collection").findall("DataSet")
    assert len(sets) == 2 * rows
    for number, entry in enumerate(sets):
        n, m = divmod(number, 2)
        assert float(entry.get("timestep")) == value(n, 0, 0, 0) and int(entry.get("part")) == m
        assert entry.get("name") == ("a/b & %c", "a_b___c")[m]
        reader = vtk.vtkXMLUnstructuredGridReader()
        reader.SetFileName(os.path.join(folder, entry.get("file")))
        reader.Update()
        grid = reader.GetOutput()
        assert grid.GetNumberOfPoints() == 2 * (CELLS[m] + 1) and grid.GetNumberOfCells() == CELLS[m]
        assert grid.GetFieldData().GetArray("TimeValue").GetValue(0) == value(n, 0, 0, 0)
        for name, f, components, meshes, of_cells in FIELDS:
            array = (grid.GetCellData() if of_cells else grid.GetPointData()).GetArray(name)
            if m not in meshes:
                assert array is None
                continue
            same(array, components, expected(n, m, f, components, CELLS[m] if of_cells else 2 * (CELLS[m] + 1)))
        same(grid.GetCellData().GetArray("material"), 1, [m] * CELLS[m])
        same(grid.GetCellData().GetArray("set"), 1, [2 if c == 1 else 0 for c in range(CELLS[m])])
        for c in range(CELLS[m]):
            ids = grid.GetCell(c).GetPointIds()
            assert [ids.GetId(j) for j in range(4)] == [2 * c, 2 * c + 2, 2 * c + 3, 2 * c + 1] and grid.GetCellType(c) == 9


def check_grid(grid, n):
    assert grid.GetNumberOfPoints() == sum(2 * (c + 1) for c in CELLS) and grid.GetNumberOfCells() == sum(CELLS)
    for name, f, components, meshes, of_cells in FIELDS:
        want = []
        for m in range(2):
            items = CELLS[m] if of_cells else 2 * (CELLS[m] + 1)
            missing = 0.0 if name == "displacement" else float("nan")
            want += expected(n, m, f, components, items) if m in meshes else [missing] * (items * components)
        same((grid.GetCellData() if of_cells else grid.GetPointData()).GetArray(name), components, want)
    same(grid.GetCellData().GetArray("body"), 1, [0] * CELLS[0] + [1] * CELLS[1])


def check_hdf(path, rows):
    reader = vtk.vtkHDFReader()
    reader.SetFileName(path)
    reader.UpdateInformation()
    steps = reader.GetOutputInformation(0).Get(vtk.vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    if vtk.vtkVersion().GetVTKMajorVersion() * 100 + vtk.vtkVersion().GetVTKMinorVersion() < 903:
        reader.Update()
        check_grid(reader.GetOutputDataObject(0), 0)
        print("VTK %s reads the first time only; all times need 9.3" % vtk.vtkVersion().GetVTKVersion())
        return
    assert list(steps) == [value(n, 0, 0, 0) for n in range(rows)]
    for n in range(rows):
        reader.UpdateTimeStep(steps[n])
        check_grid(reader.GetOutputDataObject(0), n)


def location(cell, at):
    x = [0.0] * 3
    cell.EvaluateLocation(vtk.reference(0), at, x, [0.0] * cell.GetNumberOfPoints())
    return x


GAUSS = [(0.5 - math.sqrt(0.15), 5 / 18), (0.5, 8 / 18), (0.5 + math.sqrt(0.15), 5 / 18)]  # on [0, 1]


def rule(cell):
    """Places and weights: simplices by collapsed coordinates, wedges a triangle times a segment."""
    dim, name = cell.GetCellDimension(), cell.GetClassName()
    for u, wu in GAUSS:
        for v, wv in GAUSS if dim > 1 else [(0, 1)]:
            for w, ww in GAUSS if dim > 2 else [(0, 1)]:
                if "Triangle" in name or "Wedge" in name:
                    yield [u, v * (1 - u), w], wu * wv * ww * (1 - u)
                elif "Tetra" in name:
                    yield [u, v * (1 - u), w * (1 - u) * (1 - v)], wu * wv * ww * (1 - u) ** 2 * (1 - v)
                else:
                    yield [u, v, w], wu * wv * ww


def cell_volume(cell):
    """By VTK's own functions, which are at most quadratic in each coordinate: central differences are exact."""
    dim, volume, h = cell.GetCellDimension(), 0.0, 0.25
    for at, weight in rule(cell):
        J = [[0.0] * 3 for _ in range(3)]
        for m in range(3):
            if m >= dim:
                J[m][m] = 1.0
                continue
            ends = [location(cell, [at[k] + (sign * h if k == m else 0) for k in range(3)]) for sign in (1, -1)]
            J[m] = [(ends[0][k] - ends[1][k]) / (2 * h) for k in range(3)]
        volume += weight * (J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
                            J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]))
    return volume


def check_nodes(folder):
    """Of meshes with straight edges: nodes on edges stand in their middles, those on faces in theirs."""
    kinds = set()
    for file in sorted(os.listdir(folder)):
        if not file.endswith(".vtu"):
            continue
        reader = vtk.vtkXMLUnstructuredGridReader()
        reader.SetFileName(os.path.join(folder, file))
        reader.Update()
        grid = reader.GetOutput()
        volume = 0.0
        for c in range(grid.GetNumberOfCells()):
            cell = grid.GetCell(c)
            kinds.add(cell.GetClassName())
            volume += abs(cell_volume(cell))  # vtkWedge is left-handed where its faces look outward
            for parts in ([cell.GetEdge(i) for i in range(cell.GetNumberOfEdges())], [cell.GetFace(i) for i in range(cell.GetNumberOfFaces())]):
                for part in parts:
                    points = [part.GetPoints().GetPoint(i) for i in range(part.GetNumberOfPoints())]
                    if len(points) in (3, 9) and not part.IsA("vtkTriangle"):
                        corners = points[:2] if len(points) == 3 else points[:4]
                        mean = [sum(p[k] for p in corners) / len(corners) for k in range(3)]
                        assert all(abs(points[-1][k] - mean[k]) < 1e-12 for k in range(3)), (file, c, points)
        assert abs(volume - 6) < 1e-9, (file, volume)
    print("%d kinds of cells: %s" % (len(kinds), " ".join(sorted(kinds))))
    assert len(kinds) == int(sys.argv[3])


if sys.argv[1] == "files":
    check_files(sys.argv[2], int(sys.argv[3]))
elif sys.argv[1] == "hdf":
    check_hdf(sys.argv[2], int(sys.argv[3]))
else:
    check_nodes(sys.argv[2])
