import { CoinPrices, EquityMarkets, hourMs, type MarketPorts, readValue } from "@tapeline/core/market"
import type { MarketStore } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { coinDocument, stockDocument, stockKey } from "../../src/stored/documents.ts"

/**
 * Writes the listings of a market's coins and stocks. A read of a name that is not listed fails with `UnknownSymbol`.
 */
export const writeListed = (store: MarketStore["Service"], now: number): Effect.Effect<void, never, MarketPorts> =>
  Effect.gen(function*() {
    const source = "listing"
    const leadership = yield* store.acquireLeadership({ source, holder: "test", ttlMs: hourMs })
    if (leadership._tag !== "Leads") return yield* Effect.die(new Error("another process leads"))
    const { fence } = leadership
    const coins = yield* readValue((yield* CoinPrices).coins)
    yield* store.writeDocuments({
      kind: coinDocument.kind,
      fence,
      documents: coins.map(({ coin: key, ...facts }) => coinDocument.encodeRow({ key, time: now, source }, facts))
    })
    const equities = yield* EquityMarkets
    const stocks = (yield* Effect.all([readValue(equities.stocks("US")), readValue(equities.stocks("KR"))])).flat()
    yield* store.writeDocuments({
      kind: stockDocument.kind,
      fence,
      documents: stocks.map(({ country, delistedAt, exchange, koreanName, listedAt, name, sector, symbol }) =>
        stockDocument.encodeRow({ key: stockKey(country, symbol), time: now, source }, {
          name: koreanName ?? name,
          exchange,
          sector,
          listedAt,
          delistedAt,
          quote: null
        })
      )
    })
  }).pipe(Effect.orDie)
