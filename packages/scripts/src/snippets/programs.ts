/** Runs the programs of the documents in a separate process. */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { root } from "../manifest.ts"
import { bareEnvironment } from "../serverProcess.ts"
import { addressed, type Service } from "./service.ts"
import { linesMissing } from "./shape.ts"
import { fileOf, type Program } from "./snippet.ts"

interface Outcome {
  readonly file: string
  readonly printed: string
  readonly error?: string
}

/** Runs programs and returns their errors, with page and line. */
export const programFaults = async (
  programs: ReadonlyArray<Program>,
  service: Service
): Promise<ReadonlyArray<string>> => {
  // Within the repository, so that they find its packages.
  const home = join(root, "packages/scripts/dist/running")
  mkdirSync(home, { recursive: true })
  const folder = mkdtempSync(join(home, "programs-"))
  const key = await service.newKey()
  for (const program of programs) {
    writeFileSync(join(folder, fileOf(program)), addressed(program.code, service, key))
  }
  const files = programs.map((program) => join(folder, fileOf(program)))
  const env = { ...bareEnvironment, TAPELINE_URL: service.url, TAPELINE_API_KEY: key, ADMIN_TOKEN: service.adminToken }
  const told = await new Promise<string>((resolve) =>
    execFile(
      process.execPath,
      [join(import.meta.dirname, "runPrograms.ts"), ...files],
      { cwd: mkdtempSync(join(service.folder, "programs-")), env, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve(error === null ? stdout : `${stdout}${stderr}`)
    )
  )
  rmSync(folder, { recursive: true, force: true })
  const outcomes = new Map(
    told.split("\n").filter((line) => line.startsWith("{\"file\"")).map((line) => {
      const outcome = JSON.parse(line) as Outcome // `runPrograms.ts` writes this shape.
      return [basename(outcome.file), outcome]
    })
  )
  return programs.flatMap((program) => {
    const where = `${program.page}:${program.line}`
    const outcome = outcomes.get(fileOf(program))
    if (outcome === undefined) return [`${where}: did not run: ${told}`]
    if (outcome.error !== undefined) return [`${where}: ${outcome.error}`]
    return program.prints === null
      ? []
      : linesMissing(program.prints, outcome.printed).map((line) =>
        `${where}: "${line}" was not printed:\n${outcome.printed}`
      )
  })
}
