import { Schema } from "effect"
import { optional, requiresChange } from "../../engine/tool/argument.ts"
import { specify } from "../../engine/tool/specification.ts"
import { coinsBetween } from "../../market/arguments.ts"

export const updateWatchlist = specify({
  name: "update_watchlist",
  area: "journal",
  scope: "write:personal",
  credits: 1,
  summary: "Adds coins to the caller's watchlist and removes others.",
  parameters: Schema.Struct({
    add: optional(coinsBetween(0, 100, "Tickers or names")),
    remove: optional(coinsBetween(0, 100, "Tickers or names"))
  }).check(requiresChange(["add", "remove"], (coins) => Array.isArray(coins) && coins.length > 0)),
  result: Schema.Struct({
    coins: Schema.Array(Schema.String).annotate({ description: "All coins of the watchlist after the change" })
  }),
  example: { add: ["BTC", "ETH"], remove: ["DOGE"] }
})
