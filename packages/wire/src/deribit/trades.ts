/** Option trades of a currency, in pages. */
import { dayMs, type OptionsVenue, type OptionTrade } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { queryNumber } from "../queryNumber.ts"
import type { WireRequest } from "../WireRequest.ts"
import type { WireAnswer } from "../WireServer.ts"
import { bookOf, nameOf, type WireBook } from "./books.ts"
import { invalid, orNone, rounded, said } from "./rpc.ts"

const rowOf = (book: WireBook, trade: OptionTrade) => {
  const { instrument, ivPct, premiumUsd, side, size, spot, time } = trade
  return {
    trade_seq: 1,
    trade_id: `${book.coin}-${time}-${instrument}-${size}-${premiumUsd}`,
    timestamp: time,
    tick_direction: 1,
    price: premiumUsd / (size * (book.inCoin ? spot : 1)),
    mark_price: 0.01,
    iv: rounded(ivPct, 2),
    instrument_name: nameOf(book, instrument),
    index_price: spot,
    direction: side,
    contracts: size,
    amount: size
  }
}

/**
 * Returns the newest `count` trades of an interval, both ends included. Returns none if the interval begins before
 * `reachMs` ago.
 */
export const optionTrades = (options: OptionsVenue["Service"], mostTrades: number, reachMs: number) =>
  Effect.fnUntraced(function*({ query }: WireRequest): Effect.fn.Return<WireAnswer> {
    const book = bookOf(query.get("currency"))
    if (book === undefined) return invalid("currency")
    const from = queryNumber(query, "start_timestamp")
    const until = queryNumber(query, "end_timestamp")
    const count = queryNumber(query, "count") ?? 10
    if (from === undefined) return invalid("start_timestamp")
    if (until === undefined) return invalid("end_timestamp")
    if (count < 1 || count > mostTrades) return invalid("count")
    if (query.get("sorting") !== "desc" || query.get("kind") !== "option") return invalid("sorting")
    const now = yield* Clock.currentTimeMillis
    if (from < now - reachMs) return said({ trades: [], has_more: false })
    const asked = { coin: book.coin, from, to: Math.min(until, now) + 1, limit: count + 1 }
    const found = (yield* orNone(options.trades(asked))) ?? []
    return said({
      trades: found.slice(-count).toReversed().map((trade) => rowOf(book, trade)),
      has_more: found.length > count
    })
  })

export const recentReachMs = dayMs
