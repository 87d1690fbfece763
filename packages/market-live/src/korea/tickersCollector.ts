import { minuteMs } from "@tapeline/core/market"
import { Effect, Result } from "effect"
import type { DocumentsCollector } from "../collect/collector.ts"
import { sourceTimeOf } from "../source/index.ts"
import { krwMarketKey, krwTickerDocument } from "../stored/documents.ts"
import type { CollectedExchange } from "./CollectedExchange.ts"
import { plausibleForeignPrice } from "./ForeignPriceSource.ts"

/**
 * Collects each open won market's current data every minute, with a null foreign price if no venue has a plausible
 * price.
 */
export const makeKrwTickersCollector = (
  { foreignPrices, exchange, source }: CollectedExchange
): DocumentsCollector => ({
  _tag: "documents",
  source: exchange,
  name: "krwTickers",
  kind: krwTickerDocument.kind,
  everyMs: minuteMs,
  offsetMs: 4_000,
  fetch: Effect.gen(function*() {
    const { value: markets } = yield* source.markets
    const [answer, foreignResult] = yield* Effect.all(
      [source.tickers(markets.map(({ coin }) => coin)), Effect.result(foreignPrices.current)],
      { concurrency: 2 }
    )
    const warned = new Set(markets.flatMap((market) => market.isWarned ? [market.coin] : []))
    const foreign = Result.isSuccess(foreignResult)
      ? foreignResult.success
      : { source: "", prices: new Map<string, number>() }
    const documents = answer.value.map(({ coin, krwPrice, time, volume24hKrw }) => {
      const usdtPrice = plausibleForeignPrice(coin, krwPrice, foreign.prices.get(coin))
      const metadata = {
        key: krwMarketKey(exchange, coin),
        time: Math.floor(sourceTimeOf(answer)),
        source: usdtPrice === null || coin === "USDT" ? exchange : `${exchange}+${foreign.source}`
      }
      return krwTickerDocument.encodeRow(metadata, {
        time,
        krwPrice,
        usdtPrice,
        volume24hKrw,
        warned: warned.has(coin)
      })
    })
    return { documents, faults: Result.isFailure(foreignResult) ? [foreignResult.failure] : [] }
  })
})
