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
  ["has its book time", (books) => Effect.asVoid(readDatedValue(books.orderBook("BTC"), ({ time }) => time))],
  [
    "has the request's time",
    (books) => Effect.asVoid(readDatedValue(books.orderBook("BTC"), (_, now) => requestInterval(now)))
  ],
  makeWaivableCheck("has no book", ({ outage }) => outage, (books, coin) => Effect.asVoid(books.orderBook(coin)))
])

const layer = (orderBook: OrderBooks["Service"]["orderBook"]) => Layer.succeed(OrderBooks, { orderBook })
const book = { time: now - 5, bids: [], asks: [] }
const venue: Venue = { now, outage: waive("has no outages") }
const unset = layer(() =>
  Effect.fail(
    new SourceUnavailable({ source: "x", failure: "not_configured", reason: "set X_KEY", retryable: false })
  )
)

describe("the contract suite of a port", () => {
  it.effect("fails a reading whose time is not that of its newest datum", () =>
    Effect.gen(function*() {
      const failure = (asOf: number, title = "has its book time") =>
        suite.failureOf(title, layer(() => Effect.succeed(makeReading(book, "x", asOf))), venue)
      assert.isNull(yield* failure(book.time))
      assert.isNull(yield* failure(book.time, "has the request's time"))
      for (const asOf of [0, now, now + 1, NaN]) assert.isNotNull(yield* failure(asOf), String(asOf))
      assert.isNotNull(yield* failure(0, "has the request's time"))
    }))

  it.effect("accepts a missing source only for methods that are named as optional", () =>
    Effect.gen(function*() {
      assert.isNull(yield* suite.failureOf("has its book time", unset, venue, { optionalMethods: ["orderBook"] }))
      assert.include(yield* suite.failureOf("has its book time", unset, venue), "unavailable")
      assert.include(yield* suite.failureOf("has its book time", unset, venue, { optionalMethods: [] }), "unavailable")
    }))

  it.effect("skips a case that the venue waives", () =>
    Effect.gen(function*() {
      assert.isNull(yield* suite.failureOf("has no book", unset, venue))
      assert.isNotNull(yield* suite.failureOf("has no book", unset, { now, outage: "BTC" }))
    }))
})
