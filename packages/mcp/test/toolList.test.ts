import { makeCatalogue, pricedOperations, specifications } from "@tapeline/core/specifications"
import { Tiktoken } from "js-tiktoken/lite"
import o200k from "js-tiktoken/ranks/o200k_base"
import { readFileSync } from "node:fs"
import { expect, it } from "vitest"
import { watchCatalogue } from "../src/bin/watchCatalogue.ts"
import { type Catalogue, type Service, ServiceError, version } from "../src/index.ts"
import { makeMetaTools } from "../src/metaTools.ts"
import { shortenSchema } from "../src/shortenSchema.ts"
import { listTools } from "../src/toolList.ts"

const catalogue = { tools: makeCatalogue(specifications), operations: pricedOperations }
const encoding = new Tiktoken(o200k)
/**
 * Returns the tokens of the complete list. A model reads fewer tokens, because clients omit titles and output schemas.
 */
const tokensOf = (tools: unknown) => encoding.encode(JSON.stringify({ tools })).length

it("costs a model at most 14,000 tokens, or 1,000 as three meta tools", () => {
  const tools = listTools(catalogue, { wholeOutputs: false })
  expect(tools).toHaveLength(specifications.length + 2)
  expect(tokensOf(tools)).toBeLessThanOrEqual(14_000)
  expect(tokensOf(makeMetaTools(catalogue))).toBeLessThan(1_000)
})

it("describes title, price, scope, result and hints of every tool", () => {
  const tools = new Map(listTools(catalogue, { wholeOutputs: true }).map((tool) => [tool.name, tool]))
  for (const { credits, name, result, scope, scopes_any } of catalogue.tools) {
    const tool = tools.get(name)!
    expect(tool.description).toContain(` ${credits} credit`)
    expect(tool.description).toContain(scopes_any.join(" or "))
    expect(tool.title).toMatch(/^[A-Z]/)
    expect(tool.outputSchema).toEqual({ ...result, type: "object" })
    expect(tool.annotations?.readOnlyHint).toBe(scope !== "write:personal")
    if (name.startsWith("delete_")) expect(tool.annotations?.destructiveHint).toBe(true)
  }
})

it("removes schema keywords that a model does not need, and keeps values", () => {
  expect(shortenSchema({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    title: "x",
    properties: {
      // A property may have the same name as a JSON Schema keyword.
      pattern: { type: ["string", "null"], pattern: "^a$", enum: ["a", null], default: null },
      list: { type: "array", items: { type: ["integer", "null"], title: "y" } },
      either: { type: ["number", "string", "null"], description: "z" }
    },
    required: ["pattern"],
    additionalProperties: false
  })).toEqual({
    type: "object",
    properties: {
      pattern: { type: "string", enum: ["a"], default: null },
      list: { type: "array", items: { type: "integer" } },
      either: { anyOf: [{ type: "number" }, { type: "string" }], description: "z" }
    },
    required: ["pattern"]
  })
})

it("reports the version of its manifest", () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"))
  expect(manifest).toMatchObject({ version })
})

it("notifies once of a changed catalogue, and never of an unchanged one", async () => {
  let changes = 0
  let now: Catalogue = { tools: [], operations: [] }
  const service: Service = {
    // Each request returns another object with equal contents, as concurrent requests do.
    catalogue: () => Promise.resolve(structuredClone(now)),
    call: () => Promise.reject(new ServiceError({ kind: "refused", problem: { code: "scope_required", detail: "" } })),
    ask: () => Promise.reject(new Error("not asked")),
    acceptProposal: () => Promise.reject(new Error("not accepted"))
  }
  const catalogueWatch = watchCatalogue(service, () => void changes++)
  await Promise.all([catalogueWatch.service.catalogue(), catalogueWatch.service.catalogue()])
  expect(changes).toBe(0)
  now = catalogue
  await expect(catalogueWatch.service.call("get_price", {}, new AbortController().signal)).rejects.toThrow(ServiceError)
  await catalogueWatch.service.catalogue()
  expect(changes).toBe(1)
  catalogueWatch.stop()
})
