import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { root } from "../manifest.ts"
import { allSnippets } from "./pages.ts"
import { fileOf, type Program, programsOf } from "./snippet.ts"

/** A project of all programs in the documents. `npm run check:types` compiles it like the packages. */
export const project = join(root, "packages/scripts/dist/documents")

export const allPrograms = (): ReadonlyArray<Program> => [...allSnippets().values()].flatMap(programsOf)

/** Writes the project again. */
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
  // No other project uses the declarations of these programs.
  const programsOnly = { composite: false, declaration: false, declarationMap: false }
  const compilerOptions = { ...programsOnly, noEmit: true, rewriteRelativeImportExtensions: false, types: ["node"] }
  writeFileSync(
    join(project, "tsconfig.json"),
    `${
      JSON.stringify(
        {
          extends: join(up, "tsconfig.base.json"),
          // A declaration that only shows a type may be unused.
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
