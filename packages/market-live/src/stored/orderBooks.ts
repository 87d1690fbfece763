import { OrderBooks } from "@tapeline/core/market"
import { MarketStore } from "@tapeline/core/market/store"
import { Effect, Layer } from "effect"
import { findTradingCoin, noneRecordedError } from "./coins.ts"
import { orderBookDocument } from "./documents.ts"
import { readPresentDocument } from "./presentDocuments.ts"
import { inParallel, makeStoredReading } from "./storeReads.ts"

/** Implements `OrderBooks` with the newest valid snapshot from the market store. */
export const storedOrderBooks: Layer.Layer<OrderBooks, never, MarketStore> = Layer.effect(
  OrderBooks,
  Effect.map(MarketStore, (store) => ({
    orderBook: Effect.fnUntraced(function*(name) {
      const [, found] = yield* inParallel(
        findTradingCoin(store, name),
        readPresentDocument(store, orderBookDocument, name)
      )
      const [bid, ask] = [found?.value.bids[0], found?.value.asks[0]]
      // An order book whose sides touch or cross mixes two snapshots, and is invalid.
      if (found === null || bid === undefined || ask === undefined || bid.price >= ask.price) {
        return yield* noneRecordedError(name, "order book")
      }
      return makeStoredReading({ time: found.time, ...found.value }, [found.source], found.time)
    })
  }))
)
