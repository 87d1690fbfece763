import { assert, it } from "@effect/vitest"
import { startFakeModel } from "@tapeline/testing/fakeModel"
import { Effect } from "effect"
import { startServer, temporaryFolder } from "./support/process.ts"

/** A model on the wire that says ten words, and then nothing until it is let go on. */
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

it.live("an answer of a model on the wire is streamed, cancelled, and ended by a stop", () =>
  Effect.gen(function*() {
    const model = yield* fake
    const server = yield* startServer({
      TAPELINE_DATA_DIR: yield* temporaryFolder,
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_MODEL: "fake"
    })
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
      return async (enough: (text: string) => boolean) => {
        while (!enough(text)) {
          const { done, value } = await reader.read()
          if (done) break
          text += value
        }
        return text
      }
    }

    const first = readingOf(yield* send("stream", { message: "hang" }))
    const begun = yield* Effect.promise(() => first((text) => text.includes("word 9")))
    const id = Number(/"conversation_id":(\d+)/.exec(begun)?.[1])
    assert.strictEqual((yield* send("messages", { message: "and?", conversation_id: id })).status, 409)
    const cancelled = yield* send(`cancel/${id}`)
    assert.deepStrictEqual(yield* Effect.promise(() => cancelled.json()), { cancelled: true, running: false })
    // The connection to the model is closed by this end, with nothing more read from it.
    yield* Effect.promise(() => model.until((log) => log.find(({ closedBy }) => closedBy === "client")))
    assert.include(yield* Effect.promise(() => first(() => false)), `"outcome":"cancelled"`)
    const next = yield* send("messages", { message: "go on", conversation_id: id })
    const said: Record<string, unknown> = JSON.parse(yield* Effect.promise(() => next.text()))
    assert.deepStrictEqual([said["answer"], said["outcome"]], ["All is said.", "finished"])

    const second = readingOf(yield* send("stream", { message: "hang", conversation_id: id }))
    yield* Effect.promise(() => second((text) => text.includes("word 9")))
    server.signal("SIGTERM")
    // As a whole, and without `done`: whoever reads it knows to resume.
    assert.notInclude(yield* Effect.promise(() => second(() => false)), "event: done")
    assert.deepStrictEqual(yield* server.ended, { code: 0, signal: null })
  }), 60_000)
