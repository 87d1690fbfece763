/** The present data of markets against the won. */
import { minuteMs } from "@tapeline/core/market"
import { Effect, Result } from "effect"
import { krwMarketKey, krwTickerDocument } from "../../stored/documents.ts"
import type { DocumentsCollector } from "../collector.ts"
import { presentOf } from "../toldUntil.ts"
import type { CollectedExchange } from "./exchange.ts"
import { abroadOf } from "./PricesAbroad.ts"

/** Collects the present data of each open market every minute. The price abroad is missing if no venue provides it. */
export const krwTickers = ({ abroad, exchange, source }: CollectedExchange): DocumentsCollector => ({
  _tag: "documents",
  source: exchange,
  name: "krwTickers",
  kind: krwTickerDocument.kind,
  everyMs: minuteMs,
  offsetMs: 4_000,
  ask: Effect.gen(function*() {
    const { value: markets } = yield* source.markets
    const [answer, quoted] = yield* Effect.all(
      [source.tickers(markets.map(({ coin }) => coin)), Effect.result(abroad.now)],
      { concurrency: 2 }
    )
    const warned = new Set(markets.flatMap((market) => market.warned ? [market.coin] : []))
    const known = Result.isSuccess(quoted) ? quoted.success : { source: "", prices: new Map<string, number>() }
    const documents = answer.value.map(({ coin, krwPrice, time, volume24hKrw }) => {
      const usdtPrice = abroadOf(coin, krwPrice, known.prices.get(coin))
      const told = {
        key: krwMarketKey(exchange, coin),
        time: Math.floor(presentOf(answer)),
        source: usdtPrice === null || coin === "USDT" ? exchange : `${exchange}+${known.source}`
      }
      return krwTickerDocument.rowOf(told, { time, krwPrice, usdtPrice, volume24hKrw, warned: warned.has(coin) })
    })
    return { documents, faults: Result.isFailure(quoted) ? [quoted.failure] : [] }
  })
})
