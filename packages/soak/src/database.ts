import { startOwnPostgres } from "@tapeline/testing/postgresServer"
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import postgres from "postgres"
import type { Query } from "./audit.ts"

export interface TestDatabase {
  readonly port: number
  readonly urlWithPort: (port: number) => string
  readonly query: Query
  readonly freeze: () => void
  readonly unfreeze: () => void
  /** Kills the server without a shutdown. Unlike a power failure, the crash loses no written data. */
  readonly crash: () => void
  /** Starts the server unless it runs, and throws if the start fails, for example because the disk is full. */
  readonly start: () => void
  readonly stop: () => Promise<void>
}

/** Returns the ids of all processes of a PostgreSQL server, the main process first. Returns none if it does not run. */
export const listProcessIds = (dataDir: string): ReadonlyArray<number> => {
  const pidFile = join(dataDir, "postmaster.pid")
  const [first] = existsSync(pidFile) ? readFileSync(pidFile, "utf8").split("\n") : []
  // A killed server leaves its file, and its process id may belong to another program.
  const nameFile = `/proc/${first}/comm`
  if (!existsSync(nameFile) || readFileSync(nameFile, "utf8").trim() !== "postgres") return []
  const children = readFileSync(`/proc/${first}/task/${first}/children`, "utf8").trim().split(/\s+/)
  return [first!, ...children].map(Number).filter((pid) => pid > 0)
}

export const signalProcesses = (pids: ReadonlyArray<number>, name: NodeJS.Signals): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch (cause) {
      // The process of the session may have ended since the query.
      if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause
    }
  }
}

/** Creates a function that runs a statement on a new connection to the address that `getUrl` returns. */
export const makeQuery = (getUrl: () => string): Query => async (statement) => {
  const sql = postgres(getUrl(), { max: 1 })
  try {
    return await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}

/** Starts a PostgreSQL server with its files in `directory` and full durability. */
export const startDatabase = async (directory: string): Promise<TestDatabase> => {
  const server = await startOwnPostgres({
    dir: directory,
    settings: {
      max_connections: "60",
      shared_buffers: "32MB",
      min_wal_size: "32MB",
      max_wal_size: "48MB",
      wal_keep_size: "0"
    }
  })
  const { bin, dataDir } = server
  const { gid, uid } = statSync(dataDir)
  const runPgCtl = (...args: ReadonlyArray<string>) =>
    spawnSync(join(bin, "pg_ctl"), ["-D", dataDir, "-w", "-t", "20", ...args], {
      encoding: "utf8",
      cwd: directory,
      stdio: ["ignore", "ignore", "pipe"],
      ...(process.getuid?.() === 0 ? { uid, gid } : {})
    })
  let frozenPids: ReadonlyArray<number> = []
  const { port } = new URL(server.url)
  return {
    query: makeQuery(() => server.url),
    port: Number(port),
    urlWithPort: (port) => {
      const url = new URL(server.url)
      url.port = String(port)
      return url.href
    },
    freeze: () => {
      frozenPids = listProcessIds(dataDir)
      signalProcesses(frozenPids, "SIGSTOP")
    },
    unfreeze: () => {
      signalProcesses(frozenPids, "SIGCONT")
      frozenPids = []
    },
    crash: () => void runPgCtl("-m", "immediate", "stop"),
    start: () => {
      if (runPgCtl("status").status === 0) return
      const { status, stderr } = runPgCtl("-l", join(directory, "log"), "start")
      if (status !== 0) throw new Error(`PostgreSQL did not restart: ${stderr.trim()}`)
    },
    stop: server.stop
  }
}
