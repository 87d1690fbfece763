import { Effect } from "effect"
import type { WireAnswer } from "../WireServer.ts"

/** OKX's response envelope. Rejected requests also have status 200. */
export const said = (data: ReadonlyArray<unknown>, code = "0", msg = ""): WireAnswer => ({ body: { code, msg, data } })

export const unknownInstrument = Effect.succeed(
  said([], "51001", "Instrument ID, Instrument ID code, or Spread ID doesn't exist.")
)

/** The number of coins in one contract. */
export const coinsOfContract = (coin: string): number => coin === "BTC" ? 0.01 : coin === "ETH" ? 0.1 : 10

const [spotEnd, swapEnd] = ["-USDT", "-USDT-SWAP"]

export const spotId = (coin: string): string => `${coin}${spotEnd}`
export const swapId = (coin: string): string => `${coin}${swapEnd}`

const without = (id: string | null, end: string): string | undefined =>
  id !== null && id.endsWith(end) ? id.slice(0, -end.length) : undefined

export const coinOfSpot = (id: string | null): string | undefined => without(id, spotEnd)
export const coinOfSwap = (id: string | null): string | undefined => without(id, swapEnd)
