import { Schema } from "effect"
import { integerBetween, optional, withDefault } from "../../tool/argument.ts"
import { specify } from "../../tool/specification.ts"

const example = `const closes = (await candles("BTC", "1h", 200)).filter((c) => c.closed !== false).map((c) => c.close)
return { price: await price("BTC"), rsi: Math.round(quant.rsi(closes, 14).at(-1) * 100) / 100 }`

export const runCode = specify({
  name: "run_code",
  area: "code",
  scope: "read:market",
  credits: 20,
  summary:
    "Runs your JavaScript: `inputs`, `await` candles(coin, tf, bars), price(coin), call(name, args) of 1-credit market tools (20 at most), quant.rsi(closes, 14) and kin. The value is what it returns, or its last expression.",
  parameters: Schema.Struct({
    code: Schema.String.annotate({ description: "No network, no files" })
      .check(Schema.isBetweenLength(1, 20_000)),
    inputs: optional(
      Schema.Record(Schema.String, Schema.Json).annotate({ description: "Data for the script" })
    ),
    timeout_ms: withDefault(integerBetween(100, 10_000, "How long it may run"), 3_000)
  }),
  result: Schema.Struct({
    value: Schema.Json.annotate({ description: "What the script returned, as JSON; null when it returned nothing" }),
    logs: Schema.Array(Schema.String).annotate({ description: "What it logged, one text for each console.log" }),
    took_ms: Schema.Int.annotate({ description: "How long it waited for its turn and ran, ms" })
  }),
  example: { code: example }
})
