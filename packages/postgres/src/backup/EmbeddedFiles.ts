import { Context } from "effect"
import type { DiskSpace } from "../diskReserve.ts"

/** The files of the embedded database in a folder. Null for a PostgreSQL server and for a database in memory. */
export interface EmbeddedFiles {
  readonly dataDir: string
  readonly readDiskSpace: () => DiskSpace | undefined
  /** Whether a backup runs. No checkpoint may run meanwhile, because a backup needs the write-ahead log. */
  isBackupRunning: boolean
}

export const EmbeddedFiles = Context.Reference<EmbeddedFiles | null>("@tapeline/postgres/EmbeddedFiles", {
  defaultValue: () => null
})
