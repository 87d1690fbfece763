/** The servers of the bench of complete calls. Each process is separate, and those of one kind share a database. */
import type { PostgresServer } from "@tapeline/testing/postgresServer"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import postgres from "postgres"
import { keysIn, start, type Subject } from "../load/subject.ts"

const accounts = 64

const adminToken = "administration-token-of-the-bench"
const here = (file: string) => join(import.meta.dirname, file)
const tapelineMain = join(dirname(fileURLToPath(import.meta.resolve("@tapeline/server"))), "main.ts")
/** The flags of `npm start`. */
const startFlags = ["--max-semi-space-size=8", "--heap-growing-percent=50"]
const route = "/v1/tools/get_price"

/** Creates an empty database on a server and returns its address. */
const database = async (server: string, name: string): Promise<string> => {
  const sql = postgres(server, { max: 1, onnotice: () => undefined })
  await sql.unsafe(`drop database if exists ${name} with (force)`)
  await sql.unsafe(`create database ${name}`)
  await sql.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Creates accounts with one key each through the admin API. Returns the keys. */
const makeKeys = async (address: string): Promise<ReadonlyArray<string>> => {
  const administer = async (path: string, body: object) => {
    const response = await fetch(`${address}/admin/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    if (!response.ok) throw new Error(`The administration said ${response.status}: ${await response.text()}`)
    // The admin API answers with a new account or a new key.
    return await response.json() as { readonly id: number; readonly key: string }
  }
  const keys: Array<string> = []
  for (let i = 0; i < accounts; i++) {
    const { id } = await administer("/accounts", { name: `bench ${i}`, plan: "bench" })
    keys.push((await administer(`/accounts/${id}/keys`, { name: "bench", scopes: ["read:market"] })).key)
  }
  return keys
}

/** Starts servers one after another. If one fails to start, stops the others. */
const startAll = async (
  processes: number,
  startOne: (keys: ReadonlyArray<string> | undefined) => Promise<Subject>
): Promise<ReadonlyArray<Subject>> => {
  const subjects: Array<Subject> = []
  try {
    for (let i = 0; i < processes; i++) subjects.push(await startOne(subjects[0]?.keys))
    return subjects
  } catch (cause) {
    for (const subject of subjects) await subject.stop()
    throw cause
  }
}

/** Starts Tapeline processes on a new database. */
export const startTapeline = async (
  { dataDir, url: server }: PostgresServer,
  processes: number,
  flags: ReadonlyArray<string> = []
): Promise<ReadonlyArray<Subject>> => {
  const url = await database(server, "bench_tapeline")
  return startAll(processes, async (keys) => {
    const { address, pid, stop } = await start({
      name: "Tapeline",
      file: tapelineMain,
      flags: [...startFlags, ...flags],
      environment: {
        PORT: "0",
        DATABASE_URL: url,
        TAPELINE_ADMIN_TOKEN: adminToken,
        TAPELINE_PLANS: JSON.stringify({
          bench: { monthly_credits: 1_000_000_000, keys: 1, requests_per_minute: 1_000_000_000, answers_per_day: 0 }
        })
      },
      listens: /^Tapeline listens on (\S+)/
    })
    return {
      name: "Tapeline",
      url: `${address}${route}`,
      keys: keys ?? await makeKeys(address),
      pid,
      postgresDir: dataDir ?? undefined,
      stop
    }
  })
}

/** Starts processes of the hand-written server on a new database, each with `connections` connections. */
export const startHandwritten = async (
  { dataDir, url: server }: PostgresServer,
  processes: number,
  connections: number
): Promise<ReadonlyArray<Subject>> => {
  const url = await database(server, "bench_handwritten")
  return startAll(processes, async (keys) => {
    const { address, lines, pid, stop } = await start({
      name: "hand-written",
      file: here("handwritten.ts"),
      args: [url, String(connections), String(accounts), ...keys === undefined ? [] : [JSON.stringify(keys)]],
      listens: /^listens on (\S+)/
    })
    return {
      name: "Fastify + postgres, by hand",
      url: `${address}${route}`,
      keys: keysIn(lines),
      pid,
      postgresDir: dataDir ?? undefined,
      stop
    }
  })
}

export const startEcho = async (): Promise<Subject> => {
  const { address, pid, stop } = await start({ name: "echo", file: here("echo.ts"), listens: /^listens on (\S+)/ })
  return { name: "Fastify echo, no database", url: `${address}${route}`, keys: ["none"], pid, stop }
}
