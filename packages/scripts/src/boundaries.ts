import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { parseSync } from "oxc-parser"

/**
 * The directions of dependencies: quant <- core <- every adapter <- server. The sources of a package may import only
 * these packages of the repository. `alsoOnly` also limits packages from outside.
 */
const rules: Readonly<
  Record<string, {
    readonly house: ReadonlyArray<string>
    /** The packages from which only types are imported, so that none of their code is loaded. */
    readonly typesOf?: ReadonlyArray<string>
    readonly alsoOnly?: ReadonlyArray<string>
  }>
> = {
  quant: { house: [], alsoOnly: [] },
  core: { house: ["quant"], alsoOnly: ["effect"] },
  testing: { house: ["core", "quant"] },
  api: { house: ["core"], alsoOnly: ["effect"] },
  "market-sim": { house: ["core", "quant"], alsoOnly: ["effect"] },
  "offline-analyst": { house: ["core"], alsoOnly: ["effect"] },
  openai: { house: ["core"] },
  openid: { house: ["core"] },
  "market-live": { house: ["core", "quant"] },
  postgres: { house: ["core"] },
  redis: { house: ["core"] },
  charts: { house: ["core"] },
  cluster: { house: ["core"] },
  console: { house: [] },
  // The pages. No package imports them: they are built, and served as files.
  "console/browser": {
    house: ["client", "core"],
    typesOf: ["core"],
    alsoOnly: [
      "@tanstack/react-query",
      "lightweight-charts",
      "lucide-react",
      "react",
      "react-aria-components",
      "react-dom",
      "react-markdown",
      "remark-gfm"
    ]
  },
  sandbox: { house: ["core", "quant"] },
  http: { house: ["api", "core", "mcp"] },
  client: { house: ["api", "core"], alsoOnly: ["effect", "eventsource-parser"] },
  mcp: { house: ["client"] },
  server: {
    house: [
      "api",
      "charts",
      "cluster",
      "console",
      "core",
      "http",
      "market-live",
      "market-sim",
      "offline-analyst",
      "openai",
      "openid",
      "postgres",
      "redis",
      "sandbox"
    ]
  },
  bench: {
    house: [
      "api",
      "charts",
      "core",
      "http",
      "market-live",
      "market-sim",
      "offline-analyst",
      "postgres",
      "quant",
      "sandbox",
      "scripts",
      "server",
      "testing"
    ]
  },
  document: { house: [] },
  evaluation: { house: ["charts", "core", "market-sim", "offline-analyst", "openai", "sandbox", "testing"] },
  wire: { house: ["core"] },
  soak: { house: ["cluster", "core", "openai", "postgres", "quant", "testing"] },
  scripts: { house: ["charts", "core", "market-sim", "offline-analyst", "sandbox", "server", "testing"] }
}

/** The rooms of core. A room imports only itself and the rooms before it. */
const rooms = ["engine", "market", "analysis", "agent", "personal", "tools"]

/** The rule that an import between two rooms of core breaks. Files outside the rooms may import every room. */
const judgeRooms = (folder: string, file: string, target: string): string | undefined => {
  const [from, to] = [file, target].map((path) => rooms.indexOf(relative(folder, path).split("/")[0]!))
  return from !== -1 && (to === -1 || to! > from!)
    ? `core/${rooms[from!]} may import ${rooms.slice(0, from! + 1).join(", ")}`
    : undefined
}

/** Modules of effect that may change between minor versions. core and quant do not use them. */
const unstable =
  /^effect\/(ai|cli|cluster|crypto|devtools|eventlog|graphql|http|http-api|net|observability|persistence|process|reactivity|rpc|socket|sql|workers|workflow)(\/|$)/

export interface Violation {
  readonly file: string
  /** The import. Null if the violation concerns the file or the package. */
  readonly specifier: string | null
  readonly rule: string
}

const parse = (file: string) => {
  const source = readFileSync(file, "utf8")
  const { module, program } = parseSync(file, source)
  if (program.body.length === 0 && source.trim() !== "") throw new Error(`${file} was not parsed`)
  return { source, module }
}

const specifiersOf = (file: string): ReadonlyArray<string> => {
  const { module, source } = parse(file)
  return [
    ...module.staticImports.map((entry) => entry.moduleRequest.value),
    ...module.staticExports.flatMap((entry) =>
      entry.entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])
    ),
    ...module.dynamicImports.map(({ moduleRequest }) =>
      source.slice(moduleRequest.start, moduleRequest.end).replace(/^["'`]|["'`]$/g, "")
    )
  ]
}

const packageOf = (specifier: string): string =>
  specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")

/** Sources under one rule: a package's own, or those for browsers. */
interface Part {
  readonly name: string
  readonly folder: string
}

const partsOf = (name: string, home: string): ReadonlyArray<Part> =>
  [{ name, folder: join(home, "src") }, { name: `${name}/browser`, folder: join(home, "browser") }]
    .filter(({ folder }) => existsSync(folder))

const judge = ({ folder, name }: Part, file: string, specifier: string): string | undefined => {
  const rule = rules[name]!
  if (specifier.startsWith(".")) {
    const target = resolve(dirname(file), specifier)
    if (!target.startsWith(folder)) return "a relative import stays in its package"
    return name === "core" ? judgeRooms(folder, file, target) : undefined
  }
  if (specifier.startsWith("@tapeline/")) {
    const target = packageOf(specifier).slice("@tapeline/".length)
    if (target === name && name === "core") return "core imports its own files by relative paths"
    if (target !== name && !rule.house.includes(target)) {
      return `${name} may import of the house: ${rule.house.join(", ") || "nothing"}`
    }
    return rule.typesOf?.includes(target) === true && loadedWith(file).includes(specifier)
      ? `${name} may import types alone of ${rule.typesOf.join(", ")}`
      : undefined
  }
  if (rule.alsoOnly !== undefined) {
    if (!rule.alsoOnly.includes(packageOf(specifier))) {
      return `${name} may import from outside: ${rule.alsoOnly.join(", ") || "nothing"}`
    }
    if (name === "core" && unstable.test(specifier)) return "core uses the stable modules of effect only"
  }
  return undefined
}

/**
 * The modules that a browser loads, directly or indirectly. They contain no handler and no computation of handlers,
 * except the language of strategies, which are arguments. A module that is imported on demand is not loaded with its
 * importer.
 */
const light = {
  entries: ["core/src/specifications.ts", "api/src/index.ts", "client/src/index.ts"],
  never: /(\.handler\.ts$|^quant\/(?!src\/(strategy|backtest\/(grid|operandText))\.ts$))/
}

/** The modules that are loaded together with `file`: types are erased, and `import()` waits until it is called. */
const loadedWith = (file: string): ReadonlyArray<string> => {
  const { module, source } = parse(file)
  const erased = (start: number) => /^(import|export) type\b/.test(source.slice(start, start + 12))
  return [
    ...module.staticImports.filter(({ start }) => !erased(start)).map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.filter(({ start }) => !erased(start)).flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])
    )
  ]
}

/**
 * Returns the source file of an import within the repository, according to its package's `exports`. Returns undefined
 * for other imports.
 */
const sourceOf = (root: string, file: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return resolve(dirname(file), specifier)
  if (!specifier.startsWith("@tapeline/")) return undefined
  const home = join(root, "packages", packageOf(specifier).slice("@tapeline/".length))
  const { exports }: { readonly exports: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(home, "package.json"), "utf8")
  )
  const source = exports[`.${specifier.slice(packageOf(specifier).length)}`]
  if (source === undefined) throw new Error(`${relative(root, file)}: ${specifier} is no entry of its package`)
  return join(home, source)
}

/** Returns each import that makes an entry for browsers load a forbidden module. */
const heavy = (root: string): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  const packages = join(root, "packages")
  const left = light.entries.map((entry) => join(packages, entry)).filter((file) => existsSync(file))
  const seen = new Set(left)
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    for (const specifier of loadedWith(file)) {
      const source = sourceOf(root, file, specifier)
      if (source === undefined || seen.has(source)) continue
      if (light.never.test(relative(packages, source))) {
        found.push({
          file: relative(root, file),
          specifier,
          rule: `a browser loads this with ${light.entries.join(" or ")}`
        })
        continue
      }
      seen.add(source)
      left.push(source)
    }
  }
  return found
}

/**
 * Returns each import that is part of a cycle within a package. Imports of types count, because readers follow them
 * too.
 */
const circles = (root: string, files: ReadonlyArray<string>): ReadonlyArray<Violation> => {
  const graph = new Map(files.map((file) => [
    file,
    specifiersOf(file).filter((specifier) => specifier.startsWith("."))
      .map((specifier) => ({ specifier, target: resolve(dirname(file), specifier) }))
  ]))
  const reaches = (from: string, goal: string): boolean => {
    const seen = new Set([from])
    for (const file of seen) {
      if (file === goal) return true
      for (const { target } of graph.get(file) ?? []) seen.add(target)
    }
    return false
  }
  return [...graph].flatMap(([file, imports]) =>
    imports.filter(({ target }) => reaches(target, file)).map(({ specifier }) => ({
      file: relative(root, file),
      specifier,
      rule: "imports go in no circle"
    }))
  )
}

/**
 * Returns the projects of a package that no type check reaches, because the root's `tsconfig.json` lacks a reference.
 */
const unchecked = (root: string, home: string): ReadonlyArray<Violation> => {
  const projects = ["", "browser", "test"].map((part) => join(home, part)).filter((dir) =>
    existsSync(join(dir, "tsconfig.json"))
  )
  if (projects.length === 0) return []
  // TypeScript reads this shape.
  const { references } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")) as {
    readonly references: ReadonlyArray<{ readonly path: string }>
  }
  const known = new Set(references.map(({ path }) => resolve(root, path)))
  return projects.filter((dir) => !known.has(dir)).map((dir) => ({
    file: relative(root, dir),
    specifier: null,
    rule: "no type check reaches it: the tsconfig.json at the root does not reference it"
  }))
}

/**
 * Returns every import under `root/packages/<name>/src` that violates the directions of dependencies. A package without
 * a rule is a violation too.
 */
export const violations = (root: string): { readonly files: number; readonly found: ReadonlyArray<Violation> } => {
  const found: Array<Violation> = []
  let files = 0
  for (const name of readdirSync(join(root, "packages"))) {
    const home = join(root, "packages", name)
    if (!existsSync(join(home, "package.json"))) continue
    if (rules[name] === undefined) {
      found.push({ file: relative(root, home), specifier: null, rule: "the package has no rule in boundaries.ts" })
      continue
    }
    found.push(...unchecked(root, home))
    for (const part of partsOf(name, home)) {
      if (rules[part.name] === undefined) {
        found.push({ file: relative(root, part.folder), specifier: null, rule: "it has no rule in boundaries.ts" })
        continue
      }
      const sources = globSync("**/*.{ts,tsx,mjs}", { cwd: part.folder }).map((path) => join(part.folder, path))
      found.push(...circles(root, sources))
      for (const file of sources) {
        files++
        for (const specifier of specifiersOf(file)) {
          const rule = judge(part, file, specifier)
          if (rule !== undefined) found.push({ file: relative(root, file), specifier, rule })
        }
      }
    }
  }
  return { files, found: [...found, ...heavy(root)] }
}
