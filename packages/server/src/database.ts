import { type Database, type DatabaseError, type DataDirLost, layerPglite, layerPostgres } from "@tapeline/postgres"
import type { Layer } from "effect"
import { join } from "node:path"
import type { Settings } from "./settings.ts"

/**
 * No statement of the service takes this long unless something blocks it; then its caller gets a 503. Who waits for
 * another's batch before its own has its answer within twice that.
 */
export const statementTimeoutMs = 5_000

/** The folder of the embedded database, in that of a server's data. */
export const embeddedFolder = ({ dataDir }: Pick<Settings, "dataDir">): string => join(dataDir, "db")

/** The database that is configured: the embedded one, or a server. */
export const layerDatabase = (
  settings: Settings,
  onLost: (lost: DataDirLost) => void
): Layer.Layer<Database, DatabaseError> =>
  settings.databaseUrl === undefined
    ? layerPglite({ dataDir: embeddedFolder(settings), onLost })
    : layerPostgres({ url: settings.databaseUrl, directUrl: settings.databaseDirectUrl, statementTimeoutMs })
