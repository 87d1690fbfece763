import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { listEntries, type PackageEntry, type RepositoryPackage, root } from "../manifest.ts"
import { parseSnippets, toPrograms } from "../snippets/parseSnippets.ts"

export const listSpecifiers = (project: string, packages: ReadonlyArray<RepositoryPackage>): ReadonlyArray<string> =>
  packages.flatMap(({ manifest: { name } }) => {
    const packageDir = join(project, "node_modules", name)
    // The cast is safe, because `toPublishedManifest` wrote this manifest.
    const builtManifest = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8")) as {
      exports: Record<string, PackageEntry>
    }
    return listEntries(packageDir, builtManifest.exports).map((entry) => join(name, entry))
  })

const readPrograms = (page: string) => toPrograms(parseSnippets(page, readFileSync(page, "utf8")))

const readExamples = (page: string): ReadonlyArray<string> => readPrograms(page).map(({ code }) => code)

/** Returns the runnable code blocks of a documentation page as one program, without blocks that reuse names. */
const readRunnableCode = (page: string): string =>
  readPrograms(page).filter(({ isRun }) => isRun).map(({ code }) => code).join("\n")

export const clientProgram = "client.ts"

const resolutions = [
  { module: "Node16", moduleResolution: "Node16" },
  { module: "ESNext", moduleResolution: "Bundler" }
]

/** Compiles a project, and returns the type errors. Type errors in packages of other publishers are omitted. */
const compileProject = (
  project: string,
  files: ReadonlyArray<string>,
  resolution: (typeof resolutions)[number]
): string => {
  const compilerOptions = { target: "ES2024", strict: true, noEmit: true, skipLibCheck: false, types: ["node"] }
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...compilerOptions, ...resolution }, files })
  )
  const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", "."], { cwd: project, encoding: "utf8" })
  const ownErrors = stdout.split(/\n(?=\S)/).filter((line) => {
    const isExternal = /^node_modules\/(?!@tapeline\/)/.test(line)
    return line.trim() !== "" && !isExternal
  })
  return ownErrors.join("\n")
}

export const checkTypeResolution = (
  project: string,
  packages: ReadonlyArray<RepositoryPackage>,
  specifiers: ReadonlyArray<string>
): void => {
  const imports = specifiers.map((specifier, i) => `import * as m${i} from "${specifier}"`)
  const values = specifiers.map((specifier, i) => `  "${specifier}": Object.keys(m${i}).length`)
  const counts = `export const counts: Record<string, number> = {\n${values.join(",\n")}\n}`
  writeFileSync(join(project, "all.ts"), `${imports.join("\n")}\n\n${counts}\n`)
  writeFileSync(join(project, "main.ts"), readFileSync(join(root, "examples/embed-engine/src/main.ts")))
  writeFileSync(join(project, clientProgram), readRunnableCode(join(root, "docs/client.md")))
  const files = ["all.ts", "main.ts", clientProgram]
  for (const { directory, manifest, folderName } of packages) {
    const examples = readExamples(join(directory, "README.md"))
    if (examples.length === 0) throw new Error(`The README of ${manifest.name} has no example`)
    examples.forEach((code, i) => {
      writeFileSync(join(project, `readme-${folderName}-${i}.ts`), code)
      files.push(`readme-${folderName}-${i}.ts`)
    })
  }
  for (const resolution of resolutions) {
    const compileErrors = compileProject(project, files, resolution)
    if (compileErrors !== "") throw new Error(`Compile errors with ${resolution.moduleResolution}:\n${compileErrors}`)
  }
}
