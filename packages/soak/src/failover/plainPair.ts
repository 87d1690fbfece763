import { findFreePort, startOwnPostgres } from "@tapeline/testing/postgresServer"
import { execFile } from "node:child_process"
import { appendFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { openConnectionProxy } from "../connectionProxy.ts"
import { listProcessIds, makeQuery, signalProcesses } from "../database.ts"
import { type DatabasePair, databaseUser, makeServerFolder, waitUntil } from "./DatabasePair.ts"

/** The time limit of a step in ms, which is long enough for a busy machine. */
const timeoutMs = 180_000

interface Server {
  readonly name: string
  readonly port: number
  readonly dataDir: string
}

/** Creates a function that runs a program of PostgreSQL as the user of the servers. */
const makeRun = (bin: string, cwd: string, password: string) => (program: string, ...args: ReadonlyArray<string>) =>
  promisify(execFile)(join(bin, program), args, {
    ...databaseUser,
    cwd,
    timeout: timeoutMs,
    env: { PATH: process.env["PATH"], PGPASSWORD: password }
  })

/** Makes the replication from the primary to a standby synchronous, after the standby has connected. */
const makeSynchronous = async (primaryUrl: string, standbyName: string): Promise<void> => {
  const query = makeQuery(() => primaryUrl)
  const isReplicating = (condition: string) => async () =>
    (await query(`select 1 from pg_stat_replication where ${condition}`)).length === 1
  // Commits would wait for a standby that is not connected yet.
  await waitUntil("the replication", timeoutMs, isReplicating("state = 'streaming'"))
  await query(`alter system set synchronous_standby_names = '"${standbyName}"'`)
  await query("select pg_reload_conf()")
  await waitUntil("the synchronous replication", timeoutMs, isReplicating("sync_state = 'sync'"))
}

/**
 * Starts a PostgreSQL server and its standby with the programs of PostgreSQL. The test takes the part of the operator
 * who promotes the standby, and of the virtual address that leads to the primary.
 */
export const startPlainPair = async (parent: string): Promise<DatabasePair> => {
  const [firstFolder, secondFolder] = [makeServerFolder(join(parent, "pg-1")), makeServerFolder(join(parent, "pg-2"))]
  const { bin, dataDir, url } = await startOwnPostgres({
    dir: firstFolder,
    settings: {
      shared_buffers: "32MB",
      wal_log_hints: "on",
      wal_keep_size: "256MB",
      wal_retrieve_retry_interval: "1s",
      max_connections: "100"
    }
  })
  const { password } = new URL(url)
  const makeUrl = (port: number) => `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
  const first = { name: "pg-1", port: Number(new URL(url).port), dataDir }
  const second = { name: "pg-2", port: await findFreePort(), dataDir: join(secondFolder, "data") }
  let [primary, standby]: [Server, Server] = [first, second]
  const proxy = await openConnectionProxy(() => primary.port)
  const run = makeRun(bin, firstFolder, password)
  const pgCtl = ({ dataDir }: Server, ...args: ReadonlyArray<string>) =>
    run("pg_ctl", "-D", dataDir, "-w", "-t", String(timeoutMs / 1_000), ...args)
  const conninfo = ({ port }: Server, name: string) =>
    `host=127.0.0.1 port=${port} user=postgres password=${password} dbname=postgres application_name=${name}`
  /** Starts a copy of the primary as its standby, and makes the replication synchronous. */
  const attach = async (server: Server) => {
    // The configuration is a copy, and the last line of a setting applies.
    appendFileSync(join(server.dataDir, "postgresql.conf"), `port = ${server.port}\n`)
    try {
      await pgCtl(server, "-l", `${server.dataDir}.log`, "start")
      await makeSynchronous(makeUrl(primary.port), server.name)
    } catch (cause) {
      throw new Error(readFileSync(`${server.dataDir}.log`, "utf8").slice(-4_000), { cause })
    }
  }
  const stop = async () => {
    proxy.close()
    for (const { dataDir } of [first, second]) signalProcesses(listProcessIds(dataDir), "SIGKILL")
  }
  let lost: { readonly server: Server; readonly wasPrimary: boolean } | null = null
  const lose = (server: Server, signal: "SIGKILL" | "SIGSTOP") => {
    signalProcesses(listProcessIds(server.dataDir), signal)
    lost = { server, wasPrimary: server === primary }
  }
  try {
    await run(
      "pg_basebackup",
      "-d",
      conninfo(first, second.name),
      "-D",
      second.dataDir,
      "-X",
      "stream",
      "-c",
      "fast",
      "-R"
    )
    await attach(second)
  } catch (cause) {
    await stop()
    throw cause
  }
  return {
    url: makeUrl(proxy.port),
    query: makeQuery(() => makeUrl(primary.port)),
    killPrimary: () => lose(primary, "SIGKILL"),
    freezePrimary: () => lose(primary, "SIGSTOP"),
    freezeStandby: () => lose(standby, "SIGSTOP"),
    awaitPromotion: async () => {
      // The standby needs no standby of its own until the lost server returns.
      appendFileSync(join(standby.dataDir, "postgresql.auto.conf"), "synchronous_standby_names = ''\n")
      await pgCtl(standby, "promote")
      ;[primary, standby] = [standby, primary]
      proxy.cutConnections(() => true)
    },
    restoreLost: async () => {
      if (lost === null) return
      const { server, wasPrimary } = lost
      lost = null
      if (!wasPrimary) return signalProcesses(listProcessIds(server.dataDir), "SIGCONT")
      // A former primary must not run next to the new one.
      signalProcesses(listProcessIds(server.dataDir), "SIGKILL")
      await waitUntil(
        "the end of the former primary",
        timeoutMs,
        async () => listProcessIds(server.dataDir).length === 0
      )
      // Without a checkpoint, pg_rewind may take the new primary for a server on the old timeline.
      await makeQuery(() => makeUrl(primary.port))("checkpoint")
      await run("pg_rewind", "-D", server.dataDir, "--source-server", conninfo(primary, server.name), "-R")
      await attach(server)
    },
    stop
  }
}
