import type { MarketReadiness } from "@tapeline/api"
import { Context, type Effect } from "effect"

/** What `/readyz` tells of the market; undefined of one that has no sources. */
export const MarketTold = Context.Reference<Effect.Effect<typeof MarketReadiness.Type> | undefined>(
  "@tapeline/server/MarketTold",
  { defaultValue: () => undefined }
)
