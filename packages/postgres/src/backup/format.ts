import { Schema } from "effect"

/* The entries of an archive: `description` first, then the files of the database below `databaseFolder`, and `end`. */

export const descriptionPath = "backup.json"
export const databaseFolder = "db"
export const endPath = "end.json"

/** The version of the format of archives that this program writes, and the newest that this program reads. */
export const formatVersion = 1

/**
 * The names of the database's files and folders, without names that lead out of a folder. PostgreSQL gives no other
 * names, but file systems and file managers add files such as `.nfs0001`.
 */
export const fileNamePattern = /^[A-Za-z0-9_][A-Za-z0-9_.]*$/u

/**
 * The major version of PostgreSQL in the installed PGlite. Another major version cannot open the files of a database.
 */
export const postgresVersion = 18

/** The first entry of an archive. */
export const BackupDescription = Schema.Struct({
  format: Schema.Literal("tapeline-database"),
  version: Schema.Int,
  started_at: Schema.String,
  /** The major version of PostgreSQL. */
  postgres: Schema.Int,
  /** The number of the newest migration of the database. */
  migration: Schema.Int
})
export type BackupDescription = typeof BackupDescription.Type

/** The last entry of an archive. */
export const BackupEnd = Schema.Struct({
  /** The moment of the backup: transactions that were committed later are not part of the archive. */
  moment: Schema.String,
  files: Schema.Int,
  /** The number of bytes of the files before compression. */
  bytes: Schema.Int,
  /** The SHA-256 of the uncompressed archive up to the header of the last entry, in hexadecimal. */
  sha256: Schema.String
})
export type BackupEnd = typeof BackupEnd.Type

export interface BackupSummary extends BackupEnd {
  readonly description: BackupDescription
}
