// Contents of a page: the JSON header and the names of its blocks (docs/REPORT.md). Readers ignore unknown keys.

export const FORMAT = 1;

export type Vec3 = [number, number, number];
/** A block of bytes of the page and how many numbers (or tuples, where noted) it holds. */
export interface Stored { block: string; count: number }

export type Shape = { color?: string; picture?: boolean } & (
    | { kind: "rod"; from: Vec3; to: Vec3; radius?: number }
    | { kind: "box"; center: Vec3; size: Vec3; axes?: [Vec3, Vec3, Vec3] }
    | { kind: "cylinder"; from: Vec3; to: Vec3; radius: number }
    | { kind: "sphere"; center: Vec3; radius: number }
    | { kind: "disc"; center: Vec3; radius: number; axis?: Vec3; thickness?: number }
    | { kind: "wheel"; from: Vec3; to: Vec3; radius: number }
    | { kind: "polygon"; points: Vec3[] }
    | { kind: "points"; points: Vec3[]; masses?: number[] }
    | { kind: "mesh"; vertices: number[] | Stored; triangles: number[] | Stored }); // Stored counts vertices, triangles

export interface BodyDef {
    name: string;
    mass: number;
    center: Vec3;
    inertia?: number[]; // xx yy zz xy xz yz about the center
    points: Vec3[]; // where joints, springs, forces and probes hold it
    shapes: Shape[];
    mesh?: string;
}

/** Frames of an elastic body between two corners, in order: d1 (along the beam) and d2 in the model configuration, of all or of each. */
export interface PieceDef { first: number; count: number; axes: [Vec3, Vec3][] }
/** Its frames are the bodies first ... first + count - 1. Sections: height along d2, width along d3, or a diameter; none: not known. */
export interface ElasticDef {
    name: string;
    kind: string;
    first: number;
    count: number;
    mass?: number;
    degree?: number;
    height?: number;
    width?: number;
    diameter?: number;
    pieces?: PieceDef[];
}

/** -1 is ground. `at`, `axis`, `reference` belong to body a, the same with _b to body b: a model may be roughly assembled. */
export interface JointDef {
    name: string;
    kind: string;
    a: number;
    b: number;
    at?: Vec3;
    at_b?: Vec3;
    axis?: Vec3;
    axis_b?: Vec3;
    reference?: Vec3;
    reference_b?: Vec3;
    normal?: Vec3;
    to?: Vec3; // rod: its end on body b
    length?: number;
    pitch?: number;
    variables?: string[];
    driven?: boolean;
    free?: boolean; // only measures
    curve?: Vec3[]; // of body a, about `at`: the outline of a cam, or a track
    closed?: boolean; // its last point is followed by the first
    roller?: number; // radius, about at_b
    face?: Vec3; // normal of a flat face of body b through at_b, away from the cam
    gear?: { joints: number[]; variables: string[]; ratio?: number }; // two joints; of planetary gears three: sun, ring, carrier
}

export interface SpringDef {
    name: string;
    kind: string;
    a: number;
    b: number;
    at?: Vec3;
    to?: Vec3;
    joint?: number; // rotational: about the axis of this joint
    axis?: Vec3;
    free?: number | null;
    damped?: boolean;
}

export interface ForceDef { name: string; kind: string; body: number; at?: Vec3; axis?: Vec3 }
export interface ProbeDef { name: string; body: number; at: Vec3; mesh?: string }
export interface DriverDef { name: string; joint: number; variable: string }
/**
 * Surfaces that may touch: `at` on body a, `to` on body b, the first axes of both; radii by kind; a height profile from end to end. Of a
 * stop: its variable and bound. Of `surfaces` (many shapes, by time stepping): those that are planes, and bodies that do not touch them;
 * without b all others do.
 */
export interface ContactDef {
    name: string;
    kind: string;
    a?: number;
    b?: number;
    at?: Vec3;
    to?: Vec3;
    axes?: [Vec3, Vec3];
    radii?: number[];
    curve?: Vec3[];
    variable?: string;
    lower?: number;
    upper?: number;
    planes?: { body: number; at: Vec3; normal: Vec3 }[];
    except?: number[];
}
export interface GroupDef { name: string; class?: number; bodies: number[]; joints: number[]; inputs?: string[] }

export interface SceneDef {
    dimension: 2 | 3;
    gravity: Vec3;
    size: number;
    bodies: BodyDef[];
    ground?: { shapes: Shape[] };
    elastic?: ElasticDef[];
    joints: JointDef[];
    springs: SpringDef[];
    forces: ForceDef[];
    probes: ProbeDef[];
    drivers: DriverDef[];
    contacts?: ContactDef[];
    groups?: GroupDef[];
    redundant?: { joint: number; text: string }[];
}

export interface EventDef { t: number | null; kind: string; text: string; part: string }

export interface Coded { block: string; bits: number; order: number }
export interface FramesDef { count: number; time: string; poses: Coded & { size: number; origin: Vec3 } }

export interface CurveDef {
    name: string;
    quantity: string;
    unit: string;
    part: string;
    of: string;
    block: string;
    at: number;
    count: number;
    time: string;
}

export interface FieldDef extends Coded { name: string; unit: string; components: number; low: number[]; step: number[] }
export interface MeshDef {
    name: string;
    body: number;
    dimension: number;
    vertices: Stored;
    triangles: Stored;
    edges: Stored;
    nodes?: Stored; // numbers of the first vertices; others are in the middle of faces
    time: string;
    frames: number;
    fields: FieldDef[];
}

export interface OrderingDef { name: string; rows: string; columns: string; blocks?: string; border: number; band: number }
export interface PatternDef {
    rows: number;
    columns: number;
    row_start: string;
    column: string;
    orderings: OrderingDef[];
    row_names?: string[];
    column_names?: string[];
}

export interface InfoDef {
    model: string;
    file: string;
    text: string;
    study: string;
    status: string;
    error?: { what: string; advice?: string; part?: string; equation?: string; time?: number };
    command?: string;
    overrides?: string;
    biela_version: string;
    coordinates: string;
    formulation: string;
    integrator: string;
    linsol: string;
    ordering: string;
    tolerance: number;
    step: number;
    until: number;
    reached: number;
    degrees_of_freedom: number;
    statistics: Record<string, number>;
    mobility?: string[];
    findings?: { level: string; part: string; text: string }[];
    inside_missing?: string;
}

export interface RunDef {
    label: string;
    scene: SceneDef;
    info: InfoDef;
    events: EventDef[];
    frames: FramesDef;
    curves: CurveDef[];
    meshes?: MeshDef[];
    pattern?: PatternDef;
    groups?: { order: GroupDef[]; text: string[] };
    thinned?: { from: number; frames: number; buckets: number };
}

/** runs: number of the run of each row, -1: none; without it those whose cells have its label. note: lines. */
export interface ComparisonDef { columns: string[]; rows: (string | number | null)[][]; runs?: number[]; note?: string }

export interface HeaderDef {
    format: number;
    version: string;
    title: string;
    runs: RunDef[];
    comparison?: ComparisonDef;
}
