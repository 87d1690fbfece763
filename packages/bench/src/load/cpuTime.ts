/** The CPU times of processes, from Linux's `/proc`, in ticks of 10 ms. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const tickMs = 10

interface CpuTimes {
  readonly parent: number
  /** The CPU time of the process with all its threads, in ms. */
  readonly ownMs: number
  /** The CPU time of the process's ended children, in ms. */
  readonly endedMs: number
}

const readCpuTimes = (pid: number | string): CpuTimes | null => {
  try {
    // The name of the process, in parentheses, can contain any character, so fields are counted after the name
    // (proc(5)).
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ").map(Number)
    return {
      parent: fields[1]!,
      ownMs: (fields[11]! + fields[12]!) * tickMs,
      endedMs: (fields[13]! + fields[14]!) * tickMs
    }
  } catch {
    return null
  }
}

/** Returns the CPU time of a process so far in ms, or null if the process has ended or CPU times are not available. */
export const processCpuMs = (pid: number): number | null => readCpuTimes(pid)?.ownMs ?? null

/** Returns the id of the first process of a PostgreSQL server. */
const readFirstPid = (dataDir: string): number =>
  Number(readFileSync(join(dataDir, "postmaster.pid"), "utf8").split("\n")[0])

const findChildren = (parentPid: number): ReadonlyArray<CpuTimes & { readonly pid: number }> =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const times = readCpuTimes(name)
      return times?.parent === parentPid ? [{ ...times, pid: Number(name) }] : []
    })

/** Returns the CPU time in ms of a PostgreSQL server so far: the first process and its child processes. */
export const postgresCpuMs = (dataDir: string): number | null => {
  const first = readFirstPid(dataDir)
  const serverTimes = readCpuTimes(first)
  if (serverTimes === null) return null
  return findChildren(first).reduce((sum, { ownMs }) => sum + ownMs, serverTimes.ownMs + serverTimes.endedMs)
}

/** Returns the ids of all processes of a PostgreSQL server. */
export const findPostgresPids = (dataDir: string): ReadonlyArray<number> => {
  const first = readFirstPid(dataDir)
  return [first, ...findChildren(first).map(({ pid }) => pid)]
}
