import type { AnswerEvent, Message, Proposal } from "@tapeline/client"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type History,
  isRunningRegeneration,
  messagesDuringAnswer,
  withNewest,
  withOlder
} from "../browser/pages/analyst/history.ts"
import { findImageFault, imageLimits } from "../browser/pages/analyst/images.ts"
import { findChart, remainingCharts, safeExternalUrl } from "../browser/pages/analyst/links.ts"
import { applyEvent, emptyAnswer, hasShownOutput } from "../browser/pages/analyst/liveAnswer.ts"
import { openProposalMessage, readFields, toFields } from "../browser/pages/analyst/proposals.ts"

const message = (id: number, role: Message["role"] = id % 2 === 1 ? "user" : "assistant", content = ""): Message => ({
  id,
  role,
  content,
  created_at: "2026-11-22T12:00:00.000Z",
  lang: "en",
  images: [],
  charts: [],
  tools: [],
  suggestions: [],
  proposals: [],
  outcome: role === "assistant" ? "finished" : null
})

/**
 * Returns the service's response with one page of a conversation: at most `limit` messages before `cursor`, newest
 * first.
 */
const pageOf = (ids: ReadonlyArray<number>, limit: number, cursor: string | null = null) => {
  const pageIds = ids.filter((id) => cursor === null || id < Number(cursor)).toReversed()
  const page = pageIds.slice(0, limit)
  return {
    messages: page.map((id) => message(id)),
    next_cursor: pageIds.length > limit ? String(page.at(-1)) : null
  }
}

const idsOf = ({ messages }: History) => messages.map(({ id }) => id)

describe("An answer built from its events", () => {
  const event = (n: number, kind: string, data: object) =>
    // The cast is safe because the tests pass data in the format of the service's events.
    ({ id: `7-${n}`, n, kind, data }) as AnswerEvent
  const fold = (events: ReadonlyArray<AnswerEvent>) => events.reduce(applyEvent, emptyAnswer)

  it("marks its running tools as stopped if it was cancelled, and as failed if it failed", () => {
    const startedCalls = ["1.1", "1.2", "1.3"].map((id, n) =>
      event(n, "tool", { call_id: id, name: "get_price", arguments: {}, step: 1 })
    )
    const toolDoneEvents = [["1.1", true, 4], ["1.2", false, 3], ["1.3", false, 0]].map(([id, ok, took_ms], n) =>
      event(3 + n, "tool_done", { call_id: id, name: "get_price", ok, took_ms })
    )
    const done = (outcome: string) => event(6, "done", { conversation_id: 5, outcome })
    const states = (outcome: string) =>
      fold([...startedCalls, ...toolDoneEvents, done(outcome)]).tools.map(({ state }) => state)
    expect(states("cancelled")).toEqual(["done", "failed", "stopped"])
    expect(states("failed")).toEqual(["done", "failed", "failed"])
  })

  it("has shown output only after a successful tool call, a thought or text", () => {
    const startEvents = [
      event(1, "conversation", { conversation_id: 5, lang: "en", mode: "analyst" }),
      event(2, "status", { phase: "thinking", step: 1, text: "Thinking" })
    ]
    const tool = event(3, "tool", { call_id: "1.1", name: "get_price", arguments: {}, step: 1 })
    const done = (ok: boolean) => event(4, "tool_done", { call_id: "1.1", name: "get_price", ok, took_ms: 1 })
    const delta = event(3, "delta", { offset: 0, text: "BTC" })
    const withdrawn = event(4, "delta", { offset: 0, text: "" })
    for (const events of [[], [tool], [tool, done(false)], [delta, withdrawn]]) {
      expect(hasShownOutput(fold([...startEvents, ...events]))).toBe(false)
    }
    for (
      const events of [[tool, done(true)], [event(3, "reasoning", { step: 1, offset: 0, text: "first" })], [delta]]
    ) {
      expect(hasShownOutput(fold([...startEvents, ...events]))).toBe(true)
    }
  })

  it("contains its text, tools, reasoning and charts", () => {
    const live = fold([
      event(1, "conversation", { conversation_id: 5, lang: "en", mode: "analyst" }),
      event(2, "status", { phase: "thinking", step: 1, text: "Thinking" }),
      event(3, "reasoning", { step: 1, offset: 0, text: "first" }),
      event(4, "reasoning", { step: 2, offset: 0, text: "then" }),
      event(5, "tool", { call_id: "1.1", name: "get_price", arguments: { coin: "BTC" }, step: 1 }),
      event(6, "tool", { call_id: "1.2", name: "make_chart", arguments: {}, step: 1 }),
      event(7, "tool_done", { call_id: "1.2", name: "make_chart", ok: true, took_ms: 9, url: "/v1/charts/c" }),
      event(8, "tool_done", { call_id: "1.1", name: "get_price", ok: false, took_ms: 3 }),
      event(9, "delta", { offset: 0, text: "BTC stends" }),
      event(10, "delta", { offset: 6, text: "ands" }),
      event(11, "reasoning", { step: 2, offset: 2, text: "e end" })
    ])
    expect(hasShownOutput(live)).toBe(true)
    expect(live.text).toBe("BTC stands")
    expect(live.reasoning).toEqual([{ step: 1, text: "first" }, { step: 2, text: "the end" }])
    expect(live.tools.map(({ name, state, tookMs }) => [name, state, tookMs])).toEqual([
      ["get_price", "failed", 3],
      ["make_chart", "done", 9]
    ])
    expect(live.charts).toEqual(["/v1/charts/c"])
    expect(live.lastId).toBe("7-11")
  })

  it("is replaced by the stored message if its events are no longer sent", () => {
    const storedEvent = {
      kind: "stored",
      data: { conversation_id: 5, message: message(8, "assistant", "whole") }
    } as const
    expect(fold([event(1, "delta", { offset: 0, text: "who" }), storedEvent])).toMatchObject({
      text: "whole",
      message: 8,
      lastId: "7-1"
    })
  })

  it("ignores unknown kinds of events", () => {
    expect(fold([event(1, "novelty", { offset: 0, text: "x" })])).toEqual({ ...emptyAnswer, lastId: "7-1" })
  })
})

describe("The history of a conversation", () => {
  it("has no gaps and stays in order, in whatever parts it is read while it grows", () => {
    fc.assert(fc.property(
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 0, max: 20 }),
      fc.array(fc.oneof(fc.constant("older" as const), fc.integer({ min: 0, max: 12 })), { maxLength: 12 }),
      (limit, startedCount, steps) => {
        const all = Array.from({ length: startedCount }, (_, i) => i + 1)
        const known = steps.reduce((history, step) => {
          if (step === "older") {
            return history.older === null ? history : withOlder(history, pageOf(all, limit, history.older))
          }
          for (let i = 0; i < step; i++) all.push(all.length + 1)
          return withNewest(history, pageOf(all, limit))
        }, withNewest(undefined, pageOf(all, limit)))
        const last = withNewest(known, pageOf(all, limit))
        const ids = idsOf(last)
        expect(ids).toEqual(all.slice(all.length - ids.length))
        expect(last.older === null).toBe(ids.length === all.length)
      }
    ))
  })

  it("drops an answer that was replaced", () => {
    const before = withNewest(undefined, pageOf([1, 2, 3, 4], 10))
    expect(idsOf(withNewest(before, pageOf([1, 2, 3, 5], 3)))).toEqual([1, 2, 3, 5])
  })

  it("is shown without the question of a running answer and the answer that it replaces", () => {
    const messages = [message(1), message(2), message(3), message(4), message(5, "task")]
    const ids = (newestMessageId: number, isRegeneration: boolean) =>
      messagesDuringAnswer(messages, { newestMessageId, isRegeneration }).map(({ id }) => id)
    expect(ids(2, false)).toEqual([1, 2, 5])
    expect(ids(3, false)).toEqual([1, 2, 3, 5])
    expect(ids(5, true)).toEqual([1, 2, 3, 5])
    expect(isRunningRegeneration(messages)).toBe(true)
    expect(isRunningRegeneration(messages.slice(0, 3))).toBe(false)
    expect(isRunningRegeneration([])).toBe(false)
  })
})

describe("Proposals", () => {
  const proposal = (state: Proposal["state"]): Proposal => ({
    id: "p_12_1.1",
    conversation_id: 56,
    message_id: 2,
    tool: "update_position",
    arguments: { id: 17, stop: 58_000, notes: "moved" },
    summary: "Change a position",
    state,
    created_at: "2026-01-01T00:00:00.000Z",
    expires_at: "2026-01-02T00:00:00.000Z",
    envelope: null,
    error: null,
    report_message_id: null
  })

  it("name the last message of a conversation while one of them is open", () => {
    const answer = message(12, "assistant", "So it is.")
    expect(openProposalMessage({ ...answer, proposals: [proposal("dismissed"), proposal("open")] })).toBe(12)
    expect(openProposalMessage({ ...answer, proposals: [proposal("accepted"), proposal("expired")] })).toBe(undefined)
    expect(openProposalMessage(undefined)).toBe(undefined)
  })

  it("are edited field by field, with numbers and lists as JSON", () => {
    const fields = toFields(proposal("open").arguments)
    expect(fields.map(({ text }) => text)).toEqual(["17", "58000", "moved"])
    expect(readFields(fields)).toEqual({ args: { id: 17, stop: 58_000, notes: "moved" } })
    const changed = fields.map((field) => field.name === "stop" ? { ...field, text: "59000" } : field)
    expect(readFields(changed)).toEqual({ args: { id: 17, stop: 59_000, notes: "moved" } })
    expect(readFields(fields.map((field) => ({ ...field, text: "1,5" })))).toEqual({ invalid: "id" })
  })
})

describe("Links in answers", () => {
  it("are removed unless they are absolute web addresses", () => {
    expect(safeExternalUrl("https://example.com/a?b=c")).toBe("https://example.com/a?b=c")
    for (
      const unsafeUrl of [
        "javascript:alert(1)",
        " java\nscript:alert(1)",
        "data:text/html,x",
        "//example.com",
        "/app/keys",
        "#x",
        "mailto:a@b",
        ""
      ]
    ) expect(safeExternalUrl(unsafeUrl), unsafeUrl).toBe("")
  })

  it("are resolved to a chart of the answer with the same path, on any host", () => {
    const charts = ["http://127.0.0.1:8787/v1/charts/abc"]
    expect(findChart("https://tapeline.example/v1/charts/abc", charts)).toBe(charts[0])
    expect(findChart("https://tapeline.example/v1/charts/other", charts)).toBeUndefined()
    expect(findChart(undefined, charts)).toBeUndefined()
    expect(remainingCharts(`Here: ${charts[0]}`, charts)).toEqual([])
    expect(remainingCharts("Here.", charts)).toEqual(charts)
  })
})

it("rejects images that exceed the service's limits or have another type", () => {
  const image = (size: number, type = "image/png") => ({ type, size })
  const attached = (count: number, bytes: number) => Array.from({ length: count }, () => ({ bytes }))
  expect(findImageFault(image(imageLimits.bytes), [])).toBeUndefined()
  expect(findImageFault(image(imageLimits.bytes + 1), [])).toBe("bytes")
  expect(findImageFault(image(1, "image/svg+xml"), [])).toBe("type")
  expect(findImageFault(image(1), attached(imageLimits.count, 1))).toBe("count")
  expect(findImageFault(image(imageLimits.bytes), attached(2, imageLimits.bytes))).toBe("all bytes")
})
