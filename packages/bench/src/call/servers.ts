import type { PostgresServer } from "@tapeline/testing/postgresServer"
import { join } from "node:path"
import { parseKeys, type ServerUnderTest, startServerProgram } from "../load/serverUnderTest.ts"
import { adminToken, plans, serverMain, startFlags } from "../load/settings.ts"
import { createDatabase, createKeys } from "../load/setup.ts"

const accounts = 64

const resolveFile = (file: string) => join(import.meta.dirname, file)
const route = "/v1/tools/get_price"

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

/** Starts a process of the service on the database `url`. Without `keys`, the process creates accounts with keys. */
export const startTapelineProcess = async (
  { dataDir }: PostgresServer,
  url: string,
  keys: ReadonlyArray<string> | undefined,
  flags: ReadonlyArray<string> = []
): Promise<ServerUnderTest> => {
  const { address, pid, stop } = await startServerProgram([...startFlags, ...flags, serverMain], {
    PORT: "0",
    DATABASE_URL: url,
    TAPELINE_ADMIN_TOKEN: adminToken,
    TAPELINE_PLANS: JSON.stringify(plans)
  })
  return {
    name: "Tapeline",
    url: `${address}${route}`,
    keys: keys ?? await createKeys(address, accounts),
    pid,
    postgresDir: dataDir ?? undefined,
    stop
  }
}

export const startTapeline = async (
  server: PostgresServer,
  processes: number,
  flags: ReadonlyArray<string> = []
): Promise<ReadonlyArray<ServerUnderTest>> => {
  const url = await createDatabase(server.url, "bench_tapeline")
  return startAll(processes, (keys) => startTapelineProcess(server, url, keys, flags))
}

export const startHandwritten = async (
  { dataDir, url: server }: PostgresServer,
  statements: "one" | "two",
  processes: number,
  connections: number
): Promise<ReadonlyArray<ServerUnderTest>> => {
  const url = await createDatabase(server, `bench_handwritten_${statements}`)
  return startAll(processes, async (keys) => {
    const { address, lines, pid, stop } = await startServerProgram([
      resolveFile("handwritten.ts"),
      url,
      String(connections),
      String(accounts),
      statements,
      ...(keys === undefined ? [] : [JSON.stringify(keys)])
    ])
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
  const { address, pid, stop } = await startServerProgram([resolveFile("echo.ts")])
  return { name: "Fastify echo, no database", url: `${address}${route}`, keys: ["none"], pid, stop }
}
