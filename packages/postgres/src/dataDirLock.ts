import { Effect, Predicate, Schedule, Schema, type Scope } from "effect"
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { type Heartbeat, startHeartbeat } from "./lockHeartbeat.ts"
import {
  determineStatus,
  formatHolder,
  formatLockFile,
  type LockHolder,
  makeOwnHolder,
  parseHolder
} from "./lockHolder.ts"

/** Another process uses the data folder, so the operator must stop the other process or choose another folder. */
export class DataDirLocked extends Schema.TaggedError<DataDirLocked>()("DataDirLocked", {
  dataDir: Schema.String,
  lockFile: Schema.String,
  pid: Schema.Number,
  /** True if the lock holder runs in another container or on another machine. */
  elsewhere: Schema.Boolean
}) {
  override get message(): string {
    return this.elsewhere
      ? `The data folder ${this.dataDir} is in use by a process in another container or on another machine. Stop it, or ` +
        "choose another folder: each server needs its own folder, or a shared PostgreSQL (DATABASE_URL)."
      : `The data folder ${this.dataDir} is in use by process ${this.pid}. Stop that process, or choose another ` +
        `folder. If it is not a Tapeline process, remove ${this.lockFile}.`
  }
}

/** Another process took the data folder while the current process was frozen, or the lock file was removed. */
export class DataDirLost extends Schema.TaggedError<DataDirLost>()("DataDirLost", {
  dataDir: Schema.String
}) {
  override get message(): string {
    return `The lock of the data folder ${this.dataDir} was taken by another process, or removed, so this one stops.`
  }
}

export interface LockOptions {
  /**
   * The interval of the lock holder's heartbeat in ms, 1,000 by default. All processes that open the same data folder
   * must use the same heartbeat interval.
   */
  readonly heartbeatMs?: number
}

/** A held lock of a data folder. */
export interface DataDirLock {
  /**
   * Throws `DataDirLost` if the process no longer holds the lock; `ensure` must be called before each write. A process
   * that was frozen must not write while another process holds the lock. The lock file is checked once per heartbeat.
   */
  readonly ensure: () => void
  /** Registers a callback that runs once, if the lock is lost. */
  readonly onLost: (callback: (lost: DataDirLost) => void) => void
}

/**
 * The maximum number of repeated attempts to take a lock. A failed attempt is repeated every 100 ms, because a killed
 * process takes a moment to end.
 */
const maxRetries = 10

/** The number of missed heartbeats after which a lock holder counts as dead, if only heartbeats can be observed. */
const maxMissedHeartbeats = 5

/**
 * The locks that the current process holds. A lock file with the current process id may come from an ended process with
 * the same id.
 */
const locksOfThisProcess = new Set<string>()

const readLockFile = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

const inodeOf = (file: string): bigint | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino

const isFileExistsError = (cause: unknown): boolean => Predicate.hasProperty(cause, "code") && cause.code === "EEXIST"

/**
 * Creates a lock file and returns the file's inode, which identifies the lock, or undefined if a lock already exists.
 */
const createLockFile = (lockFile: string, holder: LockHolder): bigint | undefined => {
  const ownFile = `${lockFile}.${holder.lockId}`
  writeFileSync(ownFile, formatLockFile(holder))
  try {
    const inode = inodeOf(ownFile)
    // A hard link is created completely or not at all, and never replaces a file.
    linkSync(ownFile, lockFile)
    return inode
  } catch (cause) {
    if (!isFileExistsError(cause)) throw cause
    return undefined
  } finally {
    rmSync(ownFile, { force: true })
  }
}

/**
 * Removes a lock file with the content `expectedContent`. Two processes may remove the lock file at once, so the
 * content is checked again after the removal.
 */
const removeStaleLock = (lockFile: string, expectedContent: string, { lockId }: LockHolder): void => {
  const staleFile = `${lockFile}.${lockId}.stale`
  try {
    renameSync(lockFile, staleFile)
  } catch {
    return
  }
  try {
    // Restores the lock file if the holder has written a heartbeat since the check, or if another process holds the
    // lock.
    if (readLockFile(staleFile) !== expectedContent) linkSync(staleFile, lockFile)
  } catch (cause) {
    if (!isFileExistsError(cause)) throw cause
  } finally {
    rmSync(staleFile, { force: true })
  }
}

/**
 * Returns true if the lock file is unchanged after `maxMissedHeartbeats` intervals, and false as soon as the file
 * changes. Counts heartbeat intervals instead of elapsed time, because the current process may freeze meanwhile.
 */
const isSilent = (lockFile: string, expectedContent: string, heartbeatMs: number): Effect.Effect<boolean> =>
  Effect.gen(function*() {
    for (let missed = 0; missed < maxMissedHeartbeats; missed++) {
      yield* Effect.sleep(heartbeatMs)
      if (readLockFile(lockFile) !== expectedContent) return false
    }
    return true
  })

const acquireLock = (dataDir: string, lockFile: string, heartbeatMs: number) =>
  Effect.gen(function*() {
    const holder = makeOwnHolder()
    const makeLockedError = (pid: number, elsewhere: boolean) =>
      new DataDirLocked({ dataDir, lockFile, pid, elsewhere })
    for (;;) {
      if (locksOfThisProcess.has(lockFile)) return yield* makeLockedError(process.pid, false)
      const inode = createLockFile(lockFile, holder)
      if (inode !== undefined) {
        locksOfThisProcess.add(lockFile)
        return { holder, inode }
      }
      const content = readLockFile(lockFile)
      if (content === undefined) continue
      const otherHolder = parseHolder(content)
      switch (determineStatus(otherHolder)) {
        case "alive":
          return yield* makeLockedError(otherHolder.pid, false)
        case "unknown":
          if (!(yield* isSilent(lockFile, content, heartbeatMs))) {
            const newContent = readLockFile(lockFile)
            // A missing lock file means that the holder ended normally, and a new holder means that another process was
            // faster.
            if (
              newContent !== undefined && parseHolder(newContent).lockId === otherHolder.lockId
            ) return yield* makeLockedError(otherHolder.pid, true)
            continue
          }
      }
      removeStaleLock(lockFile, content, holder)
    }
  })

const makeLock = (
  dataDir: string,
  lockFile: string,
  heartbeatMs: number,
  { holder, inode }: { readonly holder: LockHolder; readonly inode: bigint }
) => {
  const isOwnFile = () => inodeOf(lockFile) === inode
  const lost = new DataDirLost({ dataDir })
  const listeners: Array<(lost: DataDirLost) => void> = []
  let isLost = false
  const markLost = () => {
    if (isLost) return
    isLost = true
    for (const callback of listeners) callback(lost)
  }
  let checkedAt = performance.now()
  const ensure = () => {
    const now = performance.now()
    if (!isLost && now - checkedAt > heartbeatMs) {
      if (isOwnFile()) checkedAt = now
      else markLost()
    }
    if (isLost) throw lost
  }
  const heartbeat: Heartbeat = startHeartbeat(
    { lockFile, inode, head: formatHolder(holder), heartbeatMs },
    markLost
  )
  const release = Effect.promise(async () => {
    await heartbeat.stop()
    locksOfThisProcess.delete(lockFile)
    if (!isLost && isOwnFile()) rmSync(lockFile, { force: true })
  })
  const lock: DataDirLock = {
    ensure,
    onLost: (callback) => {
      listeners.push(callback)
      if (isLost) callback(lost)
    }
  }
  return { lock, release }
}

/**
 * Holds the lock of a data folder until the scope closes. The lock is a file next to the folder. The lock holder
 * changes the file with every heartbeat. A lock is taken over at once if its holder is proven dead. A lock holder of
 * the current process table is proven dead if its process no longer exists. If only heartbeats can be observed, as for
 * a process in another container, the lock is taken over after five missed heartbeats.
 */
export const lockDataDir = (
  dataDir: string,
  { heartbeatMs = 1_000 }: LockOptions = {}
): Effect.Effect<DataDirLock, DataDirLocked, Scope.Scope> => {
  const lockFile = `${dataDir}.lock`
  const acquire = acquireLock(dataDir, lockFile, heartbeatMs).pipe(
    Effect.retry({
      schedule: Schedule.spaced("100 millis"),
      times: maxRetries,
      while: ({ elsewhere }) => !elsewhere
    })
  )
  return Effect.map(
    Effect.acquireRelease(
      Effect.map(acquire, (acquired) => makeLock(dataDir, lockFile, heartbeatMs, acquired)),
      ({ release }) => release,
      { interruptible: true }
    ),
    ({ lock }) => lock
  )
}
