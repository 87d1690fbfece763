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
import type { SqlClient } from "effect/sql/SqlClient"
import type { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import type { ClusterTiming } from "./ClusterTiming.ts"
import { tablePrefix } from "./executionPruning.ts"
import { layerRunnerStorage } from "./layerRunnerStorage.ts"
import { ShardRenewals } from "./ShardRenewals.ts"

/** The number of shards in the cluster. If a node holds no shard, other nodes run its generations. */
const shardCount = 32

const makeShardingConfig = (nodes: "one" | "many", nodeId: string, timing: ClusterTiming) =>
  ShardingConfig.layer({
    // No socket listens at the runner's address. Nodes find each other in the database, and use only the host name of
    // the address.
    runnerAddress: Option.some(RunnerAddress.make(nodeId, 1)),
    shardsPerGroup: shardCount,
    shardLockExpiration: timing.heartbeatTtlMs,
    shardLockRefreshInterval: timing.heartbeatTtlMs / 3,
    // A killed process is detected at most `refreshAssignmentsInterval` after the heartbeat of the process expires.
    refreshAssignmentsInterval: timing.pollIntervalMs / 2,
    entityMessagePollInterval: nodes === "one" ? "10 seconds" : timing.pollIntervalMs,
    entityTerminationTimeout: timing.stopTimeoutMs,
    // Only the time of the last heartbeat shows whether a runner is alive.
    runnerHealthCheckInterval: "1 hour",
    simulateRemoteSerialization: false
  })

/** Creates the workflow engine on the database. The processes of a cluster find each other through database rows. */
export const layerWorkflowEngine = (
  nodes: "one" | "many",
  nodeId: string,
  timing: ClusterTiming,
  renewalClient?: SqlClient
): Layer.Layer<WorkflowEngine | Sharding.Sharding | RunnerStorage.RunnerStorage | ShardRenewals, never, SqlClient> =>
  ClusterWorkflowEngine.layer.pipe(
    Layer.provideMerge(Sharding.layer),
    Layer.provide(Runners.layerNoop),
    Layer.provide(SqlMessageStorage.layerWith({ prefix: tablePrefix })),
    Layer.provide(RunnerHealth.layerNoop),
    Layer.provideMerge(ShardRenewals.layer),
    Layer.provide(nodes === "one" ? RunnerStorage.layerMemory : layerRunnerStorage(renewalClient)),
    Layer.provide(makeShardingConfig(nodes, nodeId, timing)),
    Layer.provide(NodeCrypto.layerDigest)
  )
