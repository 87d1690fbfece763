import { Effect, Predicate, Schedule, Schema, type Scope } from "effect"
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { type Beating, startBeating } from "./heartbeat.ts"
import { headOf, judge, type LockHolder, ownHolder, parseHolder, textOf } from "./lockHolder.ts"

/** Another process uses the data folder. Stop it, or choose another folder. */
export class DataDirLocked extends Schema.TaggedError<DataDirLocked>()("DataDirLocked", {
  dataDir: Schema.String,
  lockFile: Schema.String,
  pid: Schema.Number,
  /**
   * True when the holder was seen at work only by its heartbeat: it runs in another container, or on another machine.
   */
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
 * Another process has taken the data folder while this one stood still, or its lock was removed. Nothing more is
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
  /** From one beat of the holder to the next; 1 second by default. All who share a folder must agree on it. */
  readonly beatMs?: number
}

/** A lock that is held. */
export interface DataDirLock {
  /**
   * Fails with `DataDirLost` when the lock is no longer this process's. To be asked before every write: a process that
   * stood still for long and wakes must not write beside its successor. Looks at the file once in a beat.
   */
  readonly ensure: () => void
  /** Runs once, should the lock be lost. */
  readonly onLost: (run: (lost: DataDirLost) => void) => void
}

/**
 * How often a lock of a living process is tried again, every tenth of a second: one that was just killed takes a moment
 * to end.
 */
const patience = 10

/** So many beats must be missed before a holder that nothing else is known of counts as dead. */
const silentBeats = 5

/** Locks of this very process: its own pid in a file from an earlier life must not pass for a live holder. */
const heldHere = new Set<string>()

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

const inodeOf = (file: string): bigint | undefined => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino

/** The file is there already. */
const isTaken = (cause: unknown): boolean => Predicate.hasProperty(cause, "code") && cause.code === "EEXIST"

/**
 * Puts a lock of our own in place, and tells its file apart from any other of that name; undefined when there is one.
 */
const place = (lockFile: string, holder: LockHolder): bigint | undefined => {
  const own = `${lockFile}.${holder.identity}`
  writeFileSync(own, textOf(holder))
  try {
    const inode = inodeOf(own)
    // A link is made whole or not at all, and never over one that is there.
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
 * Takes away the lock that reads `found`. Two processes may do so at once, so what was taken is looked at once more.
 */
const clear = (lockFile: string, found: string, { identity }: LockHolder): void => {
  const aside = `${lockFile}.${identity}.stale`
  try {
    renameSync(lockFile, aside)
  } catch {
    return
  }
  try {
    // It beat after all, or it is another's.
    if (read(aside) !== found) linkSync(aside, lockFile)
  } catch (cause) {
    if (!isTaken(cause)) throw cause
  } finally {
    rmSync(aside, { force: true })
  }
}

/**
 * True when the lock still reads the same after so many beats; false as soon as it does not. Counts beats, not time.
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
            // Gone meanwhile: its holder has ended in order, or another taker was quicker.
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
 * Holds the lock of a data folder, a file beside it, until the scope closes. The holder shows that it lives by changing
 * the file every beat. A lock whose holder is proven dead (its process is gone from the same process table of the same
 * boot of the same machine) is taken over at once; one of which nothing is known, as of a process in another container,
 * when it misses five beats.
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
