import { GenerationStore } from "@tapeline/core/agent"
import type { StoreUnavailable } from "@tapeline/core/engine"
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import * as EntityId from "effect/cluster/EntityId"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { type RunRequest, Runs } from "./Runs.ts"
import { ShardRenewals } from "./ShardRenewals.ts"

/**
 * The workflow that carries a request to run. The engine places it by its execution id, and no two requests have the
 * same id. The generation's row and its steps record the work; the engine's memory of executions is not used.
 * The engine stores the payload, and processes of other versions read it: its names must not change.
 */
const RunWorkflow = Workflow.make("Tapeline/Run", {
  payload: {
    generation: Schema.Int,
    epoch: Schema.Int,
    node: Schema.String,
    // A counter that makes the execution id unique.
    turn: Schema.Int,
    // `foundBySweep` of the request. Processes of earlier versions do not send it.
    late: Schema.optionalKey(Schema.Boolean)
  },
  idempotencyKey: ({ node, turn }) => `${node}/${turn}`
})

/** Maximum number of tries to find an execution id that belongs to a shard of this process. */
const maxIdAttempts = 256

/** Gives requests to run to the engine, and runs those that the engine delivers. */
export class Placement extends Context.Service<Placement, {
  /**
   * Makes a request to run a generation, on this process if it has a shard. If this process ends, the engine delivers
   * the request to another one. `abandoned`: a sweep found the generation, and another process may have started it.
   */
  readonly place: (generation: number, abandoned: boolean) => Effect.Effect<void, StoreUnavailable>
  /** Whether this process holds a shard, so that its own requests run here. */
  readonly holdsShard: () => boolean
  /** Whether this process renews its shards. */
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
      // A running process is registered, and has a recent heartbeat.
      const isAlive = (node: string) =>
        runners.getRunners.pipe(
          // After an outage of the database, all heartbeats are old.
          Effect.map((registered) =>
            !renewals.isSteady() || registered.some(([runner]) => runner.address.host === node)
          ),
          // If the database does not answer, no process counts as gone.
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
          // A request that a run makes is not part of that run.
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
            execute: runs.run({ ...payload, foundBySweep: late }, { isAlive, request }),
            interruptRetryPolicy: Schedule.recurs(0)
          })),
        WorkflowEngine,
        engine
      )
      // Runs before this process leaves the cluster, so that other processes can take its generations at once.
      yield* Effect.addFinalizer(() => runs.stop)
      return Placement.of({
        holdsShard: () => Array.from({ length: maxIdAttempts }, (_, i) => String(i)).some(isLocalShard),
        renewsShards: renewals.isCurrent,
        place: Effect.fnUntraced(function*(generation, abandoned) {
          if (runs.has(generation)) return
          const row = yield* generations.find(generation)
          if (row === null || row.state !== "running") return
          yield* requestRun(generation, row.epoch, abandoned && row.epoch === 0)
        })
      })
    })
  )
}
