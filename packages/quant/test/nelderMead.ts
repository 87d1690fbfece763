interface Vertex {
  readonly point: ReadonlyArray<number>
  readonly value: number
}

/** Nelder and Mead's simplex search in its textbook form, for comparison with the package's optimiser. */
export function nelderMead(
  f: (x: ReadonlyArray<number>) => number,
  start: ReadonlyArray<number>,
  steps: number
): Vertex {
  const makeVertex = (point: ReadonlyArray<number>): Vertex => ({ point, value: f(point) })
  const n = start.length
  let simplex = [start, ...start.map((_, i) => start.map((x, j) => (j === i ? x + 0.3 : x)))].map(makeVertex)
  for (let step = 0; step < steps; step++) {
    simplex.sort((a, b) => a.value - b.value)
    const worst = simplex[n]!
    const centre = start.map((_, j) => simplex.slice(0, n).reduce((sum, { point }) => sum + point[j]! / n, 0))
    const makeVertexAlong = (share: number): Vertex =>
      makeVertex(centre.map((c, j) => c + share * (worst.point[j]! - c)))
    const reflectedVertex = makeVertexAlong(-1)
    if (reflectedVertex.value < simplex[0]!.value) {
      const expanded = makeVertexAlong(-2)
      simplex[n] = expanded.value < reflectedVertex.value ? expanded : reflectedVertex
    } else if (reflectedVertex.value < simplex[n - 1]!.value) simplex[n] = reflectedVertex
    else {
      const contracted = makeVertexAlong(reflectedVertex.value < worst.value ? -0.5 : 0.5)
      if (contracted.value < Math.min(worst.value, reflectedVertex.value)) simplex[n] = contracted
      else {
        const best = simplex[0]!
        simplex = [
          best,
          ...simplex.slice(1).map(({ point }) => makeVertex(point.map((x, j) => 0.5 * (x + best.point[j]!))))
        ]
      }
    }
  }
  return simplex.reduce((best, next) => (next.value < best.value ? next : best))
}
