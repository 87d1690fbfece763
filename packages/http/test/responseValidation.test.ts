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
const operation = (document: Json, path: string, method = "get"): Json => document["paths"][path][method]
const schema = (document: Json, name: string): Json => document["components"].schemas[name]

/** Copies of the document with one error each, and the message that the validation of a response then reports. */
const mutants: ReadonlyArray<readonly [said: RegExp, spoil: (document: Json) => void]> = [
  [
    /GET \/v1\/usage 200: the body: .*additional properties/,
    (document) => delete schema(document, "Usage")["properties"].plan
  ],
  [/GET \/v1\/usage 200: the body: .*'more'/, (document) => schema(document, "Usage")["required"].push("more")],
  [
    /GET \/v1\/usage 401: the status is not described/,
    (document) => delete operation(document, "/v1/usage")["responses"][401]
  ],
  [/test_price 200: the body: /, (document) => delete schema(document, "TestPriceResult")["properties"].price],
  [/test_price 400: the body: /, (document) => delete schema(document, "InvalidArgumentsProblem")["properties"].issues],
  [
    /test_price 400: the header content-language is ko/,
    (document) => document["components"].headers["content-language"].schema.enum = ["en"]
  ],
  [
    /the header ratelimit-reset is not described/,
    (document) => delete operation(document, "/v1/usage")["responses"][200].headers["ratelimit-reset"]
  ],
  [
    /GET \/healthz 200: the header ratelimit-limit is missing/,
    (document) =>
      operation(document, "/healthz")["responses"][200].headers["ratelimit-limit"] = {
        $ref: "#/components/headers/ratelimit-limit"
      }
  ],
  [
    /GET \/healthz 200: the type application\/json is not described/,
    (document) =>
      operation(document, "/healthz")["responses"][200].content = { "text/plain": { schema: { type: "string" } } }
  ],
  [/GET \/healthz 200: the document has no such operation/, (document) => delete document["paths"]["/healthz"]],
  [
    /DELETE \/v1\/usage 405: 405 allows GET, HEAD, not GET, HEAD, POST/,
    (document) => document["paths"]["/v1/usage"].post = operation(document, "/v1/usage")
  ],
  [/the event delta is not described/, (document) => schema(document, "StreamEvent")["anyOf"].splice(5, 1)],
  [
    /the event done .*additional properties/,
    (document) => delete schema(document, "Event_done")["properties"].data.contentSchema.properties.took_ms
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
      const recordedResponses = takeRecorded()
      assert.strictEqual(recordedResponses.length, 7)
      const faults = (mutate: (document: Json) => void) => {
        const mutatedDocument: Json = structuredClone(document)
        mutate(mutatedDocument)
        const description = new OpenApiDocument(mutatedDocument)
        return recordedResponses.flatMap((one) => validateResponse(description, one))
      }
      assert.deepStrictEqual(faults(() => undefined), [])
      for (const [expectedFault, mutate] of mutants) {
        const messages = faults(mutate)
        assert.isNotEmpty(messages, String(expectedFault))
        assert.match(messages.join("\n"), expectedFault)
      }
    }))
})
