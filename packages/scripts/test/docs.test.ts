import { variables } from "@tapeline/server"
import { globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, it } from "vitest"
import { toolReference } from "../src/toolReference.ts"

const root = resolve(import.meta.dirname, "../../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

it("the reference of the tools is the one that `npm run docs` writes", () => {
  expect(read("docs/reference/tools.md")).toBe(toolReference())
})

it("docs/configuration.md describes every variable that the server reads, and no other", () => {
  const described = [...read("docs/configuration.md").matchAll(/^\| `([A-Z_]+)` \|/gm)].map((match) => match[1]!)
  expect(described.sort()).toEqual([...variables].sort())
})

it("every relative link of the documents leads somewhere", () => {
  const broken: Array<string> = []
  for (const file of globSync(["*.md", "docs/**/*.md", "packages/*/README.md"], { cwd: root })) {
    for (const [, target] of read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      if (globSync(join(file, "..", target!), { cwd: root }).length === 0) broken.push(`${file}: ${target!}`)
    }
  }
  expect(broken).toEqual([])
})
