import { OrderBooks } from "@tapeline/core/market"
import { Effect } from "effect"
import { makeOrderBook } from "../coin/orderBook.ts"
import type { World } from "../world.ts"
import { findListedCoin } from "./lookup.ts"
import { simulatedReading } from "./source.ts"

export const makeOrderBooks = (world: World): OrderBooks["Service"] =>
  OrderBooks.of({
    orderBook: (coin) =>
      Effect.map(
        findListedCoin(world, coin),
        ({ market, now }) => simulatedReading(makeOrderBook(market, now, world.getKey(`book ${coin}`)), now)
      )
  })
