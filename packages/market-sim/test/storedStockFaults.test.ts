import { hourMs, type IndexQuote, type StockQuote, StoredEquities } from "@tapeline/core/market"
import { storedEquitiesContract } from "@tapeline/testing/contracts/storedEquities"
import { assertFaultsDetected, makeFaultyAdapter } from "./support/faultyAdapters.ts"
import { layerCompleteMarket, now } from "./support/markets.ts"
import { stocks } from "./support/stocks.ts"

const store = makeFaultyAdapter(StoredEquities, layerCompleteMarket)
const gappyStore = makeFaultyAdapter(StoredEquities)
const storedQuotes = (change: (quote: StockQuote) => StockQuote) => store.change({ quotes: (all) => all.map(change) })
const indices = (change: (quote: IndexQuote) => IndexQuote) => store.change({ indexQuotes: (all) => all.map(change) })

const ofAll = "quotes of a country are consistent, one per stock, largest turnover first"
const ofIndices = "indices have a value, and daily candles that end at it"
const earlier = "prices at an instant equal the quotes of that instant, and are never later"
const closesOfEndedSession = "closes are from the last ended session, not from the running one"
const delistedStockPrices = "a delisted stock has prices until its delisting, and no later ones"

assertFaultsDetected(storedEquitiesContract, { now, symbol: "AAPL", index: "SPX", delisted: stocks.delistedStock }, [
  ["no quotes", ofAll, store.change({ quotes: () => [] })],
  ["a market capitalisation of zero", ofAll, storedQuotes((one) => ({ ...one, marketCap: 0 }))],
  ["a negative volume", ofAll, storedQuotes((one) => ({ ...one, volume: -1 }))],
  ["a negative price/earnings ratio", ofAll, storedQuotes((one) => ({ ...one, pe: -3 }))],
  [
    "prices with a time of 1970",
    ofAll,
    store.change({ quotes: (all) => all.map((one) => ({ ...one, time: 0, extended: null })) }, 0)
  ],
  ["a closed session during trading hours", ofAll, storedQuotes((one) => ({ ...one, session: "closed" }))],
  ["a change of zero", ofAll, storedQuotes((one) => ({ ...one, changePct: 0 }))],
  ["a change without a previous close", ofAll, storedQuotes((one) => ({ ...one, previousClose: null }))],
  [
    "a 52-week range of zeros instead of null",
    ofAll,
    gappyStore.change({ quotes: (all) => all.map((one) => ({ ...one, low52w: 0, high52w: 0 })) })
  ],
  ["an index change that does not follow from its values", ofIndices, indices((one) => ({ ...one, changePct: 77 }))],
  ["a negative previous close of an index", ofIndices, indices((one) => ({ ...one, previousClose: -1 }))],
  [
    "an index with another previous close",
    ofIndices,
    indices((one) => ({
      ...one,
      previousClose: one.value,
      changePct: 0
    }))
  ],
  [
    "indices as of the session's opening",
    ofIndices,
    store.setAsOf({ indexHistory: (all) => all.at(-1)!.time })
  ],
  [
    "current prices for an earlier instant",
    earlier,
    store.replace((original) => ({ pricesAt: (query) => original.pricesAt({ ...query, time: query.time + hourMs }) }))
  ],
  ["prices of zero", earlier, store.change({ pricesAt: (all) => all.map((one) => ({ ...one, price: 0 })) })],
  [
    "closes of the running session",
    closesOfEndedSession,
    store.change({ closes: (all) => all.map((one) => ({ ...one, time: now })) }, now)
  ],
  ["no closes", closesOfEndedSession, store.change({ closes: () => [] })],
  [
    "prices without a delisted stock",
    delistedStockPrices,
    store.change({ pricesAt: (all) => all.filter(({ symbol }) => symbol !== "TWTR") })
  ]
])
