import { Advance, GenerationStore } from "@tapeline/core/agent"
import type { StoreUnavailable } from "@tapeline/core/store"
import { Context, Effect, Latch, Layer, Schedule } from "effect"

/** That a generation is to be run, as it was found by whoever says so. */
export interface Summons {
  readonly generation: number
  /** Its epoch then: whoever takes it because of this takes it to the next. */
  readonly epoch: number
  /** The process that said so. */
  readonly node: string
}

/** A store that is away is asked again, without end: what is given up here would wait for a sweep. */
const patience = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")])
const asOftenAsNeeded = <A>(effect: Effect.Effect<A, StoreUnavailable>): Effect.Effect<A> =>
  Effect.orDie(Effect.retry(effect, patience))

/** How often one looks at a generation that somebody else holds who may be gone. */
const lookEvery = "500 millis"

/** What this process runs. */
export class Runs extends Context.Service<Runs, {
  /** The process, as its summons have it. */
  readonly node: string
  readonly has: (generation: number) => boolean
  /** Runs a generation to its end, or until it is somebody else's. Fails never, and is not to be asked again. */
  readonly run: (summons: Summons) => Effect.Effect<void>
  readonly halt: (generation: number) => void
}>()("@tapeline/cluster/Runs") {
  /** `alone`: no other process runs generations of this store, so that what this one does not run nobody runs. */
  static readonly layer = (alone: boolean): Layer.Layer<Runs, never, Advance | GenerationStore> =>
    Layer.effect(
      Runs,
      Effect.gen(function*() {
        const [{ advance }, generations] = yield* Effect.all([Advance, GenerationStore])
        const node = crypto.randomUUID()
        const halts = new Map<number, Latch.Latch>()

        const turns = ({ epoch, generation, node: from }: Summons, halted: Effect.Effect<void>) =>
          Effect.gen(function*() {
            for (;;) {
              const row = yield* asOftenAsNeeded(generations.find(generation))
              if (row === null || row.state !== "running") return
              // A summons that outlived its process is of a run that the process may have taken.
              const orphaned = alone || (from !== node && row.epoch === epoch + 1)
              if (row.epoch !== epoch && !orphaned) return
              const advanced = yield* asOftenAsNeeded(advance(generation, halted, orphaned ? 0 : undefined))
              if (advanced !== "Elsewhere") return
              yield* Effect.sleep(lookEvery)
            }
          })

        return Runs.of({
          node,
          has: (generation) => halts.has(generation),
          halt: (generation) => halts.get(generation)?.openUnsafe(),
          run: (summons) =>
            Effect.suspend(() => {
              const { generation } = summons
              if (halts.has(generation)) return Effect.void
              const latch = Latch.makeUnsafe(false)
              halts.set(generation, latch)
              const halted = Effect.tap(latch.await, () => Effect.sync(() => latch.closeUnsafe()))
              return turns(summons, halted).pipe(
                Effect.ensuring(Effect.sync(() => void halts.delete(generation))),
                Effect.catchDefect((defect) => Effect.logError(`The run of generation ${generation} broke off`, defect))
              )
            })
        })
      })
    )
}
