import { Advance, GenerationStore } from "@tapeline/core/agent"
import type { StoreUnavailable } from "@tapeline/core/store"
import { Context, Deferred, Effect, FiberMap, Latch, Layer, Schedule } from "effect"

/** That a generation is to be run, as it was found by whoever says so. */
export interface Summons {
  readonly generation: number
  /** Its epoch then: whoever takes it because of this takes it to the next. */
  readonly epoch: number
  /** The process that said so. */
  readonly node: string
  /**
   * True if a search found the generation before any process took it. Whoever runs it takes it twice then. So its epoch
   * differs from the epoch that the process takes it to that started it, and nobody mistakes one for the other.
   */
  readonly late?: boolean
}

/** What a run has to do with other processes. */
export interface Others {
  /** Whether a process lives. */
  readonly lives: (node: string) => Effect.Effect<boolean>
  /** Records that this process takes a generation that another process asked for, so that a third one can take over. */
  readonly claim: (generation: number, epoch: number, late: boolean) => Effect.Effect<void>
}

/** A store that is away is asked again, without end: what is given up here would wait for a sweep. */
const patience = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")])

/** How often one looks at a generation that somebody else holds who may be gone. */
const lookEvery = "500 millis"

/** What this process runs. */
export class Runs extends Context.Service<Runs, {
  /** The process, as its summons have it. */
  readonly node: string
  readonly has: (generation: number) => boolean
  /**
   * Runs a generation, and returns when it has ended, or is somebody else's. Whoever waits for that may leave: the run
   * goes on.
   */
  readonly run: (summons: Summons, others: Others) => Effect.Effect<void>
  readonly halt: (generation: number) => void
  /** Leaves all that runs, for others; nothing runs here from then on. */
  readonly stop: Effect.Effect<void>
}>()("@tapeline/cluster/Runs") {
  /** `alone`: no other process runs generations of this store, so that what this one does not run nobody runs. */
  static readonly layer = (alone: boolean): Layer.Layer<Runs, never, Advance | GenerationStore> =>
    Layer.effect(
      Runs,
      Effect.gen(function*() {
        const [{ advance }, generations] = yield* Effect.all([Advance, GenerationStore])
        const node = crypto.randomUUID()
        const running = new Map<number, { readonly look: Latch.Latch; readonly over: Deferred.Deferred<void> }>()
        const fibres = yield* FiberMap.make<number>()
        let stopped = false

        /** One look at the row, and what follows from it; true when there is nothing left to do here. */
        const turn = Effect.fnUntraced(function*(
          { epoch, generation, late = false, node: from }: Summons,
          others: Others,
          halted: Effect.Effect<void>
        ): Effect.fn.Return<boolean, StoreUnavailable> {
          const row = yield* generations.find(generation)
          if (row === null || row.state !== "running") return true
          const taken = row.epoch !== epoch
          const isOfSummons = !taken || row.epoch === epoch + (late ? 2 : 1)
          // A summons that outlived its process is of a run that this process may have taken.
          const orphaned = alone || (from !== node && isOfSummons && !(yield* others.lives(from)))
          if (taken && !orphaned && (from === node || !isOfSummons)) return true
          // This summons names the process that sent it. Should this process end, another one must see that it is gone.
          if (!alone && (orphaned || (!taken && from !== node))) {
            yield* others.claim(generation, row.epoch, late && !taken)
          }
          if (taken && !orphaned) return false
          const twice = late && !taken && !alone
          if (twice && (yield* generations.take(generation, Number.MAX_SAFE_INTEGER)) === null) return false
          return (yield* advance(generation, halted, orphaned || twice ? 0 : undefined)) !== "Elsewhere"
        })

        const begin = (summons: Summons, others: Others) => {
          const { generation } = summons
          const [look, over] = [Latch.makeUnsafe(false), Deferred.makeUnsafe<void>()]
          running.set(generation, { look, over })
          const halted = Effect.tap(look.await, () => Effect.sync(() => look.closeUnsafe()))
          const run = Effect.retry(turn(summons, others, halted), patience).pipe(
            Effect.repeat({ schedule: Schedule.spaced(lookEvery), until: (over) => over }),
            Effect.orDie,
            Effect.catchDefect((defect) => Effect.logError(`The run of generation ${generation} broke off`, defect)),
            Effect.ensuring(Effect.sync(() => void running.delete(generation))),
            // Of a run that was left nobody is told that it is over.
            Effect.andThen(Deferred.succeed(over, undefined))
          )
          return Effect.as(FiberMap.run(fibres, generation, run), over)
        }

        const run = (summons: Summons, others: Others): Effect.Effect<void> =>
          Effect.suspend(() => {
            if (stopped) return Effect.never
            const over = running.get(summons.generation)?.over
            return over === undefined
              ? Effect.flatMap(Effect.uninterruptible(begin(summons, others)), Deferred.await)
              // What another summons came to is nothing that this one must come to.
              : Effect.andThen(Deferred.await(over), run(summons, others))
          })

        return Runs.of({
          node,
          run,
          has: (generation) => running.has(generation),
          halt: (generation) => running.get(generation)?.look.openUnsafe(),
          stop: Effect.suspend(() => {
            stopped = true
            return FiberMap.clear(fibres)
          })
        })
      })
    )
}
