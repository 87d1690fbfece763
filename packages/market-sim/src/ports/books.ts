/** Implements core's `OrderBooks`. */
import { OrderBooks } from "@tapeline/core/market"
import { Effect } from "effect"
import { orderBook } from "../coin/book.ts"
import type { World } from "../world.ts"
import { listedCoin } from "./lookup.ts"
import { simulated } from "./source.ts"

/** The `OrderBooks` port of a world. */
export const orderBooks = (world: World): OrderBooks["Service"] =>
  OrderBooks.of({
    orderBook: (coin) =>
      Effect.map(
        listedCoin(world, coin),
        ({ market, now }) => simulated(orderBook(market, now, world.key(`book ${coin}`)), now)
      )
  })
