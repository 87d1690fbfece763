import { areas, specifications } from "@tapeline/core"
import { variables } from "@tapeline/server"
import { Effect } from "effect"
import { globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, it } from "vitest"
import { toolNeeds } from "../src/toolNeeds.ts"
import { toolReference } from "../src/toolReference.ts"

const root = resolve(import.meta.dirname, "../../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

it("the reference of the tools has each of them, with every argument and field of its answer", async () => {
  const needs = await Effect.runPromise(toolNeeds)
  const sections = new Map(
    toolReference(needs).split(/^### /m).slice(1).map((section) => [/^\w+/.exec(section)?.[0] ?? section, section])
  )
  expect([...sections.keys()]).toEqual(
    areas.flatMap((area) => specifications.filter((tool) => tool.area === area).map(({ name }) => name))
  )
  for (const { credits, example, name, parameters, result, scope } of specifications) {
    const section = sections.get(name)!
    for (const field of [...Object.keys(parameters.fields), ...Object.keys(result.fields)]) {
      expect(section, name).toContain(`| \`${field}\` |`)
    }
    expect(section).toContain(`Example: \`${JSON.stringify(example)}\``)
    expect(section).toContain(scope)
    expect(section).toContain("Needs ")
    expect(section).toMatch(new RegExp(`\\b${credits} credits?\\b`))
  }
})

it("the reference tells what lies inside arguments and answers, and what names refer to", async () => {
  const reference = toolReference(await Effect.runPromise(toolNeeds))
  expect(reference).toMatch(/^\| `filters\[\]\.field` \| `price`, `change_24h_pct`,/mu)
  expect(reference).toMatch(/^\| `coins\[\]\.price` \| number \| yes \| USD \|$/mu)
  expect(reference).toMatch(/^\| `horizons\.4h\.n` \| integer \|/mu)
})

it("a tool needs the ports without which it cannot be made", async () => {
  const needs = await Effect.runPromise(toolNeeds)
  expect(needs.get("get_kimchi_premium")).toEqual(["CoinPrices", "ExchangeRates", "KoreanCoinMarkets"])
  expect(needs.get("get_score")).toEqual(["DerivedStore"])
  expect(needs.get("get_binary_ev")).toEqual([])
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

it("docs/identities.md names tests that are there", () => {
  const rows = [...read("docs/identities.md").matchAll(/^\| .+ \| \[[^\]]+\]\(\.\.\/([^)]+)\): (.+) \|$/gm)]
  expect(rows.length).toBeGreaterThan(30)
  for (const [, file, title] of rows) expect(read(file!), `${file}: ${title}`).toContain(title)
})

it("decisions have a number of their own, which their titles say", () => {
  const files = globSync("docs/decisions/[0-9]*.md", { cwd: root })
  const numbers = files.map((file) => Number(/(\d{4})-[^/]*$/.exec(file)?.[1]))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(files.map((_, i) => i + 1))
  for (const [i, file] of files.entries()) expect(read(file), file).toMatch(new RegExp(`^# ${numbers[i]}\\. `))
})
