import { assert, it } from "@effect/vitest"
import { makeFakeServer } from "@tapeline/wire"
import { Effect, Logger, Schema } from "effect"
import * as fc from "fast-check"
import { lenientList, makeSource, Name, PositiveDecimal, SourceHealth } from "../../src/source/index.ts"

const Row = Schema.Struct({ symbol: Name, price: PositiveDecimal })
const Rows = Schema.Struct({ list: lenientList(Row) })

const right = (n: number) => ({ symbol: `C${n}USDT`, price: `${n + 1}.5` })
const wrong = fc.constantFrom<unknown>(
  null,
  7,
  {},
  { symbol: "ODD", price: "NaN" },
  { symbol: "ODD", price: "-1" },
  { symbol: "ODD", price: 12 },
  { symbol: 5, price: "1" },
  { price: "1" }
)

const asked = (rows: ReadonlyArray<unknown>, times = 1) => {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => void logged.push(String(message)))
  return Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(() => Effect.succeed({ body: { list: rows } }))
    const source = yield* makeSource({ name: "mill", baseUrl: server.url, limits: [], retryPolicy: { maxTries: 1 } })
    const ask = source.json({ label: "tickers", path: "/", schema: Rows })
    let told = yield* Effect.result(ask)
    for (let i = 1; i < times; i++) told = yield* Effect.result(ask)
    return { told, logged }
  })).pipe(Effect.provide(SourceHealth.layer), Effect.provide(Logger.layer([logger])))
}

it.live("leaves out malformed rows up to a tenth of a list, and returns the others unchanged", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.tuple(fc.nat(), wrong), { maxLength: 8 }),
        async (count, odd) => {
          const rows: Array<unknown> = Array.from({ length: count }, (_, i) => right(i))
          for (const [place, row] of odd) rows.splice(place % (rows.length + 1), 0, row)
          const { told } = await Effect.runPromise(asked(rows))
          if (odd.length * 10 > rows.length) {
            assert.strictEqual(told._tag === "Failure" ? told.failure.failure : "told", "malformed")
          } else {
            const expected = Array.from({ length: count }, (_, i) => ({ symbol: `C${i}USDT`, price: i + 1.5 }))
            assert.deepStrictEqual(told._tag === "Success" ? told.success.value.list : told.failure.reason, expected)
          }
        }
      ),
      { numRuns: 25 }
    )
  ))

it.live("logs a skipped row once, and fails for a malformed row of a short list", () =>
  Effect.gen(function*() {
    const rows = [...Array.from({ length: 40 }, (_, i) => right(i)), { symbol: "ODDUSDT", price: "" }]
    const { logged, told } = yield* asked(rows, 3)
    assert.strictEqual(told._tag, "Success")
    assert.deepStrictEqual(logged, ["unreadable rows in the tickers of mill were skipped: ODDUSDT"])
    const few = yield* asked([right(1), { symbol: "ODDUSDT", price: "" }])
    assert.match(few.told._tag === "Failure" ? few.told.failure.reason : "told", /at list\.1\.price/u)
  }))
