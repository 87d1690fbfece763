import type { MarketRead } from "@tapeline/core/market"
import { Effect } from "effect"
import type { FakeResponse } from "../server/FakeServer.ts"

export interface FakeBook {
  readonly coin: string
  readonly prefix: string
  /** Whether option premiums are priced in the coin instead of in dollars. */
  readonly inCoin: boolean
}

const books: Readonly<Record<string, FakeBook>> = {
  BTC: { coin: "BTC", prefix: "BTC", inCoin: true },
  ETH: { coin: "ETH", prefix: "ETH", inCoin: true },
  USDC: { coin: "SOL", prefix: "SOL_USDC", inCoin: false }
}

export const bookOf = (currency: string | null): FakeBook | undefined => currency === null ? undefined : books[currency]

/** Converts an instrument such as `SOL-27NOV26-150.5-C` to Deribit's name. */
export const nameOf = ({ prefix }: FakeBook, instrument: string): string =>
  prefix + instrument.slice(instrument.indexOf("-")).replace(".", "d")

const micros = 1_600_000_000_000_000

export const rpcResult = (result: unknown): FakeResponse => ({
  body: { jsonrpc: "2.0", result, usIn: micros, usOut: micros + 250, usDiff: 250, testnet: false }
})

export const rpcError = (code: number, message: string, param?: string): FakeResponse => ({
  status: 400,
  body: {
    jsonrpc: "2.0",
    error: { message, code, ...(param === undefined ? {} : { data: { reason: "invalid value", param } }) },
    usIn: micros,
    usOut: micros + 50,
    usDiff: 50,
    testnet: false
  }
})

export const invalidParam = (param: string): FakeResponse => rpcError(-32_602, "Invalid params", param)

export const valueOrNull = <A>(read: MarketRead<A>): Effect.Effect<A | null> =>
  read.pipe(
    Effect.map(({ value }) => value),
    Effect.catchTags({ NoData: () => Effect.succeed(null), UnknownSymbol: () => Effect.succeed(null) }),
    Effect.orDie
  )

export const roundTo = (x: number, digits: number): number => Number(x.toFixed(digits))
