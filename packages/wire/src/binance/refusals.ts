import type { MarketRead } from "@tapeline/core/market"
import { Effect } from "effect"
import type { WireAnswer } from "../WireServer.ts"

/** The stablecoin that the coins are quoted in. */
export const quote = "USDT"

export const refused = (code: number, msg: string): WireAnswer => ({ status: 400, body: { code, msg } })
export const invalidSymbol = refused(-1121, "Invalid symbol.")
export const invalidInterval = refused(-1120, "Invalid interval.")

/** Nothing where there is nothing; a port that fails is no source that fails. */
export const orNone = <A>(read: MarketRead<A>): Effect.Effect<A | null> =>
  read.pipe(
    Effect.map(({ value }) => value),
    Effect.catchTags({ NoData: () => Effect.succeed(null), UnknownSymbol: () => Effect.succeed(null) }),
    Effect.orDie
  )

export const coinOf = (symbol: string | null): string | undefined =>
  symbol !== null && symbol.endsWith(quote) ? symbol.slice(0, -quote.length) : undefined
