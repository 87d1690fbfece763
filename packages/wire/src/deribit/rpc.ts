/** JSON-RPC over GET, as Deribit has it. */
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

/** Nothing where there is nothing. */
export const orNone = <A>(read: MarketRead<A>): Effect.Effect<A | null> =>
  read.pipe(
    Effect.map(({ value }) => value),
    Effect.catchTags({ NoData: () => Effect.succeed(null), UnknownSymbol: () => Effect.succeed(null) }),
    Effect.orDie
  )

/** A number with so many digits behind its point at most, as it is told. */
export const rounded = (x: number, digits: number): number => Number(x.toFixed(digits))
