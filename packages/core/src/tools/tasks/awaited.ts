import { Effect } from "effect"
import type { ToolFailure } from "../../engine/tool/failure.ts"
import type { MarketError } from "../../market/errors.ts"
import type { Awaited } from "../../personal/tasks/change.ts"
import type { WatchedMarket, WatchSpec } from "../../personal/tasks/spec.ts"
import type { SpecArgument } from "./arguments.ts"
import { findWatched, type Listings } from "./findWatched.ts"

const watchOf = (
  { dir, metric, op, value }: SpecArgument,
  market: WatchedMarket,
  symbol: string
): WatchSpec | null => {
  switch (metric) {
    case "price":
      return op === undefined || value === undefined ? null : { metric, market, symbol, op, value }
    case "score":
      return op === undefined || value === undefined ? null : { metric, market: "coin", symbol, op, value }
    case "vwap_cross":
      return dir === undefined ? null : { metric, market, symbol, dir }
    case "gap":
      return value === undefined ? null : { metric, market, symbol, value }
    default:
      return null
  }
}

/** Converts a specification to a watch or schedule, with the symbol in its market's form. */
export const awaitedOf: (listings: Listings, spec: SpecArgument) => Effect.Effect<
  { readonly awaited: Awaited; readonly notes: ReadonlyArray<string> },
  MarketError | ToolFailure
> = Effect.fnUntraced(function*(listings, spec) {
  const { at, every_min, market = null, metric, symbol = "", tz_offset_hours = 0 } = spec
  if (at !== undefined) return { awaited: { kind: "schedule", spec: { at, tz_offset_hours } }, notes: [] }
  if (every_min !== undefined) return { awaited: { kind: "schedule", spec: { every_min } }, notes: [] }
  const coinsOnly = metric === "score" || metric === "vwap_cross" ? metric : null
  const found = yield* findWatched(listings, { symbol, market, coinsOnly })
  const watch = watchOf(spec, found.market, found.symbol)
  if (watch === null) return yield* Effect.die(new Error("a spec that its schema lets through has all that it needs"))
  return { awaited: { kind: "watch", spec: watch }, notes: found.notes }
})
