import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { type Comment, parseSync, type Program } from "oxc-parser"

/** The style rules for source files. An exception permits a number of violations, and the number may only decrease. */
export type Rule = "line" | "file" | "function" | "any" | "cast" | "name"

export interface Finding {
  readonly file: string
  readonly rule: Rule
  /**
   * A number of violations or of lines, depending on the rule. For a long file, `count` is the number of lines in the
   * file. For long functions, `count` is the number of lines above the limit.
   */
  readonly count: number
  readonly places: ReadonlyArray<string>
}

export const limits = { columns: 120, fileLines: 450, functionLines: 95 }

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const visit = (node: Node, visitor: (node: Node) => void): void => {
  visitor(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, visitor)
  }
}

const functions = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"])

const lineFinder = (source: string): (offset: number) => number => {
  const starts = [0]
  for (let i = source.indexOf("\n"); i !== -1; i = source.indexOf("\n", i + 1)) starts.push(i + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (starts[middle]! <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

/**
 * Returns whether a node is a string, a template or a regular expression. A line with a string, a template or a regular
 * expression may exceed the limit on line length.
 */
const isText = (node: Node): boolean =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && "value" in node && typeof node.value === "string") ||
  (node.type === "Literal" && "regex" in node)

const isConst = (node: Node, source: string): boolean => /\bas\s+const$/.test(source.slice(node.start, node.end))

/**
 * Returns the last line of each type cast that has no comment. A cast's comment must be on one of the cast's lines or
 * on the line before.
 */
const findUnexplainedCasts = (
  casts: ReadonlyArray<Node>,
  comments: ReadonlyArray<Comment>,
  lineOf: (offset: number) => number
): ReadonlyArray<number> => {
  const commentedLines = new Set(comments.flatMap(({ end, start }) => [lineOf(start), lineOf(end)]))
  return casts
    .map(({ end, start }) => ({ first: lineOf(start), last: lineOf(end) }))
    .filter(({ first, last }) => {
      for (let line = first - 1; line <= last; line++) if (commentedLines.has(line)) return false
      return true
    })
    .map(({ last }) => last)
}

/** Matches a call of `describe` or a similar function, whose body may exceed the limit on the length of functions. */
const suiteCall = /^(describe|layer|it\.layer|\w+\.describe)\b/

const findSuiteBodies = (program: Program, source: string): ReadonlySet<number> => {
  const bodies = new Set<number>()
  visit(program, (node) => {
    if (node.type !== "CallExpression" || !("arguments" in node) || !Array.isArray(node.arguments)) return
    if (!suiteCall.test(source.slice(node.start, node.start + 40))) return
    const last: unknown = node.arguments.at(-1)
    if (isNode(last) && functions.has(last.type)) bodies.add(last.start)
  })
  return bodies
}

const findFileNameError = (
  file: string,
  exported: ReadonlySet<string>,
  classes: ReadonlySet<string>
): string | undefined => {
  const name = basename(file).split(".")[0]!
  if (/^\d{4}_[a-z_]+$/.test(name)) {
    return file.includes("/migrations/")
      ? undefined
      : "only names of migrations begin with a number"
  }
  const pascal = name[0]!.toUpperCase() + name.slice(1)
  if (/^[A-Z][A-Za-z0-9]*$/.test(name)) {
    const isTest = file.endsWith(".test.ts")
    return isTest || exported.has(name) || exported.has("layer") ? undefined : `exports nothing with the name ${name}`
  }
  if (!/^[a-z][A-Za-z0-9]*$/.test(name)) return "is neither camelCase nor PascalCase"
  return classes.has(pascal) ? `exports the class ${pascal}: rename the file to ${pascal}.ts` : undefined
}

export const checkSource = (file: string, source: string): ReadonlyArray<Finding> => {
  const { comments, errors, module, program } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file} was not parsed: ${errors[0]!.message}`)
  const lineOf = lineFinder(source)
  const lines = source.trimEnd().split("\n")
  const found: Array<Finding> = []
  const addFinding = (rule: Rule, count: number, places: ReadonlyArray<string>) => {
    if (count > 0) found.push({ file, rule, count, places })
  }

  addFinding("file", lines.length > limits.fileLines ? lines.length : 0, [`${lines.length} lines`])

  const anys: Array<Node> = []
  const casts: Array<Node> = []
  const longFunctions: Array<{ readonly line: number; readonly lines: number }> = []
  const classes = new Set<string>()
  const textLines = new Set<number>()
  const bodies = findSuiteBodies(program, source)
  visit(program, (node) => {
    if (isText(node) && lineOf(node.start) === lineOf(node.end)) textLines.add(lineOf(node.start))
    if (node.type === "TSAnyKeyword") anys.push(node)
    if (node.type === "TSTypeAssertion") casts.push(node)
    if (node.type === "TSAsExpression" && !isConst(node, source)) casts.push(node)
    if (node.type === "ClassDeclaration" && "id" in node && isNode(node.id) && "name" in node.id) {
      classes.add(String(node.id.name))
    }
    if (!functions.has(node.type) || bodies.has(node.start)) return
    const height = lineOf(node.end) - lineOf(node.start) + 1
    if (height > limits.functionLines) longFunctions.push({ line: lineOf(node.start), lines: height })
  })
  const longLines = lines.flatMap((line, i) =>
    Array.from(line).length > limits.columns && !textLines.has(i + 1) ? [`line ${i + 1}`] : []
  )
  addFinding("line", longLines.length, longLines)
  addFinding(
    "function",
    longFunctions.reduce((sum, { lines }) => sum + lines - limits.functionLines, 0),
    longFunctions.map(({ line, lines }) => `line ${line}: ${lines} lines`)
  )
  addFinding("any", anys.length, anys.map(({ start }) => `line ${lineOf(start)}`))
  const unexplainedLines = findUnexplainedCasts(casts, comments, lineOf)
  addFinding("cast", unexplainedLines.length, unexplainedLines.map((line) => `line ${line}`))

  const exported = new Set(
    module.staticExports.flatMap(({ entries }) => entries.flatMap(({ exportName }) => exportName.name ?? []))
  )
  const nameError = findFileNameError(file, exported, new Set([...classes].filter((name) => exported.has(name))))
  addFinding("name", nameError === undefined ? 0 : 1, [nameError ?? ""])
  return found
}

export const checkRepository = (root: string): { readonly files: number; readonly found: ReadonlyArray<Finding> } => {
  const files = globSync("{packages,examples}/*/{src,test,scripts,browser}/**/*.{ts,tsx,mjs,cjs}", { cwd: root })
    .filter((path) => !/(^|\/)(node_modules|dist)\//.test(path))
    .sort()
  const found = files.flatMap((file) => checkSource(file, readFileSync(join(root, file), "utf8")))
  return { files: files.length, found }
}
