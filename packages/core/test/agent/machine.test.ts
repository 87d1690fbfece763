import { assert, describe, it } from "@effect/vitest"
import {
  ContentFiltered,
  ContextExceeded,
  type ModelError,
  type ModelPart,
  ModelRateLimited,
  ModelRefused,
  ModelTimeout,
  ModelUnavailable
} from "@tapeline/core/agent"
import { isFullRun } from "@tapeline/testing/fullRun"
import type { Schema } from "effect"
import fc from "fast-check"
import type { Bounds } from "../../src/agent/machine/bounds.ts"
import { describeCall } from "../../src/agent/machine/describeCall.ts"
import { isFullyVisible } from "../../src/agent/machine/proposals.ts"
import { foldEvents, hasOutput } from "../../src/agent/machine/shownOutput.ts"
import { decodeSteps } from "../../src/agent/machine/steps.ts"
import { type Disturbance, MachineRun, type ModelScript, type RunPlan } from "./MachineRun.ts"

const bounds: Bounds = {
  steps: 4,
  toolCalls: 6,
  toolCredits: 60,
  tokens: 200_000,
  runMs: 300_000,
  graceMs: 60_000,
  attempts: 3,
  silenceMs: 120_000,
  stepOutputTokens: 100,
  maxConcurrentCalls: 8,
  resultTokens: 2_000
}

const tools: RunPlan["tools"] = new Map([
  ["cheap", { credits: 1, writes: false }],
  ["dear", { credits: 20, writes: false }],
  ["run_code", { credits: 5, writes: false }],
  ["writer", { credits: 1, writes: true }]
])

const usage = { inputTokens: 50, outputTokens: 5, cachedTokens: 0, reasoningTokens: 0 }
const text = (text: string): ModelPart => ({ _tag: "Text", text })
const reasoning = (text: string): ModelPart => ({ _tag: "Reasoning", text })
const call = (name: string, args = "{}"): ModelPart => ({ _tag: "Call", name, arguments: args })
const over = (reason: "Stop" | "Calls" | "Length" | "Filtered" = "Stop"): ModelPart => ({ _tag: "End", reason, usage })

const unavailableError: ModelError = new ModelUnavailable({ detail: "broke off" })
const errors: ReadonlyArray<ModelError> = [
  unavailableError,
  new ModelRateLimited({ retryAfterMs: 10 }),
  new ModelTimeout({ waitedMs: 60_000 }),
  new ModelRefused({ detail: "no such model" }),
  new ContextExceeded({ detail: "too long" }),
  new ContentFiltered({ detail: "content_filter" })
]

// Some pieces end within a surrogate pair, because a model may split its text at any position.
const pieces = fc.constantFrom(
  "BTC ",
  "<!-- ",
  "\n```\n",
  "🚀",
  "\ud83d",
  "\ude80",
  "\0",
  "",
  "\n",
  "한국어",
  "рубль",
  "x".repeat(300)
)
const part: fc.Arbitrary<ModelPart> = fc.oneof(
  { weight: 4, arbitrary: pieces.map(text) },
  { weight: 2, arbitrary: pieces.map((text): ModelPart => ({ _tag: "Reasoning", text })) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constantFrom(
        "cheap",
        "dear",
        "run_code",
        "writer",
        "known_fact",
        "no_such_tool",
        "\0",
        "\ud83d"
      ),
      fc.oneof(
        fc.constantFrom("{}", "", "{\"coin\":\"BTC\"}", "{", "null", "\"\\u0000\"", "[".repeat(200)),
        fc.nat(9).map((n) => JSON.stringify({ n }))
      )
    ).map(([name, args]) => call(name, args))
  },
  { weight: 1, arbitrary: fc.constantFrom("Stop", "Calls", "Length", "Filtered").map((reason) => over(reason)) },
  { weight: 1, arbitrary: fc.constant<ModelPart>({ _tag: "End", reason: "Stop", usage: null }) }
)
const script: fc.Arbitrary<ModelScript> = fc.record({
  parts: fc.array(part, { maxLength: 8 }),
  error: fc.constantFrom(...errors)
})
const disturbance = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Disturbance>("none") },
  { weight: 1, arbitrary: fc.constantFrom<Disturbance>("crash", "cancel", "late", "tooLate", "stale") }
)
const plan: fc.Arbitrary<RunPlan> = fc.record({
  scripts: fc.array(script, { minLength: 1, maxLength: 6 }),
  disturbances: fc.array(disturbance, { maxLength: 60 }),
  tools: fc.constant(tools),
  bounds: fc.constant(bounds)
})

const runMachine = (
  scripts: ReadonlyArray<ReadonlyArray<ModelPart>>,
  disturbances: ReadonlyArray<Disturbance> = [],
  error: ModelError = unavailableError
) => {
  const run = new MachineRun({ scripts: scripts.map((parts) => ({ parts, error })), disturbances, tools, bounds }).run()
  run.check()
  return run
}

/**
 * Returns the error code of an answer, how its reservation ended, and whether its message states that nothing was
 * charged.
 */
const endingOf = ({ ends: [end], log }: MachineRun) => {
  const done = log.find(({ kind }) => kind === "done")
  const error = done?.kind === "done" ? done.data.error : undefined
  return [error?.code, end?.settlement._tag, error?.message.endsWith("Nothing was charged.")]
}

const runs = isFullRun ? 20_000 : 1_500

describe("Answer state machine", () => {
  it("keeps all invariants for any model output, tool results, crashes and cancels", () => {
    fc.assert(
      fc.property(plan, (plan) => {
        const run = new MachineRun(plan).run()
        run.check()
        assert.lengthOf(run.ends, 1)
      }),
      { numRuns: runs }
    )
  })

  it("does not charge an answer that failed while no call was executed except a rejected script", () => {
    const run = runMachine(
      [[call("run_code", "\"\\u0000\""), call("cheap"), call("cheap"), over()], []],
      ["none", "none", "none", "none", "none", "tooLate"]
    )
    assert.deepStrictEqual(endingOf(run), ["no_answer", "Release", true])
  })

  it("repeats no finished call after a crash, and shows no different text", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom<Disturbance>("none", "crash"), { maxLength: 30 }), (disturbances) => {
        const scripts = [[text("Looking."), call("cheap"), call("dear"), over("Calls")]]
        const run = new MachineRun({
          scripts: scripts.map((parts) => ({ parts, error: unavailableError })),
          disturbances,
          tools,
          bounds
        }).run()
        run.check()
        const results = run.stored.filter(({ name }) => name.startsWith("call:")).length
        assert.isAtMost(results, run.madeCalls.length)
      }),
      { numRuns: 200 }
    )
  })

  it("keeps text before calls as a separate paragraph of the answer", () => {
    const run = runMachine([[text("Let me look."), call("cheap"), over("Calls")], [text("BTC is up."), over()]])
    assert.strictEqual(run.ends[0]?.answer?.content, "Let me look.\n\nBTC is up.")
    assert.deepStrictEqual(run.madeCalls, ["1.1"])
  })

  it("counts every step with model output, including the last one", () => {
    const run = runMachine([[text("Look."), call("cheap"), over("Calls")], [text("Up."), over()]])
    assert.deepInclude(run.ends[0]?.consumed, { steps: 2, toolCalls: 1, outputTokens: 10 })
  })

  it("joins a surrogate pair that is split across parts", () => {
    const run = runMachine([[text("a\ud83d"), text("\ude80b"), over()]])
    assert.strictEqual(run.ends[0]?.answer?.content, "a🚀b")
  })

  it("withdraws the text of a broken stream, and retries", () => {
    const run = runMachine([[text("half an ans")], [text("whole"), over()]])
    assert.strictEqual(run.ends[0]?.answer?.content, "whole")
    assert.isTrue(run.log.some((event) => event.kind === "status" && event.data.phase === "retrying"))
  })

  it("fails uncharged after the maximum number of attempts", () => {
    const run = runMachine([[text("half")]])
    assert.strictEqual(run.requestCount, bounds.attempts)
    assert.deepStrictEqual([run.ends[0]?.outcome, run.ends[0]?.settlement._tag], ["failed", "Release"])
  })

  it("shortens the context once if the model rejects it as too long", () => {
    const tooLong = new ContextExceeded({ detail: "too long" })
    assert.strictEqual(runMachine([[], [text("short"), over()]], [], tooLong).ends[0]?.outcome, "finished")
    assert.strictEqual(runMachine([[]], [], tooLong).requestCount, 2)
  })

  it("makes at most `toolCalls` of 500 requested calls, and then requests the answer", () => {
    const manyCalls = [...Array.from({ length: 500 }, () => call("cheap")), over("Calls")]
    const run = runMachine([manyCalls, [text("Enough."), over()]])
    assert.deepStrictEqual([run.madeCalls.length, run.lastStepRequestCount, run.ends[0]?.outcome], [6, 1, "finished"])
  })

  it("keeps the data of the provider for calls that exceed the length limit", () => {
    const longCall = call("cheap", JSON.stringify({ note: "x".repeat(8 * bounds.stepOutputTokens) }))
    const end: ModelPart = { _tag: "End", reason: "Calls", usage, providerState: "state" }
    const run = runMachine([[longCall, call("cheap"), end], [text("Done."), over()]])
    const [step] = decodeSteps(run.stored)
    assert.deepInclude(step, { providerState: "state", usage })
    assert.lengthOf(run.madeCalls, 2)
  })

  it("ends a model that keeps calling tools with the text so far, or as failed without text", () => {
    const run = runMachine([[text("One."), call("dear"), over("Calls")]])
    assert.strictEqual(run.ends[0]?.outcome, "finished")
    assert.strictEqual(run.ends[0]?.consumed.toolCredits, 60)
    assert.strictEqual(runMachine([[call("dear"), over("Calls")]]).ends[0]?.outcome, "failed")
  })

  it("turns a call of a tool that writes into a proposal, and does not make it", () => {
    const run = runMachine([[call("writer", "{\"n\":1}"), over("Calls")], [text("See there."), over()]])
    assert.deepStrictEqual(run.madeCalls, [])
    assert.deepStrictEqual(run.ends[0]?.answer?.tools, [{ name: "writer", ok: false, callId: "1.1" }])
    assert.deepStrictEqual(run.ends[0]?.proposals, [
      { call: "1.1", tool: "writer", arguments: { n: 1 }, summary: "s", version: null, lang: "en" }
    ])
    const done = run.log.find((event) => event.kind === "done")
    assert.deepStrictEqual(
      done?.kind === "done" ? done.data.proposals : null,
      [{ id: "p_7_1.1", tool: "writer", arguments: { n: 1 }, summary: "s" }]
    )
  })

  it("stores a step with proposals only with their results, so that no other process executes the calls", () => {
    const scripts = [[call("writer", "{\"n\":1}"), call("cheap"), over("Calls")], [text("See there."), over()]]
    for (let crashAt = 1; crashAt < 9; crashAt++) {
      const disturbances: ReadonlyArray<Disturbance> = [...Array<Disturbance>(crashAt).fill("none"), "crash"]
      const run = runMachine(scripts, disturbances)
      const names = run.stored.map(({ name }) => name)
      const isProposed = run.log.some((event) => event.kind === "tool" && event.data.name === "writer")
      assert.deepStrictEqual([names.includes("step:1"), names.includes("call:1.1")], [isProposed, isProposed])
      assert.notInclude(run.madeCalls, "1.1")
    }
  })

  it("proposes the same call once, and at most five calls", () => {
    const calls = [1, 2, 1, 3, 4, 5, 6, 7].map((n) => call("writer", `{"n":${n}}`))
    const run = new MachineRun({
      scripts: [[...calls, over("Calls")], [text("See there."), over()]].map((parts) => ({
        parts,
        error: unavailableError
      })),
      disturbances: [],
      tools,
      bounds: { ...bounds, toolCalls: 20 }
    }).run()
    run.check()
    assert.deepStrictEqual(run.ends[0]?.proposals.map(({ call }) => call), ["1.1", "1.2", "1.4", "1.5", "1.6"])
  })

  it("makes the first calls of tools that write if the caller allows writes, and proposes the others", () => {
    const write = (n: number) => call("writer", `{"n":${n}}`)
    const run = new MachineRun({
      scripts: [
        [write(1), write(2), over("Calls")],
        [write(3), write(4), over("Calls")],
        [text("Done."), over()]
      ].map((parts) => ({ parts, error: unavailableError })),
      disturbances: ["none", "none", "none", "none", "crash"],
      tools,
      bounds,
      maxDirectWrites: 3
    }).run()
    run.check()
    assert.deepStrictEqual([...new Set(run.madeCalls)].sort(), ["1.1", "1.2", "2.1"])
    assert.deepStrictEqual(run.ends[0]?.proposals.map(({ call }) => call), ["2.2"])
  })

  it("answers a call for a known fact without making it", () => {
    assert.deepStrictEqual(runMachine([[call("known_fact"), over("Calls")], [text("1"), over()]]).madeCalls, [])
  })

  it("keeps and charges the shown text of a cancelled answer, and charges nothing without text", () => {
    const scripts = [[text("half"), text(" of"), call("cheap"), over("Calls")]]
    const cancelledRun = runMachine(scripts, ["none", "none", "none", "none", "none", "cancel"])
    assert.deepStrictEqual([cancelledRun.ends[0]?.answer?.content, cancelledRun.ends[0]?.settlement._tag], [
      "half of",
      "Settle"
    ])
    assert.strictEqual(runMachine(scripts, ["none", "cancel"]).ends[0]?.settlement._tag, "Release")
  })

  it("counts an open call of run_code as output, and no failed call", () => {
    const tool = (name: string) => ({ kind: "tool", data: { call_id: "1.1", name, arguments: "{}", step: 1 } }) as const
    const failed = { kind: "tool_done", data: { call_id: "1.1", name: "run_code", ok: false, took_ms: 5 } } as const
    assert.isTrue(hasOutput(foldEvents([tool("run_code")])))
    assert.isFalse(hasOutput(foldEvents([tool("get_price")])))
    assert.isFalse(hasOutput(foldEvents([tool("run_code"), failed])))
  })

  it("does not charge a cancelled answer whose text was withdrawn", () => {
    const run = runMachine([[text("half")]], ["none", "none", "none", "cancel"])
    assert.deepStrictEqual(run.log.filter(({ kind }) => kind === "delta").map(({ data }) => data), [
      { offset: 0, text: "half" },
      { offset: 0, text: "" }
    ])
    assert.deepStrictEqual([run.ends[0]?.outcome, run.ends[0]?.settlement._tag], ["cancelled", "Release"])
  })

  it("charges an answer that fails because of the request, if output is shown", () => {
    const lookupScript = [text("BTC is up."), call("cheap"), over("Calls")]
    const called = [call("cheap"), over("Calls")]
    const failing = [call("no_such_tool"), over("Calls")]
    const tooLong = new ContextExceeded({ detail: "too long" })
    const filtered = new ContentFiltered({ detail: "content_filter" })
    const emptySteps = Array.from({ length: bounds.attempts }, () => [over()])
    const thinking = [reasoning("hm"), over()]
    const endings = [
      runMachine([lookupScript, [], []], [], tooLong),
      runMachine([called, [over("Filtered")]]),
      runMachine([[text("BTC is"), over("Filtered")]]),
      runMachine([lookupScript, [over("Filtered")]]),
      runMachine([called, []], [], filtered),
      runMachine([[text("BTC is")]], [], filtered),
      runMachine([called, ...emptySteps]),
      runMachine([thinking]),
      runMachine([called]),
      runMachine([[over("Filtered")]]),
      runMachine([[]], [], tooLong),
      runMachine([[]], [], filtered),
      runMachine([failing, ...emptySteps])
    ].map(endingOf)
    assert.deepStrictEqual(endings, [
      ["context_exceeded", "Settle", false],
      ["filtered", "Settle", false],
      ["filtered", "Settle", false],
      ["filtered", "Settle", false],
      ["filtered", "Settle", false],
      ["filtered", "Settle", false],
      ["no_answer", "Settle", false],
      ["no_answer", "Settle", false],
      ["no_answer", "Settle", false],
      ["filtered", "Release", true],
      ["context_exceeded", "Release", true],
      ["filtered", "Release", true],
      ["no_answer", "Release", true]
    ])
  })

  it("neither shows nor charges an answer without a visible character", () => {
    for (const blank of [" \n\t\u00a0", "\u200b\ufeff\u2060", "\r\0\u0007", "\u3164\ufe0f"]) {
      const blanks = Array.from(
        { length: bounds.attempts },
        () => [reasoning(blank), ...Array.from(blank, text), over()]
      )
      const run = runMachine(blanks)
      assert.deepStrictEqual(endingOf(run), ["no_answer", "Release", true], JSON.stringify(blank))
      assert.strictEqual(run.ends[0]?.answer, null)
      assert.deepStrictEqual(run.log.filter(({ kind }) => kind === "delta" || kind === "reasoning"), [])
      const cancelled = runMachine(blanks, ["none", "none", "none", "cancel"])
      assert.strictEqual(cancelled.ends[0]?.settlement._tag, "Release")
    }
  })

  it("shows the space before the first visible character, wherever the model splits the text", () => {
    const run = runMachine([["\n", " ", "\ud83d", "\ude80", " ", "up"].map(text).concat(over())])
    assert.strictEqual(run.ends[0]?.answer?.content, "\n \u{1f680} up")
  })

  it("does not charge an answer that fails because of the provider, even if output is shown", () => {
    const lookupScript = [text("BTC is up."), call("cheap"), over("Calls")]
    const outages = errors.filter(({ _tag }) => _tag !== "ContextExceeded" && _tag !== "ContentFiltered")
    const endings = outages.map((error) => endingOf(runMachine([lookupScript, [], [], []], [], error)))
    assert.deepStrictEqual(endings, [
      ["model_unavailable", "Release", true],
      ["model_unavailable", "Release", true],
      ["model_unavailable", "Release", true],
      ["model_refused", "Release", true]
    ])
  })

  it("reports a silent provider at the time limit as unavailable, and a reasoning model as no_answer", () => {
    const atLimit = (parts: ReadonlyArray<ModelPart>, beforeLimit: number) =>
      endingOf(runMachine([[call("cheap"), over("Calls")], parts], [
        ...Array.from({ length: beforeLimit }, (): Disturbance => "none"),
        "tooLate"
      ]))
    // The inputs before the second request are `Begin`, two parts and a tool result, so `beforeLimit` is at least 4.
    assert.deepStrictEqual(atLimit([], 4), ["model_unavailable", "Release", true])
    assert.deepStrictEqual(atLimit([reasoning("hm"), reasoning("hm")], 5), ["no_answer", "Settle", false])
    // The broken attempt's reasoning is withdrawn before the pause, so no output remains.
    assert.deepStrictEqual(atLimit([reasoning("hm")], 6), ["model_unavailable", "Release", true])
  })
})

describe("Display of a proposal", () => {
  it("states whether a call applies to all of a position or to a part of it", () => {
    const descriptionOf = (tool: string, args: Schema.Json) => describeCall(tool, args, "en").split(":")[0]
    for (const rest of [{}, { fraction: null }, { fraction: 1 }]) {
      assert.strictEqual(descriptionOf("close_position", { id: 3, exit: 9, ...rest }), "Close a whole position")
    }
    assert.strictEqual(descriptionOf("close_position", { id: 3, exit: 9, fraction: 0.5 }), "Close part of a position")
    assert.strictEqual(descriptionOf("mark_notifications_read", {}), "Mark all notifications as read")
    assert.strictEqual(descriptionOf("mark_notifications_read", { ids: [1] }), "Mark notifications as read")
  })

  it("rejects text that blanks or combining marks could hide", () => {
    const isSeen = (text: string) => isFullyVisible({ arguments: { text }, summary: "", version: null })
    assert.isTrue(isSeen("Sold too early,  нашёл поздно, 늦었다, été"))
    for (
      const one of [`a${"\u0336\u0489\u0337".repeat(9)}`, `a${"\u2800".repeat(9)}b`, `a${" ".repeat(300)}b`, "a`b"]
    ) {
      assert.isFalse(isSeen(one), JSON.stringify(one))
    }
  })
})
