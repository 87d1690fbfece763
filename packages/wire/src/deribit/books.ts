/** The coin of a currency, and the prefix of its instruments. */
export interface WireBook {
  readonly coin: string
  readonly prefix: string
  /** Whether premiums are in the coin. */
  readonly inCoin: boolean
}

const books: Readonly<Record<string, WireBook>> = {
  BTC: { coin: "BTC", prefix: "BTC", inCoin: true },
  ETH: { coin: "ETH", prefix: "ETH", inCoin: true },
  USDC: { coin: "SOL", prefix: "SOL_USDC", inCoin: false }
}

export const bookOf = (currency: string | null): WireBook | undefined => currency === null ? undefined : books[currency]

/** Converts an instrument such as `SOL-27NOV26-150.5-C` to Deribit's name. */
export const nameOf = ({ prefix }: WireBook, instrument: string): string =>
  prefix + instrument.slice(instrument.indexOf("-")).replace(".", "d")
