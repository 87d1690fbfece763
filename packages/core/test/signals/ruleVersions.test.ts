import { assert, describe, it } from "@effect/vitest"
import { type DerivedRead, type DerivedStore, hourMs, rules } from "@tapeline/core"
import { makeDerivedEngine } from "@tapeline/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { hostileCoins, hostileHours, hostileStart } from "./hostileCoins.ts"
import { hostileMarket } from "./hostileMarket.ts"

/**
 * The digests of the values that each rule version derives from the hostile market, to nine digits. If a digest
 * changes, add a new version of the rule in `rules.ts`, and write the digest of the new version. Never write a new
 * digest for an old version, because values of the old version may be stored.
 */
const digests: Readonly<Record<string, string>> = {
  "score/3": "41d9b8fe1ba83cc0848c82a36fa2f9c2",
  "divergence/3": "c4a07f164e287185304c138bb1231287",
  "regime/3": "6dce0d53e9b9b93d5b823784dbfb47cd",
  "coil/2": "c4b5c51317265efcd5e077293e799e5f",
  "fear_greed/3": "67eddf697920fea928794b57ec8ce45a",
  "signal/3": "3aa9ab288853d54e215c01f29a380650"
}

type Derived = DerivedStore["Service"]
type Values = Effect.Effect<ReadonlyArray<unknown>>

const end = hostileStart + hostileHours * hourMs

const readValues = <A>(question: DerivedRead<A>, valuesOf: (answer: A) => ReadonlyArray<unknown>): Values =>
  Effect.match(question, { onSuccess: ({ value }) => valuesOf(value), onFailure: () => [] })

const ofCoins = (ask: (coin: string) => Values): Values =>
  Effect.map(Effect.forEach(hostileCoins, ({ coin }) => ask(coin)), (all) => all.flat())

/** Reads from an engine without cached values every `every` hours, while the clock advances. */
const hourByHour = Effect.fnUntraced(
  function*(
    { every, from, to }: { readonly from: number; readonly to: number; readonly every: number },
    ask: (derived: Derived) => Values
  ) {
    const derived = yield* makeDerivedEngine(hostileMarket)
    const values: Array<ReadonlyArray<unknown>> = []
    for (let hour = from; hour <= to; hour += every) {
      yield* TestClock.setTime(hostileStart + hour * hourMs + 20 * 60_000)
      values.push(yield* ask(derived))
    }
    return values.flat()
  }
)

const atTheEnd = Effect.fnUntraced(function*(ask: (derived: Derived) => Values) {
  yield* TestClock.setTime(end)
  return yield* ask(yield* makeDerivedEngine(hostileMarket))
})

const scoresOf = (derived: Derived, coin: string) =>
  readValues(derived.scoreHistory({ coin, hours: 800 }), (hours) => hours.map((hour) => [coin, hour]))
const hitsOf = (derived: Derived, coin: string) =>
  readValues(derived.hitRates({ coin }), ({ horizons }) => [coin, horizons])

// A rule also determines the interval that is read, so the tests read long intervals and single hours.
const valuesByRule = {
  score: [
    atTheEnd((derived) => ofCoins((coin) => scoresOf(derived, coin))),
    hourByHour(
      { from: 3_000, to: 3_100, every: 5 },
      (derived) => ofCoins((coin) => readValues(derived.score(coin), ({ hour }) => [[coin, hour]]))
    ),
    hourByHour(
      { from: 2_720, to: 3_000, every: 40 },
      (derived) => readValues(derived.scores, (all) => all.map(({ coin, hour }) => [coin, hour]))
    )
  ],
  regime: [
    hourByHour({ from: 440, to: 600, every: 1 }, (derived) => readValues(derived.regime, (regime) => [regime])),
    hourByHour({ from: 700, to: 3_300, every: 13 }, (derived) => readValues(derived.regime, (regime) => [regime]))
  ],
  divergence: [
    hourByHour(
      { from: 700, to: 3_300, every: 31 },
      (derived) => ofCoins((coin) => readValues(derived.divergences(coin), ({ divergences }) => [[coin, divergences]]))
    )
  ],
  coil: [
    hourByHour(
      { from: 2_830, to: 3_000, every: 1 },
      (derived) => ofCoins((coin) => readValues(derived.coil(coin), (coil) => [[coin, coil]]))
    )
  ],
  fearGreed: [
    atTheEnd((derived) => readValues(derived.fearGreed(90), (days) => days)),
    hourByHour({ from: 2_400, to: 3_120, every: 24 }, (derived) => readValues(derived.fearGreed(1), (days) => days))
  ],
  signal: [
    Effect.succeed([rules.score, rules.regime]),
    atTheEnd((derived) => readValues(derived.signals({ hours: 90 * 24 }), ({ signals }) => signals)),
    atTheEnd((derived) => ofCoins((coin) => hitsOf(derived, coin))),
    hourByHour(
      { from: 2_900, to: 3_200, every: 11 },
      (derived) => readValues(derived.signals({ hours: 30 }), ({ signals }) => signals)
    )
  ]
} satisfies Record<keyof typeof rules, ReadonlyArray<Effect.Effect<unknown, unknown, unknown>>>

const rounded = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => typeof one === "number" ? Number(one.toPrecision(9)) : one)

/**
 * Returns the digest of the distinct values, so a value that is repeated in the next hour does not change the digest.
 */
const digestOf = (values: ReadonlyArray<unknown>): string => {
  const distinct = new Set(values.map(rounded))
  assert.isAbove(distinct.size, 20)
  return createHash("sha256").update([...distinct].join()).digest("hex").slice(0, 32)
}

describe("rule versions", () => {
  for (const name of ["score", "regime", "divergence", "coil", "fearGreed", "signal"] as const) {
    it.effect(`${name}: has the digest of its version`, () =>
      Effect.gen(function*() {
        const version = rules[name]
        const values = yield* Effect.all(valuesByRule[name])
        assert.strictEqual(digestOf(values.flat()), digests[version], version)
      }).pipe(Effect.scoped))
  }

  it("have a digest for every rule", () => {
    assert.deepStrictEqual(Object.values(rules).filter((version) => digests[version] === undefined), [])
  })
})
