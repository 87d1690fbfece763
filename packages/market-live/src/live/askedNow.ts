import { dayMs, hourMs } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { deribitBook, deribitCoins } from "../sources/deribit/names.ts"
import { Deribit, DeribitHistory } from "../sources/deribit/venue.ts"
import { askedOfOffices } from "./askedOfOffices.ts"
import { askedOfTokens } from "./askedOfTokens.ts"
import type { Probe } from "./question.ts"
import { askedOfYahoo } from "./stocks.ts"

/** The probes of requests that tools send and collectors do not. */
export const askedNow = Effect.gen(function*() {
  const [deribit, archive, now] = yield* Effect.all([Deribit, DeribitHistory, Clock.currentTimeMillis])
  const btc = deribitBook("BTC")!
  const chains = deribitCoins.map((coin): Probe => ({
    source: "deribit",
    what: `options on ${coin}`,
    ask: Effect.map(deribit.chain(deribitBook(coin)!), ({ value }) => value?.expiries.length ?? 0)
  }))
  const others: ReadonlyArray<Probe> = [
    {
      source: "deribit",
      what: "dated futures",
      ask: Effect.map(deribit.futures(btc), ({ value }) => value.length)
    },
    {
      source: "deribit",
      what: "option trades",
      ask: Effect.map(
        deribit.trades({ book: btc, from: now - hourMs, to: now, limit: 100 }),
        ({ value }) => value.length
      )
    },
    {
      source: "deribit",
      what: "option trades of the archive",
      ask: Effect.map(
        archive.trades({ book: btc, from: now - 2 * dayMs, to: now - 2 * dayMs + hourMs, limit: 100 }),
        ({ value }) => value.length
      )
    }
  ]
  const lists = yield* Effect.all([askedOfTokens, askedOfOffices, askedOfYahoo])
  return [...chains, ...others, ...lists.flat()]
})
