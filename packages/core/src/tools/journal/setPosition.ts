import { Schema } from "effect"
import { notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { CoinArgument } from "../../market/arguments.ts"
import { positionArguments, side } from "./arguments.ts"
import { PositionRow } from "./fields.ts"

export const setPosition = specify({
  name: "set_position",
  area: "journal",
  scope: "write:personal",
  credits: 1,
  summary: "Records a new position in the caller's journal; to change one: update_position.",
  parameters: Schema.Struct({ coin: CoinArgument, side, ...positionArguments }),
  result: Schema.Struct({ position: PositionRow, notes }),
  example: { coin: "BTC", side: "long", size_usd: 1000, entry: 95000, stop: 92000, leverage: 3, takes: [101000] }
})
