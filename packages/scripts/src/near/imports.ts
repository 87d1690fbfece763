import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { parseSync } from "oxc-parser"

/** For each source file of the repository, the files that define what it imports; all as absolute paths. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>

/** A name that a file takes from another file. `*` stands for all names. */
interface Reference {
  readonly file: string
  readonly name: string
}

interface Source {
  readonly imports: ReadonlyArray<Reference>
  /** Exported names. Null for a name that the file defines itself. */
  readonly named: ReadonlyMap<string, Reference | null>
  /** The files whose names are all exported again. */
  readonly all: ReadonlyArray<string>
  readonly text: string
}

/** Maps `@tapeline/core/tools` and the like to the file behind it. */
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
  const find = (specifier: string): string | undefined =>
    specifier.startsWith(".") ? resolve(dirname(file), specifier) : entries.get(specifier)
  const imports: Array<Reference> = []
  const named = new Map<string, Reference | null>()
  const all: Array<string> = []
  for (const { entries: names, moduleRequest } of module.staticImports) {
    const target = find(moduleRequest.value)
    if (target === undefined) continue
    if (names.length === 0) imports.push({ file: target, name: "*" })
    for (const { importName } of names) imports.push({ file: target, name: importName.name ?? "*" })
  }
  for (const { entries: names } of module.staticExports) {
    for (const { exportName, importName, moduleRequest } of names) {
      const target = moduleRequest === null ? undefined : find(moduleRequest.value)
      if (exportName.name !== null) {
        named.set(exportName.name, target === undefined ? null : { file: target, name: importName.name ?? "*" })
      } else if (target !== undefined) all.push(target)
    }
  }
  for (const { moduleRequest: { end, start } } of module.dynamicImports) {
    const target = find(text.slice(start, end).replace(/^["'`]|["'`]$/g, ""))
    if (target !== undefined) imports.push({ file: target, name: "*" })
  }
  return { imports, named, all, text }
}

/** The names of tools, such as "get_price", with the files of each: its specification and its handler. */
const toolFiles = (sources: ReadonlyMap<string, Source>): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    [...sources].flatMap(([file, { text }]) => {
      const name = file.includes("/core/src/tools/") ? /^\s+name: "([a-z]+_[a-z0-9_]+)",$/m.exec(text)?.[1] : undefined
      return name === undefined ? [] : [[name, [file, file.replace(/\.ts$/, ".handler.ts")]] as const]
    })
  )

/**
 * Reads the imports of all sources and tests. A name that an index file exports again counts for the file that defines
 * the name. A test that calls a tool by name, such as "get_price", counts as an importer of that tool.
 */
export const readImports = (root: string): Imports => {
  const entries = readEntries(root)
  const files = globSync("{packages,examples}/*/{src,test,browser}/**/*.{ts,tsx}", { cwd: root })
  const sources = new Map(files.map((file) => [join(root, file), readSource(join(root, file), entries)] as const))
  const definitions = new Map<string, ReadonlyArray<string>>()
  const definersOf = ({ file, name }: Reference): ReadonlyArray<string> => {
    const source = sources.get(file)
    if (source === undefined) return existsSync(file) ? [file] : []
    if (name === "*") return [file]
    const key = `${file}#${name}`
    const known = definitions.get(key)
    if (known !== undefined) return known
    definitions.set(key, [])
    const from = source.named.get(name)
    const through = from === null
      ? []
      : from !== undefined
      ? definersOf(from)
      : source.all.flatMap((target) => defines(target, name) ? definersOf({ file: target, name }) : [])
    const found = through.length === 0 ? [file] : through
    definitions.set(key, found)
    return found
  }
  const defines = (file: string, name: string, seen = new Set<string>()): boolean => {
    const source = sources.get(file)
    if (source === undefined || seen.has(file)) return false
    seen.add(file)
    return source.named.has(name) || source.all.some((target) => defines(target, name, seen))
  }
  const tools = toolFiles(sources)
  return new Map([...sources].map(([file, { all, imports, named, text }]) => {
    const called = file.includes("/test/")
      ? [...text.matchAll(/["'`/]([a-z]+_[a-z0-9_]+)["'`]/g)].flatMap(([, name]) => tools.get(name!) ?? [])
      : []
    const exported = [
      ...[...named.values()].filter((reference) => reference !== null),
      ...all.map((target) => ({ file: target, name: "*" }))
    ]
    return [file, new Set([...imports, ...exported].flatMap(definersOf).concat(called))] as const
  }))
}
