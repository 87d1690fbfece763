import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { parseSync } from "oxc-parser"

/** The packages of the repository, and optionally other packages, that the sources of each package may import. */
const rules: Readonly<
  Record<string, {
    readonly allowedPackages: ReadonlyArray<string>
    /** The packages from which only types may be imported, so that no code of the packages is loaded. */
    readonly typeOnlyPackages?: ReadonlyArray<string>
    readonly allowedExternals?: ReadonlyArray<string>
  }>
> = {
  quant: { allowedPackages: [], allowedExternals: [] },
  core: { allowedPackages: ["quant"], allowedExternals: ["effect"] },
  testing: { allowedPackages: ["core", "quant"] },
  api: { allowedPackages: ["core"], allowedExternals: ["effect"] },
  "market-sim": { allowedPackages: ["core", "quant"], allowedExternals: ["effect"] },
  "offline-analyst": { allowedPackages: ["core"], allowedExternals: ["effect"] },
  openai: { allowedPackages: ["core"] },
  openid: { allowedPackages: ["core"] },
  "market-live": { allowedPackages: ["core", "quant"] },
  postgres: { allowedPackages: ["core"] },
  redis: { allowedPackages: ["core"] },
  charts: { allowedPackages: ["core"] },
  cluster: { allowedPackages: ["core"] },
  console: { allowedPackages: [] },
  // No package imports the pages of the console, which are built and served as files.
  "console/browser": {
    allowedPackages: ["client", "core"],
    typeOnlyPackages: ["core"],
    allowedExternals: [
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
  sandbox: { allowedPackages: ["core", "quant"] },
  http: { allowedPackages: ["api", "core", "mcp"] },
  client: { allowedPackages: ["api", "core"], allowedExternals: ["effect", "eventsource-parser"] },
  mcp: { allowedPackages: ["client"] },
  server: {
    allowedPackages: [
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
    allowedPackages: [
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
      "soak",
      "testing"
    ]
  },
  document: { allowedPackages: [] },
  evaluation: { allowedPackages: ["charts", "core", "market-sim", "offline-analyst", "openai", "sandbox", "testing"] },
  wire: { allowedPackages: ["core"] },
  soak: { allowedPackages: ["cluster", "core", "openai", "postgres", "quant", "testing"] },
  scripts: { allowedPackages: ["charts", "core", "market-sim", "offline-analyst", "sandbox", "server", "testing"] }
}

/** The folders of the package core, in order. A file may import only from its own folder and from earlier folders. */
const coreFolders = ["engine", "market", "analysis", "agent", "personal", "tools"]

/**
 * Returns the violated rule of an import between folders of the package core, or undefined. Files outside the listed
 * folders may import from every folder.
 */
const checkCoreFolders = (folder: string, file: string, target: string): string | undefined => {
  const [from, to] = [file, target].map((path) => coreFolders.indexOf(relative(folder, path).split("/")[0]!))
  return from !== -1 && (to === -1 || to! > from!)
    ? `core/${coreFolders[from!]} may import only ${coreFolders.slice(0, from! + 1).join(", ")}`
    : undefined
}

/**
 * Matches the unstable modules of effect, which may change in minor versions. The packages core and quant must not
 * import unstable modules.
 */
const unstableEffectModule =
  /^effect\/(ai|cli|cluster|crypto|devtools|eventlog|graphql|http|http-api|net|observability|persistence|process|reactivity|rpc|socket|sql|workers|workflow)(\/|$)/

export interface Violation {
  readonly file: string
  /** The specifier of the import that violates the rule. Null if no single import violates the rule. */
  readonly specifier: string | null
  readonly rule: string
}

const parse = (file: string) => {
  const source = readFileSync(file, "utf8")
  const { module, program } = parseSync(file, source)
  if (program.body.length === 0 && source.trim() !== "") throw new Error(`${file} was not parsed`)
  return { source, module }
}

const readSpecifiers = (file: string): ReadonlyArray<string> => {
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

const packageName = (specifier: string): string =>
  specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")

interface SourceFolder {
  readonly name: string
  readonly folder: string
}

const sourceFolders = (name: string, packageDir: string): ReadonlyArray<SourceFolder> =>
  [{ name, folder: join(packageDir, "src") }, { name: `${name}/browser`, folder: join(packageDir, "browser") }]
    .filter(({ folder }) => existsSync(folder))

const checkImport = ({ folder, name }: SourceFolder, file: string, specifier: string): string | undefined => {
  const rule = rules[name]!
  if (specifier.startsWith(".")) {
    const target = resolve(dirname(file), specifier)
    if (!target.startsWith(folder)) return "a relative import must stay in its package"
    return name === "core" ? checkCoreFolders(folder, file, target) : undefined
  }
  if (specifier.startsWith("@tapeline/")) {
    const target = packageName(specifier).slice("@tapeline/".length)
    if (target === name && name === "core") return "core must import its own files by relative paths"
    if (target !== name && !rule.allowedPackages.includes(target)) {
      return `${name} may import only these packages of the repository: ${rule.allowedPackages.join(", ") || "nothing"}`
    }
    return rule.typeOnlyPackages?.includes(target) === true && runtimeImports(file).includes(specifier)
      ? `${name} may import only types of ${rule.typeOnlyPackages.join(", ")}`
      : undefined
  }
  if (rule.allowedExternals !== undefined) {
    if (!rule.allowedExternals.includes(packageName(specifier))) {
      return `${name} may import only these external packages: ${rule.allowedExternals.join(", ") || "nothing"}`
    }
    if (name === "core" && unstableEffectModule.test(specifier)) return "core may use only stable modules of effect"
  }
  return undefined
}

/**
 * The modules that browsers load, and a pattern of the modules that browsers must not load. For example, browsers must
 * not load tool handlers.
 */
const browserBundle = {
  entries: ["core/src/specifications.ts", "api/src/index.ts", "client/src/index.ts"],
  // The modules about trading strategies are allowed, because tools accept strategies as arguments.
  forbidden: /(\.handler\.ts$|^quant\/(?!src\/(strategy|backtest\/(variants|operandSyntax))\.ts$))/
}

/** Returns the modules that are loaded together with `file`, without type imports and dynamic imports. */
const runtimeImports = (file: string): ReadonlyArray<string> => {
  const { module, source } = parse(file)
  const isTypeOnly = (start: number) => /^(import|export) type\b/.test(source.slice(start, start + 12))
  return [
    ...module.staticImports.filter(({ start }) => !isTypeOnly(start)).map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.filter(({ start }) => !isTypeOnly(start)).flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])
    )
  ]
}

/**
 * Returns the source file of an import according to the `exports` of its package, or undefined for external packages.
 */
const resolveSource = (root: string, file: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return resolve(dirname(file), specifier)
  if (!specifier.startsWith("@tapeline/")) return undefined
  const packageDir = join(root, "packages", packageName(specifier).slice("@tapeline/".length))
  const { exports }: { readonly exports: Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(join(packageDir, "package.json"), "utf8")
  )
  const source = exports[`.${specifier.slice(packageName(specifier).length)}`]
  if (source === undefined) throw new Error(`${relative(root, file)}: ${specifier} is not an entry of its package`)
  return join(packageDir, source)
}

const findHeavyImports = (root: string): ReadonlyArray<Violation> => {
  const found: Array<Violation> = []
  const packages = join(root, "packages")
  const queue = browserBundle.entries.map((entry) => join(packages, entry)).filter((file) => existsSync(file))
  const seen = new Set(queue)
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    for (const specifier of runtimeImports(file)) {
      const source = resolveSource(root, file, specifier)
      if (source === undefined || seen.has(source)) continue
      if (browserBundle.forbidden.test(relative(packages, source))) {
        found.push({
          file: relative(root, file),
          specifier,
          rule: `browsers would load it with ${browserBundle.entries.join(" or ")}`
        })
        continue
      }
      seen.add(source)
      queue.push(source)
    }
  }
  return found
}

/** Returns each import that is part of an import cycle within a package, including type imports. */
const findImportCycles = (root: string, files: ReadonlyArray<string>): ReadonlyArray<Violation> => {
  const graph = new Map(files.map((file) => [
    file,
    readSpecifiers(file).filter((specifier) => specifier.startsWith("."))
      .map((specifier) => ({ specifier, target: resolve(dirname(file), specifier) }))
  ]))
  const canReach = (from: string, destination: string): boolean => {
    const seen = new Set([from])
    for (const file of seen) {
      if (file === destination) return true
      for (const { target } of graph.get(file) ?? []) seen.add(target)
    }
    return false
  }
  return [...graph].flatMap(([file, imports]) =>
    imports.filter(({ target }) => canReach(target, file)).map(({ specifier }) => ({
      file: relative(root, file),
      specifier,
      rule: "this import is part of an import cycle"
    }))
  )
}

const findUncheckedProjects = (root: string, packageDir: string): ReadonlyArray<Violation> => {
  const projects = ["", "browser", "test"].map((sourceFolder) => join(packageDir, sourceFolder)).filter((dir) =>
    existsSync(join(dir, "tsconfig.json"))
  )
  if (projects.length === 0) return []
  // The cast is safe, because TypeScript accepts only references of this form in `tsconfig.json`.
  const { references } = JSON.parse(readFileSync(join(root, "tsconfig.json"), "utf8")) as {
    readonly references: ReadonlyArray<{ readonly path: string }>
  }
  const known = new Set(references.map(({ path }) => resolve(root, path)))
  return projects.filter((dir) => !known.has(dir)).map((dir) => ({
    file: relative(root, dir),
    specifier: null,
    rule: "its types are not checked: the tsconfig.json at the root does not reference it"
  }))
}

/** Returns every import that violates the allowed dependencies, and every package without a rule. */
export const findViolations = (root: string): { readonly files: number; readonly found: ReadonlyArray<Violation> } => {
  const found: Array<Violation> = []
  let files = 0
  for (const name of readdirSync(join(root, "packages"))) {
    const packageDir = join(root, "packages", name)
    if (!existsSync(join(packageDir, "package.json"))) continue
    if (rules[name] === undefined) {
      found.push({
        file: relative(root, packageDir),
        specifier: null,
        rule: "the package has no rule in boundaries.ts"
      })
      continue
    }
    found.push(...findUncheckedProjects(root, packageDir))
    for (const sourceFolder of sourceFolders(name, packageDir)) {
      if (rules[sourceFolder.name] === undefined) {
        found.push({
          file: relative(root, sourceFolder.folder),
          specifier: null,
          rule: "the folder has no rule in boundaries.ts"
        })
        continue
      }
      const sources = globSync("**/*.{ts,tsx,mjs}", { cwd: sourceFolder.folder }).map((path) =>
        join(sourceFolder.folder, path)
      )
      found.push(...findImportCycles(root, sources))
      for (const file of sources) {
        files++
        for (const specifier of readSpecifiers(file)) {
          const rule = checkImport(sourceFolder, file, specifier)
          if (rule !== undefined) found.push({ file: relative(root, file), specifier, rule })
        }
      }
    }
  }
  return { files, found: [...found, ...findHeavyImports(root)] }
}
