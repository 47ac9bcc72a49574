// What the plane is drawn with. Two backs: Canvas 2D for the screen, SVG text for papers.
// Pixels, y down, angles in rad clockwise on the screen.

export interface Stroke { color: string; width: number; dash?: number[]; cap?: "round" | "butt"; join?: "round" | "miter"; alpha?: number }
export interface Fill { color: string; alpha?: number }
export interface TextStyle {
    color: string;
    size: number;
    weight?: number;
    align?: "left" | "center" | "right";
    base?: "top" | "middle" | "bottom";
    halo?: { color: string; width: number };
}

export interface Pen {
    /** Starts a path; what follows belongs to it until the next one. */
    path(): Pen;
    moveTo(x: number, y: number): Pen;
    lineTo(x: number, y: number): Pen;
    /** Joins on with a line as canvas does. */
    arc(x: number, y: number, radius: number, from: number, to: number, counter?: boolean): Pen;
    curveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): Pen;
    close(): Pen;
    fill(style: Fill): Pen;
    stroke(style: Stroke): Pen;
    text(x: number, y: number, text: string, style: TextStyle): Pen;
    /** Everything until leave() belongs together: in SVG a group with this class. */
    enter(name: string): Pen;
    leave(): Pen;
}
