import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { entriesOf, type Entry, type Package, root } from "../manifest.ts"
import { programsOf, snippetsOf } from "../snippets/snippet.ts"

/** Returns every import specifier of every installed package. */
export const specifiersOf = (project: string, packages: ReadonlyArray<Package>): ReadonlyArray<string> =>
  packages.flatMap(({ manifest: { name } }) => {
    const home = join(project, "node_modules", name)
    // `publishable` writes this shape.
    const built = JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as { exports: Record<string, Entry> }
    return entriesOf(home, built.exports).map((entry) => join(name, entry))
  })

const programsIn = (page: string) => programsOf(snippetsOf(page, readFileSync(page, "utf8")))

/** The programs of a page. */
const examplesOf = (page: string): ReadonlyArray<string> => programsIn(page).map(({ code }) => code)

/** The blocks of a page that run, as one program. Independent blocks that do not run may reuse names. */
const runIn = (page: string): string => programsIn(page).filter(({ run }) => run).map(({ code }) => code).join("\n")

/** The program of all blocks in `docs/client.md` that run. */
export const clientProgram = "client.ts"

const resolutions = [
  { module: "Node16", moduleResolution: "Node16" },
  { module: "ESNext", moduleResolution: "Bundler" }
]

/**
 * Compiles with declarations. Returns errors in packages of this repository or in the files that import them, but not
 * those of other packages.
 */
const compile = (project: string, files: ReadonlyArray<string>, resolution: (typeof resolutions)[number]): string => {
  const compilerOptions = { target: "ES2024", strict: true, noEmit: true, skipLibCheck: false, types: ["node"] }
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...resolution }, files })
  )
  const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", "."], { cwd: project, encoding: "utf8" })
  const ours = stdout.split(/\n(?=\S)/).filter((line) => {
    const outside = /^node_modules\/(?!@tapeline\/)/.test(line)
    return line.trim() !== "" && !outside
  })
  return ours.join("\n")
}

/** Compiles every entry and the examples of every README with each module resolution. */
export const typesResolve = (
  project: string,
  packages: ReadonlyArray<Package>,
  specifiers: ReadonlyArray<string>
): void => {
  const imports = specifiers.map((specifier, i) => `import * as m${i} from "${specifier}"`)
  const values = specifiers.map((specifier, i) => `  "${specifier}": Object.keys(m${i}).length`)
  const counts = `export const counts: Record<string, number> = {\n${values.join(",\n")}\n}`
  writeFileSync(join(project, "all.ts"), `${imports.join("\n")}\n\n${counts}\n`)
  writeFileSync(join(project, "main.ts"), readFileSync(join(root, "examples/embed-engine/src/main.ts")))
  writeFileSync(join(project, clientProgram), runIn(join(root, "docs/client.md")))
  const files = ["all.ts", "main.ts", clientProgram]
  for (const { home, manifest, short } of packages) {
    const examples = examplesOf(join(home, "README.md"))
    if (examples.length === 0) throw new Error(`The README of ${manifest.name} has no example`)
    examples.forEach((code, i) => {
      writeFileSync(join(project, `readme-${short}-${i}.ts`), code)
      files.push(`readme-${short}-${i}.ts`)
    })
  }
  for (const resolution of resolutions) {
    const wrong = compile(project, files, resolution)
    if (wrong !== "") throw new Error(`Resolved as ${resolution.moduleResolution}:\n${wrong}`)
  }
}
