import { layerClusterRunner } from "@tapeline/cluster"
import type { GenerationExecutor, GenerationRunner, GenerationStore } from "@tapeline/core/agent"
import {
  BackgroundSessions,
  type Database,
  type DatabaseError,
  generationHalts,
  layerPostgres,
  type PgListener
} from "@tapeline/postgres"
import { Effect, Layer } from "effect"
import type { Settings } from "./settings.ts"

/**
 * Provides the runner that produces the analyst's answers. Processes that share a PostgreSQL continue each other's
 * unfinished answers. The cluster of processes has its own database connections: two for statements, and one for
 * heartbeats. The requests of callers never wait for a database connection of the cluster.
 */
export const layerGenerationRunner = (
  { databaseDirectUrl: directUrl, databaseUrl: url }: Pick<Settings, "databaseDirectUrl" | "databaseUrl">,
  statementTimeoutMs: number
): Layer.Layer<GenerationRunner, DatabaseError, GenerationExecutor | GenerationStore | Database | PgListener> => {
  if (url === undefined) return layerClusterRunner({ nodes: "one" })
  const clusterDatabase = layerPostgres({
    url,
    directUrl,
    statementTimeoutMs,
    maxConnections: 2,
    maxBackgroundConnections: 1,
    applicationName: "tapeline-cluster"
  })
  return Layer.unwrap(Effect.map(
    generationHalts,
    (halts) =>
      Layer.unwrap(Effect.map(
        BackgroundSessions,
        (sessions) => layerClusterRunner({ nodes: "many", halts, renewalClient: sessions?.client })
      )).pipe(Layer.provide(clusterDatabase))
  ))
}
