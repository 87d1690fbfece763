import type { Extensions, PGlite } from "@electric-sql/pglite"
import { Effect, Schema, type Scope } from "effect"
import { chmodSync, existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Duplex } from "node:stream"
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

/** The location of the embedded database: a folder, which is made if it does not exist, or memory only. */
export type PgliteOptions = ({ readonly dataDir: string } | { readonly memory: true }) & {
  /** A dump from PGlite's `dumpDataDir`, with which an empty database begins. */
  readonly load?: Blob
  /** Extensions of PGlite to load, such as `vector` of `@electric-sql/pglite-pgvector`; none by default. */
  readonly extensions?: Extensions
  /**
   * Runs once, if another process has taken the data folder while this one was frozen. All later statements fail and
   * nothing is written. The process should end.
   */
  readonly onLost?: (lost: DataDirLost) => void
  /**
   * Returns the size and the free space of the file system with the data folder; undefined if they are unknown. By
   * default, the system is queried. While less than a reserve is free, all writes fail as on a full disk.
   */
  readonly readDiskSpace?: () => DiskSpace | undefined
}

/** Too little space is free on the disk to open the database. */
class DiskFull extends Schema.TaggedError<DiskFull>()("NoRoom", {}) {}

/** The embedded database did not start. */
export class PgliteUnavailable extends Schema.TaggedError<PgliteUnavailable>()("PgliteUnavailable", {
  /** Undefined for a database in memory. */
  dataDir: Schema.optionalKey(Schema.String),
  cause: Schema.Defect()
}) {
  override get message(): string {
    if (this.cause instanceof DiskFull) {
      return `The embedded database (PGlite) was not started in ${this.dataDir}, for its disk is full. Make some 100 MB ` +
        "of room there, or choose another folder."
    }
    // PGlite's message about the cause does not help a reader.
    return this.dataDir === undefined
      ? "The embedded database (PGlite) did not start"
      : `The embedded database (PGlite) did not start in ${this.dataDir}. Look whether its disk is full, or ` +
        "this user may not write there; else its files are broken: put a copy in their place, or choose another folder."
  }
}

export interface Pglite {
  readonly database: PGlite
  /**
   * Opens a byte stream to the database, with PostgreSQL's protocol. There is only one session, so only one stream at a
   * time.
   */
  readonly connect: () => Duplex
  /** The space that stays free on the disk. */
  readonly diskReserve: DiskReserve
}

const terminateMessage = "X".charCodeAt(0)

/**
 * Memory settings for one session. The embedded database never frees memory, and PostgreSQL's defaults are for a server
 * with its own machine. Each checkpoint reduces the write-ahead log to `max_wal_size`.
 */
const parameters: Readonly<Record<string, string>> = {
  shared_buffers: "16MB",
  wal_buffers: "1MB",
  maintenance_work_mem: "8MB",
  min_wal_size: "32MB",
  max_wal_size: "64MB"
}

/** The size of a file of the write-ahead log, in MB. */
const walSegmentMb = 1

const makeConnectFunction = (database: PGlite, ensureLockHeld: () => void, diskReserve: DiskReserve) => {
  let streamCount = 0
  const sendMessages = async (messages: Uint8Array): Promise<Buffer> => {
    const chunks: Array<Uint8Array> = []
    // The only method that does not parse the responses; the others keep all messages forever. A piece is memory of the
    // database, which overwrites it later.
    await database.execProtocolRawStream(messages, { onRawData: (chunk) => void chunks.push(chunk.slice()) })
    return Buffer.concat(chunks)
  }
  return (): Duplex => {
    const isFirst = streamCount++ === 0
    // Prepared statements and an open transaction of an earlier stream would disturb this one. They are removed in two
    // requests: the statements of one request are a transaction, in which nothing can be discarded.
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
            // All writes are in the files by now.
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

/** PGlite creates files that all users can read and write, so only the owner may enter their folder. */
const restrictToOwner = (dataDir: string): void => {
  makeFolder(dataDir)
  try {
    chmodSync(dataDir, 0o700)
  } catch {
    // The folder belongs to another user, or the file system has no modes. The folder's creator decided who can enter
    // it.
  }
}

/** Opens PGlite, and closes it with the scope. Loads its code only now. Locks a data folder first. */
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
      // A close would write into files that belong to another process now.
      (database) => isLost ? Effect.void : Effect.promise(() => database.close())
    )
    const diskReserve = makeDiskReserve(readDiskSpace)
    return {
      database,
      connect: makeConnectFunction(database, lock?.ensure ?? (() => undefined), diskReserve),
      diskReserve
    }
  })
