/** Deribit's JSON-RPC over GET. */
import type { MarketRead } from "@tapeline/core/market"
import { Effect } from "effect"
import type { WireAnswer } from "../WireServer.ts"

const micros = 1_600_000_000_000_000

export const said = (result: unknown): WireAnswer => ({
  body: { jsonrpc: "2.0", result, usIn: micros, usOut: micros + 250, usDiff: 250, testnet: false }
})

export const refused = (code: number, message: string, param?: string): WireAnswer => ({
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

export const invalid = (param: string): WireAnswer => refused(-32_602, "Invalid params", param)

/** Returns null if the port has no data or does not know the symbol. */
export const orNone = <A>(read: MarketRead<A>): Effect.Effect<A | null> =>
  read.pipe(
    Effect.map(({ value }) => value),
    Effect.catchTags({ NoData: () => Effect.succeed(null), UnknownSymbol: () => Effect.succeed(null) }),
    Effect.orDie
  )

/** Rounds a number to at most `digits` decimal places. */
export const rounded = (x: number, digits: number): number => Number(x.toFixed(digits))
