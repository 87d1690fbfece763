import { type Advance, GenerationRunner, GenerationStore } from "@tapeline/core/agent"
import { Context, Effect, Exit, FiberMap, Layer, Schedule, Scope, Stream } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { ClusterTiming } from "./ClusterTiming.ts"
import type { Placement } from "./Placement.ts"
import { Runs } from "./Runs.ts"
import { makeShardReadiness } from "./shardReadiness.ts"

export { ClusterTiming } from "./ClusterTiming.ts"

/** Notifies other processes that they must check a generation. A lost notification only causes a delay. */
export interface Halts {
  readonly tell: (generation: number) => Effect.Effect<void>
  readonly told: Stream.Stream<number>
}

export interface ClusterRunnerOptions {
  /** Whether one process or many run generations of the same stores. */
  readonly nodes: "one" | "many"
  /** Omitted if there is only one process. */
  readonly halts?: Halts
}

const most = 1_000

type House = Context.Context<Placement>

/**
 * Loads and builds the engine. A single process does this only when the engine is first needed, so that an unused
 * analyst costs nothing.
 */
const build = (nodes: "one" | "many", runs: Runs["Service"]) =>
  Effect.gen(function*() {
    const timing = yield* ClusterTiming
    const [{ layerEngine }, { Placement }, { prune }] = yield* Effect.promise(() =>
      Promise.all([import("./house.ts"), import("./Placement.ts"), import("./prune.ts")])
    )
    const house: House = yield* Layer.build(
      Placement.layer.pipe(
        Layer.provide(layerEngine(nodes, runs.node, timing)),
        Layer.provide(Layer.succeed(Runs, runs))
      )
    )
    yield* Effect.forkScoped(prune)
    return Context.get(house, Placement)
  })

/** Retries `building` until it succeeds. A failed try releases all its resources, in particular its connections. */
const entering = Effect.fnUntraced(function*<A, E, R>(building: Effect.Effect<A, E, R>, scope: Scope.Scope) {
  const { lookEveryMs } = yield* ClusterTiming
  const once = Effect.acquireUseRelease(
    Scope.fork(scope),
    (own) => Effect.provideService(building, Scope.Scope, own),
    (own, exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(own, exit)
  )
  return yield* once.pipe(
    Effect.tapCause((cause) => Effect.logWarning("The cluster cannot be entered yet", cause)),
    Effect.sandbox,
    Effect.retry(Schedule.spaced(lookEveryMs)),
    Effect.orDie
  )
})

/**
 * `GenerationRunner` on Effect's workflow engine and cluster. Processes communicate only through the database and open
 * no sockets to each other.
 *
 * A generation runs on the process that requested it. If that process ends, is killed or freezes, the cluster gives the
 * run to another process, or to the same one after it returns. The generation's row records the completed work; the
 * engine's records are not used.
 */
export const layerClusterRunner = (
  { halts, nodes }: ClusterRunnerOptions
): Layer.Layer<GenerationRunner, never, Advance | GenerationStore | SqlClient> =>
  Layer.effect(
    GenerationRunner,
    Effect.gen(function*() {
      const [generations, runs, scope] = yield* Effect.all([GenerationStore, Runs, Effect.scope])
      const context = yield* Effect.context<GenerationStore | SqlClient>()
      const placement = yield* Effect.cached(
        Effect.provideContext(entering(build(nodes, runs), scope), context)
      )
      let entered: Placement["Service"] | undefined
      const placing = yield* FiberMap.make<number>()
      const place = (generation: number, abandoned: boolean) =>
        placement.pipe(
          Effect.flatMap(({ place }) => place(generation, abandoned)),
          // The engine reports an unavailable database as a defect.
          Effect.sandbox,
          Effect.retry({ schedule: Schedule.exponential("50 millis"), times: 6 }),
          Effect.catch((cause) => Effect.logWarning(`Generation ${generation} could not be placed`, cause))
        )
      // Every sweep wakes a generation again while it is being placed.
      const wake = (generation: number, { abandoned } = { abandoned: false }) =>
        Effect.suspend(() =>
          runs.has(generation)
            ? Effect.void
            : Effect.asVoid(FiberMap.run(placing, generation, place(generation, abandoned), { onlyIfMissing: true }))
        )

      const join = Effect.map(placement, (joined) => {
        entered = joined
      })
      if (halts !== undefined) {
        yield* Effect.forkScoped(Stream.runForEach(halts.told, (id) => Effect.sync(() => runs.halt(id))))
      }
      yield* Effect.forkScoped(
        nodes === "many" ? join : Effect.gen(function*() {
          // Only this process can have run these generations, and it has just started.
          const left = yield* Effect.retry(
            generations.abandoned({ staleMs: 0, untakenMs: 0, limit: most }),
            Schedule.spaced("1 second")
          )
          yield* Effect.forEach(left, ({ id }) => wake(id), { discard: true })
        })
      )
      return GenerationRunner.of({
        ready: nodes === "one" ? Effect.void : makeShardReadiness(() => entered),
        wake,
        // The local run may only wait for another process that runs the generation. Other processes are therefore
        // notified too.
        halt: (generation) =>
          Effect.andThen(Effect.sync(() => runs.halt(generation)), halts?.tell(generation) ?? Effect.void)
      })
    })
  ).pipe(Layer.provide(Runs.layer(nodes === "one")))
