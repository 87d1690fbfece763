/** The fenced blocks of the documents, and what is done with each: run, compiled, parsed, or left alone, and why. */

export interface Snippet {
  /** The page, relative to the repository. */
  readonly page: string
  /** Where the block begins, for a person. */
  readonly line: number
  readonly language: string
  /** The word behind the language that says what is done with the block otherwise. */
  readonly word: Word | null
  /** Why it is left alone, of a word that needs a reason. */
  readonly reason: string
  readonly code: string
  /** What a program needs and the page does not show: an HTML comment `<!-- before ... -->` right above the block. */
  readonly before: string
}

/**
 * - `continued`: goes on where the page's TypeScript before it ended; otherwise each block is a program.
 * - `endless`: a command that never ends by itself; it is ended once it has said something.
 * - `no-run: reason`: is compiled, or read by the shell, and not run.
 * - `unchecked: reason`: neither, as a signature is no program.
 */
export const words = ["continued", "endless", "no-run", "unchecked"] as const
export type Word = (typeof words)[number]

const checked = ["ts", "sh", "bash", "json"]
/** What is read by people and other programs: output and drawings, configuration of what is not ours. */
const others = ["text", "nginx", "caddyfile", "mermaid"]

const wordOf = (info: string): { readonly word: Word | null; readonly reason: string } => {
  const [word = "", reason = ""] = info.split(/:\s*(.*)/su)
  return { word: words.find((one) => one === word) ?? null, reason }
}

/** What is wrong with the line that opens a block. */
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

/** How many lines above a block are looked at for what comes before it. */
const mostBefore = 40

const beforeOf = (above: ReadonlyArray<string>): string =>
  /<!-- before\n((?:(?!-->)[^])*)-->\n\n?$/u.exec(above.map((line) => `${line}\n`).join(""))?.[1] ?? ""

/** The blocks of a page, in order. One whose opening line says what nobody knows throws. */
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
  /** What a `text` block right behind the program's last says that it prints. */
  readonly prints: string | null
}

/** The programs that the TypeScript of a page makes. */
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

/** The name of a program's file: the page's and the line, so that what is wrong with it leads there. */
export const fileOf = ({ line, page }: Program): string =>
  `${page.replace(/\.md$/u, "").replaceAll("/", "_")}_${line}.ts`
