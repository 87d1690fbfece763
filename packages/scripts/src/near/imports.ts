import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { parseSync } from "oxc-parser"

/** Maps the absolute path of each source file to the files that define its imported names. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>

/** A name that a file imports from another file, where `*` means all names. */
interface ImportReference {
  readonly file: string
  readonly name: string
}

interface Source {
  readonly imports: ReadonlyArray<ImportReference>
  /**
   * The names that a file exports. The value of a name is the import that provides the name, or null if the file
   * defines the name.
   */
  readonly namedExports: ReadonlyMap<string, ImportReference | null>
  readonly reexportedFiles: ReadonlyArray<string>
  readonly text: string
}

const readEntries = (root: string): ReadonlyMap<string, string> => {
  const entries = new Map<string, string>()
  for (const manifest of globSync("packages/*/package.json", { cwd: root })) {
    const { exports = {}, name }: { readonly exports?: Readonly<Record<string, string>>; readonly name: string } = JSON
      .parse(readFileSync(join(root, manifest), "utf8"))
    for (const [path, file] of Object.entries(exports)) {
      entries.set(name + path.slice(1), resolve(root, dirname(manifest), file))
    }
  }
  return entries
}

const readSource = (file: string, entries: ReadonlyMap<string, string>): Source => {
  const text = readFileSync(file, "utf8")
  const { module } = parseSync(file, text)
  const resolveSpecifier = (specifier: string): string | undefined =>
    specifier.startsWith(".") ? resolve(dirname(file), specifier) : entries.get(specifier)
  const imports: Array<ImportReference> = []
  const namedExports = new Map<string, ImportReference | null>()
  const reexportedFiles: Array<string> = []
  for (const { entries: names, moduleRequest } of module.staticImports) {
    const target = resolveSpecifier(moduleRequest.value)
    if (target === undefined) continue
    if (names.length === 0) imports.push({ file: target, name: "*" })
    for (const { importName } of names) imports.push({ file: target, name: importName.name ?? "*" })
  }
  for (const { entries: names } of module.staticExports) {
    for (const { exportName, importName, moduleRequest } of names) {
      const target = moduleRequest === null ? undefined : resolveSpecifier(moduleRequest.value)
      if (exportName.name !== null) {
        namedExports.set(exportName.name, target === undefined ? null : { file: target, name: importName.name ?? "*" })
      } else if (target !== undefined) reexportedFiles.push(target)
    }
  }
  for (const { moduleRequest: { end, start } } of module.dynamicImports) {
    const target = resolveSpecifier(text.slice(start, end).replace(/^["'`]|["'`]$/g, ""))
    if (target !== undefined) imports.push({ file: target, name: "*" })
  }
  return { imports, namedExports, reexportedFiles, text }
}

const toolFiles = (sources: ReadonlyMap<string, Source>): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    [...sources].flatMap(([file, { text }]) => {
      const name = file.includes("/core/src/tools/") ? /^\s+name: "([a-z]+_[a-z0-9_]+)",$/m.exec(text)?.[1] : undefined
      return name === undefined ? [] : [[name, [file, file.replace(/\.ts$/, ".handler.ts")]] as const]
    })
  )

/**
 * Reads the imports of all sources and tests. If an index file re-exports a name, the import counts for the file that
 * defines the name. A test that calls a tool by name, such as "get_price", counts as an importer of the tool. An
 * end-to-end test counts as an importer of the pages, because it opens a build of them in a browser.
 */
export const readImports = (root: string): Imports => {
  const entries = readEntries(root)
  const files = globSync("{packages,examples}/*/{src,test,browser}/**/*.{ts,tsx}", { cwd: root })
  const sources = new Map(files.map((file) => [join(root, file), readSource(join(root, file), entries)] as const))
  const definitions = new Map<string, ReadonlyArray<string>>()
  const findDefiners = ({ file, name }: ImportReference): ReadonlyArray<string> => {
    const source = sources.get(file)
    if (source === undefined) return existsSync(file) ? [file] : []
    if (name === "*") return [file]
    const key = `${file}#${name}`
    const cached = definitions.get(key)
    if (cached !== undefined) return cached
    definitions.set(key, [])
    const reference = source.namedExports.get(name)
    const viaReexport = reference === null
      ? []
      : reference !== undefined
      ? findDefiners(reference)
      : source.reexportedFiles.flatMap((target) =>
        isDefinedIn(target, name) ? findDefiners({ file: target, name }) : []
      )
    const found = viaReexport.length === 0 ? [file] : viaReexport
    definitions.set(key, found)
    return found
  }
  const isDefinedIn = (file: string, name: string, seen = new Set<string>()): boolean => {
    const source = sources.get(file)
    if (source === undefined || seen.has(file)) return false
    seen.add(file)
    return source.namedExports.has(name) || source.reexportedFiles.some((target) => isDefinedIn(target, name, seen))
  }
  const tools = toolFiles(sources)
  return new Map([...sources].map(([file, { reexportedFiles, imports, namedExports, text }]) => {
    const calledToolFiles = file.includes("/test/")
      ? [...text.matchAll(/["'`/]([a-z]+_[a-z0-9_]+)["'`]/g)].flatMap(([, name]) => tools.get(name!) ?? [])
      : []
    const [packagePath, endToEnd] = file.split("/test/e2e/")
    const openedPages = endToEnd === undefined ? [] : [join(packagePath!, "browser/main.ts")]
    const exported = [
      ...[...namedExports.values()].filter((reference) => reference !== null),
      ...reexportedFiles.map((target) => ({ file: target, name: "*" }))
    ]
    return [
      file,
      new Set([...imports, ...exported].flatMap(findDefiners).concat(calledToolFiles, openedPages))
    ] as const
  }))
}
