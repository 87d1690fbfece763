import { dayMs, hourMs, type ImpliedVolatilities, type IvPoint } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse } from "../server/FakeServer.ts"
import { queryNumber } from "../server/numbers.ts"
import { bookOf, invalidParam, roundTo, rpcResult, valueOrNull } from "./rpc.ts"

const candlesPerPage = 1_000

/** Interpolates linearly between daily points, and returns null before the first and after the last point. */
const valueAt = (points: ReadonlyArray<IvPoint>, time: number): number | null => {
  const next = points.findIndex((point) => point.time >= time)
  const right = points[next]
  if (right?.time === time) return right.ivPct
  const left = points[next - 1]
  if (right === undefined || left === undefined) return null
  return left.ivPct + (right.ivPct - left.ivPct) * (time - left.time) / (right.time - left.time)
}

const candleAt = (points: ReadonlyArray<IvPoint>, time: number) => {
  const value = valueAt(points, time)
  if (value === null) return []
  const [open, close] = [roundTo(value, 2), roundTo(valueAt(points, time + hourMs) ?? value, 2)]
  return [[time, open, Math.max(open, close), Math.min(open, close), close]]
}

export const serveVolatilityIndex = (volatilities: ImpliedVolatilities["Service"]) =>
  Effect.fnUntraced(function*({ query }: FakeRequest): Effect.fn.Return<FakeResponse> {
    const book = bookOf(query.get("currency"))
    if (book === undefined) return invalidParam("currency")
    const from = queryNumber(query, "start_timestamp")
    const until = queryNumber(query, "end_timestamp")
    if (from === undefined || until === undefined) return invalidParam("start_timestamp")
    if (query.get("resolution") !== "3600") return invalidParam("resolution")
    const now = yield* Clock.currentTimeMillis
    const days = Math.ceil((now - from) / dayMs) + 2
    const history = book.inCoin
      ? yield* valueOrNull(volatilities.history({ coin: book.coin, maturityDays: 30, days }))
      : null
    const last = Math.floor(Math.min(until, now) / hourMs) * hourMs
    const oldest = Math.max(Math.ceil(from / hourMs) * hourMs, last - (candlesPerPage - 1) * hourMs)
    const data: Array<ReadonlyArray<number>> = []
    for (let time = oldest; time <= last; time += hourMs) data.push(...candleAt(history?.points ?? [], time))
    return rpcResult({ data, continuation: oldest - hourMs >= from && data.length > 0 ? oldest - hourMs : null })
  })
