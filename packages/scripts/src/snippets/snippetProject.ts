import { globSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { root } from "../manifest.ts"
import { readAllSnippets } from "./documentPages.ts"
import { programFileName, type SnippetProgram, toPrograms } from "./parseSnippets.ts"

/**
 * The folder of a TypeScript project with all programs of the documentation. `npm run check:types` compiles the
 * project.
 */
export const projectDir = join(root, "packages/scripts/dist/documents")

export const listPrograms = (): ReadonlyArray<SnippetProgram> => [...readAllSnippets().values()].flatMap(toPrograms)

export const writeSnippetProject = (): void => {
  const programs = listPrograms()
  rmSync(projectDir, { recursive: true, force: true })
  mkdirSync(projectDir, { recursive: true })
  for (const program of programs) writeFileSync(join(projectDir, programFileName(program)), program.code)
  const rootPath = relative(projectDir, root)
  const references = globSync("packages/*/tsconfig.json", { cwd: root })
    .filter((path) => !path.includes("scripts"))
    .sort()
    .map((path) => ({ path: join(rootPath, path, "..") }))
  // No other project uses the declarations of these programs, so declarations are not emitted.
  const programsOnly = { composite: false, declaration: false, declarationMap: false }
  const compilerOptions = { ...programsOnly, noEmit: true, rewriteRelativeImportExtensions: false, types: ["node"] }
  writeFileSync(
    join(projectDir, "tsconfig.json"),
    `${
      JSON.stringify(
        {
          extends: join(rootPath, "tsconfig.base.json"),
          // Unused declarations are allowed, because a page may show a type without using it.
          compilerOptions: { ...compilerOptions, noUnusedLocals: false },
          files: programs.map(programFileName),
          references
        },
        null,
        2
      )
    }\n`
  )
}
