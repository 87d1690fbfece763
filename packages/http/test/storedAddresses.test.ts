import { assert, layer } from "@effect/vitest"
import { implement, PublicBaseUrl, specify } from "@tapeline/core"
import { noArguments } from "@tapeline/core/engine"
import { acceptOtherDocuments } from "@tapeline/document/validateResponses"
import { createKeyedAccount } from "@tapeline/testing"
import { Effect, Schema } from "effect"
import { HttpServer } from "effect/http"
import { documentOf, layerTestServer, sendRaw } from "./testServer.ts"

const whereTool = implement(
  specify({
    name: "test_address",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    summary: "Returns an address as charts store it.",
    parameters: noArguments,
    result: Schema.Struct({ url: Schema.String }),
    example: {}
  }),
  Effect.succeed(() => Effect.map(PublicBaseUrl, (address) => ({ url: `${address}/v1/charts/9` })))
)

acceptOtherDocuments(() => documentOf([whereTool]))

/** Returns the URL in a result for a request with the `Host` header of another site. */
const storedUrl = Effect.gen(function*() {
  const { key } = yield* createKeyedAccount({ scopes: ["read:market"] })
  const received = yield* sendRaw(
    `POST /v1/tools/test_address HTTP/1.1\r\nHost: elsewhere.example\r\nAuthorization: Bearer ${key}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"
  )
  return /"url":"([^"]*)"/.exec(received)?.[1]
})

const listening = (host: string) =>
  layerTestServer([], {}, { corsOrigins: [] }, undefined, { host, tools: [whereTool] })

layer(listening("127.0.0.1"))("a server on one address", (it) => {
  it.effect("returns its own address in results, not the Host header of the request", () =>
    Effect.gen(function*() {
      const { address } = yield* HttpServer.HttpServer
      assert.strictEqual(yield* storedUrl, `${HttpServer.formatAddress(address)}/v1/charts/9`)
    }))
})

for (const host of ["0.0.0.0", "::"]) {
  layer(listening(host))(`a server on ${host}`, (it) => {
    it.effect("returns paths without an address in results", () =>
      Effect.gen(function*() {
        assert.strictEqual(yield* storedUrl, "/v1/charts/9")
      }))
  })
}
