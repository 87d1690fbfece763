import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { findViolations } from "../src/boundaries.ts"

const roots: Array<string> = []
afterEach(() => roots.splice(0).forEach((root) => rmSync(root, { recursive: true })))

const writeRepository = (files: Readonly<Record<string, string>>): string => {
  const root = mkdtempSync(join(tmpdir(), "tapeline-boundaries-"))
  roots.push(root)
  for (const [path, text] of Object.entries(files)) {
    const file = join(root, "packages", path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return root
}

const findImports = (files: Readonly<Record<string, string>>) =>
  findViolations(writeRepository(files)).found.map(({ specifier }) => specifier ?? "itself")

it("accepts imports in the allowed direction", () => {
  const result = findViolations(writeRepository({
    "core/package.json": "{}",
    "core/src/a.ts":
      `import { Effect } from "effect"\nimport { rsi } from "@tapeline/quant"\nimport "./b.ts"\nexport const x = [Effect, rsi]`,
    "core/src/b.ts": `export {}`,
    "http/package.json": "{}",
    "http/src/a.ts": `import type { A } from "@tapeline/core/engine"\nimport "effect/http"\nexport type B = A`
  }))
  expect(result).toEqual({ files: 3, found: [] })
})

it.each([
  ["a static import", `import { x } from "@tapeline/postgres"\nexport const y = x`, "@tapeline/postgres"],
  ["a type import", `import type { X } from "@tapeline/postgres"\nexport type Y = X`, "@tapeline/postgres"],
  ["a re-export", `export * from "@tapeline/postgres"`, "@tapeline/postgres"],
  ["a dynamic import", `export const y = import("@tapeline/postgres")`, "@tapeline/postgres"],
  ["a path out of the package", `import "../../postgres/src/a.ts"`, "../../postgres/src/a.ts"]
])("reports an adapter that imports another one: %s", (_, text, specifier) => {
  expect(findImports({ "http/package.json": "{}", "http/src/a.ts": text })).toEqual([specifier])
})

it("reports a core module that imports a driver, node or an unstable module", () => {
  expect(findImports({
    "core/package.json": "{}",
    "core/src/a.ts":
      `import "pg"\nimport "node:fs"\nimport "effect/sql"\nimport { Effect } from "effect"\nexport const x = Effect`
  })).toEqual(["pg", "node:fs", "effect/sql"])
})

it("reports a folder of core that imports a later one", () => {
  const files = { "core/package.json": "{}", "core/src/engine/b.ts": "export {}", "core/src/tools/c.ts": "export {}" }
  expect(findImports({ ...files, "core/src/market/a.ts": `import "../engine/b.ts"` })).toEqual([])
  expect(findImports({ ...files, "core/src/market/a.ts": `import type { C } from "../tools/c.ts"` })).toEqual([
    "../tools/c.ts"
  ])
  for (const specifier of ["../all.ts", "@tapeline/core/tools"]) {
    const text = `import "${specifier}"`
    expect(findImports({ ...files, "core/src/all.ts": "export {}", "core/src/market/a.ts": text })).toEqual([specifier])
  }
})

it("reports a page that imports a definition, another package or sources of its own package", () => {
  const page = (text: string) => ({ "console/package.json": "{}", "console/browser/a.ts": text })
  expect(findImports(page(`import type { X } from "@tapeline/core/specifications"\nexport type Y = X`))).toEqual([])
  for (
    const specifier of ["@tapeline/core/specifications", "@tapeline/http", "../src/index.ts", "lodash", "node:fs"]
  ) {
    expect(findImports(page(`import { x } from "${specifier}"\nexport const y = x`))).toEqual([specifier])
  }
})

it("reports a package whose browser part has no rule", () => {
  expect(findImports({ "core/package.json": "{}", "core/browser/a.ts": "export {}" })).toEqual(["itself"])
})

it("reports import cycles, also through types and through other files", () => {
  const files = {
    "core/package.json": "{}",
    "core/src/a.ts": `import type { B } from "./b.ts"\nexport type A = B`,
    "core/src/b.ts": `import "./c.ts"\nexport type B = 1`
  }
  expect(findImports({ ...files, "core/src/c.ts": "export {}" })).toEqual([])
  expect(findImports({ ...files, "core/src/c.ts": `export * from "./a.ts"` }).toSorted()).toEqual([
    "./a.ts",
    "./b.ts",
    "./c.ts"
  ])
})

it("reports a package without a rule", () => {
  expect(findImports({ "stranger/package.json": "{}", "stranger/src/a.ts": "export {}" })).toEqual(["itself"])
})

it("reports a package whose types are not checked", () => {
  const files = { "http/package.json": "{}", "http/tsconfig.json": "{}", "http/test/tsconfig.json": "{}" }
  const faults = (...paths: ReadonlyArray<string>) =>
    findViolations(
      writeRepository({ ...files, "../tsconfig.json": JSON.stringify({ references: paths.map((path) => ({ path })) }) })
    )
      .found.map(({ file }) => file)
  expect(faults("packages/http", "packages/http/test")).toEqual([])
  expect(faults("packages/http")).toEqual(["packages/http/test"])
  expect(faults("packages/core")).toEqual(["packages/http", "packages/http/test"])
})

it("reports modules that a browser would load with the specifications, directly or indirectly", () => {
  const quant = { "quant/package.json": `{ "exports": { "./x": "./src/x.ts" } }`, "quant/src/x.ts": "export {}" }
  const core = {
    ...quant,
    "core/package.json": "{}",
    "core/src/specifications.ts": `export * from "./area.ts"`,
    "core/src/getPrice.handler.ts": "export {}",
    "core/src/getPrice.ts": "export {}",
    "core/src/area.ts": `import "./getPrice.ts"`
  }
  expect(findImports(core)).toEqual([])
  expect(findImports({ ...core, "core/src/getPrice.ts": `import "./getPrice.handler.ts"` })).toEqual([
    "./getPrice.handler.ts"
  ])
  expect(findImports({ ...core, "core/src/getPrice.ts": `export { x } from "@tapeline/quant/x"` })).toEqual([
    "@tapeline/quant/x"
  ])
  // Type imports are erased, and a dynamically imported module is not loaded together with its importer.
  const onDemand = `import type { X } from "@tapeline/quant/x"\nexport const y = () => import("./getPrice.handler.ts")`
  expect(findImports({ ...core, "core/src/getPrice.ts": `${onDemand}\nexport type Y = X` })).toEqual([])
})
