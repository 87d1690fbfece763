import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { chooseNearest, testDistances } from "../src/near/distances.ts"
import { readImports } from "../src/near/imports.ts"

const root = mkdtempSync(join(tmpdir(), "tapeline-near-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const files = {
  "packages/core/package.json": `{ "name": "@tapeline/core", "exports": { ".": "./src/index.ts" } }`,
  "packages/core/src/index.ts": `export * from "./price.ts"\nexport { volume as traded } from "./volume.ts"`,
  "packages/core/src/price.ts": `export const price = 1`,
  "packages/core/src/volume.ts": `export const volume = 2`,
  "packages/core/src/tools/getPrice.ts": `export const getPrice = tool({\n  name: "get_price",\n})`,
  "packages/core/src/tools/getPrice.handler.ts": `export const handler = 3`,
  "packages/core/test/price.test.ts": `import { price } from "../src/price.ts"`,
  "packages/http/test/price.test.ts": `import { price, traded } from "@tapeline/core"`,
  "packages/http/test/volume.test.ts": `import { traded } from "@tapeline/core"`,
  "packages/http/test/call.test.ts": `call("get_price")`,
  "packages/http/test/every.full.test.ts": `import { price } from "@tapeline/core"`,
  "packages/http/src/wired.ts": `import { price, traded } from "@tapeline/core"\nimport "./other.ts"`,
  "packages/http/src/other.ts": ``,
  "packages/http/test/wired.test.ts": `import "../src/wired.ts"`,
  "packages/console/browser/main.ts": `void import("./page.tsx")`,
  "packages/console/browser/page.tsx": ``,
  "packages/console/test/e2e/console.test.ts": ``
}
for (const [file, text] of Object.entries(files)) {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

const findReached = (...changedFiles: ReadonlyArray<string>) =>
  [...testDistances(readImports(root), changedFiles.map((file) => join(root, file)))]
    .sort(([, a], [, b]) => a - b).map(([file]) => file.slice(root.length + 1))

it("finds the tests that import a changed name through an index file, nearest first", () => {
  expect(findReached("packages/core/src/price.ts")).toEqual([
    "packages/core/test/price.test.ts",
    "packages/http/test/price.test.ts",
    "packages/http/test/wired.test.ts"
  ])
  expect(findReached("packages/core/src/volume.ts")).toEqual([
    "packages/http/test/volume.test.ts",
    "packages/http/test/price.test.ts",
    "packages/http/test/wired.test.ts"
  ])
})

it("finds the tests that call a changed tool by its name", () => {
  expect(findReached("packages/core/src/tools/getPrice.handler.ts")).toEqual(["packages/http/test/call.test.ts"])
  expect(findReached("packages/core/src/tools/getPrice.ts")).toEqual(["packages/http/test/call.test.ts"])
})

it("finds the end-to-end tests of a changed page", () => {
  expect(findReached("packages/console/browser/page.tsx")).toEqual(["packages/console/test/e2e/console.test.ts"])
})

it("selects a changed test, and nothing for a file that no test imports", () => {
  expect(findReached("packages/http/test/call.test.ts")).toEqual(["packages/http/test/call.test.ts"])
  expect(findReached("README.md")).toEqual([])
})

it("leaves out tests that exceed the time, but never the nearest file", () => {
  const distances = new Map([["a", 1], ["b", 2], ["c", 3]])
  const durations: Readonly<Record<string, number>> = { a: 5, b: 90, c: 4 }
  expect(chooseNearest(distances, (file) => durations[file]!, 10)).toEqual(["a", "c"])
  expect(chooseNearest(distances, (file) => durations[file]!, 3)).toEqual(["a"])
})
