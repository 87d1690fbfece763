import { type Database, type DatabaseError, type DataDirLost, layerPglite, layerPostgres } from "@tapeline/postgres"
import type { Layer } from "effect"
import { join } from "node:path"
import type { Settings } from "./settings.ts"

/**
 * The limit of a statement, in ms. A statement reaches it only if something blocks it; its caller then gets a 503. A
 * caller that first waits for another caller's batch gets its answer within twice this time.
 */
export const statementTimeoutMs = 5_000

/** The folder of the embedded database, in the data folder of a server. */
export const embeddedDatabaseFolder = ({ dataDir }: Pick<Settings, "dataDir">): string => join(dataDir, "db")

/** The configured database: the embedded one, or a PostgreSQL server. */
export const layerDatabase = (
  settings: Settings,
  onLost: (lost: DataDirLost) => void
): Layer.Layer<Database, DatabaseError> =>
  settings.databaseUrl === undefined
    ? layerPglite({ dataDir: embeddedDatabaseFolder(settings), onLost })
    : layerPostgres({ url: settings.databaseUrl, directUrl: settings.databaseDirectUrl, statementTimeoutMs })
