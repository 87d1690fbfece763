import { GenerationStore } from "@tapeline/core/agent"
import type { StoreUnavailable } from "@tapeline/core/store"
import { Context, Effect, Layer, Schedule, Schema } from "effect"
import * as EntityId from "effect/cluster/EntityId"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as Activity from "effect/workflow/Activity"
import * as Workflow from "effect/workflow/Workflow"
import { WorkflowEngine, WorkflowInstance } from "effect/workflow/WorkflowEngine"
import { Runs, type Summons } from "./Runs.ts"
import { ShardRenewals } from "./ShardRenewals.ts"

/**
 * A run as the engine knows it. It is placed by its execution's id, which is never the same twice: what was done is
 * known to the generation's row and its steps alone, and the engine's memory of executions answers for nothing.
 */
const Run = Workflow.make("Tapeline/Run", {
  payload: {
    generation: Schema.Int,
    epoch: Schema.Int,
    node: Schema.String,
    turn: Schema.Int,
    // Processes of earlier versions send no such field.
    late: Schema.optionalKey(Schema.Boolean)
  },
  idempotencyKey: ({ node, turn }) => `${node}/${turn}`
})

/** Of so many ids one is sure to be placed here, unless this process has no shards. */
const tries = 256

/** Gives runs to the engine, and is asked by it to do them. */
export class Placement extends Context.Service<Placement, {
  /**
   * Has a generation run, here if this process may; another finds it there should this one end. `abandoned`: a search
   * found it, and another process may have started it.
   */
  readonly place: (generation: number, abandoned: boolean) => Effect.Effect<void, StoreUnavailable>
  /** Whether this process holds a shard, so that what it places runs here. */
  readonly holdsShard: () => boolean
  /** Whether it renews its shards. */
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
      // Who is registered, and has said lately that it lives.
      const lives = (node: string) =>
        runners.getRunners.pipe(
          // After an outage of the database every heartbeat is old.
          Effect.map((known) => !renewals.isSteady() || known.some(([runner]) => runner.address.host === node)),
          // Whoever cannot be asked after is left alone: its row tells in time whether it is gone.
          Effect.catchCause(() => Effect.succeed(true))
        )
      const isHere = (id: string): boolean => sharding.hasShardId(sharding.getShardId(EntityId.make(id), "default"))
      let turn = 0
      const nearest = (summons: Summons) =>
        Effect.gen(function*() {
          for (let i = 0;; i++) {
            const payload = { ...summons, turn: turn++ }
            const id = yield* Run.executionId(payload)
            if (i === tries || isHere(id)) return payload
          }
        })
      const summon = (generation: number, epoch: number, late: boolean) =>
        Effect.flatMap(
          nearest({ generation, epoch, node: runs.node, ...(late ? { late } : {}) }),
          (payload) => Effect.provideService(Run.execute(payload, { discard: true }), WorkflowEngine, engine)
        ).pipe(
          // One that is summoned from within a run is no part of that run.
          Effect.updateContext((context: Context.Context<never>) => Context.omit(WorkflowInstance)(context))
        )
      const claim = (generation: number, epoch: number, late: boolean) =>
        Effect.catchCause(
          summon(generation, epoch, late),
          (cause) => Effect.logWarning(`Should this process end, generation ${generation} waits for a sweep`, cause)
        )
      yield* Effect.provideService(
        engine.register(Run, (summons) =>
          Activity.make({
            name: "advance",
            execute: runs.run(summons, { lives, claim }),
            interruptRetryPolicy: Schedule.recurs(0)
          })),
        WorkflowEngine,
        engine
      )
      // Before this process leaves the cluster, so that what it ran is free when others are given it.
      yield* Effect.addFinalizer(() => runs.stop)
      return Placement.of({
        holdsShard: () => Array.from({ length: tries }, (_, i) => String(i)).some(isHere),
        renewsShards: renewals.isCurrent,
        place: Effect.fnUntraced(function*(generation, abandoned) {
          if (runs.has(generation)) return
          const row = yield* generations.find(generation)
          if (row === null || row.state !== "running") return
          yield* summon(generation, row.epoch, abandoned && row.epoch === 0)
        })
      })
    })
  )
}
