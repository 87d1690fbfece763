import { findProgram, skipWithoutProgram } from "@tapeline/testing/programs"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"

export interface OwnRedis {
  readonly url: string
  /** Starts the server again on the same port after a `kill`. */
  readonly start: () => Promise<void>
  readonly kill: () => Promise<void>
  readonly freeze: () => void
  readonly unfreeze: () => void
  readonly stop: () => Promise<void>
}

const binary = findProgram("redis-server")
const configuredUrl = process.env["TEST_REDIS_URL"] ?? ""

export const needsRedisProgram = skipWithoutProgram("redis-server: install it", binary !== null)

export const needsRedis = configuredUrl === ""
  ? skipWithoutProgram("redis-server: install it, or set TEST_REDIS_URL", binary !== null)
  : {}

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  if (typeof address !== "object" || address === null) throw new Error("No port")
  return address.port
}

const answersPing = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"))
    socket.once("data", (data) => {
      resolve(data.toString().startsWith("+PONG"))
      socket.destroy()
    })
    socket.once("error", () => resolve(false))
  })

export const startOwnRedis = async (): Promise<OwnRedis> => {
  if (binary === null) throw new Error("No Redis: install redis-server, or set TEST_REDIS_URL")
  const dir = mkdtempSync(join(tmpdir(), "tapeline-redis-"))
  const port = await freePort()
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn(binary, [
      "--port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--save",
      "",
      "--appendonly",
      "no",
      "--dir",
      dir
    ], {
      stdio: "ignore"
    })
    const deadline = Date.now() + 10_000
    while (!(await answersPing(port))) {
      if (Date.now() > deadline || child.exitCode !== null) throw new Error("redis-server did not start")
      await pause(20)
    }
  }
  const kill = async () => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    kill,
    freeze: () => void child?.kill("SIGSTOP"),
    unfreeze: () => void child?.kill("SIGCONT"),
    stop: async () => {
      await kill()
      rmSync(dir, { recursive: true, force: true })
    }
  }
}

/** Returns the Redis server of `TEST_REDIS_URL`, or a new server, or null if the machine has no `redis-server`. */
export const findRedis = async (): Promise<{ readonly url: string; readonly stop: () => Promise<void> } | null> => {
  if (configuredUrl !== "") return { url: configuredUrl, stop: () => Promise.resolve() }
  return binary === null ? null : startOwnRedis()
}
