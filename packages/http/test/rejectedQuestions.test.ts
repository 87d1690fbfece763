import { assert, layer } from "@effect/vitest"
import { Ledger } from "@tapeline/core"
import { ConversationStore } from "@tapeline/core/agent"
import { createKeyedAccount } from "@tapeline/testing"
import { endPart, ScriptedModel, textPart, waitForever } from "@tapeline/testing/agent/ScriptedModel"
import { isFullRun } from "@tapeline/testing/fullRun"
import { seed } from "@tapeline/testing/seed"
import { Effect } from "effect"
import fc from "fast-check"
import { layerAgentServer } from "./agentServer.ts"
import { openStream } from "./EventStream.ts"
import { issuePathsOf, sendRequest } from "./testServer.ts"

const model = new ScriptedModel(({ brief }) =>
  brief.question.includes("hang") ? [textPart("I begin, "), waitForever] : [textPart("The end."), endPart]
)

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const png = `data:image/png;base64,${pixel}`
/** Creates a PNG image of `bytes` bytes, padded after the end of the image. */
const largePng = (bytes: number) =>
  `data:image/png;base64,${
    Buffer.concat([Buffer.from(pixel, "base64"), Buffer.alloc(bytes - Buffer.from(pixel, "base64").length, "x")])
      .toString("base64")
  }`
const mebibyte = 1024 * 1024

const questionPaths = ["/v1/agent/messages", "/v1/agent/stream"] as const

layer(layerAgentServer(model.layer), { excludeTestServices: true })("the analyst API", (it) => {
  it.effect("returns the same 404 for another account's conversation as for an unknown one, on every path", () =>
    Effect.gen(function*() {
      const [owner, other] = yield* Effect.all([createKeyedAccount(), createKeyedAccount()])
      const stream = yield* openStream("/v1/agent/stream", { key: owner.key, body: { message: "hang" } })
      yield* stream.readUntil(({ events }) => events.some(({ kind }) => kind === "delta"))
      const id: number = stream.events[0]!.data["conversation_id"]
      const makeQuestion = (conversation: number) => ({ message: "mine?", conversation_id: conversation })
      const answersTo = Effect.fnUntraced(function*(key: string, conversation: number) {
        const rejections = yield* Effect.all([
          ...questionPaths.map((path) => sendRequest("POST", path, { key, body: makeQuestion(conversation) })),
          ...questionPaths.map((path) =>
            sendRequest("POST", path, { key, body: { ...makeQuestion(conversation), regenerate: true } })
          ),
          sendRequest("GET", `/v1/agent/resume/${conversation}`, { key }),
          sendRequest("POST", `/v1/agent/cancel/${conversation}`, { key }),
          sendRequest("GET", `/v1/agent/conversations/${conversation}`, { key }),
          sendRequest("DELETE", `/v1/agent/conversations/${conversation}`, { key })
        ])
        return rejections.map(({ body, status }) => [status, body.code, body.title, body.detail])
      })
      const responses = yield* answersTo(other.key, id)
      for (const [status, code] of responses) assert.deepStrictEqual([status, code], [404, "conversation_not_found"])
      const never = yield* answersTo(other.key, id + 1_000)
      assert.deepStrictEqual(
        JSON.stringify(never).replaceAll(String(id + 1_000), "N"),
        JSON.stringify(responses).replaceAll(`${id}.`, "N.")
      )
      assert.deepStrictEqual((yield* sendRequest("GET", "/v1/agent/conversations", { key: other.key })).body, {
        conversations: [],
        next_cursor: null
      })
      yield* sendRequest("POST", `/v1/agent/cancel/${id}`, { key: owner.key })
      assert.strictEqual((yield* sendRequest("GET", `/v1/agent/conversations/${id}`, { key: owner.key })).status, 200)
      for (const text of ["0", "-1", "01", "1e3", "x", "99999999999999999", "%31", " "]) {
        const { body, status } = yield* sendRequest("GET", `/v1/agent/conversations/${text}`, { key: owner.key })
        assert.deepStrictEqual([status, body.code], [404, "not_found"], text)
      }
      const unknownConversation = yield* sendRequest("GET", `/v1/agent/resume/${Number.MAX_SAFE_INTEGER}`, {
        key: owner.key
      })
      assert.strictEqual(unknownConversation.status, 404)
    }))

  it.effect("returns 409 with what to do if the conversation has newer messages than the caller read", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const first = yield* sendRequest("POST", "/v1/agent/messages", { key, body: { message: "why?" } })
      const { conversation_id } = first.body
      const idsOf = Effect.map(
        sendRequest("GET", `/v1/agent/conversations/${conversation_id}`, { key }),
        ({ body }) => body.messages.map(({ id }: { readonly id: number }) => id)
      )
      const [, shownMessageId] = yield* idsOf
      yield* sendRequest("POST", "/v1/agent/messages", { key, body: { message: "and?", conversation_id } })
      const ids = yield* idsOf
      const body = { message: "yes, 1", conversation_id, last_message_id: shownMessageId }
      for (const path of questionPaths) {
        for (const [lang, words] of Object.entries({ en: /read it again/, ko: /다시 읽고/, ru: /прочитайте/ })) {
          const rejection = yield* sendRequest("POST", path, { key, body, headers: { "x-lang": lang } })
          assert.deepStrictEqual([rejection.status, rejection.body.code], [409, "conversation_went_on"], rejection.text)
          assert.strictEqual(rejection.body.last_message_id, ids.at(-1))
          assert.match(rejection.body.detail, words)
        }
      }
      assert.deepStrictEqual(yield* idsOf, ids, "no question was stored")
      const accepted = yield* sendRequest("POST", "/v1/agent/messages", {
        key,
        body: { ...body, last_message_id: ids.at(-1) }
      })
      assert.strictEqual(accepted.body.outcome, "finished", accepted.text)
      const conversationlessResponse = yield* sendRequest("POST", "/v1/agent/messages", {
        key,
        body: { message: "yes", last_message_id: 1 }
      })
      assert.deepStrictEqual([conversationlessResponse.status, issuePathsOf(conversationlessResponse)], [400, [[
        "conversation_id"
      ]]], conversationlessResponse.text)
    }))

  it.effect("returns 400 with the path of every invalid field", () =>
    Effect.gen(function*() {
      const { key, principal } = yield* createKeyedAccount()
      const cases: ReadonlyArray<readonly [object, ReadonlyArray<string | number>]> = [
        [{}, ["message"]],
        [{ message: "" }, ["message"]],
        [{ message: " " }, ["message"]],
        [{ message: "x".repeat(32_001) }, ["message"]],
        [{ message: 42 }, ["message"]],
        [{ message: "a\0b" }, ["message"]],
        [{ message: "why?", lang: "fr" }, ["lang"]],
        [{ message: "why?", mode: "guru" }, ["mode"]],
        [{ message: "why?", conversation_id: 1.5 }, ["conversation_id"]],
        [{ message: "why?", conversation_id: 0 }, ["conversation_id"]],
        [{ message: "why?", conversation_id: "1" }, ["conversation_id"]],
        [{ message: "why?", coin: 7 }, ["coin"]],
        [{ message: "why?", regenerate: "yes" }, ["regenerate"]],
        [{ regenerate: true }, ["conversation_id"]],
        [{ message: "why?", seed_context: [] }, ["seed_context"]],
        [{ message: "why?", seed_context: { text: "x".repeat(65_537) } }, ["seed_context"]],
        [{ message: "why?", colour: "red" }, ["colour"]],
        [{ message: "why?", images: "x" }, ["images"]],
        [{ message: "why?", images: [png, "https://example.com/a.png"] }, ["images", 1]],
        [{ message: "why?", images: [`data:image/png;base64,${btoa("no picture at all, whatever it says")}`] }, [
          "images",
          0
        ]],
        [{ message: "why?", images: Array.from({ length: 7 }, () => png) }, ["images"]],
        [{ message: "why?", images: [largePng(8 * mebibyte + 1)] }, ["images", 0]],
        ...(isFullRun
          ? [[{ message: "why?", images: [7, 7, 7].map((n) => largePng(n * mebibyte)) }, ["images"]] as const]
          : [])
      ]
      for (const [body, path] of cases) {
        const text = JSON.stringify(body).slice(0, 80)
        // The usual run sends large bodies to only one of the two paths, because a large body takes a second of
        // processor time.
        const isLarge = JSON.stringify(body).length > mebibyte
        for (const address of isLarge && !isFullRun ? questionPaths.slice(1) : questionPaths) {
          const rejection = yield* sendRequest("POST", address, { key, body })
          assert.deepStrictEqual([rejection.status, rejection.body.code], [400, "invalid_arguments"], text)
          assert.deepStrictEqual(issuePathsOf(rejection), [path], text)
        }
      }
      const all = yield* sendRequest("POST", questionPaths[0], {
        key,
        body: { message: "", lang: "fr", mode: "guru", images: ["x"] },
        headers: { "x-lang": "ru" }
      })
      assert.includeDeepMembers([...issuePathsOf(all)], [["lang"], ["mode"]])
      assert.match(all.body.detail, /[а-я]/)
      for (const body of [{ message: "why?", user_id: 7 }, { user_id: null }]) {
        const rejection = yield* sendRequest("POST", questionPaths[1], { key, body })
        assert.strictEqual(rejection.body.code, "user_id_not_accepted")
      }
      for (const query of ["limit=0", "limit=201", "limit=x", "page=2"]) {
        const rejection = yield* sendRequest("GET", `/v1/agent/conversations?${query}`, { key })
        assert.deepStrictEqual([rejection.status, rejection.body.code], [400, "invalid_arguments"], query)
      }
      const left = yield* sendRequest("GET", "/v1/agent/conversations?cursor=junk", { key })
      assert.deepStrictEqual(left.body, { conversations: [], next_cursor: null })
      const repeated = yield* sendRequest("POST", "/v1/agent/cancel/1", { key, body: { user_id: 1 } })
      assert.strictEqual(repeated.body.code, "user_id_not_accepted")
      const keyed = yield* sendRequest("POST", questionPaths[0], {
        key,
        body: { message: "why?" },
        headers: { "idempotency-key": "x".repeat(129) }
      })
      assert.deepStrictEqual(issuePathsOf(keyed), [["Idempotency-Key"]])
      assert.deepInclude(yield* (yield* Ledger).balance(principal.account), { used: 0, reserved: 0 })
    }), 20_000)

  it.effect("returns 403 without the scope, and 402 without the credits", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount({ scopes: ["read:market", "read:personal"] })
      const calls = [
        ...questionPaths.map((path) => sendRequest("POST", path, { key, body: { message: "" } })),
        sendRequest("GET", "/v1/agent/conversations", { key }),
        sendRequest("GET", "/v1/agent/conversations/1", { key }),
        sendRequest("DELETE", "/v1/agent/conversations/1", { key }),
        sendRequest("GET", "/v1/agent/resume/1", { key }),
        sendRequest("POST", "/v1/agent/cancel/1", { key })
      ]
      for (const rejection of yield* Effect.all(calls)) {
        assert.deepStrictEqual([rejection.status, rejection.body.required_scope], [403, "agent:chat"])
      }
      const customerOfSmallPlan = yield* createKeyedAccount({ plan: "poor" })
      for (const path of questionPaths) {
        const rejection = yield* sendRequest("POST", path, {
          key: customerOfSmallPlan.key,
          body: { message: "why?" },
          headers: { "x-lang": "ko" }
        })
        assert.deepStrictEqual([rejection.status, rejection.body.code, rejection.body.price], [402, "over_limit", 20])
        assert.strictEqual(rejection.body.credits_left, 19)
      }
      const unknown = yield* sendRequest("POST", questionPaths[0], { body: { message: "why?" } })
      assert.deepStrictEqual([unknown.status, unknown.headers.get("www-authenticate")], [401, "Bearer"])
      for (
        const [method, path] of [["GET", questionPaths[1]], ["PUT", "/v1/agent/resume/1"], [
          "POST",
          "/v1/agent/conversations"
        ]] as const
      ) {
        assert.strictEqual((yield* sendRequest(method, path, { key })).status, 405)
      }
    }))

  it.effect("accepts a large body with images in any JSON formatting", () =>
    Effect.gen(function*() {
      const { key, principal } = yield* createKeyedAccount()
      const images = [largePng(3 * mebibyte), png, largePng(3 * mebibyte)]
      const body = {
        message: "what is \"this\"? \\ 🚀".repeat(1_000),
        seed_context: { note: "é".repeat(20_000) },
        images
      }
      const bodyText = JSON.stringify(body)
      for (const text of [bodyText, bodyText.replaceAll("/", "\\/"), JSON.stringify(body, null, 2)]) {
        const answer = yield* sendRequest("POST", questionPaths[0], { key, body: text })
        assert.strictEqual(answer.status, 200, answer.text.slice(0, 500))
        const conversation: number = answer.body.conversation_id
        const { body: view } = yield* sendRequest("GET", `/v1/agent/conversations/${conversation}`, { key })
        assert.strictEqual(view.messages[0].content, body.message)
        assert.deepStrictEqual(view.messages[0].images[0], {
          media_type: "image/png",
          width: 1,
          height: 1,
          bytes: 3 * mebibyte
        })
        const storedImages = yield* (yield* ConversationStore).listImages(principal.account, view.messages[0].id)
        assert.strictEqual(`data:image/png;base64,${Buffer.from(storedImages[2]!.bytes).toString("base64")}`, images[2])
        assert.deepStrictEqual(model.requests.at(-2)?.brief.facts, body.seed_context)
      }
    }), 20_000)

  it.effect("rejects a body that is too large, too dense or no JSON, with the reason", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const long = "x".repeat(2 * mebibyte)
      const refusedAs = Effect.fnUntraced(function*(body: string | object) {
        const { body: problem, status } = yield* sendRequest("POST", questionPaths[1], { key, body })
        return [status, problem.code, problem.detail]
      })
      const dense = yield* refusedAs(
        JSON.stringify({ message: "why?", seed_context: { list: Array.from({ length: 400_000 }, () => 1234) } })
      )
      assert.deepStrictEqual(dense.slice(0, 2), [400, "invalid_body"])
      assert.include(String(dense[2]), "1048576")
      assert.deepStrictEqual((yield* refusedAs(`{"message":"${long.replaceAll("x", "\\\"")}"}`)).slice(0, 2), [
        400,
        "invalid_body"
      ])
      for (
        const text of [
          `{"message":"${long}"`,
          `{"message":"${long}\n"}`,
          `{"message":"${long}`,
          `{"message":"${long}\\q"}`,
          `"${long}"`,
          `["${long}"]`
        ]
      ) {
        assert.deepStrictEqual((yield* refusedAs(text)).slice(0, 2), [400, "invalid_body"], text.slice(-10))
      }
      const repeatedNameReason = yield* refusedAs(`{"message":"a","message":"${long}"}`)
      assert.include(String(repeatedNameReason[2]), "message")
      const escapedResponse = yield* sendRequest("POST", questionPaths[0], {
        key,
        body: `{"message":"${long}\\u0000"}`
      })
      assert.deepStrictEqual(issuePathsOf(escapedResponse), [["message"]])
      assert.deepStrictEqual((yield* refusedAs(`{"user_id":"${long}"}`)).slice(0, 2), [400, "user_id_not_accepted"])
      const { body, status } = yield* sendRequest("POST", questionPaths[0], {
        key,
        body: `{"message":"${"x".repeat(32 * mebibyte)}"}`
      })
      assert.deepStrictEqual([status, body.limit_bytes], [413, 32 * mebibyte])
    }), 20_000)

  it.effect("returns only documented statuses for random bodies and paths", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const values = fc.oneof(
        fc.jsonValue(),
        fc.constantFrom("why?", png, "mentor", "ko", 1, 2_147_483_648, true, null)
      )
      const names = ["message", "conversation_id", "lang", "coin", "regenerate", "seed_context", "mode", "images"]
      const bodies = fc.oneof(
        fc.dictionary(fc.constantFrom(...names), values).map((body) => JSON.stringify(body)),
        fc.jsonValue().map((body) => JSON.stringify(body)),
        fc.string({ unit: "binary" })
      )
      for (const body of fc.sample(bodies, { seed, numRuns: isFullRun ? 120 : 25 })) {
        const answer = yield* sendRequest("POST", questionPaths[0], { key, body: body === "" ? "x" : body })
        assert.include([200, 400, 404, 409, 402, 429], answer.status, `seed ${seed}: ${body}`)
      }
      const segments = fc.oneof(
        fc.webPath(),
        fc.constantFrom("/1", "/0", "/-1", "/1/2", "/null", "/1%00", "?limit=1", "/9007199254740993")
      )
      for (const segment of fc.sample(segments, { seed, numRuns: isFullRun ? 60 : 12 })) {
        for (
          const [method, path] of [["GET", "resume"], ["POST", "cancel"], ["GET", "conversations"], [
            "DELETE",
            "conversations"
          ]] as const
        ) {
          const answer = yield* sendRequest(method, `/v1/agent/${path}${segment}`, { key })
          assert.include([200, 204, 400, 404, 405, 409], answer.status, `seed ${seed}: ${method} ${path}${segment}`)
        }
      }
    }), 30_000)
})
