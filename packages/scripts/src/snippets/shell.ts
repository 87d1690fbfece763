/**
 * The shell commands of a page. One shell runs them in order, so that later ones know the variables of earlier ones.
 */
import { execFile } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { root } from "../manifest.ts"
import { bareEnvironment } from "../serverProcess.ts"
import { addressed, type Service } from "./service.ts"
import { differences, linesMissing } from "./shape.ts"
import type { Snippet } from "./snippet.ts"

const isShell = ({ language, word }: Snippet): boolean =>
  (language === "sh" || language === "bash") && word !== "no-run" && word !== "unchecked"

const begins = "\u0001"

/**
 * `curl` prints the status of each response to the error output, and ends each response with a newline. An endless
 * response is ended after its first line. `npm run tapeline` runs without npm.
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

interface Ran {
  readonly stdout: string
  readonly stderr: string
  readonly code: number
}

const bash = (script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Ran> =>
  new Promise((resolve) => {
    const child = execFile("bash", ["-s"], { cwd, env, maxBuffer: 64 * 1024 * 1024, timeout: 90_000 }, (
      error,
      stdout,
      stderr
    ) => resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code ?? 1) }))
    child.stdin?.end(script)
  })

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const errorIn = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null || !("data" in value)) return undefined
  const { data } = value
  return typeof data === "object" && data !== null && "error" in data ? JSON.stringify(data.error) : undefined
}

/** Compares the output with the block that follows on the page. */
const against = (shown: Snippet | undefined, printed: string): ReadonlyArray<string> => {
  const answers = printed.split("\n").map(parsed).filter((answer) => answer !== undefined)
  if (shown?.language === "json") return differences(JSON.parse(shown.code), answers.at(-1))
  const failed = answers.map(errorIn).filter((error) => error !== undefined).map((error) => `a call failed: ${error}`)
  if (shown?.language !== "text" || shown.word !== null) return failed
  return [...failed, ...linesMissing(shown.code, printed).map((line) => `"${line}" was not printed:\n${printed}`)]
}

/** Whether a page has shell commands to run. */
export const hasShell = (snippets: ReadonlyArray<Snippet>): boolean => snippets.some(isShell)

/** Runs the shell commands of a page. Returns the errors with page and line. */
export const shellFaults = async (
  snippets: ReadonlyArray<Snippet>,
  service: Service
): Promise<ReadonlyArray<string>> => {
  const key = await service.newKey()
  const blocks = snippets.flatMap((snippet, i) => isShell(snippet) ? [{ snippet, shown: snippets[i + 1] }] : [])
  const script = blocks.map(({ snippet: { code, word } }) =>
    `printf '${begins}'\nprintf '${begins}' >&2\nendless=${word === "endless" ? "yes" : ""}\n${
      addressed(code, service, key)
    }\n`
  ).join("")
  const env = { ...bareEnvironment, TAPELINE_URL: service.url, TAPELINE_ADMIN_TOKEN: service.adminToken }
  const { code, stderr, stdout } = await bash(prelude + script, mkdtempSync(join(service.folder, "page-")), env)
  const [outputs, errors] = [stdout, stderr].map((text) => text.split(begins).slice(1))
  return blocks.flatMap(({ shown, snippet: { line, page } }, i) => {
    const printed = outputs![i]
    if (printed === undefined) return [`${page}:${line}: was not reached`]
    const refused = [...errors![i]!.matchAll(/^status=([45]\d\d) (.*)$/gmu)].map(([, status, url]) =>
      `${status} of ${url}`
    )
    const died = code !== 0 && i === outputs!.length - 1 ? [`ended with ${code}: ${errors![i]}${printed}`] : []
    return [...refused, ...died, ...against(shown, printed)].map((fault) => `${page}:${line}: ${fault}`)
  })
}
