import { PGlite } from "@electric-sql/pglite"
import { execFile } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type RehearsalReport, rehearseRestore, withFolder } from "./rehearsal.ts"

const program = fileURLToPath(new URL("../../../server/src/cli.ts", import.meta.url))

const tapeline = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  promisify(execFile)(process.execPath, [program, ...args], { env: { PATH: process.env["PATH"], ...environment } })

/** Rehearses `tapeline backup` and `tapeline restore` on the embedded database. */
export const rehearsePgliteRestore = (): Promise<RehearsalReport> =>
  withFolder(async (folder) => {
    const file = join(folder, "backup.tar.gz")
    const [original, restored] = [join(folder, "original"), join(folder, "restored")]
    return await rehearseRestore({
      environment: { TAPELINE_DATA_DIR: original },
      prepare: () => Promise.resolve(),
      noteMoment: async (node, token) => {
        await tapeline({ TAPELINE_URL: node.address()!, TAPELINE_ADMIN_TOKEN: token }, "backup", "--output", file)
      },
      restore: async () => {
        rmSync(original, { recursive: true })
        await tapeline({}, "restore", file, "--data-dir", restored)
        return { TAPELINE_DATA_DIR: restored }
      },
      query: async (statement) => {
        const database = await PGlite.create(join(restored, "db"))
        try {
          return (await database.query<Record<string, unknown>>(statement)).rows
        } finally {
          await database.close()
        }
      }
    })
  })
