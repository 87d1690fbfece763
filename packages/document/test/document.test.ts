import { assert, it } from "@effect/vitest"
import { makeApi, makeToolsApi, withOpenApiDocument } from "@tapeline/api"
import { specifications, specify } from "@tapeline/core"
import { type Json, OpenApiDocument, validateResponse } from "@tapeline/document"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { lint } from "../src/lint.ts"

const document: Json = OpenApi.fromApi(withOpenApiDocument(makeApi(specifications, "https://api.example.org")))

/** The usual run does not lint the whole document, because linting takes seconds. */
it.runIf(isFullRun)("has no error and no warning under Redocly's recommended rules", async () => {
  // The OpenID routes only redirect a browser, so they have no response with a 2xx status.
  const leadsOn = /^warn operation-2xx-response at #\/paths\/~1v1~1account~1openid(~1callback)?\//
  assert.deepStrictEqual((await lint(document)).filter((problem) => !leadsOn.test(problem)), [])
})

it("fails the lint with an unused schema or without an operation's name", async () => {
  const invalidDocument: Json = OpenApi.fromApi(withOpenApiDocument(makeToolsApi([])))
  invalidDocument["components"].schemas.Unused = { type: "string" }
  delete invalidDocument["paths"]["/v1/usage"].get.operationId
  const problems = await lint(invalidDocument)
  assert.deepStrictEqual(problems.map((line) => line.split(" ").slice(0, 2).join(" ")).sort(), [
    "warn no-unused-components",
    "warn operation-operationId"
  ])
})

const checkExamples = (document: Json): number => {
  const description = new OpenApiDocument(document)
  let exampleCount = 0
  const visit = (value: unknown, pointer: ReadonlyArray<string>): void => {
    if (typeof value !== "object" || value === null) return
    if ("schema" in value && ("example" in value || "examples" in value)) {
      const { example, examples }: Json = value
      const values = examples === undefined
        ? [example]
        : Object.values<Json>(examples).map((one) => one["value"])
      for (const one of values) {
        exampleCount++
        assert.isUndefined(
          description.validate([...pointer, "schema"], one),
          `${pointer.join("/")} ${JSON.stringify(one)}`
        )
      }
      return
    }
    for (const [name, one] of Object.entries(value)) visit(one, [...pointer, name])
  }
  visit(document["paths"], ["paths"])
  visit(document["components"], ["components"])
  return exampleCount
}

it("shows examples that are valid under their schemas", () => {
  assert.isAbove(checkExamples(document), 3 * specifications.length)
})

it("shows valid examples for numbers with exclusive bounds", () => {
  const between = (minimum: number, maximum: number) =>
    Schema.Finite.check(
      Schema.isBetween({ minimum, maximum, exclusiveMinimum: true, exclusiveMaximum: true })
    )
  const tool = specify({
    name: "get_shares",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    summary: "Numbers with exclusive bounds.",
    parameters: Schema.Struct({}),
    result: Schema.Struct({
      share: between(0, 1),
      narrow: between(3, 3.5),
      wide: between(1, 30),
      negative: between(-2, 0),
      above: Schema.Finite.check(Schema.isGreaterThan(5)),
      below: Schema.Finite.check(Schema.isLessThan(0.5))
    }),
    example: {}
  })
  assert.isAbove(checkExamples(OpenApi.fromApi(withOpenApiDocument(makeToolsApi([tool])))), 3)
})

it("validates errors on the MCP path, but not the payload of MCP messages", () => {
  const description = new OpenApiDocument(document)
  const faults = (status: number, code: string, headers: Record<string, string>) =>
    validateResponse(description, {
      method: "POST",
      path: "/mcp",
      status,
      headers,
      body: new TextEncoder().encode(JSON.stringify({ code })),
      isComplete: true
    })
  assert.deepStrictEqual(faults(400, "", { "content-type": "application/json" }), [])
  const type = { "content-type": "application/problem+json" }
  assert.match(faults(401, "invalid_key", type).join(), /header x-request-id is missing.*the body: /)
  assert.match(faults(401, "nobody_knows", type).join(), /no such operation/)
  assert.match(faults(405, "method_not_allowed", { ...type, allow: "GET" }).join(), /405 allows GET, not POST/)
})

it("stays below 1 MB", () => {
  const bytes = JSON.stringify(document).length
  // Each tool adds about 7 kB to the document: its arguments and result, two examples, and references.
  assert.isBelow(bytes, 1_000_000)
})
