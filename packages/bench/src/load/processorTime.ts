/** The processor's time of processes, from Linux's `/proc`, which counts it in ticks of 10 ms. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const tickMs = 10

interface Times {
  readonly parent: number
  /** Of the process, all its threads. */
  readonly ownMs: number
  /** Of its children that have ended. */
  readonly endedMs: number
}

const timesOf = (pid: number | string): Times | null => {
  try {
    // The name, in parentheses, may hold anything; what follows is by place (proc(5)).
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

/** What a process has used so far; null when it is gone, or the machine does not tell. */
export const processMs = (pid: number): number | null => timesOf(pid)?.ownMs ?? null

/** What a PostgreSQL has used so far: its first process, and every one that it started. */
export const postgresMs = (dataDir: string): number | null => {
  const first = Number(readFileSync(join(dataDir, "postmaster.pid"), "utf8").split("\n")[0])
  const own = timesOf(first)
  if (own === null) return null
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => timesOf(pid) ?? [])
    .filter(({ parent }) => parent === first)
  return children.reduce((sum, { ownMs }) => sum + ownMs, own.ownMs + own.endedMs)
}
