import { EquityMarkets, StoredEquities } from "@tapeline/core/market"
import { Effect, Layer, Option } from "effect"
import { joinedEquityMarkets, yahooVariable } from "../sources/companies/joinedEquityMarkets.ts"
import { Edgar } from "../sources/edgar/Edgar.ts"
import { OpenDart } from "../sources/openDart/OpenDart.ts"
import { yahooCollectors } from "../sources/yahoo/collectors.ts"
import { yahooEquityMarkets } from "../sources/yahoo/equityMarkets.ts"
import { Yahoo } from "../sources/yahoo/Yahoo.ts"
import { storedStoredEquities } from "../stored/index.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { unfed } from "./unfed.ts"
import { whileFed } from "./whileFed.ts"

/** Companies as they are asked for, of the sources that are set up. */
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
      intradayCandles: "question",
      pricesAt: "question",
      closes: "question"
    }, { source: "yahoo", reason: "nobody else tells prices of stocks", variable: yahooVariable })
    : whileFed(StoredEquities, storedStoredEquities, ["yahoo"])

export const stockPorts = (settings: LiveSettings) => Layer.merge(asked(settings), collected(settings))

/** What is collected of stocks, where their source is asked. */
export const stockCollectors = ({ stocks }: LiveSettings) =>
  Effect.flatMap(Effect.serviceOption(Yahoo), (found) =>
    Option.isNone(found)
      ? Effect.succeed([])
      : Effect.provideService(yahooCollectors(stocks === undefined ? {} : { stocks }), Yahoo, found.value))
