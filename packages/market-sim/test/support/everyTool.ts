import { assert } from "@effect/vitest"
import { dayMs, hourMs, minuteMs, specifications } from "@tapeline/core"
import { seed } from "@tapeline/testing/seed"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { full } from "./counts.ts"
import { gaps, now } from "./patchy.ts"
import { ask } from "./toolsOver.ts"

/** Returns all numbers in a value. */
const numbersOf = (value: unknown): ReadonlyArray<number> =>
  typeof value === "number"
    ? [value]
    : typeof value === "object" && value !== null
    ? Object.values(value).flatMap(numbersOf)
    : []

const coins = ["SOL", "XRP", "LTC", "USDT", "NOSUCH"]
/** The times at which all tools are called. Three of them are used only at full counts. */
export const instants: Readonly<Record<string, number>> = {
  "on a usual day": now,
  "in the middle of an outage": gaps[2].from + 2 * hourMs,
  ...(full
    ? {
      "at a midnight": Math.floor(now / dayMs) * dayMs,
      "just after an outage": gaps[2].to + 7 * minuteMs,
      "late in an outage": gaps[0].from + 18 * hourMs
    }
    : {})
}

/** Each run of the normal suite tests a quarter of the tools on the usual day, and another quarter in the outage. */
const quarter = seed % 4

interface Question {
  readonly name: string
  readonly args: object
}

/** The time and source of a result, if it reports them. */
const Provenance = Schema.Struct({
  as_of: Schema.optionalKey(Schema.String),
  source: Schema.optionalKey(Schema.String)
})
const provenanceIn = Schema.decodeUnknownSync(Provenance)

/** Journal writes ask the market only whether a coin exists, so they are left out. */
const reading = specifications.filter(({ scope }) => scope !== "write:personal")

/**
 * Each tool's example, and the same with every kind of coin. The normal suite calls a tool once, at one of the
 * instants.
 */
const questionsAt = (time: number) =>
  reading.flatMap(({ example, name, parameters }, nth): ReadonlyArray<Question> => {
    if (!full && (nth + (time === now ? 0 : 2)) % 4 !== quarter) return []
    const questions = "coin" in parameters.fields
      ? [example, ...coins.map((coin) => ({ ...example, coin }))]
      : [example]
    const turn = time === now ? 0 : 1 + nth % coins.length
    return (full ? questions : [questions[turn] ?? example]).map((args) => ({ name, args }))
  })

/** Asserts that each tool returns finite numbers or reports missing data. */
export const everyTool = (time: number) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(time)
    for (const { args, name } of questionsAt(time)) {
      const { data, failure } = yield* ask(name, args)
      const text = `${name} ${JSON.stringify(args)}`
      if (failure !== null) {
        // This venue has no source of Korean investor flows, so the message names the setting.
        if (failure.code === "source_unavailable") assert.include(failure.message, "KRX_KEY", text)
        else assert.include(["no_data", "unknown_symbol"], failure.code, text)
        assert.isAbove(failure.message.length, 10, text)
        continue
      }
      assert.isTrue(numbersOf(data).every(Number.isFinite), text)
      assert.notInclude(JSON.stringify(data), "NaN", text)
      const { as_of, source } = provenanceIn(data)
      if (as_of !== undefined) assert.isAtMost(Date.parse(as_of), time, text)
      if (source !== undefined) assert.strictEqual(source, "simulated", text)
    }
  })
