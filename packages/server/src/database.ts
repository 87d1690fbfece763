import { type Database, type DatabaseError, type DataDirLost, layerPglite, layerPostgres } from "@tapeline/postgres"
import type { Layer } from "effect"
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Settings } from "./settings.ts"
import { version } from "./version.ts"

/**
 * The maximum duration of a database statement, in ms, after which the caller gets a 503. A statement that first waits
 * for another caller's batch takes at most twice the maximum duration.
 */
export const statementTimeoutMs = 5_000

export const embeddedDatabaseFolder = ({ dataDir }: Pick<Settings, "dataDir">): string => join(dataDir, "db")

/**
 * Returns an error message if no embedded database exists. A command for an existing database would otherwise create an
 * empty one.
 */
export const findMissingDatabase = (settings: Pick<Settings, "databaseUrl" | "dataDir">): string | undefined =>
  settings.databaseUrl === undefined && !existsSync(embeddedDatabaseFolder(settings))
    ? `There is no database in ${resolve(settings.dataDir)}: set TAPELINE_DATA_DIR to the server's data folder.`
    : undefined

/** `tapeline migrate --check` reads the versions of running processes from the names of their sessions. */
const sessionName = `tapeline ${version}`

export const layerDatabase = (
  settings: Settings,
  onLost: (lost: DataDirLost) => void,
  applicationName: string = sessionName
): Layer.Layer<Database, DatabaseError> =>
  settings.databaseUrl === undefined
    ? layerPglite({ dataDir: embeddedDatabaseFolder(settings), onLost })
    : layerPostgres({
      url: settings.databaseUrl,
      directUrl: settings.databaseDirectUrl,
      statementTimeoutMs,
      applicationName
    })
