import { type GenerationExecutor, GenerationRunner, GenerationStore } from "@tapeline/core/agent"
import { Context, Effect, Exit, FiberMap, Layer, Schedule, Scope, Stream } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { ClusterTiming } from "./ClusterTiming.ts"
import type { Placement } from "./Placement.ts"
import { Runs } from "./Runs.ts"
import { makeReadinessCheck } from "./shardReadiness.ts"

export { ClusterTiming } from "./ClusterTiming.ts"

/**
 * Notifies other processes that a generation was halted. If a notification is lost, the other processes notice the halt
 * later.
 */
export interface HaltNotifier {
  readonly notify: (generation: number) => Effect.Effect<void>
  readonly notifications: Stream.Stream<number>
}

export interface ClusterRunnerOptions {
  readonly nodes: "one" | "many"
  /** Notifies other processes of halts. `halts` is undefined if the cluster has only one process. */
  readonly halts?: HaltNotifier
  /**
   * The client that renews the heartbeat of the process. Its statements must not wait for other statements of the
   * process. By default, the client of all other statements is used.
   */
  readonly renewalClient?: SqlClient | undefined
}

const maxAbandoned = 1_000

type PlacementContext = Context.Context<Placement>

/**
 * Builds the workflow engine. If `nodes` is `one`, the first request builds the workflow engine, so an unused engine
 * costs nothing.
 */
const buildPlacement = ({ nodes, renewalClient }: ClusterRunnerOptions, runs: Runs["Service"]) =>
  Effect.gen(function*() {
    const timing = yield* ClusterTiming
    const [{ layerWorkflowEngine }, { Placement }, { pruneExecutions }] = yield* Effect.promise(() =>
      Promise.all([import("./workflowEngine.ts"), import("./Placement.ts"), import("./executionPruning.ts")])
    )
    const placementContext: PlacementContext = yield* Layer.build(
      Placement.layer.pipe(
        Layer.provide(layerWorkflowEngine(nodes, runs.node, timing, renewalClient)),
        Layer.provide(Layer.succeed(Runs, runs))
      )
    )
    yield* Effect.forkScoped(pruneExecutions)
    return Context.get(placementContext, Placement)
  })

/** Retries `build` until it succeeds; a failed attempt releases all resources of the attempt, such as connections. */
const retryUntilBuilt = Effect.fnUntraced(function*<A, E, R>(build: Effect.Effect<A, E, R>, scope: Scope.Scope) {
  const { pollIntervalMs } = yield* ClusterTiming
  const attempt = Effect.acquireUseRelease(
    Scope.fork(scope),
    (attemptScope) => Effect.provideService(build, Scope.Scope, attemptScope),
    (own, exit) => Exit.isSuccess(exit) ? Effect.void : Scope.close(own, exit)
  )
  return yield* attempt.pipe(
    Effect.tapCause((cause) => Effect.logWarning("The process cannot join the cluster yet", cause)),
    Effect.sandbox,
    Effect.retry(Schedule.spaced(pollIntervalMs)),
    Effect.orDie
  )
})

/**
 * Implements `GenerationRunner` with Effect's workflow engine and cluster. Processes communicate only through the
 * database, and open no sockets to each other.
 * A generation normally runs on the process that requested the run. If the process ends or freezes, the cluster
 * delivers the request to another process.
 */
export const layerClusterRunner = (
  options: ClusterRunnerOptions
): Layer.Layer<GenerationRunner, never, GenerationExecutor | GenerationStore | SqlClient> =>
  Layer.effect(
    GenerationRunner,
    Effect.gen(function*() {
      const { halts, nodes } = options
      const [generations, runs, scope] = yield* Effect.all([GenerationStore, Runs, Effect.scope])
      const context = yield* Effect.context<GenerationStore | SqlClient>()
      const placement = yield* Effect.cached(
        Effect.provideContext(retryUntilBuilt(buildPlacement(options, runs), scope), context)
      )
      let joinedPlacement: Placement["Service"] | undefined
      const placements = yield* FiberMap.make<number>()
      const place = (generation: number, abandoned: boolean) =>
        placement.pipe(
          Effect.flatMap(({ place }) => place(generation, abandoned)),
          // The workflow engine reports an unavailable database as a defect.
          Effect.sandbox,
          Effect.retry({ schedule: Schedule.exponential("50 millis"), times: 6 }),
          Effect.catch((cause) => Effect.logWarning(`Generation ${generation} could not be placed`, cause))
        )
      // Each sweep may call `wake` again for a generation that is still being placed, so a placement is not started
      // twice.
      const wake = (generation: number, { abandoned } = { abandoned: false }) =>
        Effect.suspend(() =>
          runs.has(generation)
            ? Effect.void
            : Effect.asVoid(FiberMap.run(placements, generation, place(generation, abandoned), { onlyIfMissing: true }))
        )

      const joinCluster = Effect.map(placement, (joined) => {
        joinedPlacement = joined
      })
      if (halts !== undefined) {
        yield* Effect.forkScoped(Stream.runForEach(halts.notifications, (id) => Effect.sync(() => runs.halt(id))))
      }
      yield* Effect.forkScoped(
        nodes === "many" ? joinCluster : Effect.gen(function*() {
          // The store belongs to only this process, which has just started, so every running generation was abandoned.
          const abandoned = yield* Effect.retry(
            generations.listAbandoned({ staleMs: 0, untakenMs: 0, limit: maxAbandoned }),
            Schedule.spaced("1 second")
          )
          yield* Effect.forEach(abandoned, ({ id }) => wake(id), { discard: true })
        })
      )
      return GenerationRunner.of({
        ready: nodes === "one" ? Effect.void : makeReadinessCheck(() => joinedPlacement),
        wake,
        // If the local run waits for a run in another process, the other process must be notified too.
        halt: (generation) =>
          Effect.andThen(Effect.sync(() => runs.halt(generation)), halts?.notify(generation) ?? Effect.void)
      })
    })
  ).pipe(Layer.provide(Runs.layer(options.nodes === "one")))
