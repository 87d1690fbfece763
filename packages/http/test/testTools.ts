import { implement, integerBetween, specify, ToolFailure, UnknownSymbol } from "@tapeline/core"
import { noArguments, optional, withDefault } from "@tapeline/core/engine"
import { CoinArgument } from "@tapeline/core/market"
import { Effect, Schema } from "effect"

const Price = Schema.Struct({ coin: Schema.String, price: Schema.Finite })

export const priceTool = implement(
  specify({
    name: "test_price",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    summary: "The price of BTC.",
    parameters: Schema.Struct({
      coin: CoinArgument,
      hours: withDefault(integerBetween(1, 720, "Hours"), 24),
      mode: optional(Schema.Literals(["fast", "slow"]))
    }),
    result: Price,
    example: { coin: "BTC" }
  }),
  Effect.succeed(({ coin }) =>
    coin === "BTC" ? Effect.succeed({ coin, price: 100_000 }) : Effect.fail(new UnknownSymbol({ symbol: coin }))
  )
)

export const koreaTool = implement(
  specify({
    name: "test_korea",
    area: "korea",
    scope: "read:market",
    credits: 5,
    summary: "Needs no argument.",
    parameters: noArguments,
    result: Schema.Struct({ ok: Schema.Boolean }),
    example: {}
  }),
  Effect.succeed(() => Effect.succeed({ ok: true }))
)

/** A tool whose calls are charged after they ran, with one write. */
const pureTool = implement(
  specify({
    name: "test_pure",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    pure: true,
    summary: "Only reads.",
    parameters: Schema.Struct({ coin: CoinArgument }),
    result: Price,
    example: { coin: "BTC" }
  }),
  Effect.succeed(({ coin }) =>
    coin === "BTC" ? Effect.succeed({ coin, price: 100_000 }) : Effect.fail(new UnknownSymbol({ symbol: coin }))
  )
)

export const personalTool = implement(
  specify({
    name: "test_personal",
    area: "journal",
    scope: "write:personal",
    credits: 1,
    summary: "Writes.",
    parameters: noArguments,
    result: Schema.Struct({ ok: Schema.Boolean }),
    example: {}
  }),
  Effect.succeed(() => Effect.succeed({ ok: true }))
)

export const invalidResultTool = implement(
  specify({
    name: "test_broken",
    area: "crypto",
    scope: "read:market",
    credits: 20,
    summary: "Breaks its schema.",
    parameters: noArguments,
    result: Price,
    example: {}
  }),
  Effect.succeed(() => Effect.succeed({ coin: "BTC", price: Number.NaN }))
)

/** A tool that dies with a message that contains a secret. */
export const crashingTool = implement(
  specify({
    name: "test_buggy",
    area: "crypto",
    scope: "read:market",
    credits: 1,
    summary: "Has a bug.",
    parameters: noArguments,
    result: Price,
    example: {}
  }),
  Effect.succeed(() => Effect.die(new Error("password=hunter2")))
)

export const failingTool = implement(
  specify({
    name: "test_failing",
    area: "crypto",
    scope: "read:market",
    credits: 5,
    summary: "Fails.",
    parameters: noArguments,
    result: Price,
    example: {}
  }),
  Effect.succeed(() =>
    Effect.fail(new ToolFailure({ code: "source_unavailable", callerMessage: "gone", retryable: true }))
  )
)

export const testTools = [priceTool, pureTool, koreaTool, personalTool, invalidResultTool, crashingTool, failingTool]
