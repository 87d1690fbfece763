import { serverUser } from "@tapeline/testing/postgresServer"
import { findProgram, skipWithoutProgram } from "@tapeline/testing/programs"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"

const binary = findProgram("pgbouncer")

export const needsPgBouncer = skipWithoutProgram("pgbouncer: install it", binary !== null)

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : 0
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    }).on("error", () => resolve(false))
  })

/**
 * Starts a PgBouncer in front of a server, with Debian's settings except for the pool mode and the
 * size of the pool of each database. Returns the URL of the
 * PgBouncer.
 */
export const startPgBouncer = (serverUrl: string, mode: "session" | "transaction", poolSize = 20) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const url = new URL(serverUrl)
        const dir = mkdtempSync(join(tmpdir(), "tapeline-pgbouncer-"))
        const port = await freePort()
        writeFileSync(join(dir, "users"), `"${url.username}" "${url.password}"\n`)
        writeFileSync(
          join(dir, "pgbouncer.ini"),
          `[databases]
* = host=${url.hostname} port=${url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = md5
auth_file = ${join(dir, "users")}
pool_mode = ${mode}
default_pool_size = ${poolSize}
`
        )
        // PgBouncer refuses to run as root.
        const user = serverUser()
        chmodSync(dir, 0o755)
        if (user.uid !== undefined && user.gid !== undefined) chownSync(join(dir, "users"), user.uid, user.gid)
        const child = spawn(binary!, ["-q", join(dir, "pgbouncer.ini")], {
          ...user,
          stdio: "ignore"
        })
        const deadline = Date.now() + 10_000
        while (!(await isListening(port))) {
          if (Date.now() > deadline || child.exitCode !== null) throw new Error("pgbouncer did not start")
          await pause(20)
        }
        url.port = String(port)
        return { url: url.href, child, dir }
      }),
      ({ child, dir }) =>
        Effect.promise(async () => {
          const exited = once(child, "exit")
          if (child.exitCode === null && child.kill("SIGKILL")) await exited
          rmSync(dir, { recursive: true, force: true })
        })
    ),
    ({ url }) => url
  )
