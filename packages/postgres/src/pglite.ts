import type { Extensions, PGlite } from "@electric-sql/pglite"
import { Effect, Schema, type Scope } from "effect"
import { chmodSync, existsSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Duplex } from "node:stream"
import { makeFolder } from "./folder.ts"
import { type DataDirLock, type DataDirLocked, type DataDirLost, lockDataDir } from "./lock.ts"
import { keepReserve, leastReserve, makeReserve, type Reserve, type Room, roomAt } from "./reserve.ts"
import { beginWithTemplate } from "./template.ts"

export { DataDirLocked, DataDirLost } from "./lock.ts"

/** Where the embedded database keeps its data: a folder, which is made when it is not there, or memory only. */
export type PgliteOptions = ({ readonly dataDir: string } | { readonly memory: true }) & {
  /** A dump to begin with where there is nothing yet, as PGlite's `dumpDataDir` makes it. */
  readonly load?: Blob
  /** Extensions of PGlite to load, such as `vector` of `@electric-sql/pglite-pgvector`; none is loaded by itself. */
  readonly extensions?: Extensions
  /**
   * Runs once, should another process have taken the data folder while this one stood still. From then on every
   * statement fails and nothing is written; the process should end.
   */
  readonly onLost?: (lost: DataDirLost) => void
  /**
   * Tells of the file system that the data folder is on; undefined of one that tells nothing. When left out, the system
   * is asked. While less than a reserve is free, everything that would write fails as on a full disk.
   */
  readonly room?: () => Room | undefined
}

/** So little is free on the disk that to open the database could be more than fits. */
class NoRoom extends Schema.TaggedError<NoRoom>()("NoRoom", {}) {}

/** The embedded database did not start. */
export class PgliteUnavailable extends Schema.TaggedError<PgliteUnavailable>()("PgliteUnavailable", {
  /** Undefined of one in memory. */
  dataDir: Schema.optionalKey(Schema.String),
  cause: Schema.Defect()
}) {
  override get message(): string {
    if (this.cause instanceof NoRoom) {
      return `The embedded database (PGlite) was not started in ${this.dataDir}, for its disk is full. Make some 100 MB ` +
        "of room there, or choose another folder."
    }
    // What PGlite says of the cause tells a reader nothing.
    return this.dataDir === undefined
      ? "The embedded database (PGlite) did not start"
      : `The embedded database (PGlite) did not start in ${this.dataDir}. Look whether its disk is full, or ` +
        "this user may not write there; else its files are broken: put a copy in their place, or choose another folder."
  }
}

export interface Pglite {
  readonly database: PGlite
  /** A byte stream that speaks PostgreSQL's protocol with the database. There is one session, so one at a time. */
  readonly connect: () => Duplex
  /** What stays free on its disk. */
  readonly reserve: Reserve
}

const terminate = "X".charCodeAt(0)

/**
 * Room for one session, in memory that the embedded database never gives back: PostgreSQL's own numbers are for a
 * server with a machine to itself. Its log of changes is cut down to `max_wal_size` at each checkpoint.
 */
const parameters: Readonly<Record<string, string>> = {
  shared_buffers: "16MB",
  wal_buffers: "1MB",
  maintenance_work_mem: "8MB",
  min_wal_size: "32MB",
  max_wal_size: "64MB"
}

/** The log of changes is kept in files of so many MB. */
const walSegmentMb = 1

const makeConnect = (database: PGlite, ensureHeld: () => void, reserve: Reserve) => {
  let sessions = 0
  const exchange = async (messages: Uint8Array): Promise<Buffer> => {
    const pieces: Array<Uint8Array> = []
    // The one way that reads nothing of the answers: the others keep every message of them for good. A piece is the
    // database's own memory, which it writes again.
    await database.execProtocolRawStream(messages, { onRawData: (piece) => void pieces.push(piece.slice()) })
    return Buffer.concat(pieces)
  }
  return (): Duplex => {
    const first = sessions++ === 0
    // What an earlier stream left in the session (prepared statements, an open transaction) would be in this one's way.
    // Two questions, for those of one are one transaction, in which nothing can be discarded.
    const clean = first
      ? Promise.resolve()
      : database.exec("rollback").then(() => database.exec("discard all")).then(() => undefined)
    const within = keepReserve(reserve, exchange)
    return new Duplex({
      read() {},
      write(bytes: Uint8Array, _encoding, done) {
        if (bytes[0] === terminate) return done()
        clean.then(() => {
          ensureHeld()
          return within(bytes)
        }).then(
          (answer) => {
            // What was written is in its files by now.
            if (answer.length > 0) this.push(answer)
            done()
          },
          (cause: unknown) => done(cause instanceof Error ? cause : new Error(String(cause)))
        )
      },
      final(done) {
        this.push(null)
        done()
      }
    })
  }
}

/** The database's files are made for everybody's eyes and hands: the folder that they are in is its owner's alone. */
const keepToOwner = (dataDir: string): void => {
  makeFolder(dataDir)
  try {
    chmodSync(dataDir, 0o700)
  } catch {
    // Another's folder, or a file system without modes: whoever made it has decided who may enter it.
  }
}

/** Opens PGlite, loading it only now, and closes it with the scope. A data folder is locked first. */
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
      yield* Effect.sync(() => keepToOwner(dataDir))
      lock.onLost((lost) => {
        isLost = true
        options.onLost?.(lost)
      })
    }
    const look = options.room ?? (dataDir === undefined ? () => undefined : roomAt(dataDir))
    const room = look()
    if (dataDir !== undefined && room !== undefined && room.free < leastReserve) {
      return yield* new PgliteUnavailable({ dataDir, cause: new NoRoom() })
    }
    const database = yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          const { PGlite } = await import("@electric-sql/pglite")
          const begun = dataDir !== undefined &&
            (existsSync(join(dataDir, "PG_VERSION")) || (options.load === undefined && beginWithTemplate(dataDir)))
          return await PGlite.create({
            dataDir: dataDir ?? "memory://",
            initDbStartParams: [`--wal-segsize=${walSegmentMb}`],
            startParams: [
              ...PGlite.defaultStartParams,
              ...Object.entries(parameters).flatMap(([name, value]) => ["-c", `${name}=${value}`])
            ],
            ...(options.extensions === undefined ? {} : { extensions: options.extensions }),
            ...(options.load === undefined || begun ? {} : { loadDataDir: options.load })
          })
        },
        catch: (cause) => new PgliteUnavailable(dataDir === undefined ? { cause } : { dataDir, cause })
      }),
      // To close it would write into files that are another process's now.
      (database) => isLost ? Effect.void : Effect.promise(() => database.close())
    )
    const reserve = makeReserve(look)
    return { database, connect: makeConnect(database, lock?.ensure ?? (() => undefined), reserve), reserve }
  })
