import { assert, layer } from "@effect/vitest"
import { Administration, Authenticator, Ledger, type Scope, Sessions } from "@tapeline/core"
import { createKeyedAccount } from "@tapeline/testing"
import { ScriptedModel, textPart, waitForCue, waitForever } from "@tapeline/testing/agent/ScriptedModel"
import { Clock, Effect, Exit, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { confirmCaller } from "../src/body.ts"
import { CurrentRequestContext } from "../src/requestContext.ts"
import { layerAgentServer } from "./agentServer.ts"
import { sendHeadFirst, sendRequest } from "./testServer.ts"
import { samePageHeaders, signInNewUser } from "./testSession.ts"

const hasArrived = Latch.makeUnsafe()
const model = new ScriptedModel(() => [textPart("I begin, "), waitForCue(hasArrived.open), waitForever])

const usedBy = (account: number) =>
  Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.balance(account), (books) => books?.used))

const revoke = (key: number) => Effect.flatMap(Administration, (administration) => administration.revokeKey(key))
const endAll = (account: number) => Effect.flatMap(Sessions, (sessions) => sessions.endAll(account, null))

const price = { coin: "BTC" }
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "test_price", arguments: price } }
const operations = [
  ["POST", "/v1/tools/test_price", price],
  ["POST", "/v1/quote", { calls: [{ name: "test_price", count: 1 }] }],
  ["POST", "/v1/agent/messages", { message: "How is BTC?" }],
  ["POST", "/v1/agent/stream", { message: "How is BTC?" }],
  ["DELETE", "/v1/agent/conversations/1", {}],
  ["POST", "/v1/agent/cancel/1", {}],
  ["POST", "/mcp", call]
] as const

layer(layerAgentServer(model.layer))("a caller whose key or session ends during a request", (it) => {
  it.effect("cannot issue or change a key after its session ended", () =>
    Effect.gen(function*() {
      const { account, ask, jar, record } = yield* signInNewUser()
      yield* ask("GET", "/v1/account")
      const headers = { ...samePageHeaders, cookie: jar.cookie }
      const issue = yield* sendHeadFirst("POST", "/v1/account/keys", headers, { name: "more", scopes: ["read:us"] })
      const change = yield* sendHeadFirst("PATCH", `/v1/account/keys/${record.id}`, headers, { scopes: ["read:us"] })
      yield* endAll(account.id)
      for (const { send } of [issue, change]) assert.match(yield* send, /^HTTP\/1\.1 401[^]*"code":"session_required"/)
      assert.deepStrictEqual(yield* (yield* Administration).keys(account.id, { after: 0, limit: 10 }), [record])
    }))

  it.effect("gets a 401 and pays nothing if the key was revoked while the body arrived", () =>
    Effect.gen(function*() {
      const { account, key, record } = yield* createKeyedAccount()
      const headers = { authorization: `Bearer ${key}`, accept: "application/json, text/event-stream" }
      yield* sendRequest("GET", "/v1/usage", { key })
      const requests = yield* Effect.forEach(
        operations,
        ([method, path, body]) => sendHeadFirst(method, path, headers, body)
      )
      yield* revoke(record.id)
      yield* TestClock.adjust("1 second")
      for (const { send } of requests) assert.match(yield* send, /^HTTP\/1\.1 401[^]*"code":"invalid_key"/)
      assert.strictEqual(yield* usedBy(account.id), 0)
    }))

  it.effect("gets a 401 and pays nothing if the session ended while the body arrived", () =>
    Effect.gen(function*() {
      const { account, ask, jar } = yield* signInNewUser()
      yield* ask("GET", "/v1/account")
      const headers = { ...samePageHeaders, cookie: jar.cookie }
      const requests = yield* Effect.forEach(
        operations.slice(0, -1),
        ([method, path, body]) => sendHeadFirst(method, path, headers, body)
      )
      yield* endAll(account.id)
      yield* TestClock.adjust("1 second")
      for (const { send } of requests) assert.match(yield* send, /^HTTP\/1\.1 401[^]*"code":"session_required"/)
      assert.strictEqual(yield* usedBy(account.id), 0)
    }))

  it.effect("is authorized by the scopes that the key has after the body arrived", () =>
    Effect.gen(function*() {
      const { key, record } = yield* createKeyedAccount()
      const headers = { authorization: `Bearer ${key}`, accept: "application/json, text/event-stream" }
      const sendAfterEnd = Effect.fnUntraced(function*(scopes: ReadonlyArray<Scope>, sent: typeof operations[number]) {
        const { send } = yield* sendHeadFirst(sent[0], sent[1], headers, sent[2])
        yield* (yield* Administration).updateKey(record.id, { scopes })
        yield* TestClock.adjust("1 second")
        return yield* send
      })
      const [call, quote, ask, stream, remove, cancel, mcp] = operations
      const withoutChat = ["read:market"] as const
      // The key loses scopes while the body arrives, but keeps the scope that the operation needs.
      assert.match(yield* sendAfterEnd([...withoutChat, "agent:chat"], call), /^HTTP\/1\.1 200/)
      assert.match(yield* sendAfterEnd([...withoutChat, "agent:chat"], remove), /^HTTP\/1\.1 404/)
      for (const sent of [call, quote]) assert.match(yield* sendAfterEnd(withoutChat, sent), /^HTTP\/1\.1 200/)
      const rejected = /^HTTP\/1\.1 403[^]*"code":"scope_required"/
      for (const sent of [ask, stream, remove, cancel]) assert.match(yield* sendAfterEnd(withoutChat, sent), rejected)
      assert.match(yield* sendAfterEnd(["read:us"], call), rejected)
      // Over MCP, a rejected call has status 200.
      assert.match(yield* sendAfterEnd(["read:us"], mcp), /^HTTP\/1\.1 200[^]*scope_required/)
    }))

  it.effect("gets a 401 instead of the answer after its key was revoked or its session ended", () =>
    Effect.gen(function*() {
      const { account, ask, key, record } = yield* signInNewUser()
      const body = { message: "How is BTC?" }
      const endings = [
        ["invalid_key", sendRequest("POST", "/v1/agent/messages", { key, body }), revoke(record.id)],
        ["session_required", ask("POST", "/v1/agent/messages", { body }), endAll(account.id)]
      ] as const
      for (const [code, response, end] of endings) {
        yield* hasArrived.close
        const waiting = yield* Effect.forkChild(response)
        yield* hasArrived.await
        yield* end
        const second = Effect.andThen(TestClock.adjust("1 second"), Effect.promise(() => new Promise(setImmediate)))
        const answer = yield* Effect.raceFirst(Fiber.join(waiting), Effect.forever(second))
        assert.deepStrictEqual([answer.status, answer.body.code], [401, code])
      }
    }))

  it.effect("is checked again only if the body arrives later than its head", () =>
    Effect.gen(function*() {
      const exchange = yield* CurrentRequestContext
      const atNs = yield* Clock.monotonicTimeNanos
      const { key } = yield* createKeyedAccount()
      const principal = yield* (yield* Authenticator).authenticate(key)
      const reauthenticate = Effect.die("checked again")
      const checked = Effect.exit(confirmCaller({ ...exchange, admission: { atNs, principal, reauthenticate } }))
      assert.deepStrictEqual(yield* checked, Exit.succeed(principal))
      yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.isFailure(yield* checked))
    }))
})
