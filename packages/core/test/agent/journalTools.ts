import { implement, specify, Toolbox } from "@tapeline/core"
import { noArguments } from "@tapeline/core/engine"
import { Effect, Schema } from "effect"

/** A trading journal in memory, with the list of all writes by its tools. */
export class Journal {
  readonly writes: Array<readonly [tool: string, args: unknown]> = []
  readonly positions = [
    { id: 17, coin: "BTC", side: "long", stop: 57_000, notes: "" },
    { id: 18, coin: "ETH", side: "short", stop: 3_700, notes: "" }
  ]
}

const optionalNumber = Schema.optionalKey(Schema.Finite)
const Position = {
  leverage: optionalNumber,
  size_usd: optionalNumber,
  entry: optionalNumber,
  stop: optionalNumber,
  takes: Schema.optionalKey(Schema.Array(Schema.Finite)),
  notes: Schema.optionalKey(Schema.String)
}
const side = Schema.Literals(["long", "short"])
const commonFields = { area: "journal", credits: 1 } as const
const resultWithId = Schema.Struct({ id: Schema.Int })

const setPosition = specify({
  ...commonFields,
  name: "set_position",
  scope: "write:personal",
  summary: "Records a position.",
  parameters: Schema.Struct({ coin: Schema.String, side, ...Position }),
  result: resultWithId,
  example: { coin: "BTC", side: "long" }
})

const updatePosition = specify({
  ...commonFields,
  name: "update_position",
  scope: "write:personal",
  summary: "Changes a position.",
  parameters: Schema.Struct({ id: Schema.Int, ...Position }),
  result: resultWithId,
  example: { id: 17 }
})

const closePosition = specify({
  ...commonFields,
  name: "close_position",
  scope: "write:personal",
  summary: "Closes a position, or a part of it.",
  parameters: Schema.Struct({ id: Schema.Int, exit: Schema.Finite, fraction: optionalNumber }),
  result: resultWithId,
  example: { id: 17, exit: 60_000 }
})

const updateWatchlist = specify({
  ...commonFields,
  name: "update_watchlist",
  scope: "write:personal",
  summary: "Adds coins to the watchlist, or removes them.",
  parameters: Schema.Struct({
    add: Schema.optionalKey(Schema.Array(Schema.String)),
    remove: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  result: Schema.Struct({ coins: Schema.Array(Schema.String) }),
  example: { add: ["BTC"] }
})

const getPositions = specify({
  ...commonFields,
  name: "get_positions",
  scope: "read:personal",
  summary: "The positions of the account.",
  parameters: noArguments,
  result: Schema.Struct({
    positions: Schema.Array(
      Schema.Struct({ id: Schema.Int, coin: Schema.String, side, stop: Schema.Finite, notes: Schema.String })
    )
  }),
  example: {}
})

const searchNews = specify({
  area: "news",
  credits: 1,
  name: "search_news",
  scope: "read:market",
  summary: "Articles.",
  parameters: noArguments,
  result: Schema.Struct({ articles: Schema.Array(Schema.Struct({ title: Schema.String })) }),
  example: {}
})

const toSide = (side: string): "long" | "short" => side === "long" ? "long" : "short"

/** Returns the tools of a journal in memory, and the tool `headline`, which returns untrusted text. */
export const makeJournalTools = (journal: Journal, headline: () => string) => {
  const makeWriteHandler = (tool: string) => (args: object) =>
    Effect.sync(() => {
      journal.writes.push([tool, args])
      return { id: 99 }
    })
  return Toolbox.layer([
    implement(setPosition, Effect.succeed(makeWriteHandler("set_position"))),
    implement(updatePosition, Effect.succeed(makeWriteHandler("update_position"))),
    implement(closePosition, Effect.succeed(makeWriteHandler("close_position"))),
    implement(
      updateWatchlist,
      Effect.succeed((args) =>
        Effect.sync(() => {
          journal.writes.push(["update_watchlist", args])
          return { coins: args.add ?? [] }
        })
      )
    ),
    implement(
      getPositions,
      Effect.succeed(() =>
        Effect.sync(() => ({ positions: journal.positions.map((one) => ({ ...one, side: toSide(one.side) })) }))
      )
    ),
    implement(searchNews, Effect.succeed(() => Effect.sync(() => ({ articles: [{ title: headline() }] }))))
  ])
}
