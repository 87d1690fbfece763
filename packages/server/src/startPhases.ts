import { Effect, Layer } from "effect"

/** A phase of the server's start, in whole ms since the process began. Phases may overlap. */
interface StartPhase {
  readonly name: string
  readonly from: number
  readonly to: number
}

const phases: Array<StartPhase> = []

const recordPhase = (name: string, startedAtMs: number): void => {
  phases.push({ name, from: Math.round(startedAtMs), to: Math.round(performance.now()) })
}

/** Records the time from the end of Node's bootstrap until now as one phase. */
export const recordPhaseFromBootstrap = (name: string): void =>
  recordPhase(name, performance.nodeTiming.bootstrapComplete)

/** Records the time of a successful effect as a phase of the server's start. */
export const measurePhase = <A, E, R>(name: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const startedAtMs = performance.now()
    return Effect.tap(effect, () => Effect.sync(() => recordPhase(name, startedAtMs)))
  })

/**
 * Records the build of a layer as a phase of the server's start. The duration excludes the layers that the measured
 * layer requires.
 */
export const measureLayer = <A, E, R>(name: string, layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.effectContext(measurePhase(name, Layer.build(layer)))

/** Returns the phases of the server's start, beginning with the start of Node. */
export const startPhases = (): ReadonlyArray<StartPhase> => [
  { name: "node", from: 0, to: Math.round(performance.nodeTiming.bootstrapComplete) },
  ...phases
]
