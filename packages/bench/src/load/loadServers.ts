/**
 * Sends load to a server with `wrk`, or with autocannon if `wrk` is not installed. The load generator and the server
 * run in separate processes.
 */
import autocannon from "autocannon"
import { execFile, spawnSync } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { postgresCpuMs, processCpuMs } from "./cpuTime.ts"
import type { ServerUnderTest } from "./serverUnderTest.ts"

/** The measurements of a server under load. CPU times are null if the operating system does not report CPU times. */
export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** The CPU time of all processes of the server per call, in microseconds. */
  readonly serverUs: number | null
  /** The CPU time of the server's PostgreSQL per call, in microseconds. */
  readonly databaseUs: number | null
}

type ResponseFigures = Pick<LoadResult, "perSecond" | "p50Ms" | "p99Ms"> & { readonly count: number }

const body = JSON.stringify({ coin: "BTC" })

export const loadGenerator = spawnSync("wrk", ["--version"]).error === undefined ? "wrk" : "autocannon"

const loadError = ({ name }: ServerUnderTest, rejected: number, failedConnections: number): Error =>
  new Error(`${name}: ${rejected} responses with an unexpected status, ${failedConnections} failed connections`)

const loadWithWrk = async (
  subject: ServerUnderTest,
  connections: number,
  seconds: number
): Promise<ResponseFigures> => {
  const durations = ["--duration", `${seconds}s`, "--timeout", "10s"]
  const options = ["--threads", "1", "--connections", String(connections), ...durations]
  const script = ["--script", join(import.meta.dirname, "wrk.lua"), subject.url, "--", body, ...subject.keys]
  const { stdout } = await promisify(execFile)("wrk", [...options, ...script])
  const line = /^measured (.*)$/m.exec(stdout)?.[1]
  if (line === undefined) throw new Error(`${subject.name}: wrk printed unexpected output: ${stdout}`)
  // The cast is safe, because `wrk.lua` prints an object of numbers.
  const { answers, broken: failed, p50Us, p99Us, refused: rejected, us } = JSON.parse(line) as Readonly<
    Record<string, number>
  >
  if (rejected! + failed! > 0) throw loadError(subject, rejected!, failed!)
  return { count: answers!, perSecond: (1_000_000 * answers!) / us!, p50Ms: p50Us! / 1000, p99Ms: p99Us! / 1000 }
}

const loadWithAutocannon = async (
  subject: ServerUnderTest,
  connections: number,
  seconds: number
): Promise<ResponseFigures> => {
  let client = 0
  const result = await autocannon({
    url: subject.url,
    method: "POST",
    body,
    connections,
    duration: seconds,
    setupClient: (connection) => {
      connection.setHeaders({
        "content-type": "application/json",
        authorization: `Bearer ${subject.keys[client++ % subject.keys.length]}`
      })
    }
  })
  if (result.non2xx > 0 || result.errors > 0) throw loadError(subject, result.non2xx, result.errors)
  const { latency: { p50, p99 }, duration } = result
  return { count: result["2xx"], perSecond: result["2xx"] / duration, p50Ms: p50, p99Ms: p99 }
}

/** Returns the CPU times of servers and of their shared PostgreSQL in ms, or null if not available. */
const readCpuTimes = (subjects: ReadonlyArray<ServerUnderTest>) => {
  const dir = subjects[0]!.postgresDir
  const processTimes = subjects.map(({ pid }) => processCpuMs(pid))
  return {
    server: processTimes.includes(null) ? null : processTimes.reduce<number>((sum, ms) => sum + (ms ?? 0), 0),
    database: dir === undefined ? null : postgresCpuMs(dir)
  }
}

/**
 * Sends load to several servers at the same time, with the connections divided among the servers. The servers share a
 * PostgreSQL server. The resulting p50 is the mean of the servers' p50, the p99 is the maximum, and the CPU time is the
 * sum of all servers.
 */
export const loadTogether = async (
  subjects: ReadonlyArray<ServerUnderTest>,
  connections: number,
  seconds: number
): Promise<LoadResult> => {
  const before = readCpuTimes(subjects)
  const run = loadGenerator === "wrk" ? loadWithWrk : loadWithAutocannon
  const results = await Promise.all(subjects.map((subject) => run(subject, connections / subjects.length, seconds)))
  const after = readCpuTimes(subjects)
  const sum = (select: (results: ResponseFigures) => number): number =>
    results.reduce((total, one) => total + select(one), 0)
  const count = sum(({ count }) => count)
  const usPerCall = (from: number | null, to: number | null): number | null =>
    from === null || to === null ? null : (1000 * (to - from)) / count
  return {
    perSecond: sum(({ perSecond }) => perSecond),
    p50Ms: sum(({ p50Ms }) => p50Ms) / results.length,
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    serverUs: usPerCall(before.server, after.server),
    databaseUs: usPerCall(before.database, after.database)
  }
}

export const loadOne = (subject: ServerUnderTest, connections: number, seconds: number): Promise<LoadResult> =>
  loadTogether([subject], connections, seconds)
