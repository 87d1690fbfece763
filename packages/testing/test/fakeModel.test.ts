import { assert, it } from "@effect/vitest"
import { type FakeRequestRecord, startFakeModel } from "@tapeline/testing/fakeModel"
import { Effect } from "effect"

const ask = (baseUrl: string) =>
  fetch(`${baseUrl}/chat/completions`, { method: "POST", body: JSON.stringify({ model: "m" }) })

it.live("a fake model can be controlled over HTTP: its script, its cues and its log", () =>
  Effect.gen(function*() {
    const fake = yield* Effect.acquireRelease(
      Effect.promise(() => startFakeModel({ script: [{ acts: [{ text: "first" }] }] })),
      ({ close }) => Effect.promise(close)
    )
    const control = (path: string, body?: unknown) =>
      Effect.promise(async () => {
        const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
        const responseBody: unknown = await (await fetch(new URL(path, fake.baseUrl), init)).json()
        return responseBody
      })
    assert.include(yield* Effect.promise(async () => (await ask(fake.baseUrl)).text()), "\"content\":\"first\"")
    yield* control("/fake/script", [{ acts: [{ text: "a" }, { awaitCue: "go on" }, { text: "b" }] }, { status: 503 }])
    const waiting = yield* Effect.promise(() => ask(fake.baseUrl))
    yield* control("/fake/cue/go%20on", {})
    const text = yield* Effect.promise(() => waiting.text())
    assert.match(text, /"a".*"b".*data: \[DONE\]/su)
    assert.strictEqual((yield* Effect.promise(() => ask(fake.baseUrl))).status, 503)
    yield* Effect.promise(() => fake.waitFor((log) => log.every(({ closedAt }) => closedAt !== null) ? log : undefined))
    // The JSON form of `log`.
    const log = (yield* control("/fake/log")) as ReadonlyArray<FakeRequestRecord>
    assert.deepStrictEqual(log.map(({ n, closedBy, body }) => [n, closedBy, body?.["model"]]), [
      [1, "server", "m"],
      [2, "server", "m"],
      [3, "server", "m"]
    ])
  }))
