import { type Database, type DatabaseError, type DataDirLost, layerPglite, layerPostgres } from "@tapeline/postgres"
import type { Layer } from "effect"
import { join } from "node:path"
import type { Settings } from "./settings.ts"

/**
 * The maximum duration of a database statement, in ms, after which the caller gets a 503. A statement that first waits
 * for another caller's batch takes at most twice the maximum duration.
 */
export const statementTimeoutMs = 5_000

export const embeddedDatabaseFolder = ({ dataDir }: Pick<Settings, "dataDir">): string => join(dataDir, "db")

export const layerDatabase = (
  settings: Settings,
  onLost: (lost: DataDirLost) => void
): Layer.Layer<Database, DatabaseError> =>
  settings.databaseUrl === undefined
    ? layerPglite({ dataDir: embeddedDatabaseFolder(settings), onLost })
    : layerPostgres({ url: settings.databaseUrl, directUrl: settings.databaseDirectUrl, statementTimeoutMs })
