import { assert, layer } from "@effect/vitest"
import { createKeyedAccount } from "@tapeline/testing"
import { endPart, ScriptedModel, textPart } from "@tapeline/testing/agent/ScriptedModel"
import { Effect, Fiber } from "effect"
import { HttpServer } from "effect/http"
import { TestClock } from "effect/testing"
import { connect } from "node:net"
import { layerAgentServer } from "./agentServer.ts"
import { sendRequest } from "./testServer.ts"

const path = "/v1/agent/messages"
const model = new ScriptedModel(() => [textPart("42"), endPart])

const bodies = {
  "with a length": "content-length: 2000000",
  "with Expect: 100-continue": "content-length: 2000000\r\nexpect: 100-continue",
  "in chunks": "transfer-encoding: chunked"
}

/** Begins a large upload that never sends its body, and records what the server sends. */
const stall = Effect.fnUntraced(function*(header: string) {
  const { key } = yield* createKeyedAccount()
  const { port } = new URL(HttpServer.formatAddress((yield* HttpServer.HttpServer).address))
  const requestHead =
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\n`
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => connect(Number(port), "127.0.0.1")),
    (socket) => Effect.sync(() => socket.destroy())
  )
  const upload = { received: "", isClosed: false }
  socket.on("data", (chunk) => upload.received += String(chunk)).on("close", () => upload.isClosed = true)
  socket.write(`${requestHead}${header}\r\n\r\n`)
  return upload
})

/** Advances the clock in seconds until `isOver` returns true, and returns the number of seconds. */
const secondsUntil = Effect.fnUntraced(function*(isOver: () => boolean) {
  for (let seconds = 0; seconds < 60; seconds++) {
    // Waits a moment for the sockets in real time.
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
    if (isOver()) return seconds
    yield* TestClock.adjust("1 second")
  }
  return assert.fail("not within a minute")
})

layer(layerAgentServer(model.layer))("a large upload without a byte", (it) => {
  for (const [kind, header] of Object.entries(bodies)) {
    it.effect(`gets a 408 after ten seconds, ${kind}`, () =>
      Effect.gen(function*() {
        const upload = yield* stall(header)
        assert.isAtLeast(yield* secondsUntil(() => upload.isClosed), 10)
        assert.match(upload.received, /^(HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 408[^]*"code":"request_timeout"/)
      }))
  }

  it.effect("gets a 408 within seconds if another account waits for its place", () =>
    Effect.gen(function*() {
      const uploads = yield* Effect.replicateEffect(stall(bodies["with a length"]), 4)
      // Waits until all four uploads are in memory.
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 200)))
      const { key } = yield* createKeyedAccount()
      const body = { message: "x".repeat(2_000_000) }
      const waiting = yield* Effect.forkChild(sendRequest("POST", path, { key, body }), { startImmediately: true })
      assert.isBelow(yield* secondsUntil(() => waiting.pollUnsafe() !== undefined), 9)
      // The only error is that the message is too long, so the server has read the whole body.
      assert.strictEqual((yield* Fiber.join(waiting)).body.code, "invalid_arguments")
      const evicted = uploads.filter(({ received }) => received !== "")
      assert.lengthOf(evicted, 1)
      assert.match(evicted[0]!.received, /^HTTP\/1\.1 408/)
    }))
})
