/** The memory of processes, from Linux's `/proc`. */
import { readFileSync } from "node:fs"

/** Returns a size from a file of `/proc` in MB, or null if the file cannot be read. */
const readProcMb = (pid: number, file: "status" | "smaps_rollup", name: string): number | null => {
  try {
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))?.[1]
    return kilobytes === undefined ? null : Number(kilobytes) * 1.024e-3
  } catch {
    return null
  }
}

/** Returns the resident memory of a process in MB. */
export const residentMb = (pid: number): number | null => readProcMb(pid, "status", "VmRSS")

/** Returns the memory of a process in MB. Memory that several processes share is divided among them. */
export const proportionalMb = (pid: number): number | null => readProcMb(pid, "smaps_rollup", "Pss")
