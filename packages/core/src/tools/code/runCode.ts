import { Schema } from "effect"
import type { runCodeToolName } from "../../analysis/code/CodeSandbox.ts"
import { integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"
import { specify } from "../../engine/tool/specification.ts"

const scriptErrors = {
  threw: "an exception that it did not catch, or no JavaScript",
  call: "a call that failed, and that it did not catch",
  timeout: "it ran for longer than `timeout_ms`, or still waited for a call then",
  memory: "it used up its memory",
  stack: "it recursed too deeply",
  log: "it logged too much",
  value: "its value is too large, too deep, or nothing that JSON can say",
  stalled: "it waits for what never comes",
  broke: "it broke the sandbox"
} as const
export type ScriptErrorCode = keyof typeof scriptErrors
const scriptErrorCodes = Object.keys(scriptErrors) as ReadonlyArray<ScriptErrorCode> // the object's own keys

const example = `const closes = (await candles("BTC", "1h", 200)).filter((c) => c.closed !== false).map((c) => c.close)
return { price: await price("BTC"), rsi: Math.round(quant.rsi(closes, 14).at(-1) * 100) / 100 }`

export const runCode = specify({
  name: "run_code",
  area: "code",
  scope: "read:market",
  credits: 20,
  completesWhenAbandoned: true,
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
    value: Schema.Json.annotate({
      description: "What the script returned, as JSON; null when it returned nothing, or failed"
    }),
    script_error: Schema.NullOr(
      Schema.Struct({
        code: Schema.Literals(scriptErrorCodes).annotate({
          description: Object.entries(scriptErrors).map(([code, meaning]) => `\`${code}\`: ${meaning}`).join("; ")
        }),
        message: Schema.String,
        line: Schema.NullOr(Schema.Int).annotate({ description: "Line of the script, from 1, where it is known" })
      })
    ).annotate({ description: "Why the script failed; null when it did not. A script that fails is charged" }),
    logs: Schema.Array(Schema.String).annotate({ description: "What it logged, one text for each console.log" }),
    took_ms: Schema.Int.annotate({ description: "How long it waited for its turn and ran, ms" })
  }),
  example: { code: example }
}) satisfies { readonly name: typeof runCodeToolName }
