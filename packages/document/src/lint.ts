import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Json } from "./OpenApiDocument.ts"

const cli = createRequire(import.meta.url).resolve("@redocly/cli/package.json").replace("package.json", "bin/cli.js")

/** Returns the errors and warnings that `@redocly/cli` reports for an OpenAPI document under the recommended rules. */
export const lint = async (document: Json): Promise<ReadonlyArray<string>> => {
  // An empty directory has no configuration file that could change the recommended rules.
  const dir = mkdtempSync(join(tmpdir(), "tapeline-lint-"))
  try {
    writeFileSync(join(dir, "openapi.json"), JSON.stringify(document))
    const report = await new Promise<string>((resolve, reject) =>
      execFile(
        process.execPath,
        [cli, "lint", "openapi.json", "--extends", "recommended", "--format", "json", "--max-problems", "1000"],
        {
          cwd: dir,
          maxBuffer: 2 ** 26,
          env: { CI: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
        },
        // If the linter finds problems, the command exits with 1 but still prints the report.
        (error, stdout, stderr) => stdout === "" ? reject(error ?? new Error(stderr)) : resolve(stdout)
      )
    )
    const { problems }: {
      readonly problems: ReadonlyArray<{
        readonly ruleId: string
        readonly severity: string
        readonly message: string
        readonly location: ReadonlyArray<{ readonly pointer?: string }>
      }>
    } = JSON.parse(report)
    return problems.map(({ location, message, ruleId, severity }) =>
      `${severity} ${ruleId} at ${location[0]?.pointer ?? "the document"}: ${message}`
    )
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
