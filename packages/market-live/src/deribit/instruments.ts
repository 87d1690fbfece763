import { hourMs, type OptionType } from "@tapeline/core/market"

/** The instruments of one coin on Deribit. */
export interface DeribitBook {
  readonly coin: string
  /** The currency under which Deribit lists the instruments. */
  readonly currency: "BTC" | "ETH" | "USDC"
  /** The prefix of the names of a coin's instruments on Deribit, up to the first dash. */
  readonly prefix: string
  /** Whether the instruments are priced and settled in the coin instead of in dollars. */
  readonly inCoin: boolean
  /** The number of coins in one contract. On Deribit, prices are per coin, and amounts are in coins. */
  readonly contractSize: number
}

const books: ReadonlyArray<DeribitBook> = [
  { coin: "BTC", currency: "BTC", prefix: "BTC", inCoin: true, contractSize: 1 },
  { coin: "ETH", currency: "ETH", prefix: "ETH", inCoin: true, contractSize: 1 },
  { coin: "SOL", currency: "USDC", prefix: "SOL_USDC", inCoin: false, contractSize: 10 }
]

export const deribitCoins: ReadonlyArray<string> = books.map(({ coin }) => coin)

export const deribitBook = (coin: string): DeribitBook | undefined => books.find((book) => book.coin === coin)

const months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]

/** Returns the time of an expiry date, at 08:00 UTC, or null if the text is not a date. */
const parseExpiry = (text: string): number | null => {
  const [, day = "", name = "", year = ""] = /^(\d{1,2})([A-Z]{3})(\d{2})$/u.exec(text) ?? []
  const month = months.indexOf(name)
  if (month < 0) return null
  const midnight = Date.UTC(2000 + Number(year), month, Number(day))
  return new Date(midnight).getUTCDate() === Number(day) ? midnight + 8 * hourMs : null
}

/** Parses a strike, whose decimal point is a `d`: `0d625`. */
const parseStrike = (text: string): number | null => {
  if (!/^\d{1,12}(d\d{1,12})?$/u.test(text)) return null
  const strike = Number(text.replace("d", "."))
  return strike > 0 ? strike : null
}

export interface DeribitOption {
  readonly expiryAt: number
  readonly strike: number
  readonly type: OptionType
}

const types: ReadonlyMap<string, OptionType> = new Map([["C", "call"], ["P", "put"]])

/** Parses the name of an option, or returns null for any other name. */
export const parseOptionName = (name: string): DeribitOption | null => {
  const [, expiry = "", strikeText = "", letter = "", ...rest] = name.split("-")
  const expiryAt = parseExpiry(expiry)
  const strike = parseStrike(strikeText)
  const type = types.get(letter)
  return expiryAt === null || strike === null || type === undefined || rest.length > 0
    ? null
    : { expiryAt, strike, type }
}

/** Returns the expiry of a dated future, or null for a perpetual and for any other name. */
export const parseFutureExpiry = (name: string): number | null => {
  const [, expiry = "", ...rest] = name.split("-")
  return rest.length > 0 ? null : parseExpiry(expiry)
}
