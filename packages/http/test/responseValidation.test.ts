import { assert, layer } from "@effect/vitest"
import type { Json } from "@tapeline/api"
import { OpenApiDocument, takeRecorded, validateResponse } from "@tapeline/document"
import { createKeyedAccount } from "@tapeline/testing"
import { callPart, endPart, ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { Effect } from "effect"
import { layerAgentServer } from "./agentServer.ts"
import { openStream } from "./EventStream.ts"
import { documentOf, sendRequest } from "./testServer.ts"
import { testTools } from "./testTools.ts"

const document = documentOf(testTools)
const operation = (of: Json, path: string, method = "get"): Json => of["paths"][path][method]
const schema = (of: Json, name: string): Json => of["components"].schemas[name]

/** Copies of the document with one error each, and the message that the validation of a response then reports. */
const mutants: ReadonlyArray<readonly [said: RegExp, spoil: (document: Json) => void]> = [
  [/GET \/v1\/usage 200: the body: .*additional properties/, (of) => delete schema(of, "Usage")["properties"].plan],
  [/GET \/v1\/usage 200: the body: .*'more'/, (of) => schema(of, "Usage")["required"].push("more")],
  [/GET \/v1\/usage 401: the status is not described/, (of) => delete operation(of, "/v1/usage")["responses"][401]],
  [/test_price 200: the body: /, (of) => delete schema(of, "TestPriceResult")["properties"].price],
  [/test_price 400: the body: /, (of) => delete schema(of, "InvalidArgumentsProblem")["properties"].issues],
  [
    /test_price 400: the header content-language is ko/,
    (of) => of["components"].headers["content-language"].schema.enum = ["en"]
  ],
  [
    /the header ratelimit-reset is not described/,
    (of) => delete operation(of, "/v1/usage")["responses"][200].headers["ratelimit-reset"]
  ],
  [
    /GET \/healthz 200: the header ratelimit-limit is missing/,
    (of) =>
      operation(of, "/healthz")["responses"][200].headers["ratelimit-limit"] = {
        $ref: "#/components/headers/ratelimit-limit"
      }
  ],
  [
    /GET \/healthz 200: the type application\/json is not described/,
    (of) => operation(of, "/healthz")["responses"][200].content = { "text/plain": { schema: { type: "string" } } }
  ],
  [/GET \/healthz 200: the document has no such operation/, (of) => delete of["paths"]["/healthz"]],
  [
    /DELETE \/v1\/usage 405: 405 allows GET, HEAD, not GET, HEAD, POST/,
    (of) => of["paths"]["/v1/usage"].post = operation(of, "/v1/usage")
  ],
  [/the event delta is not described/, (of) => schema(of, "StreamEvent")["anyOf"].splice(5, 1)],
  [
    /the event done .*additional properties/,
    (of) => delete schema(of, "Event_done")["properties"].data.contentSchema.properties.took_ms
  ]
]

const model = new ScriptedModel(({ step }) =>
  step === 1 ? [callPart("test_price", { coin: "BTC" }), endPart] : [textPart("It is high."), endPart]
)

layer(layerAgentServer(model.layer), { excludeTestServices: true })("response validation", (it) => {
  it.effect("reports each response that a mutated document does not describe", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      yield* sendRequest("GET", "/healthz")
      yield* sendRequest("GET", "/v1/usage", { key })
      yield* sendRequest("GET", "/v1/usage", { key: "none" })
      yield* sendRequest("DELETE", "/v1/usage", { key })
      yield* sendRequest("POST", "/v1/tools/test_price", { key, body: { coin: "BTC" } })
      yield* sendRequest("POST", "/v1/tools/test_price", { key, body: {}, headers: { "x-lang": "ko" } })
      const stream = yield* openStream("/v1/agent/stream", { key, body: { message: "why?" } })
      yield* stream.readToEnd
      const seen = takeRecorded()
      assert.strictEqual(seen.length, 7)
      const faults = (spoil: (document: Json) => void) => {
        const spoiled: Json = structuredClone(document)
        spoil(spoiled)
        const by = new OpenApiDocument(spoiled)
        return seen.flatMap((one) => validateResponse(by, one))
      }
      assert.deepStrictEqual(faults(() => undefined), [])
      for (const [said, spoil] of mutants) {
        const found = faults(spoil)
        assert.isNotEmpty(found, String(said))
        assert.match(found.join("\n"), said)
      }
    }))
})
