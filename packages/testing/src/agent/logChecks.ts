import { assert } from "@effect/vitest"
import type { GenerationEvent } from "@tapeline/core/agent"

/** The content of an answer, which a reader reconstructs from the log of the generation. */
export interface LogContent {
  readonly text: string
  readonly reasoning: ReadonlyMap<number, string>
  readonly kinds: ReadonlyArray<GenerationEvent["kind"]>
  readonly done: Extract<GenerationEvent, { readonly kind: "done" }>["data"] | null
  readonly callIds: ReadonlyArray<string>
  readonly finishedCallIds: ReadonlyArray<string>
  readonly hasSucceededCall: boolean
  /** Whether a call of the tool `run_code` was still open when the answer ended. */
  readonly hasOpenScript: boolean
}

/**
 * Returns the first `offset` characters of `before`, followed by `piece`. Fails the test if `before` has fewer than
 * `offset` characters.
 */
const applyPiece = (before: string, offset: number, piece: string): string => {
  assert.isAtMost(offset, before.length, "an offset leaves a gap")
  assert.isTrue(piece.isWellFormed(), "a surrogate pair is split")
  return before.slice(0, offset) + piece
}

/**
 * Returns whether event `i` was added to close a tool call that was open when the answer ended. The added event comes
 * before the `done` event, with a duration of 0 ms.
 */
const isClosedByEnd = (events: ReadonlyArray<GenerationEvent>, i: number): boolean => {
  const next = events.slice(i).find((event) => event.kind !== "tool_done" || event.data.ok || event.data.took_ms !== 0)
  return next?.kind === "done"
}

/**
 * Reads the log of a generation from the beginning and checks its invariants. Text offsets have no gaps, every tool
 * call ends once, and only `suggest` events follow the `done` event. `wasExecuted` returns false for a call that was
 * rejected. In the log, a call that was rejected at once looks like a call that was open when the answer ended.
 */
export const readLog = (
  events: ReadonlyArray<GenerationEvent>,
  wasExecuted: (callId: string) => boolean = () => true
): LogContent => {
  let text = ""
  const reasoning = new Map<number, string>()
  const callIds: Array<string> = []
  const finishedCallIds: Array<string> = []
  let done: LogContent["done"] = null
  let hasSuggestions = false
  let hasSucceededCall = false
  let hasOpenScript = false
  events.forEach((event, i) => {
    assert.strictEqual(event.kind === "conversation", i === 0, "`conversation` comes first, and once")
    assert.isFalse(hasSuggestions, "nothing follows `suggest`")
    if (done !== null) assert.strictEqual(event.kind, "suggest", "nothing but `suggest` follows `done`")
    switch (event.kind) {
      case "delta":
        text = applyPiece(text, event.data.offset, event.data.text)
        break
      case "reasoning":
        reasoning.set(
          event.data.step,
          applyPiece(reasoning.get(event.data.step) ?? "", event.data.offset, event.data.text)
        )
        break
      case "tool":
        assert.match(event.data.call_id, /^[1-9]\d*\.[1-9]\d*$/)
        assert.isFalse(callIds.includes(event.data.call_id), "a call is shown once")
        callIds.push(event.data.call_id)
        break
      case "tool_done":
        assert.isTrue(callIds.includes(event.data.call_id), "a call is done after it was shown")
        assert.isFalse(finishedCallIds.includes(event.data.call_id), "a call is done once")
        finishedCallIds.push(event.data.call_id)
        if (event.data.ok) hasSucceededCall = true
        if (event.data.name === "run_code" && isClosedByEnd(events, i) && wasExecuted(event.data.call_id)) {
          hasOpenScript = true
        }
        break
      case "done":
        done = event.data
        assert.sameMembers([...finishedCallIds], [...callIds], "no call is left open")
        break
      case "suggest":
        hasSuggestions = true
        assert.strictEqual(done?.outcome, "finished")
        break
      default:
    }
  })
  return {
    text,
    reasoning,
    kinds: events.map(({ kind }) => kind),
    done,
    callIds,
    finishedCallIds,
    hasSucceededCall,
    hasOpenScript
  }
}

/**
 * Returns whether the account must pay for an ended answer. An account pays for an answer that finished, or that ended
 * early after showing output. Output is text, reasoning, a successful tool call or an open call of `run_code`.
 */
export const shouldBeCharged = ({ done, hasOpenScript, reasoning, hasSucceededCall, text }: LogContent): boolean => {
  const isEndedEarly = done?.outcome === "cancelled" ||
    ["context_exceeded", "filtered", "no_answer"].includes(done?.error?.code ?? "")
  const hasOutput = hasSucceededCall || hasOpenScript || text !== "" ||
    [...reasoning.values()].some((one) => one !== "")
  return done?.outcome === "finished" || (isEndedEarly && hasOutput)
}
