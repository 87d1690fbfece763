import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { root } from "../manifest.ts"
import { minimalEnvironment } from "../serverProcess.ts"
import { findMissingLines } from "./compareOutput.ts"
import { programFileName, type SnippetProgram } from "./parseSnippets.ts"
import { type SnippetService, withServiceAddress } from "./service.ts"

interface ProgramOutcome {
  readonly file: string
  readonly printed: string
  readonly error?: string
}

/** Runs programs of the documents in a separate process, and returns the programs' errors with page and line. */
export const runProgramSnippets = async (
  programs: ReadonlyArray<SnippetProgram>,
  service: SnippetService
): Promise<ReadonlyArray<string>> => {
  // The folder is within the repository, because the programs find the repository's packages only from there.
  const runningDir = join(root, "packages/scripts/dist/running")
  mkdirSync(runningDir, { recursive: true })
  const folder = mkdtempSync(join(runningDir, "programs-"))
  const key = await service.issueKey()
  for (const program of programs) {
    writeFileSync(join(folder, programFileName(program)), withServiceAddress(program.code, service, key))
  }
  const files = programs.map((program) => join(folder, programFileName(program)))
  const env = {
    ...minimalEnvironment,
    TAPELINE_URL: service.url,
    TAPELINE_API_KEY: key,
    ADMIN_TOKEN: service.adminToken
  }
  const childOutput = await new Promise<string>((resolve) =>
    execFile(
      process.execPath,
      [join(import.meta.dirname, "runPrograms.ts"), ...files],
      { cwd: mkdtempSync(join(service.folder, "programs-")), env, maxBuffer: 64 * 1024 * 1024 },
      (error, stdout, stderr) => resolve(error === null ? stdout : `${stdout}${stderr}`)
    )
  )
  rmSync(folder, { recursive: true, force: true })
  const outcomes = new Map(
    childOutput.split("\n").filter((line) => line.startsWith("{\"file\"")).map((line) => {
      const outcome = JSON.parse(line) as ProgramOutcome // `runPrograms.ts` prints objects of this form
      return [basename(outcome.file), outcome]
    })
  )
  return programs.flatMap((program) => {
    const location = `${program.page}:${program.line}`
    const outcome = outcomes.get(programFileName(program))
    if (outcome === undefined) return [`${location}: did not run: ${childOutput}`]
    if (outcome.error !== undefined) return [`${location}: ${outcome.error}`]
    return program.expectedOutput === null
      ? []
      : findMissingLines(program.expectedOutput, outcome.printed).map((line) =>
        `${location}: "${line}" was not printed:\n${outcome.printed}`
      )
  })
}
