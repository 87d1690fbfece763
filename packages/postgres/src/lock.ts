import { Effect, Predicate, Schedule, Schema, type Scope } from "effect"
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { type Beating, startBeating } from "./heartbeat.ts"
import { headOf, judge, type LockHolder, ownHolder, parseHolder, textOf } from "./lockHolder.ts"

/** Another process uses the data folder. Stop it, or choose another folder. */
export class DataDirLocked extends Schema.TaggedError<DataDirLocked>()("DataDirLocked", {
  dataDir: Schema.String,
  lockFile: Schema.String,
  pid: Schema.Number,
  /** True if only its heartbeat shows that the holder is alive: it runs in another container, or on another machine. */
  elsewhere: Schema.Boolean
}) {
  override get message(): string {
    return this.elsewhere
      ? `The data folder ${this.dataDir} is in use by a process in another container or on another machine. Stop it, or ` +
        "choose another folder: each server needs one of its own, or a PostgreSQL that they share (DATABASE_URL)."
      : `The data folder ${this.dataDir} is in use by process ${this.pid}. Stop that process, or choose another ` +
        `folder. If it is not a Tapeline process, remove ${this.lockFile}.`
  }
}

/**
 * Another process has taken the data folder while this one was frozen, or its lock was removed. Nothing more is
 * written.
 */
export class DataDirLost extends Schema.TaggedError<DataDirLost>()("DataDirLost", {
  dataDir: Schema.String
}) {
  override get message(): string {
    return `The lock of the data folder ${this.dataDir} was taken by another process, or removed, so this one stops.`
  }
}

export interface LockOptions {
  /**
   * The interval of the holder's heartbeat; 1 second by default. All processes that share a folder must use the same
   * value.
   */
  readonly beatMs?: number
}

/** A held lock. */
export interface DataDirLock {
  /**
   * Throws `DataDirLost` if this process no longer holds the lock. Must be called before each write: a process that was
   * frozen for long must not write while its successor does. Checks the file once per heartbeat.
   */
  readonly ensure: () => void
  /** Runs once, if the lock is lost. */
  readonly onLost: (run: (lost: DataDirLost) => void) => void
}

/**
 * How many times a lock of a living process is tried again, every tenth of a second. A process that was just killed
 * takes a moment to end.
 */
const patience = 10

/** Missed heartbeats after which a holder counts as dead if nothing else is known of it. */
const silentBeats = 5

/** The locks of this process. Its own pid in a file of an earlier process must not count as a live holder. */
const heldHere = new Set<string>()

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

const inodeOf = (file: string): bigint | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino

/** Whether the file already exists. */
const isTaken = (cause: unknown): boolean => Predicate.hasProperty(cause, "code") && cause.code === "EEXIST"

/** Creates a lock file, and returns its inode, which identifies it. Returns undefined if there is a lock already. */
const place = (lockFile: string, holder: LockHolder): bigint | undefined => {
  const own = `${lockFile}.${holder.identity}`
  writeFileSync(own, textOf(holder))
  try {
    const inode = inodeOf(own)
    // A link is created completely or not at all, and never replaces a file.
    linkSync(own, lockFile)
    return inode
  } catch (cause) {
    if (!isTaken(cause)) throw cause
    return undefined
  } finally {
    rmSync(own, { force: true })
  }
}

/**
 * Removes the lock with the content `found`. Two processes may do this at once, so the removed file is checked again.
 */
const clear = (lockFile: string, found: string, { identity }: LockHolder): void => {
  const aside = `${lockFile}.${identity}.stale`
  try {
    renameSync(lockFile, aside)
  } catch {
    return
  }
  try {
    // The holder wrote a heartbeat after all, or the lock is another one: it is put back.
    if (read(aside) !== found) linkSync(aside, lockFile)
  } catch (cause) {
    if (!isTaken(cause)) throw cause
  } finally {
    rmSync(aside, { force: true })
  }
}

/**
 * Returns true if the lock is unchanged after `silentBeats` intervals, and false as soon as it changes. Counts
 * intervals instead of time.
 */
const silence = (lockFile: string, found: string, beatMs: number): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    for (let missed = 0; missed < silentBeats; missed++) {
      yield* Effect.sleep(beatMs)
      if (read(lockFile) !== found) return false
    }
    return true
  })

const take = (dataDir: string, lockFile: string, beatMs: number) =>
  Effect.gen(function*() {
    const holder = ownHolder()
    const locked = (pid: number, elsewhere: boolean) => new DataDirLocked({ dataDir, lockFile, pid, elsewhere })
    for (;;) {
      if (heldHere.has(lockFile)) return yield* locked(process.pid, false)
      const inode = place(lockFile, holder)
      if (inode !== undefined) {
        heldHere.add(lockFile)
        return { holder, inode }
      }
      const found = read(lockFile)
      if (found === undefined) continue
      const other = parseHolder(found)
      switch (judge(other)) {
        case "alive":
          return yield* locked(other.pid, false)
        case "unknown":
          if (!(yield* silence(lockFile, found, beatMs))) {
            const now = read(lockFile)
            // The lock is gone or has another holder: the holder has ended normally, or another process was faster.
            if (now !== undefined && parseHolder(now).identity === other.identity) return yield* locked(other.pid, true)
            continue
          }
      }
      clear(lockFile, found, holder)
    }
  })

const hold = (
  dataDir: string,
  lockFile: string,
  beatMs: number,
  { holder, inode }: { readonly holder: LockHolder; readonly inode: bigint }
) => {
  const isOurs = () => inodeOf(lockFile) === inode
  const lost = new DataDirLost({ dataDir })
  const listeners: Array<(lost: DataDirLost) => void> = []
  let isLost = false
  const lose = () => {
    if (isLost) return
    isLost = true
    for (const run of listeners) run(lost)
  }
  let seen = performance.now()
  const ensure = () => {
    const now = performance.now()
    if (!isLost && now - seen > beatMs) {
      if (isOurs()) seen = now
      else lose()
    }
    if (isLost) throw lost
  }
  const beating: Beating = startBeating({ lockFile, inode, head: headOf(holder), beatMs }, lose)
  const release = Effect.promise(async () => {
    await beating.stop()
    heldHere.delete(lockFile)
    if (!isLost && isOurs()) rmSync(lockFile, { force: true })
  })
  const lock: DataDirLock = {
    ensure,
    onLost: (run) => {
      listeners.push(run)
      if (isLost) run(lost)
    }
  }
  return { lock, release }
}

/**
 * Holds the lock of a data folder, a file next to it, until the scope closes. The holder changes the file with every
 * heartbeat to show that it is alive.
 *
 * A lock is taken over at once if its holder is proven dead: its process is gone from the same process table of the
 * same boot of the same machine. If nothing is known of the holder, as for a process in another container, the lock is
 * taken over after five missed heartbeats.
 */
export const lockDataDir = (
  dataDir: string,
  { beatMs = 1_000 }: LockOptions = {}
): Effect.Effect<DataDirLock, DataDirLocked, Scope.Scope> => {
  const lockFile = `${dataDir}.lock`
  const taken = take(dataDir, lockFile, beatMs).pipe(
    Effect.retry({
      schedule: Schedule.spaced("100 millis"),
      times: patience,
      while: ({ elsewhere }) => !elsewhere
    })
  )
  return Effect.map(
    Effect.acquireRelease(
      Effect.map(taken, (own) => hold(dataDir, lockFile, beatMs, own)),
      ({ release }) => release,
      { interruptible: true }
    ),
    ({ lock }) => lock
  )
}
