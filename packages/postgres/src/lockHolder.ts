import { randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"

export interface LockHolder {
  readonly pid: number
  /**
   * The start time of the process in clock ticks, or empty if unknown. The start time distinguishes processes with the
   * same process id.
   */
  readonly startTicks: string
  /**
   * The id of the process table that contains `pid`. `processTable` is undefined if an earlier version without
   * heartbeats wrote the lock file.
   */
  readonly processTable: string | undefined
  readonly lockId: string
}

/** The status of a lock holder. For "unknown", only the heartbeat can show whether the holder is alive. */
export type HolderStatus = "alive" | "dead" | "unknown"

/**
 * Reads the state (field 3 of `/proc/pid/stat`) and the start time (field 22) of a process, or null if not available.
 */
const readProcessStat = (pid: number): { readonly state: string; readonly startTicks: string } | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The second field, the process name in brackets, can contain spaces.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return { state: fields[0] ?? "", startTicks: fields[19] ?? "" }
  } catch {
    return null
  }
}

/** The id of the current process table: the machine's boot id, and the container's process namespace. */
const ownProcessTable = (() => {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}/${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    return `${hostname().replaceAll(/\s/g, "")}/${process.platform}`
  }
})()

const unknownStart = "-"

export const makeOwnHolder = (): LockHolder => ({
  pid: process.pid,
  startTicks: readProcessStat(process.pid)?.startTicks ?? "",
  processTable: ownProcessTable,
  lockId: randomUUID()
})

/**
 * Returns the content of a lock file up to the heartbeat counter. Earlier versions expect the process id and the start
 * time at the beginning of the lock file.
 */
export const formatHolder = ({ lockId, pid, startTicks, processTable }: LockHolder): string =>
  `${pid} ${startTicks === "" ? unknownStart : startTicks} ${processTable} ${lockId} `

export const formatLockFile = (holder: LockHolder): string => `${formatHolder(holder)}${"0".repeat(12)}\n`

export const parseHolder = (text: string): LockHolder => {
  const [pid = "", started = "", processTable, lockId = ""] = text.trim().split(" ")
  return { pid: Number(pid), startTicks: started === unknownStart ? "" : started, processTable, lockId }
}

/** Determines from the process table whether the holder of a lock is alive. */
export const determineStatus = ({ pid, startTicks, processTable }: LockHolder): HolderStatus => {
  if (processTable !== undefined && processTable !== ownProcessTable) return "unknown"
  // A truncated lock file contains no information, but a living holder will write a heartbeat.
  if (!Number.isSafeInteger(pid) || pid <= 0) return "unknown"
  // The current process knows the locks that it holds, so the lock belongs to an earlier process with the same id.
  if (pid === process.pid) return "dead"
  try {
    process.kill(pid, 0)
  } catch (cause) {
    // EPERM means that the process exists and belongs to another user.
    if ((cause as NodeJS.ErrnoException).code !== "EPERM") return "dead"
  }
  const stat = readProcessStat(pid)
  if (stat === null) return processTable === undefined ? "alive" : "unknown"
  // A zombie process has ended, and only waits until the parent process reads the exit status.
  return stat.state !== "Z" && stat.state !== "X" && (startTicks === "" || stat.startTicks === startTicks)
    ? "alive"
    : "dead"
}
