// Where vertices of parts go. Everything but the table of poses stays as it is once made: a frame costs one small texture.
// The table has three cells per row: quaternion (x y z w), position and 1 if it is shown, color (linear).

/** Cells of a row; rows are laid out 256 in a line, since textures are limited in height. */
export const CELLS = 3, LINE = 256;

export const tableCode = `
uniform highp sampler2D poses;
vec4 cell(float row, int column) {
    int r = int(row + 0.5);
    return texelFetch(poses, ivec2(${CELLS} * (r % ${LINE}) + column, r / ${LINE}), 0);
}
vec3 turned(vec4 q, vec3 v) {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
}
`;

const attributes = `
attribute vec3 side;
attribute vec4 at;
attribute vec4 turn;
attribute vec4 goal;
attribute vec3 size;
attribute vec3 stretch;
attribute vec3 look;
`;

/** place() by define: parts on one row; LINK: between two rows; SKIN: triangles of a body. */
const place = `
#if defined(COIL) || defined(SPIRAL)
// the middle of the wire at fraction u of its length, in the frame of the link (y along it)
vec3 middle(float u, float span, float angle) {
#ifdef SPIRAL
    float phi = u * (6.2831853 * turn.z + angle);
    return mix(turn.x, turn.y, u) * vec3(cos(phi), 0.0, -sin(phi));
#else
    float ends = max(turn.w, 0.0), phi = 6.2831853 * (turn.z * clamp((u - ends) / (1.0 - 2.0 * ends), 0.0, 1.0) - min(turn.w, 0.0));
    float radius = turn.x;
    if (ends > 0.0)
        radius *= smoothstep(0.5 * ends, 1.25 * ends, u) * smoothstep(0.5 * ends, 1.25 * ends, 1.0 - u);
    return vec3(radius * cos(phi), u * span, radius * sin(phi));
#endif
}
#endif
void place(out vec3 p, out vec3 n, out float shown) {
    vec4 q = cell(at.w, 0), x = cell(at.w, 1);
    shown = x.w;
#ifdef LINK
    vec3 from = x.xyz + turned(q, at.xyz), e1 = turned(q, stretch);
    vec4 other = cell(goal.w, 0), place_b = cell(goal.w, 1);
    shown = min(shown, place_b.w);
#ifdef SPIRAL
    vec3 e2 = turned(q, goal.xyz);
    float span = 0.0;
    // angle of the second row about the axis as the first one sees it
    vec4 r = vec4(q.w * other.xyz - other.w * q.xyz - cross(q.xyz, other.xyz), q.w * other.w + dot(q.xyz, other.xyz));
    float angle = 2.0 * atan(dot(r.xyz, goal.xyz), r.w), wire = turn.w;
    if (angle > 3.14159265) angle -= 6.2831853;
    if (angle < -3.14159265) angle += 6.2831853;
#else
    vec3 e2 = place_b.xyz + turned(other, goal.xyz) - from;
    float span = length(e2), angle = 0.0, wire = turn.y;
    e2 /= max(span, 1e-20);
#endif
    e1 = normalize(e1 - e2 * dot(e1, e2));
    vec3 e3 = cross(e1, e2), v, m;
#if defined(COIL) || defined(SPIRAL)
    float u = position.x;
    vec3 c = middle(u, span, angle), t = normalize(middle(u + 1e-3, span, angle) - middle(u - 1e-3, span, angle));
    vec3 a = abs(t.y) > 0.99 ? vec3(1.0, 0.0, 0.0) : vec3(c.x, 0.0, c.z);
    if (dot(a, a) < 1e-12) a = vec3(1.0, 0.0, 0.0);
    a = normalize(a - t * dot(a, t));
    vec3 b = cross(a, t);
    m = a * position.y + b * position.z;
    v = c + wire * m;
#elif defined(HEAD)
    m = normal;
#ifndef OUTLINE
    if (abs(m.y) < 0.5)
        m.y = turn.x / max(span, 1e-20);
    m = normalize(m);
#endif
    v = vec3(turn.x * (1.0 - position.y) * position.x, span * position.y, turn.x * (1.0 - position.y) * position.z);
#else
    m = normal;
    v = vec3(turn.x * position.x, span * mix(turn.y, turn.z, 0.5 + 0.5 * side.y), turn.x * position.z);
#endif
    p = from + e1 * v.x + e2 * v.y + e3 * v.z;
    n = e1 * m.x + e2 * m.y + e3 * m.z;
#elif defined(SKIN)
    p = x.xyz + turned(q, position);
    n = turned(q, normal);
#else
    vec3 v = position * size + side * stretch, m = normal;
#ifdef CONE
    v = position * size;
    v.xz *= mix(1.0, stretch.x, position.y);
#endif
#ifndef OUTLINE
#ifdef CONE
    if (abs(m.y) < 0.5)
        m.y = (1.0 - stretch.x) * size.x / size.y;
#else
    m /= size;
#endif
    m = normalize(m);
#endif
    p = x.xyz + turned(q, at.xyz + turned(turn, v));
    n = turned(q, turned(turn, m));
#endif
    if (shown < 0.5)
        p = x.xyz;
}
`;

export const vertexCode = attributes + tableCode + place;

/** Taken into the shaders of three: declarations before main, then normal, position and color. */
export function dressVertex(source: string): string {
    return source
        .replace("void main() {", `${vertexCode}
            varying vec4 vTint;
            varying vec3 vPart;
            void main() {
                vec3 movedPoint, facing;
                float shown;
                place(movedPoint, facing, shown);
                vTint = vec4(cell(look.x, 2).rgb, look.y);
                vPart = position * size;
        `)
        .replace("#include <beginnormal_vertex>", "vec3 objectNormal = facing;")
        .replace("#include <begin_vertex>", "vec3 transformed = movedPoint;");
}

/** HATCHED: strokes at 45 degrees over all faces alike, `stroke` apart. */
export function dressFragment(source: string): string {
    return source
        .replace("void main() {", `
            varying vec4 vTint;
            varying vec3 vPart;
            uniform float stroke;
            uniform vec3 strokeColor;
            void main() {`)
        .replace("#include <color_fragment>", `
            diffuseColor = vec4(vTint.rgb, vTint.a * opacity);
            #ifdef QUARTERED
                if (vPart.x * vPart.y * vPart.z > 0.0) diffuseColor.rgb = strokeColor;
            #endif
            #ifdef HATCHED
                float s = (1.15 * vPart.x + vPart.y + 0.4 * vPart.z) / stroke, soft = fwidth(s);
                float line = 1.0 - smoothstep(0.15 - soft, 0.15 + soft, abs(fract(s) - 0.5));
                diffuseColor.rgb = mix(diffuseColor.rgb, strokeColor, mix(line, 0.3, clamp(2.0 * soft - 0.3, 0.0, 1.0)));
            #endif
        `);
}

/**
 * Back faces pushed outward by `width` pixels on the screen; what is selected twice as far, in the accent. Normals of corners are long
 * enough that each face at them moves by 1, so their part across the view direction is the displacement in pixels.
 */
export const outlineVertex = `
uniform vec2 screen;
uniform float width;
uniform vec3 ink;
uniform vec3 accent;
varying vec3 vInk;
${vertexCode}
void main() {
    vec3 p, n;
    float shown;
    place(p, n, shown);
    vec4 c = projectionMatrix * viewMatrix * vec4(p, 1.0);
    if (shown > 0.5)
        c.xy += (viewMatrix * vec4(n, 0.0)).xy * (look.z > 0.5 ? 2.0 : 1.0) * width * 2.0 / screen * c.w;
    vInk = look.z > 0.5 ? accent : ink;
    gl_Position = c;
}
`;

export const outlineFragment = `
varying vec3 vInk;
void main() {
    gl_FragColor = vec4(vInk, 1.0);
    #include <colorspace_fragment>
}
`;
