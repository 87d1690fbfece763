import { specifications } from "@tapeline/core"
import { eventTypes } from "@tapeline/core/engine"
import { variables } from "@tapeline/server"
import { Effect } from "effect"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { expect, it } from "vitest"
import { listDocsPages, readPageOrder, withDecisionsList } from "../src/site/docsPages.ts"
import { findAnchors, findLinks } from "../src/site/links.ts"
import { withFooter, withoutFooter } from "../src/site/pageOrder.ts"
import { documentPages } from "../src/snippets/documentPages.ts"
import { parseSnippets } from "../src/snippets/parseSnippets.ts"
import type { ToolExchange } from "../src/toolExchanges.ts"
import { findToolPorts } from "../src/toolPorts.ts"
import { renderReference } from "../src/toolReference.ts"

const root = resolve(import.meta.dirname, "../../..")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

const page = (name: string): string => read(`docs/${name}`)
const toolPorts = await Effect.runPromise(findToolPorts)

const sectionOf = (area: string, tool: string): string =>
  page(`reference/${area}.md`).split(`\n## ${tool}\n`)[1]!.split("\n## ")[0]!

/** The example requests and results in the tool reference, by tool name. */
const shownExchanges = new Map(specifications.map(({ area, name }): [string, ToolExchange] => {
  const section = sectionOf(area, name)
  const line = /^Example request: `(.*)`\. The `data` of its response:$/mu.exec(section)?.[1]
  const blocks = parseSnippets(area, section).filter(({ language }) => language === "json").map(({ code }) => code)
  const [request, answer, ...rest] = [...line === undefined ? [] : [line], ...blocks].map((json): unknown =>
    JSON.parse(json)
  )
  expect(rest, name).toEqual([])
  return [name, { arguments: request as object, answer }] // the request of each example is an object
}))

it("lists every type of event, and lists on the page of the audit log every type that records an action", () => {
  const facts = ["credits.used_80", "credits.used_100", "answer.failed", "task.fired"]
  const missingIn = (text: string, types: ReadonlyArray<string>) =>
    types.filter((type) => !text.includes(`\`${type}\``))
  const types = Object.keys(eventTypes)
  expect(missingIn(page("webhooks.md"), types)).toEqual([])
  expect(missingIn(page("audit-log.md"), types.filter((type) => !facts.includes(type)))).toEqual([])
})

it("has a tool reference that is rendered from the specifications", () => {
  for (const [name, text] of renderReference(toolPorts, shownExchanges)) {
    expect(withoutFooter(page(`reference/${name}`)), "run `npm run docs`").toBe(text)
  }
})

it("documents every argument, field, price, scope and example of every tool", () => {
  for (const { area, credits, example, name, parameters, result, scope } of specifications) {
    const section = sectionOf(area, name)
    const [argumentRows, resultRows] = section.split("\n| result")
    const sharedRows = resultRows!.includes("#shared-fields") ? sectionOf(area, "Shared fields") : ""
    for (const field of Object.keys(parameters.fields)) expect(argumentRows, name).toContain(`| \`${field}\` |`)
    for (const field of Object.keys(result.fields)) {
      expect(`${resultRows}${sharedRows}`, name).toContain(`| \`${field}\` |`)
    }
    expect(Object.keys(shownExchanges.get(name)!.arguments), name).toEqual(Object.keys(example))
    expect(section).toContain(scope)
    expect(section).toMatch(new RegExp(`\\b${credits} credits?\\b`))
  }
})

it("shows results in the reference that have only fields of the tool's result", () => {
  for (const { name, result } of specifications) {
    const { answer } = shownExchanges.get(name)!
    const answerFields = Object.keys(answer ?? {})
    expect(answerFields.filter((field) => !(field in result.fields)), name).toEqual([])
  }
})

it("documents nested arguments and results, and what names refer to", () => {
  expect(page("reference/crypto.md")).toMatch(/^\| `filters\[\]\.field` \| `price`, `change_24h_pct`,/mu)
  expect(page("reference/crypto.md")).toMatch(/^\| `coins\[\]\.price` \| number \| yes \| USD \|$/mu)
  expect(page("reference/signals.md")).toMatch(/^\| `horizons\.4h\.n` \| integer \|/mu)
})

it("finds the ports without which a tool cannot be built", () => {
  expect(toolPorts.get("get_kimchi_premium")).toEqual(["CoinPrices", "ExchangeRates", "KoreanCoinMarkets"])
  expect(toolPorts.get("get_score")).toEqual(["DerivedStore"])
  expect(toolPorts.get("get_binary_ev")).toEqual([])
})

it("describes in docs/configuration.md exactly the variables that the server reads", () => {
  const documentedVariables = [...read("docs/configuration.md").matchAll(/^\| `([A-Z_]+|[a-z]+_proxy)` \|/gm)].map((
    match
  ) => match[1]!)
  expect(documentedVariables.sort()).toEqual([...variables].sort())
})

const findBrokenLinks = (from: string, text: string): ReadonlyArray<string> =>
  findLinks(text).flatMap(({ anchor, path }) => {
    const target = path === "" ? join(root, from) : join(root, from, "..", path)
    const linkText = `${from}: ${path}${anchor === null ? "" : `#${anchor}`}`
    if (!existsSync(target)) return [linkText]
    if (anchor === null || !target.endsWith(".md")) return []
    return findAnchors(path === "" ? text : readFileSync(target, "utf8")).has(anchor) ? [] : [linkText]
  })

it("resolves every relative link and anchor of the documents", () => {
  expect(documentPages.length).toBeGreaterThan(90)
  expect(documentPages.flatMap((path) => findBrokenLinks(path, read(path)))).toEqual([])
  const text =
    "# A `b`: c\n\n## Again\n\n## Again\n\n[1](start.md) [2](#a-b-c) [3](#again-1) [4](#no) ![5](no.png) `[6](no.md)`"
  expect(findBrokenLinks("docs/README.md", `${text} [7](start.md#no) [8](https://example.com/no)`)).toEqual([
    "docs/README.md: #no",
    "docs/README.md: no.png",
    "docs/README.md: start.md#no"
  ])
})

it("lists every page once in docs/README.md, and links each page to its neighbours", () => {
  const order = readPageOrder()
  expect(order.map(({ path }) => path).sort()).toEqual(listDocsPages())
  for (const { path } of order) {
    expect(page(path), `${path}: run \`npm run docs\``).toBe(withFooter(order, path, page(path)))
  }
})

it("names in docs/adapters.md exactly the existing contract suites", () => {
  const suites = globSync("packages/testing/src/contracts/*.ts", { cwd: root })
    .flatMap((path) => [...read(path).matchAll(/^export const (\w+Contract)\b/gmu)].map(([, name]) => name!))
  const named = new Set([...page("adapters.md").matchAll(/`(\w+Contract)`/gu)].map(([, name]) => name!))
  expect([...named].sort()).toEqual(suites.sort())
})

it("names in docs/recipes.md only existing files and folders", () => {
  const paths = [...page("recipes.md").matchAll(/`([a-z-]+\/[\w./-]+)`/gu)].map(([, path]) => path!)
    .filter((path) => existsSync(join(root, "packages", path.split("/")[0]!)))
  expect(paths.length).toBeGreaterThan(30)
  expect(paths.filter((path) => !existsSync(join(root, "packages", path)))).toEqual([])
})

it("names in docs/identities.md only existing tests", () => {
  const rows = [...read("docs/identities.md").matchAll(/^\| .+ \| \[[^\]]+\]\(\.\.\/([^)]+)\): (.+) \|$/gm)]
  expect(rows.length).toBeGreaterThan(30)
  for (const [, file, title] of rows) expect(read(file!), `${file}: ${title}`).toContain(title)
})

it("numbers the decisions consecutively, also in their titles", () => {
  const files = globSync("docs/decisions/[0-9]*.md", { cwd: root })
  const numbers = files.map((file) => Number(/(\d{4})-[^/]*$/.exec(file)?.[1]))
  expect(numbers.toSorted((a, b) => a - b)).toEqual(files.map((_, i) => i + 1))
  for (const [i, file] of files.entries()) expect(read(file), file).toMatch(new RegExp(`^# ${numbers[i]}\\. `))
  expect(page("decisions/README.md"), "run `npm run docs`").toBe(withDecisionsList(page("decisions/README.md")))
})
