import { execFile } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { root } from "../manifest.ts"
import { minimalEnvironment } from "../serverProcess.ts"
import { findDifferences, findMissingLines } from "./compareOutput.ts"
import type { Snippet } from "./parseSnippets.ts"
import { type SnippetService, withServiceAddress } from "./service.ts"

const isRunnableShell = ({ language, directive }: Snippet): boolean =>
  (language === "sh" || language === "bash") && directive !== "no-run" && directive !== "unchecked"

const blockMarker = "\u0001"

/**
 * Shell functions that replace `curl` and `npm`. The `curl` function prints the status of each response to standard
 * error. The `curl` function stops an endless response after the first line.
 */
const prelude = `
set -eo pipefail
curl() {
  if [ -n "$endless" ]; then
    coproc TOLD { exec curl "$@"; }
    IFS= read -r line <&"\${TOLD[0]}"
    echo "$line"
    kill "$TOLD_PID"
    wait "$TOLD_PID" 2>/dev/null || true
    return 0
  fi
  local status=0
  command curl --max-time 60 -w '%{stderr}status=%{http_code} %{url_effective}\\n' "$@" || status=$?
  echo
  return $status
}
npm() {
  [ "$1 $2 $3" = "run tapeline --" ] || { echo "npm $* is not run here: say no-run" >&2; return 1; }
  shift 3
  node "${join(root, "packages/server/src/cli.ts")}" "$@"
}
`

interface ShellResult {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

const runBash = (script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<ShellResult> =>
  new Promise((resolve) => {
    const child = execFile("bash", ["-s"], { cwd, env, maxBuffer: 64 * 1024 * 1024, timeout: 90_000 }, (
      error,
      stdout,
      stderr
    ) => resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code ?? 1) }))
    child.stdin?.end(script)
  })

const tryParseJson = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const findCallError = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null || !("data" in value)) return undefined
  const { data } = value
  return typeof data === "object" && data !== null && "error" in data ? JSON.stringify(data.error) : undefined
}

/**
 * Compares the output of a code block with the expected output. The next code block on the page contains the expected
 * output.
 */
const compareOutput = (expectedOutput: Snippet | undefined, printed: string): ReadonlyArray<string> => {
  const answers = printed.split("\n").map(tryParseJson).filter((answer) => answer !== undefined)
  if (expectedOutput?.language === "json") return findDifferences(JSON.parse(expectedOutput.code), answers.at(-1))
  const failed = answers.map(findCallError).filter((error) => error !== undefined).map((error) =>
    `a call failed: ${error}`
  )
  if (expectedOutput?.language !== "text" || expectedOutput.directive !== null) return failed
  return [
    ...failed,
    ...findMissingLines(expectedOutput.code, printed).map((line) => `"${line}" was not printed:\n${printed}`)
  ]
}

export const hasShell = (snippets: ReadonlyArray<Snippet>): boolean => snippets.some(isRunnableShell)

/** Runs the shell commands of a page in one shell, and returns the errors with page and line. */
export const runShellSnippets = async (
  snippets: ReadonlyArray<Snippet>,
  service: SnippetService
): Promise<ReadonlyArray<string>> => {
  const key = await service.issueKey()
  const blocks = snippets.flatMap((snippet, i) => isRunnableShell(snippet) ? [{ snippet, shown: snippets[i + 1] }] : [])
  const script = blocks.map(({ snippet: { code, directive } }) =>
    `printf '${blockMarker}'\nprintf '${blockMarker}' >&2\nendless=${directive === "endless" ? "yes" : ""}\n${
      withServiceAddress(code, service, key)
    }\n`
  ).join("")
  const folder = mkdtempSync(join(service.folder, "page-"))
  const env = {
    ...minimalEnvironment,
    TAPELINE_URL: service.url,
    TAPELINE_ADMIN_TOKEN: service.adminToken,
    TAPELINE_DATA_DIR: folder
  }
  const { code, stderr, stdout } = await runBash(prelude + script, folder, env)
  const [outputs, errors] = [stdout, stderr].map((text) => text.split(blockMarker).slice(1))
  return blocks.flatMap(({ shown: expectedOutput, snippet: { line, page } }, i) => {
    const printed = outputs![i]
    if (printed === undefined) return [`${page}:${line}: did not run, because an earlier block ended the shell`]
    const httpErrors = [...errors![i]!.matchAll(/^status=([45]\d\d) (.*)$/gmu)].map(([, status, url]) =>
      `${url} returned the status ${status}`
    )
    const shellError = code !== 0 && i === outputs!.length - 1
      ? [`the shell ended with code ${code}: ${errors![i]}${printed}`]
      : []
    return [...httpErrors, ...shellError, ...compareOutput(expectedOutput, printed)].map((fault) =>
      `${page}:${line}: ${fault}`
    )
  })
}
