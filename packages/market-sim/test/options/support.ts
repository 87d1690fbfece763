import { makeOptionBook } from "../../src/options/chain.ts"
import { coinUnderlying } from "../../src/options/underlying.ts"
import type { World } from "../../src/world.ts"

export const full = process.env["TAPELINE_TEST_FULL"] === "1"

export const optionsOf = (world: World, coin: string) => {
  const underlying = coinUnderlying(world.coin(coin)!, world.derivatives, world.key)!
  return { underlying, book: makeOptionBook(underlying) }
}

export const mean = (x: ReadonlyArray<number>): number => x.reduce((sum, value) => sum + value, 0) / x.length

export const correlation = (x: ReadonlyArray<number>, y: ReadonlyArray<number>): number => {
  const mx = mean(x)
  const my = mean(y)
  let xy = 0
  let xx = 0
  let yy = 0
  for (const [i, value] of x.entries()) {
    xy += (value - mx) * (y[i]! - my)
    xx += (value - mx) ** 2
    yy += (y[i]! - my) ** 2
  }
  return xy / Math.sqrt(xx * yy)
}
