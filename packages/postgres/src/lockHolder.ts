import { randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

/** The holder of a lock, as described in the lock file. */
export interface LockHolder {
  readonly pid: number
  /**
   * The process's start as the system counts it, which distinguishes it from a later process with the same pid. Empty
   * if unknown.
   */
  readonly startTicks: string
  /**
   * The machine's present boot, and the process table that contains the pid. Undefined in a lock of an earlier version,
   * which knew only one process table and had no heartbeat.
   */
  readonly processTable: string | undefined
  /** Random, to distinguish this lock from all others. */
  readonly lockId: string
}

/** Whether a holder is alive or dead. "unknown": only its heartbeat can show. */
export type HolderStatus = "alive" | "dead" | "unknown"

/**
 * Reads the state (field 3 of /proc/pid/stat) and the start (field 22) of a process; null if they are not available.
 */
const readProcessStat = (pid: number): { readonly state: string; readonly startTicks: string } | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field, in brackets, can contain spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { state: fields[0] ?? "", startTicks: fields[19] ?? "" }
  } catch {
    return null
  }
}

/** The process table of this process: of this boot of this machine, and of this container. */
const ownProcessTable = (() => {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}/${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    // The system has no process tables of containers.
    return `${hostname().replaceAll(/\s/g, "")}/${process.platform}`
  }
})()

const unknownStart = "-"

/** Makes the holder for this process. */
export const makeOwnHolder = (): LockHolder => ({
  pid: process.pid,
  startTicks: readProcessStat(process.pid)?.startTicks ?? "",
  processTable: ownProcessTable,
  lockId: randomUUID()
})

/**
 * Returns the content of the lock file before the number of the heartbeat. The pid and its start come first, where
 * earlier versions read them.
 */
export const formatHolder = ({ lockId, pid, startTicks, processTable }: LockHolder): string =>
  `${pid} ${startTicks === "" ? unknownStart : startTicks} ${processTable} ${lockId} `

/** Returns the content of the lock file before the first heartbeat. */
export const formatLockFile = (holder: LockHolder): string => `${formatHolder(holder)}${"0".repeat(12)}\n`

export const parseHolder = (text: string): LockHolder => {
  const [pid = "", started = "", processTable, lockId = ""] = text.trim().split(" ")
  return { pid: Number(pid), startTicks: started === unknownStart ? "" : started, processTable, lockId }
}

/** Determines by the process table whether a holder is alive. */
export const determineStatus = ({ pid, startTicks, processTable }: LockHolder): HolderStatus => {
  if (processTable !== undefined && processTable !== ownProcessTable) return "unknown"
  // A truncated file contains no information. A live holder will write a heartbeat.
  if (!Number.isSafeInteger(pid) || pid <= 0) return "unknown"
  // This process would know of a lock that it holds. The lock is of an earlier process with the same pid.
  if (pid === process.pid) return "dead"
  try {
    process.kill(pid, 0)
  } catch (cause) {
    // EPERM: the process exists and belongs to another user.
    if ((cause as NodeJS.ErrnoException).code !== "EPERM") return "dead"
  }
  const stat = readProcessStat(pid)
  if (stat === null) return processTable === undefined ? "alive" : "unknown"
  // A zombie has ended, and only waits until its parent reads its exit status.
  return stat.state !== "Z" && stat.state !== "X" && (startTicks === "" || stat.startTicks === startTicks)
    ? "alive"
    : "dead"
}
