/**
 * Whole tool calls a second over HTTP (key, ceiling, reserve, `get_price`, settle) on PostgreSQL, beside a bare Fastify
 * echo and beside a hand-written Fastify handler that does the same two durable statements a call; on the same
 * PostgreSQL in the same run, each server in a process of its own. Run with `node src/call.ts`; `--quick` shortens it,
 * and `--profile` loads the service alone and leaves a CPU profile of it in the current folder.
 */
import { type PostgresServer, startPostgres } from "@tapeline/testing/postgresServer"
import { loadavg } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import postgres from "postgres"
import { generator, load, type Measured } from "./load/load.ts"
import { keysIn, start, type Subject } from "./load/subject.ts"
import { median, runConditions, table, writeSection } from "./report.ts"

const quick = process.argv.includes("--quick")
const profile = process.argv.includes("--profile")
const connections = 64
const accounts = 64
const rounds = quick ? 1 : 3
const seconds = quick ? 3 : 6
const warmupSeconds = quick ? 3 : 8
const goal = 2

const adminToken = "administration-token-of-the-bench"
const here = (file: string) => join(import.meta.dirname, "call", file)
const tapelineMain = join(dirname(fileURLToPath(import.meta.resolve("@tapeline/server"))), "main.ts")

const database = async (server: string, name: string): Promise<string> => {
  const sql = postgres(server, { max: 1, onnotice: () => undefined })
  await sql.unsafe(`drop database if exists ${name} with (force)`)
  await sql.unsafe(`create database ${name}`)
  await sql.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

const startTapeline = async ({ dataDir, url: server }: PostgresServer): Promise<Subject> => {
  const { address, pid, stop } = await start({
    name: "Tapeline",
    file: tapelineMain,
    flags: profile ? ["--cpu-prof"] : [],
    environment: {
      PORT: "0",
      DATABASE_URL: await database(server, "bench_tapeline"),
      TAPELINE_ADMIN_TOKEN: adminToken,
      TAPELINE_PLANS: JSON.stringify({
        bench: { monthly_credits: 1_000_000_000, keys: 1, requests_per_minute: 1_000_000_000, answers_per_day: 0 }
      })
    },
    listens: /^Tapeline listens on (\S+)/
  })
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
  const keys: Array<string> = []
  for (let i = 0; i < accounts; i++) {
    const { id } = await administer("/accounts", { name: `bench ${i}`, plan: "bench" })
    keys.push((await administer(`/accounts/${id}/keys`, { name: "bench", scopes: ["read:market"] })).key)
  }
  return {
    name: "Tapeline",
    url: `${address}/v1/tools/get_price`,
    keys,
    pid,
    postgresDir: dataDir ?? undefined,
    stop
  }
}

const startHandwritten = async ({ dataDir, url: server }: PostgresServer): Promise<Subject> => {
  const { address, lines, pid, stop } = await start({
    name: "hand-written",
    file: here("handwritten.ts"),
    args: [await database(server, "bench_handwritten"), String(connections), String(accounts)],
    listens: /^listens on (\S+)/
  })
  return {
    name: "Fastify + postgres, by hand",
    url: `${address}/v1/tools/get_price`,
    keys: keysIn(lines),
    pid,
    postgresDir: dataDir ?? undefined,
    stop
  }
}

const startEcho = async (): Promise<Subject> => {
  const { address, pid, stop } = await start({ name: "echo", file: here("echo.ts"), listens: /^listens on (\S+)/ })
  return { name: "Fastify echo, no database", url: `${address}/v1/tools/get_price`, keys: ["none"], pid, stop }
}

const loadBefore = loadavg()[0]!.toFixed(1)

const format = (value: number): string => Math.round(value).toLocaleString("en-US")

const server = await startPostgres({ settings: { max_connections: "200", shared_buffers: "256MB" } })
const subjects: Array<Subject> = []
try {
  subjects.push(await startTapeline(server))
  if (!profile) subjects.push(await startHandwritten(server), await startEcho())
  const loads = new Map<Subject, Array<Measured>>(subjects.map((subject) => [subject, []]))
  for (const subject of subjects) await load(subject, connections, warmupSeconds)
  // In turns, for a machine's disk has moods.
  for (let round = 1; round <= rounds; round++) {
    for (const subject of subjects) {
      const measured = await load(subject, connections, seconds)
      loads.get(subject)!.push(measured)
      console.log(`round ${round}, ${subject.name}: ${format(measured.perSecond)} calls/s, p99 ${measured.p99Ms} ms`)
    }
  }
  const figures = subjects.map((subject) => {
    const middle = (of: (measured: Measured) => number | null) =>
      median(loads.get(subject)!.map((measured) => of(measured) ?? NaN))
    return {
      name: subject.name,
      perSecond: middle(({ perSecond }) => perSecond),
      p50Ms: middle(({ p50Ms }) => p50Ms),
      p99Ms: middle(({ p99Ms }) => p99Ms),
      serverUs: middle(({ serverUs }) => serverUs),
      databaseUs: middle(({ databaseUs }) => databaseUs)
    }
  })
  const [tapeline, byHand] = figures
  if (tapeline !== undefined && byHand !== undefined) {
    const ratio = (perSecond: number): string => (tapeline.perSecond / perSecond).toFixed(2)
    const orNone = (us: number): string => Number.isNaN(us) ? "" : us.toFixed(0)
    const text = table(
      ["server", "calls/s", "p50, ms", "p99, ms", "its processor, us a call", "PostgreSQL's, us a call", "Tapeline is"],
      figures.map(({ databaseUs, name, p50Ms, p99Ms, perSecond, serverUs }) => [
        name,
        format(perSecond),
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
        orNone(serverUs),
        orNone(databaseUs),
        `${ratio(perSecond)} x`
      ])
    )
    console.log(`\n${text}\n`)
    console.log(
      `Goal: ${goal} x the hand-written handler; ${
        Number(ratio(byHand.perSecond)) >= goal ? "reached" : "not reached"
      }.`
    )
    if (!quick) {
      writeSection(
        "call",
        [
          "## Whole tool calls over HTTP",
          "",
          `${runConditions(new Date())}, load average before the run ${loadBefore}. ${connections} connections by`,
          `${generator} over ${accounts} accounts; \`get_price\`, with its key, ceiling,`,
          "reservation and settlement on PostgreSQL. The handler by hand does the same two durable statements a call; its ceiling is counted in memory.",
          "",
          text
        ].join("\n")
      )
    }
  }
} finally {
  for (const subject of subjects) await subject.stop()
  await server.stop()
}
