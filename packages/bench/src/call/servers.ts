/**
 * The servers of the bench of complete calls. Each server is a separate process, and the servers of one kind share a
 * database.
 */
import type { PostgresServer } from "@tapeline/testing/postgresServer"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import postgres from "postgres"
import { parseKeys, type ServerUnderTest, startServerProgram } from "../load/serverUnderTest.ts"

const accounts = 64

const adminToken = "administration-token-of-the-bench"
const resolveFile = (file: string) => join(import.meta.dirname, file)
const tapelineMain = join(dirname(fileURLToPath(import.meta.resolve("@tapeline/server"))), "main.ts")
/** The Node flags of `npm start`. */
const startFlags = ["--max-semi-space-size=8", "--heap-growing-percent=50"]
const route = "/v1/tools/get_price"

/** Creates an empty database on a PostgreSQL server, and returns the URL of the database. */
const createDatabase = async (server: string, name: string): Promise<string> => {
  const sql = postgres(server, { max: 1, onnotice: () => undefined })
  await sql.unsafe(`drop database if exists ${name} with (force)`)
  await sql.unsafe(`create database ${name}`)
  await sql.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** Creates accounts with one API key each through the admin API. Returns the API keys. */
const createKeys = async (address: string): Promise<ReadonlyArray<string>> => {
  const postAdmin = async (path: string, body: object) => {
    const response = await fetch(`${address}/admin/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${adminToken}`, "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    if (!response.ok) throw new Error(`The administration said ${response.status}: ${await response.text()}`)
    // The admin API responds with a new account or a new key.
    return await response.json() as { readonly id: number; readonly key: string }
  }
  const keys: Array<string> = []
  for (let i = 0; i < accounts; i++) {
    const { id } = await postAdmin("/accounts", { name: `bench ${i}`, plan: "bench" })
    keys.push((await postAdmin(`/accounts/${id}/keys`, { name: "bench", scopes: ["read:market"] })).key)
  }
  return keys
}

/** Starts servers one after another. If a server fails to start, the others are stopped. */
const startAll = async (
  processes: number,
  startOne: (keys: ReadonlyArray<string> | undefined) => Promise<ServerUnderTest>
): Promise<ReadonlyArray<ServerUnderTest>> => {
  const subjects: Array<ServerUnderTest> = []
  try {
    for (let i = 0; i < processes; i++) subjects.push(await startOne(subjects[0]?.keys))
    return subjects
  } catch (cause) {
    for (const subject of subjects) await subject.stop()
    throw cause
  }
}

/** Starts processes of the service on a new database. */
export const startTapeline = async (
  { dataDir, url: server }: PostgresServer,
  processes: number,
  flags: ReadonlyArray<string> = []
): Promise<ReadonlyArray<ServerUnderTest>> => {
  const url = await createDatabase(server, "bench_tapeline")
  return startAll(processes, async (keys) => {
    const { address, pid, stop } = await startServerProgram({
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
      listenPattern: /^Tapeline listens on (\S+)/
    })
    return {
      name: "Tapeline",
      url: `${address}${route}`,
      keys: keys ?? await createKeys(address),
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
): Promise<ReadonlyArray<ServerUnderTest>> => {
  const url = await createDatabase(server, "bench_handwritten")
  return startAll(processes, async (keys) => {
    const { address, lines, pid, stop } = await startServerProgram({
      name: "hand-written",
      file: resolveFile("handwritten.ts"),
      args: [url, String(connections), String(accounts), ...keys === undefined ? [] : [JSON.stringify(keys)]],
      listenPattern: /^listens on (\S+)/
    })
    return {
      name: "Fastify + postgres, by hand",
      url: `${address}${route}`,
      keys: parseKeys(lines),
      pid,
      postgresDir: dataDir ?? undefined,
      stop
    }
  })
}

export const startEcho = async (): Promise<ServerUnderTest> => {
  const { address, pid, stop } = await startServerProgram({
    name: "echo",
    file: resolveFile("echo.ts"),
    listenPattern: /^listens on (\S+)/
  })
  return { name: "Fastify echo, no database", url: `${address}${route}`, keys: ["none"], pid, stop }
}
