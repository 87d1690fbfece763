import { Effect, FiberMap, Latch, Layer } from "effect"
import { Advance } from "../Advance.ts"
import { GenerationRunner } from "../GenerationRunner.ts"

/**
 * Runs generations as fibres of this process. They end with the process. A sweep continues them after a restart, or in
 * another process on the same stores.
 */
export const layerFibreRunner: Layer.Layer<GenerationRunner, never, Advance> = Layer.effect(
  GenerationRunner,
  Effect.gen(function*() {
    const { advance } = yield* Advance
    const fibres = yield* FiberMap.make<number, unknown>()
    const halts = new Map<number, Latch.Latch>()
    const halt = (generation: number) => Effect.sync(() => halts.get(generation)?.openUnsafe())
    const run = (generation: number) => {
      const latch = Latch.makeUnsafe(false)
      const halted = Effect.tap(latch.await, () => Effect.sync(() => latch.closeUnsafe()))
      return Effect.sync(() => void halts.set(generation, latch)).pipe(
        Effect.andThen(advance(generation, halted)),
        Effect.catchCause((cause) => Effect.logWarning(`The run of generation ${generation} broke off`, cause)),
        Effect.ensuring(Effect.sync(() => void halts.delete(generation)))
      )
    }
    return GenerationRunner.of({
      ready: Effect.void,
      wake: (generation) => Effect.asVoid(FiberMap.run(fibres, generation, run(generation), { onlyIfMissing: true })),
      halt: (generation) => Effect.asVoid(halt(generation))
    })
  })
)
