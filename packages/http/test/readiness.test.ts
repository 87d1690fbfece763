import { assert, layer } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core/engine"
import { Effect, Layer } from "effect"
import { layerTestServer, sendRequest } from "./testServer.ts"

const log: Array<string> = []
const store = { isAvailable: false }
const readiness = Effect.suspend(() =>
  store.isAvailable
    ? Effect.void
    : Effect.fail(new StoreUnavailable({ store: "cluster", cause: new Error("This process has no shards yet") }))
)

layer(layerTestServer(log, {}, { corsOrigins: [] }, Layer.empty, { readiness }), { excludeTestServices: true })(
  "the readiness of a process",
  (it) => {
    it.effect("is logged as lost only after the process was ready", () =>
      Effect.gen(function*() {
        const poll = Effect.map(sendRequest("GET", "/readyz"), ({ body, status }) => [status, body.code, body.detail])
        const detail = "This process is not ready: `cluster` is not available."
        const warnings = () => log.filter((line) => line.includes("not ready"))
        assert.deepStrictEqual(yield* poll, [503, "unavailable", detail])
        assert.deepStrictEqual(warnings(), [])
        store.isAvailable = true
        assert.strictEqual((yield* poll)[0], 200)
        assert.strictEqual((yield* poll)[0], 200)
        assert.strictEqual(log.filter((line) => line.includes("The process is ready")).length, 1)
        store.isAvailable = false
        assert.deepStrictEqual(yield* poll, [503, "unavailable", detail])
        assert.strictEqual(warnings().length, 1)
      }))
  }
)
