import { assert, it } from "@effect/vitest"
import { makeFakeServer } from "@tapeline/wire"
import { Effect, Logger, Schema } from "effect"
import * as fc from "fast-check"
import { lenientList, makeSource, Name, PositiveDecimal, SourceHealth } from "../../src/source/index.ts"

const Row = Schema.Struct({ symbol: Name, price: PositiveDecimal })
const Rows = Schema.Struct({ list: lenientList(Row) })

const right = (n: number) => ({ symbol: `C${n}USDT`, price: `${n + 1}.5` })
const invalidRow = fc.constantFrom<unknown>(
  null,
  7,
  {},
  { symbol: "ODD", price: "NaN" },
  { symbol: "ODD", price: "-1" },
  { symbol: "ODD", price: 12 },
  { symbol: 5, price: "1" },
  { price: "1" }
)

const readRows = (rows: ReadonlyArray<unknown>, times = 1) => {
  const logged: Array<string> = []
  const logger = Logger.make(({ message }) => void logged.push(String(message)))
  return Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(() => Effect.succeed({ body: { list: rows } }))
    const source = yield* makeSource({ name: "mill", baseUrl: server.url, limits: [], retryPolicy: { maxTries: 1 } })
    const ask = source.json({ label: "tickers", path: "/", schema: Rows })
    let result = yield* Effect.result(ask)
    for (let i = 1; i < times; i++) result = yield* Effect.result(ask)
    return { result, logged }
  })).pipe(Effect.provide(SourceHealth.layer), Effect.provide(Logger.layer([logger])))
}

it.live("leaves out malformed rows up to a tenth of a list, and returns the others unchanged", () =>
  Effect.promise(() =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        fc.array(fc.tuple(fc.nat(), invalidRow), { maxLength: 8 }),
        async (count, malformedRow) => {
          const rows: Array<unknown> = Array.from({ length: count }, (_, i) => right(i))
          for (const [index, row] of malformedRow) rows.splice(index % (rows.length + 1), 0, row)
          const { result } = await Effect.runPromise(readRows(rows))
          if (malformedRow.length * 10 > rows.length) {
            assert.strictEqual(result._tag === "Failure" ? result.failure.failure : "told", "malformed")
          } else {
            const expected = Array.from({ length: count }, (_, i) => ({ symbol: `C${i}USDT`, price: i + 1.5 }))
            assert.deepStrictEqual(
              result._tag === "Success" ? result.success.value.list : result.failure.reason,
              expected
            )
          }
        }
      ),
      { numRuns: 25 }
    )
  ))

it.live("logs a skipped row once, and fails for a malformed row of a short list", () =>
  Effect.gen(function*() {
    const rows = [...Array.from({ length: 40 }, (_, i) => right(i)), { symbol: "ODDUSDT", price: "" }]
    const { logged, result } = yield* readRows(rows, 3)
    assert.strictEqual(result._tag, "Success")
    assert.deepStrictEqual(logged, ["unreadable rows in the tickers of mill were skipped: ODDUSDT"])
    const fewRows = yield* readRows([right(1), { symbol: "ODDUSDT", price: "" }])
    assert.match(fewRows.result._tag === "Failure" ? fewRows.result.failure.reason : "told", /at list\.1\.price/u)
  }))
