import { serverUser, startOwnPostgres } from "@tapeline/testing/postgresServer"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TLSSocket } from "node:tls"

export interface Certificates {
  readonly dir: string
  readonly authority: string
  readonly otherAuthority: string
  /** The server's certificate, which is valid for `localhost` but for no IP address. */
  readonly server: { readonly certificate: string; readonly key: string }
  readonly expired: { readonly certificate: string; readonly key: string }
  /** The client's certificate, for the role `certified`. */
  readonly client: { readonly certificate: string; readonly key: string }
}

const makeCertificates = (): Certificates => {
  const dir = mkdtempSync(join(tmpdir(), "tapeline-tls-"))
  chmodSync(dir, 0o755)
  const openssl = (...args: ReadonlyArray<string>) => execFileSync("openssl", args, { cwd: dir, stdio: "ignore" })
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
  const makeAuthority = (name: string) => {
    openssl("req", "-x509", ...curve, "-keyout", `${name}.key`, "-out", `${name}.crt`, "-subj", `/CN=${name}`)
    return join(dir, `${name}.crt`)
  }
  const makeCertificate = (name: string, subject: string, days: string) => {
    writeFileSync(join(dir, "names"), `subjectAltName=DNS:${subject}`)
    openssl("req", ...curve, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${subject}`)
    openssl(
      ..."x509 -req -CA authority.crt -CAkey authority.key -CAcreateserial -extfile names -days".split(" "),
      days,
      "-in",
      `${name}.csr`,
      "-out",
      `${name}.crt`
    )
    return { certificate: join(dir, `${name}.crt`), key: join(dir, `${name}.key`) }
  }
  return {
    dir,
    authority: makeAuthority("authority"),
    otherAuthority: makeAuthority("other"),
    server: makeCertificate("server", "localhost", "30"),
    expired: makeCertificate("expired", "localhost", "-1"),
    client: makeCertificate("client", "certified", "30")
  }
}

const hbaRules = `
local all all trust
hostssl all certified 127.0.0.1/32 cert
hostssl all secure 127.0.0.1/32 trust
host all ghost 127.0.0.1/32 trust
host all postgres,crowded 127.0.0.1/32 scram-sha-256
`

/** Makes a key file readable only for the user of the server, because PostgreSQL accepts no other key files. */
const restrictToServerUser = (file: string) => {
  chmodSync(file, 0o600)
  const { gid, uid } = serverUser()
  if (uid !== undefined && gid !== undefined) chownSync(file, uid, gid)
}

/** Stops or continues all processes of the PostgreSQL server that a session belongs to. */
const signalServerProcesses = (mainProcess: number, signal: "SIGSTOP" | "SIGCONT") => {
  const parentOf = (pid: number | string): number => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
      return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
    } catch {
      return 0
    }
  }
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  for (const pid of [mainProcess, ...processes.filter((pid) => parentOf(pid) === mainProcess).map(Number)]) {
    try {
      process.kill(pid, signal)
    } catch (cause) {
      // The process of the session may have ended since the query.
      if ((cause as NodeJS.ErrnoException).code !== "ESRCH") throw cause
    }
  }
}

export const startTlsServer = Effect.acquireRelease(
  Effect.promise(async () => {
    const certificates = makeCertificates()
    writeFileSync(join(certificates.dir, "accounts"), hbaRules)
    restrictToServerUser(certificates.server.key)
    const server = await startOwnPostgres({
      settings: {
        fsync: "off",
        ssl: "on",
        ssl_cert_file: certificates.server.certificate,
        ssl_key_file: certificates.server.key,
        ssl_ca_file: certificates.authority,
        hba_file: join(certificates.dir, "accounts")
      }
    })
    const mainProcess = Number(readFileSync(join(server.dataDir, "postmaster.pid"), "utf8").split("\n")[0])
    return {
      certificates,
      server,
      freeze: () => signalServerProcesses(mainProcess, "SIGSTOP"),
      unfreeze: () => signalServerProcesses(mainProcess, "SIGCONT")
    }
  }),
  ({ certificates, server, unfreeze }) =>
    Effect.promise(async () => {
      unfreeze()
      await server.stop()
      rmSync(certificates.dir, { recursive: true, force: true })
    })
)

export const makeTcpServer = (onConnection: (socket: Socket) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly sockets: Set<Socket>; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      const server = createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => undefined).on("close", () => sockets.delete(socket))
        onConnection(socket)
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" && address !== null ? address.port : 0
        const close = () => {
          server.close()
          sockets.forEach((socket) => socket.destroy())
        }
        resume(Effect.succeed({ port, sockets, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

export const makeProxy = (url: URL) =>
  makeTcpServer((clientSocket) => {
    const serverSocket = connect(Number(url.port), url.hostname)
    clientSocket.on("close", () => serverSocket.destroy()).pipe(serverSocket)
    serverSocket.on("error", () => clientSocket.destroy()).on("close", () => clientSocket.destroy()).pipe(clientSocket)
  })

export const makeTlsServer = ({ certificate, key }: { readonly certificate: string; readonly key: string }) =>
  makeTcpServer((socket) =>
    void socket.once("data", () => {
      socket.write("S")
      new TLSSocket(socket, { isServer: true, cert: readFileSync(certificate), key: readFileSync(key) })
        .on("error", () => undefined)
    })
  )
