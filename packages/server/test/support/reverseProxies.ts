import { deployedFile } from "@tapeline/testing/deployedFile"
import { findProgram } from "@tapeline/testing/programs"
import { Effect, type Scope } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { makeCertificate } from "./certificate.ts"
import { temporaryFolder } from "./process.ts"

export const findFreePort = async (): Promise<number> => {
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

/** The listeners of a proxy and of two servers, and the files with a certificate. */
interface ProxyEnvironment {
  readonly port: number
  readonly nodePorts: readonly [number, number]
  readonly dir: string
}

interface ProxyProgram {
  readonly scheme: "http" | "https"
  /** Writes the configuration of the folder `deploy` for these ports. Returns the arguments of the program. */
  readonly configure: (environment: ProxyEnvironment) => ReadonlyArray<string>
}

const programs = {
  nginx: {
    scheme: "https",
    configure: ({ dir, nodePorts: [first, second], port }) => {
      const site = deployedFile("nginx.conf", [
        ["10.0.0.11:8787", `127.0.0.1:${first}`],
        ["10.0.0.12:8787", `127.0.0.1:${second}`],
        ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
        ["/etc/ssl/api.example.com.pem", join(dir, "cert")],
        ["/etc/ssl/api.example.com.key", join(dir, "key")]
      ])
      const temporaryPaths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((name) => `${name}_temp_path ${join(dir, name)};`)
      const file = join(dir, "nginx.conf")
      writeFileSync(
        file,
        `daemon off; master_process off; pid ${join(dir, "nginx.pid")}; error_log stderr warn; events {}
http { access_log off; ${temporaryPaths.join(" ")}
${site}}
`
      )
      return ["-p", dir, "-c", file]
    }
  },
  caddy: {
    scheme: "http",
    configure: ({ dir, nodePorts: [first, second] }) => {
      const site = deployedFile("Caddyfile", [
        ["tapeline-1:8787", `127.0.0.1:${first}`],
        ["tapeline-2:8787", `127.0.0.1:${second}`]
      ])
      const file = join(dir, "Caddyfile")
      writeFileSync(file, `{\n\tadmin off\n}\n${site}`)
      return ["run", "--config", file, "--adapter", "caddyfile"]
    }
  },
  haproxy: {
    scheme: "https",
    configure: ({ dir, nodePorts: [first, second], port }) => {
      const file = join(dir, "haproxy.cfg")
      writeFileSync(
        file,
        deployedFile("haproxy.cfg", [
          // The test may run without the right to change the user.
          ["  user haproxy\n  group haproxy\n", ""],
          ["10.0.0.11:8787", `127.0.0.1:${first}`],
          ["10.0.0.12:8787", `127.0.0.1:${second}`],
          ["bind :443 ssl", `bind 127.0.0.1:${port} ssl`],
          ["/etc/ssl/api.example.com.pem", join(dir, "both")]
        ])
      )
      return ["-db", "-f", file]
    }
  }
} satisfies Readonly<Record<string, ProxyProgram>>

export type ProxyName = keyof typeof programs

// The cast is safe, because the object literal has no other keys.
export const proxyNames = Object.keys(programs) as ReadonlyArray<ProxyName>

export const isProxyInstalled = (name: ProxyName): boolean => findProgram(name) !== null

export interface ReverseProxy {
  readonly name: ProxyName
  readonly address: string
  readonly output: () => string
}

/**
 * Starts a reverse proxy with its configuration of the folder `deploy` in front of two servers. The proxies with TLS
 * use `certificate`, which must be valid for 127.0.0.1.
 */
export const startReverseProxy = Effect.fnUntraced(function*(
  name: ProxyName,
  nodePorts: readonly [number, number],
  certificate: ReturnType<typeof makeCertificate>
): Effect.fn.Return<ReverseProxy, never, Scope.Scope> {
  const dir = yield* temporaryFolder
  const port = yield* Effect.promise(findFreePort)
  writeFileSync(join(dir, "cert"), certificate.cert)
  writeFileSync(join(dir, "key"), certificate.key)
  writeFileSync(join(dir, "both"), certificate.cert + certificate.key)
  const { configure, scheme } = programs[name]
  const address = `${scheme}://127.0.0.1:${port}`
  const args = configure({ port, nodePorts, dir })
  let output = ""
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(findProgram(name)!, args, {
        stdio: ["ignore", "pipe", "pipe"],
        env: { PATH: process.env["PATH"], DOMAIN: address, HOME: dir, XDG_CONFIG_HOME: dir, XDG_DATA_HOME: dir }
      })
    ),
    (child) =>
      Effect.promise(async () => {
        const exited = once(child, "exit")
        if (child.exitCode === null && child.kill("SIGKILL")) await exited
      })
  )
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => output += text)
  yield* Effect.promise(async () => {
    const deadline = performance.now() + 10_000
    while (!(await isListening(port))) {
      if (performance.now() > deadline || child.exitCode !== null) throw new Error(`${name} did not start\n${output}`)
      await pause(20)
    }
  })
  return { name, address, output: () => output }
})
