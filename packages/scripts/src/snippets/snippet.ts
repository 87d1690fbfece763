/** The fenced blocks of the documents, and how each is checked: run, compiled, parsed, or skipped with a reason. */

export interface Snippet {
  /** The page, relative to the repository. */
  readonly page: string
  /** The line on which the block begins. */
  readonly line: number
  readonly language: string
  /** The word after the language that changes how the block is checked. */
  readonly word: Word | null
  /** The reason, for a word that requires one. */
  readonly reason: string
  readonly code: string
  /**
   * Code that a program needs and the page does not show: an HTML comment `<!-- before ... -->` directly above the
   * block.
   */
  readonly before: string
}

/**
 * - `continued`: continues the page's previous TypeScript block. Otherwise each block is a program.
 * - `endless`: a command that never ends. It is stopped after its first output.
 * - `no-run: reason`: is compiled, or parsed by the shell, but not run.
 * - `unchecked: reason`: is not checked, for example because a signature is not a program.
 */
export const words = ["continued", "endless", "no-run", "unchecked"] as const
export type Word = (typeof words)[number]

const checked = ["ts", "sh", "bash", "json"]
/** Languages for people and other programs: output, drawings, and configuration of other software. */
const others = ["text", "nginx", "caddyfile", "mermaid"]

const wordOf = (info: string): { readonly word: Word | null; readonly reason: string } => {
  const [word = "", reason = ""] = info.split(/:\s*(.*)/su)
  return { word: words.find((one) => one === word) ?? null, reason }
}

/** Returns the error of a line that opens a block, or null. */
const wrong = (language: string, info: string): string | null => {
  if (language === "") return "has no language: `text`, if it is none"
  if (![...checked, ...others].includes(language)) return `is of the language \`${language}\`, which nobody knows`
  if (info === "") return null
  const { reason, word } = wordOf(info)
  if (word === null) return `has words that nobody knows: \`${info}\``
  if ((word === "no-run" || word === "unchecked") && reason === "") return `is \`${word}\` without a reason`
  if (word === "continued" && language !== "ts") return "is `continued`, which TypeScript alone is"
  return null
}

/** The number of lines above a block that may contain its `before` comment. */
const mostBefore = 40

const beforeOf = (above: ReadonlyArray<string>): string =>
  /<!-- before\n((?:(?!-->)[^])*)-->\n\n?$/u.exec(above.map((line) => `${line}\n`).join(""))?.[1] ?? ""

/** Returns the blocks of a page, in order. Throws if an opening line is invalid. */
export const snippetsOf = (page: string, text: string): ReadonlyArray<Snippet> => {
  const found: Array<Snippet> = []
  const lines = text.split("\n")
  for (let i = 0; i < lines.length; i++) {
    const [, indent, language = "", info = ""] = /^( *)```(\S*) *(.*)$/u.exec(lines[i]!) ?? []
    if (indent === undefined) continue
    const end = lines.findIndex((line, at) => at > i && line.trim() === "```")
    if (end < 0) throw new Error(`${page}:${i + 1}: the block has no end`)
    const complaint = wrong(language, info)
    if (complaint !== null) throw new Error(`${page}:${i + 1}: the block ${complaint}`)
    found.push({
      page,
      line: i + 1,
      language,
      ...wordOf(info),
      code: lines.slice(i + 1, end).map((line) => line.slice(indent.length)).join("\n"),
      before: beforeOf(lines.slice(Math.max(0, i - mostBefore), i))
    })
    i = end
  }
  return found
}

export interface Program {
  readonly page: string
  readonly line: number
  readonly code: string
  readonly run: boolean
  /** The expected output: a `text` block directly after the program's last block. */
  readonly prints: string | null
}

/** Returns the programs of a page's TypeScript blocks. */
export const programsOf = (snippets: ReadonlyArray<Snippet>): ReadonlyArray<Program> => {
  const programs: Array<Program> = []
  for (const [i, { before, code, language, line, page, word }] of snippets.entries()) {
    if (language !== "ts" || word === "unchecked") continue
    const behind = snippets[i + 1]
    const prints = behind?.language === "text" && behind.word === null ? behind.code : null
    const last = programs.at(-1)
    if (word === "continued") {
      if (last === undefined) throw new Error(`${page}:${line}: the block continues nothing`)
      programs[programs.length - 1] = {
        ...last,
        code: `${last.code}\n${before}${code}\n`,
        prints: prints ?? last.prints
      }
    } else programs.push({ page, line, code: `${before}${code}\n`, run: word !== "no-run", prints })
  }
  return programs
}

/** The file name of a program: its page and line, so that errors lead there. */
export const fileOf = ({ line, page }: Program): string =>
  `${page.replace(/\.md$/u, "").replaceAll("/", "_")}_${line}.ts`
