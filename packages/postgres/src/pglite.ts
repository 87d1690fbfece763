import type { Extensions, PGlite } from "@electric-sql/pglite"
import { Effect, Schema, type Scope } from "effect"
import { chmodSync, existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Duplex } from "node:stream"
import type { EmbeddedFiles } from "./backup/EmbeddedFiles.ts"
import { type DataDirLock, type DataDirLocked, type DataDirLost, lockDataDir } from "./dataDirLock.ts"
import {
  type DiskReserve,
  type DiskSpace,
  makeDiskReserve,
  makeDiskSpaceReader,
  minReserveBytes,
  withDiskReserve
} from "./diskReserve.ts"
import { makeFolder } from "./folder.ts"
import { startFromTemplate } from "./template.ts"

export { DataDirLocked, DataDirLost } from "./dataDirLock.ts"

/** The location of the embedded database: a folder, which is created if missing, or only memory. */
export type PgliteOptions = ({ readonly dataDir: string } | { readonly memory: true }) & {
  /** A dump from PGlite's method `dumpDataDir`. A new database begins with the data of the dump. */
  readonly load?: Blob
  /** The PGlite extensions to load, such as `vector` of `@electric-sql/pglite-pgvector`; none by default. */
  readonly extensions?: Extensions
  /**
   * Called once if another process took the data folder while the current process was frozen. After `onLost`, all
   * statements fail, nothing is written, and the process should end.
   */
  readonly onLost?: (lost: DataDirLost) => void
  /**
   * Returns the size and the free space of the data folder's file system, or undefined if unknown. The default function
   * queries the operating system. While the free space is below the reserve, all writes fail as if the disk were full.
   */
  readonly readDiskSpace?: () => DiskSpace | undefined
}

/** The disk has too little free space to open the database. */
class DiskFull extends Schema.TaggedError<DiskFull>()("DiskFull", {}) {}

export class PgliteUnavailable extends Schema.TaggedError<PgliteUnavailable>()("PgliteUnavailable", {
  /** The data folder, or undefined for a database in memory. */
  dataDir: Schema.optionalKey(Schema.String),
  cause: Schema.Defect()
}) {
  override get message(): string {
    if (this.cause instanceof DiskFull) {
      return `The embedded database (PGlite) was not started in ${this.dataDir}, because its disk is full. Free about ` +
        "100 MB there, or choose another folder."
    }
    // PGlite's own message about the cause does not help a reader.
    return this.dataDir === undefined
      ? "The embedded database (PGlite) did not start"
      : `The embedded database (PGlite) did not start in ${this.dataDir}. Check whether its disk is full, and ` +
        "whether this user may write there. Otherwise its files are damaged: restore a copy, or choose another folder."
  }
}

export interface Pglite {
  readonly database: PGlite
  /**
   * Opens a byte stream to the database, with PostgreSQL's protocol. Only one stream can be used at a time, because the
   * database has only one session.
   */
  readonly connect: () => Duplex
  readonly diskReserve: DiskReserve
  /** The files of the database, or null for a database in memory. */
  readonly files: EmbeddedFiles | null
}

const terminateMessage = "X".charCodeAt(0)

/**
 * Memory settings for a database with one session. The memory limits are low, because PGlite never returns memory to
 * the operating system. Each checkpoint reduces the write-ahead log to `max_wal_size`.
 */
const parameters: Readonly<Record<string, string>> = {
  shared_buffers: "16MB",
  wal_buffers: "1MB",
  maintenance_work_mem: "8MB",
  min_wal_size: "32MB",
  max_wal_size: "64MB"
}

const walSegmentMb = 1

const makeConnectFunction = (database: PGlite, ensureLockHeld: () => void, diskReserve: DiskReserve) => {
  let streamCount = 0
  const sendMessages = async (messages: Uint8Array): Promise<Buffer> => {
    const chunks: Array<Uint8Array> = []
    // `execProtocolRawStream` is the only method that does not parse the responses; the other methods keep all messages
    // forever. A chunk is memory of the database, which overwrites the memory later.
    await database.execProtocolRawStream(messages, { onRawData: (chunk) => void chunks.push(chunk.slice()) })
    return Buffer.concat(chunks)
  }
  return (): Duplex => {
    const isFirst = streamCount++ === 0
    // Prepared statements and an open transaction of an earlier stream would affect the new stream. Two requests are
    // necessary, because the statements of a request form a transaction, in which `discard all` is not allowed.
    const resetSession = isFirst
      ? Promise.resolve()
      : database.exec("rollback").then(() => database.exec("discard all")).then(() => undefined)
    const sendWithReserve = withDiskReserve(diskReserve, sendMessages)
    return new Duplex({
      read() {},
      write(bytes: Uint8Array, _encoding, callback) {
        if (bytes[0] === terminateMessage) return callback()
        resetSession.then(() => {
          ensureLockHeld()
          return sendWithReserve(bytes)
        }).then(
          (response) => {
            // A response arrives after all writes of the request are in the files.
            if (response.length > 0) this.push(response)
            callback()
          },
          (cause: unknown) => callback(cause instanceof Error ? cause : new Error(String(cause)))
        )
      },
      final(callback) {
        this.push(null)
        callback()
      }
    })
  }
}

/** Restricts a data folder to its owner, because PGlite creates files that all users can read and write. */
const restrictToOwner = (dataDir: string): void => {
  makeFolder(dataDir)
  try {
    chmodSync(dataDir, 0o700)
  } catch {
    // The folder belongs to another user, or the file system has no modes, so the creator of the folder decides on
    // access.
  }
}

/** Opens PGlite, locks the data folder, and closes PGlite with the scope; the code of PGlite is loaded on first use. */
export const openPglite = (
  options: PgliteOptions
): Effect.Effect<Pglite, DataDirLocked | PgliteUnavailable, Scope.Scope> =>
  Effect.gen(function*() {
    const dataDir = "dataDir" in options ? resolve(options.dataDir) : undefined
    let lock: DataDirLock | undefined
    let isLost = false
    if (dataDir !== undefined) {
      yield* Effect.sync(() => makeFolder(dirname(dataDir)))
      lock = yield* lockDataDir(dataDir)
      yield* Effect.sync(() => restrictToOwner(dataDir))
      lock.onLost((lost) => {
        isLost = true
        options.onLost?.(lost)
      })
    }
    const readDiskSpace = options.readDiskSpace ??
      (dataDir === undefined ? () => undefined : makeDiskSpaceReader(dataDir))
    const diskSpace = readDiskSpace()
    if (dataDir !== undefined && diskSpace !== undefined && diskSpace.free < minReserveBytes) {
      return yield* new PgliteUnavailable({ dataDir, cause: new DiskFull() })
    }
    const database = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          const { PGlite } = await import("@electric-sql/pglite")
          const hasData = dataDir !== undefined &&
            (existsSync(join(dataDir, "PG_VERSION")) || (options.load === undefined && startFromTemplate(dataDir)))
          return await PGlite.create({
            dataDir: dataDir ?? "memory://",
            initDbStartParams: [`--wal-segsize=${walSegmentMb}`],
            startParams: [
              ...PGlite.defaultStartParams,
              ...Object.entries(parameters).flatMap(([name, value]) => ["-c", `${name}=${value}`])
            ],
            ...(options.extensions === undefined ? {} : { extensions: options.extensions }),
            ...(options.load === undefined || hasData ? {} : { loadDataDir: options.load })
          })
        },
        catch: (cause) => new PgliteUnavailable(dataDir === undefined ? { cause } : { dataDir, cause })
      }),
      // Closing the database would write to files that another process now uses.
      (database) => isLost ? Effect.void : Effect.promise(() => database.close())
    )
    const diskReserve = makeDiskReserve(readDiskSpace)
    return {
      database,
      connect: makeConnectFunction(database, lock?.ensure ?? (() => undefined), diskReserve),
      diskReserve,
      files: dataDir === undefined ? null : { dataDir, readDiskSpace, isBackupRunning: false }
    }
  })
