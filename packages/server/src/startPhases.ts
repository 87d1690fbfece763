import { Effect, Layer } from "effect"

/** A part of the server's start, in whole ms since the process began. Parts may run concurrently. */
interface StartPhase {
  readonly name: string
  readonly from: number
  readonly to: number
}

const phases: Array<StartPhase> = []

const recordPhase = (name: string, startedAtMs: number): void => {
  phases.push({ name, from: Math.round(startedAtMs), to: Math.round(performance.now()) })
}

/** Records the time from the end of Node's own start until now as one part. */
export const recordPhaseFromBootstrap = (name: string): void =>
  recordPhase(name, performance.nodeTiming.bootstrapComplete)

/** Records when an effect ran. */
export const measurePhase = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const startedAtMs = performance.now()
    return Effect.tap(effect, () => Effect.sync(() => recordPhase(name, startedAtMs)))
  })

/** Records when a layer was built, without the layers that are provided to it. */
export const measureLayer = <A, E, R>(name: string, layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(measurePhase(name, Layer.build(layer)))

/** The recorded parts, after Node's own start. */
export const startPhases = (): ReadonlyArray<StartPhase> => [
  { name: "node", from: 0, to: Math.round(performance.nodeTiming.bootstrapComplete) },
  ...phases
]
