import type { MarketReadiness } from "@tapeline/api"
import { Context, type Effect } from "effect"

/** The state of the market in `/readyz`. Undefined for a market without sources. */
export const MarketTold = Context.Reference<Effect.Effect<typeof MarketReadiness.Type> | undefined>(
  "@tapeline/server/MarketTold",
  { defaultValue: () => undefined }
)
