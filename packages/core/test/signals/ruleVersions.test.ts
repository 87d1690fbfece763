import { assert, describe, it } from "@effect/vitest"
import { type DerivedRead, type DerivedStore, hourMs, rules } from "@tapeline/core"
import { derivedEngine } from "@tapeline/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { hostileCoins, hostileHours, hostileStart } from "./hostileCoins.ts"
import { hostileMarket } from "./hostileMarket.ts"

/**
 * What each version of a rule makes of the hostile market, to nine digits, as whoever asks is told. A digest that
 * changes is another rule: give it another version in `rules.ts`, and write the digest of that version here. Never
 * write a new digest beside an old version: values of it may be stored.
 */
const digests: Readonly<Record<string, string>> = {
  "score/3": "eab8dbcedee5a943554ed8886f7ca72a",
  "divergence/3": "250da35145738a2ed25884ee50a84326",
  "regime/3": "9c278207ae7f1c364665c6692edb88ab",
  "coil/1": "84ad0d1218228c1bc1faf0591e83f42c",
  "fear_greed/3": "a1607694a0ec1807a15f430e6b516e9f",
  "signal/3": "8da04f54b4d904edd7fb20e16bb3248c"
}

type Derived = DerivedStore["Service"]

const end = hostileStart + hostileHours * hourMs

/** What is told, or that nothing is. */
const told = <A>(question: DerivedRead<A>): Effect.Effect<unknown> =>
  Effect.match(question, { onSuccess: ({ value }): unknown => value, onFailure: ({ _tag }) => _tag })

const ofCoins = <A>(ask: (coin: string) => DerivedRead<A>) =>
  Effect.forEach(hostileCoins, ({ coin }) => told(ask(coin)))

/** Asks an engine with nothing in its memory at every so many hours of an interval, as hours go by. */
const hourByHour = <A>(
  { every, from, to }: { readonly from: number; readonly to: number; readonly every: number },
  ask: (derived: Derived) => Effect.Effect<A>
) =>
  Effect.gen(function*() {
    const derived = yield* derivedEngine(hostileMarket)
    const answers: Array<A> = []
    for (let hour = from; hour <= to; hour += every) {
      yield* TestClock.setTime(hostileStart + hour * hourMs + 20 * 60_000)
      answers.push(yield* ask(derived))
    }
    return answers
  })

/** Asks one once, at the end of all that was recorded, when one more hour has not begun. */
const atTheEnd = <A>(ask: (derived: Derived) => Effect.Effect<A>) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(end)
    return yield* ask(yield* derivedEngine(hostileMarket))
  })

// Long spans, and hours alone: where a series is read from, and how far, is a part of its rule.
const made = {
  score: Effect.all([
    atTheEnd((derived) => ofCoins((coin) => derived.scoreHistory({ coin, hours: 1_400 }))),
    hourByHour({ from: 3_000, to: 3_100, every: 5 }, (derived) => ofCoins(derived.score)),
    hourByHour({ from: 2_720, to: 3_000, every: 40 }, (derived) => told(derived.scores))
  ]),
  regime: Effect.all([
    // The first that have one.
    hourByHour({ from: 520, to: 600, every: 1 }, (derived) => told(derived.regime)),
    hourByHour({ from: 700, to: 3_300, every: 13 }, (derived) => told(derived.regime))
  ]),
  divergence: hourByHour({ from: 700, to: 3_300, every: 31 }, (derived) => ofCoins(derived.divergences)),
  coil: hourByHour({ from: 2_700, to: 3_000, every: 1 }, (derived) => ofCoins(derived.coil)),
  fearGreed: Effect.all([
    atTheEnd((derived) => told(derived.fearGreed(90))),
    hourByHour({ from: 100 * 24, to: 130 * 24, every: 24 }, (derived) => told(derived.fearGreed(1)))
  ]),
  // By the versions that it stands on, too.
  signal: Effect.all([
    Effect.succeed([rules.score, rules.regime]),
    atTheEnd((derived) =>
      Effect.all([
        told(derived.signals({ hours: 90 * 24 })),
        told(derived.hitRates({})),
        ofCoins((coin) => derived.hitRates({ coin }))
      ])
    ),
    hourByHour({ from: 2_900, to: 3_200, every: 11 }, (derived) => told(derived.signals({ hours: 30 })))
  ])
} satisfies Record<keyof typeof rules, Effect.Effect<unknown, unknown, unknown>>

const digestOf = (value: unknown): string => {
  const rounded = JSON.stringify(
    value,
    (_, one: unknown) => typeof one === "number" ? Number(one.toPrecision(9)) : one
  )
  assert.isAbove(rounded.length, 5_000)
  return createHash("sha256").update(rounded).digest("hex").slice(0, 32)
}

describe("a rule's version", () => {
  for (const name of ["score", "regime", "divergence", "coil", "fearGreed", "signal"] as const) {
    it.effect(`${name}: another number for the same market is another version`, () =>
      Effect.gen(function*() {
        const version = rules[name]
        assert.strictEqual(digestOf(yield* made[name]), digests[version], version)
      }).pipe(Effect.scoped))
  }

  it("every rule has a digest", () => {
    assert.deepStrictEqual(Object.values(rules).filter((version) => digests[version] === undefined), [])
  })
})
