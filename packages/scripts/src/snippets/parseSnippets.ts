/** A fenced code block of a document, which is run, compiled, parsed, or skipped with a reason. */

export interface Snippet {
  readonly page: string
  readonly line: number
  readonly language: string
  /**
   * The word after the language in the opening line of the code block that changes how the block is checked, or null.
   */
  readonly directive: Directive | null
  /** The required reason of `no-run` or `unchecked`, or an empty text for other code blocks. */
  readonly reason: string
  readonly code: string
  /**
   * Code that the program needs but the page does not show. An HTML comment that begins with `<!-- before` contains the
   * code.
   */
  readonly hiddenCode: string
}

/**
 * The words that change how a code block is checked.
 *
 * - `continued`: the block continues the page's previous TypeScript block instead of starting a separate program.
 * - `endless`: the block contains a command that never ends and that is stopped after its first output.
 * - `no-run: reason`: the block is compiled, or parsed by the shell, but not run.
 * - `unchecked: reason`: the block is not checked, for example because a signature is not a program.
 */
export const directives = ["continued", "endless", "no-run", "unchecked"] as const
export type Directive = (typeof directives)[number]

const checkedLanguages = ["ts", "sh", "bash", "json"]
/** The languages of code blocks that are not checked: output, diagrams, and the configuration of other software. */
const uncheckedLanguages = ["text", "yaml", "mermaid"]

const parseDirective = (info: string): { readonly directive: Directive | null; readonly reason: string } => {
  const [directive = "", reason = ""] = info.split(/:\s*(.*)/su)
  return { directive: directives.find((one) => one === directive) ?? null, reason }
}

/** Returns the error in the opening line of a code block, or null. */
const findHeaderError = (language: string, info: string): string | null => {
  if (language === "") return "has no language; write `text` for plain text"
  if (![...checkedLanguages, ...uncheckedLanguages].includes(language)) {
    return `has the unknown language \`${language}\``
  }
  if (info === "") return null
  const { reason, directive } = parseDirective(info)
  if (directive === null) return `has the unknown directive \`${info}\``
  if ((directive === "no-run" || directive === "unchecked") && reason === "") {
    return `has the directive \`${directive}\` without a reason`
  }
  if (directive === "continued" && language !== "ts") {
    return "has the directive `continued`, which only blocks of TypeScript support"
  }
  return null
}

const maxHiddenCodeLines = 40

const readHiddenCode = (above: ReadonlyArray<string>): string =>
  /<!-- before\n((?:(?!-->)[^])*)-->\n\n?$/u.exec(above.map((line) => `${line}\n`).join(""))?.[1] ?? ""

/** Returns the code blocks of a page in order, and throws if the opening line of a block is invalid. */
export const parseSnippets = (page: string, text: string): ReadonlyArray<Snippet> => {
  const found: Array<Snippet> = []
  const lines = text.split("\n")
  for (let i = 0; i < lines.length; i++) {
    const [, indent, language = "", info = ""] = /^( *)```(\S*) *(.*)$/u.exec(lines[i]!) ?? []
    if (indent === undefined) continue
    const end = lines.findIndex((line, at) => at > i && line.trim() === "```")
    if (end < 0) throw new Error(`${page}:${i + 1}: the block has no end`)
    const headerError = findHeaderError(language, info)
    if (headerError !== null) throw new Error(`${page}:${i + 1}: the block ${headerError}`)
    found.push({
      page,
      line: i + 1,
      language,
      ...parseDirective(info),
      code: lines.slice(i + 1, end).map((line) => line.slice(indent.length)).join("\n"),
      hiddenCode: readHiddenCode(lines.slice(Math.max(0, i - maxHiddenCodeLines), i))
    })
    i = end
  }
  return found
}

export interface SnippetProgram {
  readonly page: string
  readonly line: number
  readonly code: string
  readonly isRun: boolean
  /**
   * The expected output of the program, from the `text` block directly after the program's last code block.
   * `expectedOutput` is null if no `text` block follows.
   */
  readonly expectedOutput: string | null
}

export const toPrograms = (snippets: ReadonlyArray<Snippet>): ReadonlyArray<SnippetProgram> => {
  const programs: Array<SnippetProgram> = []
  for (const [i, { hiddenCode, code, language, line, page, directive }] of snippets.entries()) {
    if (language !== "ts" || directive === "unchecked") continue
    const nextSnippet = snippets[i + 1]
    const expectedOutput = nextSnippet?.language === "text" && nextSnippet.directive === null ? nextSnippet.code : null
    const last = programs.at(-1)
    if (directive === "continued") {
      if (last === undefined) throw new Error(`${page}:${line}: the block is continued, but no block precedes it`)
      programs[programs.length - 1] = {
        ...last,
        code: `${last.code}\n${hiddenCode}${code}\n`,
        expectedOutput: expectedOutput ?? last.expectedOutput
      }
    } else programs.push({ page, line, code: `${hiddenCode}${code}\n`, isRun: directive !== "no-run", expectedOutput })
  }
  return programs
}

/** Returns the file name of a program. The file name contains the page and the line of the program's code block. */
export const programFileName = ({ line, page }: SnippetProgram): string =>
  `${page.replace(/\.md$/u, "").replaceAll("/", "_")}_${line}.ts`
