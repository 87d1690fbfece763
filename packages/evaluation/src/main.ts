import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { layerOpenAiModel } from "@tapeline/openai"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { parseArgs } from "node:util"
import { askable, evaluate, languages, passRate, tableOf, type Verdict } from "./evaluate.ts"
import { layerTools, now } from "./market.ts"
import { questions } from "./questions/all.ts"
import { heldOut } from "./questions/heldOut.ts"

const usage = `Asks a model the questions of the evaluation, and judges its answers by code.
Without OPENAI_MODEL the offline analyst is asked; with it, OPENAI_API_KEY and OPENAI_BASE_URL say where.

  npm run eval -- [--only <part of an id>] [--lang en|ko|ru] [--held-out] [--show] [--threshold <percent>]`

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    lang: { type: "string" },
    "held-out": { type: "boolean", default: false },
    show: { type: "boolean", default: false },
    threshold: { type: "string", default: "95" },
    help: { type: "boolean", default: false }
  }
})

const { OPENAI_API_KEY: key, OPENAI_BASE_URL: baseUrl, OPENAI_MODEL: model } = process.env

const layerModel = model === undefined || model === ""
  ? OfflineAnalyst
  : layerOpenAiModel({
    model,
    ...(key === undefined ? {} : { apiKey: Redacted.make(key) }),
    ...(baseUrl === undefined ? {} : { baseUrl })
  })

const tell = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const run = Effect.gen(function*() {
  yield* TestClock.setTime(now)
  const asked = askable(values["held-out"] ? heldOut : questions)
    .filter(({ id }) => values.only === undefined || id.includes(values.only))
  const verdicts: Array<Verdict> = []
  for (const question of asked) {
    for (const lang of languages) {
      if (values.lang !== undefined && values.lang !== lang) continue
      const verdict = yield* evaluate(question, lang)
      verdicts.push(verdict)
      const failed = verdict.faults.length > 0
      if (failed || values.show) {
        tell(`\n${failed ? "FAILED" : "passed"} ${question.id} (${lang}): ${question.ask[lang].join(" / ")}`)
        for (const fault of verdict.faults) tell(`  ${fault}`)
        if (values.show) {
          tell(verdict.reply.made.map((call) => `  > ${call.name} ${JSON.stringify(call.arguments)}`).join("\n"))
          tell(verdict.reply.text)
        }
      }
    }
  }
  const rate = passRate(verdicts)
  tell(`\n${tableOf(verdicts)}\n\n${rate.toFixed(1)} % of ${verdicts.length} pass (threshold ${values.threshold} %).`)
  return rate >= Number(values.threshold)
})

if (values.help) {
  tell(usage)
} else {
  const passed = await Effect.runPromise(
    run.pipe(Effect.provide(Layer.mergeAll(layerTools, layerModel, TestClock.layer())))
  )
  if (!passed) process.exitCode = 1
}
