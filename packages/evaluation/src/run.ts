import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { layerOpenAiModel } from "@tapeline/openai"
import { Effect, Layer } from "effect"
import { parseArgs } from "node:util"
import { evaluateAll, languages, passRate, tableOf } from "./evaluate.ts"
import { layerEngineOfQuestions, layerStill } from "./market.ts"
import { modelSettingsOf } from "./modelSettings.ts"
import { questions } from "./questions/all.ts"
import { heldOut } from "./questions/heldOut.ts"
import { unseen } from "./questions/unseen/unseen.ts"
import { unreachable } from "./reachable.ts"

const usage = `Asks a model the questions of the evaluation, and judges its answers by code.
Without OPENAI_MODEL the offline analyst is asked; with it, OPENAI_API_KEY and OPENAI_BASE_URL say where.

  npm run eval -- [--only <part of an id>] [--lang en|ko|ru] [--held-out | --unseen] [--show] [--threshold <percent>]

Ends with 0 when as many pass as the threshold wants, with 1 when fewer do, with 2 when nothing could be asked.`

const options = {
  only: { type: "string" },
  lang: { type: "string" },
  "held-out": { type: "boolean", default: false },
  unseen: { type: "boolean", default: false },
  show: { type: "boolean", default: false },
  threshold: { type: "string", default: "95" },
  help: { type: "boolean", default: false }
} as const

const parsed = (args: ReadonlyArray<string>) => parseArgs({ args: [...args], options }).values
type Values = ReturnType<typeof parsed>

/** The inputs of an evaluation: arguments, variables and the output. */
export interface Setting {
  readonly args: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly tell: (line: string) => void
}

export type ExitCode = 0 | 1 | 2

/** The questions and languages that the arguments select, or the problem with the arguments. */
const chosen = ({ "held-out": isHeldOut, lang, only, threshold, unseen: isUnseen }: Values) => {
  const asked = (isUnseen ? unseen : isHeldOut ? heldOut : questions)
    .filter(({ id }) => only === undefined || id.includes(only))
  const inLanguages = languages.filter((one) => lang === undefined || lang === one)
  const least = Number(threshold)
  const problem = inLanguages.length === 0
    ? `--lang is one of ${languages.join(", ")}`
    : asked.length === 0
    ? "no question has that in its id (--only)"
    : threshold.trim() === "" || !(least >= 0 && least <= 100)
    ? "--threshold is a percentage, from 0 to 100"
    : null
  return { asked, inLanguages, least, problem }
}

const evaluation = Effect.fnUntraced(function*(values: Values, tell: Setting["tell"]) {
  const { asked, inLanguages, least, problem } = chosen(values)
  const reason = problem ?? (yield* unreachable)
  if (reason !== null) {
    tell(reason)
    return 2
  }
  const verdicts = yield* evaluateAll(asked, inLanguages)
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
  tell(`\n${tableOf(verdicts)}\n\n${rate.toFixed(1)} % of ${verdicts.length} pass (threshold ${least} %).`)
  return rate >= least ? 0 : 1
})

/** Runs an evaluation like the command line. */
export const runEvaluation = async ({ args, environment, tell }: Setting): Promise<ExitCode> => {
  let values: Values
  try {
    values = parsed(args)
  } catch (error) {
    tell(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    return 2
  }
  if (values.help) {
    tell(usage)
    return 0
  }
  const settings = modelSettingsOf(environment)
  if ("problems" in settings) {
    for (const problem of settings.problems) tell(problem)
    return 2
  }
  const layerModel = settings.options === null ? OfflineAnalyst : layerOpenAiModel(settings.options)
  const model = layerModel.pipe(Layer.orDie)
  return Effect.runPromise(
    evaluation(values, tell).pipe(
      Effect.provide(layerEngineOfQuestions.pipe(Layer.provideMerge(model), Layer.provideMerge(layerStill)))
    )
  )
}
