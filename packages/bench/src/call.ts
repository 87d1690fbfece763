/**
 * Whole tool calls a second over HTTP (key, ceiling, reserve, `get_price`, settle) on PostgreSQL, beside a bare Fastify
 * echo and beside a hand-written Fastify handler that does the same two durable statements a call; on the same
 * PostgreSQL in the same run, each server in a process of its own. Run with `node src/call.ts`; `--quick` shortens it,
 * and `--profile` loads the service alone and leaves a CPU profile of it in the current folder.
 */
import { startPostgres } from "@tapeline/testing/postgresServer"
import autocannon from "autocannon"
import { loadavg } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import postgres from "postgres"
import { start, type Subject } from "./call/subject.ts"
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

const startTapeline = async (server: string): Promise<Subject> => {
  const { address, stop } = await start({
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
  return { name: "Tapeline", url: `${address}/v1/tools/get_price`, keys, stop }
}

const startHandwritten = async (server: string): Promise<Subject> => {
  const { address, lines, stop } = await start({
    name: "hand-written",
    file: here("handwritten.ts"),
    args: [await database(server, "bench_handwritten"), String(connections), String(accounts)],
    listens: /^listens on (\S+)/
  })
  // As handwritten.ts prints them.
  const keys = JSON.parse(lines.find((line) => line.startsWith("keys "))?.slice(5) ?? "[]") as ReadonlyArray<string>
  return { name: "Fastify + postgres, by hand", url: `${address}/v1/tools/get_price`, keys, stop }
}

const startEcho = async (): Promise<Subject> => {
  const { address, stop } = await start({ name: "echo", file: here("echo.ts"), listens: /^listens on (\S+)/ })
  return { name: "Fastify echo, no database", url: `${address}/v1/tools/get_price`, keys: ["none"], stop }
}

interface Load {
  readonly perSecond: number
  readonly p99Ms: number
}

const load = async ({ keys, name, url }: Subject, duration: number): Promise<Load> => {
  let client = 0
  const result = await autocannon({
    url,
    method: "POST",
    body: JSON.stringify({ coin: "BTC" }),
    connections,
    duration,
    setupClient: (connection) => {
      connection.setHeaders({
        "content-type": "application/json",
        authorization: `Bearer ${keys[client++ % keys.length]}`
      })
    }
  })
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${name}: ${result.non2xx} answers of another status, ${result.errors} errors`)
  }
  return { perSecond: result["2xx"] / result.duration, p99Ms: result.latency.p99 }
}

const loadBefore = loadavg()[0]!.toFixed(1)

const format = (value: number): string => Math.round(value).toLocaleString("en-US")

const server = await startPostgres({ settings: { max_connections: "200", shared_buffers: "256MB" } })
const subjects: Array<Subject> = []
try {
  subjects.push(await startTapeline(server.url))
  if (!profile) subjects.push(await startHandwritten(server.url), await startEcho())
  const loads = new Map<Subject, Array<Load>>(subjects.map((subject) => [subject, []]))
  for (const subject of subjects) await load(subject, warmupSeconds)
  // In turns, for a machine's disk has moods.
  for (let round = 1; round <= rounds; round++) {
    for (const subject of subjects) {
      const measured = await load(subject, seconds)
      loads.get(subject)!.push(measured)
      console.log(`round ${round}, ${subject.name}: ${format(measured.perSecond)} calls/s, p99 ${measured.p99Ms} ms`)
    }
  }
  const figures = subjects.map((subject) => ({
    name: subject.name,
    perSecond: median(loads.get(subject)!.map(({ perSecond }) => perSecond)),
    p99Ms: median(loads.get(subject)!.map(({ p99Ms }) => p99Ms))
  }))
  const [tapeline, byHand] = figures
  if (tapeline !== undefined && byHand !== undefined) {
    const ratio = (perSecond: number): string => (tapeline.perSecond / perSecond).toFixed(2)
    const text = table(
      ["server", "calls/s", "p99, ms", "Tapeline is"],
      figures.map(({ name, p99Ms, perSecond }) => [name, format(perSecond), String(p99Ms), `${ratio(perSecond)} x`])
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
          `${
            runConditions(new Date())
          }, load average before the run ${loadBefore}. ${connections} connections over ${accounts} accounts; \`get_price\`, with its key, ceiling, reservation`,
          "and settlement on PostgreSQL. The handler by hand does the same two durable statements a call; its ceiling is counted in memory.",
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
