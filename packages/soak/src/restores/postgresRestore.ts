import { findFreePort, serverUser, startOwnPostgres } from "@tapeline/testing/postgresServer"
import { execFile } from "node:child_process"
import { chownSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { auditLedger } from "../audit.ts"
import { makeQuery } from "../database.ts"
import { commandsOf } from "./pageCommands.ts"
import { type RehearsalReport, rehearseRestore, withFolder } from "./rehearsal.ts"

/** The tools of the guide that restore to a moment. */
export type BackupTool = "pg_basebackup" | "pgbackrest"

interface Guide {
  readonly install: ReadonlyArray<string>
  readonly backUp: ReadonlyArray<string>
  readonly restore: ReadonlyArray<string>
}

const readGuide = (tool: BackupTool): Guide => {
  const [archive, monitor] = commandsOf("Archive the write-ahead log")
  const [baseBackup, deleteOld] = commandsOf("Make a base backup")
  const [restoreToMoment, skipIds] = commandsOf("Restore to a moment")
  const [configure, backUp, restore] = commandsOf("pgBackRest")
  return tool === "pg_basebackup"
    ? { install: [archive!], backUp: [baseBackup!, deleteOld!, monitor!], restore: [restoreToMoment!, skipIds!] }
    : { install: [configure!], backUp: [backUp!], restore: [restore!, skipIds!] }
}

type Variables = Record<string, string>

/** Runs blocks of the guide in one shell, as the user of the database server, and returns the output. */
const runBlocks = (blocks: ReadonlyArray<string>, folder: string, variables: Variables): Promise<string> =>
  new Promise((resolve, reject) => {
    const script = ["set -euo pipefail", ...blocks].join("\n")
    const child = execFile("bash", ["-s"], {
      ...serverUser(),
      cwd: folder,
      env: { HOME: folder, ...variables },
      timeout: 60_000
    }, (error, stdout, stderr) => error === null ? resolve(stdout) : reject(new Error(`${script}\n${stdout}${stderr}`)))
    child.stdin!.end(script)
  })

/** The rules that calls violate while they run. */
const isRunningCall = (finding: string): boolean => /reserved credits|never ended/u.test(finding)

const newestLogFile = "psql -Atc 'select pg_walfile_name(pg_switch_wal())'"
const isArchived = (file: string) =>
  `until [ "$(psql -Atc "select last_archived_wal >= '${file}' from pg_stat_archiver")" = t ]; do sleep 0.1; done`

/** Rehearses the commands of docs/backups.md for PostgreSQL: a backup and a restore to a moment, under load. */
export const rehearsePostgresRestore = (tool: BackupTool): Promise<RehearsalReport> =>
  withFolder(async (folder) => {
    const { gid, uid } = serverUser()
    const backups = join(folder, "backups")
    mkdirSync(backups)
    if (uid !== undefined && gid !== undefined) chownSync(backups, uid, gid)
    const server = await startOwnPostgres({
      dir: folder,
      settings: { unix_socket_directories: folder, shared_buffers: "32MB", max_connections: "60" }
    })
    const restored = join(folder, "restored")
    const url = new URL(server.url)
    const restoredPort = await findFreePort()
    const variables: Variables = {
      PATH: `${server.bin}:${process.env["PATH"]}`,
      PGDATA: server.dataDir,
      PGHOST: folder,
      PGPORT: url.port,
      PGUSER: url.username,
      PGPASSWORD: url.password,
      PGDATABASE: "postgres",
      BACKUPS: backups,
      RESTORED: restored,
      RESTORED_PORT: String(restoredPort),
      PGBACKREST_CONFIG: join(backups, "pgbackrest.conf")
    }
    const run = (...blocks: ReadonlyArray<string>) => runBlocks(blocks, folder, variables)
    const restoredUrl = new URL(url)
    restoredUrl.port = String(restoredPort)
    const stop = (dataDir: string) => run(`pg_ctl stop -D '${dataDir}' -m immediate || true`)
    const queryAt = (url: URL) => makeQuery(() => url.href)
    try {
      const guide = readGuide(tool)
      const dumpFindings: Array<string> = []
      await run(...guide.install)
      const report = await rehearseRestore({
        environment: { DATABASE_URL: url.href, TAPELINE_DATA_DIR: join(folder, "server") },
        prepare: async () => {
          const output = await run(...guide.backUp, "printf '\\n%s' \"${BASE:-}\"")
          variables["BASE"] = output.slice(output.lastIndexOf("\n") + 1)
          await run(...commandsOf("Logical backups"))
          const dumped = new URL(url)
          dumped.pathname = "tapeline_restored"
          dumpFindings.push(...(await auditLedger(queryAt(dumped))).filter((finding) => !isRunningCall(finding)))
        },
        noteMoment: async () => {
          variables["MOMENT"] = (await run("psql -Atc 'select clock_timestamp()'")).trim()
        },
        restore: async () => {
          // A disk that is lost later than `archive_timeout` loses nothing from before the moment.
          await run(isArchived((await run(newestLogFile)).trim()))
          await stop(server.dataDir)
          rmSync(server.dataDir, { recursive: true })
          await run(...guide.restore)
          return { DATABASE_URL: restoredUrl.href, TAPELINE_DATA_DIR: join(folder, "server") }
        },
        query: queryAt(restoredUrl)
      })
      return { ...report, findings: [...report.findings, ...dumpFindings] }
    } finally {
      await stop(server.dataDir)
      await stop(restored)
    }
  })
