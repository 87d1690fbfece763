import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { root } from "../manifest.ts"
import { allSnippets } from "./pages.ts"
import { fileOf, type Program, programsOf } from "./snippet.ts"

/** A project of all programs of the documents, which `npm run check:types` compiles as it does the packages. */
export const project = join(root, "packages/scripts/dist/documents")

export const allPrograms = (): ReadonlyArray<Program> => [...allSnippets().values()].flatMap(programsOf)

/** Writes the project anew. */
export const writeProject = (): void => {
  const programs = allPrograms()
  rmSync(project, { recursive: true, force: true })
  mkdirSync(project, { recursive: true })
  for (const program of programs) writeFileSync(join(project, fileOf(program)), program.code)
  const up = relative(project, root)
  const references = globSync("packages/*/tsconfig.json", { cwd: root })
    .filter((path) => !path.includes("scripts"))
    .sort()
    .map((path) => ({ path: join(up, path, "..") }))
  // Programs declare nothing for others.
  const programsOnly = { composite: false, declaration: false, declarationMap: false }
  const compilerOptions = { ...programsOnly, noEmit: true, rewriteRelativeImportExtensions: false, types: ["node"] }
  writeFileSync(
    join(project, "tsconfig.json"),
    `${
      JSON.stringify(
        {
          extends: join(up, "tsconfig.base.json"),
          // What a page declares to show its type need not be used.
          compilerOptions: { ...compilerOptions, noUnusedLocals: false },
          files: programs.map(fileOf),
          references
        },
        null,
        2
      )
    }\n`
  )
}
