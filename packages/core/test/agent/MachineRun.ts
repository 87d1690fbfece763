import { assert } from "@effect/vitest"
import type {
  Generation,
  GenerationEnd,
  GenerationEvent,
  ModelError,
  ModelPart,
  StoredStep
} from "@tapeline/core/agent"
import { readLog, shouldBeCharged } from "@tapeline/testing/agent/logChecks"
import type { Bounds } from "../../src/agent/machine/bounds.ts"
import { buildEnd } from "../../src/agent/machine/generationEnd.ts"
import { makeProposedResult } from "../../src/agent/machine/proposals.ts"
import { parseArguments } from "../../src/agent/machine/requestedCall.ts"
import { foldEvents } from "../../src/agent/machine/shownOutput.ts"
import type { Command, Input, RunOutcome, RunState, Setup } from "../../src/agent/machine/state.ts"
import { type CallResult, decodeSteps, noUsage } from "../../src/agent/machine/steps.ts"
import { restoreRun, transition } from "../../src/agent/machine/transition.ts"

export interface ModelScript {
  readonly parts: ReadonlyArray<ModelPart>
  /** The error that ends the response if `parts` contains no `End`. */
  readonly error: ModelError
}

export type Disturbance = "none" | "crash" | "cancel" | "late" | "tooLate" | "stale"

export interface RunPlan {
  readonly scripts: ReadonlyArray<ModelScript>
  readonly disturbances: ReadonlyArray<Disturbance>
  readonly tools: Setup["tools"]
  readonly bounds: Bounds
  readonly maxDirectWrites?: number
}

export const generation: Generation = {
  id: 7,
  account: 1,
  conversation: 3,
  question: 4,
  brief: {
    principal: { account: 1, actor: { _tag: "Key", key: 1 }, plan: "pro", scopes: ["agent:chat", "read:market"] },
    lang: "en",
    mode: "analyst",
    coin: null,
    facts: {},
    replaces: null
  },
  reservation: {
    entry: 1,
    account: 1,
    month: "2026-01",
    tool: "agent.answer",
    credits: 20,
    origin: 1,
    reservedAt: 0,
    expiresAt: 300_000
  },
  state: "running",
  epoch: 1,
  nextN: 2,
  startedAt: 0,
  renewedAt: 0,
  endedAt: null,
  outcome: null,
  answer: null
}

const openingEvent: GenerationEvent = {
  kind: "conversation",
  data: { conversation_id: 3, lang: "en", mode: "analyst" }
}

/**
 * A simulated run without a clock and a store. The run keeps the stored steps, the events and the commands in memory.
 */
export class MachineRun {
  readonly log: Array<GenerationEvent> = [openingEvent]
  readonly stored: Array<StoredStep> = []
  readonly madeCalls: Array<string> = []
  ends: Array<GenerationEnd> = []
  closed = 0
  requestCount = 0
  lastStepRequestCount = 0
  maxStep = 0
  state: RunState = restoreRun([])
  #pending: Array<GenerationEvent> = []
  #queue: Array<Input> = []
  #mishap = 0
  ranMs = 0

  readonly plan: RunPlan

  constructor(plan: RunPlan) {
    this.plan = plan
  }

  get setup(): Setup {
    const { bounds, tools } = this.plan
    return {
      lang: "en",
      bounds,
      tools,
      facts: { known_fact: { value: 1 } },
      generation: generation.id,
      mayPropose: true,
      maxDirectWrites: this.plan.maxDirectWrites ?? 0,
      replacedWrites: []
    }
  }

  #flush(steps: ReadonlyArray<StoredStep> = []): void {
    for (const { name } of steps) {
      assert.isFalse(this.stored.some((step) => step.name === name), `${name} is stored twice`)
    }
    this.stored.push(...JSON.parse(JSON.stringify(steps)))
    this.log.push(...this.#pending)
    this.#pending = []
  }

  #script(): ModelScript {
    return this.plan.scripts[(this.requestCount - 1) % this.plan.scripts.length]!
  }

  #end(runOutcome: RunOutcome, fromStore: boolean): void {
    const shownOutput = fromStore ? foldEvents(this.log) : this.state.shownOutput
    const generationEnd = buildEnd({
      generation,
      runOutcome,
      shownOutput,
      finishedSteps: decodeSteps(this.stored),
      step: fromStore ? 0 : this.state.step,
      usage: fromStore ? noUsage : this.state.usage,
      replacedWrites: [],
      checkedFigures: null,
      disclaimer: null,
      tookMs: this.ranMs,
      pending: this.#pending
    })
    this.#pending = []
    this.log.push(...generationEnd.events({ _tag: "Ended", creditsLeft: 5 }))
    this.ends.push(generationEnd)
  }

  #carryOut(command: Command): void {
    switch (command._tag) {
      case "CallModel": {
        this.requestCount += 1
        if (command.isLastStep) this.lastStepRequestCount += 1
        this.maxStep = Math.max(this.maxStep, command.step)
        const { error, parts } = this.#script()
        const { requestId } = command
        const at = parts.findIndex(({ _tag }) => _tag === "End")
        const partsToSend = at === -1 ? parts : parts.slice(0, at + 1)
        this.#queue = this.#queue.filter(({ _tag }) => _tag !== "Part" && _tag !== "ModelFailed")
        this.#queue.push(
          ...partsToSend.map((part): Input => ({ _tag: "Part", requestId, part, inputTokens: 10, ranMs: this.ranMs }))
        )
        if (at === -1) this.#queue.push({ _tag: "ModelFailed", requestId, error, inputTokens: 10, ranMs: this.ranMs })
        break
      }
      case "StopModel":
        this.#queue = this.#queue.filter(({ _tag }) => _tag !== "Part" && _tag !== "ModelFailed")
        break
      case "Pause":
        this.#queue.push({ _tag: "Retry", requestId: command.requestId, ranMs: this.ranMs })
        break
      case "CheckProposals": {
        const results = new Map(command.calls.map(({ arguments: args, callId, name }): [string, CallResult] => {
          const proposal = { arguments: parseArguments(args) ?? null, summary: "s", version: null }
          return [callId, makeProposedResult(name, proposal, "en")]
        }))
        this.#queue.push({ _tag: "ProposalsChecked", requestId: command.requestId, results, ranMs: this.ranMs })
        break
      }
      case "CallTools":
        // The results of tool calls arrive in another order than the calls.
        for (const { callId, name } of command.calls.toReversed()) {
          this.madeCalls.push(callId)
          const credits = this.plan.tools.get(name)?.credits ?? 0
          const result = { name, ok: true, text: JSON.stringify({ name }), credits }
          this.#queue.push({ _tag: "ToolResult", callId, result, tookMs: 3.5, ranMs: this.ranMs })
        }
        break
      case "End":
        this.#end(command.runOutcome, false)
        break
      case "Suggest":
        this.#queue = [{ _tag: "Suggestions", questions: ["And then?"] }]
        break
      case "Close":
        this.closed += 1
        if (command.questions.length > 0) {
          this.log.push({ kind: "suggest", data: { questions: command.questions } })
        }
    }
  }

  #give(input: Input): void {
    const stateBefore = this.state
    const result = transition(this.setup, stateBefore, input)
    this.state = result.state
    this.#pending.push(...result.events)
    if (result.steps.length > 0) this.#flush(result.steps)
    if (result.commands.some(({ _tag }) => _tag !== "End")) {
      if (!result.commands.some(({ _tag }) => _tag === "End")) this.#flush()
    }
    for (const command of result.commands) this.#carryOut(command)
  }

  #crash(): void {
    // A crash loses everything that is not stored yet, including all work in progress.
    this.#pending = []
    this.#queue = [{ _tag: "Begin", ranMs: this.ranMs }]
    this.state = restoreRun(decodeSteps(this.stored), foldEvents(this.log))
  }

  run(): this {
    this.#queue = [{ _tag: "Begin", ranMs: 0 }]
    for (let i = 0; this.#queue.length > 0; i++) {
      assert.isBelow(i, 20_000, "a run does not come to its end")
      const disturbance = this.ends.length > 0 ? "none" : this.plan.disturbances[this.#mishap++] ?? "none"
      if (disturbance === "crash") this.#crash()
      else if (disturbance === "stale") {
        this.#give({ _tag: "Retry", requestId: this.state.requestId - 1, ranMs: this.ranMs })
        this.#give({
          _tag: "ToolResult",
          callId: "99.1",
          result: { name: "x", ok: true, text: "1", credits: 0 },
          tookMs: 0,
          ranMs: this.ranMs
        })
      } else if (disturbance === "late" || disturbance === "tooLate") {
        const { graceMs, runMs } = this.plan.bounds
        this.ranMs = disturbance === "late" ? runMs : runMs + graceMs
        if (this.state.phase !== "Accepted") this.#give({ _tag: "Clock", ranMs: this.ranMs })
      } else if (disturbance === "cancel") {
        this.#pending = []
        this.#end({ outcome: "cancelled", failure: null }, true)
        return this
      }
      const input = this.#queue.shift()
      if (input !== undefined) this.#give(input)
    }
    return this
  }

  /** Checks the invariants that hold for every run, after any disturbance. */
  check(): void {
    const { bounds } = this.plan
    const logContent = readLog(this.log, (callId) => this.madeCalls.includes(callId))
    assert.lengthOf(this.ends, 1, "it ends once")
    const [end] = this.ends
    const { answer, consumed, outcome, settlement } = end!
    assert.strictEqual(logContent.done?.outcome, outcome)
    assert.strictEqual(answer?.content ?? "", logContent.text, "deltas add up to the answer")
    assert.strictEqual(settlement._tag === "Settle", shouldBeCharged(logContent))
    assert.strictEqual(logContent.done?.credits_used, settlement._tag === "Settle" ? 20 : 0)
    assert.isTrue(outcome !== "finished" || logContent.text !== "", "a finished answer says something")
    assert.strictEqual(logContent.done?.error === undefined, outcome !== "failed")
    assert.strictEqual(this.closed, outcome === "finished" ? 1 : 0)
    assert.isAtMost(this.maxStep, bounds.steps)
    assert.isAtMost(logContent.callIds.length, bounds.toolCalls)
    assert.isAtMost(consumed.toolCredits, bounds.toolCredits)
    assert.isAtMost(consumed.steps, bounds.steps)
    const steps = decodeSteps(this.stored)
    assert.isTrue(
      logContent.text.startsWith(steps.map(({ text }) => text).join("")),
      "text before calls is the answer's"
    )
    for (const { calls } of steps) assert.includeMembers([...logContent.callIds], calls.map(({ callId }) => callId))
    // No proposed call was executed, and only a finished answer has proposals.
    const proposed = steps.flatMap(({ results }) => [...results].filter(([, { proposal }]) => proposal !== undefined))
    assert.isEmpty(proposed.filter(([callId]) => this.madeCalls.includes(callId)))
    assert.lengthOf(end!.proposals, outcome === "finished" ? proposed.length : 0)
    assert.isAtMost(proposed.length, 5)
    assert.deepStrictEqual(
      (logContent.done?.proposals ?? []).map(({ id }) => id),
      end!.proposals.map(({ call }) => `p_7_${call}`)
    )
    assert.deepStrictEqual(
      this.log.flatMap((event) => event.kind === "tool_done" ? event.data.proposal ?? [] : []).sort(),
      proposed.map(([callId]) => `p_7_${callId}`).sort()
    )
    const writes = steps.flatMap(({ calls }) => calls.filter(({ name }) => name === "writer"))
    const made = writes.filter(({ callId }) => this.madeCalls.includes(callId)).map(({ callId }) => callId)
    const direct = writes.slice(0, this.setup.maxDirectWrites).map(({ callId }) => callId)
    assert.includeMembers(direct, made)
    if (outcome === "finished" && this.ranMs === 0) {
      for (const { calls, results } of steps) assert.strictEqual(results.size, calls.length)
    }
  }
}
