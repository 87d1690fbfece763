import { type Advance, GenerationRunner, GenerationStore } from "@tapeline/core/agent"
import { Context, Effect, Exit, FiberMap, Layer, Schedule, Scope, Stream } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { ClusterTiming } from "./ClusterTiming.ts"
import type { Placement } from "./Placement.ts"
import { Runs } from "./Runs.ts"
import { makeShardReadiness } from "./shardReadiness.ts"

export { ClusterTiming } from "./ClusterTiming.ts"

/** How processes tell one another to look at a generation. What is lost costs time and nothing else. */
export interface Halts {
  readonly tell: (generation: number) => Effect.Effect<void>
  readonly told: Stream.Stream<number>
}

export interface ClusterRunnerOptions {
  /** Whether other processes run generations of the same stores. */
  readonly nodes: "one" | "many"
  /** Left out where there is one process. */
  readonly halts?: Halts
}

const most = 1_000

type House = Context.Context<Placement>

/** The engine, loaded and built when it is first needed: an analyst that is asked nothing costs nothing. */
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

/** Tried until it succeeds; a try that fails leaves nothing behind, no connection above all. */
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
 * `GenerationRunner` on effect's workflow and cluster, over the database alone: processes have no sockets to each
 * other. A generation runs where it was asked for. When its process ends, is killed or stands still, the cluster gives
 * the run to another one, or to the same one when it is there again; the generation's row, and nothing of the
 * engine's, says what has been done.
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
          // The engine says as a defect that its database is away.
          Effect.sandbox,
          Effect.retry({ schedule: Schedule.exponential("50 millis"), times: 6 }),
          Effect.catch((cause) => Effect.logWarning(`Generation ${generation} could not be placed`, cause))
        )
      // One that is being placed is woken again by every sweep.
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
          // Nobody but this process can have run them, and it has just begun.
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
        // What runs here may be another's, beside whom this process waits.
        halt: (generation) =>
          Effect.andThen(Effect.sync(() => runs.halt(generation)), halts?.tell(generation) ?? Effect.void)
      })
    })
  ).pipe(Layer.provide(Runs.layer(nodes === "one")))
