import { Effect } from "effect"
import type { FakeResponse } from "../server/FakeServer.ts"

/** Returns a response in OKX's format. Like OKX, the fake rejects requests with HTTP status 200 and an error code. */
export const okxResponse = (data: ReadonlyArray<unknown>, code = "0", msg = ""): FakeResponse => ({
  body: { code, msg, data }
})

export const unknownInstrument = Effect.succeed(
  okxResponse([], "51001", "Instrument ID, Instrument ID code, or Spread ID doesn't exist.")
)

export const coinsOfContract = (coin: string): number => coin === "BTC" ? 0.01 : coin === "ETH" ? 0.1 : 10

const [spotSuffix, swapSuffix] = ["-USDT", "-USDT-SWAP"]

export const spotId = (coin: string): string => `${coin}${spotSuffix}`
export const swapId = (coin: string): string => `${coin}${swapSuffix}`

const removeSuffix = (id: string | null, end: string): string | undefined =>
  id !== null && id.endsWith(end) ? id.slice(0, -end.length) : undefined

export const coinOfSpot = (id: string | null): string | undefined => removeSuffix(id, spotSuffix)
export const coinOfSwap = (id: string | null): string | undefined => removeSuffix(id, swapSuffix)
