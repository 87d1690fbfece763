import { makeCatalogue, specifications } from "@tapeline/core/specifications"
import { describe, expect, it } from "vitest"
import { curlExample, pythonExample, pythonLiteral, typescriptExample } from "../browser/pages/tool/codeExamples.ts"
import { initialInputs, parseArguments, toFields } from "../browser/pages/tool/schema.ts"

const catalogue = makeCatalogue(specifications)
const fieldsFor = (name: string) => toFields(catalogue.find((tool) => tool.name === name)!.parameters)

describe("A form made from a schema", () => {
  it.each(catalogue.map((tool) => [tool.name, tool] as const))("has a field for every argument of %s", (_, tool) => {
    const fields = toFields(tool.parameters)
    expect(fields.map(({ name }) => name)).toEqual(Object.keys(tool.parameters["properties"] ?? {}))
    for (const { kind } of fields) {
      if (kind.type === "choice") expect(kind.options.length).toBeGreaterThan(0)
      if (kind.type === "json") expect(JSON.parse(kind.sample)).toBeTypeOf("object")
    }
  })

  it("supports texts, numbers with bounds, choices, flags, lists and JSON", () => {
    const kinds = (name: string) => Object.fromEntries(fieldsFor(name).map((field) => [field.name, field]))
    const history = kinds("get_price_history")
    expect(history["coin"]).toMatchObject({ kind: { type: "text" }, isRequired: true })
    expect(history["bars"]).toMatchObject({
      kind: { type: "number", isWhole: true },
      isRequired: false,
      bounds: "1 … 1000",
      defaultValue: 40
    })
    expect(history["tf"]!.kind).toEqual({ type: "choice", options: ["5m", "15m", "1h", "4h", "1d"] })
    expect(kinds("get_kimchi_premium")["scan_all"]!.kind).toEqual({ type: "flag" })
    expect(kinds("compare_coins")["coins"]!.kind).toEqual({ type: "list", of: "text", options: undefined })
    expect(kinds("make_chart")["panels"]!.kind).toMatchObject({ type: "list", of: "text" })
    expect(kinds("screen_coins")["filters"]!.kind).toMatchObject({ type: "json" })
  })

  it("shows whether a bound of a number is exclusive", () => {
    const boundsOf = (schema: object) => toFields({ properties: { x: { type: "number", ...schema } } })[0]!.bounds
    expect(boundsOf({})).toBeUndefined()
    expect(boundsOf({ minimum: 0 })).toBe("≥ 0")
    expect(boundsOf({ maximum: 5 })).toBe("≤ 5")
    expect(boundsOf({ minimum: -1, maximum: 5 })).toBe("-1 … 5")
    expect(boundsOf({ exclusiveMinimum: 0 })).toBe("> 0")
    expect(boundsOf({ exclusiveMaximum: 1 })).toBe("< 1")
    expect(boundsOf({ exclusiveMinimum: 0, exclusiveMaximum: 1 })).toBe("> 0, < 1")
    expect(boundsOf({ exclusiveMinimum: 0, maximum: 100 })).toBe("> 0, ≤ 100")
  })

  it("parses input into arguments, and omits empty fields", () => {
    const fields = fieldsFor("get_price_history")
    expect(parseArguments(fields, initialInputs(fields))).toEqual({ args: { coin: "BTC" }, faults: {}, isValid: true })
    expect(parseArguments(fields, { coin: "ETH", bars: " 20 ", tf: "4h", at: "" }).args)
      .toEqual({ coin: "ETH", bars: 20, tf: "4h" })
    expect(parseArguments(fieldsFor("get_orderbook"), { coin: "BTC", sizes_usd: "1000, 2e5" }).args["sizes_usd"])
      .toEqual([1000, 200_000])
    expect(parseArguments(fieldsFor("get_probability"), { horizon_min: "60" }).args["horizon_min"]).toBe(60)
  })

  it("reports a fault for each invalid field", () => {
    const fields = fieldsFor("get_price_history")
    expect(parseArguments(fields, { coin: " ", bars: "1.5" })).toMatchObject({
      faults: { coin: "missing", bars: "no whole number" },
      isValid: false
    })
    expect(parseArguments(fields, { coin: "BTC", bars: "many" }).faults).toEqual({ bars: "no number" })
    expect(parseArguments(fieldsFor("screen_coins"), { filters: "[{" }).faults).toEqual({ filters: "no json" })
  })
})

describe("The code example of a call", () => {
  const call = { tool: "get_price", args: { coin: "BTC", note: "it's" }, url: "http://127.0.0.1:8787" }

  it("is a shell command with escaped quotes", () => {
    expect(curlExample(call)).toContain(`-d '{"coin":"BTC","note":"it'\\''s"}'`)
    expect(curlExample(call)).toContain("$TAPELINE_API_KEY")
  })

  it("is TypeScript with unquoted property names", () => {
    expect(typescriptExample(call)).toContain(`client.tools.get_price({\n  coin: "BTC",\n  note: "it's"\n})`)
    expect(typescriptExample({ ...call, args: {} })).toContain("client.tools.get_price()")
  })

  it("is Python with `True` and `None`", () => {
    expect(pythonLiteral({ a: true, b: null, c: [1, "x"], d: {} })).toBe(
      `{\n    "a": True,\n    "b": None,\n    "c": [1, "x"],\n    "d": {},\n}`
    )
    expect(pythonExample(call)).toContain(`"${call.url}/v1/tools/get_price"`)
  })
})
