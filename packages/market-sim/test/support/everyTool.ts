import { assert } from "@effect/vitest"
import { dayMs, hourMs, minuteMs, specifications } from "@tapeline/core"
import { seed } from "@tapeline/testing/seed"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { full } from "./counts.ts"
import { gaps, now } from "./patchy.ts"
import { ask } from "./toolsOver.ts"

/** Every number of a value. */
const numbersOf = (value: unknown): ReadonlyArray<number> =>
  typeof value === "number"
    ? [value]
    : typeof value === "object" && value !== null
    ? Object.values(value).flatMap(numbersOf)
    : []

const coins = ["SOL", "XRP", "LTC", "USDT", "NOSUCH"]
/** The instants at which every tool is called; three of them only at full counts. */
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

/** Each run of the normal suite draws a quarter of the tools for the usual day, and another for the outage. */
const quarter = seed % 4

interface Question {
  readonly name: string
  readonly args: object
}

/** Where an answer comes from, in those that tell it. */
const Provenance = Schema.Struct({
  as_of: Schema.optionalKey(Schema.String),
  source: Schema.optionalKey(Schema.String)
})
const provenanceIn = Schema.decodeUnknownSync(Provenance)

/** What writes a journal asks no venue but whether there is such a coin. */
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

/** Each tool answers with numbers, or says what is missing. */
export const everyTool = (time: number) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(time)
    for (const { args, name } of questionsAt(time)) {
      const { data, failure } = yield* ask(name, args)
      const text = `${name} ${JSON.stringify(args)}`
      if (failure !== null) {
        // Of Korean investors' flows this venue has no source; who asks is told what to set.
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
