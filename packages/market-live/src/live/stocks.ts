import { dayMs, EquityMarkets, StoredEquities } from "@tapeline/core/market"
import { Clock, Effect, Layer, Option } from "effect"
import { joinedEquityMarkets, yahooVariable } from "../sources/companies/joinedEquityMarkets.ts"
import { Edgar } from "../sources/edgar/Edgar.ts"
import { OpenDart } from "../sources/openDart/OpenDart.ts"
import { yahooCollectors } from "../sources/yahoo/collectors.ts"
import { yahooEquityMarkets } from "../sources/yahoo/equityMarkets.ts"
import { Yahoo, yahooName } from "../sources/yahoo/Yahoo.ts"
import { storedStoredEquities } from "../stored/index.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import type { Probe } from "./question.ts"
import { unfed } from "./unfed.ts"
import { whileFed } from "./whileFed.ts"

/** The port of companies, over the sources that are configured. */
const asked = ({ stocks }: LiveSettings): Layer.Layer<EquityMarkets> =>
  Layer.effect(
    EquityMarkets,
    Effect.map(
      Effect.all([Effect.serviceOption(Yahoo), Effect.serviceOption(Edgar), Effect.serviceOption(OpenDart)]),
      ([yahoo, edgar, openDart]) =>
        joinedEquityMarkets({
          prices: Option.getOrNull(Option.map(yahoo, (own) => yahooEquityMarkets(own, stocks))),
          us: Option.getOrNull(edgar),
          kr: Option.getOrNull(openDart)
        })
    )
  )

const collected = ({ yahoo }: LiveSettings) =>
  yahoo === undefined
    ? unfed(StoredEquities, {
      quotes: "question",
      indexQuotes: "question",
      indexHistory: "question",
      pricesAt: "question",
      closes: "question"
    }, { source: "yahoo", reason: "nobody else tells prices of stocks", variable: yahooVariable })
    : whileFed(StoredEquities, storedStoredEquities, ["yahoo"])

export const stockPorts = (settings: LiveSettings) => Layer.merge(asked(settings), collected(settings))

/** The collectors of stocks, if their source is enabled. */
export const stockCollectors = ({ stocks }: LiveSettings) =>
  Effect.flatMap(Effect.serviceOption(Yahoo), (found) =>
    Option.isNone(found)
      ? Effect.succeed([])
      : Effect.provideService(yahooCollectors(stocks === undefined ? {} : { stocks }), Yahoo, found.value))

/** The probes of requests that tools send to Yahoo. */
export const askedOfYahoo: Effect.Effect<ReadonlyArray<Probe>> = Effect.gen(function*() {
  const found = yield* Effect.serviceOption(Yahoo)
  if (Option.isNone(found)) return []
  const now = yield* Clock.currentTimeMillis
  const own = found.value
  const [symbol, source] = ["AAPL", yahooName]
  const count = (value: object | null): number => value === null ? 0 : 1
  return [
    {
      source,
      what: "bars of a quarter of an hour",
      ask: Effect.map(
        own.chart({ symbol, interval: "15m", from: now - 5 * dayMs, to: now }),
        ({ value }) => value?.timestamp?.length ?? 0
      )
    },
    {
      source,
      what: "options",
      ask: Effect.map(own.options({ symbol }), ({ value }) => value?.expirationDates.length ?? 0)
    },
    {
      source,
      what: "analysts",
      ask: Effect.map(own.summary({ symbol, modules: "analysts" }), ({ value }) => count(value))
    },
    {
      source,
      what: "earnings",
      ask: Effect.map(own.summary({ symbol, modules: "earnings" }), ({ value }) => count(value))
    }
  ]
})
