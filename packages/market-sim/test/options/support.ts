import { makeOptionBook } from "../../src/options/chain.ts"
import { makeCoinUnderlying } from "../../src/options/underlying.ts"
import type { World } from "../../src/world.ts"

export const makeOptions = (world: World, coin: string) => {
  const underlying = makeCoinUnderlying(world.coin(coin)!, world.derivatives, world.getKey)!
  return { underlying, book: makeOptionBook(underlying) }
}
