import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { layerOpenAiModel } from "@tapeline/openai"
import { Effect, Layer, Redacted } from "effect"
import { parseArgs } from "node:util"
import { evaluateAll, languages, passRate, tableOf } from "./evaluate.ts"
import { layerEngineOfQuestions, layerStill } from "./market.ts"
import { questions } from "./questions/all.ts"
import { heldOut } from "./questions/heldOut.ts"
import { unseen } from "./questions/unseen/unseen.ts"

const usage = `Asks a model the questions of the evaluation, and judges its answers by code.
Without OPENAI_MODEL the offline analyst is asked; with it, OPENAI_API_KEY and OPENAI_BASE_URL say where.

  npm run eval -- [--only <part of an id>] [--lang en|ko|ru] [--held-out | --unseen] [--show] [--threshold <percent>]`

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    lang: { type: "string" },
    "held-out": { type: "boolean", default: false },
    unseen: { type: "boolean", default: false },
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
  const asked = (values.unseen ? unseen : values["held-out"] ? heldOut : questions)
    .filter(({ id }) => values.only === undefined || id.includes(values.only))
  const verdicts = yield* evaluateAll(
    asked,
    languages.filter((lang) => values.lang === undefined || values.lang === lang)
  )
  for (const { faults, lang, question, reply } of verdicts) {
    const failed = faults.length > 0
    if (!failed && !values.show) continue
    tell(`\n${failed ? "FAILED" : "passed"} ${question.id} (${lang}): ${question.ask[lang].join(" / ")}`)
    for (const fault of faults) tell(`  ${fault}`)
    if (!values.show) continue
    for (const call of reply.made) tell(`  > ${call.name} ${JSON.stringify(call.arguments)}`)
    tell(reply.text)
    for (const suggestion of reply.suggestions) tell(`  ? ${suggestion}`)
  }
  const rate = passRate(verdicts)
  tell(`\n${tableOf(verdicts)}\n\n${rate.toFixed(1)} % of ${verdicts.length} pass (threshold ${values.threshold} %).`)
  return rate >= Number(values.threshold)
})

if (values.help) {
  tell(usage)
} else {
  const passed = await Effect.runPromise(
    run.pipe(Effect.provide(layerEngineOfQuestions.pipe(Layer.provide(layerModel), Layer.provideMerge(layerStill))))
  )
  if (!passed) process.exitCode = 1
}
