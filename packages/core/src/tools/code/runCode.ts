import { Schema } from "effect"
import type { runCodeToolName } from "../../analysis/code/CodeSandbox.ts"
import { integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"
import { specify } from "../../engine/tool/specification.ts"

const scriptErrors = {
  threw: "an uncaught exception, or invalid JavaScript",
  call: "an uncaught failure of a call",
  timeout: "the script did not finish within `timeout_ms`",
  memory: "the memory limit was exceeded",
  stack: "the recursion was too deep",
  log: "the logs were too large",
  value: "the value is too large, nested too deeply, or not representable in JSON",
  stalled: "the script waits for a promise that never settles",
  broke: "the script crashed the sandbox"
} as const
export type ScriptErrorCode = keyof typeof scriptErrors
const scriptErrorCodes = Object.keys(scriptErrors) as ReadonlyArray<ScriptErrorCode> // the keys of `scriptErrors`

const example = `const closes = (await candles("BTC", "1h", 200)).filter((c) => c.closed !== false).map((c) => c.close)
return { price: await price("BTC"), rsi: Math.round(quant.rsi(closes, 14).at(-1) * 100) / 100 }`

export const runCode = specify({
  name: "run_code",
  area: "code",
  scope: "read:market",
  credits: 20,
  completesWhenAbandoned: true,
  summary:
    "Runs your JavaScript: `inputs`, `await` candles(coin, tf, bars), price(coin), call(name, args) of 1-credit market tools (20 at most), quant.rsi(closes, 14) and others. The value is its return value or last expression.",
  parameters: Schema.Struct({
    code: Schema.String.annotate({ description: "No network, no files" })
      .check(Schema.isBetweenLength(1, 20_000)),
    inputs: optional(
      Schema.Record(Schema.String, Schema.Json).annotate({ description: "Data for the script" })
    ),
    timeout_ms: withDefault(integerBetween(100, 10_000, "Time limit"), 3_000)
  }),
  result: Schema.Struct({
    value: Schema.Json.annotate({
      description: "The script's return value as JSON; null if it returned nothing or failed"
    }),
    script_error: Schema.NullOr(
      Schema.Struct({
        code: Schema.Literals(scriptErrorCodes).annotate({
          description: Object.entries(scriptErrors).map(([code, meaning]) => `\`${code}\`: ${meaning}`).join("; ")
        }),
        message: Schema.String,
        line: Schema.NullOr(Schema.Int).annotate({ description: "Line of the script, from 1; null if unknown" })
      })
    ).annotate({ description: "The reason of a failure; null without one. A failed script is charged" }),
    logs: Schema.Array(Schema.String).annotate({ description: "One text for each call of console.log" }),
    took_ms: Schema.Int.annotate({ description: "Waiting time and run time, ms" })
  }),
  example: { code: example }
}) satisfies { readonly name: typeof runCodeToolName }
