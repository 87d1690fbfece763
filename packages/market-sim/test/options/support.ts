import { makeOptionBook } from "../../src/options/chain.ts"
import { coinUnderlying } from "../../src/options/underlying.ts"
import type { World } from "../../src/world.ts"

export const optionsOf = (world: World, coin: string) => {
  const underlying = coinUnderlying(world.coin(coin)!, world.derivatives, world.key)!
  return { underlying, book: makeOptionBook(underlying) }
}
