import { dayMs, EquityMarkets, StoredEquities } from "@tapeline/core/market"
import { Clock, Effect, Layer, Option } from "effect"
import { Edgar } from "../edgar/Edgar.ts"
import { joinEquityMarkets, yahooVariable } from "../equities/joinedEquityMarkets.ts"
import { OpenDart } from "../openDart/OpenDart.ts"
import { storedEquities } from "../stored/index.ts"
import { makeYahooCollectors } from "../yahoo/collectors.ts"
import { makeYahooEquityMarkets } from "../yahoo/equityMarkets.ts"
import { Yahoo, yahooName } from "../yahoo/Yahoo.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import type { Probe } from "./Probe.ts"
import { layerNotConfigured, withSourceHealth } from "./withSourceHealth.ts"

const layerEquityMarkets = ({ stocks }: LiveSettings): Layer.Layer<EquityMarkets> =>
  Layer.effect(
    EquityMarkets,
    Effect.map(
      Effect.all([Effect.serviceOption(Yahoo), Effect.serviceOption(Edgar), Effect.serviceOption(OpenDart)]),
      ([yahoo, edgar, openDart]) =>
        joinEquityMarkets({
          prices: Option.getOrNull(Option.map(yahoo, (own) => makeYahooEquityMarkets(own, stocks))),
          us: Option.getOrNull(edgar),
          kr: Option.getOrNull(openDart)
        })
    )
  )

const layerStoredEquities = ({ yahoo }: LiveSettings) =>
  yahoo === undefined
    ? layerNotConfigured(StoredEquities, {
      quotes: "question",
      indexQuotes: "question",
      indexHistory: "question",
      pricesAt: "question",
      closes: "question"
    }, { source: "yahoo", reason: "no other source provides stock prices", variable: yahooVariable })
    : withSourceHealth(StoredEquities, storedEquities, ["yahoo"])

export const layerStockPorts = (settings: LiveSettings) =>
  Layer.merge(layerEquityMarkets(settings), layerStoredEquities(settings))

export const stockCollectors = ({ stocks }: LiveSettings) =>
  Effect.flatMap(Effect.serviceOption(Yahoo), (found) =>
    Option.isNone(found)
      ? Effect.succeed([])
      : Effect.provideService(makeYahooCollectors(stocks === undefined ? {} : { stocks }), Yahoo, found.value))

export const yahooProbes: Effect.Effect<ReadonlyArray<Probe>> = Effect.gen(function*() {
  const found = yield* Effect.serviceOption(Yahoo)
  if (Option.isNone(found)) return []
  const now = yield* Clock.currentTimeMillis
  const own = found.value
  const [symbol, source] = ["AAPL", yahooName]
  const count = (value: object | null): number => value === null ? 0 : 1
  return [
    {
      source,
      label: "15-minute bars",
      fetch: Effect.map(
        own.chart({ symbol, interval: "15m", from: now - 5 * dayMs, to: now }),
        ({ value }) => value?.timestamp?.length ?? 0
      )
    },
    {
      source,
      label: "options",
      fetch: Effect.map(own.options({ symbol }), ({ value }) => value?.expirationDates.length ?? 0)
    },
    {
      source,
      label: "analysts",
      fetch: Effect.map(own.summary({ symbol, modules: "analysts" }), ({ value }) => count(value))
    },
    {
      source,
      label: "earnings",
      fetch: Effect.map(own.summary({ symbol, modules: "earnings" }), ({ value }) => count(value))
    }
  ]
})
