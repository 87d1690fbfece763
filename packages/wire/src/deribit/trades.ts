import { dayMs, type OptionsVenue, type OptionTrade } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse } from "../server/FakeServer.ts"
import { queryNumber } from "../server/numbers.ts"
import { bookOf, type FakeBook, invalidParam, nameOf, roundTo, rpcResult, valueOrNull } from "./rpc.ts"

const rowOf = (book: FakeBook, trade: OptionTrade) => {
  const { instrument, ivPct, premiumUsd, side, size, spot, time } = trade
  return {
    trade_seq: 1,
    trade_id: `${book.coin}-${time}-${instrument}-${size}-${premiumUsd}`,
    timestamp: time,
    tick_direction: 1,
    price: premiumUsd / (size * (book.inCoin ? spot : 1)),
    mark_price: 0.01,
    iv: roundTo(ivPct, 2),
    instrument_name: nameOf(book, instrument),
    index_price: spot,
    direction: side,
    contracts: size,
    amount: size
  }
}

/** Serves the newest trades of an interval, or no trades if the interval begins more than `retentionMs` ago. */
export const serveOptionTrades = (options: OptionsVenue["Service"], maxTrades: number, retentionMs: number) =>
  Effect.fnUntraced(function*({ query }: FakeRequest): Effect.fn.Return<FakeResponse> {
    const book = bookOf(query.get("currency"))
    if (book === undefined) return invalidParam("currency")
    const from = queryNumber(query, "start_timestamp")
    const until = queryNumber(query, "end_timestamp")
    const count = queryNumber(query, "count") ?? 10
    if (from === undefined) return invalidParam("start_timestamp")
    if (until === undefined) return invalidParam("end_timestamp")
    if (count < 1 || count > maxTrades) return invalidParam("count")
    if (query.get("sorting") !== "desc" || query.get("kind") !== "option") return invalidParam("sorting")
    const now = yield* Clock.currentTimeMillis
    if (from < now - retentionMs) return rpcResult({ trades: [], has_more: false })
    const tradesQuery = { coin: book.coin, from, to: Math.min(until, now) + 1, limit: count + 1 }
    const trades = (yield* valueOrNull(options.trades(tradesQuery))) ?? []
    return rpcResult({
      trades: trades.slice(-count).toReversed().map((trade) => rowOf(book, trade)),
      has_more: trades.length > count
    })
  })

export const recentRetentionMs = dayMs
