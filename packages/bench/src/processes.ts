/**
 * Measures what a call costs if 1, 2, 5 and 10 processes of the service share one PostgreSQL, and compares the charged
 * credits with the successful calls. `node src/processes.ts` runs the bench; `--quick` shortens the run.
 */
import { startPostgres } from "@tapeline/testing/postgresServer"
import { availableParallelism, loadavg } from "node:os"
import { setTimeout as sleep } from "node:timers/promises"
import postgres from "postgres"
import { startTapelineProcess } from "./call/servers.ts"
import { findPostgresPids, postgresCpuMs, processCpuMs } from "./load/cpuTime.ts"
import { loadGenerator, type LoadResult, loadTogether } from "./load/loadServers.ts"
import { proportionalMb, residentMb } from "./load/memory.ts"
import type { ServerUnderTest } from "./load/serverUnderTest.ts"
import { createDatabase } from "./load/setup.ts"
import { auditBooks, checkCharges } from "./processes/books.ts"
import { median, runConditions, table, writeSection } from "./report.ts"

const isQuick = process.argv.includes("--quick")
const processCounts = [1, 2, 5, 10]
const connections = 60
const rounds = isQuick ? 1 : 3
const seconds = isQuick ? 3 : 6
/** A new process runs alone first, until its code is compiled. */
const warmupSeconds = isQuick ? 3 : 8
/** Each minute, a process closes the connections to PostgreSQL that were idle for a minute. */
const settleMs = isQuick ? 10_000 : 130_000
/** The time after the load in which the calls of closed connections end. */
const drainMs = 5_000
const restMs = isQuick ? 5_000 : 15_000
const checkedCallsPerProcess = isQuick ? 200 : 2_000
const sampleIntervalMs = 250

const loadBefore = loadavg()[0]!.toFixed(1)
const server = await startPostgres({ settings: { max_connections: "300", shared_buffers: "256MB" } })
const databaseUrl = await createDatabase(server.url, "bench_processes")
const sql = postgres(databaseUrl, { max: 1 })
const running: Array<ServerUnderTest> = []

const countSessions = async (): Promise<number> => {
  const [row] = await sql<Array<{ count: number }>>`select count(*)::integer as count from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`
  return row!.count
}

/** Returns the result of a load, and the maximum number of sessions during the load. */
const withMaxSessions = async <A>(load: Promise<A>): Promise<readonly [result: A, sessions: number]> => {
  const stopping = new AbortController()
  let sessions = 0
  const sampling = (async () => {
    while (!stopping.signal.aborted) {
      sessions = Math.max(sessions, await countSessions())
      await sleep(sampleIntervalMs)
    }
  })()
  const result = await load.finally(() => stopping.abort())
  await sampling
  return [result, sessions]
}

const sumOrNull = (values: ReadonlyArray<number | null>): number | null =>
  values.reduce<number | null>((sum, value) => sum === null || value === null ? null : sum + value, 0)
const sumOfServers = (read: (pid: number) => number | null) => sumOrNull(running.map(({ pid }) => read(pid)))
const postgresMb = () =>
  server.dataDir === null ? null : sumOrNull(findPostgresPids(server.dataDir).map(proportionalMb))

interface RestResult {
  readonly sessions: number
  /** The CPU time of all servers in ms per second, or null if the operating system does not report CPU times. */
  readonly serverMsPerSecond: number | null
  readonly databaseMsPerSecond: number | null
}

const measureRest = async (): Promise<RestResult> => {
  await sleep(settleMs)
  const readTimes = () =>
    [
      performance.now(),
      sumOfServers(processCpuMs),
      server.dataDir === null ? null : postgresCpuMs(server.dataDir)
    ] as const
  const [startedAt, serverBefore, databaseBefore] = readTimes()
  await sleep(restMs)
  const [endedAt, serverAfter, databaseAfter] = readTimes()
  const perSecond = (from: number | null, to: number | null) =>
    from === null || to === null ? null : ((to - from) * 1000) / (endedAt - startedAt)
  return {
    sessions: await countSessions(),
    serverMsPerSecond: perSecond(serverBefore, serverAfter),
    databaseMsPerSecond: perSecond(databaseBefore, databaseAfter)
  }
}

interface LoadSample {
  readonly results: ReadonlyArray<LoadResult>
  readonly sessions: number
}

const measureLoad = async (connections: number): Promise<LoadSample> => {
  const results: Array<LoadResult> = []
  let maxSessions = 0
  for (let round = 1; round <= rounds; round++) {
    const [result, sessions] = await withMaxSessions(loadTogether(running, connections, seconds))
    results.push(result)
    maxSessions = Math.max(maxSessions, sessions)
    console.log(
      `processes: ${running.length}, ${connections} connections, round ${round}: ${
        result.perSecond.toFixed(0)
      } calls/s, ` +
        `server ${result.serverUs?.toFixed(0)} µs, PostgreSQL ${result.databaseUs?.toFixed(0)} µs, ${sessions} sessions`
    )
  }
  return { results, sessions: maxSessions }
}

const measureProcesses = async () => {
  const rest = await measureRest()
  const checkedCalls = await checkCharges(sql, running, Math.ceil(connections / running.length), checkedCallsPerProcess)
  const together = await measureLoad(connections)
  const each = await measureLoad(connections * running.length)
  return {
    processes: running.length,
    rest,
    checkedCalls,
    together,
    each,
    serverMb: sumOfServers(residentMb),
    postgresMb: postgresMb()
  }
}

type Sample = Awaited<ReturnType<typeof measureProcesses>>

const format = (value: number | null, digits = 0): string =>
  value === null || Number.isNaN(value)
    ? ""
    : value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })

const costRows = (samples: ReadonlyArray<Sample>, select: (sample: Sample) => LoadSample) => {
  const medianOf = (sample: Sample, read: (result: LoadResult) => number | null) =>
    median(select(sample).results.map((result) => read(result) ?? NaN))
  return samples.map((sample) => {
    const costCells = (read: (result: LoadResult) => number | null) => {
      const cost = medianOf(sample, read)
      const ratio = cost / medianOf(samples[0]!, read)
      return [format(cost), Number.isNaN(ratio) ? "" : `${ratio.toFixed(2)} x`]
    }
    return [
      String(sample.processes),
      format(medianOf(sample, ({ perSecond }) => perSecond)),
      ...costCells(({ serverUs }) => serverUs),
      ...costCells(({ databaseUs }) => databaseUs),
      String(select(sample).sessions),
      (select(sample).sessions / sample.processes).toFixed(1)
    ]
  })
}

const costColumns = [
  "processes",
  "calls/s",
  "server CPU, µs per call",
  "server, ratio to one process",
  "PostgreSQL CPU, µs per call",
  "PostgreSQL, ratio to one process",
  "PostgreSQL sessions",
  "sessions a process"
]

const restRow = ({ postgresMb, processes, rest, serverMb }: Sample): ReadonlyArray<string> => [
  String(processes),
  String(rest.sessions),
  format(rest.serverMsPerSecond === null ? null : rest.serverMsPerSecond / processes, 1),
  format(rest.databaseMsPerSecond === null ? null : rest.databaseMsPerSecond / processes, 1),
  format(serverMb === null ? null : serverMb / processes),
  format(postgresMb)
]

const makeReport = (samples: ReadonlyArray<Sample>): string =>
  [
    "## Several processes on one PostgreSQL",
    "",
    `${runConditions(new Date())}, load average before the run ${loadBefore}. 1, 2, 5 and 10 processes of the service`,
    `share a PostgreSQL. ${loadGenerator} with 64 accounts calls \`get_price\` of all processes at the same time. All programs`,
    `share ${availableParallelism()} cores, so the calls/s do not show what more machines would do. Compare the CPU time per call.`,
    "",
    `${connections} connections, divided among the processes. A batch of a process then contains fewer calls:`,
    "",
    table(costColumns, costRows(samples, ({ together }) => together)),
    "",
    `${connections} connections to each process:`,
    "",
    table(costColumns, costRows(samples, ({ each }) => each)),
    "",
    "At rest, and the memory after the load. Memory of PostgreSQL includes its shared buffers once:",
    "",
    table([
      "processes",
      "PostgreSQL sessions at rest",
      "server CPU at rest, ms/s for each process",
      "PostgreSQL CPU at rest, ms/s for each process",
      "memory of a process, MB",
      "memory of PostgreSQL, MB"
    ], samples.map(restRow)),
    "",
    `With each number of processes, the charged credits equalled the successful calls: ${
      samples.map(({ checkedCalls }) => format(checkedCalls)).join(", ")
    } calls`,
    "at one credit. An audit of all rows of the ledger after the run found no deviation."
  ].join("\n")

try {
  const samples: Array<Sample> = []
  for (const count of processCounts) {
    while (running.length < count) {
      const subject = await startTapelineProcess(server, databaseUrl, running[0]?.keys)
      running.push(subject)
      await loadTogether([subject], connections, warmupSeconds)
    }
    samples.push(await measureProcesses())
  }
  await sleep(drainMs)
  await auditBooks(sql)
  const text = makeReport(samples)
  console.log(`\n${text}\n`)
  if (!isQuick) writeSection("processes", text)
} finally {
  for (const subject of running) await subject.stop()
  await sql.end()
  await server.stop()
}
