/**
 * What a process takes before and beside its calls: the time of its start, and memory at rest, with idle connections,
 * and under load for minutes; on the embedded database and on PostgreSQL, beside a bare `node:http`. Run with
 * `node src/rest.ts`; `--minutes 2` shortens the load, `--quick` all of it.
 */
import { startPostgres } from "@tapeline/testing/postgresServer"
import { mkdtempSync, rmSync } from "node:fs"
import { loadavg, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import postgres from "postgres"
import { median, runConditions, table, writeSection } from "./report.ts"
import { folderMb } from "./rest/disk.ts"
import { openIdle } from "./rest/idle.ts"
import { loadMix } from "./rest/mix.ts"
import { type Memory, type Part, type Started, startMeasured } from "./rest/server.ts"

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, minutes: { type: "string", default: "10" } }
})
const { quick } = values
const minutes = quick ? 1 : Number(values.minutes)
if (!Number.isInteger(minutes) || minutes < 1) throw new Error("--minutes takes a whole number from 1")
const starts = quick ? 1 : 5
const idleConnections = 3_000
const loadConnections = 32
/** So long after a start, or after connections came, memory is looked at. */
const restMs = quick ? 5_000 : 30_000
const goalReadyMs = 2_000

const main = join(dirname(fileURLToPath(import.meta.resolve("@tapeline/server"))), "main.ts")
/** As `npm start` runs it. */
const startFlags = ["--max-semi-space-size=8"]
const adminToken = "administration-token-of-the-bench"
const loadBefore = loadavg()[0]!.toFixed(1)
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const environment = (dataDir: string, databaseUrl?: string): Readonly<Record<string, string>> => ({
  PORT: "0",
  TAPELINE_DATA_DIR: dataDir,
  TAPELINE_ADMIN_TOKEN: adminToken,
  TAPELINE_LOG_LEVEL: "Debug",
  TAPELINE_KEEP_ALIVE_MS: "600000",
  TAPELINE_PLANS: JSON.stringify({
    bench: { monthly_credits: 1_000_000_000, keys: 1, requests_per_minute: 1_000_000_000, answers_per_day: 0 }
  }),
  ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl })
})

const startTapeline = (dataDir: string, databaseUrl?: string) =>
  startMeasured({
    file: main,
    flags: startFlags,
    environment: environment(dataDir, databaseUrl),
    listens: /^Tapeline listens on (\S+)/
  })

const startBare = () =>
  startMeasured({ file: join(import.meta.dirname, "rest", "bare.ts"), listens: /^listens on (\S+)/ })

const enrol = async (address: string): Promise<string> => {
  const administer = async (path: string, body: object) => {
    const response = await fetch(`${address}/admin/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    if (!response.ok) throw new Error(`The administration said ${response.status}: ${await response.text()}`)
    // What the administration answers with: a new account, or a new key.
    return await response.json() as { readonly id: number; readonly key: string }
  }
  const { id } = await administer("/accounts", { name: "bench", plan: "bench" })
  return (await administer(`/accounts/${id}/keys`, { name: "bench", scopes: ["read:market"] })).key
}

interface Start {
  readonly readyMs: number
  readonly parts: ReadonlyArray<Part>
}

const server = await startPostgres({ settings: { max_connections: "200", shared_buffers: "256MB" } })
const folders: Array<string> = []
let databases = 0
const newFolder = (): string => {
  folders.push(mkdtempSync(join(tmpdir(), "tapeline-rest-")))
  return folders.at(-1)!
}
const newDatabase = async (): Promise<string> => {
  const name = `bench_rest_${databases++}`
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined })
  await sql.unsafe(`create database ${name}`)
  await sql.end()
  const url = new URL(server.url)
  url.pathname = `/${name}`
  return url.href
}

/** One start, measured and ended. */
const once = async (begin: () => Promise<Started>): Promise<Start> => {
  const started = await begin()
  const { readyMs } = started
  // What it tells of its parts comes just behind its readiness.
  await pause(500)
  const { parts } = started
  await started.stop()
  return { readyMs, parts }
}

const measureStarts = async () => {
  const rows = new Map<string, Array<Start>>()
  const note = (name: string, start: Start) => {
    console.log(`${name}: ready after ${start.readyMs.toFixed(0)} ms`)
    rows.set(name, [...rows.get(name) ?? [], start])
  }
  for (let round = 0; round < starts; round++) {
    const [embedded, beside] = [newFolder(), newFolder()]
    const url = await newDatabase()
    note("embedded, the first start in an empty folder", await once(() => startTapeline(embedded)))
    note("embedded, a later start", await once(() => startTapeline(embedded)))
    note("PostgreSQL, the first start on an empty database", await once(() => startTapeline(beside, url)))
    note("PostgreSQL, a later start", await once(() => startTapeline(beside, url)))
    note("`node:http`, bare", await once(startBare))
  }
  return rows
}

interface Held {
  readonly name: string
  readonly rest: Memory
  readonly idle: Memory
  readonly minutes: ReadonlyArray<Memory>
  readonly calls: number
  readonly folderBefore: number | null
  readonly folderAfter: number | null
}

const measureMemory = async (name: string, started: Started, key: string, dataDir?: string): Promise<Held> => {
  const folder = () => dataDir === undefined ? null : folderMb(join(dataDir, "db"))
  const show = (when: string, { external, heapTotal, heapUsed, peak, rss }: Memory) =>
    console.log(
      `${name}, ${when}: rss ${rss.toFixed(0)}, peak ${peak.toFixed(0)}, heap ${heapUsed.toFixed(0)} of ` +
        `${heapTotal.toFixed(0)}, external ${external.toFixed(0)} MB, folder ${folder()?.toFixed(0) ?? "none"}`
    )
  await pause(restMs)
  const rest = await started.memory()
  show("at rest", rest)
  const sockets = await openIdle(started.address, idleConnections)
  await pause(restMs)
  const idle = await started.memory()
  show(`with ${idleConnections} idle connections`, idle)
  for (const socket of sockets) socket.destroy()
  const folderBefore = folder()
  const memories: Array<Memory> = []
  let calls = 0
  for (let minute = 1; minute <= minutes; minute++) {
    const { answered, refused } = await loadMix({
      address: started.address,
      key,
      connections: loadConnections,
      seconds: 60
    })
    if (refused !== undefined) throw new Error(`${name}: not every call was answered: ${refused}`)
    calls += answered
    memories.push(await started.memory())
    show(`minute ${minute}, ${answered} calls`, memories.at(-1)!)
  }
  await started.stop()
  return { name, rest, idle, minutes: memories, calls, folderBefore, folderAfter: folder() }
}

try {
  const rows = await measureStarts()
  const embeddedDir = newFolder()
  const subjects: Array<Held> = []
  const embedded = await startTapeline(embeddedDir)
  subjects.push(await measureMemory("embedded", embedded, await enrol(embedded.address), embeddedDir))
  const onPostgres = await startTapeline(newFolder(), await newDatabase())
  subjects.push(await measureMemory("on PostgreSQL", onPostgres, await enrol(onPostgres.address)))
  subjects.push(await measureMemory("`node:http`, bare", await startBare(), "none"))

  const names = ["node", "imports", "market", "database", "migrations", "engine", "http", "welcome"]
  const startTable = table(
    ["start", "ready after, ms", "slowest, ms", `of ${goalReadyMs} ms`, ...names],
    [...rows].map(([name, all]) => {
      const ready = median(all.map(({ readyMs }) => readyMs))
      const partOf = (part: string): string => {
        const found = all.flatMap(({ parts }) =>
          parts.filter((one) => one.name === part).map(({ from, to }) => to - from)
        )
        return found.length === 0 ? "" : median(found).toFixed(0)
      }
      return [
        name,
        ready.toFixed(0),
        Math.max(...all.map(({ readyMs }) => readyMs)).toFixed(0),
        (ready / goalReadyMs).toFixed(2),
        ...names.map(partOf)
      ]
    })
  )
  const cell = ({ external, heapUsed, rss }: Memory): string =>
    `${rss.toFixed(0)} (${heapUsed.toFixed(0)} + ${external.toFixed(0)})`
  const memoryTable = table(
    [
      "process",
      "at rest",
      `with ${idleConnections.toLocaleString("en-US")} idle connections`,
      "kB a connection",
      "under load, minute 1",
      `minute ${minutes}`,
      "calls a second",
      "most ever"
    ],
    subjects.map(({ calls, idle, minutes: all, name, rest }) => [
      name,
      cell(rest),
      cell(idle),
      ((1000 * Math.max(0, idle.rss - rest.rss)) / idleConnections).toFixed(1),
      cell(all[0]!),
      cell(all.at(-1)!),
      (calls / (60 * minutes)).toFixed(0),
      all.at(-1)!.peak.toFixed(0)
    ])
  )
  const [first] = subjects
  const perCall = (1000 * (first!.folderAfter! - first!.folderBefore!)) / first!.calls
  const section = `## Start and rest

${runConditions(new Date())}, load average before the run ${loadBefore}. Medians of ${starts} starts, from the start of
the process to the first 200 of \`/readyz\`; parts in ms of which some run beside one another.

${startTable}

Memory in MB: the whole process, and in parentheses of its serving thread the heap in use + what is outside of it
(the embedded database's memory is there). Looked at ${
    restMs / 1000
  } s after the start, or after the connections came; load is five tools
over forty coins on ${loadConnections} connections, by autocannon.

${memoryTable}

The folder of the embedded database: ${first!.folderBefore!.toFixed(0)} MB before the load, ${
    first!.folderAfter!.toFixed(0)
  } MB after ${first!.calls.toLocaleString("en-US")} calls, ${perCall.toFixed(2)} kB a call, with
the database's log of changes, which grows to 64 MB and no further.
`
  console.log(section)
  if (!quick) writeSection("rest", section)
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  await server.stop()
}
