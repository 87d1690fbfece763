import { assert } from "@effect/vitest"
import { dayMs, hourMs, minuteMs, specifications } from "@tapeline/core"
import { isFullRun } from "@tapeline/testing/fullRun"
import { seed } from "@tapeline/testing/seed"
import { callByName, collectNumbers } from "@tapeline/testing/toolCalls"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { gaps, now } from "./markets.ts"

const coins = ["SOL", "XRP", "LTC", "USDT", "NOSUCH"]
export const callTimes: Readonly<Record<string, number>> = {
  "on a usual day": now,
  "in the middle of an outage": gaps[2].from + 2 * hourMs,
  ...(isFullRun
    ? {
      "at a midnight": Math.floor(now / dayMs) * dayMs,
      "just after an outage": gaps[2].to + 7 * minuteMs,
      "late in an outage": gaps[0].from + 18 * hourMs
    }
    : {})
}

/**
 * The quarter (0 to 3) of all tools that the usual run tests on an ordinary day. Another quarter is tested during an
 * outage.
 */
const testedQuarter = seed % 4

interface ToolCall {
  readonly name: string
  readonly args: object
}

/** The time and the source of a tool's result, if the tool reports them. */
const Provenance = Schema.Struct({
  as_of: Schema.optionalKey(Schema.String),
  source: Schema.optionalKey(Schema.String)
})
const decodeProvenance = Schema.decodeUnknownSync(Provenance)

/** The tools without journal writes, because journal writes ask the market only whether a coin exists. */
const readingTools = specifications.filter(({ scope }) => scope !== "write:personal")

/**
 * Returns the calls of each tool: the tool's example, and the example with each kind of coin. The usual run makes only
 * one call per tool, at one of the two times.
 */
const makeToolCalls = (time: number) =>
  readingTools.flatMap(({ example, name, parameters }, nth): ReadonlyArray<ToolCall> => {
    if (!isFullRun && (nth + (time === now ? 0 : 2)) % 4 !== testedQuarter) return []
    const questions = "coin" in parameters.fields
      ? [example, ...coins.map((coin) => ({ ...example, coin }))]
      : [example]
    const turn = time === now ? 0 : 1 + nth % coins.length
    return (isFullRun ? questions : [questions[turn] ?? example]).map((args) => ({ name, args }))
  })

export const assertEveryTool = Effect.fnUntraced(function*(time: number) {
  yield* TestClock.setTime(time)
  for (const { args, name } of makeToolCalls(time)) {
    const { data, failure } = yield* callByName(name, args)
    const text = `${name} ${JSON.stringify(args)}`
    if (failure !== null) {
      // The market has no source of Korean investor flows, so the message names the missing setting.
      if (failure.code === "source_unavailable") assert.include(failure.message, "KRX_KEY", text)
      else assert.include(["no_data", "unknown_symbol"], failure.code, text)
      assert.isAbove(failure.message.length, 10, text)
      continue
    }
    assert.isTrue(collectNumbers(data).every(Number.isFinite), text)
    assert.notInclude(JSON.stringify(data), "NaN", text)
    const { as_of, source } = decodeProvenance(data)
    if (as_of !== undefined) assert.isAtMost(Date.parse(as_of), time, text)
    if (source !== undefined) assert.strictEqual(source, "simulated", text)
  }
})
