import { assert, it } from "@effect/vitest"
import type { FakeResponseStep } from "@tapeline/testing/fakeModel"
import { Effect, Schema } from "effect"
import { collectParts, makeFakeModel, summarizeParts } from "./support/fakeModel.ts"

const small = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 }))

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

/**
 * Cuts a text into pieces with the given numbers of UTF-16 units. A cut can separate the two UTF-16 units of one
 * character.
 */
const cutUnits = (text: string, sizes: ReadonlyArray<number>): ReadonlyArray<string> => {
  const pieces: Array<string> = []
  for (let at = 0, i = 0; at < text.length; at += sizes[i++ % sizes.length]!) {
    pieces.push(text.slice(at, at + sizes[i % sizes.length]!))
  }
  return pieces
}

const text = "BTC 👍🏽 비트코인 🇰🇷 курс — 67,412.5 USD"
const args = JSON.stringify({ coin: "BTC", note: "👩‍👩‍👧 \"quoted\"", n: [1, { x: null }] })

it.effect.prop(
  "assembles the same answer from any split into tokens and packets",
  { tokens: Schema.NonEmptyArray(small), packets: Schema.NonEmptyArray(small) },
  ({ packets, tokens }) =>
    Effect.scoped(Effect.gen(function*() {
      const stream = [
        ...cutUnits(text, tokens).map((piece) => chunk({ reasoning: piece })),
        ...cutUnits(text, tokens).map((piece) => chunk({ content: piece })),
        chunk({ tool_calls: [{ index: 0, id: "a", function: { name: "one", arguments: "" } }] }),
        chunk({ tool_calls: [{ index: 1, id: "b", function: { name: "two", arguments: "" } }] }),
        ...cutUnits(args, tokens).flatMap((piece) =>
          [1, 0].map((index) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))
        ),
        chunk({}, "tool_calls"),
        "data: [DONE]\n\n"
      ].join("")
      const bytes = Buffer.from(stream)
      const acts: Array<FakeResponseStep> = []
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const size = packets[i % packets.length]! * 37
        acts.push({ raw: bytes.subarray(at, at + size) })
        at += size
      }
      const server = yield* makeFakeModel([{ acts: [...acts, "end"] }])
      const parts = yield* collectParts(server)
      for (const part of parts) {
        if (part._tag === "Text" || part._tag === "Reasoning") {
          assert.isTrue(part.text !== "" && part.text.isWellFormed())
        }
      }
      const { calls, end, reasoning, text: summaryText } = summarizeParts(parts)
      assert.strictEqual(summaryText, text)
      assert.strictEqual(reasoning, text)
      assert.deepStrictEqual(calls, [["one", args], ["two", args]])
      assert.deepInclude(end, { reason: "Calls" })
    })),
  { arbitrary: { runs: 40 } }
)

it.effect.prop(
  "ends or fails an answer, without a defect, for any JSON of a server",
  { events: Schema.Array(Schema.Json), inside: Schema.Array(Schema.Json) },
  ({ events, inside }) =>
    Effect.scoped(Effect.gen(function*() {
      const acts: ReadonlyArray<FakeResponseStep> = [
        ...events.map((data): FakeResponseStep => ({ data: JSON.stringify(data) })),
        ...inside.flatMap((some): ReadonlyArray<FakeResponseStep> => [
          { choice: { delta: { content: some, tool_calls: some, reasoning: some }, finish_reason: some } },
          { choice: { delta: { tool_calls: [{ index: some, id: some, function: { name: some, arguments: some } }] } } },
          { data: { type: "response.output_item.done", item: { type: "function_call", name: some, arguments: some } } },
          { data: { type: "response.completed", response: { output: some, usage: some, incomplete_details: some } } }
        ])
      ]
      const server = yield* makeFakeModel([{ acts }])
      for (const api of ["chat", "responses"] as const) {
        // `Effect.result` catches only failures, so a defect would end the test.
        const result = yield* Effect.result(collectParts(server, {}, { api }))
        if (result._tag === "Success") assert.strictEqual(result.success.at(-1)?._tag, "End")
      }
    })),
  { arbitrary: { runs: 40 } }
)
