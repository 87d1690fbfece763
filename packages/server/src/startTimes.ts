import { Effect, Layer } from "effect"

/** A part of the server's start, in whole ms since the process began. Parts may run concurrently. */
interface Part {
  readonly name: string
  readonly from: number
  readonly to: number
}

const parts: Array<Part> = []

const note = (name: string, from: number): void => {
  parts.push({ name, from: Math.round(from), to: Math.round(performance.now()) })
}

/** Records the time from the end of Node's own start until now as one part. */
export const begun = (name: string): void => note(name, performance.nodeTiming.bootstrapComplete)

/** Records when an effect ran. */
export const timed = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const from = performance.now()
    return Effect.tap(effect, () => Effect.sync(() => note(name, from)))
  })

/** Records when a layer was built, without the layers that are provided to it. */
export const timedLayer = <A, E, R>(name: string, layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(timed(name, Layer.build(layer)))

/** The recorded parts, after Node's own start. */
export const partsOfStart = (): ReadonlyArray<Part> => [
  { name: "node", from: 0, to: Math.round(performance.nodeTiming.bootstrapComplete) },
  ...parts
]
