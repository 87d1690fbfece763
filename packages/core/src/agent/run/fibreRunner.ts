import { Effect, FiberMap, Latch, Layer } from "effect"
import { GenerationExecutor, GenerationRunner } from "../GenerationRunner.ts"

/**
 * Runs generations as fibres of one process. After the process stops, a restarted or another process continues the
 * generations.
 */
export const layerFibreRunner: Layer.Layer<GenerationRunner, never, GenerationExecutor> = Layer.effect(
  GenerationRunner,
  Effect.gen(function*() {
    const { execute } = yield* GenerationExecutor
    const fibres = yield* FiberMap.make<number, unknown>()
    const haltLatches = new Map<number, Latch.Latch>()
    const sendHalt = (generation: number) => Effect.sync(() => haltLatches.get(generation)?.openUnsafe())
    const runGeneration = (generation: number) => {
      const latch = Latch.makeUnsafe(false)
      const halted = Effect.tap(latch.await, () => Effect.sync(() => latch.closeUnsafe()))
      return Effect.sync(() => void haltLatches.set(generation, latch)).pipe(
        Effect.andThen(execute(generation, halted)),
        Effect.catchCause((cause) => Effect.logWarning(`The runner of generation ${generation} failed`, cause)),
        Effect.ensuring(Effect.sync(() => void haltLatches.delete(generation)))
      )
    }
    return GenerationRunner.of({
      ready: Effect.void,
      wake: (generation) =>
        Effect.asVoid(FiberMap.run(fibres, generation, runGeneration(generation), { onlyIfMissing: true })),
      halt: (generation) => Effect.asVoid(sendHalt(generation))
    })
  })
)
