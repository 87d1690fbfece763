import { Advance, type Generation, GenerationStore } from "@tapeline/core/agent"
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
   * True if a search found the generation before any process took it. Whoever runs it then raises its epoch by two, and
   * the process that started it raises it by one. Others therefore see by whose summons it was taken.
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

/** A generation that this process runs, or whose run elsewhere it watches. */
interface Running {
  readonly latch: Latch.Latch
  readonly over: Deferred.Deferred<void>
  /** Summons of several processes, each of which another process may have answered. */
  readonly summonses: Set<Summons>
}

/** A store that is away is asked again, without end: what is given up here would wait for a sweep. */
const patience = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")])

/** How often one looks at a generation that somebody else holds who may be gone. */
const lookEvery = "500 millis"

/** The parts of a process that `makeLook` uses. */
interface Looking {
  readonly advance: Advance["Service"]["advance"]
  /** See `Runs.layer`. */
  readonly alone: boolean
  readonly generations: GenerationStore["Service"]
  readonly node: string
}

const makeLook = ({ advance, alone, generations, node }: Looking) => {
  /** One look at the row for one summons. */
  const turn = Effect.fnUntraced(function*(
    { epoch, generation, late = false, node: from }: Summons,
    row: Generation,
    others: Others,
    halted: Effect.Effect<void>
  ): Effect.fn.Return<"Over" | "Waiting", StoreUnavailable> {
    const taken = row.epoch !== epoch
    const isOfSummons = !taken || row.epoch === epoch + (late ? 2 : 1)
    // A summons that outlived its process is of a run that this process may have taken.
    const orphaned = alone || (from !== node && isOfSummons && !(yield* others.lives(from)))
    if (taken && !orphaned) return from === node || !isOfSummons ? "Over" : "Waiting"
    // This summons names the process that sent it. Should this process end, another one must see that it is gone.
    if (!alone && (orphaned || from !== node)) yield* others.claim(generation, row.epoch, late && !taken)
    const epochs = late && !taken && !alone ? 2 : 1
    const advanced = yield* advance(generation, halted, orphaned ? 0 : undefined, epochs)
    return advanced === "Elsewhere" ? "Waiting" : "Over"
  })

  /** One look at the row for every summons; true when there is nothing left to do here. */
  return Effect.fnUntraced(function*(
    generation: number,
    summonses: Set<Summons>,
    others: Others,
    halted: Effect.Effect<void>
  ): Effect.fn.Return<boolean, StoreUnavailable> {
    for (const summons of Array.from(summonses)) {
      const row = yield* generations.find(generation)
      if (row === null || row.state !== "running") summonses.clear()
      else if ((yield* turn(summons, row, others, halted)) === "Over") summonses.delete(summons)
    }
    return summonses.size === 0
  })
}

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
        const running = new Map<number, Running>()
        const fibres = yield* FiberMap.make<number>()
        let stopped = false

        const look = makeLook({ advance, alone, generations, node })

        const begin = (summons: Summons, others: Others) => {
          const { generation } = summons
          const [latch, over, summonses] = [Latch.makeUnsafe(false), Deferred.makeUnsafe<void>(), new Set([summons])]
          const begun = { latch, over, summonses }
          running.set(generation, begun)
          const halted = Effect.tap(latch.await, () => Effect.sync(() => latch.closeUnsafe()))
          const run = Effect.retry(look(generation, summonses, others, halted), patience).pipe(
            Effect.repeat({ schedule: Schedule.spaced(lookEvery), until: (over) => over }),
            Effect.orDie,
            Effect.catchDefect((defect) => {
              summonses.clear()
              return Effect.logError(`The run of generation ${generation} broke off`, defect)
            }),
            // Of a run that was left nobody is told that it is over.
            Effect.andThen(Effect.sync(() => {
              running.delete(generation)
              Deferred.doneUnsafe(over, Effect.void)
            }))
          )
          return Effect.as(FiberMap.run(fibres, generation, run), begun)
        }

        const run = (summons: Summons, others: Others): Effect.Effect<void> =>
          Effect.suspend(() => {
            if (stopped) return Effect.never
            const found = running.get(summons.generation)
            found?.summonses.add(summons)
            const joined = found === undefined ? Effect.uninterruptible(begin(summons, others)) : Effect.succeed(found)
            return Effect.flatMap(joined, ({ over, summonses }) =>
              Effect.andThen(
                Deferred.await(over),
                // It came when the last look was over.
                Effect.suspend(() => summonses.has(summons) ? run(summons, others) : Effect.void)
              ))
          })

        return Runs.of({
          node,
          run,
          has: (generation) => running.has(generation),
          halt: (generation) => running.get(generation)?.latch.openUnsafe(),
          stop: Effect.suspend(() => {
            stopped = true
            return FiberMap.clear(fibres)
          })
        })
      })
    )
}
