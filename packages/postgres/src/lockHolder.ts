import { randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

/** Who holds a lock, as its file tells. */
export interface LockHolder {
  readonly pid: number
  /** The process's start as the system counts it, to tell it from a later one of the same pid; empty where unknown. */
  readonly started: string
  /**
   * The machine's present boot and the process table that the pid is of. Undefined in a lock of an earlier version,
   * which knew of one process table only, and did not beat.
   */
  readonly where: string | undefined
  /** Random, to tell one holding from any other. */
  readonly identity: string
}

/** What is known of a holder: that it lives, that it is dead, or nothing but its beats. */
export type Verdict = "alive" | "dead" | "unknown"

/**
 * What the system tells of a process: its state (field 3 of /proc/pid/stat) and its start (field 22); null where it
 * tells nothing.
 */
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

/** The process table that this process is in: of this boot of this machine, and of this container. */
const here = (() => {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}/${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    // A system without containers' process tables.
    return `${hostname().replaceAll(/\s/g, "")}/${process.platform}`
  }
})()

const none = "-"

/** The holder that this process is from now on. */
export const ownHolder = (): LockHolder => ({
  pid: process.pid,
  started: statOf(process.pid)?.started ?? "",
  where: here,
  identity: randomUUID()
})

/**
 * What the file says before the number of the beat. The pid and its start come first, as an earlier version reads them.
 */
export const headOf = ({ identity, pid, started, where }: LockHolder): string =>
  `${pid} ${started === "" ? none : started} ${where} ${identity} `

/** What the file says before the first beat. */
export const textOf = (holder: LockHolder): string => `${headOf(holder)}${"0".repeat(12)}\n`

export const parseHolder = (text: string): LockHolder => {
  const [pid = "", started = "", where, identity = ""] = text.trim().split(" ")
  return { pid: Number(pid), started: started === none ? "" : started, where, identity }
}

/** What the process table tells of a holder. */
export const judge = ({ pid, started, where }: LockHolder): Verdict => {
  if (where !== undefined && where !== here) return "unknown"
  // A file that was cut short says nothing; whoever lives behind it will beat.
  if (!Number.isSafeInteger(pid) || pid <= 0) return "unknown"
  // A holder of this very process would be known to it: this is a lock from an earlier life.
  if (pid === process.pid) return "dead"
  try {
    process.kill(pid, 0)
  } catch (cause) {
    // EPERM: it is there, and another user's.
    if ((cause as NodeJS.ErrnoException).code !== "EPERM") return "dead"
  }
  const stat = statOf(pid)
  if (stat === null) return where === undefined ? "alive" : "unknown"
  // A zombie has ended, and only waits for its parent to ask how.
  return stat.state !== "Z" && stat.state !== "X" && (started === "" || stat.started === started) ? "alive" : "dead"
}
