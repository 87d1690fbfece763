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
import { assertFaultsDetected, makeFaultyAdapter, mapReadingValue } from "./support/faultyAdapters.ts"
import { layerCompleteMarket, now, testWorld } from "./support/markets.ts"

const venue = makeFaultyAdapter(OptionsVenue, layerCompleteMarket)
const expiries = (change: (expiry: OptionExpiry) => OptionExpiry) =>
  venue.change({ chain: (chain) => ({ ...chain, expiries: chain.expiries.map(change) }) })
const quotes = (change: (quote: OptionQuote) => OptionQuote) =>
  expiries((expiry) => ({ ...expiry, quotes: expiry.quotes.map(change) }))

const coherent = "a chain is from one instant, sorted, and every expiry has its forward and discount"
const traded = "trades are within the half-open interval, and a limit keeps the newest"

assertFaultsDetected(optionsVenueContract, { now, coin: "ETH", coinWithoutOptions: "DOGE" }, [
  ["a forward of one dollar", coherent, expiries((expiry) => ({ ...expiry, forward: 1 }))],
  [
    "a forward that does not fit put-call parity",
    coherent,
    expiries((expiry) => ({ ...expiry, forward: 0.97 * expiry.forward! }))
  ],
  ["a missing discount", coherent, expiries((expiry) => ({ ...expiry, discount: null }))],
  ["marks that do not match the discount", coherent, expiries((expiry) => ({ ...expiry, discount: 0.8 }))],
  ["one volatility for all quotes", coherent, quotes((quote) => ({ ...quote, ivPct: 1 }))],
  ["volatility as a fraction", coherent, quotes((quote) => ({ ...quote, ivPct: quote.ivPct! / 100 }))],
  ["marks of zero", coherent, quotes((quote) => ({ ...quote, mark: 0 }))],
  [
    "marks outside of bid and ask",
    coherent,
    quotes((quote) => ({ ...quote, ivPct: null, mark: 1.4 * (quote.ask ?? 1) }))
  ],
  ["quotes without marks", coherent, quotes((quote) => ({ ...quote, mark: null, ivPct: null }))],
  ["an open interest of zero everywhere", coherent, quotes((quote) => ({ ...quote, openInterest: 0 }))],
  ["a volume of zero everywhere", coherent, quotes((quote) => ({ ...quote, volume24h: 0 }))],
  ["bids of zero instead of null", coherent, quotes((quote) => ({ ...quote, bid: quote.bid ?? 0 }))],
  ["a chain as of 1970", coherent, venue.setAsOf({ chain: 0 })],
  ["no trades", traded, venue.change({ trades: () => [] })],
  [
    "trades with a premium of zero",
    traded,
    venue.change({ trades: (all) => all.map((trade) => ({ ...trade, premiumUsd: 0 })) })
  ]
])

const volatilities = makeFaultyAdapter(ImpliedVolatilities, layerCompleteMarket)
const daily = "returns one value a day, the newest from the last hour, and the method's name"
const maturity = "values are for the requested maturity"
const newest = "the newest value equals that of the chain"

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
      "values for another maturity than requested",
      maturity,
      volatilities.replace((original) => ({
        history: (query) =>
          mapReadingValue(
            original.history({ ...query, maturityDays: 30 }),
            (all) => ({ ...all, maturityDays: query.maturityDays })
          )
      }))
    ],
    [
      "volatilities that fall faster than time",
      maturity,
      volatilities.change({
        history: (all, query) => ({
          ...all,
          points: all.points.map((point) => ({ ...point, ivPct: point.ivPct / query.maturityDays }))
        })
      })
    ],
    [
      "half of the volatility",
      newest,
      volatilities.change({
        history: (all) => ({ ...all, points: all.points.map((point) => ({ ...point, ivPct: point.ivPct / 2 })) })
      })
    ],
    ["no history", daily, volatilities.change({ history: (all) => ({ ...all, points: [] }) })],
    ["a history as of now", daily, volatilities.setAsOf({ history: now })]
  ]
)

const calendar = makeFaultyAdapter(MacroCalendar, layerCompleteMarket)
const gappyCalendar = makeFaultyAdapter(MacroCalendar)
const released = "events are within the half-open interval; upcoming ones have no actual figure, some past ones do"
const curve = "the curve is sorted by maturity, in percent"

assertFaultsDetected(macroCalendarContract, { now }, [
  ["no events", released, calendar.change({ events: () => [] })],
  [
    "actual figures of upcoming events",
    released,
    calendar.change({ events: (all) => all.map((event) => ({ ...event, actual: 1 })) })
  ],
  [
    "no actual figures of past events",
    released,
    calendar.change({ events: (all) => all.map((event) => ({ ...event, actual: null })) })
  ],
  [
    "forecasts of zero instead of null",
    released,
    gappyCalendar.change({ events: (all) => all.map((event) => ({ ...event, forecast: 0 })) })
  ],
  [
    "a date that does not match the time",
    released,
    calendar.change({ events: (all) => all.map((event) => ({ ...event, date: "2026-01-01" })) })
  ],
  [
    "yields as fractions",
    curve,
    calendar.change({
      yieldCurve: (all) => ({
        ...all,
        points: all.points.map((point) => ({ ...point, yieldPct: point.yieldPct / 100 }))
      })
    })
  ],
  [
    "yields of a month ago that are zero instead of null",
    curve,
    gappyCalendar.change({
      yieldCurve: (all) => ({ ...all, points: all.points.map((point) => ({ ...point, yield1mAgoPct: 0 })) })
    })
  ]
])
