// The contract suites of options, their volatilities and the calendar detect incorrect adapters.
import {
  ImpliedVolatilities,
  MacroCalendar,
  type OptionExpiry,
  type OptionQuote,
  OptionsVenue
} from "@tapeline/core/market"
import { impliedVolatilitiesContract } from "@tapeline/testing/contracts/impliedVolatilities"
import { macroCalendarContract } from "@tapeline/testing/contracts/macroCalendar"
import { optionsVenueContract } from "@tapeline/testing/contracts/optionsVenue"
import { computeChainIv } from "./support/chainIv.ts"
import { assertFaultsDetected, makeFaultyAdapter, mapReadingValue, withAsOf } from "./support/faultyAdapters.ts"
import { layerCompleteMarket, now, testWorld } from "./support/markets.ts"

const venue = makeFaultyAdapter(OptionsVenue, layerCompleteMarket)
const expiries = (lie: (expiry: OptionExpiry) => OptionExpiry) =>
  venue((honest) => ({
    chain: (query) => mapReadingValue(honest.chain(query), (chain) => ({ ...chain, expiries: chain.expiries.map(lie) }))
  }))
const quotes = (lie: (quote: OptionQuote) => OptionQuote) =>
  expiries((expiry) => ({ ...expiry, quotes: expiry.quotes.map(lie) }))

const coherent = "a chain is of one instant, in order, every expiry with its forward and discount"
const traded = "trades lie in the half-open interval; a limit keeps the newest"

assertFaultsDetected(optionsVenueContract, { now, coin: "ETH", coinWithoutOptions: "DOGE" }, [
  ["a forward of one dollar", coherent, expiries((expiry) => ({ ...expiry, forward: 1 }))],
  ["a forward that is another", coherent, expiries((expiry) => ({ ...expiry, forward: 0.97 * expiry.forward! }))],
  ["no discount", coherent, expiries((expiry) => ({ ...expiry, discount: null }))],
  ["marks that are not discounted as told", coherent, expiries((expiry) => ({ ...expiry, discount: 0.8 }))],
  ["one volatility for all", coherent, quotes((quote) => ({ ...quote, ivPct: 1 }))],
  ["volatility as a fraction", coherent, quotes((quote) => ({ ...quote, ivPct: quote.ivPct! / 100 }))],
  ["marks of zero", coherent, quotes((quote) => ({ ...quote, mark: 0 }))],
  ["marks beside their quotes", coherent, quotes((quote) => ({ ...quote, ivPct: null, mark: 1.4 * (quote.ask ?? 1) }))],
  ["nothing marked", coherent, quotes((quote) => ({ ...quote, mark: null, ivPct: null }))],
  ["nothing open", coherent, quotes((quote) => ({ ...quote, openInterest: 0 }))],
  ["nothing traded", coherent, quotes((quote) => ({ ...quote, volume24h: 0 }))],
  ["bids of zero for none", coherent, quotes((quote) => ({ ...quote, bid: quote.bid ?? 0 }))],
  ["a chain as of 1970", coherent, venue((honest) => ({ chain: (query) => withAsOf(honest.chain(query), 0) }))],
  ["no trades", traded, venue((honest) => ({ trades: (query) => mapReadingValue(honest.trades(query), () => []) }))],
  [
    "trades that cost nothing",
    traded,
    venue((honest) => ({
      trades: (query) =>
        mapReadingValue(honest.trades(query), (all) => all.map((trade) => ({ ...trade, premiumUsd: 0 })))
    }))
  ]
])

const volatilities = makeFaultyAdapter(ImpliedVolatilities, layerCompleteMarket)
const daily = "a value a day, the newest of the last hour, by a method that is named"
const maturity = "values are of the maturity that is asked for"
const newest = "the newest value is that of the chain"

assertFaultsDetected(
  impliedVolatilitiesContract,
  {
    now,
    coin: "BTC",
    maturityDays: 7,
    coinWithoutOptions: "DOGE",
    longerMaturity: { maturityDays: 60 },
    chain: computeChainIv(testWorld, "BTC", now, 7)
  },
  [
    [
      "another maturity than asked for",
      maturity,
      volatilities((honest) => ({
        history: (query) =>
          mapReadingValue(
            honest.history({ ...query, maturityDays: 30 }),
            (all) => ({ ...all, maturityDays: query.maturityDays })
          )
      }))
    ],
    [
      "volatilities that fall faster than time",
      maturity,
      volatilities((honest) => ({
        history: (query) =>
          mapReadingValue(honest.history(query), (all) => ({
            ...all,
            points: all.points.map((point) => ({ ...point, ivPct: point.ivPct / query.maturityDays }))
          }))
      }))
    ],
    [
      "half of it",
      newest,
      volatilities((honest) => ({
        history: (query) =>
          mapReadingValue(honest.history(query), (all) => ({
            ...all,
            points: all.points.map((point) => ({ ...point, ivPct: point.ivPct / 2 }))
          }))
      }))
    ],
    [
      "no history",
      daily,
      volatilities((honest) => ({
        history: (query) => mapReadingValue(honest.history(query), (all) => ({ ...all, points: [] }))
      }))
    ],
    [
      "a history as of now",
      daily,
      volatilities((honest) => ({ history: (query) => withAsOf(honest.history(query), now) }))
    ]
  ]
)

const calendar = makeFaultyAdapter(MacroCalendar, layerCompleteMarket)
const patchyCalendar = makeFaultyAdapter(MacroCalendar)
const released = "events lie in the half-open interval; those to come have no figure, of those past some have"
const curve = "the curve is shortest first, in percent"

assertFaultsDetected(macroCalendarContract, { now }, [
  [
    "no events",
    released,
    calendar((honest) => ({ events: (query) => mapReadingValue(honest.events(query), () => []) }))
  ],
  [
    "figures to come",
    released,
    calendar((honest) => ({
      events: (query) => mapReadingValue(honest.events(query), (all) => all.map((event) => ({ ...event, actual: 1 })))
    }))
  ],
  [
    "no figures",
    released,
    calendar((honest) => ({
      events: (query) =>
        mapReadingValue(honest.events(query), (all) => all.map((event) => ({ ...event, actual: null })))
    }))
  ],
  [
    "forecasts of zero where there are none",
    released,
    patchyCalendar((honest) => ({
      events: (query) => mapReadingValue(honest.events(query), (all) => all.map((event) => ({ ...event, forecast: 0 })))
    }))
  ],
  [
    "a date beside the time",
    released,
    calendar((honest) => ({
      events: (query) =>
        mapReadingValue(honest.events(query), (all) => all.map((event) => ({ ...event, date: "2026-01-01" })))
    }))
  ],
  [
    "yields as fractions",
    curve,
    calendar((honest) => ({
      yieldCurve: (country) =>
        mapReadingValue(honest.yieldCurve(country), (all) => ({
          ...all,
          points: all.points.map((point) => ({ ...point, yieldPct: point.yieldPct / 100 }))
        }))
    }))
  ],
  [
    "yields of zero a month ago",
    curve,
    patchyCalendar((honest) => ({
      yieldCurve: (country) =>
        mapReadingValue(honest.yieldCurve(country), (all) => ({
          ...all,
          points: all.points.map((point) => ({ ...point, yield1mAgoPct: 0 }))
        }))
    }))
  ]
])
