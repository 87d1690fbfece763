import { assert, layer } from "@effect/vitest"
import { Ledger } from "@tapeline/core"
import { ConversationStore } from "@tapeline/core/agent"
import { createKeyedAccount } from "@tapeline/testing"
import { endPart, ScriptedModel, textPart, waitForever } from "@tapeline/testing/agent/ScriptedModel"
import { seed } from "@tapeline/testing/seed"
import { Effect } from "effect"
import fc from "fast-check"
import { layerAgentServer } from "./agentServer.ts"
import { openStream } from "./EventStream.ts"
import { issuePathsOf, sendRequest } from "./testServer.ts"

const full = process.env["TAPELINE_TEST_FULL"] === "1"

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

const asked = ["/v1/agent/messages", "/v1/agent/stream"] as const

layer(layerAgentServer(model.layer), { excludeTestServices: true })("the analyst API", (it) => {
  it.effect("returns the same 404 for another account's conversation as for an unknown one, on every path", () =>
    Effect.gen(function*() {
      const [owner, other] = yield* Effect.all([createKeyedAccount(), createKeyedAccount()])
      const stream = yield* openStream("/v1/agent/stream", { key: owner.key, body: { message: "hang" } })
      yield* stream.readUntil(({ events }) => events.some(({ kind }) => kind === "delta"))
      const id: number = stream.events[0]!.data["conversation_id"]
      const say = (conversation: number) => ({ message: "mine?", conversation_id: conversation })
      const answersTo = Effect.fnUntraced(function*(key: string, conversation: number) {
        const refused = yield* Effect.all([
          ...asked.map((path) => sendRequest("POST", path, { key, body: say(conversation) })),
          ...asked.map((path) => sendRequest("POST", path, { key, body: { ...say(conversation), regenerate: true } })),
          sendRequest("GET", `/v1/agent/resume/${conversation}`, { key }),
          sendRequest("POST", `/v1/agent/cancel/${conversation}`, { key }),
          sendRequest("GET", `/v1/agent/conversations/${conversation}`, { key }),
          sendRequest("DELETE", `/v1/agent/conversations/${conversation}`, { key })
        ])
        return refused.map(({ body, status }) => [status, body.code, body.title, body.detail])
      })
      const found = yield* answersTo(other.key, id)
      for (const [status, code] of found) assert.deepStrictEqual([status, code], [404, "conversation_not_found"])
      const never = yield* answersTo(other.key, id + 1_000)
      assert.deepStrictEqual(
        JSON.stringify(never).replaceAll(String(id + 1_000), "N"),
        JSON.stringify(found).replaceAll(`${id}.`, "N.")
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
      const beyond = yield* sendRequest("GET", `/v1/agent/resume/${Number.MAX_SAFE_INTEGER}`, { key: owner.key })
      assert.strictEqual(beyond.status, 404)
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
      const [, shown] = yield* idsOf
      yield* sendRequest("POST", "/v1/agent/messages", { key, body: { message: "and?", conversation_id } })
      const ids = yield* idsOf
      const body = { message: "yes, 1", conversation_id, last_message_id: shown }
      for (const path of asked) {
        for (const [lang, words] of Object.entries({ en: /read it again/, ko: /다시 읽고/, ru: /прочитайте/ })) {
          const refused = yield* sendRequest("POST", path, { key, body, headers: { "x-lang": lang } })
          assert.deepStrictEqual([refused.status, refused.body.code], [409, "conversation_went_on"], refused.text)
          assert.strictEqual(refused.body.last_message_id, ids.at(-1))
          assert.match(refused.body.detail, words)
        }
      }
      assert.deepStrictEqual(yield* idsOf, ids, "no question was stored")
      const answered = yield* sendRequest("POST", "/v1/agent/messages", {
        key,
        body: { ...body, last_message_id: ids.at(-1) }
      })
      assert.strictEqual(answered.body.outcome, "finished", answered.text)
      const unheld = yield* sendRequest("POST", "/v1/agent/messages", {
        key,
        body: { message: "yes", last_message_id: 1 }
      })
      assert.deepStrictEqual([unheld.status, issuePathsOf(unheld)], [400, [["conversation_id"]]], unheld.text)
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
        ...(full
          ? [[{ message: "why?", images: [7, 7, 7].map((n) => largePng(n * mebibyte)) }, ["images"]] as const]
          : [])
      ]
      for (const [body, path] of cases) {
        const text = JSON.stringify(body).slice(0, 80)
        // The usual run sends large bodies to only one of the two paths, because a large body takes a second of
        // processor time.
        const isLarge = JSON.stringify(body).length > mebibyte
        for (const address of isLarge && !full ? asked.slice(1) : asked) {
          const refused = yield* sendRequest("POST", address, { key, body })
          assert.deepStrictEqual([refused.status, refused.body.code], [400, "invalid_arguments"], text)
          assert.deepStrictEqual(issuePathsOf(refused), [path], text)
        }
      }
      const all = yield* sendRequest("POST", asked[0], {
        key,
        body: { message: "", lang: "fr", mode: "guru", images: ["x"] },
        headers: { "x-lang": "ru" }
      })
      assert.includeDeepMembers([...issuePathsOf(all)], [["lang"], ["mode"]])
      assert.match(all.body.detail, /[а-я]/)
      for (const body of [{ message: "why?", user_id: 7 }, { user_id: null }]) {
        const refused = yield* sendRequest("POST", asked[1], { key, body })
        assert.strictEqual(refused.body.code, "user_id_not_accepted")
      }
      for (const query of ["limit=0", "limit=201", "limit=x", "page=2"]) {
        const refused = yield* sendRequest("GET", `/v1/agent/conversations?${query}`, { key })
        assert.deepStrictEqual([refused.status, refused.body.code], [400, "invalid_arguments"], query)
      }
      const left = yield* sendRequest("GET", "/v1/agent/conversations?cursor=junk", { key })
      assert.deepStrictEqual(left.body, { conversations: [], next_cursor: null })
      const repeated = yield* sendRequest("POST", "/v1/agent/cancel/1", { key, body: { user_id: 1 } })
      assert.strictEqual(repeated.body.code, "user_id_not_accepted")
      const keyed = yield* sendRequest("POST", asked[0], {
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
        ...asked.map((path) => sendRequest("POST", path, { key, body: { message: "" } })),
        sendRequest("GET", "/v1/agent/conversations", { key }),
        sendRequest("GET", "/v1/agent/conversations/1", { key }),
        sendRequest("DELETE", "/v1/agent/conversations/1", { key }),
        sendRequest("GET", "/v1/agent/resume/1", { key }),
        sendRequest("POST", "/v1/agent/cancel/1", { key })
      ]
      for (const refused of yield* Effect.all(calls)) {
        assert.deepStrictEqual([refused.status, refused.body.required_scope], [403, "agent:chat"])
      }
      const poor = yield* createKeyedAccount({ plan: "poor" })
      for (const path of asked) {
        const refused = yield* sendRequest("POST", path, {
          key: poor.key,
          body: { message: "why?" },
          headers: { "x-lang": "ko" }
        })
        assert.deepStrictEqual([refused.status, refused.body.code, refused.body.price], [402, "over_limit", 20])
        assert.strictEqual(refused.body.credits_left, 19)
      }
      const unknown = yield* sendRequest("POST", asked[0], { body: { message: "why?" } })
      assert.deepStrictEqual([unknown.status, unknown.headers.get("www-authenticate")], [401, "Bearer"])
      for (
        const [method, path] of [["GET", asked[1]], ["PUT", "/v1/agent/resume/1"], [
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
      const plain = JSON.stringify(body)
      for (const text of [plain, plain.replaceAll("/", "\\/"), JSON.stringify(body, null, 2)]) {
        const answer = yield* sendRequest("POST", asked[0], { key, body: text })
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
        const kept = yield* (yield* ConversationStore).listImages(principal.account, view.messages[0].id)
        assert.strictEqual(`data:image/png;base64,${Buffer.from(kept[2]!.bytes).toString("base64")}`, images[2])
        assert.deepStrictEqual(model.requests.at(-2)?.brief.facts, body.seed_context)
      }
    }), 20_000)

  it.effect("rejects a body that is too large, too dense or no JSON, with the reason", () =>
    Effect.gen(function*() {
      const { key } = yield* createKeyedAccount()
      const long = "x".repeat(2 * mebibyte)
      const refusedAs = Effect.fnUntraced(function*(body: string | object) {
        const { body: problem, status } = yield* sendRequest("POST", asked[1], { key, body })
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
      const twice = yield* refusedAs(`{"message":"a","message":"${long}"}`)
      assert.include(String(twice[2]), "message")
      const escaped = yield* sendRequest("POST", asked[0], { key, body: `{"message":"${long}\\u0000"}` })
      assert.deepStrictEqual(issuePathsOf(escaped), [["message"]])
      assert.deepStrictEqual((yield* refusedAs(`{"user_id":"${long}"}`)).slice(0, 2), [400, "user_id_not_accepted"])
      const { body, status } = yield* sendRequest("POST", asked[0], {
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
      for (const body of fc.sample(bodies, { seed, numRuns: full ? 120 : 25 })) {
        const answer = yield* sendRequest("POST", asked[0], { key, body: body === "" ? "x" : body })
        assert.include([200, 400, 404, 409, 402, 429], answer.status, `seed ${seed}: ${body}`)
      }
      const segments = fc.oneof(
        fc.webPath(),
        fc.constantFrom("/1", "/0", "/-1", "/1/2", "/null", "/1%00", "?limit=1", "/9007199254740993")
      )
      for (const segment of fc.sample(segments, { seed, numRuns: full ? 60 : 12 })) {
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
