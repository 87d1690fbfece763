// The contract suite of stored stocks detects incorrect adapters: each adapter fails the check that is named with it.
import { hourMs, type IndexQuote, type StockQuote, StoredEquities } from "@tapeline/core/market"
import { storedEquitiesContract } from "@tapeline/testing/contracts/storedEquities"
import { Effect } from "effect"
import { assertFaultsDetected, makeFaultyAdapter, mapReadingValue, withAsOf } from "./support/faultyAdapters.ts"
import { layerCompleteMarket, now } from "./support/markets.ts"
import { stocks } from "./support/stocks.ts"

const store = makeFaultyAdapter(StoredEquities, layerCompleteMarket)
const patchyStore = makeFaultyAdapter(StoredEquities)
const stored = (lie: (quote: StockQuote) => StockQuote) =>
  store((honest) => ({ quotes: (country) => mapReadingValue(honest.quotes(country), (all) => all.map(lie)) }))
const indices = (lie: (quote: IndexQuote) => IndexQuote) =>
  store((honest) => ({ indexQuotes: (country) => mapReadingValue(honest.indexQuotes(country), (all) => all.map(lie)) }))

const ofAll = "quotes of a country are of its stocks, largest turnover first, and add up"
const ofIndices = "indices have a value, and daily candles that end with it"
const earlier = "prices of an instant are those of its quotes, and of no later one"
const ended = "closes are of the last session that has ended, before the running one"
const goneFrom = "a delisted stock has prices of its time, and none later"

assertFaultsDetected(storedEquitiesContract, { now, symbol: "AAPL", index: "SPX", delisted: stocks.delistedAmong }, [
  ["no quotes", ofAll, store((honest) => ({ quotes: (country) => mapReadingValue(honest.quotes(country), () => []) }))],
  ["a capitalisation of zero", ofAll, stored((one) => ({ ...one, marketCap: 0 }))],
  ["a volume below nothing", ofAll, stored((one) => ({ ...one, volume: -1 }))],
  ["a ratio below nothing", ofAll, stored((one) => ({ ...one, pe: -3 }))],
  [
    "prices of 1970",
    ofAll,
    store((honest) => ({
      quotes: (country) =>
        withAsOf(
          mapReadingValue(honest.quotes(country), (all) => all.map((one) => ({ ...one, time: 0, extended: null }))),
          0
        )
    }))
  ],
  ["closed while it trades", ofAll, stored((one) => ({ ...one, session: "closed" }))],
  ["no change", ofAll, stored((one) => ({ ...one, changePct: 0 }))],
  ["a change where nothing is compared", ofAll, stored((one) => ({ ...one, previousClose: null }))],
  [
    "zeros for a range that nobody tells",
    ofAll,
    patchyStore((honest) => ({
      quotes: (country) =>
        mapReadingValue(honest.quotes(country), (all) => all.map((one) => ({ ...one, low52w: 0, high52w: 0 })))
    }))
  ],
  ["an index that changed by itself", ofIndices, indices((one) => ({ ...one, changePct: 77 }))],
  ["an index that closed below nothing", ofIndices, indices((one) => ({ ...one, previousClose: -1 }))],
  [
    "an index compared with another close",
    ofIndices,
    indices((one) => ({
      ...one,
      previousClose: one.value,
      changePct: 0
    }))
  ],
  [
    "indices as of their opening",
    ofIndices,
    store((honest) => ({
      indexHistory: (query) =>
        Effect.flatMap(honest.indexHistory(query), (read) => withAsOf(Effect.succeed(read), read.value.at(-1)!.time))
    }))
  ],
  [
    "the present for an hour ago",
    earlier,
    store((honest) => ({
      pricesAt: (query) => honest.pricesAt({ ...query, time: query.time + hourMs })
    }))
  ],
  [
    "prices of zero",
    earlier,
    store((honest) => ({
      pricesAt: (query) => mapReadingValue(honest.pricesAt(query), (all) => all.map((one) => ({ ...one, price: 0 })))
    }))
  ],
  [
    "closes of the running session",
    ended,
    store((honest) => ({
      closes: (query) =>
        withAsOf(mapReadingValue(honest.closes(query), (all) => all.map((one) => ({ ...one, time: now }))), now)
    }))
  ],
  ["no closes", ended, store((honest) => ({ closes: (query) => mapReadingValue(honest.closes(query), () => []) }))],
  [
    "the dead are forgotten",
    goneFrom,
    store((honest) => ({
      pricesAt: (query) =>
        mapReadingValue(honest.pricesAt(query), (all) => all.filter(({ symbol }) => symbol !== "TWTR"))
    }))
  ]
])
