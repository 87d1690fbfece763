import { GenerationStore } from "@tapeline/core/agent"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { Clock, Context, Effect, Layer, Schedule, Schema } from "effect"
import * as EntityId from "effect/cluster/EntityId"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { type RunRequest, Runs } from "./Runs.ts"
import { ShardRenewals } from "./ShardRenewals.ts"

/**
 * The workflow that stores a request to run a generation. The unique execution id determines the shard of the request.
 * Processes of other versions read the stored payload, so the field names must not change.
 */
const RunWorkflow = Workflow.make("Tapeline/Run", {
  payload: {
    generation: Schema.Int,
    epoch: Schema.Int,
    node: Schema.String,
    // A counter that makes the execution id unique.
    turn: Schema.Int,
    // The value of `foundBySweep`, which processes of earlier versions do not send.
    late: Schema.optionalKey(Schema.Boolean)
  },
  idempotencyKey: ({ node, turn }) => `${node}/${turn}`
})

const maxIdAttempts = 256

/**
 * The minimum time in ms between two requests of one process to run the same generation, if a sweep causes the second
 * request. Sweeps find a waiting generation each second. In an overloaded cluster that delivers requests slowly, one
 * request for each sweep would delay the delivery further, until no request arrives in time.
 */
const requestIntervalMs = 20_000

/** The generations whose run the process has requested recently, and whose run has not ended in the process since. */
const makeRecentRequests = (clock: Clock.Clock) => {
  const requestedAt = new Map<number, number>()
  const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  return {
    has: (generation: number): boolean => now() - (requestedAt.get(generation) ?? -Infinity) < requestIntervalMs,
    add: (generation: number): void => {
      requestedAt.delete(generation)
      requestedAt.set(generation, now())
      for (const [oldest, at] of requestedAt) {
        if (now() - at < requestIntervalMs) break
        requestedAt.delete(oldest)
      }
    },
    delete: (generation: number): void => void requestedAt.delete(generation)
  }
}

/** Submits requests to run generations to the workflow engine, and runs the generations that the engine delivers. */
export class Placement extends Context.Service<Placement, {
  /**
   * Requests the run of a generation. If the current process ends, the workflow engine delivers the request to another
   * process. Sweeps pass `abandoned` as true; a sweep causes no new request while a recent request may still be
   * delivered.
   */
  readonly place: (generation: number, abandoned: boolean) => Effect.Effect<void, StoreUnavailable>
  readonly holdsShard: () => boolean
  readonly renewsShards: () => boolean
}>()("@tapeline/cluster/Placement") {
  static readonly layer: Layer.Layer<
    Placement,
    never,
    GenerationStore | Runs | RunnerStorage.RunnerStorage | Sharding.Sharding | ShardRenewals | WorkflowEngine
  > = Layer.effect(
    Placement,
    Effect.gen(function*() {
      const [generations, runs, sharding, renewals] = yield* Effect.all([
        GenerationStore,
        Runs,
        Sharding.Sharding,
        ShardRenewals
      ])
      const runners = yield* RunnerStorage.RunnerStorage
      const engine = yield* WorkflowEngine
      const recentRequests = makeRecentRequests(yield* Clock.Clock)
      const isAlive = (node: string) =>
        runners.getRunners.pipe(
          // After a database outage, the heartbeats of all nodes are old, so an old heartbeat does not prove a failure.
          Effect.map((registered) =>
            !renewals.isSteady() || registered.some(([runner]) => runner.address.host === node)
          ),
          // While the database does not respond, every node counts as alive.
          Effect.catchCause(() => Effect.succeed(true))
        )
      const isLocalShard = (id: string): boolean =>
        sharding.hasShardId(sharding.getShardId(EntityId.make(id), "default"))
      let nextTurn = 0
      const makeLocalPayload = ({ foundBySweep = false, ...request }: RunRequest) =>
        Effect.gen(function*() {
          for (let i = 0;; i++) {
            const payload = { ...request, turn: nextTurn++, ...(foundBySweep ? { late: true } : {}) }
            const id = yield* RunWorkflow.executionId(payload)
            if (i === maxIdAttempts || isLocalShard(id)) return payload
          }
        })
      const requestRun = (generation: number, epoch: number, foundBySweep: boolean) =>
        Effect.flatMap(
          makeLocalPayload({ generation, epoch, node: runs.node, foundBySweep }),
          (payload) => Effect.provideService(RunWorkflow.execute(payload, { discard: true }), WorkflowEngine, engine)
        ).pipe(
          // A run that requests another run starts a separate workflow, not a part of its own workflow.
          Effect.updateContext((context: Context.Context<never>) => Context.omit(WorkflowInstance)(context))
        )
      const request = (generation: number, epoch: number, foundBySweep: boolean) =>
        Effect.catchCause(
          requestRun(generation, epoch, foundBySweep),
          (cause) => Effect.logWarning(`If this process ends, generation ${generation} waits for a sweep`, cause)
        )
      yield* Effect.provideService(
        engine.register(RunWorkflow, ({ late = false, ...payload }) =>
          Activity.make({
            name: "advance",
            execute: Effect.andThen(
              runs.run({ ...payload, foundBySweep: late }, { isAlive, request }),
              Effect.sync(() => recentRequests.delete(payload.generation))
            ),
            interruptRetryPolicy: Schedule.recurs(0)
          })),
        WorkflowEngine,
        engine
      )
      // Runs stop before the process leaves the cluster, so that other processes can take over the generations at once.
      yield* Effect.addFinalizer(() => runs.stop)
      return Placement.of({
        holdsShard: () => Array.from({ length: maxIdAttempts }, (_, i) => String(i)).some(isLocalShard),
        renewsShards: renewals.isCurrent,
        place: Effect.fnUntraced(function*(generation, abandoned) {
          if (runs.has(generation) || (abandoned && recentRequests.has(generation))) return
          const row = yield* generations.find(generation)
          if (row === null || row.state !== "running") return
          yield* requestRun(generation, row.epoch, abandoned && row.epoch === 0)
          recentRequests.add(generation)
        })
      })
    })
  )
}
