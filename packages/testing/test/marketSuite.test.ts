import { assert, describe, it } from "@effect/vitest"
import { makeReading, OrderBooks, SourceUnavailable } from "@tapeline/core/market"
import { Effect, Layer } from "effect"
import { makeWaivableCheck, marketSuite, readDatedValue, requestInterval, waive } from "../src/market/marketSuite.ts"

const now = Date.parse("2026-11-20T15:33:22.517Z")

interface Venue {
  readonly now: number
  readonly outage: string | { readonly waived: string }
}

const suite = marketSuite<OrderBooks, OrderBooks["Service"], Venue>(OrderBooks, [
  ["dates its book", (books) => Effect.asVoid(readDatedValue(books.orderBook("BTC"), ({ time }) => time))],
  [
    "was asked lately",
    (books) => Effect.asVoid(readDatedValue(books.orderBook("BTC"), (_, now) => requestInterval(now)))
  ],
  makeWaivableCheck("has no book", ({ outage }) => outage, (books, coin) => Effect.asVoid(books.orderBook(coin)))
])

const layer = (orderBook: OrderBooks["Service"]["orderBook"]) => Layer.succeed(OrderBooks, { orderBook })
const book = { time: now - 5, bids: [], asks: [] }
const whole: Venue = { now, outage: waive("it never fails") }
const unset = layer(() =>
  Effect.fail(
    new SourceUnavailable({ source: "x", failure: "not_configured", reason: "set X_KEY", retryable: false })
  )
)

describe("a port's suite", () => {
  it.effect("holds a reading to the time of its newest datum", () =>
    Effect.gen(function*() {
      const failure = (asOf: number, title = "dates its book") =>
        suite.failureOf(title, layer(() => Effect.succeed(makeReading(book, "x", asOf))), whole)
      assert.isNull(yield* failure(book.time))
      assert.isNull(yield* failure(book.time, "was asked lately"))
      for (const asOf of [0, now, now + 1, NaN]) assert.isNotNull(yield* failure(asOf), String(asOf))
      assert.isNotNull(yield* failure(0, "was asked lately"))
    }))

  it.effect("lets a method lack its source where that method is named, and no other", () =>
    Effect.gen(function*() {
      assert.isNull(yield* suite.failureOf("dates its book", unset, whole, { optionalMethods: ["orderBook"] }))
      assert.include(yield* suite.failureOf("dates its book", unset, whole), "unavailable")
      assert.include(yield* suite.failureOf("dates its book", unset, whole, { optionalMethods: [] }), "unavailable")
    }))

  it.effect("holds no venue to a case that it waives", () =>
    Effect.gen(function*() {
      assert.isNull(yield* suite.failureOf("has no book", unset, whole))
      assert.isNotNull(yield* suite.failureOf("has no book", unset, { now, outage: "BTC" }))
    }))
})
