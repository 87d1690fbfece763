import { Effect, Schedule, Schema, type Scope } from "effect"
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"

/** Another process uses the data folder. Stop it, or choose another folder. */
export class DataDirLocked extends Schema.TaggedError<DataDirLocked>()("DataDirLocked", {
  dataDir: Schema.String,
  lockFile: Schema.String,
  pid: Schema.Number
}) {
  override get message(): string {
    return `The data folder ${this.dataDir} is in use by process ${this.pid}. Stop that process, or choose another ` +
      `folder. If it is not a Tapeline process, remove ${this.lockFile}.`
  }
}

interface Holder {
  readonly pid: number
  /** The process's start as the system counts it, to tell it from a later one of the same pid; empty where unknown. */
  readonly started: string
}

/** How often a held lock is tried again, every tenth of a second: a holder that was just killed takes a moment to end. */
const patience = 10

/** Locks of this very process: its own pid in a file from an earlier life must not pass for a live holder. */
const heldHere = new Set<string>()

/** What the system tells of a process: its state (field 3 of /proc/pid/stat) and its start (field 22); null where it tells nothing. */
const statOf = (pid: number): { readonly state: string; readonly started: string } | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field, in brackets, may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { state: fields[0] ?? "", started: fields[19] ?? "" }
  } catch {
    return null
  }
}

const isAlive = ({ pid, started }: Holder): boolean => {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    // EPERM: it is there, and another user's.
    if ((cause as NodeJS.ErrnoException).code !== "EPERM") return false
  }
  const stat = statOf(pid)
  if (stat === null) return true
  // A zombie has ended, and only waits for its parent to ask how.
  return stat.state !== "Z" && stat.state !== "X" && (started === "" || stat.started === started)
}

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return undefined
  }
}

const parse = (text: string): Holder => {
  const [pid = "", started = ""] = text.trim().split(" ")
  return { pid: Number(pid), started }
}

const take = (dataDir: string, lockFile: string): void => {
  const locked = (pid: number) => new DataDirLocked({ dataDir, lockFile, pid })
  if (heldHere.has(lockFile)) throw locked(process.pid)
  const own = `${lockFile}.${process.pid}`
  writeFileSync(own, `${process.pid} ${statOf(process.pid)?.started ?? ""}\n`)
  try {
    for (;;) {
      try {
        // A link is made whole or not at all, and never over one that is there.
        linkSync(own, lockFile)
        heldHere.add(lockFile)
        return
      } catch (cause) {
        if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause
      }
      const found = read(lockFile)
      if (found === undefined) continue
      const holder = parse(found)
      if (holder.pid !== process.pid && isAlive(holder)) throw locked(holder.pid)
      // Its holder is dead. Two processes may see that at once, so what is taken away is looked at once more.
      const aside = `${lockFile}.${process.pid}.stale`
      try {
        renameSync(lockFile, aside)
      } catch {
        continue
      }
      if (read(aside) !== found) {
        renameSync(aside, lockFile)
        continue
      }
      rmSync(aside, { force: true })
    }
  } finally {
    rmSync(own, { force: true })
  }
}

/** Holds the lock of a data folder, a file beside it, until the scope closes. A lock of a dead process is taken over. */
export const lockDataDir = (dataDir: string): Effect.Effect<void, DataDirLocked, Scope.Scope> => {
  const lockFile = `${dataDir}.lock`
  return Effect.asVoid(Effect.acquireRelease(
    Effect.suspend(() => {
      try {
        return Effect.succeed(take(dataDir, lockFile))
      } catch (cause) {
        return cause instanceof DataDirLocked ? Effect.fail(cause) : Effect.die(cause)
      }
    }).pipe(Effect.retry({ schedule: Schedule.spaced("100 millis"), times: patience })),
    () =>
      Effect.sync(() => {
        heldHere.delete(lockFile)
        rmSync(lockFile, { force: true })
      })
  ))
}
