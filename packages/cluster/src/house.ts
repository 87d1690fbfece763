import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer, Option } from "effect"
import * as ClusterWorkflowEngine from "effect/cluster/ClusterWorkflowEngine"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerHealth from "effect/cluster/RunnerHealth"
import * as Runners from "effect/cluster/Runners"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import * as Sharding from "effect/cluster/Sharding"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import type { SqlClient } from "effect/sql/SqlClient"
import type { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import type { ClusterTiming } from "./ClusterTiming.ts"
import { prefix } from "./prune.ts"
import { ShardRenewals } from "./ShardRenewals.ts"

/** Few, since each is a row that its node renews; nodes beyond this number have none, and place with others. */
const shards = 32

const config = (nodes: "one" | "many", node: string, timing: ClusterTiming) =>
  ShardingConfig.layer({
    // No socket listens there: nodes meet in the database, and the name alone is used.
    runnerAddress: Option.some(RunnerAddress.make(node, 1)),
    shardsPerGroup: shards,
    shardLockDisableAdvisory: true,
    shardLockExpiration: timing.expireMs,
    shardLockRefreshInterval: timing.expireMs / 3,
    // A process that is killed is noticed at most this long after its heartbeat expires.
    refreshAssignmentsInterval: timing.lookEveryMs / 2,
    entityMessagePollInterval: nodes === "one" ? "10 seconds" : timing.lookEveryMs,
    entityTerminationTimeout: timing.stopWithinMs,
    // Every runner is asked after by the time of its heartbeat alone.
    runnerHealthCheckInterval: "1 hour",
    simulateRemoteSerialization: false
  })

/** The engine over the database: one process alone, or many that know of each other by their rows. */
export const layerEngine = (
  nodes: "one" | "many",
  node: string,
  timing: ClusterTiming
): Layer.Layer<WorkflowEngine | Sharding.Sharding | RunnerStorage.RunnerStorage | ShardRenewals, never, SqlClient> =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provide(Runners.layerNoop),
    Layer.provide(SqlMessageStorage.layerWith({ prefix })),
    Layer.provide(RunnerHealth.layerNoop),
    Layer.provideMerge(ShardRenewals.layer),
    Layer.provide(nodes === "one" ? RunnerStorage.layerMemory : Layer.orDie(SqlRunnerStorage.layerWith({ prefix }))),
    Layer.provide(config(nodes, node, timing)),
    Layer.provide(NodeCrypto.layerDigest)
  )
