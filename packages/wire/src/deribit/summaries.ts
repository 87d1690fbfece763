import type { CoinDerivatives, OptionExpiry, OptionQuote, OptionsVenue } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { FakeRequest } from "../server/FakeRequest.ts"
import type { FakeResponse } from "../server/FakeServer.ts"
import { bookOf, type FakeBook, invalidParam, nameOf, roundTo, rpcResult, valueOrNull } from "./rpc.ts"

export interface SummaryPorts {
  readonly options: OptionsVenue["Service"]
  readonly derivatives: CoinDerivatives["Service"]
}

interface ChainContext {
  readonly book: FakeBook
  readonly time: number
  readonly spot: number
}

const optionRow = ({ book, spot, time }: ChainContext, { forward }: OptionExpiry, quote: OptionQuote) => {
  const underlying = roundTo(forward ?? spot, 4)
  const priced = (dollars: number | null) =>
    dollars === null ? null : roundTo(book.inCoin ? dollars / underlying : dollars, 8)
  const [bid, ask, mark] = [quote.bid, quote.ask, quote.mark].map(priced)
  return {
    volume: roundTo(quote.volume24h ?? 0, 4),
    underlying_price: underlying,
    underlying_index: "SYN.EXPIRY",
    quote_currency: book.inCoin ? book.coin : "USDC",
    price_change: null,
    open_interest: roundTo(quote.openInterest ?? 0, 4),
    mid_price: bid === null || ask === null ? null : roundTo((bid! + ask!) / 2, 8),
    mark_price: mark,
    mark_iv: roundTo(quote.ivPct ?? 0, 2),
    low: null,
    last: null,
    interest_rate: 0,
    instrument_name: nameOf(book, quote.instrument),
    high: null,
    estimated_delivery_price: roundTo(spot, 4),
    creation_timestamp: time,
    bid_price: bid,
    base_currency: book.coin,
    ask_price: ask,
    volume_usd: 0
  }
}

const foreignRow = (time: number) => ({
  volume: 0,
  underlying_price: null,
  mark_price: 0.0013,
  mark_iv: 0,
  interest_rate: null,
  instrument_name: "XRP_USDC-25DEC26-0d625-C",
  creation_timestamp: time,
  bid_price: null,
  base_currency: "XRP",
  ask_price: null,
  open_interest: 0
})

const optionRows = Effect.fnUntraced(function*({ options }: SummaryPorts, book: FakeBook) {
  const chain = yield* valueOrNull(options.chain({ coin: book.coin }))
  if (chain === null) return []
  const currentFields = { book, time: chain.time, spot: chain.spot }
  const rows = chain.expiries.flatMap((expiry) => expiry.quotes.map((quote) => optionRow(currentFields, expiry, quote)))
  return book.inCoin ? rows : [foreignRow(chain.time), ...rows]
})

const futureRow = (name: string, mark: number, index: number, time: number) => ({
  volume_usd: 100,
  volume: 0.01,
  quote_currency: "USD",
  price_change: 0.5,
  open_interest: 890_780,
  mid_price: roundTo(mark, 2),
  mark_price: roundTo(mark, 4),
  low: null,
  last: null,
  instrument_name: name,
  high: null,
  estimated_delivery_price: roundTo(index, 4),
  creation_timestamp: time,
  bid_price: null,
  base_currency: name.slice(0, 3),
  ask_price: null
})

const futureRows = Effect.fnUntraced(function*({ derivatives }: SummaryPorts, book: FakeBook) {
  const time = yield* Clock.currentTimeMillis
  const perpetual = yield* valueOrNull(derivatives.perpetual(book.coin))
  const dated = book.inCoin ? (yield* valueOrNull(derivatives.futures(book.coin))) ?? [] : []
  // All rows of a summary use one index price, because the port's record of a perpetual is some minutes old.
  const index = dated[0]?.indexPrice ?? perpetual?.indexPrice ?? 1
  const perpetualRow = futureRow(`${book.prefix}-PERPETUAL`, perpetual?.markPrice ?? index, index, time)
  return [...dated.map((future) => futureRow(future.instrument, future.price, future.indexPrice, time)), perpetualRow]
})

export const bookSummary = Effect.fnUntraced(
  function*(ports: SummaryPorts, { query }: FakeRequest): Effect.fn.Return<FakeResponse> {
    const book = bookOf(query.get("currency"))
    if (book === undefined) return invalidParam("currency")
    switch (query.get("kind")) {
      case "option":
        return rpcResult(yield* optionRows(ports, book))
      case "future":
        return rpcResult(yield* futureRows(ports, book))
      default:
        return invalidParam("kind")
    }
  }
)
