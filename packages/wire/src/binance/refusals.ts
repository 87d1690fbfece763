import type { MarketRead } from "@tapeline/core/market"
import { Effect } from "effect"
import type { WireAnswer } from "../WireServer.ts"

/** The stablecoin of all quotes. */
export const quote = "USDT"

export const refused = (code: number, msg: string): WireAnswer => ({ status: 400, body: { code, msg } })
export const invalidSymbol = refused(-1121, "Invalid symbol.")
export const invalidInterval = refused(-1120, "Invalid interval.")

/**
 * Returns null if the port has no data or does not know the symbol. Other errors of the port are defects, not source
 * faults.
 */
export const orNone = <A>(read: MarketRead<A>): Effect.Effect<A | null> =>
  read.pipe(
    Effect.map(({ value }) => value),
    Effect.catchTags({ NoData: () => Effect.succeed(null), UnknownSymbol: () => Effect.succeed(null) }),
    Effect.orDie
  )

export const coinOf = (symbol: string | null): string | undefined =>
  symbol !== null && symbol.endsWith(quote) ? symbol.slice(0, -quote.length) : undefined
