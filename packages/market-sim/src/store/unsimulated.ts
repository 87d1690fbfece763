/**
 * The part of `MarketStore` that this market does not have.
 */
import { NoData } from "@tapeline/core/market/errors"
import { Effect } from "effect"

const none = (subject: string) => () => Effect.fail(new NoData({ subject, reason: "the simulated market has none" }))

export const unsimulatedStorePart = { news: none("news") }
