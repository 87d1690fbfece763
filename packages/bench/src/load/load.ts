/**
 * Loads a server from a separate process: with `wrk` if it is installed, otherwise with autocannon. autocannon takes
 * more CPU time from the measured servers.
 */
import autocannon from "autocannon"
import { execFile, spawnSync } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { postgresMs, processMs } from "./processorTime.ts"
import type { Subject } from "./subject.ts"

/** The measurements of a server under load. CPU times are null if the machine does not report them. */
export interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU time of the server's process, or of all its processes, per call, in microseconds. */
  readonly serverUs: number | null
  /** CPU time of its PostgreSQL per call, in microseconds. */
  readonly databaseUs: number | null
}

type Answers = Pick<Measured, "perSecond" | "p50Ms" | "p99Ms"> & { readonly count: number }

/** The body of every call. */
const body = JSON.stringify({ coin: "BTC" })

export const generator = spawnSync("wrk", ["--version"]).error === undefined ? "wrk" : "autocannon"

const failed = ({ name }: Subject, refused: number, broken: number): Error =>
  new Error(`${name}: ${refused} answers of another status, ${broken} errors`)

const byWrk = async (subject: Subject, connections: number, seconds: number): Promise<Answers> => {
  const options = ["--threads", "1", "--connections", String(connections), "--duration", `${seconds}s`]
  const script = ["--script", join(import.meta.dirname, "wrk.lua"), subject.url, "--", body, ...subject.keys]
  const { stdout } = await promisify(execFile)("wrk", [...options, ...script])
  const line = /^measured (.*)$/m.exec(stdout)?.[1]
  if (line === undefined) throw new Error(`${subject.name}: wrk said ${stdout}`)
  // `wrk.lua` prints this shape.
  const { answers, broken, p50Us, p99Us, refused, us } = JSON.parse(line) as Readonly<Record<string, number>>
  if (refused! + broken! > 0) throw failed(subject, refused!, broken!)
  return { count: answers!, perSecond: (1_000_000 * answers!) / us!, p50Ms: p50Us! / 1000, p99Ms: p99Us! / 1000 }
}

const byAutocannon = async (subject: Subject, connections: number, seconds: number): Promise<Answers> => {
  let client = 0
  const found = await autocannon({
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
  if (found.non2xx > 0 || found.errors > 0) throw failed(subject, found.non2xx, found.errors)
  const { latency: { p50, p99 }, duration } = found
  return { count: found["2xx"], perSecond: found["2xx"] / duration, p50Ms: p50, p99Ms: p99 }
}

/** The CPU times of servers and of the PostgreSQL that they share. Null if the machine does not report them. */
const timesOf = (subjects: ReadonlyArray<Subject>) => {
  const dir = subjects[0]!.postgresDir
  const own = subjects.map(({ pid }) => processMs(pid))
  return {
    server: own.includes(null) ? null : own.reduce<number>((sum, ms) => sum + (ms ?? 0), 0),
    database: dir === undefined ? null : postgresMs(dir)
  }
}

/**
 * Loads servers that share a PostgreSQL, all at once, each with its share of the connections. The p50 of several
 * servers is the mean of theirs, and the p99 the maximum. CPU time is the sum of all servers.
 */
export const loadTogether = async (
  subjects: ReadonlyArray<Subject>,
  connections: number,
  seconds: number
): Promise<Measured> => {
  const before = timesOf(subjects)
  const run = generator === "wrk" ? byWrk : byAutocannon
  const answers = await Promise.all(subjects.map((subject) => run(subject, connections / subjects.length, seconds)))
  const after = timesOf(subjects)
  const sum = (of: (answers: Answers) => number): number => answers.reduce((total, one) => total + of(one), 0)
  const count = sum(({ count }) => count)
  const each = (from: number | null, to: number | null): number | null =>
    from === null || to === null ? null : (1000 * (to - from)) / count
  return {
    perSecond: sum(({ perSecond }) => perSecond),
    p50Ms: sum(({ p50Ms }) => p50Ms) / answers.length,
    p99Ms: Math.max(...answers.map(({ p99Ms }) => p99Ms)),
    serverUs: each(before.server, after.server),
    databaseUs: each(before.database, after.database)
  }
}

/** Loads one server. */
export const load = (subject: Subject, connections: number, seconds: number): Promise<Measured> =>
  loadTogether([subject], connections, seconds)
