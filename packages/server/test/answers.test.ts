import { assert, it } from "@effect/vitest"
import { startFakeModel } from "@tapeline/testing/fakeModel"
import { Effect, Option } from "effect"
import { startServer } from "./support/process.ts"
import { makePglite } from "./support/testDatabases.ts"

/** A fake model server that sends ten words, and then stalls if the question contains "hang". */
const fake = Effect.acquireRelease(
  Effect.promise(() =>
    startFakeModel({
      script: ({ body }) => ({
        acts: Array.isArray(body?.["messages"]) && JSON.stringify(body["messages"].at(-1)).includes("hang")
          ? [...Array.from({ length: 10 }, (_, i) => ({ text: `word ${i} ` })), "stall"]
          : [{ text: "All is said." }]
      })
    })
  ),
  (model) => Effect.promise(() => model.close())
)

const numbersIn = (text: string) => Array.from(text.matchAll(/^id: \d+-(\d+)$/gm), ([, n]) => Number(n))

it.live(
  "an answer is streamed, cancelled, interrupted by a stop, resumed after the next start, or fails without a model",
  () =>
    Effect.gen(function*() {
      const model = yield* fake
      const environment = {
        ...(yield* makePglite()).environment,
        OPENAI_BASE_URL: model.baseUrl,
        OPENAI_MODEL: "fake"
      }
      const server = yield* startServer(environment)
      const headers = { authorization: `Bearer ${server.demoKey}`, "content-type": "application/json" }
      const send = (path: string, body?: object, method = "POST") =>
        Effect.promise(() =>
          fetch(`${server.address}/v1/agent/${path}`, {
            method,
            headers,
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
        )
      const readingOf = (response: Response) => {
        const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
        let text = ""
        return async (isEnough: (text: string) => boolean) => {
          while (!isEnough(text)) {
            // Returns the text of a stream, even if the stream breaks.
            const { done, value } = await reader.read().catch(() => ({ done: true, value: "(broken off)" }))
            text += value ?? ""
            if (done) break
          }
          return text
        }
      }

      const first = readingOf(yield* send("stream", { message: "hang" }))
      const firstText = yield* Effect.promise(() => first((text) => text.includes("word 9")))
      const id = Number(/"conversation_id":(\d+)/.exec(firstText)?.[1])
      assert.strictEqual((yield* send("messages", { message: "and?", conversation_id: id })).status, 409)
      const cancelled = yield* send(`cancel/${id}`)
      assert.deepStrictEqual(yield* Effect.promise(() => cancelled.json()), { cancelled: true, running: false })
      yield* Effect.promise(() => model.waitFor((log) => log.find(({ closedBy }) => closedBy === "client")))
      assert.include(yield* Effect.promise(() => first(() => false)), `"outcome":"cancelled"`)
      const answered = yield* send("messages", { message: "go on", conversation_id: id })
      const problem: Record<string, unknown> = JSON.parse(yield* Effect.promise(() => answered.text()))
      assert.deepStrictEqual([problem["answer"], problem["outcome"]], ["All is said.", "finished"])

      const second = readingOf(yield* send("stream", { message: "hang", conversation_id: id }))
      yield* Effect.promise(() => second((text) => text.includes("word 9")))
      server.signal("SIGTERM")
      const before = yield* Effect.promise(() => second(() => false))
      assert.isTrue(before.endsWith("(broken off)"), before)
      assert.notInclude(before, "event: done")
      assert.deepStrictEqual(yield* server.awaitExit, { code: 0, signal: null })

      model.useScript(() => ({ acts: [{ text: "All is said " }, { awaitCue: "go on" }, { text: "at last." }] }))
      const next = yield* startServer(environment)
      const last = /^id: (\S+)$/m.exec(before.slice(before.lastIndexOf("id: ")))![1]!
      const resumed = yield* Effect.promise(() =>
        fetch(`${next.address}/v1/agent/resume/${id}`, { headers: { ...headers, "last-event-id": last } })
      )
      model.cue("go on")
      const after = yield* Effect.promise(() => resumed.text())
      const numbers = [...numbersIn(before), ...numbersIn(after)]
      assert.deepStrictEqual(numbers, numbers.map((_, i) => i + 1))
      assert.include(after, `"outcome":"finished"`)
      const view = yield* Effect.promise(() => fetch(`${next.address}/v1/agent/conversations/${id}`, { headers }))
      assert.include(yield* Effect.promise(() => view.text()), "All is said at last.")

      // An answer of a silent model fails after the configured silence, which covers all attempts. Its server is a
      // separate one, because on a busy machine the model would be silent for so long between the words above.
      next.signal("SIGTERM")
      yield* next.awaitExit
      const silenceMs = 1_000
      const { address } = yield* startServer({ ...environment, OPENAI_SILENCE_TIMEOUT_MS: String(silenceMs) })
      model.useScript(() => ({ acts: ["stall"] }))
      const startedAt = performance.now()
      const failed = yield* Effect.promise((signal) =>
        fetch(`${address}/v1/agent/messages`, { method: "POST", signal, headers, body: `{"message":"why?"}` })
      ).pipe(Effect.timeoutOption(10 * silenceMs))
      assert.isTrue(Option.isSome(failed), `no answer within ${10 * silenceMs} ms`)
      assert.isAtLeast(performance.now() - startedAt, silenceMs)
      const body = JSON.parse(yield* Effect.promise(() => Option.getOrThrow(failed).text()))
      assert.deepInclude(body, { outcome: "failed", credits_used: 0 })
      assert.deepInclude(body.error, { code: "model_unavailable" })
    }),
  60_000
)
